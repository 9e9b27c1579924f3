"""Floats of each type, computed as numpy computes them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shapesmt.algebra import symbol
from shapesmt.algebra.evaluate import Evaluator
from shapesmt.algebra.numeric import Float, from_dim, literal

KINDS = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
NUMBERS = (1 / 748, 1 / 3, 0.1, 3.0, 2047.0, 5e-7, 60000.0, -1.5)


def number(x: Float) -> float:
    """The number that a constant float is."""
    return float(x.value(Evaluator({})))


@pytest.mark.parametrize("dtype", KINDS)
def test_operations_on_constants_round_once(dtype: str) -> None:
    kind = KINDS[dtype]
    for a, b in product(NUMBERS, NUMBERS):
        x, y = literal(a, dtype), literal(b, dtype)
        assert number(x) == kind(a)
        with np.errstate(all="ignore"):
            expected = kind(a) + kind(b), kind(a) - kind(b), kind(a) * kind(b), kind(a) / kind(b)
        assert [number(r) for r in (x + y, x - y, x * y, x / y)] == [float(e) for e in expected]


def test_the_order_of_factors_and_summands_does_not_matter() -> None:
    n, part = from_dim(symbol("n", 1), "float64"), literal(0.6, "float64")
    assert part * n is n * part
    assert part + n is n + part
    assert part - n is not n - part
