"""Broadcasts that may not be meant: two sizes are to be equal, and for some inputs one of them is 1."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from shapesmt.analysis.diagnose.warnings.common import Examples, is_about_inputs, warning
from shapesmt.analysis.verify import Examined
from shapesmt.network import laws
from shapesmt.operators.rules import Requirement
from shapesmt.prover.algebra import ONE, Assignment, Dim, Formula, all_of, any_of, at_least, equal, negate
from shapesmt.reports.answers import ModelWarning, WarningKind, facts

STRETCHING = (laws.SIZES_BROADCAST, laws.BATCH_SIZES_BROADCAST)
MAX_STRETCHED = 16  # the most different pairs of sizes that are examined


class Broadcast(NamedTuple):
    """A requirement on two sizes that are to be equal, and of which one is 1 for some valid inputs.

    Attributes:
        place: The index of the node.
        own: The requirement over the problem's own symbols.
        narrow: The requirement over the symbols of the examination's inference.
        apart: A valid input at which one size is 1 and the other isn't.
        together: A valid input at which the sizes are equal and more than 1; None if there is none.
    """

    place: int
    own: Requirement
    narrow: Requirement
    apart: Assignment
    together: Assignment | None

    @property
    def agree(self) -> Formula:
        """The condition under which the sizes are equal."""
        return equal(*_sides(self.own))


def ambiguous_broadcasts(a: Examined, examples: Examples) -> Iterator[ModelWarning]:
    """Warn of two sizes that are to be equal, while for some valid inputs a 1 is broadcast to the other."""
    pairs = {(found.place, *_sides(found.own)): found for found in unmeant_broadcasts(a, examples)}
    for found in pairs.values():
        sizes = _sides(found.narrow)
        example, at = examples.counterexample_at(found.apart, sizes[0].symbols | sizes[1].symbols)
        valued = [*zip(_sides(found.own), map(at.dim, sizes), strict=True)]
        (one, _), (other, value) = valued if valued[0][1] == 1 else valued[::-1]
        agree = "" if found.together is None else str(found.agree)
        told = facts.Stretched(str(one), str(other), value if other.symbols else None, example, agree)
        yield warning(WarningKind.BROADCAST, told, (found.place, a.problem.graph.nodes[found.place]), example=example)


def unmeant_broadcasts(a: Examined, examples: Examples) -> Iterator[Broadcast]:
    """Yield the broadcasts of sizes that are to be equal, each pair once.

    Sizes that are equal for no valid input are broadcast on purpose, unless the node fails for other inputs and both
    are computed from the same size: then nobody chooses the 1.
    """
    judged = {j.index for j in a.examination.judgements}
    for index, own, narrow in islice(_open_broadcasts(a), MAX_STRETCHED):
        x, y = _sides(narrow)
        stretched = any_of(all_of(equal(x, 1), at_least(y, 2)), all_of(equal(y, 1), at_least(x, 2)))
        apart = examples.where(all_of(narrow.branch, stretched))
        if apart is None:
            continue
        above = all_of(narrow.branch, equal(x, y), at_least(x, 2))
        together = examples.where(above)
        alike = index in judged and not set.isdisjoint(*({*side.symbols} for side in _sides(own)))
        if together is not None or (alike and a.judge.proves(a.examination.narrowed, negate(above))):
            yield Broadcast(index, own, narrow, apart, together)


def _open_broadcasts(a: Examined) -> Iterator[tuple[int, Requirement, Requirement]]:
    """Yield the nodes that may broadcast, with the requirement over the problem's own symbols and over narrowed ones.

    If the conditions of the nodes that fail leave nothing open, a size is 1 by them.
    """
    examination, seen = a.examination, set[Formula]()
    narrowing, judged = examination.narrowing, {j.index: j.open for j in examination.judgements}
    for index in examination.open:
        left_open = filter(_may_broadcast, examination.inference.applications[index].requirements)
        pairs = [(narrowing.requirement(r), r) for r in left_open]
        settled = [(r, narrowing.narrow(r)) for r in filter(_may_broadcast, judged.get(index, ()))]
        pairs += [(own, narrow) for own, narrow in settled if ONE in _sides(narrow)]
        for own, narrow in pairs:
            if own.formula not in seen:
                seen.add(own.formula)
                yield index, own, narrow


def _may_broadcast(r: Requirement) -> bool:
    """Whether a requirement relates two sizes of inputs that are equal, or one of them 1."""
    sides = r.left is not None and r.right is not None
    return sides and r.formula.op == "or" and r.law in STRETCHING and is_about_inputs(r.formula)


def _sides(r: Requirement) -> tuple[Dim, Dim]:
    """Return the sizes that a requirement compares."""
    assert r.left is not None
    assert r.right is not None
    return r.left, r.right
