"""Extents of expressions, against running through every assignment."""

from __future__ import annotations

from random import Random

import numpy as np

from shapesmt.prover.algebra.dim import Dim, Kind, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.extremes import maximum
from shapesmt.prover.algebra.formula import any_of, at_least, at_most, differs, divides, equal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.optima import extent
from tests.oracle.test_identities import expression as drawn, formula as drawn_condition
from tests.prover.presolve.sets import ATOMS, FREE, H, W, admitted, condition, domain, expression


def ends(within: Domain, dim: Dim) -> tuple[int | None, int | None] | None:
    """Both ends, each checked at its witness."""
    found = extent(within, dim)
    if found is None:
        return None
    for end in found:
        assert end.proven
        assert end.value is None or Evaluator(end.witness or {}).dim(within.eliminate(dim)) == end.value
    return found[0].value, found[1].value


def test_ends_come_with_witnesses() -> None:
    assert ends(domain(), H - W // 2) == (-3, 12)


def test_intervals_that_are_too_wide_are_narrowed() -> None:
    assert ends(domain(), H - H % 4) == (0, 12)
    assert ends(domain(equal(H, W)), H - W) == (0, 0)
    assert ends(domain(divides(5, H)), H) == (5, 10)


def test_an_expression_without_upper_end() -> None:
    assert ends(domain(), FREE * H + FREE // 2) == (1, None)
    assert ends(domain(at_least(FREE, 7)), FREE * FREE) == (49, None)


def test_ends_of_ranges_that_cells_do_not_follow() -> None:
    wide = symbol("wide", 1, 2**63 - 1, step=2)
    within = Domain([atom_of(wide), *ATOMS])
    assert ends(within, wide * H) == (1, 12 * (2**63 - 1))
    assert ends(within, wide * FREE + wide // 4) == (1, None)
    assert ends(within, 3 * wide - 2 * (wide // 2)) is None


def test_facts_about_one_symbol_leave_out_its_first_values_or_all_from_some_value_on() -> None:
    assert ends(domain(divides(16, FREE)), FREE // 2 + H) == (9, None)
    assert ends(domain(any_of(equal(FREE, 7), at_most(FREE, 5))), FREE * H) == (1, 84)
    assert ends(domain(differs(FREE % 3, 1), at_least(FREE // 2, 2)), FREE) == (5, None)
    assert ends(domain(divides(16, FREE), equal(FREE % 2, 1)), FREE) is None


def test_rising_expressions_are_least_on_the_frontier_of_rising_facts(seeds: range) -> None:
    h, w = symbol("h", 1, 90), symbol("w", 2, 100, step=2)
    places = np.meshgrid(np.arange(1, 91), np.arange(2, 101, 2), indexing="ij", sparse=True)
    grid = Evaluator(dict(zip([atom_of(h), atom_of(w)], places, strict=True)))
    for seed in seeds:
        r = Random(f"frontier {seed}")
        dim, left, right = (
            r.randint(1, 3) * ((h + r.randint(0, 9)) // r.randint(1, 9)) * (w // r.randint(1, 3)) + r.choice([h, w])
            for _ in range(3)
        )
        facts = [at_least(left, r.randint(2, 400)), at_least(right, r.randint(2, 900))]
        truth = grid.formula(facts[0]) & grid.formula(facts[1])
        found = ends(Domain([atom_of(h), atom_of(w)], facts), dim)
        sizes = grid.dim(dim)[truth]
        assert not len(sizes) or found == (sizes.min(), sizes.max()), f"seed {seed}: {dim} {facts}"


def test_an_expression_that_grows_evenly_has_ends_where_it_repeats() -> None:
    halves = maximum(FREE // 2 - 9, 0)
    assert ends(domain(equal(FREE, 2 * (FREE // 2))), FREE - 2 * halves) == (2, 18)
    assert ends(domain(equal(halves, 2 * (halves // 2))), halves + FREE % 3) == (0, None)
    assert ends(domain(at_most(halves, 4)), halves - FREE) == (-23, -1)
    assert ends(domain(), 3 - FREE) is None


def test_random_extents_on_one_symbol_without_an_end(seeds: range) -> None:
    known = 0
    for seed in seeds:
        r = Random(f"one {seed}")
        dim, fact = drawn(r, [FREE], r.randint(1, 3))[1], drawn_condition(r, [FREE], r.randint(1, 3))[1]
        found = ends(domain(fact), dim)
        if found is None or max(abs(end or 0) for end in found) > 10_000:
            continue
        known += 1
        points = [Evaluator({ATOMS[2]: v}) for v in range(1, 600)]
        sizes = [e.dim(dim) for e in points if e.formula(fact)] or [0]
        least, most = found
        assert least is not None
        assert sizes == [0] or all(least <= size and (most is None or size <= most) for size in sizes), f"seed {seed}"
        assert sizes == [0] or most is not None or max(sizes) > min(sizes), f"seed {seed}"
    assert known > len(seeds) // 10


def test_what_neither_rises_nor_is_bounded() -> None:
    assert extent(domain(), FREE * FREE * FREE * FREE * FREE - 5 * FREE) is None
    assert ends(domain(), FREE * FREE - 5 * FREE) == (-6, None)
    assert ends(domain(), FREE * H - FREE) == (0, None)  # 0 throughout where h is 1
    assert ends(domain(at_least(FREE, H)), FREE) == (1, None)


def test_what_data_decides_is_as_large_as_its_limit_can_be() -> None:
    count = symbol("count", kind=Kind.DATA)
    limited = domain(at_most(H, 7))
    limited.limit(at_most(count, H * W))
    assert ends(limited, count) == (0, 63)


def test_random_extents_are_attained_and_never_passed(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"extent {seed}")
        fact, size = condition(r), expression(r)
        sizes = [Evaluator(p).dim(size) for p in admitted(fact)]
        found = extent(domain(fact), size) if sizes else None
        if found is not None:
            assert [end.value for end in found] == [min(sizes), max(sizes)], f"seed {seed}: {size} where {fact}"
