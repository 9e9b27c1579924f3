"""The siblings of a call: the same call with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

from tests.oracle.onnx_peer import Call, info

RANKS = 6
NUMBERS = (-5, -2, -1, 0, 1, 2, 3, 5)
TEXTS = (
    *("NOTSET", "SAME_UPPER", "VALID", "nearest", "linear", "cubic", "sum", "mean", "none", "reflect", "edge", "wrap"),
    *("constant", "DCR", "CRD", "bilinear", "align_corners", "asymmetric", "half_pixel", "forward", "bidirectional"),
    *("add", "max", "foo"),
)
TYPES = {
    "float": "float32", "double": "float64", "float16": "float16", "bool": "bool", "string": "object",
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip
DOMAINS = ("", "ai.onnx.ml", "com.microsoft")
UNREAD = ("body", "then_branch", "else_branch", "doc_string", "seed")


@cache
def schemas() -> dict[tuple[str, str], list[Any]]:
    """Of every operator of ONNX Runtime its schemas, oldest first."""
    found: dict[tuple[str, str], list[Any]] = {}
    for schema in get_all_operator_schema():
        if schema.domain in DOMAINS and not schema.deprecated:
            found.setdefault((schema.domain, schema.name), []).append(schema)
    return {key: sorted(listed, key=lambda s: s.since_version) for key, listed in found.items()}


def schema_of(model: onnx.ModelProto, node: onnx.NodeProto) -> Any:
    """The schema that holds for a node; None if it has none."""
    version = {o.domain: o.version for o in model.opset_import}.get(node.domain, 1)
    fitting = [s for s in schemas().get((node.domain, node.op_type), ()) if s.since_version <= version]
    return fitting[-1] if fitting else None


def siblings(call: Call) -> Iterator[Call]:
    """The same call with one thing changed: a rank, a size, a type, a constant, an attribute, an input left out."""
    for name, value in call.feeds.items():
        if not isinstance(value, list):
            for shape in _shapes(value.shape):
                yield _fed(call, {name: _filled(value, shape)}, f"{name} of shape {list(shape)}")
    for index, tensor in enumerate(call.proto.graph.initializer):
        for array in _arrays(numpy_helper.to_array(tensor)):
            model = call.proto
            model.graph.initializer[index].CopyFrom(numpy_helper.from_array(array, tensor.name))
            yield _changed(call, model, f"{tensor.name} = {array.dtype}{list(array.shape)} {array.tolist()}"[:200])
    for index, node in enumerate(call.proto.graph.node):
        yield from _typed(call, index)
        yield from _without(call, index)
        schema = schema_of(call.proto, node)
        for name, attribute in sorted(schema.attributes.items()) if schema is not None else ():
            given = next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), None)
            for value in _values(str(attribute.type).split(".")[-1], given) if name not in UNREAD else ():
                yield _attributed(call, index, name, value)


def _changed(call: Call, model: onnx.ModelProto, what: str) -> Call:
    return replace(call, model=model.SerializeToString(), changed=what)


def _fed(call: Call, feeds: dict[str, Any], what: str) -> Call:
    """The call with other inputs."""
    model = call.proto
    for given in model.graph.input:
        if given.name in feeds:
            given.CopyFrom(info(given.name, feeds[given.name]))
    return replace(_changed(call, model, what), feeds={**call.feeds, **feeds})


def _shapes(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Other ranks and sizes."""
    others = [(1,) * rank for rank in range(RANKS + 1)]
    others += [(1, *shape), (*shape, 1), (*shape, 2), shape[1:], shape[:-1]]
    others += [(1,) * (rank - len(shape)) + shape for rank in range(len(shape) + 2, RANKS + 1)]
    for axis, size in enumerate(shape):
        others += [(*shape[:axis], s, *shape[axis + 1 :]) for s in (0, 1, size - 1, size + 1, 2 * size)]
    return [s for s in dict.fromkeys(others) if s != shape and min(s, default=0) >= 0]


def _filled(value: Any, shape: tuple[int, ...]) -> Any:
    """An array of another shape that holds the same numbers, as far as they go."""
    if not value.size:
        return np.full(shape, "a" if value.dtype.kind == "O" else 1).astype(value.dtype)
    return np.resize(value, shape)


def _arrays(array: Any) -> Iterator[Any]:
    """Other constants: of other ranks, of other lengths, with other elements."""
    others = [_filled(array, shape) for shape in _shapes(array.shape)]
    if array.dtype.kind in "iuf" and array.size <= 8:
        for at in np.ndindex(array.shape):
            near = () if array.dtype.kind == "f" else (int(array[at]) + 1, int(array[at]) - 1)
            for number in dict.fromkeys((*NUMBERS, *near)):
                if array.dtype.kind == "f" or np.iinfo(array.dtype).min <= number <= np.iinfo(array.dtype).max:
                    other = array.copy()
                    other[at] = number
                    others.append(other)
    for other in others:
        if other.shape != array.shape or (other != array).any():
            yield other


def _typed(call: Call, index: int) -> Iterator[Call]:
    """Other types that the schema allows, of one input or of all that share a type."""
    model = call.proto
    node = model.graph.node[index]
    schema = schema_of(model, node)
    if schema is None or not schema.inputs:
        return
    formal = [schema.inputs[min(i, len(schema.inputs) - 1)] for i in range(len(node.input))]
    for name, parameter in zip(node.input, formal, strict=True):
        alike = {n for n, p in zip(node.input, formal, strict=True) if n and p.typeStr == parameter.typeStr}
        kinds = [TYPES[t[7:-1]] for t in sorted(parameter.types) if t[7:-1] in TYPES]
        for kind in kinds:
            for group in ({name}, alike) if len(alike) > 1 else ({name},):
                other = _cast(call, group, np.dtype(kind))
                if name and other is not None:
                    yield replace(other, changed=f"{', '.join(sorted(group))} of type {kind}")


def _cast(call: Call, names: set[str], kind: np.dtype[Any]) -> Call | None:
    """The call with these inputs of another type; None where nothing changes."""
    feeds = {n: v for n, v in call.feeds.items() if n in names and not isinstance(v, list) and v.dtype != kind}
    try:
        found = _fed(call, {n: _as(v, kind) for n, v in feeds.items()}, "")
        model = found.proto
        weights = [t for t in model.graph.initializer if t.name in names]
        for tensor in weights:
            array = _as(numpy_helper.to_array(tensor), kind)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    except (TypeError, ValueError):
        return None
    found = _changed(found, model, "")
    return found if found.model != call.model else None


def _as(array: Any, kind: np.dtype[Any]) -> Any:
    with np.errstate(all="ignore"):
        return np.full(array.shape, "a", object) if kind.kind == "O" else array.astype(kind)


def _without(call: Call, index: int) -> Iterator[Call]:
    """One input left out, and those from it on; one too many."""
    for place, name in enumerate(call.proto.graph.node[index].input):
        for cut in (False, True):
            model = call.proto
            node = model.graph.node[index]
            if cut:
                del node.input[place:]
            else:
                node.input[place] = ""
            yield _changed(call, model, f"{'no inputs from' if cut else 'no'} {name}")
    model = call.proto
    if model.graph.node[index].input:
        model.graph.node[index].input.append(model.graph.node[index].input[-1])
        yield _changed(call, model, "an input more")


def _attributed(call: Call, index: int, name: str, value: Any) -> Call:
    """The call with another value of an attribute; without it where that is None."""
    model = call.proto
    node = model.graph.node[index]
    kept = [a for a in node.attribute if a.name != name]
    del node.attribute[:]
    node.attribute.extend(kept)
    if value is not None:
        schema = schema_of(model, node) if value == [] else None
        kind = str(schema.attributes[name].type).split(".")[-1] if schema is not None else ""
        empty = onnx.AttributeProto.AttributeType.Value(kind) if kind else None
        node.attribute.append(helper.make_attribute(name, value, attr_type=empty))
    return _changed(call, model, f"{name}={value}")


def _values(kind: str, value: Any) -> list[Any]:
    """Other values of an attribute of this kind; None stands for none."""
    found: list[Any] = [] if value is None else [None]
    text = value.decode() if isinstance(value, bytes) else value
    if kind == "INT":
        near = () if value is None else (value - 1, value + 1)
        found += [v for v in dict.fromkeys((*NUMBERS, 9, *near)) if v != value]
    elif kind == "FLOAT":
        found += [v for v in (-1.0, 0.0, 0.5, 1.0, 2.0) if v != value]
    elif kind == "STRING":
        found += [v for v in TEXTS if v != text]
    elif kind in ("INTS", "FLOATS"):
        one = int if kind == "INTS" else float
        if not value:
            return [*found, *([one(n)] * length for length in (1, 2, 3, 4) for n in (0, 1, 2, -1))]
        listed = list(value)
        found += [listed[:-1]] if len(listed) > 1 else []
        found += [[*listed, listed[-1]], [*listed, one(1)]]
        for place in range(min(len(listed), 6)):
            found += [[*listed[:place], one(n), *listed[place + 1 :]] for n in NUMBERS if n != listed[place]]
    elif kind == "STRINGS" and value:
        found += [v for v in ([*value, value[-1]], value[:-1]) if v]
    return found
