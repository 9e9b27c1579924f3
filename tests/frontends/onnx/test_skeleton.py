"""A model without its weights is the same graph."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import shapesmt
from shapesmt.base.errors import ModelError
from shapesmt.frontends import files, load
from shapesmt.frontends.onnx.skeleton import DamagedError, read_skeleton
from shapesmt.network.graph import Literal

ROOT = Path(__file__).parents[3]


def model() -> onnx.ModelProto:
    """Weights of each size and type, at the top, in a node, in a branch and in a function."""
    rng = np.random.default_rng(0)
    weights = [
        numpy_helper.from_array(rng.random((600, 600), "f4"), "large"),
        numpy_helper.from_array(rng.random(2000, "f4"), "middling"),
        numpy_helper.from_array(rng.random(8, "f4"), "small"),
        numpy_helper.from_array(np.arange(5000), "table"),
        numpy_helper.from_array(rng.integers(0, 9, (300, 1000), np.int8), "quantized"),
        helper.make_tensor("listed", TensorProto.FLOAT, [300, 1000], rng.random(300_000)),
    ]
    branch = [helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(rng.random((600, 600), "f4")))]
    inner = helper.make_graph(branch, "branch", [], [onnx.ValueInfoProto(name="c")])
    call = helper.make_function("own", "f", ["a"], ["b"], [
        helper.make_node("Constant", [], ["k"], value=numpy_helper.from_array(rng.random((600, 600), "f4"))),
        helper.make_node("MatMul", ["a", "k"], ["b"]),
    ], [helper.make_opsetid("", 18)])  # fmt: skip
    nodes = [
        helper.make_node("MatMul", ["x", "large"], ["y"]),
        helper.make_node("If", ["q"], ["z"], then_branch=inner, else_branch=inner),
        helper.make_node("f", ["y"], ["w"], domain="own"),
    ]
    inputs = [helper.make_tensor_value_info("x", 1, ["n", 600]), helper.make_tensor_value_info("q", 9, [])]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=n) for n in "zw"], weights)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, functions=[call], opset_imports=opsets, ir_version=8)


def short(content: bytes, **options: bool) -> bytes:
    return read_skeleton(io.BytesIO(content), len(content), **options)


def literals(proto: onnx.ModelProto) -> dict[str, Literal]:
    graph = load(proto)
    for literal in graph.literals.values():
        literal.read()
    return graph.literals


def test_what_is_never_read_is_left_out() -> None:
    whole = model().SerializeToString()
    content = short(whole)
    assert len(content) < 60_000 < 6_000_000 < len(whole)
    ours, theirs = literals(onnx.ModelProto.FromString(content)), literals(model())
    assert {name: (x.dtype, x.shape, x.values) for name, x in ours.items()} == {
        name: (x.dtype, x.shape, x.values) for name, x in theirs.items()
    }
    assert load(onnx.ModelProto.FromString(content)).nodes[0] == load(model()).nodes[0]
    assert short(content) == content


def test_without_floats_integers_remain() -> None:
    ours = literals(onnx.ModelProto.FromString(short(model().SerializeToString(), floats=False)))
    assert ours["middling"].values is None
    assert ours["table"].values == tuple(range(5000))
    assert len(ours["small"].values or ()) == 8


def test_of_indices_more_are_kept_than_of_weights() -> None:
    whole = model()
    whole.graph.initializer.append(numpy_helper.from_array(np.arange(300_000, dtype=np.int32), "indices"))
    ours = literals(onnx.ModelProto.FromString(short(whole.SerializeToString())))
    assert (ours["indices"].values, ours["quantized"].values) == (tuple(range(300_000)), None)


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*/*.onnx")), ids=lambda p: p.name)
def test_small_models_remain_as_they_are(path: Path) -> None:
    content = path.read_bytes()
    assert onnx.ModelProto.FromString(short(content)) == onnx.ModelProto.FromString(content)


def test_a_large_file_is_read_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGE", 1000)
    onnx.save(model(), tmp_path / "m.onnx")
    assert len(files.model_file(tmp_path / "m.onnx", weights=False).content) < 60_000
    assert len(files.model_file(tmp_path / "m.onnx").content) > 1_000_000
    (tmp_path / "cut.onnx").write_bytes(model().SerializeToString()[:-9])
    with pytest.raises(ModelError, match=r"a damaged one .a field is longer than"):
        files.model_file(tmp_path / "cut.onnx", weights=False)
    (tmp_path / "m.txt").write_text("<ir_version: 8>" + 1000 * " ")
    assert len(files.model_file(tmp_path / "m.txt", weights=False).content) == 1015


@pytest.mark.parametrize("length", [0, 1, 99, 127, 128, 4070, 4090, 4095, 4096, 5000, 1 << 16])
def test_fields_of_any_length_are_copied(length: int) -> None:
    """Small fields are copied many at once, up to the end of the bytes read so far."""
    nodes = [helper.make_node("Exp", ["x" * length], [f"y{k}"], name="n" * (k % 7)) for k in range(1000)]
    weights = numpy_helper.from_array(np.zeros((600, 600), "f4"), "w")
    large = helper.make_node("Constant", [], ["w"], value=weights)
    graph = helper.make_graph([*nodes, large, *nodes[:5]], "g", [], [onnx.ValueInfoProto(name="z" * length)], [weights])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    content = onnx.ModelProto.FromString(short(whole.SerializeToString()))
    for tensor in (content.graph.initializer[0], content.graph.node[1000].attribute[0].t):
        assert not tensor.raw_data
        tensor.raw_data = weights.raw_data
        tensor.ClearField("data_location")
    assert content == whole


@pytest.mark.parametrize("end", [0, 1, 2, 40, 5000, 2_000_000])
def test_damaged_files(end: int) -> None:
    with pytest.raises(DamagedError):
        read_skeleton(io.BytesIO(model().SerializeToString()[:end]), 6_500_000)


@pytest.mark.parametrize("content", [b"\x08\x08\x3b", b"\x08\x08\x3f", b"\x08" + b"\xff" * 30, b"\x08\x08\x3a\x7f\x00"])
def test_bytes_that_are_no_message(content: bytes) -> None:
    with pytest.raises(DamagedError):
        short(content)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"", "not an ONNX model, or a damaged one (a field has no number)"),
        (b" \n" * (1 << 16), "not an ONNX model, or a damaged one (it holds spaces only)"),
        (b"\x80", "not an ONNX model, or a damaged one (a field has no number)"),
        (b"\x89HDF\r\n\x1a\n", "a Keras file"),
        (model().SerializeToString(), "not an ONNX model, or a damaged one (a field has no number)"),
    ],
)
def test_a_damaged_file_is_not_read_whole(tmp_path: Path, start: bytes, said: str) -> None:
    path = tmp_path / "m.onnx"
    with path.open("wb") as file:
        file.write(start)
        file.truncate(1 << 33)  # as much as no memory holds, with nothing on the disk
    with pytest.raises(ModelError) as refused:
        shapesmt.check(path)
    assert said in str(refused.value)


def test_fields_may_come_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = model()
    version = onnx.ModelProto(ir_version=whole.ir_version).SerializeToString()
    whole.ClearField("ir_version")
    content = whole.SerializeToString() + version
    monkeypatch.setattr(files, "LARGE", 1)
    (tmp_path / "m.onnx").write_bytes(content)
    assert content[:1] != b"\x08"
    assert len(files.model_file(tmp_path / "m.onnx", weights=False).content) < len(content) // 10
