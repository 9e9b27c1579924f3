"""Windows: every convolution and pooling rule against execution, over all small sizes."""

from __future__ import annotations

import random

import numpy as np
import onnx
import pytest

import shapesmt
from shapesmt.operators.rules import resolve
from tests.support.dying import deaths
from tests.support.each import each
from tests.support.harness import agree, build, node

SQUARE = {"x": ["n", 2, "h", "w"]}
SIZES = {"n": (0, 2), "h": (0, 7), "w": (1, 4)}
POOLS = [
    {},
    {"strides": [2, 2]},
    {"strides": [2, 3], "pads": [1, 0, 0, 1]},
    {"strides": [3, 1], "pads": [1, 1, 1, 1], "ceil_mode": 1},
    {"strides": [4, 2], "ceil_mode": 1},
    {"strides": [2, 2], "dilations": [2, 1]},
    {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
    {"strides": [4, 1], "auto_pad": "SAME_LOWER"},
    {"strides": [2, 2], "auto_pad": "SAME_LOWER", "dilations": [2, 1]},
    {"strides": [2, 1], "auto_pad": "VALID", "ceil_mode": 1},
    {"pads": [3, 0, 0, 0]},
    {"strides": [2]},
]


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize("rounding", [{"ceil_mode": 1}, {"ceil_mode": 0}, {"ceil_mode": 1, "auto_pad": "SAME_UPPER"}])
@pytest.mark.parametrize("begin", [2**24 - 5, 2**26 - 9, 2**33 + 1])
def test_pools_divide_in_float32_beyond_2_to_the_24(begin, rounding, op):
    for stride in (1, 2, 3, 7):
        pool = node(op, ["x"], kernel_shape=[2], strides=[stride], **rounding)
        agree(pool, {"x": [0, 1, "n"]}, {"n": (begin, begin + 30)})


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize("attributes", POOLS, ids=str)
def test_pools(op, attributes):
    outputs = ["y", "indices"] if op == "MaxPool" else ["y"]
    agree(node(op, ["x"], outputs, kernel_shape=[3, 2], **attributes), SQUARE, SIZES)
    agree(node(op, ["x"], kernel_shape=[3, 2], **attributes), SQUARE, SIZES)


@pytest.mark.parametrize(("op", "opset"), [("MaxPool", 7), ("AveragePool", 7), ("AveragePool", 11), ("LpPool", 9)])
def test_old_pools(op, opset):
    for attributes in ({"strides": [2, 2]}, {"auto_pad": "SAME_UPPER", "strides": [4, 2]}):
        agree(node(op, ["x"], kernel_shape=[3, 2], **attributes), SQUARE, SIZES, opset=opset)


@pytest.mark.parametrize("axes", [1, 3, 4, 5])
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool", "MaxUnpool"])
def test_axes_of_pools(op, axes):
    pooled = {"x": ["n", 1, *[3] * axes]}
    both = {**pooled, "i": ["n", 1, *[3] * axes]} if op == "MaxUnpool" else pooled
    agree(node(op, list(both), kernel_shape=[2] * axes), both, {"n": (0, 2)}, dtypes={"i": "int64"})


@pytest.mark.parametrize("op", ["GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"])
@pytest.mark.parametrize("rank", [2, 3, 4, 5])
def test_global_pools(op, rank):
    names = "nchwd"[:rank]
    agree(node(op, ["x"]), {"x": list(names)}, dict.fromkeys(names, (0, 2)))


CONVS = [
    {},
    {"strides": [2, 3], "pads": [1, 0, 2, 1]},
    {"dilations": [2, 1], "pads": [1, 1, 1, 1]},
    {"strides": [2, 2], "auto_pad": "SAME_LOWER"},
    {"strides": [2, 1], "auto_pad": "VALID"},
    {"auto_pad": "SAME_UPPER", "dilations": [2, 1]},
    {"auto_pad": "SAME_UPPER", "pads": [1, 1, 1, 1]},
    {"kernel_shape": [3, 2]},
    {"kernel_shape": [2, 2]},
    {"kernel_shape": [2, 0]},
]


@pytest.mark.parametrize("attributes", CONVS, ids=str)
@pytest.mark.parametrize("op", ["Conv", "ConvTranspose"])
def test_convolutions(op, attributes):
    sizes = {**SIZES, "h": (1, 7)} if op == "ConvTranspose" else SIZES
    w = np.ones([2, 2, 3, 2], np.float32)
    agree(node(op, ["x", "w"], **attributes), SQUARE, sizes, constants={"w": w})


def test_windows_without_elements_run_where_there_is_nothing_to_do():
    shapes, conv = {"x": ["n", "c", "h", 2], "w": ["m", "c", "k", "j"]}, node("Conv", ["x", "w"])
    for empty in "ncm":
        agree(conv, shapes, {**dict.fromkeys("ncm", (0, 1)), empty: (0, 0), "h": (0, 2), "k": (0, 2), "j": (0, 2)})
    model = b"""<ir_version: 8, opset_import: ["": 18]> g (float[n, 1, 9] x, float[m, 1, k] w) => (y)
    { y = Conv <pads = [1, 1]> (x, w) }"""  # it may never come back at k=0
    report = shapesmt.check(model, dims={"n": "0..9", "m": "0..9", "k": "0..9"})
    assert (str(report.verdict), report.precondition.exact) == ("UNKNOWN", False)
    assert [f.law for f in report.findings] == ["the window has an element, which ONNX Runtime doesn't check"]
    assert str(shapesmt.check(model, dims={"n": "0..9", "m": "0..9", "k": "1..9"}).verdict) == "PROVED"


@pytest.mark.parametrize("axes", ["ab3", "ab33"])
def test_volumes_without_elements_abort_where_their_last_axis_has_some(axes):
    sizes = [*axes]
    shapes = {"x": ["n", "c", *sizes[:2], *map(int, sizes[2:])], "w": ["c", "m", *[2] * len(axes)]}
    for empty in "ncm":
        ranges = {**dict.fromkeys("ncmab", (0, 1)), empty: (0, 0)}
        agree(node("ConvTranspose", ["x", "w"]), shapes, ranges)
    agree(node("ConvTranspose", ["x", "w"]), {"x": [1, 1, "a", "b", "d"], "w": [1, 1, 2, 2, 3]},
          {"a": (0, 1), "b": (0, 1), "d": (0, 0)})  # fmt: skip
    model = b"""<ir_version: 8, opset_import: ["": 18]> g (float[n, 1, a, 2, d] x, float[1, 1, 3, 3, 3] w) => (y)
    { y = ConvTranspose(x, w) }"""
    report = shapesmt.check(model, dims={"n": "0..9", "a": "0..9", "d": "0..9"})
    assert report.precondition.text == ("n == 0 or a >= 1 or d == 0",)


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("op", ["Conv", "ConvTranspose"])
def test_channels_of_convolutions(op, group):
    shapes = {"x": [1, "c", 3], "w": ["m", "k", 2], "b": ["b"]}
    ranges = {"c": (1, 4), "m": (1, 4), "k": (1, 2), "b": (1, 4)}
    found = agree(node(op, ["x", "w", "b"], group=group), shapes, ranges)
    assert found.ran
    assert found.failed


@pytest.mark.parametrize(
    "attributes",
    [
        {"strides": [3], "output_padding": [2]},
        {"strides": [1], "output_padding": [1]},
        {"output_shape": [9], "strides": [2]},
        {"output_shape": [4]},
        {"output_shape": [1], "pads": [1, 0], "dilations": [2]},
        {"output_shape": [2], "strides": [2], "output_padding": [1]},
        {"output_shape": [1], "auto_pad": "SAME_LOWER"},
        {"strides": [3], "auto_pad": "SAME_UPPER"},
    ],
    ids=str,
)
def test_sizes_of_transposed_convolutions(attributes):
    agree(
        node("ConvTranspose", ["x", "w"], **attributes),
        {"x": [1, 1, "h"], "w": [1, 1, "k"]},
        {"h": (1, 6), "k": (1, 3)},
    )


@pytest.mark.parametrize("op", ["Conv", "ConvInteger"])
@pytest.mark.parametrize("empty", range(4))
def test_only_a_declared_kernel_has_an_element_whatever_it_is_for(op, empty):
    """With an empty kernel, a float Conv aborts unless it has nothing to compute; an integer one runs."""
    sizes = [0 if empty == i else 1 for i in range(3)]
    shapes = {"x": [*sizes[:2], 3], "w": [sizes[2], sizes[1], "k"]}
    dtypes = dict.fromkeys(shapes, "uint8" if op == "ConvInteger" else "float32")
    least = int(op == "Conv" and empty == 3)
    assert agree(node(op, ["x", "w"]), shapes, {"k": (least, 2)}, dtypes=dtypes).ran
    assert agree(node(op, ["x", "w"]), {**shapes, "w": [*shapes["w"][:2], 0]}, dtypes=dtypes).failed
    model = build([node(op, ["x", "w"])], shapes, dtypes)
    assert shapesmt.check(model, dims={"k": 0}).verdict.name == ("UNKNOWN" if least else "PROVED")


EMPTY = [("Conv", "pads"), ("ConvInteger", "pads"), *(("ConvTranspose", n) for n in ("pads", "output_padding"))]


@pytest.mark.parametrize(("op", "name"), [*EMPTY, ("ConvTranspose", "output_shape")])
def test_an_empty_list_is_no_attribute_unless_the_file_declares_the_kernel(op, name):
    convolution, ranges = node(op, ["x", "w"]), {"n": (2, 4), "k": (1, 2)}
    convolution.attribute.append(onnx.AttributeProto(name=name, type=onnx.AttributeProto.INTS))
    dtypes = dict.fromkeys("xw", "uint8" if op == "ConvInteger" else "float32")
    assert agree(convolution, {"x": [1, 2, "n"], "w": [2, 2, "k"]}, ranges, dtypes=dtypes).ran
    assert agree(convolution, {"x": [1, 2, "n"], "w": [2, 2, 2]}, {"n": (2, 4)}, dtypes=dtypes).failed


@pytest.mark.parametrize("op", ["Conv", "ConvInteger", "ConvTranspose"])
def test_negative_padding_crops_unless_the_file_declares_the_kernel(op):
    dtypes = dict.fromkeys("xw", "uint8" if op == "ConvInteger" else "float32")
    for pads in ([-1, -1], [2, -1]):
        padded = node(op, ["x", "w"], pads=pads)
        assert agree(padded, {"x": [1, 2, "n"], "w": [2, 2, "k"]}, {"n": (2, 5), "k": (1, 3)}, dtypes=dtypes).ran
        assert agree(padded, {"x": [1, 2, "n"], "w": [2, 2, 2]}, {"n": (2, 5)}, dtypes=dtypes).failed


def test_integer_convolutions():
    w, zero, one = np.ones([2, 2, 3], np.uint8), np.uint8(0), np.float32(1)
    shapes, ranges, types = {"x": ["n", "c", "h"]}, {"n": (0, 1), "c": (1, 3), "h": (0, 5)}, {"x": "uint8"}
    agree(node("ConvInteger", ["x", "w"]), shapes, ranges, constants={"w": w}, dtypes=types)
    scales = {"xs": one, "xz": zero, "w": w, "ws": one, "wz": zero, "ys": one, "yz": zero}
    agree(node("QLinearConv", ["x", *scales]), shapes, ranges, constants=scales, dtypes=types)


@each("seed", range(24), "seed {}".format)
def test_random_windows(seed):
    r = random.Random(seed)
    rank = r.choice([1, 2])
    kernel = [r.randint(1, 4) for _ in range(rank)]
    attributes = {"strides": [r.randint(1, 4) for _ in range(rank)], "kernel_shape": kernel}
    if r.random() < 0.5:
        attributes["pads"] = [r.randint(0, min(kernel) - 1) for _ in range(2 * rank)]
    else:
        attributes["auto_pad"] = r.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    op = r.choice(["Conv", "MaxPool", "AveragePool", "LpPool"])
    if op != "Conv":
        attributes["ceil_mode"] = r.randint(0, 1)
    names = "hw"[:rank]
    weights = {"w": np.ones([1, 1, *kernel], np.float32)} if op == "Conv" else {}
    opset = r.choice([11, 19, 22]) if op != "LpPool" else 18
    agree(
        node(op, ["x", *weights], **attributes),
        {"x": [1, 1, *names]},
        dict.fromkeys(names, (0, 9)),
        constants=weights,
        opset=opset,
    )


def test_normal_forms_merge():
    """Two convolutions with stride 2 divide the size by 4 once: `(h + 3)//4`."""
    w = {"w": np.ones([1, 1, 3], np.float32)}
    halved = {"strides": [2], "pads": [1, 1]}
    nodes = [node("Conv", ["x", "w"], ["y"], **halved), node("Conv", ["y", "w"], ["z"], **halved)]
    found = agree(nodes, {"x": [1, 1, "h"]}, {"h": (1, 9)}, constants=w)
    assert str(found.tensors["z"][2]) == "(h + 3)//4"


def test_every_operator_has_a_rule():
    for op in ("Conv", "ConvInteger", "ConvTranspose", "QLinearConv", "MaxPool", "AveragePool", "GlobalMaxPool"):
        assert resolve("", op, 22) is not None


@pytest.mark.parametrize("group", [-1, 0])
@pytest.mark.parametrize("call", ["Conv <group = {}> (x, w)", "ConvInteger <group = {}> (x, w)"])
def test_no_groups(call, group):
    kind = "uint8" if "Integer" in call else "float"
    text = f"({kind}[b, c, 3] x, {kind}[o, i, 2] w) => (y) {{ y = {call.format(group)} }}"
    assert bool(deaths(text, dict.fromkeys("bcoi", range(2)))) == (group == 0)
