"""Application: what one rule says of one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from shapesmt.algebra import FALSE, TRUE, Dim, Formula, Substitution
from shapesmt.laws import Law
from shapesmt.rules.provenance import Causes, Origin
from shapesmt.rules.tensor import Tensor, rewritten


class Requirement(NamedTuple):
    """The condition, the law it stands for, and the two sides that clash when it fails.

    `within` is the path of the inner node for a requirement that comes from a subgraph or a function's body. `typed`
    says that it is about element types; `limit` that no shape depends on it: a node that breaks it can't run, but what
    shapes its outputs would have is known all the same. `given` is the condition of the branches that it stands in.
    """

    formula: Formula
    law: Law
    left: Dim | None = None
    right: Dim | None = None
    within: str = ""
    typed: bool = False
    limit: bool = False
    given: Formula = TRUE


class Unjudged(NamedTuple):
    """A node of which nothing is said, at the path of an inner node: no rule, an unknown rank or unknown elements.

    `kind` is "unsupported", "rank" or "elements"; `law` says what would have to be so for it to be judged, `note`
    what is known all the same; `given` is the condition under which the node comes to it.
    """

    path: str
    op: str
    kind: str
    law: str
    note: str = ""
    given: Formula = TRUE


class Decided(NamedTuple):
    """How data decides a size: by the elements of these inputs (all of them unless said) and the shapes of the others.

    Where `total` is given, the size is how many elements of the one input aren't 0, of so many; where `place` is, it
    is that element of the one input; a `row` is a place on one of its axes where such an element is. `free` says that
    elements which can be anything make it anything in its range.
    """

    by: tuple[int, ...] | None = None
    total: Dim | None = None
    place: int | None = None
    free: bool = False
    row: bool = False


BY_ALL = Decided()


@dataclass(frozen=True, eq=False, slots=True)
class Application:
    """One rule applied: outputs, what the node needs, and what is known of the sizes that data decides."""

    outputs: tuple[Tensor, ...]
    requirements: tuple[Requirement, ...]
    facts: tuple[Formula, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    repeatable: bool = True  # False where it made symbols that belong to this very node
    fresh_symbols: tuple[Dim, ...] = ()  # those symbols
    ranks: tuple[tuple[Dim, int], ...] = ()  # unknown ranks of inputs that it needs to be these
    decides_success: frozenset[int] = frozenset()  # inputs whose elements, where unknown, are assumed to be right
    decides_sizes_only: frozenset[int] = frozenset()  # those of them that can't make the node fail
    rests_on_inputs: frozenset[tuple[Causes, bool]] = frozenset()  # of a function's node: what it assumes of inputs
    origin: Callable[[int], Origin] | None = None  # of the unknown elements of an output, where an inner graph makes it
    called: bool = False  # whether these are about the inputs of the function that the node calls
    decided: Mapping[Dim, Decided] = field(default_factory=dict)  # how data decides what it made, as far as is known

    @property
    def broken(self) -> bool:
        """Whether the node runs for no input, so that it makes nothing."""
        return any(r.formula is FALSE and not r.limit for r in self.requirements)

    def rewritten(self, change: Substitution) -> Application:
        """What it says with symbols replaced."""
        return replace(
            self,
            outputs=tuple(rewritten(t, change) for t in self.outputs),
            requirements=tuple(
                r._replace(
                    formula=change.apply(r.formula),
                    left=None if r.left is None else change.apply(r.left),
                    right=None if r.right is None else change.apply(r.right),
                    given=change.apply(r.given),
                )
                for r in self.requirements
            ),
            facts=tuple(map(change.apply, self.facts)),
            unjudged=tuple(u._replace(given=change.apply(u.given)) for u in self.unjudged),
            fresh_symbols=tuple(map(change.apply, self.fresh_symbols)),
            decided={change.apply(size): how for size, how in self.decided.items()},
        )
