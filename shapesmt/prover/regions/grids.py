"""Grids: short forms of a condition on several symbols, derived from its truth over a grid of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import SYMBOL, Atom, Formula, at_least, at_most, atoms_within, equal, of_atom, total
from shapesmt.prover.presolve import Values, sides
from shapesmt.prover.regions.conjuncts import Conjunct, conjunct_of, either
from shapesmt.prover.regions.patterns import Truth, describe_values

MAX_CASES = 4  # products in a union


def on_a_grid(
    symbols: Sequence[Atom],
    axes: Sequence[Values],
    truth: Truth,
    condition: Formula,
    most: int | None = None,
    periods: Mapping[Atom, int] | None = None,
) -> list[Conjunct] | None:
    """Return the simplest form of a condition that agrees with its truth on a grid; None if none is found.

    Args:
        symbols: The symbols.
        axes: The values of each symbol.
        truth: A mask with one axis per symbol: whether the condition holds at each combination of the values.
        condition: The condition.
        most: The maximum number of characters in a disjunction; None for as many as the condition's text has.
        periods: The period of each symbol, whose divisors are the first moduli of remainders; None if unknown.
    """
    if not truth.size:
        return None
    each = product(symbols, axes, truth, periods)
    if each is not None:
        return each
    room = len(str(condition)) if most is None else most
    return (
        relation(symbols, axes, truth, condition)
        or _either(symbols, axes, truth, room)
        or _union(symbols, axes, truth, room, few=most is None)
    )


def product(
    symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, periods: Mapping[Atom, int] | None = None
) -> list[Conjunct] | None:
    """Return conditions on one symbol each that hold together at exactly the points of the mask `truth`; else None."""
    each = sides(truth)
    if each is None:
        return None
    said: list[Conjunct] = []
    for s, values, side in zip(symbols, axes, each, strict=True):
        own = describe_values(s, values, side, (periods or {}).get(s, 1))
        if own is None:
            return None
        said.extend(own)
    return said


def _either(symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, room: int) -> list[Conjunct] | None:
    """Return a disjunction of conditions on one symbol each, if it is the condition and fits `room`; else None."""
    failing = sides(~truth)
    cases = []
    for s, values, side in zip(symbols, axes, failing or (), strict=failing is not None):
        own = None if side.all() else describe_values(s, values, ~side)
        if own is None and not side.all():
            return None
        cases += [own] if own else []
    return _within(room, cases)


def _within(room: int, cases: Sequence[list[Conjunct]]) -> list[Conjunct] | None:
    """Return the disjunction of the cases if it has at most `room` characters; else None."""
    said = either(*cases)
    return [said] if cases and len(str(said)) <= room else None


def relation(
    symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, condition: Formula | None = None
) -> list[Conjunct] | None:
    """Return a comparison of one symbol with the sum of the others, such as `z <= x + 2`, if it agrees with `truth`.

    None if there is none, or if `condition` itself only compares symbols, so that its own text is as simple.
    """
    if condition is not None and _plain(condition):
        return None
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
            return [conjunct_of(equal(x, ends[0]))]
        if not failed[least:].any():
            return [conjunct_of(at_least(x, ends[0]))]
        if not failed[: most + 1].any():
            return [conjunct_of(at_most(x, ends[1]))]
    return None


def _plain(condition: Formula) -> bool:
    """Whether a condition compares symbols, without divisions or other operations on them."""
    return all(a.op is SYMBOL for a in atoms_within(condition)) and not any(p.args for p in condition.conjuncts)


def _union(
    symbols: Sequence[Atom], axes: Sequence[Values], truth: Truth, room: int, *, few: bool = False
) -> list[Conjunct] | None:
    """Return a disjunction of cases such as `n == 1 and m % 2 == 0` of at most `room` characters; None if none fits.

    A case has the values of the first symbol that share a row of `truth`, and describes that row. With `few`, only two
    symbols and at most `MAX_CASES` cases are accepted, and parentheses don't count in `room`.
    """
    patterns: dict[bytes, list[int]] = {}
    for i, row in enumerate(truth):
        if row.any():
            patterns.setdefault(row.tobytes(), []).append(i)
    if few and (truth.ndim > 2 or len(patterns) > MAX_CASES):
        return None
    cases: list[list[Conjunct]] = []
    said = None
    for rows in patterns.values():
        first = describe_values(symbols[0], axes[0], np.isin(np.arange(len(truth)), rows))
        rest = product(symbols[1:], axes[1:], truth[rows[0]])
        if rest is None:
            rest = _union(symbols[1:], axes[1:], truth[rows[0]], room)
        if first is None or rest is None or not first + rest:
            return None
        cases.append(first + rest)
        said = _within(room + len("()()") * len(cases) * few, cases)
        if said is None:
            return None
    return said
