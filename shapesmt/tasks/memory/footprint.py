"""Footprint: the maximum memory and its node, the inputs within a budget, and tensors too large for 32-bit indices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from itertools import takewhile
from math import inf

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import UsageError, printable
from shapesmt.base.frozen import frozen
from shapesmt.frontends import Model
from shapesmt.network.declarations import quote, unknown_name
from shapesmt.prover.algebra import Assignment, Dim, Kind, all_of, equal, evaluate, one_call, total
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import Budget, Chart, Greatest, GreatestAt, HeldTensor, IndexLimit, Memory, Peak, PeakAt
from shapesmt.tasks.memory.charts import make_charts
from shapesmt.tasks.memory.fits import Fit, fit_limit, highest
from shapesmt.tasks.memory.lifetimes import Mode
from shapesmt.tasks.memory.points import Point, Points, counts
from shapesmt.tasks.memory.sizes import bytes_of, weights_of
from shapesmt.tasks.memory.worst import Summit, drop_dominated, size_key, summit

INDICES = 2**31 - 1
"""Maximum number of elements that signed 32-bit indices count."""


@frozen()
class Wanted:
    """The parts of an answer that are wanted in addition to the worst case.

    Attributes:
        mode: The tensors that share a buffer: "live", "alias" or "inplace".
        budget: The bytes that activations may take; None for no budget.
        greatest: The dimension whose maximum within the budget is wanted; None for none.
        at: Sizes at which the bytes are wanted; the other sizes are the worst ones.
        charts: Whether charts of the bytes over the ranges are wanted.
    """

    mode: str = Mode.LIVE.value
    budget: str | int | None = None
    greatest: str | None = None
    at: Mapping[str, int] = field(default_factory=dict)
    charts: bool = False

    def __post_init__(self) -> None:
        if self.greatest is not None and self.budget is None:
            raise UsageError("the greatest value that fits needs a budget")
        if self.greatest in self.at:
            raise UsageError(f"{self.greatest} can't have a value and be asked for")
        for name, size in self.at.items():
            if type(size) is not int:
                raise UsageError(f"the size of {printable(name)} is {printable(repr(size))}, which is no integer")
        if self.mode not in {mode.value for mode in Mode}:
            words = ", ".join(mode.value for mode in Mode)
            raise UsageError(f"mode is one of {words}, not {printable(repr(self.mode))}")


def measure_footprint(a: Analysis, wanted: Wanted) -> Memory:
    """Return the bytes of a model's activations over the inputs for which it runs."""
    limit = None if wanted.budget is None else parse_amount(wanted.budget)
    problem, examination = a.problem, a.examination
    for name in (*wanted.at, *filter(None, [wanted.greatest])):
        if name not in problem.dims:
            raise unknown_name("dimension", name, problem.dims, problem.graph.source)
    about = problem.ranges, problem.assumptions, examination.verdict
    weights = weights_of(problem.graph)
    answer = Memory(problem.graph.source, wanted.mode, None, None, weights, (), None, None, None, None, (), *about)
    if examination.fails or not a.judge.satisfiable(examination.domain):
        return replace(answer, seconds=a.seconds)
    every = Points(problem.graph, examination.inference, Mode(wanted.mode), a.judge.deadline)
    measured = _Measured(a, drop_dominated(every), tuple(dict.fromkeys(every.unknown)))
    worst = measured.worst(measured.everywhere)
    given = measured.with_sizes(wanted.at)
    answer = replace(
        answer,
        worst=measured.peak(worst, measured.everywhere),
        inputs=measured.inputs(worst),
        tensors=measured.tensors(worst),
        at=PeakAt(dict(wanted.at), measured.peak(measured.worst(given), given)) if wanted.at else None,
        indices=measured.indices(),
        unknown=measured.unknown,
        charts=measured.charts(worst) if wanted.charts else (),
    )
    if limit is not None:
        fit = measured.fits(limit)
        greatest = None if wanted.greatest is None else measured.greatest(wanted.greatest, fit, given)
        answer = replace(answer, budget=Budget(limit, fit.text, fit.exact), max=greatest)
    return replace(answer, seconds=a.seconds)


@frozen()
class _Measured:
    """The points of a model that can hold the most bytes, over the inputs for which it runs."""

    analysis: Analysis
    points: list[Point]
    unknown: tuple[str, ...]

    @property
    def everywhere(self) -> Domain:
        """The inputs for which the model runs."""
        return self.analysis.examination.narrowed

    def worst(self, domain: Domain) -> Summit | None:
        """Return the point that holds the most bytes in a domain; None for a model without nodes."""
        return summit(self.points, domain, self.analysis.examination, self.analysis.judge)

    def peak(self, worst: Summit | None, domain: Domain) -> Peak:
        """Return the `Peak` for the worst point over a domain."""
        if worst is None:
            return Peak(0, not self.unknown, {}, "", "", "0")
        exact, point = worst.exact and not self.unknown, worst.point
        witness = None if worst.value is None else self.names(self.analysis.judge.complete(domain, worst.witness))
        endless = self.endless(point) if worst.value is None else ()
        return Peak(worst.value, exact, witness, point.node, point.op, str(point.bytes), endless)

    def endless(self, point: Point) -> tuple[str, ...]:
        """Return the unbounded sizes on which a point depends."""
        tied = self.everywhere.closure(point.bytes.symbols | point.runs.symbols)[0]
        return tuple(s.name for s in tied if s.kind in (Kind.INPUT, Kind.VALUE) and self.everywhere.ends(s)[1] == inf)

    def tensors(self, worst: Summit | None) -> tuple[HeldTensor, ...]:
        """Return the tensors that are held at the worst point, the largest first."""
        if worst is None:
            return ()
        held = worst.point.tensors
        values = self.values(worst.witness) if worst.value is not None else None
        rows = [HeldTensor(n, None if values is None else int(evaluate(d, values)), str(d)) for n, d in held]
        order = sorted(zip(held, rows, strict=True), key=lambda pair: (-(pair[1].bytes or 0), *size_key(pair[0][1])))
        return tuple(row for _, row in order)

    def charts(self, worst: Summit | None) -> tuple[Chart, ...]:
        """Return charts of the bytes over the ranges; the other dimensions are as at the worst point, or minimal."""
        fixed = self.values({} if worst is None or worst.value is None else worst.witness)
        dims = {name: self.dim(name) for name in self.analysis.problem.dims}
        return () if fixed is None else make_charts(self.points, self.everywhere, dims, fixed)

    def inputs(self, worst: Summit | None) -> int | None:
        """Return the bytes of the inputs at the worst point; None if they are unknown."""
        witness: Assignment | None = {} if worst is None else worst.witness if worst.value is not None else None
        values, sizes = self.values(witness), [bytes_of(t) for t in self.analysis.problem.inputs.values()]
        known = [size for size in sizes if size is not None]
        if values is None or len(known) < len(sizes):
            return None
        return int(evaluate(total(self.analysis.examination.narrowing.narrow_sizes(known)), values))

    def with_sizes(self, sizes: Mapping[str, int]) -> Domain:
        """Return the inputs with these sizes; raise UsageError if there is no valid one."""
        domain = self.everywhere.copy()
        for name, value in sizes.items():
            domain.assume(equal(self.dim(name), value))
        if not self.analysis.judge.satisfiable(domain):
            shown = ", ".join(f"{name}={value}" for name, value in sizes.items())
            raise UsageError(f"no input with {shown} is valid")
        return domain

    def dim(self, name: str) -> Dim:
        """Return a declared dimension over the symbols of the inputs for which the model runs."""
        (dim,) = self.analysis.examination.narrowing.narrow_sizes([self.analysis.problem.dims[name]])
        return dim

    def values(self, witness: Assignment | None) -> Assignment | None:
        """Complete a witness by values for all other sizes; None if there is no witness."""
        return self.analysis.judge.complete(self.everywhere, witness)

    def names(self, witness: Assignment | None) -> dict[str, int] | None:
        """Return a witness by the names of the declared dimensions; None if there is none."""
        values = self.values(witness)
        if values is None:
            return None
        return {name: int(evaluate(self.dim(name), values)) for name in self.analysis.problem.dims}

    def fits(self, limit: int) -> Fit:
        """Return the inputs whose activations fit into `limit` bytes."""
        fit = fit_limit(self.points, limit, self.everywhere, self.analysis.judge)
        return fit._replace(exact=fit.exact and self.analysis.examination.decided and not self.unknown)

    def greatest(self, name: str, fit: Fit, domain: Domain) -> Greatest:
        """Return the maximum of a dimension within a budget, among the inputs of a domain."""
        end = highest(self.dim(name), fit, domain, self.analysis.judge)
        followed = fit.exact and not fit.universal
        if end is None:
            return Greatest(name, None, not self.unknown, None)
        if end.value is None:
            return Greatest(name, None, end.proven and followed, None, endless=True)
        witness = self.names(end.witness)
        largest = self.analysis.judge.deadline.attempt(lambda: self._at_largest(name, fit, domain, witness or {}), None)
        return Greatest(name, end.value, end.proven and followed, witness, largest=largest)

    def _at_largest(self, name: str, fit: Fit, domain: Domain, witness: Mapping[str, int]) -> GreatestAt | None:
        """Return the maximum of a dimension where all others that decide are at theirs; None if it isn't known."""
        judge, size = self.analysis.judge, self.dim(name)
        deciding = {s for condition in fit.conditions for s in condition.symbols} - size.symbols
        others = {n: d for n in self.analysis.problem.dims if (d := self.dim(n)).symbols and d.symbols <= deciding}
        ends = {n: judge.extent(domain, d)[1] for n, d in others.items()}
        sizes = {n: end.value for n, end in ends.items() if end.value is not None and end.proven}
        if len(sizes) < len(others) or all(witness.get(n) == most for n, most in sizes.items()):
            return None
        corner = domain.copy()
        corner.assume(all_of(*(equal(d, sizes[n]) for n, d in others.items())))
        if not judge.satisfiable(corner):
            return None
        end = highest(size, fit, corner, judge)
        known = end is None or (end.proven and end.value is not None)
        return GreatestAt(sizes, None if end is None else end.value) if known and fit.exact else None

    def indices(self) -> IndexLimit | None:
        """Return the tensor with the most elements; None if 32-bit indices can count the elements of all."""
        examination, judge = self.analysis.examination, self.analysis.judge
        listed = takewhile(lambda _: not judge.deadline.expired, counts(examination.inference))
        large = drop_dominated(p for p in listed if p.bytes.hi > INDICES)
        most = summit(large, self.everywhere, examination, judge)
        if most is None or (most.value is not None and most.value <= INDICES):
            return None
        fit = fit_limit(large, INDICES, self.everywhere, judge)
        return IndexLimit(most.point.node, most.value, str(most.point.bytes), fit.text, fit.exact)


@one_call()
def measure(model: Model, question: Question, wanted: Wanted) -> Memory:
    """Return the memory of activations that is wanted of a model."""
    return measure_footprint(analyse(model, question), wanted)


_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kKMGT]?)(i?)[bB]?\s*")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_amount(text: str | int) -> int:
    """Return the bytes of an amount: a number, or a text with or without a unit.

    >>> parse_amount("2GB"), parse_amount("1.5 MiB"), parse_amount("300"), parse_amount(4096)
    (2000000000, 1572864, 300, 4096)

    Raises:
        UsageError: The text isn't an amount of memory.
    """
    if isinstance(text, int) and not isinstance(text, bool) and text >= 0:
        return text
    match = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if match is None or (match[3] and not match[2]):
        raise UsageError(f"{quote(text)} is no amount of memory, such as 2GB, 512MiB or 100000")
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** _POWERS[unit.lower()])
