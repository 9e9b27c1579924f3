"""Operations that polynomials can't express: rounded floats, folds, lookups, bits, minima and maxima over positions."""

from shapesmt.prover.algebra.numeric import steps as steps
from shapesmt.prover.algebra.numeric.bits import (
    bit_and as bit_and,
    bit_or as bit_or,
    bit_xor as bit_xor,
    power as power,
)
from shapesmt.prover.algebra.numeric.boxes import (
    Ends as Ends,
    ends_over as ends_over,
    fold_or_unknown as fold_or_unknown,
    not_empty as not_empty,
    whatever_entries as whatever_entries,
)
from shapesmt.prover.algebra.numeric.float_choices import (
    choice as choice,
    float_absolute as float_absolute,
    float_at_least as float_at_least,
    float_equal as float_equal,
    float_greatest as float_greatest,
    float_is_infinite as float_is_infinite,
    float_is_nan as float_is_nan,
    float_least as float_least,
    float_remainder as float_remainder,
    float_sign as float_sign,
)
from shapesmt.prover.algebra.numeric.floats import (
    MANTISSA as MANTISSA,
    TO_INT as TO_INT,
    Float as Float,
    exact_fraction as exact_fraction,
    from_dim as from_dim,
    literal as literal,
)
from shapesmt.prover.algebra.numeric.folds import FOLD as FOLD, fold as fold
from shapesmt.prover.algebra.numeric.lookups import lookup as lookup
from shapesmt.prover.algebra.numeric.powers import raise_to as raise_to, root as root
from shapesmt.prover.algebra.numeric.rough import is_rough as is_rough, settled as settled
from shapesmt.prover.algebra.numeric.weaker import weaker as weaker
