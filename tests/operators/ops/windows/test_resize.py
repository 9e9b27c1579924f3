"""Resize and Upsample: sizes exactly as the runtimes' float32 arithmetic gives them."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser

import shapesmt
from shapesmt.prover.algebra.evaluation import evaluate
from tests.support.harness import agree, node
from tests.support.sessions import LEVELS, started

IMAGE = {"x": ["n", 2, "h", "w"]}
SIZES = {"n": (0, 2), "h": (0, 12), "w": (1, 3)}


def floats(*values):
    return np.array(values, np.float32)


@pytest.mark.parametrize("factor", [0.1, 0.33333334, 0.5, 0.7, 1.0, 1.5, 2.3, 3.0, 0.0, -1.0])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_factors(factor, mode):
    agree(node("Resize", ["x", "", "s"], mode=mode), IMAGE, SIZES, constants={"s": floats(1, 1, factor, 0.7)})


def test_ten_times_seven_tenths_is_seven():
    found = agree(node("Resize", ["x", "", "s"]), IMAGE, SIZES, constants={"s": floats(1, 1, 0.7, 1)})
    height = found.tensors["out"][2]
    assert evaluate(height, dict.fromkeys(height.symbols, 10)) == 7


@pytest.mark.parametrize(("opset", "op"), [(7, "Upsample"), (9, "Upsample"), (10, "Upsample"), (10, "Resize")])
def test_old_versions(opset, op):
    for factors in (floats(1, 1, 2, 1.5), floats(1, 1, 0.5, 1), floats(2, 1, 2, 2), floats(1, 1, 2)):
        for mode in ("nearest", "linear"):
            attributes = {"scales": factors.tolist()} if opset == 7 else {}
            inputs, constants = (["x"], {}) if opset == 7 else (["x", "s"], {"s": factors})
            agree(node(op, inputs, mode=mode, **attributes), IMAGE, SIZES, constants=constants, opset=opset)


@pytest.mark.parametrize("opset", [11, 13, 19])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_sizes(opset, mode):
    inputs = ["x", "e", "e", "z"] if opset == 11 else ["x", "", "", "z"]
    empty = {"e": floats()} if opset == 11 else {}
    ranges = {"n": (0, 2), "h": (0, 3), "w": (1, 2), "m": (0, 2), "s": (0, 3)}
    resize = node("Resize", inputs, mode=mode)
    agree(resize, IMAGE, ranges, constants=empty, items={"z": ["m", 2, "s", "2*w"]}, opset=opset)
    agree(resize, IMAGE, ranges, constants=empty, items={"z": ["m", 2, "s"]}, opset=opset)


@pytest.mark.parametrize(
    "attributes", [{"axes": [2, 3]}, {"axes": [-1, -2]}, {"axes": [3, 3]}, {"axes": [0, 2]}], ids=str
)
def test_axes(attributes):
    ranges = {"n": (1, 2), "h": (1, 3), "w": (1, 3), "s": (1, 3)}
    agree(node("Resize", ["x", "", "", "z"], **attributes), IMAGE, ranges, items={"z": ["s", 2]})
    agree(node("Resize", ["x", "", "s"], **attributes), IMAGE, SIZES, constants={"s": floats(1.5, 0.7)})


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_aspect_ratio(policy):
    keep = node("Resize", ["x", "", "", "z"], axes=[2, 3], keep_aspect_ratio_policy=policy)
    agree(keep, {"x": [1, 1, 4, 5]}, {}, items={"z": [3, 7]})
    agree(keep, IMAGE, {"n": (1, 1), "h": (1, 4), "w": (1, 4), "s": (1, 5)}, items={"z": ["s", 3]})


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("axes", [None, [2, 3], [0, 2], [-1, 1], [-1], [3, -1]], ids=str)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_one_factor_for_axes_of_any_size_and_sizes_asked_for_from_minus_1(mode, axes, policy):
    ranges = {"n": (0, 2), "h": (0, 4), "w": (1, 3), "m": (-1, 3), "s": (-1, 5)}
    asked = ["m", "s"] if axes else ["n", 2, "m", "s"]
    keep = node("Resize", ["x", "", "", "z"], mode=mode, axes=axes, keep_aspect_ratio_policy=policy)
    agree(keep, IMAGE, ranges, items={"z": asked[: len(axes or "nchw")]})


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_one_factor_for_axes_that_float32_rounds(policy):
    keep = node("Resize", ["x", "", "", "z"], axes=[1, 2], keep_aspect_ratio_policy=policy)
    agree(keep, {"x": [0, "h", 3]}, {"h": (2**24 - 4, 2**24 + 40)}, constants={"z": np.array([2**25 + 7, 7])})


@pytest.mark.parametrize(("policy", "asked"), [("not_larger", "q, s"), ("not_smaller", "s, q")])
def test_an_image_of_any_size_fits_the_sizes_asked_for(policy, asked):
    model = f"""<ir_version: 9, opset_import: ["": 19]> g (float[1, 1, h, w] x) => (y)
    <int64[2] i = {{512, 512}}, int64[4] q = {{1, 1, 512, 512}}, int64[4] none = {{0, 0, 0, 0}}> {{
      z = Resize <axes = [2, 3], keep_aspect_ratio_policy = "{policy}"> (x, , , i)
      s = Shape(z)
      missing = Sub({asked})
      pads = Concat <axis = 0> (none, missing)
      y = Pad(z, pads)
    }}"""
    for dims in ({}, {"h": "1..4096", "w": "1..4096"}):
        assert shapesmt.check(model.encode(), dims=dims).verdict.name == "PROVED"


def test_regions():
    for roi in (floats(0, 0, 0, 0, 1, 1, 0.5, 0.5), floats(0, 1), floats()):
        crop = node("Resize", ["x", "r", "s"], coordinate_transformation_mode="tf_crop_and_resize")
        constants = {"r": roi, "s": floats(1, 1, 2, 2)}
        agree(crop, IMAGE, {"n": (1, 1), "h": (1, 3), "w": (1, 2)}, constants=constants)


def test_what_is_given():
    shapes, one = {"x": [1, 1, 2, 2]}, floats(1, 1, 2, 2)
    sizes = np.array([1, 1, 4, 4])
    none = np.array([], np.int64)
    for scales, asked in ((one, sizes), (floats(), sizes), (floats(), none), (one, none)):
        agree(node("Resize", ["x", "", "s", "z"]), shapes, {}, constants={"s": scales, "z": asked})


def test_unknown_factors_leave_sizes_open():
    found = agree(node("Resize", ["x", "", "s"]), {**IMAGE, "s": [4]}, SIZES, data={"s": floats(1, 1, 2, 3)})
    assert found.ran


def test_factors_computed_from_sizes():
    """As usual in exports, the factors are new size / old size, computed as floats."""
    nodes = [
        node("Shape", ["x"], ["shape"]),
        node("Cast", ["shape"], ["present"], to=1),
        node("Cast", ["z"], ["wanted"], to=1),
        node("Div", ["wanted", "present"], ["factors"]),
        node("Resize", ["x", "", "factors"], ["y"], mode="linear"),
    ]
    ranges = {"h": (1, 9), "s": (1, 9)}
    agree(nodes, {"x": [1, 1, "h", 2]}, ranges, items={"z": [1, 1, "s", 3]}, outputs=["y"])


@pytest.mark.parametrize(
    ("factor", "verdict"), [("1e17", "PROVED"), ("2.4e18", "DEPENDS"), ("1e19", "FAILS"), ("3e38", "FAILS")]
)
@pytest.mark.parametrize("op", ["Resize (x, , s)", "Upsample (x, s)"])
def test_a_size_beyond_64_bits_is_refused(op, factor, verdict):
    opset = 18 if "Resize" in op else 9
    model = f"""<ir_version: 8, opset_import: ["": {opset}]> g (float[1, 1, n, 4] x) => (y)
    <float[4] s = {{1, 1, {factor}, 1}}> {{ y = {op} }}"""
    report = shapesmt.check(model.encode(), dims={"n": "1..4"})
    assert report.verdict.name == verdict
    assert [f.law for f in report.findings] == ["sizes are not negative"] * (verdict != "PROVED")


BODY = "b (int64 j, bool c, int64 v) => (bool d, int64 w) { d = Identity (c) w = Add (v, v) }"
LISTS = {  # what computes the list of three sizes: the verdict
    "s = Concat <axis = 0> (one, one, u)": "PROVED",
    "a = Slice (u, zero, one) s = Concat <axis = 0> (a, a, a)": "PROVED",
    "c = Shape (x) s = Gather (c, places)": "PROVED",
    "s = Tile (u, three)": "PROVED",
    "t = Identity (three) s = Tile (u, t)": "FAILS",
    "e = Unsqueeze (first, zero) a = Slice (u, zero, e) s = Concat <axis = 0> (a, a, a)": "FAILS",
    "e = Unsqueeze (first, zero) a = Reshape (u, e) s = Concat <axis = 0> (one, one, a)": "FAILS",
    "m = NonZero (one) a = Squeeze (m) s = Concat <axis = 0> (one, one, a)": "FAILS",
    f"k = Loop <body = {BODY}> (first, , first) v = Unsqueeze (k, zero) s = Concat <axis = 0> (one, one, v)": "FAILS",
    "i = GatherND (h, zero) v = Unsqueeze (i, zero) s = Concat <axis = 0> (one, one, v)": "FAILS",
    "r = Shape (x) c = Shape (r) e = Expand (one, c) s = Mul (e, u)": "PROVED",
    "t = Identity (three) l = Slice (h, zero, t) v = Reshape (x, l) s = Shape (v)": "FAILS",
}


@pytest.mark.parametrize("opset", [13, 18, 21])
@pytest.mark.parametrize("body", LISTS)
def test_how_many_sizes_are_listed_is_known_when_the_model_is_loaded(body, opset):
    text = f"""<ir_version: 8, opset_import: ["": {opset}]> g (float[1, 1, n] x) => (y)
    <int64[1] one = {{1}}, int64[1] zero = {{0}}, int64[1] three = {{3}}, int64[3] places = {{0, 1, 2}},
    int64 first = {{1}}> {{ h = Shape (x) u = Slice (h, zero, one) {body} y = Resize (x, , , s) }}"""
    model = parser.parse_model(text)
    verdict, session = str(shapesmt.check(model).verdict), started(model, LEVELS.ORT_ENABLE_ALL)
    assert (verdict, session is not None) == (LISTS[body], LISTS[body] != "FAILS")
