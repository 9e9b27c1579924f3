"""Walk: the states of all tensors of a graph, node by node, also of the graphs and functions inside nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import count

from shapesmt.analysis.samples.inside import Nested, run
from shapesmt.analysis.samples.states import SHARED, Batch, Site, State, States, unknown
from shapesmt.analysis.samples.transfer import Step, Transfer
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Node, Nodes
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Body, Rule, Runs, Tensor


@frozen(eq=False)
class Walk:
    """Finds the states of tensors, for one batch."""

    batch: Batch
    transfer: Transfer
    operators: Operators
    opsets: Mapping[str, int]
    given: set[str] = field(default_factory=set)
    """The tensors whose elements the caller gives, in the inputs' order or another."""
    _order: count[int] = field(default_factory=count)

    def nodes(
        self,
        nodes: Sequence[Node],
        tensors: Mapping[str, Tensor],
        bodies: Mapping[int, tuple[Body, ...]],
        states: States,
        path: str = "",
    ) -> None:
        """Add the states of the outputs of nodes, in order; `bodies` are the runs of nodes inside them, by index."""
        listed, tensor_of = Nodes.of(nodes), tensors.get
        apart = {name: s.sample for name, s in states.items() if s.site is None}
        lost, sample_of = states.keys() - apart.keys(), apart.get
        known: dict[tuple[object, ...], list[State]] = {}  # of nodes that mix nothing, by kind, tensors and samples
        rows = zip(count(), listed.kinds, listed.inputs, listed.outputs, strict=False)
        for index, kind, reads, writes in rows:
            if states.keys().isdisjoint(reads) and states.keys().isdisjoint(kind.attributes.captures):
                continue
            plain = lost.isdisjoint(reads) and not kind.attributes.graphs
            key = (kind, *map(tensor_of, reads), *map(tensor_of, writes), *map(sample_of, reads)) if plain else ()
            found = known.get(key)
            if found is None:
                node, given = listed[index], [states.get(name, SHARED) for name in reads]
                site = Site(next(self._order), f"{path}{node.name}", node.op)
                found = self._node(node, tensors, bodies.get(index, ()), states, given, site)
                if plain and all(s.site is None for s in found):
                    known[key] = found
            for name, state in zip(writes, found, strict=True):
                if name and state is not SHARED:
                    states[name] = state
                    if state.site is None:
                        apart[name] = state.sample
                    else:
                        lost.add(name)

    def _node(
        self,
        node: Node,
        tensors: Mapping[str, Tensor],
        bodies: tuple[Body, ...],
        states: States,
        known: list[State],
        site: Site,
    ) -> list[State]:
        rule = self.operators[node.domain, node.op]
        if isinstance(rule, Rule) and rule.traits.runs is not Runs.NONE:
            return run(Nested(self, node, tensors, bodies, states, known, site), rule.traits.runs)
        if isinstance(rule, Rule):
            missing = [name for name in node.outputs if name and name not in tensors]
            inputs = tuple(tensors.get(name) if name else None for name in node.inputs)
            outputs = tuple(tensors[name] if name else inputs[0] for name in node.outputs) if not missing else ()
            chosen = any(i < len(node.inputs) and node.inputs[i] in self.given for i in rule.traits.indices)
            step = Step(rule, node, self.opsets.get(node.domain, 1), inputs, outputs, chosen)  # type: ignore[arg-type]
            if outputs and (step.is_tracked or rule.of_shape or not bodies):
                return self.transfer.outputs(step, known, site)
        if len(bodies) == 1:
            return self.call(node, bodies[0], known, site)
        return [unknown(site)] * len(node.outputs)

    def call(self, node: Node, body: Body, known: Sequence[State], site: Site) -> list[State]:
        """Return the states of the outputs of a function that a node calls."""
        inner = {name: s for name, s in zip(body.inputs, known, strict=False) if s is not SHARED}
        self.nodes(body.nodes, body.tensors, body.inner, inner, f"{site.path}/")
        return [inner.get(name, SHARED) for name in body.outputs[: len(node.outputs)]]
