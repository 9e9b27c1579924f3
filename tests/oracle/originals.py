"""Files of every format as they should be, which `mutants` damages."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import onnx
from google.protobuf.json_format import MessageToJson

import shapesmt
from tests.support import graph_text as tf, ir_text as ir, torch_programs
from tests.support.node_cases import node_cases

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Original:
    """A file as it should be: what it holds, and the end of its name."""

    content: bytes
    suffix: str
    proto: Any = None  # the message, of formats that are one
    names: tuple[str, ...] = ()  # of dimensions and inputs
    format: str = ""


ONNX_TEXTS = (
    """g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }""",
    """g (float[b, c, h, w] x) => (float[b, k] y) <int64[2] to = {0, -1}, float[4] half = {1, 1, 0.5, 0.5}>
    { small = Resize<mode = "nearest">(x, , half) y = Reshape(small, to) }""",
    """g (float[n, m] x) => (float[a, b] y) <int64[1] i = {0}, int64[1] one = {1}, int64[1] minus = {-1}>
    { s = Shape(x) n = Gather(s, i) h = Div(n, one) t = Concat<axis = 0>(h, minus) r = Reshape(x, t)
      c = Slice(r, i, h, i) p = Pad(c, s) q = Tile(p, s) e = Expand(q, s) y = Transpose<perm = [1, 0]>(e) }""",
    """g (float[n] x, bool c) => (float[k] y)
    { y = If<then_branch = t () => (float[p] a) { a = Concat<axis = 0>(x, x) },
             else_branch = e () => (float[q] b) { b = Relu(x) }>(c) }""",
    """g (float[n, m] x, int64 trips, bool go) => (float[k, m] y)
    { y = Loop<body = b (int64 i, bool on, float[r, m] v) => (bool still, float[q, m] w)
        { still = Identity(on) w = Concat<axis = 0>(v, x) }>(trips, go, x) }""",
    """g (float[n, s, f] x, float[f] h) => (float[f] last, float[s2, f] all)
    { last, all = Scan<num_scan_inputs = 1, body = b (float[f] a, float[f] row) => (float[f] c, float[f] d)
        { c = Add(a, row) d = Identity(c) }>(h, x) }""",
    """g (float[b, 3, h, w] x, float[8, 3, 3, 3] k) => (float[p, q] y)
    { c = Conv<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(x, k) m = MaxPool<kernel_shape = [2, 2]>(c)
      a = GlobalAveragePool(m) y = Flatten(a) }""",
    """g (float[n] x, int64[k] i) => (float[q] y, int64[r, s] z)
    { z = NonZero(x) u, v, w, c = Unique(x) t = TopK(x, i) g = Gather(x, i) y = Compress(g, b) b = Cast<to = 9>(x) }""",
    """g (seq(float[n]) q, float[m] x, int64 p) => (float[k] y)
    { a = SequenceInsert(q, x, p) b = SequenceAt(a, p) l = SequenceLength(a) y = ConcatFromSequence<axis = 0>(a) }""",
    """g (float[b, s, d] x, float[d, e] w) => (float[b, s, e] y)
    { m = MatMul(x, w) f = Einsum<equation = "bsd,de->bse">(x, w) p = Softmax(m) y = Add(p, f) }""",
    """g (int64 a, int64 e) => (float[k] y) <int64 two = {2}, float f = {0.7}>
    { r = Range(a, e, two) c = Cast<to = 1>(r) m = Mul(c, f) z = Floor(m) i = Cast<to = 7>(z) s = ReduceSum(i)
      l = Unsqueeze(s, q) q = Constant<value_ints = [0]>() y = ConstantOfShape(l) }""",
)  # fmt: skip
HEAD = '<ir_version: 10, opset_import: ["": 18, "me": 1, "com.microsoft": 1]>\n'
FUNCTION = """g (float[n, m] x) => (float[a, b] y) { y = me.twice<k = 2>(x) }
<domain: "me", opset_import: ["": 18, "me": 1]> once <k> (x) => (y) { a = Concat<axis: int = @k>(x, x) y = Relu(x) }
<domain: "me", opset_import: ["": 18, "me": 1]> twice <k> (x) => (y) { a = me.once<k: int = @k>(x) y = me.once(a) }
"""


WRITERS: dict[str, Callable[[Any], bytes]] = {
    "onnx": lambda message: message.SerializeToString(),
    "text": lambda message: onnx.printer.to_text(message).encode(errors="replace"),
    "json": lambda message: MessageToJson(message).encode(errors="replace"),
    "textproto": lambda message: str(message).encode(errors="replace"),
    "graph": lambda message: message.SerializeToString(),
    "saved": lambda message: message.SerializeToString(),
    "graph text": lambda message: str(message).encode(errors="replace"),
    "saved text": lambda message: str(message).encode(errors="replace"),
}


@cache
def originals() -> tuple[Original, ...]:
    """A few files of every format."""
    protos = [onnx.parser.parse_model(HEAD + text) for text in (*ONNX_TEXTS, FUNCTION)]
    protos += [onnx.load(path) for path in sorted(EXAMPLES.glob("*/*.onnx"))]
    protos += _node_cases()
    found = []
    for proto in protos:
        content = proto.SerializeToString()
        named = {d.dim_param for i in proto.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param}
        names = (*sorted(named), *(i.name for i in proto.graph.input))
        found.append(Original(content, ".onnx", proto, names, "onnx"))
        if len(content) < 4000:
            found.append(Original(WRITERS["text"](proto), ".onnxtxt", proto, names, "text"))
            found.append(Original(WRITERS["json"](proto), ".json", proto, names, "json"))
            found.append(Original(WRITERS["textproto"](proto), ".textproto", proto, names, "textproto"))
            with contextlib.suppress(shapesmt.ShapesmtError), tempfile.TemporaryDirectory() as folder:
                shapesmt.save_graph(shapesmt.load_graph(content), Path(folder, "g.json"))
                found.append(Original(Path(folder, "g.json").read_bytes(), ".json", None, names, "nodelink"))
    found += [Original(text, ".xml", None, ("x0_dim0", "x0_dim2", "x0"), "ir") for text in _irs()]
    found += [Original(content, ".pt2", None, names, "torch") for content, names in _programs()]
    for text in _flows():
        message = _graph_def(text)
        saved, names = _saved(message), ("x_dim0", "y_dim0", "x")
        found.append(Original(text, ".pbtxt", message, names, "graph text"))
        found.append(Original(message.SerializeToString(), ".pb", message, names, "graph"))
        found.append(Original(saved.SerializeToString(), ".pb", saved, names, "saved"))
        found.append(Original(WRITERS["saved text"](saved), ".pbtxt", saved, names, "saved text"))
    return tuple(found)


@cache
def by_format() -> dict[str, list[Original]]:
    """The originals of each format."""
    formats: dict[str, list[Original]] = {}
    for original in originals():
        formats.setdefault(original.format, []).append(original)
    return formats


def _node_cases() -> list[onnx.ModelProto]:
    """Some of the models that come with ONNX."""
    cases = [case.model for case in node_cases() if case.model is not None]
    return [m for m in cases[::7] if m.ByteSize() < 4000]


IR_SHAPES = (("?", "f32"), ("4", "i64"), ("..", "i64"))


def _irs() -> Iterator[bytes]:
    rows = [
        *(("ReLU", ""), ("Softmax", 'axis="1"'), ("Reshape", 'special_zero="true"'), ("Transpose", ""), ("Gather", "")),
        *(("Concat", 'axis="0"'), ("Split", 'num_splits="3"'), ("TopK", 'axis="0" mode="max" sort="value"')),
        ("Convolution", 'strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0" auto_pad="explicit"'),
        ("StridedSlice", 'begin_mask="" end_mask="" new_axis_mask="" shrink_axis_mask="" ellipsis_mask=""'),
        *(("NonMaxSuppression", ""), ("Einsum", 'equation="ab,bc->ac"'), ("ShapeOf", 'output_type="i64"')),
    ]
    for op, data in rows:
        for inputs in (1, 2, 3):
            shapes = [f'shape="1..8,3,{last}" element_type="{kind}"' for last, kind in IR_SHAPES[:inputs]]
            layers = [ir.layer(i, "Parameter", f"x{i}", shape) for i, shape in enumerate(shapes)]
            edges = [(i, 0, inputs, i) for i in range(inputs)]
            layers.append(ir.layer(inputs, op, "y", data, inputs))
            layers.append(ir.layer(inputs + 1, "Result", "r", inputs=1, outputs=0))
            yield ir.net(layers, *edges, (inputs, inputs, inputs + 1, 0))


def _programs() -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """Archives of `torch.export`: the examples', and one written by hand in both layouts."""
    for path in sorted(EXAMPLES.glob("*/*.pt2")):
        yield path.read_bytes(), tuple(shapesmt.inspect(path).dimensions)
    yield torch_programs.archive(model=torch_programs.program()), ("x_dim0", "x")
    yield torch_programs.old_archive(torch_programs.program()), ("x_dim0", "x")


def _flows() -> Iterator[bytes]:
    x, y = tf.placeholder("x", -1, 3), tf.placeholder("y", -1, -1)
    three = tf.const("three", "DT_INT32", [2], 'tensor_content: "\\003\\000\\000\\000\\377\\377\\377\\377"')
    yield tf.graph(x, tf.node("y", "Relu", "x"))
    yield tf.graph(x, y, tf.node("z", "AddV2", "x", "y", T="type: DT_FLOAT"), tf.node("s", "Shape", "z"))
    yield tf.graph(x, three, tf.node("r", "Reshape", "x", "three"), tf.node("i", "Identity", "r"))
    join = tf.node("b", "ConcatV2", "a:0", "a:0", "axis", N="i: 2")
    body = [tf.node("a", "Relu", "p"), join, tf.const("axis", "DT_INT32", [], "int_val: 0")]
    inner = tf.function("f", ["p"], body, {"o": "b:output:0"})
    yield tf.graph(x, tf.call("c", "f", "x"), tf.call("d", "f", "c"), functions=[inner])
    unpack = tf.node("u", "Unpack", "m", num="i: 3", axis="i: 1")
    yield tf.graph(x, y, tf.node("m", "MatMul", "x", "y"), tf.node("w", "Where", "m"), unpack)


def _graph_def(text: bytes) -> Any:
    from google.protobuf import text_format
    from tensorboard.compat.proto import graph_pb2

    return text_format.Parse(text.decode(), graph_pb2.GraphDef())


def _saved(graph: Any) -> Any:
    """A saved model of this graph, whose signature has its placeholders and its last node."""
    from shapesmt.frontends.tensorflow.protos import _saved_model

    saved = _saved_model()(saved_model_schema_version=1)
    made = saved.meta_graphs.add(graph_def=graph)
    made.meta_info_def.tags.append("serve")
    signature = made.signature_def["serving_default"]
    for node in graph.node:
        if node.op == "Placeholder":
            signature.inputs[node.name].name = f"{node.name}:0"
    signature.outputs["out"].name = f"{graph.node[-1].name}:0"
    return saved
