"""The node cases of the `onnx` package: what is inferred is what their real inputs and outputs show.

Output shapes are stripped, small integer inputs become initializers, and every other input dimension is a number
(static) or a symbol of its own (symbolic). Expressions are evaluated at the real sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

import shapesmt
from shapesmt.frontends import load
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import infer
from shapesmt.operators.inference.walk import forget_applications
from shapesmt.operators.rules import MAX_RANK, Application, Tensor, rank_symbol, tensor, unranked
from tests.oracle.runner import value
from tests.support.node_cases import node_cases

Infer = Callable[[onnx.ModelProto], onnx.ModelProto]


class Case(NamedTuple):
    """A model to infer, the real size of each symbol, and the real shape of each output."""

    name: str
    model: onnx.ModelProto
    sizes: dict[str, int]
    outputs: dict[str, tuple[int, ...]]


@pytest.fixture(scope="module")
def collected() -> list[Any]:
    return [case for case in node_cases() if _is_tensors_only(case)]


def _is_tensors_only(case: Any) -> bool:
    graph = case.model.graph
    kinds = {v.type.WhichOneof("value") for v in (*graph.input, *graph.output)}
    return kinds == {"tensor_type"} and all(
        isinstance(x, TensorProto) or hasattr(x, "shape") for x in case.data_sets[0][1]
    )


def prepared(case: Any, symbolic: bool) -> Case:
    inputs, outputs = case.data_sets[0]
    model = onnx.ModelProto.FromString(case.model.SerializeToString())
    graph, sizes, kept = model.graph, {}, []
    for info, given in zip(case.model.graph.input, inputs, strict=False):
        array = given if isinstance(given, TensorProto) else np.asarray(given)
        if (
            not isinstance(array, TensorProto)
            and array.dtype in (np.int64, np.int32)
            and array.size <= 64
            and array.ndim < 2
        ):
            graph.initializer.append(numpy_helper.from_array(array, info.name))
            continue
        info = onnx.ValueInfoProto.FromString(info.SerializeToString())
        for dim, size in zip(info.type.tensor_type.shape.dim, _shape(array) if symbolic else (), strict=False):
            dim.dim_param = f"s{len(sizes)}"
            sizes[dim.dim_param] = int(size)
        kept.append(info)
    del graph.input[:], graph.value_info[:]
    graph.input.extend(kept)
    for info in graph.output:
        info.type.tensor_type.ClearField("shape")
    real = {info.name: _shape(x) for info, x in zip(case.model.graph.output, outputs, strict=True)}
    return Case(case.name, model, sizes, real)


def _shape(x: Any) -> tuple[int, ...]:
    return tuple(x.dims) if isinstance(x, TensorProto) else tuple(x.shape)


def judged(case: Case, infer: Infer) -> str:
    """ "exact", "partial", "none", or what is wrong."""
    try:
        found = infer(case.model)
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    types = {v.name: v.type.tensor_type for v in found.graph.value_info}
    types |= {v.name: v.type.tensor_type for v in found.graph.output if v.type.tensor_type.HasField("shape")}
    verdict = "exact"
    for name, real in case.outputs.items():
        if name not in types or not types[name].HasField("shape"):
            verdict = "none"
            continue
        dims = types[name].shape.dim
        if len(dims) != len(real):
            return f"{name} has rank {len(dims)}, really {real}"
        for axis, (dim, size) in enumerate(zip(dims, real, strict=True)):
            got = dim.dim_value if dim.HasField("dim_value") else _value(dim.dim_param, case.sizes)
            if got is None:
                verdict = "partial" if verdict == "exact" else verdict
            elif got != size:
                return f"{name}[{axis}] = {dim.dim_param or got} = {got}, really {size} at {case.sizes}"
    return verdict


def _value(text: str, sizes: dict[str, int]) -> Any:
    """None where the text is about a size that only data decide."""
    try:
        return value(text, sizes) if text else None
    except NameError:
        return None


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "symbolic"])
def test_inferred_is_what_happens(collected: list[Any], symbolic: bool) -> None:
    cases = [prepared(case, symbolic) for case in collected]
    ours = {case.name: judged(case, shapesmt.infer_shapes) for case in cases}
    wrong = {name: verdict for name, verdict in ours.items() if verdict not in ("exact", "partial", "none")}
    assert not wrong, "\n".join(f"{name}: {verdict}" for name, verdict in wrong.items())
    theirs = Counter(judged(case, lambda m: onnx.shape_inference.infer_shapes(m, data_prop=True)) for case in cases)
    assert Counter(ours.values())["exact"] >= theirs["exact"]


def test_some_ranks_tell_what_all_tell(collected: list[Any], full: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    single = [case for case in collected if len(case.model.graph.node) == 1]
    trials = [trial for case in single[:: 1 if full else 20] for trial in without_ranks(case)]
    some = [applied(*trial) for trial in trials]
    monkeypatch.setattr(unranked, "MARGIN", MAX_RANK)
    for (graph, inputs), found in zip(trials, some, strict=True):
        assert found == applied(graph, inputs), (graph.nodes, inputs)


def without_ranks(case: Any) -> list[tuple[Graph, dict[str, Tensor]]]:
    """The model of a case with inputs that have no known rank: all of them, and each by itself."""
    graph = load(prepared(case, symbolic=False).model)
    ranked = {name: tensor(d.dtype, d.shape) for name, d in graph.inputs.items()}
    unknown = {name: tensor(t.dtype, None, ndim=rank_symbol(name)) for name, t in ranked.items()}
    each = [ranked | {name: unknown[name]} for name in unknown] if len(unknown) > 1 else []
    return [(graph, inputs) for inputs in (unknown, *each)]


def applied(graph: Graph, inputs: dict[str, Tensor]) -> list[list[Any]]:
    """What is known of each node, but for the functions among it."""
    forget_applications()
    known = [field.name for field in fields(Application) if field.name not in ("origin", "bodies", "decided")]
    return [[getattr(a, name) for name in known] for a in infer(graph, inputs).applications]
