"""Answer `explain`: about a node, a tensor, the whole model, or an error message given instead."""

from __future__ import annotations

from dataclasses import replace

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.diagnose import explanation_of
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import UsageError
from shapesmt.frontends import ModelSource
from shapesmt.prover.algebra import one_call
from shapesmt.reports.answers import ErrorOrigin, Explanation
from shapesmt.tasks.runtime_errors.allocation import allocation_origin
from shapesmt.tasks.runtime_errors.declared import declared_origin
from shapesmt.tasks.runtime_errors.names import resembling
from shapesmt.tasks.runtime_errors.origin import find_origin
from shapesmt.tasks.runtime_errors.reading import Message, read


@one_call()
def explain_target(
    model: ModelSource,
    question: Question,
    target: str | None = None,
    *,
    constraints: bool = False,
    error: object = None,
) -> Explanation | ErrorOrigin:
    """Explain an error (a text or an exception; None for none), a node, a tensor, or the whole model (no target).

    A target may also be `node 15`, a name that an optimizer has made, or an error pasted whole.
    """
    if error is not None:
        return _origin(model, read(error), question)
    message = read(target) if target is not None else None
    if message is not None and message.known and " " in str(target).strip():
        return _origin(model, message, question)
    a = analyse(model, question)
    if target is not None and target not in a.examination.inference.tensors:
        target = resembling(a.problem.graph, target) or target
    return explanation_of(a, target, constraints=constraints)


def _origin(model: ModelSource, message: Message, question: Question) -> ErrorOrigin:
    """Return the nodes and inputs from which a message comes.

    Raises:
        UsageError: The message neither names a node nor has a known form.
    """
    if not message.known:
        said = f": {message.text}" if message.text else ""
        raise UsageError(f"no message of a known runtime that names a node or says which sizes clash{said}")
    runs = None
    if question.replay:
        from shapesmt.tasks.replay import runnable

        runs, _ = question.read(lambda: runnable(model))
    a = analyse(model, question)
    if "got" in message.said:
        return declared_origin(a, message)
    if "bytes" in message.said:
        return allocation_origin(a, message)
    answer = find_origin(a, message)
    return answer if runs is None else _replay(runs, a, message, answer)


def _replay(runs: object, a: Analysis, message: Message, answer: ErrorOrigin) -> ErrorOrigin:
    """Run each candidate's smallest input, and return the answer with the results and whether the message recurs."""
    from shapesmt.tasks.replay import replay_findings

    candidates = []
    for c in answer.candidates:
        if c.finding is not None:
            (c_run,) = replay_findings(runs, a.problem.graph, (c.finding,), a.judge.deadline)
            run = c_run.replay
            said = run.message.removesuffix(", the node alone") if run is not None and run.confirmed else ""
            c = replace(c, finding=c_run, again=said in message.text if said else None)
        candidates.append(c)
    return replace(answer, candidates=tuple(candidates), seconds=a.seconds)
