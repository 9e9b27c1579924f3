"""Annotated: a model with its shapes written into it, in the form that its runtime needs, and smaller if asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from shapesmt.diagnose import precondition, refuse_declarations
from shapesmt.examine import Analysis, Claims, Question, inner_bounds
from shapesmt.export import annotate, axes_of, save, targets
from shapesmt.optimize.answer import reduced
from shapesmt.report import Simplified, TensorBounds

if TYPE_CHECKING:
    from onnx import ModelProto


def annotated(
    proto: ModelProto,
    output: str | os.PathLike[str] | None,
    a: Analysis,
    tensors: Mapping[str, TensorBounds],
    question: Question,
    *,
    simplify: bool,
) -> tuple[ModelProto, Simplified | None]:
    """The model with these shapes in it, saved if asked for, unless the ones that it declares speak against them.

    With `simplify` it is made smaller before, and the rewrites are the second result.
    """
    if question.claims is Claims.CHECK:
        refuse_declarations(a.problem, a.examination, a.judge)
    shapes = axes_of(targets.written(proto, tensors, question.target, question.written))
    rewritten = None
    if simplify:
        region = precondition(a.problem, a.examination, a.judge) if a.fails else None
        fitted, rewritten = reduced(proto, a, question.target, region, tensors)
    else:
        inner = partial(inner_bounds, a.examination, a.judge)
        fitted = targets.fitted(proto, tensors, question.target, inner)
    result = annotate(fitted, shapes, override=question.claims is Claims.OVERRIDE)
    if output is not None:
        save(result, output)
    return result, rewritten
