"""TensorFlow's control flow as ONNX's: `If` and `Case` become `If`, `While` becomes `Loop`.

Branches and bodies read what they are given from outside, as ONNX's do. What a loop hands on unchanged, its body reads
from outside too, so that only what changes is carried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.errors import printable
from shapesmt.frontends.tensorflow.bodies import Body, numbered, title
from shapesmt.graph import Attributes, Declared, Graph, Literal, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shapesmt.frontends.tensorflow.bodies import Control, Library, Scope
    from shapesmt.frontends.tensorflow.protos import Proto

__all__ = ["CONTROL"]


def _branch(scope: Scope, called: Proto, arguments: Sequence[str], path: str) -> Graph:
    body = Body()
    results = scope.library.call(body, called, arguments, path)
    return body.graph(called.name, {}, results, scope.library.source)


def _chosen(scope: Scope, proto: Proto, label: str, reads: Sequence[str]) -> list[str]:
    """`If`: the branch that a condition takes."""
    if not reads:
        raise scope.library.refuse(f"{title(proto)} has no condition")
    sides = ("then_branch", "else_branch")
    graphs = {side: _branch(scope, proto.attr[side].func, reads[1:], label) for side in sides}
    return _if(scope.body, label, reads[0], graphs, scope.library)


def _if(body: Body, label: str, condition: str, graphs: Mapping[str, Graph], library: Library) -> list[str]:
    counts = sorted({len(graph.outputs) for graph in graphs.values()})
    if len(counts) > 1:
        text = f"one branch of '{printable(label)}' makes {counts[0]} outputs, another {counts[1]}"
        raise library.refuse(text)
    names = numbered(label, counts[0])
    body.nodes.append(Node("If", "", label, [condition], names or [label], Attributes(graphs)))
    return names


def _case(scope: Scope, proto: Proto, label: str, reads: Sequence[str]) -> list[str]:
    """`Case`: the branch of a number; the last one where there is no such."""
    called, library = proto.attr["branches"].list.func, scope.library
    if not called or not reads:
        raise library.refuse(f"{title(proto)} has no branch, or no number to choose by")
    graph = _branch(scope, called[-1], reads[1:], label)
    for i in reversed(range(len(called) - 1)):
        body, name = Body(), library.unique(f"{label}.{i}")
        number, is_it = library.unique(f"{name}.number"), library.unique(f"{name}.equal")
        body.literals[number] = Literal("int32", (), (i,))
        body.nodes.append(Node("Equal", "", is_it, [reads[0], number], [is_it]))
        then = _branch(scope, called[i], reads[1:], label)
        outputs = _if(body, name, is_it, {"then_branch": then, "else_branch": graph}, library)
        graph = body.graph(name, {}, outputs, library.source)
    scope.body.nodes += graph.nodes
    scope.body.literals.update(graph.literals)
    return list(graph.outputs)


def _loop(scope: Scope, proto: Proto, label: str, reads: Sequence[str]) -> list[str]:
    """`While`: trips as long as a condition holds."""
    library, body = scope.library, Body()
    test, step = proto.attr["cond"].func, proto.attr["body"].func
    kept = library.kept(step)
    if len(kept) != len(reads):
        raise library.refuse(f"{title(proto)} has {len(reads)} inputs, and its body takes {len(kept)}")

    def instead(others: Iterable[str]) -> list[str]:
        return [name if same else other for name, other, same in zip(reads, others, kept, strict=True)]

    trip, going = library.unique(f"{label}.trip"), library.unique(f"{label}.going")
    given = instead([library.unique(f"{label}.{i}") for i in range(len(reads))])
    results = instead(library.call(body, step, given, label))
    made = instead(numbered(label, len(reads)))
    first, again = library.call(scope.body, test, reads, label), library.call(body, test, results, label)
    if len(again) != 1:
        raise library.refuse(f"the condition of {title(proto)} makes {len(again)} outputs, not one")
    types = {trip: Declared("int64", ()), going: Declared("bool", ())}
    types.update((given[i], Declared("", None)) for i, same in enumerate(kept) if not same)
    starts, ends, lasting = (
        [name for name, same in zip(names, kept, strict=True) if not same] for names in (reads, results, made)
    )
    graph = body.graph(step.name, types, [*again, *ends], library.source)
    if lasting:
        settings = Attributes({"body": graph})
        scope.body.nodes.append(Node("Loop", "", label, ["", *first, *starts], lasting, settings))
    return made


CONTROL: Mapping[str, Control] = {
    "Case": _case,
    "If": _chosen,
    "StatelessCase": _case,
    "StatelessIf": _chosen,
    "StatelessWhile": _loop,
    "While": _loop,
}
