"""Grid: all values of some symbols, bounded or not, as finitely many cells.

A quasi-polynomial is a polynomial for fixed remainders of the symbols: `(h//4)*(w//28)` is one on each of 4 times 28
cells. Cells on which all expressions are alike are merged.

    >>> from shapesmt.prover.algebra import at_least, symbol
    >>> h, w = symbol("h", 1), symbol("w", 1)
    >>> condition = at_least((h // 4) * (w // 28), 3)
    >>> grid = Grid({s.as_symbol(): Axis(1, 1, inf) for s in (h, w)}, [condition])
    >>> cells = grid.cells()
    >>> known = grid.bounds(cells)
    >>> cells.first.T.tolist(), truth_of(condition, known, cells.number).always.tolist()
    ([[1, 1], [1, 28], [4, 1], [4, 28]], [False, False, False, False])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, lcm, prod
from typing import Any, NamedTuple

from shapesmt.base.deadline import look
from shapesmt.base.lazy import np
from shapesmt.prover.algebra import SAFE, Atom, Dim, Evaluator, Formula, all_of, of_atom
from shapesmt.prover.algebra.growth import (
    Ratio,
    arguments,
    compared_expressions,
    of_formula,
    quasipolynomial_of,
    remainder_in,
    together,
)
from shapesmt.prover.presolve.cells import Bounds, Cells, Integers, Truth, bounds_of, row_along, split, truth_of
from shapesmt.prover.presolve.enumeration import magnitude
from shapesmt.prover.presolve.limits import FEW_ROUNDS, MAX_CELLS, MAX_PERIOD, MAX_ROUNDS, MAX_WORK, REACHES


class Axis(NamedTuple):
    """The values of a symbol: a progression of `length` values, which may be infinite, or the listed values."""

    first: int
    step: int
    length: float
    listed: Integers | None = None


class Grid:
    """Symbols with their values, cut into cells along which some expressions are polynomials.

    Args:
        axes: The values of the symbols.
        conditions: Conditions that will be asked about.
        dims: Expressions that will be asked about.
        facts: Assumed conditions.

    Attributes:
        fact: The conjunction of the facts that may fail on a cell; facts about one symbol only restrict its values.
        reach: The largest size at a point at which an expression is evaluated; 0 if cells can't be used.
    """

    def __init__(
        self,
        axes: Mapping[Atom, Axis],
        conditions: Iterable[Formula],
        dims: Iterable[Dim] = (),
        facts: Iterable[Formula] = (),
    ) -> None:
        self.symbols, self._axes = tuple(axes), tuple(axes.values())
        self._work = self._rounds = 0
        facts = dict.fromkeys(part for fact in facts for part in fact.conjuncts)
        alone = [f for f in facts if len(f.symbols) == 1 < len(axes) and is_even(f)]
        self._alone = {s: all_of(*(f for f in alone if s in f.symbols)) for s in axes}
        self.fact = all_of(*(f for f in facts if f not in alone))
        conditions, dims = [*conditions, self.fact], [*dims]
        form = together([*map(of_formula, [*conditions, *self._alone.values()]), *map(quasipolynomial_of, dims)])
        for switch in form.switches if form is not None else ():
            conditions += [switch] if isinstance(switch, Formula) else []
            dims += [switch] if isinstance(switch, Dim) else switch if isinstance(switch, Ratio) else []
        form = form and together([form, *map(quasipolynomial_of, dims)])
        self._sized = {*dims}
        self._dims = [*dict.fromkeys([*dims, *(d for c in conditions for d in compared_expressions(c))])]
        self._degrees = [form.degrees.get(s, 0) if form is not None else 0 for s in axes]
        self._periods = [lcm(a.step, form.periods.get(s, 1) if form is not None else 1) for s, a in axes.items()]
        self.reach = next(filter(self._fits, REACHES), 0) if form is not None else 0

    def _fits(self, reach: int) -> bool:
        """Whether no expression overflows for sizes up to `reach`."""
        if any(SAFE <= a.length < inf for a in self._axes):
            return False
        sizes = {s: max(reach, abs(a.first)) for s, a in zip(self.symbols, self._axes, strict=True)}
        dims = [*self._dims, *(dim for fact in self._alone.values() for dim in compared_expressions(fact))]
        return magnitude(dims, sizes) < SAFE >> sum(self._degrees)

    def cells(self) -> Cells | None:
        """Return cells that represent all values; None if too many. Cells on which all expressions agree are merged."""
        if any(a.listed is not None and a.listed.max() > self.reach for a in self._axes):
            return None
        lasts = [a.first + p * (d + 1) for a, p, d in zip(self._axes, self._periods, self._degrees, strict=True)]
        if not self.reach or max(self._periods) > MAX_PERIOD or max(lasts) > self.reach:
            return None
        each = [cells for i in range(len(self.symbols)) if (cells := self._classes(i)) is not None]
        counts = [cells.number for cells in each]
        if len(each) < len(self.symbols) or prod(counts) > MAX_CELLS:
            return None
        places = np.indices(counts).reshape(len(each), -1)
        chosen = [cells.where(at) for cells, at in zip(each, places, strict=True)]
        first, length, passed = (
            np.concatenate([getattr(c, name) for c in chosen]) for name in ("first", "length", "passed")
        )
        steps = np.broadcast_to(np.diag(self._periods)[:, :, None], (len(each), len(each), prod(counts))).copy()
        return Cells(first, steps, length, passed)

    def _classes(self, i: int) -> Cells | None:
        """Return the values of symbol number `i` as cells; None if they can't be computed.

        Of several cells on which all expressions agree, only the first is returned.
        """
        s, axis, period, degree = self.symbols[i], self._axes[i], self._periods[i], self._degrees[i]
        number = period // axis.step
        starts = np.arange(min(number, axis.length), dtype=np.int64)
        many = np.full(len(starts), inf) if axis.length == inf else np.ceil((axis.length - starts) / number)
        first = axis.first + axis.step * starts
        if axis.listed is not None:
            first, many = axis.listed, np.ones(len(axis.listed))
        cells = Cells(first[None], np.full((1, 1, len(first)), period), many[None], np.ones((1, len(first))))
        admitted = _admissible_cells(self._alone[s], s, cells.spread([degree]), degree, self.reach)
        if admitted is None:
            return None
        cells = admitted.where(np.argsort(admitted.first[0], kind="stable"))
        if not degree or not any(s in dim.symbols for dim in self._dims):
            cells.length[:] = 1  # the first value represents all
        if len(self.symbols) == 1:
            return cells
        values = cells.first[0][:, None] + cells.moving[0, 0][:, None] * np.arange(degree + 1)
        at = Evaluator({s: values})
        looks = [np.broadcast_to(look, values.shape) for look in self._looks(s, at)]
        counts = np.where(cells.length[0] < inf, cells.length[0], 0).astype(np.int64)
        kept = np.zeros(cells.number, dtype=bool)
        kept[np.unique(np.concatenate([counts[:, None], *looks], axis=1), axis=0, return_index=True)[1]] = True
        return cells.where(kept)

    def _looks(self, s: Atom, at: Evaluator) -> Iterator[Any]:
        """Yield what the truth of the conditions and the values of the expressions depend on, of a symbol alone.

        Only remainders of the factors matter in a remainder, and in `x*y % n == 0` only their divisors shared with n.
        """
        whole = list[Dim]()
        for dim in self._dims:
            remainder = remainder_in(dim)
            if remainder is None:
                whole.append(dim)
                continue
            dividend, modulus, _ = remainder
            divides = dim not in self._sized and not dim.shift and len(dividend.terms) == 1
            for atom in dividend.atoms():
                if not _is_part(atom, s):
                    whole.append(of_atom(atom))
                    continue
                size = at.atom(atom)
                yield np.gcd(size, modulus) if divides else size % modulus
        yield from map(at.atom, _parts(whole, s))

    def _depths(self, cells: Cells, degrees: Iterable[int]) -> list[int]:
        """Return the maximum degree along each direction of polynomials with these degrees in the symbols."""
        moves = cells.steps.any(axis=2) if cells.number else np.zeros(cells.steps.shape[:2], dtype=bool)
        return [int(depth) for depth in moves.astype(np.int64) @ np.array([*degrees], dtype=np.int64)]

    def bounds(self, cells: Cells) -> dict[Dim, Bounds] | None:
        """Bound each expression on each cell; None if that takes too much work or sizes above `reach`."""
        look()
        depths = self._depths(cells, self._degrees)
        self._rounds += 1
        self._work += cells.number * len(self._dims) * prod(d + 1 for d in depths)
        most = MAX_WORK if self._rounds <= FEW_ROUNDS else MAX_WORK // 8
        if self._work > most or self._rounds > MAX_ROUNDS or cells.number > MAX_CELLS:
            return None
        return _bounds_on_cells(self._dims, self.symbols, cells, depths, self.reach)

    def polynomial_cells(self, cells: Cells, known: Mapping[Dim, Bounds], about: Dim | Formula) -> Truth:
        """Return a mask of the cells on which `about` consists of polynomials: none of its switches changes."""
        form = quasipolynomial_of(about) if isinstance(about, Dim) else of_formula(about)
        settled = np.ones(cells.number, dtype=bool)
        for switch in form.switches if form is not None else ():
            if isinstance(switch, Dim):
                settled &= (known[switch].low >= 0) | (known[switch].high <= 0)
            elif isinstance(switch, Formula):
                truth = truth_of(switch, known, cells.number)
                settled &= truth.always | truth.never
            else:
                settled &= self._proper(switch, cells, known)
        return settled

    def _proper(self, ratio: Ratio, cells: Cells, known: Mapping[Dim, Bounds]) -> Truth:
        """Return a mask of cells on which a quotient is the polynomial through its values, or that are one point."""
        form = quasipolynomial_of(ratio.quotient)
        degrees = [form.degrees.get(s, 0) if form is not None else 0 for s in self.symbols]
        polynomial = known[ratio.quotient].within(self._depths(cells, degrees))
        proper = polynomial & (known[ratio.remainder].low >= 0) & (known[ratio.room].low >= 0)
        alone: Truth = (cells.length == 1).all(axis=0)
        return proper | alone

    def last(self, cells: Cells) -> Integers:
        """Return the last point of each cell, or a point above `reach` if it has none or one that is too far."""
        times = np.minimum(cells.length, self.reach).astype(np.int64) - 1
        last = cells.first + (cells.moving * times[:, None]).sum(axis=0)
        endless = ((cells.moving > 0) & (cells.length >= self.reach)[:, None]).any(axis=0)
        return np.where(endless, self.reach + 1, last)

    def sizes(self, dim: Dim, places: Integers) -> Integers:
        """Return the values of an expression at points: `places` has a row per symbol and a column per point."""
        at = Evaluator(dict(zip(self.symbols, places, strict=True)))
        return np.broadcast_to(at.dim(dim), places.shape[1])

    def rising(self, b: Bounds, cells: Cells) -> Truth:
        """Return a mask of the cells on which an expression, if a polynomial there, is unbounded above."""
        rising = np.zeros(cells.number, dtype=bool)
        for k, length in enumerate(cells.length):
            line = b.along(k)[:, 1:]
            rising |= (length == inf) & (line >= 0).all(axis=1) & (line > 0).any(axis=1)
        return rising

    def split(self, cells: Cells, known: Mapping[Dim, Bounds], chosen: Truth) -> Cells:
        """Split the chosen cells and drop the others."""
        if not chosen.any():
            return cells.where(chosen)
        parts = split(cells.where(chosen), [b.where(chosen) for b in known.values()])
        return parts.spread(self._depths(parts, self._degrees))


def is_even(fact: Formula) -> bool:
    """Whether a condition compares only quasi-polynomials that are free of switches."""
    form = of_formula(fact)
    return form is not None and not form.switches


def admissible_cells(fact: Formula, s: Atom, cells: Cells, degree: int) -> Cells | None:
    """Return those points of the cells of a symbol `s` that satisfy a condition on it alone, as cells; None if unknown.

    `degree` is the maximum exponent of the symbol in the condition.
    """
    last, dims = int((cells.first + (degree + 1) * cells.steps[0]).max()), compared_expressions(fact)
    reach = next((r for r in REACHES if magnitude(dims, {s: r}) < SAFE >> degree), 0)
    return _admissible_cells(fact, s, cells.spread([degree]), degree, reach) if last <= reach else None


def _admissible_cells(fact: Formula, s: Atom, cells: Cells, degree: int, reach: int) -> Cells | None:
    """Return those points of the cells of a symbol `s` that satisfy a condition on it alone, as cells.

    None if the cells have to be split more than `MAX_ROUNDS` times, or if sizes exceed `reach`.
    """
    dims, kept = [*dict.fromkeys(compared_expressions(fact))], cells.where(np.zeros(cells.number, dtype=bool))
    if not dims:
        return cells
    for _ in range(MAX_ROUNDS):
        known = _bounds_on_cells(dims, (s,), cells, [degree], reach)
        if known is None:
            return None
        truth = truth_of(fact, known, cells.number)
        kept, open_yet = kept.concatenate(cells.where(truth.always)), ~truth.always & ~truth.never
        if not open_yet.any():
            return kept
        cells = split(cells.where(open_yet), [b.where(open_yet) for b in known.values()]).spread([degree])
    return None


def _bounds_on_cells(
    dims: Sequence[Dim], symbols: Sequence[Atom], cells: Cells, depths: Sequence[int], reach: int
) -> dict[Dim, Bounds] | None:
    """Bound expressions on each cell; None if that overflows or takes sizes above `reach`.

    `depths` has the maximum degree along each direction: one value more is evaluated.
    """
    rank = len(symbols)
    places = [row_along(0, first[:, None], rank) for first in cells.first]
    for k, step in enumerate(cells.moving):
        for i in np.flatnonzero(step.any(axis=1)):
            places[i] = places[i] + row_along(k, step[i][:, None] * np.arange(depths[k] + 1), rank)
    if any(p.max(initial=0) > reach for p in places):
        return None
    at, shape = Evaluator(dict(zip(symbols, places, strict=True))), (cells.number, *(d + 1 for d in depths))
    values = np.array([np.broadcast_to(at.dim(dim), shape) for dim in dims], dtype=np.int64)
    if np.abs(values).max(initial=0) >= SAFE >> sum(depths):
        return None
    return dict(zip(dims, bounds_of(values.reshape(len(dims), *shape), cells.length), strict=True))


def _is_part(atom: Atom, s: Atom) -> bool:
    """Whether an atom is a switch-free operation on `s` alone, or `s` itself."""
    form = quasipolynomial_of(of_atom(atom)) if atom.symbols == {s} else None
    return form is not None and not form.switches


def _parts(dims: Iterable[Dim], s: Atom) -> list[Atom]:
    """Return the largest switch-free operations on `s` alone; the values of `dims` depend on `s` only through them."""
    parts, ahead = dict[Atom, None](), [*dims]
    seen = {*ahead}
    while ahead:
        for atom in ahead.pop().atoms():
            if _is_part(atom, s):
                parts[atom] = None
            elif s in atom.symbols:
                inner = {*arguments(atom)} - seen
                ahead += inner
                seen |= inner
    return [*parts]
