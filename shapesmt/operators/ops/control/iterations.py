"""Model how loop-carried sizes and elements change between iterations, and which conditions hold in all of them.

The index of an iteration is a symbol. A number that every iteration keeps, changes by the same amount, or replaces by
the same number is a formula over the index, and so is known after the last iteration. Other numbers are unknown.

    >>> from shapesmt.prover.algebra import const, symbol
    >>> n, i = symbol("n", 1, 9), symbol("i", 0, 9)
    >>> course = Course(n).after(n + 2, i, frozenset())  # the first iteration adds 2
    >>> course.at(i, i), course.at(const(5), i)
    (Dim('2*i + n'), Dim('n + 10'))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, TypeAlias

from shapesmt.base.frozen import frozen
from shapesmt.operators.rules import Elements, Layout, Tensor, Value, elements, tensor
from shapesmt.prover.algebra import (
    FALSE,
    ZERO,
    Atom,
    Dim,
    Formula,
    Substitution,
    all_of,
    any_of,
    at_least,
    at_most,
    const,
    differs,
    equal,
    implies,
    maximum,
    minimum,
    select,
    substitute_atom,
)

Hidden: TypeAlias = frozenset[Atom]  # symbols whose value differs between iterations
LISTED = 32  # iterations that a condition is written out for


class Stage(Enum):
    """Hypotheses about a loop-carried number, in the order in which they are tried until the body confirms one."""

    KEPT = "no iteration changes it"
    STEPPED = "every iteration adds the same amount"
    UNKNOWN = "an iteration may start with any number; the number that it ends with is looked at"
    REPLACED = "every iteration ends with the same number, whatever it starts with"
    LOST = "nothing is known of it"


def put(what: Any, index: Dim, iteration: Dim) -> Any:
    """Return an expression or a condition with `index` replaced by `iteration`."""
    atom = index.as_symbol()
    return what if atom is None else Substitution({atom: iteration}).apply(what)


def independent(dim: Dim, hidden: Hidden) -> bool:
    """Whether an expression depends on the iteration only by its index: it has none of the `hidden` symbols."""
    return dim.symbols.isdisjoint(hidden)


@frozen()
class Course:
    """A loop-carried number: `start + step*index`; or `start`, then `left`, which the previous iteration computed."""

    start: Dim
    step: Dim = ZERO
    left: Dim | None = None
    stage: Stage = Stage.KEPT

    def at(self, iteration: Dim, index: Dim) -> Dim | None:
        """Return the number at the start of an iteration; None if unknown."""
        if self.left is not None:
            return select(at_least(iteration, 1), put(self.left, index, iteration - 1), self.start)
        return self.start + self.step * iteration if self.stage in (Stage.KEPT, Stage.STEPPED) else None

    def after(self, out: Dim, index: Dim, hidden: Hidden) -> Course:
        """Return itself if an iteration ends with `out` as it predicts, else the next hypothesis."""
        if self.stage is not Stage.UNKNOWN and self.at(index + 1, index) is out:
            return self
        if self.stage is Stage.KEPT:
            step = put(out, index, ZERO) - self.start
            return Course(self.start, step if independent(step, hidden) else ZERO, stage=Stage.STEPPED)
        if self.stage is Stage.UNKNOWN and independent(out, hidden):
            return Course(self.start, left=out, stage=Stage.REPLACED)
        return Course(self.start, stage=Stage.LOST if self.stage in (Stage.REPLACED, Stage.LOST) else Stage.UNKNOWN)


@frozen()
class Carried:
    """One loop-carried tensor: a `Course` for each size and for each known element.

    `sizes` is None once iterations change its rank; `value` is the elements if no iteration changes them.
    """

    start: Tensor
    sizes: tuple[Course, ...] | None
    items: tuple[Course | None, ...] | None
    value: Value | None  # elements that aren't a list of integers: kept while no iteration changes them
    layout: Layout | None = None  # the first iteration's, or an unknown layout once an iteration changes it

    @property
    def loses(self) -> bool:
        """Whether elements are known before the first iteration, but not after it."""
        kept = self.value is not None or (self.items is not None and None not in self.items)
        return self.start.value is not None and not kept

    def at(self, iteration: Dim, index: Dim, fresh: Callable[[int], Dim]) -> Tensor:
        """Return the tensor at the start of an iteration; `fresh` makes symbols for unknown sizes."""
        if self.sizes is None:
            return tensor(self.start.dtype, None)
        known = [c.at(iteration, index) for c in self.sizes]
        value = self.value
        if self.items is not None:
            assert isinstance(self.start.value, Elements)
            items = [None if c is None else c.at(iteration, index) for c in self.items]
            value = elements(self.start.value.shape, items)
        dims = [fresh(i) if d is None else d for i, d in enumerate(known)]
        return tensor(self.start.dtype, dims, value, layout=self.layout)

    def after(self, out: Tensor, index: Dim, hidden: Hidden) -> Carried:
        """Return itself if an iteration ends with `out` as it predicts, else the next hypotheses."""
        if self.sizes is None:
            return self
        if out.shape is None or out.rank != len(self.sizes):
            return replace(self, sizes=None, items=None, value=None)
        sizes = tuple(c.after(d, index, hidden) for c, d in zip(self.sizes, out.dims, strict=True))
        layout = self.layout if out.layout == self.layout else Layout()
        if any(c.stage is not Stage.KEPT for c in sizes):
            return replace(self, sizes=sizes, items=None, value=None, layout=layout)
        value = self.value if out.value is self.value else None
        return replace(self, sizes=sizes, items=self._items_after(out, index, hidden), value=value, layout=layout)

    def _items_after(self, out: Tensor, index: Dim, hidden: Hidden) -> tuple[Course | None, ...] | None:
        if self.items is None or not isinstance(out.value, Elements):
            return None
        pairs = zip(self.items, out.value.items, strict=True)
        return tuple(c.after(i, index, hidden) if c is not None and isinstance(i, Dim) else None for c, i in pairs)


def initial_carried(start: Tensor) -> Carried:
    """Return a tensor before the first iteration, with the first hypotheses."""
    if start.shape is None:
        return Carried(start, None, None, None)
    sizes = tuple(map(Course, start.dims))
    value, layout = start.value, start.layout
    if layout is not None and (layout.order is None or layout.storage is not start.numel):
        layout = Layout()  # after no iteration it is a copy, whose memory is contiguous
    if isinstance(value, Elements) and all(i is None or isinstance(i, Dim) for i in value.items):
        items = tuple(Course(i) if isinstance(i, Dim) else None for i in value.items)
        return Carried(start, sizes, items, None, layout)
    return Carried(start, sizes, None, value, layout)


def steadily_laid(states: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[Tensor]:
    """Return the loop-carried `states`, with an unknown layout if the body's output has another layout."""
    pairs = zip(states, outputs, strict=False)
    return [t if t.layout == left.layout else tensor(t.dtype, t.shape, layout=Layout()) for t, left in pairs]


# Conditions that hold in every iteration


def in_every_iteration(formula: Formula, index: Dim, iterations: Dim) -> Formula:
    """Return the condition that `formula` holds at all indices below `iterations`; a linear index is eliminated.

    >>> from shapesmt.prover.algebra import symbol
    >>> i, n, m = symbol("i", 0, 8), symbol("n", 1, 9), symbol("m", 1, 9)
    >>> in_every_iteration(at_least(m, i + 2), i, n)
    Formula('m >= n + 1')
    """
    atom = index.as_symbol()
    if atom is None or atom not in formula.symbols:
        return implies(at_least(iterations, 1), formula)
    if formula.op == "and":
        return all_of(*(in_every_iteration(f, index, iterations) for f in formula.args))
    if formula.op == "or":
        varying = [f for f in formula.args if atom in f.symbols]
        if len(varying) == 1:
            rest = [f for f in formula.args if f is not varying[0]]
            return any_of(*rest, in_every_iteration(varying[0], index, iterations))
    elif formula.dim is not None:
        worst = _at_worst(formula, formula.dim, atom, iterations)
        if worst is not None:
            return worst
    if iterations.constant is not None and iterations.constant <= LISTED:
        return all_of(*(put(formula, index, const(iteration)) for iteration in range(iterations.constant)))
    return implies(at_least(iterations, index + 1), formula)


def _at_worst(formula: Formula, dim: Dim, atom: Atom, iterations: Dim) -> Formula | None:
    slope = slope_of(dim, atom)
    if slope is None:
        return None
    first = substitute_atom(dim, atom.number, ZERO)
    if formula.op == "ge" and (slope.lo >= 0 or slope.hi <= 0):
        worst = first if slope.lo >= 0 else first + slope * (iterations - 1)
        return implies(at_least(iterations, 1), at_least(worst, 0))
    if formula.op == "eq" and (slope.lo > 0 or slope.hi < 0):
        return all_of(at_most(iterations, 1), implies(at_least(iterations, 1), equal(first, 0)))
    return None


def slope_of(dim: Dim, atom: Atom) -> Dim | None:
    """Return how much an expression grows when a symbol grows by one; None unless it is linear in the symbol."""
    if any(a is not atom and atom in a.symbols for a in dim.atoms()):
        return None
    first = substitute_atom(dim, atom.number, ZERO)
    slope = substitute_atom(dim - first, atom.number, ZERO + 1)
    return slope if all(m.count(atom.number) <= 1 for m, _ in dim.terms) else None


def trips_until_false(condition: Dim, index: Dim, hidden: Hidden) -> Dim | None:
    """Return the number of iterations until `condition`, computed at the end of each, is false; None if unknown.

    It has to be `a - k*index >= 0` with a constant `k > 0`, or a conjunction of such conditions.
    """
    atom = index.as_symbol()
    formula = differs(condition, 0)
    parts: Sequence[Formula] = formula.args if formula.op == "and" else (formula,)
    limits: list[Dim] = []
    for part in parts:
        slope = slope_of(part.dim, atom) if part.dim is not None and atom is not None else None
        if part.op != "ge" or part.dim is None or atom is None or slope is None or not independent(part.dim, hidden):
            return None
        if slope.constant is None or slope.constant >= 0:
            return None
        limits.append(maximum(substitute_atom(part.dim, atom.number, ZERO) // -slope + 2, 1))
    return minimum(*limits) if formula is not FALSE and limits else None
