"""Small models of many kinds, as many as asked for, no two with the same content."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import parser

from tests.bench.models import decoder

HEAD = '<ir_version: 8, producer_name: "{exporter}", opset_import: ["" : 18]> '
TEXTS = (
    "g (float[n, {k}] x, float[m, {k}] y) => (float[k, {k}] z) {{ z = Add(x, y) }}",
    "g (float[b, 3, h, w] x) => (float[b, c, i, j] z) {{ y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) "
    "s = Constant <value = float[4] {{1.0, 1.0, 2.0, 2.0}}> () u = Resize (y, , s) z = Concat <axis = 1> (x, u) }}",
    "g (float[n, {k}] x) => (float[m, 4] z) {{ t = Constant <value = int64[2] {{-1, 4}}> () z = Reshape (x, t) }}",
    "g (float[n] x) => (float[n] z) {{ y = Exp(x) z = Log(y) }}",
)
EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*/*.onnx"))
EXPORTERS = ("pytorch", "tf2onnx", "keras2onnx")


def variant(number: int) -> onnx.ModelProto:
    """One of them: a text with other sizes, a decoder of one layer, or an example."""
    size, kind = divmod(number, len(TEXTS) + 1 + len(EXAMPLES))
    size += 1
    if kind > len(TEXTS):
        model = onnx.load(EXAMPLES[kind - len(TEXTS) - 1])
    elif kind == len(TEXTS):
        model = decoder(1, hidden=4 + 4 * size % 64)
    else:
        text = HEAD.replace("{exporter}", EXPORTERS[number % len(EXPORTERS)]) + TEXTS[kind].format(k=size)
        model = parser.parse_model(text)
    model.doc_string = str(number)
    return model


def write_variants(folder: Path, count: int) -> list[str]:
    """Write that many into a folder, which is created; their names."""
    folder.mkdir()
    names = [f"{number:05}.onnx" for number in range(count)]
    for number, name in enumerate(names):
        (folder / name).write_bytes(variant(number).SerializeToString())
    return names
