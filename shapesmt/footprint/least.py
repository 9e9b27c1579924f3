"""Least: the input below which there is none in any size, where a domain has such a one.

>>> from shapesmt.algebra import at_least, symbol
>>> from shapesmt.deadline import Deadline
>>> past, seq, total = symbol("past", 0), symbol("seq", 1), symbol("total", 1)
>>> domain = Domain([s.as_symbol() for s in (past, seq, total)], [at_least(total, past + seq), at_least(past, 5)])
>>> {s.name: n for s, n in least(domain, domain.symbols, Judge(Deadline(None))).items()}
{'past': 5, 'seq': 1, 'total': 6}
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from shapesmt.algebra import Atom, Formula, equal, evaluate, of_atom
from shapesmt.algebra.growth import monotone
from shapesmt.examine import Judge
from shapesmt.presolve import Domain

ROUNDS = 1000  # of raising a value that a fact needs to be higher


def least(domain: Domain, symbols: Sequence[Atom], judge: Judge) -> dict[Atom, int] | None:
    """The least values of symbols, where one input is known to have them all; the symbols tied to them have theirs."""
    return _raised(domain, symbols) or _asked(domain, symbols, judge)


def _raised(domain: Domain, symbols: Sequence[Atom]) -> dict[Atom, int] | None:
    """The low ends, raised as far as single facts need it; None where that doesn't lead to an input."""
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
    """The one symbol that alone can make a fact hold, as high as it has to be for that."""
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
    """The least value that a symbol can have from this one on."""
    first = 0 if s.lo == -inf else int(s.lo)
    return value + (first - value) % s.step


def _asked(domain: Domain, symbols: Sequence[Atom], judge: Judge) -> dict[Atom, int] | None:
    """The low ends of all symbols, where they go together."""
    corner, ends = domain.copy(), dict[Atom, int]()
    for s in symbols:
        low = judge.extent(domain, of_atom(s))[0]
        if low.value is None or not low.proven:
            return None
        ends[s] = low.value
        corner.assume(equal(of_atom(s), low.value))
    return ends if judge.inhabited(corner) else None
