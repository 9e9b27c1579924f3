"""Mixed samples: findings about the nodes after which the samples of a batch don't stay apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from shapesmt.analysis.diagnose.causes import source_of
from shapesmt.analysis.diagnose.finding import Where, finding
from shapesmt.analysis.samples import Samples, Site, State, samples_of
from shapesmt.analysis.verify import Examined
from shapesmt.base.errors import UsageError
from shapesmt.network import laws
from shapesmt.network.declarations import unknown_name
from shapesmt.network.graph import Node
from shapesmt.prover.algebra import Atom, Dim, Evaluator, Formula, Verdict
from shapesmt.reports.answers import Cause, Counterexample, Finding, FindingKind, OutputSamples, altered, facts

MAX_CAUSES = 8
SAMPLES_STAY_APART = laws.SM701.law("each index along an axis of an output depends on one sample alone")


def samples_asked(a: Examined, symbols: Sequence[str]) -> list[Samples]:
    """Return the samples that these dimensions count.

    Raises:
        UsageError: No input has one of them as the name of an axis.
    """
    found = []
    for symbol in symbols:
        samples = samples_of(a, symbol)
        if samples is None:
            axes = {axis for _, shape in a.problem.declared.values() for axis in shape or () if isinstance(axis, str)}
            if symbol in axes or symbol in a.problem.graph.aliases:
                raise UsageError(f"samples: no input of known rank has an axis {symbol!r}")
            raise unknown_name("input dimension", symbol, axes, a.problem.graph.source)
        found.append(samples)
    return found


def sample_findings(samples: Samples) -> Iterator[Finding]:
    """Yield a finding for each node after which outputs are mixed, or unknown."""
    outputs = dict(zip(samples.names, samples.outputs(samples.names), strict=True))
    groups: dict[tuple[Site | None, Formula, bool], list[str]] = {}
    for name, output in outputs.items():
        state = samples.state(name)
        if output.verdict in ("mixed", "unknown"):
            groups.setdefault((state.site, state.holds, state.known), []).append(name)
    for names in groups.values():
        deadline = samples.found.judge.deadline
        yield deadline.attempt(partial(_finding, samples, names, outputs[names[0]]), None) or _brief(samples, names)


def _finding(samples: Samples, names: Sequence[str], output: OutputSamples) -> Finding:
    a, state = samples.found, samples.state(names[0])
    place = _place(samples, state, names)
    node = None if place is None else a.problem.graph.nodes[place]
    condition = a.examination.narrowing.back(state.holds)
    decision = a.judge.decide(samples.admissible, condition) if state.known else None
    values = None if decision is None else a.judge.complete(samples.admissible, decision.counterexample)
    shown = None if values is None else _counterexample(samples, values, condition)
    told = _told(samples, names, node, state, values)
    unknown = not state.known or decision is None
    found = finding(
        Verdict.UNKNOWN if unknown else Verdict.FAILS if output.holds_iff == "False" else Verdict.DEPENDS,
        FindingKind.SAMPLES,
        Where(output.node or names[0], output.op_type, -1 if place is None else place),
        SAMPLES_STAY_APART,
        "" if unknown else condition,
        shown,
        title=told,
        holds_iff=None if unknown else output.holds_iff,
        because=() if place is None else _causes(samples, place, values),
    )
    return found if place is None else altered(found, source=source_of(a.problem.graph, place))


def _brief(samples: Samples, names: Sequence[str]) -> Finding:
    """Return the finding without an explanation, if there is no time for one."""
    told = facts.Mixed(samples.symbol, names[0], None, None, None, tuple(names), known=False)
    where = Where(names[0], "", -1)
    return finding(Verdict.UNKNOWN, FindingKind.SAMPLES, where, SAMPLES_STAY_APART, title=told)


def _counterexample(samples: Samples, values: dict[Atom, int], condition: Formula) -> Counterexample:
    return samples.found.problem.counterexample(values, condition.symbols)


def _place(samples: Samples, state: State, names: Sequence[str]) -> int | None:
    """Return the index of the outermost node after which a tensor is mixed; None if it is none of the graph's."""
    graph = samples.found.problem.graph
    if state.site is None:
        return graph.producer(names[0])
    places = samples.places
    return places.get(state.site.path, places.get(state.site.path.partition("/")[0]))


def _told(
    samples: Samples, names: Sequence[str], node: Node | None, state: State, values: dict[Atom, int] | None
) -> facts.Mixed:
    """Return the facts about the tensor that a node mixes."""
    made = [] if node is None else [name for name in node.outputs if name and samples.state(name).site == state.site]
    tensor = made[0] if made else names[0]
    inputs = [] if node is None else [name for name in node.inputs[:1] if samples.is_reshape(node)]
    before = _numbers(samples, inputs[0], values) if inputs else None
    count = None if values is None else _number(samples.size, values)
    after = _numbers(samples, tensor, values)
    return facts.Mixed(samples.symbol, tensor, before, after, count, tuple(names), known=state.known)


def _number(size: Dim, values: dict[Atom, int] | None) -> int | None:
    return None if values is None or not size.symbols <= values.keys() else int(Evaluator(values).dim(size))


def _numbers(samples: Samples, name: str, values: dict[Atom, int] | None) -> tuple[int, ...] | None:
    """Return the shape of a tensor at an input; None if it isn't known."""
    t = samples.found.examination.original.tensors.get(name)
    sizes = [] if t is None or t.shape is None else [_number(d, values) for d in t.shape]
    known = tuple(size for size in sizes if size is not None)
    return known if sizes and len(known) == len(sizes) else None


def _causes(samples: Samples, place: int, values: dict[Atom, int] | None) -> tuple[Cause, ...]:
    """Return the tensors upstream in which the samples change their axis, from the input on."""
    graph = samples.found.problem.graph
    causes: list[Cause] = []
    at: int | None = place
    while at is not None and len(causes) < MAX_CAUSES:
        node = graph.nodes[at]
        name = next((name for name in node.inputs if name and not samples.state(name).shared), None)
        if name is None:
            break
        split, t = samples.split(name), samples.found.examination.original.tensors.get(name)
        at = graph.producer(name)
        before = None
        if at is not None:
            earlier = next((n for n in graph.nodes[at].inputs if n and not samples.state(n).shared), None)
            before = None if earlier is None else samples.split(earlier)
        if split is None or t is None or t.shape is None or split.axis >= len(t.shape):
            continue
        if at is None or before is None or (before.axis, before.inner) != (split.axis, split.inner):
            size = t.shape[split.axis]
            maker, op = ("", "") if at is None else (graph.nodes[at].name, graph.nodes[at].op)
            number, shape = _number(size, values), _numbers(samples, name, values) or ()
            causes.append(Cause(maker, name, split.axis, expr=str(size), value=number, op_type=op, shape=shape))
    return tuple(causes[::-1])
