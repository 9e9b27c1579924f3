"""Linear algebra: products, contractions, decompositions, systems of equations, norms and distances."""

from shapesmt.ops.torch.linear import contractions, decompositions, distances, norms, products, systems

__all__ = ["contractions", "decompositions", "distances", "norms", "products", "systems"]
