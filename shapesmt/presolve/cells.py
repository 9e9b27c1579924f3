"""Cells: products of progressions, on each of which a condition holds everywhere or nowhere.

Along a progression that goes by its periods, a quasi-polynomial is a polynomial, and the differences from one place to
the next bound it: `4*i*j + 3*i` is 0 or more. So a few values tell the truth of a condition on `(h//4)*(w//28)` for all
sizes, with or without upper ends, once the progressions are split where a sign may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, lcm, prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from shapesmt.algebra import PRODUCT, SAFE, SYMBOL, Atom, Dim, Evaluator, Formula, definitions, of_atom
from shapesmt.deadline import look
from shapesmt.presolve.growth import compared
from shapesmt.presolve.quasipolynomial import of_formula, quasipolynomial, together

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_PERIOD = 1 << 14
MAX_CELLS = 1 << 16  # at once
MAX_WORK = 3 << 18  # values of expressions, over all rounds
MAX_ROUNDS = 20  # after so many, cells are split in vain
REACHES = (1 << 26, 1 << 20, 1 << 15, 1 << 12)  # how far progressions are followed: the farthest without overflow
EXACT = 2.0**50  # what is beyond isn't told apart from infinity
ENDLESS = 1e20  # a number of values that has the effect of infinitely many, without being infinite in products with 0

Truth: TypeAlias = "NDArray[np.bool_]"
Integers: TypeAlias = "NDArray[np.int64]"
Reals: TypeAlias = "NDArray[np.float64]"


class Axis(NamedTuple):
    """The values of a symbol: a progression of so many, which may be infinitely many, or those that are listed."""

    first: int
    step: int
    length: float
    listed: Integers | None = None


class Cells(NamedTuple):
    """Products of progressions: for each symbol and cell the first value, and how many there are."""

    first: Integers
    length: Reals

    def where(self, chosen: Truth | Integers) -> Cells:
        """Some of them."""
        return Cells(self.first[:, chosen], self.length[:, chosen])


class Bounds(NamedTuple):
    """Of an expression on each cell: the differences of its first values along the symbols, and what bounds it."""

    differences: Integers
    low: Reals
    high: Reals

    @property
    def first(self) -> Integers:
        """The value at the first place of each cell."""
        return self.differences.reshape(len(self.differences), -1)[:, 0]


class Known(NamedTuple):
    """Of a condition on each cell: whether it holds everywhere, nowhere, and at the first place."""

    always: Truth
    never: Truth
    first: Truth


class Grid:
    """Symbols with their values, cut into cells along which some expressions are polynomials.

    Args:
        axes: The values of the symbols.
        conditions: What is going to be asked about.
        dims: Expressions that are.
    """

    def __init__(self, axes: Mapping[Atom, Axis], conditions: Iterable[Formula], dims: Iterable[Dim] = ()) -> None:
        self.symbols, self._axes = tuple(axes), tuple(axes.values())
        self._work = self._rounds = 0
        conditions, dims = [*conditions], [*dims]
        form = together([*map(of_formula, conditions), *map(quasipolynomial, dims)])
        self._switches = form.switches if form is not None else frozenset()
        conditions += [switch for switch in self._switches if isinstance(switch, Formula)]
        dims += [switch for switch in self._switches if isinstance(switch, Dim)]
        self._dims = [*dict.fromkeys([*dims, *(d for c in conditions for d in compared(c))])]
        self._degrees = [form.degrees.get(s, 0) if form is not None else 0 for s in axes]
        self._periods = [lcm(a.step, form.periods.get(s, 1) if form is not None else 1) for s, a in axes.items()]
        self.reach = next(filter(self._fits, REACHES), 0) if form is not None else 0

    def _fits(self, reach: int) -> bool:
        """Whether nothing overflows for sizes up to this."""
        if any(SAFE <= a.length < inf for a in self._axes):
            return False
        sizes = {of_atom(s): float(max(reach, abs(a.first))) for s, a in zip(self.symbols, self._axes, strict=True)}
        for atom in definitions(tuple(self._dims)):
            _magnitude(of_atom(atom), sizes)
        return max((_magnitude(dim, sizes) for dim in self._dims), default=0) < SAFE >> sum(self._degrees)

    def cells(self) -> Cells | None:
        """Cells that stand for all values: of those that look alike only the first; None where there are too many."""
        if any(a.listed is not None and a.listed.max() > self.reach for a in self._axes):
            return None
        lasts = [a.first + p * (d + 1) for a, p, d in zip(self._axes, self._periods, self._degrees, strict=True)]
        if not self.reach or max(self._periods) > MAX_PERIOD or max(lasts) > self.reach:
            return None
        each = [self._classes(i) for i in range(len(self.symbols))]
        if prod(cells.first.size for cells in each) > MAX_CELLS:
            return None
        places = np.indices([cells.first.size for cells in each]).reshape(len(each), -1)
        chosen = [cells.where(at) for cells, at in zip(each, places, strict=True)]
        return Cells(np.concatenate([c.first for c in chosen]), np.concatenate([c.length for c in chosen]))

    def _classes(self, i: int) -> Cells:
        """The progressions of one symbol, without those that nothing tells from an earlier one."""
        s, axis, number = self.symbols[i], self._axes[i], self._periods[i] // self._axes[i].step
        starts = np.arange(min(number, axis.length), dtype=np.int64)
        many = np.full(len(starts), inf) if axis.length == inf else np.ceil((axis.length - starts) / number)
        cells = Cells(axis.first + axis.step * starts[None], many[None])
        if axis.listed is not None:
            cells = Cells(axis.listed[None], np.ones((1, len(axis.listed))))
        cells = self._spread(i, cells, 0)
        values = self._places(i, cells.first[0], cells.length[0])
        at = Evaluator({s: values})
        looks = [np.broadcast_to(at.dim(of_atom(part)), values.shape) for part in _parts(self._dims, s)]
        counts = np.where(cells.length[0] < inf, cells.length[0], 0).astype(np.int64)
        kept = np.zeros(len(values), dtype=bool)
        kept[np.unique(np.concatenate([counts[:, None], *looks], axis=1), axis=0, return_index=True)[1]] = True
        return cells.where(kept)

    def _spread(self, i: int, cells: Cells, row: int) -> Cells:
        """The cells, with the values of a symbol one by one where they are too few for its differences.

        Where no expression changes along the symbol, the first value stands for all.
        """
        degree = self._degrees[i]
        if not degree:
            cells.length[row] = 1
        times = np.where(cells.length[row] <= degree, cells.length[row], 1).astype(np.int64)
        if (times == 1).all():
            return cells
        spread = Cells(np.repeat(cells.first, times, axis=1), np.repeat(cells.length, times, axis=1))
        spread.length[row, np.repeat(times, times) > 1] = 1
        spread.first[row] += self._periods[i] * (np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times))
        return spread

    def _places(self, i: int, first: Integers, count: Reals) -> Integers:
        """For each cell the values of a symbol from the first on: one more than there are differences."""
        steps = np.where(count > 1, self._periods[i], 0).astype(np.int64)
        values: Integers = first[:, None] + steps[:, None] * np.arange(self._degrees[i] + 1)
        return values

    def bounds(self, cells: Cells) -> dict[Dim, Bounds] | None:
        """What is known of each expression on each cell; None where that would take too long or go too far."""
        look()
        rank, number = len(self.symbols), cells.first.shape[1]
        self._rounds += 1
        self._work += number * len(self._dims) * prod(d + 1 for d in self._degrees)
        places = [self._places(i, cells.first[i], cells.length[i]) for i in range(rank)]
        given_up = self._work > MAX_WORK or self._rounds > MAX_ROUNDS or number > MAX_CELLS
        if given_up or any(p.max(initial=0) > self.reach for p in places):
            return None
        at = Evaluator(
            {s: _along(i, values, rank) for i, (s, values) in enumerate(zip(self.symbols, places, strict=True))}
        )
        weights = [
            _along(i, _binomials(count, degree), rank)
            for i, (count, degree) in enumerate(zip(cells.length, self._degrees, strict=True))
        ]
        return {dim: _bounds(np.reshape(at.dim(dim), _shape(at.dim(dim), rank)), weights, number) for dim in self._dims}

    def settled(self, known: Mapping[Dim, Bounds], number: int) -> Truth:
        """The cells on which no switch changes, so that the expressions are the polynomials that their values show."""
        settled = np.ones(number, dtype=bool)
        for switch in self._switches:
            if isinstance(switch, Dim):
                settled &= (known[switch].low >= 0) | (known[switch].high <= 0)
            else:
                truth = truth_of(switch, known, number)
                settled &= truth.always | truth.never
        return settled

    def last(self, cells: Cells) -> Integers:
        """The last place of each cell; beyond what is followed where there is none."""
        periods = np.array(self._periods)[:, None]
        last = cells.first + periods * (np.minimum(cells.length, self.reach).astype(np.int64) - 1)
        return np.where(cells.length < self.reach, last, self.reach + 1)

    def sizes(self, dim: Dim, places: Integers) -> Integers:
        """The values of an expression at some places."""
        at = Evaluator(dict(zip(self.symbols, places, strict=True)))
        return np.broadcast_to(at.dim(dim), places.shape[1])

    def rising(self, b: Bounds, cells: Cells) -> Truth:
        """The cells in which an expression that is a polynomial there has no upper end."""
        rising = np.zeros(cells.first.shape[1], dtype=bool)
        for axis, length in enumerate(cells.length, 1):
            line = np.moveaxis(b.differences, axis, 1).reshape(len(b.differences), b.differences.shape[axis], -1)[
                :, 1:, 0
            ]
            rising |= (length == inf) & (line >= 0).all(axis=1) & (line > 0).any(axis=1)
        return rising

    def split(self, cells: Cells, known: Mapping[Dim, Bounds], chosen: Truth) -> Cells | None:
        """The chosen cells in two parts each; None where that would never end."""
        if not chosen.any():
            return cells.where(chosen)
        differences = [b.differences[chosen if len(b.differences) > 1 else [True]] for b in known.values()]
        cells, index = cells.where(chosen), np.arange(int(np.count_nonzero(chosen)))
        if any(_endless(values, cells.length) for values in differences):
            return None
        periods, origins = np.array(self._periods)[:, None], np.array([a.first for a in self._axes])[:, None]
        passed = (cells.first - origins) // periods + 1.0
        axis = np.argmin(np.where(cells.length > 1, passed, inf), axis=0)
        count, passed = cells.length[axis, index], passed[axis, index]
        head = np.where(count > passed, passed, np.floor(count / 2))
        for i in range(len(self.symbols)) if (np.count_nonzero(cells.length > 1, axis=0) == 1).any() else ():
            crossing = np.minimum(_crossing(differences, i), count - 1)
            alone = (axis == i) & (np.count_nonzero(cells.length > 1, axis=0) == 1) & (crossing < inf)
            head = np.where(alone & (self._degrees[i] == 1), crossing, head)
        rest = Cells(cells.first.copy(), cells.length.copy())
        rest.first[axis, index] += head.astype(np.int64) * periods[axis, 0]
        rest.length[axis, index] -= head
        cells.length[axis, index] = head
        parts = Cells(*(np.concatenate(sides, axis=1) for sides in zip(cells, rest, strict=True)))
        for i in range(len(self.symbols)):
            parts = self._spread(i, parts, i)
        return parts


def truth_of(formula: Formula, known: Mapping[Dim, Bounds], number: int) -> Known:
    """What is known of a condition on so many cells, by what is known of the expressions that it compares."""
    if formula.dim is None:
        neutral = np.full(number, formula.op in ("and", "true"))
        every, some = (np.logical_and, np.logical_or) if formula.op == "and" else (np.logical_or, np.logical_and)
        truth = Known(neutral, ~neutral, neutral)
        for part in formula.args:
            own = truth_of(part, known, number)
            truth = Known(every(truth.always, own.always), some(truth.never, own.never), every(truth.first, own.first))
        return truth
    b = known[formula.dim]
    if formula.op == "ge":
        return Known(b.low >= 0, b.high < 0, b.first >= 0)
    steps = np.gcd.reduce(b.differences.reshape(len(b.first), -1)[:, 1:], axis=1)
    never = (b.low > 0) | (b.high < 0) | ((steps > 0) & (b.first % np.maximum(steps, 1) != 0))
    always, first = (b.low == 0) & (b.high == 0), b.first == 0
    return Known(always, never, first) if formula.op == "eq" else Known(never, always, ~first)


def _bounds(values: Integers, weights: Sequence[Reals], number: int) -> Bounds:
    """Of an expression, by its first values along each symbol: it is the sum of its differences times binomials."""
    values, weight = values.copy(), np.ones(())
    for axis, along in enumerate(weights, 1):
        moved = np.moveaxis(values, axis, 0)
        for order in range(1, len(moved)):
            moved[order:] -= moved[order - 1 : -1].copy()
        weight = weight * along[(slice(None),) * axis + (slice(values.shape[axis]),)]
    terms = np.multiply(
        values, weight, where=values != 0, out=np.zeros(np.broadcast_shapes(values.shape, weight.shape))
    )
    terms = np.where(np.abs(terms) > EXACT, np.copysign(inf, terms), terms).reshape(len(terms), -1)
    start, others = terms[:, 0], terms[:, 1:]
    low = np.minimum(start, EXACT) + np.minimum(others, 0).sum(axis=1)
    high = np.maximum(start, -EXACT) + np.maximum(others, 0).sum(axis=1)
    return Bounds(values, np.broadcast_to(low, number), np.broadcast_to(high, number))


def _binomials(count: Reals, degree: int) -> Reals:
    """The greatest value of `i over k` along each progression, for every k up to a degree."""
    count, columns = np.minimum(count, ENDLESS), [np.ones(len(count))]
    for k in range(degree):
        columns.append(columns[-1] * np.maximum(count - 1 - k, 0) / (k + 1))
    return np.stack(columns, axis=1)


def _along(i: int, values: NDArray[Any], rank: int) -> NDArray[Any]:
    """A row for each cell, along the axis of a symbol."""
    return values.reshape(len(values), *(values.shape[1] if k == i else 1 for k in range(rank)))


def _shape(value: Any, rank: int) -> tuple[int, ...]:
    return np.shape(value) or (1,) * (rank + 1)


def _lines(values: Integers) -> list[Integers]:
    """The differences along each symbol from the first place on, by cell."""
    shape = values.shape
    return [np.moveaxis(values, i, 1).reshape(shape[0], shape[i], -1)[:, :, 0] for i in range(1, len(shape))]


def _units(values: Integers) -> list[Integers]:
    """The first difference along each symbol: 0 along those with which the expression doesn't change."""
    lines = _lines(values)
    return [line[:, 1] if line.shape[1] > 1 else np.zeros(len(line), dtype=np.int64) for line in lines]


def _crossing(differences: Iterable[Integers], i: int) -> Reals:
    """How many places along a symbol all expressions keep their signs at least, as far as they are linear."""
    crossing: Any = inf
    for values in differences:
        first, unit = values.reshape(len(values), -1)[:, 0], _units(values)[i]
        places = -(first // np.where(unit == 0, 1, unit))
        crossing = np.minimum(crossing, np.where((unit != 0) & (places >= 0), np.maximum(places, 1), inf))
    return np.asarray(crossing)


def _endless(values: Integers, count: Reals) -> bool:
    """Whether some cell would be split without end: along `i - j`, where neither i nor j has one."""
    units = _units(values)
    plain = np.count_nonzero(values.reshape(len(values), -1)[:, 1:], axis=1) == sum(u != 0 for u in units)
    ways = [np.where(c == inf, np.sign(u), 0) for c, u in zip(count, units, strict=True)]
    return bool((plain & (np.min(ways, axis=0) < 0) & (np.max(ways, axis=0) > 0)).any())


def _parts(dims: Iterable[Dim], s: Atom) -> list[Atom]:
    """The largest operations on one symbol alone in expressions that have no switches: all follows from these."""
    parts, ahead = dict[Atom, None](), [*dims]
    seen = {*ahead}
    while ahead:
        for atom in ahead.pop().atoms():
            form = quasipolynomial(of_atom(atom)) if atom.symbols == {s} else None
            if form is not None and not form.switches:
                parts[atom] = None
            elif s in atom.symbols:
                inner = {*_arguments(atom)} - seen
                ahead += inner
                seen |= inner
    return [*parts]


def multiplies(dims: Iterable[Dim]) -> bool:
    """Whether several symbols are multiplied somewhere in the expressions."""
    ahead, seen = [*dims], set[Dim]()
    while ahead:
        dim = ahead.pop()
        if dim in seen:
            continue
        seen.add(dim)
        if any(len({s for a in factors for s in a.symbols}) > 1 and len(factors) > 1 for factors, _ in dim.products()):
            return True
        ahead += [inner for atom in dim.atoms() for inner in _arguments(atom)]
    return False


def _arguments(atom: Atom) -> list[Dim]:
    """The expressions that an operation is applied to, those in its conditions included."""
    parts = [part for part in (*atom.args, atom.definition) if isinstance(part, (Dim, Formula))]
    return [dim for part in parts for dim in ([part] if isinstance(part, Dim) else compared(part))]


def _magnitude(dim: Dim, known: dict[Dim, float]) -> float:
    """A size that neither the expression nor any part of it exceeds, for symbols of known sizes."""
    size = known.get(dim)
    if size is None:
        size = known[dim] = float(
            sum(abs(c) * prod(max(_size(a, known), 1.0) for a in factors) for factors, c in dim.products())
        )
    return size


def _size(atom: Atom, known: dict[Dim, float]) -> float:
    if atom.op is SYMBOL and atom.definition is None:
        return known[of_atom(atom)]
    sizes = [_magnitude(dim, known) for dim in _arguments(atom)]
    return prod(max(size, 1.0) for size in sizes) if atom.op is PRODUCT else max(sizes)
