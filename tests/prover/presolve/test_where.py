"""The values at which conditions are looked at, and the truth there."""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest

from shapesmt.prover.algebra.dim import symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import at_least, divides, equal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.limits import FARTHEST, NEAR
from shapesmt.prover.presolve.where import Spread, ascending, truth_at, values_of
from tests.prover.presolve.sets import ATOMS, FREE, H, W, condition, domain, everything


@pytest.mark.parametrize("spread", Spread)
def test_few_values_are_listed(spread: Spread) -> None:
    assert values_of(domain(), ATOMS[1], 4, spread).tolist() == [0, 3, 6, 9]
    assert values_of(domain(divides(2, H)), ATOMS[0], 6, spread).tolist() == [2, 4, 6, 8, 10, 12]
    assert values_of(domain(divides(5, H), divides(7, H)), ATOMS[0], 6, spread).tolist() == []


@pytest.mark.parametrize("spread", Spread)
def test_of_many_values_a_sample_is_taken(spread: Spread) -> None:
    n = symbol("n", 5, 10**12, step=5)
    for within, s in ((domain(divides(2, H)), ATOMS[0]), (Domain([atom_of(n)]), atom_of(n)), (domain(), ATOMS[2])):
        values = values_of(within, s, 4, spread)
        assert 2 <= len(values) <= 4
        assert (np.diff(values) > 0).all()
        assert values[0] == within.ends(s)[0]
        assert all((v - values[0]) % s.step == 0 for v in values.tolist())


def test_samples_of_a_range_without_end() -> None:
    free = ATOMS[2]
    assert values_of(domain(), free, 3).tolist() == [1, 2, 3]
    assert values_of(domain(), free, 3, Spread.EVEN).tolist() == [1, 1 + NEAR // 2, 1 + NEAR]
    assert values_of(domain(), free, 3, Spread.NEARER)[[0, -1]].tolist() == [1, FARTHEST]
    below = symbol("below", -inf, 7)
    assert values_of(Domain([atom_of(below)]), atom_of(below), 30).tolist() == [*range(8)]


def test_the_least_values_are_admitted_by_the_facts_about_the_symbol() -> None:
    free = ATOMS[2]
    thirds = domain(divides(3, FREE))
    assert values_of(thirds, free, 3).tolist() == [3, 6, 9]
    assert values_of(thirds, free, 3, start=7).tolist() == [9, 12, 15]
    assert values_of(domain(), ATOMS[1], 9, start=5).tolist() == [6, 9]
    assert values_of(domain(divides(2, H)), ATOMS[0], 9, start=5).tolist() == [6, 8, 10, 12]
    assert values_of(domain(divides(2**40, FREE)), free, 3).tolist() == []  # none is near


def test_values_in_order_are_those_that_are_admissible() -> None:
    assert [*ascending(domain(divides(4, H)), ATOMS[0])] == [4, 8, 12]
    far = ascending(domain(at_least(FREE, 9)), ATOMS[2])
    assert (far[0], far[-1]) == (9, FARTHEST)
    odd = symbol("odd", -(2**50) + 1, step=2)
    assert ascending(Domain([atom_of(odd)]), atom_of(odd))[0] == -FARTHEST + 1


def test_the_truth_is_that_at_each_place(seeds: range) -> None:
    for seed in seeds:
        asked = condition(Random(f"where {seed}"))
        axes = {ATOMS[0]: np.arange(1, 13), ATOMS[1]: np.arange(0, 10, 3)}
        found = truth_at(asked, axes)
        assert found is not None
        assert found.ravel().tolist() == [bool(Evaluator(at).formula(asked)) for at in everything()], seed


def test_numbers_that_machine_words_do_not_hold() -> None:
    far = np.array([1, 2**40])
    assert truth_at(equal(FREE * FREE, 9), {ATOMS[2]: far}) is None
    nothing = truth_at(equal(FREE * W, 0), {ATOMS[2]: far, ATOMS[1]: np.array([], dtype=np.int64)})
    assert nothing is not None
    assert nothing.shape == (2, 0)
