"""Derivation: findings in the order in which they are read, what explains others first.

The gravest come first, then those earlier in the graph. But a node that fails for every input may read what a node
made that runs for few of them, such as a product with its factors exchanged: that one explains it, and comes before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.analysis import verify
from shapesmt.analysis.verify import Examined, Judgement
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Finding, altered

FEW = 2  # a node explains others if it runs for less than one in so many sizes
_BY_GRAVITY = (Verdict.FAILS, Verdict.DEPENDS, Verdict.UNKNOWN)


def in_order(findings: Sequence[Finding], a: Examined) -> list[Finding]:
    """Return the findings in order; each that explains others lists their nodes."""
    judged = {j.index: j for j in a.examination.judgements if not j.session and j.verdict is Verdict.DEPENDS}
    first = sorted(findings, key=lambda f: (_BY_GRAVITY.index(f.verdict), f.index))
    ordered: dict[int, list[Finding]] = {}  # by the place in `first` of those that they explain
    explained: dict[int, list[str]] = {}
    for place, found in enumerate(first):
        makers = {c.node for c in found.because} if found.verdict is Verdict.FAILS else set[str]()
        for f in first if makers else ():
            if f.node in makers and f.index < found.index and f.index in judged and _runs_for_few(judged[f.index], a):
                explained.setdefault(f.index, []).append(found.node)
                ordered.setdefault(place, []).append(f)
    told = [f for place, found in enumerate(first) for f in (*ordered.get(place, ()), found)]
    listed = {id(f): f for f in told}.values()
    return [altered(f, explains=tuple(explained[f.index])) if f.index in explained else f for f in listed]


def _runs_for_few(j: Judgement, a: Examined) -> bool:
    """Whether a node runs for few sizes; if they aren't counted, whether its condition is an equation."""
    share = None if a.judge.deadline.expired else verify.share_of(j.condition.conjuncts, a.problem.domain)
    if share is None:
        return any(part.op == "eq" for part in j.condition.conjuncts)
    return share.valid * FEW < share.admissible
