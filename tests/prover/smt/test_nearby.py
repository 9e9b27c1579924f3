"""Models found by evaluating, and conditions left out, against running through every assignment."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from shapesmt.prover.algebra.dim import Atom, Dim, symbol
from shapesmt.prover.algebra.evaluation import lowest
from shapesmt.prover.algebra.formula import Formula, any_of, at_least, at_most
from shapesmt.prover.smt import solver
from shapesmt.prover.smt.nearby import holds, nearby_models, relevant
from shapesmt.prover.smt.solver import check, smallest_model
from tests.oracle.test_identities import formula

Model = dict[Atom, int]


def drawn(r: Random) -> tuple[list[Atom], list[Formula]]:
    dims: list[Dim] = []
    for name in "wxyz":
        lo, step = r.choice([-3, 0, 1, 1]), r.choice([1, 1, 3])
        dims.append(symbol(name, lo, lo + step * r.randint(1, 4), step=step))
    conditions = [formula(r, r.sample(dims, r.randint(1, 3)), r.randint(1, 2))[1] for _ in range(r.randint(1, 4))]
    return [a for d in dims if (a := d.as_symbol())], conditions


def models(symbols: list[Atom], conditions: list[Formula]) -> list[Model]:
    ranges = [range(int(s.lo), int(s.hi) + 1, s.step) for s in symbols]
    every = (dict(zip(symbols, values, strict=True)) for values in itertools.product(*ranges))
    return [m for m in every if holds(conditions, m)]


def off(model: Model) -> list[Atom]:
    return [s for s, value in model.items() if value != lowest(s)]


def test_what_is_left_out_holds_at_the_low_ends(seeds: range) -> None:
    for seed in seeds:
        symbols, conditions = drawn(Random(f"relevant {seed}"))
        kept = relevant(conditions)
        about = frozenset[Atom]().union(*(f.symbols for f in kept))
        for model in models(symbols, kept):
            low = {s: value if s in about else lowest(s) for s, value in model.items()}
            assert holds(conditions, low), f"seed {seed}"


def test_one_moved_symbol_agrees_with_enumeration(seeds: range) -> None:
    for seed in seeds:
        symbols, conditions = drawn(Random(f"moved {seed}"))
        near = [m for m in models(symbols, conditions) if len(off(m)) <= 1]
        some = list(nearby_models(conditions, symbols))
        assert None not in some, f"seed {seed}"
        low = [m for m in near if not off(m)]
        of_each = (min((m for m in near if s in off(m)), key=lambda m: m[s], default=None) for s in reversed(symbols))
        assert some == (low or [m for m in of_each if m is not None]), f"seed {seed}"


def test_the_smallest_model_agrees_with_enumeration(seeds: range) -> None:
    for seed in range(seeds.start, seeds.start + len(seeds) // 4):
        symbols, conditions = drawn(Random(f"smallest {seed}"))
        every = models(symbols, conditions)
        model = smallest_model(conditions, symbols)
        assert (model is None) == (not every), f"seed {seed}"
        if model is not None:
            fewest = min(len(off(m)) for m in every)
            last = max(list(map(symbols.index, off(m))) for m in every if len(off(m)) == fewest)
            likely = [m for m in every if list(map(symbols.index, off(m))) == last]
            assert model == min(likely, key=lambda m: [m[s] for s in symbols]), f"seed {seed}"


def test_a_far_value_of_one_symbol_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    h, w, count, row = symbol("h", 1), symbol("w", 1), symbol("count", 0), symbol("row", 0)
    facts = [at_least(h * w, count), any_of(at_most(count, 0), at_least(h, row + 1)), at_least(7 * h * w, 1000 * w)]
    monkeypatch.setattr(solver, "ask", None)
    model = smallest_model(facts, [s for d in (h, w, count, row) if (s := d.as_symbol())])
    assert model is not None
    assert {s.name: value for s, value in model.items()} == {"h": 143, "w": 1, "count": 0, "row": 0}


def test_what_others_do_not_depend_on_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    h, w = symbol("h", 1, 99), symbol("w", 1, 99)
    others = [at_least(h, symbol(f"row{i}", 0) + 1) for i in range(30)]
    sent = []
    ask = solver.ask
    monkeypatch.setattr(solver, "ask", lambda query, deadline: (sent.append(query.text), ask(query, deadline))[1])
    assert check([*others, at_least(h * w, 13), at_least(w + 1, h), at_least(h + 1, w)]).verdict == "sat"
    assert sent
    assert not any("row" in text for text in sent)
