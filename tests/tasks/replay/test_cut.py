"""Parts of a model: which constants stay, and what inputs are fed."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from tests.support.versions import require_runtime
from tests.tasks.replay.test_run import HEAD, checked, stamps


def test_absent_weights_are_zeros() -> None:
    model = onnx.parser.parse_model(
        HEAD
        + """g (float[n, 3, h, w] x) => (float[n, k] z) <float[8, 3, 3, 3] f, float[64, 2] m> {
        y = Conv(x, f) flat = Flatten(y) [fc] z = MatMul(flat, m) }"""
    )
    for name, shape in (("f", (8, 3, 3, 3)), ("m", (64, 2))):
        absent = TensorProto(name=name, dims=shape, data_type=1, data_location=TensorProto.EXTERNAL)
        absent.external_data.add(key="location", value="absent.bin")
        model.graph.initializer.append(absent)
    report = checked(model, dims={"h": "3..9", "w": "3..9"})
    assert stamps(report) == [("fc", True)]


def test_an_input_that_cannot_be_made_is_said() -> None:
    text = "g (seq(float[n]) s, int64 i, float[m] y, float[k] w) => (float[k] z) {"
    text += " x = SequenceAt(s, i) a = Add(x, y) [sum] z = Concat <axis = 3> (a, w) }"
    report = checked(HEAD + text)
    assert stamps(report) == [("sum", None)]
    (shown,) = [f.replay for f in report.findings if f.replay is not None]
    assert shown.message == "input 's' is of the type seq(float32), which can't be fed"


def test_stored_elements_reach_the_run() -> None:
    """The elements of a table decide; a large table isn't listed in the report, but the cut model has it."""
    model = onnx.parser.parse_model(HEAD + "g (float[n, m] x) => (float[k, m] z) { [pick] z = Gather(x, rows) }")
    model.graph.initializer.append(numpy_helper.from_array(np.arange(900, dtype=np.int64), "rows"))
    report = checked(model, dims={"n": "800..1000"})
    assert stamps(report) == [("pick", True)]
    assert report.findings[0].holds_iff == "n >= 900"


def test_elements_of_a_type_that_numpy_lacks() -> None:
    """The node's inputs can't be read back from a run, so the node can't be run alone."""
    require_runtime()
    text = "g (float[n, 2] x, float[3] w) => (bfloat16[k] y) {"
    text += " s = Shape(x) b = Cast <to = 16> (s) v = Cast <to = 16> (w) [times] y = Mul(b, v) }"
    report = checked(HEAD + text, dims={"n": "1..4"})
    assert stamps(report) == [("times", None)]
    (shown,) = [f.replay for f in report.findings if f.replay is not None]
    assert "bfloat16" in shown.message
