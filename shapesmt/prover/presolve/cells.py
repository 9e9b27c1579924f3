"""Cells: sets of points along which expressions are polynomials, with bounds of the expressions.

A point is one value of each symbol. A cell is a first point and, for each of its directions, a step and a number of
points. For example, `first=(4, 28)` with unbounded steps `(4, 0)` and `(0, 28)` has all heights that are multiples
of 4 with all widths that are multiples of 28. A polynomial is the sum of its differences at the first point times
binomials. If `4*i*j + 3*i` has no negative difference, its minimum is at the first point. So a few values bound it on
infinitely many points.

All functions work on many cells at once. The last axis of their arrays counts the cells; of differences, the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import inf, prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from shapesmt.base.deadline import look
from shapesmt.base.lazy import np
from shapesmt.prover.algebra import Dim, Formula

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT = 2.0**50  # larger absolute values are replaced by infinity
ENDLESS = 1e20  # stands for infinitely many points: unlike inf, its product with 0 is 0
GREATEST = 1e100  # the cap for products of such numbers

Truth: TypeAlias = "NDArray[np.bool_]"
Integers: TypeAlias = "NDArray[np.int64]"
Reals: TypeAlias = "NDArray[np.float64]"


class Cells(NamedTuple):
    """Sets of points.

    Attributes:
        first: The first point, by symbol and cell.
        steps: The step by which a symbol grows, by direction, symbol and cell; never negative.
        length: The number of points along each direction, by direction and cell; may be infinite.
        passed: The number of points along the direction that were split off before, by direction and cell.
    """

    first: Integers
    steps: Integers
    length: Reals
    passed: Reals

    @property
    def number(self) -> int:
        """The number of cells."""
        return int(self.first.shape[1])

    @property
    def moving(self) -> Integers:
        """The steps, 0 along directions with only one point."""
        return np.where(self.length[:, None] > 1, self.steps, 0)

    def where(self, chosen: Truth | Integers) -> Cells:
        """Return the cells selected by a mask or by indices."""
        return Cells(self.first[:, chosen], self.steps[..., chosen], self.length[:, chosen], self.passed[:, chosen])

    def concatenate(self, others: Cells) -> Cells:
        """Return these cells followed by others."""
        first, steps, length, passed = (np.concatenate(parts, axis=-1) for parts in zip(self, others, strict=True))
        return Cells(first, steps, length, passed)

    def spread(self, depths: Sequence[int]) -> Cells:
        """Return the same points; cells with at most `depths[k]` points along direction k become one cell per point."""
        cells = self
        for k, depth in enumerate(depths):
            times = np.where(cells.length[k] <= depth, cells.length[k], 1).astype(np.int64)
            if (times == 1).all():
                continue
            alone = np.repeat(times > 1, times)
            place = np.arange(len(alone)) - np.repeat(np.cumsum(times) - times, times)
            cells = cells.where(np.repeat(np.arange(cells.number), times))
            cells = cells._replace(first=cells.first + place * cells.steps[k])
            cells.length[k, alone] = 1
        return cells


class Bounds(NamedTuple):
    """The finite differences of an expression along the directions of each cell, and its bounds there.

    `differences[c, 1, 2]` is of the first order along the first direction, of the second along the second one.
    """

    differences: Integers
    low: Reals
    high: Reals

    def where(self, chosen: Truth) -> Bounds:
        """Return the bounds on the selected cells."""
        return Bounds(self.differences[chosen], self.low[chosen], self.high[chosen])

    @property
    def first(self) -> Integers:
        """The value at the first point of each cell."""
        return _flat(self.differences)[:, 0]

    def along(self, k: int) -> Integers:
        """Return the differences along direction `k` alone, by cell and order."""
        one_line = tuple(slice(None) if axis in (0, k + 1) else 0 for axis in range(self.differences.ndim))
        line: Integers = self.differences[one_line]
        return line

    def within(self, depths: Sequence[int]) -> Truth:
        """Return a mask of the cells on which every difference of a higher order than `depths` is 0."""
        higher = np.ones(self.differences.shape[1:], dtype=bool)
        higher[tuple(slice(depth + 1) for depth in depths)] = False
        within: Truth = np.count_nonzero(self.differences[:, higher], axis=1) == 0
        return within


class Known(NamedTuple):
    """Masks of the cells on which a condition is known to hold at all points, at none, and at the first point."""

    always: Truth
    never: Truth
    first: Truth


def bounds_of(values: Integers, length: Reals) -> list[Bounds]:
    """Return each expression's differences and bounds on every cell.

    `values` has the values at the first few points along every direction, as `[expression, cell, i, j, ...]`;
    `length` is as in `Cells`.
    """
    values, weight = values.copy(), np.ones(())
    for k, count in enumerate(length):
        moved = np.moveaxis(values, k + 2, 0)
        for order in range(1, len(moved)):
            moved[order:] -= moved[order - 1 : -1].copy()
        weight = np.minimum(weight * row_along(k, _binomials(count, len(moved) - 1), len(length)), GREATEST)
    terms = values * weight
    terms = np.where(np.abs(terms) > EXACT, np.copysign(inf, terms), terms).reshape(
        *values.shape[:2], prod(values.shape[2:])
    )
    start, others = terms[..., 0], terms[..., 1:]
    low = np.minimum(start, EXACT) + np.minimum(others, 0).sum(axis=-1)
    high = np.maximum(start, -EXACT) + np.maximum(others, 0).sum(axis=-1)
    return [Bounds(*parts) for parts in zip(values, low, high, strict=True)]


def _binomials(count: Reals, degree: int) -> Reals:
    """Return the maximum of the binomial `i over k` for `i < count`, for every `k` up to `degree`."""
    count, columns = np.minimum(count, ENDLESS), [np.ones(len(count))]
    for k in range(degree):
        columns.append(columns[-1] * np.maximum(count - 1 - k, 0) / (k + 1))
    return np.stack(columns, axis=1)


def row_along(k: int, values: NDArray[Any], rank: int) -> NDArray[Any]:
    """Reshape `[cells, n]` to one axis per direction, n along direction `k`: `[cells, 1, n]` for k = 1 and rank 2."""
    return values.reshape(len(values), *(values.shape[1] if i == k else 1 for i in range(rank)))


def _flat(values: NDArray[Any]) -> NDArray[Any]:
    """Reshape to one row per cell."""
    return values.reshape(len(values), prod(values.shape[1:]))


def truth_of(formula: Formula, known: Mapping[Dim, Bounds], number: int) -> Known:
    """Return the truth of a condition on `number` cells; `known` has the bounds of the expressions that it compares."""

    @cache
    def of(part: Formula) -> Known:
        if part.dim is not None:
            return _truth_of_comparison(part.op, known[part.dim])
        neutral = np.full(number, part.op in ("and", "true"))
        every, some = (np.logical_and, np.logical_or) if part.op == "and" else (np.logical_or, np.logical_and)
        truth = Known(neutral, ~neutral, neutral)
        for own in map(of, part.args):
            look()
            truth = Known(every(truth.always, own.always), some(truth.never, own.never), every(truth.first, own.first))
        return truth

    return of(formula)


def _truth_of_comparison(op: str, b: Bounds) -> Known:
    """Return, for each cell, whether the bounds of e prove or refute `e == 0`, `e != 0` or `e >= 0`.

    `op` is "eq", "ne" or "ge". The result's `first` is the truth at the first point of each cell.
    """
    if op == "ge":
        return Known(b.low >= 0, b.high < 0, b.first >= 0)
    shared = np.gcd.reduce(_flat(b.differences)[:, 1:], axis=1)
    never = (b.low > 0) | (b.high < 0) | ((shared > 0) & (b.first % np.maximum(shared, 1) != 0))
    always, first = (b.low == 0) & (b.high == 0), b.first == 0
    return Known(always, never, first) if op == "eq" else Known(never, always, ~first)


def split(cells: Cells, known: Iterable[Bounds]) -> Cells:
    """Split each cell in two, so that expressions change their signs on fewer cells; the points stay the same.

    If an expression grows along one unbounded direction and falls along another, like `i - j`, the cell is split at
    equal numbers of steps: on each side, a step along both directions replaces a step along one. Other cells are split
    along the direction with the smallest `passed`: after as many points again, in the middle, or at a change of sign.
    """
    slopes = _slopes(np.stack([b.differences for b in known]))
    rising, falling = _opposite(cells, slopes)
    divided = rising >= 0
    halves = _halve(cells.where(~divided), slopes.where(~divided))
    return halves.concatenate(_split_by_steps(cells.where(divided), rising[divided], falling[divided]))


class Slopes(NamedTuple):
    """The slopes of expressions on cells, by expression and cell.

    Attributes:
        first: The value at the first point.
        units: The first difference along each direction; directions are the first axis.
        linear: Whether all other differences are 0.
    """

    first: Integers
    units: Integers
    linear: Truth

    def where(self, chosen: Truth) -> Slopes:
        """Return the slopes on the selected cells."""
        return Slopes(self.first[:, chosen], self.units[..., chosen], self.linear[:, chosen])


def _slopes(differences: Integers) -> Slopes:
    rank = differences.ndim - 2
    units = np.zeros((rank, *differences.shape[:2]), dtype=np.int64)
    for k in range(rank):
        if differences.shape[k + 2] > 1:
            units[k] = np.moveaxis(differences, k + 2, 2)[:, :, 1].reshape(*differences.shape[:2], -1)[:, :, 0]
    every = differences.reshape(*differences.shape[:2], prod(differences.shape[2:]))
    others = np.count_nonzero(every[..., 1:], axis=-1)
    return Slopes(every[..., 0], units, others == np.count_nonzero(units, axis=0))


def _opposite(cells: Cells, slopes: Slopes) -> tuple[Integers, Integers]:
    """Return two unbounded directions of each cell along which a linear expression grows and falls; -1 if none."""
    ways = np.where((cells.length == inf)[:, None] & slopes.linear, np.sign(slopes.units), 0)
    both = (ways.max(axis=0) > 0) & (ways.min(axis=0) < 0)
    chosen = np.take_along_axis(ways, both.argmax(axis=0)[None, None], axis=1)[:, 0]  # of the first such expression
    some = both.any(axis=0)
    return np.where(some, chosen.argmax(axis=0), -1), np.where(some, chosen.argmin(axis=0), -1)


def _split_by_steps(cells: Cells, one: Integers, other: Integers) -> Cells:
    """Return cells with the points at least as many steps along `one` as along `other`, then cells with the rest.

    `one` and `other` are two directions of each cell.
    """
    each = np.arange(cells.number)
    cells.passed[one, each] = cells.passed[other, each] = 1
    more, fewer = cells._replace(steps=cells.steps.copy()), cells._replace(steps=cells.steps.copy())
    both = cells.steps[one, :, each] + cells.steps[other, :, each]
    more.steps[other, :, each] = both
    fewer.steps[one, :, each] = both
    return more.concatenate(fewer._replace(first=cells.first + cells.steps[other, :, each].T))


def _halve(cells: Cells, slopes: Slopes) -> Cells:
    """Split each cell in two along one direction."""
    each = np.arange(cells.number)
    axis = np.argmin(np.where(cells.length > 1, cells.passed, inf), axis=0)
    count, passed = cells.length[axis, each], cells.passed[axis, each]
    head = np.where(count > passed, passed, np.floor(count / 2))
    crossing = np.minimum(_crossing(slopes, axis), count - 1)
    alone = (np.count_nonzero(cells.length > 1, axis=0) == 1) & (crossing < inf)
    head = np.where(alone, crossing, head)
    rest = cells.where(each)
    rest.first[:] += head.astype(np.int64) * cells.steps[axis, :, each].T
    rest.length[axis, each] -= head
    rest.passed[axis, each] += head
    cells.length[axis, each] = head
    return cells.concatenate(rest)


def _crossing(slopes: Slopes, axis: Integers) -> Reals:
    """Return the number of points before an expression changes its sign, along one direction (`axis`) of each cell.

    Infinity if none does, or if an expression isn't linear.
    """
    unit = np.take_along_axis(slopes.units, axis[None, None], axis=0)[0]
    places = -(slopes.first // np.where(unit == 0, 1, unit))
    crossing = np.where((unit != 0) & (places >= 0), np.maximum(places, 1), inf).min(axis=0)
    return np.where(slopes.linear.all(axis=0), crossing, inf)
