"""Programs of `torch.export`, read without PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import shapesmt
from shapesmt.frontends import load
from tests.support.torch_programs import archive, as_tensor, program


def test_a_program_becomes_a_graph() -> None:
    graph = load(archive(model=program()))
    assert graph.inputs["x"].shape == ("x_dim0", 3)
    assert [(node.op, node.domain, node.inputs, node.outputs) for node in graph.nodes[:1]] == [
        ("aten.relu.default", "torch", ["x"], ["relu"])
    ]
    assert graph.outputs == ["relu"]
    assert graph.nodes[-1].name == "_guards_fn"


def test_guards_are_part_of_the_precondition() -> None:
    graph = program()
    graph["graph_module"]["graph"]["nodes"] = []
    graph["graph_module"]["graph"]["outputs"] = [as_tensor("x")]
    report = shapesmt.check(archive(model=graph), dims={"x_dim0": "1..20"})
    assert report.precondition is not None
    assert report.precondition.text == ("x_dim0 <= 8",)
    assert [finding.node for finding in report.findings] == ["_guards_fn"]
    assert shapesmt.check(archive(model=graph), dims={"x_dim0": "1..20"}, guards="ignore").ok


def test_one_of_several_programs_is_named(tmp_path: Any) -> None:
    path = tmp_path / "two.pt2"
    path.write_bytes(archive(encoder=program(), decoder=program()))
    assert load(f"{path}#decoder").nodes
    with pytest.raises(shapesmt.UsageError, match="has 2 programs; name one of encoder, decoder"):
        load(path)


def test_another_schema_is_refused() -> None:
    with pytest.raises(shapesmt.ModelError, match="schema 9"):
        load(archive(model=program(schema_version={"major": 9, "minor": 1})))
