"""Operations that polynomials can't express, decided by evaluation: rounded floats, and folds over positions."""

from shapesmt.algebra.numeric import steps
from shapesmt.algebra.numeric.float_choices import (
    choice,
    float_absolute,
    float_at_least,
    float_equal,
    float_greatest,
    float_least,
    float_sign,
)
from shapesmt.algebra.numeric.floats import MANTISSA, TO_INT, Float, from_dim, literal
from shapesmt.algebra.numeric.folds import everywhere, fold, too_long

__all__ = [
    "MANTISSA",
    "TO_INT",
    "Float",
    "choice",
    "everywhere",
    "float_absolute",
    "float_at_least",
    "float_equal",
    "float_greatest",
    "float_least",
    "float_sign",
    "fold",
    "from_dim",
    "literal",
    "steps",
    "too_long",
]
