"""Convert higher-order operators to ONNX's `If`, `Loop` and `Scan`, and inline the graphs that others only wrap.

PyTorch's inner graphs take everything they read as operands. Here, as in ONNX, they capture it from the enclosing
graph; only loop-carried tensors, and the slices that a scan reads, are inputs of a body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from shapesmt.frontends.torch.arguments import names_of, tensor_named
from shapesmt.frontends.torch.fields import MisfitError, entries, record, text, variant
from shapesmt.network.graph import Attributes, Declared, Graph, Literal, Node

CAST = "cast"
"""The operator of a node that returns its input as floats of any float type."""

_EFFECTS = {"aten._linalg_check_errors.default": ("info", "api_name")}
"""Argument names of operators with effects, by position; programs don't store them."""


class Body(NamedTuple):
    """The content of a graph inside a node: its nodes, the tensors that it returns, and its constants.

    `changed` lists the operands that the graph changes in place.
    """

    nodes: list[Node]
    outputs: list[str]
    literals: dict[str, Literal]
    changed: Sequence[str] = ()


class Host(Protocol):
    """The part of a program's reader that higher-order operators use."""

    def unique(self, name: str) -> str:
        """Return the name itself if it is free, else with a number appended."""

    def body(self, graph: Mapping[str, Any], operands: Sequence[str], *, casts: bool | None = None) -> Body:
        """Return the content of a graph whose inputs are the tensors `operands`.

        `casts` says whether its operators cast floats; None is as in the enclosing graph.
        """

    def overwrite(self, tensor: str) -> list[Node]:
        """Return the nodes which state that a tensor of the enclosing graph has other elements from here on."""


class _Call(NamedTuple):
    """A node of a higher-order operator: its graphs, and its operands, each a list of tensors."""

    host: Host
    name: str
    graphs: Sequence[Mapping[str, Any]]
    operands: list[list[str]]
    outputs: list[str]
    flags: Sequence[bool] = ()


def convert(host: Host, node: Mapping[str, Any], op: str, name: str, names: Mapping[str, str]) -> Call | None:
    """Return a function that maps a higher-order node's outputs to the ONNX nodes for it; None if unsupported."""
    write = _WRITERS.get(op)
    arguments = [variant(record(argument).get("arg")) for argument in entries(node.get("inputs"))]
    graphs = [record(record(value).get("graph")) for kind, value in arguments if kind == "as_graph"]
    if write is None or not graphs:
        return None
    given = [names_of({kind: value}) for kind, value in arguments if _names(kind)]
    if any(kind == "as_unknown" for kind, _ in arguments) or any("" in listed for listed in given):
        return None  # an operand is a constant
    operands = [[tensor_named(name, names) for name in listed] for listed in given]
    flags = [value is True for kind, value in arguments if kind == "as_bool"]
    return lambda outputs: write(_Call(host, name, graphs, operands, outputs, flags))


def effect(node: Mapping[str, Any], names: dict[str, str]) -> Mapping[str, Any]:
    """Return the call in `with_effects(token, operator, ...)` as a node; return any other node unchanged.

    The token that it returns is renamed to the one that it reads.
    """
    if node.get("target") != "torch.ops.higher_order.with_effects":
        return node
    inputs, outputs = entries(node.get("inputs")), entries(node.get("outputs"))
    if len(inputs) < 2 or not outputs:
        raise MisfitError("a with_effects has a token and an operator, and returns a token")
    (token,), (new,) = names_of(record(inputs[0]).get("arg")), names_of(outputs[0])
    names[new] = tensor_named(token, names)
    target = text(record(record(inputs[1]).get("arg")).get("as_operator"))
    known = _EFFECTS.get(target.removeprefix("torch.ops."), ())
    named = [_name_argument(record(argument), place, known) for place, argument in enumerate(inputs[2:])]
    return {
        **node,
        "target": target,
        "inputs": named,
        "outputs": [o for o in outputs[1:] if "as_none" not in record(o)],
    }


def _name_argument(argument: dict[str, Any], place: int, names: Sequence[str]) -> dict[str, Any]:
    """Return an argument with its name; if the name is unknown, as an argument of an unsupported kind."""
    if argument.get("name"):
        return argument
    return {**argument, "name": names[place]} if place < len(names) else {"name": f"{place}", "arg": {"as_unknown": ""}}


Call: TypeAlias = "Callable[[list[str]], list[Node]]"


def _names(kind: str) -> bool:
    return kind.startswith(("as_tensor", "as_optional_tensor", "as_sym_"))


def _list(call: _Call, index: int) -> list[str]:
    return call.operands[index] if index < len(call.operands) else []


def _cond(call: _Call) -> list[Node]:
    """Convert `cond(predicate, then, else, operands)`."""
    if len(call.graphs) != 2 or len(_list(call, 0)) != 1:
        raise MisfitError("a cond has two branches and a predicate")
    branches = [call.host.body(graph, _list(call, 1)) for graph in call.graphs]
    graphs = dict(zip(("then_branch", "else_branch"), (_graph({}, body) for body in branches), strict=True))
    return [Node("If", "", call.name, _list(call, 0), call.outputs, Attributes(graphs))]


def _while_loop(call: _Call) -> list[Node]:
    """Convert `while_loop(condition, body, carried, others)`; the condition is also evaluated before the loop."""
    if len(call.graphs) != 2:
        raise MisfitError("a while_loop has a condition and a body")
    condition, body = call.graphs
    carried, others = _list(call, 0), _list(call, 1)
    before = call.host.body(condition, [*carried, *others])
    inner = [call.host.unique(f"{call.name}.{name}") for name in ("trip", "going", *carried)]
    trip = call.host.body(body, [*inner[2:], *others])
    after = call.host.body(condition, [*trip.outputs, *others])
    whole = Body([*trip.nodes, *after.nodes], [*after.outputs, *trip.outputs], {**trip.literals, **after.literals})
    types = {inner[0]: Declared("int64", ()), inner[1]: Declared("bool", ())}
    graph = _graph({**types, **dict.fromkeys(inner[2:], Declared("", None))}, whole)
    if len(before.outputs) != 1 or len(trip.outputs) != len(carried):
        raise MisfitError("a while_loop carries as many tensors as its body returns")
    loop = Node("Loop", "", call.name, ["", *before.outputs, *carried], call.outputs, Attributes({"body": graph}))
    return [*before.nodes, loop]


def _map(call: _Call) -> list[Node]:
    """Convert `map_impl(body, mapped, others)`, which maps along the first axis."""
    return _make_scan(call, [], _list(call, 0), _list(call, 1))


def _scan(call: _Call) -> list[Node]:
    """Convert `scan(body, carried, scanned, others)`, which scans along the first axis."""
    return _make_scan(call, _list(call, 0), _list(call, 1), _list(call, 2))


def _make_scan(call: _Call, carried: list[str], scanned: list[str], others: list[str]) -> list[Node]:
    inner = [call.host.unique(f"{call.name}.{name}") for name in (*carried, *scanned)]
    body = call.host.body(call.graphs[0], [*inner, *others])
    graph = _graph(dict.fromkeys(inner, Declared("", None)), body)
    settings = Attributes({"body": graph, "num_scan_inputs": len(scanned)})
    return [Node("Scan", "", call.name, [*carried, *scanned], call.outputs, settings)]


def _autocast(call: _Call) -> list[Node]:
    """Inline `wrap_with_autocast(device, type, enabled, cached, graph, operands)`: operators choose float types."""
    return _inline(call, casts=not call.flags or call.flags[0])


def _inline(call: _Call, *, casts: bool | None = None) -> list[Node]:
    """Inline a graph that runs unconditionally; its results get the names of the node's outputs."""
    read = [name for names in call.operands for name in names]
    given = {name: call.host.unique(f"{name}.{CAST}") if casts else name for name in read}
    body = call.host.body(call.graphs[0], [given[name] for name in read], casts=casts)
    if len(body.outputs) < len(call.outputs) or body.literals:
        raise MisfitError("a graph returns fewer tensors than its node has outputs")
    results = zip(body.outputs, call.outputs, strict=False)
    named = [Node("Identity", "", call.name, [inner], [outer]) for inner, outer in results if outer]
    first = [Node(CAST, "torch", given[name], [name], [given[name]]) for name in given if casts]
    changed = [name for name in given if given[name] in body.changed]
    return [*first, *body.nodes, *named, *(node for tensor in changed for node in call.host.overwrite(tensor))]


_WRITERS: dict[str, Callable[[_Call], list[Node]]] = {
    "higher_order.cond": _cond,
    "higher_order.while_loop": _while_loop,
    "higher_order.map_impl": _map,
    "higher_order.scan": _scan,
    "higher_order.wrap_with_autocast": _autocast,
    "higher_order.wrap_with_set_grad_enabled": _inline,
    **{f"higher_order.{name}": _inline for name in ("invoke_subgraph", "tag_activation_checkpoint", "strict_mode")},
}


def _graph(inputs: Mapping[str, Declared], body: Body) -> Graph:
    return Graph("", inputs, body.outputs, body.nodes, body.literals)
