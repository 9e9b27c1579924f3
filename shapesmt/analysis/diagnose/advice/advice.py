"""Choice of the advice on a finding: each kind of cause has a function that returns its fact, or None."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isclose

from shapesmt.analysis.diagnose.advice.trials import change_that_runs
from shapesmt.analysis.diagnose.causes import Sides
from shapesmt.analysis.verify import Examined, Judgement
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network import laws
from shapesmt.operators.rules import Elements, Requirement
from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SYMBOL,
    Dim,
    Evaluator,
    Verdict,
    at_least,
    atoms_within,
    equal,
)
from shapesmt.prover.regions import Region, Residue
from shapesmt.reports.answers import Cause, Side, facts

FAR = 1 << 40, 1 << 44  # sizes at which two formulas are compared
NEAR = 1e-6  # the relative difference of formulas that grow alike
MAX_NAMED = 3
MAX_TEXT = 60  # the most characters of a condition that callers may know to hold
MAX_TERM = 1000  # the largest second term of a ratio such as 3 to 2
_VARYING = frozenset(code.code for code in (laws.SM101, laws.SM102, laws.SM103, laws.SM301))
"""Codes whose advice is about one cause of several."""
_PLAIN = frozenset({SYMBOL, PRODUCT, FLOOR_DIVISION, MIN, MAX})
"""Operations that are quickly evaluated at sizes however large; a power isn't."""
_DIVISOR = re.compile(r"//(\d+)")


@frozen(eq=False)
class Case:
    """A finding: its node, the requirement that fails with its sides, and the inputs for which the node runs."""

    a: Examined
    judgement: Judgement
    broken: Requirement
    sides: Sides
    region: Region | None

    @cached_property
    def clash(self) -> tuple[tuple[Side, Dim], tuple[Side, Dim]] | None:
        """The two sides with their formulas; None if the requirement doesn't compare two sizes."""
        left, right, clash = self.broken.left, self.broken.right, self.sides.clash
        return None if clash is None or left is None or right is None else ((clash.left, left), (clash.right, right))

    @property
    def compared(self) -> tuple[tuple[Side, Dim], tuple[Side, Dim]] | None:
        """The two sides, if they should be equal, or one an index into the other; None if one may be larger."""
        return None if self.broken.relation == ">=" else self.clash

    @property
    def varies(self) -> bool:
        """Whether a side has symbols, or may have one whose number was given."""
        given = any(r.min == r.max for r in self.a.problem.ranges.values())
        return given or any(size.symbols for _, size in self.clash or ())

    @cached_property
    def alike(self) -> tuple[Dim, Dim] | None:
        """Both formulas, if they have the same symbols and operations of which large sizes are known; else None."""
        if self.compared is None:
            return None
        (_, left), (_, right) = self.compared
        plain = all(a.op in _PLAIN for side in (left, right) for a in atoms_within(side))
        return (left, right) if left.symbols and left.symbols == right.symbols and plain else None

    @cached_property
    def growth(self) -> tuple[Sequence[float], Sequence[float]] | None:
        """Both sizes where all their symbols are large, at two scales; None if they can't be compared there."""
        try:
            return None if self.alike is None else (_growth(self.alike[0]), _growth(self.alike[1]))
        except OverflowError:
            return None

    @cached_property
    def ratio(self) -> float | None:
        """The left size divided by the right one, if it is the same wherever all symbols are large; else None."""
        if self.growth is None:
            return None
        ratios = [left / right if right else 0.0 for left, right in zip(*self.growth, strict=True)]
        return ratios[-1] if ratios[-1] > 0 and isclose(*ratios, rel_tol=NEAR) else None

    def is_constant(self, name: str) -> bool:
        """Whether a tensor is a constant, or computed from constants alone."""
        graph = self.judgement.inference.graph
        index = graph.producer(name)
        if index is None:
            return name not in graph.inputs
        nodes = (graph.nodes[i] for i in (index, *graph.ancestors(index)))
        return not any(read in graph.inputs for node in nodes for read in node.reads)

    def maker(self, side: Side) -> str:
        """Return the name of the node that computes a side's tensor, else the tensor's; "" for a side without one."""
        graph = self.judgement.inference.graph
        index = graph.producer(side.tensor) if side.tensor else None
        return side.tensor if index is None else graph.nodes[index].name


def advice_on(case: Case) -> object:
    """Return the fact about what helps, by the first kind of cause that applies; "" if none does."""
    return next((told for kind in _KINDS if (told := kind(case)) is not None), "")


def _table(case: Case) -> facts.Fixed | None:
    """Indices that vary select from a constant."""
    told = _fixed(case) if case.broken.law.code == laws.SM301.code else None
    return told if told is not None and told.given else None


def _data(case: Case) -> facts.ByData | None:
    """A size is a count that data decide, such as that of NonZero."""
    data, inference = {s for s in case.broken.formula.symbols if s.by_data}, case.judgement.inference
    applied = zip(inference.graph.nodes, inference.applications, strict=False) if data else ()
    makers = [node.name for node, own in applied if any(d.as_symbol() in data for d in own.fresh_symbols)]
    return facts.ByData(tuple(makers[:MAX_NAMED])) if makers else None


def _change(case: Case) -> facts.Change | None:
    """The node would run with another axis, or with inputs exchanged or transposed."""
    return None if case.broken.relation == ">=" else change_that_runs(case.judgement)


def _numbers(case: Case) -> facts.Numbers | None:
    """Both sizes are numbers of tensors."""
    if case.clash is None or case.varies:
        return None
    makers = tuple(filter(None, (case.maker(side) for side, _ in case.clash)))
    return facts.Numbers(makers) if len(makers) > 1 else None


def _fixed(case: Case) -> facts.Fixed | None:
    """One size is a number, of a table, a weight or a tensor that a node computes, and the other one varies."""
    if case.compared is None or not case.varies:
        return None
    numbers = [(side, size.constant) for side, size in case.compared if side.tensor and side.axis is not None]
    for side, size in numbers:
        if size is not None:
            given = case.is_constant(side.tensor) or side.tensor in case.judgement.inference.graph.inputs
            rows = case.broken.law.code == laws.SM301.code
            return facts.Fixed(side.tensor if given else case.maker(side), size, given, rows)
    return None


def _target(case: Case) -> facts.Target | None:
    """A new shape is a constant."""
    if case.broken.law.code != laws.SM104.code:
        return None
    tensors = case.judgement.inference.tensors
    for name in case.judgement.node.reads:
        value = tensors[name].value if name in tensors and case.is_constant(name) else None
        if isinstance(value, Elements) and all(isinstance(i, Dim) for i in value.items):
            return facts.Target(name, tuple(map(str, value.items)))
    return None


def _offset(case: Case) -> facts.Offset | None:
    """The sizes differ by the same number for every input."""
    if case.alike is None or case.clash is None or not (difference := (case.alike[0] - case.alike[1]).constant):
        return None
    return facts.Offset(abs(difference), tuple(filter(None, (case.maker(side) for side, _ in case.clash))))


def _rounding(case: Case) -> facts.Rounded | None:
    """Both sizes grow alike, and are rounded at different places; a new shape may be a divisor of the elements."""
    ratio = 0.0 if case.ratio is None else case.ratio
    divisor = case.broken.law.code == laws.SM104.code and round(ratio) > 1
    divides = any(a.op is FLOOR_DIVISION for side in case.alike or () for a in atoms_within(side))
    if not divides or not isclose(ratio, round(ratio) if divisor else 1, rel_tol=NEAR):
        return None
    residues = [c for c in (case.region.conjuncts if case.region else ()) if isinstance(c, Residue)]
    multiples = {c.symbol.name: c.modulus for c in residues}
    return facts.Rounded(_rounding_node(case.sides.causes), multiples)


def _rounding_node(causes: Sequence[Cause]) -> str:
    """Return the last node that divides by more than those before it; "" if none divides."""
    name, most = "", 1
    for cause in causes:
        divisor = max(map(int, _DIVISOR.findall(cause.expr)), default=1)
        if cause.node and divisor > most:
            name, most = cause.node, divisor
    return name


def _cut(case: Case) -> facts.Cut | None:
    """One size has a maximum, however large the input is, and the other one doesn't."""
    if case.growth is None or case.clash is None:
        return None
    for (side, _), own, other in zip(case.clash, case.growth, case.growth[::-1], strict=True):
        if len({*own}) == 1 and len({*other}) > 1:
            return facts.Cut(case.maker(side), int(own[0]))
    return None


def _scaled(case: Case) -> facts.Scaled | None:
    """One size grows several times as fast as the other one."""
    if case.ratio is None or case.clash is None or isclose(case.ratio, 1, rel_tol=NEAR):
        return None
    left, right = (case.maker(side) or side.name for side, _ in case.clash)
    larger, smaller = (left, right) if case.ratio > 1 else (right, left)
    from fractions import Fraction  # which takes longer to import than most advice

    ratio = Fraction(max(case.ratio, 1 / case.ratio)).limit_denominator(MAX_TERM)
    return facts.Scaled(larger, smaller, ratio.as_integer_ratio())


def _axes(case: Case) -> facts.Axes | None:
    """The sizes are those of different axes of one input."""
    if case.compared is None:
        return None
    (_, left), (_, right) = case.compared
    for name, t in case.a.problem.inputs.items():
        own = {s for d in t.shape or () for s in d.symbols}
        apart = left.symbols and right.symbols and left.symbols.isdisjoint(right.symbols)
        if apart and left.symbols | right.symbols <= own:
            return facts.Axes(name, str(left), str(right))
    return None


def _related(case: Case) -> facts.Relation | None:
    """The sizes are those of several inputs, and a short condition makes them equal."""
    if case.compared is None or case.judgement.verdict is not Verdict.DEPENDS:
        return None
    (_, left), (_, right) = case.compared
    named = {s for d in case.a.problem.dims.values() for s in d.symbols}
    index = case.broken.law.code == laws.SM301.code
    condition = at_least(right, left + 1) if index else equal(left, right)
    told = condition.symbols <= named and left.symbols and right.symbols and len(str(condition)) <= MAX_TEXT
    return facts.Relation(str(condition)) if told else None


def _other(case: Case) -> facts.Unlike | None:
    """The sizes clash for every input or in no simple way, and the advice of the law's code is about other causes."""
    return facts.Unlike() if case.compared is not None and case.broken.law.code in _VARYING else None


def _growth(size: Dim) -> tuple[float, ...]:
    """Return a size where all its symbols are large, at two scales."""
    symbols = sorted(size.symbols, key=lambda s: s.name)
    scales = [{s: far + (far >> 3 + place) for place, s in enumerate(symbols)} for far in FAR]
    return tuple([float(Evaluator(scale).dim(size)) for scale in scales])


_KINDS: tuple[Callable[[Case], object], ...] = (
    _table, _data, _offset, _rounding, _cut, _change, _target, _numbers, _fixed, _scaled, _axes, _related, _other,
)  # fmt: skip
"""The kinds of causes, the most particular first."""
