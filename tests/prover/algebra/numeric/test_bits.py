"""Bits of integers, against Python at every pair of values of small ranges."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from operator import and_, or_, xor

import pytest

from shapesmt.prover.algebra import Dim, evaluate, symbol
from shapesmt.prover.algebra.numeric import bit_and, bit_or, bit_xor

RANGES = [(-8, 3), (-5, -1), (0, 7), (2, 9)]


@pytest.mark.parametrize(("ours", "theirs"), [(bit_and, and_), (bit_or, or_), (bit_xor, xor)])
def test_values_are_pythons_and_within_the_ends(
    ours: Callable[[Dim, Dim], Dim], theirs: Callable[[int, int], int]
) -> None:
    for a, b in product(RANGES, repeat=2):
        x, y = symbol("x", *a), symbol("y", *b)
        both = ours(x, y)
        for v, w in product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)):
            value = theirs(v, w)
            assert evaluate(both, {x.as_symbol(): v, y.as_symbol(): w}) == value, (v, w)
            assert both.lo <= value <= both.hi, (v, w)
