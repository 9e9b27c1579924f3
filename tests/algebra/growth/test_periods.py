"""How expressions on one symbol grow from some value on, against their values."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from shapesmt.algebra.dim import Dim, as_dim, symbol
from shapesmt.algebra.division import floor_divide
from shapesmt.algebra.evaluate import evaluate
from shapesmt.algebra.extremes import maximum, minimum
from shapesmt.algebra.formula import at_least, divides, equal, select, truncated_divide
from shapesmt.algebra.growth.periods import Growth, growth, window
from shapesmt.algebra.substitute import atom_of
from tests.algebra.test_identities import expression, formula

X = symbol("x")
ATOM = atom_of(X)


def values(dim: Dim, count: int) -> list[int]:
    return [evaluate(dim, {ATOM: v}) for v in range(count)]


def test_a_period_repeats_with_its_gain() -> None:
    for dim in (
        X // 4,
        X // 4 - 7 * ((X + 24) // 28),
        X % 6 + X % 4,
        3 * X - X // 7,
        maximum(X // 2 - 9, 0),
        minimum(X, 2 * (X // 3) + 7),
        maximum(X // 2, (X + 3) // 4 + X // 4, 5),
        select(at_least(X, 11), X // 3, 7 * X),
        select(divides(4, X), X // 2, (X + 1) // 2),
        truncated_divide(X - 20, 3),
        (X + 2) * floor_divide(as_dim(7), X + 2) + X // 3,
        floor_divide(as_dim(-7), 2 * X + 1) * (X % 5),
    ):
        change = growth(dim, 0)
        assert change is not None, str(dim)
        numbers = values(dim, change.start + 5 * change.period)[change.start :]
        assert all(b - a == change.gain for a, b in zip(numbers, numbers[change.period :], strict=False)), str(dim)
        assert any(b != a for a, b in pairwise(numbers))


def test_random_expressions_grow_and_repeat_as_is_said(seeds: range) -> None:
    known = 0
    for seed in seeds:
        r = Random(f"growth {seed}")
        dim, condition = expression(r, [X], r.randint(1, 4))[1], formula(r, [X], r.randint(1, 4))[1]
        change, last = growth(dim, 0), window([condition], ATOM, 0)
        if change is not None and change.start + 3 * change.period < 3000:
            known += 1
            numbers = values(dim, change.start + 3 * change.period)[change.start :]
            steps = zip(numbers, numbers[change.period :], strict=False)
            assert all(b - a == change.gain for a, b in steps), f"seed {seed}: {dim}"
        if last is not None and last < 1000:
            known += 1
            truth = [bool(evaluate(condition, {ATOM: v})) for v in range(3 * last + 3)]
            assert set(truth) == set(truth[: last + 1]), f"seed {seed}: {condition}"
            assert set(truth[last + 1 :]) <= set(truth[: last + 1]), f"seed {seed}: {condition}"
    assert known > len(seeds) // 2


def test_a_pooled_and_enlarged_map_has_a_window() -> None:
    """Five poolings of a free size, each with at least one position, and their inverse."""
    size = X
    for _ in range(5):
        size = maximum((size - 2) // 2, minimum(-((2 - size) // 2), 0)) + 1
    last = window([equal(X, 32 * size)], ATOM, 1)
    assert last is not None
    assert last < 5000


def test_a_number_vanishes_in_what_outgrows_it() -> None:
    x = symbol("x", 1)
    assert growth(x * (100 // x), 1) == Growth(1, 0, 101)
    assert growth(as_dim(-3) // x, 1) == Growth(1, 0, 4)
    assert window([equal(x * (12 // x), 12)], atom_of(x), 1) == 13


def test_what_does_not_grow_evenly_has_no_window() -> None:
    x = symbol("x", 1)
    atom = atom_of(x)
    assert growth(floor_divide(x * x, 2 * x + 3), 1) is None
    assert growth(x // 2 * symbol("y"), 1) is None
    assert window([at_least(x * x, 50 * x)], atom, 1) is not None  # x >= 50 by its normal form
    assert window([at_least(x * x + x % 3, 50)], atom, 1) is None
    assert window([divides(6, x), divides(4, x)], atom, 1) == 12
