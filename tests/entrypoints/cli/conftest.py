"""Questions that are only noted."""

from __future__ import annotations

import pytest

import shapesmt.tasks.memory
import shapesmt.tasks.simplify
from shapesmt.analysis.verify import Question
from shapesmt.entrypoints import api
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Bounds,
    Counts,
    DimBounds,
    Explanation,
    Memory,
    Operator,
    Operators,
    Peak,
    Report,
    Rewritten,
    Simplified,
    TensorBounds,
    Tightened,
)

EXACT = Bounds("m.onnx", {}, {"x": TensorBounds("float32", (DimBounds(1, 8, "n"),))})
COPY = Rewritten("identity", "copy", "Identity", "Identity returns its input")
SIMPLIFIED = Simplified("m.onnx", Verdict.PROVED, "out.onnx", 2, 1, rewrites=(COPY,), runs=3)


class Fake:
    """Stands in for the questions: notes the calls and answers `answers[name]`, or raises it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple] = []
        self.answers = {
            "check": Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2)),
            "explain": Explanation("m.onnx", None, Verdict.PROVED, {}),
            "bounds": EXACT,
            "encode": "(check-sat)\n",
            "write_tightened": Tightened(EXACT, "out.onnx"),
            "write_simplified": SIMPLIFIED,
            "measure": Memory("m.onnx", "live", Peak(12, True, {"n": 1}, "relu", "Relu", "12*n")),
            "supported_ops": Operators(None, (Operator("Add", since=7),)),
        }
        for name in ("check", "explain", "bounds", "encode"):
            monkeypatch.setattr(api.Opened, name, self._method(name))
        monkeypatch.setattr(shapesmt.tasks.memory, "measure", self._task("measure"))
        for name in ("write_tightened", "write_simplified"):
            monkeypatch.setattr(shapesmt.tasks.simplify, name, self._task(name))
        monkeypatch.setattr(api, "supported_ops", lambda *_: self.answers["supported_ops"])

    def _method(self, name: str):
        def method(opened: api.Opened, *arguments, **options):
            return self._noted(name, opened.model.path, opened.question, arguments, options)

        return method

    def _task(self, name: str):
        def task(model, question, *arguments, **options):
            answer = self._noted(name, model.path, question, arguments, options)
            return (None, answer) if name.startswith("write") else answer

        return task

    def _noted(self, name: str, model: str, question: Question, arguments: tuple, options: dict):
        self.calls.append((name, model, question, *arguments, *([options] if options else [])))
        answer = self.answers[name]
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.fixture
def asked(monkeypatch):
    return Fake(monkeypatch)
