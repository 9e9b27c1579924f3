"""Relaxation: bounds that take dependences between the parts of an expression into account, as in `h - 2*(h//2)`.

>>> from shapesmt.algebra.dim import symbol
>>> h = symbol("h", 1, 64)
>>> (h - h // 2 * 2).lo, tight(h - h // 2 * 2)
(-63, (0, 1))
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, prod
from typing import Any, TypeAlias

from shapesmt.algebra import intervals
from shapesmt.algebra.dim import ATOMS, Atom, Dim, from_terms, of_atom, term_bounds
from shapesmt.algebra.factors import common_factor, divide_terms, without
from shapesmt.algebra.intervals import Bound, Interval
from shapesmt.algebra.operations import FLOOR_DIVISION, MAX, MIN, PRODUCT, SELECT, SYMBOL, Operation

MAX_PLAIN = 5  # the depth of expressions that are looked at where a symbol is a number
MAX_RELAXED = 12  # deeper expressions are bounded by interval arithmetic alone


def tight(dim: Dim) -> Interval:
    """Bounds of an expression, found by replacing floors, minima, maxima and choices by linear bounds of them."""
    if dim.relaxed is None:
        dim.relaxed = (dim.lo, dim.hi) if dim.constant is not None else _relaxed(dim)
    return dim.relaxed


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


def _upper(p: Dim, depth: int, budget: list[int]) -> Bound:
    """An upper bound of p: the least one found by replacing one atom at a time by a bound of it."""
    best = p.hi
    if depth == 0 or p.constant is not None:
        return best
    for monomial, coefficient in p.terms:
        for n in dict.fromkeys(monomial):
            atom = ATOMS[n]
            bound = ABOVE.get(atom.op)
            if bound is None or budget[0] <= 0:
                continue
            rest = from_terms({without(monomial, (n,)) or (): coefficient})
            if rest.lo < 0 < rest.hi:
                continue
            budget[0] -= 1
            others = p - rest * of_atom(atom)
            best = min(best, bound(others, rest, atom, depth - 1, budget))
    return best


def _above_quotient(others: Dim, factor: Dim, atom: Atom, depth: int, budget: list[int]) -> Bound:
    numerator, k = atom.args[0], atom.args[1].constant
    if k is None or k <= 0:
        return inf
    most = numerator if factor.lo >= 0 else numerator - (k - 1)
    bound = _upper(others * k + factor * most, depth, budget)
    return bound if bound in (inf, -inf) else bound // int(k)


def _above_extreme(others: Dim, factor: Dim, atom: Atom, depth: int, budget: list[int]) -> Bound:
    choices = [_upper(others + factor * a, depth, budget) for a in atom.args]
    one_is_enough = (atom.op is MIN) == (factor.lo >= 0)
    return min(choices) if one_is_enough else max(choices)


def _above_choice(others: Dim, factor: Dim, atom: Atom, depth: int, budget: list[int]) -> Bound:
    return max(_upper(others + factor * a, depth, budget) for a in atom.args[1:])


Above: TypeAlias = Callable[[Dim, Dim, Atom, int, list[int]], Bound]
ABOVE: dict[Operation, Above | None] = {
    FLOOR_DIVISION: _above_quotient,
    MIN: _above_extreme,
    MAX: _above_extreme,
    SELECT: _above_choice,
    PRODUCT: None,
    SYMBOL: None,
}
"""An upper bound of `others + factor*atom` with a factor of constant sign; None for atoms that aren't replaced."""


class _Number:
    """The values of expressions and conditions where one symbol, the only one in them, is a number."""

    arrays = False

    def __init__(self, symbol: Atom, value: int) -> None:
        self._symbol, self._value = symbol, value

    def dim(self, dim: Dim) -> int:
        """The value of an expression."""
        return sum(c * prod(self._atom(ATOMS[n]) for n in monomial) for monomial, c in dim.terms)

    def formula(self, formula: Any) -> bool:
        """The truth of a condition."""
        if formula.dim is None:
            return (any if formula.op in ("or", "false") else all)(map(self.formula, formula.args))
        value = self.dim(formula.dim)
        return value == 0 if formula.op == "eq" else value != 0 if formula.op == "ne" else value >= 0

    def _atom(self, atom: Atom) -> int:
        return self._value if atom is self._symbol else int(atom.op.evaluate(self, *atom.args))


def there(condition: Any, *about: Any) -> tuple[int, ...]:
    """What others come to where the one symbol that all are about has the number that `x == 3` or `x != 3` says.

    None are known where a condition says something else, and where one of the others is deep.
    """
    if condition.op not in ("eq", "ne") or len(condition.symbols) != 1:
        return ()
    (atom,), constant = condition.symbols, dict(condition.dim.terms).get((), 0)
    if condition.dim is not of_atom(atom) + constant or atom.definition is not None:
        return ()
    if not all(part.depth <= MAX_PLAIN and part.symbols <= {atom} and _is_plain(part) for part in about):
        return ()
    at = _Number(atom, -constant)
    return tuple(at.dim(part) if isinstance(part, Dim) else at.formula(part) for part in about)


def _is_plain(part: Any) -> bool:
    """Whether all operations in an expression or a condition are evaluated, and no symbol stands for an expression."""
    dims = [part] if isinstance(part, Dim) else [part.dim] if part.dim is not None else []
    atoms = [ATOMS[n] for dim in dims for monomial, _ in dim.terms for n in monomial]
    inner = [a for atom in atoms for a in atom.args if isinstance(a, Dim) or hasattr(a, "dim")]
    inner += [] if isinstance(part, Dim) else part.args
    return not any(a.op.opaque or a.definition is not None for a in atoms) and all(map(_is_plain, inner))
