"""The memory of activations in bytes: at most, at given sizes, and within a budget."""

from shapesmt.footprint.fits import largest as largest
from shapesmt.footprint.footprint import Wanted as Wanted, answer_memory as answer_memory, memory as memory
from shapesmt.footprint.sizes import bytes_of as bytes_of
