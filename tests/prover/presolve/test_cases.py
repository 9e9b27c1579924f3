"""Conditions decided one case at a time, or for one product, against running through the sizes."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np

from shapesmt.prover.algebra import Dim, Evaluator, Formula, Verdict, product as multiplied, symbol
from shapesmt.prover.algebra.formula import all_of, any_of, at_least, at_most, differs, divides, equal, negate, select
from shapesmt.prover.algebra.numeric import from_dim, literal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.cases import Decision, decide_by_cases, prove_for_product, remaining_cases
from shapesmt.prover.presolve.decisions import decide
from shapesmt.prover.presolve.domain import Domain

BATCH, ROWS, COLUMNS = symbol("batch", 1), symbol("rows", 1), symbol("columns", 1)
ATOMS = [atom_of(d) for d in (BATCH, ROWS, COLUMNS)]
TILES = ((ROWS + 3) // 4) * ((COLUMNS + 3) // 4)


def decided(condition: Formula, *facts: Formula) -> Decision | None:
    return decide_by_cases(Domain(ATOMS, facts), condition, decide)


def test_a_product_of_fixed_size_is_one_case() -> None:
    fact = any_of(equal(TILES, 3136), equal(TILES, 1))
    depends = decided(differs((BATCH * (TILES // 1568)) // 2, 0), fact)
    assert depends is not None
    assert (depends.verdict, depends.counterexample) == (Verdict.DEPENDS, dict.fromkeys(ATOMS, 1))
    assert decided(at_least(BATCH * TILES, 3136), equal(TILES, 3136)) == (Verdict.PROVED, "enumeration", None)
    fails = decided(equal(BATCH * TILES, 5), equal(TILES, 3136))
    assert fails is not None
    assert fails.verdict is Verdict.FAILS


def test_facts_hold_at_the_counterexample() -> None:
    found = decided(at_most(BATCH * TILES, 9), equal(TILES, 6), at_least(BATCH, ROWS), divides(4, BATCH))
    assert found is not None
    assert found.counterexample == {ATOMS[0]: 4, ATOMS[1]: 1, ATOMS[2]: 21}


def test_without_few_values_or_with_many_cases_others_decide() -> None:
    assert decided(at_least(BATCH, ROWS)) is None
    assert decided(at_least(ROWS * COLUMNS, 4), equal(ROWS * COLUMNS, 4)) is None  # all have few
    assert decided(differs(BATCH, ROWS), at_most(ROWS, 99), divides(1, ROWS), equal(COLUMNS, 1)) is None


def test_floats_of_both_are_left_to_others() -> None:
    half = (from_dim(ROWS * BATCH, "float32") * literal(0.3, "float32")).round().to_int()
    assert decided(at_most(half, 9), equal(ROWS * COLUMNS, 6)) is None


def test_random_conditions_are_decided_as_they_hold(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"cases {seed}")
        number = r.choice([4, 6, 12])
        fact = any_of(equal(ROWS * COLUMNS, number), equal(ROWS * COLUMNS, r.randint(1, 12)))
        inner = (BATCH * ((ROWS * COLUMNS) // r.randint(1, 4)) + r.choice([ROWS, COLUMNS])) // r.randint(1, 3)
        condition = r.choice([at_least, at_most, differs])(inner, r.randint(0, 20))
        if ATOMS[0] not in condition.symbols:
            continue
        decision = decided(condition, fact)
        points = [dict(zip(ATOMS, v, strict=True)) for v in product(range(1, 64), range(1, 14), range(1, 14))]
        truth = [bool(Evaluator(p).formula(condition)) for p in points if Evaluator(p).formula(fact)]
        verdict = Verdict.PROVED if all(truth) else Verdict.DEPENDS if any(truth) else Verdict.FAILS
        assert decision is not None, seed
        assert decision.verdict is verdict, seed
        at = decision.counterexample
        assert at is None or Evaluator(at).formula(fact) > Evaluator(at).formula(condition), seed


def windows(height: Dim, width: Dim, size: int) -> Dim:
    return BATCH * ((height + size - 4) // size) * ((width + size - 4) // size)


def test_what_windows_in_steps_of_a_batch_need_follows_from_the_first_stage() -> None:
    many, fewer = windows(ROWS, COLUMNS, 28), windows(ROWS, COLUMNS, 56)
    within = Domain(ATOMS, [at_least(ROWS, 4), at_least(COLUMNS, 4), divides(64, many)])
    each = select(equal(fewer // 16, 0), fewer, fewer // 16)
    single = all_of(equal(BATCH, 1), equal((ROWS + 52) // 56, 1))
    for condition in (
        all_of(differs(fewer // 16, 0), divides(16, fewer)),
        any_of(single, all_of(differs(fewer // 16, 0), divides(16, fewer))),
        equal(3072 * each, fewer * (3072 * each // fewer)),
        equal(3072 * each // fewer, 192),
    ):
        assert prove_for_product(within, condition, decide) == (Verdict.PROVED, "enumeration", None)
    assert prove_for_product(within, differs(fewer // 32, 0), decide) is None  # false
    assert prove_for_product(within, at_least(fewer, ROWS), decide) is None  # not about the product alone


def test_random_conditions_on_a_product_are_proven_only_if_they_hold(seeds: range) -> None:
    proven, points = 0, np.array([*product(range(1, 14), repeat=3)])
    at = Evaluator(dict(zip(ATOMS, points.T, strict=True)))
    for seed in seeds:
        r = Random(f"products {seed}")
        k = r.choice([1, 2, 3])
        counts = [(BATCH, ROWS // k, COLUMNS), (BATCH, (ROWS + k - 1) // k), (BATCH - 2, ROWS)][r.choice([0, 1, 1, 2])]
        size, number = multiplied(counts), r.choice([2, 4, 6])
        facts = [divides(number, size)] if r.random() < 0.7 else [at_least(ROWS, k)]
        each = select(equal(size // number, 0), size + r.choice([0, 1]), size // number)
        condition = r.choice(
            [
                any_of(differs(size // number, 0), equal(size, 0)),
                divides(r.choice([2, 3, 4]), size),
                equal(12 * each // size, 12 // number),
                at_least(r.choice([size, BATCH * ROWS]), size // number + r.randint(0, 2)),
                equal(size // number * number, size),
            ]
        )
        if r.random() < 0.3:
            condition = any_of(condition, equal(r.choice([BATCH, ROWS, COLUMNS]), 1))
        if prove_for_product(Domain(ATOMS, facts), condition, decide) is None:
            continue
        proven += 1
        failing = points[at.formula(all_of(*facts, negate(condition)))]
        assert not len(failing), f"{seed}: {condition} fails at {failing[0]}"
    assert proven > len(seeds) // 8


def test_what_remains_of_random_cases_is_what_holds(seeds: range) -> None:
    fewer, points = 0, np.array([*product(range(1, 30), repeat=3)])
    at = Evaluator(dict(zip(ATOMS, points.T, strict=True)))
    for seed in seeds:
        r = Random(f"remaining cases {seed}")

        def compared(r: Random = r) -> Formula:
            sizes = [BATCH, ROWS // r.choice([1, 2]), (COLUMNS + 3) // r.choice([2, 4]), ROWS * COLUMNS]
            a, b = r.sample(sizes, 2)
            return r.choice([equal, equal, at_least])(r.choice([1, 2, 3]) * a, b + r.randint(0, 9))

        facts = [any_of(compared(), compared(), equal(BATCH, r.randint(1, 3))), compared(), at_most(ROWS, 9)]
        domain = Domain(ATOMS, facts)
        remaining = remaining_cases(domain, frozenset(ATOMS))
        fewer += len(remaining)
        lost = points[at.formula(all_of(*facts, negate(all_of(*remaining))))]
        assert not len(lost), f"{seed}: {facts} admit {lost[0]}, {remaining} don't"
    assert fewer > len(seeds) // 8
