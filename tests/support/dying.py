"""Models that end the process of ONNX Runtime at some sizes, compared with execution in processes of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx.parser

import shapesmt
from tests.oracle.onnx_peer import Call, outcomes
from tests.oracle.runner import assignments, input_shape, plain, value

DEAD = "the process died"


def deaths(text: str, ranges: Mapping[str, Sequence[int]]) -> int:
    """Return at how many sizes the process ends; assert that the precondition holds where the model of a text runs."""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]> g {text}')
    each = list(assignments(ranges))
    calls = [
        Call(model.SerializeToString(), {i.name: plain(i, input_shape(i, s)) for i in model.graph.input}) for s in each
    ]
    runs = list(outcomes(calls))
    report = shapesmt.check(model, dims={name: f"{min(sizes)}..{max(sizes)}" for name, sizes in ranges.items()})
    assert report.precondition is not None
    said = [all(value(text, sizes) for text in report.precondition.text) for sizes in each]
    assert [s for s, holds, run in zip(each, said, runs, strict=True) if holds is bool(run.refused)] == []
    return sum(run.refused == DEAD for run in runs)
