"""Elements looked up, written, picked, counted and sorted."""

from shapesmt.ops.torch.indexing import advanced, counting, gathering, lookup, ordering, parts, scattering

__all__ = ["advanced", "counting", "gathering", "lookup", "ordering", "parts", "scattering"]
