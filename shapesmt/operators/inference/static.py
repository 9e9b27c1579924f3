"""Static: infer what ONNX Runtime infers of all nodes when it loads a model, also in bodies that never run.

The runtime knows declared sizes and constants then, and refuses a model with a node that contradicts them. What it
knows of computed elements depends on how much it optimizes: a node that contradicts only those is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from types import MappingProxyType
from typing import Any, NamedTuple

from shapesmt.base.errors import printable
from shapesmt.network import laws
from shapesmt.network.graph import Declared, Function, Graph, Node
from shapesmt.operators.inference.apply import UNKNOWN, Step
from shapesmt.operators.inference.loading import MERGED, Refusal, differ, disjoint, refusal, type_conflicts
from shapesmt.operators.inference.numbering import Scope
from shapesmt.operators.inference.origins import Outside
from shapesmt.operators.inference.schema_types import Types, inferred_types, literal_of
from shapesmt.operators.inference.walk import Walk
from shapesmt.operators.ops import broken_law
from shapesmt.operators.rules import Application, Memory, Requirement, Rule, Runs, Tensor, Unjudged, data, tensor
from shapesmt.prover.algebra import FALSE, Dim, symbol

NOTE = "ONNX Runtime may refuse to load it"


class Found(NamedTuple):
    """A law that a node violates when the model is loaded.

    Attributes:
        sure: Whether the runtime certainly refuses the model.
        measured: Whether it doesn't if it knows elements that are sizes of tensors, or are computed from them.
    """

    place: int
    path: str
    op: str
    law: laws.Law
    sure: bool
    measured: bool = False


@dataclass
class Findings:
    """The violated laws so far, and the position of the walk.

    Attributes:
        computed: Whether computed elements are known.
        folded: Whether they are known if computed from constants alone, which the runtime infers nothing from.
        dropped: Whether the walk is in a branch of a known condition, which the runtime may remove when it optimizes.
        found: The violated laws.
        trail: The names of the nodes around the position, the outermost first.
        place: The index of the model's node.
    """

    computed: bool
    folded: bool = True
    dropped: bool = False
    found: list[Found] = field(default_factory=list)
    trail: list[str] = field(default_factory=list)
    place: int = 0

    def add(self, op: str, law: laws.Law, *names: str, sure: bool = True, measured: bool = False) -> None:
        """Add a law that a node violates; `names` is its path below the node where the walk is."""
        self.found.append(Found(self.place, "/".join((*self.trail, *names)[1:]), op, law, sure, measured))


def refused_when_loaded(graph: Graph, *, bodies: bool) -> dict[int, Refusal]:
    """Return the runtime's refusals for types and shapes, by the index of the node.

    Args:
        graph: The model.
        bodies: Whether to walk a second time, with computed elements, because of a graph inside a node.
    """
    declared = _find_static(graph, Findings(computed=False))
    computed = _find_static(graph, Findings(computed=True)) if bodies else []
    open_ = {(f.place, f.path) for f in computed if not f.sure}
    if any(f.measured for f in declared):
        confirmed = {(f.place, f.path) for f in _find_static(graph, Findings(computed=True, folded=False))}
        open_ |= {(f.place, f.path) for f in declared if f.measured} - confirmed
    sure = {(f.place, f.path): f for f in declared if f.sure and (f.place, f.path) not in open_}
    doubtful = {(f.place, f.path): f for f in (*declared, *computed)}
    refusals: dict[int, Refusal] = {}
    for key, f in {**doubtful, **sure}.items():
        known = refusals.get(f.place, Refusal())
        if key in sure:
            known = known._replace(requirements=(*known.requirements, refusal(f.law, f.path)))
        else:
            known = known._replace(unjudged=(*known.unjudged, Unjudged(f.path, f.op, "elements", str(f.law), NOTE)))
        refusals[f.place] = known
    return refusals


def _find_static(graph: Graph, findings: Findings) -> list[Found]:
    walk = Static(graph.opsets, graph.functions, graph.schemas, graph.runtime, None, outside=data)
    walk.scope, walk.findings, walk.types = Scope(calls=graph.functions), findings, {}
    tensors = {name: walk.declared_tensor(name, declared) for name, declared in graph.inputs.items()}
    for findings.place, _ in enumerate(walk.nodes(graph, tensors), 1):
        pass
    walk.compare(graph, tensors)
    return findings.found


BRANCHES_MAKE_ONE_SHAPE = laws.SM408.law("both branches make the same rank and sizes, where these are numbers")
BODIES_MAKE_ONE_TYPE = laws.SM408.law("what the bodies take and make is of one type, not {one} and {other}")
TENSOR_OF_DECLARED_TYPE = laws.SM408.law("'{name}' is of its declared type, {dtype}")


class Static(Walk):
    """A walk along all nodes with declared sizes; it enters bodies whether or not they run.

    Attributes:
        findings: The violated laws.
        types: What ONNX infers for nodes so far, by operator, attributes and types of inputs.
        names: The names of sizes that ONNX is told, by their symbols.
    """

    findings: Findings
    types: dict[object, Types]
    names: Mapping[Dim, str] = MappingProxyType({})
    loading = True
    _claims: Mapping[str, Declared] = MappingProxyType({})

    def nodes(self, graph: Graph, tensors: dict[str, Tensor]) -> Iterator[Application]:
        """Apply every node of a graph in turn, with the shapes that the graph declares for intermediate tensors."""
        self._claims = graph.declared
        return super().nodes(graph, tensors)

    def _with_declared_sizes(self, name: str, t: Tensor) -> Tensor:
        """Return a tensor with declared numbers for its unknown sizes, as the runtime believes them."""
        declared = self._claims[name]
        shape = declared.shape
        if shape is None or declared.kind != "tensor" or not t.is_tensor:
            return t
        if t.shape is None:
            return self.declared_tensor(name, declared._replace(dtype=t.dtype))
        stale = len(shape) == t.rank and any(
            isinstance(n, int) and d.constant is None for n, d in zip(shape, t.dims, strict=True)
        )
        sizes = [n if isinstance(n, int) and d.constant is None else d for n, d in zip(shape, t.dims, strict=False)]
        return tensor(t.dtype, sizes) if stale else t

    def _step(self, node: Node, tensors: dict[str, Tensor]) -> Application:
        inputs = [tensors[name] if name else None for name in node.inputs]
        self.findings.trail.append(node.name)
        application, traits = super()._step(node, tensors), self._rules.traits(node)
        constant, believed = traits.memory is Memory.MODEL, traits.runs in (Runs.NONE, Runs.BRANCH)
        if not node.attributes.graphs and not isinstance(self._rules[node.domain, node.op], Function):
            broken = next((r.law for r in application.requirements if r.formula is FALSE), None)
            refused = next((r.law for r in application.requirements if r.formula is FALSE and r.declared), None)
            strict = not (self.findings.computed and self.findings.folded) and not constant
            inferred = self._infer_types(node, inputs) if broken is not None or strict else None
            if refused is not None:
                self.findings.add(node.op, refused, measured=True)
            elif broken is not None:
                self._judge(node, inputs, laws.HOLDS_WHEN_LOADED.of(law=broken), inferred)
            elif isinstance(inferred, str) and _lacks_ranks_only(inputs):
                self.findings.add(node.op, laws.HOLDS_WHEN_LOADED.of(law=inferred.rstrip(".")), measured=True)
            if strict:
                known = inferred if isinstance(inferred, list) else [None] * len(node.outputs)
                kept = self.findings.computed and not self._folds(node)
                tensors.update(
                    (name, _as_inferred(tensors[name], d, kept=kept))
                    for name, d in zip(node.outputs, known, strict=True)
                    if name
                )
        for name in self._claims.keys() & {*node.outputs} if not constant and believed else ():
            tensors[name] = self._with_declared_sizes(name, tensors[name])
        self.findings.trail.pop()
        return application

    def _folds(self, node: Node) -> bool:
        """Whether a node computes elements from constants alone, and not from their sizes."""
        rule = self._rules[node.domain, node.op]
        return not (isinstance(rule, Rule) and rule.of_shape) and all(name in self.literals for name in node.reads)

    def _infer_types(self, node: Node, inputs: list[Tensor | None]) -> Types:
        """Return the types that ONNX infers for the outputs, or its error as a text; None if it isn't asked."""
        if self._schemas is None:
            return None
        return inferred_types(self._schemas, node, self._opsets, inputs, self.names.get, self.types)

    def _memory(self) -> dict[tuple[Any, ...], Application]:
        return {}  # a remembered function doesn't say where it is wrong

    def _is_plain(self, application: Application, writes: Sequence[str], tensors: Mapping[str, Tensor]) -> bool:  # noqa: ARG002 - each node is looked at
        return False

    def _deeper(self, outside: Outside, opsets: Mapping[str, int] | None = None) -> Walk | None:
        walk = super()._deeper(outside, opsets)
        if isinstance(walk, Static):
            walk.findings, walk.types, walk.names = self.findings, self.types, self.names
        return walk

    def _judge(
        self, node: Node, inputs: list[Tensor | None], broken: laws.Law, inferred: list[Declared] | str | None
    ) -> None:
        """Record that a node violates the law `broken` for all its inputs, if the runtime may notice.

        `inferred` has the types that ONNX infers for the outputs, or its error: then the refusal is sure. The runtime
        checks attributes when it makes the node's kernel, which it does only in branches that it retains.
        """
        by_body = self._schemas is None or (node.domain, node.op) in self._schemas.bodies()
        if isinstance(inferred, str) or self._misfit(node) or self._clash(node, inputs) or self._not_offered(node):
            self.findings.add(node.op, broken)
        elif broken_law(node) is not None:
            self.findings.add(node.op, broken, sure=not (self.findings.dropped or by_body))
        elif inferred is None or by_body or self._fails_anyway(node, inputs):
            self.findings.add(node.op, broken, sure=False)

    def _fails_anyway(self, node: Node, inputs: list[Tensor | None]) -> bool:
        """Whether the node violates a law by its attributes and its inputs' ranks alone."""
        return bool(self._broken_requirements(Step(self._rules[node.domain, node.op], node, {}), inputs))

    def _of_scan(self, step: Step, inputs: list[Tensor | None]) -> laws.Law | None:
        """Return the law that a Scan's axes, directions or states violate, or None; its body is walked separately."""
        found, self.findings = self.findings, Findings(self.findings.computed)
        broken = [r for r in self._broken_requirements(step, inputs) if not r.within]
        sized = [r for r in super().apply(step, inputs).requirements if r.formula is FALSE]
        self.findings = found
        return next((r.law for r in (*broken, *(r for r in sized if r.law == laws.STATE_KEEPS_SHAPE))), None)

    def _broken_requirements(self, step: Step, inputs: list[Tensor | None]) -> list[Requirement]:
        """Return the requirements that fail by a node's attributes and its inputs' ranks alone."""
        blank = [None if t is None else _blank(t, index) for index, t in enumerate(inputs)]
        return [r for r in super().apply(step, blank).requirements if r.formula is FALSE]

    def apply(self, step: Step, inputs: list[Tensor | None]) -> Application:
        """Apply a node's rule; if it has graphs inside, return the types and shapes on which their outputs agree."""
        node = step.node
        if not node.attributes.graphs or isinstance(step.rule, Function):
            return super().apply(step, inputs)
        law = self._misfit(node) or self._clash(node, inputs)
        if law is not None:
            self.findings.add(node.op, law)
        how = self._rules.traits(node).runs
        law = self._of_scan(step, inputs) if how is Runs.SCAN else None
        if law is not None:
            self.findings.add(node.op, laws.HOLDS_WHEN_LOADED.of(law=law), sure=not self.findings.dropped)
        given = [t and _element(t) for t in inputs] if how is Runs.EACH else inputs
        kept = self.findings.dropped
        chosen = next(iter(inputs), None) if how is Runs.BRANCH else None
        self.findings.dropped |= chosen is not None and literal_of(chosen) is not None
        runs = [self._run(node, graph, step.tensors, given) for graph in node.attributes.graphs]
        self.findings.dropped = kept
        carried = inputs[2:] if how is Runs.LOOP else runs[0]
        runs = [run[1:] for run in runs] if how is Runs.LOOP else runs
        for run in runs:
            for t, other in zip(carried, run, strict=False):
                if t is not None and differ(t.dtype, other.dtype):
                    self.findings.add(node.op, BODIES_MAKE_ONE_TYPE.of(one=t.dtype, other=other.dtype))
        each = [*zip(*runs, strict=False)]
        if how is Runs.BRANCH and self._opsets.get("", MERGED) < MERGED and any(starmap(disjoint, each)):
            self.findings.add(node.op, BRANCHES_MAKE_ONE_SHAPE)
        made = [_made(how, outputs) for outputs in each]
        return Application((*made, *[UNKNOWN] * len(node.outputs))[: len(node.outputs)], (), repeatable=False)

    def _run(
        self, node: Node, graph: Graph, around: Mapping[str, Tensor], inputs: Sequence[Tensor | None]
    ) -> list[Tensor]:
        """Return the outputs of a graph inside a node for its declared inputs; record clashes with actual `inputs`."""
        for t, declared in zip(inputs, graph.inputs.values(), strict=False):
            if t is not None and differ(t.dtype, declared.dtype):
                self.findings.add(node.op, BODIES_MAKE_ONE_TYPE.of(one=t.dtype, other=declared.dtype))
        tensors = {name: around[name] for name in graph.captures if name in around}
        given = dict(zip(graph.inputs, self._slices(node, inputs), strict=False))
        for t, declared in zip(given.values(), graph.inputs.values(), strict=False):
            law = None if t is None else _clash(t, declared)
            if law is not None:
                self.findings.add(node.op, laws.HOLDS_WHEN_LOADED.of(law=law))
        tensors |= {
            name: self.declared_tensor(name, declared, given.get(name)) for name, declared in graph.inputs.items()
        }
        body = self._body(node, graph, tensors)
        if body is not None:
            self.compare(graph, body[0])
        return [body[0].get(name, UNKNOWN) if body is not None else UNKNOWN for name in graph.outputs]

    def _slices(self, node: Node, inputs: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Return the inputs of a Scan's body, whose sizes the runtime knows; [] for a Loop, where they may change.

        In opset 8, the first input has lengths, and the first axis of each other input is a batch.
        """
        scanned = node.attributes.get("num_scan_inputs")
        if not isinstance(scanned, int) or "scan_input_axes" in node.attributes:
            return []
        first, batched = len(inputs) - scanned, self._opsets.get("", 9) < 9
        return [
            t and tensor(t.dtype, None if t.shape is None else t.shape[batched + (i >= first) :])
            for i, t in enumerate(inputs)
        ][batched:]

    def declared_tensor(self, name: str, declared: Declared, given: Tensor | None = None) -> Tensor:
        """Return a tensor as it is declared.

        If `given` has the same rank, its sizes are used, except that declared numbers replace its unknown ones.
        """
        known = None if given is None or given.shape is None else given.dims
        if declared.shape is None or declared.kind != "tensor":
            return tensor(declared.dtype, known if declared.kind == "tensor" else None)
        title = "/".join((*self.findings.trail, name))
        sizes = [d if isinstance(d, int) else symbol(f"{title}[{i}]") for i, d in enumerate(declared.shape)]
        if known is not None and len(known) == len(sizes):
            sizes = [n if isinstance(n, int) and d.constant is None else d for d, n in zip(known, sizes, strict=True)]
        return tensor(declared.dtype, sizes)

    def compare(self, graph: Graph, tensors: Mapping[str, Tensor]) -> None:
        """Find the nodes of a graph whose outputs have another element type than declared."""
        for index, name, dtype in type_conflicts(graph, tensors):
            node, law = graph.nodes[index], TENSOR_OF_DECLARED_TYPE.of(name=printable(name), dtype=dtype)
            if self._depth or self.findings.trail:
                self.findings.add(node.op, law, node.name)
            else:
                self.findings.found.append(Found(index, "", node.op, law, True))


def _lacks_ranks_only(inputs: Sequence[Tensor | None]) -> bool:
    """Whether some rank isn't known, but each element type, so that no rule is applied and ONNX's inference judges."""
    given = [t for t in inputs if t is not None]
    return any(t.shape is None for t in given) and all(t.dtype for t in given)


def _blank(t: Tensor, index: int) -> Tensor:
    """Return an input without its sizes and elements."""
    sizes = None if t.shape is None else [symbol(f"some {index}[{axis}]") for axis in range(t.rank)]
    return tensor(t.dtype, sizes) if t.is_tensor else t


def _as_inferred(t: Tensor, inferred: Declared | None, *, kept: bool) -> Tensor:
    """Return a tensor without its elements, and without constant sizes that ONNX doesn't infer.

    If `kept`, a tensor whose elements are numbers stays as it is.
    """
    if kept and t.is_tensor and literal_of(t) is not None:
        return t
    if inferred is None or not t.is_tensor:
        return t if t.value is None else tensor(t.dtype, t.shape)
    if inferred.shape is None or t.shape is None or len(inferred.shape) != t.rank:
        return tensor(t.dtype, None)
    pairs = zip(t.dims, inferred.shape, strict=True)
    return tensor(t.dtype, [symbol(f"some {d}") if d.constant not in (None, n) else d for d, n in pairs])


def _clash(given: Tensor, declared: Declared) -> laws.Law | None:
    """Return the law that an input violates if its rank or sizes aren't those that a Scan's body declares, or None."""
    if given.shape is None or declared.shape is None:
        return None
    if len(declared.shape) != given.rank:
        return laws.BODY_TENSORS_OF_DECLARED_RANK
    pairs = zip(given.dims, declared.shape, strict=True)
    differing = any(isinstance(n, int) and d.constant not in (None, n) for d, n in pairs)
    return laws.BODY_INPUTS_OF_DECLARED_SIZE if differing else None


def _element(t: Tensor) -> Tensor:
    """Return an element of a sequence, with an unknown shape; any other tensor as it is."""
    return tensor(t.dtype[4:-1], None) if t.dtype.startswith("seq(") else t


def _made(how: Runs, each: Sequence[Tensor]) -> Tensor:
    """Return an output of a node that runs its bodies in the way `how`; `each` has this output of each body."""
    if how is Runs.BRANCH:
        return _joint(each)
    dtype = each[0].dtype
    return tensor(f"seq({dtype})" if how is Runs.EACH and dtype else dtype, None)


def _joint(made: Sequence[Tensor]) -> Tensor:
    """Return the shape on which the outputs of branches agree; other sizes are unknown."""
    one = made[0]
    if any(t.shape is None or len(t.shape) != len(one.shape or ()) for t in made) or one.shape is None:
        return tensor(one.dtype, None)
    sizes = zip(*(t.dims for t in made), strict=True)
    return tensor(one.dtype, [s[0] if all(d is s[0] for d in s) else symbol(f"{s[0]} or {s[1]}") for s in sizes])
