"""Relaxation: bounds that take dependences between the parts of an expression into account, as in `h - 2*(h//2)`.

>>> from shapesmt.algebra.dim import symbol
>>> h = symbol("h", 1, 64)
>>> (h - h // 2 * 2).lo, tight(h - h // 2 * 2)
(-63, (0, 1))

The values of an expression at a few sizes show how tight a bound can be at best, and so where it isn't worth looking
for one (`seen`). An equality that bounds allow in one way only is several smaller ones (`parted`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import inf, prod
from operator import add, mul
from typing import Any, TypeAlias
from zlib import crc32

from shapesmt.algebra import intervals
from shapesmt.algebra.dim import ATOMS, Atom, Dim, Monomial, from_terms, of_atom, term_bounds
from shapesmt.algebra.evaluate import Evaluator, Formula, Interpretation
from shapesmt.algebra.factors import common_factor, divide_terms, without
from shapesmt.algebra.interning import memo
from shapesmt.algebra.intervals import Bound, Interval
from shapesmt.algebra.operations import FLOOR_DIVISION, MAX, MIN, PRODUCT, SELECT, SYMBOL, Rows

Upper: TypeAlias = Callable[..., Bound]
MAX_PLAIN = 5  # the depth of expressions that are looked at where a symbol is a number
MAX_FACTOR = 64  # the greatest number that is tried as the ratio of two factors
MAX_RELAXED = 12  # deeper expressions are bounded by interval arithmetic alone


def tight(dim: Dim) -> Interval:
    """Bound an expression by replacing floors, minima, maxima and choices by linear bounds of them."""
    if dim.relaxed is None:
        dim.relaxed = (dim.lo, dim.hi) if dim.constant is not None else _relaxed(dim)
    return dim.relaxed


def nonnegative(dim: Dim) -> bool:
    """Whether an expression is known never to be negative.

    >>> from shapesmt.algebra.dim import symbol
    >>> h = symbol("h", 1, 64)
    >>> nonnegative(h - h // 2 * 2), nonnegative(h - 2)
    (True, False)
    """
    return dim.lo >= 0 or (seen(dim)[0] >= 0 and tight(dim)[0] >= 0)


def parted(p: Dim) -> list[tuple[Dim, Dim | int]] | None:
    """The equalities that `p == 0` is the conjunction of, by the bounds of its parts; None if it is one by itself.

    >>> from shapesmt.algebra.dim import symbol
    >>> h, w = symbol("h", 4), symbol("w", 4)
    >>> parted(h * w - 16), parted((h // 4) * (w // 4) - 49 * ((h + 24) // 28) * ((w + 24) // 28))
    ([(Dim('h'), 4), (Dim('w'), 4)], [(Dim('h//4'), Dim('7*((h + 24)//28)')), (Dim('w//4'), Dim('7*((w + 24)//28)'))])
    """
    return _at_ends(p) if 0 in (p.lo, p.hi) else _factorwise(p)  # bounds are known; factors have to be compared


def _at_ends(p: Dim) -> list[tuple[Dim, Dim | int]] | None:
    """Part `a*b == 1` as `a == 1 and b == 1`: what grows with each factor has its least value at the least of each."""
    ends: dict[int, Bound] = {}
    value: Bound = 0
    for monomial, c in p.terms:
        if len(monomial) > 1 and any(ATOMS[n].lo < 1 for n in monomial):
            return None
        least = (c > 0) is (p.lo == 0)
        at = {n: ATOMS[n].lo if least else ATOMS[n].hi for n in monomial}
        if any(ends.setdefault(n, end) != end for n, end in at.items()):
            return None
        value += c * prod(at[n] for n in monomial)
    several = len(ends) > 1 or any(len(monomial) > 1 for monomial, _ in p.terms)
    return [(of_atom(ATOMS[n]), int(end)) for n, end in ends.items()] if several and value == 0 else None


def _factorwise(p: Dim) -> list[tuple[Dim, Dim | int]] | None:
    """Part `a*b == x*y` as `a == x and b == y` if the factors on the left are 1 or more and at most their partners.

    Also if each is at least its partner: `(h//4)*(w//4) == 64*(h//32)*(w//32)`.
    """
    if len(p.terms) != 2 or len(p.terms[0][0]) != len(p.terms[1][0]) or len(p.terms[0][0]) < 2:
        return None
    for (small, one), (great, number) in (p.terms, p.terms[::-1]):
        pairs = (_partners(small, great) if abs(one) == 1 and one * number < 0 else None) or []
        ways = ((1, -1) if all(x.lo >= 0 for _, x in pairs) else (1,)) if all(a.lo >= 1 for a, _ in pairs) else ()
        for way in ways if pairs else ():
            parts = _multiples(pairs, abs(number), way)
            if parts is not None:
                return parts
    return None


def _multiples(pairs: list[tuple[Dim, Dim]], number: int, way: int) -> list[tuple[Dim, Dim | int]] | None:
    """Pair first factors with bounding multiples of second ones: `a*b == 4*x*y` is `a == 2*x and b == 2*y`, if <=."""
    parts: list[tuple[Dim, Dim | int]] = []
    for a, x in pairs:
        ratios = [k for k in range(1, min(number, MAX_FACTOR) + 1) if number % k == 0]
        factor = next((k for k in ratios[::way] if nonnegative(way * (k * x - a))), 0)
        if not factor:
            return None
        number //= factor
        parts.append((a, factor * x))
    return parts if number == 1 else None


def _partners(small: Monomial, great: Monomial) -> list[tuple[Dim, Dim]] | None:
    """The factors of two products in pairs that depend on the same symbols; None if there are no such pairs."""
    free = [ATOMS[n] for n in great]
    pairs = []
    for atom in (ATOMS[n] for n in small):
        partner = next((x for x in free if x.symbols == atom.symbols), None)
        if partner is None:
            return None
        free.remove(partner)
        pairs.append((of_atom(atom), of_atom(partner)))
    return pairs


def _relaxed(dim: Dim) -> Interval:
    if dim.depth > MAX_RELAXED:
        return dim.lo, dim.hi
    budget = [40]
    lo, hi = -_upper(-dim, 3, budget), _upper(dim, 3, budget)
    _, shared = common_factor((dim,))
    if shared and len(dim.terms) > 1:  # a*b - a is a*(b - 1)
        rest = tight(divide_terms(dim, 1, shared))
        product_lo, product_hi = intervals.multiply(term_bounds(shared, 1), rest)
        return max(lo, product_lo), min(hi, product_hi)
    return lo, hi


def _upper(p: Dim, depth: int, budget: list[int], goal: Bound = inf) -> Bound:
    """An upper bound of p: the least one found by replacing one atom at a time by a bound of it.

    Nothing is replaced where p attains a value that is no less than the goal, or no less than the bound so far.
    """
    best = p.hi
    if depth == 0 or p.constant is not None:
        return best
    attained, deeper = seen(p)[1], partial(_upper, depth=depth - 1, budget=budget)
    if attained >= goal:
        return best
    for monomial, coefficient in p.terms:
        for n in dict.fromkeys(monomial):
            atom = ATOMS[n]
            bound = ABOVE[atom.op]
            if bound is None or budget[0] <= 0 or best <= attained:
                continue
            rest = from_terms({without(monomial, (n,)) or (): coefficient})
            if rest.lo < 0 < rest.hi:
                continue
            budget[0] -= 1
            others = p - rest * of_atom(atom)
            best = min(best, bound(others, rest, atom, deeper, min(best, goal)))
    return best


def _above_quotient(others: Dim, factor: Dim, atom: Atom, upper: Upper, goal: Bound) -> Bound:
    numerator, k = atom.args[0], atom.args[1].constant
    if k is None or k <= 0:
        return inf
    most = numerator if factor.lo >= 0 else numerator - (k - 1)
    bound = upper(others * k + factor * most, goal=goal if goal == inf else goal * k)
    return bound if bound in (inf, -inf) else bound // int(k)


def _above_extreme(others: Dim, factor: Dim, atom: Atom, upper: Upper, goal: Bound) -> Bound:
    if (atom.op is MIN) != (factor.lo >= 0):
        return _above_all(others, factor, atom.args, upper, goal)
    return min(upper(others + factor * a, goal=goal) for a in atom.args)


def _above_choice(others: Dim, factor: Dim, atom: Atom, upper: Upper, goal: Bound) -> Bound:
    return _above_all(others, factor, atom.args[1:], upper, goal)


def _above_all(others: Dim, factor: Dim, cases: Iterable[Dim], upper: Upper, goal: Bound) -> Bound:
    """A bound in every case; the first one that is no less than the goal is one that is of no use."""
    most: Bound = -inf
    for case in cases:
        most = max(most, upper(others + factor * case, goal=goal))
        if most >= goal:
            return inf
    return most


Above: TypeAlias = Callable[[Dim, Dim, Atom, Upper, Bound], Bound]
ABOVE = Rows[Above | None](
    "relaxation",
    {
        FLOOR_DIVISION: _above_quotient,
        MIN: _above_extreme,
        MAX: _above_extreme,
        SELECT: _above_choice,
        PRODUCT: None,
        SYMBOL: None,
    },
    opaque=None,
)
"""An upper bound of `others + factor*atom` with a factor of constant sign; None for atoms that aren't replaced."""


REACHES = (0, inf, 5, 60, 1000, 100_000)  # at each point, how far a symbol is from the end of its range at most
FAR = 1 << 20  # how far it is from an end without another
Row: TypeAlias = "tuple[int, ...]"
_ROWS: dict[Any, Row | None] = memo("values at a few points", {})


def seen(dim: Dim) -> Interval:
    """The least and the greatest value of an expression at a few points, which are within its bounds.

    >>> from shapesmt.algebra.dim import symbol
    >>> h = symbol("h", 1, 64)
    >>> seen(h - h // 2 * 2), seen(h * h)
    ((0, 1), (1, 4096))
    """
    row = _Points(_ROWS).once(dim)
    return (inf, -inf) if row is None else (min(row), max(row))


class _Points(Interpretation["Row | None"]):
    """The values of expressions at the points; None where some part of it is out of bounds, or too large."""

    def dim(self, dim: Dim) -> Row | None:
        """Return the values of an expression; there are too many to remember them."""
        return self.once(dim)

    every = True

    def _sum(self, dim: Dim) -> Row | None:
        row: Row = (0,) * len(REACHES)
        for monomial, coefficient in dim.terms:
            term: Row = (coefficient,) * len(REACHES)
            for n in monomial:
                factor = self.atom(ATOMS[n])
                if factor is None:
                    return None
                term = tuple(map(mul, term, factor))
            row = tuple(map(add, row, term))
        return row

    def _apply(self, atom: Atom) -> Row | None:
        row = super()._apply(atom)
        inside = row is not None and all(atom.lo <= v <= atom.hi and abs(v) < intervals.LIMIT for v in row)
        return row if inside else None

    def truth(self, condition: Formula) -> Row | None:
        """Return whether a condition holds, for each point."""
        if condition.dim is not None:
            row = self.dim(condition.dim)
            holds = {"eq": (0).__eq__, "ne": (0).__ne__, "ge": (0).__le__}[condition.op]
            return None if row is None else tuple(map(holds, row))
        if condition not in self._known:
            rows = [self.truth(a) for a in condition.args]
            known = [row for row in rows if row is not None]
            join = max if condition.op == "or" else min
            self._known[condition] = tuple(map(join, *known)) if len(known) == len(rows) > 1 else None
        return self._known[condition]


def _picked(_: _Points, atom: Atom) -> Row:
    """Return some values within the bounds of a symbol or an operation."""
    return tuple([_pick(atom, reach) for reach in REACHES])


def _pick(atom: Atom, reach: float) -> int:
    """Return a value of a symbol, at most `reach` from its least one (or from its greatest, if it has no least)."""
    up, span = atom.lo > -inf, min(atom.hi - atom.lo, FAR)
    far = int(span) if reach == inf else crc32(f"{atom.name} {reach}".encode()) % (int(min(span, reach)) + 1)
    far -= far % atom.step
    return int(atom.lo) + far if up else int(min(atom.hi, 0)) - far


def _applying(operation: Callable[..., int]) -> Callable[[_Points, Atom], Row | None]:
    """Apply a function to the arguments' values, point by point."""

    def applied(at: _Points, atom: Atom) -> Row | None:
        rows = [at.dim(a) if isinstance(a, Dim) else at.truth(a) for a in atom.args]
        known = [row for row in rows if row is not None]
        return tuple(map(operation, *known)) if len(known) == len(rows) else None

    return applied


_Points.rows = Rows(
    "values at a few points",
    {
        SYMBOL: _picked,
        FLOOR_DIVISION: _applying(lambda a, b: a // b if b else 0),
        PRODUCT: _applying(mul),
        MIN: _applying(min),
        MAX: _applying(max),
        SELECT: _applying(lambda truth, a, b: a if truth else b),
    },
    opaque=_picked,
)


def there(condition: Formula, *about: Dim | Formula) -> tuple[int, ...]:
    """What others come to where the one symbol that all are about has the number that `x == 3` or `x != 3` says.

    None are known where a condition says something else, and where one of the others is deep.
    """
    values = _values_of(condition, about)
    at = [Evaluator({symbol: value}) for symbol in condition.symbols for value in values] if len(values) == 1 else []
    return tuple(here.dim(part) if isinstance(part, Dim) else here.formula(part) for here in at for part in about)


def alike(condition: Formula, a: Dim, b: Dim) -> bool:
    """Whether two expressions on one symbol are equal at all the values that `x//4 == 3` says.

    >>> from shapesmt.algebra.dim import symbol
    >>> from shapesmt.algebra.formula import equal
    >>> w = symbol("w", 1)
    >>> alike(equal((w + 3) // 4, 1), w // 5 + 1, (w + 3) // 4)
    True
    """
    values = _values_of(condition, (a, b))
    at = (Evaluator({symbol: value}) for symbol in condition.symbols for value in values)
    return len(values) > 0 and all(here.dim(a) == here.dim(b) for here in at)


def _values_of(condition: Formula, about: tuple[Dim | Formula, ...]) -> range:
    """The values that `x == 3` or `x//4 == 3` says of a symbol, if others are about it alone and aren't deep."""
    if condition.op not in ("eq", "ne") or len(condition.symbols) != 1:
        return range(0)
    assert condition.dim is not None
    (symbol,), constant = condition.symbols, dict(condition.dim.terms).get((), 0)
    atom, divisor, shift = (condition.dim - constant).as_atom(), 1, 0
    if atom is not None and atom.op is FLOOR_DIVISION:
        divisor, rest = atom.args[1].constant or 0, (atom.args[0] - of_atom(symbol)).constant
        atom, shift = (None, 0) if rest is None else (symbol, rest)
    if atom is not symbol or symbol.definition is not None or not 0 < divisor <= MAX_FACTOR:
        return range(0)
    if not all(part.depth <= MAX_PLAIN and part.symbols <= {symbol} and _is_plain(part) for part in about):
        return range(0)
    first = -constant * divisor - shift
    return range(int(max(first, symbol.lo)), int(min(first + divisor - 1, symbol.hi)) + 1)


def _is_plain(part: Any) -> bool:
    """Whether all operations in an expression or a condition are evaluated, and no symbol stands for an expression."""
    dims = [part] if isinstance(part, Dim) else [part.dim] if part.dim is not None else []
    atoms = [ATOMS[n] for dim in dims for monomial, _ in dim.terms for n in monomial]
    inner = [a for atom in atoms for a in atom.args if isinstance(a, Dim) or hasattr(a, "dim")]
    inner += [] if isinstance(part, Dim) else part.args
    return not any(a.op.opaque or a.definition is not None for a in atoms) and all(map(_is_plain, inner))
