"""Grids: a condition on several symbols as a person would write it, read off its truth over a grid of their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shapesmt.algebra import (
    SYMBOL,
    Atom,
    Formula,
    all_of,
    any_of,
    at_least,
    at_most,
    conjunction,
    equal,
    of_atom,
    total,
)
from shapesmt.lazy import np
from shapesmt.presolve import Values, sides
from shapesmt.region.patterns import Piece, Truth, describe_values

MAX_CASES = 4  # products in a union


def on_a_grid(
    symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, condition: Formula, most: int | None = None
) -> list[Piece] | None:
    """The simplest form of a condition on several symbols that its truth on a grid shows; None where that is empty.

    Args:
        symbols: The symbols.
        axes: The values of each.
        truth: Whether the condition holds, at each of their combinations.
        condition: The condition.
        most: The characters that a disjunction may have; None where it may have no more than the condition's text.
    """
    if not truth.size:
        return None
    each = product(symbols, axes, truth)
    if each is not None:
        return each
    room = len(str(condition)) if most is None else most
    return (
        relation(symbols, axes, truth, condition)
        or _either(symbols, axes, truth, room)
        or (_shorter_union(symbols, axes, truth, room) if most is None else _union(symbols, axes, truth, room))
    )


def product(symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth) -> list[Piece] | None:
    """A condition on each symbol, if their conjunction is the whole condition; else None."""
    each = sides(truth)
    if each is None:
        return None
    pieces: list[Piece] = []
    for s, values, side in zip(symbols, axes, each, strict=True):
        own = describe_values(s, values, side)
        if own is None:
            return None
        pieces.extend(own)
    return pieces


def _either(symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, room: int) -> list[Piece] | None:
    """A disjunction of conditions on one symbol each, if that is the condition and not longer."""
    failing = sides(~truth)
    cases: list[Piece] = []
    for s, values, side in zip(symbols, axes, failing or (), strict=failing is not None):
        own = describe_values(s, values, ~side)
        cases += [_case(own)] if own else []
    whole = " or ".join(case.text for case in cases)
    return [Piece(any_of(*(case.formula for case in cases)), whole)] if cases and len(whole) <= room else None


def _case(pieces: Sequence[Piece]) -> Piece:
    """The pieces together, as one case of a disjunction."""
    text = conjunction([p.text for p in pieces])
    return Piece(all_of(*(p.formula for p in pieces)), f"({text})" if len(pieces) > 1 else text)


def relation(
    symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, condition: Formula | None = None
) -> list[Piece] | None:
    """One symbol compared with the sum of the others and a constant: `z == x + y + 1`, `z >= x`, `z <= x + 2`."""
    if condition is not None and _plain(condition):
        return None  # the condition's own text is as simple
    grid = np.meshgrid(*axes, indexing="ij", sparse=True)
    for i, s in enumerate(symbols):
        rest = total(of_atom(t) for t in symbols if t is not s)
        ahead = np.broadcast_to(grid[i] - sum(g for j, g in enumerate(grid) if j != i), truth.shape)
        low = int(ahead.min())
        passed, failed = np.zeros((2, int(ahead.max()) - low + 1), dtype=bool)
        passed[ahead[truth] - low] = failed[ahead[~truth] - low] = True
        if (passed & failed).any():
            continue
        least, most = int(passed.argmax()), len(passed) - 1 - int(passed[::-1].argmax())
        if failed[least : most + 1].any():
            continue
        x, ends = of_atom(s), (rest + (low + least), rest + (low + most))
        if least == most:
            return [_as_written(equal(x, ends[0]))]
        if not failed[least:].any():
            return [_as_written(at_least(x, ends[0]))]
        if not failed[: most + 1].any():
            return [_as_written(at_most(x, ends[1]))]
    return None


def _as_written(formula: Formula) -> Piece:
    return Piece(formula, str(formula))


def _plain(condition: Formula) -> bool:
    """Whether a condition compares symbols, without divisions or other operations on them."""
    return all(a.op is SYMBOL for a in _atoms(condition)) and all(not p.args for p in condition.conjuncts)


def _atoms(condition: Formula) -> Iterator[Atom]:
    for part in (condition, *condition.args):
        yield from part.dim.atoms() if part.dim is not None else ()


def _shorter_union(symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, room: int) -> list[Piece] | None:
    """A disjunction of a few products, one per set of values of the first symbol, if shorter than the condition."""
    if len(symbols) != len(("x", "y")) or len({row.tobytes() for row in truth if row.any()}) > MAX_CASES:
        return None
    return _union(symbols, axes, truth, room, alone=True)


def _union(
    symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, room: int, *, alone: bool = False
) -> list[Piece] | None:
    """A disjunction of products, or of such disjunctions, one per set of values of the first symbol.

    `alone` says that the characters that may be used don't include parentheses.
    """
    patterns: dict[bytes, list[int]] = {}
    for i, row in enumerate(truth):
        if row.any():
            patterns.setdefault(row.tobytes(), []).append(i)
    cases: list[Piece] = []
    for rows in patterns.values():
        first = describe_values(symbols[0], axes[0], np.isin(np.arange(len(truth)), rows))
        rest = product(symbols[1:], axes[1:], truth[rows[0]])
        if rest is None:
            rest = _union(symbols[1:], axes[1:], truth[rows[0]], room)
        if first is None or rest is None or not first + rest or sum(len(case.text) for case in cases) > room:
            return None
        cases.append(_case(first + rest))
    whole = " or ".join(case.text for case in cases)
    readable = cases and len(whole) <= room + len("()()") * len(cases) * alone
    return [Piece(any_of(*(case.formula for case in cases)), whole)] if readable else None
