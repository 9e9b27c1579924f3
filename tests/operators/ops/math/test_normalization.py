"""Normalizations, softmax and dropout, against execution."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import shapesmt
from tests.oracle.onnx_peer import Call, outcomes
from tests.support.each import each
from tests.support.harness import agree, node

ONES = np.ones((3, 3), np.float32)
SIZES = {"a": (0, 2), "b": (0, 3), "c": (1, 3), "d": (1, 3)}


def used(*shapes, ranges=SIZES):
    return {k: v for k, v in ranges.items() if any(k in shape for shape in shapes)}


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax", "LpNormalization"])
@pytest.mark.parametrize("opset", [7, 11, 13, 22])
@each("axis", [None, 0, 1, 2, -1, -2, -3])
def test_axis(op, opset, axis):
    if axis is None or axis >= 0 or opset >= 11:
        agree(node(op, ["x"], axis=axis), {"x": ["c", "d"]}, used("cd"), opset=opset)


def test_the_default_axis_of_a_vector():
    for opset in (7, 13):
        agree(node("Softmax", ["x"]), {"x": ["c"]}, used("c"), opset=opset)


@pytest.mark.parametrize("shape", [["a"], ["a", "b"], ["a", "b", 2], ["a", "b", 2, "c"]], ids=len)
def test_batch_normalization(shape):
    channels = shape[1:2] or [1]
    for parameter in (channels, ["c"], ["c", 1]):
        shapes = {"x": shape, "s": channels, "b": parameter, "m": channels, "v": channels}
        for opset in (7, 9, 14, 15):
            agree(node("BatchNormalization", list(shapes)), shapes, used(*shapes.values()), opset=opset)


def test_batch_normalization_per_element():
    for parameter in (["b", 2], ["c"], ["b", "c"]):
        shapes = {"x": ["a", "b", 2], "s": parameter, "b": parameter, "m": parameter, "v": parameter}
        agree(node("BatchNormalization", list(shapes), spatial=0), shapes, used(*shapes.values()), opset=7)


@pytest.mark.parametrize(("opset", "outputs"), [(9, 5), (14, 3)])
def test_batch_normalization_in_training(opset, outputs):
    shapes = {"x": ["c", "d", 2], "s": ["d"], "b": ["d"], "m": ["d"], "v": ["d"]}
    training = 1 if opset >= 14 else None
    names = [f"o{i}" for i in range(outputs)]
    agree(node("BatchNormalization", list(shapes), names, training_mode=training), shapes, used("cd"), opset=opset)


@pytest.mark.parametrize("mode", [0, 1, 2, -1])
@pytest.mark.parametrize("made", ["y", "y, m, v"])
def test_training_is_0_or_1(made, mode):
    text = f"""<ir_version: 8, opset_import: ["": 15]>
    g (float[n, 3] x, float[3] s) => (z) {{
        {made} = BatchNormalization <training_mode = {mode}> (x, s, s, s, s)
        z = Add ({made[-1]}, {made[-1]}) }}"""
    [run] = outcomes([Call(onnx.parser.parse_model(text).SerializeToString(), {"x": ONES[:2], "s": ONES[0]})])
    assert bool(run.refused) is ((made, mode) not in {("y", 0), ("y, m, v", 1)})
    expected = "PROVED" if run.made else "FAILS" if made == "y" or mode == 0 else "UNKNOWN"
    assert shapesmt.check(text.encode()).verdict.name == expected


@pytest.mark.parametrize("shape", [["c", "d"], ["a", "d", 2], ["a", "d", "b", 2]], ids=len)
def test_instance_normalization(shape):
    shapes = {"x": shape, "s": ["d"], "b": ["c"]}
    agree(node("InstanceNormalization", list(shapes)), shapes, used(*shapes.values()))


@pytest.mark.parametrize(("opset", "scale"), [(18, ["d"]), (21, ["d"]), (21, ["c"])])
def test_group_normalization(opset, scale):
    shapes = {"x": [2, "c", "e"], "s": scale, "b": scale}
    ranges = SIZES | {"c": (1, 6), "e": (1, 2), "d": (2, 6)}
    agree(
        node("GroupNormalization", list(shapes), num_groups=2),
        shapes,
        used(*shapes.values(), ranges=ranges),
        opset=opset,
    )


@pytest.mark.parametrize("opset", [18, 21])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("x", [["n", "c"], ["n", "c", "h"], ["n", "c", "h", "w"], ["n", "c", "h", "w", 2]], ids=str)
def test_groups_of_empty_channels(x, groups, opset):
    model = node("GroupNormalization", ["x", "s", "b"], num_groups=groups)
    agree(model, {"x": x, "s": ["s"], "b": [1]}, dict.fromkeys([*x[:4], "s"], (0, 2)), opset=opset)


@pytest.mark.parametrize("axis", [None, -1, 0, 1, 2, -3, 3, -4])
@pytest.mark.parametrize("scale", [["c"], [], [1], [2, "c"], ["a", 1, 1], [1, 2, 3, "c"]], ids=str)
def test_layer_normalization(axis, scale):
    shapes = {"x": ["a", 2, "b"], "s": scale, "t": ["b"]}
    for outputs in (["y"], ["y", "mean", "deviation"]):
        agree(node("LayerNormalization", list(shapes), outputs, axis=axis), shapes, used(*shapes.values()))
    del shapes["t"]
    agree(node("RMSNormalization", list(shapes), axis=axis), shapes, used(*shapes.values()), opset=23)


@pytest.mark.parametrize("shape", [["a", "b", 2], ["a", "b", "c", 2], ["a", 1, 2, 2, 2]], ids=len)
def test_local_response_and_mean_variance(shape):
    for size in (2, 3):
        agree(node("LRN", ["x"], size=size), {"x": shape}, used(shape))
    for axes in (None, [0, 1], [-1]):
        agree(node("MeanVarianceNormalization", ["x"], axes=axes), {"x": shape}, used(shape))


def test_norms_are_the_first_or_the_second():
    assert agree(node("LpNormalization", ["x"], p=3), {"x": ["c"]}, used("c")).failed
    assert agree(node("LpNormalization", ["x"], p=1), {"x": ["c"]}, used("c")).ran


@pytest.mark.parametrize("opset", [7, 10, 12, 13, 22])
def test_dropout(opset):
    agree(node("Dropout", ["x"], ["y", "mask"]), {"x": ["a", "b"]}, used("ab"), opset=opset)


def test_ratio_and_mode_are_scalars():
    for shapes in ({"x": ["a"], "r": []}, {"x": ["a"], "r": [1]}, {"x": ["a"], "r": [], "t": []}, {"x": [2], "t": [1]}):
        inputs = ["x", "r" if "r" in shapes else "", "t"][: 3 if "t" in shapes else 2]
        agree(node("Dropout", inputs), shapes, used(*shapes.values()), dtypes={"t": "bool"},
              data={"r": lambda _, shape: [0.5] * len(shape) or 0.5})  # fmt: skip


def test_dropout_keeps_values_outside_training():
    found = agree([node("Shape", ["x"], ["s"]), node("Cast", ["s"], ["f"], to=1), node("Dropout", ["f"], ["d"]),
                   node("Cast", ["d"], to=7)], {"x": ["a"]}, used("a"), outputs=["out"])  # fmt: skip
    assert str(found.tensors["out"].value.items[0]) == "a"


@pytest.mark.parametrize("opset", [8, 11, 13])
@pytest.mark.parametrize("axis", [-3, -1, 2, 4])
def test_an_empty_tensor_has_any_axis_before_inference_looked_at_it(axis, opset):
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        found = agree(
            node(op, ["x"], axis=axis), {"x": ["n", "m"]}, {"n": (0, 2), "m": (0, 2)}, opset=opset, known=False
        )
        assert bool(found.ran) is (axis == -1 or opset < 11)
