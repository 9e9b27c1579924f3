"""Drafts written back into ONNX protobufs: nodes and weights that no rewrite changed stay as they are in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from shapesmt.network.graph import DTYPES, Graph, Literal, Node
from shapesmt.reports.export import CONSTANT
from shapesmt.tasks.simplify.draft import Draft, Place

if TYPE_CHECKING:
    import onnx

_NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
_INITIALIZERS = 4  # first IR version in which an initializer need not be an input


def write(draft: Draft, proto: onnx.ModelProto) -> None:
    """Replace the graph of a model by the draft."""
    _write_graph(draft, proto.graph, as_nodes=proto.ir_version < _INITIALIZERS)


def write_function(draft: Draft, proto: onnx.FunctionProto) -> None:
    """Replace the body of a function by the draft; its constants are nodes."""
    _write_nodes(draft, proto, as_nodes=True)


def nodes_of(proto: onnx.ModelProto) -> int:
    """Return the number of nodes, with those of inner graphs and functions, but without constants."""
    return sum(_count(part.node) for part in (proto.graph, *proto.functions))


def _count(nodes: Sequence[onnx.NodeProto]) -> int:
    return sum((n.op_type != CONSTANT) + sum(_count(g.node) for _, g in _graphs(n)) for n in nodes)


def _graphs(node: onnx.NodeProto) -> Iterator[tuple[str, onnx.GraphProto]]:
    """Yield the graphs inside a node, with the names of their attributes."""
    for attribute in node.attribute:
        for graph in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            yield attribute.name, graph


def _write_graph(draft: Draft, proto: onnx.GraphProto, *, as_nodes: bool) -> None:
    """Replace a graph by the draft; with `as_nodes`, new constants are nodes, which every IR version has."""
    _write_nodes(draft, proto, as_nodes=as_nodes)
    used = {name for node in draft.nodes.values() for name in draft.reads(node)} | {*draft.graph.outputs}
    inputs = {info.name for info in proto.input}
    for index in reversed(range(len(proto.initializer))):
        if proto.initializer[index].name not in used | inputs:
            del proto.initializer[index]
    if not as_nodes:
        proto.initializer.extend(
            _tensor(n, v) for n, v in draft.literals.items() if n in used and not draft.is_output(n)
        )
    made = {name for node in draft.nodes.values() for name in node.outputs} | inputs
    for index in reversed(range(len(proto.value_info))):
        if proto.value_info[index].name not in made:
            del proto.value_info[index]


def _write_nodes(draft: Draft, proto: onnx.GraphProto | onnx.FunctionProto, *, as_nodes: bool) -> None:
    """Replace the nodes of a graph or function by those of a draft; with `as_nodes`, new constants are nodes too."""
    sources = dict(_sources(draft.graph, proto))
    used = {name for node in draft.nodes.values() for name in draft.reads(node)}
    constants = [n for n in draft.literals if draft.is_output(n) or (as_nodes and n in used)]
    nodes = {place: _node(draft, place, sources, as_nodes=as_nodes) for place in sorted(draft.nodes)}
    added = [_constant(name, draft.literals[name]) for name in constants]
    _name_apart([*added, *(n for p, n in nodes.items() if p[1])], {n.name for p, n in nodes.items() if not p[1]})
    del proto.node[:]
    proto.node.extend([*added, *nodes.values()])


def _name_apart(nodes: Iterable[onnx.NodeProto], taken: set[str]) -> None:
    """Give nodes unique names: ONNX Runtime refuses two nodes with one name."""
    for node in nodes:
        node.name = next(n for i in count() if (n := f"{node.name}.{i}" if i else node.name) not in taken or not n)
        taken.add(node.name)


def _sources(graph: Graph, proto: onnx.GraphProto | onnx.FunctionProto) -> Iterator[tuple[tuple[Graph, str], Any]]:
    """Yield the file's nodes, also of inner graphs, each with its key: its graph and the name of its first output."""
    by_output = {next(filter(None, node.output), ""): node for node in proto.node}
    for node in graph.nodes:
        name = next(filter(None, node.outputs), "")
        source = by_output[name]
        yield (graph, name), source
        for attribute, inner in _graphs(source):
            value = node.attributes[attribute]
            if isinstance(value, Graph):
                yield from _sources(value, inner)


def _node(draft: Draft, place: Place, sources: Mapping[tuple[Graph, str], onnx.NodeProto], *, as_nodes: bool) -> Any:
    """Return a node of a draft, copied from the file's node as far as they are equal."""
    node, original = draft.nodes[place], draft.original(place)
    inputs = [draft.final(name) for name in node.inputs]
    if original is None:
        return _made(node, inputs)
    graph, before = original
    copy = sources[graph, next(filter(None, before.outputs), "")]
    if node.attributes is not before.attributes or node.op != before.op:
        made = _made(node, inputs)
        made.doc_string = copy.doc_string
        made.metadata_props.extend(copy.metadata_props)
        return made
    del copy.input[:], copy.output[:]
    copy.input.extend(inputs)
    copy.output.extend(node.outputs)
    for name, inner in _graphs(copy):
        value = node.attributes[name]
        body = draft.bodies.get(value) if isinstance(value, Graph) else None
        if body is not None:
            _write_graph(body, inner, as_nodes=as_nodes)
        _rename(inner, draft.final)
    return copy


def _rename(graph: onnx.GraphProto, final: Callable[[str], str]) -> None:
    """Let a graph inside a node read the tensors that replaced those around it; `final` maps old names to new ones."""
    for node in graph.node:
        names = [final(name) for name in node.input]
        if names != [*node.input]:
            del node.input[:]
            node.input.extend(names)
        for _, inner in _graphs(node):
            _rename(inner, final)
    for info in graph.output:
        info.name = final(info.name)


def _made(node: Node, inputs: Sequence[str]) -> onnx.NodeProto:
    from onnx import AttributeProto
    from onnx.helper import make_attribute, make_node

    made = make_node(node.op, inputs, node.outputs, node.name, domain=node.domain)
    for name, value in node.attributes.items():
        kind = AttributeProto.INTS if value == () else None
        made.attribute.append(make_attribute(name, [*value] if isinstance(value, tuple) else value, attr_type=kind))
    return made


def _constant(name: str, literal: Literal) -> onnx.NodeProto:
    from onnx.helper import make_node

    return make_node(CONSTANT, [], [name], f"{name}.constant", value=_tensor(name, literal))


def _tensor(name: str, literal: Literal) -> onnx.TensorProto:
    from onnx.helper import make_tensor

    return make_tensor(
        name, _NUMBERS[literal.dtype], literal.shape, [v for v in literal.values or () if not isinstance(v, str)]
    )
