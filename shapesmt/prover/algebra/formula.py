"""Formula: interned conditions on `Dim`s, simplified on construction.

>>> from shapesmt.prover.algebra.dim import symbol
>>> h, n = symbol("h", 1, 64), symbol("n", 1, 8)
>>> equal(2 * (h // 2), h)
Formula('h % 2 == 0')
>>> equal(n * h, n * 7)
Formula('h == 7')
>>> at_least(h, 1)
Formula('True')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from itertools import count, permutations
from math import gcd
from operator import attrgetter
from typing import Any, Literal, TypeAlias

from shapesmt.prover.algebra.dim import ATOMS, Atom, Dim, as_dim, make_atom, of_atom
from shapesmt.prover.algebra.evaluation import Formula as Formula, Operator
from shapesmt.prover.algebra.factors import common_factor, divide_terms
from shapesmt.prover.algebra.interning import Table, memo
from shapesmt.prover.algebra.intervals import Interval
from shapesmt.prover.algebra.operations import FLOOR_DIVISION, MAX, MIN, SELECT
from shapesmt.prover.algebra.relaxation import alike, sample, split_equality, there, tight

MAX_CLAUSES = 48  # `resolve` simplifies no conjunction of more clauses
MAX_LIFTED = 5  # maximum depth of cases that a comparison is distributed into, and of parts compared in `_combine`


class Verdict(str, Enum):
    """The verdict on a condition over a set of admissible inputs; mildest first.

    >>> Verdict.DEPENDS == "DEPENDS", Verdict.DEPENDS.exit_status
    (True, 1)
    """

    PROVED = "PROVED"  # holds for all
    UNKNOWN = "UNKNOWN"  # not decided before the timeout
    DEPENDS = "DEPENDS"  # holds for some, fails for others
    FAILS = "FAILS"  # holds for none

    def __str__(self) -> str:
        return self.value

    @property
    def exit_status(self) -> int:
        """The exit status: 0 if proved, 1 if it depends or fails, 3 if undecided."""
        return {Verdict.PROVED: 0, Verdict.UNKNOWN: 3}.get(self, 1)

    @staticmethod
    def worst(verdicts: Iterable[Verdict]) -> Verdict:
        """Return the gravest of `verdicts`; PROVED if there are none.

        >>> Verdict.worst([Verdict.UNKNOWN, Verdict.DEPENDS, Verdict.PROVED])
        <Verdict.DEPENDS: 'DEPENDS'>
        """
        return max(verdicts, key=list(Verdict).index, default=Verdict.PROVED)


Clause = frozenset[Formula]
Compare: TypeAlias = Callable[[Dim, int], Formula]
_NUMBERS = count()
_SELECTED: dict[tuple[Dim, Compare], Formula | None] = memo("comparisons of cases", {})
_FORMULAS: Table[tuple[Any, ...], Formula] = Table("formulas", lambda f: (f.op, f.dim, frozenset(f.args)))


def _intern(op: Operator, dim: Dim | None = None, args: tuple[Formula, ...] = ()) -> Formula:
    key = (op, dim, frozenset(args))
    return _FORMULAS.get(key) or _FORMULAS.make(key, _formula, op, dim, args)


def _formula(op: Operator, dim: Dim | None, args: tuple[Formula, ...]) -> Formula:
    formula = Formula.__new__(Formula)
    formula.op, formula.dim, formula.args, formula.number = op, dim, args, next(_NUMBERS)
    formula.depth = 1 + max([a.depth for a in args] + [dim.depth if dim is not None else 0])
    return formula


TRUE = _intern("true")
FALSE = _intern("false")


def equal(a: Dim | int, b: Dim | int) -> Formula:
    """Return `a == b`."""
    return TRUE if a is b else _compare(as_dim(a) - b, equal)


def at_least(a: Dim | int, b: Dim | int) -> Formula:
    """Return `a >= b`."""
    return TRUE if a is b else _compare(as_dim(a) - b, at_least)


def _compare(p: Dim, compare: Compare) -> Formula:
    """Return the normal form of `p == 0` or `p >= 0`; cheap rewrites come first."""
    known = _by_bounds((p.lo, p.hi), compare) or _lift_choice(p, compare)
    if known is not None:
        return known
    p = _reduce(p, equality=compare is equal)
    divisor, constant = gcd(*[c for monomial, c in p.terms if monomial]), p.shift
    if compare is equal and constant % divisor:  # 2*x == 3 is False
        return FALSE
    if divisor > 1:  # 2*x >= 3 is x >= 2
        p = divide_terms(p - constant, divisor, ()) + constant // divisor
    if compare is equal and next(c for m, c in p.terms if m) < 0:  # -x == -3 is x == 3
        p = -p
    known = _by_bounds(sample(p), compare) and _by_bounds(tight(p), compare)
    if known is not None:
        return known
    parts = split_equality(p) if compare is equal else None
    return (
        _intern("eq" if compare is equal else "ge", p) if parts is None else all_of(*(equal(*part) for part in parts))
    )


def _by_bounds(bounds: Interval, compare: Compare) -> Formula | None:
    """Return the truth of `x == 0` or `x >= 0` if it is the same for all x in an interval; else None."""
    lo, hi = bounds
    if hi < 0 or (lo > 0 and compare is equal):
        return FALSE
    return TRUE if lo >= 0 and (hi == 0 or compare is at_least) else None


def at_most(a: Dim | int, b: Dim | int) -> Formula:
    """Return `a <= b`."""
    return at_least(b, a)


def less(a: Dim | int, b: Dim | int) -> Formula:
    """Return `a < b`."""
    return at_least(b, as_dim(a) + 1)


def differs(a: Dim | int, b: Dim | int) -> Formula:
    """Return `a != b`."""
    return negate(equal(a, b))


def divides(k: Dim | int, a: Dim | int) -> Formula:
    """Return `a % k == 0`."""
    return equal(as_dim(a) % k, 0)


def negate(f: Formula) -> Formula:
    """Return the negation.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> negate(at_least(symbol("s", 1), 5))
    Formula('s <= 4')
    """
    if f is TRUE or f is FALSE:
        return FALSE if f is TRUE else TRUE
    if f.op == "ge":
        assert f.dim is not None
        return at_least(-f.dim, 1)
    if f.dim is not None:
        return _intern("ne" if f.op == "eq" else "eq", f.dim)
    if f not in _NEGATIONS:
        _NEGATIONS[f] = (any_of if f.op == "and" else all_of)(*map(negate, f.args))
    return _NEGATIONS[f]


_NEGATIONS: dict[Formula, Formula] = memo("negations", {})


def all_of(*formulas: Formula) -> Formula:
    """Return the conjunction."""
    return _combine("and", TRUE, FALSE, formulas)


def any_of(*formulas: Formula) -> Formula:
    """Return the disjunction."""
    return _combine("or", FALSE, TRUE, formulas)


def implies(a: Formula, b: Formula) -> Formula:
    """Return the implication: `b` holds if `a` does."""
    return any_of(negate(a), b)


def _combine(op: Literal["and", "or"], neutral: Formula, absorbing: Formula, formulas: tuple[Formula, ...]) -> Formula:
    parts: dict[Formula, None] = {}
    for f in formulas:
        parts.update(dict.fromkeys(f.args if f.op == op else (f,)))
    parts.pop(neutral, None)
    if absorbing in parts or any(f.dim is not None and negate(f) in parts for f in parts):
        return absorbing
    if not parts:
        return neutral
    if 1 < len(parts) <= MAX_LIFTED:
        for f in [f for f in parts if f.op == ("eq" if op == "or" else "ne")]:
            if any((op == "or") in there(f, other) for other in parts if other is not f):
                del parts[f]  # `n == 1` in `n == 1 or n <= 8`
    return next(iter(parts)) if len(parts) == 1 else _intern(op, None, tuple(parts))


def resolve(f: Formula) -> Formula:
    """Return an equivalent condition, simplified by resolution and subsumption: `(a or b) and (a or not b)` is `a`.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> n, m = symbol("n", 1, 9), symbol("m", 1, 9)
    >>> resolve(all_of(any_of(equal(n, 1), equal(m, 1)), any_of(equal(n, 1), differs(m, 1))))
    Formula('n == 1')
    """
    clauses = {frozenset(p.args if p.op == "or" else (p,)): None for p in f.conjuncts}
    while 1 < len(clauses) <= MAX_CLAUSES and any(len(clause) > 1 for clause in clauses):
        shorter = next(filter(None, map(_shorter, permutations(clauses, 2))), None)
        if shorter is None:
            break
        longer, replacements = shorter
        del clauses[longer]
        clauses.update(replacements)
    return all_of(*(any_of(*sorted(clause, key=attrgetter("number"))) for clause in clauses))


def _shorter(pair: tuple[Clause, Clause]) -> tuple[Clause, dict[Clause, None]] | None:
    """Return the second clause with its replacement if the first makes it or a literal in it redundant; else None."""
    one, other = pair
    if one <= other:
        return other, {}
    idle = next((x for x in other if negate(x) in one and one - {negate(x)} <= other), None)
    return None if idle is None else (other, {other - {idle}: None})


@SELECT.defines
def select(condition: Formula, a: Dim | int, b: Dim | int) -> Dim:
    """Return `a` if the condition holds, else `b`.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> n, m = symbol("n", 1, 9), symbol("m", 1, 9)
    >>> select(equal(n, 1), m, n)
    Dim('(m if n == 1 else n)')
    >>> select(equal(n, m), n, m), select(equal(n, 1), n // 4, 0)
    (Dim('m'), Dim('0'))
    """
    a, b = as_dim(a), as_dim(b)
    if condition is TRUE or a is b:  # select(True, a, b) == a
        return a
    if condition is FALSE:  # select(False, a, b) == b
        return b
    # select(d != 0, x//d, 0) == x//d
    if (b.constant == 0 and _divides(a, condition, differs)) or (a.constant == 0 and _divides(b, condition, equal)):
        return a if b.constant == 0 else b
    if condition.op == "ne":  # select(x != y, a, b) == select(x == y, b, a)
        return select(negate(condition), b, a)
    # select(a == b, a, b) == b
    if condition.op == "eq" and (equal(a, b) is condition or alike(condition, a, b)):
        return b
    return make_atom(SELECT, (condition, a, b))


def _divides(value: Dim, condition: Formula, compare: Compare) -> bool:
    """Whether a value is a quotient and the condition compares its divisor with 0; `x // 0` is 0."""
    atom = value.as_atom()
    return atom is not None and atom.op is FLOOR_DIVISION and compare(atom.args[1], 0) is condition


def truncated_divide(a: Dim | int, b: Dim | int) -> Dim:
    """Return the quotient rounded towards zero, as integer `Div` does.

    >>> truncated_divide(-7, 2)
    Dim('-3')
    """
    a, b = as_dim(a), as_dim(b)
    if b.hi < 0:
        a, b = -a, -b
    if b.lo <= 0:
        return select(at_least(b, 1), truncated_divide_positive(a, b), truncated_divide_positive(-a, -b))
    return truncated_divide_positive(a, b)


def truncated_divide_positive(a: Dim, b: Dim) -> Dim:
    """Return the quotient rounded towards zero, for b > 0."""
    if a.lo >= 0:
        return a // b
    if a.hi <= 0:
        return -((-a) // b)
    return select(at_least(a, 0), a // b, -((-a) // b))


def absolute(a: Dim | int) -> Dim:
    """Return `|a|`."""
    a = as_dim(a)
    return a if a.lo >= 0 else -a if a.hi <= 0 else select(at_least(a, 0), a, -a)


def _lift_choice(p: Dim, compare: Compare) -> Formula | None:
    """Rewrite a comparison with 0 without a choice, minimum or maximum in it: `select(c, 0, n) == 0` as `c or n == 0`.

    None if that isn't possible; for a choice, one case of the comparison has to be always true or always false.
    """
    for monomial, coefficient in p.terms:
        atom = ATOMS[monomial[0]] if len(monomial) == 1 else None
        if atom is None or atom.op not in (SELECT, MIN, MAX) or atom.depth > MAX_LIFTED:
            continue
        rest = p - coefficient * of_atom(atom)
        if atom.op is not SELECT:
            cases = _extreme_equal(atom, -rest * coefficient) if compare is equal and abs(coefficient) == 1 else None
            if cases is not None:
                return cases
            continue
        key = p, compare
        if key not in _SELECTED:
            _SELECTED[key] = _compare_select(atom, coefficient, rest, compare)
        return _SELECTED[key]
    return None


def _compare_select(atom: Atom, coefficient: int, rest: Dim, compare: Compare) -> Formula | None:
    """Compare `rest + coefficient * select(c, a, b)` with 0 if one case is always true or false; else None."""
    condition, a, b = atom.args
    then, otherwise = compare(rest + coefficient * a, 0), compare(rest + coefficient * b, 0)
    for case, guard, other in ((then, condition, otherwise), (otherwise, negate(condition), then)):
        if case is TRUE:  # (a if c else b) == 0 is c or b == 0, if a == 0
            return any_of(guard, other)
        if case is FALSE:  # (a if c else b) == 0 is not c and b == 0, if a != 0
            return all_of(negate(guard), other)
    return None


def _extreme_equal(atom: Atom, x: Dim) -> Formula | None:
    """Write `min(a, b) == x` without `min` if `x` is an argument or none is below it; else None. Also for `max`."""
    beyond = at_least if atom.op is MIN else at_most
    if x in atom.args:  # min(x, y) == x is y >= x
        return all_of(*(beyond(a, x) for a in atom.args if a is not x))
    if all(beyond(a, x) is TRUE for a in atom.args):  # min(a, b) == x is a == x or b == x, if a >= x and b >= x
        return any_of(*(equal(a, x) for a in atom.args))
    return None


def _reduce(p: Dim, *, equality: bool) -> Dim:
    """Divide by common factors that can't be 0 (for `>=`: that are positive): `x*y >= 0` is `y >= 0` if x > 0."""
    _, monomial = common_factor((p,))
    nonzero = tuple(n for n in monomial if ATOMS[n].lo > 0 or (equality and ATOMS[n].hi < 0))
    return divide_terms(p, 1, nonzero) if nonzero else p
