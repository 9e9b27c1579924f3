"""Models of every format with an accident: bytes, tokens or fields changed, and questions asked of them.

    python -m tests.oracle.mutants SEED COUNT

What is asked of a mutant is answered in its time, or refused in one line; whatever else happens is printed with the
seed that shows it.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToJson

import shapesmt
from shapesmt.algebra.interning import LIMIT, forget, sizes
from shapesmt.cli.main import main
from tests.frontends.openvino import test_reader as ir
from tests.frontends.tensorflow import test_reader as tf

TIMEOUT = 2.0
LATE = 2.0  # seconds that an answer may come after its timeout
EXAMPLES = Path(__file__).parents[2] / "examples"
EXTREMES = (0, 1, -1, 2, 7, 64, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, -(2**31), -(2**63), 2**64, 10**30)
TOKEN = re.compile(rb"[A-Za-z_][A-Za-z_0-9.]*|-?[0-9]+(?:\.[0-9]+)?|\"[^\"]{0,40}\"|[^\sA-Za-z0-9]")
WORDS = (
    "", "x", "y", "n", "@1", "1", "a\x1b[2Jb", "\u202e", "x" * 3000, "\ud7ff", "..", "?", "`n`", "None", "import",
    "Reshape", "If", "Loop", "Constant", "Concat", "NonZero", "Split",
)  # fmt: skip


@dataclass(frozen=True)
class Original:
    """A file as it should be: what it holds, and the end of its name."""

    content: bytes
    suffix: str
    proto: Any = None  # the message, of formats that are one
    names: tuple[str, ...] = ()  # of dimensions and inputs
    format: str = ""


class Late(BaseException):
    """An answer that was waited for too long."""


# Originals


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
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = [case.model for case in collect_testcases(None) if case.model is not None]
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


# Accidents


def mutant(seed: int) -> Original:
    """A damaged file."""
    r = Random(f"mutant {seed}")
    original = r.choice(by_format()[r.choice([*by_format(), "onnx", "onnx"])])
    content = original.content
    if original.proto is not None and r.random() < 0.8:
        message = type(original.proto)()
        message.CopyFrom(original.proto)
        for _ in range(r.choice([1, 1, 2, 5])):
            _change_field(message, r)
        with contextlib.suppress(Exception):
            content = WRITERS[original.format](message)
    elif original.format == "nodelink" and r.random() < 0.8:
        content = _json(content, r)
    else:
        by_value = original.format == "ir" and r.random() < 0.8
        change = _value if by_value else r.choice([_token, _token, _flip, _cut, _splice])
        for _ in range(r.choice([1, 1, 1, 2, 5])):
            content = change(content, r)
    suffix = original.suffix if r.random() < 0.95 else r.choice([".onnx", ".xml", ".json", ""])
    return Original(content, suffix, None, original.names, original.format)


def _flip(content: bytes, r: Random) -> bytes:
    changed = bytearray(content or b"\0")
    for _ in range(r.choice([1, 2, 8])):
        changed[r.randrange(len(changed))] = r.choice([r.randrange(256), 0, 255, 127, 128])
    return bytes(changed)


def _cut(content: bytes, r: Random) -> bytes:
    a, b = sorted(r.randrange(len(content) + 1) for _ in range(2))
    return content[:a] + content[b:] if r.random() < 0.7 else content[:b] + content[a:b] * r.choice([1, 3, 100])


def _splice(content: bytes, r: Random) -> bytes:
    other = r.choice(originals()).content
    a, b = sorted(r.randrange(len(other) + 1) for _ in range(2))
    at = r.randrange(len(content) + 1)
    return content[:at] + other[a : min(b, a + 400)] + content[at:]


def _value(content: bytes, r: Random) -> bytes:
    """The value of an attribute of an XML file replaced, or an element doubled or removed."""
    if r.random() < 0.2:
        one = r.choice([*re.finditer(rb"<layer .*?</layer>|<edge [^>]*>|<port [^>]*/>|<data [^>]*/>", content)])
        return content[: one.start()] + one.group() * r.choice([0, 2]) + content[one.end() :]
    values = [*re.finditer(rb'"([^"]*)"', content)]
    one = r.choice(values)
    word = r.choice(WORDS).replace("\x1b", "").encode(errors="replace")
    number = str(r.choice(EXTREMES)).encode()
    new = r.choice(
        [
            r.choice(values).group(1),
            number,
            word,
            b"-1,3",
            b"..5",
            b"f64",
            b"opset9",
            b"Parameter",
            b"Loop",
            b"1..2,..,3",
        ]
    )
    return content[: one.start(1)] + new + content[one.end(1) :]


def _json(content: bytes, r: Random) -> bytes:
    """Some values inside a JSON document made others."""
    document = json.loads(content)
    places = [*_places(document)]
    for _ in range(r.choice([1, 1, 2, 5])):
        holder, key = r.choice(places)
        one, other = r.choice(places)
        with contextlib.suppress(IndexError, KeyError):
            kinds = [None, True, {}, [], 0.5, r.choice(EXTREMES), r.choice(WORDS), one[other]]
            if r.random() < 0.2:
                del holder[key]
            elif isinstance(holder[key], int) or r.random() < 0.3:
                holder[key] = r.choice(EXTREMES)
            else:
                holder[key] = r.choice(kinds)
    with contextlib.suppress(ValueError, RecursionError):  # what holds itself
        content = json.dumps(document).encode(errors="replace")
    return content


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a document, by what holds it and where."""
    keys = range(len(document)) if isinstance(document, list) else [*document] if isinstance(document, dict) else ()
    for key in keys:
        yield document, key
        yield from _places(document[key])


def _token(content: bytes, r: Random) -> bytes:
    """A word or number of a text replaced by another one; now and then anything by anything."""
    found = [*TOKEN.finditer(content)]
    if not found:
        return content
    one = r.choice(found)
    if r.random() < 0.1:
        new = r.choice([b"", one.group() * 2, r.choice(found).group()])
    else:
        one = r.choice([t for t in found if _kind(t.group())] or found)
        like = [t.group() for t in found if _kind(t.group()) == _kind(one.group())]
        other = str(r.choice(EXTREMES)) if _kind(one.group()) == "number" else r.choice(WORDS)
        quoted = f'"{other}"' if _kind(one.group()) == "quoted" else other
        new = r.choice(like) if r.random() < 0.5 else quoted.encode(errors="replace")
    return content[: one.start()] + new + content[one.end() :]


def _kind(token: bytes) -> str:
    if token.lstrip(b"-")[:1].isdigit():
        return "number"
    return "quoted" if token[:1] == b'"' else "word" * token.isalnum()


def _change_field(message: Any, r: Random) -> None:
    """One field, somewhere inside, made another."""
    target, depth = message, 0
    while True:
        messages = [(f, v) for f, v in target.ListFields() if f.type == FieldDescriptor.TYPE_MESSAGE]
        inner = [v for f, v in messages if f.name != "opset_import"]
        inner = [m for v in inner for m in (v if hasattr(v, "add") else [v] if hasattr(v, "ListFields") else [])]
        if not inner or (depth > 1 and r.random() < 0.35):
            break
        target, depth = max(inner, key=lambda m: m.ByteSize()) if depth < 1 else r.choice(inner), depth + 1
    fields = [f for f, _ in target.ListFields()] if r.random() < 0.8 else [*target.DESCRIPTOR.fields]
    field = r.choice(fields or [*target.DESCRIPTOR.fields])
    with contextlib.suppress(ValueError, TypeError, AttributeError, KeyError, OverflowError):
        value = getattr(target, field.name)
        if hasattr(value, "append") or hasattr(value, "add"):
            _change_list(value, field, r)
        elif field.type == FieldDescriptor.TYPE_MESSAGE or r.random() < 0.2:
            target.ClearField(field.name)
        else:
            setattr(target, field.name, _scalar(field, r))


def _change_list(value: Any, field: Any, r: Random) -> None:
    choice = r.random()
    if len(value) and choice < 0.3:
        del value[r.randrange(len(value))]
    elif len(value) and choice < 0.5:
        if hasattr(value, "add"):
            value.add().CopyFrom(value[r.randrange(len(value) - 1)] if len(value) > 1 else value[0])
        else:
            value.append(r.choice([*value]))
    elif len(value) and choice < 0.6:
        items = [*value]
        r.shuffle(items)
        del value[:]
        value.extend(items)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        value.add()
    elif len(value):
        value[r.randrange(len(value))] = _scalar(field, r)
    else:
        value.append(_scalar(field, r))


def _scalar(field: Any, r: Random) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        return r.choice(WORDS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return r.choice([b"", b"\xff\xfe", r.randbytes(8), b"a" * 100, r.choice(WORDS).encode()])
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return r.choice([0.0, -1.0, float("nan"), float("inf"), 1e30, 0.5])
    return r.choice([r.randrange(30), *EXTREMES])


# Questions

SPANS = ("1", "1..8", "2..64:16", "0..", "..9", "1..", "1..1", "7..7:3", "0", "5..2", "x", "", f"1..{2**63}", "-1")
RELATIONS = (
    "n >= 2",
    "n % 4 == 0 or n == 7",
    "n*n*n == 27",
    "n < 5",
    "n // 0 == 1",
    "n == n + 1",
    "((((n == 1))))",
    "n",
)


def question(r: Random, path: Path, known: tuple[str, ...]) -> list[str]:
    """A command with options."""
    verbs = ["check", "check", "check", "bounds", "explain", "encode", "ops"]
    verb = r.choice([*verbs, "tighten", "repro"] if path.suffix in (".onnx", ".onnxtxt") or r.random() < 0.1 else verbs)
    line = [verb, str(path)]
    if verb == "ops":
        return line
    names = [*known] * 8 + ["y", "z", "none", *WORDS[1:6]]
    if verb in ("explain", "bounds", "repro") and r.random() < 0.3:
        line.append(r.choice(names))
    for _ in range(r.choice([0, 0, 0, 1, 2])):
        span = r.choice(SPANS if r.random() < 0.1 else SPANS[:9])
        line += ["--dim", f"{r.choice(names)}={span}"]
    if r.random() < 0.2:
        shape = r.choice(["[...]", "[?,?]", "[1..8,3]", "2x3", "[]", "[n", "[0,0]", f"[{2**62},9]", "[?,?,?,?]"])
        line += ["--shape", f"{r.choice(names)}={shape}"]
    if r.random() < 0.2:
        line += ["--assume", r.choice(RELATIONS).replace("n", f"`{r.choice(names)}`", 1)]
    if verb in ("check", "tighten"):
        line += r.choice([[], [], ["--declared", r.choice(["trust", "ignore", "override"])]])
    if verb == "check":
        line += r.choice([[], [], ["--strict"], ["--certify"], ["-q"], ["--html", str(path.with_suffix(".html"))]])
        line += r.choice([[], [], ["--format", r.choice(["json", "sarif", "github"])]])
    if verb in ("tighten", "encode", "repro") and (verb == "tighten" or r.random() < 0.5):
        line += ["-o", str(path.with_name("out.onnx"))]
    return [*line, "--timeout", str(TIMEOUT), "--no-config"]


def failure(seed: int, folder: Path) -> str:
    """What is wrong with the answer about a mutant; "" where nothing is."""
    made = mutant(seed)
    path = folder / f"mutant{made.suffix}"
    path.write_bytes(made.content)
    line = question(Random(f"question {seed}"), path, made.names)
    said = answer_of(line)
    for left in folder.iterdir():
        if left.name.endswith(".part"):
            said = said or f"a file is left: {left.name}"
        left.unlink()
    return said and f"seed {seed}: {' '.join(a if len(a) < 200 else a[:200] for a in line)}\n  {said}"


def answer_of(line: list[str]) -> str:
    """What is wrong with the answer of the command line; "" where nothing is. A busy machine may be late once."""
    wrong = _answer_of(line)
    return _answer_of(line) if wrong.startswith("late") else wrong


def _answer_of(line: list[str]) -> str:
    out, err = io.StringIO(), io.StringIO()

    def stop(*_: object) -> None:
        raise Late("".join(traceback.format_stack(limit=30)[:-1]))

    if sum(sizes().values()) > LIMIT:
        forget()  # what earlier questions left is not this one's to wait for
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, TIMEOUT + 8 * LATE)
    started, worked = time.monotonic(), time.process_time()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([*line])
    except Late as late:
        return f"no answer; it was in\n{late}"
    except BaseException:
        return f"{traceback.format_exc()}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    seconds, own = time.monotonic() - started, time.process_time() - worked
    wrong = _wrong(line, status, out.getvalue(), err.getvalue())
    if not wrong and (own > TIMEOUT + LATE or seconds > TIMEOUT + 3 * LATE):  # other processes may be at work as well
        return f"late: {seconds:.1f} s, {own:.1f} s of them its own"
    return wrong


def _wrong(line: list[str], status: int, out: str, err: str) -> str:
    """What is wrong with an exit status and with what is printed; "" where nothing is."""
    if status not in (0, 1, 2, 3):
        return f"status {status}: {err[-3000:]}"
    if status == 2 and "--replay" not in line and err.count("\n") != 1:
        return f"not one line: {err!r} {out[:200]!r}"
    if "Traceback" in err + out:
        return err[-3000:]
    unprintable = [c for c in out + err if not c.isprintable() and c != "\n"]
    if unprintable:
        return f"unprintable: {unprintable[:5]}"
    if status != 2 and "--format" in line and line[line.index("--format") + 1] in ("json", "sarif"):
        json.loads(out)
    return ""


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 1e9
    begun, failed, asked = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(first, first + count):
            wrong = failure(number, Path(temporary))
            asked += 1
            if wrong:
                failed += 1
                print(wrong, flush=True)
            if time.monotonic() - begun > limit:
                break
    print(f"{failed} of {asked} wrong, from seed {first}, in {time.monotonic() - begun:.0f} s")
