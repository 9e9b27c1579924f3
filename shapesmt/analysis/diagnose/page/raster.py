"""Raster: a drawing of a condition's truth over the values of one or two symbols, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf, prod
from operator import attrgetter

from shapesmt.analysis.diagnose.page.lines import number_line
from shapesmt.analysis.diagnose.remedies.goal import witness_of
from shapesmt.analysis.verify import Examined
from shapesmt.base.lazy import np
from shapesmt.prover.algebra import TRUE, Atom, Formula, Kind, Verdict, all_of, const, lowest, substitute
from shapesmt.prover.presolve import Domain, Values, group_by_symbols, truth_at
from shapesmt.prover.regions import Truth
from shapesmt.reports.answers import Axis, Cell, NumberLine, Precondition, Raster

CELLS = (224, 64)  # maximum number of cells along an axis, of a strip and of a grid
MOST = 1 << 23  # inputs that are evaluated; above, a sample
SPREAD = 40503  # an odd number that no stride shares: samples fall into no step with the condition
MOST_SYMBOLS = 4  # symbols among which two are chosen to be drawn; those with fewer values are fixed
OPEN = 128  # minimum number of values that are drawn of an unbounded range
NEARER = (4, 16, 64, 256, 1024, 4096)  # divisors of a range, tried until inputs that run and that fail are visible
SMALLEST_SHARE = 50  # at least one in so many cells has to run, and one to fail
FURTHER = (1, 2, 4, 8, 16, 32)  # multiples of the drawn range, tried until some input runs, and then once more

Example = Mapping[Atom, int]
Cells = tuple[tuple[str, ...], tuple[int, int]]  # the letters by row, and the numbers of valid and of all inputs


def valid_regions(a: Examined, region: Precondition | None) -> tuple[NumberLine | Raster, ...]:
    """Draw the valid inputs: a line for each symbol that decides alone, a raster for several that decide together.

    There are no drawings if all inputs run or none does, and none of conditions that can't be drawn. An exact region
    is drawn by its own text, which is simpler than the conditions that it is equivalent to.
    """
    domain, judged = a.problem.domain, [j for j in a.examination.judgements if j.verdict is Verdict.DEPENDS]
    if not judged or a.examination.fails:
        return ()
    exact = [said.formula for said in region.conjuncts] if region is not None and region.exact else []
    conditions = all_of(*(exact or (j.condition for j in judged))).conjuncts
    tied = [f for f in domain.facts if len(f.symbols) > 1]
    examples = [j.decision.counterexample for j in judged if j.decision.counterexample is not None]
    groups, meant = group_by_symbols((*conditions, *tied), domain, attrgetter("symbols")), witness_of(a)
    drawn = []
    for group in groups:
        part = all_of(*(c for c in group.conjuncts if c not in tied))
        if part is not TRUE:
            drawn.append(_drawing(part, group, domain, examples, meant))
    return tuple(d for d in drawn if d is not None)


def _drawing(
    condition: Formula, group: Formula, domain: Domain, examples: Sequence[Example], meant: Example | None
) -> NumberLine | Raster | None:
    """Draw a condition that shares no symbol with another; `group` has its facts as well. None if it can't be drawn."""
    if len(group.symbols) > 1:
        return raster_of(condition, domain, examples, meant)
    (s,) = group.symbols
    return number_line(condition, s, domain) if s.kind in (Kind.INPUT, Kind.VALUE) else None


def raster_of(
    condition: Formula, domain: Domain, examples: Sequence[Example], meant: Example | None = None
) -> Raster | None:
    """Return the raster of a condition over a domain; None if nothing varies, or it depends on data-dependent sizes.

    If there are more than two symbols, it draws two along which some inputs run and some fail; the others have the
    values of the first example. They have those of `meant` if warnings are about other inputs that run; then the two
    are those along which the most inputs run.
    """
    tied, facts = domain.about(condition.symbols)
    varying = [s for s in condition.symbols if s.hi != s.lo]
    if not varying or any(s.kind is not Kind.INPUT for s in tied):
        return None
    widest = sorted(varying, key=lambda s: (-_count(s), domain.order(s)))[:MOST_SYMBOLS]
    drawings: list[Raster] = []
    first, start = None, meant or (examples[0] if examples else {})
    for chosen in combinations(widest, min(2, len(widest))):
        shown = sorted(chosen, key=domain.order, reverse=True)
        fixed = {s: start.get(s, lowest(s)) for s in tied if s not in shown}
        marks = [e for e in examples if all(e.get(s, v) == v for s, v in fixed.items()) and e.keys() >= {*shown}]
        drawn = _drawn(shown, fixed, marks, condition, facts)
        if drawn is not None and len(set("".join(drawn.rows)) - {Cell.NONE}) > 1:
            drawings.append(drawn)
            if meant is None:
                break
        first = first or drawn
    return max(drawings, key=_running, default=first)


def _running(drawn: Raster) -> int:
    """Return the number of cells in which some inputs run."""
    return sum(row.count(cell) for row in drawn.rows for cell in (Cell.RUNS, Cell.MIXED))


def _drawn(
    shown: list[Atom], fixed: Mapping[Atom, int], marks: list[Example], condition: Formula, facts: list[Formula]
) -> Raster | None:
    """Return the raster over the symbols `shown`; None if the numbers exceed 64-bit integers."""
    axes: tuple[Axis, ...] = ()
    cells: Cells | None = None
    for times in FURTHER:
        axes = _sample_axes([_axis(s, len(shown), [e[s] for e in marks], times) for s in shown])
        nearer, cells = cells, _cells(axes, shown, fixed, condition, facts)
        if cells is None or all(a.total is not None for a in axes) or (nearer or cells)[1][0]:
            break
    if cells is not None and _is_blurred(cells[0]):
        axes = tuple(replace(a, count=min(a.count, CELLS[len(axes) - 1]), block=1, stride=1) for a in axes)
        cells = _cells(axes, shown, fixed, condition, facts) or cells
    axes, cells = _zoom(axes, cells, shown, fixed, condition, facts)
    if cells is None:
        return None
    points = [tuple(e[s] for s in shown) for e in marks]
    within = [p for p in points if all(a.first <= v <= a.last for a, v in zip(axes, p, strict=True))]
    one_in_each = {tuple(int(a.cell(v)) for a, v in zip(axes, p, strict=True)): p for p in within[::-1]}
    whole = all(a.stride == 1 and a.count == a.total for a in axes)
    matter = {s.name: v for s, v in fixed.items() if s in condition.symbols}
    return Raster(axes, cells[0], matter, tuple(one_in_each.values()), cells[1] if whole else None)


def _zoom(
    axes: tuple[Axis, ...],
    cells: Cells | None,
    shown: list[Atom],
    fixed: Mapping[Atom, int],
    condition: Formula,
    facts: list[Formula],
) -> tuple[tuple[Axis, ...], Cells | None]:
    """Return only the first part of the axes, if valid or failing inputs are too few to be seen on the whole."""
    for divisor in () if cells is None or _shows_enough(cells[0]) else NEARER:
        most = CELLS[len(axes) - 1]
        counts = [max(min(a.count, most // 8), a.count // divisor) for a in axes]
        parts = [replace(a, count=n, block=_power(n / most), stride=1) for a, n in zip(axes, counts, strict=True)]
        near = _sample_axes(parts)
        nearer = _cells(near, shown, fixed, condition, facts)
        if nearer is not None and _shows_enough(nearer[0]):
            return near, nearer
    return axes, cells


def _shows_enough(rows: Sequence[str]) -> bool:
    """Whether the drawing shows enough inputs that run and enough that fail."""
    text = "".join(rows)
    running, failing = text.count(Cell.RUNS) + text.count(Cell.MIXED), text.count(Cell.FAILS) + text.count(Cell.MIXED)
    return min(running, failing) * SMALLEST_SHARE >= len(text) - text.count(Cell.NONE)


def _count(symbol: Atom) -> float:
    return (symbol.hi - symbol.lo) // symbol.step + 1 if symbol.hi - symbol.lo < inf else inf  # inf // 1 is nan


def _axis(s: Atom, rank: int, marked: Sequence[int], times: int) -> Axis:
    """Return the values of a symbol; if unbounded, `times` times twice as far as the largest marked value."""
    first, total = lowest(s), None if s.hi == inf else int(_count(s))
    count = max(OPEN, 2 * (max(marked, default=first) - first) // s.step) * times if total is None else total
    return Axis(s.name, first, s.step, count, total, _power(count / CELLS[rank - 1]))


def _sample_axes(axes: list[Axis]) -> tuple[Axis, ...]:
    """Return the axes with strides large enough that the number of inputs doesn't exceed `MOST`."""
    looked_at = [axis.count for axis in axes]
    while prod(looked_at) > MOST:
        most = looked_at.index(max(looked_at))
        axes[most] = replace(axes[most], stride=2 * axes[most].stride)
        looked_at[most] = -(-axes[most].count // axes[most].stride)
    return tuple(axes)


def _power(least: float) -> int:
    """Return the next power of two: blocks of such sizes show the multiples of 2, 4, 8 that networks require."""
    power = 1
    while power < least:
        power *= 2
    return power


def _is_blurred(rows: Sequence[str]) -> bool:
    """Whether most cells are mixed: some of their inputs run and some fail."""
    text = "".join(rows)
    return 2 * text.count(Cell.MIXED) > len(text) - text.count(Cell.NONE)


def _cells(
    axes: Sequence[Axis], symbols: Sequence[Atom], fixed: Mapping[Atom, int], condition: Formula, facts: list[Formula]
) -> Cells | None:
    """Return the letters of all cells, and the counts; None if the numbers exceed 64-bit integers."""
    given = {s: const(v) for s, v in fixed.items()}
    asked = [substitute(f, given) for f in (condition, all_of(*facts))]
    across = _values(axes[0], range(axes[0].cells))
    rows: list[str] = []
    running, total = 0, 0
    for row in range(axes[1].cells if len(axes) > 1 else 1):
        values = [across, *(_values(axis, range(row, row + 1)) for axis in axes[1:])]
        truths = [truth_at(f, dict(zip(symbols, values, strict=True))) for f in asked]
        if truths[0] is None or truths[1] is None:
            return None
        runs, admitted = np.atleast_2d(truths[0].T), np.atleast_2d(truths[1].T)
        rows.append(_letters(axes[0], runs, admitted))
        running, total = running + int((runs & admitted).sum()), total + int(admitted.sum())
    return tuple(rows), (running, total)


def _values(axis: Axis, cells: range) -> Values:
    """Return the values in some cells at which the condition is evaluated."""
    ends = (cells.start * axis.block, min(cells.stop * axis.block, axis.count))
    places = np.arange(*ends, axis.stride, dtype=np.int64)
    places += places // axis.stride % axis.stride * SPREAD % axis.stride
    return axis.first + np.minimum(places, axis.count - 1) * axis.step


def _letters(axis: Axis, runs: Truth, admitted: Truth) -> str:
    """Return the letters of a row of cells."""
    starts = np.arange(axis.cells) * max(1, axis.block // axis.stride)
    some = np.add.reduceat((runs & admitted).sum(axis=0), starts)
    every = np.add.reduceat(admitted.sum(axis=0), starts)
    return "".join(_cell(runs, of).value for runs, of in zip(some, every, strict=True))


def _cell(runs: int, of: int) -> Cell:
    """Return the letter of a cell in which `runs` of `of` inputs run."""
    if of == 0:
        return Cell.NONE
    return Cell.RUNS if runs == of else Cell.MIXED if runs else Cell.FAILS
