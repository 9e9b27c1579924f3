"""OpenVINO: every size has an end that OpenVINO itself finds, and nothing is computed otherwise."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import pytest
from onnx import parser
from onnxruntime import InferenceSession

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

import openvino as ov

import shapesmt
from shapesmt.base.errors import ModelError
from shapesmt.reports.export.targets.edit import graphs_of
from shapesmt.reports.export.targets.openvino import lost_bounds
from tests.support.openvino_runtime import compiled as on_two_threads

HEAD = '<ir_version: 8, opset_import: ["" : 18]>'
POSITIONS = (
    HEAD
    + """ g (float[n, m] x) => (int64[k] y, float[a, b] z) {
    two = Constant <value = int64 {2}> ()
    start = Constant <value = int64 {START}> ()
    step = Constant <value = int64 {STEP}> ()
    size = Shape (x)
    zero = Constant <value = int64 {0}> ()
    one = Constant <value = int64 {1}> ()
    n0 = Gather (size, zero)
    m0 = Gather (size, one)
    y = Range (FIRST, LAST, step)
    z = Identity (x)
}"""
)
FLOATS = (
    HEAD
    + """ g (float[n] x) => (float[k] y) {
    start = Constant <value = float {START}> ()
    step = Constant <value = float {STEP}> ()
    size = Size (x)
    most = Cast <to = 1> (size)
    y = Range (start, most, step)
}"""
)
EXPANDED = (
    HEAD
    + """ g (float[n, 1] x, int64[2] to) => (float[a, b] y, float[c] f) {
    e = Expand (x, to)
    y = Exp (e)
    all = Constant <value = int64[1] {-1}> ()
    f = Reshape (y, all)
}"""
)


def runs(proto, feeds):
    session = InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def open_sizes(proto, bounds):
    """The sizes of a model without an end, as OpenVINO has it."""
    model = ov.Core().read_model(proto.SerializeToString(), b"")
    model.reshape({i.any_name: ov.PartialShape(str(bounds[i.any_name])) for i in model.inputs})
    shapes = [o.partial_shape for op in model.get_ordered_ops() for o in op.outputs()]
    return [d for shape in shapes for d in shape if d.is_dynamic and d.get_max_length() == -1]


def check(text, options, all_feeds):
    """The model for OpenVINO has no open sizes, and computes at these inputs what the original does."""
    model, bounds = parser.parse_model(text), shapesmt.bounds(text.encode(), **options)
    written = shapesmt.tighten(text.encode(), target="openvino", **options)
    onnx.checker.check_model(written)
    assert open_sizes(model, bounds)
    assert not open_sizes(written, bounds)
    compiled = on_two_threads(ov.Core().read_model(written.SerializeToString(), b""))
    for feeds in all_feeds:
        expected = runs(model, feeds)
        for one, two in zip(expected, runs(written, feeds), strict=True):
            assert one.dtype == two.dtype
            np.testing.assert_array_equal(one, two)
        for one, two in zip(expected, compiled(feeds).values(), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-6)


@pytest.mark.parametrize(
    ("first", "last", "start", "step"),
    [
        ("zero", "m0", 0, 1),
        ("start", "m0", 2, 1),
        ("start", "m0", 0, 3),
        ("n0", "m0", 0, 2),
        ("m0", "n0", 0, -2),
        ("n0", "m0", 0, 1),
    ],
)
def test_a_range_is_a_slice_of_a_table(first, last, start, step):
    text = POSITIONS.replace("FIRST", first).replace("LAST", last).replace("START", str(start))
    text = text.replace("STEP", str(step))
    feeds = [{"x": np.ones(shape, np.float32)} for shape in itertools.product((1, 2, 4), range(1, 7))]
    check(text, {"dims": {"n": "1..4", "m": "1..6"}}, feeds)


@pytest.mark.parametrize(("start", "step"), [("0.0", "1.0"), ("1.0", "2.0"), ("-2.0", "1.0")])
def test_a_range_of_whole_floats_too(start, step):
    text = FLOATS.replace("START", start).replace("STEP", step)
    check(text, {"dims": {"n": "1..9"}}, [{"x": np.ones(n, np.float32)} for n in range(1, 10)])


def test_a_range_as_far_as_a_whole_number_made_a_float_counts_by_the_whole_number():
    text = FLOATS.replace("START", "0.0").replace("STEP", "1.0")
    written = shapesmt.tighten(text.encode(), dims={"n": "1..9"}, target="openvino")
    assert [node.op_type for node in written.graph.node if node.op_type != "Constant"] == [
        *("Size", "Cast", "Reshape", "Slice"),
    ]


def test_a_range_as_long_as_a_size_needs_no_other_node_than_the_slice():
    text = (
        HEAD
        + """ g (float[n, m] x) => (int64[k] y) {
        zero = Constant <value = int64 {0}> ()
        one = Constant <value = int64 {1}> ()
        size = Shape <start = 1> (x)
        m0 = Squeeze (size)
        y = Range (zero, m0, one)
    }"""
    )
    written = shapesmt.tighten(text.encode(), dims={"n": "1..4", "m": "1..6"}, target="openvino")
    assert [node.op_type for node in written.graph.node][2:] == ["Shape", "Squeeze", "Slice"]
    for m in range(1, 7):
        feeds = {"x": np.ones((2, m), np.float32)}
        np.testing.assert_array_equal(*(runs(p, feeds)[0] for p in (parser.parse_model(text), written)))


def test_a_range_of_other_floats_is_sliced_behind():
    text = FLOATS.replace("START", "0.0").replace("STEP", "0.5")
    written = shapesmt.tighten(text.encode(), dims={"n": "1..9"}, target="openvino")
    assert [node.op_type for node in written.graph.node][-2:] == ["Range", "Slice"]
    for n in range(1, 10):
        feeds = {"x": np.ones(n, np.float32)}
        np.testing.assert_array_equal(*(runs(p, feeds)[0] for p in (parser.parse_model(text), written)))


def test_a_slice_ends_what_an_input_decides():
    options = {"dims": {"n": "1..3"}, "values": {"to[0]": "1", "to[1]": "1..5"}}
    model, bounds = parser.parse_model(EXPANDED), shapesmt.bounds(EXPANDED.encode(), **options)
    written = shapesmt.tighten(EXPANDED.encode(), target="openvino", **options)
    assert [node.op_type for node in written.graph.node] == ["Expand", "Slice", "Exp", "Constant", "Reshape"]
    assert len(open_sizes(written, bounds)) == 2 < len(open_sizes(model, bounds))
    assert lost_bounds(written, bounds.tensors).keys() == {"e_unsliced"}
    for n, m in itertools.product(range(1, 4), range(1, 6)):
        feeds = {"x": np.ones((n, 1), np.float32), "to": np.array([1, m])}
        for one, two in zip(runs(model, feeds), runs(written, feeds), strict=True):
            np.testing.assert_array_equal(one, two)


def test_a_size_without_an_end_is_named():
    text = POSITIONS.replace("FIRST", "n0").replace("LAST", "m0").replace("START", "0").replace("STEP", "1")
    with pytest.raises(ModelError, match="the size 'n' of tensor 'x' has no proven upper end"):
        shapesmt.tighten(text.encode(), dims={"m": "1..4"}, target="openvino")


def test_slices_and_tables_end_what_branches_and_loops_make():
    """Every tensor is bounded, except for outputs of `If` and `Loop` and carried tensors, each before its slice."""
    text = (
        HEAD
        + """ g (bool c, float[n] x, int64 t) => (int64[k] y, float[n] z) {
        zero = Constant <value = int64 {0}> ()
        one = Constant <value = int64 {1}> ()
        go = Constant <value = bool {1}> ()
        y = If (c) <then_branch = t () => (int64[a] u) { s = Size (x) r = Range (zero, s, one) u = Neg (r) },
                    else_branch = e () => (int64[b] v) { w = Shape (x) v = Identity (w) }>
        z = Loop (t, go, x) <body = l (int64 i, bool g, float[m] q) => (bool h, float[p] o) {
            h = Identity (g) many = Size (q) places = Range (zero, many, one) f = Cast <to = 1> (places)
            o = Add (q, f) }>
    }"""
    )
    options = {"dims": {"n": "1..5"}, "values": {"t": "0..3"}}
    model, written = parser.parse_model(text), shapesmt.tighten(text.encode(), target="openvino", **options)
    onnx.checker.check_model(written)
    assert not [n for graph in graphs_of(written.graph) for n in graph.node if n.op_type == "Range"]
    bounds = shapesmt.bounds(text.encode(), **options)
    names = {name for name in lost_bounds(written, bounds.tensors) if not name.endswith("_unsliced")}
    assert not names
    compiled = on_two_threads(ov.Core().read_model(written.SerializeToString(), b""))
    for n, c, t in itertools.product(range(1, 6), (True, False), range(4)):
        feeds = {"x": np.arange(n, dtype=np.float32), "c": np.array(c), "t": np.array(t)}
        expected = runs(model, feeds)
        for results in (runs(written, feeds), list(compiled(feeds).values())):
            for one, two in zip(expected, results, strict=True):
                np.testing.assert_array_equal(one, two)


def test_branches_with_one_name_for_two_tensors_get_the_ends_of_both():
    text = (
        HEAD
        + """ g (bool c, float[n] x, float[m] z) => (int64[k] y) {
        zero = Constant <value = int64 {0}> ()
        one = Constant <value = int64 {1}> ()
        y = If (c) <
            then_branch = t () => (int64[a] u) {
                step = Constant <value = int64 {1}> () s = Size (x) r = Range (zero, s, step) u = Neg (r) },
            else_branch = e () => (int64[b] u) {
                step = Constant <value = int64 {2}> () s = Size (z) r = Range (zero, s, step) u = Abs (r) }>
    }"""
    )
    written = shapesmt.tighten(text.encode(), dims={"n": "1..5", "m": "1..9"}, target="openvino")
    for n, m, c in itertools.product((1, 5), (1, 9), (True, False)):
        feeds = {"x": np.ones(n, np.float32), "z": np.ones(m, np.float32), "c": np.array(c)}
        np.testing.assert_array_equal(*(runs(p, feeds)[0] for p in (parser.parse_model(text), written)))


def test_sizes_that_are_asked_for_and_fail_have_ends_too():
    text = (
        HEAD
        + """ g (float[n, 4, 6] x) => (float[a, b, c, d] z) {
        size = Shape (x)
        first = Constant <value = int64[1] {0}> ()
        n = Gather (size, first)
        four = Constant <value = int64[1] {4}> ()
        rest = Constant <value = int64[1] {-1}> ()
        three = Constant <value = int64[1] {3}> ()
        to = Concat <axis = 0> (n, four, rest, three)
        y = Reshape (x, to)
        z = Exp (y)
    }"""
    )
    model, dims = parser.parse_model(text), {"n": "0..8"}
    made = shapesmt.tighten(model, dims=dims, target="openvino", valid_only=True)
    read = ov.Core().read_model(made.SerializeToString(), b"")
    read.reshape([ov.Dimension(0, 8), 4, 6])
    assert [d.get_max_length() for d in read.outputs[0].partial_shape] == [8, 4, 2, 3]
    x = np.arange(48, dtype=np.float32).reshape(2, 4, 6) / 48
    assert np.array_equal(runs(made, {"x": x})[0], runs(model, {"x": x})[0])
    assert "shapesmt.admissible" in [note.key for note in made.metadata_props]


def test_what_a_node_that_may_fail_reads_is_never_cut():
    text = (
        HEAD
        + """ g (float[n] x, float[m] y) => (float[k] z, float[p] w) {
        size = Size (x)
        zero = Constant <value = int64 {0}> ()
        one = Constant <value = int64 {1}> ()
        r = Range (zero, size, one)
        f = Cast <to = 1> (r)
        z = Add (f, y)
        w = Neg (f)
    }"""
    )
    model = parser.parse_model(text)
    made = shapesmt.tighten(model, dims={"n": "2..16", "m": "2..8"}, target="openvino", valid_only=True)
    fed = {"x": np.ones(16, np.float32), "y": np.ones(8, np.float32)}
    for proto in (model, made):
        with pytest.raises(Exception, match="Add"):
            runs(proto, fed)


@pytest.mark.parametrize("call", [shapesmt.simplify, shapesmt.tighten])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("g (float[a, 2, 2] x) => (z) { z = Det (x) }", "No conversion rule found for operations: Det-18"),
        ("g (string[a] x) => (z) { z = StringNormalizer (x) }", "operations: StringNormalizer-18"),
    ],
)
def test_a_model_that_openvino_does_not_read_is_refused_in_one_line(call, text, reason):
    with pytest.raises(ModelError, match=reason) as refused:
        call(parser.parse_model(HEAD + text), target="openvino", dims={"a": "1..4"})
    assert len(str(refused.value).splitlines()) == 1
