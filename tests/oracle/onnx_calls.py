"""Calls that ONNX Runtime runs, of every operator at each of its versions: what the oracle's siblings are made from.

They are the node cases of the `onnx` package and the catalogue of the random graphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnx.parser
from onnx import helper, numpy_helper

from shapesmt.frontends.onnx.tables import ADDED
from tests.oracle.catalogue import ALONE
from tests.oracle.growing import fresh
from tests.oracle.onnx_peer import Call, Run, made_call, outcomes
from tests.oracle.onnx_siblings import schema_of, schemas
from tests.oracle.recipes import Recipe
from tests.oracle.runner import input_shape, varied
from tests.support.node_cases import node_cases

OLDEST = 7
SMALL = 16  # elements of what is a constant, if it has at most one axis
DRAWS = 9  # of a line of the catalogue, of which the first that runs is taken
LARGE = 2000  # elements of what is left out


class Constant(NamedTuple):
    """An input that is in the file."""

    array: Any


def x(*shape: int, dtype: str = "float32") -> Any:
    """An input of data."""
    return np.ones(shape, dtype)


def k(values: Any, dtype: str = "int64") -> Constant:
    """An input that is a constant."""
    return Constant(np.array(values, dtype))


def t(values: Any, dtype: str = "float32") -> onnx.TensorProto:
    """An attribute that is a tensor."""
    return numpy_helper.from_array(np.array(values, dtype))


def op(name: str, *inputs: Any, version: int = 21, domain: str = "", outputs: int = 1, **attributes: Any) -> Call:
    """A call of one operator; None leaves an input out."""
    names = ["" if given is None else f"x{i}" for i, given in enumerate(inputs)]
    node = helper.make_node(name, names, [f"y{i}" for i in range(outputs)], domain=domain, **attributes)
    pairs = list(zip(names, inputs, strict=True))
    feeds = {n: given for n, given in pairs if n and not isinstance(given, Constant)}
    constants = {n: given.array for n, given in pairs if isinstance(given, Constant)}
    opsets = [helper.make_opsetid(domain, version)] + ([helper.make_opsetid("", 21)] if domain else [])
    return made_call([node], feeds, constants, opsets)


def graph(text: str, version: int = 18, domain: str = "com.microsoft") -> Call:
    """A call of a graph, as text, whose inputs hold ones; its operators are ONNX's, or of that domain."""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {version}, "{domain}": 1]> g {text}')
    feeds = {}
    for given in model.graph.input:
        kind = given.type.tensor_type
        shape = [d.dim_value for d in kind.shape.dim]
        feeds[given.name] = np.ones(shape, helper.tensor_dtype_to_np_dtype(kind.elem_type))
    return Call(model.SerializeToString(), feeds)


def calls(seeds: Iterable[int]) -> list[Call]:
    """A call of each way to use a version of an operator; `seeds` choose the catalogue's. Not all of them run."""
    found: dict[Any, Call] = {}
    for call in [*catalogued(seeds), *_node_cases(), *_alone(), *_others()]:
        for version in [call, *_versions(call)]:
            if _is_defined(version):
                found.setdefault(_way(version), version)
    return list(found.values())


def _is_defined(call: Call) -> bool:
    """Whether ONNX defines the operators of its domains; ONNX Runtime has some for earlier versions, too."""
    model = call.proto
    versions = {o.domain: o.version for o in model.opset_import}
    named = [n for n in model.graph.node if n.domain != "com.microsoft" and n.op_type not in ADDED]
    return all(onnx.defs.has(n.op_type, versions.get(n.domain, 1), n.domain) for n in named)


def running(candidates: Sequence[Call]) -> list[tuple[Call, Run]]:
    """Those of the calls that ONNX Runtime runs, and what it makes of them."""
    runs = zip(candidates, outcomes(candidates), strict=True)
    return [(call, run) for call, run in runs if not (run.refused or run.open)]


def _way(call: Call) -> Any:
    """The operators and versions, the inputs' types and ranks, and which attributes are given."""
    model = call.proto
    constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values = {**call.feeds, **constants}
    kinds = []
    for node in model.graph.node:
        schema = schema_of(model, node)
        inputs = [values.get(n) for n in node.input]
        shown = [(x.dtype.str, x.ndim) if isinstance(x, np.ndarray) else type(x).__name__ for x in inputs]
        texts = [a.s for a in node.attribute if a.type == onnx.AttributeProto.STRING]
        version = schema.since_version if schema else 0
        kinds.append((node.domain, node.op_type, version, *shown, *sorted(a.name for a in node.attribute), *texts))
    return tuple(kinds)


def catalogued(seeds: Iterable[int], recipe: Recipe | None = None) -> Iterator[Call]:
    """A call of the recipe, or of the line of the catalogue that each seed draws; none where it finds no sizes."""
    for seed in seeds:
        grown = fresh(seed, recipe)
        if grown is None:
            continue
        case, sizes = grown
        feeds = {}
        for given in case.model.graph.input:
            dtype = helper.tensor_dtype_to_np_dtype(given.type.tensor_type.elem_type)
            feeds[given.name] = np.asarray(varied(given.name, dtype, input_shape(given, sizes)))
        weights = {t.name: numpy_helper.to_array(t) for t in case.model.graph.initializer}
        graph = case.model.graph
        yield made_call(graph.node, feeds, weights, case.model.opset_import, bool(case.assumed))


def _alone() -> Iterator[Call]:
    """Yield calls of operators that are tried by themselves only."""
    for recipe in ALONE:
        yield from islice(catalogued(range(DRAWS), recipe), 1)


def _others() -> Iterator[Call]:
    """Yield a call of a version that the catalogue hasn't, and one of quantized embeddings without segments."""
    yield op("SimplifiedLayerNormalization", x(2, 3), x(3), version=1, outputs=2)
    words, scale, zero = k([[0, 0]], "int32"), k(1, "float32"), k(0, "uint8")
    tables = {i: x(*shape, dtype="uint8") for i, shape in enumerate([(5, 4), (6, 4), (2, 4), (4,), (4,)], 2)}
    every = {0: words, 1: words, **tables, **dict.fromkeys(range(8, 13), scale), **dict.fromkeys(range(13, 18), zero)}
    inputs = [None if i in (1, 4, 10, 15) else every.get(i) for i in range(18)]
    yield op("QEmbedLayerNormalization", *inputs, domain="com.microsoft", version=1, outputs=2, epsilon=0.5)


def _node_cases() -> Iterator[Call]:
    for case in node_cases():
        values = dict(zip([i.name for i in case.model.graph.input], case.data_sets[0][0], strict=False))
        plain = all(isinstance(v, np.ndarray) or (isinstance(v, list) and v) for v in values.values())
        if not plain or any(np.size(v) > LARGE for v in values.values() if isinstance(v, np.ndarray)):
            continue
        graph = case.model.graph
        if len(graph.node) > 1:
            continue
        constants = {n: v for n, v in values.items() if isinstance(v, np.ndarray) and v.ndim < 2 and v.size <= SMALL}
        constants = {n: v for n, v in constants.items() if v.dtype.kind in "iu"}
        feeds = {n: v for n, v in values.items() if n not in constants}
        weights = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        try:
            yield made_call(graph.node, feeds, {**weights, **constants}, case.model.opset_import)
        except (KeyError, TypeError, ValueError):  # a type that NumPy or this package doesn't write
            continue


def _versions(call: Call) -> Iterator[Call]:
    """The same call at the other versions of its operator, what was an attribute there made one again."""
    model = call.proto
    if len(model.graph.node) > 1 or any(a.HasField("g") for a in model.graph.node[0].attribute):
        return
    node = model.graph.node[0]
    newest = schema_of(model, node)
    weights = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for schema in schemas().get((node.domain, node.op_type), ()):
        if newest is None or schema.since_version == newest.since_version:
            continue
        other = call.proto
        for opset in other.opset_import:
            if opset.domain == node.domain:
                opset.version = max(schema.since_version, OLDEST if node.domain == "" else 1)
        changed = other.graph.node[0]
        for place in reversed(range(len(changed.input))):
            name = changed.input[place]
            formal = newest.inputs[min(place, len(newest.inputs) - 1)].name
            if formal in schema.attributes and name in weights and weights[name].size:
                changed.attribute.append(helper.make_attribute(formal, weights[name].tolist()))
                del changed.input[place]
        kept = [a for a in changed.attribute if a.name in schema.attributes]
        del changed.attribute[:]
        changed.attribute.extend(kept)
        yield replace(call, model=other.SerializeToString())
