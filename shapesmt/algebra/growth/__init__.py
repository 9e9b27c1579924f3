"""How expressions change as their symbols grow: in one direction, by the same in each period, or as polynomials."""

from shapesmt.algebra.growth.monotonicity import half_line, half_line_of, monotone
from shapesmt.algebra.growth.periods import Growth, arguments, compared, growth, joint, repetition, window
from shapesmt.algebra.growth.quasipolynomial import Ratio, multiplies, of_formula, quasipolynomial, together

__all__ = [
    "Growth",
    "Ratio",
    "arguments",
    "compared",
    "growth",
    "half_line",
    "half_line_of",
    "joint",
    "monotone",
    "multiplies",
    "of_formula",
    "quasipolynomial",
    "repetition",
    "together",
    "window",
]
