"""Branches, loops, sequences and texts."""

from shapesmt.ops.control import flow, scan, sequences, text

__all__ = ["flow", "scan", "sequences", "text"]
