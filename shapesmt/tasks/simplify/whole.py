"""Whole models: make a draft of each graph from the proven facts, simplify it, and write it back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import Narrowing
from shapesmt.frontends import Format, OpenedModel, load
from shapesmt.network.graph import Declared, Function, Graph
from shapesmt.operators.inference import Inference, infer
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import Formula, Verdict
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import Rewritten
from shapesmt.tasks.simplify.draft import PLAIN, Draft, Form
from shapesmt.tasks.simplify.fixpoint import apply_rules
from shapesmt.tasks.simplify.protobuf import nodes_of, write, write_function
from shapesmt.tasks.simplify.rewrites import SETTLED
from shapesmt.tasks.simplify.runs import Runs, called_functions

if TYPE_CHECKING:
    import onnx


class Smaller(NamedTuple):
    """A model that computes the same with fewer nodes, the rewrites, and the number of nodes before and after."""

    proto: onnx.ModelProto
    rewrites: tuple[Rewritten, ...]
    before: int
    after: int


def smaller(proto: onnx.ModelProto, a: Analysis, form: Form = PLAIN) -> Smaller:
    """Return a copy of a model with fewer nodes that runs for the same admissible inputs.

    A node that isn't proved to run stays, and refuses the inputs that it refused: its inputs are computed as before,
    except for rewrites that hold whether it runs or not. Its requirements help to simplify the nodes downstream.
    """
    problem, examination = a.problem, a.examination
    copy = type(proto)()
    copy.CopyFrom(proto)
    narrowing = Narrowing(problem.domain.narrowing())
    inference: Inference | None = examination.original
    if narrowing.replacements:
        inputs = {n: narrowing.tensor(t) for n, t in problem.inputs.items()}
        inference = a.judge.deadline.attempt(lambda: infer(problem.graph, inputs), None)
    if inference is None:  # the timeout has passed
        return Smaller(copy, (), nodes_of(proto), nodes_of(proto))
    kept = {j.index for j in examination.judgements} | {index for index, _ in examination.unjudged}
    domain, runs = problem.domain.substitute(narrowing.replacements), Runs(inference)
    draft = _make_draft(problem.graph, inference.tensors, runs, kept | examination.unreachable, form)
    _in_time(draft, a, domain)
    write(draft, copy)
    log = draft.rewrites
    failing = {*called_functions([problem.graph.nodes[i] for i in kept], problem.graph.functions)}
    for function in copy.functions:
        body = problem.graph.functions.get((function.domain, function.name))
        if body is not None and body not in failing:
            inside = _of_function(body, runs, form)
            _in_time(inside, a, domain)
            write_function(inside, function)
            log += inside.rewrites
    if examination.verdict is Verdict.DEPENDS and examination.decided:
        names = {o for p in draft.kept for o in draft.nodes[p].outputs}
        behind = a.judge.deadline.attempt(lambda: _behind(copy, names, a, form), None)
        if behind is not None:
            _in_time(behind, a, examination.narrowed)
            write(behind, copy)
            log += behind.rewrites
    return Smaller(copy, tuple(log), nodes_of(proto), nodes_of(copy))


def _of_function(function: Function, runs: Runs, form: Form) -> Draft:
    """Return the draft of a function's body, with the facts that are proven in all calls."""
    inputs = dict.fromkeys(function.inputs, Declared("", None))
    functions = runs.functions
    graph = Graph(function.name, inputs, function.outputs, function.nodes, opsets=function.opsets, functions=functions)
    return _make_draft(graph, runs.facts_of(function), runs, (), form)


def _behind(copy: onnx.ModelProto, kept: set[str], a: Analysis, form: Form) -> Draft:
    """Return a draft in which nodes that may fail (with an output in `kept`) and their ancestors stay as they are.

    The facts about all other tensors assume that these nodes run.
    """
    graph, inputs = load(OpenedModel(Format.ONNX, copy, a.problem.graph.source)), a.problem.graph.inputs
    literals = {name: literal for name, literal in graph.literals.items() if name not in inputs}
    graph = replace(graph, inputs=inputs, literals=literals)  # including open inputs with an initializer
    failing = [i for i, node in enumerate(graph.nodes) if not kept.isdisjoint(node.outputs)]
    fixed = {*failing}.union(*map(graph.ancestors, failing))
    narrowing = a.examination.narrowing
    inference = infer(graph, {n: narrowing.tensor(t) for n, t in a.problem.inputs.items()})
    return _make_draft(graph, inference.tensors, Runs(inference), fixed, form)


def _in_time(draft: Draft, a: Analysis, domain: Domain) -> None:
    """Simplify a draft until the deadline, by rewrites proven over `domain`; after each it is a complete model."""
    known: dict[Formula, bool] = {}

    def proves(formula: Formula) -> bool:
        if formula not in known:
            known[formula] = all(s.kind in SETTLED for s in formula.symbols) and a.judge.proves(domain, formula)
        return known[formula]

    a.judge.deadline.attempt(lambda: apply_rules(draft, proves), None)
    draft.sweep()


def _make_draft(
    graph: Graph,
    tensors: Mapping[str, Tensor],
    runs: Runs,
    kept: Collection[int],
    form: Form,
    taken: Iterable[str] = (),
) -> Draft:
    """Return the draft of a graph, with drafts of the graphs inside its nodes, except those of nodes in `kept`."""
    names = {*taken, *(name for node in graph.every_node() for name in (*node.outputs, *node.reads))}
    draft = Draft(graph, tensors, kept, names, form)
    for index, node in enumerate(graph.nodes):
        for inner in node.attributes.graphs if index not in kept else ():
            draft.bodies[inner] = _make_draft(inner, runs.facts_of(inner), runs, (), form, names)
    draft.index()
    return draft
