"""The memory of activations in bytes: at most, at given sizes, and within a budget."""

from shapesmt.footprint.footprint import Wanted as Wanted, measured as measured, memory as memory
