"""Charts: the bytes over the values of one dimension, or of two, to be drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapesmt.prover.algebra import Assignment, Atom, Dim, Evaluator, Kind, evaluate
from shapesmt.prover.presolve import Domain, Spread, values_of
from shapesmt.reports.answers import Chart
from shapesmt.tasks.memory.points import Point

LINE, SIDE = 161, 41  # maximum number of values on the axis of one dimension, and on each of two
ALONE = 4  # maximum number of dimensions drawn alone


def make_charts(
    points: Sequence[Point], domain: Domain, dims: Mapping[str, Dim], fixed: Assignment
) -> tuple[Chart, ...]:
    """Return a chart for each of the four widest dimensions on which the bytes depend, and one of the two widest.

    The other symbols have their values in `fixed`. No chart if the bytes depend on a symbol without a value there.
    """
    involved = frozenset[Atom]().union(*(p.bytes.symbols for p in points))
    known = [p for p in points if p.bytes.symbols <= fixed.keys()]
    named = {name: s for name, d in dims.items() if (s := _symbol(d)) is not None and s in involved}
    if not named or len(known) < len(points):
        return ()
    values = {name: values_of(domain, s, LINE, Spread.EVEN) for name, s in named.items()}
    order = sorted((name for name in named if len(values[name]) > 1), key=lambda name: -_width(domain, named[name]))
    shown = [(name,) for name in order[:ALONE]] + list(combinations(order[:2], 2))
    view = _View(known, domain, dims, named, fixed)
    return tuple([view.chart(names) for names in shown])


class _View:
    """The points of a model over a domain, with fixed values of all dimensions except a chart's."""

    def __init__(
        self,
        points: Sequence[Point],
        domain: Domain,
        dims: Mapping[str, Dim],
        named: Mapping[str, Atom],
        fixed: Assignment,
    ) -> None:
        self._points, self._domain, self._dims, self._named, self._fixed = points, domain, dims, named, fixed

    def chart(self, names: tuple[str, ...]) -> Chart:
        """Return the chart of the bytes over one or two named dimensions; the others have their fixed values."""
        most = LINE if len(names) == 1 else SIDE
        axes = [values_of(self._domain, self._named[name], most, Spread.EVEN) for name in names]
        grid = np.meshgrid(*axes)
        at: dict[Atom, Any] = {**self._fixed, **{self._named[n]: part for n, part in zip(names, grid, strict=True)}}
        evaluator, shape = Evaluator(at), grid[0].shape
        highest = np.zeros(shape)
        for point in self._points:
            held = np.broadcast_to(np.asarray(evaluator.dim(point.bytes), dtype=np.float64), shape)
            runs = evaluator.formula(point.runs) if point.runs.symbols <= at.keys() else True
            highest = np.maximum(highest, np.where(runs, held, 0))
        facts = [evaluator.formula(fact) for fact in self._domain.facts if fact.symbols <= at.keys()]
        valid = np.logical_and.reduce([np.broadcast_to(np.asarray(fact), shape) for fact in (True, *facts)])
        rows = [[int(b) if ok else None for b, ok in zip(*row, strict=True)] for row in _rows(highest, valid)]
        values = {name: self._values(name, axis) for name, axis in zip(names, axes, strict=True)}
        drawn = {self._named[name] for name in names}
        others = {n: int(evaluate(d, self._fixed)) for n, d in self._dims.items() if d.symbols.isdisjoint(drawn)}
        return Chart(values, tuple(map(tuple, rows)), others)

    def _values(self, name: str, axis: NDArray[np.int64]) -> tuple[int, ...]:
        s = self._named[name]
        return tuple([int(evaluate(self._dims[name], {s: int(value)})) for value in axis])


def _rows(most: NDArray[np.float64], valid: NDArray[np.bool_]) -> list[tuple[list[float], list[bool]]]:
    rows = zip(np.atleast_2d(most).tolist(), np.atleast_2d(valid).tolist(), strict=True)
    return list(rows)


def _symbol(d: Dim) -> Atom | None:
    """Return the one input symbol of a dimension; None if it has another number or kind of symbols."""
    one = next(iter(d.symbols)) if len(d.symbols) == 1 else None
    return one if one is not None and one.kind in (Kind.INPUT, Kind.VALUE) else None


def _width(domain: Domain, s: Atom) -> float:
    lo, hi = domain.ends(s)
    return (hi - lo) / s.step
