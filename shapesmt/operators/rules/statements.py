"""Collect the requirements and facts that a rule states about its node, and return them as its application."""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import inf
from typing import NoReturn

from shapesmt.base.deadline import look
from shapesmt.base.errors import RejectedError, ShapeMismatch
from shapesmt.base.version import Version, followed_runtime
from shapesmt.network import laws
from shapesmt.network.graph import Node
from shapesmt.operators.rules.application import (
    BY_ALL,
    Application,
    Assumed,
    Body,
    Decided,
    Requirement,
    Unjudged,
    UnjudgedKind,
)
from shapesmt.operators.rules.provenance import Cause, Causes
from shapesmt.operators.rules.tensors import Shape, Tensor
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Dim,
    Formula,
    Kind,
    all_of,
    as_dim,
    at_least,
    equal,
    implies,
    maximum,
    symbol,
)

VALID = "its elements are valid"
MAX_ADOPTED = 20_000  # beyond it, equal statements of inner nodes are listed once


class Statements:
    """The statements of a rule: requirements, facts, data-dependent sizes, and inputs whose elements decide success.

    Attributes:
        loading: Whether sizes are those that the runtime knows when it loads the model: the declared ones.
    """

    loading = False

    def __init__(self, node: Node, inputs: Sequence[Tensor | None]) -> None:
        self.node = node
        self.alone = False
        self.inputs = tuple(inputs)
        self.requirements: list[Requirement] = []
        self.facts: list[Formula] = []
        self.unjudged: list[Unjudged] = []
        self.memoizable = True
        self.by_version = False
        self.fresh_symbols: list[Dim] = []
        self.decisions: dict[Dim, Decided] = {}
        self.decides_success: set[int] = set()
        self.decides_sizes_only: set[int] = set()
        self.assumed: dict[Assumed, None] = {}
        self._assumed_laws: dict[int, laws.Law | str] = {}
        self.bodies: list[Body] = []
        self.rejected = False
        self.rests_on_inputs: set[tuple[Causes, bool]] = set()
        self.external: set[Cause] = set()
        self.unread: set[int] = set()  # inputs whose elements are known, but not as a list
        self._condition: Formula = TRUE

    # Laws

    def require(
        self,
        formula: Formula,
        law: laws.Law | str,
        left: Dim | int | None = None,
        right: Dim | int | None = None,
        *,
        relation: str = "",
    ) -> None:
        """State a requirement of the node: a condition over sizes, and the law that expresses it in words.

        `left` and `right` are the two sizes to report if it fails; `relation` is "==" or ">=" if it just compares them.
        """
        formula = self._under_condition(formula)
        if formula is FALSE and self.alone:
            raise ShapeMismatch(str(law) if left is None or right is None else f"{law}: {left} and {right}")
        if formula is not TRUE:
            first, second = (None if s is None else as_dim(s) for s in (left, right))
            self.requirements.append(
                Requirement(formula, laws.as_law(law), first, second, branch=self._condition, relation=relation)
            )
        else:
            self.requirements.append(Requirement(TRUE, laws.as_law(law)))

    def limit(
        self, truth: Formula | bool, law: laws.Law | str, left: Dim | int | None = None, right: Dim | int | None = None
    ) -> None:
        """Require `truth`, on which no output shape depends: even if it can't hold, the output shapes stay known."""
        if truth is not True:
            self.require(truth or FALSE, law, left, right)
            self.requirements[-1] = self.requirements[-1]._replace(limit=True)

    def limit_declared(
        self, truth: bool, law: laws.Law | str, left: Dim | int | None = None, right: Dim | int | None = None
    ) -> None:
        """State a limit on sizes that the file declares, which the runtime checks when it loads the model.

        It counts only while `loading` is set: sizes that only a question fixes are exempt.
        """
        if not truth and self.loading:
            self.limit(truth, law, left, right)
            self.requirements[-1] = self.requirements[-1]._replace(declared=True)
        elif not truth:
            self.requirements.append(Requirement(TRUE, laws.as_law(law), declared=True))

    def as_loaded(self, shape: Shape, inferred: Shape, law: laws.Law) -> Shape:
        """Return an output's shape; while `loading` is set, return the one that ONNX infers instead.

        Nodes downstream that can't run on the inferred shape make the runtime refuse the model when it loads it.
        """
        if shape == inferred or self.loading:
            return inferred
        self.requirements.append(Requirement(TRUE, law, declared=True))
        return shape

    def ensure_equal(self, left: Dim | int, right: Dim | int, law: laws.Law | str) -> None:
        """Require that two sizes are equal, because the rest of the rule relies on it; end it if they never are."""
        self.require_equal(left, right, law)
        if equal(left, right) is FALSE:
            raise RejectedError

    def require_equal(self, left: Dim | int, right: Dim | int, law: laws.Law | str) -> None:
        """Require that two sizes are equal."""
        self.require(equal(left, right), law, left, right, relation="==")

    def require_at_least(self, left: Dim | int, right: Dim | int, law: laws.Law | str) -> None:
        """Require that `left >= right`."""
        self.require(at_least(left, right), law, left, right, relation=">=")

    def require_within(self, index: Dim | int, size: Dim | int, law: laws.Law | str) -> None:
        """Require that `index` is inside an axis of size `size`: `-size <= index < size`."""
        index, size = as_dim(index), as_dim(size)
        self.require(all_of(at_least(index, -size), at_least(size, index + 1)), law, index, size)

    def check(self, truth: bool, law: laws.Law | str) -> None:
        """End the rule if `truth` is False: the node then violates `law` at all sizes and can't run."""
        if not truth:
            self.reject(law)

    def reject(self, law: laws.Law | str) -> NoReturn:
        """State that the node can't run, as it violates `law` at all sizes, and end the rule."""
        self.require(FALSE, law)
        raise RejectedError

    def leave(
        self, kind: UnjudgedKind, missing: laws.Law | str, note: str = "", *, branch: Formula = TRUE, rests_on: str = ""
    ) -> None:
        """Leave the node undecided, because it isn't known whether the condition `missing` holds (see `Unjudged`)."""
        self.unjudged.append(Unjudged("", self.node.op, kind, str(missing), note, branch, rests_on))

    def _under_condition(self, formula: Formula) -> Formula:
        return formula if self._condition is TRUE else implies(self._condition, formula)

    def since(self, version: Version) -> bool:
        """Whether the assumed ONNX Runtime is `version` or newer; records that the answer depends on it."""
        self.by_version = True
        return followed_runtime() >= version

    # What data decides

    def assume_valid(self, *indices: int, law: laws.Law | None = None, fails: bool = True) -> None:
        """Record that elements of the inputs `indices` decide whether the node runs; unknown ones are assumed valid.

        `law` states what is assumed of them; with `fails=False`, any element is valid and nothing is assumed.
        """
        self.decides_success.update(indices)
        if law is not None or not fails:
            self._assumed_laws.update(dict.fromkeys(indices, law or ""))

    def assume(self, index: int, law: laws.Law | str) -> None:
        """Record that elements of input `index` are data, which are assumed to satisfy `law`."""
        self.assumed[Assumed("", self.node.op, index, law)] = None

    def only_sizes(self, *indices: int) -> None:
        """Record that the elements of the inputs `indices` decide sizes, but can't make the node fail."""
        self.decides_success.update(indices)
        self.decides_sizes_only.update(indices)

    def fresh(
        self, name: str, lo: int = 0, hi: Dim | int | None = None, kind: Kind = Kind.DATA, how: Decided = BY_ALL
    ) -> Dim:
        """Return a new symbol for a data-dependent size from `lo` to `hi`; `name` is unique in the node.

        With kind "iteration" it is a loop's index and stands for every iteration. `how` says which elements decide the
        size.
        """
        self.memoizable = False
        # If a node can't run, `hi` may be below `lo`; the facts have to be satisfiable even then.
        most = maximum(hi, lo) if hi is not None else None
        size = symbol(f"{self.node.outputs[0]}.{name}", lo, inf if most is None else most.hi, kind=kind)
        self.fresh_symbols.append(size)
        self.decisions[size] = how
        if most is not None and most.constant is None:
            self.facts.append(at_least(most, size))
        return size

    # The application

    def adopt(self, inner: Application, within: str) -> None:
        """Add the requirements and facts of a node in a subgraph or function, under the condition set by `where`.

        `within` is the path of that node, which reports show.
        """
        look()
        requirements, facts, unjudged = inner.requirements, inner.facts, inner.unjudged
        if len(requirements) + len(self.requirements) > MAX_ADOPTED:  # functions that call functions: each law once
            requirements = tuple({r.formula: r for r in requirements if r.formula is not TRUE}.values())
        if len(facts) + len(self.facts) > MAX_ADOPTED:
            facts = tuple(dict.fromkeys(facts))
        if len(unjudged) + len(self.unjudged) > MAX_ADOPTED:
            unjudged = tuple({u._replace(path=""): u for u in unjudged}.values())
        for r in requirements:
            path = f"{within}/{r.within}" if r.within else within
            condition = all_of(self._condition, r.branch)
            self.requirements.append(
                r._replace(formula=self._under_condition(r.formula), within=path, branch=condition)
            )
        self.facts.extend(map(self._under_condition, facts))
        self.memoizable &= inner.repeatable
        self.by_version |= inner.by_version
        self.fresh_symbols.extend(inner.fresh_symbols)
        self.rests_on_inputs.update(inner.rests_on_inputs)
        self.external.update(inner.external)
        for a in inner.assumed:
            self.assumed[a._replace(path=f"{within}/{a.path}" if a.path else within)] = None
        paths = [(u, f"{within}/{u.path}" if u.path else within) for u in unjudged]
        self.unjudged.extend(u._replace(path=path, branch=all_of(self._condition, u.branch)) for u, path in paths)

    def enter(self, body: Body, applications: Sequence[Application]) -> None:
        """Add one run of a subgraph or function, and the requirements and facts of its nodes.

        `applications` has the application of each of the body's nodes.
        """
        for inner, application in zip(body.nodes, applications, strict=True):
            self.adopt(application, f"{body.label}/{inner.name}" if body.label else inner.name)
        nested = {i: application.bodies for i, application in enumerate(applications) if application.bodies}
        self.bodies.append(body._replace(inner=nested, runs=self._condition))

    def application(self, outputs: tuple[Tensor, ...]) -> Application:
        """Return the application with these outputs and all statements; undecided if an output size is negative."""
        if any(d.hi < 0 for t in outputs for d in t.shape or ()) and not any(
            r.formula is FALSE for r in self.requirements
        ):
            self.leave("elements", laws.SIZES_NOT_NEGATIVE)
        assumed_inputs = self._assumed_inputs(outputs)
        for index in (
            sorted((assumed_inputs & self.decides_success) - self.decides_sizes_only) if assumed_inputs else ()
        ):
            if law := self._assumed_laws.get(index, VALID):
                self.assume(index, law)
        return Application(
            outputs,
            tuple(self.requirements),
            tuple(self.facts),
            tuple(self.unjudged),
            self.memoizable,
            tuple(self.fresh_symbols),
            decides_success=assumed_inputs,
            decides_sizes_only=frozenset(self.decides_sizes_only),
            rests_on_inputs=frozenset(self.rests_on_inputs),
            decided=self.decisions,
            bodies=tuple(self.bodies),
            by_version=self.by_version,
            assumed=tuple(self.assumed),
            external=frozenset(self.external),
        )

    def _assumed_inputs(self, outputs: Sequence[Tensor]) -> frozenset[int]:
        """Return the inputs whose unknown elements decide whether the node runs, or may decide its output sizes."""
        vague = self.fresh_symbols or any(t.shape is None and t.is_tensor and not t.cases for t in outputs)
        deciding = self.decides_success or (range(len(self.inputs)) if vague and not self.rejected else ())
        return self.doubted(deciding)

    def doubted(self, indices: Container[int]) -> frozenset[int]:
        """Return those of the inputs `indices` that are given and have elements that aren't known, or weren't read."""
        given = [(i, t) for i, t in enumerate(self.inputs) if t is not None and i in indices]
        return frozenset(i for i, t in given if not t.followed or i in self.unread)
