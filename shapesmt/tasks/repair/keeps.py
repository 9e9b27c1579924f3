"""Keeps: whether a changed model computes what it computed at the sizes at which it ran before.

That is proved if the changed nodes are the old ones there, or tested by running both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import Examination
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import Assignment, Dim, Evaluator, Verdict, all_of, equal, negate
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import Changed, Keeping
from shapesmt.tasks.repair.candidates import Change
from shapesmt.tasks.repair.live import live, lost
from shapesmt.tasks.repair.same import Sameness
from shapesmt.tasks.repair.written import write_edit
from shapesmt.tasks.replay import MEMORY, Copies, CutError, feeds_at, sample, with_weights

if TYPE_CHECKING:
    from onnx import ModelProto

    from shapesmt.tasks.replay import Filled

SIZES = 16
"""The sizes at which both models are run."""
OTHERS = 4
"""Admissible sizes of which the changed model is run at the smallest and the largest, to see that it does."""
ACCIDENTS = 6
"""Sizes at which the model runs and an output isn't as the file declares."""
SECONDS = 1.0
"""The limit for finding sizes at which the model runs, in seconds of processor time."""
RUNS = 15.0
"""The seconds of processor time after which no further copy is run."""
SMALL = 1 << 25
"""Bytes; larger runs are left out if there are smaller ones."""


class Kept(NamedTuple):
    """How a change is known to keep what the model computes.

    Attributes:
        how: The kind of evidence.
        at: Sizes at which both were run, if that is the evidence.
        as_declared: Whether it is proved only for sizes at which each output is as the file declares.
        changed: Of the other sizes at which the model runs, some at which an output gets another shape.
    """

    how: Keeping
    at: tuple[Mapping[str, int], ...] = ()
    as_declared: bool = False
    changed: tuple[Changed, ...] = ()


class Keeper:
    """Decides whether changes keep what a model computes; `close` ends its process.

    An output that the file declares as `[batch, 10]`, and that has another first size than the input, comes from a run
    by accident, as where a baked batch fits a smaller image. There a change may give it the declared shape, which
    `Kept.changed` says. If all runs are such, none may.

    Args:
        a: The analysis of the model.
        proto: The model to run; None if it isn't an ONNX model.
        folder: The folder of its external data; None if there is none.
    """

    def __init__(self, a: Analysis, proto: ModelProto | None, folder: str | None) -> None:
        self._a, self._proto, self._folder, self._deadline = a, proto, folder, a.question.deadline
        self._live = live(a.problem.graph, a.examination.original.tensors)
        self._domain, self._accidental = _by_declaration(a)
        self._same, self._same_anywhere = Sameness(a, self._domain), Sameness(a, a.examination.domain)

    def close(self) -> None:
        """End the process that runs models, if there is one."""
        copies = self.__dict__.get("_copies")
        if copies is not None:
            copies.close()

    def judge(self, change: Change, graph: Graph, examination: Examination) -> Kept | None:
        """Return how the model changed to `graph` keeps what it computes; None if it doesn't, or doesn't run."""
        tensors = examination.original.tensors
        replaced = {change.site.node.inputs[change.input or 0]} if change.replaces else set()
        if lost(self._live, graph, tensors) - replaced or not self._same.is_admitted(change):
            return None
        if not (self._runs_nowhere or change.edit.inputs or self._is_declared(tensors)):
            return None
        whole = examination.verdict is Verdict.PROVED and not change.edit.inputs
        if self._runs_nowhere:
            return None if self._difference(change, (), whole=whole) else Kept(Keeping.NOTHING)
        anywhere = self._same_anywhere.is_proved(change, tensors)
        changed = {} if anywhere else self._changed(tensors, self._accidents)
        apart = self._accidental is not None and (changed or not self._accidents)
        proved = anywhere or (apart and self._same.is_proved(change, tensors))
        if not proved and self._changed(tensors, self._points):
            return None
        difference = self._difference(change, changed, whole=whole)
        if difference:
            return None
        how = Keeping.PROVED if proved else Keeping.NOT_RUN if difference is None else Keeping.RUN
        shown = [*changed.values()]
        at = self.sizes if how is Keeping.RUN else ()
        return Kept(how, at, proved and not anywhere, (*shown[:1], *shown[1:][-1:]))

    @cached_property
    def _runs_nowhere(self) -> bool:
        """Whether the model runs for no admissible input, whatever the data."""
        conditions = [j.condition for j in self._a.examination.judgements if j.verdict is Verdict.FAILS]
        return bool(conditions) and not any(s.by_data for c in conditions for s in c.symbols)

    @cached_property
    def _others(self) -> list[Mapping[str, Filled]]:
        """Inputs of a small and a larger admissible size, at which a changed model has to run."""
        points = self._sample(self._a.problem.domain, OTHERS)
        return [feeds_at(self._a, point, 0) for point in (points[:1] + points[-1:])]

    @property
    def sizes(self) -> tuple[Mapping[str, int], ...]:
        """Two sizes that an answer shows: at which the model ran, else at which the checker expects that it runs."""
        copies = self.__dict__.get("_copies")
        known = range(len(self._points))
        ran = [i for i in (copies.ran if copies is not None else ()) if i in known] or [*known]
        shown = dict.fromkeys(ran[:1] + ran[-1:])
        return tuple(self._a.problem.counterexample(self._points[i]).symbols for i in shown)

    @cached_property
    def _points(self) -> list[Assignment]:
        """Sizes at which the model runs, as far as the checker knows; the smallest first."""
        return [] if self._runs_nowhere else self._sample(self._domain, SIZES)

    @cached_property
    def _accidents(self) -> list[Assignment]:
        """Sizes at which the model runs and an output isn't as the file declares, if others are; the smallest first."""
        return [] if self._accidental is None or self._runs_nowhere else self._sample(self._accidental, ACCIDENTS)

    def _sample(self, domain: Domain, count: int) -> list[Assignment]:
        """Return points of a domain at which the tensors take little memory, the smallest first."""
        points = sample(domain, self._a.judge.within(SECONDS), count)
        sized = sorted((self._bytes(point), i) for i, point in enumerate(points))
        most = max(SMALL, min(2 * sized[0][0], MEMORY)) if sized else 0
        return [points[i] for size, i in sized if size <= most]

    def _bytes(self, point: Assignment) -> int:
        """Return the bytes of all tensors at these sizes, as if each element had 4."""
        at, total = Evaluator(point), 0
        for t in self._a.examination.original.tensors.values():
            n = 4
            for d in t.shape or ():
                n *= max(at.dim(d), 0) if d.symbols <= point.keys() else 1
            total += n
        return total

    def _changed(self, tensors: Mapping[str, Tensor], points: list[Assignment]) -> dict[int, Changed]:
        """Return, by the index of a point, an output that has another shape there than before."""
        before = self._a.examination.original.tensors
        pairs = [(name, before.get(name), tensors.get(name)) for name in self._a.problem.graph.outputs]
        shapes = [(name, a.shape, b.shape) for name, a, b in pairs if a is not None and b is not None]
        found: dict[int, Changed] = {}
        for index, point in enumerate(points):
            at = Evaluator(point)
            for name, a, b in shapes:
                if a is not None and b is not None and all(d.symbols <= point.keys() for d in (*a, *b)):
                    old, new = tuple(map(at.dim, a)), tuple(map(at.dim, b))
                    if old != new:
                        found[index] = Changed(self._a.problem.counterexample(point).symbols, name, old, new)
        return found

    def _is_declared(self, tensors: Mapping[str, Tensor]) -> bool:
        """Whether outputs keep the input's sizes that they have where the model runs, as a batch stays the batch."""
        before = _declared(self._a, self._a.examination.original.tensors)
        after, everywhere = _declared(self._a, tensors), self._a.problem.domain
        judge = self._a.judge.within(SECONDS)
        stated = [axis for axis, (d, size) in before.items() if judge.proves(self._domain, equal(d, size))]
        return all(axis in after and judge.proves(everywhere, equal(*after[axis])) for axis in stated)

    @cached_property
    def _copies(self) -> Copies | None:
        """The original, run at sizes at which it runs; None if it can't be run."""
        proto = None if self._proto is None else with_weights(self._proto, self._folder)
        if proto is None:
            return None
        self._proto = proto
        feeds = [feeds_at(self._a, point, seed) for seed, point in enumerate([*self._points, *self._accidents])]
        return Copies(self._deadline, RUNS, proto, self._folder, feeds)

    def _difference(self, change: Change, but: Iterable[int], *, whole: bool) -> str | None:
        """Return how a changed model differs or why it stops, "" if neither; None if that isn't known.

        At the accidents `but`, it may have other outputs. With `whole`, it has to run at other sizes too.
        """
        try:
            copies = self._copies
            if copies is None or self._proto is None:
                return None
            copy = write_edit(self._proto, self._a.problem.graph, change.edit)
            other = frozenset(len(self._points) + index for index in but)
            message = copies.compare(copy, self._others if whole else [], other)
        except CutError:
            return None
        return message if copies.ran or self._runs_nowhere or message else None


def _declared(a: Analysis, tensors: Mapping[str, Tensor]) -> dict[tuple[str, int], tuple[Dim, Dim]]:
    """Return, by output and axis, each size that the file declares by the name of an input's, and the size made."""
    found, dims = {}, a.problem.dims
    for name in a.problem.graph.outputs:
        declared, t = a.problem.graph.declared.get(name), tensors.get(name)
        stated, made = (declared.shape if declared else None) or (), (t.shape if t is not None else None) or ()
        pairs = zip(stated, made, strict=False) if len(stated) == len(made) else ()
        found.update(
            {(name, i): (dims[d], size) for i, (d, size) in enumerate(pairs) if isinstance(d, str) and d in dims}
        )
    return found


def _by_declaration(a: Analysis) -> tuple[Domain, Domain | None]:
    """Return the inputs for which the model runs and each output has the input's sizes that the file declares for it.

    The second domain has those for which it runs and an output hasn't; None if there are none, or if all are such: then
    the first one has them.
    """
    every, judge = a.examination.domain, a.judge.within(SECONDS)
    stated = all_of(*(equal(d, size) for d, size in _declared(a, a.examination.original.tensors).values()))
    if judge.proves(every, stated):
        return every, None
    kept, accidental = every.copy(), every.copy()
    kept.assume(stated)
    accidental.assume(negate(stated))
    return (kept, accidental) if judge.is_inhabited(kept) else (every, None)
