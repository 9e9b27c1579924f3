"""Search: try single changes near what fails, the likeliest first, and let the checker prove what they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.diagnose import assumptions_of
from shapesmt.analysis.verify import Examination, Examined, Question, examine_problem, examine_session, pose
from shapesmt.base.errors import ShapesmtError
from shapesmt.network.declarations import Range, parse_range
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import Atom, Dim, Verdict, all_of, equal, negate
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import Keeping
from shapesmt.tasks.repair.alike import Alike, Votes
from shapesmt.tasks.repair.candidates import KINDS, Change, declared_sizes, kept_apart, padding, readers, sites
from shapesmt.tasks.repair.edit import apply_edit
from shapesmt.tasks.repair.joint import Joint
from shapesmt.tasks.repair.keeps import Keeper, Kept
from shapesmt.tasks.repair.live import outputs_by_samples
from shapesmt.tasks.repair.trial import Trials

NEAR, PER_HOP, FARTHER = 6, 0.3, 0.1
"""The edges that are near a failing node, and the costs of each of them and of each farther one."""
ENOUGH = 6
"""Proved changes after which the search ends."""
MARGIN = 2.0
"""The search ends before changes that cost so much more than the best proved one."""
LEAST = -0.5
"""The minimum cost of a change at a failing node."""
PATIENCE = 20_000
"""Nodes walked for further changes after one repairs a node, or as many as for that one, if that is more."""
NARROW = 8
"""Sizes from `lo` to less than `lo * (1 + 1 / NARROW)` are about one size, of which an input is padded to multiples."""
LEAST_TIME, PART = 8.0, 1 / 6
"""The seconds of processor time of a search: this part of the timeout, or the minimum if that is more."""
MOST_PARTIAL, FOR_PARTIAL = 6, 4.0
"""The maximum number of changes that leave findings, and the seconds of processor time in which they are examined, if
none leaves none."""
EACH = 5.0
"""Seconds of processor time for the proof of one changed model."""
NOT_ALL, FAILING, ASSUMED, FIXED, NOT_DECLARED = 2.5, 0.3, 3.0, 1.0, 1.0
"""Additional costs: if findings are left, and for each node with one; if more of the data is assumed; if a size that
depended on an input becomes constant; and for each output that isn't as declared."""


class Proved(NamedTuple):
    """A change after which the model runs, for all admissible inputs or for more than before.

    Attributes:
        graph: The changed graph.
        cost: The rank of the proposal; a lower cost means a likelier repair.
        verdict: The verdict on the changed graph.
        votes: How many similar nodes have the old and the new value.
        declared: The number of outputs with the shape that the file declares, and with another shape.
        question: The question about the changed model, without ranges of sizes that it doesn't have.
        kept: How it is known to compute what the model computed.
        mends_none: Whether the same nodes fail as before, for fewer inputs.
        mixes: Whether the samples of what looks like a batch are mixed in some output.
    """

    change: Change
    graph: Graph
    cost: float
    verdict: Verdict
    votes: Votes
    declared: tuple[int, int]
    question: Question
    kept: Kept
    mends_none: bool
    mixes: bool

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, float]:
        """The sort key: proved, known to compute the same, with samples apart, and as declared come first."""
        left, unknown = self.verdict is not Verdict.PROVED, self.kept.how is Keeping.NOT_RUN
        return left, unknown, self.mixes, self.declared[1] > 0, self.cost


class Found(NamedTuple):
    """The outcome of a search.

    Attributes:
        proved: The proved changes, the best first.
        tried: The number of changes tried.
        dropped: The number of them after which the model would run, and compute something else.
        mixing: The number of them after which it would run, and mix samples that stayed apart.
        complete: Whether the search ended before its time did.
        at: Sizes at which the model runs; () if none are known.
    """

    proved: tuple[Proved, ...]
    tried: int
    dropped: int
    mixing: int
    complete: bool
    at: tuple[Mapping[str, int], ...] = ()


def search_changes(a: Analysis, keeper: Keeper, whole: Examination) -> Found:
    """Search for single changes that repair an analysed model, until the deadline of its question.

    `keeper` drops those after which the model computes something else. `whole` is the examination of the file and of
    ONNX Runtime's default session.
    """
    if not whole.judgements:
        return Found((), 0, 0, 0, complete=True)
    search = _Search(a, keeper, whole)
    complete = search.run()
    return Found(tuple(search.ranked()), search.tried, search.dropped, search.mixing, complete, keeper.sizes)


class _Search:
    def __init__(self, a: Analysis, keeper: Keeper, whole: Examination) -> None:
        self._a, self._question, self._keeper, self._whole = a, a.question, keeper, whole
        self._clock = a.question.deadline
        self._deadline = self._clock.within(max(LEAST_TIME, PART * a.question.timeout))
        self._graph = a.problem.graph
        self._alike = Alike(self._graph)
        self._trials = Trials(replace(a, judge=Judge(self._deadline)))
        self._broken = _failing(whole)
        self._broken |= {self._graph.nodes[i].name for i in a.examination.unreachable}
        self._refused = any(j.session for j in whole.judgements)
        self._undecided = {(unjudged.op, unjudged.kind) for _, unjudged in whole.unjudged}
        self._assumed = _assumptions(a)
        self._apart = outputs_by_samples(a).get("apart", set())
        self._proved: dict[object, Proved] = {}
        self._partial: list[tuple[int, int, float, Change, Votes]] = []
        self._checked = self.tried = self.dropped = self.mixing = 0

    def ranked(self) -> list[Proved]:
        """Return the proved changes, the likeliest first; if one leaves nothing, without those that mend no node."""
        ranked = sorted(self._proved.values(), key=lambda p: p.rank)
        done = bool(ranked) and ranked[0].verdict is Verdict.PROVED
        return [p for p in ranked if not (done and p.mends_none)]

    def run(self) -> bool:
        """Try changes, the likeliest first, until enough are proved; return False if its time ends before one is."""
        self._check_joint()
        for change in kept_apart(self._a, self._whole):
            self.tried += 1
            self._check(change, change.cost, Votes())
        ended = self._try_single()
        if self._complete:
            return ended or not self._clock.expired
        self._deadline = self._clock.within(FOR_PARTIAL)
        for _, _, cost, change, votes in sorted(self._partial):
            if len(self._proved) >= MOST_PARTIAL or self._deadline.expired:
                break
            self._check(change, cost, votes)
        return ended and not self._deadline.expired

    @property
    def _complete(self) -> list[Proved]:
        """The proved changes after which no node fails, the likeliest first."""
        return [p for p in self.ranked() if p.verdict is Verdict.PROVED]

    def _try_single(self) -> bool:
        """Try changes until enough are proved; return False if the time ends first. Those that help in part wait."""
        most = inf
        for cost, change, votes in self._candidates():
            best = self._complete
            if len(best) >= ENOUGH or (best and cost > best[0].cost + MARGIN):
                return True
            walked = self._checked + self._trials.walked
            if (self._proved or self._partial) and most == inf:
                most = walked + max(PATIENCE, walked)
            if walked > most:
                return True
            if self._deadline.expired:
                return False
            self.tried += 1
            left = self._trials.left(change.edit)
            if left:
                self._partial.append((len(left), self.tried, cost, change, votes))
            elif left is not None:
                self._check(change, cost, votes)
        return not self._deadline.expired

    def _candidates(self) -> Iterator[tuple[float, Change, Votes]]:
        """Yield (cost, change, votes), roughly by rising cost; a node's changes are generated only when needed."""
        heap: list[tuple[float, int, Change, Votes]] = []
        for site in readers(self._a):
            for change in declared_sizes(site):
                if change.name in (self._question.shapes or {}) or change.new not in self._a.problem.dims:
                    continue  # the caller declares it
                heappush(heap, (change.cost, len(heap), change, Votes()))
        for change in self._paddings():
            heappush(heap, (change.cost, len(heap), change, Votes()))
        made = len(heap)
        for site in sites(self._a):
            far = PER_HOP * min(site.hops, NEAR) + FARTHER * max(site.hops - NEAR, 0)
            yield from self._pop_cheaper(heap, far + LEAST)
            for change in (change for kind in KINDS for change in kind(site)):
                votes, made = self._alike.votes(change), made + 1
                heappush(heap, (change.cost + votes.cost + far, made, change, votes))
        yield from self._pop_cheaper(heap, inf)

    def _paddings(self) -> Iterator[Change]:
        """Yield changes that pad an input to multiples, those in the ranges with which the model would be proved."""
        a, remedy = self._a, self._a.within(EACH).remedy
        ranges = {name: parse_range(text) for name, text in (remedy.dims if remedy else {}).items()}
        multiples = {name: multiple for name, r in ranges.items() if (multiple := _multiple(r)) > 1}
        rounded = {name: self._step(a.problem.dims[name], multiple) for name, multiple in multiples.items()}
        for site in readers(a) if multiples else ():
            made = (padding(site, name, multiples, rounded) for name in self._graph.inputs if name in site.node.reads)
            yield from filter(None, made)

    def _step(self, size: Dim, multiple: int) -> int:
        """Return the divisor of `multiple` to which the model rounds a size down where it runs; 1 if none is known."""
        domain, judge = self._a.examination.domain, self._a.judge.within(EACH)
        steps = (n for n in range(1, multiple // 2 + 1) if multiple % n == 0)
        return next((n for n in steps if judge.proves(domain, equal(size // n * n % multiple, 0))), 1)

    def _pop_cheaper(
        self, heap: list[tuple[float, int, Change, Votes]], most: float
    ) -> Iterator[tuple[float, Change, Votes]]:
        while heap and heap[0][0] <= most:
            cost, _, change, votes = heappop(heap)
            yield cost, change, votes

    def _check_joint(self) -> None:
        """Check the change that frees baked sizes at all places, unless it is that of a single constant."""
        joint = Joint(self._a, self._deadline)
        change = joint.change()
        self.tried += joint.tried
        if change is not None and (len(change.edit.nodes) > 1 or change.edit.before):
            self._check(change, change.cost, Votes())

    def _check(self, change: Change, cost: float, votes: Votes) -> None:
        """Examine the changed model; record the change if all nodes are proved, or if fewer fail than before."""
        graph, judge = apply_edit(self._graph, change.edit), Judge(self._deadline.within(EACH))
        self._checked += len(graph.nodes)
        try:
            problem = judge.deadline.attempt(lambda: pose(graph, self._for(graph)), None)
            if problem is None:
                return
            found = examine_problem(problem, judge, trust=False)
            if found.examination.verdict is Verdict.PROVED or self._refused:
                found = replace(found, examination=examine_session(found))
        except ShapesmtError:  # it isn't a model any more
            return
        examination, verdict = found.examination, found.examination.verdict
        if verdict is not Verdict.PROVED and not self._is_better(examination):
            return
        right, wrong = _as_declared(found)
        more = len(_assumptions(found) - self._assumed)
        failing = _failing(examination)
        cost += FIXED * self._fixes(change, examination) + FAILING * len(failing)
        cost += NOT_DECLARED * wrong + NOT_ALL * bool(failing) + ASSUMED * bool(more)
        outputs = tuple(examination.original.tensors.get(name) for name in (*change.site.node.outputs, *graph.outputs))
        key = change.site.outermost.name, change.kind, change.name, change.input, outputs
        if key in self._proved and cost >= self._proved[key].cost:
            return
        kept = self._keeper.judge(change, graph, examination)
        if kept is None:
            self.dropped += 1
            return
        mixed = outputs_by_samples(found).get("mixed", set())
        if mixed & self._apart:
            self.mixing += 1
            return
        about = (right, wrong), self._for(graph), kept, failing == self._broken, bool(mixed)
        self._proved[key] = Proved(change, graph, cost, verdict, votes, *about)

    def _fixes(self, change: Change, examination: Examination) -> bool:
        """Whether the changed node's output shapes lose a symbol, such as `[n, 4]` -> `[8, 4]`."""
        names = change.site.outermost.outputs
        before, after = (
            _symbols(t.get(name) for name in names)
            for t in (self._a.examination.original.tensors, examination.original.tensors)
        )
        return not before <= after

    def _for(self, graph: Graph) -> Question:
        """Return the question without ranges of dimensions that the changed `graph` no longer declares."""
        names = {d for declared in graph.inputs.values() for d in declared.shape or ()}
        gone = {d for i in self._graph.inputs.values() for d in i.shape or ()} - names
        dims = {name: r for name, r in (self._question.dims or {}).items() if name not in gone}
        return replace(self._question, dims=dims) if gone else self._question

    def _is_better(self, examination: Examination) -> bool:
        """Whether fewer nodes fail, and none that didn't; or the same, and the model runs for more inputs.

        What couldn't be decided before, such as a node that reads a constant of a file that isn't there, may stay so.
        """
        undecided = {(unjudged.op, unjudged.kind) for _, unjudged in examination.unjudged} - self._undecided
        if undecided or any(j.verdict is not Verdict.DEPENDS for j in examination.judgements):
            return False
        broken = _failing(examination)
        return broken < self._broken or (broken == self._broken and self._is_wider(examination))

    def _is_wider(self, examination: Examination) -> bool:
        """Whether the changed model runs wherever the model ran, and for an input for which that failed."""
        before, judge = self._whole, self._a.judge.within(EACH)
        if before.verdict is Verdict.FAILS:
            return True
        wider = examination.domain.copy()
        wider.assume(negate(all_of(*(j.condition for j in before.judgements))))
        runs = all_of(*(j.condition for j in examination.judgements))
        return judge.proves(before.domain, runs) and judge.is_inhabited(wider)


def _multiple(sizes: Range) -> int:
    """Return the number of which these sizes are multiples, or nearly; 1 if there is none.

    >>> _multiple(Range(64, 512, 16)), _multiple(Range(224, 227)), _multiple(Range(64, 512))
    (16, 224, 1)
    """
    if sizes.step > 1:
        return sizes.step if sizes.lo % sizes.step == 0 else 1
    return sizes.lo if sizes.hi is not None and NARROW * (sizes.hi - sizes.lo) < sizes.lo else 1


def _as_declared(a: Examined) -> tuple[int, int]:
    """Return the number of outputs whose sizes match the file's declarations, and of those that contradict them."""
    graph, known = a.problem.graph, {**a.problem.stated_sizes, **a.problem.dims}
    right = wrong = 0
    for name in graph.outputs:
        declared, made = graph.declared.get(name), a.examination.original.tensors.get(name)
        if declared is None or not declared.shape or made is None or made.shape is None:
            continue
        if len(made.shape) != len(declared.shape):
            wrong += 1
            continue
        stated = [
            (d if isinstance(d, int) else known[d].constant if known[d].constant is not None else known[d], size)
            for d, size in zip(declared.shape, made.shape, strict=True)
            if isinstance(d, int) or d in known
        ]
        apart = any((size.constant if isinstance(d, int) else size) != d for d, size in stated)
        right, wrong = right + (bool(stated) and not apart), wrong + apart
    return right, wrong


def _symbols(tensors: Iterable[Tensor | None]) -> set[Atom]:
    """Return the symbols in the sizes of tensors."""
    return {s for t in tensors if t is not None for d in t.shape or () for s in d.symbols}


def _failing(examination: Examination) -> set[str]:
    """Return the names of the nodes that fail for some input."""
    return {j.node.name for j in examination.judgements}


def _assumptions(a: Examined) -> set[tuple[str, str]]:
    """Return the assumptions on input data, as pairs of node and law."""
    return {(known.node, known.law) for known in assumptions_of(a)}
