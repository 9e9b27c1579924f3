"""Models that make ONNX Runtime print each form of message, and sizes at which they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnx.parser
import onnxruntime

onnxruntime.set_default_logger_severity(4)
OPSETS = '"":18'
HEAD = f"<ir_version: 8, opset_import: [{OPSETS}]> g "
TYPES = {
    f"tensor({dtype.lower()})": onnx.helper.tensor_dtype_to_np_dtype(number)
    for dtype, number in onnx.TensorProto.DataType.items()
    if dtype not in ("UNDEFINED", "STRING")
}


class Printed(NamedTuple):
    """A part of a form's text, a model that prints it, sizes at which it does, and the operator sets of the model."""

    words: str
    model: str
    sizes: dict[str, int]
    opsets: str = OPSETS


PRINTED: tuple[Printed, ...] = (
    Printed(
        "Non concat axis",
        "(float[n, 2] x, float[m, 2] y) => (z) { [a] z = Concat <axis = 1> (x, y) }",
        {"n": 4, "m": 7},
    ),
    Printed(
        "by a dimension other than 1", "(float[n, 3] x, float[m, 3] y) => (z) { [a] z = Add (x, y) }", {"n": 4, "m": 7}
    ),
    Printed("Can broadcast 0", "(float[n, 3] x, float[m, 3] y) => (z) { [a] z = Add (x, y) }", {"n": 0, "m": 7}),
    Printed("requested shape", "(float[n, 3] x) => (z) <int64[2] t = {-1, 6}> { [a] z = Reshape (x, t) }", {"n": 5}),
    Printed(
        "dimension with value zero",
        "(float[n] x, float[n, m] y) => (z) { s = Shape (y)  [a] z = Reshape (x, s) }",
        {"n": 2, "m": 0},
    ),
    Printed("inclusive range", "(float[n, 3] x) => (z) <int64[2] i = {0, 6}> { [a] z = Gather (x, i) }", {"n": 5}),
    Printed("invalid ind", "(float[n, 3] x) => (z) <int64[1, 1] i = {6}> { [a] z = GatherND (x, i) }", {"n": 5}),
    Printed("kernel channels", "(float[1, c, 8, 8] x, float[2, 3, 3, 3] w) => (z) { [a] z = Conv (x, w) }", {"c": 5}),
    Printed(
        "filter number not",
        "(float[1, c, 8, 8] x, float[2, 3, 3, 3] w) => (z) { [a] z = ConvTranspose (x, w) }",
        {"c": 5},
    ),
    Printed(
        "Invalid input shape: ",
        "(float[1, 3, h, w] x, float[2, 3, 3, 3] k) => (z) { [a] z = Conv (x, k) }",
        {"h": 2, "w": 7},
    ),
    Printed(
        "Only N can be zero",
        "(float[1, c, h, 8] x) => (z) { [a] z = MaxPool <kernel_shape = [3, 3]> (x) }",
        {"c": 0, "h": 7},
    ),
    Printed(
        "dimension is negative",
        "(float[1, 2, h, 8] x) => (z) { [a] z = MaxPool <kernel_shape = [3, 3]> (x) }",
        {"h": 1},
    ),
    Printed(
        "output dimension is <= 0",
        "(float[1, 2, h, 8] x, float[2, 3, 3, 3] w) => (z) { [a] z = ConvTranspose <pads = [2, 2, 2, 2]> (x, w) }",
        {"h": 1},
    ),
    Printed(
        "MatMul dimension mismatch", "(float[2, n] x, float[m, 2] y) => (z) { [a] z = MatMul (x, y) }", {"n": 4, "m": 7}
    ),
    Printed(
        "operand cannot broadcast",
        "(float[n, 2, 3] x, float[m, 3, 2] y) => (z) { [a] z = MatMul (x, y) }",
        {"n": 4, "m": 7},
    ),
    Printed(
        "Dimension mismatch, W",
        "(float[2, n] x, float[m, 2] y, float[2] b) => (z) { [a] z = Gemm (x, y, b) }",
        {"n": 4, "m": 7},
    ),
    Printed("invalid expand shape", "(float[n, 3] x) => (z) <int64[2] t = {4, 3}> { [a] z = Expand (x, t) }", {"n": 3}),
    Printed("Num entries", "(float[n] x) => (z, y) <int64[2] t = {4, 3}> { [a] z, y = Split (x, t) }", {"n": 9}),
    Printed("split evenly", "(float[n] x) => (z, y) { [a] z, y = Split (x) }", {"n": 9}),
    Printed(
        "exceeds the remaining", "(float[n] x) => (z, y) <int64[2] t = {4, 3}> { [a] z, y = Split (x, t) }", {"n": 6}
    ),
    Printed(
        "must be 1 instead of", "(float[n, m] x) => (z) <int64[1] t = {1}> { [a] z = Squeeze (x, t) }", {"n": 3, "m": 5}
    ),
    Printed("k argument", "(float[n] x) => (z, y) <int64[1] k = {100}> { [a] z, y = TopK (x, k) }", {"n": 42}),
    Printed(
        "by any factor",
        '(float[1, 1, h, 4] x) => (z) <int64[4] t = {1, 1, 8, 8}> { [a] z = Resize <mode = "nearest"> (x, , , t) }',
        {"h": 0},
    ),
    Printed(
        "division by zero",
        "(float[n] x, float[m] y) => (z) { s = Shape (x)  t = Shape (y)  [a] z = Div (s, t) }",
        {"n": 3, "m": 0},
    ),
    Printed(
        "Failed to allocate",
        "(float[n, 1] x, float[1, m] y) => (z) { [a] z = MatMul (x, y) }",
        {"n": 2**23, "m": 2**23},
    ),
    Printed(
        "Got invalid dimensions", "(float[n, 100] x, float[m, 100] y) => (z) { [a] z = Add (x, y) }", {"n": 3, "m": 3}
    ),
)


def _read(text: str) -> Iterator[Printed]:
    """Yield the rows of a file: a line with a part of the message, sizes and operator sets, and a line with a model."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for head, model in zip(lines[::2], lines[1::2], strict=True):
        words, sizes, opsets = head.split(" | ")
        yield Printed(words, model, {n: int(v) for n, v in (d.split("=") for d in sizes.split())}, opsets)


PRINTED += tuple(_read(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")))


def proto(printed: Printed) -> onnx.ModelProto:
    """The model of a row; the node that prints the message is named a."""
    return onnx.parser.parse_model(f"<ir_version: 10, opset_import: [{printed.opsets}]> g {printed.model}")


def said(model: onnx.ModelProto, sizes: dict[str, int], given: dict[str, tuple[int, ...]] | None = None) -> str:
    """Return ONNX Runtime's error message for a model at these sizes; "" if it runs."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds: dict[str, Any] = {}
    for i in session.get_inputs():
        shape = (given or {}).get(i.name) or [d if isinstance(d, int) else sizes[d] for d in i.shape]
        feeds[i.name] = np.zeros(shape, TYPES[i.type])
    try:
        session.run(None, feeds)
    except Exception as error:  # any exception is the result
        return str(error)
    return ""
