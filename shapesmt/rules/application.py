"""Application: the result of one rule on one node, with its outputs, requirements and facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from shapesmt.algebra import FALSE, TRUE, Dim, Formula, Substitution
from shapesmt.graph import Node
from shapesmt.laws import Law
from shapesmt.rules.provenance import Causes, Origin
from shapesmt.rules.tensors import Tensor, rewritten


class Requirement(NamedTuple):
    """The condition, the law it stands for, and the two sides that clash when it fails.

    `within` is the path of the inner node for a requirement that comes from a subgraph or a function's body. `typed`
    marks one about element types; `limit` one on which no shape depends: a node that breaks it can't run, but the
    shapes of its outputs are still known. `branch` is the condition under which the branch runs that states it.
    `relation` is how the sides have to compare ("==", ">="), where that is all of it. `declared` marks one about sizes
    that the file declares, which the runtime judges when it loads the model.
    """

    formula: Formula
    law: Law
    left: Dim | None = None
    right: Dim | None = None
    within: str = ""
    typed: bool = False
    limit: bool = False
    branch: Formula = TRUE
    relation: str = ""
    declared: bool = False


UnjudgedKind: TypeAlias = Literal["unsupported", "rank", "elements", "timeout"]
"""No rule, an unknown rank, elements that aren't followed, or no time left."""
RANK_LAW = "the ranks of its inputs are known"


class Unjudged(NamedTuple):
    """The reason why a node, or the node inside it at `path`, isn't judged.

    `law` is what would have to hold for the node to be judged, such as "the ranks of its inputs are known"; `note` adds
    to it; `branch` is the condition under which the inner node runs. `rests_on` is the node or the constant that isn't
    followed, where that is the reason.
    """

    path: str
    op: str
    kind: UnjudgedKind
    law: str
    note: str = ""
    branch: Formula = TRUE
    rests_on: str = ""


class Assumed(NamedTuple):
    """A law about the elements of an input that the node, or the node inside it at `path`, is assumed to satisfy.

    They are data: nothing says what they are before a run.
    """

    path: str
    op: str
    input: int
    law: str


class Decided(NamedTuple):
    """How data decides a size: by the elements of the inputs `by` (None: all inputs) and the shapes of the others.

    `total`: the size is the number of nonzero elements of the one input, which has that many elements (`NonZero`).
    `place`: it is the element of the one input at that place. `row`: it is the index of a nonzero element along an
    axis. `flag`: it is whether any one element of the one input isn't 0. `free`: arbitrary elements can give it any
    value in its range.
    """

    by: tuple[int, ...] | None = None
    total: Dim | None = None
    place: int | None = None
    free: bool = False
    row: bool = False
    flag: bool = False


BY_ALL = Decided()


class Body(NamedTuple):
    """One run of the nodes inside a node: of a branch, of a trip of a loop, of a function that the node calls.

    `runs` is the condition under which it takes place, and `label` tells it from the node's other runs. `inner` has the
    runs inside its own nodes, by their index. The sizes of its tensors are those of `tensors` after all `changes`.
    """

    label: str
    nodes: Sequence[Node]
    inputs: Sequence[str]
    outputs: Sequence[str]
    tensors: Mapping[str, Tensor]
    inner: Mapping[int, tuple[Body, ...]]
    runs: Formula = TRUE
    changes: tuple[Callable[[Any], Any], ...] = ()

    def rewritten(self, change: Callable[[Any], Any]) -> Body:
        """The run with symbols replaced."""
        return self._replace(runs=change(self.runs), changes=(*self.changes, change))

    def changed(self, size: Dim) -> Dim:
        """A size of the run's own tensors after all changes."""
        for change in self.changes:
            size = change(size)
        return size

    def every(self) -> Iterator[Body]:
        """The run, and those inside its nodes, over the same symbols."""
        yield self
        for inner in (run for runs in self.inner.values() for run in runs):
            for change in self.changes:
                inner = inner.rewritten(change)
            yield from inner.every()


@dataclass(frozen=True, eq=False, slots=True)
class Application:
    """One rule applied to one node: its outputs, its requirements, and facts about the sizes that data decides."""

    outputs: tuple[Tensor, ...]
    requirements: tuple[Requirement, ...]
    facts: tuple[Formula, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    repeatable: bool = True  # False where it has new symbols that belong to this node alone
    fresh_symbols: tuple[Dim, ...] = ()  # these new symbols
    ranks: tuple[tuple[Dim, int], ...] = ()  # unknown ranks of inputs, with the ranks that the node requires
    decides_success: frozenset[int] = frozenset()  # inputs whose unknown elements are assumed to be valid
    decides_sizes_only: frozenset[int] = frozenset()  # those of them that can't make the node fail
    rests_on_inputs: frozenset[tuple[Causes, bool]] = (
        frozenset()
    )  # of a node in a function: the function's inputs whose elements it assumes
    origin: Callable[[int], Origin] | None = None  # of an output's unknown elements, if an inner graph computes it
    called: bool = False  # whether these refer to the inputs of the function that the node calls
    decided: Mapping[Dim, Decided] = field(default_factory=dict)  # how data decides the new sizes
    bodies: tuple[Body, ...] = ()  # the runs of the nodes inside the node
    by_version: bool = False  # whether another version of ONNX Runtime may decide otherwise
    assumed: tuple[Assumed, ...] = ()  # what data are assumed to satisfy

    @property
    def broken(self) -> bool:
        """Whether the node runs for no input, so that it has no outputs."""
        return any(r.formula is FALSE and not r.limit for r in self.requirements)

    def rewritten(self, change: Substitution) -> Application:
        """The application with symbols replaced."""
        return replace(
            self,
            outputs=tuple(rewritten(t, change) for t in self.outputs),
            requirements=tuple(
                r._replace(
                    formula=change.apply(r.formula),
                    left=None if r.left is None else change.apply(r.left),
                    right=None if r.right is None else change.apply(r.right),
                    branch=change.apply(r.branch),
                )
                for r in self.requirements
            ),
            facts=tuple(map(change.apply, self.facts)),
            unjudged=tuple(u._replace(branch=change.apply(u.branch)) for u in self.unjudged),
            fresh_symbols=tuple(map(change.apply, self.fresh_symbols)),
            decided={change.apply(size): how for size, how in self.decided.items()},
            bodies=tuple(body.rewritten(change.apply) for body in self.bodies),
        )
