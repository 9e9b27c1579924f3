"""An API that only notes what it is asked."""

from __future__ import annotations

import sys
import types

import pytest

import shapesmt.entrypoints
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


class Fake(types.ModuleType):
    """Stands in for the API: notes the calls and answers `answers[name]`, or raises it."""

    def __init__(self) -> None:
        super().__init__("shapesmt.entrypoints.api")
        self.calls: list[tuple] = []
        self.answers = {
            "answer_check": Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2)),
            "answer_explain": Explanation("m.onnx", None, Verdict.PROVED, {}),
            "answer_bounds": EXACT,
            "answer_tighten": Tightened(EXACT, "out.onnx"),
            "answer_simplify": SIMPLIFIED,
            "answer_memory": Memory("m.onnx", "live", Peak(12, True, {"n": 1}, "relu", "Relu", "12*n")),
            "answer_encode": "(check-sat)\n",
            "supported_ops": Operators(None, (Operator("Add", since=7),)),
        }

    def __getattr__(self, name: str):
        if name not in self.__dict__.get("answers", {}):
            raise AttributeError(name)

        def call(*arguments, **options):
            self.calls.append((name, *arguments, *([options] if options else [])))
            answer = self.answers[name]
            if isinstance(answer, BaseException):
                raise answer
            return answer

        return call


@pytest.fixture
def api(monkeypatch):
    fake = Fake()
    monkeypatch.setitem(sys.modules, "shapesmt.entrypoints.api", fake)
    monkeypatch.setattr(shapesmt.entrypoints, "api", fake, raising=False)
    return fake
