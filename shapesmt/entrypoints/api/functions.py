"""The questions as functions: each opens a model and asks once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shapesmt.analysis.verify import Question
from shapesmt.entrypoints.api.opened import Opened, Output
from shapesmt.entrypoints.api.options import Export, OpenOptions, Options, asks, require_known
from shapesmt.frontends import Model, ModelSource, program_or_model
from shapesmt.reports.answers import Report

if TYPE_CHECKING:
    import networkx as nx
    from onnx import ModelProto
    from typing_extensions import Unpack

    from shapesmt.analysis.encoding import Constraints
    from shapesmt.reports.answers import (
        Bounds,
        DynamicShapes,
        ErrorOrigin,
        Explanation,
        Memory,
        ModelFacts,
        Profile,
        Repairs,
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
    (True, 32, 256)
    """
    require_known(options, OpenOptions)
    opened = _opened(model, options)
    opened.ask().read(lambda: opened.model.opened(weights=False))
    return opened


def _opened(model: Model, options: Mapping[str, Any]) -> Opened:
    """Return the model with its options; a module of PyTorch is exported."""
    require_known(options, Options)
    export = [options.get(name) for name in Export.__annotations__]
    asked = {name: value for name, value in options.items() if name not in Export.__annotations__}
    return Opened(ModelSource(program_or_model(model, *export)), Question(**asked))


@asks(Options)
def check(
    model: Model, *, certify: bool = False, strict: bool = False, replay: bool = False, **options: Unpack[Options]
) -> Report:
    """Check whether every node runs for every admissible input; if not, report which input fails and which inputs run.

    Args:
        model: A path or URL, the bytes of a file, an `onnx.ModelProto`, a `Graph`, a networkx graph, or PyTorch's
            `ExportedProgram`, `ONNXProgram` or, with `args`, `Module`.
        certify: Let the solver decide the complete system as well, without presolve.
        strict: Give a report with warnings, or assumptions of the archive, the exit status 1; the verdict stays.
        replay: Run every counterexample on ONNX Runtime, and state the outcome in the finding.
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
    return _opened(model, options).check(certify=certify, strict=strict, replay=replay)


@asks(Options)
def page(model: Model, **options: Unpack[Options]) -> str:
    """Return an HTML page about a model: verdict, findings, valid region, tensors. The options are those of `check`.

    >>> page(b'''<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Abs(x) }''')[:15]
    '<!doctype html>'
    """
    return _opened(model, options).page()


@asks(Options)
def bounds(model: Model, *tensors: str, **options: Unpack[Options]) -> Bounds:
    """Compute the minimum and maximum of every dimension over the inputs for which the model runs.

    `tensors` names the tensors to bound, by default all; the options are those of `check`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> bounds(model, dims={"n": "1..8"}).tensors["y"].shape[1]
    DimBounds(min=4, max=32, expr='4*n', exact=True)
    """
    return _opened(model, options).bounds(*tensors)


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
    return _opened(model, options).explain(target, constraints=constraints, error=error, replay=replay)


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
    return _opened(model, options).memory(mode=mode, budget=budget, greatest=greatest, at=at)


@asks(Options)
def profile(
    model: Model,
    target: str = "json",
    *,
    opt: Mapping[str, int] | None = None,
    profiles: int = 1,
    inner: Iterable[str] = (),
    valid_only: bool = False,
    hull: bool = False,
    **options: Unpack[Options],
) -> Profile:
    """Find the minimum, usual and maximum size of every input, and write them for a compiler: "trtexec", "tvm", ...

    The three points are inputs for which the model runs. `opt` gives sizes of the usual point; other sizes are in the
    middle. `profiles` is the number of boxes that cover the valid inputs. `inner` names intermediate tensors whose
    sizes are needed too. If the model fails for some admissible input, nothing is written unless `valid_only`. A format
    that holds one box then gets one in which no admissible input fails; with `hull`, the one around all valid inputs,
    and the conditions that tell them from the others inside. The other options are those of `check`.

    Raises:
        UsageError: A size that the compiler needs is unbounded, `opt` gives sizes that no valid input has, or the
            format holds several boxes and so has no `hull`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]> g (float[n, 4] x) => (float[n, 4] y) { y = Abs(x) }'''
    >>> print(profile(model, "trtexec", dims={"n": "1..9"}).content)
    --minShapes=x:1x4 --optShapes=x:3x4 --maxShapes=x:9x4
    """
    how: dict[str, Any] = {"profiles": profiles, "inner": inner, "valid_only": valid_only, "hull": hull}
    return _opened(model, options).profile(target, opt=opt, **how)


@asks(Options)
def repair(
    model: Model,
    output: Output = None,
    *,
    take: int | None = None,
    as_declared: bool = False,
    **options: Unpack[Options],
) -> Repairs:
    """Find single changes after which a model runs for every admissible input, the likeliest first.

    Each is proved by the checker, or named as one that helps in part. Each computes what the model computed at
    the sizes at which it ran, by proof or in runs of both on random data; its `keeps` says which. If there is an
    `output`, the model with the first proposal is written there if it is proved, or with proposal number `take`; ONNX
    Runtime, if it is installed, runs it at several sizes first. The other options are those of `check`; a PyTorch
    program's guards are ignored, as the repaired module has others.

    Raises:
        ModelError: The model can't be read, or the repaired one is refused or stops on ONNX Runtime.
        UsageError: An option doesn't fit the model, or there is an `output` and the model isn't ONNX, or the first
            proposal leaves findings or may change what the model computes, and none is chosen, or the chosen one
            changes an output's shape without `as_declared`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 3] x, float[n, 4] w) => (float[a, b] z) { y = Transpose <perm=[0, 1]> (x) z = MatMul (y, w) }'''
    >>> repair(model, dims={"n": "5..8"}).proposals[0].text
    'perm of Transpose_0: 0,1 -> 1,0'
    """
    return _opened(model, options).repair(output, take=take, as_declared=as_declared)


@asks(Options)
def simplify(
    model: Model,
    output: Output = None,
    *,
    valid_only: bool = False,
    check_runs: int = 0,
    trust_ranges: bool = False,
    target: str | None = None,
    **options: Unpack[Options],
) -> ModelProto:
    """Return the model without the nodes that are proven superfluous, and save it if there is an `output`.

    A size with one value becomes a number in the inputs, and equal sizes get one name. Rewrites hold for every input
    that the shapes of the written model admit; with `trust_ranges`, for the inputs in the given ranges and relations,
    which its metadata then state. `target` is the runtime ("ort", "openvino", "iree", "tensorrt") that decides the form
    of the nodes; for "openvino", ranges are always trusted. The other options are those of `check`.

    Raises:
        ModelError: The model fails for some admissible input, and `valid_only` isn't set; the target is OpenVINO, and
            some size has no proven upper bound; or ONNX's checker or ONNX Runtime refuses the result.
        InternalError: ONNX Runtime computes something else, at one of `check_runs` sizes.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n] x) => (float[n] z) { y = Identity (x) z = Exp (y) }'''
    >>> [node.op_type for node in simplify(model).graph.node]
    ['Exp']
    """
    how: dict[str, Any] = {"valid_only": valid_only, "check_runs": check_runs, "trust_ranges": trust_ranges}
    return _opened(model, options).simplify(output, target=target, **how)


@asks(Options)
def tighten(
    model: Model,
    output: Output = None,
    *,
    valid_only: bool = False,
    target: str | None = None,
    written: str | None = None,
    simplify: bool = False,
    trust_ranges: bool = False,
    **options: Unpack[Options],
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
    how: dict[str, Any] = {"written": written, "simplify": simplify, "trust_ranges": trust_ranges}
    return _opened(model, options).tighten(output, valid_only=valid_only, target=target, **how)


@asks(Options)
def dynamic_shapes(model: Model, **options: Unpack[Options]) -> DynamicShapes:
    """Return the `dynamic_shapes` with which a program runs for the most sizes: `print` it, or `exec` its `content`.

    The model is a `torch.nn.Module` with an example of its arguments, a program of `torch.export`, or a `.pt2` file. A
    module is exported with the result, so that PyTorch is known to accept it. `dims` bounds the sizes, by the names
    that `shapes` gives them or as in a report. The other options are those of `check`.

    Raises:
        ModelError: PyTorch can't export the module at all.
        UsageError: The model isn't a program of PyTorch.
    """
    return _opened(model, options).dynamic_shapes()


@asks(Options)
def encode(model: Model, node: str | None = None, **options: Unpack[Options]) -> str:
    """Return the complete system as SMT-LIB 2 text, before any presolve: it is satisfiable if some node can fail.

    For one node, return its part of the system: satisfiable if the node can fail while the nodes before it run.

    Raises:
        OutOfTimeError: The system isn't complete when the timeout ends.
    """
    return _opened(model, options).encode(node)


@asks(Options)
def encoding(model: Model, **options: Unpack[Options]) -> Constraints:
    """Return the complete system as named Z3 variables and constraints; you can add others before you solve it.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> enc = encoding(model, dims={"n": "1..8"})
    >>> enc.dim("y", 1), enc.definitions["y[1]"]
    (y[1], y[1] == 4*n)
    """
    return _opened(model, options).encoding()


@asks(Options)
def repro(model: Model, node: str | None = None, **options: Unpack[Options]) -> str | None:
    """Return a Python script that shows a failure on ONNX Runtime: that of `node`, or the first; None if there is none.

    The script needs numpy, onnx and onnxruntime. It has the part of the model that fails, without weights.
    """
    return _opened(model, options).repro(node)


@asks(Options)
def dataflow(model: Model, **options: Unpack[Options]) -> nx.MultiDiGraph[str]:
    """Return a model's networkx graph, with `dtype` and `shape` of each edge's tensor.

    `shapesmt.network.graph.dataflow` describes its nodes and edges.

    A shape is a tuple of formulas as text; None if the rank is unknown.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] z) { y = Flatten <axis=0> (x) z = Relu (y) }'''
    >>> dataflow(model).edges(data="shape")
    OutMultiEdgeDataView([('x', 'Flatten_0', ('n', '4')), ('Flatten_0', 'Relu_1', ('1', '4*n'))])
    """
    return _opened(model, options).dataflow()


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
    return _opened(model, options).inspect()


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
    AssertionError: DEPENDS <bytes>: 1 of 1 requirement fails for some n in 2..8, m in 2..8
    ...
    """
    __tracebackhide__ = True
    return _opened(model, options).assert_proved()
