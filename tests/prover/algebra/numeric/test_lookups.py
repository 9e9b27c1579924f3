"""Lookups: the element of a list of known integers at an index, as an expression."""

from __future__ import annotations

import numpy as np

from shapesmt.prover.algebra.dim import as_dim, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.numeric.lookups import lookup
from shapesmt.prover.algebra.substitution import substitute

NUMBERS = np.array([5, 3, 8, -2])
N = symbol("n", 0, 3)


def test_many_indices_at_once() -> None:
    found = Evaluator({N.as_symbol(): np.array([2, 0, 3])}).dim(lookup(NUMBERS, N))
    assert found.tolist() == [8, 5, -2]


def test_an_index_that_is_known_gives_a_number() -> None:
    element = lookup(NUMBERS, N)
    assert [substitute(element, {N.as_symbol(): as_dim(i)}).constant for i in range(-1, 5)] == [5, 5, 3, 8, -2, -2]


def test_lists_that_differ_are_told_apart() -> None:
    one, same, other = (lookup(np.array(numbers), N) for numbers in ([1, 2], [1, 2], [2, 1]))
    assert one is same
    assert str(one) != str(other)
