"""The memory of activations in bytes: at most, at given sizes, and within a budget."""

from shapesmt.tasks.memory.fits import largest as largest
from shapesmt.tasks.memory.footprint import Wanted as Wanted, measure as measure
from shapesmt.tasks.memory.sizes import bytes_of as bytes_of
