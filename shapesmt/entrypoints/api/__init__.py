"""The questions, each answered by stages in order: read this file first.

    model ─load─▶ Graph ─pose─▶ Problem ─examine─▶ Examination ─▶ Report, Bounds, Explanation, ...
                                   └─infer, node by node─┘

`analyse` takes these steps and returns an `Analysis`, which finds each part of the answers when it is first read.

Every public function takes a model and the options that `check` describes. It raises `ModelError` if the model can't be
read, and `UsageError` if the options don't fit it. Each makes one `Question` of its options and calls the function
that answers it: `check` calls `answer_check`. Settings in a file are read only when asked for:
`shapesmt.Config` returns them as these arguments.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from shapesmt.analysis import diagnose
from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import TIMEOUT, Claims, Question
from shapesmt.base.errors import UsageError, one_frame
from shapesmt.base.lazy import lazy_imports
from shapesmt.frontends import Model, OpenedModel, open_model, program_or_model
from shapesmt.network.declarations import RangeLike, ShapeLike, ValueLike, quote, unknown_name
from shapesmt.prover.algebra import Verdict, memo, one_call
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import Report, altered
from shapesmt.tasks import runtime_errors

if TYPE_CHECKING:
    from onnx import ModelProto

    from shapesmt.reports.answers import Bounds, ErrorOrigin, Explanation, PageData, Tightened

with lazy_imports(__name__):  # separate questions: `check` needs none of these modules
    from shapesmt.entrypoints.api.drop_in import infer_shapes as infer_shapes
    from shapesmt.entrypoints.api.inspection import (
        dataflow as dataflow,
        encoding as encoding,
        explain_code as explain_code,
        inspect as inspect,
        load_graph as load_graph,
        save_graph as save_graph,
        supported_ops as supported_ops,
    )
    from shapesmt.entrypoints.api.scripts import (
        answer_encode as answer_encode,
        answer_repro as answer_repro,
        encode as encode,
        repro as repro,
    )
    from shapesmt.entrypoints.api.testing import assert_proved as assert_proved
    from shapesmt.tasks.memory import answer_memory as answer_memory, memory as memory
    from shapesmt.tasks.profiles import (
        answer_profile as answer_profile,
        dynamic_shapes as dynamic_shapes,
        profile as profile,
    )
    from shapesmt.tasks.repair import answer_repair as answer_repair, repair as repair
    from shapesmt.tasks.simplify import answer_simplify as answer_simplify, simplify as simplify

LEAST_FOR_BOUNDS = 0.5
"""Seconds: a page computes exact bounds for half the check's time, at least this long; others are only sound."""
_LATEST: dict[Hashable, Analysis] = memo("the latest analysis", {})
"""The analysis of the latest `check`, for the page of its report, which doesn't hold it, as it is much larger."""
Output: TypeAlias = "str | os.PathLike[str] | None"


@one_frame
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
    guards: str = "check",
    session: str = "default",
    samples: str | Iterable[str] = (),
    timeout: float = TIMEOUT,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> Report:
    """Check whether every node runs for every admissible input; if not, report which input fails and which inputs run.

    Args:
        model: A path or URL, the bytes of a file, an `onnx.ModelProto`, a `Graph`, a networkx graph, or PyTorch's
            `ExportedProgram`, `ONNXProgram` or, with `args`, `Module`.
        dims: The range of each named input dimension: `"1..32"`, `"64..512:16"`, 8, `(1, 32)`; by default 1 and more.
        shapes: Shapes of inputs, which override the file's: `"[1..8,3,?,400]"`.
        values: Elements of small inputs, by the name of the input or the element: 16000, `"1..32"`, True.
        assume: Relations between dimensions: `"total == past + seq"` (a mapping says where each comes from).
        declared: The use of shapes that the file declares for intermediate tensors and outputs: "check" reports those
            that differ from the inferred ones, "trust" uses them where none is inferred, "ignore" and "override" don't
            use them.
        certify: Let the solver decide the complete system as well, without presolve.
        strict: Give a report with warnings, or assumptions of the archive, the exit status 1; the verdict stays.
        replay: Run every counterexample on ONNX Runtime, and state the outcome in the finding.
        guards: "ignore" removes the checks of its inputs that a PyTorch program makes before it runs.
        session: "default" asks about the file as written and about ONNX Runtime's default session, which rewrites some
            nodes: a model is proved if both run. "file" asks about the file alone.
        samples: The input dimension that counts the samples of a batch, or several such dimensions: prove as well that
            row i of every output depends on row i of the inputs alone.
        timeout: Seconds to read the model and to answer; nodes not checked by then are reported as undecided.
        args: The positional arguments of a module, as `torch.export.export` takes them.
        kwargs: The keyword arguments of a module; none by default.
        dynamic_shapes: The sizes of the arguments that may vary; None lets all vary (`Dim.AUTO`).

    Raises:
        ModelError: The model can't be read.
        UsageError: A name doesn't exist, a range is malformed, no input is admissible, or ONNX Runtime isn't installed.
        InternalError: The solver's answer to the complete system contradicts the verdict.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'''
    >>> report = check(model, dims={"n": "2..8", "m": "2..8"})
    >>> report.verdict.value, report.precondition.text
    ('DEPENDS', ('m == n',))
    """
    model = program_or_model(model, args, kwargs, dynamic_shapes)
    question = Question(
        dims, shapes, values, assume, timeout, declared, certify, strict, replay, guards=guards, session=session,
        samples=samples,
    )  # fmt: skip
    content = question.read(lambda: open_model(model, weights=replay))
    key, (a, report) = object(), _report(content, question)
    if not a.judge.deadline.expired:  # else the time may have ended before all of it was found
        _LATEST.clear()
        _LATEST[key] = a
    return altered(report, pages=lambda: _page(key, content, question.again(), report))


@one_frame
def page(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    guards: str = "check",
    session: str = "default",
    timeout: float = TIMEOUT,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> str:
    """Return an HTML page about a model: verdict, findings, valid region, tensors. The arguments are those of `check`.

    >>> page(b'''<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Abs(x) }''')[:15]
    '<!doctype html>'
    """
    from shapesmt.reports.render import html_page

    model = program_or_model(model, args, kwargs, dynamic_shapes)
    return html_page(
        page_data(model, Question(dims, shapes, values, assume, timeout, Claims.CHECK, guards=guards, session=session))
    )


@one_frame
def bounds(
    model: Model,
    *tensors: str,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    guards: str = "check",
    session: str = "default",
    timeout: float = TIMEOUT,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> Bounds:
    """Compute the minimum and maximum of every dimension over the inputs for which the model runs.

    `tensors` names the tensors to bound, by default all; the options are those of `check`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> bounds(model, dims={"n": "1..8"}).tensors["y"].shape[1]
    DimBounds(min=4, max=32, expr='4*n', exact=True)
    """
    model = program_or_model(model, args, kwargs, dynamic_shapes)
    return answer_bounds(
        model, tensors, Question(dims, shapes, values, assume, timeout, guards=guards, session=session)
    )


@one_frame
def explain(
    model: Model,
    target: str | None = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    constraints: bool = False,
    error: object = None,
    replay: bool = False,
    guards: str = "check",
    session: str = "default",
    timeout: float = TIMEOUT,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> Explanation | ErrorOrigin:
    """Explain why a node runs or fails, where a tensor's sizes come from, or (without a target) the model's verdict.

    `target` names a node or a tensor, and `constraints` adds the node's part of the solver's system. `error`, an
    exception or the text of a runtime's error message, asks for the nodes that raise it and for inputs at which they
    do. The other options are those of `check`.

    >>> model = b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[k] y) { y = Neg (x) }'
    >>> explain(model, "y").verdict.value
    'PROVED'
    """
    model = program_or_model(model, args, kwargs, dynamic_shapes)
    question = Question(dims, shapes, values, assume, timeout, guards=guards, replay=replay, session=session)
    return answer_explain(model, target, question, constraints=constraints, error=error)


@one_frame
@one_call()
def tighten(
    model: Model,
    output: Output = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    declared: str = "check",
    valid_only: bool = False,
    target: str | None = None,
    written: str | None = None,
    simplify: bool = False,
    trust_ranges: bool = False,
    timeout: float = TIMEOUT,
) -> ModelProto:
    """Return the model with the shape of every tensor written into it, and save it if there is an `output`.

    Sizes of inputs with one value become numbers, and equal ones get one name. The shapes hold for all inputs that the
    written model declares; with `trust_ranges`, or for "openvino", for those in the given ranges and relations, which
    its metadata then state. A size that is proven constant is a number; any other has its expression as its name, so
    that equal dimensions share a name.

    `declared` says how to treat shapes that the file declares: with "check", a shape that no input has is an error.
    "trust" uses them where nothing could be inferred, "ignore" leaves them there, "override" removes them there too,
    except for outputs. If the model fails for some admissible input, `valid_only` writes the shapes of the valid ones.
    `target` is the runtime ("ort", "openvino", "iree", "tensorrt"), `written` the tensors whose shapes are written:
    "all", "outputs" or "none". `simplify` also removes the nodes that `simplify()` removes.

    Raises:
        ModelError: The model fails for some admissible input, or the file declares a shape that no input has.
    """
    question = Question(dims, shapes, values, assume, timeout, declared, target=target, written=written)
    from shapesmt.tasks.simplify import analyse_protobuf, annotate_model, refusal

    proto, a = analyse_protobuf(model, output, question)
    if a.fails and not valid_only:
        raise refusal(a, "narrow the ranges as `check` says")
    return annotate_model(model, proto, output, a, simplify=simplify, trust_ranges=trust_ranges)[0]


def answer_check(model: Model, question: Question) -> Report:
    """Return the answer of `check`."""
    return _report(model, question)[1]


@one_call()
def page_data(model: Model, question: Question) -> PageData:
    """Return the data of a page: the answers of `check` and `bounds`, the causes of failures, and the region."""
    return _page_data(*_report(model, question))


@one_call()
def _page(key: object, model: OpenedModel, question: Question, report: Report) -> str:
    """Return the page of a report; unless its analysis is the latest, the model is analysed again."""
    from shapesmt.reports.render import html_page

    asked, known = dataclasses.replace(question, timeout=TIMEOUT), _LATEST.get(key)
    a = analyse(model, asked) if known is None else dataclasses.replace(known, judge=Judge(asked.deadline))
    return html_page(_page_data(a, report))


def _page_data(a: Analysis, report: Report) -> PageData:
    """Return the data that a page shows with a report: bounds, chains of causes, region, formulas."""
    hurried = a.within(max(LEAST_FOR_BOUNDS, report.seconds / 2))
    return diagnose.page_content(a, report, hurried.bounds)


@one_call()
def answer_bounds(model: Model, tensors: Iterable[str], question: Question) -> Bounds:
    """Return the answer of `bounds` for these tensors, or for all if none is named."""
    a, names = analyse(model, question), tuple(tensors)
    for name in names:
        if name not in a.examination.inference.tensors:
            made = next((node.outputs for node in a.problem.graph.nodes if node.name == name), ())
            if any(made):
                outputs = ", ".join(map(quote, filter(None, made)))
                raise UsageError(f"{quote(name)} is a node of {a.problem.graph.source}; its output is {outputs}")
            raise unknown_name("tensor", name, a.examination.inference.tensors, a.problem.graph.source)
    return a.bounds_of(names) if names else a.bounds


@one_call()
def answer_explain(
    model: Model, target: str | None, question: Question, *, constraints: bool = False, error: object = None
) -> Explanation | ErrorOrigin:
    """Return the answer of `explain`."""
    return runtime_errors.answer_error(model, target, error, question, constraints=constraints)


@one_call()
def answer_tighten(
    model: Model,
    output: str | os.PathLike[str],
    question: Question,
    *,
    valid_only: bool = False,
    simplify: bool = False,
    trust_ranges: bool = False,
) -> Tightened:
    """Write the model if it runs for every input, or with `valid_only`; return that answer and the bounds."""
    from shapesmt.reports.answers import Tightened
    from shapesmt.tasks.simplify import analyse_protobuf, annotate_model

    proto, a = analyse_protobuf(model, output, question)
    if a.bounds.valid and (valid_only or not a.fails):
        how = {"simplify": simplify, "trust_ranges": trust_ranges}
        _, rewritten, only = annotate_model(model, proto, output, a, **how)
        return Tightened(a.bounds, os.fspath(output), simplified=rewritten, admissible=only)
    return Tightened(a.bounds, None, a.remedy)


@one_call()
def _report(model: Model, question: Question) -> tuple[Analysis, Report]:
    """Return the analysis of a model, and the answer of `check`."""
    if question.replay:
        from shapesmt.tasks.replay import replay_findings, runnable

        proto, model = question.read(lambda: runnable(model))
    a = analyse(model, question)
    problem, examination, failures = a.problem, a.examination, a.findings
    if question.replay:
        failures = replay_findings(proto, problem.graph, failures, a.judge.deadline)
    failures, groups = diagnose.group_findings(failures, a, a.region)
    counts, verdict = examination.tally(), Verdict.worst([examination.verdict, *(s.verdict for s in a.samples)])
    proven = diagnose.system_verdict(a) if question.certify else ""
    claims, warnings = dict(a.contradictions).values(), a.warnings
    found = (*failures, *a.sample_findings, *claims)
    report = Report(
        problem.graph.source, verdict, problem.ranges, counts, found, a.region, a.seconds,
        problem.assumptions, proven, origins=problem.origins, unadopted=problem.unadopted, warnings=warnings,
        strict=question.strict, remedy=a.remedy, groups=groups, release=diagnose.find_release(question, a),
        hints=diagnose.hints_of(a), guarded=a.guarded, assumed=diagnose.assumptions_of(a),
        fixed=diagnose.fixed_sizes(problem, a.static) if verdict is Verdict.PROVED else (),
        absent=diagnose.absent_files(problem.graph, examination.original),
        samples=next(iter(a.samples), None), further_samples=a.samples[1:],
    )  # fmt: skip
    return a, report
