"""Boxes: the ends of an expression over positions that run from a first to a last one each.

    >>> n, i = symbol("n", 1, 8), position(1)
    >>> ends_over(2 * i + 3, {i.as_symbol(): (ZERO, n - 1)})
    [Ends(condition=Formula(...), least=Dim('3'), greatest=Dim('2*n + 1'))]

An element that grows or falls along each position has its ends at corners. A choice by position splits the box, as
joined tensors have them, and a position that is divided becomes two, those of a row and of a column. All other elements
are tried at every position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from shapesmt.algebra.dim import ONE, ZERO, Atom, Dim, Kind, of_atom, symbol
from shapesmt.algebra.extremes import maximum, minimum
from shapesmt.algebra.formula import Formula, all_of, at_least
from shapesmt.algebra.growth.monotonicity import monotone
from shapesmt.algebra.intervals import Interval
from shapesmt.algebra.numeric.folds import everywhere, fold, too_long
from shapesmt.algebra.operations import ENTRY, FLOOR_DIVISION, SELECT
from shapesmt.algebra.relaxation import tight
from shapesmt.algebra.substitute import any_entry, atom_of, entries, nested, position, substitute

MAX_CASES = 16
MAX_DEPTH = 4  # how often a box is split by choices one inside the other

Box: TypeAlias = Mapping[Atom, tuple[Dim, Dim]]
"""Of each position the first and the last index."""


class Ends(NamedTuple):
    """The least and the greatest of some elements, both attained wherever the condition holds."""

    condition: Formula
    least: Dim
    greatest: Dim


def ends_over(element: Dim, box: Box, depth: int = MAX_DEPTH) -> list[Ends] | None:
    """The element's ends over the parts of a box; None where the ends over some part aren't known."""
    element, box = _with_rows(*_from_zero(element, box))
    if any((last - first).hi < 0 for first, last in box.values()):
        return []
    ends = None if any(map(_by_position, element.atoms())) else _at_corners(element, box)
    if ends is not None:
        return [ends]
    for atom in filter(_by_position, nested(element) if depth else ()):
        halves = _halves(atom.args[0], box)
        if halves is not None:
            return _in_parts(element, atom, halves, depth - 1)
    return None if entries(element) else [_at_all_positions(element, box)]


def whatever_entries(element: Dim) -> Interval:
    """An interval that an expression is in whatever the entries of tensors are that it reads.

    >>> from shapesmt.algebra.substitute import entry
    >>> x, i = symbol("x", 0, 3, kind=Kind.ENTRY), position(1)
    >>> whatever_entries(4 * entry(x, i) + 2)
    (2, 14)
    """
    apart = [a for a in nested(element) if a.op is ENTRY or (_by_position(a) and _is_innermost(a))]
    parts = {a: symbol(f"part {i}", a.lo, a.hi, kind=Kind.AXIS) for i, a in enumerate(dict.fromkeys(apart))}
    same = {s: of_atom(s) for s in element.symbols}  # without which nothing below them would be replaced
    return everywhere(substitute(element, {**same, **parts}))


def not_empty(box: Box) -> Formula:
    """The condition that a box has a position."""
    return all_of(*(at_least(last, first) for first, last in box.values()))


def fold_or_unknown(how: str, element: Dim, lasts: Mapping[Atom, Dim]) -> Dim:
    """An element folded over the positions from 0 to the last ones; a size that isn't known where they are too many."""
    once = fold(how, element, lasts)
    if not too_long(once):
        return once
    return symbol(f"{once} over {', '.join(str(last + 1) for last in lasts.values())}", *tight(once), kind=Kind.LOST)


def _by_position(atom: Atom) -> bool:
    """Whether a position decides a choice."""
    return atom.op is SELECT and any(s.kind is Kind.AXIS for s in atom.args[0].symbols)


def _is_innermost(choice: Atom) -> bool:
    """Whether a choice is between parts without choices, whatever the entries of tensors are."""
    return not entries(choice.args[0]) and [a.op for a in nested(of_atom(choice))].count(SELECT) == 1


def _in_parts(element: Dim, choice: Atom, halves: tuple[list[Box], list[Box]], depth: int) -> list[Ends] | None:
    """The element's ends over the parts of a box where a choice is the one and where it is the other."""
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
    """The ends of an element that grows or falls along each position; None where it does neither."""
    one = any_entry(element)
    flags = [] if one is None else [s for s in one.symbols if s.kind is Kind.PLACE and (s.lo, s.hi) == (0, 1)]
    if one is None or any(monotone(one, flag) is None for flag in flags):
        return None  # flags stand for what is counted by them, which may also be between the ends
    least = greatest = whole = _linear(one, flags)
    for p, (first, last) in box.items():
        slope = monotone(whole, p)
        if slope is None:
            return None
        least = substitute(least, {p: first if slope >= 0 else last})
        greatest = substitute(greatest, {p: last if slope >= 0 else first})
    return Ends(not_empty(box), least, greatest)


def _linear(element: Dim, flags: Sequence[Atom]) -> Dim:
    """An element as a sum of flags, each of which is 0 or 1, times what doesn't depend on it."""
    for flag in flags:
        unset = substitute(element, {flag: ZERO})
        element = unset + of_atom(flag) * (substitute(element, {flag: ONE}) - unset)
    return element


def _at_all_positions(element: Dim, box: Box) -> Ends:
    """The least and the greatest that are found at all positions."""
    lasts = {p: last for p, (_, last) in box.items()}
    return Ends(not_empty(box), *(fold_or_unknown(how, element, lasts) for how in ("least", "greatest")))


def _from_zero(element: Dim, box: Box) -> tuple[Dim, Box]:
    """The same elements with positions that start at 0 in place of those of a part of a box.

    A choice that the part decides is none then.
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
    """The same elements with two positions in place of one that is divided by a size, such as `i // n` in a box of n*m.

    So the position in a flattened matrix becomes those of its row and its column, along each of which elements grow.
    """
    divided = [(a.args[0].as_symbol(), a.args[1]) for a in nested(element) if a.op is FLOOR_DIVISION]
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
    """The box where the condition holds, and where it doesn't, as boxes; None where those aren't boxes."""
    if condition.dim is None:
        return None
    for p, (first, last) in box.items():
        coefficient = dict(condition.dim.terms).get((p.number,), 0)
        rest = condition.dim - coefficient * of_atom(p)
        if abs(coefficient) != 1 or any(s.kind is Kind.AXIS for s in rest.symbols):
            continue
        at = -coefficient * rest  # the position where the two sides meet
        if condition.op in ("eq", "ne"):
            hit: list[Box] = [{**box, p: (maximum(first, at), minimum(last, at))}]
            other: list[Box] = [{**box, p: (first, minimum(last, at - 1))}, {**box, p: (maximum(first, at + 1), last)}]
            return (hit, other) if condition.op == "eq" else (other, hit)
        upper = {**box, p: (maximum(first, at if coefficient > 0 else at + 1), last)}
        lower = {**box, p: (first, minimum(last, at - 1 if coefficient > 0 else at))}
        return ([upper], [lower]) if coefficient > 0 else ([lower], [upper])
    return None
