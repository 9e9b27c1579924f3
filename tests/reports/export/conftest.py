"""The model that is annotated and written."""

from __future__ import annotations

import pytest
from onnx import parser

MODEL = """<ir_version: 10, opset_import: ["" : 21]>
g (bool c, float[n] x) => (float[m] z) <float[1] w = {3}> {
    y = Mul (x, w)
    z = If (c) <then_branch = t () => (float[k] b) { a = Exp (y) b = Exp (a) },
                else_branch = e () => (float[k] d) { d = Exp (x) }>
}"""


@pytest.fixture
def model():
    return parser.parse_model(MODEL)
