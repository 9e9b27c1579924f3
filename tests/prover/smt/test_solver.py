"""Answers against plain enumeration, and limits that hold."""

from __future__ import annotations

import itertools
import signal
from random import Random
from typing import Any

import pytest

from shapesmt.base.deadline import Deadline
from shapesmt.prover.algebra import Kind, entry, twin
from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.extremes import minimum
from shapesmt.prover.algebra.formula import FALSE, TRUE, Formula, any_of, at_least, at_most, differs, divides, equal
from shapesmt.prover.algebra.numeric import from_dim, literal, steps
from shapesmt.prover.smt import solver
from shapesmt.prover.smt.nearby import holds
from shapesmt.prover.smt.process import Query, ask
from shapesmt.prover.smt.solver import check, core, maximize, minimize, smallest_model
from tests.oracle.test_identities import expression, formula
from tests.support.hang import processor_time

H, W, N = symbol("h", 1, 4096), symbol("w", 1, 4096), symbol("n", 1)


def small(r: Random) -> list[Dim]:
    made = []
    for name in "xyz":
        lo = r.choice([-3, 0, 1, 1])
        made.append(symbol(name, lo, lo + r.randint(1, 6)))
    return made


def assignments(symbols: list[Dim]) -> list[dict[Any, int]]:
    ranges = [range(int(s.lo), int(s.hi) + 1) for s in symbols]
    return [dict(zip([s.as_symbol() for s in symbols], v, strict=True)) for v in itertools.product(*ranges)]


@pytest.mark.parametrize("end", [1, 64, 5000])
def test_an_end_that_only_a_condition_sets_is_near_what_is_found_first(
    end: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(solver, "check", lambda *a, **k: (asked.append(a), check(*a, **k))[1])
    extreme = maximize(N, [any_of(equal(N, 1), at_most(N, end))])
    assert extreme.value == end
    assert extreme.proven
    assert len(asked) <= 2 + 2 * end.bit_length()


def test_check_agrees_with_enumeration(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"check {seed}")
        symbols = small(r)
        facts = [formula(r, symbols, r.randint(1, 3))[1] for _ in range(r.randint(1, 3))]
        answer = check(facts, symbols=[s.as_symbol() for s in symbols if s.as_symbol()])
        possible = any(holds(facts, values) for values in assignments(symbols))
        assert answer.verdict in ("unknown", "sat" if possible else "unsat"), f"seed {seed}"
        assert answer.verdict != "sat" or holds(facts, answer.model), f"seed {seed}"


def test_extremes_agree_with_enumeration(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"extremes {seed}")
        symbols = small(r)
        dim = expression(r, symbols, r.randint(1, 3))[1]
        fact = formula(r, symbols, 2)[1]
        values = [Evaluator(a).dim(dim) for a in assignments(symbols) if holds([fact], a)]
        for found, pick in ((minimize(dim, [fact]), min), (maximize(dim, [fact]), max)):
            if found.proven:
                assert found.value == pick(values), f"seed {seed}: {dim} where {fact}"
                assert Evaluator(found.witness).dim(dim) == found.value
                assert holds([fact], found.witness)
            elif found.value is not None and values:
                assert (found.value <= min(values)) if pick is min else (found.value >= max(values))


@pytest.mark.parametrize(
    ("dim", "facts", "least", "most"),
    [
        (H // 16 * 16, [divides(8, H), at_least(H, 17)], 16, 4096),
        (H * W, [at_most(H + W, 100)], 1, 2500),
        (N * H, [], 1, None),
        (-N, [], None, -1),
        (minimum(N, 512), [at_least(N, 3)], 3, 512),
        (H - W, [equal(H, W)], 0, 0),
    ],
)
def test_extremes(dim: Dim, facts: list[Formula], least: int | None, most: int | None) -> None:
    low, high = minimize(dim, facts), maximize(dim, facts)
    assert (low.value, low.proven, high.value, high.proven) == (least, True, most, True)


def test_extremes_where_nothing_is_possible() -> None:
    assert not minimize(H, [equal(H, W), differs(H, W)]).proven
    assert minimize(H, [equal(H, W), differs(H, W)]).witness is None


def test_no_solver_is_asked_for_what_the_ends_of_the_ranges_show(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, z, steps = symbol("x", 0), symbol("y", 0), symbol("z", 0), symbol("s", 3, step=5)
    monkeypatch.setattr(solver, "ask", None)
    assert check([equal(4 * x, x * y * z), equal(y, 0)]).verdict == "sat"
    for dim, facts in ((y, [equal(4 * x, x * y * z)]), (steps, [at_least(steps * H, N)])):
        end = maximize(dim, facts)
        assert end.witness is not None
        assert (end.value, end.proven, holds(facts, end.witness)) == (None, True, True)


def test_no_solver_is_asked_where_sizes_far_away_satisfy_the_facts_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "ask", None)
    past, total, m = symbol("past", 1), symbol("total", 1), symbol("m", 1)
    root = from_dim(N * m, "float32").unary(steps.ROOT).to_int()
    for dim, facts, start in (
        (N, [equal(N * m, root * root), divides(2, root)], {N: 2, m: 2}),
        (past, [at_least(total, past + N)], {past: 1, total: 2, N: 1}),
        (N // 20, [equal(N // 4, 7 * ((N + 24) // 28)), at_least(N, 29)], {N: 56}),
        (6 * ((from_dim(N // 20, "float32") / literal(6, "float32")).ceil().to_int()), [], {}),
    ):
        high = maximize(dim, facts, models=[{s.as_symbol(): size for s, size in start.items()}])
        assert high.witness is not None
        assert (high.value, high.proven, holds(facts, high.witness)) == (None, True, True)
        assert Evaluator(high.witness).dim(dim) >= 2**63


def test_no_solver_is_asked_for_an_end_that_a_known_model_attains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "ask", None)
    h, w = H.as_symbol(), W.as_symbol()
    models = [{h: 20, w: 4}, {h: 41, w: 8}, {h: 40, w: 8}, {w: 7}]
    high = maximize(minimum(H, 24), [equal(H, 5 * W)], models=models)
    assert (high.value, high.witness, high.proven) == (24, {h: 40, w: 8}, True)


def test_an_end_that_a_fact_states_takes_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(solver, "check", lambda *a, **k: (asked.append(a), check(*a, **k))[1])
    n, m, zeros = symbol("n", 2, 480), symbol("m", 1, 16), symbol("zeros", 0, 99999)
    rest = m * (n * n - 1) - zeros
    least = minimize(rest, [at_least(rest, 0)])
    assert (least.value, least.proven, len(asked)) == (0, True, 1)


def test_the_smallest_model_moves_few_symbols_and_little() -> None:
    b, h, w = (symbol(name, 1, 512) for name in ("b", "h", "w"))
    symbols = [s.as_symbol() for s in (b, h, w)]

    def smallest(*facts: Formula) -> list[int] | None:
        found = smallest_model(facts, symbols)
        return None if found is None else [found[s] for s in symbols]

    assert smallest(TRUE) == [1, 1, 1]
    assert smallest(FALSE) is None
    assert smallest(differs(b * h % 2, 1)) == [1, 2, 1]
    assert smallest(differs(h, w), differs(h, 1), differs(w, 1)) == [1, 2, 3]
    assert smallest(differs(h // 32 * 32, h), at_least(h, 32)) == [1, 33, 1]
    assert smallest(any_of(at_least(b, 100), at_least(w, 200))) in ([100, 1, 1], [1, 1, 200])


def test_a_core_is_minimal_and_unsatisfiable(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"core {seed}")
        symbols = small(r)
        named = {i: formula(r, symbols, 2)[1] for i in range(6)}
        found = core(named)
        possible = any(holds(named.values(), values) for values in assignments(symbols))
        assert (found is None) == possible, f"seed {seed}"
        if found is not None:
            assert not any(holds([named[k] for k in found], a) for a in assignments(symbols)), f"seed {seed}"
            for key in found:
                rest = [named[k] for k in found if k != key]
                assert any(holds(rest, a) for a in assignments(symbols)), f"seed {seed}: {key} can be left out"


def test_what_holds_anyway_is_no_part_of_a_core() -> None:
    assert core({"a": at_least(H, 9), "b": at_least(W, 9)}, background=[at_most(H, 8)]) == ["a"]
    assert core({"a": at_least(H, 9)}, background=[at_most(H, 9)]) is None


@pytest.fixture
def fermat() -> Formula:
    a, b, c = (symbol(name, 1) for name in "abc")
    return equal(a * a * a + b * b * b, c * c * c)


def test_giving_up_is_no_conclusion(fermat: Formula) -> None:
    assert check([fermat], effort=0.02).verdict == "unknown"
    assert not minimize(symbol("a", 1), [fermat], Deadline(0.3)).proven
    assert smallest_model([fermat], [], Deadline(0.1)) is None
    assert core({"f": fermat}, Deadline(0.1)) is None


def test_a_deadline_is_kept_and_the_next_query_answered(fermat: Formula) -> None:
    began = processor_time()
    endless = "(declare-const a Int)(declare-const b Int)(declare-const c Int)(assert (> a 0 ))(assert (> b 0))"
    endless += "(assert (= (+ (* a a a) (* b b b)) (* c c c)))"
    assert ask(Query(endless), Deadline(0.5)).verdict == "unknown"
    assert processor_time() - began < 3
    assert check([equal(H, 3)]).model == {H.as_symbol(): 3}
    assert check([differs(H, 3)], Deadline(0)).verdict == "unknown"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers of processor time")
def test_a_limit_of_processor_time_ends_a_query(fermat: Formula) -> None:
    limit = Deadline(None).within(0.2)
    assert check([fermat], limit, effort=0).verdict == "unknown"
    assert limit.expired
    assert check([equal(H, 3)]).model == {H.as_symbol(): 3}


def test_text_that_is_no_smtlib_is_no_conclusion() -> None:
    reply = ask(Query("(assert (= |undeclared| 3))"), Deadline(None))
    assert reply.verdict == "unknown"
    assert "undeclared" in reply.error


def test_an_answer_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="compare its verdict"):
        bool(check([TRUE]))


def test_what_elements_without_a_value_decide_is_not_corrected() -> None:
    i = entry(twin(symbol("i", 0, 9), Kind.ENTRY), N)
    assert check([at_least(i * H, 4), equal(i * W, 9)]).verdict == "unknown"
    assert check([at_least(i, 10)]).verdict == "unsat"
