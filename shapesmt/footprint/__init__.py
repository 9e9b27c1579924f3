"""The memory of activations in bytes: at most, at given sizes, and within a budget."""

from shapesmt.footprint.footprint import Wanted as Wanted, answer_memory as answer_memory, memory as memory
