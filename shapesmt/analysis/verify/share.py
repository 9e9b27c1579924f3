"""Share: the number of admissible inputs that are valid, counted if there are few enough to try each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod

from shapesmt.analysis.verify.examined import Examined
from shapesmt.prover.algebra import Formula, Verdict, all_of, memo
from shapesmt.prover.presolve import Domain, compute_once, group_by_symbols
from shapesmt.reports.answers import Share

_SHARES: dict[Hashable, Share | None] = memo("shares of valid inputs", {})


def valid_share(a: Examined) -> Share | None:
    """Return how many of the admissible sizes run, counted over the symbols on which running depends.

    None if every input runs, or if they can't be counted: unbounded ranges, data-dependent sizes.
    """
    conditions = [c for j in a.examination.judgements if j.verdict is Verdict.DEPENDS for c in j.condition.conjuncts]
    return share_of(conditions, a.problem.domain) if conditions and a.examination.decided else None


def share_of(conditions: Sequence[Formula], domain: Domain) -> Share | None:
    """Return how many sizes satisfy all conditions, counted over their symbols; None if they can't be counted."""
    if any(s.universal for c in conditions for s in c.symbols):
        return None
    return compute_once(_SHARES, domain, tuple(conditions), lambda: _share(domain, conditions))


def _share(domain: Domain, conditions: Sequence[Formula]) -> Share | None:
    counts = []
    for part in group_by_symbols(conditions, domain, lambda c: domain.closure(c.symbols)[0]):
        points = domain.points(part.symbols)
        if points is None:
            return None
        counts.append((int(points.truth(part).sum()), points.count))
    names = sorted(all_of(*conditions).symbols, key=domain.order)
    valid, admissible = (prod(column) for column in zip(*counts, strict=True))
    return Share(valid, admissible, tuple([s.name for s in names]))
