"""Losses and random numbers."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import shapesmt
from shapesmt.frontends import load
from shapesmt.operators.inference import infer
from shapesmt.operators.rules.tensors import tensor
from tests.oracle.onnx_peer import Call, outcomes
from tests.support.harness import agree, build, node

LOSSES = {"NegativeLogLikelihoodLoss": ["y"], "SoftmaxCrossEntropyLoss": ["y", "logits"]}


@pytest.mark.parametrize("op", LOSSES)
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_labels_that_fit(op, reduction):
    shapes = {"x": ["n", "c", 2], "t": ["n", 2], "w": ["c"]}
    agree(node(op, list(shapes), LOSSES[op], reduction=reduction), shapes, {"n": (1, 2), "c": (1, 2)},
          dtypes={"t": "int64"})  # fmt: skip


@pytest.mark.parametrize("op", LOSSES)
@pytest.mark.parametrize("ignored", [None, 0])
def test_losses_of_nothing(op, ignored):
    for x in (["n", "c"], ["n", "c", "d"]):
        shapes = {"x": x, "t": ["n", *x[2:]]}
        agree(node(op, list(shapes), LOSSES[op], ignore_index=ignored), shapes, dict.fromkeys(x, (0, 2)),
              dtypes={"t": "int64"})  # fmt: skip


@pytest.mark.parametrize("op", LOSSES)
@pytest.mark.parametrize("declared", [False, True])
def test_fewer_labels_than_samples_are_refused_if_the_file_declares_both_numbers(op, declared):
    shapes = {"x": [4, 3], "t": [2]} if declared else {"x": ["n", "c"], "t": ["m"]}
    ranges = {} if declared else {"n": (4, 4), "c": (3, 3), "m": (2, 2)}
    found = agree(node(op, list(shapes)), shapes, ranges, dtypes={"t": "int64"})
    assert (found.ran, found.failed) == ((0, 1) if declared else (1, 0))
    model = build([node(op, list(shapes))], shapes, {"t": "int64"})
    verdict = shapesmt.check(model, dims={name: lo for name, (lo, _) in ranges.items()}).verdict
    assert verdict.name == ("FAILS" if declared else "PROVED")


@pytest.mark.parametrize("op", LOSSES)
@pytest.mark.parametrize("opset", [13, 22])
@pytest.mark.parametrize("x", [["n", 3], [2, 3], [2, 3, "h"], [2, "c"], [2, 3, 2]], ids=str)
def test_declared_numbers_of_weights_are_those_of_classes_from_opset_22_on(op, opset, x):
    for weights in (["w"], [2], [3], [5]):
        shapes = {"x": x, "t": [x[0], *x[2:]], "w": weights}
        ranges = {d: (2, 3) for sizes in shapes.values() for d in sizes if isinstance(d, str)}
        agree(node(op, list(shapes)), shapes, ranges, dtypes={"t": "int64"}, opset=opset)


@pytest.mark.parametrize("op", LOSSES)
@pytest.mark.parametrize("ignored", [None, 0, 1])
@pytest.mark.parametrize("opset", [12, 13])
def test_losses_of_fewer_labels_than_samples_and_any_number_of_weights(opset, ignored, op):
    shapes = {"x": ["n", "c", 2], "t": ["m", "d"], "w": ["v"]}
    ranges = {"n": (1, 2), "c": (1, 2), "m": (0, 3), "d": (0, 3), "v": (0, 3)}
    agree(node(op, list(shapes), ignore_index=ignored, reduction="none"), shapes, ranges, dtypes={"t": "int64"},
          opset=opset)  # fmt: skip


@pytest.mark.parametrize("op", LOSSES)
@pytest.mark.parametrize("rank", [4, 5])
def test_losses_of_images_of_any_size(rank, op):
    x = ["n", "c", "h", "w", "d"][:rank]
    shapes = {"x": x, "t": ["n", *x[2:]]}
    agree(node(op, list(shapes), LOSSES[op]), shapes, dict.fromkeys(x, (0, 2)), dtypes={"t": "int64"})


@pytest.mark.parametrize("op", LOSSES)
def test_declared_numbers_of_labels_are_compared_before_the_run(op):
    assert agree(node(op, ["x", "t"]), {"x": [2, 3], "t": [1]}, dtypes={"t": "int64"}).failed
    for x, labels in (([2, "c"], [1]), ([2, "c", 2], [1, 2]), ([2, 3, 2], [1, "c"]), ([2, 3, "c"], [2, 1])):
        agree(node(op, ["x", "t"]), {"x": x, "t": labels}, {"c": (1, 2)}, dtypes={"t": "int64"})


@pytest.mark.parametrize(
    ("x", "labels", "weights", "law"),
    [
        ((2, 3), (3,), (3,), "there is one label per sample and position"),
        ((2, 3, 4), (2, 5), (3,), "there is one label per sample and position"),
        ((2, 3), (2,), (0,), "there is something to pick from"),
        ((2, 3), (2, 3), (3,), "the rank is 1, not 2"),
    ],
)
def test_labels_and_weights_that_dont(x, labels, weights, law):
    text = "y = NegativeLogLikelihoodLoss(x, t, w)"
    graph = load(f'<ir_version: 8, opset_import: ["":18]> g (float x, int64 t, float w) => (y) {{{text}}}'.encode())
    tensors = {"x": tensor("float32", x), "t": tensor("int64", labels), "w": tensor("float32", weights)}
    broken = [r for r in infer(graph, tensors).applications[0].requirements if str(r.formula) == "False"]
    assert [str(r.law) for r in broken] == [law]


@pytest.mark.parametrize("op", ["RandomNormalLike", "RandomUniformLike", "Bernoulli"])
@pytest.mark.parametrize("dtype", [None, 11])
def test_random_numbers_like_others(op, dtype):
    agree(node(op, ["x"], dtype=dtype), {"x": ["a", "b"]}, {"a": (0, 2), "b": (0, 2)})


@pytest.mark.parametrize("op", ["RandomNormal", "RandomUniform"])
@pytest.mark.parametrize("shape", [[2, 3], [0], [2, -1]], ids=str)
def test_random_numbers(op, shape):
    agree(node(op, [], shape=shape, dtype=11), {})


@pytest.mark.parametrize("text", ["Normal<shape=[2]%s>()", "NormalLike<%s>(x)"])
@pytest.mark.parametrize("scale", [-1.0, 0.0, 0.5])
def test_normal_numbers_have_a_positive_deviation(text, scale):
    _compare_process(text, f"scale={scale}", runs=scale > 0)


@pytest.mark.parametrize("text", ["Uniform<shape=[2]%s>()", "UniformLike<%s>(x)"])
@pytest.mark.parametrize("ends", ["low=2.0", "low=1.0", "high=-1.0", "low=2.0, high=3.0", "low=2.0, high=1.5"])
def test_numbers_are_drawn_from_a_range_that_is_one(text, ends):
    _compare_process(text, ends, runs=ends in ("low=1.0", "low=2.0, high=3.0"))


def _compare_process(text, attributes, runs):
    """Assert that ONNX Runtime ends the process with these attributes, unless it `runs`, and that we say so."""
    given = attributes if "Like" in text else f", {attributes}"
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["":18]> g (float[2] x) => (float[2] y) '
                                    f"{{ y = Random{text % given} }}")  # fmt: skip
    [run] = outcomes([Call(model.SerializeToString(), {"x": np.ones(2, np.float32)})])
    assert run.refused == ("" if runs else "the process died")
    assert shapesmt.check(model).verdict.name == ("PROVED" if runs else "FAILS")


@pytest.mark.parametrize("samples", [None, 0, 3])
def test_multinomial(samples):
    agree(node("Multinomial", ["x"], sample_size=samples), {"x": ["a", "b"]}, {"a": (0, 2), "b": (0, 2)})
    assert agree(node("Multinomial", ["x"], dtype=7), {"x": ["a"]}, {"a": (1, 2)}).failed


@pytest.mark.parametrize("ignored", ["", "<ignore_index = 1>"])
def test_labels_of_which_nobody_says_anything_are_data(ignored):
    graph = f"""<ir_version: 8, opset_import: ["": 13]> g (float[3, 5] x, int64[3] t) => (float y) {{
        y = SoftmaxCrossEntropyLoss {ignored} (x, t) }}"""
    assert shapesmt.check(graph.encode()).verdict.name == "PROVED"
    assert shapesmt.check(graph.encode(), values={"t": 7}).verdict.name == "FAILS"
