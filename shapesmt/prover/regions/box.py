"""Box: the largest ranges within conditions, as a person declares them: `height=32..1280:32`, `width=64..1280:32`.

A box is derived from the conditions' truth at the first values of each size. The caller has to prove that the
conditions hold in all of it. Steps are numbers by which the conditions divide.

>>> from shapesmt.prover.algebra import at_least, at_most, symbol
>>> h, w = symbol("h"), symbol("w")
>>> ranges = {s: Progression(1, None, 1) for d in (h, w) for s in d.symbols}
>>> [tuple(r) for r in box_of([at_most((h + 7) % 32, 7), at_least((h // 8) * w, 12)], ranges).values()]
[(32, None, 32), (3, None, 1)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import lcm, prod
from typing import NamedTuple

from shapesmt.base.deadline import look
from shapesmt.base.lazy import np
from shapesmt.prover.algebra import FLOOR_DIVISION, TRUE, Atom, Formula, all_of, atoms_within
from shapesmt.prover.presolve import Domain, Values, group_by_symbols, truth_at
from shapesmt.prover.regions.patterns import Truth

LOOKED_AT = {1: 1 << 13, 2: 1 << 10, 3: 1 << 6}  # the sampled range of each size, by the number of sizes
BLOCKS = {1: 1 << 13, 2: 1 << 7, 3: 1 << 4}  # blocks of rows along an axis that are searched, by the number of axes
FEWEST = 1 << 7  # values that are sampled however large the step is
STEPS = 4  # how many times the largest step fits into the sampled range
MAX_STEP = 1 << 10
MOST_POINTS = 1 << 24  # combinations of sampled values; steps with more of them aren't tried

Size = tuple[int, int, int]


class Progression(NamedTuple):
    """The sizes `lo, lo + step, ...` up to `hi`; unbounded if `hi` is None."""

    lo: int
    hi: int | None
    step: int


Ranges = Mapping[Atom, Progression]


class Run(NamedTuple):
    """A box of a grid in which a condition holds everywhere; the greater of two runs is preferred.

    Attributes:
        places: The number of points.
        shortest: The number of points along the shortest side.
        near: Greater for a box nearer to the first point.
        ends: The first and the last index along each axis.
    """

    places: int
    shortest: int
    near: int
    ends: tuple[tuple[int, int], ...]


def box_of(conditions: Iterable[Formula], ranges: Ranges) -> dict[Atom, Progression] | None:
    """Return the largest ranges, within `ranges`, in which all sampled sizes satisfy the conditions; None if none."""
    found: dict[Atom, Progression] = {}
    for group in group_by_symbols(conditions, Domain(ranges), lambda f: f.symbols):
        largest = _largest_of({s: r for s, r in ranges.items() if s in group.symbols}, group)
        if largest is None:
            return None
        found |= largest
    return found


def _largest_of(ranges: Ranges, condition: Formula) -> dict[Atom, Progression] | None:
    """Return the largest box in which the condition holds at all sampled sizes; None if there is none.

    If it has only one value of a symbol, the search is repeated with that symbol's whole range and no new steps.
    """
    alone = {s: _alone(s, known, condition) for s, known in ranges.items()}
    known = {s: r for s, r in alone.items() if r is not None}
    if len(known) < len(ranges) or len(ranges) == 1:
        return known if len(known) == len(ranges) else None
    found = _widest(known, condition) or _widest({**ranges}, condition)
    if found is None or all(r.lo != r.hi for r in found[1].values()):
        return found and found[1]
    wider = {s: ranges[s] if r.lo == r.hi else r for s, r in found[1].items()}
    return (_widest(wider, condition, steps=False) or found)[1]


def _alone(s: Atom, known: Progression, group: Formula) -> Progression | None:
    """Return the widest part of the range `known` that satisfies the conditions on `s` alone; None if there is none."""
    own = all_of(*(c for c in group.conjuncts if c.symbols == {s}))
    if own is TRUE:
        return known
    multiples = _widest({s: known}, own)
    if multiples is None or multiples[1][s].step == known.step:
        others = _widest({s: known}, own, remainders=True)
        multiples = max(filter(None, (multiples, others)), key=lambda sized: sized[0], default=None)
    return None if multiples is None else multiples[1][s]


def relates(condition: Formula) -> bool:
    """Whether a condition compares sizes with each other (`m == n`, `total >= past + seq`); no box states that.

    >>> from shapesmt.prover.algebra import at_most, equal, symbol
    >>> m, n = symbol("m"), symbol("n")
    >>> relates(equal(m, n)), relates(at_most(m * n, 9)), relates(equal(m % 8, 0))
    (True, False, False)
    """
    if condition.dim is None:
        return any(map(relates, condition.args))
    terms = [(frozenset(s for a in atoms for s in a.symbols), factor > 0) for atoms, factor in condition.dim.products()]
    sides = [{symbols for symbols, more in terms if symbols and more is side} for side in (True, False)]
    return any(a != b for a in sides[0] for b in sides[1])


def _widest(
    ranges: Ranges, condition: Formula, *, steps: bool = True, remainders: bool = False
) -> tuple[Size, dict[Atom, Progression]] | None:
    """Return the box with the largest size, and that size; None if there is none.

    Args:
        ranges: The range of each symbol.
        condition: The condition that has to hold in the box.
        steps: Whether to try the condition's divisors as steps too, not only the ranges' own.
        remainders: Whether ranges start at values that no such divisor divides, instead of at multiples.
    """
    if len(ranges) not in LOOKED_AT:
        return None
    best: tuple[Size, dict[Atom, Progression]] | None = None
    moduli = {s: sorted({1, *(_divisors(condition, s) if steps else ())}) for s in ranges}
    every = [_progressions(r, moduli[s], len(ranges), remainders=remainders) for s, r in ranges.items()]
    for progressions in product(*every):
        look()
        if prod(map(len, progressions)) > MOST_POINTS:
            continue
        truth = truth_at(condition, dict(zip(ranges, progressions, strict=True)))
        run = None if truth is None else _largest(truth)
        if run is not None:
            places = [p[i : j + 1] for p, (i, j) in zip(progressions, run.ends, strict=True)]
            span = prod(int(p[-1] - p[0]) + int(p[1] - p[0]) if len(p) > 1 else 1 for p in places)
            size = run.places * span, run.shortest, run.near
            if best is None or size > best[0]:
                chosen = zip(ranges.items(), progressions, run.ends, strict=True)
                best = size, {s: _range(r, p, *ends) for (s, r), p, ends in chosen}
    return best


def _progressions(known: Progression, moduli: Sequence[int], rank: int, *, remainders: bool) -> Iterator[Values]:
    """Yield the sampled values in steps of each modulus: its multiples or, with `remainders`, each other residue class.

    `rank` is the number of symbols; the more there are, the fewer values are sampled.
    """
    count = max(LOOKED_AT[rank] // known.step, min(FEWEST, LOOKED_AT[rank]), STEPS * moduli[-1])
    last = known.lo + count * known.step
    last = last if known.hi is None else min(last, known.hi)
    for m in moduli:
        step = lcm(known.step, m)
        starts = [known.lo + i * known.step for i in range(min(step // known.step, MAX_STEP))]
        for start in (v for v in starts if (v % m != 0) == remainders and v <= last):
            yield np.arange(start, last + 1, step, dtype=np.int64)


def _divisors(condition: Formula, s: Atom) -> set[int]:
    """Return the numbers by which the condition divides expressions on a symbol."""
    divided = (a for a in atoms_within(condition) if a.op is FLOOR_DIVISION and s in a.symbols)
    return {n for a in divided if (n := a.args[1].constant) is not None and 1 < n <= MAX_STEP}


def _range(known: Progression, values: Values, first: int, last: int) -> Progression:
    """Return `values[first]` to `values[last]`, extended to the maximum of `known` if that is the last sample."""
    lo, step = int(values[first]), int(values[1] - values[0]) if len(values) > 1 else 1
    if last < len(values) - 1 or len(values) == 1:
        return Progression(lo, int(values[last]), step if last > first else 1)
    return Progression(lo, None if known.hi is None else known.hi - (known.hi - lo) % step, step)


def _largest(truth: Truth) -> Run | None:
    """Return the box with the most points in which `truth` is True everywhere; None if there is none.

    Ties go to the box with the longer shortest side, then to the one nearer to the first point. If the truth changes
    often along an axis, several rows are treated as one.
    """
    if not truth.any():
        return None
    shape, starts = truth.shape, [_changes(truth, axis) for axis in range(truth.ndim)]
    for axis, rows in enumerate(starts):
        starts[axis] = rows = rows[:: -(-len(rows) // BLOCKS[truth.ndim])]
        truth = np.logical_and.reduceat(truth, rows, axis=axis)
    edges = [np.append(rows, length) for rows, length in zip(starts, shape, strict=True)]
    run = _search(truth, edges, 1)
    if run is None:
        return None
    ends = tuple((int(e[i]), int(e[j + 1]) - 1) for e, (i, j) in zip(edges, run.ends, strict=True))
    return run._replace(ends=ends)


def _changes(truth: Truth, axis: int) -> Values:
    """Return the indices along an axis at which the truth differs from the index before; 0 is always one."""
    rows = np.moveaxis(truth, axis, 0).reshape(truth.shape[axis], -1)
    return np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))


def _search(truth: Truth, edges: Sequence[Values], least: int) -> Run | None:
    """Return the box with the most points; None if it has fewer than `least`.

    Index i of an axis stands for the points from `edges[axis][i]` up to the next edge.
    """
    rows, best = edges[0], None
    if truth.ndim == 1:
        changes = np.flatnonzero(np.diff(np.concatenate(([False], truth, [False])).astype(np.int8)))
        lengths = rows[changes[1::2]] - rows[changes[::2]]
        at = int(lengths.argmax()) if len(lengths) else -1
        if at < 0 or lengths[at] < least:
            return None
        first, end = int(changes[2 * at]), int(changes[2 * at + 1])
        return Run(int(lengths[at]), int(lengths[at]), -int(rows[end]), ((first, end - 1),))
    others = prod(int(e[-1]) for e in edges[1:])
    for first in range(len(truth)):
        look()
        if (rows[-1] - rows[first]) * others < least:
            break
        every = truth[first]
        for last in range(first, len(truth)):
            every = every & truth[last]
            height = int(rows[last + 1] - rows[first])
            inner = _search(every, edges[1:], -(-least // height)) if every.any() else None
            if inner is not None:
                near, ends = inner.near - int(rows[last + 1]), ((first, last), *inner.ends)
                found = Run(inner.places * height, min(inner.shortest, height), near, ends)
                if best is None or found[:3] > best[:3]:
                    best, least = found, found.places
    return best
