"""Operations that polynomials can't express: rounded floats, folds, bits, and minima and maxima over positions."""

from shapesmt.algebra.numeric import steps
from shapesmt.algebra.numeric.bits import bit_and, bit_or, bit_xor, power
from shapesmt.algebra.numeric.boxes import Ends, ends_over, fold_or_unknown, not_empty, whatever_entries
from shapesmt.algebra.numeric.float_choices import (
    choice,
    float_absolute,
    float_at_least,
    float_equal,
    float_greatest,
    float_is_infinite,
    float_is_nan,
    float_least,
    float_remainder,
    float_sign,
)
from shapesmt.algebra.numeric.floats import MANTISSA, TO_INT, Float, from_dim, literal
from shapesmt.algebra.numeric.folds import fold

__all__ = [
    "MANTISSA",
    "TO_INT",
    "Ends",
    "Float",
    "bit_and",
    "bit_or",
    "bit_xor",
    "choice",
    "ends_over",
    "float_absolute",
    "float_at_least",
    "float_equal",
    "float_greatest",
    "float_is_infinite",
    "float_is_nan",
    "float_least",
    "float_remainder",
    "float_sign",
    "fold",
    "fold_or_unknown",
    "from_dim",
    "literal",
    "not_empty",
    "power",
    "steps",
    "whatever_entries",
]
