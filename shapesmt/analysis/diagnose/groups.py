"""Groups: findings with one cause, with one condition that covers them all.

Example: the four joins of a U-Net that fail at odd sizes are one group, with `height % 16 == 0 and width % 16 == 0`.
Nodes with inputs of unknown rank belong to the group of the upstream finding that causes this, such as an operator
without a rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from shapesmt.analysis.diagnose.findings import describe_region
from shapesmt.analysis.verify import Examined, Judgement
from shapesmt.network.graph import Graph
from shapesmt.prover.algebra import Verdict, all_of
from shapesmt.prover.regions import Region
from shapesmt.reports.answers import Finding, FindingKind, Group, Precondition, altered


def group_findings(
    findings: Sequence[Finding], a: Examined, region: Precondition
) -> tuple[tuple[Finding, ...], tuple[Group, ...]]:
    """Return the findings with their groups, and the groups in the order of their first findings."""
    judged = {j.index: j for j in a.examination.judgements}
    causes = _causes(findings, judged, a.problem.graph)
    places = {cause: place for place, cause in enumerate(dict.fromkeys(cause for cause, _ in causes))}
    members: list[list[Finding]] = [[] for _ in places]
    behind = [0] * len(places)
    for finding, (cause, follows) in zip(findings, causes, strict=True):
        behind[places[cause]] += follows
        if not follows:
            members[places[cause]].append(finding)
    marked = tuple([altered(f, group=places[cause]) for f, (cause, _) in zip(findings, causes, strict=True)])
    groups = zip(members, behind, strict=True)
    return marked, tuple([_group(own, number, judged, a, region) for own, number in groups])


def _causes(findings: Sequence[Finding], judged: Mapping[int, Judgement], graph: Graph) -> list[tuple[Hashable, bool]]:
    """Return each finding's cause, equal within a group, and whether the finding only follows from those upstream."""
    own = [_cause(f, judged.get(f.index)) for f in findings]
    first: dict[int, Hashable] = {}  # by node whose finding may leave downstream nodes undecided
    for f, cause in zip(findings, own, strict=True):
        if f.kind != FindingKind.RANK and f.verdict is not Verdict.DEPENDS:
            first.setdefault(f.index, cause)
    unknown_ranks = {f.index: cause for f, cause in zip(findings, own, strict=True) if f.kind == FindingKind.RANK}
    before = _before(graph, first, unknown_ranks) if unknown_ranks else {}
    return [(before[f.index], True) if f.kind == FindingKind.RANK and f.index in before else (cause, False)
            for f, cause in zip(findings, own, strict=True)]  # fmt: skip


def _cause(finding: Finding, judgement: Judgement | None) -> Hashable:
    if finding.kind == FindingKind.UNSUPPORTED:
        return finding.kind, finding.op_type
    if judgement is None or finding.verdict is Verdict.UNKNOWN:
        return finding.kind, finding.rests_on or finding.law
    sizes = frozenset(s.name for s in judgement.condition.symbols if not s.by_data)
    numbers = (finding.clash.left.expr, finding.clash.right.expr) if finding.clash and not sizes else ()
    return finding.verdict, finding.kind, finding.law, sizes, numbers


def _before(graph: Graph, first: Mapping[int, Hashable], unknown_ranks: Mapping[int, Hashable]) -> dict[int, Hashable]:
    """Return the cause upstream of each node that has one; if its inputs have several, the first input's counts."""
    reached: dict[int, Hashable] = {}
    before: dict[int, Hashable] = {}
    for index, node in enumerate(graph.nodes):
        makers = (graph.producer(name) for name in node.reads)
        earlier = next((reached[i] for i in makers if i is not None and i in reached), None)
        if earlier is not None:
            reached[index] = earlier
            before[index] = earlier
        elif index in first or index in unknown_ranks:
            reached[index] = first.get(index, unknown_ranks.get(index))
    return before


def _group(
    members: Sequence[Finding], behind: int, judged: Mapping[int, Judgement], a: Examined, region: Precondition
) -> Group:
    """Return a group; the condition that covers it is the model's if no other node depends on the input."""
    depends = [judged[f.index] for f in members if f.verdict is Verdict.DEPENDS]
    if not depends or a.judge.deadline.expired:
        return Group(len(members), behind)
    if len(depends) == 1:
        return Group(len(members), behind, members[0].holds_iff, members[0].safe_iff)
    everything = len(depends) == sum(j.verdict is Verdict.DEPENDS for j in a.examination.judgements)
    if everything and (region.exact or region.data):
        text, exact = region.whole, True
    else:
        condition, domain = all_of(*(j.condition for j in depends)), a.admissible()
        own, last = {j.index for j in depends}, depends[-1].index
        for other in a.examination.judgements:  # the conditions are simplified by those of other nodes before them
            if other.verdict is Verdict.DEPENDS and other.index < last and other.index not in own:
                a.judge.assume(domain, other.condition)
        covering = a.judge.deadline.attempt(lambda: describe_region(condition, domain, a), Region((), False))
        text, exact = covering.whole, covering.exact
    if not exact:
        return Group(len(members), behind)
    data = any(f.kind == FindingKind.DATA for f in members)
    return Group(len(members), behind, None if data else text, text if data else None)
