"""Boxes: the minimum and maximum of an expression over positions that each run from a first to a last one.

    >>> n, i = symbol("n", 1, 8), position(1)
    >>> ends_over(2 * i + 3, {i.as_symbol(): (ZERO, n - 1)})
    [Ends(condition=Formula(...), least=Dim('3'), greatest=Dim('2*n + 1'))]

An element that grows or falls along each position has its minimum and maximum at corners. A choice by position, such as
a concatenation has, splits the box. A position that is divided becomes two, those of a row and of a column. All other
elements are evaluated at every position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from shapesmt.prover.algebra.dim import ONE, ZERO, Atom, Dim, Kind, of_atom, symbol
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import Formula, all_of, at_least
from shapesmt.prover.algebra.growth.monotonicity import monotone
from shapesmt.prover.algebra.intervals import Interval
from shapesmt.prover.algebra.numeric.folds import everywhere, fold, too_long
from shapesmt.prover.algebra.operations import ENTRY, FLOOR_DIVISION, SELECT
from shapesmt.prover.algebra.relaxation import tight
from shapesmt.prover.algebra.substitution import any_entry, atom_of, atoms_within, entries, position, substitute

MAX_CASES = 16
MAX_DEPTH = 4  # of nested splits of a box by choices

Box: TypeAlias = Mapping[Atom, tuple[Dim, Dim]]
"""The first and the last index of each position."""


class Ends(NamedTuple):
    """The minimum and the maximum of some elements, both attained if the condition holds."""

    condition: Formula
    least: Dim
    greatest: Dim


def ends_over(element: Dim, box: Box, depth: int = MAX_DEPTH) -> list[Ends] | None:
    """Return the element's minimum and maximum over each part of a box; None if those of some part aren't known.

    Choices by position split the box, at most `depth` times in a row. An empty box has no parts.
    """
    element, box = _with_rows(*_from_zero(element, box))
    if any((last - first).hi < 0 for first, last in box.values()):
        return []
    ends = None if any(map(_by_position, element.atoms())) else _at_corners(element, box)
    if ends is not None:
        return [ends]
    for atom in filter(_by_position, atoms_within(element) if depth else ()):
        halves = _halves(atom.args[0], box)
        if halves is not None:
            return _in_parts(element, atom, halves, depth - 1)
    return None if entries(element) else [_at_all_positions(element, box)]


def whatever_entries(element: Dim) -> Interval:
    """Return an interval that contains an expression for all values of the tensor entries that it reads.

    >>> from shapesmt.prover.algebra.substitution import entry
    >>> x, i = symbol("x", 0, 3, kind=Kind.ENTRY), position(1)
    >>> whatever_entries(4 * entry(x, i) + 2)
    (2, 14)
    """
    apart = [a for a in atoms_within(element) if a.op is ENTRY or (_by_position(a) and _is_innermost(a))]
    parts = {a: symbol(f"part {i}", a.lo, a.hi, kind=Kind.AXIS) for i, a in enumerate(dict.fromkeys(apart))}
    same = {s: of_atom(s) for s in element.symbols}  # without these, nothing that depends on them would be replaced
    return everywhere(substitute(element, {**same, **parts}))


def not_empty(box: Box) -> Formula:
    """Return the condition that a box isn't empty: `first <= last` for each position."""
    return all_of(*(at_least(last, first) for first, last in box.values()))


def fold_or_unknown(how: str, element: Dim, lasts: Mapping[Atom, Dim]) -> Dim:
    """Return the `fold` of an element over the positions from 0 to the last ones; an unknown size if too many."""
    once = fold(how, element, lasts)
    if not too_long(once):
        return once
    return symbol(f"{once} over {', '.join(str(last + 1) for last in lasts.values())}", *tight(once), kind=Kind.LOST)


def _by_position(atom: Atom) -> bool:
    """Whether an operation is a choice (`select`) whose condition depends on positions."""
    return atom.op is SELECT and any(s.kind is Kind.AXIS for s in atom.args[0].symbols)


def _is_innermost(choice: Atom) -> bool:
    """Whether a choice has no other choice inside, and its condition reads no entries of tensors."""
    return not entries(choice.args[0]) and [a.op for a in atoms_within(of_atom(choice))].count(SELECT) == 1


def _in_parts(element: Dim, choice: Atom, halves: tuple[list[Box], list[Box]], depth: int) -> list[Ends] | None:
    """Return minima and maxima over the parts of a box: `halves` has those for each branch of a choice.

    None if any is unknown, or if there are too many.
    """
    pieces: list[Ends] = []
    same = {p: of_atom(p) for p in choice.symbols}
    for half, branch in zip(halves, choice.args[1:], strict=True):
        for one in half:
            inner = ends_over(substitute(element, {**same, choice: branch}), one, depth)
            if inner is None or len(pieces) + len(inner) > MAX_CASES:
                return None
            pieces += inner
    return pieces


def _at_corners(element: Dim, box: Box) -> Ends | None:
    """Return minimum and maximum of an element that grows or falls along each position; None for other elements."""
    one = any_entry(element)
    flags = [] if one is None else [s for s in one.symbols if s.kind is Kind.PLACE and (s.lo, s.hi) == (0, 1)]
    if one is None or any(monotone(one, flag) is None for flag in flags):
        return None  # flags stand for what they count, whose value may also lie between minimum and maximum
    least = greatest = whole = _linear(one, flags)
    for p, (first, last) in box.items():
        slope = monotone(whole, p)
        if slope is None:
            return None
        least = substitute(least, {p: first if slope >= 0 else last})
        greatest = substitute(greatest, {p: last if slope >= 0 else first})
    return Ends(not_empty(box), least, greatest)


def _linear(element: Dim, flags: Sequence[Atom]) -> Dim:
    """Write an element as a sum of flags, each 0 or 1, times coefficients that don't depend on that flag."""
    for flag in flags:
        unset = substitute(element, {flag: ZERO})
        element = unset + of_atom(flag) * (substitute(element, {flag: ONE}) - unset)
    return element


def _at_all_positions(element: Dim, box: Box) -> Ends:
    """Return the minimum and the maximum over all positions, found by evaluating each."""
    lasts = {p: last for p, (_, last) in box.items()}
    return Ends(not_empty(box), *(fold_or_unknown(how, element, lasts) for how in ("least", "greatest")))


def _from_zero(element: Dim, box: Box) -> tuple[Dim, Box]:
    """Return the same elements with positions that start at 0.

    A choice that has one value over the whole box is replaced by that value.
    """
    shifted = dict(box)
    for p, (first, last) in box.items():
        if first is last:
            element = substitute(element, {p: first})
            del shifted[p]
        elif first is not ZERO:
            element = substitute(element, {p: first + of_atom(p)})
            shifted[p] = ZERO, last - first
    return element, shifted


def _with_rows(element: Dim, box: Box) -> tuple[Dim, Box]:
    """Replace a position that is divided by a size, such as `i // n` in a box of n*m, by two positions.

    The position in a flattened matrix becomes those of its row and its column, so that elements may grow along each.
    """
    divided = [(a.args[0].as_symbol(), a.args[1]) for a in atoms_within(element) if a.op is FLOOR_DIVISION]
    for p, size in sorted(((p, d) for p, d in divided if p in box), key=lambda one: _degree(one[1]), reverse=True):
        first, last = box[p]
        rows = (last + 1) // size
        if first is ZERO and size.lo >= 1 and rows * size is last + 1:
            row = position(1 + max(int(q.name[1:]) for q in box))
            parts = {p: size * row + of_atom(p), (of_atom(p) // size).atoms()[0]: row}  # `p` is the column from now on
            ends = {p: (ZERO, size - 1), atom_of(row): (ZERO, rows - 1)}
            return _with_rows(substitute(element, parts), {**box, **ends})
    return element, box


def _degree(size: Dim) -> tuple[int, int]:
    return max((len(factors), c) for factors, c in size.products())


def _halves(condition: Formula, box: Box) -> tuple[list[Box], list[Box]] | None:
    """Return the boxes in which the condition holds, and those in which it doesn't; None if these aren't boxes."""
    if condition.dim is None:
        return None
    for p, (first, last) in box.items():
        coefficient = dict(condition.dim.terms).get((p.number,), 0)
        rest = condition.dim - coefficient * of_atom(p)
        if abs(coefficient) != 1 or any(s.kind is Kind.AXIS for s in rest.symbols):
            continue
        at = -coefficient * rest  # the position at which both sides are equal
        if condition.op in ("eq", "ne"):
            hit: list[Box] = [{**box, p: (maximum(first, at), minimum(last, at))}]
            other: list[Box] = [{**box, p: (first, minimum(last, at - 1))}, {**box, p: (maximum(first, at + 1), last)}]
            return (hit, other) if condition.op == "eq" else (other, hit)
        upper = {**box, p: (maximum(first, at if coefficient > 0 else at + 1), last)}
        lower = {**box, p: (first, minimum(last, at - 1 if coefficient > 0 else at))}
        return ([upper], [lower]) if coefficient > 0 else ([lower], [upper])
    return None
