"""Examine what ONNX Runtime's default session runs instead of the file's nodes, over the inputs for which those run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from shapesmt.analysis.verify.examination import Examination, Judgement, Session
from shapesmt.analysis.verify.examined import Examined
from shapesmt.analysis.verify.examiner import examine
from shapesmt.analysis.verify.problem import Problem
from shapesmt.base.deadline import stage
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import SessionGraph, differing, infer, matches, session_graph
from shapesmt.operators.rules import Unjudged
from shapesmt.prover.algebra import FALSE, Assignment, Verdict, all_of, negate
from shapesmt.prover.presolve import Domain


@stage("the default session")
def examine_session(a: Examined) -> Examination:
    """Return the examination with what the default session refuses of the inputs for which the file's nodes run.

    The nodes that only the session refuses are judgements marked as such. Models in which no record of a rewrite
    matters are left as they are, which takes a look at their reshapes and lookups.
    """
    problem, examination, judge = a.problem, a.examination, a.judge
    failing = {j.index for j in examination.judgements}
    if not differing(problem.graph, examination.original.tensors, examination.inference.tensors, failing):
        return examination
    made = judge.deadline.attempt(lambda: (session_graph(problem.graph),), None)
    if made is None:
        return _undecided(problem.graph, examination)
    (graph,) = made
    if graph is None:
        return examination
    own = _within(problem, graph, examination, examination.domain.copy())
    if examination.fails:
        return replace(examination, session=Session(graph, own, None))
    seen = judge.deadline.attempt(lambda: examine(own, judge, narrow=True), None)
    if seen is None:
        return _undecided(problem.graph, examination)
    return _both(problem.graph, examination, seen, Session(graph, own, seen))


def _undecided(graph: Graph, examination: Examination) -> Examination:
    """Return the examination with a node left that the session may replace: time ran out before it was looked at."""
    found = (match.index for match in matches(graph, examination.original.tensors))
    index = next(found, examination.judgements[0].index if examination.judgements else 0)
    law = "what the default session runs is looked at in the time given"
    late = Unjudged("", graph.nodes[index].op, "timeout", law)
    return replace(examination, unjudged=(*examination.unjudged, (index, late)))


def _within(problem: Problem, graph: SessionGraph, examination: Examination, domain: Domain) -> Problem:
    """Return the problem of the session's graph over a domain, with the data-dependent sizes of the file's graph."""
    inferred = infer(graph.graph, problem.inputs, sizes=examination.original.scope.named)
    return replace(problem, graph=graph.graph, domain=domain, inferred=inferred)


def _both(graph: Graph, examination: Examination, seen: Examination, session: Session) -> Examination:
    """Return the examination of the file's nodes and, where they run, of the session's."""
    places = session.graph.places
    judged = [_of_file(graph, j, places[j.index]) for j in seen.judgements]
    known = {index for index, _ in examination.unjudged}
    unjudged = [(places[i], u) for i, u in seen.unjudged if places[i] not in known]
    counts = Counter(examination.counts)
    for (verdict, how), number in seen.counts.items():
        if verdict != str(Verdict.PROVED):
            counts[verdict, how] += number
    return replace(
        examination, domain=seen.domain, judgements=(*examination.judgements, *judged),
        unjudged=(*examination.unjudged, *unjudged), counts=counts, session=session,
    )  # fmt: skip


def _of_file(graph: Graph, j: Judgement, index: int) -> Judgement:
    return replace(j, index=index, node=graph.nodes[index], session=True)


def _refused_alike(session: Session, examination: Examination) -> set[int]:
    """Return the indices of the file's nodes that require nothing but what the session's node in their place does."""
    own, file = session.problem.inference.applications, examination.original.applications
    places = session.graph.places
    return {i for i, a in zip(places, own, strict=False) if {*file[i].requirements} <= {*a.requirements}}


def beyond(a: Examined) -> tuple[Assignment, Examination] | None:
    """Return the smallest input for which the session runs and the file fails, with the session's examination there.

    None if no such input is known.
    """
    examination, judge = a.examination, a.judge
    session = examination.session
    refused = [j for j in examination.judgements if not j.session]
    if session is None or {j.index for j in refused} <= _refused_alike(session, examination):
        return None
    runs = FALSE if examination.fails else all_of(*(j.condition for j in refused))
    domain = a.admissible()
    domain.assume(negate(runs))
    if not judge.satisfiable(domain):
        return None
    seen = examine(replace(session.problem, domain=domain), judge)
    if seen.fails or not seen.decided:
        return None
    where = a.admissible()
    where.assume(all_of(*(j.condition for j in seen.judgements)))
    values = judge.complete(where, judge.decide(where, runs).counterexample)
    return None if values is None else (values, seen)
