"""Presolve first, the solver for the rest: both say the same where both can."""

from __future__ import annotations

import pytest

from shapesmt.base.deadline import Deadline
from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.evaluation import End, Evaluator
from shapesmt.prover.algebra.formula import Verdict, all_of, any_of, at_least, at_most, differs, divides, equal
from shapesmt.prover.algebra.interning import forget
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve.decisions import decide, simpler_facts
from shapesmt.prover.presolve.domain import Domain

H, W, N = symbol("h", 1, 12), symbol("w", 0, 9, step=3), symbol("n", 1)
BATCH, ROWS, COLUMNS = symbol("batch", 1), symbol("rows", 1), symbol("columns", 1)


def domain() -> Domain:
    return Domain([atom_of(H), atom_of(W), atom_of(N)])


@pytest.fixture
def judge() -> Judge:
    return Judge()


def test_the_solver_decides_what_presolve_leaves_open(judge: Judge) -> None:
    powers = differs(N * N * N * N * N, 79 * N + 6)  # 3 is a root
    assert decide(domain(), powers) is None
    decision = judge.decide(domain(), powers)
    assert (decision.verdict, decision.by) == (Verdict.DEPENDS, "z3")
    assert decision.counterexample == {atom_of(N): 3}
    assert judge.proves(domain(), at_least(N * N * N + 1, N))
    assert not judge.proves(domain(), powers)


def test_the_solver_is_not_asked_for_what_an_earlier_model_refutes(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget()  # else the decision is known, and the solver isn't asked at all
    judge.decide(domain(), differs(N * N * N * N * N, 79 * N + 6))
    monkeypatch.setattr("shapesmt.prover.smt.solver.check", None)
    assert not judge.proves(domain(), differs(N * N * N * N * N, 74 * N + 21))


def test_what_was_decided_once_is_known_to_every_judge(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    powers, within = differs(N * N * N * N * N, 65 * N + 48), domain()
    asked = judge.decide(within, powers), judge.proves(within, powers), judge.extent(within, N * N - 6 * N)
    monkeypatch.setattr("shapesmt.prover.smt.solver.check", None)
    again, equal_domain = Judge(), domain()
    known = again.decide(equal_domain, powers), again.proves(equal_domain, powers), again.extent(within, N * N - 6 * N)
    assert known == asked
    equal_domain.assume(at_least(N, 3))
    with pytest.raises(TypeError):  # over a smaller domain the answer may be another
        again.decide(equal_domain, powers)


def test_an_answer_that_there_was_no_time_for_is_asked_for_again(judge: Judge) -> None:
    quintic = differs(N * N * N * N * N, N + 30)
    assert Judge(Deadline(0)).decide(domain(), quintic).verdict is Verdict.UNKNOWN
    assert judge.decide(domain(), quintic).verdict is Verdict.DEPENDS


def test_what_there_is_no_time_for_is_unknown() -> None:
    late = Judge(Deadline(0))
    assert late.decide(domain(), at_least(N * N, H + W)).verdict is Verdict.UNKNOWN
    assert not late.proves(domain(), at_least(N, 1))
    assert late.satisfiable(domain())
    assert late.extent(domain(), H - W) == (End(-8, proven=False), End(12, proven=False))


@pytest.mark.parametrize(
    ("dim", "ends"),
    [(H - W, (-8, 12)), (H * W, (0, 108)), (N + H, (2, None)), (N * N - 6 * N, (-9, None)), (0 * H + 7, (7, 7))],
    ids=str,
)
def test_extents(judge: Judge, dim, ends) -> None:  # type: ignore[no-untyped-def]
    found = judge.extent(domain(), dim)
    assert tuple(end.value for end in found) == ends
    for end in found:
        assert end.value is None or end.witness is None or Evaluator(end.witness).dim(dim) == end.value


def test_an_assignment_is_completed_inside_the_domain(judge: Judge) -> None:
    within = domain()
    within.assume(at_least(W, H))
    within.assume(divides(5, N))
    complete = judge.complete(within, {atom_of(H): 4, atom_of(W): 6})
    assert complete == {atom_of(H): 4, atom_of(W): 6, atom_of(N): 5}
    assert judge.complete(within, {}) == {atom_of(H): 1, atom_of(W): 3, atom_of(N): 5}
    assert judge.complete(within, None) is None


def test_satisfiable(judge: Judge) -> None:
    within = domain()
    within.assume(at_most(N * N, 9))
    assert judge.satisfiable(within)
    within.assume(equal(N * N, 8))
    assert not judge.satisfiable(within)


def test_a_judge_that_may_ask_so_often_needs_no_clock_and_nothing_that_others_know() -> None:
    forget()
    open_one = at_least(N * N * N * N * N + 1, N * N * N - 7 * H)
    assert decide(domain(), open_one) is None
    never, once = Judge(Deadline(None), 0), Judge(Deadline(None), 1)
    assert not never.proves(domain(), open_one)
    assert once.proves(domain(), open_one)
    assert not Judge(Deadline(None), 0).proves(domain(), open_one)
    assert Judge().proves(domain(), open_one)
    assert not Judge(Deadline(None), 0).proves(domain(), open_one)


def test_facts_that_others_imply_are_not_stated_again(judge: Judge) -> None:
    rows = symbol("rows", 4)
    domain, condition = Domain([rows]), equal(rows // 4, 7 * (rows // 28))
    judge.assume(domain, condition)
    assert [str(fact) for fact in domain.about(rows.symbols)[1]] == ["rows >= 28", "rows % 28 <= 3"]
    assert all(judge.decide(domain, fact).by == "assumed" for fact in simpler_facts(Domain([rows]), condition))


def windows(n: Dim, size: int) -> Dim:
    return (n + size - 1) // size


def test_bounds_narrow_sizes_though_other_facts_imply_them(judge: Judge) -> None:
    within = Domain([ROWS, COLUMNS])
    for condition in (
        all_of(*(equal((n + 3) // 4, 7 * ((n + 3) // 28)) for n in (ROWS, COLUMNS))),
        equal(windows(ROWS, 32) * windows(COLUMNS, 32), 49),
        equal(windows(ROWS, 8) * windows(COLUMNS, 8), 49 * windows(ROWS, 56) * windows(COLUMNS, 56)),
    ):
        judge.assume(within, condition)
    assert [within.ends(atom_of(n)) for n in (ROWS, COLUMNS)] == [(221, 224), (221, 224)]


def test_a_case_that_a_later_condition_excludes_is_dropped(judge: Judge) -> None:
    within = Domain([BATCH, ROWS, COLUMNS])
    judge.assume(within, any_of(equal(BATCH, 1), equal(BATCH, windows(ROWS, 28) * windows(COLUMNS, 28))))
    judge.assume(within, equal(49 * BATCH, windows(ROWS, 32) * windows(COLUMNS, 32)))
    assert [within.ends(atom_of(n)) for n in (BATCH, ROWS)] == [(1, 1), (1, 1568)]
    assert within.value_list(atom_of(COLUMNS)) is not None
