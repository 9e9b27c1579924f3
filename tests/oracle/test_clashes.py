"""Clashes: the axis or element that a finding names has the size that it says, and the side changes with it alone.

Calls that break a law are checked, as they are and with symbols for their sizes, and checked again with one size
changed: the one that is named, and each other one that is equal. All goes by the models and the reports.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import shapesmt
from shapesmt.base.errors import ShapesmtError
from shapesmt.reports.answers.finding import Finding, Side
from tests.oracle.onnx_calls import Call

FAMILIES = ("math", "layout", "windows", "control", "ml", "contrib_attention", "contrib_decoding", "contrib_fused")
CHANGES = (5, 1, 2, -1)
RIVALS = 3  # equal sizes of a model that are changed


class At(NamedTuple):
    """A size of an input or initializer: on an axis, or the element with this index."""

    tensor: str
    axis: int | None
    element: int | None


def broken_calls() -> list[Call]:
    modules = [importlib.import_module(f"tests.oracle.broken.{family}") for family in FAMILIES]
    return [call for module in modules for _, call in module.ROWS]


def sizes(model: onnx.ModelProto) -> dict[At, int | str]:
    """Every size of the inputs and initializers, and every element of short lists of integers."""
    found: dict[At, int | str] = {}
    for given in model.graph.input:
        for axis, d in enumerate(given.type.tensor_type.shape.dim):
            found[At(given.name, axis, None)] = d.dim_param or d.dim_value
    for constant in model.graph.initializer:
        array = numpy_helper.to_array(constant)
        found |= {At(constant.name, axis, None): size for axis, size in enumerate(array.shape)}
        if array.dtype.kind == "i" and array.size <= 64:
            found |= {At(constant.name, None, i): int(n) for i, n in enumerate(array.ravel())}
    return found


def changed(model: onnx.ModelProto, at: At, size: int | str) -> onnx.ModelProto:
    """The model with another size in one place; a longer constant repeats its elements."""
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    for given in copy.graph.input:
        if given.name == at.tensor:
            d = given.type.tensor_type.shape.dim[at.axis]
            d.Clear()
            setattr(d, "dim_param" if isinstance(size, str) else "dim_value", size)
    for constant in copy.graph.initializer:
        if constant.name == at.tensor:
            array = numpy_helper.to_array(constant).copy()
            if at.axis is None:
                array.reshape(-1)[at.element] = size
            else:
                array = np.resize(array, [size if axis == at.axis else n for axis, n in enumerate(array.shape)])
            constant.CopyFrom(numpy_helper.from_array(array, constant.name))
    return copy


def findings(model: onnx.ModelProto) -> tuple[Finding, ...]:
    """The findings of a model; none if it can't be asked about."""
    try:
        return shapesmt.check(model).findings
    except ShapesmtError:
        return ()


def at_counterexample(model: onnx.ModelProto, found: Finding) -> onnx.ModelProto:
    """The model with the sizes of the counterexample."""
    assert found.counterexample is not None
    for name, shape in found.counterexample.inputs.items():
        for axis, size in enumerate(shape):
            model = changed(model, At(name, axis, None), size)
    return model


def value(side: Side) -> int | None:
    return int(side.expr) if side.value is None and side.expr.isdecimal() else side.value


def sides(found: Finding) -> list[Side]:
    return [] if found.clash is None else [found.clash.left, found.clash.right]


def places(named: list[Side]) -> list[At]:
    return [At(side.tensor, side.axis, side.element) for side in named]


def law(found: Finding) -> str:
    return re.sub("-?[0-9]+", "", found.law)


def outcomes(model: onnx.ModelProto, found: Finding, index: int, at: At) -> Iterator[bool]:
    """Whether a side of a clash changes with a size; several answers, as other axes may break the same law."""
    before = [value(side) for side in sides(found)]
    for change in CHANGES:
        size = (before[index] or 0) + change
        expected = [size if i == index else v for i, v in enumerate(before)]
        new = findings(changed(model, at, size)) if size >= 0 or at.axis is None else ()
        for after in (sides(f) for f in new if law(f) == law(found)):
            now = [value(side) for side in after]
            if now == expected or (now == before and places(after) == places(sides(found))):
                yield now == expected


def flaws(model: onnx.ModelProto, tried: Counter[str]) -> Iterator[str]:
    """Return the faults of the axes and elements that the findings about a model name."""
    for found in findings(model):
        if found.clash is None or found.counterexample is None:
            continue
        here = at_counterexample(model, found)
        known, told = sizes(here), f"{model.graph.node[-1].op_type}: {found.title} ({found.law})"
        same = any((f.law, [*map(value, sides(f))]) == (found.law, [*map(value, sides(found))]) for f in findings(here))
        for index, (side, own) in enumerate(zip(sides(found), places(sides(found)), strict=True)):
            if own not in known:
                tried["unnamed"] += 1
                continue
            if known[own] != value(side):
                yield f"{told}: {own} is {known[own]}, not {value(side)}"
            answers = outcomes(here, found, index, own) if same else iter(())
            first = next(answers, None)
            tried["undecided" if first is None else "decided"] += 1
            if first is False and True not in answers:
                yield f"{told}: the side doesn't change with {own}"
            rivals = [at for at, n in known.items() if n == value(side) and at != own]
            for at in rivals[:RIVALS] if first is not None else ():
                answers = outcomes(here, found, index, at)
                if next(answers, False) and False not in answers:
                    yield f"{told}: the side changes with {at} as well as with {own}"


def symbolic(model: onnx.ModelProto, random: Random) -> onnx.ModelProto:
    """The model with symbols, of few names, for most of its inputs' sizes."""
    for at, size in sizes(model).items():
        if at.tensor in {given.name for given in model.graph.input} and random.random() < 0.7:
            model = changed(model, at, random.choice([f"n{size}", f"n{size}", "a", "b"]))
    return model


@pytest.mark.parametrize("change", [lambda model, _: model, symbolic], ids=["numbers", "symbols"])
def test_what_a_clash_names(change: Callable[[onnx.ModelProto, Random], onnx.ModelProto], seeds: range) -> None:
    calls, tried = broken_calls(), Counter[str]()
    for seed in seeds:
        random = Random(seed)
        for call in random.sample(calls, 5):
            assert [*flaws(change(call.proto, random), tried)] == [], f"seed {seed}"
    assert tried["decided"] > tried["undecided"]
