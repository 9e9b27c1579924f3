"""Origins: the sources of a tensor's unknown elements.

They may be data of a run: elements of inputs, random numbers, and anything computed from them. A node that depends on
data is checked for data with which it runs, since data aren't known before. Unknown elements may also belong to a
constant that hasn't been read, or come from an operator whose rule doesn't compute elements. A node that depends on
such elements is undecided, which makes the verdict UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf, prod

from shapesmt.network.graph import Function, Graph, Literal, Node
from shapesmt.operators.inference.makers import Makers
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.rules import (
    DATA,
    DATA_CAUSE,
    FLOATS,
    FOLLOWED,
    STARTED,
    Application,
    Cause,
    Elements,
    Item,
    Keeps,
    Origin,
    Rule,
    Runs,
    Tensor,
    Unjudged,
    argument_causes,
    bad,
    by_data,
    combine_origins,
    elements,
    is_unread,
    of,
    resolve_arguments,
    tensor,
    title,
    together,
    unfollowed_origin,
    uniform,
)
from shapesmt.prover.algebra import ZERO, Atom, Dim, Kind, Substitution, partly_known, symbol
from shapesmt.prover.algebra.numeric import from_dim

Outside = Callable[[str], Origin]
Trace = Callable[[Rule, Node, Sequence[Tensor | None]], Application | None]

LAW = "numbers that sizes decide are known"
READ = "constants that sizes depend on are read"
REPEATED = (Runs.LOOP, Runs.SCAN, Runs.EACH)
MOST_TRACED = 64  # elements; those of larger tensors aren't traced one by one


class Origins:
    """The origins of the tensors of one graph.

    Args:
        makers: The nodes that compute the tensors.
        tensors: The tensors known so far.
        literals: The graph's constants.
        rules: The rules of the nodes' operators, by domain and name.
        outside: Returns the origin of a tensor that no node of the graph computes.
        trace: Applies the rule of a node to other inputs.
        to_read: Receives the constants that nodes depend on and that can still be read.
    """

    def __init__(
        self,
        makers: Makers,
        tensors: Mapping[str, Tensor],
        literals: Mapping[str, Literal],
        rules: Operators,
        outside: Outside,
        trace: Trace,
        to_read: set[Literal],
    ) -> None:
        self._makers = makers
        self._tensors = tensors
        self._literals = literals
        self._rules = rules
        self._outside = outside
        self._trace = trace
        self._inner: dict[str, tuple[Application, int]] = {}
        self._origins: dict[str, Origin] = {}
        self._items: dict[str, list[Origin]] = {}
        self._to_read = to_read

    def origin(self, name: str) -> Origin:
        """Return the origin of a tensor's unknown elements."""
        known = self._origins
        path = [] if name in known else [(name, self._ahead(name))]
        while path:
            top, ahead = path[-1]
            parent = ahead[-1] if ahead else None
            if parent is not None and parent not in known:
                path.append((parent, self._ahead(parent)))
                continue
            if parent is None or self._makes_data(ahead.pop(), top):
                known[top] = self._of_node(top) if parent is None else DATA
                path.pop()
        return known[name]

    def _ahead(self, name: str) -> list[str]:
        """Return the tensors that a tensor is computed from, as a stack: those of known origin on top."""
        parents = [*self._parents(name)][::-1]
        return [p for p in parents if p not in self._origins] + [p for p in parents if p in self._origins]

    def _makes_data(self, parent: str, name: str) -> bool:
        """Whether a tensor is data because this parent is data, whatever the other parents are."""
        if self._origins[parent] != DATA:
            return False
        read, t, node = self._tensors.get(parent), self._tensors.get(name), self._makers.get(name)
        if read is None or t is None or node is None or read.value is not None or read.followed:
            return False
        rule = self._rule(node)
        known = name in self._inner or node.attributes.graphs or not isinstance(rule, Rule) or _may_copy(rule)
        return not known and _small_shape(t) is None

    def read(self, name: str) -> Origin:
        """Return the origin of all elements of a tensor, known ones included; elements of a small input are data."""
        value = self._tensors[name].value if name in self._tensors else None
        known = frozenset(DATA_CAUSE if data else frozenset() for data in (() if value is None else by_data(value)))
        return known or FOLLOWED if self._is_followed(name) else together(self.origin(name), known)

    # Nodes that depend on elements

    def check_elements(self, application: Application, node: Node) -> Application:
        """Return the application, undecided if the node depends on unknown elements that aren't data."""
        for index, name in enumerate(node.outputs if application.origin is not None else ()):
            self._inner[name] = application, index
        indices = self._rules.traits(node).indices
        dependencies = [
            (self._origin_of_list(node.inputs[i], i in indices), i in application.decides_sizes_only, node.inputs[i])
            for i in sorted(application.decides_success)
        ]
        for part, only_sizes in application.rests_on_inputs:
            origin = frozenset({part})
            dependencies.append(
                (self._origin_in_caller(origin, node) if application.called else origin, only_sizes, "")
            )
        rests_on = frozenset(
            (part, only_sizes) for origin, only_sizes, _ in dependencies for part in argument_causes(origin)
        )
        unfollowed = [(bad(origin), only_sizes, name) for origin, only_sizes, name in dependencies if bad(origin)]
        external = frozenset(c for causes, _, _ in unfollowed for c in causes if c.literal and c.literal.file)
        application = replace(application, rests_on_inputs=rests_on, external=application.external | external)
        self._to_read.update(
            c.literal for causes, _, _ in unfollowed for c in causes if c.literal and is_unread(c.literal)
        )
        can_fail = [(min(causes, key=_first), name) for causes, only_sizes, name in unfollowed if not only_sizes]
        stated = [(cause, name) for cause, name in can_fail if cause.kind != "operator" and not application.unjudged]
        laws = {_law(cause, name): cause.what for cause, name in stated}
        if unfollowed or self._decided_by_nothing(application, node):
            reasons = [Unjudged("", node.op, "elements", law, rests_on=what) for law, what in laws.items()]
            return with_unknown_sizes(application, reasons)
        return application

    def _decided_by_nothing(self, application: Application, node: Node) -> bool:
        """Whether a node has data-dependent sizes although all its inputs are known and it isn't random."""
        known = all(not name or self._is_followed(name) for name in node.inputs) and not node.attributes.graphs
        rule = self._rules[node.domain, node.op]
        return known and bool(application.fresh_symbols) and not (isinstance(rule, Rule) and rule.random)

    def _origin_of_list(self, name: str, judges_known: bool) -> Origin:
        """Return the origin of an input whose elements the node needs one by one.

        Elements known only by a formula (`Field`) count as not computed. With `judges_known` this isn't so for a partly
        known formula, whose known elements the rule checks itself.
        """
        origin, maker = self.origin(name), self._makers.get(name)
        if origin != FOLLOWED:
            value = self._tensors[name].value if name in self._tensors and not judges_known else None
            mixed = value is not None and not isinstance(value, Elements) and partly_known(value.element)
            return unfollowed_origin(origin | FOLLOWED, maker) if mixed and maker is not None else origin
        return of("sizes", f"'{name}'") if maker is None else unfollowed_origin(self.read(name), maker)

    def _origin_in_caller(self, origin: Origin, node: Node) -> Origin:
        """Return an origin inside a function, in terms of the inputs of the node that calls it."""

        def caller(index: int) -> Origin:
            name = node.inputs[index] if index < len(node.inputs) else ""
            return self.read(name) if name else FOLLOWED

        return resolve_arguments(origin, caller)

    # Origins of tensors

    def _is_followed(self, name: str) -> bool:
        known = self._tensors.get(name)
        return known is not None and known.followed

    def _rule(self, node: Node) -> Rule | Function | None:
        return self._rules[node.domain, node.op]

    def runs(self, node: Node) -> Runs:
        """Return how a node runs the graphs in its attributes."""
        return self._rules.traits(node).runs

    def _parents(self, name: str) -> Iterable[str]:
        node = self._makers.get(name)
        rule = None if node is None else self._rule(node)
        blind = isinstance(rule, Rule) and (rule.of_shape or rule.random)
        if node is None or self._is_followed(name) or blind or (rule is None and name not in self._inner):
            return []
        return [n for n in (*node.inputs, *node.attributes.captures) if n]

    def _of_node(self, name: str) -> Origin:
        node, literal, known = self._makers.get(name), self._literals.get(name), self._tensors.get(name)
        if known is not None and known.followed and known.chosen:
            return DATA
        if self._is_followed(name):
            return FOLLOWED
        if literal is not None:
            lasting = literal.missing == Literal.ELSEWHERE and literal.source is None
            return DATA if lasting else of("unread", name, literal)
        if node is None:
            return self._outside(name)
        return self._of_output(name, node)

    def _of_output(self, name: str, node: Node) -> Origin:
        rule = self._rule(node)
        if name in self._inner:
            application, index = self._inner[name]
            assert application.origin is not None
            inner = application.origin(index)
            return unfollowed_origin(self._origin_in_caller(inner, node) if application.called else inner, node)
        if not isinstance(rule, Rule) or node.attributes.graphs:
            return of("operator", title(node))
        if rule.random or self._trains(node, rule.traits.training):
            return DATA
        reads = [n for n in (*node.inputs, *node.attributes.captures) if n]
        if not reads:
            literal = next((v for v in node.attributes.values() if isinstance(v, Literal)), None)
            return of("unread", name, literal)
        origins = [self.read(n) for n in reads]
        mixed = len({*origins} - {FOLLOWED}) > 1 or any(len(origin) > 1 for origin in origins)
        items = self._origins_by_element(name, node, rule) if mixed else None
        if items is not None:
            self._items[name] = items
            value = self._tensors[name].value
            known = value.items if isinstance(value, Elements) else (None,) * len(items)
            return together(*(o for o, item in zip(items, known, strict=True) if item is None))
        joint, value = _joint(rule, origins), self._tensors[name].value
        if value is not None and not isinstance(value, Elements):
            joint = joint - FOLLOWED or joint  # the formula has the known elements
        elif rule.traits.keeps in (Keeps.CONCATENATED, Keeps.STACKED) and value is None:
            lists = [o for n, o in zip(reads, origins, strict=True) if self._tensors[n].shape != ()]  # not an axis
            joint = joint | FOLLOWED if FOLLOWED in lists else joint
        return unfollowed_origin(joint, node)

    def _trains(self, node: Node, training: int | None) -> bool:
        """Whether a node is random because its input of index `training` puts it into training mode."""
        mode = None if training is None or training >= len(node.inputs) else self._tensors.get(node.inputs[training])
        return mode is not None and uniform(mode.value) is not ZERO

    def _origins_by_element(self, name: str, node: Node, rule: Rule) -> list[Origin] | None:
        """Return the origin of each element of a small tensor; None if they can't be told apart.

        The rule is applied to inputs whose unknown elements are symbols, one each; the symbols in an element of the
        output show which input elements it was computed from.
        """
        sizes = _small_shape(self._tensors[name])
        marks: dict[Atom, Origin] = {}
        inputs = [self._mark_elements(n, index, marks) if n else None for index, n in enumerate(node.inputs)]
        if sizes is None or rule.nested or any(n and t is None for n, t in zip(node.inputs, inputs, strict=True)):
            return None
        application = self._trace(rule, node, inputs)
        output = None if application is None else application.outputs[list(node.outputs).index(name)]
        if output is None or not isinstance(output.value, Elements) or output.value.shape != sizes:
            return None
        if any(item is None for item in output.value.items):
            return None
        marks_of_items = [frozenset(marks) & item.symbols for item in output.value.items if item is not None]
        return [unfollowed_origin(_joint(rule, [marks[m] for m in item_marks]), node) for item_marks in marks_of_items]

    def _mark_elements(self, name: str, index: int, marks: dict[Atom, Origin]) -> Tensor | None:
        """Return a tensor with a symbol for each unknown element; None if it has many elements, or no numbers.

        `marks` receives each symbol's origin. `index` is the position among the node's inputs, for the symbols' names.
        """
        t = self._tensors[name]
        sizes = _small_shape(t)
        if t.followed:
            return t
        if sizes is None or (t.dtype not in FLOATS and not t.dtype.startswith(("int", "uint", "bool"))):
            return None
        count = prod(sizes)
        items: list[Item] = list(t.value.items) if isinstance(t.value, Elements) else [None] * count
        origins = self._items.get(name) or [self.origin(name)] * count
        least, most = (0 if t.dtype[0] in "bu" else -inf), (1 if t.dtype == "bool" else inf)
        for place in [i for i, item in enumerate(items) if item is None]:
            mark = symbol(f"?{index}.{place}", least, most, kind=Kind.MARK)
            marks[next(iter(mark.symbols))] = origins[place]
            items[place] = from_dim(mark, t.dtype) if t.dtype in FLOATS else mark
        return tensor(t.dtype, t.shape, elements(sizes, items), layout=t.layout)


def _may_copy(rule: Rule) -> bool:
    """Whether outputs may hold input elements unchanged, by the rule's traits; True for a plugin without traits."""
    return rule.traits.copies or (rule.stated is None and bool(rule.plugin))


def _joint(rule: Rule, origins: Sequence[Origin]) -> Origin:
    """Return the origin of elements that an operator computes from elements of these origins."""
    if rule.traits.tuples:
        origins = [o - FOLLOWED or o if i == 1 else o for i, o in enumerate(origins)]
    if rule.traits.keeps is Keeps.MIXED:
        return combine_origins(*(frozenset({part}) for origin in origins for part in origin))
    kept = origins if _may_copy(rule) else ()
    return together(
        combine_origins(*origins), *(frozenset(part for part in o if part and part != DATA_CAUSE) for o in kept)
    )


def _small_shape(t: Tensor) -> tuple[int, ...] | None:
    """Return the shape of a tensor with few elements; None for others, and for an impossible shape (a node fails)."""
    sizes = [d.constant for d in t.shape or ()]
    constants = tuple(s for s in sizes if s is not None and s >= 0)
    return (
        constants if t.shape is not None and len(constants) == len(sizes) and prod(constants) <= MOST_TRACED else None
    )


# Graphs inside nodes


def carried_inputs(node: Node, graph: Graph, runs: Runs) -> dict[str, str]:
    """Return the loop-carried inputs of a body, each with the output that is its value in the next iteration."""
    inputs = [*graph.inputs]
    if runs is Runs.LOOP:
        return dict(zip(inputs[2:], graph.outputs[1:], strict=False))
    scanned = node.attributes.get("num_scan_inputs") if runs is Runs.SCAN else None
    return dict(zip(inputs[:-scanned], graph.outputs, strict=False)) if isinstance(scanned, int) and scanned else {}


def _outer(node: Node, graph: Graph) -> dict[str, str]:
    """Return the inputs of a body, each with the outer tensor that is its value in the first iteration."""
    names = [*[""] * len(graph.inputs), *node.inputs][len(node.inputs) :]
    return dict(zip(graph.inputs, names, strict=True))


def entering(node: Node, graph: Graph, outer: Origins) -> dict[str, Origin]:
    """Return the origins of a body's inputs in its first iteration."""
    runs = outer.runs(node)
    if runs in REPEATED:
        origins = {k: outer.read(name) if name else FOLLOWED for k, name in _outer(node, graph).items()}
        known = [k for k in (carried_inputs(node, graph, runs) if runs is Runs.LOOP else ()) if origins[k] & FOLLOWED]
        return {**origins, **{k: origins[k] - FOLLOWED | {STARTED} for k in known}}
    return dict.fromkeys(graph.inputs, combine_origins(*map(outer.read, node.reads)))


def by_bodies(node: Node, outer: Origins, bodies: Sequence[tuple[Origins, Graph]], index: int) -> Origin:
    """Return the origin of output number `index` of a node; `bodies` are the runs of the graphs inside it."""
    runs = outer.runs(node)
    if runs is Runs.NONE:
        return combine_origins(*map(outer.read, node.reads))
    place = index + (runs is Runs.LOOP)
    choosing = [outer.read(n) for n in node.inputs[: {Runs.BRANCH: 1, Runs.LOOP: 2}.get(runs, 0)] if n]
    origins = []
    for inner, graph in bodies:
        origins += [inner.read(name) for name in graph.outputs[place : place + 1]]
        choosing += [inner.read(graph.outputs[0])] if runs is Runs.LOOP else []
        starts, back = _outer(node, graph), carried_inputs(node, graph, runs)
        origins += [outer.read(starts[k]) for k, name in back.items() if graph.outputs[place : place + 1] == [name]]
    joint = together(*origins) or FOLLOWED
    joint = joint - {STARTED} | FOLLOWED if STARTED in joint else joint
    return together(joint - FOLLOWED, combine_origins(*choosing)) if joint >= FOLLOWED else joint


def _first(cause: Cause) -> tuple[bool, str, str]:
    """Return a sort key for causes: constants come first, since a user can make those available."""
    return cause.kind != "unread", cause.kind, cause.what


def _law(cause: Cause, name: str) -> str:
    text = f"'{name}' depends on" if name else "it depends on"
    if cause.kind == "unread":
        why = "" if cause.literal is None else cause.literal.unread
        return f"{READ}: {text} '{cause.what}', whose numbers aren't known ({why})"
    return f"{LAW}: {text} {cause.what}, which isn't tracked"


def with_unknown_sizes(application: Application, unjudged: Sequence[Unjudged] = ()) -> Application:
    """Return the application, undecided for the reasons `unjudged`, with unknown data-dependent sizes (`Kind.LOST`)."""
    sizes: dict[Atom, Dim] = {
        a: symbol(a.name, a.lo, a.hi, kind=Kind.LOST)
        for d in application.fresh_symbols
        if (a := d.as_symbol()) is not None
    }
    kept = tuple(
        r for r in application.requirements if not (r.within and unjudged)
    )  # a branch may not be the one that runs
    changed = replace(application, requirements=kept, facts=()).rewrite(Substitution(sizes))
    return replace(changed, unjudged=(*changed.unjudged, *unjudged))
