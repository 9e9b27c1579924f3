"""JSON text: one line for each finding and tensor, in ASCII."""

from __future__ import annotations

import io
import json

from shapesmt.reports.answers import (
    Bounds,
    DimBounds,
    TensorBounds,
)
from shapesmt.reports.render import render
from tests.support.reports import UNET


def test_json_has_one_line_for_each_finding_and_tensor():
    stream = io.StringIO()
    render(UNET, "json", stream)
    assert json.loads(stream.getvalue()) == UNET.to_dict()
    assert stream.getvalue().splitlines()[0] == '{"schema": "shapesmt/check/1",'
    assert sum('"op_type": "Concat"' in row for row in stream.getvalue().splitlines()) == 1
    shared = TensorBounds("float32", (DimBounds(1, 2, "n"),))
    bounds = Bounds("m", {}, {"a": shared, "b": shared, "\ud800": TensorBounds("", None)})
    stream = io.StringIO()
    render(bounds, "json", stream)
    assert json.loads(stream.getvalue()) == bounds.to_dict()
    assert stream.getvalue().isascii()
    assert '  "b": {"dtype": "float32", "shape": [{"min": 1, ' in stream.getvalue()
