"""Growth of expressions with their symbols: in one direction, or as polynomials."""

from shapesmt.prover.algebra.growth.monotonicity import half_line, half_line_of, monotone
from shapesmt.prover.algebra.growth.quasipolynomial import (
    Ratio,
    arguments,
    compared_expressions,
    of_formula,
    quasipolynomial_of,
    remainder_in,
    together,
)

__all__ = [
    "Ratio",
    "arguments",
    "compared_expressions",
    "half_line",
    "half_line_of",
    "monotone",
    "of_formula",
    "quasipolynomial_of",
    "remainder_in",
    "together",
]
