"""Single operators drawn at random: sizes from 0 to 4 or far beyond 32 bits, attributes from the operator's schema.

Each is a call of `tests.oracle.onnx_calls` whose sizes are changed, equal ones alike, and up to two attributes or
constants. Operators have equal chances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from random import Random
from typing import Any

from onnx import helper, numpy_helper

from tests.oracle.onnx_calls import calls
from tests.oracle.onnx_peer import Call
from tests.oracle.onnx_siblings import (
    DOMAINS,
    UNREAD,
    _arrays,
    _attributed,
    _changed,
    _fed,
    _filled,
    _values,
    schema_of,
)

SIZES = range(5)
FAR = (2**24, 2**31, 2**32)  # and a little more
UNFIT = ("StringNormalizer",)  # it needs a locale, which not every machine has
APART, FARTHER = 0.15, 0.04  # how often an axis has a size of its own, and how often one is far


def families(seeds: Sequence[int]) -> list[list[Call]]:
    """For each operator the calls to draw from: every version, each way to use it."""
    found: dict[str, list[Call]] = {}
    for call in calls(seeds):
        nodes, held = call.proto.graph.node, call.feeds.values()
        fit = nodes[0].domain in DOMAINS and nodes[0].op_type not in UNFIT
        if len(nodes) == 1 and fit and all(not isinstance(v, list) and v.dtype.kind in "fiubOU" for v in held):
            found.setdefault(f"{nodes[0].domain}.{nodes[0].op_type}", []).append(call)
    return [found[name] for name in sorted(found)]


def drawn(families: Sequence[Sequence[Call]], seed: int) -> Call:
    """The call of this seed."""
    random = Random(f"single {seed}")
    call = _sized(random.choice(random.choice(families)), random)
    for _ in range(random.choice((0, 1, 1, 2))):
        call = _redrawn(call, random)
    return replace(call, changed=f"the draws of seed {seed}")


def _sized(call: Call, random: Random) -> Call:
    if random.random() < 0.1:
        return call
    sizes = {d: random.choice(SIZES) for value in call.feeds.values() for d in value.shape}
    sizes.update((d, d) for d in list(sizes) if random.random() < 0.4)
    feeds = {}
    for name, value in call.feeds.items():
        shape = [random.choice(SIZES) if random.random() < APART else sizes[d] for d in value.shape]
        feeds[name] = _filled(value, _far(shape, random) if random.random() < FARTHER else tuple(shape))
    return _fed(call, feeds, "")


def _far(shape: list[int], random: Random) -> tuple[int, ...]:
    """The shape with a far size and an axis that is empty, so that nothing is allocated."""
    if len(shape) > 1:
        empty, far = random.sample(range(len(shape)), 2)
        shape[empty], shape[far] = 0, random.choice(FAR) + random.randrange(5)
    return tuple(shape) if prod(shape) < 2**16 else (0,) * len(shape)


def _redrawn(call: Call, random: Random) -> Call:
    """The call with another value of one attribute, or of one constant."""
    model = call.proto
    schema = schema_of(model, model.graph.node[0])
    constants = [i for i, t in enumerate(model.graph.initializer) if prod(t.dims) <= 8]
    if constants and random.random() < 0.4:
        index = random.choice(constants)
        tensor = model.graph.initializer[index]
        others = list(_arrays(numpy_helper.to_array(tensor)))
        if others:
            tensor.CopyFrom(numpy_helper.from_array(random.choice(others), tensor.name))
        return _changed(call, model, "")
    names = sorted(set(schema.attributes) - set(UNREAD)) if schema is not None else []
    if not names:
        return call
    name = random.choice(names)
    given = next((a for a in model.graph.node[0].attribute if a.name == name), None)
    values = list(_attribute_values(schema.attributes[name], given))
    return _attributed(call, 0, name, random.choice(values)) if values else call


def _attribute_values(formal: Any, given: Any) -> Iterator[Any]:
    yield from _values(str(formal.type).split(".")[-1], None if given is None else helper.get_attribute_value(given))
