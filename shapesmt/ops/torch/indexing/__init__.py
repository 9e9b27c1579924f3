"""Operators that look up, write, select, count and sort elements."""

from shapesmt.ops.torch.indexing import advanced, counting, gathering, lookup, ordering, parts, scattering

__all__ = ["advanced", "counting", "gathering", "lookup", "ordering", "parts", "scattering"]
