"""Arithmetic: element by element, along axes, of matrices, and the layers that combine it."""
