"""Sequences and optional values against execution."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import shapesmt
from tests.support.harness import agree, node

GRAPH = "g (float[n,2] x, float[k,2] z, int64 p, int64 c) => (float[?,?] y, int64 l) {{ {} }}"
AT = "y = SequenceAt(s, p) l = SequenceLength(s)"
JOINED = "y = ConcatFromSequence<axis = {}>(s) l = SequenceLength(s)"
THREE = "s = SequenceConstruct(x, z, x)"
PAIR = "t = SequenceConstruct(x, z)"
VECTOR = """r = Constant<value = int64[1] {1}>() a = Reshape(p, r) b = Reshape(c, r) v = Concat<axis = 0>(a, b)
    s = SplitToSequence<axis = 0>(x, v) q = Constant<value = int64 {-1}>() y = SequenceAt(s, q) l = SequenceLength(s)"""

CASES = {
    "at": (f"{THREE} {AT}", {"p": (-4, 3)}),
    "insert": (f"{PAIR} s = SequenceInsert(t, x, c) {AT}", {"p": (-4, 3), "c": (-3, 3)}),
    "append": (f"{PAIR} s = SequenceInsert(t, x) {AT}", {"p": (-4, 3)}),
    "insert into none": (f"t = SequenceEmpty() s = SequenceInsert(t, x) {AT}", {"p": (-2, 1)}),
    "erase": (f"t = SequenceConstruct(x, z, x) s = SequenceErase(t, c) {AT}", {"p": (-3, 2), "c": (-4, 3)}),
    "erase the last": (f"t = SequenceConstruct(x, z, x) s = SequenceErase(t) {AT}", {"p": (-3, 2)}),
    "parts": (f"s = SplitToSequence<axis = 0>(x, c) {AT}", {"p": (-3, 3), "c": (0, 3)}),
    "listed parts": (VECTOR, {"p": (-1, 3), "c": (-1, 3)}),
    "single parts": (f"s = SplitToSequence<axis = 0>(x) {AT}", {"p": (-3, 3)}),
    "squeezed parts": (
        f"s = SplitToSequence<axis = 1, keepdims = 0>(x) {AT}".replace("y", "w") + " y = Identity(x)",
        {"p": (-3, 2)},
    ),
    "join": (f"{THREE} {JOINED.format(0)}", {}),
    "join along another axis": (f"{THREE} {JOINED.format(-1)}", {}),
    "stack": (f"{THREE} {JOINED.format('-1, new_axis = 1').replace('y', 'w')} y = Identity(x)", {}),
    "join parts": (f"s = SplitToSequence<axis = 0>(x, c) {JOINED.format(1)}", {"c": (1, 3)}),
}


def run(graph, ranges, **given):
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18]> {graph}')
    return agree(model, ranges=ranges, **given)


@pytest.mark.parametrize(("body", "ranges"), CASES.values(), ids=CASES)
def test_sequences(body, ranges):
    sizes = {"n": (0, 3), "k": (0, 2), "p": (0, 0), "c": (0, 0), **ranges}
    run(GRAPH.format(body), sizes, items={"p": ["p"], "c": ["c"]})


@pytest.mark.parametrize(
    "body",
    [
        f"s = SequenceConstruct(x, z) {AT}",
        f"{PAIR} s = SequenceInsert(t, z, p) {AT.replace('p)', 'c)')}",
        f"t = SequenceConstruct(x, z, x) s = SequenceErase(t, p) {AT.replace('p)', 'c)')}",
    ],
)
def test_an_unknown_place(body):
    places = {"p": [np.array(0), np.array(1)]}
    run(GRAPH.format(body), {"n": (0, 2), "k": (0, 2), "c": (0, 1)}, items={"c": ["c"]}, data=places)


@pytest.mark.parametrize("trips", ["m", 3])
def test_loops_carry_sequences(trips):
    graph = """g (float[n,2] x, int64 m) => (float[?,?] y, int64 l) {
        e = SequenceEmpty()
        s = Loop (m, "", e) <body = b (int64 i, bool ci, seq(float) a_in) => (bool co, seq(float) a_out) {
            co = Identity(ci) a_out = SequenceInsert(a_in, x) }>
        y = ConcatFromSequence<axis = 0>(s) l = SequenceLength(s) }"""
    found = run(graph, {"n": (0, 3), "m": (0, 4)}, items={"m": [trips]})
    assert str(found.tensors["y"][0]) == ("m*n" if trips == "m" else "3*n")


@pytest.mark.parametrize("other", ["s", "s2", "w"])
def test_sequence_map(other):
    body = "o = Concat<axis = 0>(e, f)" if other != "w" else "o = Add(e, f)"
    graph = f"""g (float[n,2] x, float[k,2] z, float[m,2] w) => (float[?,?] y, int64 l) {{
        s = SequenceConstruct(x, z, x) s2 = SequenceConstruct(z, z)
        t = SequenceMap(s, {other}) <body = b (float[a,b2] e, float[c,b3] f) => (float[d,e2] o) {{ {body} }}>
        p = Constant<value = int64 {{1}}>() y = SequenceAt(t, p) l = SequenceLength(t) }}"""
    run(graph, {"n": (1, 3), "k": (1, 3), "m": (1, 3)})


def test_optional_values():
    body = "o = Optional(x) y = OptionalGetElement({}) h = OptionalHasElement({})"
    for value in ("o", "x"):
        run(f"g (float[n,2] x) => (float[?,?] y, bool h) {{ {body.format(value, value)} }}", {"n": (0, 3)})


@pytest.mark.parametrize("split", [1, 2, 3, [1, 2], [1, 1, 1]], ids=str)
@pytest.mark.parametrize("keepdims", [0, 1])
def test_parts_of_size_1_lose_their_axis_beside_a_size_too(split, keepdims):
    nodes = [
        node("SplitToSequence", ["x", "s"], ["parts"], axis=1, keepdims=keepdims),
        node("SequenceAt", ["parts", "zero"]),
    ]
    constants = {"s": np.array(split), "zero": np.int64(0)}
    agree(nodes, {"x": ["b", "a"]}, {"a": (0, 4), "b": (0, 2)}, constants=constants, outputs=["out"])


DIFFERENT_PARTS = {
    "listed by data": "s = SplitToSequence<axis = 0>(x, counts)",
    "of a size that data decide": "h = ReduceSum<keepdims = 0>(counts) s = SplitToSequence<axis = 0>(x, h)",
    "repeated in a loop": """one = SplitToSequence<axis = 0>(x) none = SequenceEmpty<dtype = 1>()
        rows = Shape<start = 0, end = 1>(x) two = Constant<value_ints = [2]>() zero = Constant<value_ints = [0]>()
        trips = Squeeze(rows, zero) more = Constant<value = bool {1}>()
        s = Loop(trips, more, none)<body = repeat (int64 i, bool c, seq(float[p,2]) a) => (bool d, seq(float[q,2]) b) {
            d = Identity(c) row = SequenceAt(one, i) k = Unsqueeze(i, zero) many = Gather(counts, k)
            sizes = Concat<axis = 0>(many, two) part = Expand(row, sizes) b = SequenceInsert(a, part) }>""",
}


@pytest.mark.parametrize("made", DIFFERENT_PARTS.values(), ids=DIFFERENT_PARTS)
def test_parts_that_data_decide_differ_in_size(made):
    """The number of parts needn't divide their total size, as it would if all parts had the same size."""
    model = f"""<ir_version: 8, opset_import: ["": 18]> g (float[n,2] x, int64[k] counts) => (float[k,?] y) {{
        {made} w = ConcatFromSequence<axis = 0>(s) l = Shape(counts) m = Constant<value_ints = [-1]>()
        t = Concat<axis = 0>(l, m) y = Reshape(w, t) }}"""
    question = {"dims": {"n": "1..9", "k": "1..9"}, "assume": ["n == k"] if "Loop" in made else None}
    report = shapesmt.check(model.encode(), **question)
    assert report.verdict.value == "UNKNOWN"
    assert [f.op_type for f in report.findings if f.op_type != "ConcatFromSequence"] == ["Reshape"]
    (size, _) = shapesmt.bounds(model.encode(), **question).tensors["w"].shape
    assert "*" not in str(size.expr)


def test_places_in_sequences_of_several_ranks_are_not_known():
    """A runtime refuses an index that is outside the sequence."""
    text = """<ir_version: 8, opset_import: ["": 18]> g (float[n] x, float y) => (z) <int64 two = {2}>
        { s = SequenceConstruct(x, y) t = SequenceErase(s, two) z = SequenceLength(t) }"""
    assert shapesmt.check(text.encode()).verdict is shapesmt.Verdict.UNKNOWN


def test_what_holds_in_each_place_leaves_bounds_that_are_not_exact():
    """The sizes have to match at every index: for `a >= 2` only b = 0 is left."""
    text = """<ir_version: 8, opset_import: ["": 14]> g (float[4, b, a] x) => (z) <int64 one = {1}, int64 place = {-2}>
        { s = SplitToSequence<axis = -1>(x, one) t = SequenceInsert(s, x, place)
          z = ConcatFromSequence<axis = -1, new_axis = 1>(t) }"""
    (size,) = shapesmt.bounds(text.encode(), "x", dims={"a": "0..4", "b": "0..4"}).tensors["x"].shape[1:2]
    assert (size.min, size.max, size.exact) == (0, 4, False)


@pytest.mark.parametrize("chunk", [2, 3, "k"])
@pytest.mark.parametrize("joined", ["axis = 0", "axis = 1", "axis = -1, new_axis = 1", "axis = 0, new_axis = 1"])
def test_parts_of_a_split_are_joined_again(joined, chunk):
    graph = f"""g (float[n,m] x, int64 c) => (float[] y) {{
        s = SplitToSequence<axis = 0>(x, c) y = ConcatFromSequence<{joined}>(s) }}"""
    ranges = {"n": (0, 7), "m": (0, 2), **({"k": (1, 4)} if chunk == "k" else {})}
    run(graph, ranges, items={"c": [chunk]})


def test_the_region_of_parts_that_are_stacked_is_exact():
    model = b"""<ir_version: 8, opset_import: ["": 18]> g (float[n, 2] x) => (y) <int64 two = {2}> {
        s = SplitToSequence <axis = 0> (x, two) y = ConcatFromSequence <axis = 0, new_axis = 1> (s) }"""
    report = shapesmt.check(model)
    assert (report.precondition.text, report.precondition.exact) == (("n == 1 or n % 2 == 0",), True)
    whole = shapesmt.bounds(model.replace(b", new_axis = 1", b"")).tensors["y"].shape
    assert str(whole[0].expr) == "n"
