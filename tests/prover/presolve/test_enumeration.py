"""Every assignment at once: where conditions hold, and the smallest where they don't."""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest

from shapesmt.prover.algebra.dim import Kind, symbol
from shapesmt.prover.algebra.evaluation import Evaluator, fits_int64
from shapesmt.prover.algebra.formula import all_of, at_least, at_most, differs, divides, equal
from shapesmt.prover.algebra.growth import compared_expressions
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.enumeration import (
    MANY,
    Points,
    distance,
    magnitude,
    rows_where,
    seen_at_an_end,
    sides,
    truth_over,
)
from tests.oracle.test_identities import formula as drawn_condition
from tests.prover.presolve.sets import ATOMS, H, W, admitted, condition

AXES = [np.arange(1, 13), np.arange(0, 10, 3)]


def test_points_are_the_admitted_ones(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"points {seed}")
        fact, asked = condition(r), condition(r)
        points, expected = Points(ATOMS[:2], AXES, [fact]), admitted(fact)
        assert points.count == len(expected)
        truth = points.truth(asked)
        failing = [p for p in expected if not Evaluator(p).formula(asked)]
        assert int(np.count_nonzero(~truth)) == len(failing)
        if failing:
            nearest = points.smallest(~truth)
            assert nearest in failing
            assert distance(nearest) == min(distance(p) for p in failing), f"seed {seed}: {asked} where {fact}"


def test_sides_are_those_of_a_grid() -> None:
    points = Points(ATOMS[:2], AXES, [])
    grid = points.sides(all_of(divides(4, H), at_least(W, 4)))
    assert grid is not None
    assert [axis[side].tolist() for axis, side in zip(AXES, grid, strict=True)] == [[4, 8, 12], [6, 9]]
    assert points.sides(at_least(H, W)) is None
    assert sides(np.zeros((2, 2), dtype=bool)) is None


def test_a_point_where_an_expression_has_its_value() -> None:
    points = Points(ATOMS[:2], AXES, [at_least(H, W)])
    assert points.where(H + W, 21) == {ATOMS[0]: 12, ATOMS[1]: 9}


def test_trips_have_to_hold_all_at_once() -> None:
    trip = symbol("i", 0, 3, kind=Kind.ITERATION)
    points = Points([ATOMS[0], atom_of(trip)], [AXES[0], np.arange(4)], [])
    assert points.some_run(points.truth(at_least(H, trip)))
    assert not points.some_run(points.truth(differs(trip, 2)))


def test_many_values_are_bisected_to_the_same_truth() -> None:
    n = symbol("n", 1, 4 * MANY)
    values = np.arange(1, 4 * MANY + 1)
    for asked in (
        at_least(n // 7, 300),
        at_most(3 * n, 9000),
        at_least(n * n // 5, 12_345),
        all_of(at_least(n, 50), at_most(n, 70)),
        equal(n % 5, 2),
    ):
        truth = [bool(Evaluator({atom_of(n): int(v)}).formula(asked)) for v in values]
        assert truth_over(atom_of(n), values, asked).tolist() == truth, str(asked)


def test_chosen_values() -> None:
    values = np.arange(10)
    assert rows_where(values, values >= 4).base is values  # a view: neighbours
    assert rows_where(values, values % 3 == 0).tolist() == [0, 3, 6, 9]
    assert rows_where(values, values > 20).tolist() == []


def test_ends_show_that_something_is_admissible() -> None:
    ends = {s: (s.lo, s.hi) for s in ATOMS[:2]}
    assert seen_at_an_end(at_least(H, W), ends)
    assert seen_at_an_end(at_least(W, 9), ends)
    assert not seen_at_an_end(equal(H + W, 9), ends)


def test_an_end_may_be_missing() -> None:
    n, m = symbol("unbounded", 16, inf), symbol("below", -inf, 8)
    up, both = {atom_of(n): (16, inf)}, {atom_of(n): (16, inf), atom_of(m): (-inf, 8)}
    assert seen_at_an_end(equal(n % 16, 0), up)
    assert not seen_at_an_end(equal(n % 16, 1), up)
    assert not seen_at_an_end(at_least(n, m), both)


def test_the_truth_at_many_values_is_that_at_each(seeds: range) -> None:
    """This includes conditions that are evaluated only for the first values, since they repeat after those."""
    n = symbol("n", 3, 60_000, step=3)
    values = np.arange(3, 60_001, 3, dtype=np.int64)
    for seed in seeds:
        r = Random(f"many {seed}")
        condition = drawn_condition(r, [n], r.randint(1, 3))[1]
        for some in (values, values[values % 7 != 2]) if fits_int64(condition) else ():
            each = np.broadcast_to(Evaluator({atom_of(n): some}).formula(condition), some.shape)
            assert (truth_over(atom_of(n), some, condition) == each).all(), f"seed {seed}: {condition}"


@pytest.mark.parametrize("seeds", [range(40)])
def test_no_part_of_an_expression_exceeds_its_magnitude(seeds: range) -> None:
    for seed in seeds:
        lo, hi = -40, 40
        drawn = drawn_condition(Random(seed), [symbol("m", -9, 30), symbol("n", 1)], 3)[1]
        sizes = {s: max(abs(max(s.lo, lo)), abs(min(s.hi, hi))) for s in drawn.symbols}
        most = magnitude(compared_expressions(drawn), sizes)
        values = [np.arange(max(s.lo, lo), min(s.hi, hi) + 1) for s in sizes]
        at = Evaluator(dict(zip(sizes, np.meshgrid(*values, indexing="ij", sparse=True), strict=True)))
        for dim in compared_expressions(drawn):
            assert most == inf or np.abs(at.dim(dim)).max() <= most, seed
