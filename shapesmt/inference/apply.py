"""Apply: the rule of one node on its inputs, with what its schema says and in each case of what it is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from shapesmt import laws
from shapesmt.algebra import FALSE, TRUE, Formula
from shapesmt.errors import InternalError, ShapesmtError, UsageError, printable
from shapesmt.graph import Function, Graph, Node, Schemas
from shapesmt.inference.numbering import Numbers
from shapesmt.inference.origins import Origins, by_bodies
from shapesmt.inference.registered import registered
from shapesmt.ops import refused
from shapesmt.rules import (
    RANK_LAW,
    Application,
    InferenceContext,
    Requirement,
    Rule,
    RuleContext,
    Tensor,
    UndecidedError,
    Unjudged,
    UnknownRankError,
    by_case,
    joined,
    tensor,
    unranked,
)

UNKNOWN = tensor("", None)


def out_of_time(node: Node) -> Application:
    """What is said of a node that there is no time for."""
    left = Unjudged("", node.op, "timeout", "the node is looked at in the time given")
    return Application((UNKNOWN,) * len(node.outputs), (), (), (left,), repeatable=False)


class Applier(ABC):
    """Applies rules; what takes more than one node, calls of functions and inner graphs, is left to who walks them.

    Attributes:
        literals: The tensors that are constants of the graph.
        origins: Who decides the elements of the tensors.
        numbers: The sizes and elements that are the same function of the same data.
    """

    literals: frozenset[str]
    origins: Origins
    numbers: Numbers

    def __init__(self, opsets: Mapping[str, int], schemas: Schemas | None, *, renamed: bool) -> None:
        self._opsets = opsets
        self._schemas = schemas
        self._renamed = renamed  # whether each size becomes a variable of its own

    @abstractmethod
    def call(self, function: Function, node: Node, given: list[Tensor | None]) -> Application:
        """A local function applied to its inputs."""

    @abstractmethod
    def run_graph(
        self,
        ctx: RuleContext,
        graph: Graph,
        inputs: Sequence[Tensor],
        label: str,
        outer: dict[str, Tensor],
        runs: list[tuple[Origins, Graph]],
    ) -> tuple[Tensor, ...]:
        """The outputs of a graph inside a node; what its nodes state goes to the node's context."""

    def apply(
        self, rule: Rule | Function | None, node: Node, given: list[Tensor | None], tensors: dict[str, Tensor]
    ) -> Application:
        """What the node's rule says in each case of its inputs; of what makes no sense no rule is asked."""
        law = None if isinstance(rule, Function) else self._misfit(node)
        if law:
            return Application((UNKNOWN,) * len(node.outputs), (Requirement(FALSE, law),))
        if not any(t is not None and t.cases for t in given):
            with suppress(UndecidedError):
                return self._typed(rule, node, given, tensors, TRUE)

        def applied(inputs: Sequence[Tensor | None], case: Formula | None) -> Application:
            return self._typed(rule, node, [*inputs], tensors, case)

        return by_case(given, applied, simpler=not self._renamed)

    def _typed(
        self,
        rule: Rule | Function | None,
        node: Node,
        given: list[Tensor | None],
        tensors: dict[str, Tensor],
        case: Formula | None,
    ) -> Application:
        """What the node's rule says, and what its schema says of the types."""
        law = None if isinstance(rule, Function) else self._clash(node, given)
        if law:  # no rule has to reckon with elements of types that don't go together
            given = [
                None if t is None else tensor(t.dtype, t.shape, ndim=t.ndim if t.shape is None else None) for t in given
            ]
        application = self._applied(rule, node, given, tensors, case)
        value = None if isinstance(rule, Function) else refused(node)
        if law:
            application = replace(
                application, requirements=(Requirement(FALSE, law, typed=True), *application.requirements)
            )
        elif value:
            application = replace(
                application, requirements=(Requirement(FALSE, value, limit=True), *application.requirements)
            )
        return application

    def _misfit(self, node: Node) -> laws.Law | None:
        """The law that the node breaks by what it has or lacks, if any."""
        version = self._opsets.get(node.domain)
        return self._schemas.misfit(node, version) if self._schemas and version else None

    def _clash(self, node: Node, given: list[Tensor | None]) -> laws.Law | None:
        """The law that the types of the inputs break, if any."""
        version = self._opsets.get(node.domain)
        signature = self._schemas.signature(node.domain, node.op, version) if self._schemas and version else None
        return None if signature is None else signature.clash(["" if t is None else t.dtype for t in given])

    def _applied(
        self,
        rule: Rule | Function | None,
        node: Node,
        given: list[Tensor | None],
        tensors: dict[str, Tensor],
        case: Formula | None,
    ) -> Application:
        if rule is None and self._schemas is not None:
            types = [("", None) if t is None else (t.dtype, None if t.shape is None else t.rank) for t in given]
            rule = self._schemas.body(node, self._opsets.get(node.domain, 1), types)
        if rule is None:
            op = f"{node.domain}.{node.op}" if node.domain else node.op
            wanted = f"operator {op} has a rule"
            said = None if self._schemas is None else registered(self._schemas, node, given, self._opsets, wanted)
            outputs = (UNKNOWN,) * len(node.outputs)
            return said or Application(outputs, (), (), (Unjudged("", op, "unsupported", wanted),), repeatable=False)
        if isinstance(rule, Function):
            return self.call(rule, node, given)
        if any(t is not None and t.shape is None for t in given):
            return self._unranked(rule, node, given, tensors)
        try:
            return self._judged(rule, node, given, tensors, case)
        except UnknownRankError:  # of a tensor that the rule itself made
            outputs = (tensor(rule.dtype, None),) * len(node.outputs)
            return Application(outputs, (), (), (Unjudged("", node.op, "rank", RANK_LAW),))

    def _unranked(self, rule: Rule, node: Node, given: list[Tensor | None], tensors: dict[str, Tensor]) -> Application:
        """The rule where the rank of some input isn't known."""
        dtype = rule.dtype or next((t.dtype for t in given if t is not None), "")
        try:
            direct = self._judged(rule, node, given, tensors) if rule.any_rank else None
        except UnknownRankError:
            direct = None
        if rule.nested or any(t is not None and t.shape is None and not t.is_tensor for t in given):
            application = direct or Application((tensor(dtype, None),) * len(node.outputs), ())
            left = (Unjudged("", node.op, "rank", RANK_LAW),) * (not rule.total)
            return replace(application, unjudged=(*application.unjudged, *left))
        found = unranked(
            given, lambda inputs: self._judged(rule, node, inputs, tensors), node.outputs, node.op, total=rule.total
        )
        outputs = tuple(t if t.dtype else tensor(dtype, t.shape, t.value, t.ndim) for t in found.outputs)
        return replace(found, outputs=outputs) if direct is None else joined(direct, found)

    def _judged(
        self,
        rule: Rule,
        node: Node,
        given: Sequence[Tensor | None],
        tensors: dict[str, Tensor],
        case: Formula | None = None,
    ) -> Application:
        """The rule applied to inputs that it can work on."""
        runs: list[tuple[Origins, Graph]] = []

        def run(ctx: RuleContext, graph: Graph, inputs: Sequence[Tensor], label: str) -> tuple[Tensor, ...]:
            return self.run_graph(ctx, graph, inputs, label, tensors, runs)

        ctx = InferenceContext(node, given, self._opsets.get(node.domain, 1), run)
        ctx.case = case
        ctx.boolean = lambda index: self.numbers.boolean(node.inputs[index])
        ctx.literals = self.literals
        try:
            application = ctx.apply(rule.apply)
        except (UnknownRankError, UndecidedError, UsageError, InternalError, MemoryError):
            raise
        except Exception as error:  # a rule need not be ours: it may raise anything
            where = printable(f"the rule of {node.op} broke at node '{node.name}'", 200)
            reason = printable(f"{type(error).__name__}: {error}", 200)
            if rule.plugin:
                raise UsageError(f"{where}: {reason} (in {rule.plugin})") from error
            raise InternalError(f"{where}: {reason}") from error
        return replace(application, origin=partial(by_bodies, node, self.origins, runs)) if runs else application

    def trace(self, rule: Rule, node: Node, given: Sequence[Tensor | None]) -> Application | None:
        """The rule applied to inputs that stand for any, None where it can't work on them."""
        try:
            return self._judged(rule, node, given, {})
        except (UnknownRankError, ShapesmtError):
            return None
