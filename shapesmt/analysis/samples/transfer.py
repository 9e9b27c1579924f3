"""Transfer: the states of a node's outputs, given those of its inputs, by its operator's traits and its rule.

An operator that rearranges elements is followed by its own rule, applied to the numbers of the samples instead of the
elements. Others say which axes of their inputs the outputs follow.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import NamedTuple

from shapesmt.analysis.samples.states import SHARED, Batch, Site, State, first_site, unknown, worst
from shapesmt.base.errors import RejectedError, UsageError
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Node
from shapesmt.operators.inference import Trace
from shapesmt.operators.ops import PICKED
from shapesmt.operators.rules import (
    Elements,
    Follows,
    Keeps,
    Letters,
    Memory,
    Rule,
    RuleContext,
    Tensor,
    UndecidedError,
    UnknownRankError,
    field as formula,
    position,
    positions,
    rewrite_tensor,
    tensor,
)
from shapesmt.prover.algebra import (
    TRUE,
    ZERO,
    Dim,
    Formula,
    Substitution,
    all_of,
    atom_of,
    entries,
    negate,
    of_atom,
    substitute,
    symbol,
)

MOST = (1 << 31) - 2  # elements along an axis: files write larger numbers for its end
MOST_SAMPLES = 1 << 20
FACTORS = frozenset({"bool", "float16", "bfloat16", "float32", "float64"})
ORDERED = frozenset({Keeps.ALL, Keeps.ORDERED})
JOINED = frozenset({Keeps.CONCATENATED, Keeps.STACKED})
MOVED = frozenset({Keeps.REARRANGED, Keeps.REPEATED, Keeps.COPIED}) | JOINED
EACH = frozenset({Keeps.CONVERTED, Keeps.NEGATED, Keeps.COMPARED})


class Outcome(NamedTuple):
    """The samples of an output, by those of the inputs.

    Attributes:
        sample: The number of the sample of each element; None if they are mixed or unknown.
        condition: The sizes for which that is right.
        exact: The samples at all sizes, if they are those of no split axis; None if there are none.
    """

    sample: Dim | None
    condition: Formula = TRUE
    known: bool = True
    exact: Dim | None = None


MIXED = Outcome(None)
UNKNOWN = Outcome(None, known=False)


class Step(NamedTuple):
    """A node with its rule, its version, and its tensors; None for omitted inputs."""

    rule: Rule
    node: Node
    version: int
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    chosen: bool = False
    """Whether the caller gives indices that the node reads, so that any element may be picked."""

    @property
    def is_elementwise(self) -> bool:
        """Whether each output element is computed from the elements at its position."""
        return self.rule.traits.memory is Memory.ELEMENTWISE or self.rule.traits.keeps in EACH

    @property
    def is_tracked(self) -> bool:
        """Whether the operator says what it does to samples."""
        moves = self.rule.traits.keeps in ORDERED | MOVED
        return self.is_elementwise or moves or self.rule.follows is not None

    @property
    def indices(self) -> list[Tensor]:
        """The inputs with indices."""
        places = self.rule.traits.indices
        return [t for i, t in enumerate(self.inputs) if i in places and t is not None]

    @property
    def copied(self) -> tuple[int, ...]:
        """The inputs whose elements the outputs may hold."""
        keeps, copied = self.rule.traits.keeps, self.rule.traits.copied
        if keeps in JOINED:  # a scalar among the inputs of a concatenation is its axis
            joins = [t is not None and (t.shape != () or keeps is Keeps.STACKED) for t in self.inputs]
            return tuple(i for i, joined in enumerate(joins) if joined)
        return copied if keeps is Keeps.COPIED else (0,)


@frozen(eq=False)
class Transfer:
    """Finds the states of outputs, for one batch; `trace` applies a rule to other elements."""

    batch: Batch
    trace: Trace
    _known: dict[Hashable, tuple[Outcome, ...]] = field(default_factory=dict)

    def outputs(self, step: Step, states: Sequence[State], site: Site) -> list[State]:
        """Return the states of a node's outputs."""
        if all(s is SHARED for s in states):
            return [SHARED] * len(step.outputs)
        if step.rule.of_shape:
            return [self._of_sizes(step, states, site)] * len(step.outputs)
        found = self._states(step, states, site)
        if not any(s.exact for s in states):
            return found
        others = self._states(step, [s.exact or s for s in states], site)
        return [_better(state, other, site) for state, other in zip(found, others, strict=True)]

    @staticmethod
    def _of_sizes(step: Step, states: Sequence[State], site: Site) -> State:
        """Return the state of an output that depends on the sizes of the inputs only, not on those that data decide."""
        sizes = [d for t in step.inputs if t is not None for d in t.shape or ()]
        by_data = any(a.by_data for d in sizes for a in d.symbols)
        return (worst(states) or unknown(site)) if by_data else SHARED

    def _states(self, step: Step, states: Sequence[State], site: Site) -> list[State]:
        lost = worst(states)
        if lost is not None:
            passed = lost.known and step.is_tracked and not self._may_separate(step, states, 2)
            return [lost._replace(exact=None) if passed or not lost.known else unknown(site)] * len(step.outputs)
        samples = tuple(s.sample or ZERO for s in states)
        before = State(ZERO, all_of(*(s.holds for s in states)), first_site(states))
        return [self._state(outcome, before, site) for outcome in self._outcomes(step, samples, before.holds)]

    def _state(self, outcome: Outcome, before: State, site: Site) -> State:
        """Return the state of an output; `before` holds the conditions of the inputs."""
        if not outcome.known:
            return unknown(site)
        if outcome.sample is ZERO:
            return SHARED
        exact = None if outcome.exact is None else before._replace(sample=outcome.exact)
        where = before.site or site
        if outcome.sample is None:
            return self.batch.mixed(where)._replace(exact=exact)
        if outcome.condition is TRUE:
            return before._replace(sample=outcome.sample)
        holds = all_of(before.holds, self.batch.otherwise(outcome.condition))
        return State(outcome.sample, holds, where, exact=exact)

    def _outcomes(self, step: Step, samples: tuple[Dim, ...], holds: Formula) -> tuple[Outcome, ...]:
        """Return the samples of a node's outputs at the sizes for which those of its inputs are right."""
        key = step.rule, step.version, step.node.attributes, step.inputs, step.outputs, step.chosen, samples, holds
        known = self._known.get(key)
        if known is None:
            reshaped = step.rule.traits.keeps in ORDERED
            found = self._reshaped(step, samples, holds) if reshaped else self._computed(step, samples)
            pairs = zip(found, step.outputs, strict=True)
            known = self._known[key] = tuple(self._split(outcome, t, holds) for outcome, t in pairs)
        return known

    def _split(self, outcome: Outcome, t: Tensor, holds: Formula) -> Outcome:
        """Return the outcome for a tensor, which is mixed if no axis is split."""
        if outcome.sample is None:
            return outcome
        if t.shape is None:
            return UNKNOWN
        if outcome.condition is not TRUE or (holds is not TRUE and self.batch.split(outcome.sample, t.shape, holds)):
            return outcome
        sample = self.batch.settle(outcome.sample, t.shape)
        if sample is ZERO:
            return Outcome(ZERO)
        split = self.batch.split(sample, t.shape)
        if split is None:
            partly = self.batch.partly(sample, t.shape)
            if partly is None or not self._is_about_any_batch(partly[1]):
                return Outcome(None, exact=sample)
            return Outcome(*partly, exact=sample)
        return outcome._replace(sample=self.batch.label(t.rank - split.axis, split.inner, split.outer))

    def _computed(self, step: Step, samples: tuple[Dim, ...]) -> Sequence[Outcome]:
        count, traits = len(step.outputs), step.rule.traits
        if step.is_elementwise and step.rule.follows is None:
            return [_joined([*samples])] * count
        if traits.keeps in MOVED or traits.indices:
            copied = tuple(s if i in step.copied else ZERO for i, s in enumerate(samples))
            others = tuple(ZERO if i in step.copied else s for i, s in enumerate(samples))
            moved = self._moved(step, copied) if _carries(copied) else [ZERO] * count
            followed = self._followed(step, others) if _carries(others) else [Outcome(ZERO)] * count
            if None not in moved:
                return [_together(Outcome(a), b) for a, b in zip(moved, followed, strict=True)]
        return self._followed(step, samples)

    def _moved(self, step: Step, samples: Sequence[Dim]) -> list[Dim | None]:
        """Return the samples of a rearrangement, by the operator's rule; None for those that it doesn't track."""
        labelled = [
            tensor("int64", t.shape, formula(s)) if t is not None and i in step.copied and t.shape is not None else t
            for i, (t, s) in enumerate(zip(step.inputs, samples, strict=True))
        ]
        symbols = {s for t in step.inputs if t is not None for d in t.shape or () for s in d.symbols}
        own = self.batch.size.symbols
        most = {s: MOST_SAMPLES if s in own else MOST for s in symbols}
        narrow = {s: symbol(s.name, s.lo, m, step=s.step, kind=s.kind) for s, m in most.items() if s.lo < m < s.hi}
        if not narrow:
            return [d if d is not None and _is_decided(d) else None for d in self.trace(step.rule, step.node, labelled)]
        change = Substitution(narrow)
        back = {atom_of(d): of_atom(s) for s, d in narrow.items()}
        found = self.trace(step.rule, step.node, [None if t is None else rewrite_tensor(t, change) for t in labelled])
        return [substitute(d, back) if d is not None and _is_decided(d) else None for d in found]

    def _reshaped(self, step: Step, samples: tuple[Dim, ...], holds: Formula) -> Sequence[Outcome]:
        """Return the samples of a tensor whose elements stay in order, on the axis that they split."""
        (t, *more), before = step.outputs, step.inputs[0]
        if step.rule.traits.keeps is Keeps.ALL and not _carries(samples[1:]):
            return [Outcome(samples[0])] * len(step.outputs)
        if more or before is None or before.shape is None or t.shape is None or _carries(samples[1:]):
            return [UNKNOWN] * len(step.outputs)
        stride = self.batch.stride(samples[0], before.shape, holds)
        if stride is None:
            (moved,) = self._moved(step, samples)
            return [UNKNOWN if moved is None else Outcome(moved)]
        found = self.batch.regroup(stride, t.shape)
        for sample, condition in found:
            if self.batch.proves(condition):
                return [Outcome(sample)]
        exact = self.batch.in_rows(stride, t.shape)
        for sample, condition in found:
            if self._is_about_any_batch(condition):
                return [Outcome(sample, condition, exact=exact)]
        return [Outcome(None, exact=exact)]

    def _is_about_any_batch(self, condition: Formula) -> bool:
        """Whether a condition is about the batch alone or about other sizes alone, and holds for several samples."""
        own = condition.symbols & self.batch.size.symbols
        apart = not own or condition.symbols == own
        return apart and not self.batch.proves(self.batch.otherwise(negate(condition)))

    def _followed(self, step: Step, samples: tuple[Dim, ...]) -> Sequence[Outcome]:
        """Return the samples of outputs by the axes of the inputs that they follow."""
        follows = self._follows(step)
        if follows is None:
            return [UNKNOWN] * len(step.outputs)
        made = (*follows.outputs, *[()] * len(step.outputs))
        results = []
        for t, letters in zip(step.outputs, made, strict=False):
            read = (*follows.inputs, *[()] * len(samples))
            pairs = [(s, own) for s, own in zip(samples, read, strict=False) if s is not ZERO and own is not None]
            parts = [_carried(s, own, letters) for s, own in pairs]
            fits = t.shape is not None and len(letters) in (0, t.rank)
            fixed = any(_is_uniform(t) for t in step.indices)
            parts = [MIXED if part is UNKNOWN and (step.chosen or fixed) else part for part in parts]
            if MIXED in parts and self._may_separate(step, [SHARED if s is ZERO else None for s in samples], 1):
                parts = [UNKNOWN]
            results.append(_together(*parts) if fits else UNKNOWN)
        return results

    def _may_separate(self, step: Step, states: Sequence[State | None], axes: int) -> bool:
        """Whether zeros in a shared tensor with so many axes that depend on the batch may separate samples."""
        own = self.batch.size.symbols
        for t, state in zip(step.inputs, states, strict=True):
            if state is SHARED and t is not None and t.dtype in FACTORS and not _is_uniform(t):
                sizes = [d for d in t.shape or () if not own.isdisjoint(d.symbols)]
                if len(sizes) >= axes:
                    return True
        return False

    @staticmethod
    def _follows(step: Step) -> Follows | None:
        """Return the axes that the outputs follow; None if they aren't stated or known."""
        if step.rule.follows is None:
            return None
        try:
            return step.rule.follows(RuleContext(step.node, step.inputs, step.version), step.outputs)
        except (RejectedError, UndecidedError, UnknownRankError, UsageError):
            return None


def _is_decided(sample: Dim) -> bool:
    """Whether no elements that are unknown before the model runs decide the samples."""
    return not entries(sample) and not any(a.by_data for a in sample.symbols)


def _is_uniform(t: Tensor) -> bool:
    """Whether all elements of a tensor are known to be equal."""
    if isinstance(t.value, Elements):
        return None not in t.value.items and len({*t.value.items}) == 1
    return t.value is not None and not positions(t.value.element)


def _carried(sample: Dim, letters: Letters, made: Letters) -> Outcome:
    """Return the samples of an output with the letters `made` that is computed from an input with others."""
    moved = {}
    for place in positions(sample):
        back = int(place.name[1:])
        letter = letters[-back] if back <= len(letters) else None
        if letter is PICKED:
            return UNKNOWN
        if letter is None or letter not in made:
            return MIXED
        moved[place] = position(len(made) - made.index(letter))
    return Outcome(substitute(sample, moved))


def _joined(samples: Sequence[Dim]) -> Outcome:
    """Return the samples of elements that are computed from elements of these samples."""
    different = {s for s in samples if s is not ZERO}
    return Outcome(different.pop() if different else ZERO) if len(different) <= 1 else MIXED


def _together(*outcomes: Outcome) -> Outcome:
    """Return the samples of elements that are computed from elements with these outcomes."""
    if MIXED in outcomes or UNKNOWN in outcomes:
        return MIXED if MIXED in outcomes else UNKNOWN
    return _joined([o.sample for o in outcomes if o.sample is not None])


def _better(state: State, other: State, site: Site) -> State:
    """Return the state that says more of an output of the node at `site`; `other` is computed from exact states."""
    if other.sample is not None and other.site != site:
        return other
    return state._replace(exact=other.exact) if other.known else state


def _carries(samples: Sequence[Dim]) -> bool:
    """Whether some elements depend on a sample."""
    return any(s is not ZERO for s in samples)
