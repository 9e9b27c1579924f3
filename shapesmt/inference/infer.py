"""Infer: a graph and its input tensors → every tensor's shape and elements, and what every node needs.

Nodes are walked in topological order. A rule applied to the same attributes and the same (interned) tensors gives
the same answer, so applications are remembered: a 48-layer transformer is one layer's work and 47 lookups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, islice
from typing import Any

from shapesmt import laws
from shapesmt.algebra import FALSE, TRUE, Atom, Dim, Formula, Kind, entries_of, memo, of_atom, substitute, symbol
from shapesmt.deadline import TimeUp, look
from shapesmt.errors import InternalError, ShapesmtError, UsageError, printable
from shapesmt.graph import Function, Graph, Literal, Node, Schemas
from shapesmt.inference.numbering import Named, Number, Numbers, Scope
from shapesmt.inference.origins import Origins, Outside, by_bodies, carried, entering
from shapesmt.inference.registered import registered
from shapesmt.ops import bound, refused
from shapesmt.rules import (
    FOLLOWED,
    RANK_LAW,
    STARTED,
    Application,
    InferenceContext,
    Origin,
    Requirement,
    Rule,
    RuleContext,
    Tensor,
    UndecidedError,
    Unjudged,
    UnknownRankError,
    by_case,
    data,
    from_literal,
    handed,
    joined,
    left,
    of,
    rank_symbol,
    read,
    resolve,
    tensor,
    title,
    together,
    unranked,
)

UNKNOWN = tensor("", None)
MAX_REMEMBERED = 200_000
MAX_CALLS = 64  # nesting of function calls and subgraphs
MAX_ENTRIES = 4  # runs of a body to find out who decides what it carries

_REMEMBERED: dict[Schemas | None, dict[tuple[Any, ...], Application]] = memo("applications", {}, entries_of)

Renaming = Callable[[str, Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Inference:
    """What inference found: the tensors by name, and per node of the graph the rule's application."""

    graph: Graph
    tensors: dict[str, Tensor]
    applications: list[Application] = field(default_factory=list)
    steps: Iterator[Application] = field(default_factory=lambda: iter(()))
    """The applications that are still to be made; each gives its tensors as well."""
    ranks: Mapping[Atom, Dim] = field(default_factory=dict)
    """The ranks that inner tensors are taken to have, because nodes need them and nothing else says what they are."""
    assumed: tuple[tuple[int, Requirement], ...] = ()
    """What nodes need of these ranks, by the nodes' indices."""
    unranked: list[str] = field(default_factory=list)
    """The tensors that nodes make with an unknown rank, or with one that is taken to be so."""
    nested: list[Node] = field(default_factory=list)
    """The nodes that have graphs of their own, as far as inference has come."""
    wanted: set[Literal] = field(default_factory=set)
    """The constants that nodes depend on, and that weren't read so far."""
    scope: Scope = field(default_factory=Scope)
    """The sizes that data decides."""

    def advance(self, count: int | None = None) -> None:
        """Make the applications of that many more nodes, or of all."""
        self.applications.extend(islice(self.steps, count))


def infer(
    graph: Graph,
    inputs: Mapping[str, Tensor],
    rename: Renaming | None = None,
    claims: Mapping[str, Tensor] | None = None,
    sizes: Mapping[str, Named] | None = None,
) -> Inference:
    """Shapes, elements and requirements of a whole graph.

    Args:
        graph: The model.
        inputs: Its input tensors by name.
        rename: Applied to every tensor a node makes before others read it; `encode` uses it to give each size
            a variable of its own.
        claims: Shapes to take where a node makes a tensor of unknown rank.
        sizes: The sizes that data decides by name, as an earlier inference of the graph has them.
    """
    ranks: dict[Atom, Dim] = {}
    assumed: tuple[tuple[int, Requirement], ...] = ()
    while True:
        inference = start(graph, inputs, rename, claims, ranks, sizes)
        inference.advance()
        if [literal for literal in inference.wanted if read(literal)]:
            for applications in [*_REMEMBERED.values()]:  # made without the elements of these constants
                applications.clear()
            continue
        needed = _needed_ranks(inference.applications) if inference.unranked else {}
        new = {atom: rank for atom, rank in needed.items() if atom not in ranks}
        if not new or any(u.kind == "timeout" for u in inference.applications[-1].unjudged):
            return replace(inference, assumed=assumed) if assumed else inference
        ranks = {**ranks, **new}
        stated = [(i, r) for i, a in enumerate(inference.applications) if a.ranks for r in a.requirements]
        assumed += tuple((i, r) for i, r in stated if r.formula.symbols and r.formula.symbols <= new.keys())


def start(
    graph: Graph,
    inputs: Mapping[str, Tensor],
    rename: Renaming | None = None,
    claims: Mapping[str, Tensor] | None = None,
    ranks: Mapping[Atom, Dim] | None = None,
    sizes: Mapping[str, Named] | None = None,
) -> Inference:
    """An inference that has yet to `advance`: for a caller who may not need all of it."""
    if claims:

        def rename(name: str, t: Tensor) -> Tensor:
            return claims[name] if t.shape is None and name in claims else t

    scope = Scope(names=sizes or {}, calls=graph.functions)
    for name in inputs:
        scope.arbitrary[scope.number("input", name)] = name
    walk = _Walk(graph.opsets, graph.functions, graph.schemas, rename, ranks=ranks)
    walk.scope, walk.numbered = scope, lambda name: scope.number("input", name) if name in inputs else None
    tensors = dict(inputs)
    steps = walk.nodes(graph, tensors)
    return Inference(
        graph,
        tensors,
        steps=steps,
        ranks=ranks or {},
        unranked=walk.unranked,
        nested=walk.nested,
        wanted=walk.wanted,
        scope=scope,
    )


def _needed_ranks(applications: Iterable[Application]) -> dict[Atom, Dim]:
    """The ranks that nodes need of tensors of which nothing is known."""
    found: dict[Atom, Dim] = {}
    for ndim, rank in [pair for a in applications for pair in a.ranks]:
        atom = next(iter(ndim.symbols), None)
        meaning = None if atom is None else of_atom(atom) - ndim + rank
        if atom is not None and meaning is not None and atom.kind is Kind.OPEN and meaning.constant is not None:
            found.setdefault(atom, meaning)
    return found


def out_of_time(node: Node) -> Application:
    """What is said of a node that there is no time for."""
    left = Unjudged("", node.op, "timeout", "the node is looked at in the time given")
    return Application((UNKNOWN,) * len(node.outputs), (), (), (left,), repeatable=False)


class _Walk:
    """What one inference needs on its way: the operator sets, the functions and the rules already looked up."""

    def __init__(
        self,
        opsets: Mapping[str, int],
        functions: Mapping[tuple[str, str], Function],
        schemas: Schemas | None,
        rename: Renaming | None,
        depth: int = 0,
        ranks: Mapping[Atom, Dim] | None = None,
        outside: Outside = data,
    ) -> None:
        self._opsets = opsets
        self._functions = functions
        self._schemas = schemas
        self._remembered = _REMEMBERED.setdefault(schemas, {})
        self._rename = rename
        self._depth = depth
        self._ranks = ranks or {}
        self._outside = outside
        self.scope = Scope()
        self.numbered: Callable[[str], Number | None] = lambda _name: None
        self.prefix = ""
        self.unranked: list[str] = []
        self.nested: list[Node] = []
        self.literals: frozenset[str] = frozenset()
        self.wanted: set[Literal] = set()
        self._found: dict[tuple[str, str], Rule | Function | None] = {}

    def nodes(self, graph: Graph, tensors: dict[str, Tensor]) -> Iterator[Application]:
        """Every node of a graph applied in turn; `tensors` gains what they make."""
        for name, literal in graph.literals.items():
            tensors[name] = from_literal(literal)
        self.literals |= graph.literals.keys()
        return self.sequence(graph.nodes, tensors, graph.literals)

    def sequence(
        self, nodes: Sequence[Node], tensors: dict[str, Tensor], literals: Mapping[str, Literal]
    ) -> Iterator[Application]:
        """Nodes applied in turn."""
        self.literals |= {node.outputs[0] for node in nodes if node.op == "Constant" and node.outputs}
        found, remembered, rename, opsets = self._found, self._remembered, self._rename, self._opsets
        origins = self.origins = Origins(nodes, tensors, literals, found, self._outside, self._trace, self.wanted)
        numbers = self._numbers = Numbers(nodes, tensors, found, opsets, self.scope, self.numbered, self.prefix)
        for node in nodes:
            op, domain, _, reads, writes, attributes = node
            try:
                rule = found[domain, op]
            except KeyError:
                rule = found[domain, op] = self._lookup(domain, op)
            given = [tensors[name] if name else None for name in reads]
            try:
                if attributes.graphs:
                    self.nested.append(node)
                    made = self._apply(rule, node, given, tensors)
                else:
                    key = (rule or (domain, op), opsets.get(domain), attributes, len(writes), *given)
                    known = remembered.get(key)
                    made = known if known is not None else self._remember(key, rule, node, given, tensors)
                if made.decides_success or made.fresh_symbols or made.origin is not None:
                    made = origins.weighed(made, node)
                if made.fresh_symbols:
                    made = numbers.agreed(made, node)
                outputs = made.outputs
                if rename is not None:
                    outputs = tuple(rename(name, t) if name else t for name, t in zip(writes, outputs, strict=True))
                if len(writes) == 1:
                    t = outputs[0]
                    tensors[writes[0]] = t if t.shape is not None else self._named(writes[0], t)
                else:
                    if any(t.shape is None for t in outputs):
                        outputs = tuple(map(self._named, writes, outputs))
                    tensors.update(zip(writes, outputs, strict=True))
            except TimeUp:
                if self._depth:
                    raise
                tensors.update(dict.fromkeys(writes, UNKNOWN))
                made = out_of_time(node)
            yield made

    def _named(self, name: str, t: Tensor) -> Tensor:
        """A tensor of unknown rank with a symbol for it, or with the sizes of the rank that some node needs."""
        if t.shape is not None or t.cases or not t.is_tensor or self._depth:
            return t
        self.unranked.append(name)
        ndim = rank_symbol(name, kind=Kind.OPEN) if t.ndim is None else t.ndim
        rank = substitute(ndim, self._ranks).constant
        if rank is None:
            return tensor(t.dtype, None, t.value, ndim)
        return tensor(t.dtype, [symbol(f"{name}[{i}]", kind=Kind.OPEN) for i in range(rank)])

    def _remember(
        self,
        key: tuple[Any, ...],
        rule: Rule | Function | None,
        node: Node,
        given: list[Tensor | None],
        tensors: dict[str, Tensor],
    ) -> Application:
        look()
        made = self._apply(rule, node, given, tensors)
        if made.repeatable and self._rename is None and not self.wanted:
            if len(self._remembered) > MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = made
        return made

    def _lookup(self, domain: str, op: str) -> Rule | Function | None:
        function = self._functions.get((domain, op))
        return function or resolve(domain, op, self._opsets.get(domain, 1))

    def _apply(
        self, rule: Rule | Function | None, node: Node, given: list[Tensor | None], tensors: dict[str, Tensor]
    ) -> Application:
        """What the node's rule says in each case of its inputs; of what makes no sense no rule is asked."""
        law = None if isinstance(rule, Function) else self._misfit(node)
        if law:
            return Application((UNKNOWN,) * len(node.outputs), (Requirement(FALSE, law),))
        if not any(t is not None and t.cases for t in given):
            with suppress(UndecidedError):
                return self._typed(rule, node, given, tensors, TRUE)

        def apply(inputs: Sequence[Tensor | None], case: Formula | None) -> Application:
            return self._typed(rule, node, [*inputs], tensors, case)

        return by_case(given, apply, simpler=self._rename is None)

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
        made = self._applied(rule, node, given, tensors, case)
        value = None if isinstance(rule, Function) else refused(node)
        if law:
            made = replace(made, requirements=(Requirement(FALSE, law, typed=True), *made.requirements))
        elif value:
            made = replace(made, requirements=(Requirement(FALSE, value, limit=True), *made.requirements))
        return made

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
            return self._call(rule, node, given)
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
            made = direct or Application((tensor(dtype, None),) * len(node.outputs), ())
            left = (Unjudged("", node.op, "rank", RANK_LAW),) * (not rule.total)
            return replace(made, unjudged=(*made.unjudged, *left))
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
        """The rule applied to inputs that it copes with."""
        runs: list[tuple[Origins, Graph]] = []

        def run(ctx: RuleContext, graph: Graph, inputs: Sequence[Tensor], label: str) -> tuple[Tensor, ...]:
            return self._subgraph(ctx, graph, inputs, label, tensors, runs)

        ctx = InferenceContext(node, given, self._opsets.get(node.domain, 1), run)
        ctx.case = case
        ctx.boolean = lambda index: self._numbers.boolean(node.inputs[index])
        ctx.literals = self.literals
        try:
            made = ctx.apply(rule.apply)
        except (UnknownRankError, UndecidedError, UsageError, InternalError, MemoryError):
            raise
        except Exception as error:  # a rule need not be ours: it may raise anything
            where = printable(f"the rule of {node.op} broke at node '{node.name}'", 200)
            reason = printable(f"{type(error).__name__}: {error}", 200)
            if rule.plugin:
                raise UsageError(f"{where}: {reason} (in {rule.plugin})") from error
            raise InternalError(f"{where}: {reason}") from error
        return replace(made, origin=partial(by_bodies, node, self.origins, runs)) if runs else made

    def _trace(self, rule: Rule, node: Node, given: Sequence[Tensor | None]) -> Application | None:
        """The rule applied to inputs made up, None where it doesn't cope with them."""
        try:
            return self._judged(rule, node, given, {})
        except (UnknownRankError, ShapesmtError):
            return None

    def _subgraph(
        self,
        ctx: RuleContext,
        graph: Graph,
        inputs: Sequence[Tensor],
        label: str,
        outer: dict[str, Tensor],
        runs: list[tuple[Origins, Graph]],
    ) -> tuple[Tensor, ...]:
        tensors = {name: outer[name] for name in graph.captures if name in outer}
        tensors.update(zip(graph.inputs, inputs, strict=False))
        body = self._body(ctx.node, graph, tensors)
        if body is None:
            return (UNKNOWN,) * len(graph.outputs)
        inner, origins, applications = body
        for node, application in zip(graph.nodes, applications, strict=True):
            ctx.adopt(application, f"{label}/{node.name}" if label else node.name)
        runs.append((origins, graph))
        return tuple(inner[name] for name in graph.outputs)

    def _body(
        self, node: Node, graph: Graph, tensors: Mapping[str, Tensor]
    ) -> tuple[dict[str, Tensor], Origins, list[Application]] | None:
        """A graph inside a node; what it carries from trip to trip comes from outside and from the trip before."""
        given = entering(node, graph, self.origins)
        lost = of("sizes", title(node))
        own, numbers = {*graph.inputs, *graph.literals}, self._numbers
        for trial in count(1):
            walk, inner = self._deeper(partial(self._inside, node, dict(given))), dict(tensors)
            if walk is None:
                break
            walk.literals, walk.scope = self.literals, self.scope.within()
            walk.numbered = lambda name: None if name in own else numbers.of(name)
            applications = [*walk.nodes(graph, inner)]
            back = {k: out for k, out in carried(node, graph).items() if not tensors[k].followed}
            entered = {k: together(given[k], walk.origins.read(out)) for k, out in back.items()}
            entered = {k: lost if origin == {STARTED} else origin for k, origin in entered.items()}
            if entered.items() <= given.items() or trial > MAX_ENTRIES:
                return inner, walk.origins, applications
            given.update(entered if trial < MAX_ENTRIES else dict.fromkeys(back, lost))
        return None

    def _inside(self, node: Node, given: Mapping[str, Origin], name: str) -> Origin:
        """The origin of a tensor that a graph inside a node is given, or reads from outside."""
        return left(given[name], node) if name in given else self.origins.origin(name)

    def _call(self, function: Function, node: Node, given: list[Tensor | None]) -> Application:
        """A local function: its body on the caller's inputs and attributes."""
        places = {name: handed(index) for index, name in enumerate(function.inputs)}
        walk = self._deeper(places.__getitem__, function.opsets)
        if walk is None:
            return Application(
                (UNKNOWN,) * len(node.outputs),
                (),
                (),
                (Unjudged("", node.op, "unsupported", f"functions nest no deeper than {MAX_CALLS} calls"),),
            )
        pairs = zip(function.inputs, node.inputs, strict=False)
        walk.literals = frozenset(inside for inside, outside in pairs if outside in self.literals)
        absent = tensor("", ())
        inner = dict.fromkeys(function.inputs, absent)
        inner.update((name, t) for name, t in zip(function.inputs, given, strict=False) if t is not None)
        missing = {
            name
            for name, t in zip(function.inputs, [*given, *[None] * len(function.inputs)], strict=False)
            if t is None
        }
        names, numbers = dict(zip(function.inputs, node.inputs, strict=False)), self._numbers
        walk.scope, walk.prefix = self.scope, f"{self.prefix}{node.outputs[0]}/"
        walk.numbered = lambda name: numbers.of(names[name]) if names.get(name) else None
        body = [bound(n, node.attributes, function.defaults, missing) for n in function.nodes]
        applications = [*walk.sequence(body, inner, {})]
        ctx = InferenceContext(node, given, 1)
        named = function.domain == "" or len(node.outputs) >= len(function.outputs)
        ctx.require(TRUE if named else FALSE, laws.CALL_NAMES_ALL_OUTPUTS)
        for inner_node, application in zip(body, applications, strict=True):
            ctx.adopt(application, inner_node.name)
        outputs = tuple(inner.get(name, UNKNOWN) for name in function.outputs)[: len(node.outputs)]
        outputs += (UNKNOWN,) * (len(node.outputs) - len(outputs))
        return replace(ctx.application(outputs), origin=partial(_by_function, function, walk.origins), called=True)

    def _deeper(self, outside: Outside, opsets: Mapping[str, int] | None = None) -> _Walk | None:
        if self._depth >= MAX_CALLS:
            return None
        walk = _Walk(opsets or self._opsets, self._functions, self._schemas, None, self._depth + 1, None, outside)
        if opsets is None:
            walk._found = self._found
        walk.wanted = self.wanted
        return walk


def _by_function(function: Function, origins: Origins, index: int) -> Origin:
    """The origin of what a function makes."""
    return origins.read(function.outputs[index]) if index < len(function.outputs) else FOLLOWED
