"""External files that can't be read: how many of their constants decide sizes, and which nodes are undecided without.

A node that depends on such a constant is undecided, and so may be those downstream of it: one finding stands for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from shapesmt.analysis.diagnose.finding import Where, finding
from shapesmt.network import laws
from shapesmt.network.graph import Absence, Graph
from shapesmt.operators.inference import Inference
from shapesmt.operators.rules import Unjudged
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import AbsentFile, Finding, FindingKind, facts

Undecided = tuple[int, Unjudged]
"""An undecided node: the index of the outermost node, and the reason."""


def absent_files(graph: Graph, inference: Inference) -> tuple[AbsentFile, ...]:
    """Return the external files that can't be read, first those with constants on which a node depends."""
    causes = {(c.what, c.literal) for a in inference.applications for c in a.external if c.absent}
    numbers = Counter(literal.file for _, literal in causes if literal is not None)
    reasons = {**graph.absent, **dict.fromkeys(numbers.keys() - graph.absent.keys(), Absence.CONTENT)}
    files = [AbsentFile(file, reason.value, numbers[file]) for file, reason in reasons.items()]
    return tuple(sorted(files, key=lambda file: not file.constants))


CONSTANTS_READ = laws.SM605.law("constants that decide sizes are read, here {count} in external files")


def without_files(
    unjudged: Iterable[Undecided], graph: Graph, inference: Inference
) -> tuple[list[Undecided], Finding | None]:
    """Return the undecided nodes that have other reasons, and one finding for all others; None if there are none."""
    absent = [(i, c.what) for i, a in enumerate(inference.applications) for c in a.external if c.absent]
    direct, names = {index for index, _ in absent}, {name for _, name in absent}
    reached = direct.union(*map(graph.descendants, direct)) if direct else set()
    others, follow = list[Undecided](), list[Undecided]()
    for index, u in unjudged:
        lost = u.kind == "rank" or (u.kind == "elements" and not u.rests_on and (u.note or index in direct))
        (follow if index in reached and (lost or u.rests_on in names) else others).append((index, u))
    if not follow:
        return others, None
    index, u = min(follow, key=lambda pair: pair[0])
    needed = tuple(file for file in absent_files(graph, inference) if file.constants)
    nodes = len({(i, u.path) for i, u in follow})
    law = CONSTANTS_READ.of(count=sum(file.constants for file in needed))
    name = graph.nodes[index].name
    where = Where(f"{name}/{u.path}" if u.path else name, u.op, index)
    return others, finding(
        Verdict.UNKNOWN, FindingKind.EXTERNAL, where, law, code=laws.code_of_kind(FindingKind.EXTERNAL),
        title=facts.Absent(needed), note=facts.Without(nodes), help=facts.ToPlace(needed),
        rests_on=", ".join(file.file for file in needed),
    )  # fmt: skip
