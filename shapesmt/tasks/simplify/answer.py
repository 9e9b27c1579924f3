"""Simplify models, write them if the original can't fail, and compare both in runs if asked for."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import Question, earlier_bounds, inner_bounds
from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import ModelError, UsageError, printable
from shapesmt.frontends import ModelSource, load_protobuf
from shapesmt.network.declarations import ADMISSIBLE
from shapesmt.prover.algebra import Verdict, one_call
from shapesmt.reports.answers import Precondition, Simplified
from shapesmt.reports.export import complaint, keep_together, save, targets
from shapesmt.tasks.simplify.basis import Basis, basis_of, folder_of
from shapesmt.tasks.simplify.declared import declare_outputs
from shapesmt.tasks.simplify.draft import FORMS, PLAIN
from shapesmt.tasks.simplify.protobuf import nodes_of
from shapesmt.tasks.simplify.whole import smaller

if TYPE_CHECKING:
    from onnx import ModelProto

PRECONDITION = "shapesmt.precondition"
"""Metadata key of the condition under which a simplified model runs for an admissible input."""


def refusal(source: str, verdict: Verdict | None, remedy: str = "narrow the ranges") -> ModelError:
    """Return the error for a model that fails for some admissible input, or for all; its text proposes `remedy`."""
    if verdict is Verdict.FAILS:
        return ModelError(f"{source} runs for no admissible input")
    return ModelError(f"{source} fails for some admissible input; {remedy}, or use valid_only=True")


@one_call()
def write_simplified(
    model: ModelSource,
    question: Question,
    output: str | os.PathLike[str] | None = None,
    *,
    valid_only: bool = False,
    check_runs: int = 0,
    trust_ranges: bool = False,
) -> tuple[ModelProto | None, Simplified]:
    """Return the model without superfluous nodes, and each rewrite; save it if there is an `output`.

    If the model fails for some admissible input, the first is None, as a removed node may be the one that refused the
    input. With `valid_only` it is written nevertheless, with the condition for valid inputs in its metadata.

    Raises:
        UsageError: The output is the model's own file.
        InternalError: ONNX Runtime computes something else, at one of `check_runs` sizes.
    """
    if output is not None and model.path is not None and same_file(model.path, output):
        raise UsageError(f"cannot write {printable(os.fspath(output))}: it is the model itself; name another file")
    proto, a = analyse_protobuf(model, output, question)
    verdict, source = a.examination.verdict, a.problem.graph.source
    region = a.region if a.fails else None
    if region is not None and (verdict is Verdict.FAILS or not valid_only):
        return None, Simplified(source, verdict, None, seconds=a.seconds, precondition=region, remedy=a.remedy)
    folder = folder_of(model)
    base = basis_of(proto, a, folder, trusted=trust_ranges or question.target in targets.BOUNDED)
    declare_outputs(base.proto, base.analysis)
    smaller_one, answer = reduce_model(base, question.target, region)
    answer = replace(answer, verdict=verdict)
    runs = 0
    if check_runs:
        from shapesmt.tasks.replay import compare_runs, exact

        runs = compare_runs(proto, smaller_one, a, check_runs, folder)
        answer = replace(answer, exact=exact(a))
    if output is not None:
        save_checked(smaller_one, output, proto, folder, a.judge.deadline)
    return smaller_one, replace(answer, written="" if output is None else os.fspath(output), runs=runs)


def same_file(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, if it exists."""
    return os.path.realpath(os.fsdecode(path)) == os.path.realpath(os.fsdecode(other)) and os.path.exists(path)  # noqa: PTH110 - of any name


def save_checked(
    proto: ModelProto, output: str | os.PathLike[str], original: ModelProto, folder: str | None, deadline: Deadline
) -> None:
    """Save a rewritten model if ONNX's checker and (if time is left) ONNX Runtime accept it like the original.

    Raises:
        ModelError: One of them refuses the rewritten model.
    """
    from shapesmt.tasks.replay import loading_error

    reason = complaint(proto, original) or loading_error(proto, original, folder, deadline)
    if reason:
        raise ModelError(f"cannot write {printable(os.fspath(output))}: {reason}")
    save(proto, output)


def reduce_model(
    base: Basis, target: str | None = None, region: Precondition | None = None
) -> tuple[ModelProto, Simplified]:
    """Return the smaller model in the form that the target needs, and the answer without the path of the file.

    The model's metadata say for which inputs it is meant. If it rests on the caller's ranges, they also state the
    condition of `region`, if there is one; otherwise its nodes refuse the inputs that they refused before.

    Raises:
        ModelError: The target is OpenVINO, and some size has no proven upper bound.
        UsageError: There is no such target.
    """
    targets.require(target)
    a = base.analysis
    copy, rewrites, before, _ = smaller(base.proto, a, FORMS.get(target or "", PLAIN))
    if target in targets.FITTED:
        copy = fit_to_target(copy, a, target)
    note(copy, base, region.whole if region is not None and base.trusted else "")
    nodes, verdict = (before, nodes_of(copy)), a.examination.verdict
    answer = Simplified(a.problem.graph.source, verdict, None, *nodes, a.seconds, rewrites, region)
    admissible, defaults = str(base.admissible), base.defaults
    return copy, replace(answer, admissible=admissible, defaults=defaults, trusted=base.trusted)


def fit_to_target(proto: ModelProto, a: Analysis, target: str | None) -> ModelProto:
    """Return a model in the form that the target needs.

    Raises:
        ModelError: The target is OpenVINO, and some size has no proven upper bound.
    """
    return targets.fit_model(proto, a.sizes, target, partial(inner_bounds, a), partial(earlier_bounds, a))


def note(proto: ModelProto, base: Basis, condition: str = "") -> None:
    """Write into a model's metadata for which inputs it is valid, and `condition`; earlier entries are replaced."""
    texts = {ADMISSIBLE: str(base.admissible), PRECONDITION: condition}
    kept = [entry for entry in proto.metadata_props if entry.key not in texts]
    del proto.metadata_props[:]
    proto.metadata_props.extend(kept)
    for key, text in texts.items():
        if text:
            proto.metadata_props.add(key=key, value=text)


def analyse_protobuf(
    model: ModelSource, output: str | os.PathLike[str] | None, question: Question
) -> tuple[ModelProto, Analysis]:
    """Return the protobuf of a model and its analysis; refuse an `output` for which the external data would be lost."""
    proto, _ = question.read(lambda: load_protobuf(model))
    if output is not None:
        keep_together(proto, model.path, output)
    return proto, analyse(model, question)
