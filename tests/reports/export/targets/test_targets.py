"""Models written for one runtime: whose shapes are in them, and that they compute what the original computes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser
from onnxruntime import InferenceSession

import shapesmt
from shapesmt.base.errors import UsageError

CHAIN = """<ir_version: 8, opset_import: ["" : 18]>
g (float[n, m, 6] x) => (float[a, b, c] z) <int64[3] to = {0, 0, 3}, int64[4] split = {0, 0, 3, 2}> {
    y = Exp (x)
    s = Reshape (y, split)
    r = Relu (s)
    t = Constant <value = int64[3] {0, 3, -1}> ()
    z = Reshape (r, t)
}"""
DIMS = {"n": "1..4", "m": "1..5"}


def tight(**options):
    return shapesmt.tighten(CHAIN.encode(), dims=DIMS, valid_only=True, **options)


def same(first, second, *shapes):
    """Whether two models compute the same of inputs of these shapes."""
    sessions = [InferenceSession(p.SerializeToString(), providers=["CPUExecutionProvider"]) for p in (first, second)]
    for shape in shapes:
        x = np.random.default_rng(0).random(shape, np.float32)
        one, two = (session.run(None, {"x": x})[0] for session in sessions)
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("options", "inner", "outer"),
    [
        ({}, ["y", "s", "r", "t"], True),
        ({"target": "iree"}, ["y", "s", "r", "t"], True),
        ({"target": "ort"}, [], True),
        ({"written": "outputs"}, [], True),
        ({"target": "ort", "written": "none"}, [], False),
        ({"target": "ort", "written": "all"}, ["y", "s", "r", "t"], True),
    ],
)
def test_whose_shapes_are_written(options, inner, outer):
    written = tight(**options)
    assert [info.name for info in written.graph.value_info] == inner
    size = written.graph.output[0].type.tensor_type.shape.dim[1].dim_value
    assert (size == 3) is outer


def test_there_is_no_such_target_or_choice():
    with pytest.raises(UsageError, match="ort, openvino, iree, tensorrt, not 'qnn'"):
        tight(target="qnn")
    with pytest.raises(UsageError, match="all, outputs, none, not 'some'"):
        tight(written="some")


def test_iree_gets_no_zero_in_a_target():
    written = tight(target="iree")
    onnx.checker.check_model(written)
    constants = {t.name: numpy_helper.to_array(t).tolist() for t in written.graph.initializer}
    producers = {name: node for node in written.graph.node for name in node.output}
    targets = [node.input[1] for node in written.graph.node if node.op_type == "Reshape"]
    assert [producers[t].op_type for t in targets] == ["Concat", "Concat"]
    parts = [name for t in targets for name in producers[t].input]
    assert 0 not in [size for name in parts for size in constants.get(name, [])]
    same(parser.parse_model(CHAIN), written, (1, 1, 6), (4, 5, 6), (2, 3, 6))


@pytest.mark.parametrize(("target", "expected"), [("{0, 6}", [-1, 6]), ("{2, 0}", [2, 6]), ("{0, 0}", [-1, 6])])
def test_a_zero_becomes_the_number_or_what_is_left(target, expected):
    text = f"""<ir_version: 8, opset_import: ["" : 18]>
    g (float[n, 6] x) => (float[a, b] y) <int64[2] to = {target}> {{ y = Reshape (x, to) }}"""
    written = shapesmt.tighten(text.encode(), dims={"n": "2" if "2" in target else "1..4"}, target="iree")
    constants = {t.name: numpy_helper.to_array(t).tolist() for t in written.graph.initializer}
    assert constants[written.graph.node[0].input[1]] == ([2, 6] if "2" in target else expected)
    same(parser.parse_model(text), written, (2, 6))


def test_zeros_of_subgraphs_and_zeros_that_are_sizes():
    text = """<ir_version: 10, opset_import: ["" : 21]>
    g (bool c, float[n, 6] x) => (float[a, b, d] y) <int64[3] to = {0, 3, 2}> {
        y = If (c) <then_branch = t () => (float[k, 3, 2] u) { u = Reshape (x, to) },
                    else_branch = e () => (float[k, 3, 2] v) { v = Reshape <allowzero = 1> (x, w)
                        w = Constant <value = int64[3] {-1, 3, 2}> () }>
    }""".replace("{ v = Reshape <allowzero = 1> (x, w)\n", "{").replace(
        "{-1, 3, 2}> () }", "{-1, 3, 2}> () v = Reshape <allowzero = 1> (x, w) }"
    )
    written = shapesmt.tighten(text.encode(), dims={"n": "1..4"}, target="iree")
    branches = {a.name: a.g for a in written.graph.node[0].attribute}
    assert branches["then_branch"].node[0].input[1] != "to"
    assert branches["else_branch"].node[1].input[1] == "w"
    onnx.checker.check_model(written)


@pytest.mark.parametrize("target", ["iree", "ort", "tensorrt"])
def test_a_constant_in_a_form_that_nobody_reads_stays(target: str) -> None:
    model = parser.parse_model(CHAIN)
    model.graph.initializer[1].segment.end = 3
    written = shapesmt.tighten(model, dims=DIMS, valid_only=True, target=target)
    assert written.graph.initializer[1].segment.end == 3
