"""Whole: what is proven of a model, made a draft of each of its graphs, simplified and written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.algebra import Formula, Verdict
from shapesmt.examine import Analysis, Narrowing
from shapesmt.frontends import load
from shapesmt.graph import Graph
from shapesmt.inference import infer, start
from shapesmt.optimize.draft import Draft
from shapesmt.optimize.protobuf import nodes_of, write
from shapesmt.optimize.simplify import simplify
from shapesmt.presolve import Domain
from shapesmt.report import Rewritten
from shapesmt.rules import Tensor, tensor

if TYPE_CHECKING:
    import onnx


class Smaller(NamedTuple):
    """A model that does the same with fewer nodes, the rewrites, and the nodes before and after."""

    proto: onnx.ModelProto
    rewrites: tuple[Rewritten, ...]
    before: int
    after: int


def simplified(proto: onnx.ModelProto, a: Analysis) -> Smaller:
    """A copy of a model with fewer nodes; it runs for the same admissible inputs.

    A node that isn't proved to run stays, and refuses what it refused: what it reads is computed as before, but for
    rewrites that hold whether it runs or not. What comes after it is made smaller by what it requires as well.
    """
    problem, examination = a.problem, a.examination
    copy = type(proto)()
    copy.CopyFrom(proto)
    narrowing = Narrowing(problem.domain.narrowing())
    tensors = examination.original.tensors
    if narrowing.meanings:
        tensors = infer(problem.graph, {n: narrowing.tensor(t) for n, t in problem.inputs.items()}).tensors
    kept = {j.index for j in examination.judgements} | {index for index, _ in examination.unjudged}
    draft = _drafted(problem.graph, tensors, kept | examination.unreachable)
    simplify(draft, _proves(a, problem.domain.replaced(narrowing.meanings)))
    write(draft, copy)
    log = draft.log
    if examination.verdict is Verdict.DEPENDS and examination.decided:
        log += _behind(copy, {o for p in draft.kept for o in draft.nodes[p].outputs}, a)
    return Smaller(copy, tuple(log), nodes_of(proto), nodes_of(copy))


def _behind(copy: onnx.ModelProto, kept: set[str], a: Analysis) -> list[Rewritten]:
    """Simplify the nodes of which none that may fail needs anything: they matter only where all of those run."""
    graph = load(copy)
    failing = [i for i, node in enumerate(graph.nodes) if not kept.isdisjoint(node.outputs)]
    fixed = {*failing}.union(*map(graph.ancestors, failing))
    narrowing = a.examination.narrowing
    tensors = infer(graph, {n: narrowing.tensor(t) for n, t in a.problem.inputs.items()}).tensors
    draft = _drafted(graph, tensors, fixed)
    simplify(draft, _proves(a, a.examination.narrowed))
    write(draft, copy)
    return draft.log


def _proves(a: Analysis, domain: Domain) -> Callable[[Formula], bool]:
    """Whether a condition is proven over a domain; each is asked for once."""
    return cache(lambda formula: a.judge.proves(domain, formula))


def _drafted(
    graph: Graph, tensors: Mapping[str, Tensor], kept: Collection[int] = (), taken: Iterable[str] = ()
) -> Draft:
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
