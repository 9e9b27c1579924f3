"""Loading: laws by which ONNX Runtime refuses a file, whether or not the nodes that violate them ever run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from shapesmt.base.errors import printable
from shapesmt.network import laws
from shapesmt.network.graph import Declared, Function, Graph, Literal, Node, Nodes, Runtime
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.rules import FLOATS, Application, Memory, Requirement, Runs, Tensor, Unjudged
from shapesmt.prover.algebra import FALSE


class Refusal(NamedTuple):
    """The laws that a node violates, or may violate, when the runtime loads the model."""

    requirements: tuple[Requirement, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()

    def of(self, application: Application) -> Application:
        """Return the node's application with this refusal, unless the node fails for all inputs anyway."""
        if any(r.formula is FALSE for r in application.requirements):
            return application
        return replace(
            application,
            requirements=(*self.requirements, *application.requirements),
            unjudged=(*self.unjudged, *application.unjudged),
        )


Refusals = Mapping[int, Refusal]
"""Refusals by the index of the node at which they are reported."""

TYPED = 9
"""The opset since which constants may have other types than float."""

NAMES, SHAPES = "refused names", "refused shapes"
"""Keys under which a graph remembers its refusals."""


def is_loaded(graph: Graph) -> bool:
    """Whether ONNX Runtime is what loads the model, so that its laws on loading apply."""
    return graph.schemas is not None and graph.runtime is Runtime.ONNX


def refusals(graph: Graph) -> Refusals:
    """Return the refusals for names, operator sets and signatures, or those that `more_refusals` found, if any."""
    if NAMES not in graph.memory:
        found: dict[int, Refusal] = {}
        for index, law in _broken_laws(graph) if is_loaded(graph) and graph.nodes else ():
            found[index] = Refusal((*found.get(index, Refusal()).requirements, refusal(law)))
        graph.memory[NAMES] = found
    known: Refusals = graph.memory.get(SHAPES) or graph.memory[NAMES]
    return known


def more_refusals(graph: Graph, look: Callable[[Graph], Refusals]) -> Refusals:
    """Return `look(graph)`, the refusals for types and shapes; {} if it has been called or the model is refused."""
    if SHAPES in graph.memory or refusals(graph):
        return {}
    found = graph.memory[SHAPES] = look(graph)
    return found


def refusal(law: laws.Law, within: str = "") -> Requirement:
    """Return a law as a requirement that fails for all inputs, while the shapes of outputs remain known.

    `within` is the path of the inner node that violates it; "" for the node itself.
    """
    return Requirement(FALSE, law, limit=True, within=within)


def type_conflicts(graph: Graph, tensors: Mapping[str, Tensor]) -> Iterator[tuple[int, str, str]]:
    """Yield the outputs whose element type isn't the declared one: node index, name and declared type."""
    operators = Operators(graph.opsets, graph.functions)
    for name, declared in graph.declared.items():
        if name in tensors and differ(declared.dtype, tensors[name].dtype):
            index = graph.producer(name)
            if index is not None and not _is_constant(graph.nodes[index], operators):
                yield index, name, declared.dtype


def contradicts(graph: Graph, tensors: Mapping[str, Tensor]) -> bool:
    """Whether a declared element type, rank or constant size differs from the inferred one, or may differ."""
    if not graph.declared:
        return False
    claims = graph.declared.values()
    found = map(tensors.get, graph.declared)
    distinct = {(id(declared), id(t)): (declared, t) for declared, t in zip(claims, found, strict=True)}
    return any(t is not None and _contradicts(declared, t) for declared, t in distinct.values())


def _contradicts(declared: Declared, t: Tensor) -> bool:
    if differ(declared.dtype, t.dtype):
        return True
    if declared.shape is None or declared.kind != "tensor":
        return False
    if t.shape is None or len(t.shape) != len(declared.shape):
        return True
    return any(isinstance(n, int) and d.constant != n for n, d in zip(declared.shape, t.shape, strict=True))


def differ(one: str, other: str) -> bool:
    """Whether two element types are known and different."""
    return bool(one and other and one != other) and "()" not in one + other


INPUT_HAS_TYPE = laws.SM408.law("input '{name}' declares its type")
CONSTANT_HAS_TYPE = laws.SM408.law("constant '{name}' is of a known element type")


def _broken_laws(graph: Graph) -> Iterator[tuple[int, laws.Law]]:
    for law in graph.refused:
        yield 0, law
    for name, declared in graph.inputs.items():
        if not declared.dtype:
            yield (graph.consumers(name) or (0,))[0], INPUT_HAS_TYPE.of(name=printable(name))
    for name, literal in graph.literals.items():
        if literal.dtype in ("", "undefined"):
            yield (graph.consumers(name) or (0,))[0], CONSTANT_HAS_TYPE.of(name=printable(name))
    operators = Operators(graph.opsets, graph.functions)
    yield from _missing_imports(graph.nodes, graph.opsets, "model")
    yield from _names(graph.nodes, operators)
    yield from _bodies(graph.nodes, {*graph.inputs, *graph.literals}, operators)
    calls = _calls(graph)
    for key, function in graph.functions.items():
        for law in _of_function(graph, function):
            yield calls.get(key, 0), law
        for law in _of_call(graph, function) if key in calls else ():
            yield calls[key], law


def _calls(graph: Graph) -> dict[tuple[str, str], int]:
    """Return the index of the first node that calls each function, directly, in a body or through another function."""
    calls: dict[tuple[str, str], int] = {}
    for index, node in enumerate(graph.nodes) if graph.functions else ():
        ahead = [node]
        while ahead:
            for inner in _inside(ahead.pop()):
                key = inner.domain, inner.op
                if key in graph.functions and key not in calls:
                    calls[key] = index
                    ahead.extend(graph.functions[key].nodes)
    return calls


def _inside(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes of the graphs inside it."""
    yield node
    for graph in node.attributes.graphs:
        for inner in graph.nodes:
            yield from _inside(inner)


FUNCTION_OF_OWN_DOMAIN = laws.SM408.law("function '{function}' isn't of ONNX's own domain")
FUNCTION_MAKES_OUTPUTS = laws.SM408.law("function '{function}' makes its output '{name}', which isn't an input")
FUNCTION_FITS_OWN_OPSETS = laws.SM408.law("in function '{function}' {law}, by the opset that it imports")


def _of_function(graph: Graph, function: Function) -> Iterator[laws.Law]:
    """Yield the laws that a function violates, called or not, in the operator sets that it imports itself."""
    title, schemas = printable(function.name), graph.schemas
    if not function.domain:
        yield FUNCTION_OF_OWN_DOMAIN.of(function=title)
    for name in function.outputs:
        if name in function.inputs:
            yield FUNCTION_MAKES_OUTPUTS.of(function=title, name=printable(name))
    for _, law in _missing_imports(function.nodes, function.opsets, f"function '{title}'"):
        yield law
    for node in (inner for outer in function.nodes for inner in _inside(outer)):
        version = function.opsets.get(node.domain)
        if version and schemas is not None and (node.domain, node.op) not in graph.functions:
            miscount = schemas.miscount(node, version)
            if miscount is not None:
                yield FUNCTION_FITS_OWN_OPSETS.of(function=title, law=miscount)


FUNCTION_CONSTANTS_OF_FLOATS = laws.SM408.law("constants in function '{function}' are floats, by the opset it imports")


def _of_call(graph: Graph, function: Function) -> Iterator[laws.Law]:
    """Yield the laws that a function violates if it is called."""
    operators = Operators(function.opsets, graph.functions)
    for node in function.nodes:
        if _is_constant(node, operators) and function.opsets.get("", TYPED) < TYPED and not _is_float(node):
            yield FUNCTION_CONSTANTS_OF_FLOATS.of(function=printable(function.name))
    for _, law in (*_names(function.nodes, operators), *_bodies(function.nodes, {*function.inputs}, operators)):
        yield law


def _is_float(node: Node) -> bool:
    """Whether a constant has floats, or an unknown type."""
    value = node.attributes.get("value")
    return not isinstance(value, Literal) or value.dtype in FLOATS


OPERATOR_SET_IMPORTED = laws.SM408.law("the {where} imports the operator set '{domain}' of {op}")


def _missing_imports(nodes: Sequence[Node], opsets: Container[str], where: str) -> Iterator[tuple[int, laws.Law]]:
    listed = Nodes.of(nodes)
    doubtful = {kind for kind in {*listed.kinds} if kind.domain not in opsets or kind.attributes.graphs}
    for index in (i for i, kind in enumerate(listed.kinds) if kind in doubtful) if doubtful else ():
        for inner in _inside(listed[index]):
            if inner.domain not in opsets:
                domain, op = printable(inner.domain), printable(inner.op)
                yield index, OPERATOR_SET_IMPORTED.of(where=where, domain=domain, op=op)


NODE_NAMES_DIFFER = laws.SM408.law("only one node is called '{name}'")


def _names(nodes: Sequence[Node], operators: Operators) -> Iterator[tuple[int, laws.Law]]:
    """Yield the nodes of one graph that repeat an earlier node's name; default names such as `Add_3` are ignored."""
    names = Nodes.of(nodes).names
    if len({*names}) < len(names):
        named = [(i, n.name) for i, n in enumerate(nodes) if not _is_constant(n, operators) and n.name != f"{n.op}_{i}"]
        counts, seen = Counter(name for _, name in named), set[str]()
        for index, name in named:
            if counts[name] > 1 and name in seen:
                yield index, NODE_NAMES_DIFFER.of(name=printable(name))
            seen.add(name)


MERGED = 11
"""The opset since which branches may make tensors of different ranks and numbers."""


def disjoint(one: Tensor, other: Tensor) -> bool:
    """Whether two shapes are known, and differ in their ranks or in a number."""
    if one.shape is None or other.shape is None or one.rank != other.rank:
        return one.shape is not None and other.shape is not None
    pairs = zip(one.dims, other.dims, strict=True)
    return any(a is not b and a.constant is not None and b.constant is not None for a, b in pairs)


BRANCHES_MAKE_THE_SAME = laws.SM408.law("both branches make the same number of outputs")


def _bodies(
    nodes: Sequence[Node], around: set[str], operators: Operators, *, body: bool = False
) -> Iterator[tuple[int, laws.Law]]:
    """Yield the laws that graphs inside nodes violate; `around` has the names of inputs and constants around them.

    If the nodes are themselves in a `body`, the output names of all nodes earlier in the file are taken too.
    """
    kinds = Nodes.of(nodes).kinds
    nesting = {kind for kind in {*kinds} if kind.attributes.graphs}
    if not nesting:
        return
    nested = [index for index, kind in enumerate(kinds) if kind in nesting]
    taken = around.union(*(n.outputs for n in nodes if _is_constant(n, operators)))
    for index in visiting_order(nodes, operators):
        node = nodes[index]
        earlier = taken.union(*(n.outputs for n in nodes[:index])) if body and node.attributes.graphs else taken
        for graph in node.attributes.graphs:
            yield from ((index, law) for law in _of_body(node, graph, earlier, operators))
        taken.update(node.outputs)
    for index in nested:
        counts = {len(graph.outputs) for graph in nodes[index].attributes.graphs}
        if operators.traits(nodes[index]).runs is Runs.BRANCH and len(counts) > 1:
            yield index, BRANCHES_MAKE_THE_SAME


BODY_NAMES_ARE_NEW = laws.SM408.law("no node of a body makes '{name}', which is the name of a tensor around the body")
BODY_NODES_IN_ORDER = laws.SM408.law("in a body, '{name}' stands before the nodes that read it")
BODY_MAKES_OUTPUTS = laws.SM408.law("the body itself makes its output '{name}'")


def _of_body(node: Node, graph: Graph, taken: set[str], operators: Operators) -> Iterator[laws.Law]:
    if operators.traits(node).runs is Runs.BRANCH and graph.inputs:
        yield laws.BRANCH_TAKES_NO_INPUT
    made = {name for inner in graph.nodes for name in inner.outputs if name}
    for name in sorted(made & taken):
        yield BODY_NAMES_ARE_NEW.of(name=printable(name))
    for name in graph.early:
        if name not in taken:
            yield BODY_NODES_IN_ORDER.of(name=printable(name))
    for name in graph.outputs:
        if name not in made and name not in graph.inputs and name not in graph.literals:
            yield BODY_MAKES_OUTPUTS.of(name=printable(name))
    around = {*taken, *graph.inputs, *graph.literals}
    for _, law in (*_names(graph.nodes, operators), *_bodies(graph.nodes, around, operators, body=True)):
        yield law


def _is_constant(node: Node, operators: Operators) -> bool:
    """Whether ONNX Runtime replaces a node by a constant before it looks at names."""
    return operators.traits(node).memory is Memory.MODEL


def visiting_order(nodes: Sequence[Node], operators: Operators) -> list[int]:
    """Return the indices of a graph's nodes in the order in which ONNX Runtime visits them.

    First come nodes that read no output of another node. Then come the nodes that nothing reads, from the last to the
    first, each after the nodes that it needs.
    """
    computing = [(i, node) for i, node in enumerate(nodes) if not _is_constant(node, operators)]
    producers = {name: i for i, node in computing for name in node.outputs if name}
    before = [sorted({producers[name] for name in node.reads if name in producers}) for node in nodes]
    order = [i for i, needed in enumerate(before) if not needed]
    added, seen, read = {*order}, {*order}, {i for needed in before for i in needed}
    stack = [i for i in range(len(before)) if i not in read]
    while stack:
        index = stack.pop()
        if index in seen:
            order += [index] * (index not in added)
            added.add(index)
        else:
            seen.add(index)
            stack += [index, *(i for i in before[index] if i not in seen)]
    return order
