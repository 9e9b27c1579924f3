"""The questions as functions: each opens a model and asks once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from shapesmt.base.errors import one_frame
from shapesmt.entrypoints.api.opened import Opened, opened_with
from shapesmt.entrypoints.api.options import OpenOptions, Options, asks, require_known
from shapesmt.frontends import Model
from shapesmt.network.declarations import unknown_name
from shapesmt.network.laws import CATALOGUE
from shapesmt.reports.answers import ErrorCode, Report

if TYPE_CHECKING:
    import networkx as nx
    from typing_extensions import Unpack

    from shapesmt.reports.answers import (
        Bounds,
        ErrorOrigin,
        Explanation,
        Memory,
        ModelFacts,
    )


@asks(OpenOptions)
def open(model: Model, **options: Unpack[OpenOptions]) -> Opened:  # noqa: A001 - as `io.open`, `Image.open`
    """Read a model, to ask about it: `open(model).where(height="64..512").check()`.

    The options are described at `check`. The functions, such as `check`, open a model and ask one question.

    Raises:
        ModelError: The model can't be read.
        UsageError: An option is none that there is.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> flat = open(model).where(n="1..8")
    >>> flat.proved, flat.bounds().tensors["y"].shape[1].max, flat.memory().worst.bytes
    (True, 32, 128)
    """
    require_known(options, OpenOptions)
    opened = opened_with(model, options)
    opened.ask().read(lambda: opened.model.opened(weights=False))
    return opened


@asks(Options)
def check(
    model: Model,
    *,
    certify: bool = False,
    strict: bool = False,
    replay: bool = False,
    samples: str | Iterable[str] = (),
    **options: Unpack[Options],
) -> Report:
    """Check whether every node runs for every admissible input; if not, report which input fails and which inputs run.

    Args:
        model: A path or URL, the bytes of a file, an `onnx.ModelProto`, a `Graph`, a networkx graph, or PyTorch's
            `ExportedProgram`, `ONNXProgram` or, with `args`, `Module`.
        certify: Let the solver decide the complete system as well, without presolve.
        strict: Give a report with warnings, or assumptions of the archive, the exit status 1; the verdict stays.
        replay: Run every counterexample on ONNX Runtime, and state the outcome in the finding.
        samples: The input dimension that counts the samples of a batch, or several such dimensions: prove as well that
            samples stay apart, so that each index along an axis of an output depends on one sample alone.
        dims: The range of each named input dimension: `"1..32"`, `"64..512:16"`, 8, `(1, 32)`; by default 1 and more.
        shapes: Shapes of inputs, which override the file's: `"[1..8,3,?,400]"`.
        values: Elements of small inputs, by the name of the input or the element: 16000, `"1..32"`, True.
        assume: Relations between dimensions: `"total == past + seq"` (a mapping says where each comes from).
        declared: The use of shapes that the file declares for intermediate tensors and outputs: "check" reports those
            that differ from the inferred ones, "trust" uses them where none is inferred, "ignore" and "override" don't
            use them. By default, `check`, `page` and `tighten` check them, and other questions ignore them.
        guards: "ignore" removes the checks of its inputs that a PyTorch program makes before it runs.
        session: "default" asks about the file as written and about ONNX Runtime's default session, which rewrites some
            nodes: a model is proved if both run. "file" asks about the file alone. By default, `check`, `page`,
            `bounds`, `explain` and `profile` ask about both, and other questions about the file.
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
    return opened_with(model, options).check(certify=certify, strict=strict, replay=replay, samples=samples)


@asks(Options)
def page(model: Model, **options: Unpack[Options]) -> str:
    """Return an HTML page about a model: verdict, findings, valid region, tensors. The options are those of `check`.

    >>> page(b'''<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Abs(x) }''')[:15]
    '<!doctype html>'
    """
    return opened_with(model, options).page()


@asks(Options)
def bounds(model: Model, *tensors: str, **options: Unpack[Options]) -> Bounds:
    """Compute the minimum and maximum of every dimension over the inputs for which the model runs.

    `tensors` names the tensors to bound, by default all; the options are those of `check`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> bounds(model, dims={"n": "1..8"}).tensors["y"].shape[1]
    DimBounds(min=4, max=32, expr='4*n', exact=True)
    """
    return opened_with(model, options).bounds(*tensors)


@asks(Options)
def explain(
    model: Model,
    target: str | None = None,
    *,
    constraints: bool = False,
    error: object = None,
    replay: bool = False,
    **options: Unpack[Options],
) -> Explanation | ErrorOrigin:
    """Explain why a node runs or fails, where a tensor's sizes come from, or (without a target) the model's verdict.

    `target` names a node or a tensor, and `constraints` adds the node's part of the solver's system. `error`, an
    exception or the text of a runtime's error message, asks for the nodes that raise it and for inputs at which they
    do. The other options are those of `check`.

    >>> model = b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[k] y) { y = Neg (x) }'
    >>> explain(model, "y").verdict.value
    'PROVED'
    """
    return opened_with(model, options).explain(target, constraints=constraints, error=error, replay=replay)


@asks(Options)
def memory(
    model: Model,
    *,
    mode: str = "live",
    budget: str | int | None = None,
    greatest: str | None = None,
    at: Mapping[str, int] | None = None,
    **options: Unpack[Options],
) -> Memory:
    """Compute the activation memory: the maximum over all valid inputs, at given sizes, and the inputs within a budget.

    `mode` says which tensors share a buffer: none ("live"), views too ("alias"), or also the results of operators that
    overwrite an operand ("inplace"). `budget` is "2GB", "512MiB" or a number of bytes. `greatest` is a dimension whose
    maximum within the budget is computed. `at` has sizes at which the bytes are computed, and where `greatest` looks.
    The other options are those of `check`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n] x) => (float[n] y) { a = Abs(x) y = Exp(a) }'''
    >>> report = memory(model, budget=100, greatest="n", dims={"n": "1..64"})
    >>> report.worst.bytes, report.worst.formula, report.budget.text, report.max.value
    (512, '8*n', ('n <= 12',), 12)
    """
    return opened_with(model, options).memory(mode=mode, budget=budget, greatest=greatest, at=at)


@asks(Options)
def dataflow(model: Model, **options: Unpack[Options]) -> nx.MultiDiGraph[str]:
    """Return a model's networkx graph, with `dtype` and `shape` of each edge's tensor.

    `shapesmt.network.graph.dataflow` describes its nodes and edges. A shape is a tuple of formulas as text; None if the
    rank is unknown.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] z) { y = Flatten <axis=0> (x) z = Relu (y) }'''
    >>> dataflow(model).edges(data="shape")
    OutMultiEdgeDataView([('x', 'Flatten_0', ('n', '4')), ('Flatten_0', 'Relu_1', ('1', '4*n'))])
    """
    return opened_with(model, options).dataflow()


@asks(Options)
def inspect(model: Model, **options: Unpack[Options]) -> ModelFacts:
    """Return a model's inputs, dimensions with their axes, and operators: the facts to know before asking about it.

    Shapes of outputs that can't be inferred within the timeout are omitted.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x, float[n, m] w) => (float[k, l] y) { y = Concat <axis=1> (x, w) }'''
    >>> facts = inspect(model)
    >>> facts.dimensions["n"].axes, facts.outputs["y"].shape
    (('x[0]', 'w[0]'), ('n', 'm + 4'))
    """
    return opened_with(model, options).inspect()


@asks(Options)
def assert_proved(model: Model, **options: Unpack[Options]) -> Report:
    """Return a model's report if it is proved, else raise AssertionError; the options are those of `check`.

    Raises:
        AssertionError: The model isn't proved, or is undecided; the message is the report.
        ModelError: The model can't be read.
        UsageError: A name doesn't exist, a range is malformed, or no input is admissible.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'''
    >>> assert_proved(model, assume=["n == m or m == 1"]).requirements.proved
    1
    >>> assert_proved(model, dims={"n": "2..8", "m": "2..8"})
    Traceback (most recent call last):
      ...
    AssertionError: DEPENDS <bytes>: 1 of 1 node requirement fails for some n in 2..8, m in 2..8
    ...
    """
    __tracebackhide__ = True
    return opened_with(model, options).assert_proved()


@one_frame
def explain_code(code: str) -> ErrorCode:
    """Return the catalogue's entry for an error code, with a report on its example.

    Args:
        code: The code, such as "SM103", in upper or lower case.

    Raises:
        UsageError: The catalogue has no such code.

    >>> explain_code("SM103").report.findings[0].code
    'SM103'
    """
    entry = CATALOGUE.get(code.upper())
    if entry is None:
        raise unknown_name("error code", code, CATALOGUE, "the catalogue")
    samples, report = [entry.samples] if entry.samples else [], None
    if entry.example:
        report = check(entry.example.encode(), dims=entry.dims, assume=entry.assume, samples=samples)
    shown = dataclasses.replace(report, model="example.onnxtxt") if report is not None else None
    told = entry.code, entry.title, entry.sentence, entry.remedy
    return ErrorCode(*told, entry.example, entry.dims, entry.assume, shown, entry.samples)
