"""The three questions, each answered by the stages in order: read this file first.

    model ─load─▶ Graph ─pose─▶ Problem ─infer─▶ Inference ─examine─▶ Examination
                                                                 └─▶ Report, Bounds, Explanation

Every function takes a model (a path, the bytes of a file, an `onnx.ModelProto`, a `Graph` or a networkx graph) and, by
keyword,

    dims      the range of each named input dimension: `"1..32"`, `"64..512:16"`, 8, `(1, 32)`
    shapes    shapes of inputs, over the file's: `"[1..8,3,?,400]"`
    values    elements of small inputs, by the input or the element: 16000, `"1..32"`, True
    assume    relations between dimensions: `"total == past + seq"` (a mapping says where each comes from)
    timeout   seconds after which what is undecided is reported as undecided

and raises `ModelError` where the model can't be read, `UsageError` for a name that doesn't exist, a malformed
range, or declarations that leave no admissible input. Settings in a file are read only when asked for:
`shapesmt.Config` gives them as these arguments.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shapesmt.algebra import one_call
from shapesmt.deadline import Deadline, look, seconds
from shapesmt.diagnose import cautions, declarations, explanation, findings, precondition, refuse_declarations, remedy
from shapesmt.errors import InternalError, UsageError, printable
from shapesmt.examine import Examination, Judge, Problem, ValueLike, examine, pose, tensor_bounds, unbounded
from shapesmt.frontends import Model, load
from shapesmt.graph import Graph
from shapesmt.language import RangeLike, ShapeLike, unknown_name
from shapesmt.report import Bounds, Explanation, Report, TensorBounds, Verdict

if TYPE_CHECKING:
    from onnx import ModelProto

    from shapesmt.report import Chain, Story
    from shapesmt.system import Encoding

TIMEOUT = 60.0
GRACE = 1.0  # seconds more for the ranges and relations, without which there is no answer
DECLARED = ("check", "trust", "ignore", "override")


@dataclass(frozen=True, eq=False)
class Analysis:
    """A model taken through the stages that all questions share."""

    problem: Problem
    examination: Examination
    judge: Judge
    started: float

    @property
    def seconds(self) -> float:
        """The time since the analysis began."""
        return time.perf_counter() - self.started


@one_call()
def check(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    declared: str = "check",
    certify: bool = False,
    strict: bool = False,
    replay: bool = False,
    timeout: float = TIMEOUT,
) -> Report:
    """Does every node run for every admissible input? If not: which input breaks it, and which are fine?

    `declared` says what to do with the shapes that the file claims of inner tensors and outputs: "check" compares
    them with what is inferred and reports those that differ, "trust" takes them where nothing could be inferred,
    "ignore" doesn't look at them, "override" uses what is inferred in their place (here the same as "ignore"). With
    `certify` the solver decides the complete system as well, without any presolve. With `strict` the exit status of
    a report with warnings is 1; the verdict stays what it is. With `replay` every counterexample is run on ONNX
    Runtime, and the finding says what that showed.

    Raises:
        InternalError: The solver's answer to the complete system contradicts the verdict.
        UsageError: ONNX Runtime isn't installed, where it is asked for.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'''
    >>> report = check(model, dims={"n": "2..8", "m": "2..8"})
    >>> report.verdict.value, report.precondition.text
    ('DEPENDS', ('m == n',))
    """
    return _checked(
        model, dims, shapes, values, assume, timeout, declared=declared, certify=certify, replay=replay, strict=strict
    )[1]


@one_call()
def story(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    declared: str = "check",
    certify: bool = False,
    replay: bool = False,
    strict: bool = False,
    timeout: float = TIMEOUT,
) -> Story:
    """`check` and `bounds` in one, with how each failure comes about and where the model runs: what a page shows."""
    from shapesmt.diagnose import chains, makers, valid_region
    from shapesmt.report import Story

    a, report = _checked(
        model, dims, shapes, values, assume, timeout, declared=declared, certify=certify, replay=replay, strict=strict
    )
    found = _bounds(a)
    if not found.valid:
        found = dataclasses.replace(found, tensors=unbounded(a.examination))
    in_time = a.judge.deadline.attempt
    drawn = in_time(lambda: valid_region(a.problem, a.examination), None)
    none: dict[int, Chain] = {}
    chained = in_time(lambda: chains(report.judged, a.examination), none)
    return Story(report, found, chained, drawn, makers(a.problem.graph))


def page(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> str:
    """What is known of the model as one HTML page that needs nothing else: verdict, findings, region, tensors.

    >>> page(b'''<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Abs(x) }''')[:15]
    '<!doctype html>'
    """
    from shapesmt.render import html_page

    return html_page(story(model, dims=dims, shapes=shapes, values=values, assume=assume, timeout=timeout))


@one_call()
def bounds(
    model: Model,
    *tensors: str,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> Bounds:
    """The tightest minimum and maximum of every dimension, over the inputs for which the model runs.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> bounds(model, dims={"n": "1..8"}).tensors["y"].shape[1]
    DimBounds(min=4, max=32, expr='4*n', exact=True)
    """
    a = analysed(load(model), dims, shapes, values, assume, timeout)
    for name in tensors:
        if name not in a.examination.inference.tensors:
            raise unknown_name("tensor", name, a.examination.inference.tensors, a.problem.graph.source)
    return _bounds(a, tensors or None)


@one_call()
def explain(
    model: Model,
    target: str | None = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> Explanation:
    """Why a node, a tensor or (without a target) the whole model is as it is: a short chain of causes."""
    a = analysed(load(model), dims, shapes, values, assume, timeout)
    return explanation(a.problem, a.examination, a.judge, target, a.started)


@one_call()
def tighten(
    model: Model,
    output: str | os.PathLike[str] | None = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    declared: str = "check",
    timeout: float = TIMEOUT,
) -> ModelProto:
    """The model with the shape of every tensor written into it, and saved where `output` says.

    A size that is proven constant is a number; any other has its expression as its name, so that equal
    dimensions share a name. `declared` says what becomes of the shapes that the file claims already: with "check" one
    that no input has is an error, "trust" takes them where nothing could be inferred, "ignore" leaves them where
    nothing was inferred, "override" removes them there as well, but for outputs, which have to have one.

    Raises:
        ModelError: With "check", the file claims a shape that a tensor never has.
    """
    from shapesmt.export import keep_together, save
    from shapesmt.frontends import onnx as frontend

    proto, graph = frontend.proto(model)
    if output is not None:
        keep_together(proto, model, output)
    a = analysed(graph, dims, shapes, values, assume, timeout, declared=declared)
    annotated = _annotated(proto, a, tensor_bounds(a.examination, a.judge), declared)
    if output is not None:
        save(annotated, output)
    return annotated


@one_call()
def tighten_file(
    model: Model,
    output: str | os.PathLike[str],
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    declared: str = "check",
    timeout: float = TIMEOUT,
) -> Bounds:
    """`tighten` and `bounds` in one: the model is written where any input is valid."""
    from shapesmt.export import keep_together, save
    from shapesmt.frontends import onnx as frontend

    proto, graph = frontend.proto(model)
    keep_together(proto, model, output)
    a = analysed(graph, dims, shapes, values, assume, timeout, declared=declared)
    found = _bounds(a)
    if found.valid:
        save(_annotated(proto, a, found.tensors, declared), output)
    return found


def _annotated(proto: ModelProto, a: Analysis, found: Mapping[str, TensorBounds], declared: str) -> ModelProto:
    """The model with these shapes in it, unless the ones that it declares speak against them."""
    from shapesmt.export import annotate

    if declared == "check":
        refuse_declarations(a.problem, a.examination, a.judge)
    return annotate(proto, _shapes(found), override=declared == "override")


@one_call()
def encode(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> str:
    """The complete system as SMT-LIB 2 text, before any presolve: satisfiable where some node can fail.

    Raises:
        OutOfTimeError: It isn't complete in the time given.
    """
    graph = load(model)
    deadline = Deadline(seconds(timeout))
    return deadline.require(
        lambda: _encoded(pose(graph, dims, shapes, assume, values)).text, "the system isn't complete"
    )


def _encoded(problem: Problem) -> Encoding:
    """The complete system of a problem."""
    from shapesmt.system import encode as encoded

    made = encoded(problem.graph, problem.inputs, problem.domain.facts, problem.assumed)
    look()  # of nodes that weren't looked at in time the system says nothing
    return made


@one_call()
def repro(
    model: Model,
    node: str | None = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> str | None:
    """A Python script that shows a failure on ONNX Runtime: that of `node`, or the first; None where there is none.

    It needs numpy, onnx and onnxruntime, and holds the part of the model that fails, without its weights.
    """
    from shapesmt.frontends import onnx as frontend
    from shapesmt.replay import reproduced

    proto, graph = frontend.proto(model)
    known = [n.name for n in graph.nodes]
    if node is not None and node not in known:
        raise unknown_name("node", node, known, graph.source)
    a = analysed(graph, dims, shapes, values, assume, timeout)
    found = findings(a.problem, a.examination, a.judge)
    return a.judge.deadline.require(lambda: reproduced(proto, graph, found, node), "no script is made")


def analysed(
    graph: Graph,
    dims: Mapping[str, RangeLike] | None,
    shapes: Mapping[str, ShapeLike] | None,
    values: Mapping[str, ValueLike] | None,
    assume: Iterable[str] | None,
    timeout: float,
    *,
    declared: str = "ignore",
) -> Analysis:
    """A graph taken through the stages that all questions share."""
    started = time.perf_counter()
    if declared not in DECLARED:
        raise UsageError(f"declared is one of {', '.join(DECLARED)}, not {printable(repr(declared))}")
    judge = Judge(Deadline(seconds(timeout)))
    posing = Deadline(seconds(timeout) + GRACE)
    problem = posing.require(lambda: pose(graph, dims, shapes, assume, values), "the ranges aren't looked through")
    if not judge.satisfiable(problem.domain):
        ranges = [f"{name} in {r.min}..{'' if r.max is None else r.max}" for name, r in problem.ranges.items()]
        raise UsageError(f"no admissible input: {', '.join([*ranges, *problem.assumptions])} contradict each other")
    pinned, trust = problem.pinned(), declared == "trust"
    found = examine(pinned, judge, trust=trust)
    if pinned is not problem and found.judgements:
        named = examine(problem, judge, trust=trust)
        if named.decided and named.reported == found.reported:  # the same, with names in what is told of it
            return Analysis(problem, named, judge, started)
    return Analysis(pinned, found, judge, started)


def _checked(
    model: Model,
    dims: Mapping[str, RangeLike] | None,
    shapes: Mapping[str, ShapeLike] | None,
    values: Mapping[str, ValueLike] | None,
    assume: Iterable[str] | None,
    timeout: float,
    *,
    declared: str,
    certify: bool,
    replay: bool,
    strict: bool,
) -> tuple[Analysis, Report]:
    """The analysis of a model, and what `check` says of it."""
    if replay:
        from shapesmt.replay import replayed, runnable

        proto, graph = runnable(model)
    else:
        graph = load(model)
    a = analysed(graph, dims, shapes, values, assume, timeout, declared=declared)
    found = findings(a.problem, a.examination, a.judge)
    if replay:
        found = replayed(proto, graph, found, a.judge.deadline)
    region = precondition(a.problem, a.examination, a.judge)
    counts, verdict = a.examination.tally(), a.examination.verdict
    certificate = _certificate(a) if certify else ""
    claims = declarations(a.problem, a.examination, a.judge) if declared == "check" else ()
    warnings = cautions(a.problem, a.examination, a.judge, claims)
    found += tuple(claim for _, claim in claims)
    source, ranges = a.problem.graph.source, a.problem.ranges
    report = Report(
        source, verdict, ranges, counts, found, region, a.seconds, a.problem.assumptions, certificate,
        origins=a.problem.origins, unadopted=a.problem.unadopted, warnings=warnings, strict=strict,
        remedy=remedy(a.problem, a.examination, a.judge, region),
    )  # fmt: skip
    return a, report


def _certificate(a: Analysis) -> str:
    """The verdict of the complete system, which must not contradict the pipeline's."""
    from shapesmt.system import UNKNOWN, certify

    deadline = a.judge.deadline
    verdict = deadline.attempt(lambda: certify(_encoded(a.problem), deadline), UNKNOWN).verdict
    refuted = any(j.verdict in (Verdict.DEPENDS, Verdict.FAILS) for j in a.examination.judgements)
    proved = not a.examination.judgements
    if (verdict == "PROVED" and refuted) or (verdict == "REFUTED" and proved):
        raise InternalError(f"presolve says {a.examination.verdict}, the complete system says {verdict}")
    return verdict


def _bounds(a: Analysis, names: Iterable[str] | None = None) -> Bounds:
    """The bounds of the named tensors (all without names), if any input is valid."""
    valid = a.judge.satisfiable(a.examination.domain) and not a.examination.fails
    found = tensor_bounds(a.examination, a.judge, names) if valid else {}
    return Bounds(a.problem.graph.source, a.problem.ranges, found, a.seconds, valid, a.problem.assumptions)


def _shapes(found: Mapping[str, TensorBounds]) -> dict[str, tuple[str, list[int | str | None] | None]]:
    """Of every tensor the element type and, per axis, a number where proven constant, else the expression's text."""

    def size(text: str, lo: int, hi: int | None) -> int | str:
        return lo if lo == hi else text

    return {
        name: (t.dtype, None if t.shape is None else [size(d.expr, d.min, d.max) for d in t.shape])
        for name, t in found.items()
    }
