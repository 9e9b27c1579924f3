"""Answer: a model simplified, written where it may be, and run beside the original where that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shapesmt.algebra import Verdict, one_call
from shapesmt.diagnose import precondition, remedy
from shapesmt.errors import ModelError
from shapesmt.examine import TIMEOUT, Analysis, Question, analysed_protobuf, inner_bounds, tensor_bounds
from shapesmt.export import save, targets
from shapesmt.frontends import Model
from shapesmt.language import RangeLike, ShapeLike, ValueLike
from shapesmt.optimize.forms import FORMS, PLAIN
from shapesmt.optimize.protobuf import nodes_of
from shapesmt.optimize.whole import smaller
from shapesmt.report import Precondition, Simplified, TensorBounds

if TYPE_CHECKING:
    from onnx import ModelProto

ADMISSIBLE, PRECONDITION = "shapesmt.admissible", "shapesmt.precondition"
"""The keys of metadata that say for which inputs a simplified model is the same as the original."""


@one_call()
def simplify(
    model: Model,
    output: str | os.PathLike[str] | None = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    valid_only: bool = False,
    check_runs: int = 0,
    target: str | None = None,
    timeout: float = TIMEOUT,
) -> ModelProto:
    """The model without the nodes that are proven superfluous for every admissible input, saved where `output` says.

    `target` is the runtime that it is for ("ort", "openvino", "iree", "tensorrt"), whose form its nodes get.

    Raises:
        ModelError: The model fails for some admissible input, and `valid_only` doesn't say that these aren't meant; or
            it is for OpenVINO, and some size has no proven end.
        InternalError: ONNX Runtime computes something else, at one of `check_runs` sizes.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n] x) => (float[n] z) { y = Identity (x) z = Exp (y) }'''
    >>> [node.op_type for node in simplify(model).graph.node]
    ['Exp']
    """
    question = Question(dims, shapes, values, assume, timeout, target=target)
    proto, answer = _simplified(model, output, question, valid_only=valid_only, runs=check_runs)
    if proto is None:
        raise ModelError(f"{answer.model} fails for some admissible input; narrow the ranges, or use valid_only=True")
    return proto


@one_call()
def simplified(
    model: Model, output: str | os.PathLike[str], question: Question, *, valid_only: bool = False, check_runs: int = 0
) -> Simplified:
    """The answer of `simplify`: each rewrite, and where the model was written or what is in the way."""
    return _simplified(model, output, question, valid_only=valid_only, runs=check_runs)[1]


def _simplified(
    model: Model, output: str | os.PathLike[str] | None, question: Question, *, valid_only: bool, runs: int = 0
) -> tuple[ModelProto | None, Simplified]:
    """The simplified model, written if there is an output, and the answer; None where some input fails.

    A node that is removed may be what refused that input. With `valid_only` the model is written all the same, with the
    condition in its metadata.

    Raises:
        InternalError: ONNX Runtime computes something else, at one of as many sizes as `runs` says.
    """
    proto, a = analysed_protobuf(model, output, question)
    verdict, source = a.examination.verdict, a.problem.graph.source
    stages = a.problem, a.examination, a.judge
    region = precondition(*stages) if a.fails else None
    if region is not None and (verdict is Verdict.FAILS or not valid_only):
        helps = remedy(*stages, region)
        return None, Simplified(source, verdict, None, seconds=a.seconds, precondition=region, remedy=helps)
    smaller_one, answer = reduced(proto, a, question.target, region)
    if runs:
        from shapesmt.replay import compared, exact

        runs = compared(proto, smaller_one, a, runs, _folder(model))
        answer = replace(answer, exact=exact(a))
    if output is not None:
        save(smaller_one, output)
    return smaller_one, replace(answer, written="" if output is None else os.fspath(output), runs=runs)


def reduced(
    proto: ModelProto,
    a: Analysis,
    target: str | None = None,
    region: Precondition | None = None,
    tensors: Mapping[str, TensorBounds] | None = None,
) -> tuple[ModelProto, Simplified]:
    """The smaller model in the form that the target needs, and the answer, which doesn't say yet where it is written.

    Its metadata say for which inputs it is meant: with the condition of `region`, if any.

    Raises:
        ModelError: It is for OpenVINO, and some size has no proven end.
        UsageError: There is no such target.
    """
    targets.require(target)
    copy, rewrites, before, _ = smaller(proto, a, FORMS.get(target or "", PLAIN))
    if target in targets.FITTED:
        inner = partial(inner_bounds, a.examination, a.judge)
        copy = targets.fitted(copy, tensors or tensor_bounds(a.examination, a.judge), target, inner)
    _note(copy, a, "" if region is None else region.whole)
    nodes, verdict = (before, nodes_of(copy)), a.examination.verdict
    return copy, Simplified(a.problem.graph.source, verdict, None, *nodes, a.seconds, rewrites, region)


def _note(proto: ModelProto, a: Analysis, condition: str) -> None:
    """Write into a model's metadata for which inputs it is meant."""
    ranges = [f"{n}={r.min}..{'' if r.max is None else r.max}:{r.step}" for n, r in a.problem.ranges.items()]
    ranges = [text.removesuffix(":1") for text in ranges]
    texts = {ADMISSIBLE: "; ".join([*ranges, *a.problem.assumptions]), PRECONDITION: condition}
    for key, text in texts.items():
        if text:
            proto.metadata_props.add(key=key, value=text)


def _folder(model: Model) -> str | None:
    """Where a model's external data lies."""
    return str(Path(os.fsdecode(model)).resolve().parent) if isinstance(model, (str, os.PathLike)) else None
