"""A symbol has the values that its facts leave: from a minimum on by remainders, or divisors of a number."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import shapesmt
from shapesmt.prover.algebra import Evaluator, Formula, Verdict, Window, symbol
from shapesmt.prover.algebra.formula import all_of, any_of, at_least, at_most, differs, divides, equal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.decisions import decide
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.optima import extent
from shapesmt.prover.presolve.values import Left, divisor_values, in_window, values_left
from tests.prover.presolve.sets import condition

H, W = symbol("h", 1), symbol("w", 1)


def left(*facts: Formula) -> Left:
    return values_left(atom_of(H), 1, facts)


def test_facts_give_the_minimum_and_the_window() -> None:
    whole = equal((H + 3) // 4, 8 * ((H + 3) // 32))
    assert left(whole) == (29, Window(32, 3, 4), True)
    assert left(whole, any_of(at_most(H, 6), equal((H + 1) // 4, (H + 3) // 4))) == (31, Window(32, 1, 2), True)
    assert left(divides(6, H)) == (6, Window(6, 0, 1), True)
    assert left(differs(H % 4, 1)) == (2, Window(4, 2, 3), True)
    assert left(any_of(divides(6, H), equal(H // 8, 0))) == (1, Window(12, 0, 8), False)  # also 1 to 7
    assert left(any_of(divides(6, H), divides(4, H))) == (4, Window(2, 0, 1), False)  # not 10
    assert left(all_of(divides(6, H), differs(H, 12))) == (6, Window(6, 0, 1), False)


def test_other_facts_give_no_window() -> None:
    assert left() == (1, None, True)
    assert left(equal(H, W)) == (1, None, True)  # not about h alone
    assert left(at_least(H, 5)) == (1, None, False)  # the domain's `ends` has it
    assert left(equal(H % 100_003, 1)) == (1, None, False)  # too many remainders
    assert values_left(atom_of(H), 2**63, [divides(4, H)]) == (2**63, None, False)  # no 64-bit integer


def test_facts_about_one_symbol_are_summed_up() -> None:
    domain = Domain([atom_of(H), atom_of(W)], [divides(4, H), at_least(H, 5), equal((H + 4) // 8, H // 8)])
    domain.assume(at_most(H * W, 999))
    assert [str(fact) for fact in domain.about([atom_of(H)])[1]] == ["h*w <= 999", "h >= 8", "h % 8 == 0"]
    assert len(domain.facts) == 4
    domain.assume(at_most(H, 47))
    ends = extent(domain, H)
    assert ends is not None
    assert ends[1].value == 40
    assert [str(fact) for fact in domain.about([atom_of(H)])[1]][-1] == "h <= 47"


def test_a_narrower_symbol_has_the_window_and_admits_what_the_facts_do() -> None:
    domain = Domain([atom_of(H), atom_of(W)], [at_most(H % 28, 3), at_least(H, 5)])
    narrower = atom_of(domain.narrowing()[atom_of(H)])
    assert (narrower.lo, narrower.window) == (28, Window(28, 0, 4))
    narrowed = domain.substitute(domain.narrowing())
    decision = decide(narrowed, in_window(narrower, Window(28, 0, 4)))
    assert decision is not None
    assert decision.verdict is Verdict.PROVED
    values = domain.narrowing()[atom_of(H)]
    decision = decide(narrowed, equal(values % 28, 1))
    assert decision is not None
    assert (decision.verdict, decision.counterexample) == (Verdict.DEPENDS, {narrower: 28})
    assert narrowed.narrowing() == {}


def test_random_facts_lose_no_value(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"windows {seed}")

        def single(r: Random = r) -> Formula:
            quotient = (H + r.randint(0, 5)) // r.choice([1, 2, 4, 8])
            compare = r.choice([equal, differs, at_most, at_least])
            return compare(quotient % r.randint(2, 5), r.randint(0, 3)) if r.random() < 0.7 else at_least(quotient, 3)

        facts = [r.choice([all_of, any_of])(single(), single()) for _ in range(r.randint(1, 3))]
        low, window, exact = left(*facts)
        for value in range(1, 200):
            inside = low <= value and (window is None or (value + window.shift) % window.modulus < window.width)
            holds = Evaluator({atom_of(H): value}).formula(all_of(*(f for f in facts if f.symbols)))
            assert inside or not holds, (seed, value)
            assert not exact or inside == holds, (seed, value)


A, B, C = symbol("a", 1), symbol("b", 2, step=4), symbol("c", -8, 8)
ATOMS = [atom_of(d) for d in (A, B, C)]
OF_6 = [-6, -3, -2, -1, 1, 2, 3, 6]


@pytest.mark.parametrize(
    ("fact", "values"),
    [
        (equal(A * B, 6), {"a": OF_6, "b": OF_6}),
        (equal(A * B + 2 * A, 6), {"a": OF_6}),
        (equal(A * A * (B // 3), 6), {"a": OF_6, "b": [6, 10, 18]}),
        (equal((B // 3) * (C // 2), 7), {"b": [22], "c": [-2, -1, 2, 3, 14, 15]}),
        (any_of(equal(A * B, 4), equal(A * C, 3)), {"a": [-4, -3, -2, -1, 1, 2, 3, 4]}),
        (equal(A * B, 0), {}),
        (equal(A * B, C), {}),
        (any_of(equal(A * B, 6), at_least(C, 2)), {}),
        (equal(A * B, 1 << 41), {}),
    ],
)
def test_factors_of_numbers(fact: Formula, values: dict[str, list[int]]) -> None:
    assert {s.name: v.tolist() for s, v in divisor_values(fact).items()} == values


def test_a_domain_keeps_the_factors_in_range_and_step() -> None:
    domain = Domain(ATOMS, [equal(A * B * C, 1536)])
    assert [domain.ends(s) for s in ATOMS] == [(1, 1536), (2, 6), (-8, 8)]
    values = domain.values(ATOMS[1])
    assert values is not None
    assert values.tolist() == [2, 6]
    assert Domain(ATOMS, [all_of(at_least(B, 8), equal(A * B, 1023))]).is_empty()


def test_random_factors_lose_no_value(seeds: range) -> None:
    atoms = [atom_of(symbol("h", 1, 12)), atom_of(symbol("w", 0, 9, step=3))]
    for seed in seeds:
        fact = condition(Random(seed))
        for values in product(range(1, 13), range(0, 10, 3)):
            point = dict(zip(atoms, values, strict=True))
            if Evaluator(point).formula(fact):
                assert all(point[s] in kept for s, kept in divisor_values(fact).items()), (
                    f"seed {seed}: {fact} at {point}"
                )


def test_bounds_of_the_factors_of_a_size_are_exact() -> None:
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[a, b, c] x) => (float[p, q] y) <int64[1] all = {1536}, int64[2] two = {0, -1}>
    { z = Reshape(x, all)  y = Reshape(x, two) }"""
    found = shapesmt.bounds(model).tensors["y"]
    assert [(d.min, d.max, d.exact) for d in found.shape] == [(1, 1536, True)] * 2
