"""Graphs as ordinary networkx graphs, and as the node-link documents in which networkx keeps them.

A node is an operator, an input, a constant or a captured tensor; an edge leads from a tensor's producer to one reader.
Attributes hold JSON values only. `networkx.node_link_data` returns such a document for a graph, and
`networkx.node_link_graph(document, edges="edges")` returns the graph again. Defaults stand in parentheses.

    a document          `directed` (true), `multigraph` (true), `graph`, `nodes`, `edges`
    `graph`             `schema`: "shapesmt/graph/1"; `name`; `opsets`: {"ai.onnx": 21}; `outputs`: names of tensors;
                        if there are any: `ranges`: {"batch": "1..32"}, `declared`: types of intermediate tensors and
                        outputs by name, `functions`: the model's own operators; `runtime`: "onnxruntime", "openvino",
                        "tensorflow" or "torch", whose laws apply ("standard": the text of ONNX's standard)
    a node              `id`, unique; `kind` ("operator"), one of those below
      "operator"        `op`, `domain` ("" for ONNX's), `name` (the id), `outputs` ([id]; "" for an omitted one),
                        `attributes`
      "input"           `dtype`, `shape`; `sparse` (false)
      "constant"        `dtype`, `shape`, `values` (in row-major order; left out if they don't matter)
      "captured"        in a subgraph, a tensor of the enclosing graph
    an edge             `source`, `target`, `key`; `input`: the reader's input, from 0, or null if a subgraph of the
                        reader captures the tensor; `output` (0); `tensor`: its name
    a shape             a list of sizes: an integer, null (unnamed), "batch" (a name), "`past + 1`" (any name), or
                        "1..8" (a range; in the model's inputs only); null if the rank is unknown; or one text for all
    an attribute        an integer, a number with a point, a text, a list of these;
                        a tensor: {"dtype": "int64", "shape": [2], "values": [2, 3]}; a graph: a document;
                        {"float": "inf"}, {"type": {"dtype": "float32", "shape": [3]}}; in a function
                        {"reference": "axis"}, the caller's attribute
    a range             as RANGE text, or {"range": "1..32", "from": the source of the declaration}
    a function          `name`, `domain`, `outputs`, `attributes` (names), `defaults`, `body` (a document)

`shapesmt schema graph` prints this as a JSON schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from shapesmt.network.declarations import Origin, Range, is_plain_name
from shapesmt.network.graph.graph import Function, Graph, Node, Reference, Runtime
from shapesmt.network.graph.literal import Declared, Literal

if TYPE_CHECKING:
    import networkx as nx

SCHEMA = "shapesmt/graph/1"

Document: TypeAlias = "dict[str, Any]"
Flow: TypeAlias = "nx.MultiDiGraph[Any]"


def document(graph: Graph, *, nested: bool = False) -> Document:
    """Return the node-link document of a graph; `nested` for a graph inside another.

    >>> relu = Node("Relu", "", "relu", ["x"], ["y"])
    >>> doc = document(Graph("g", {"x": Declared("float32", ("n", 3))}, ["y"], [relu], opsets={"": 21}))
    >>> doc["nodes"][0]
    {'id': 'x', 'kind': 'input', 'dtype': 'float32', 'shape': ['n', 3]}
    >>> doc["nodes"][1]
    {'id': 'relu', 'kind': 'operator', 'op': 'Relu', 'outputs': ['y']}
    >>> doc["edges"]
    [{'source': 'x', 'target': 'relu', 'key': 0, 'tensor': 'x', 'output': 0, 'input': 0}]
    """
    inline = {} if nested else _inline(graph)
    further = {
        "ranges": {name: _range(r) for name, r in graph.ranges.items() if name not in inline},
        "declared": {name: declaration_document(d) for name, d in graph.declared.items()},
        "functions": [] if nested else [_function(f) for f in graph.functions.values()],
        "runtime": "" if nested or graph.runtime is Runtime.STANDARD else graph.runtime.value,
    }
    about = {
        "schema": SCHEMA,
        "name": graph.name,
        "opsets": {domain or "ai.onnx": version for domain, version in graph.opsets.items()},
        "outputs": [*graph.outputs],
        **{key: content for key, content in further.items() if content},
    }
    nodes, makers = _nodes(graph, inline, nested=nested)
    edges = [*_edges(graph, nodes, makers)]
    return {"directed": True, "multigraph": True, "graph": about, "nodes": nodes, "edges": edges}


def networkx_graph(graph: Graph) -> Flow:
    """Return a networkx graph: its nodes are operators, inputs and constants by name, its edges are tensors.

    The module's docstring lists the attributes of nodes and edges. Changes to the result don't change `graph`.

    >>> nodes = [Node("Relu", "", "a", ["x"], ["y"]), Node("Add", "", "b", ["y", "y"], ["z"])]
    >>> flow = networkx_graph(Graph("g", {"x": Declared("float32", None)}, ["z"], nodes))
    >>> flow.edges(data="tensor")
    OutMultiEdgeDataView([('x', 'a', 'x'), ('a', 'b', 'y'), ('a', 'b', 'y')])
    >>> flow.nodes["b"]["op"]
    'Add'
    """
    linked = document(graph)
    flow = new_flow()
    flow.graph.update(linked["graph"])
    flow.add_nodes_from((node.pop("id"), node) for node in linked["nodes"])
    edges: list[Any] = [(e.pop("source"), e.pop("target"), e.pop("key"), e) for e in linked["edges"]]
    flow.add_edges_from(edges)  # networkx's type stubs leave out tuples of three parts and attributes
    return flow


def new_flow() -> Flow:
    """Return a networkx graph without nodes."""
    import networkx as nx

    return nx.MultiDiGraph()


def document_of(flow: nx.Graph[Any]) -> Document:
    """Return the node-link document of a networkx graph."""
    return {
        "directed": flow.is_directed(),
        "graph": dict(flow.graph),
        "nodes": [{**data, "id": name} for name, data in flow.nodes(data=True)],
        "edges": [{**data, "source": u, "target": v} for u, v, data in flow.edges(data=True)],
    }


def label(name: str, axis: int) -> str:
    """Return the name of the size at `axis` of the input `name` if the size has no name of its own.

    >>> label("image", 2)
    'image_dim2'
    """
    return f"{name}_dim{axis}"


def origin(name: str) -> Origin:
    """Return the origin of a range written in the shape of the input `name`."""
    return Origin(f"input {name}")


def value(content: Any) -> Any:
    """Return an `AttributeValue` in the JSON form that documents use.

    >>> value((1.5, float("inf"))), value(Literal("int64", (2,), (3, 4)))
    ([1.5, {'float': 'inf'}], {'dtype': 'int64', 'shape': [2], 'values': [3, 4]})
    """
    if isinstance(content, Declared):
        return {"type": declaration_document(content)}
    if isinstance(content, tuple):
        return [value(part) for part in content]
    if isinstance(content, float) and not isfinite(content):
        return {"float": str(content)}
    if isinstance(content, Literal):
        return constant(content)
    if isinstance(content, Reference):
        return {"reference": content.name}
    return document(content, nested=True) if isinstance(content, Graph) else content


def constant(literal: Literal) -> Document:
    """Return a constant tensor in JSON form: `{"dtype": "int64", "shape": [2], "values": [3, 4]}`."""
    content: Document = {"dtype": literal.dtype, "shape": [*literal.shape]}
    if literal.values is not None:
        finite = (str(v) if isinstance(v, float) and not isfinite(v) else v for v in literal.values)
        content["values"] = [*finite]
    return content


def declaration_document(d: Declared) -> Document:
    """Return a tensor's declaration in JSON form: `{"dtype": "float32", "shape": ["n", 3]}`."""
    shape = None if d.shape is None else [size(axis) for axis in d.shape]
    return {"dtype": d.dtype, "shape": shape, **({"sparse": True} if d.kind == "sparse" else {})}


def size(axis: int | str | Range | None) -> int | str | None:
    """Return a size of a shape in the JSON form that documents use.

    >>> [size(axis) for axis in (3, "batch", "past + 1", Range(1, 8), Range(4, 4), None)]
    [3, 'batch', '`past + 1`', '1..8', 4, None]
    """
    if isinstance(axis, Range):
        return axis.lo if axis.lo == axis.hi else str(axis)
    return f"`{axis.replace('`', '``')}`" if isinstance(axis, str) and not is_plain_name(axis) else axis


def _inline(graph: Graph) -> dict[str, str]:
    """Return the ranges that stand in the shapes of inputs, keyed by the size's label."""
    labels = {label(name, i): name for name, d in graph.inputs.items() for i, size in enumerate(d.shape or ()) if size}
    ranges = {size: (graph.ranges.get(size), name) for size, name in labels.items()}
    return {size: str(r) for size, (r, name) in ranges.items() if isinstance(r, Range) and r.origin == origin(name)}


def _range(r: str | Range) -> str | Document:
    if isinstance(r, str):
        return {"range": r, "from": "metadata"}
    source = "model" if r.origin is None else r.origin.source
    return str(r) if source == "model" else {"range": str(r), "from": source}


def _function(f: Function) -> Document:
    """Return a function as a document: its body's inputs are the function's inputs."""
    body = Graph(f.name, {name: Declared("", None) for name in f.inputs}, f.outputs, f.nodes, opsets=f.opsets)
    listed = [name for name in f.attributes if name not in f.defaults]
    defaults = {name: value(content) for name, content in f.defaults.items()}
    return {
        "name": f.name,
        "domain": f.domain,
        "attributes": listed,
        "defaults": defaults,
        "body": document(body, nested=True),
    }


def _nodes(graph: Graph, inline: dict[str, str], *, nested: bool) -> tuple[list[Document], dict[str, tuple[str, int]]]:
    """Return the document's nodes, operators last, and for each tensor its producer and the output index there."""
    nodes: list[Document] = []
    for name, d in graph.inputs.items():
        shown = declaration_document(d)
        for i, size in enumerate(d.shape or ()):
            if size == label(name, i):
                shown["shape"][i] = inline.get(size, shown["shape"][i])
        nodes.append({"id": name, "kind": "input", **shown})
    nodes += [{"id": name, "kind": "constant", **constant(literal)} for name, literal in graph.literals.items()]
    if nested:
        nodes += [{"id": name, "kind": "captured"} for name in graph.captures]
    makers = {node["id"]: (node["id"], 0) for node in nodes}
    taken = set(makers)
    for node in graph.nodes:
        name = node.name
        if name in taken:
            name = next(free for n in count(2) if (free := f"{node.name} ({n})") not in taken)
        taken.add(name)
        makers.update((tensor, (name, i)) for i, tensor in enumerate(node.outputs) if tensor)
        nodes.append(_operator(name, node))
    return nodes, makers


def _operator(name: str, node: Node) -> Document:
    optional = {
        "domain": node.domain,
        "name": node.name if node.name != name else "",
        "attributes": {key: value(content) for key, content in node.attributes.items()},
    }
    document = {"id": name, "kind": "operator", "op": node.op, "outputs": [*node.outputs]}
    return document | {key: content for key, content in optional.items() if content}


def _edges(graph: Graph, nodes: list[Document], makers: dict[str, tuple[str, int]]) -> Iterator[Document]:
    keys: Counter[tuple[str, str]] = Counter()
    for node, reader in zip(graph.nodes, nodes[len(nodes) - len(graph.nodes) :], strict=True):
        read: list[tuple[int | None, str]] = [(i, name) for i, name in enumerate(node.inputs) if name]
        read += [(None, name) for name in node.attributes.captures if name]
        for index, tensor in read:
            source, output = makers[tensor]
            ends = (source, reader["id"])
            yield {
                "source": source,
                "target": reader["id"],
                "key": keys[ends],
                "tensor": tensor,
                "output": output,
                "input": index,
            }
            keys[ends] += 1
