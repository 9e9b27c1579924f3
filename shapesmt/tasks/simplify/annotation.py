"""Annotate models: write shapes into a model in the form that its runtime needs, and simplify it if asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.diagnose import refuse_declarations
from shapesmt.analysis.verify import Claims
from shapesmt.frontends import Model
from shapesmt.reports.answers import Simplified
from shapesmt.reports.export import annotate, axes_of, targets
from shapesmt.tasks.simplify.answer import fit_to_target, note, reduce_model, save_checked
from shapesmt.tasks.simplify.basis import basis_of, folder_of

if TYPE_CHECKING:
    from onnx import ModelProto


def annotate_model(
    model: Model,
    proto: ModelProto,
    output: str | os.PathLike[str] | None,
    a: Analysis,
    *,
    simplify: bool,
    trust_ranges: bool,
) -> tuple[ModelProto, Simplified | None, str]:
    """Return the model with inferred shapes, its rewrites (None without `simplify`), and the inputs it is valid for.

    These inputs are a text, such as `n=1..8`; "" for all that the model declares. With `trust_ranges`, the shapes hold
    for the inputs that the caller admits. `simplify` removes superfluous nodes first. The model is saved if there is an
    `output`.

    Raises:
        ModelError: A declared shape contradicts the inferred one, or the model can't be written.
    """
    question = a.question
    if question.claims is Claims.CHECK:
        refuse_declarations(a)
    trusted = trust_ranges or question.target in targets.BOUNDED
    folder = folder_of(model)
    base = basis_of(proto, a, folder, trusted=trusted, claimed=question.claims is Claims.TRUST)
    region = a.region if simplify and a.fails else None
    shapes = axes_of(targets.tensors_to_write(proto, base.analysis.sizes, question.target, question.written))
    rewritten = None
    if simplify:
        made, rewritten = reduce_model(base, question.target, region)
    else:
        made = fit_to_target(base.proto, base.analysis, question.target)
        note(made, base)
    result = annotate(made, shapes, override=question.claims is Claims.OVERRIDE)
    if output is not None:
        save_checked(result, output, proto, folder, a.judge.deadline)
    return result, rewritten, str(base.admissible)
