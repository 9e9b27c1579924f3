"""Operators of higher order, which call graphs or other operators."""

from __future__ import annotations

from typing import Any

import pytest

import shapesmt
from shapesmt.frontends import load
from tests.support.torch_programs import archive, as_tensor, meta, node, program

CHECKED = "torch.ops.aten._linalg_check_errors.default"


def with_effects(operator: str) -> dict[str, Any]:
    """A program whose `relu` is followed by an operator with effects, which takes a token and returns another."""
    document = program()
    module = document["graph_module"]
    graph = module["graph"]
    positional = [as_tensor("token"), {"as_operator": operator}, as_tensor("relu"), {"as_string": "linalg.inv"}]
    inputs = [{"name": "", "arg": argument} for argument in positional]
    inputs.append({"name": "is_matrix", "arg": {"as_bool": False}})
    outputs = [as_tensor("token_1"), {"as_none": True}]
    graph["nodes"].append(node("torch.ops.higher_order.with_effects", "e") | {"inputs": inputs, "outputs": outputs})
    graph["inputs"].insert(0, as_tensor("token"))
    graph["outputs"].insert(0, as_tensor("token_1"))
    graph["tensor_values"] |= {"token": meta(0), "token_1": meta(0)}
    module["signature"]["input_specs"].insert(0, {"token": {"arg": {"name": "token"}}})
    return document


def test_an_operator_with_effects_is_read_without_its_tokens() -> None:
    graph = load(archive(model=with_effects(CHECKED)))
    called = graph.nodes[1]
    assert (called.op, called.name, called.inputs, called.outputs) == (CHECKED[len("torch.ops.") :], "e", ["relu"], [])
    assert dict(called.attributes) == {"@info": 0, "api_name": "linalg.inv", "is_matrix": 0}
    assert ([*graph.inputs], graph.outputs, [*graph.declared]) == (["x"], ["relu"], ["relu"])
    assert shapesmt.check(archive(model=with_effects(CHECKED)), dims={"x_dim0": "1..8"}).ok


def test_an_operator_with_effects_that_has_no_names_is_not_judged() -> None:
    report = shapesmt.check(archive(model=with_effects("torch.ops.aten.relu.default")), dims={"x_dim0": "1..8"})
    assert [(finding.node, finding.verdict.name) for finding in report.findings] == [("e", "UNKNOWN")]


@pytest.mark.parametrize("place", [0, 1])
def test_a_damaged_call_of_an_operator_with_effects_is_an_error(place: int) -> None:
    document = with_effects(CHECKED)
    document["graph_module"]["graph"]["nodes"][-1]["inputs"][place]["arg"] = as_tensor("nobody")
    with pytest.raises(shapesmt.ModelError, match="it isn't as"):
        load(archive(model=document))


def in_autocast(*, enabled: bool) -> dict[str, Any]:
    """A program whose `relu` multiplies, in an autocast, floats of 32 bits by those that `bfloat` has of 16."""
    document = program()
    graph = document["graph_module"]["graph"]
    cast = node("torch.ops.aten.to.dtype", "bfloat", self=as_tensor("a"), dtype={"as_scalar_type": 13})
    turned = node("torch.ops.aten.t.default", "turned", self=as_tensor("bfloat"))
    product = node("torch.ops.aten.mm.default", "product", self=as_tensor("a"), mat2=as_tensor("turned"))
    body = {"inputs": [as_tensor("a")], "outputs": [as_tensor("product")], "nodes": [cast, turned, product]}
    arguments = [{"as_string": "cpu"}, {"as_scalar_type": 13}, {"as_bool": enabled}, {"as_bool": False}]
    arguments += [{"as_graph": {"name": "g", "graph": body}}, as_tensor("x")]
    inputs = [{"name": "", "arg": argument} for argument in arguments]
    graph["nodes"] = [node("torch.ops.higher_order.wrap_with_autocast", "relu") | {"inputs": inputs}]
    del graph["tensor_values"]["relu"]
    return document


def test_types_are_open_in_an_autocast_and_behind_it() -> None:
    model = archive(model=in_autocast(enabled=True))
    assert shapesmt.check(model, dims={"x_dim0": "1..8"}).ok
    tensors = shapesmt.bounds(model).tensors
    assert {name: tensors[name].dtype for name in ("x", "turned", "product", "relu")} == {
        "x": "float32",
        **dict.fromkeys(("turned", "product", "relu"), ""),
    }
    assert str(shapesmt.bounds(model, dims={"x_dim0": 5})["relu"]) == "[5,5]"


def test_an_autocast_that_is_off_leaves_types_as_they_are() -> None:
    model = archive(model=in_autocast(enabled=False))
    assert shapesmt.bounds(model).tensors["turned"].dtype == "bfloat16"
    assert not shapesmt.check(model, dims={"x_dim0": "1..8"}).ok  # the types differ


def test_what_is_changed_in_place_in_an_autocast_is_changed_outside() -> None:
    document = in_autocast(enabled=True)
    body = document["graph_module"]["graph"]["nodes"][0]["inputs"][-2]["arg"]["as_graph"]["graph"]
    body["nodes"].insert(0, node("torch.ops.aten.relu_.default", "written", self=as_tensor("a")))
    graph = load(archive(model=document))
    assert [node.inputs for node in graph.nodes if node.op == "changed"] == [["x"]]
