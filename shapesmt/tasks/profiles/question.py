"""The question `profile`: the sizes of every input at which a compiler is to build, as text for that compiler."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from shapesmt.analysis.analysis import analyse
from shapesmt.analysis.verify import TIMEOUT, Question
from shapesmt.base.errors import one_frame
from shapesmt.frontends import Model
from shapesmt.network.declarations import RangeLike, ShapeLike, ValueLike
from shapesmt.prover.algebra import Verdict, one_call
from shapesmt.reports.answers import Profile
from shapesmt.reports.export.profiles import INTERVALS, ONE_BOX, export_profile, joined, require_target
from shapesmt.tasks.profiles.view import View


@one_frame
def profile(
    model: Model,
    target: str = "json",
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    opt: Mapping[str, int] | None = None,
    profiles: int = 1,
    inner: Iterable[str] = (),
    valid_only: bool = False,
    hull: bool = False,
    session: str = "default",
    timeout: float = TIMEOUT,
) -> Profile:
    """Find the minimum, usual and maximum size of every input, and write them for a compiler: "trtexec", "tvm", ...

    The three points are inputs for which the model runs. `opt` gives sizes of the usual point; other sizes are in the
    middle. `profiles` is the number of boxes that cover the valid inputs. `inner` names intermediate tensors whose
    sizes are needed too. If the model fails for some admissible input, nothing is written unless `valid_only`. A format
    that holds one box then gets one in which no admissible input fails; with `hull`, the one around all valid inputs,
    and the conditions that tell them from the others inside.

    Raises:
        UsageError: A size that the compiler needs is unbounded, `opt` gives sizes that no valid input has, or the
            format holds several boxes and so has no `hull`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]> g (float[n, 4] x) => (float[n, 4] y) { y = Abs(x) }'''
    >>> print(profile(model, "trtexec", dims={"n": "1..9"}).content)
    --minShapes=x:1x4 --optShapes=x:3x4 --maxShapes=x:9x4
    """
    question = Question(dims, shapes, values, assume, timeout, session=session)
    about: dict[str, Any] = {"opt": opt, "profiles": profiles, "inner": inner, "valid_only": valid_only, "hull": hull}
    return answer_profile(model, target, question, **about)


@one_call()
def answer_profile(
    model: Model,
    target: str,
    question: Question,
    *,
    opt: Mapping[str, int] | None = None,
    profiles: int = 1,
    inner: Iterable[str] = (),
    valid_only: bool = False,
    hull: bool = False,
) -> Profile:
    """Return the answer of `profile` to a question."""
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
    answer = Profile(*about, seconds=a.seconds, whole=whole, beyond=beyond, hull=hull)
    return dataclasses.replace(answer, content=export_profile(answer, target))
