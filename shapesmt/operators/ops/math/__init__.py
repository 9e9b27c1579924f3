"""Arithmetic on elements and matrices, reductions, normalization, attention and training."""
