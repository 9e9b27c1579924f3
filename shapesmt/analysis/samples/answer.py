"""Samples: the states of a model's tensors for one batch symbol, and the answer about its outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shapesmt.analysis.samples.states import SHARED, Batch, Site, Split, State, unknown
from shapesmt.analysis.samples.transfer import MOST_SAMPLES, Transfer
from shapesmt.analysis.samples.walk import Walk
from shapesmt.analysis.verify import Examined
from shapesmt.base.deadline import stage
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Node
from shapesmt.operators.inference import Operators, tracer
from shapesmt.prover.algebra import FALSE, ONE, TRUE, Atom, Dim, Formula, Verdict, at_most, of_atom
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import OutputSamples, SampleAnswer

ASKS = 6  # queries of the solver along a graph, each with little effort


@frozen(eq=False)
class Samples:
    """The states of all tensors for one batch.

    Attributes:
        symbol: The input dimension that counts the samples.
        found: The examined model.
        batch: The number of samples.
        states: The state of each tensor that depends on a sample.
    """

    symbol: str
    found: Examined
    batch: Batch
    states: Mapping[str, State]

    def state(self, name: str) -> State:
        """Return the state of a tensor."""
        return self.states.get(name, SHARED)

    @property
    def names(self) -> Sequence[str]:
        """The names of the model's outputs."""
        return self.found.problem.graph.outputs

    @property
    def size(self) -> Dim:
        """The number of samples, before conditions narrow it."""
        return self.found.problem.dims[self.found.problem.graph.aliases.get(self.symbol, self.symbol)]

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each node, by its name."""
        return {node.name: index for index, node in reversed([*enumerate(self.found.problem.graph.nodes)])}

    @cached_property
    def admissible(self) -> Domain:
        """The inputs for which the nodes run, with at most `MOST_SAMPLES` samples unless there are always more."""
        return _countable(self.found.examination.domain, self.size.symbols)

    def holds(self, state: State) -> bool:
        """Whether a tensor is proved to be apart at all admissible sizes."""
        return state.holds is TRUE or self.found.judge.proves(self.batch.domain, state.holds)

    def is_reshape(self, node: Node) -> bool:
        """Whether a node retains the elements in their order."""
        graph = self.found.problem.graph
        return Operators(graph.opsets, graph.functions).traits(node).in_order

    def split(self, name: str) -> Split | None:
        """Return the axis of a tensor that is split by the samples; None if none is, or if it isn't known."""
        state, t = self.state(name), self.found.examination.inference.tensors.get(name)
        if state.sample is None or state is SHARED or t is None or t.shape is None:
            return None
        return self.batch.split(state.sample, t.shape, state.holds)

    def outputs(self, names: Iterable[str]) -> list[OutputSamples]:
        """Return which samples these tensors depend on."""
        return [self._output(name) for name in names]

    def _output(self, name: str) -> OutputSamples:
        state, t = self.state(name), self.found.examination.inference.tensors.get(name)
        if state is SHARED and t is not None:
            return OutputSamples("shared", holds_iff=str(TRUE))
        node, op = "" if state.site is None else state.site.path, "" if state.site is None else state.site.op
        if not state.known or t is None:
            return OutputSamples("unknown", node=node, op_type=op)
        split = self.split(name)
        if split is not None and self.holds(state):
            return OutputSamples("apart", split.axis, str(split.outer), str(split.inner), str(TRUE))
        return OutputSamples("mixed", holds_iff=self._where(state.holds), node=node, op_type=op)

    def _where(self, holds: Formula) -> str | None:
        """Return the sizes for which a condition holds, as text; None if it isn't known exactly."""
        examination, judge = self.found.examination, self.found.judge
        condition = examination.narrowing.back(holds)
        if condition is FALSE:
            return str(FALSE)
        region = judge.deadline.attempt(lambda: judge.region(self.admissible, condition), None)
        return region.whole if region is not None and region.exact else None

    def answer(self) -> SampleAnswer:
        """Return the answer about the model's outputs."""
        outputs = dict(zip(self.names, self.outputs(self.names), strict=True))
        return SampleAnswer(self.symbol, Verdict.worst([self._verdict(output) for output in outputs.values()]), outputs)

    @staticmethod
    def _verdict(output: OutputSamples) -> Verdict:
        if output.verdict == "unknown":
            return Verdict.UNKNOWN
        if output.verdict != "mixed":
            return Verdict.PROVED
        return Verdict.FAILS if output.holds_iff == str(FALSE) else Verdict.DEPENDS


@stage("samples")
def samples_of(found: Examined, symbol: str) -> Samples | None:
    """Return which samples the tensors of a model depend on; None if no input has the dimension `symbol`."""
    inference, graph = found.examination.inference, found.problem.graph
    axes = carriers(found, symbol)
    batch = batch_of(found, axes)
    if batch is None:
        return None
    states = {}
    for name, places in axes.items():
        t = inference.tensors[name]
        start = State(batch.label(t.rank - places[0], ONE))
        states[name] = start if len(places) == 1 else unknown(Site(-1, name, ""))
    operators = Operators(graph.opsets, graph.functions)
    walk = Walk(batch, Transfer(batch, tracer(graph)), operators, graph.opsets, {*graph.inputs})
    bodies = {i: a.bodies for i, a in enumerate(inference.applications) if a.bodies}
    walk.nodes(graph.nodes, inference.tensors, bodies, states)
    return Samples(symbol, found, batch, states)


def carriers(found: Examined, symbol: str) -> dict[str, list[int]]:
    """Return the inputs with an axis of that name, each with the axes."""
    declared, problem = found.problem.declared, found.problem
    names = {symbol, *(alias for alias, name in problem.graph.aliases.items() if name == symbol)}
    axes = {t: [i for i, axis in enumerate(shape or ()) if axis in names] for t, (_, shape) in declared.items()}
    return {name: places for name, places in axes.items() if places}


def batch_of(found: Examined, axes: Mapping[str, list[int]]) -> Batch | None:
    """Return the batch that these axes of inputs count; None if there are none."""
    tensors = found.examination.inference.tensors
    sizes: list[Dim] = [tensors[name].dims[places[0]] for name, places in axes.items()]
    if not sizes:
        return None
    judge = Judge(found.judge.deadline, asks=ASKS)
    return Batch(sizes[0], _countable(found.examination.narrowed, sizes[0].symbols), judge)


def _countable(domain: Domain, symbols: Iterable[Atom]) -> Domain:
    """Return the inputs of a domain whose axes aren't longer than any batch."""
    limited = domain.copy()
    for s in symbols:
        low, high = domain.ends(s)
        if low < MOST_SAMPLES < high:
            limited.assume(at_most(of_atom(s), MOST_SAMPLES))
    return limited
