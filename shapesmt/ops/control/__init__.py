"""Branches, loops, sequences and texts."""

from shapesmt.ops.control import flow, sequences, text

__all__ = ["flow", "sequences", "text"]
