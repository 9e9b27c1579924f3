"""Operations that polynomials can't express, decided by evaluation: rounded floats, folds and ends over positions."""

from shapesmt.algebra.numeric import steps
from shapesmt.algebra.numeric.boxes import Ends, ends_over, fold_or_unknown, not_empty
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
from shapesmt.algebra.numeric.folds import fold

__all__ = [
    "MANTISSA",
    "TO_INT",
    "Ends",
    "Float",
    "choice",
    "ends_over",
    "float_absolute",
    "float_at_least",
    "float_equal",
    "float_greatest",
    "float_least",
    "float_sign",
    "fold",
    "fold_or_unknown",
    "from_dim",
    "literal",
    "not_empty",
    "steps",
]
