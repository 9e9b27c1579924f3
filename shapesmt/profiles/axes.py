"""Axes: the sizes of a program's inputs as `torch.export` states them: a `Dim`, `2*Dim + 1`, or one that it finds.

>>> from shapesmt.algebra import symbol
>>> of_size(2 * symbol("h") + 1, {"h": SymbolRange(8, 64, 8)})
Axis(root='h', factor=16, offset=1)
>>> of_size(symbol("h") * symbol("w"), {}) is None
True
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from shapesmt.algebra import Dim, evaluate
from shapesmt.examine import Problem
from shapesmt.report import SymbolRange


class Root(NamedTuple):
    """The size that a `Dim` stands for; if only its multiples occur, the size without the factor."""

    symbol: str
    low: int
    high: int | None
    step: int


class Axis(NamedTuple):
    """A size as a multiple of a root, plus a constant."""

    root: str
    factor: int = 1
    offset: int = 0


class Layout(NamedTuple):
    """The sizes of all inputs: a number, an `Axis`, or None for a size that depends on others in another way."""

    inputs: dict[str, list[int | Axis | None]]
    roots: dict[str, Root]


def layout(problem: Problem) -> Layout:
    """Return the sizes of the inputs of a problem."""
    inputs: dict[str, list[int | Axis | None]] = {}
    ranges = {name: r for name, r in problem.ranges.items() if name in problem.dims}
    for name, t in problem.inputs.items():
        sizes = t.shape or ()
        inputs[name] = [size.constant if size.constant is not None else of_size(size, ranges) for size in sizes]
    used = {axis.root for axes in inputs.values() for axis in axes if isinstance(axis, Axis)}
    return Layout(inputs, {name: _root(name, ranges[name]) for name in ranges if name in used})


def _root(name: str, r: SymbolRange) -> Root:
    high = None if r.max is None else r.max // r.step
    return Root(name, r.min // r.step, high, r.step)


def of_size(size: Dim, ranges: Mapping[str, SymbolRange]) -> Axis | None:
    """Return a size as a multiple of one symbol plus a constant; None if it isn't one."""
    one = next(iter(size.symbols)) if len(size.symbols) == 1 else None
    terms = [(atoms, factor) for atoms, factor in size.terms if atoms]
    if one is None or one.name not in ranges or [atoms for atoms, _ in terms] != [(one.number,)]:
        return None
    ((_, factor),) = terms
    offset, r = int(evaluate(size, {one: 0})), ranges[one.name]
    return Axis(one.name, int(factor) * r.step, offset + int(factor) * (r.min % r.step)) if factor > 0 else None
