"""State: which samples of a batch the elements of a tensor depend on.

A tensor depends on no sample (shared), or element by element on one: its `sample` is a formula over the element's
positions, counted from 1, and 0 where it depends on none. A tensor is apart if the formula is that of a split: index j
of one axis belongs to sample `(j // inner) % batch`. Otherwise its samples are mixed, or it isn't known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import NamedTuple

from shapesmt.base.frozen import frozen
from shapesmt.operators.rules import Shape, position, positions
from shapesmt.prover.algebra import (
    FALSE,
    FLOOR_DIVISION,
    ONE,
    SELECT,
    SYMBOL,
    TRUE,
    ZERO,
    Dim,
    Formula,
    all_of,
    any_of,
    atom_of,
    atoms_within,
    divides,
    equal,
    less,
    negate,
    of_atom,
    product,
    substitute,
    substitute_atom,
    symbol,
    total,
)
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain


class Site(NamedTuple):
    """A node: its order among all nodes, its path, and its operator."""

    order: int
    path: str
    op: str


class State(NamedTuple):
    """Which samples the elements of a tensor depend on.

    Attributes:
        sample: The number of the sample of each element, from 1, over its positions; 0 if there is none. None if they
            are mixed or unknown.
        holds: The sizes for which the tensor is apart, as `sample` says, or has a single sample.
        site: The first node after which it isn't apart at all sizes, or isn't known; None if there is none.
        known: Whether it is known; if not, `sample` is None.
        exact: The state in which each element has a sample, though no axis is split by it; None if there is none.
    """

    sample: Dim | None
    holds: Formula = TRUE
    site: Site | None = None
    known: bool = True
    exact: State | None = None

    @property
    def shared(self) -> bool:
        """Whether the tensor depends on no sample."""
        return self.sample is ZERO


SHARED = State(ZERO)
States = dict[str, State]


def unknown(site: Site) -> State:
    """Return the state of a tensor that isn't tracked through a node."""
    return State(None, FALSE, site, known=False)


def worst(states: Iterable[State]) -> State | None:
    """Return the first mixed state among these, or the first unknown one; None if there is neither."""
    lost = [s for s in states if s.sample is None]
    return min(lost, key=lambda s: (not s.known, s.site or ()), default=None)


def first_site(states: Iterable[State]) -> Site | None:
    """Return the first node after which one of these isn't apart at all sizes."""
    return min((s.site for s in states if s.site is not None), default=None)


def _divisors(sample: Dim) -> list[Dim]:
    """Return the divisors of an expression's floor divisions."""
    return [*dict.fromkeys(a.args[1] for a in atoms_within(sample) if a.op is FLOOR_DIVISION)]


def _grows(what: Dim) -> bool:
    """Whether an expression is a sum of positions times numbers that aren't negative, or of sizes."""
    return all(
        coefficient >= 0 and all(a.op is SYMBOL and a.lo >= 0 for a in factors)
        for factors, coefficient in what.products()
    )


def _is_about_index(condition: Formula) -> bool:
    """Whether a condition is about an index that is computed from positions, rather than about a position."""
    compared = ZERO if condition.dim is None else condition.dim
    used = positions(compared)
    return bool(used) and (condition.op != "ge" or bool(positions(compared + of_atom(used[0]))))


class Split(NamedTuple):
    """An axis whose index j belongs to sample `(j // inner) % batch`, in all `outer` repetitions."""

    axis: int
    outer: Dim
    inner: Dim


@frozen(eq=False)
class Batch:
    """The number of samples, over the domain of admissible inputs.

    Attributes:
        size: The number of samples.
    """

    size: Dim
    domain: Domain
    judge: Judge
    _splits: dict[tuple[Dim, Shape], Split | None] = field(default_factory=dict)
    _partial: dict[tuple[Dim, Dim], dict[Formula, Dim]] = field(default_factory=dict)
    """The inner parts of splits that hold under a condition, by their formulas and their axes' sizes."""

    @property
    def single(self) -> Formula:
        """The condition that there is one sample, so that none are mixed."""
        return equal(self.size, 1)

    def proves(self, condition: Formula) -> bool:
        """Whether a condition holds for all admissible inputs."""
        return condition is TRUE or (condition is not FALSE and self.judge.proves(self.domain, condition))

    def mixed(self, site: Site) -> State:
        """Return the state of a tensor whose samples a node mixes if there are several."""
        return State(None, self.single, site)

    def label(self, back: int, inner: Dim, outer: Dim = ONE) -> Dim:
        """Return the number of the sample along an axis, the `back`-th from the end, that is split."""
        return self._repeated(position(back), inner, outer)

    def _repeated(self, place: Dim, inner: Dim, outer: Dim = ZERO) -> Dim:
        sample = place // inner
        return (sample if outer is ONE else sample - self.size * (place // (inner * self.size))) + 1

    def split(self, sample: Dim, shape: Shape, holds: Formula = TRUE) -> Split | None:
        """Return the axis that a formula splits where `holds` is true; None if it isn't known to split one."""
        key = sample, shape
        if key not in self._splits:
            self._splits[key] = self._split(sample, shape)
        return self._splits[key] or (None if holds is TRUE else self._partial_split(sample, shape, holds))

    def _partial_split(self, sample: Dim, shape: Shape, holds: Formula) -> Split | None:
        """Return the axis that a formula splits under a condition that `holds` has as a part."""
        given = {*holds.conjuncts}
        for back, size in enumerate(reversed(shape), 1):
            for condition, inner in self._partial.get((sample, size), {}).items():
                if {*self.otherwise(condition).conjuncts} <= given and sample is self._placed(back, inner, size):
                    return Split(len(shape) - back, size // (inner * self.size), inner)
        return None

    def _placed(self, back: int, inner: Dim, size: Dim) -> Dim:
        return self.label(back, inner, ONE if size is inner * self.size else ZERO)

    def _split(self, sample: Dim, shape: Shape) -> Split | None:
        used = positions(sample)
        if len(used) != 1 or not 1 <= (back := int(used[0].name[1:])) <= len(shape):
            return None
        size = shape[-back]
        for inner in dict.fromkeys((ONE, *_divisors(sample), size // self.size)):
            block = inner * self.size
            if self._follows(sample, back, inner, size) and self.proves(divides(block, size)):
                return Split(len(shape) - back, size // block, inner)
        return None

    def _follows(self, sample: Dim, back: int, inner: Dim, size: Dim) -> bool:
        """Whether a formula is that of a split, along an axis of `size`."""
        if sample is self.label(back, inner):
            return self.proves(equal(size, inner * self.size))
        if sample is self.label(back, inner, ZERO):
            return True
        choice, place = sample.as_atom(), position(back)
        if choice is None or choice.op is not SELECT:
            return False
        condition, first, rest = choice.args
        if condition.op != "ge" or condition.dim is None:
            return False
        end = condition.dim + place + 1  # the condition is place < end
        if positions(end) or condition is not less(place, end) or not self.proves(divides(inner * self.size, end)):
            return False
        rest = substitute(rest, {atom_of(place): place + end})
        return self._follows(first, back, inner, end) and self._follows(rest, back, inner, size - end)

    def partly(self, sample: Dim, shape: Shape) -> tuple[Dim, Formula] | None:
        """Return the samples of an axis of which a formula is that of a split at some sizes, with that condition."""
        used = positions(sample)
        if len(used) != 1 or not 1 <= (back := int(used[0].name[1:])) <= len(shape):
            return None
        size = shape[-back]
        label = self._placed(back, ONE, size)
        moved = sample - self.label(back, ONE)
        if positions(moved):
            return None
        condition = all_of(equal(moved, 0), equal(size, self.size))
        self._partial.setdefault((label, size), {})[condition] = ONE
        return label, condition

    def stride(self, sample: Dim, shape: Shape, holds: Formula = TRUE) -> Dim | None:
        """Return how many elements in a row belong to a sample, after which the next one's follow; None if unknown."""
        split = self.split(sample, shape, holds)
        if split is not None:
            return split.inner * product(shape[split.axis + 1 :])
        ways = [(d, self.in_rows(d, shape, outer)) for d in (ONE, *_divisors(sample)) for outer in (ZERO, ONE)]
        return next((d for d, rows in ways if rows is sample), None)

    def in_rows(self, stride: Dim, shape: Shape, outer: Dim = ZERO) -> Dim:
        """Return the number of the sample of each element if `stride` elements in a row belong to each."""
        steps = [product(shape[axis + 1 :]) for axis in range(len(shape))]
        places = [position(len(shape) - axis) for axis, size in enumerate(shape) if size is not ONE]
        row = total(place * steps[len(shape) - int(atom_of(place).name[1:])] for place in places)
        return self._repeated(row, stride, outer)

    def regroup(self, stride: Dim, after: Shape) -> list[tuple[Dim, Formula]]:
        """Return the formulas of the axes that may be split in a tensor, each with its condition.

        In row-major order, `stride` elements in a row belong to each sample.
        """
        found = []
        for axis, size in enumerate(after):
            within = product(after[axis + 1 :])
            exact = divides(within, stride)
            whole = divides(stride * self.size, size * within) if axis else TRUE  # all elements are whole batches
            if exact is FALSE or whole is FALSE:
                continue
            inner = stride // within if exact is TRUE else self._simplest(stride // within, size)
            sample, condition = self._placed(len(after) - axis, inner, size), all_of(exact, whole)
            self._partial.setdefault((sample, size), {})[condition] = inner
            found.append((sample, condition))
        return found

    def _simplest(self, inner: Dim, size: Dim) -> Dim:
        """Return an equal expression for the inner part of a split of an axis, the simplest that there is."""
        return next((d for d in (ONE, size // self.size) if self.proves(equal(d, inner))), inner)

    def settle(self, sample: Dim, shape: Shape) -> Dim:
        """Return a formula that is equal at all elements with a sample, as simple as it can be."""
        bounds = {p: shape[-int(p.name[1:])].constant for p in positions(sample) if int(p.name[1:]) <= len(shape)}
        inside = {p: symbol(p.name, 0, size - 1, kind=p.kind) for p, size in bounds.items() if size}  # 0: no position
        sample = substitute(sample, inside)
        back = {atom: of_atom(p) for p, d in inside.items() if (atom := d.as_symbol()) is not None}
        return self._settled(self._decided(self._without_quotients(substitute(sample, back), shape), shape))

    def _without_quotients(self, sample: Dim, shape: Shape) -> Dim:
        """Return a formula without quotients that are 0 at all positions of a tensor."""
        last = {p: shape[-int(p.name[1:])] - 1 for p in positions(sample) if int(p.name[1:]) <= len(shape)}
        for a in sample.atoms():
            if a.op is FLOOR_DIVISION and positions(a.args[0]) and _grows(a.args[0]):
                top, divisor = substitute(a.args[0], last), a.args[1]
                if not positions(top) and self.proves(less(top, divisor)):
                    return self._without_quotients(substitute_atom(sample, a.number, ZERO), shape)
        return sample

    def _decided(self, sample: Dim, shape: Shape) -> Dim:
        """Return a formula without the choices that are the same at all positions of a tensor, such as of an index."""
        choices = [a for a in sample.atoms() if a.op is SELECT and _is_about_index(a.args[0])]
        if not choices:
            return sample
        used = [of_atom(p) for p in positions(sample)]
        inside = [less(p, shape[-int(atom_of(p).name[1:])]) for p in used]
        within = Domain([*self.domain.symbols, *used], [*self.domain.facts, *inside])
        for a in choices:
            for condition, value in ((a.args[0], a.args[1]), (negate(a.args[0]), a.args[2])):
                if self.judge.proves(within, condition):
                    return self._decided(substitute_atom(sample, a.number, value), shape)
        return sample

    def _settled(self, sample: Dim) -> Dim:
        """Return a formula in which elements without a sample have any."""
        choice = sample.as_atom()
        if choice is not None and choice.op is SELECT:
            _, first, rest = choice.args
            first, rest = self._settled(first), self._settled(rest)
            if first is ZERO or rest is ZERO or first is rest:
                return rest if first is ZERO else first
        several = {
            a: a.args[2] if a.args[0] is self.single else a.args[1]
            for a in sample.atoms()
            if a.op is SELECT and (a.args[0] is self.single or negate(a.args[0]) is self.single)
        }
        for atom, value in several.items():
            sample = substitute_atom(sample, atom.number, value)
        return self._settled(sample) if several else sample

    def otherwise(self, condition: Formula) -> Formula:
        """Return the condition, or that there is one sample."""
        return any_of(self.single, condition)
