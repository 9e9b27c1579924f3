"""Monotonicity: how expressions and conditions change as a symbol grows.

`monotone` proves that an expression never falls, or never rises. `half_line` returns the value from which on, or up to
which, an expression on one symbol is 0 or more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf

from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SELECT,
    SYMBOL,
    Atom,
    Dim,
    Formula,
    Kind,
    Rows,
    memo,
    of_atom,
    product,
    tight,
    total,
)


def half_line(dim: Dim) -> tuple[int, int] | None:
    """Return the values at which an expression is 0 or more: (1, n) from n on, (-1, n) up to n; None in other cases.

    >>> from shapesmt.prover.algebra import symbol
    >>> half_line((symbol("h", 1) - 10) // 5 - 2), half_line(20 - 3 * symbol("h", 1))
    ((1, 20), (-1, 6))
    """
    way, end = 1, 0  # way * (dim - end) >= 0
    while True:
        *_, (factors, factor) = dim.products()
        constant = dim.terms[0][1] if not dim.terms[0][0] else 0
        if len(dim.terms) != 1 + bool(constant) or len(factors) != 1:
            return None
        atom, end = factors[0], end - constant
        if factor < 0:
            way, end = -way, -end
        end = -(-end // abs(factor)) if way > 0 else end // abs(factor)
        if atom.op is SYMBOL and atom.definition is None:
            return way, end
        if atom.definition is not None:
            dim = atom.definition
        elif atom.op is FLOOR_DIVISION and (divisor := atom.args[1].constant or 0) > 0:
            dim, end = atom.args[0], end * divisor + (0 if way > 0 else divisor - 1)
        else:
            return None


def half_line_of(condition: Formula) -> tuple[Atom, int, int] | None:
    """Return the symbol that a condition bounds from one side, with its `half_line`; None for other conditions.

    >>> from shapesmt.prover.algebra import differs, symbol
    >>> half_line_of(differs(symbol("h", 1) // 4, 0))[1:]
    (1, 4)
    """
    dim = condition.dim if condition.op in ("ge", "ne") and len(condition.symbols) == 1 else None
    if dim is not None and condition.op == "ne":  # an expression that is never negative and isn't 0 is 1 or more
        dim = dim - 1 if tight(dim)[0] >= 0 else -dim - 1 if tight(dim)[1] <= 0 else None
    way_and_end = half_line(dim) if dim is not None else None
    return (next(iter(condition.symbols)), *way_and_end) if way_and_end is not None else None


def monotone(dim: Dim, symbol: Atom | None = None) -> int | None:
    """Return whether an expression rises or falls as `symbol` grows alone or, if `symbol` is None, as all symbols grow.

    Returns:
        1 if it never falls, -1 if it never rises, 0 if it doesn't change, None if that isn't known.

    Example:
        >>> from shapesmt.prover.algebra import symbol
        >>> h, w = symbol("h", 1), symbol("w", 1)
        >>> monotone(h * w - h, h.as_symbol()), monotone(h // 2 - w, w.as_symbol()), monotone(h // 2 + w)
        (1, -1, 1)
    """
    if (dim, symbol) not in _DIRECTIONS:
        _DIRECTIONS[dim, symbol] = _direction(dim, symbol)
    return _DIRECTIONS[dim, symbol]


_DIRECTIONS: dict[tuple[Dim, Atom | None], int | None] = memo("directions", {})


def _direction(dim: Dim, symbol: Atom | None) -> int | None:
    moving = [(factors, c) for factors, c in dim.products() if any(_moves(a, symbol) for a in factors)]
    if symbol is not None and len(moving) > 1 and all(_is_linear(factors, symbol) for factors, _ in moving):
        lo, hi = tight(total(c * product(of_atom(a) for a in factors if a is not symbol) for factors, c in moving))
        return 1 if lo >= 0 else -1 if hi <= 0 else None
    return _joint(_product_direction(factors, c, symbol) for factors, c in moving)


def _moves(part: Atom | Dim | Formula, symbol: Atom | None) -> bool:
    return bool(part.symbols) if symbol is None else symbol in part.symbols


def _is_linear(factors: list[Atom], symbol: Atom) -> bool:
    """Whether a product is the symbol times factors that don't depend on it."""
    return factors.count(symbol) == 1 == sum(symbol in a.symbols for a in factors)


def _joint(directions: Iterable[int | None]) -> int | None:
    """Return the direction of an expression whose parts have these directions; None if they are opposite."""
    distinct = set(directions)
    return None if None in distinct or {1, -1} <= distinct else next((d for d in distinct if d), 0)


def _product_direction(factors: list[Atom], coefficient: int, symbol: Atom | None) -> int | None:
    moving = [a for a in factors if _moves(a, symbol)]
    if any(a.lo < 0 for a in factors if a is not moving[0] or len(moving) > 1):
        return None
    direction = _joint(_atom_direction(a, symbol) for a in moving)
    return direction if direction is None or coefficient > 0 else -direction


def _atom_direction(atom: Atom, symbol: Atom | None) -> int | None:
    parts = RISES_WITH[atom.op]
    if parts is None or atom.definition is not None:
        return None
    if atom.op.opaque and inf in (atom.hi, -atom.lo) and (symbol is None or symbol.kind is not Kind.AXIS):
        return None  # along sizes, a float may grow until it is no integer of 64 bits
    rising, fixed = parts(*atom.args)
    if any(_moves(part, symbol) for part in fixed):
        return None
    return _joint(monotone(part, symbol) for part in rising) if rising else 1


Parts = tuple[Sequence[Dim], Sequence[Dim | Formula]]


def _quotient_parts(numerator: Dim, divisor: Dim) -> Parts:
    return ([numerator], [divisor]) if divisor.lo > 0 else ([], [numerator, divisor])


RISES_WITH = Rows[Callable[..., Parts] | None](
    "direction",
    {
        SYMBOL: lambda: ([], []),
        FLOOR_DIVISION: _quotient_parts,
        MIN: lambda *dims: (dims, []),
        MAX: lambda *dims: (dims, []),
        SELECT: lambda condition, *branches: (branches, [condition]),
        PRODUCT: None,
    },
    opaque=None,
)
"""For each operation, the arguments with which it rises, and those that must not change; None if not known.

An operation without arguments is a symbol, which rises with itself.
"""
