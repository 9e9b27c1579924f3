"""Bounds: the tightest interval of every dimension of every tensor over the valid inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from shapesmt.analysis.verify.examination import Examination
from shapesmt.analysis.verify.examined import Examined
from shapesmt.analysis.verify.inputs import when
from shapesmt.base.deadline import stage
from shapesmt.operators.rules import Tensor, one_of, tensor
from shapesmt.prover.algebra import FALSE, TRUE, Assignment, Atom, Dim, Formula, Kind, Verdict, any_of, negate, step_of
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import CaseBounds, DimBounds, TensorBounds


@stage("bounds of sizes")
def tensor_bounds(a: Examined, names: Iterable[str] | None = None) -> dict[str, TensorBounds]:
    """Return the bounds of every named tensor, of all if `names` is None, with the constants last.

    Tensors of one shape share their bounds.

    A tensor that has another shape in ONNX Runtime's default session has bounds for both.
    """
    constants, inferred = a.examination.inference.graph.literals, a.examination.inference.tensors
    names = list(sorted(inferred, key=constants.__contains__) if names is None else names)
    own, session = _bounds(a, names), a.examination.session
    if session is None or session.examination is None:
        return own
    seen = session.examination
    mine, other = a.examination.original.tensors, seen.original.tensors
    differ = [name for name in names if name in other and other[name] is not mine.get(name)]
    return own | {name: _both(own[name], b) for name, b in _bounds(replace(a, examination=seen), differ).items()}


def _bounds(a: Examined, names: Iterable[str]) -> dict[str, TensorBounds]:
    examination, tensors = a.examination, a.examination.inference.tensors
    domain = a.judge.deadline.attempt(lambda: examination.narrowed, Domain([]))  # out of time: no size gets bounds
    within = {sure: _Within(domain, a, sure=sure) for sure in (True, False)}
    nodes = examination.inference.graph.nodes
    doubtful = {name for index in examination.doubtful for name in nodes[index].outputs}
    settled = _settled(a)
    shared: dict[tuple[Tensor, bool], TensorBounds] = {}
    named = {name: (tensors[name], name not in doubtful) for name in names}
    for key in named.values():
        if key not in shared:
            t, sure = key  # a sequence has no shape
            found = within[sure].tensor(t) if t.is_tensor else TensorBounds(t.dtype, None)
            shared[key] = found if settled is None or found.shape is None else _attained(found, settled.tensor(t))
    return {name: shared[key] for name, key in named.items() if name}


def _settled(a: Examined) -> _Within | None:
    """Return the bounds over the inputs for which no node is undecided.

    None if all nodes are decided, or if it isn't the inputs' sizes alone that decide whether one is.
    """
    undecided = any_of(*(u.branch for _, u in a.examination.unjudged))
    if undecided in (TRUE, FALSE) or any(s.kind is not Kind.INPUT for s in undecided.symbols):
        return None
    domain = a.examination.domain.copy()
    domain.assume(negate(undecided))
    decided = replace(a.examination, domain=domain, unjudged=())
    narrowed = a.judge.deadline.attempt(lambda: decided.narrowed, None)
    return None if narrowed is None else _Within(narrowed, replace(a, examination=decided))


def _attained(all_: TensorBounds, settled: TensorBounds) -> TensorBounds:
    """Return bounds over all inputs, exact where inputs for which every node is decided attain both ends."""
    if all_.shape is None or settled.shape is None:
        return all_
    pairs = zip(all_.shape, settled.shape, strict=True)
    return replace(all_, shape=tuple([d if d.exact or (d.min, d.max) != (e.min, e.max) else e for d, e in pairs]))


def earlier_bounds(a: Examined) -> dict[str, TensorBounds]:
    """Return the bounds, over all admissible inputs, of the inputs and of the tensors upstream of unproved nodes."""
    graph, original = a.problem.graph, a.examination.original.tensors
    failing = [*(j.index for j in a.examination.judgements), *(index for index, _ in a.examination.unjudged)]
    before = set[int]().union(*map(graph.ancestors, failing))
    within = _Within(a.problem.domain, a, sure=False)
    names = (*graph.inputs, *(name for index in sorted(before) for name in graph.nodes[index].outputs if name))
    tensors = {name: original[name] for name in names if original[name].is_tensor}
    return {name: within.tensor(t) for name, t in tensors.items()}


def inner_bounds(a: Examined) -> dict[str, TensorBounds]:
    """Return the bounds of the tensors inside branches and loops over all runs; no sizes if their rank varies."""
    examination = a.examination
    domain = a.judge.deadline.attempt(lambda: examination.narrowed, Domain([]))
    found: dict[str, TensorBounds] = {}
    each = enumerate(examination.inference.applications)
    runs = [(index, run) for index, a in each for body in a.bodies for run in body.every()]
    for index, body in runs:
        within = _Within(domain.copy(), a, sure=index not in examination.doubtful)
        within.assume(body.runs)
        for name in filter(None, (*body.inputs, *(name for node in body.nodes for name in node.outputs))):
            t = body.tensors[name]
            if t.is_tensor and t.shape is not None:
                dims = [body.final_size(d) for d in t.dims]
                bounds = TensorBounds(t.dtype, within.shape(tensor(t.dtype, dims)))
                found[name] = bounds if name not in found else _union(found[name], bounds)
    return found


def _union(one: TensorBounds, other: TensorBounds) -> TensorBounds:
    """Return bounds that cover two runs; none if their ranks or types differ."""
    if one.shape is None or other.shape is None or len(one.shape) != len(other.shape) or one.dtype != other.dtype:
        return TensorBounds("", None)
    pairs = zip(one.shape, other.shape, strict=True)
    return TensorBounds(one.dtype, tuple([_hull(a, b) for a, b in pairs]))


def _both(file: TensorBounds, session: TensorBounds) -> TensorBounds:
    """Return bounds for two tensors, either of which may be the one of a run."""
    ends = [((a.min, a.max), (b.min, b.max)) for a, b in zip(file.shape or (), session.shape or (), strict=False)]
    same = file.shape is not None and session.shape is not None and len(file.shape) == len(session.shape)
    return file if same and all(a == b for a, b in ends) else _union(file, session)


def _hull(one: DimBounds, other: DimBounds) -> DimBounds:
    high = None if one.max is None or other.max is None else max(one.max, other.max)
    return one if one == other else DimBounds(min(one.min, other.min), high, one.expr, exact=False)


class _Within:
    """Computes bounds of sizes over a domain, each size once; only with `sure` can they be exact."""

    def __init__(self, domain: Domain, a: Examined, *, sure: bool = True) -> None:
        self._domain, self._a = domain, a
        self._sure = sure  # whether some input is known to reach this domain
        self._sizes: dict[Dim, DimBounds] = {}
        self._cases: dict[Formula, tuple[Verdict, _Within]] = {}

    def assume(self, fact: Formula) -> None:
        """Restrict the domain to the inputs for which the fact holds."""
        self._domain.assume(fact)

    def tensor(self, t: Tensor) -> TensorBounds:
        """Return the bounds of a tensor, or its bounds in each case that some input reaches."""
        if t.shape is not None or not t.cases:
            return TensorBounds(t.dtype, None if t.shape is None else self.shape(t))
        each = [(case, *self._where(case.condition)) for case in t.cases]
        alive = [(case, within) for case, fails, within in each if fails is not Verdict.PROVED]
        joint = one_of([case for case, _ in alive]) if alive else t
        if joint.shape is not None:
            return TensorBounds(t.dtype, self.shape(joint))
        lost = any(s.kind in (Kind.OPEN, Kind.LOST) for case in t.cases for s in case.condition.symbols)
        if lost or any(fails is Verdict.UNKNOWN or case.tensor.shape is None for case, fails, _ in each):
            return TensorBounds(t.dtype, None)
        cases = [CaseBounds(self._text(case.condition), within.shape(case.tensor)) for case, within in alive]
        return TensorBounds(t.dtype, None, tuple(cases))

    def shape(self, t: Tensor) -> tuple[DimBounds, ...]:
        """Return the bounds of a tensor's sizes."""
        for dim in t.dims:
            if dim not in self._sizes:
                size = _size(dim, self._domain, self._a)
                self._sizes[dim] = replace(size, exact=size.exact and self._sure)
        return tuple([self._sizes[dim] for dim in t.dims])

    def _where(self, condition: Formula) -> tuple[Verdict, _Within]:
        """Return the verdict on the negation of a condition, and the bounds over the inputs for which it holds."""
        if condition not in self._cases:
            domain = self._domain.copy()
            domain.assume(condition)
            refutation = self._a.judge.decide(self._domain, negate(condition)).verdict
            tied = self._a.judge.related_symbols(self._domain, condition.symbols)
            sure = self._sure and _is_free(self._a.examination, tied)
            self._cases[condition] = refutation, _Within(domain, self._a, sure=sure)
        return self._cases[condition]

    def _text(self, condition: Formula) -> Any:
        if any(s.universal for s in condition.symbols):
            return when(condition)
        region = self._a.judge.region(self._domain, condition)
        return region.whole if region.exact else str(condition)


def empty_bounds(examination: Examination) -> dict[str, TensorBounds]:
    """Return every tensor with the formulas of its sizes and no bounds, for a model that runs for no input."""
    sizes: dict[Dim, DimBounds] = {}
    shared: dict[Tensor, TensorBounds] = {}
    tensors = examination.original.tensors
    for t in tensors.values():
        if t not in shared:
            for dim in t.shape or ():
                low, high = (0, None) if dim.constant is None else (dim.constant, dim.constant)
                sizes.setdefault(dim, DimBounds(low, high, str(dim), exact=False))
            known = t.shape is not None and t.is_tensor
            shared[t] = TensorBounds(t.dtype, tuple([sizes[d] for d in t.dims]) if known else None)
    return {name: shared[t] for name, t in tensors.items() if name}


def _size(dim: Dim, domain: Domain, a: Examined) -> DimBounds:
    """Return the bounds of one size; they are exact only if every node is known to run at both of them."""
    low, high = a.judge.extent(domain, dim)
    proven = low.proven and high.proven
    attained = a.examination.decided and not any(s.kind in (Kind.OPEN, Kind.LOST) for s in dim.symbols)
    attained = attained and _is_free(a.examination, a.judge.related_symbols(domain, dim.symbols))
    exact = proven and (attained or dim.constant is not None)
    witnesses = _values_by_name(low.witness), _values_by_name(high.witness)
    step = 1 if low.value == high.value else step_of(dim)
    return DimBounds(max(low.value or 0, 0), high.value, str(dim), exact, witnesses, step)


def _is_free(examination: Examination, tied: Collection[Atom]) -> bool:
    """Whether related symbols can take every value that the domain admits; loop iterations and indices may not."""
    held = any(s.kind is Kind.PLACE or s in examination.iterations for s in tied)
    return examination.independent(tied) and not held


def _values_by_name(witness: Assignment | None) -> dict[str, int] | None:
    return None if witness is None else {symbol.name: value for symbol, value in witness.items()}
