"""Worst: substitute data-dependent sizes in a condition by the bounds of their ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from shapesmt.prover.algebra import FALSE, Atom, Dim, Formula, all_of, const, of_atom, substitute
from shapesmt.prover.presolve import Domain

MAX_CASES = 16  # combinations of bounds; above, `at_ends` returns None

Proof = Callable[[Domain, Formula], bool]  # whether a condition is proven to hold over a domain


def at_ends(condition: Formula, domain: Domain, proves: Proof) -> tuple[Formula, bool] | None:
    """Return a condition on inputs that implies this one for all data, and whether it is equivalent.

    Example: `row < x` with the limit `row <= m - 1` becomes `m <= x`. None if the bounds of the ranges don't suffice.
    """
    limits = all_of(*(f for f in domain.limits if not f.symbols.isdisjoint(domain.closure(condition.symbols)[0])))
    cases, put = [(condition, limits)], set[Atom]()
    while decided := sorted({s for case, _ in cases for s in case.symbols if s.universal}, key=domain.order):
        ends = [{decided[0]: end} for end in _ends(decided[0], domain)]
        cases = [(substitute(case, end), substitute(inside, end)) for case, inside in cases for end in ends]
        if decided[0] in put or not 0 < len(cases) <= MAX_CASES:
            return None
        put.add(decided[0])
    worst = all_of(*(case for case, _ in cases))
    within = domain.copy()
    within.assume(worst)
    if worst is not FALSE and not proves(within, condition):
        return None
    attained = all(proves(domain, inside) for _, inside in cases)
    return (worst, attained) if attained or worst is not FALSE else None


def _ends(s: Atom, domain: Domain) -> Iterator[Dim]:
    """Yield the minimum of a size and each of its upper bounds."""
    if s.lo > -inf:
        yield const(int(s.lo))
    if s.hi < inf:
        yield const(int(s.hi))
    for limit in (part for fact in domain.limits for part in fact.conjuncts):
        most = limit.dim + of_atom(s) if limit.dim is not None and limit.op == "ge" else None
        if most is not None and s in limit.symbols and s not in most.symbols:
            yield most
