"""View: the valid inputs of an analysis, with the sizes of every input over them, and the boxes that cover them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import UsageError, printable
from shapesmt.base.lazy import np
from shapesmt.network.declarations import quote, unknown_name
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import (
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
    negate,
    step_of,
)
from shapesmt.prover.presolve import Domain
from shapesmt.prover.regions import Conjunct
from shapesmt.reports.answers import POINTS, Box, ProfileSize, TensorProfile
from shapesmt.reports.export.profiles import INTERVALS, ONE_BOX
from shapesmt.reports.render import shell
from shapesmt.tasks.profiles.inside import End, Frame, Growth, facts_of
from shapesmt.tasks.profiles.points import Points, split


class View:
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

    def wanted(self, opt: Mapping[str, int]) -> list[Formula]:
        """Return the conditions that dimensions have the sizes in `opt`.

        Raises:
            UsageError: There is no such dimension, or no valid input has these sizes.
        """
        for name in opt:
            if name not in self._dims:
                raise unknown_name("dimension", name, self._dims, self._a.problem.graph.source)
        wanted = [equal(self._dims[name], value) for name, value in opt.items()]
        if wanted and Points(self._domain, self._sizes, self._a.judge).valid(wanted) is None:
            said = ", ".join(f"{name}={value}" for name, value in opt.items())
            raise UsageError(f"no valid input has {said}, which opt gives")
        return wanted

    def known(self, inner: Iterable[str]) -> tuple[str, ...]:
        """Return the names of intermediate tensors whose sizes are asked for.

        Raises:
            UsageError: There is no such tensor, or its rank isn't known.
        """
        tensors, inner = self._a.examination.inference.tensors, tuple(inner)
        for name in inner:
            if name not in tensors:
                raise unknown_name("tensor", name, tensors, self._a.problem.graph.source)
            if not tensors[name].is_tensor or tensors[name].shape is None:
                raise UsageError(f"tensor {quote(name)} has no one rank, which a profile needs")
        return inner

    def boxes(self, number: int, wanted: Sequence[Formula], inner: Sequence[str]) -> tuple[Box, ...]:
        """Return at most `number` boxes that cover the valid inputs.

        The usual sizes are `wanted` where a box has them; `inner` names intermediate tensors whose sizes are added.
        """
        parts = split(self._domain, self._sizes, self._a.judge, number)
        having = [part for part in parts if not wanted or part.valid(wanted) is not None]
        return tuple([self._box(part, wanted if part in having else (), inner) for part in parts])

    def inside(
        self, target: str, boxes: Sequence[Box], around: Box, wanted: Sequence[Formula], inner: Sequence[str]
    ) -> tuple[Box, tuple[str, ...]]:
        """Return a box in which no admissible input fails, as a format states it.

        The second result are the conditions on sizes and elements that the format can't state. `around` is a box with
        all valid inputs, and `boxes` are several that cover them.
        """
        frames, growth = self._growth(target, around)
        whole, narrow = Points(self._domain, self._sizes, self._a.judge), self._a.examination.narrowing.narrow_sizes
        sizes, usual = narrow(frames), whole.three(wanted).inputs[1]
        ends = growth.box([int(evaluate(d, usual)) for d in sizes])
        facts = facts_of(sizes, frames.values(), ends)
        box = self._box(Points(self._within(facts), self._sizes, self._a.judge), wanted, inner)
        listed = [self._at(box, point) for box in boxes for point in POINTS] if target == "coreml" else []
        outside = whole.valid([negate(f) for f in (all_of(*facts), *listed)])
        box = dataclasses.replace(box.widened() if target in INTERVALS else box, left_out=self._named(outside))
        names = {d: name_text(name) for name, d in self._a.problem.dims.items()}
        stated, told = self._stated(target, around), zip(frames, ends, growth.whole, strict=True)
        return box, tuple([_between(names[d], end) for d, end, every in told if d not in stated and end != every])

    def all_run(self, target: str, box: Box) -> bool:
        """Whether no admissible input inside a box fails, as a format states the box."""
        (frames, growth), stated = self._growth(target, box), self._stated(target, box)
        return growth.holds([stated[d][1] if d in stated else e for d, e in zip(frames, growth.whole, strict=True)])

    def _growth(self, target: str, box: Box) -> tuple[dict[Dim, Frame], Growth]:
        """Return the sizes that decide, each with the way in which a format states its range, and their boxes."""
        e, problem = self._a.examination, self._a.problem
        frames = {d: Frame() for d in problem.dims.values() if d.constant is None}
        frames |= {d: frame for d, (frame, _) in self._stated(target, box).items()}
        condition = all_of(*(j.condition for j in e.judgements if j.verdict is Verdict.DEPENDS))
        return frames, Growth(self._a.admissible(), condition, frames, self._a.judge)

    def _at(self, box: Box, point: str) -> Formula:
        """Return the condition that an input is a point of a box."""
        return all_of(*(equal(d, box.symbols[name].at(point)[0] or 0) for name, d in self._dims.items()))

    def _within(self, facts: Sequence[Formula]) -> Domain:
        """Return the valid inputs that satisfy more facts."""
        within = self._domain.copy()
        within.assume(all_of(*facts))
        return within

    def _named(self, values: Assignment | None) -> dict[str, int] | None:
        """Return the size of each dimension for an input."""
        return None if values is None else {n: int(evaluate(d, values)) for n, d in self._dims.items()}

    def _stated(self, target: str, box: Box) -> dict[Dim, tuple[Frame, End]]:
        """Return the sizes whose ranges a format states, the way it does, and their bounds in a box."""
        problem, stated = self._a.problem, dict[Dim, tuple[Frame, End]]()
        frame = Frame(lower=target != "stablehlo", open_lower=target not in ("stablehlo", "ovms"))
        for name, t in problem.inputs.items():
            file, own = problem.graph.inputs[name].shape or [None] * len(t.dims), box.inputs[name]
            for d, axis, size, low, high in zip(t.dims, file, own.sizes, own.min, own.max, strict=True):
                if target == "torch-export" and size.factor >= 1 and size.symbol in problem.dims:
                    ends = box.symbols[size.symbol]
                    step = Frame(step=box.steps.get(size.symbol, 1))
                    stated[problem.dims[size.symbol]] = step, (ends.min[0] or 0, ends.max[0])
                elif target != "tvm" or (isinstance(axis, str) and axis.isidentifier()):
                    stated[d] = frame, (low or 0, high)
        for name, values in box.values.items() if target == "torch-trt" else ():
            dims = [problem.dims.get(element, ZERO) for element in problem.small[name].names]
            stated |= {d: (frame, (low or 0, high)) for d, low, high in zip(dims, values.min, values.max, strict=True)}
        return {d: how for d, how in stated.items() if d.constant is None}

    def _box(self, part: Points, wanted: Sequence[Formula], inner: Sequence[str]) -> Box:
        three = part.three(wanted)
        rows = three.least, three.usual, three.greatest, part.lows, part.highs
        points = [dict(zip(part.sizes, row, strict=True)) for row in rows]
        tensors = {name: self._a.examination.inference.tensors[name] for name in inner}
        return Box(
            {name: _tensor(t.dims, points, t.dtype, self._profile_sizes(name, t)) for name, t in self._inputs.items()},
            {name: _tensor(dims, points, self._inputs[name].dtype) for name, dims in self._elements.items()},
            {name: self._inner(t, part.domain, points) for name, t in tensors.items()},
            {name: _tensor([d], points) for name, d in self._dims.items()},
            {name: self._step(d) for name, d in self._dims.items() if d.constant is None},
            tuple([point for point, values in zip(POINTS, three.inputs, strict=True) if self._runs_at(values)]),
            self._named(three.left_out),
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

    def conditions_to_state(
        self, conditions: Sequence[Conjunct], boxes: Sequence[Box], target: str = ""
    ) -> tuple[str, ...]:
        """Return the user's assumptions, steps such as `n % 8 == 0`, and the conditions not proven for all boxes."""
        problem = self._a.problem
        steps = [f"{name_text(n)} % {r.step} == {r.min % r.step}" for n, r in problem.ranges.items() if r.step > 1]
        narrower = [text for box in boxes for text in self.not_held(conditions, box, target)]
        return tuple(dict.fromkeys([*problem.assumptions, *steps, *narrower]))

    def not_held(self, conditions: Sequence[Conjunct], box: Box, target: str = "") -> tuple[str, ...]:
        """Return the conditions that aren't proven for all sizes inside a box, as texts.

        With a `target` that holds one box, the inside is what that format states of it.
        """
        everything, dims = Domain(self._a.problem.domain.symbols), self._a.problem.dims
        if target in ONE_BOX:
            stated = self._stated(target, box)
            facts = facts_of(stated, [frame for frame, _ in stated.values()], [end for _, end in stated.values()])
        else:
            ends = [
                (dims[n], t.min[0] or 0, t.max[0]) for n, t in box.symbols.items() if dims[n].as_symbol() is not None
            ]
            facts = facts_of([d for d, *_ in ends], [Frame()] * len(ends), [(low, high) for _, low, high in ends])
        everything.assume(all_of(*facts))
        return tuple([str(c) for c in conditions if not self._a.judge.proves(everything, c.formula)])


def _between(name: str, end: End) -> str:
    """Return that a size lies within its bounds, as text.

    >>> _between("k", (1, 8)), _between("k", (4, 4)), _between("k", (2, None))
    ('1 <= k <= 8', 'k == 4', 'k >= 2')
    """
    low, high = end
    if high is None:
        return f"{name} >= {low}"
    return f"{name} == {low}" if low == high else f"{low} <= {name} <= {high}"


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
