"""What no polynomial describes, decided by evaluating: floats as a machine rounds them, and folds over positions."""

from shapesmt.algebra.numeric.float_choices import choice, compare, extreme, float_absolute, float_sign
from shapesmt.algebra.numeric.floats import MANTISSA, TO_INT, Float, from_dim, literal
from shapesmt.algebra.numeric.folds import fold, too_long

__all__ = [
    "MANTISSA",
    "TO_INT",
    "Float",
    "choice",
    "compare",
    "extreme",
    "float_absolute",
    "float_sign",
    "fold",
    "from_dim",
    "literal",
    "too_long",
]
