"""The question `profile`: the sizes of every input at which a compiler is to build, as text for that compiler."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import Question
from shapesmt.frontends import Model
from shapesmt.prover.algebra import Verdict, one_call
from shapesmt.reports.answers import Profile
from shapesmt.reports.export.profiles import (
    INTERVALS,
    ONE_BOX,
    export_profile,
    is_batched,
    joined,
    require_target,
)
from shapesmt.tasks.profiles.view import View


@one_call()
def find_profile(
    model: Model,
    question: Question,
    target: str,
    *,
    opt: Mapping[str, int] | None = None,
    profiles: int = 1,
    inner: Iterable[str] = (),
    valid_only: bool = False,
    hull: bool = False,
) -> Profile:
    """Return the sizes at which a compiler is to build, in the words of `target`: see `shapesmt.profile`.

    Raises:
        UsageError: A size that the compiler needs is unbounded, `opt` gives sizes that no valid input has, or the
            format holds several boxes and so has no `hull`.
    """
    require_target(target, hull=hull)
    a = analyse(model, question)
    source, verdict, region = a.problem.graph.source, a.examination.verdict, a.region
    if verdict is Verdict.FAILS or (verdict is Verdict.DEPENDS and not valid_only):
        return Profile(source, verdict, target=target, remedy=a.remedy, seconds=a.seconds)
    view = View(a)
    wanted, inner = view.wanted(opt or {}), view.known(inner)
    boxes = a.judge.deadline.require(lambda: view.boxes(profiles, wanted, inner), "no profile is found")
    conditions = region.conjuncts if verdict is Verdict.DEPENDS and region is not None else ()
    whole, more, beyond = None, tuple[str, ...](), tuple[str, ...]()
    if target in ONE_BOX:
        whole = joined([box.widened() for box in boxes] if target in INTERVALS else boxes)
        conditions = () if view.all_run(target, whole) else conditions
        boxes = tuple([dataclasses.replace(box, left_out=None) for box in boxes]) if target in INTERVALS else boxes
        if conditions and not hull:
            beyond = view.conditions_to_state(conditions, [whole], target)
            (whole, more), conditions = view.inside(target, boxes, whole, wanted, inner), ()
            boxes = boxes if target == "coreml" else (dataclasses.replace(whole, left_out=None),)
    assume = (*view.conditions_to_state(conditions, boxes if whole is None else [whole], target), *more)
    boxes = tuple([dataclasses.replace(box, assume=view.not_held(conditions, box)) for box in boxes])
    about = source, verdict, boxes, assume, target
    unbatched = _unbatched(a) if target == "triton" and is_batched(boxes[0]) else ()
    answer = Profile(*about, seconds=a.seconds, whole=whole, beyond=beyond, hull=hull, unbatched=unbatched)
    return dataclasses.replace(answer, content=export_profile(answer, target))


def _unbatched(a: Analysis) -> tuple[str, ...]:
    """Return the outputs that aren't proved to have the samples of a batch, one by one, along their first axis."""
    from shapesmt.analysis.samples import samples_of  # one format needs it

    batch, outputs = a.problem.batch, a.problem.graph.outputs
    samples = None if batch is None else a.judge.deadline.attempt(lambda: samples_of(a, batch), None)
    told = None if samples is None else a.judge.deadline.attempt(samples.answer, None)
    if told is None:
        return tuple(outputs)
    return tuple([name for name, o in told.outputs.items() if (o.axis, o.outer, o.inner) != (0, "1", "1")])
