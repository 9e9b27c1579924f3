"""The memory of activations in bytes: at most, at given sizes, and within a budget."""

from shapesmt.footprint.ask import measured, memory
from shapesmt.footprint.footprint import Wanted

__all__ = ["Wanted", "measured", "memory"]
