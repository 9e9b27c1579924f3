"""Domains: what facts leave of symbols, and which symbols they tie to each other."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from random import Random

import pytest

from shapesmt.base.errors import UsageError
from shapesmt.prover.algebra import Verdict
from shapesmt.prover.algebra.dim import Kind, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import FALSE, Formula, any_of, at_least, at_most, differs, divides, equal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve.decisions import decide
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.limits import MAX_VALUES
from shapesmt.prover.presolve.optima import extent
from tests.prover.presolve.sets import ATOMS, FREE, H, W, admitted, condition, domain


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


def test_random_facts_admit_something_or_nothing(seeds: range) -> None:
    for seed in seeds:
        fact = condition(Random(f"empty {seed}"))
        assert domain(fact).is_empty() in (not admitted(fact), None), f"seed {seed}: {fact}"


def test_a_copy_is_narrowed_apart() -> None:
    first = domain(at_least(H, 3))
    second = first.copy()
    second.assume(at_most(H, 11))
    second.assume(equal(H, W))
    assert first.ends(ATOMS[0]) == (3, 12)
    assert second.ends(ATOMS[0]) == (3, 11)
    assert first.eliminate(H) is H
    assert second.eliminate(H) is W


def test_facts_on_single_symbols_leave_values_and_ends() -> None:
    narrowed = domain(divides(4, H), at_least(FREE, 7))
    assert narrowed.values(ATOMS[0]).tolist() == [4, 8, 12]  # type: ignore[union-attr]  # three of them
    assert narrowed.values(ATOMS[2]) is None
    assert narrowed.ends(ATOMS[2])[0] == 7
    assert narrowed.relations == ()


def test_ends_are_known_where_values_are_too_many_to_be_listed() -> None:
    many = atom_of(symbol("many", 1, 3 * MAX_VALUES, step=2))
    narrowed = Domain([many], [at_least(symbol("many", 1, 3 * MAX_VALUES, step=2), 10)])
    assert narrowed.values(many) is None
    assert narrowed.ends(many) == (11, 3 * MAX_VALUES)


@pytest.mark.parametrize("end", [2**63 - 1, 2**63, 2**64])
def test_values_that_numpy_has_no_integers_for_are_not_listed(end: int) -> None:
    far = symbol("far", end - 3, end)
    assert Domain(far.symbols).values(atom_of(far)) is None
    assert Domain(far.symbols).ends(atom_of(far)) == (end - 3, end)


@pytest.mark.parametrize("number", [-5, 0, 2])
def test_an_equality_leaves_one_value_of_a_symbol_without_ends(number: int) -> None:
    size = symbol("size", -inf)
    alone = Domain(size.symbols, [equal(size, number)])
    assert alone.ends(atom_of(size)) == (number, number)
    assert Judge().complete(alone, {}) == {atom_of(size): number}


def test_a_cone_holds_what_relations_tie_together() -> None:
    tied = domain(at_least(H, W), at_least(FREE, 5))
    assert tied.closure(W.symbols) == (ATOMS[:2], [at_least(H, W)])
    assert tied.closure(FREE.symbols) == (ATOMS[2:], [])
    assert tied.about(FREE.symbols) == (ATOMS[2:], [at_least(FREE, 5)])


def test_a_limit_ties_what_data_decides_to_inputs_but_not_inputs_to_each_other() -> None:
    count = symbol("count", kind=Kind.DATA)
    limited = domain()
    limited.limit(at_most(count, H * W))
    assert {s.name for s in limited.closure(count.symbols)[0]} == {"count", "h", "w"}
    assert limited.closure(H.symbols) == ([ATOMS[0]], [])
    assert limited.limits == (at_most(count, H * W),)


def test_the_set_over_other_symbols() -> None:
    other = symbol("half", 1, 6)
    twin = domain(divides(3, H)).substitute({ATOMS[0]: 2 * other})
    assert [s.name for s in twin.symbols] == ["half", "w", "free"]
    assert twin.values(atom_of(other)).tolist() == [3, 6]  # type: ignore[union-attr]  # two of them


def test_narrowing_keeps_every_admissible_value(seeds: range) -> None:
    for seed in seeds:
        fact = condition(Random(f"narrowing {seed}"))
        points = admitted(fact)
        for atom, meaning in domain(fact).narrowing().items():
            if meaning.symbols <= set(ATOMS):
                for p in points:
                    assert Evaluator(p).dim(meaning) == p[atom], f"seed {seed}: {atom.name} is {meaning} where {fact}"
            else:
                assert all(meaning.lo <= p[atom] <= meaning.hi for p in points), f"seed {seed}: {fact}"


def test_a_fact_that_is_a_grid_narrows_each_symbol_alone() -> None:
    narrowed = domain(any_of(equal((H - 3) * (W - 3), 0), at_most(H, 0)), differs(H, 3))
    assert decide(narrowed, equal(W, 3)).verdict == Verdict.PROVED  # type: ignore[union-attr]
    grid = domain(at_least((H // 4) * (W // 3), 9))  # h // 4 and w // 3 are 3 at most
    assert grid.closure(H.symbols)[1] == []
    assert grid.ends(ATOMS[0]) == (12, 12)
    assert grid.about(H.symbols)[1] != []


def test_a_bound_keeps_what_is_known_of_a_symbol_that_others_are_tied_to():
    h, w = symbol("h", 32, 640), symbol("w", 32, 640)
    domain = Domain([h, w], [divides(16, h), at_least(h * w, 5000)])
    domain.assume(at_most(h, 143))
    assert domain.ends(h.as_symbol()) == (32, 128)
    assert extent(domain, h)[1].value == 128


def test_a_domain_is_of_symbols() -> None:
    assert Domain([H, *ATOMS[1:]]).symbols == [*ATOMS]
    with pytest.raises(UsageError, match=r"a domain is of symbols, and h . 1 is an expression"):
        Domain([H + 1])


def test_equal_sizes_are_one() -> None:
    """The ranges and steps of 40 equal sizes all apply."""
    sizes = [symbol(f"d{i}", 1, 512 - i, step=1 + (i == 7) * 2) for i in range(40)]
    tied = Domain([atom_of(d) for d in sizes], [equal(a, b) for a, b in pairwise(sizes)])
    low, high = extent(tied, sizes[0] + sizes[39])
    assert (low.value, high.value) == (2, 2 * 472)
    decision = decide(tied, differs(sizes[0], 10))
    assert decision is not None
    assert decision.verdict is Verdict.DEPENDS
    assert decision.counterexample == {atom_of(d): 10 for d in sizes}
    steps = decide(tied, divides(3, sizes[20] - 1))
    assert steps is not None
    assert steps.verdict is Verdict.PROVED


def test_a_new_fact_is_seen_by_what_it_ties_and_nothing_else() -> None:
    known = domain()
    first, other = known.points(H.symbols), known.points(W.symbols)
    known.assume(differs(H, 2))
    narrowed = known.points(H.symbols)
    assert first is not None
    assert narrowed is not None
    assert narrowed.count == first.count - 1
    assert known.points(W.symbols) is other


def test_limits_go_along_to_other_symbols() -> None:
    count, h = symbol("count", 0, kind=Kind.DATA), symbol("h", 1, 12)
    known = Domain([atom_of(h)])
    known.limit(at_least(h, count))
    narrower = known.substitute({atom_of(h): symbol("h", 4, 8)})
    assert narrower.limits == (at_least(symbol("h", 4, 8), count),)
    assert narrower.key != known.key
