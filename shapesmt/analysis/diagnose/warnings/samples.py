"""Warnings of reshapes that mix what look like the samples of a batch, without being asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shapesmt.analysis.diagnose.warnings.common import warning
from shapesmt.analysis.verify import Examined
from shapesmt.network.graph import Nodes
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Shape, Tensor
from shapesmt.prover.algebra import FLOOR_DIVISION, Dim, atoms_within
from shapesmt.reports.answers import ModelWarning, WarningKind, facts

if TYPE_CHECKING:
    from shapesmt.analysis.samples import Samples


def reshaped_batches(a: Examined) -> Iterator[ModelWarning]:
    """Warn of outputs that a reshape mixes, if one dimension is the first size of each input that has a free one."""
    name = a.problem.batch
    if name is None or not any(_looks_wrong(a.problem.dims[name], *pair) for pair in _reshapes(a)):
        return
    from shapesmt.analysis.samples import samples_of  # few models need it

    samples = samples_of(a, name)
    seen = set()
    for output in samples.names if samples is not None else ():
        assert samples is not None
        place = _mixing_reshape(samples, output)
        if place is not None and place not in seen:
            seen.add(place)
            node, tensors = a.problem.graph.nodes[place], a.examination.original.tensors
            before, after = tensors[node.inputs[0]].dims, tensors[node.outputs[0]].dims
            told = facts.Reshaped(name, tuple(map(str, before)), tuple(map(str, after)), output)
            yield warning(WarningKind.RESHAPED, told, (place, node), tensor=node.outputs[0])


def _reshapes(a: Examined) -> Iterator[tuple[Shape, Shape]]:
    """Yield the shapes before and after each node that only reshapes."""
    graph, tensors = a.problem.graph, a.examination.original.tensors
    operators, nodes = Operators(graph.opsets, graph.functions), Nodes.of(graph.nodes)
    reshapes = {kind for kind in {*nodes.kinds} if operators.traits(kind).in_order}
    for kind, reads, writes in zip(nodes.kinds, nodes.inputs, nodes.outputs, strict=True) if reshapes else ():
        if kind in reshapes and reads and writes:
            before, after = tensors.get(reads[0]), tensors.get(writes[0])
            if _known(before, after):
                assert before is not None
                assert after is not None
                yield before.dims, after.dims


def _known(*tensors: Tensor | None) -> bool:
    return all(t is not None and t.shape is not None for t in tensors)


def _looks_wrong(batch: Dim, before: Shape, after: Shape) -> bool:
    """Whether a reshape takes the batch from the first axis, and gives another axis a share of it."""
    if not before or not after or before[0] is not batch or not batch.symbols.isdisjoint(after[0].symbols):
        return False
    quotients = (atom for d in after for atom in atoms_within(d) if atom.op is FLOOR_DIVISION)
    return after[0].constant is not None or any(not atom.symbols.isdisjoint(batch.symbols) for atom in quotients)


def _mixing_reshape(samples: Samples, output: str) -> int | None:
    """Return the index of the reshape that mixes the samples of an output; None if there is none."""
    state = samples.state(output)
    if not state.known or state.site is None or samples.holds(state):
        return None
    place = samples.places.get(state.site.path)
    node = None if place is None else samples.found.problem.graph.nodes[place]
    return place if node is not None and samples.is_reshape(node) else None
