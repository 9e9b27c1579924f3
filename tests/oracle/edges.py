"""Calls at the edges of what an operator takes: one attribute, size, rank or type of a call that runs is changed.

The calls are those of the catalogue, one for each of its lines. Attributes come from the operator's schema: left out,
-1, 0, lists that are too short or too long; types come from its kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import numpy as np
from onnx import helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

from shapesmt.frontends.onnx.reader import schemas as frontend
from tests.oracle.catalogue import ALONE, RECIPES
from tests.oracle.growing import Grown
from tests.oracle.onnx_calls import DRAWS, catalogued
from tests.oracle.onnx_peer import Call
from tests.oracle.onnx_siblings import TYPES, UNREAD, _attributed, _cast, _fed, _filled, schema_of

SYMBOLS, APART = 3, 0.07  # how many sizes vary in a box, and how often an axis has a size of its own
ENDLESS = ("Conv", "FusedConv")  # never end with some kernels of size 0, so the second input's sizes are numbers
LARGE = 3e38
LISTS = {"INTS": (int, (-1, 0)), "FLOATS": (float, (-1.0, 0.0, LARGE))}
NUMBERS = {"INT": (-1, 0), "FLOAT": (-1.0, 0.0, LARGE), "STRING": ("foo",)}


@cache
def lines(seed: int = 0) -> list[Call]:
    """A call of one node for each line of the catalogue that has one, with sizes that the seed draws."""
    found: list[Call] = []
    for place, recipe in enumerate((*RECIPES, *ALONE)):
        drawn = catalogued(range(DRAWS * (seed + place), DRAWS * (seed + place + 1)), recipe)
        found += islice((call for call in drawn if len(call.proto.graph.node) == 1), not recipe.code)
    return found


def operator(call: Call) -> tuple[str, str]:
    """The domain and the name of a call's operator."""
    node = call.proto.graph.node[0]
    return node.domain, node.op_type


def attributes(call: Call) -> Iterator[tuple[str, list[Call]]]:
    """The names of the operator's attributes, each with the calls that have another value of it, -1 first."""
    model = call.proto
    node = model.graph.node[0]
    schema = schema_of(model, node)
    known = frontend().parameters(node.domain, node.op_type, schema.since_version) if schema is not None else None
    for name, formal in sorted(schema.attributes.items()) if schema is not None else ():
        if known is not None and name not in known.attributes:  # of a newer version than the tables of shapesmt
            continue
        given = next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), None)
        values = list(_edges(str(formal.type).split(".")[-1], given)) if name not in UNREAD else []
        if values:
            yield name, [_attributed(call, 0, name, value) for value in values]


def _edges(kind: str, given: Any) -> Iterator[Any]:
    """The values at the edges of an attribute of this kind; None leaves it out."""
    if kind in NUMBERS:
        yield from (value for value in NUMBERS[kind] if value != given)
    elif kind in LISTS:
        one, numbers = LISTS[kind]
        listed = list(given or [one(1)])
        yield from ([number] * len(listed) for number in numbers)
        yield listed[:-1]
        yield [*listed, one(1)]
    elif kind == "STRINGS" and given:
        yield from (given[:-1] or [""], [*given, given[-1]])
    if given is not None:
        yield None


def sizes(call: Call) -> Iterator[Call]:
    """The call with an axis of size 0, an axis that is longer by 1, an axis more or an axis less, for each input."""
    for name, value in call.feeds.items():
        if isinstance(value, np.ndarray):
            shape = value.shape
            others = [(*shape[:i], size, *shape[i + 1 :]) for i in range(len(shape)) for size in (0, shape[i] + 1)]
            for other in dict.fromkeys((*others, (1, *shape), shape[1:])):
                if other != shape:
                    yield _fed(call, {name: _filled(value, other)}, f"{name} of shape {list(other)}")


def types(call: Call) -> Iterator[Call]:
    """The call with inputs of each type that the operator's kernels take."""
    model = call.proto
    node = model.graph.node[0]
    schema = schema_of(model, node)
    formal = schema.inputs if schema is not None else ()
    kinds = [formal[min(i, len(formal) - 1)].typeStr for i in range(len(node.input))] if formal else []
    for kind in dict.fromkeys(kinds):
        names = {name for name, own in zip(node.input, kinds, strict=True) if name and own == kind}
        for dtype in _kernel_types(*operator(call), kind):
            other = _cast(call, names, np.dtype(dtype))
            if other is not None:
                yield replace(other, changed=f"{kind} of type {dtype}")


@cache
def _kernel_types(domain: str, op: str, kind: str) -> Sequence[str]:
    """The types that the kernels of an operator take for a type parameter, as NumPy names them."""
    found = [k.type_constraints.get(kind, ()) for k in _kernels().get((domain, op), ())]
    return sorted({TYPES[t[7:-1]] for listed in found for t in listed if t[7:-1] in TYPES})


@cache
def _kernels() -> dict[tuple[str, str], list[Any]]:
    """The kernels of the CPU by domain and operator."""
    found: dict[tuple[str, str], list[Any]] = {}
    for kernel in get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider":
            found.setdefault((kernel.domain, kernel.op_name), []).append(kernel)
    return found


def kernels() -> set[tuple[str, str]]:
    """The operators that have a kernel on a CPU."""
    return {*_kernels()}


@cache
def boxes() -> list[list[Call]]:
    """Return the calls to try at all sizes: each line of the catalogue, and each attribute at its edges."""
    every = lines()
    first = {operator(call): call for call in reversed(every)}
    return [[call] for call in every] + [edges for call in first.values() for _, edges in attributes(call)]


def boxed(seed: int) -> Grown:
    """A call with sizes that are symbols from 0 to 4, at most three; another edge of each attribute every round."""
    place, turn = (seed - 1) % len(boxes()), (seed - 1) // len(boxes())
    random = Random(f"boxed {seed}")
    call = boxes()[place][turn % len(boxes()[place])]
    model = call.proto
    sizes = sorted({d for value in call.feeds.values() for d in value.shape})
    names = dict(zip(random.sample(sizes, min(len(sizes), SYMBOLS)), "abc", strict=False))
    kernel = model.graph.node[0].input[1] if operator(call)[1] in ENDLESS else ""
    for given in model.graph.input:
        for dim in given.type.tensor_type.shape.dim if given.name != kernel else ():
            if dim.dim_value in names and random.random() > APART:
                dim.dim_param = names[dim.dim_value]
    used = {d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim} - {""}
    data = call.assumed or any(value.dtype.kind in "iu" for value in call.feeds.values())
    node = model.graph.node[0]
    node.name = node.name or node.op_type
    return Grown(seed, model, dict.fromkeys(sorted(used), (0, 4)), frozenset([node.name] if data else ()))
