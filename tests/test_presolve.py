"""Domains: what facts leave of symbols, and conditions decided without a solver."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from shapesmt.algebra.dim import Dim, of_atom, symbol
from shapesmt.algebra.evaluate import Evaluator
from shapesmt.algebra.formula import FALSE, Formula, all_of, any_of, at_least, at_most, differs, divides, equal
from shapesmt.presolve.domain import Domain
from shapesmt.presolve.monotonicity import half_line

H, W = symbol("h", 1, 12), symbol("w", 0, 9, step=3)
FREE = symbol("free", 1)
ATOMS = [H.as_symbol(), W.as_symbol(), FREE.as_symbol()]


def domain(*facts: Formula) -> Domain:
    return Domain(ATOMS, facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "condition", "holds"),
    [
        ((), at_least(H, 1), "always"),
        ((), at_least(H, 2), "sometimes"),
        ((), at_least(H, 13), "never"),
        ((), divides(3, W), "always"),
        ((), equal(H - H % 4 + H % 4, H), "always"),
        ((), differs(2 * H, W + W + 1), "always"),
        ((equal(H, W),), divides(3, H), "always"),
        ((equal(H, W),), equal(H * FREE, W * FREE), "always"),
        ((equal(H, W), at_least(W, 6)), at_least(H, 6), "always"),
        ((equal(W, 2 * H),), divides(6, W), "always"),
        ((divides(4, H),), any_of(equal(H, 4), equal(H, 8), equal(H, 12)), "always"),
        ((at_most(H, 3),), differs(H * H, 16), "always"),
    ],
    ids=str,
)
def test_decided(facts: tuple[Formula, ...], condition: Formula, holds: str) -> None:
    decision = domain(*facts).decide(condition)
    assert decision is not None
    assert decision.holds == holds


def test_a_counterexample_is_the_smallest() -> None:
    decision = domain(at_least(H + W, 5)).decide(equal(H, 5))
    assert decision is not None
    assert decision.counterexample is not None
    assert {a.name: v for a, v in decision.counterexample.items()} == {"h": 6, "w": 0}


def test_unbounded_symbols_are_left_to_the_solver() -> None:
    assert domain().decide(differs(FREE * FREE * FREE, 7 * FREE + 6)) is None
    assert domain().extent(FREE * FREE - 5 * FREE) is None


@pytest.mark.parametrize(
    ("facts", "empty"),
    [
        ((), False),
        ((FALSE,), True),
        ((at_least(H, 13),), True),
        ((equal(W, 4),), True),
        ((equal(H, W), at_most(H, 2)), True),
        ((equal(H, W),), False),
        ((at_least(W, H), at_least(H, W + 1)), True),
    ],
    ids=str,
)
def test_emptiness(facts: tuple[Formula, ...], empty: bool) -> None:
    assert domain(*facts).is_empty() in (empty, None)
    assert domain(*facts).is_empty() is not (not empty)


def test_a_copy_is_narrowed_apart() -> None:
    first = domain(at_least(H, 3))
    second = first.copy()
    second.assume(at_most(H, 5))
    assert first.extent(H)[:2] == (3, 12)  # type: ignore[index]
    assert second.extent(H)[:2] == (3, 5)  # type: ignore[index]


def test_extents_come_with_witnesses() -> None:
    lo, hi, low, high = domain().extent(H - W // 2) or (0, 0, {}, {})
    assert (lo, hi) == (-3, 12)
    assert Evaluator(low).dim(H - W // 2) == lo
    assert Evaluator(high).dim(H - W // 2) == hi


def test_an_extent_where_intervals_are_too_wide() -> None:
    assert domain().extent(H - H % 4)[:2] == (0, 12)  # type: ignore[index]
    assert domain(equal(H, W)).extent(H - W)[:2] == (0, 0)  # type: ignore[index]


# Random conditions, against running through everything


def condition(r: Random, depth: int = 2) -> Formula:
    if depth and r.random() < 0.4:
        return r.choice([all_of, any_of])(condition(r, depth - 1), condition(r, depth - 1))
    return r.choice([equal, differs, at_least, at_most])(expression(r), expression(r, 1))


def expression(r: Random, depth: int = 2) -> Dim:
    if not depth or r.random() < 0.3:
        return r.choice([H, W, H + r.randint(-3, 3), W - r.randint(0, 4), 0 * H + r.randint(0, 9)])
    a, b, k = expression(r, depth - 1), expression(r, depth - 1), r.randint(1, 5)
    return r.choice([a + b, a - b, a * b, a // k, a % k, k * a])


def everything() -> list[dict[object, int]]:
    return [dict(zip(ATOMS[:2], v, strict=True)) for v in product(range(1, 13), range(0, 10, 3))]


def test_random_conditions_are_decided_right(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"presolve {seed}")
        fact, asked, size = condition(r), condition(r), expression(r)
        points = [p for p in everything() if Evaluator(p).formula(fact)]
        given = domain(fact)
        assert given.is_empty() in (not points, None), f"seed {seed}: {fact}"
        if not points:
            continue
        truth = [bool(Evaluator(p).formula(asked)) for p in points]
        decision = given.decide(asked)
        expected = "always" if all(truth) else "sometimes" if any(truth) else "never"
        assert decision is None or decision.holds == expected, f"seed {seed}: {asked} where {fact}"
        found = given.extent(size)
        if found is not None:
            sizes = [Evaluator(p).dim(size) for p in points]
            assert found[:2] == (min(sizes), max(sizes)), f"seed {seed}: {size} where {fact}"


def test_narrowing_keeps_every_admissible_value(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"narrowing {seed}")
        fact = condition(r)
        given = domain(fact)
        points = [p for p in everything() if Evaluator(p).formula(fact)]
        for atom, meaning in given.narrowing().items():
            if meaning.symbols <= set(ATOMS):
                for p in points:
                    assert Evaluator(p).dim(meaning) == p[atom], f"seed {seed}: {atom.name} is {meaning} where {fact}"
            else:
                assert all(meaning.lo <= p[atom] <= meaning.hi for p in points), f"seed {seed}: {fact}"
        assert all(of_atom(a) is not None for a in given.symbols)


def test_a_fact_that_is_a_grid_narrows_each_symbol_alone() -> None:
    made = domain(any_of(equal((H - 3) * (W - 3), 0), at_most(H, 0)), differs(H, 3))
    assert made.decide(equal(W, 3)).holds == "always"  # type: ignore[union-attr]
    grid = domain(at_least((H // 4) * (W // 3), 9))  # h // 4 and w // 3 are 3 at most
    assert grid.cone(H.symbols)[1] == []
    assert grid.ends(ATOMS[0]) == (12, 12)  # type: ignore[arg-type]
    assert grid.about(H.symbols)[1] != []


@pytest.mark.parametrize(
    ("fact", "condition", "holds", "counterexample"),
    [
        (at_least(FREE // 5, 4), at_least(FREE, 20), "always", None),
        (at_least(FREE // 5, 4), at_least(FREE, 21), "sometimes", 20),
        (at_most(FREE, 30), at_most(FREE // 2, 9), "sometimes", 20),
        (at_most(FREE, 30), at_least(FREE, 31), "never", 1),
        (at_least(FREE, 9), at_most(FREE, 8), "never", 9),
        (differs(FREE // 4, 0), at_least(FREE, 4), "always", None),
        (divides(4, FREE), differs(FREE % 8, 4), "sometimes", 4),
        (divides(8, FREE), divides(4, FREE), "always", None),
    ],
    ids=str,
)
def test_an_open_range_needs_no_solver(fact: Formula, condition: Formula, holds: str, counterexample: int) -> None:
    decision = domain(fact).decide(condition)
    assert decision is not None
    assert decision.holds == holds
    found = decision.counterexample
    assert found == (None if counterexample is None else {FREE.as_symbol(): counterexample})


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("step", [1, 3, 7])
def test_half_lines_are_where_the_condition_holds(way: int, step: int) -> None:
    x = symbol("x", 0, 400, step=step)
    for divisor, shift, least in product((1, 2, 5), (-9, 0, 4), (1, 3)):
        dim = way * ((2 * x + shift) // divisor - 1) // 3 + least
        found = half_line(dim)
        assert found is not None, str(dim)
        for v in range(0, 401, step):
            holds = Evaluator({x.as_symbol(): v}).dim(dim) >= 0
            assert holds == (v >= found[1] if found[0] > 0 else v <= found[1]), (str(dim), v)
