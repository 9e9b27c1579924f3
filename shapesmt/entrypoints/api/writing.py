"""The questions whose answer is written for another program: models, sizes, formulas, scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shapesmt.entrypoints.api.opened import Output, opened_with
from shapesmt.entrypoints.api.options import Options, asks
from shapesmt.frontends import Model

if TYPE_CHECKING:
    from onnx import ModelProto
    from typing_extensions import Unpack

    from shapesmt.analysis.encoding import Constraints
    from shapesmt.reports.answers import (
        DynamicShapes,
        Profile,
        Repairs,
    )


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
    return opened_with(model, options).profile(target, opt=opt, **how)


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
    return opened_with(model, options).repair(output, take=take, as_declared=as_declared)


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
    return opened_with(model, options).simplify(output, target=target, **how)


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
    return opened_with(model, options).tighten(output, valid_only=valid_only, target=target, **how)


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
    return opened_with(model, options).dynamic_shapes()


@asks(Options)
def encode(model: Model, node: str | None = None, **options: Unpack[Options]) -> str:
    """Return the complete system as SMT-LIB 2 text, before any presolve: it is satisfiable if some node can fail.

    For one node, return its part of the system: satisfiable if the node can fail while the nodes before it run.

    Raises:
        OutOfTimeError: The system isn't complete when the timeout ends.
    """
    return opened_with(model, options).encode(node)


@asks(Options)
def encoding(model: Model, **options: Unpack[Options]) -> Constraints:
    """Return the complete system as named Z3 variables and constraints; you can add others before you solve it.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> enc = encoding(model, dims={"n": "1..8"})
    >>> enc.dim("y", 1), enc.definitions["y[1]"]
    (y[1], y[1] == 4*n)
    """
    return opened_with(model, options).encoding()


@asks(Options)
def repro(model: Model, node: str | None = None, **options: Unpack[Options]) -> str | None:
    """Return a Python script that shows a failure on ONNX Runtime: that of `node`, or the first; None if there is none.

    The script needs numpy, onnx and onnxruntime. It has the part of the model that fails, without weights.
    """
    return opened_with(model, options).repro(node)
