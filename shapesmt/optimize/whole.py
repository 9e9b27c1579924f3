"""Whole: what is proven of a model, made a draft of each of its graphs, simplified and written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from shapesmt.examine import Analysis, Narrowing
from shapesmt.graph import Graph
from shapesmt.inference import infer, start
from shapesmt.optimize.draft import Draft
from shapesmt.optimize.protobuf import nodes_of, write
from shapesmt.optimize.simplify import simplify
from shapesmt.report import Rewritten
from shapesmt.rules import Tensor, tensor

if TYPE_CHECKING:
    import onnx

    from shapesmt.algebra import Formula


def simplified(proto: onnx.ModelProto, a: Analysis) -> tuple[onnx.ModelProto, tuple[Rewritten, ...], tuple[int, int]]:
    """A copy of a model that does the same with fewer nodes, the rewrites, and the nodes before and after.

    What is proven of a tensor rests on what the caller declares and on the nodes before it; never on a condition that
    some node was reported to need, for that node stays and still refuses what it refused.
    """
    problem, judge = a.problem, a.judge
    narrowing = Narrowing(problem.domain.narrowing())
    domain = problem.domain.replaced(narrowing.meanings)
    tensors = a.examination.original.tensors
    if narrowing.meanings:
        tensors = infer(problem.graph, {n: narrowing.tensor(t) for n, t in problem.inputs.items()}).tensors
    examination = a.examination
    kept = {j.index for j in examination.judgements} | {index for index, _ in examination.unjudged}
    draft = _drafted(problem.graph, tensors, kept | examination.unreachable, {*tensors})
    decided: dict[Formula, bool] = {}

    def proves(formula: Formula) -> bool:
        if formula not in decided:
            decided[formula] = judge.proves(domain, formula)
        return decided[formula]

    simplify(draft, proves)
    copy = type(proto)()
    copy.CopyFrom(proto)
    write(draft, copy)
    return copy, tuple(draft.log), (nodes_of(proto), nodes_of(copy))


def _drafted(graph: Graph, tensors: Mapping[str, Tensor], kept: Collection[int], taken: Iterable[str]) -> Draft:
    """The draft of a graph and of the graphs inside it, where their nodes are proved to run."""
    names = {*taken, *(name for node in graph.every_node() for name in (*node.outputs, *node.reads))}
    draft = Draft(graph, tensors, kept, names)
    for index, node in enumerate(graph.nodes):
        for inner in node.attributes.graphs if index not in kept else ():
            inputs = {name: tensor(declared.dtype, None) for name, declared in inner.inputs.items()}
            around = {name: tensors[name] for name in inner.captures if name in tensors}
            inference = start(inner, {**around, **inputs})
            inference.advance()
            draft.bodies[inner] = _drafted(inner, inference.tensors, (), names)
    draft.index()
    return draft
