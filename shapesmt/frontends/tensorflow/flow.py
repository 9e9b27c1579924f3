"""Convert TensorFlow's control flow to ONNX's: `If` and `Case` become `If`, `While` becomes `Loop`.

Branches and bodies read tensors of the enclosing graph, as in ONNX. So does the body of a `While` for variables that it
returns unchanged; only the other variables become loop-carried tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from shapesmt.base.errors import printable
from shapesmt.frontends.tensorflow.bodies import Control, Library, Scope, title
from shapesmt.frontends.tensorflow.body import Body, output_names
from shapesmt.frontends.tensorflow.protos import Proto
from shapesmt.network.graph import Attributes, Declared, Graph, Literal, Node

ANYTHING = Declared("", None)


def _branch(scope: Scope, called: Proto, arguments: Sequence[str], path: str) -> Graph:
    body = Body()
    results = scope.library.call(body, called, arguments, path)
    return body.graph(called.name, {}, results, scope.library.source)


def _convert_if(scope: Scope, proto: Proto, label: str, reads: Sequence[str]) -> list[str]:
    """Convert an `If`."""
    if not reads:
        raise scope.library.refuse(f"{title(proto)} has no condition")
    sides = ("then_branch", "else_branch")
    graphs = {side: _branch(scope, proto.attr[side].func, reads[1:], label) for side in sides}
    return branching(scope.body, label, reads[0], graphs, scope.library)


def branching(body: Body, label: str, condition: str, graphs: Mapping[str, Graph], library: Library) -> list[str]:
    """Add an `If` named `label` to a body, with `graphs` as its branches by attribute; return its output tensors."""
    counts = sorted({len(graph.outputs) for graph in graphs.values()})
    if len(counts) > 1:
        text = f"one branch of '{printable(label)}' makes {counts[0]} outputs, another {counts[1]}"
        raise library.refuse(text)
    names = output_names(label, counts[0])
    body.nodes.append(Node("If", "", label, [condition], names or [label], Attributes(graphs)))
    return names


def _case(scope: Scope, proto: Proto, label: str, reads: Sequence[str]) -> list[str]:
    """Convert a `Case`, which runs the branch with a given number, or the last one if there is no such branch."""
    branches, library = proto.attr["branches"].list.func, scope.library
    if not branches or not reads:
        raise library.refuse(f"{title(proto)} has no branch, or no number to choose by")
    graphs = [_branch(scope, branch, reads[1:], label) for branch in branches]
    return choosing(scope.body, label, reads[0], graphs, library)


def choosing(body: Body, label: str, number: str, graphs: Sequence[Graph], library: Library) -> list[str]:
    """Add a chain of `If`s that runs the graph with a given number, or the last one; return its output tensors."""
    graph = graphs[-1]
    for i in reversed(range(len(graphs) - 1)):
        inner, name = Body(), library.unique(f"{label}.{i}")
        place, is_it = library.unique(f"{name}.number"), library.unique(f"{name}.equal")
        inner.literals[place] = Literal("int32", (), (i,))
        inner.nodes.append(Node("Equal", "", is_it, [number, place], [is_it]))
        outputs = branching(inner, name, is_it, {"then_branch": graphs[i], "else_branch": graph}, library)
        graph = inner.graph(name, {}, outputs, library.source)
    body.nodes += graph.nodes
    body.literals.update(graph.literals)
    return list(graph.outputs)


def _loop(scope: Scope, proto: Proto, label: str, reads: Sequence[str]) -> list[str]:
    """Convert a `While`."""
    library, body = scope.library, Body()
    test, step = proto.attr["cond"].func, proto.attr["body"].func
    kept = library.unchanged_inputs(step)
    if len(kept) != len(reads):
        raise library.refuse(f"{title(proto)} has {len(reads)} inputs, and its body takes {len(kept)}")

    def instead(others: Iterable[str]) -> list[str]:
        return [name if same else other for name, other, same in zip(reads, others, kept, strict=True)]

    arguments = instead([library.unique(f"{label}.{i}") for i in range(len(reads))])
    results = instead(library.call(body, step, arguments, label))
    first, again = library.call(scope.body, test, reads, label), library.call(body, test, results, label)
    if len(again) != 1:
        raise library.refuse(f"the condition of {title(proto)} makes {len(again)} outputs, not one")
    carried = [i for i, same in enumerate(kept) if not same]
    outputs = instead(output_names(label, len(reads)))
    starts, inner, left, lasting = ([names[i] for i in carried] for names in (reads, arguments, results, outputs))
    looping(scope, label, body, (first[0], again[0]), Carried(starts, inner, left, lasting))
    return outputs


class Carried(NamedTuple):
    """The names of the loop-carried tensors."""

    starts: Sequence[str]
    """The initial values."""
    arguments: Sequence[str]
    """The inputs of the body."""
    results: Sequence[str]
    """The outputs of the body."""
    outputs: Sequence[str]
    """The outputs of the loop: the final values."""


def looping(scope: Scope, label: str, body: Body, goes_on: tuple[str, str], carried: Carried) -> None:
    """Add a `Loop` to the scope's body.

    Args:
        scope: The scope of the loop.
        label: The loop's name.
        body: The loop's body.
        goes_on: The condition before the first iteration, and the condition that the body computes for the next.
        carried: The loop-carried tensors.
    """
    library = scope.library
    trip, going = library.unique(f"{label}.trip"), library.unique(f"{label}.going")
    inputs = {trip: Declared("int64", ()), going: Declared("bool", ()), **dict.fromkeys(carried.arguments, ANYTHING)}
    settings = Attributes({"body": body.graph(label, inputs, [goes_on[1], *carried.results], library.source)})
    if carried.outputs:
        scope.body.nodes.append(Node("Loop", "", label, ["", goes_on[0], *carried.starts], carried.outputs, settings))


CONTROL: Mapping[str, Control] = {
    "Case": _case,
    "If": _convert_if,
    "StatelessCase": _case,
    "StatelessIf": _convert_if,
    "StatelessWhile": _loop,
    "While": _loop,
}
