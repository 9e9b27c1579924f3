"""What no polynomial describes, decided by evaluating: floats as a machine rounds them, and folds over positions."""

from shapesmt.algebra.numeric.float_choices import choice, compare, extreme, float_absolute, float_sign
from shapesmt.algebra.numeric.floats import MANTISSA, Real, from_dim, literal
from shapesmt.algebra.numeric.folds import sweep, too_long

__all__ = [
    "MANTISSA",
    "Real",
    "choice",
    "compare",
    "extreme",
    "float_absolute",
    "float_sign",
    "from_dim",
    "literal",
    "sweep",
    "too_long",
]
