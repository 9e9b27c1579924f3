"""The sizes at which a model and its copy are compared."""

from __future__ import annotations

from itertools import islice
from typing import Any

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import Question
from shapesmt.tasks.replay.both import assignments

MODEL = b'<ir_version: 8, opset_import: ["":18]> g (float[n,m] x) => (float[n,m] y) { y = Exp(x) }'


def analysis(timeout: float = 30, **dims: Any) -> Analysis:
    return analyse(MODEL, Question(dims, timeout=timeout))


def tried(a: Analysis, count: int) -> list[dict[str, int]]:
    return [a.problem.counterexample(values).symbols for values in islice(assignments(a), count)]


def test_corners_come_first() -> None:
    found = tried(analysis(n="2..5", m="1..9"), 9)
    assert [(s["n"], s["m"]) for s in found[:4]] == [(2, 1), (2, 9), (5, 1), (5, 9)]
    assert len(found) == 9
    assert all(2 <= s["n"] <= 5 and 1 <= s["m"] <= 9 for s in found)


def test_a_model_of_one_size_has_one_assignment() -> None:
    assert len(tried(analysis(n=2, m=3), 9)) == 1


def test_nothing_is_tried_after_the_deadline() -> None:
    assert tried(analysis(timeout=0, n="2..5", m="1..9"), 9) == []
