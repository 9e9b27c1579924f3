"""Walk: apply the rule of each node, in topological order, to the outputs of the nodes before it.

A rule applied to the same attributes and the same (interned) tensors gives the same result, so applications are
remembered: a 48-layer transformer takes one layer's work and 47 lookups.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, starmap
from typing import Any

from shapesmt.base.deadline import TimeUp, look
from shapesmt.network import laws
from shapesmt.network.graph import Function, Graph, Literal, Node, Nodes, Runtime, Schemas
from shapesmt.operators.inference.apply import UNKNOWN, Applier, Run, Step, behind, out_of_time
from shapesmt.operators.inference.counts import Counted, Counts
from shapesmt.operators.inference.loading import MERGED, contradicts, differ, disjoint
from shapesmt.operators.inference.makers import Constants, Lengths, Makers
from shapesmt.operators.inference.numbering import Number, Numbers, Scope
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.inference.origins import Origins, Outside, carried_inputs, entering, with_unknown_sizes
from shapesmt.operators.rules import (
    FOLLOWED,
    STARTED,
    Application,
    Body,
    Origin,
    RuleContext,
    Runs,
    Tensor,
    Unjudged,
    argument_origin,
    data,
    from_literal,
    of,
    rank_symbol,
    tensor,
    title,
    together,
    unfollowed_origin,
)
from shapesmt.prover.algebra import FALSE, TRUE, Atom, Dim, Kind, entries_of, memo, substitute, symbol

MAX_REMEMBERED = 200_000
MAX_CALLS = 64  # levels of function calls and subgraphs; nodes nested deeper are unknown
MAX_ENTRIES = 4  # walks along a loop's body; after these, the origins of carried tensors are unknown

_REMEMBERED: dict[tuple[Schemas | None, Runtime], dict[tuple[Any, ...], Application]] = memo(
    "applications", {}, entries_of
)

Renaming = Callable[[str, Tensor], Tensor]


def forget_applications() -> None:
    """Forget all remembered applications: they don't use the constants that have been read since."""
    for applications in [*_REMEMBERED.values()]:
        applications.clear()


CALL_NAMES_ALL_OUTPUTS = laws.SM403.law("a call names every output of its function")


class Walk(Applier):
    """Applies the rules of a graph's nodes in order, and of the nodes in the functions and graphs inside them."""

    def __init__(
        self,
        opsets: Mapping[str, int],
        functions: Mapping[tuple[str, str], Function],
        schemas: Schemas | None,
        runtime: Runtime,
        rename: Renaming | None,
        depth: int = 0,
        ranks: Mapping[Atom, Dim] | None = None,
        outside: Outside = data,
    ) -> None:
        super().__init__(opsets, schemas, runtime, renamed=rename is not None)
        self._functions = functions
        self._remembered = self._memory()
        self._rename = rename
        self._depth = depth
        self._ranks = ranks or {}
        self._outside = outside
        self.scope = Scope()
        self.numbered: Callable[[str], Number | None] = lambda _name: None
        self.prefix = ""
        self.unranked: list[str] = []
        self._never: set[str] = set()  # tensors that never exist, as an upstream node fails for every input
        self.nested: list[Node] = []
        self.literals: Container[str] = ()
        self.around: tuple[Graph, ...] = ()
        self.to_read: set[Literal] = set()
        self.vague: set[Tensor] = set()  # tensors whose rank is unknown, and not because data decide it
        self.counted: Counted = {}
        self.doubts: list[Node] = []  # nodes with graphs inside for which the runtime may refuse the model
        self._rules = Operators(opsets, functions)

    def nodes(self, graph: Graph, tensors: dict[str, Tensor]) -> Iterator[Application]:
        """Apply every node of a graph in turn, add its outputs to `tensors`, and yield its application."""
        for name, literal in graph.literals.items():
            tensors[name] = from_literal(literal)
        self.around = (graph, *self.around)
        return self.sequence(graph.nodes, tensors, graph.literals)

    def sequence(
        self, nodes: Sequence[Node], tensors: dict[str, Tensor], literals: Mapping[str, Literal]
    ) -> Iterator[Application]:
        """Apply nodes in turn, add their outputs to `tensors`, and yield their applications."""
        nodes = Nodes.of(nodes)
        makers = Makers(nodes, {*tensors})
        self.literals = Constants(makers, self._rules, literals, self.literals)
        self.origins = Origins(makers, tensors, literals, self._rules, self._outside, self.trace, self.to_read)
        self.counts = Counts(nodes, tensors, self._rules, self.trace, self.counted)
        self.lengths = Lengths(makers, tensors, self._rules, self.literals, self.nested, self._apply_again)
        self.numbers = Numbers(makers, tensors, self._rules, self._opsets, self.scope, self.numbered, self.prefix)
        plain: dict[tuple[Any, ...], Application] = {}
        tensors.pop("", None)  # "" names an omitted input or output
        get, known = tensors.get, plain.get
        try:
            for index, kind, reads, writes in zip(count(), nodes.kinds, nodes.inputs, nodes.outputs, strict=False):
                key = (kind, *map(get, reads)) if "" not in writes else (kind, *map(bool, writes), *map(get, reads))
                application = known(key)
                if application is None:
                    application = self._step(nodes[index], tensors)
                    if not kind.attributes.graphs and self._is_plain(application, writes, tensors):
                        plain[key] = application
                elif len(writes) == 1 and writes[0]:  # the usual case: the general one takes twice as long
                    tensors[writes[0]] = application.outputs[0]
                else:
                    tensors.update(pair for pair in zip(writes, application.outputs, strict=True) if pair[0])
                yield application
        finally:
            if not self._depth:  # break their reference cycles with this walk, to free all that it has seen
                del self.origins, self.counts, self.numbers, self.lengths

    def _step(self, node: Node, tensors: dict[str, Tensor]) -> Application:
        """Apply one node, and add its outputs to the tensors."""
        op, domain, _, reads, writes, attributes = node
        rule = self._rules[domain, op]
        inputs = [tensors[name] if name else None for name in reads]
        try:
            if self._never and not self._never.isdisjoint(node.reads):
                self._never.update(writes)
                application = behind(node, rule)
            elif attributes.graphs:
                self.nested.append(node)
                application = self.apply(Step(rule, node, tensors), inputs)
                self._doubt(node, application)
            elif isinstance(rule, Function) and not self.counts.so_far().keys().isdisjoint(reads):
                application = self.apply(Step(rule, node, tensors), inputs)  # its lookups depend on the inputs' names
            else:
                made = tuple(map(bool, writes)) if "" in writes else len(writes)
                key = (rule or (domain, op), self._opsets.get(domain), attributes, made, *inputs)
                known = self._remembered.get(key)
                application = known if known is not None else self._remember(key, Step(rule, node, tensors), inputs)
            application = self._rest_on_others(application, node, tensors)
            self._bind(writes, application, tensors)
            self._pass_on(node, application, tensors)
        except TimeUp:
            if self._depth:
                raise
            tensors.update((name, UNKNOWN) for name in writes if name)
            application = out_of_time(node)
        return application

    def _rest_on_others(self, application: Application, node: Node, tensors: Mapping[str, Tensor]) -> Application:
        """Return the application with what the nodes before say of the elements, ranks and sizes on which it rests."""
        if application.decides_success or application.fresh_symbols or application.origin is not None:
            application = self.origins.check_elements(application, node)
        application = self._rest_on_ranks(application, node, tensors)
        if application.decides_success:
            application = self.counts.check_indices(application, node)
        if application.fresh_symbols:
            application = self.numbers.unify_sizes(application, node)
        return application

    def _rest_on_ranks(self, application: Application, node: Node, tensors: Mapping[str, Tensor]) -> Application:
        """Return the application, whose new sizes are unknown if the rank of an input is, and not because of data."""
        vague = self.vague and application.fresh_symbols and self._reads_vague(node, tensors)
        return with_unknown_sizes(application) if vague else application

    def _reads_vague(self, node: Node, tensors: Mapping[str, Tensor]) -> bool:
        """Whether a node, or a graph inside it, reads a tensor in `vague`."""
        return any(name in tensors and tensors[name] in self.vague for name in node.reads)

    def _pass_on(self, node: Node, application: Application, tensors: Mapping[str, Tensor]) -> None:
        """Add a node's outputs of unknown rank to `vague` if an input is vague, or if the node isn't followed."""
        if not self.vague and not application.unjudged:
            return
        outputs = [tensors[name] for name in node.outputs if name and tensors[name].shape is None]
        if outputs and (any(u.kind != "rank" for u in application.unjudged) or self._reads_vague(node, tensors)):
            self.vague.update(outputs)

    def _apply_again(self, node: Node, inputs: list[Tensor | None]) -> Application:
        """Return what a node makes of inputs other than the walk's."""
        step = Step(self._rules[node.domain, node.op], node, {})
        key = (step.rule, self._opsets.get(node.domain), node.attributes, tuple(map(bool, node.outputs)), *inputs)
        return self._remembered.get(key) or self._remember(key, step, inputs)

    def _is_plain(self, application: Application, writes: Sequence[str], tensors: Mapping[str, Tensor]) -> bool:  # noqa: ARG002 - for walks that change what a rule gives
        """Whether an application holds for all nodes with the same operator and inputs, whatever the names are."""
        return (
            application.repeatable
            and self._rename is None
            and not self.to_read
            and not (application.decides_success or application.fresh_symbols or application.origin is not None)
            and all(t.shape is not None for t in application.outputs)
        )

    def _bind(self, names: Sequence[str], application: Application, tensors: dict[str, Tensor]) -> None:
        """Add a node's outputs to `tensors` by name, after `rename`, and with a symbol for an unknown rank."""
        outputs = application.outputs
        if self._rename is not None:
            outputs = tuple(self._rename(name, t) if name else t for name, t in zip(names, outputs, strict=True))
        for name, t in zip(names, outputs, strict=True):
            if name:
                tensors[name] = t if t.shape is not None else self._with_rank(name, t, application)

    def _with_rank(self, name: str, t: Tensor, application: Application) -> Tensor:
        """Return a tensor of unknown rank with a symbol for its rank, or with the rank that some node requires."""
        if t.cases or not t.is_tensor or self._depth:
            return t
        if application.broken:
            self._never.add(name)
        if name in self._never:
            return t
        self.unranked.append(name)
        ndim = rank_symbol(name, kind=Kind.OPEN) if t.ndim is None else t.ndim
        rank = substitute(ndim, self._ranks).constant
        if rank is None:
            return tensor(t.dtype, None, t.value, ndim)
        return tensor(t.dtype, [symbol(f"{name}[{i}]", kind=Kind.OPEN) for i in range(rank)])

    def _memory(self) -> dict[tuple[Any, ...], Application]:
        """Return the cache of applications that walks with the same schemas and runtime share."""
        return _REMEMBERED.setdefault((self._schemas, self._runtime), {})

    def _remember(self, key: tuple[Any, ...], step: Step, inputs: list[Tensor | None]) -> Application:
        look()
        application = self.apply(step, inputs)
        if application.repeatable and self._rename is None and not self.to_read:
            if len(self._remembered) > MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = application
        return application

    def run_graph(self, run: Run) -> tuple[tuple[Tensor, ...], Origins | None]:
        """Return the outputs of a graph inside a node, and its tensors' origins (None if graphs nest too deep)."""
        graph = run.graph
        tensors = {name: run.outer[name] for name in graph.captures if name in run.outer}
        tensors.update(zip(graph.inputs, run.inputs, strict=False))
        body = self._body(run.ctx.node, graph, tensors)
        if body is None:
            return (UNKNOWN,) * len(graph.outputs), None
        inner, origins, applications = body
        if any(r.formula is FALSE for a in applications for r in a.requirements):
            self.doubts.append(run.ctx.node)
        run.ctx.enter(Body(run.label, graph.nodes, [*graph.inputs], graph.outputs, inner, {}), applications)
        return tuple(inner[name] for name in graph.outputs), origins

    def _doubt(self, node: Node, application: Application) -> None:
        """Record a node with a graph inside that never runs, or whose types or shapes aren't as declared or agreed."""
        entered = {id(body.nodes): body.tensors for body in application.bodies}
        runs = [(graph, entered.get(id(graph.nodes), {})) for graph in node.attributes.graphs]
        outputs = [[t[name] for name in graph.outputs if name in t] for graph, t in runs]
        made = [pair for other in outputs[1:] for pair in zip(outputs[0], other, strict=False)]
        how, pairs = self._rules.traits(node).runs, [(one.dtype, other.dtype) for one, other in made]
        pairs += [(t[k].dtype, t[o].dtype) for g, t in runs for k, o in carried_inputs(node, g, how).items() if t]
        if (
            not all(t for _, t in runs)
            or any(starmap(differ, pairs))
            or any(contradicts(*run) for run in runs)
            or (how is Runs.BRANCH and self._opsets.get("", MERGED) < MERGED and any(starmap(disjoint, made)))
        ):
            self.doubts.append(node)

    def _body(
        self, node: Node, graph: Graph, tensors: Mapping[str, Tensor]
    ) -> tuple[dict[str, Tensor], Origins, list[Application]] | None:
        """Return the tensors of a graph inside a node, their origins, and its nodes' applications; None if too deep.

        A tensor that a loop carries has the origins of its first value and of the iteration before, so the body is
        walked again until no iteration adds an origin.
        """
        origins = entering(node, graph, self.origins)
        unfollowed = of("sizes", title(node))
        own, numbers = {*graph.inputs, *graph.literals}, self.numbers
        for trial in count(1):
            walk, inner = self._deeper(partial(self._inside, node, dict(origins))), dict(tensors)
            if walk is None:
                break
            walk.literals, walk.around, walk.scope = self.literals, self.around, self.scope.within()
            walk.counted = {k: t for k, t in self.counts.so_far().items() if k not in own}
            walk.numbered = lambda name: None if name in own else numbers.of(name)
            applications = [*walk.nodes(graph, inner)]
            carry = carried_inputs(node, graph, self._rules.traits(node).runs)
            back = {k: out for k, out in carry.items() if not tensors[k].followed}
            carried_origins = {k: together(origins[k], walk.origins.read(out)) for k, out in back.items()}
            carried_origins = {
                k: unfollowed if origin == {STARTED} else origin for k, origin in carried_origins.items()
            }
            if carried_origins.items() <= origins.items() or trial > MAX_ENTRIES:
                return inner, walk.origins, applications
            origins.update(carried_origins if trial < MAX_ENTRIES else dict.fromkeys(back, unfollowed))
        return None

    def _inside(self, node: Node, origins: Mapping[str, Origin], name: str) -> Origin:
        """Return the origin of a tensor that a graph inside a node has as an input, or reads from outside."""
        return unfollowed_origin(origins[name], node) if name in origins else self.origins.origin(name)

    def call(self, function: Function, node: Node, inputs: list[Tensor | None]) -> Application:
        """Apply the body of a local function to the inputs and attributes of the node that calls it."""
        walk = self._inside_function(function, node)
        if walk is None:
            deep = Unjudged("", node.op, "unsupported", f"functions nest no deeper than {MAX_CALLS} calls")
            return Application((UNKNOWN,) * len(node.outputs), (), (), (deep,), repeatable=False)
        present = {name: t for name, t in zip(function.inputs, inputs, strict=False) if t is not None}
        tensors = dict.fromkeys(function.inputs, tensor("", ())) | present
        missing = set(function.inputs) - present.keys()
        from shapesmt.operators.ops import bound

        body = [bound(n, node.attributes, function.defaults, missing) for n in function.nodes]
        applications = [*walk.sequence(body, tensors, {})]
        ctx = RuleContext(node, inputs, 1)
        named = function.domain == "" or len(node.outputs) >= len(function.outputs)
        ctx.require(TRUE if named else FALSE, CALL_NAMES_ALL_OUTPUTS)
        ctx.enter(Body("", body, function.inputs, function.outputs, tensors, {}), applications)
        outputs = tuple(tensors.get(name, UNKNOWN) for name in function.outputs)[: len(node.outputs)]
        outputs += (UNKNOWN,) * (len(node.outputs) - len(outputs))
        counted = walk.counts.so_far()
        self.counts.add(
            {own: counted[o] for own, o in zip(node.outputs, function.outputs, strict=False) if o in counted}
        )
        application = ctx.application(outputs)
        repeatable = application.repeatable and not counted
        by_function = partial(_by_function, function, walk.origins)
        return replace(application, origin=by_function, called=True, repeatable=repeatable)

    def _inside_function(self, function: Function, node: Node) -> Walk | None:
        """Return a walk along a function's body, with new sizes named after the caller's output; None if too deep."""
        places = {name: argument_origin(index) for index, name in enumerate(function.inputs)}
        own = self._functions.get((function.domain, function.name)) is function  # not the definition of an operator
        walk = self._deeper(places.__getitem__, {**function.opsets, **self._opsets} if own else function.opsets)
        if walk is not None:
            names, numbers = dict(zip(function.inputs, node.inputs, strict=False)), self.numbers
            walk.literals = frozenset(inside for inside, outside in names.items() if outside in self.literals)
            walk.scope, walk.prefix = self.scope, f"{self.prefix}{node.outputs[0]}/"
            walk.numbered = lambda name: numbers.of(names[name]) if names.get(name) else None
            counted = self.counts.so_far()
            walk.counted = {inside: counted[outside] for inside, outside in names.items() if outside in counted}
        return walk

    def _deeper(self, outside: Outside, opsets: Mapping[str, int] | None = None) -> Walk | None:
        """Return a walk along nodes inside a node; None if they nest too deep.

        `outside` returns the origin of a tensor that none of them computes. `opsets` are those of a function; None for
        a graph, whose operator sets are the model's.
        """
        if self._depth >= MAX_CALLS:
            return None
        about = opsets or self._opsets, self._functions, self._schemas, self._runtime
        walk: Walk = type(self)(*about, None, self._depth + 1, None, outside)
        if opsets is None:
            walk._rules = self._rules
        walk.to_read, walk.doubts, walk.vague = self.to_read, self.doubts, self.vague
        return walk


def _by_function(function: Function, origins: Origins, index: int) -> Origin:
    """Return the origin of output number `index` of a function; FOLLOWED if the function has no such output."""
    return origins.read(function.outputs[index]) if index < len(function.outputs) else FOLLOWED
