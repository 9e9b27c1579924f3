"""Apply the rule of one node to its inputs, in each of their cases, with the checks of the node's schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from shapesmt.base.errors import InternalError, ShapesmtError, SizeOverflowError, UsageError, pass_on, printable
from shapesmt.network import laws
from shapesmt.network.graph import Function, Graph, Literal, Node, Runtime, Schemas
from shapesmt.operators.inference.makers import Lengths
from shapesmt.operators.inference.numbering import Numbers
from shapesmt.operators.inference.origins import Origins, by_bodies
from shapesmt.operators.inference.schema_types import as_stated, infer_by_schema
from shapesmt.operators.ops import broken_law
from shapesmt.operators.rules import (
    RANK_LAW,
    Application,
    Requirement,
    Rule,
    RuleContext,
    Tensor,
    UndecidedError,
    Unjudged,
    UnknownRankError,
    has_plugins,
    remark,
    tensor,
)
from shapesmt.prover.algebra import FALSE, TRUE, Formula

UNKNOWN = tensor("", None)


def out_of_time(node: Node) -> Application:
    """Return the application of a node that the timeout left unchecked."""
    unjudged = Unjudged("", node.op, "timeout", "the node is looked at in the time given")
    return Application((UNKNOWN,) * len(node.outputs), (), (), (unjudged,), repeatable=False)


def behind(node: Node, rule: Rule | Function | None) -> Application:
    """Return the application of a node whose inputs never exist, as an upstream node fails for every input."""
    unjudged = (
        () if isinstance(rule, Rule) and rule.total and not rule.nested else (Unjudged("", node.op, "rank", RANK_LAW),)
    )
    return Application((UNKNOWN,) * len(node.outputs), (), (), unjudged)


class Step(NamedTuple):
    """A node to infer, with its rule or function (None if it has neither) and the tensors known so far, by name."""

    rule: Rule | Function | None
    node: Node
    tensors: Mapping[str, Tensor]


class Run(NamedTuple):
    """One run of a graph inside a node, such as a branch of an If or the body of a Loop.

    Attributes:
        ctx: The node's context, which collects the requirements of the inner nodes.
        graph: The inner graph.
        inputs: The inputs of the inner graph.
        label: The first part of its nodes' paths, such as "then_branch".
        outer: The tensors around the node, which the inner graph may read.
    """

    ctx: RuleContext
    graph: Graph
    inputs: Sequence[Tensor]
    label: str
    outer: Mapping[str, Tensor]


OPERATOR_IN_OPSET = laws.SM408.law("operator {op} is in opset {version}")


class Applier(ABC):
    """Applies rules to single nodes; a subclass handles calls of functions and graphs inside nodes.

    Attributes:
        literals: The names of tensors that are constants.
        around: The graphs that contain the nodes, the innermost first; empty inside a function.
        origins: The origins of unknown elements.
        numbers: Gives each tensor a number; equal numbers prove that the elements are equal.
        lengths: The tensors whose number of elements doesn't rest on what nodes compute.
        to_read: Constants that nodes depend on and that can still be read.
        loading: Whether to infer only the sizes that the runtime knows when it loads the model.
    """

    literals: Container[str]
    around: tuple[Graph, ...]
    origins: Origins
    numbers: Numbers
    lengths: Lengths
    to_read: set[Literal]
    _remembered: dict[tuple[Any, ...], Application]
    loading = False

    def __init__(self, opsets: Mapping[str, int], schemas: Schemas | None, runtime: Runtime, *, renamed: bool) -> None:
        self._opsets = opsets
        self._schemas = schemas
        self._runtime = runtime
        self._renamed = renamed  # whether each size is replaced by a variable

    @abstractmethod
    def call(self, function: Function, node: Node, inputs: list[Tensor | None]) -> Application:
        """Apply a local function to the inputs of the node that calls it."""

    @abstractmethod
    def run_graph(self, run: Run) -> tuple[tuple[Tensor, ...], Origins | None]:
        """Return the outputs of a graph inside a node, and its tensors' origins (None if graphs nest too deep)."""

    def apply(self, step: Step, inputs: list[Tensor | None]) -> Application:
        """Apply a node's rule; outputs have the element types and ranks that the file states of them."""
        return as_stated(self._apply_cases(step, inputs), step.node)

    def _apply_cases(self, step: Step, inputs: list[Tensor | None]) -> Application:
        """Apply a node's rule in each case of its inputs.

        If attributes or the number of inputs violate the schema, the node fails for all inputs and no rule is applied.
        """
        node = step.node
        law = None if isinstance(step.rule, Function) else self._misfit(node)
        if law:
            return Application((UNKNOWN,) * len(node.outputs), (Requirement(FALSE, law),))
        if not any(t is not None and t.cases for t in inputs):
            with suppress(UndecidedError):
                return self._apply_schema(step, inputs, TRUE)

        def applied(inputs: Sequence[Tensor | None], case: Formula | None) -> Application:
            return self._apply_schema(step, [*inputs], case)

        from shapesmt.operators.rules import by_case

        return by_case(inputs, applied, simpler=not self._renamed)

    def _apply_schema(self, step: Step, inputs: list[Tensor | None], case: Formula | None) -> Application:
        """Apply a node's rule under the condition `case`, and add the schema's requirements on types and values."""
        refusal = None if isinstance(step.rule, Function) else self._refusal(step.node, inputs)
        if refusal and refusal.typed:  # rules needn't handle elements of wrong types
            inputs = [
                None if t is None else tensor(t.dtype, t.shape, ndim=t.ndim if t.shape is None else None)
                for t in inputs
            ]
        application = self._apply_case(step, inputs, case)
        law = None if isinstance(step.rule, Function) else self._unoffered_type(step.node, Runtime.ONNX)
        if law is not None:
            open_ = Unjudged("", step.node.op, "elements", f"{law}, which ONNX Runtime doesn't check")
            application = replace(application, unjudged=(*application.unjudged, open_))
        return replace(application, requirements=(refusal, *application.requirements)) if refusal else application

    def _refusal(self, node: Node, inputs: list[Tensor | None]) -> Requirement | None:
        """Return the failed requirement of a node whose types or attributes are wrong whatever the sizes, or None."""
        clash = self._clash(node, inputs)
        if clash:
            return Requirement(FALSE, clash, typed=True)
        broken = broken_law(node) or self._not_offered(node) or self._unoffered_type(node, Runtime.STANDARD)
        return Requirement(FALSE, broken, limit=True) if broken else None

    def _misfit(self, node: Node) -> laws.Law | None:
        """Return the law that a node violates by its attributes or its number of inputs, or None."""
        version = self._opsets.get(node.domain)
        return self._schemas.misfit(node, version) if self._schemas and version else None

    def _unoffered_type(self, node: Node, runtime: Runtime) -> laws.Law | None:
        """Return the law of ONNX that a node violates by a type that kernels may support, if `runtime` runs the model.

        None if it violates none.
        """
        version = self._opsets.get(node.domain)
        if version is None or self._schemas is None or self._runtime is not runtime:
            return None
        return self._schemas.unchecked_law(node, version)

    def _not_offered(self, node: Node) -> laws.Law | None:
        """Return the violated law if the operator isn't in the model's operator set, or None."""
        version = self._opsets.get(node.domain)
        if version is None or self._schemas is None or self._schemas.offers(node.domain, node.op, version):
            return None
        return OPERATOR_IN_OPSET.of(op=node.op, version=version)

    def _clash(self, node: Node, inputs: list[Tensor | None]) -> laws.Law | None:
        """Return the law that the types of the inputs violate, or None."""
        version = self._opsets.get(node.domain)
        signature = self._schemas.signature(node.domain, node.op, version) if self._schemas and version else None
        return None if signature is None else signature.clash(["" if t is None else t.dtype for t in inputs])

    def _apply_case(self, step: Step, inputs: list[Tensor | None], case: Formula | None) -> Application:
        rule, node = step.rule, step.node
        rule = rule or self._definition(node, inputs)
        if rule is None:
            op = f"{node.domain}.{node.op}" if node.domain else node.op
            law = f"operator {op} has a rule"
            from_schema = (
                None if self._schemas is None else infer_by_schema(self._schemas, node, inputs, self._opsets, law)
            )
            outputs = (UNKNOWN,) * len(node.outputs)
            return from_schema or Application(
                outputs, (), (), (Unjudged("", op, "unsupported", law, remark(node.domain, node.op)),), repeatable=False
            )
        if isinstance(rule, Function):
            return self.call(rule, node, inputs)
        judged = partial(self._apply_once, rule, node, step.tensors)
        if any(t is not None and t.shape is None for t in inputs):
            return self._apply_at_ranks(rule, node, inputs, judged)
        try:
            return judged(inputs, case)
        except UnknownRankError:  # of a tensor that the rule itself computes
            outputs = (tensor(rule.dtype, None),) * len(node.outputs)
            return Application(outputs, (), (), (Unjudged("", node.op, "rank", RANK_LAW),))

    def _apply_at_ranks(
        self,
        rule: Rule,
        node: Node,
        inputs: list[Tensor | None],
        judged: Callable[[Sequence[Tensor | None]], Application],
    ) -> Application:
        """Apply a rule when the rank of some input is unknown; `judged` applies it to inputs of known rank."""
        dtype = rule.dtype or next((t.dtype for t in inputs if t is not None), "")
        try:
            direct = judged(inputs) if rule.any_rank else None
        except UnknownRankError:
            direct = None
        if rule.nested or any(t is not None and t.shape is None and not t.is_tensor for t in inputs):
            application = direct or Application((tensor(dtype, None),) * len(node.outputs), ())
            unjudged = (Unjudged("", node.op, "rank", RANK_LAW),) * (not rule.total)
            return replace(application, unjudged=(*application.unjudged, *unjudged))
        from shapesmt.operators.rules import merge_rank_facts, over_ranks

        at_ranks = judged if node.attributes.graphs else partial(self._apply_cached, rule, node)
        application = over_ranks(inputs, at_ranks, node, total=rule.total, every=bool(rule.plugin))
        outputs = tuple(t if t.dtype else tensor(dtype, t.shape, t.value, t.ndim) for t in application.outputs)
        return replace(application, outputs=outputs) if direct is None else merge_rank_facts(direct, application)

    def _apply_once(
        self,
        rule: Rule,
        node: Node,
        tensors: Mapping[str, Tensor],
        inputs: Sequence[Tensor | None],
        case: Formula | None = None,
    ) -> Application:
        """Apply the rule once, to inputs without cases and with ranks that the rule accepts.

        The node's subgraphs may read `tensors`. `case` is the condition that holds; None if the rule can't be applied
        case by case.
        """
        runs: list[tuple[Origins, Graph]] = []

        def run(ctx: RuleContext, graph: Graph, inputs: Sequence[Tensor], label: str) -> tuple[Tensor, ...]:
            outputs, origins = self.run_graph(Run(ctx, graph, inputs, label, tensors))
            runs.extend([] if origins is None else [(origins, graph)])
            return outputs

        ctx = _context()(node, inputs, self._opsets.get(node.domain, 1), run)
        ctx.case = case
        ctx.runtime, ctx.loading = self._runtime, self.loading
        ctx.boolean = lambda index: self.numbers.boolean(node.inputs[index])
        ctx.is_length_known = lambda index: self.lengths.are_known(node.inputs[index])
        ctx.literals, ctx.around = self.literals, self.around
        try:
            application = ctx.apply(rule.apply)
        except (UnknownRankError, UndecidedError, UsageError, SizeOverflowError, InternalError, MemoryError):
            raise
        except Exception as error:  # a plugin's rule may raise anything
            pass_on(error)
            where = printable(f"the rule of {node.op} broke at node '{node.name}'", 200)
            reason = printable(f"{type(error).__name__}: {error}", 200)
            if not rule.plugin:
                raise InternalError(f"{where}: {reason}") from error
            application = ctx.rejection()
            if not application.broken:  # otherwise it met sizes that its own law forbids
                raise UsageError(f"{where}: {reason} (in {rule.plugin})") from error
        if ctx.defined:
            return self._by_definition(node, inputs, application)
        return replace(application, origin=partial(by_bodies, node, self.origins, runs)) if runs else application

    def _by_definition(self, node: Node, inputs: Sequence[Tensor | None], stated: Application) -> Application:
        """Apply the operator's definition by simpler operators, and add what its rule `stated`."""
        body = self._definition(node, inputs)
        if body is None:
            law = f"operator {node.op} has a definition for inputs of these types"
            return replace(stated, unjudged=(*stated.unjudged, Unjudged("", node.op, "unsupported", law)))
        called = self.call(body, node, [*inputs])
        return replace(
            called,
            requirements=(*stated.requirements, *called.requirements),
            unjudged=(*stated.unjudged, *called.unjudged),
            decides_success=stated.decides_success | called.decides_success,
            assumed=(*stated.assumed, *called.assumed),
            by_version=stated.by_version or called.by_version,
        )

    def _definition(self, node: Node, inputs: Sequence[Tensor | None]) -> Function | None:
        """Return the definition of a node's operator by simpler operators; None if its schema has none."""
        if self._schemas is None:
            return None
        types = [("", None) if t is None else (t.dtype, None if t.shape is None else t.rank) for t in inputs]
        return self._schemas.body(node, self._opsets.get(node.domain, 1), types)

    def trace(self, rule: Rule, node: Node, inputs: Sequence[Tensor | None]) -> Application | None:
        """Apply a rule to other inputs than the node's (see `Origins`, `Counts`); return None if it fails on them."""
        try:
            return self._apply_cached(rule, node, inputs)
        except (UnknownRankError, ShapesmtError):
            return None

    def _apply_cached(self, rule: Rule, node: Node, inputs: Sequence[Tensor | None]) -> Application:
        """Apply the rule of a node without graphs, or return the remembered application."""
        key = ("traced", rule, self._opsets.get(node.domain), node.attributes, len(node.outputs), *inputs)
        application = self._remembered.get(key)
        if application is None:
            application = self._apply_once(rule, node, {}, inputs)
            if application.repeatable and not self.to_read:
                self._remembered[key] = application
        return application


def _context() -> type[RuleContext]:
    """Return the class of contexts for rules: `InferenceContext` (TensorFlow's interface) only if plugins add rules."""
    if not has_plugins():
        return RuleContext
    from shapesmt.operators.rules import InferenceContext

    return InferenceContext
