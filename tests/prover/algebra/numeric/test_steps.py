"""Numbers are rounded to a type as numpy rounds them."""

from __future__ import annotations

import math
import struct
from random import Random

import numpy as np
import pytest

from shapesmt.prover.algebra.numeric.steps import NUMPY, nearest

ENDS = [65504, 65519.99, 65520.0, 3.4028235677973366e38, 3.4028236e38, math.inf, -0.0, 2.98023223876953125e-8, 7e-46]


@pytest.mark.parametrize("dtype", NUMPY)
def test_numbers_are_rounded_as_numpy_does(dtype: str) -> None:
    random = Random(5)
    numbers = [struct.unpack("d", random.randbytes(8))[0] for _ in range(2000)]
    numbers += [math.ldexp(random.random(), random.randint(-160, 130)) for _ in range(2000)]
    numbers += [random.uniform(-70000, 70000) for _ in range(2000)]
    with np.errstate(all="ignore"):
        for number in [*numbers, *ENDS, *(-end for end in ENDS)]:
            rounded, expected = nearest(number, dtype), float(getattr(np, dtype)(number))
            assert repr(rounded) == repr(expected), number


def test_integers_beyond_a_type_are_infinite() -> None:
    assert [nearest(sign * (1 << 80), "float16") for sign in (1, -1)] == [math.inf, -math.inf]
    assert nearest(10**400, "float64") == math.inf
    assert nearest(1 << 80, "float32") == float(1 << 80)
