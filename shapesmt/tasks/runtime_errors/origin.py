"""Origin: the nodes from which an error message comes and the inputs at which it does, or the reasons why none can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import SESSIONS, Examination, Narrowing, pose_everything
from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import parse_dim
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import session_graph
from shapesmt.prover.algebra import Dim, as_dim
from shapesmt.reports.answers import Against, Candidate, ErrorOrigin, Grade, Obstacle
from shapesmt.tasks.runtime_errors.forms import RESHAPING, UNNAMED
from shapesmt.tasks.runtime_errors.names import Place
from shapesmt.tasks.runtime_errors.reading import Message
from shapesmt.tasks.runtime_errors.search import BRIEF, Case, Search
from shapesmt.tasks.runtime_errors.suspects import suspects

__all__ = ["find_origin"]


def find_origin(a: Analysis, message: Message) -> ErrorOrigin:
    """Return the nodes that can raise an error message, with inputs at which they do, or the reasons why none can.

    If no node does inside the ranges of the question, inputs of any size are tried too, from 0 on; then those that the
    file declares otherwise, as far as the runtime takes them; last, the nodes that ONNX Runtime's session makes.
    """
    graph, question = a.problem.graph, a.question
    answer = ErrorOrigin(graph.source, message.runtime, message.text, None, symbols=a.problem.ranges)
    if not message.related:
        return replace(answer, grade=Grade.UNRELATED, seconds=a.seconds)
    found, against = suspects(a, message)
    search = Search(a, message, frozenset(j.index for j in a.examination.judgements))
    cases = [search.case(place) for place in found]
    candidates = [search.candidate(case) for case in cases if isinstance(case, Case)]
    if not against and not _surer(candidates, message, graph):
        asked = bool(question.dims or question.shapes or question.values or question.assume)
        wider = a.judge.deadline.attempt(lambda: _everything(a), None)
        if wider is not None and not found:
            found, against = suspects(wider, message)
        better = _surer(_candidates(wider, message, search.judged, found, outside=asked), message, graph)
        if found and not better and message.runtime in (*RESHAPING, UNNAMED):
            better = _surer(_reshaped(a, message, found), message, graph)
        candidates = better or candidates or _in_session(a, message)
    answer = replace(answer, seconds=a.seconds)
    if not candidates:
        against += tuple(dict.fromkeys(c for c in cases if isinstance(c, Against)))
        known = against and not message.foreign(graph) and not a.judge.deadline.expired
        grade = _denied(message, against) if known else Grade.PARTIAL
        return replace(answer, possible=_POSSIBLE[grade] if known else None, grade=grade, against=against)
    grade = Grade.EXACT if all(c.grade is Grade.EXACT for c in candidates) else Grade.PARTIAL
    brief = a.within(BRIEF)
    runs = brief.judge.deadline.attempt(lambda: brief.region, None)
    return replace(answer, possible=True, grade=grade, candidates=tuple(candidates), precondition=runs)


_POSSIBLE = {Grade.EXACT: True, Grade.PARTIAL: True, Grade.IMPOSSIBLE: False, Grade.UNRELATED: None}


def _denied(message: Message, against: tuple[Against, ...]) -> Grade:
    """Return the grade of a message that no node raises: of an unknown form, it is about something else than sizes."""
    runs = all(reason.why is Obstacle.RUNS for reason in against)
    return Grade.UNRELATED if message.form is None and runs else Grade.IMPOSSIBLE


def _surer(candidates: list[Candidate], message: Message, graph: Graph) -> list[Candidate]:
    """Return the candidates that fail by the laws of the file's runtime, not just by those of the message's."""
    return [c for c in candidates if not (c.rewritten and message.foreign(graph))]


def _candidates(
    a: Analysis | None, message: Message, judged: frozenset[int], found: list[Place], *, outside: bool
) -> list[Candidate]:
    """Return the candidates over wider inputs; [] if time is up."""
    if a is None:
        return []
    search = Search(a, message, judged)
    cases = (search.case(place) for place in found)
    return [replace(search.candidate(case), outside=outside) for case in cases if isinstance(case, Case)]


def _in_session(a: Analysis, message: Message) -> list[Candidate]:
    """Return the candidates among the nodes that ONNX Runtime's default session runs instead of the file's."""
    own = message.runtime == "onnxruntime" and not message.foreign(a.problem.graph)
    asked = own and a.question.session == SESSIONS[0]
    session = a.judge.deadline.attempt(lambda: session_graph(a.problem.graph), None) if asked else None
    if session is None:
        return []
    rewritten = analyse(session.graph, replace(a.question, session=SESSIONS[1], replay=False))
    found, _ = suspects(rewritten, message)
    judged = frozenset(j.index for j in rewritten.examination.judgements)
    candidates = _candidates(rewritten, message, judged, found, outside=False)
    return [
        replace(c, index=session.places[c.index], rewritten=True, region="", grade=Grade.PARTIAL) for c in candidates
    ]


def _everything(a: Analysis) -> Analysis:
    """Return the analysis for inputs of any size, 0 too; no node is decided."""
    problem = pose_everything(a.problem.graph)
    inference, domain = problem.inference, problem.domain.copy()
    for fact in dict.fromkeys(fact for application in inference.applications for fact in application.facts):
        domain.limit(fact)
    examination = Examination(domain, inference, Narrowing({}), inference, session=a.examination.session)
    return replace(a, problem=problem, examination=examination)


def _reshaped(a: Analysis, message: Message, found: list[Place]) -> list[Candidate]:
    """Return the candidates for inputs of the declared ranks, with sizes that the file doesn't declare.

    A runtime may let its user change all of them; the others check numbers, but neither names nor formulas.
    """
    graph, checked = a.problem.graph, message.runtime == UNNAMED
    shapes = {name: declared.shape for name, declared in graph.inputs.items() if declared.shape is not None}
    kept = {n: tuple(d if checked and isinstance(d, int) else None for d in shape) for n, shape in shapes.items()}
    inputs = {n: d._replace(shape=kept.get(n, d.shape)) for n, d in graph.inputs.items()}
    free = {n: f"[{','.join('0..' if d is None else str(d) for d in shape)}]" for n, shape in kept.items()}
    try:
        asked = replace(a.question, dims={}, shapes=free, assume=(), replay=False)
        freed = analyse(replace(graph, inputs=inputs), asked)
    except UsageError:
        return []
    judged = frozenset(j.index for j in freed.examination.judgements)
    return [
        replace(c, declared=_differing(shapes, {} if c.counterexample is None else c.counterexample.inputs))
        for c in _candidates(freed, message, judged, found, outside=True)
    ]


def _differing(
    declared: Mapping[str, Sequence[int | str | None]], given: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int | str | None, ...]]:
    """Return the declared shapes that the given ones contradict: in a number, or in a name's or a formula's size."""
    sizes: dict[str, Dim] = {}

    def differs(told: int | str | None, size: int) -> bool:
        if isinstance(told, str) and told not in sizes:
            with suppress(UsageError):  # a name that comes up for the first time
                return parse_dim(told, sizes) is not as_dim(size)
        want = sizes.setdefault(told, as_dim(size)) if isinstance(told, str) else told
        return want is not None and as_dim(want) is not as_dim(size)

    pairs = [(n, d, size) for n, shape in declared.items() for d, size in zip(shape, given.get(n, ()), strict=False)]
    pairs.sort(key=lambda pair: isinstance(pair[1], str) and not pair[1].isidentifier())  # formulas after their names
    wrong = {name for name, told, size in pairs if differs(told, size)}
    return {name: tuple(shape) for name, shape in declared.items() if name in wrong}
