"""The memory of activations in bytes: at most, at given sizes, and within a budget."""

from shapesmt.footprint.footprint import Wanted, measured, memory

__all__ = ["Wanted", "measured", "memory"]
