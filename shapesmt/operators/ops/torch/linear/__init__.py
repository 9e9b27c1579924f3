"""Linear algebra: products, contractions, decompositions, systems of equations, norms and distances."""
