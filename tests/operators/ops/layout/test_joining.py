"""Concat, Split, Pad."""

from __future__ import annotations

import numpy as np
import pytest

import shapesmt
from tests.support.harness import agree, node
from tests.support.versions import NEW, following

NM = {"n": (0, 3), "m": (0, 3)}


NMK = {**NM, "k": (0, 3)}


ONES = {"n": (1, 3), "m": (1, 3), "k": (1, 3)}


@pytest.mark.parametrize("axis", [0, 1, -1, 2])
def test_concat(axis):
    agree(node("Concat", ["x", "y"], axis=axis), {"x": ["n", "m"], "y": ["k", 2]}, ONES, known=False)
    shapes = {"x": ["n", "m"], "y": ["k", "m"], "z": ["n", 1]}
    agree(node("Concat", ["x", "y", "z"], axis=axis), shapes, ONES, known=False)


def test_what_is_empty_along_the_join_axis_need_not_match():
    agree(node("Concat", ["x", "y"], axis=0), {"x": [0, "m"], "y": ["n", "k"]}, {**NM, "k": (1, 3)})
    found = agree(
        node("Concat", ["x", "y"], axis=0), {"x": ["n", 2], "y": ["m", "k"]}, {"n": (0, 1), "m": (2, 2), "k": (2, 4)}
    )
    assert found.failed


@pytest.mark.parametrize(("opset", "axis"), [(9, 0), (9, -2), (11, -2), (13, 0)])
def test_two_numbers_off_the_join_axis_differ_where_inference_sees_them(opset, axis):
    join = node("Concat", ["x", "y"], axis=axis)
    found = agree(join, {"x": ["n", 2], "y": ["m", 3]}, {"n": (0, 2), "m": (0, 2)}, opset=opset)
    assert bool(found.ran) is (opset == 9 and axis < 0)


@pytest.mark.parametrize("rows", [0, 1])
def test_a_number_that_only_the_question_gives_is_unknown_when_the_model_is_loaded(rows):
    ranges = {"n": (rows, rows), "m": (0, 2), "k": (3, 3)}
    found = agree(node("Concat", ["x", "y"], axis=0), {"x": ["n", 2], "y": ["m", "k"]}, ranges)
    assert (found.ran, found.failed) == ((1, 2) if rows else (3, 0))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_empty_tensors_are_joined_whatever_their_sizes(axis):
    shapes = {"x": ["a", "b"], "y": ["c", 2], "z": ["a", "d"]}
    ranges = dict.fromkeys("abcd", (0, 2))
    agree(node("Concat", ["x", "y"], axis=axis), {"x": ["a", 2], "y": ["c", "d"]}, ranges)
    agree(node("Concat", ["x", "y", "z"], axis=axis), shapes, ranges)
    agree(node("Concat", ["x", "y"], axis=axis), {"x": ["a", 1, "b"], "y": ["c", "d", 2]}, ranges)


@pytest.mark.parametrize("order", ["x, y", "y, x"])
def test_beside_a_tensor_that_is_empty_off_the_join_axis_every_tensor_has_to_match(order):
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[1, 0] x, float[0, 1] y) => (z) '
    report = shapesmt.check(f"{text} {{ z = Concat<axis=0>({order}) }}".encode())
    assert str(report.verdict) == "FAILS"


def test_concat_of_partly_known_lists():
    agree(node("Concat", ["x", "y"], axis=0), {"x": [2], "y": [1]}, NM, items={"x": ["n", 2]}, dtypes={"y": "int64"})
    agree(
        node("Concat", ["x", "y"], axis=0),
        {"x": [1, 3], "y": [2, 3]},
        NM,
        items={"x": ["n", 2, "m"], "y": [1, 2, 3, 4, 5, None]},
    )


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_split_into_chunks(count):
    outputs, ranges = [f"out{i}" for i in range(count)], {"n": (0, 13)}
    sizes = [1, 2, 3, 4][:count]
    agree(node("Split", ["x"], outputs, num_outputs=count, axis=-1), {"x": [2, "n"]}, ranges)
    agree(node("Split", ["x"], outputs, axis=0), {"x": ["n", 2]}, ranges, opset=13)
    agree(node("Split", ["x"], outputs, axis=0, split=sizes), {"x": ["n", 2]}, ranges, opset=11)
    agree(node("Split", ["x", "s"], outputs, axis=0), {"x": ["n", 2]}, ranges, constants={"s": sizes})
    agree(node("Split", ["x", "s"], outputs, axis=0), {"x": ["n", 2]}, ranges, constants={"s": np.zeros(0, np.int64)})


@pytest.mark.parametrize("sizes", [["m", "k"], ["m", None], [1, 1, 1]], ids=str)
def test_split_by_symbolic_sizes(sizes):
    ranges = {"n": (0, 5), "m": (-2, 5), "k": (-2, 5)}
    agree(
        node("Split", ["x", "s"], ["a", "b"]),
        {"x": ["n", 2]},
        ranges,
        items={"s": sizes},
        known=False,
        may_fail_more=None in sizes,
    )


@pytest.mark.parametrize("n", [2**24 - 2, 2**31 - 2, 2**32 - 4])
def test_split_of_long_axes(n):
    sizes = [
        node("Shape", ["x"], ["s"], start=0, end=1),
        node("Div", ["s", "two"], ["half"]),
        node("Sub", ["s", "half"], ["rest"]),
        node("Concat", ["half", "rest"], ["sizes"], axis=0),
        node("Split", ["x", "sizes"], ["a", "b"], axis=0),
    ]
    agree(sizes, {"x": ["n", 0]}, {"n": (n, n + 4)}, constants={"two": [2]}, outputs=["a", "b"])
    for count in (2, 3):
        chunks = node("Split", ["x"], ["a", "b", "c"][:count], axis=0, num_outputs=count)
        agree(chunks, {"x": ["n", 0]}, {"n": (n, n + 4)})
        for size in range(n, n + 5):
            agree(chunks, {"x": [size, 0]})


@pytest.mark.parametrize(
    ("version", "count", "condition"),
    [((1, 31), 3, "a == 3 or a >= 5"), ((1, 32), 3, "a != 1"), ((1, 31), 1, "a >= 1"), ((1, 32), 1, "")],
)
def test_the_last_part_may_be_empty_since_version_1_32(version, count, condition):
    model = f'<ir_version: 9, opset_import: ["": 18]> g (float[a] x) => (p) {{ p{", q, r" * (count > 1)} = Split'
    with following(*version):
        report = shapesmt.check(f"{model}<num_outputs={count}>(x) }}".encode(), dims={"a": "0..9"})
    assert report.precondition.exact
    held = [a for a in range(10) if all(eval(text, {"a": a}) for text in report.precondition.text)]
    assert held == [a for a in range(10) if eval(condition or "True", {"a": a})]


def test_parts_are_rounded_in_float32_before_version_1_32():
    body = "(float[n] x) => (a, b) { a, b = Split<num_outputs = 2>(x) }"
    ends = {}
    for version in ((1, 31), (1, 32)):
        with following(*version):
            model = f'<ir_version: 10, opset_import: ["": 21]> g {body}'.encode()
            (size,) = shapesmt.bounds(model, "b", dims={"n": "33554438..33554438"}).tensors["b"].shape
            ends[version] = size.min, size.max, size.exact
    assert ends == {(1, 31): (16777218, 16777218, True), (1, 32): (16777219, 16777219, True)}


def test_a_split_into_equal_parts_needs_no_number_of_outputs():
    for count in (None, -1):
        agree(node("Split", ["x"], ["a", "b"], num_outputs=count), {"x": ["n"]}, {"n": (0, 5)}, opset=18)
        assert agree(node("Split", ["x"], ["a", "b"], num_outputs=count), {"x": [4]}, opset=18).failed


def test_as_many_parts_as_outputs_are_asked_for_since_version_1_32():
    found = agree(node("Split", ["x"], ["a", "b"], num_outputs=3), {"x": ["n"]}, {"n": (0, 5)}, opset=18)
    assert bool(found.ran) is not NEW


def test_split_of_known_elements():
    agree(node("Split", ["x", "s"], ["a", "b"]), {}, NM, constants={"s": [1, 2]}, items={"x": ["n", 2, 3]})
    items = {"x": ["n", 2, 3, 4, None, 6, 7, 8]}
    agree(node("Split", ["x"], ["a", "b"], axis=1), {"x": [2, 4]}, NM, items=items, opset=13)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pad(mode):
    agree(
        node("Pad", ["x", "p"], mode=mode),
        {"x": ["n"]},
        {"n": (0, 4), "p": (-4, 4), "q": (-4, 4)},
        items={"p": ["p", "q"]},
    )
    ranges = {"n": (0, 2), "m": (0, 2), "p": (-2, 2), "q": (-2, 2)}
    agree(node("Pad", ["x", "p"], mode=mode), {"x": ["n", "m"]}, ranges, items={"p": ["p", 0, 1, "q"]})
    some_axes = node("Pad", ["x", "p", "", "a"], mode=mode)
    agree(some_axes, {"x": ["n", "m"]}, ranges, items={"p": ["p", "q"]}, constants={"a": [-1]})


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
def test_pad_of_old_versions(mode):
    agree(node("Pad", ["x"], mode=mode, pads=[1, 0, 0, 2]), {"x": ["n", "m"]}, NM, opset=10)
    agree(node("Pad", ["x", "p"], mode=mode), {"x": ["n", "m"]}, NM, opset=11, constants={"p": [1, 0, -1, 2]})


def test_pad_refuses():
    agree(node("Pad", ["x", "p"]), {"x": ["n", "m"]}, NM, constants={"p": [1, 0, -1]}, known=False)
    agree(node("Pad", ["x", "p", "", "a"]), {"x": ["n", "m"]}, NM, constants={"p": [1, 0], "a": [2]}, known=False)
    agree(node("Pad", ["x", "p"]), {"x": []}, NM, constants={"p": np.zeros(0, int)}, known=False)


def test_pad_by_unknown_amounts():
    agree(node("Pad", ["x", "p"]), {"x": ["n", "m"], "p": [4]}, NM, dtypes={"p": "int64"})
    agree(node("Pad", ["x", "p"]), {"x": ["n", "m"]}, NM, items={"p": [None, 1, 0, 0]})


@pytest.mark.parametrize(("shape", "pads"), [([3], [1, 2]), ([2, 2], [1, 2, 0, 1])], ids=str)
def test_pad_of_known_elements(shape, pads):
    items = {"x": ["n", 2, "m", 4][: int(np.prod(shape))], "p": pads, "v": ["n"]}
    agree(node("Pad", ["x", "p", "v"]), {"x": shape, "v": []}, NM, items=items)
    agree(node("Pad", ["x", "p"]), {"x": shape}, NM, items={k: items[k] for k in ("x", "p")})


RANGE = "s = Shape(x) c0 = Constant<value_int=0>() c1 = Constant<value_int=1>() n = Gather(s, c0) r = Range(c0, n, c1) "


def judged(body, inputs, **dims):
    text = f'<ir_version: 8, opset_import: ["": 18]> g ({inputs}) => (y) {{ {body} }}'
    report = shapesmt.check(text.encode(), dims={"b": "1..6", **dims})
    return str(report.verdict), report.precondition.text


PLACES = (
    RANGE
    + "last = Constant<value_ints=[-1]>() c = Unsqueeze(r, last) d = Unsqueeze(at, last) i = Concat<axis = -1>(c, d) "
)
SPOTS = "float[b, m] x, int64[b] at, float[b] u"
LOST = "f = Cast<to=1>(i) e = Exp(f) j = Cast<to=7>(e) "


@pytest.mark.parametrize(
    ("body", "inputs", "verdict", "where"),
    [
        ("y = ScatterND(x, i, u)", SPOTS, "PROVED", ()),
        ("y = GatherND(x, i)", SPOTS, "PROVED", ()),
        ("z = ScatterND(t, i, u) y = Add(z, t)", f"{SPOTS}, float[4, m] t", "DEPENDS", ("b <= 4",)),
        (LOST + "y = ScatterND(x, j, u)", SPOTS, "UNKNOWN", ()),
        (LOST + "k = Gather<axis = 1>(j, c0) y = Gather(x, k)", SPOTS, "UNKNOWN", ()),
        (
            "zeros = ConstantOfShape(s) k = ScatterND(zeros, i, u) l = Cast<to=7>(k) y = Gather(x, l)",
            SPOTS,
            "PROVED",
            (),
        ),
    ],
)
def test_known_places_beside_data(body, inputs, verdict, where):
    assert judged(PLACES + body, inputs, m="1..6") == (verdict, where)


def test_known_places_beside_lost_ones():
    body = PLACES.replace("c = Unsqueeze", "f = Cast<to=1>(r) e = Exp(f) at = Cast<to=7>(e) c = Unsqueeze")
    assert judged(f"{body} y = GatherND(x, i)", "float[b, m] x")[0] == "UNKNOWN"


@pytest.mark.parametrize(
    ("body", "verdict", "where"),
    [
        ("i = Concat<axis = 0>(at, r) y = Gather(t, i)", "DEPENDS", ("b <= 4",)),
        (
            "k = Constant<value_int=7>() p = Constant<value_ints=[0, 1]>() i = Pad(at, p, k) y = Gather(t, i)",
            "FAILS",
            ("False",),
        ),
        ("p = Constant<value_ints=[1, 1]>() i = Pad(r, p, c1) y = Gather(t, i)", "DEPENDS", ("b <= 4",)),
    ],
)
def test_known_numbers_around_data(body, verdict, where):
    assert judged(RANGE + body, "float[b] x, int64[b] at, float[4] t") == (verdict, where)


@pytest.mark.parametrize(
    ("body", "verdict", "where"),
    [
        ("i = Concat<axis = 0>(q, r) y = Gather(x, i)", "DEPENDS", ("b == 1",)),
        ("i = Concat<axis = 0>(q, at) y = Gather(x, i)", "DEPENDS", ("b == 1",)),
        ("k = Concat<axis = 0>(q, at) z = Slice(k, m, l, o, m) i = Add(k, z) y = Gather(x, i)", "UNKNOWN", ()),
    ],
)
def test_known_numbers_that_do_not_only_grow(body, verdict, where):
    numbers = "five = Constant<value_int=5>() d = Sub(five, r) q = Mul(r, d) m = Constant<value_ints=[-1]>() "
    ends = "l = Constant<value_ints=[-1000]>() o = Constant<value_ints=[0]>() "
    assert judged(RANGE + numbers + ends + body, "float[b] x, int64[k] at", k="1..6") == (verdict, where)
