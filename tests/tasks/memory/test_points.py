"""Runs inside nodes that repeat others: each is listed once, and the answer is as if all were."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.analysis.analysis import analyse
from shapesmt.analysis.verify import Question
from shapesmt.base.deadline import Deadline
from shapesmt.tasks.memory import points
from shapesmt.tasks.memory.lifetimes import Mode
from tests.support.hard import HARD, functions, text

PAIRS = {
    "equal sizes": functions(4, 2, "t = Transpose(x) u = MatMul(x, t) y = MatMul(u, x)"),
    "sizes that grow": functions(4, 2, "y = Concat<axis=0>(x, x)"),
    "sizes that data decide": functions(3, 2, "p = NonZero(x) q = Cast<to=1>(p) r = Concat<axis=1>(q, q) y = Exp(r)"),
    "unknown sizes": functions(3, 2, "s = Shape(x) e = Mystery(s) f = Expand(x, e) y = Identity(x)"),
    "branches": functions(
        3,
        2,
        "s = Size(x) k = Constant<value_int=9>() c = Less(s, k)"
        " y = If(c) <then_branch = a() => (float[i, j] p) { p = Exp(x) },"
        " else_branch = b() => (float[i, j] q) { o = Abs(x) q = Exp(o) }>",
    ),
}


@pytest.mark.parametrize("calls", PAIRS)
@pytest.mark.parametrize("mode", ["live", "inplace"])
def test_each_call_counts(calls: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    level = PAIRS[calls].count("<domain") - 1
    model = text("float[n,m] x", f"y = own.f{level}(x)", PAIRS[calls]).encode()
    few = shapesmt.memory(model, mode=mode, dims={"n": "1..5", "m": "1..7"}).to_dict()
    monkeypatch.setattr(points._Runs, "key", lambda *_: object())
    every = shapesmt.memory(model, mode=mode, dims={"n": "1..5", "m": "1..7"}).to_dict()
    assert {**few, "seconds": 0} == {**every, "seconds": 0}


def test_calls_of_calls_are_listed_in_time() -> None:
    memory = shapesmt.memory(onnx.parser.parse_model(HARD["calls of other calls"]), timeout=60)
    assert memory.worst is not None
    assert (memory.worst.formula, memory.unknown) == ("64*n*n", ())


def test_what_the_deadline_leaves_out_is_named() -> None:
    a = analyse(text("float[n,m] x", "y = own.f4(x)", PAIRS["equal sizes"]).encode(), Question())
    every = points.Points(a.problem.graph, a.examination.inference, Mode.LIVE, Deadline(0))
    assert [p.node for p in every] == ["f4_0"]
    assert every.unknown == ["f4_0"]
