"""Attributes that have to be one of a few values, against ONNX Runtime that loads the model."""

from __future__ import annotations

import onnx.parser
import pytest

import shapesmt
from tests.oracle.runner import session

CROP = "(float[1, 2, 3, 3] x, float[r, 4] b, int32[r] i, int32[2] s) => (y) { y = com.microsoft.CropAndResize"
PACKED = "(float[t, 2] x, float[2, 1, 1] w, int32[2] e, float[1, 2, 0] p) => (y, n)"
CALLS = {
    **{
        f"{CROP} <mode = '{mode}'> (x, b, i, s) }}".replace("'", '"'): mode != "foo"
        for mode in ("bilinear", "nearest", "foo")
    },
    **{
        f"{PACKED} {{ y, n = com.microsoft.VarlenCausalConvWithState <dilation = {step}> (x, w, e, , p) }}": step > 0
        for step in (-1, 0, 1, 2)
    },
}


@pytest.mark.parametrize("text", CALLS)
def test_values_of_attributes(text):
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]> g {text}')
    assert (shapesmt.check(model).verdict == "FAILS") is not CALLS[text]
    if CALLS[text]:
        session(model)
    else:
        with pytest.raises(Exception, match=r"Invalid mode|dilation must be"):
            session(model)
