"""Application: the result of one rule on one node, with its outputs, requirements and facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from shapesmt.network.graph import Node
from shapesmt.network.laws import Law
from shapesmt.operators.rules.provenance import Cause, Causes, Origin
from shapesmt.operators.rules.tensors import Tensor, rewrite_tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, Formula, Substitution


class Requirement(NamedTuple):
    """A condition (`formula`) without which a node fails, and the law that says it in words.

    Attributes:
        left, right: The two sizes to report if it fails; None if there are none.
        within: The path of the inner node, if the requirement comes from a subgraph or a function's body.
        typed: Whether it is about element types.
        limit: Whether no shape depends on it: a node that breaks it can't run, but its output shapes are still known.
        branch: The condition under which the branch runs that states it.
        relation: The comparison of the sides ("==", ">="), if the requirement is just that.
        declared: Whether it is about sizes that the file declares, which the runtime checks when it loads the model.
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


UnjudgedKind: TypeAlias = Literal["unsupported", "rank", "elements", "count", "layout", "timeout"]
"""No rule, an unknown rank, elements that can't be computed or are counted, an unknown layout, or no time left."""
RANK_LAW = "the ranks of its inputs are known"


class Unjudged(NamedTuple):
    """The reason why a node, or the node inside it at `path`, is undecided.

    `law` is the missing condition, such as "the ranks of its inputs are known"; `note` adds to it; `branch` is the
    condition under which it is undecided, such as that the inner node runs. `rests_on` is the node or constant whose
    unknown elements are the reason.
    """

    path: str
    op: str
    kind: UnjudgedKind
    law: str
    note: str = ""
    branch: Formula = TRUE
    rests_on: str = ""


class Assumed(NamedTuple):
    """A law about an input of the node, or of the node inside it at `path`, that is assumed to hold.

    If `by` is "", it is about elements that are data: they aren't known before a run. Otherwise `by` is the source that
    states it, such as "archive", and the law is about the output with the index `input`.
    """

    path: str
    op: str
    input: int
    law: Law | str
    by: str = ""


class Decided(NamedTuple):
    """How data decides a size: by the elements of the inputs `by` (None: all inputs) and the shapes of the others.

    Attributes:
        total: If the size is the number of nonzero elements of the one input: how many elements it has (`NonZero`).
        place: If the size is an element of the one input: its index there.
        row: Whether the size is the index of a nonzero element along an axis.
        flag: Whether the size says if any one element of the one input isn't 0.
        free: Whether arbitrary elements can give the size any value in its range.
    """

    by: tuple[int, ...] | None = None
    total: Dim | None = None
    place: int | None = None
    free: bool = False
    row: bool = False
    flag: bool = False


BY_ALL = Decided()


class Body(NamedTuple):
    """One run of the nodes inside a node: of a branch, of an iteration, of a function that the node calls.

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

    def rewrite(self, change: Callable[[Any], Any]) -> Body:
        """Return the run with symbols replaced by `change`."""
        return self._replace(runs=change(self.runs), changes=(*self.changes, change))

    def final_size(self, size: Dim) -> Dim:
        """Return `size`, a size of the run's own tensors, after all changes."""
        for change in self.changes:
            size = change(size)
        return size

    def every(self) -> Iterator[Body]:
        """Yield the run, and those inside its nodes, over the same symbols."""
        yield self
        for inner in (run for runs in self.inner.values() for run in runs):
            for change in self.changes:
                inner = inner.rewrite(change)
            yield from inner.every()


@dataclass(frozen=True, eq=False, slots=True)
class Application:
    """One rule applied to one node: its outputs, its requirements, and facts about data-dependent sizes."""

    outputs: tuple[Tensor, ...]
    requirements: tuple[Requirement, ...]
    facts: tuple[Formula, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    repeatable: bool = True  # False if it has new symbols that belong to this node alone
    fresh_symbols: tuple[Dim, ...] = ()  # these new symbols
    ranks: tuple[tuple[Dim, int], ...] = ()  # unknown ranks of inputs, with the ranks that the node requires
    decides_success: frozenset[int] = frozenset()  # inputs whose unknown elements are assumed to be valid
    decides_sizes_only: frozenset[int] = frozenset()  # subset of `decides_success` that can't make the node fail
    rests_on_inputs: frozenset[tuple[Causes, bool]] = (
        frozenset()
    )  # for a node in a function: the function's inputs whose elements it assumes
    origin: Callable[[int], Origin] | None = None  # origin of an output's unknown elements
    called: bool = False  # whether the origins refer to the inputs of the function that the node calls
    decided: Mapping[Dim, Decided] = field(default_factory=dict)  # how data decides the new sizes
    bodies: tuple[Body, ...] = ()  # the runs of the nodes inside the node
    by_version: bool = False  # whether another version of ONNX Runtime may decide otherwise
    assumed: tuple[Assumed, ...] = ()  # laws that data are assumed to satisfy
    external: frozenset[Cause] = frozenset()  # unread constants of external files, on which it depends

    @property
    def broken(self) -> bool:
        """Whether the node runs for no input, so that it has no outputs."""
        return any(r.formula is FALSE and not r.limit for r in self.requirements)

    def inner_nodes(self, most: int) -> int:
        """Return the number of nodes in all its runs and those inside them; if it is above `most`, a number above."""
        count, ahead = 0, [*self.bodies]
        while ahead and count <= most:
            body = ahead.pop()
            count += max(len(body.nodes), 1)
            ahead += (run for runs in body.inner.values() for run in runs)
        return count

    def rewrite(self, change: Substitution) -> Application:
        """Return the application with symbols replaced."""
        return replace(
            self,
            outputs=tuple(rewrite_tensor(t, change) for t in self.outputs),
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
            bodies=tuple(body.rewrite(change.apply) for body in self.bodies),
        )
