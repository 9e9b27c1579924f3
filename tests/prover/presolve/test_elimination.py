"""Equalities put in: what they say of one symbol, and what its range then says of the others."""

from __future__ import annotations

from random import Random

import pytest

from shapesmt.prover.algebra.dim import Dim, Kind, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import Formula, Verdict, all_of, at_least, at_most, equal
from shapesmt.prover.presolve.decisions import decide
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.elimination import Elimination, eliminate, range_facts, solve
from tests.prover.presolve.sets import H, W, admitted, condition, domain

PAST, SEQ, TOTAL = symbol("past"), symbol("seq", 1), symbol("total", 1, 64)
COUNT = symbol("count", kind=Kind.DATA)


@pytest.mark.parametrize(
    ("fact", "name", "meaning"),
    [
        (equal(TOTAL, PAST + SEQ), "total", PAST + SEQ),
        (equal(PAST, TOTAL - SEQ), "total", PAST + SEQ),
        (equal(2 * TOTAL, SEQ), "seq", 2 * TOTAL),
        (equal(COUNT + SEQ, TOTAL), "count", TOTAL - SEQ),  # no input is what data decides
        (equal(SEQ, PAST), "past", SEQ),
    ],
    ids=str,
)
def test_the_symbol_that_reads_best_is_eliminated(fact: Formula, name: str, meaning: Dim) -> None:
    solution = solve(fact)
    assert solution is not None
    assert (solution[0].name, solution[1]) == (name, meaning)


@pytest.mark.parametrize(
    "fact", [at_least(TOTAL, SEQ), equal(2 * TOTAL, 3 * SEQ), equal(TOTAL * SEQ, PAST * PAST)], ids=str
)
def test_what_determines_no_symbol(fact: Formula) -> None:
    assert solve(fact) is None


def test_meanings_never_name_what_is_eliminated() -> None:
    elimination = Elimination()
    for fact in (equal(TOTAL, PAST + SEQ), equal(PAST, 2 * COUNT), equal(TOTAL, SEQ + 6)):
        elimination.add(elimination.apply(fact))
    assert all(m.symbols.isdisjoint(elimination.definitions) for m in elimination.definitions.values())
    assert elimination.apply(equal(COUNT, 3)) is not None
    assert elimination.apply(TOTAL - SEQ).constant == 6


def test_a_copy_is_added_to_apart() -> None:
    first = Elimination()
    second = first.copy()
    second.add(equal(TOTAL, PAST + SEQ))
    assert first.apply(TOTAL) is TOTAL
    assert second.apply(TOTAL) is PAST + SEQ


def test_the_range_of_what_is_eliminated_is_kept() -> None:
    definitions, facts = eliminate([equal(TOTAL, PAST + SEQ), at_least(TOTAL, 8)])
    assert [*definitions.values()] == [PAST + SEQ]
    assert facts == [at_most(PAST + SEQ, 64), at_least(PAST + SEQ, 8)]
    stepped = symbol("stepped", 4, 40, step=4).as_symbol()
    assert stepped is not None
    assert [*map(str, range_facts(stepped, SEQ))] == ["seq >= 4", "seq <= 40", "seq % 4 == 0"]


def test_later_equalities_are_put_into_earlier_ones() -> None:
    three = symbol("three", 3, 3, fold=False)
    definitions, _ = eliminate([equal(TOTAL, PAST + SEQ), equal(SEQ, 2 * PAST), equal(PAST, three)])
    assert {s.name: str(m) for s, m in definitions.items()} == {"total": "3*three", "seq": "2*three", "past": "three"}


def test_what_is_left_says_the_same(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"elimination {seed}")
        facts = [equal(H, W + r.randint(-2, 3)), condition(r)]
        definitions, kept = eliminate(all_of(*facts).conjuncts)
        for point in admitted(all_of()):
            consistent = all(point[s] == Evaluator(point).dim(m) for s, m in definitions.items())
            left = consistent and bool(Evaluator(point).formula(all_of(*kept)))
            assert left == bool(Evaluator(point).formula(all_of(*facts))), f"seed {seed}: {facts}"


def test_a_domain_puts_its_equalities_in() -> None:
    within = domain(equal(H, W), equal(H, 3))
    assert within.eliminate(H + W).constant in (6, None)
    assert within.ends(next(iter(H.symbols)))[0] >= 1


def test_windows_that_divide_a_map_exactly_leave_the_batch() -> None:
    n, h, w = symbol("n", 1), symbol("h", 32), symbol("w", 32)
    within = Domain([s.as_symbol() for s in (n, h, w)], [equal((h // 4) * (w // 4), 49 * (h // 28) * (w // 28))])  # type: ignore[misc]
    decision = decide(within, equal((49 * n * (h // 28) * (w // 28)) // ((h // 4) * (w // 4)), n))
    assert decision is not None
    assert decision.verdict is Verdict.PROVED
    decision = decide(within, at_least(28 * (h // 28), h))
    assert decision is not None
    assert decision.verdict is Verdict.DEPENDS
    assert {s.name: value for s, value in (decision.counterexample or {}).items()} == {"h": 57}
