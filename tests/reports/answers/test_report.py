"""Reports as data: the JSON of each schema, exit statuses, and cheapness."""

from __future__ import annotations

import dataclasses
import json

import pytest

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Bounds,
    Counts,
    DimBounds,
    Explanation,
    Fact,
    Operator,
    Operators,
    Precondition,
    Report,
    TensorBounds,
)
from shapesmt.reports.answers.finding import Cause, Counterexample, Finding, SymbolRange

HEIGHT = {"height": SymbolRange(64, 512, 1, "--dim")}
CONCAT = Finding(
    Verdict.DEPENDS,
    "requirement",
    "/up1/Concat",
    "Concat",
    12,
    "joined tensors match off the join axis",
    "height == 2*((height + 1)//2)",
    Counterexample({"height": 65}, {"image": (1, 3, 65, 64)}),
    "height % 2 == 0",
    (Cause("/down1/Conv", "d1", 2, "(height + 1)//2"),),
)


def test_check_json_is_the_documented_one():
    report = Report(
        "unet.onnx",
        Verdict.DEPENDS,
        HEIGHT,
        Counts(310, proved=308, depends=2),
        (CONCAT,),
        Precondition(("height % 16 == 0",), True),
        0.11,
    )
    expected = """
    {"schema": "shapesmt/check/1", "model": "unet.onnx", "verdict": "DEPENDS",
     "symbols": {"height": {"min": 64, "max": 512, "step": 1, "from": "--dim"}},
     "requirements": {"total": 310, "proved": 308, "depends": 2, "fails": 0, "unknown": 0},
     "findings": [{"verdict": "DEPENDS", "kind": "requirement", "node": "/up1/Concat", "op_type": "Concat",
       "index": 12, "law": "joined tensors match off the join axis",
       "condition": "height == 2*((height + 1)//2)",
       "counterexample": {"symbols": {"height": 65}, "inputs": {"image": [1, 3, 65, 64]}},
       "holds_iff": "height % 2 == 0",
       "because": [{"node": "/down1/Conv", "tensor": "d1", "axis": 2, "expr": "(height + 1)//2"}]}],
     "precondition": {"text": ["height % 16 == 0"], "exact": true}, "seconds": 0.11}"""
    assert json.dumps(report.to_dict()) == json.dumps(json.loads(expected))


def test_bounds_json_is_the_documented_one():
    tensors = {
        "x": TensorBounds("float32", (DimBounds(1, 32, "batch"), DimBounds(0, None, "n", False))),
        "y": TensorBounds("", None),
        "z": TensorBounds("int64", ()),
    }
    data = Bounds("m.onnx", {}, tensors, 0.5).to_dict()
    assert data == {
        "schema": "shapesmt/bounds/1",
        "model": "m.onnx",
        "symbols": {},
        "tensors": {
            "x": {
                "dtype": "float32",
                "shape": [
                    {"min": 1, "max": 32, "expr": "batch", "exact": True},
                    {"min": 0, "max": None, "expr": "n", "exact": False},
                ],
            },
            "y": {"dtype": "", "shape": None},
            "z": {"dtype": "int64", "shape": []},
        },
        "seconds": 0.5,
        "valid": True,
    }


def test_explanation_and_operators_have_schemas_of_their_own():
    fact = Fact("requirement", "n == 4", "fc", "Gemm", "inner sizes agree")
    explained = Explanation("m.onnx", "fc", Verdict.FAILS, HEIGHT, (CONCAT,), (fact,)).to_dict()
    assert explained["schema"] == "shapesmt/explain/1"
    assert explained["facts"][0]["law"] == "inner sizes agree"
    assert explained["symbols"]["height"]["from"] == "--dim"
    listed = Operators("m.onnx", (Operator("Foo", "com.example", None, 3),))
    assert listed.to_dict() == {
        "schema": "shapesmt/ops/1",
        "model": "m.onnx",
        "operators": [
            {"name": "Foo", "domain": "com.example", "since": None, "nodes": 3, "expanded": False, "inferred": False}
        ],
    }
    assert listed.exit_status == 0


def test_exit_status_of_bounds():
    exact, loose = TensorBounds("", (DimBounds(1, 2, "n"),)), TensorBounds("", (DimBounds(1, 2, "n", False),))
    assert Bounds("m", {}, {"x": exact}).exit_status == 0
    assert Bounds("m", {}, {"x": exact, "y": loose}).exit_status == 3
    assert Bounds("m", {}, {"x": TensorBounds("", None)}).exit_status == 3
    assert Bounds("m", {}, {}, valid=False).exit_status == 1


def test_reports_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        CONCAT.verdict = Verdict.PROVED


def test_an_error_of_a_property_is_the_one_that_is_raised() -> None:
    report = Report.stored(lambda: Report("m", Verdict.PROVED, {}, Counts(), findings=(None,)))  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'replay'"):
        report.exit_status  # noqa: B018 - reading it raises
    with pytest.raises(AttributeError, match="'Report' object has no attribute 'findigns'"):
        report.findigns  # noqa: B018
