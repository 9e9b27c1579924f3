"""Least: find the input that is smallest in every size at once, if a domain has one.

>>> from shapesmt.prover.algebra import at_least, symbol
>>> past, seq, total = symbol("past", 0), symbol("seq", 1), symbol("total", 1)
>>> domain = Domain([s.as_symbol() for s in (past, seq, total)], [at_least(total, past + seq), at_least(past, 5)])
>>> {s.name: n for s, n in least_input(domain, domain.symbols, Judge()).items()}
{'past': 5, 'seq': 1, 'total': 6}
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from shapesmt.prover.algebra import Atom, Formula, equal, evaluate, of_atom
from shapesmt.prover.algebra.growth import monotone
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain

ROUNDS = 1000  # times that a value is raised until the facts hold; then the solver is asked


def least_input(domain: Domain, symbols: Sequence[Atom], judge: Judge) -> dict[Atom, int] | None:
    """Return the minimum of each symbol, if one input is known to have them all; related symbols are included."""
    return _raise_bounds(domain, symbols) or _ask_solver(domain, symbols, judge)


def _raise_bounds(domain: Domain, symbols: Sequence[Atom]) -> dict[Atom, int] | None:
    """Raise lower bounds as far as single facts require; return None if that doesn't lead to an input."""
    tied, facts = domain.about(symbols)
    ends = {s: domain.ends(s) for s in tied}
    if any(lo == -inf for lo, _ in ends.values()):
        return None
    point = {s: _from(s, int(lo)) for s, (lo, _) in ends.items()}
    for _ in range(ROUNDS):
        broken = next((fact for fact in facts if not evaluate(fact, point)), None)
        if broken is None:
            return point if all(point[s] <= high for s, (_, high) in ends.items()) else None
        higher = _higher(broken, point)
        if higher is None:
            return None
        point |= higher
    return None


def _higher(fact: Formula, point: dict[Atom, int]) -> dict[Atom, int] | None:
    """Return the one symbol that alone can make a fact hold, with the value that it needs; None if there is none."""
    d = fact.dim
    if fact.op != "ge" or d is None:
        return None
    linear = {s: dict(d.terms).get((s.number,), 0) for s in d.symbols}
    rising = [s for s in d.symbols if monotone(d, s) not in (0, -1)]
    if len(rising) != 1 or linear[rising[0]] <= 0:
        return None
    (s,) = rising
    if s in (d - linear[s] * of_atom(s)).symbols:
        return None
    return {s: _from(s, point[s] - int(evaluate(d, point)) // linear[s])}


def _from(s: Atom, value: int) -> int:
    """Return the smallest value of a symbol that is at least `value`."""
    first = 0 if s.lo == -inf else int(s.lo)
    return value + (first - value) % s.step


def _ask_solver(domain: Domain, symbols: Sequence[Atom], judge: Judge) -> dict[Atom, int] | None:
    """Return the minimum of each symbol by the solver, if one input has them all; None otherwise."""
    corner, ends = domain.copy(), dict[Atom, int]()
    for s in symbols:
        low = judge.extent(domain, of_atom(s))[0]
        if low.value is None or not low.proven:
            return None
        ends[s] = low.value
        corner.assume(equal(of_atom(s), low.value))
    return ends if judge.is_inhabited(corner) else None
