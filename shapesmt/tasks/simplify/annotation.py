"""Annotate models: write shapes into a model in the form that its runtime needs, and simplify it if asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.diagnose import refuse_declarations
from shapesmt.analysis.verify import Claims, Question
from shapesmt.frontends import ModelSource
from shapesmt.prover.algebra import one_call
from shapesmt.reports.answers import Simplified, Tightened
from shapesmt.reports.export import annotate, axes_of, targets
from shapesmt.tasks.simplify.answer import analyse_protobuf, fit_to_target, note, reduce_model, save_checked
from shapesmt.tasks.simplify.basis import basis_of, folder_of

if TYPE_CHECKING:
    from onnx import ModelProto


@one_call()
def write_tightened(
    model: ModelSource,
    question: Question,
    output: str | os.PathLike[str] | None = None,
    *,
    valid_only: bool = False,
    simplify: bool = False,
    trust_ranges: bool = False,
) -> tuple[ModelProto | None, Tightened]:
    """Return the model with the shape of every tensor in it, and the bounds; save it if there is an `output`.

    If the model runs for no admissible input, or fails for some without `valid_only`, the first is None.

    Raises:
        ModelError: A declared shape contradicts the inferred one, or the model can't be written.
    """
    proto, a = analyse_protobuf(model, output, question)
    if not a.bounds.valid or (a.fails and not valid_only):
        return None, Tightened(a.bounds, None, a.remedy)
    made, rewritten, only = _annotate(model, proto, a, simplify=simplify, trust_ranges=trust_ranges)
    if output is not None:
        save_checked(made, output, proto, folder_of(model), a.judge.deadline)
    where = None if output is None else os.fspath(output)
    return made, Tightened(a.bounds, where, simplified=rewritten, admissible=only)


def _annotate(
    model: ModelSource, proto: ModelProto, a: Analysis, *, simplify: bool, trust_ranges: bool
) -> tuple[ModelProto, Simplified | None, str]:
    """Return the model with inferred shapes, its rewrites (None without `simplify`), and the inputs it is valid for.

    These inputs are a text, such as `n=1..8`; "" for all that the model declares. With `trust_ranges`, the shapes hold
    for the inputs that the caller admits. `simplify` removes superfluous nodes first.
    """
    question = a.question
    if question.claims is Claims.CHECK:
        refuse_declarations(a)
    trusted = trust_ranges or question.target in targets.BOUNDED
    base = basis_of(proto, a, folder_of(model), trusted=trusted, claimed=question.claims is Claims.TRUST)
    region = a.region if simplify and a.fails else None
    shapes = axes_of(targets.tensors_to_write(proto, base.analysis.sizes, question.target, question.written))
    rewritten = None
    if simplify:
        made, rewritten = reduce_model(base, question.target, region)
    else:
        made = fit_to_target(base.proto, base.analysis, question.target)
        note(made, base)
    override = question.claims is Claims.OVERRIDE
    return annotate(made, shapes, override=override), rewritten, str(base.admissible)
