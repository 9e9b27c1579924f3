"""The minimum and the remainders that facts about one symbol leave it, compared with its first values."""

from __future__ import annotations

from math import inf
from random import Random

from shapesmt.prover.algebra import Dim, Evaluator, Formula, Verdict, Window, symbol
from shapesmt.prover.algebra.formula import all_of, any_of, at_least, at_most, differs, divides, equal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.decisions import decide
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.windows import bounds_of_symbol, in_window

H, W = symbol("h", 1), symbol("w", 1)
FEW = symbol("few", 1, 400)


def bounds(*facts: Formula, of: Dim = H) -> tuple[float, float, Window | None]:
    h = atom_of(of)
    return bounds_of_symbol(h, (h.lo, h.hi), facts)


def test_facts_give_the_minimum_and_the_window() -> None:
    whole = equal((H + 3) // 4, 8 * ((H + 3) // 32))
    assert bounds(whole) == (29, inf, Window(32, 3, 4))
    assert bounds(whole, any_of(at_most(H, 6), equal((H + 1) // 4, (H + 3) // 4))) == (31, inf, Window(32, 1, 2))
    assert bounds(divides(6, H)) == (6, inf, Window(6, 0, 1))
    assert bounds(differs(H % 4, 1)) == (2, inf, Window(4, 2, 3))


def test_other_facts_give_no_window() -> None:
    assert bounds() == (1, inf, None)
    assert bounds(equal(H, W)) == (1, inf, None)
    assert bounds(at_least(H, 5)) == (1, inf, None)  # the domain's `ends` has it
    assert bounds(equal(H % 100_003, 1)) == (1, inf, None)  # too many remainders
    assert bounds(divides(7, FEW), of=FEW) == (1, 400, None)


def test_a_narrower_symbol_has_the_window_and_admits_what_the_facts_do() -> None:
    domain = Domain([atom_of(H), atom_of(W)], [at_most(H % 28, 3), at_least(H, 5)])
    narrower = atom_of(domain.narrowing()[atom_of(H)])
    assert (narrower.lo, narrower.window) == (28, Window(28, 0, 4))
    narrowed = domain.substitute(domain.narrowing())
    assert decide(narrowed, in_window(narrower)).verdict is Verdict.PROVED  # type: ignore[union-attr]
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
        low, high, window = bounds(*facts)
        assert high == inf
        for value in range(1, 200):
            if Evaluator({atom_of(H): value}).formula(all_of(*facts)):
                assert low <= value, (seed, value)
                assert window is None or (value + window.shift) % window.modulus < window.width, (seed, value)
