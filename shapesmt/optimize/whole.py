"""Whole: what is proven of a model, made a draft of each of its graphs, simplified and written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.algebra import Formula, Verdict
from shapesmt.examine import Analysis, Narrowing
from shapesmt.frontends import load
from shapesmt.graph import Declared, Graph
from shapesmt.inference import infer, start
from shapesmt.optimize.draft import Draft
from shapesmt.optimize.forms import PLAIN, Form
from shapesmt.optimize.protobuf import nodes_of, write, write_function
from shapesmt.optimize.rewrites import SETTLED
from shapesmt.optimize.sharing import sweep
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


def smaller(proto: onnx.ModelProto, a: Analysis, form: Form = PLAIN) -> Smaller:
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
        inputs = {n: narrowing.tensor(t) for n, t in problem.inputs.items()}
        tensors = a.judge.deadline.attempt(lambda: infer(problem.graph, inputs).tensors, {})
    kept = {j.index for j in examination.judgements} | {index for index, _ in examination.unjudged}
    draft = _drafted(problem.graph, tensors, kept | examination.unreachable, form)
    _in_time(draft, a, problem.domain.replaced(narrowing.meanings))
    write(draft, copy)
    log = draft.rewrites + _in_functions(copy, problem.graph, {problem.graph.nodes[i].op for i in kept}, form)
    if examination.verdict is Verdict.DEPENDS and examination.decided:
        names = {o for p in draft.kept for o in draft.nodes[p].outputs}
        behind = a.judge.deadline.attempt(lambda: _behind(copy, names, a, form), None)
        if behind is not None:
            _in_time(behind, a, examination.narrowed)
            write(behind, copy)
            log += behind.rewrites
    return Smaller(copy, tuple(log), nodes_of(proto), nodes_of(copy))


def _in_functions(copy: onnx.ModelProto, graph: Graph, kept: set[str], form: Form) -> list[Rewritten]:
    """Simplify the bodies of functions, where nothing is known of the inputs."""
    log = []
    for proto in copy.functions:
        function = graph.functions.get((proto.domain, proto.name))
        if function is not None and function.name not in kept:
            inputs = dict.fromkeys(function.inputs, Declared("", None))
            draft = _drafted(
                Graph(function.name, inputs, function.outputs, function.nodes, opsets=function.opsets), {}, (), form
            )
            simplify(draft, lambda _formula: False)
            write_function(draft, proto)
            log += draft.rewrites
    return log


def _behind(copy: onnx.ModelProto, kept: set[str], a: Analysis, form: Form) -> Draft:
    """A draft of the nodes of which none that may fail needs anything: they matter only where all of those run."""
    graph = load(copy)
    failing = [i for i, node in enumerate(graph.nodes) if not kept.isdisjoint(node.outputs)]
    fixed = {*failing}.union(*map(graph.ancestors, failing))
    narrowing = a.examination.narrowing
    tensors = infer(graph, {n: narrowing.tensor(t) for n, t in a.problem.inputs.items()}).tensors
    return _drafted(graph, tensors, fixed, form)


def _in_time(draft: Draft, a: Analysis, domain: Domain) -> None:
    """Simplify a draft until the deadline; after each rewrite it is a whole model."""
    known: dict[Formula, bool] = {}

    def proves(formula: Formula) -> bool:
        if formula not in known:
            known[formula] = all(s.kind in SETTLED for s in formula.symbols) and a.judge.proves(domain, formula)
        return known[formula]

    a.judge.deadline.attempt(lambda: simplify(draft, proves), None)
    sweep(draft)


def _drafted(
    graph: Graph, tensors: Mapping[str, Tensor], kept: Collection[int], form: Form, taken: Iterable[str] = ()
) -> Draft:
    """The draft of a graph and of the graphs inside it, where their nodes are proved to run."""
    names = {*taken, *(name for node in graph.every_node() for name in (*node.outputs, *node.reads))}
    draft = Draft(graph, tensors, kept, names, form)
    for index, node in enumerate(graph.nodes):
        for inner in node.attributes.graphs if index not in kept else ():
            inputs = {name: tensor(declared.dtype, None) for name, declared in inner.inputs.items()}
            around = {name: tensors[name] for name in inner.captures if name in tensors}
            inference = start(inner, {**around, **inputs})
            inference.advance()
            draft.bodies[inner] = _drafted(inner, inference.tensors, (), form, names)
    draft.index()
    return draft
