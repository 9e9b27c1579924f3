"""Elements put elsewhere: reshaped, joined, cut, gathered, scattered."""

from shapesmt.ops.layout import blocks, indexing, joining, reshape, scatter, shape, slicing

__all__ = ["blocks", "indexing", "joining", "reshape", "scatter", "shape", "slicing"]
