"""The question `profile`: the sizes of every input at which a compiler is to build, as text for that compiler."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from shapesmt.algebra import (
    TRUE,
    ZERO,
    Assignment,
    Dim,
    Formula,
    Verdict,
    all_of,
    at_least,
    at_most,
    equal,
    evaluate,
    name_text,
    one_call,
    step_of,
)
from shapesmt.diagnose import find_remedy, precondition
from shapesmt.errors import UsageError, printable
from shapesmt.examine import TIMEOUT, Analysis, Question, analyse
from shapesmt.export.profiles import INTERVALS, export_profile, require_target
from shapesmt.frontends import Model
from shapesmt.language import RangeLike, ShapeLike, ValueLike, quote, unknown_name
from shapesmt.lazy import np
from shapesmt.presolve import Domain
from shapesmt.profiles.points import Points, split
from shapesmt.region import Conjunct
from shapesmt.render import shell
from shapesmt.report import POINTS, Box, Profile, ProfileSize, TensorProfile
from shapesmt.rules import Tensor


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
    session: str = "default",
    timeout: float = TIMEOUT,
) -> Profile:
    """Find the minimum, usual and maximum size of every input, and write them for a compiler: "trtexec", "tvm", ...

    The three points are inputs for which the model runs. `opt` gives sizes of the usual point; other sizes are in the
    middle. `profiles` is the number of boxes that cover the valid inputs. `inner` names intermediate tensors whose
    sizes are needed too. If the model fails for some admissible input, nothing is written unless `valid_only`.

    Raises:
        UsageError: A size that the compiler needs is unbounded, or `opt` gives sizes that no valid input has.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]> g (float[n, 4] x) => (float[n, 4] y) { y = Abs(x) }'''
    >>> print(profile(model, "trtexec", dims={"n": "1..9"}).content)
    --minShapes=x:1x4 --optShapes=x:3x4 --maxShapes=x:9x4
    """
    question = Question(dims, shapes, values, assume, timeout, session=session)
    return answer_profile(model, target, question, opt=opt, profiles=profiles, inner=inner, valid_only=valid_only)


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
) -> Profile:
    """Return the answer of `profile` to a question."""
    require_target(target)
    a = analyse(model, question)
    source, verdict, stages = a.problem.graph.source, a.examination.verdict, (a.problem, a.examination, a.judge)
    region = precondition(*stages)
    if verdict is Verdict.FAILS or (verdict is Verdict.DEPENDS and not valid_only):
        return Profile(source, verdict, target=target, remedy=find_remedy(*stages, region), seconds=a.seconds)
    view = _View(a)
    boxes = a.judge.deadline.require(lambda: view.boxes(profiles, opt or {}, tuple(inner)), "no profile is found")
    conditions = region.conjuncts if verdict is Verdict.DEPENDS and region is not None else ()
    whole = boxes
    if target in INTERVALS:
        whole = tuple([box.widened() for box in boxes])
        boxes = tuple([dataclasses.replace(box, left_out=None) for box in boxes])
    answer = Profile(source, verdict, whole, view.conditions_to_state(conditions, whole), target, seconds=a.seconds)
    return dataclasses.replace(answer, boxes=boxes, content=export_profile(answer, target))


class _View:
    """The valid inputs of an analysis, with the sizes of every input over them."""

    def __init__(self, a: Analysis) -> None:
        self._a = a
        problem, narrowing = a.problem, a.examination.narrowing
        self._domain = a.examination.narrowed
        self._dims = dict(zip(problem.dims, narrowing.narrow_sizes(problem.dims.values()), strict=True))
        self._inputs = {name: narrowing.tensor(t) for name, t in problem.inputs.items()}
        for name, t in self._inputs.items():
            if not t.is_tensor or t.shape is None:
                how = f"--shape {shell(printable(name, 60))}=[...]"
                raise UsageError(f"a profile needs the rank of input {quote(name)}: give {how}")
        small = {name: s for name, s in problem.small.items() if not self._dims.keys().isdisjoint(s.names)}
        self._elements = {name: [self._dims.get(n, ZERO) for n in s.names] for name, s in small.items()}
        sizes = [*self._dims.values(), *(d for t in self._inputs.values() for d in t.dims)]
        self._sizes = [d for d in dict.fromkeys(sizes) if d.constant is None]

    def boxes(self, number: int, opt: Mapping[str, int], inner: Sequence[str]) -> tuple[Box, ...]:
        """Return at most `number` boxes that cover the valid inputs.

        `opt` has the usual sizes by dimension; `inner` names intermediate tensors whose sizes are added.
        """
        tensors = self._a.examination.inference.tensors
        for name in opt:
            if name not in self._dims:
                raise unknown_name("dimension", name, self._dims, self._a.problem.graph.source)
        for name in inner:
            if name not in tensors:
                raise unknown_name("tensor", name, tensors, self._a.problem.graph.source)
            if not tensors[name].is_tensor or tensors[name].shape is None:
                raise UsageError(f"tensor {quote(name)} has no one rank, which a profile needs")
        parts = split(self._domain, self._sizes, self._a.judge, number)
        wanted = [equal(self._dims[name], value) for name, value in opt.items()]
        having = [part for part in parts if not wanted or part.valid(wanted) is not None]
        if not having:
            said = ", ".join(f"{name}={value}" for name, value in opt.items())
            raise UsageError(f"no valid input has {said}, which opt gives")
        return tuple([self._box(part, wanted if part in having else (), inner) for part in parts])

    def _box(self, part: Points, wanted: Sequence[Formula], inner: Sequence[str]) -> Box:
        three = part.three(wanted)
        rows = three.least, three.usual, three.greatest, part.lows, part.highs
        points = [dict(zip(part.sizes, row, strict=True)) for row in rows]
        tensors = {name: self._a.examination.inference.tensors[name] for name in inner}
        outside = three.left_out
        left_out = None if outside is None else {n: int(evaluate(d, outside)) for n, d in self._dims.items()}
        return Box(
            {name: _tensor(t.dims, points, t.dtype, self._profile_sizes(name, t)) for name, t in self._inputs.items()},
            {name: _tensor(dims, points, self._inputs[name].dtype) for name, dims in self._elements.items()},
            {name: self._inner(t, part.domain, points) for name, t in tensors.items()},
            {name: _tensor([d], points) for name, d in self._dims.items()},
            {name: self._step(d) for name, d in self._dims.items() if d.constant is None},
            tuple([point for point, values in zip(POINTS, three.inputs, strict=True) if self._runs_at(values)]),
            left_out,
        )

    def _profile_sizes(self, name: str, t: Tensor) -> tuple[ProfileSize, ...]:
        """Return each size of an input with its declaration in the file and its formula."""
        file = self._a.problem.graph.inputs[name].shape or [None] * len(t.dims)
        return tuple([_size(d, axis) for d, axis in zip(t.dims, file, strict=True)])

    def _step(self, d: Dim) -> int:
        """Return a step that divides the distance between any two valid values of a dimension."""
        s = d.as_symbol()
        listed = None if s is None else self._domain.value_list(s)
        return step_of(d) if listed is None or len(listed) < 2 else int(np.gcd.reduce(np.diff(listed)))

    def _inner(self, t: Tensor, domain: Domain, points: Sequence[Mapping[Dim, int | None]]) -> TensorProfile:
        """Return the minimum and maximum sizes of an intermediate tensor in the box, and those at the usual point."""
        inside, usual = domain.copy(), domain.copy()
        least, middle, greatest, *_ = points
        for d in least:
            low, high = least[d], greatest[d]
            inside.assume(all_of(at_least(d, low or 0), TRUE if high is None else at_most(d, high)))
            usual.assume(equal(d, middle[d] or 0))
        ends = [self._a.judge.extent(inside, d) for d in t.dims]
        most = [self._a.judge.extent(usual, d)[1].value for d in t.dims]
        return TensorProfile(
            tuple([low.value or 0 for low, _ in ends]), tuple(most), tuple([high.value for _, high in ends]), t.dtype,
            tuple([_size(d, None) for d in t.dims]),
        )  # fmt: skip

    def _runs_at(self, values: Assignment | None) -> bool:
        """Whether the model is proven to run for an input; checks the model at this input if that is undecided."""
        if values is None:
            return True
        e = self._a.examination
        if e.decided and not any(s.universal for j in e.judgements for s in j.condition.symbols):
            return True
        shapes = {name: [int(evaluate(d, values)) for d in t.dims] for name, t in self._inputs.items()}
        names = [n for s in self._a.problem.small.values() for n in s.names if n in self._dims]
        elements = {n: int(evaluate(self._dims[n], values)) for n in names}
        floats = {name: s.numbers[0] for name, s in self._a.problem.small.items() if s.numbers}
        at = Question(shapes=shapes, values={**floats, **elements}, timeout=self._a.judge.deadline.remaining)
        return analyse(self._a.problem.graph, at).examination.verdict is Verdict.PROVED

    def conditions_to_state(self, conditions: Sequence[Conjunct], boxes: Sequence[Box]) -> tuple[str, ...]:
        """Return the user's assumptions, steps such as `n % 8 == 0`, and the conditions not proven for all boxes."""
        problem = self._a.problem
        steps = [f"{name_text(n)} % {r.step} == {r.min % r.step}" for n, r in problem.ranges.items() if r.step > 1]
        narrower = [str(c) for c in conditions if not all(self._holds_in_box(c.formula, box) for box in boxes)]
        return tuple(dict.fromkeys([*problem.assumptions, *steps, *narrower]))

    def _holds_in_box(self, condition: Formula, box: Box) -> bool:
        """Whether a condition holds for all sizes inside a box."""
        everything = Domain(self._a.problem.domain.symbols)
        for name, ends in box.symbols.items():
            d, low, high = self._a.problem.dims[name], ends.min[0], ends.max[0]
            if d.as_symbol() is not None:
                everything.assume(all_of(at_least(d, low or 0), TRUE if high is None else at_most(d, high)))
        return self._a.judge.proves(everything, condition)


def _tensor(
    dims: Iterable[Dim],
    points: Sequence[Mapping[Dim, int | None]],
    dtype: str = "",
    sizes: tuple[ProfileSize, ...] = (),
) -> TensorProfile:
    """Return a tensor's sizes at the minimum, usual and maximum point, with each size's lower and upper bound.

    `points` maps sizes to values: one mapping for each point, then one for the lower and one for the upper bounds.
    """
    dims = tuple(dims)
    rows = [tuple([d.constant if d.constant is not None else p[d] for d in dims]) for p in points]
    least, usual, greatest, *ends = rows
    return TensorProfile(least, usual, greatest, dtype, sizes, tuple(zip(*ends, strict=True)))


def _size(dim: Dim, axis: object) -> ProfileSize:
    """Return a size with its formula; `axis` is its number or name in the file.

    If the formula is a multiple of one symbol plus a constant, the result has the factor and the offset too.
    """
    name = axis if isinstance(axis, str) else ""
    one = next(iter(dim.symbols)) if len(dim.symbols) == 1 else None
    terms = [(atoms, factor) for atoms, factor in dim.terms if atoms]
    if one is None or [atoms for atoms, _ in terms] != [(one.number,)]:
        return ProfileSize(str(dim), isinstance(axis, int), name)
    ((_, factor),) = terms
    offset = int(evaluate(dim, {one: 0}))
    return ProfileSize(str(dim), isinstance(axis, int), name, one.name, factor, offset)
