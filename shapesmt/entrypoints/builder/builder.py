"""`GraphBuilder` builds graphs in Python, without a model file.

    >>> from shapesmt import GraphBuilder, bounds, check
    >>> g = GraphBuilder("join")
    >>> x = g.input("x", "[1..8,3,?,400]")
    >>> y = g.input("y", ["batch", 5, 20, 400])
    >>> z = g.output(g.op("Concat", x, y, axis=1), "z")
    >>> graph = g.build()
    >>> check(graph).precondition.text
    ('x_dim2 == 20', 'batch == x_dim0')
    >>> [(d.min, d.max) for d in bounds(graph).tensors["z"].shape]
    [(1, 8), (8, 8), (20, 20), (400, 400)]

The builder holds a networkx graph, `g.flow`, whose nodes and edges `shapesmt.network.graph.dataflow` describes: `build`
converts it to a `Graph`, `shapesmt.save_graph` writes it to a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeAlias

from shapesmt.base.errors import UsageError, printable
from shapesmt.entrypoints.builder.operands import (
    NUMBERS,
    attribute,
    axis_text,
    check_count,
    check_name,
    check_names,
    constant,
    opset_version,
    stated_runtime,
    unknown_operator,
)
from shapesmt.frontends.nodelink import read
from shapesmt.frontends.onnx import Parameters, schemas
from shapesmt.network.declarations import RangeLike, did_you_mean, parse_range, parse_shape, quote
from shapesmt.network.graph import SCHEMA, Document, Flow, Graph, Runtime, document_of, new_flow, size
from shapesmt.operators.rules import resolve, rules

OPSET = 21
"""The default version of ONNX's operator set."""


class Handle:
    """A tensor of a builder, to be passed to `op` and `output`."""

    __slots__ = ("builder", "index", "node")

    def __init__(self, builder: GraphBuilder, node: str, index: int = 0) -> None:
        self.builder = builder
        self.node = node
        """The node of `builder.flow` that has it as an output."""
        self.index = index
        """The number of that output."""

    @property
    def name(self) -> str:
        """The tensor's name in the graph and in reports."""
        outputs: list[str] = self.builder.flow.nodes[self.node].get("outputs", [self.node])
        return outputs[self.index]

    def __repr__(self) -> str:
        return f"Handle({self.name!r})"


Operand: TypeAlias = Any
"""A tensor's handle; a constant (a number, a list, a numpy array); None for an omitted optional input."""


class GraphBuilder:
    """Builds a `Graph` from inputs, constants and operators.

    Args:
        name: The model's name in reports.
        opset: The version of ONNX's operators, or the versions of several domains: `{"": 21, "com.example": 2}`.
        runtime: The runtime whose laws apply: "onnxruntime", "openvino", "tensorflow" or "torch"; by default those of
            ONNX's standard.

    Raises:
        UsageError: There is no such runtime, or an opset is no version.
    """

    def __init__(
        self, name: str = "graph", *, opset: int | Mapping[str, int] = OPSET, runtime: str = Runtime.STANDARD.value
    ) -> None:
        opsets = {"": OPSET, **opset} if isinstance(opset, Mapping) else {"": opset}
        self.opsets = {"" if domain == "ai.onnx" else domain: opset_version(v, domain) for domain, v in opsets.items()}
        self.flow: Flow = new_flow()
        """The networkx graph so far."""
        self.flow.graph.update(schema=SCHEMA, name=name, opsets={}, outputs=[], **stated_runtime(runtime))
        self.outer: GraphBuilder | None = None
        """The builder of the enclosing graph if this one builds a subgraph, else None."""
        self._owner = ""  # the operator that has this subgraph
        self._scope = ""
        self._taken: set[str] = set()  # names of nodes and tensors, shared with the subgraphs
        self._numbers: Counter[str] = Counter()
        self._captured: dict[str, Handle] = {}  # the tensors of enclosing graphs that it reads
        self.fixed: set[str] = set()
        """The tensors that can't be renamed because subgraphs read them."""

    def dim(self, name: str, among: RangeLike) -> str:
        """Declare the range of a named size, and return the name for use in shapes.

        >>> g = GraphBuilder()
        >>> batch = g.dim("batch", "1..32")
        >>> g.input("x", [batch, 3])
        Handle('x')

        Raises:
            UsageError: The range can't be read, or the name was declared with another one.
        """
        check_name(name, "a dimension")
        text = str(parse_range(among, name))
        ranges = self.flow.graph.setdefault("ranges", {})
        if ranges.setdefault(name, text) != text:
            raise UsageError(f"dimension {quote(name)} is declared twice: as {ranges[name]} and as {text}")
        return name

    def input(self, name: str, shape: Any = "[...]", *, dtype: str = "float32") -> Handle:
        """Add an input of the graph, and return it.

        Args:
            name: The input's name; scopes aren't prepended.
            shape: A text (`[1..8,3,?,400]`, `[batch,3,h,w]`, `[...]` for an unknown rank), a list of sizes, pairs,
                names and None, or anything that prints like these.
            dtype: The element type; `seq(float32)` for a sequence.

        Raises:
            UsageError: The name is in use, or the shape or the type can't be read.
        """
        if isinstance(shape, (list, tuple)):
            shape = [part if isinstance(part, (int, str, tuple)) or part is None else axis_text(part) for part in shape]
        axes = parse_shape(shape if isinstance(shape, (str, list)) else str(shape), name)
        if "(" not in dtype and dtype not in NUMBERS:
            raise UsageError(f"{quote(dtype)} is not an element type{did_you_mean(dtype, NUMBERS)}")
        self._claim(name)
        sizes = None if axes is None else [size(axis) for axis in axes]
        self.flow.add_node(name, kind="input", dtype=dtype, shape=sizes)
        return Handle(self, name)

    def constant(self, values: Any, *, dtype: str = "", name: str = "") -> Handle:
        """Add a constant tensor, and return it.

        Args:
            values: A number, a list, or a numpy array. Python's integers are int64 and its floats float32.
            dtype: Another element type.
            name: The constant's name, under the scope; if "", it is `Constant_0` and so on.

        Raises:
            UsageError: The values are no tensor, or the name is in use.
        """
        content = constant(values, dtype)
        node = self._name(name, "Constant")
        self.flow.add_node(node, kind="constant", **content)
        return Handle(self, node)

    def op(
        self, op_type: str, /, *operands: Operand, name: str = "", domain: str = "",
        outputs: int | Sequence[str | None] = 1, **attributes: Any,
    ) -> Any:  # fmt: skip
        """Add an operator, and return its output tensor, or a tuple of several.

        Args:
            op_type: The operator, as ONNX or its rule names it.
            operands: The inputs: tensors, constants, or None for an omitted optional input.
            name: The node's name, under the scope; if "", it is `Add_0` and so on. A single output has the node's
                name; several are `Split_0:0` and so on.
            domain: The operator's domain; "" is ONNX's own.
            outputs: The number of outputs, or their names; None for an omitted optional one.
            attributes: Integers, floats, texts, lists of them, numpy arrays for tensors, subgraphs of this builder.

        Raises:
            UsageError: There is no such operator, or it doesn't take these inputs and attributes.

        >>> g = GraphBuilder()
        >>> x = g.input("x", "[n,6]")
        >>> with g.scope("encoder"):
        ...     a, b = g.op("Split", x, outputs=2, axis=1, num_outputs=2)
        ...     g.op("Add", a, b)
        Handle('encoder/Add_0')
        """
        domain = "" if domain == "ai.onnx" else domain
        known = self._parameters_of(op_type, domain)
        title = f"{op_type} {quote(self._scope + name)}" if name else op_type
        names = [None] * outputs if isinstance(outputs, int) else [*outputs]
        if known is not None:
            check_count(title, "input", len(operands), known.inputs)
            check_count(title, "output", len(names), known.outputs)
        stated = {key: content for key, content in attributes.items() if content is not None}
        inner = {key: content for key, content in stated.items() if isinstance(content, GraphBuilder)}
        for key, graph in inner.items():
            graph.check_inside(self, f"{title}: attribute {quote(key)}")
        content = {key: attribute(part, key, title, known) for key, part in stated.items() if key not in inner}
        if known is not None:
            check_names(title, stated, known)
        inputs = [self._local(operand, title) for operand in operands]
        node = self._name(name, op_type)
        tensors = self._outputs(node, outputs)
        content |= {key: graph.close(node) for key, graph in inner.items()}
        self._operator(node, op_type, domain, tensors, inputs, content)
        for captured in dict.fromkeys(h for graph in inner.values() for h in graph.captured()):
            self._connect(self._local(captured, title), node, None)
        handles = tuple(Handle(self, node, i) for i in range(len(tensors)))
        return handles[0] if outputs == 1 else handles

    def output(self, tensor: Operand, name: str = "") -> Handle:
        """Declare a tensor an output of the graph, under `name` if that isn't empty.

        In a subgraph, a tensor of an enclosing graph is copied, since a body computes its outputs itself.

        Raises:
            UsageError: The tensor is an output already, or another one has that name.
        """
        handle = self._local(tensor, "an output")
        if handle is None:
            raise UsageError("an output is a tensor, not None")
        outputs: list[str] = self.flow.graph["outputs"]
        if name and name != handle.name:
            handle = self._rename(handle, name)
        elif handle.name in self._captured:
            handle = self.op("Identity", handle)
        elif handle.name in outputs:
            raise UsageError(f"tensor {quote(handle.name)} is an output already; give this one another name")
        outputs.append(handle.name)
        return handle

    @contextmanager
    def scope(self, name: str) -> Iterator[GraphBuilder]:
        """Prefix `name/` to the names of the nodes and tensors that are added inside."""
        check_name(name, "a scope")
        before, self._scope = self._scope, f"{self._scope}{name}/"
        try:
            yield self
        finally:
            self._scope = before

    def subgraph(self, name: str) -> GraphBuilder:
        """Return a builder for a branch or loop body, an attribute of one operator; it may read this builder's tensors.

        >>> g = GraphBuilder()
        >>> x, flag = g.input("x", "[n,4]"), g.input("flag", "[]", dtype="bool")
        >>> then, other = g.subgraph("then"), g.subgraph("else")
        >>> _ = then.output(then.op("Relu", x)), other.output(other.op("Abs", x))
        >>> y = g.output(g.op("If", flag, then_branch=then, else_branch=other), "y")
        >>> g.build().nodes[0].reads
        ['flag', 'x']
        """
        inner = GraphBuilder(name, opset=self.opsets)
        inner.opsets, inner.outer, inner._taken, inner._scope = self.opsets, self, self._taken, self._scope
        return inner

    def build(self) -> Graph:
        """Return the graph, which `check`, `bounds` and the others take.

        Raises:
            UsageError: The graph has no output, or is a subgraph.
        """
        if self.outer is not None:
            raise UsageError(f"{quote(self.flow.graph['name'])} is a subgraph; build the graph around it")
        self._check_finished()
        sizes = [axis for _, d in self.flow.nodes(data=True) for axis in d.get("shape") or () if d["kind"] == "input"]
        for name in self.flow.graph.get("ranges", {}):
            if size(name) not in sizes:
                raise UsageError(f"dimension {quote(name)} is declared, but no input has it; name it in a shape")
        self.flow.graph["opsets"] = {domain or "ai.onnx": version for domain, version in self.opsets.items()}
        return read(document_of(self.flow), printable(str(self.flow.graph["name"])))

    # For the builder of the enclosing graph

    def check_inside(self, outer: GraphBuilder, where: str) -> None:
        """Refuse a subgraph that another builder made, or that belongs to another operator already."""
        name = quote(self.flow.graph["name"])
        if self.outer is not outer:
            raise UsageError(f"{where} is the graph {name}, which is no subgraph of this builder; use subgraph()")
        if self._owner:
            raise UsageError(f"{where} is the subgraph {name}, which {quote(self._owner)} has already")
        self._check_finished()

    def close(self, owner: str) -> Document:
        """Return the finished subgraph as a document; nothing can be added to it any more."""
        self._owner = owner
        return document_of(self.flow)

    def captured(self) -> list[Handle]:
        """Return the tensors of enclosing graphs that it reads."""
        return [*self._captured.values()]

    # Names

    def _check_finished(self) -> None:
        if not self.flow.graph["outputs"]:
            raise UsageError(f"graph {quote(self.flow.graph['name'])} has no output; say which with output(...)")

    def _claim(self, name: str) -> None:
        if self._owner:
            graph = quote(self.flow.graph["name"])
            raise UsageError(f"the subgraph {graph} belongs to {quote(self._owner)}: nothing can be added to it")
        check_name(name, "a node or tensor")
        if name in self._taken:
            raise UsageError(f"two things are named {quote(name)}; give one another name")
        self._taken.add(name)

    def _name(self, name: str, op_type: str) -> str:
        """Return the full name, with the scope; a node without a name gets the next free number: `Add_0`."""
        if not name:
            stem = f"{self._scope}{op_type}_"
            number = next(n for n in count(self._numbers[stem]) if f"{stem}{n}" not in self._taken)
            self._numbers[stem], name = number + 1, f"{op_type}_{number}"
        self._claim(self._scope + name)
        return self._scope + name

    def _outputs(self, node: str, outputs: int | Sequence[str | None]) -> list[str]:
        """Return the names of a node's output tensors."""
        if outputs == 1:
            return [node]
        if isinstance(outputs, int):
            names = [f"{node}:{i}" for i in range(outputs)]
        else:
            names = ["" if name is None else self._scope + name for name in outputs]
        for name in filter(None, names):
            if name != node:
                self._claim(name)
        return names

    def _rename(self, handle: Handle, name: str) -> Handle:
        """Return the tensor renamed; if others refer to its old name, a copy (`Identity`) with the new name."""
        self._claim(name)
        node = self.flow.nodes[handle.node]
        if node["kind"] != "operator" or handle.name in self.fixed or handle.name in self.flow.graph["outputs"]:
            self._operator(name, "Identity", "", [name], [handle], {})
            return Handle(self, name)
        node["outputs"][handle.index] = name
        for _, _, edge in self.flow.out_edges(handle.node, data=True):
            if edge["output"] == handle.index:
                edge["tensor"] = name
        return handle

    # Nodes

    def _parameters_of(self, op_type: str, domain: str) -> Parameters | None:
        """Return the inputs and attributes of an operator by ONNX's schema; None if only a rule knows the operator."""
        if domain not in self.opsets:
            newest = [rule.since for rule in rules() if rule.domain == domain]
            self.opsets[domain] = max(newest, default=1)
        version = self.opsets[domain]
        parameters = schemas().parameters(domain, op_type, version)
        if parameters is None and ((domain, op_type) in schemas().since or resolve(domain, op_type, version) is None):
            raise unknown_operator(op_type, domain, version)
        return parameters

    def _operator(
        self, node: str, op_type: str, domain: str, names: list[str], inputs: Sequence[Handle | None], content: Document
    ) -> None:
        optional = {key: part for key, part in (("domain", domain), ("attributes", content)) if part}
        self.flow.add_node(node, kind="operator", op=op_type, outputs=names, **optional)
        for index, operand in enumerate(inputs):
            if operand is not None:
                self._connect(operand, node, index)

    def _connect(self, operand: Handle | None, reader: str, index: int | None) -> None:
        assert operand is not None
        self.flow.add_edge(operand.node, reader, tensor=operand.name, output=operand.index, input=index)

    def _local(self, operand: Operand, title: str) -> Handle | None:
        """Return an operand as this graph's tensor: constants are added, tensors of enclosing graphs are captured."""
        if operand is None:
            return None
        if isinstance(operand, str):
            how = "pass what `input`, `constant` or `op` gave; for the text itself, `constant`"
            raise UsageError(f"{title}: {quote(operand)} is a text, not a tensor; {how}")
        if not isinstance(operand, Handle):
            try:
                return self.constant(operand)
            except UsageError as error:
                raise UsageError(f"{title}: {error}") from None
        if not operand.name:
            raise UsageError(f"{title}: output {operand.index} of {quote(operand.node)} is left out; give it a name")
        if operand.builder is self:
            return operand
        outer = self.outer
        while outer is not None and outer is not operand.builder:
            outer = outer.outer
        name = operand.name
        if outer is None:
            graph = quote(operand.builder.flow.graph["name"])
            raise UsageError(f"{title}: tensor {quote(name)} is one of another builder, {graph}")
        if name not in self._captured:
            self._captured[name] = operand
            operand.builder.fixed.add(name)
            self.flow.add_node(name, kind="captured")
        return Handle(self, name)
