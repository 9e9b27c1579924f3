"""Conditions on one symbol without upper end: a window of values decides them as all values would."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from shapesmt.algebra.dim import Dim, symbol
from shapesmt.algebra.evaluate import Evaluator
from shapesmt.algebra.extremes import maximum, minimum
from shapesmt.algebra.formula import FALSE, TRUE, Formula, all_of, any_of, at_least, differs, equal
from shapesmt.presolve.domain import Domain
from shapesmt.presolve.monotonicity import growth, window

MANY = 20_000


def drawn_dim(random: Random, x: Dim, depth: int = 2) -> Dim:
    """Sums, divisions by constants, remainders and the odd minimum of an expression on one symbol."""
    if depth == 0:
        return x * random.randint(-2, 3) + random.randint(-30, 30)
    a, b = drawn_dim(random, x, depth - 1), drawn_dim(random, x, depth - 1)
    divisor = random.choice([2, 3, 4, 7, 8, 12, 28])
    return random.choice([a + b, a // divisor, a % divisor, a - b // divisor, minimum(a, b), maximum(a % divisor, 1)])


def drawn_formula(random: Random, x: Dim) -> Formula:
    compare = random.choice([equal, differs, at_least])
    first = compare(drawn_dim(random, x), random.randint(-3, 9))
    return first if random.random() < 0.6 else random.choice([all_of, any_of])(first, drawn_formula(random, x))


@pytest.mark.parametrize("seed", range(300))
def test_what_is_decided_is_what_many_values_show(seed: int) -> None:
    random = Random(seed)
    lo, step = random.randint(0, 40), random.choice([1, 1, 4, 6])
    x = symbol("x", lo, step=step)
    atom = x.as_symbol()
    assert atom is not None
    facts = [f for f in (drawn_formula(random, x) for _ in range(random.randint(0, 2))) if f not in (TRUE, FALSE)]
    condition = drawn_formula(random, x)
    decision = Domain([atom], facts).decide(condition)
    values = np.arange(lo, MANY, step)
    evaluator = Evaluator({atom: values})
    valid = np.broadcast_to(evaluator.formula(all_of(*facts)), values.shape)
    truth = np.broadcast_to(evaluator.formula(condition), values.shape)[valid]
    if decision is None or not truth.size:
        return
    holds = "always" if truth.all() else "sometimes" if truth.any() else "never"
    assert decision.holds == holds
    if decision.counterexample:
        assert decision.counterexample == {atom: values[valid][~truth][0]}


def test_most_drawn_conditions_are_decided() -> None:
    atom = symbol("x", 5).as_symbol()
    assert atom is not None
    conditions = [drawn_formula(Random(seed), symbol("x", 5)) for seed in range(300)]
    assert sum(Domain([atom]).decide(c) is not None for c in conditions) > 240


def test_what_does_not_grow_evenly_has_no_window() -> None:
    x = symbol("x", 1)
    atom = x.as_symbol()
    assert atom is not None
    assert growth(minimum(x, 2 * (x // 3) + 7)) is None
    assert growth(100 // x) is None
    assert window([at_least(x * x, 50 * x)], atom, 1) is not None  # x >= 50 by its normal form
    assert window([at_least(x * x + x % 3, 50)], atom, 1) is None
