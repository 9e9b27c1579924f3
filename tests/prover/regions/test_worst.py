"""Conditions on sizes that data decide, with the ends of their ranges put in."""

from __future__ import annotations

from shapesmt.prover.algebra import FALSE, Kind, all_of, at_least, at_most, equal, less, maximum, symbol
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.prover.regions.worst import at_ends

N, M = symbol("n", 1), symbol("m", 1)
COUNT, ROW = symbol("count", kind=Kind.DATA), symbol("row", kind=Kind.PLACE)


def ends(condition, *limits):
    domain = Domain([s for d in (N, M) for s in d.symbols])
    for limit in limits:
        domain.limit(limit)
    return at_ends(condition, domain, Judge().proves)


def test_a_place_below_a_size_is_the_greatest_place_below_it():
    assert ends(less(ROW, N), at_most(ROW, M - 1)) == (at_least(N, M), True)


def test_limits_that_mention_other_such_sizes_are_followed():
    assert ends(less(ROW, N), at_most(ROW, maximum(COUNT - 1, 0)), at_most(COUNT, M)) == (at_least(N, M), True)


def test_what_some_data_always_break_holds_nowhere():
    assert ends(at_least(COUNT, 1), at_most(COUNT, N)) == (FALSE, True)


def test_a_condition_between_the_ends_is_left_as_it_is():
    assert ends(equal(COUNT % 2, 0), at_most(COUNT, 2 * N)) is None


def test_sizes_that_limit_each_other_or_nothing_are_left_as_they_are():
    assert ends(less(COUNT, N)) is None
    assert ends(less(COUNT, N), all_of(at_most(COUNT, ROW), at_most(ROW, COUNT))) is None
