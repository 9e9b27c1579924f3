"""Simplified models in the form that each runtime needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import numpy_helper

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import ModelError, UsageError
from shapesmt.frontends import ModelSource
from shapesmt.reports.export.targets.openvino import lost_bounds
from shapesmt.tasks.simplify import write_tightened
from tests.oracle.runner import assignments
from tests.tasks.simplify.compared import differences

HEADS = """<ir_version: 8, opset_import: ["":18]> g (float[n,m,6] x) => (float[a,b,c,d] y, float[e,f,6] z) {
    s = Shape(x) i = Constant<value_ints=[0,1]>() d = Gather<axis=0>(s, i) h = Constant<value_ints=[2,3]>()
    t = Concat<axis=0>(d, h) y = Reshape(x, t)
    j = Constant<value_int=1>() o = Constant<value_ints=[0]>() k = Constant<value_ints=[1]>()
    l = Gather<axis=0>(s, j) u = Unsqueeze(l, o) e = Exp(x) z = Slice(e, k, u, k) }"""
POSITIONS = """<ir_version: 8, opset_import: ["":18]> g (float[n,m] x) => (float[k] y) {
    s = Shape(x) i = Constant<value = int64 {0}>() j = Constant<value = int64 {1}>() a = Gather<axis=0>(s, i)
    b = Gather<axis=0>(s, j) t = Add(a, b) r = Range(i, t, j) y = Cast<to=1>(r) }"""
DIMS = {"n": "1..4", "m": "1..5"}
SIZES = {"n": range(1, 5), "m": range(1, 6)}


def needs_openvino() -> None:
    """Skip a test that writes models for OpenVINO, which says itself which sizes it finds."""
    pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")


def simple(text: str, target: str | None, **options: Any) -> onnx.ModelProto:
    if target == "openvino":
        needs_openvino()
    model = onnx.parser.parse_model(text)
    made = shapesmt.simplify(model, dims=options.pop("dims", DIMS), target=target, **options)
    assert [*differences(model, made, assignments(SIZES))] == []
    return made


def constants(model: onnx.ModelProto) -> list[list[int]]:
    return [numpy_helper.to_array(t).tolist() for t in model.graph.initializer]


@pytest.mark.parametrize(
    ("target", "shape", "end"),
    [
        *((target, [0, 0, 2, 3], (1 << 63) - 1) for target in (None, "ort", "openvino")),
        ("tensorrt", [0, 0, 2, 3], (1 << 31) - 1),
    ],
)
def test_what_stands_for_a_size(target: str | None, shape: list[int], end: int) -> None:
    made = simple(HEADS, target)
    assert [node.op_type for node in made.graph.node if node.op_type != "Constant"] == ["Reshape", "Exp", "Slice"]
    assert shape in constants(made)
    assert [end] in constants(made)


def test_iree_gets_no_zero() -> None:
    made = simple(HEADS, "iree")
    assert [0, 0, 2, 3] not in constants(made)
    ops = [node.op_type for node in made.graph.node if node.op_type != "Constant"]
    assert ops == ["Shape", "Concat", "Reshape", "Exp", "Slice"]


def test_iree_gets_no_zero_that_the_file_has() -> None:
    text = """<ir_version: 8, opset_import: ["":18]> g (float[n,m,6] x) => (float[a,b,c,d] y)
        <int64[4] t = {0, 0, 2, 3}> { e = Identity(x) y = Reshape(e, t) }"""
    made = simple(text, "iree")
    targets = [node.input[1] for node in made.graph.node if node.op_type == "Reshape"]
    assert targets != ["t"]
    assert "Identity" not in [node.op_type for node in made.graph.node]


def test_openvino_finds_the_ends(tmp_path: Path) -> None:
    needs_openvino()
    tensors = shapesmt.bounds(onnx.parser.parse_model(POSITIONS), dims=DIMS).tensors
    assert lost_bounds(simple(POSITIONS, None), tensors)
    assert not lost_bounds(simple(POSITIONS, "openvino"), tensors)
    with pytest.raises(ModelError, match="no proven upper end"):
        simple(POSITIONS, "openvino", dims={"n": "1.."})
    answer = write_tightened(
        ModelSource(onnx.parser.parse_model(POSITIONS)), Question(DIMS, target="openvino"), tmp_path / "o.onnx"
    )[1]
    assert answer.simplified is None


def test_there_is_no_such_target() -> None:
    with pytest.raises(UsageError, match="ort, openvino, iree, tensorrt, not 'qnn'"):
        simple(HEADS, "qnn")


@pytest.mark.parametrize("target", ["ort", "openvino", "iree", "tensorrt"])
def test_tightened_and_simplified_at_once(target: str, tmp_path: Path) -> None:
    if target == "openvino":
        needs_openvino()
    model, path = onnx.parser.parse_model(HEADS), tmp_path / "out.onnx"
    how = {"valid_only": True, "simplify": True, "trust_ranges": True}
    answer = write_tightened(ModelSource(model), Question(DIMS, target=target), path, **how)[1]
    made = onnx.load(path)
    assert made == shapesmt.tighten(model, dims=DIMS, target=target, **how)
    assert [*differences(model, made, assignments(SIZES))] == []
    y = made.graph.output[0].type.tensor_type.shape.dim
    assert [d.dim_param or d.dim_value for d in y] == ["n", "m", 2, 3]
    assert bool(made.graph.value_info) is (target != "ort")
    assert {p.key: p.value for p in made.metadata_props} == {"shapesmt.admissible": "n=1..4; m=1..5"}
    left = sum(node.op_type != "Constant" for node in made.graph.node)
    data = answer.to_dict()
    assert (data["nodes_before"], data["nodes_after"]) == (8, left)
    assert {"rule", "node", "op", "reason"} == data["rewrites"][0].keys()
    assert f"  {left} nodes of 8, constants not counted" in str(answer)
    assert "nodes_before" not in write_tightened(ModelSource(model), Question(DIMS), path, valid_only=True)[1].to_dict()


def test_a_model_that_fails_for_some_input_says_for_which_it_was_made(tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[m] z) => (y) { a = Identity(x) y = Add(a, z) }'
    question = Question({"n": "2..4", "m": "2..4"})
    answer = write_tightened(ModelSource(text.encode()), question, tmp_path / "out.onnx", simplify=True)[1]
    assert (answer.written, answer.simplified) == (None, None)
    for trusted in (True, False):  # a file that holds for all inputs it declares rests on no condition
        made = shapesmt.tighten(text.encode(), dims=question.dims, simplify=True, valid_only=True, trust_ranges=trusted)
        assert ("m == n" in [p.value for p in made.metadata_props]) is trusted
        assert [node.op_type for node in made.graph.node] == ["Add"]


def test_openvino_finds_the_ends_inside_branches() -> None:
    text = """<ir_version: 8, opset_import: ["":18]> g (float[n,m] x) => (y) {
        zero = Constant<value = int64 {0}>() one = Constant<value = int64 {1}>() s = Shape(x)
        a = Gather<axis=0>(s, zero) b = Gather<axis=0>(s, one) c = Greater(a, b)
        y = If(c) <then_branch = t () => (u) { k = Size(x) r = Range(zero, k, one) i = Identity(r) u = Neg(i) },
                   else_branch = e () => (v) { j = Identity(s) v = Identity(j) }> }"""
    tensors = shapesmt.bounds(onnx.parser.parse_model(text), dims=DIMS).tensors
    made = simple(text, "openvino")
    assert not [name for name in lost_bounds(made, tensors) if not name.endswith("_unsliced")]
    (then,) = (a.g for node in made.graph.node for a in node.attribute if a.name == "then_branch")
    assert not {"Range", "Identity"} & {node.op_type for node in then.node}
