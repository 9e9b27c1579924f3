"""Relaxation: bounds that account for dependences between the parts of an expression, as in `h - 2*(h//2)`.

>>> from shapesmt.prover.algebra.dim import symbol
>>> h = symbol("h", 1, 64)
>>> (h - h // 2 * 2).lo, tight(h - h // 2 * 2)
(-63, (0, 1))

`sample` evaluates an expression at a few sizes: no bound can be tighter than these values, so the search for one stops
there. `split_equality` splits an equality that bounds allow in one way only, such as `h*w == 16` for `h, w >= 4`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import inf, prod
from operator import add, mul
from typing import Any, TypeAlias
from zlib import crc32

from shapesmt.prover.algebra import intervals
from shapesmt.prover.algebra.dim import ATOMS, Atom, Dim, Monomial, from_terms, of_atom, term_bounds
from shapesmt.prover.algebra.evaluation import Evaluator, Formula, Interpretation
from shapesmt.prover.algebra.factors import common_factor, divide_terms, without
from shapesmt.prover.algebra.interning import memo
from shapesmt.prover.algebra.intervals import Bound, Interval
from shapesmt.prover.algebra.operations import FLOOR_DIVISION, MAX, MIN, PRODUCT, SELECT, SYMBOL, Rows

Upper: TypeAlias = Callable[..., Bound]
MAX_PLAIN = 5  # maximum depth of expressions that `there` and `alike` evaluate
MAX_FACTOR = 64  # maximum ratio of two factors in `_multiples`, and maximum divisor in `_values_of`
MAX_RELAXED = 12  # deeper expressions are bounded by interval arithmetic alone


def tight(dim: Dim) -> Interval:
    """Bound an expression by replacing floors, minima, maxima and choices by linear bounds of them."""
    if dim.relaxed is None:
        dim.relaxed = (dim.lo, dim.hi) if dim.constant is not None else _relax(dim)
    return dim.relaxed


def nonnegative(dim: Dim) -> bool:
    """Whether an expression is known never to be negative.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> h = symbol("h", 1, 64)
    >>> nonnegative(h - h // 2 * 2), nonnegative(h - 2)
    (True, False)
    """
    return dim.lo >= 0 or (sample(dim)[0] >= 0 and tight(dim)[0] >= 0)


def split_equality(p: Dim) -> list[tuple[Dim, Dim | int]] | None:
    """Return equalities whose conjunction is `p == 0`, by the bounds of its parts; None if it can't be split.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> h, w = symbol("h", 4), symbol("w", 4)
    >>> split_equality(h * w - 16), split_equality((h // 4) * (w // 4) - 49 * ((h + 24) // 28) * ((w + 24) // 28))
    ([(Dim('h'), 4), (Dim('w'), 4)], [(Dim('h//4'), Dim('7*((h + 24)//28)')), (Dim('w//4'), Dim('7*((w + 24)//28)'))])
    """
    return _at_ends(p) if 0 in (p.lo, p.hi) else _factorwise(p)  # bounds are known; factors have to be compared


def _at_ends(p: Dim) -> list[tuple[Dim, Dim | int]] | None:
    """Split `a*b == 1` into `a == 1 and b == 1` if only factors at their bounds satisfy it; else None."""
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
    """Split `a*b == x*y` into `a == x and b == y` if each factor on the left is positive and at most its partner.

    Also if each is at least its partner: `(h//4)*(w//4) == 64*(h//32)*(w//32)`. None if neither is proven.
    """
    if len(p.terms) != 2 or len(p.terms[0][0]) != len(p.terms[1][0]) or len(p.terms[0][0]) < 2:
        return None
    for (small, one), (great, number) in (p.terms, p.terms[::-1]):
        pairs = (_partners(small, great) if abs(one) == 1 and one * number < 0 else None) or []
        for way in (1, -1) if pairs and all(a.lo >= 1 and x.lo >= 0 for a, x in pairs) else ():
            parts = _multiples(pairs, abs(number), way)
            if parts is not None:
                return parts
    return None


def _multiples(pairs: list[tuple[Dim, Dim]], number: int, way: int) -> list[tuple[Dim, Dim | int]] | None:
    """Split `a*b == 4*x*y` into `a == 2*x and b == 2*y` if these multiples bound the factors; None if none do.

    The multiples are upper bounds for a `way` of 1, lower bounds for -1.
    """
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
    """Pair the factors of two products that depend on the same symbols; None if one has no partner."""
    free = [ATOMS[n] for n in great]
    pairs = []
    for atom in (ATOMS[n] for n in small):
        partner = next((x for x in free if x.symbols == atom.symbols), None)
        if partner is None:
            return None
        free.remove(partner)
        pairs.append((of_atom(atom), of_atom(partner)))
    return pairs


def _relax(dim: Dim) -> Interval:
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
    """Return an upper bound of p: the smallest found by replacing one atom at a time by a bound of it.

    At most `depth` replacements are nested, and `budget[0]` are tried. The search stops if p attains the goal, since
    no bound is below it then, or if p attains the best bound so far.
    """
    best = p.hi
    if depth == 0 or p.constant is not None:
        return best
    attained, deeper = sample(p)[1], partial(_upper, depth=depth - 1, budget=budget)
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


def _above_all(others: Dim, factor: Dim, cases: Iterable[Dim], upper: Upper, goal: Bound) -> Bound:
    """Return an upper bound that holds in every case; infinity if a case reaches the goal: the bound is of no use."""
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
        SELECT: lambda others, factor, atom, upper, goal: _above_all(others, factor, atom.args[1:], upper, goal),
        PRODUCT: None,
        SYMBOL: None,
    },
    opaque=None,
)
"""For each operation, an upper bound of `others + factor*atom` for a factor of constant sign; None if it has none."""


REACHES = (0, inf, 5, 60, 1000, 100_000)  # for each point, the maximum distance of a symbol from a bound of its range
FAR = 1 << 20  # the maximum distance for `inf`
Row: TypeAlias = "tuple[int, ...]"
_ROWS: dict[Any, Row | None] = memo("values at a few points", {})


def sample(dim: Dim) -> Interval:
    """Return the minimum and maximum of an expression at a few points; `(inf, -inf)` if a value isn't known.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> h = symbol("h", 1, 64)
    >>> sample(h - h // 2 * 2), sample(h * h)
    ((0, 1), (1, 4096))
    """
    row = _Points(_ROWS).once(dim)
    return (inf, -inf) if row is None else (min(row), max(row))


class _Points(Interpretation["Row | None"]):
    """The values of expressions, and the truth of conditions, at the points.

    A result is None if some part is out of its bounds or too large.
    """

    def dim(self, dim: Dim) -> Row | None:
        """Return the values of an expression, without caching them: there are too many."""
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

    def _condition(self, formula: Formula) -> Row | None:
        return _pointwise(_HOLDS[formula.op], map(self.part, formula.parts))


_HOLDS: Mapping[str, Callable[..., Any]] = {
    "eq": (0).__eq__,
    "ne": (0).__ne__,
    "ge": (0).__le__,
    "and": min,
    "or": max,
}


def _pointwise(function: Callable[..., int], rows: Iterable[Row | None]) -> Row | None:
    """Apply a function to the values in some rows, point by point; None if a row is None."""
    every = [*rows]
    known = [row for row in every if row is not None]
    return tuple(map(function, *known)) if len(known) == len(every) else None


def _sample_atom(_: _Points, atom: Atom) -> Row:
    """Return a value for each point, within the bounds of a symbol or an opaque operation."""
    return tuple([_pick(atom, reach) for reach in REACHES])


def _pick(atom: Atom, reach: float) -> int:
    """Return an arbitrary value of an atom, at most `reach` above its minimum; an infinite `reach` is taken as `FAR`.

    Without a minimum, the value is below the maximum or 0, whichever is smaller.
    """
    up, span = atom.lo > -inf, min(atom.hi - atom.lo, FAR)
    far = int(span) if reach == inf else crc32(f"{atom.name} {reach}".encode()) % (int(min(span, reach)) + 1)
    far -= far % atom.step
    return int(atom.lo) + far if up else int(min(atom.hi, 0)) - far


def _applying(operation: Callable[..., int]) -> Callable[[_Points, Atom], Row | None]:
    """Return a row that applies a function to the arguments' values, point by point."""
    return lambda at, atom: _pointwise(operation, map(at.part, atom.args))


_Points.rows = Rows(
    "values at a few points",
    {
        SYMBOL: _sample_atom,
        FLOOR_DIVISION: _applying(lambda a, b: a // b if b else 0),
        PRODUCT: _applying(mul),
        MIN: _applying(min),
        MAX: _applying(max),
        SELECT: _applying(lambda truth, a, b: a if truth else b),
    },
    opaque=_sample_atom,
)


def there(condition: Formula, *about: Dim | Formula) -> tuple[int, ...]:
    """Evaluate `about` at the value that `x == 3` or `x != 3` names; () if the condition has another form.

    The result is also () if a part of `about` is deeper than `MAX_PLAIN` or depends on other symbols.
    """
    values = _values_of(condition, about)
    at = [Evaluator({symbol: value}) for symbol in condition.symbols for value in values] if len(values) == 1 else []
    return tuple(here.part(what) for here in at for what in about)


def alike(condition: Formula, a: Dim, b: Dim) -> bool:
    """Whether `a` and `b` are equal at all values that satisfy a condition on one symbol such as `x//4 == 3`.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> from shapesmt.prover.algebra.formula import equal
    >>> w = symbol("w", 1)
    >>> alike(equal((w + 3) // 4, 1), w // 5 + 1, (w + 3) // 4)
    True
    """
    values = _values_of(condition, (a, b))
    at = (Evaluator({symbol: value}) for symbol in condition.symbols for value in values)
    return len(values) > 0 and all(here.dim(a) == here.dim(b) for here in at)


def _values_of(condition: Formula, about: tuple[Dim | Formula, ...]) -> range:
    """Return the values that `x == 3` or `x//4 == 3` (or their negation) names for x; empty for other conditions.

    Also empty if a part of `about` is deep, or depends on other symbols.
    """
    if condition.op not in ("eq", "ne") or len(condition.symbols) != 1:
        return range(0)
    assert condition.dim is not None
    (symbol,), constant = condition.symbols, condition.dim.shift
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
    """Whether an expression or a condition has no opaque operation and no defined symbol."""
    dims = [part] if isinstance(part, Dim) else [part.dim] if part.dim is not None else []
    atoms = [ATOMS[n] for dim in dims for monomial, _ in dim.terms for n in monomial]
    inner = [a for atom in atoms for a in atom.args if isinstance(a, Dim) or hasattr(a, "dim")]
    inner += [] if isinstance(part, Dim) else part.args
    return not any(a.op.opaque or a.definition is not None for a in atoms) and all(map(_is_plain, inner))
