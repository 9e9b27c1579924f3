"""Warnings of reshapes that mix what look like the samples of a batch, or share out constants, without being asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.analysis.diagnose.warnings.common import Examples, warning
from shapesmt.analysis.verify import Examined
from shapesmt.network.graph import Graph, Nodes
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Shape
from shapesmt.prover.algebra import FLOOR_DIVISION, ONE, Dim, Formula, atoms_within, differs, equal, substitute
from shapesmt.reports.answers import ModelWarning, WarningKind, facts

if TYPE_CHECKING:
    from shapesmt.analysis.samples import Samples


REORDERING, CONSTANTS = "nodes that only reshape", "reshapes of constants"  # keys of `Graph.memory`


class Division(NamedTuple):
    """A reshape that shares out the elements of a constant among the samples.

    Attributes:
        place: The index of the node.
        before: The shape of the constant.
        after: The shape that it is given, over the symbols of inputs of any size.
        rows: The number of samples that the constant has elements for.
    """

    place: int
    before: Shape
    after: Shape
    rows: Dim


def reshaped_batches(a: Examined, examples: Examples) -> Iterator[ModelWarning]:
    """Warn of reshapes that mix samples or share out constants, if all inputs with a free first size have the same."""
    seen, nodes = set(), a.problem.graph.nodes
    for samples, output in mixed_outputs(a):
        place = _mixing_reshape(samples, output)
        if place is not None and place not in seen:
            seen.add(place)
            node, tensors = nodes[place], a.examination.original.tensors
            before, after = tensors[node.inputs[0]].dims, tensors[node.outputs[0]].dims
            told = facts.Reshaped(samples.symbol, tuple(map(str, before)), tuple(map(str, after)), output)
            yield warning(WarningKind.RESHAPED, told, (place, node), tensor=node.outputs[0])
    for found in divided_constants(a):
        assert a.problem.batch is not None
        (batch,) = a.examination.narrowing.narrow_sizes([a.problem.dims[a.problem.batch]])
        if examples.where(differs(batch, found.rows)) is not None:
            texts, node = [tuple(map(str, shape)) for shape in (found.before, found.after)], nodes[found.place]
            shared = facts.SharedOut(a.problem.batch, texts[0], texts[1], str(found.rows))
            yield warning(WarningKind.RESHAPED, shared, (found.place, node), tensor=node.outputs[0])


def mixed_outputs(a: Examined) -> Iterator[tuple[Samples, str]]:
    """Yield the outputs in which samples are mixed for some valid inputs, if a reshape looks as if it mixed them."""
    name = a.problem.batch
    if name is None or not any(_looks_wrong(a.problem.dims[name], *pair) for pair in _reshapes(a)):
        return
    from shapesmt.analysis.samples import samples_of  # few models need it

    samples = samples_of(a, name)
    for output in samples.names if samples is not None else ():
        assert samples is not None
        state = samples.state(output)
        if state.known and state.site is not None and not samples.holds(state):
            yield samples, output


def apart_conditions(a: Examined) -> Iterator[Formula]:
    """Yield the conditions under which no reshape mixes samples or shares out constants, over the problem's symbols.

    An output whose first axis is a number that a reshape has in place of the batch is to have a row for each sample.
    """
    batch = a.problem.dims.get(a.problem.batch or "")
    if batch is None:
        return
    for samples, output in mixed_outputs(a):
        rows = {after[0] for before, after in _reshapes(a) if _looks_wrong(batch, before, after)}
        first = (a.examination.original.tensors[output].shape or (batch,))[0]
        counts = first in rows and first.constant is not None
        yield equal(batch, first) if counts else a.examination.narrowing.back(samples.state(output).holds)
    for found in divided_constants(a):
        yield equal(batch, found.rows)


def divided_constants(a: Examined) -> Iterator[Division]:
    """Yield the reshapes of constants to a size of the inputs and a quotient by it, as of a `-1`."""
    problem, name = a.problem, a.problem.batch
    batch = ONE if name is None else problem.dims[name]
    fixed = batch.constant is not None  # then the sizes don't tell where a number comes from
    if name is None or batch is ONE or not (fixed or any(_is_divided(batch, *pair) for pair in _reshapes(a))):
        return
    places, tensors = _reshaped_constants(problem.graph), a.examination.original.tensors
    if fixed and places:
        problem = problem.widen()
        batch, tensors = problem.dims[name], problem.inference.tensors
    for place in places:
        node = problem.graph.nodes[place]
        before, after = tensors[node.inputs[0]].shape, tensors[node.outputs[0]].shape
        if before is not None and after is not None and _is_divided(batch, before, after):
            yield Division(place, before, after, _rows(batch, before, after))


def _rows(batch: Dim, before: Shape, after: Shape) -> Dim:
    """Return the number of samples for which a constant keeps the size that the batch divides; 1 if it isn't known."""
    axis = after.index(batch)
    for rows in before[axis : axis + 1]:
        whole = [substitute(d, dict.fromkeys(batch.symbols, rows)) for d in after if d is not batch]
        if all(d in before for d in whole):
            return rows
    return ONE


def _reshaped_constants(graph: Graph) -> Sequence[int]:
    """Return the nodes that reshape what depends on no input, to sizes that may."""
    if CONSTANTS not in graph.memory:
        nodes, computed, reshapes = Nodes.of(graph.nodes), {*graph.inputs}, _in_order(graph)
        for kind, reads, writes in zip(nodes.kinds, nodes.inputs, nodes.outputs, strict=True) if reshapes else ():
            if not computed.isdisjoint(reads) or not computed.isdisjoint(kind.attributes.captures):
                computed.update(writes)
        read_and_written = ((place, read in computed, written in computed) for place, read, written in reshapes)
        graph.memory[CONSTANTS] = [place for place, read, written in read_and_written if written and not read]
    found: Sequence[int] = graph.memory[CONSTANTS]
    return found


def _is_divided(batch: Dim, before: Shape, after: Shape) -> bool:
    """Whether a reshape of numbers to the batch and others has a quotient by it among those."""
    if not before or before[0].constant is None or batch not in after:
        return False
    quotients = (atom for d in after for atom in atoms_within(d) if atom.op is FLOOR_DIVISION)
    return any(not atom.args[1].symbols.isdisjoint(batch.symbols) for atom in quotients)


def _reshapes(a: Examined) -> Iterator[tuple[Shape, Shape]]:
    """Yield the shapes before and after each node that only reshapes."""
    graph, tensors = a.problem.graph, a.examination.original.tensors
    for _, read, written in _in_order(graph):
        before, after = tensors.get(read), tensors.get(written)
        if before is not None and before.shape is not None and after is not None and after.shape is not None:
            yield before.shape, after.shape


def _in_order(graph: Graph) -> Sequence[tuple[int, str, str]]:
    """Return the nodes that only reshape, with the tensors that they read and write."""
    if REORDERING not in graph.memory:
        operators, nodes = Operators(graph.opsets, graph.functions), Nodes.of(graph.nodes)
        reshapes = {kind for kind in {*nodes.kinds} if operators.traits(kind).in_order}
        columns = zip(nodes.kinds, nodes.inputs, nodes.outputs, strict=True) if reshapes else ()
        graph.memory[REORDERING] = [
            (place, reads[0], writes[0])
            for place, (kind, reads, writes) in enumerate(columns)
            if kind in reshapes and reads and writes
        ]
    found: Sequence[tuple[int, str, str]] = graph.memory[REORDERING]
    return found


def _looks_wrong(batch: Dim, before: Shape, after: Shape) -> bool:
    """Whether a reshape takes the batch from the first axis, and gives another axis a share of it."""
    if not before or not after or before[0] is not batch or not batch.symbols.isdisjoint(after[0].symbols):
        return False
    quotients = (atom for d in after for atom in atoms_within(d) if atom.op is FLOOR_DIVISION)
    return after[0].constant is not None or any(not atom.symbols.isdisjoint(batch.symbols) for atom in quotients)


def _mixing_reshape(samples: Samples, output: str) -> int | None:
    """Return the index of the reshape that mixes the samples of an output; None if there is none."""
    site = samples.state(output).site
    place = None if site is None else samples.places.get(site.path)
    node = None if place is None else samples.found.problem.graph.nodes[place]
    return place if node is not None and samples.is_reshape(node) else None
