"""Cut the part of a model out that shows a failure: the failing node with the nodes before it, or alone.

Large weights become inputs of the same shape, so the files with their elements aren't needed. Outputs of nodes that
aren't included become inputs of the inferred shape, with their elements if these are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import numpy as np

from shapesmt.base.errors import UsageError, printable
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import DTYPES, Graph, Literal
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import Elements, Floats, Tensor, from_literal, numbers_at, tensor
from shapesmt.prover.algebra import Dim, Evaluator
from shapesmt.reports.answers import Counterexample

if TYPE_CHECKING:
    import onnx

Number: TypeAlias = int | float | bool
Shape: TypeAlias = tuple[int, ...]

MEMORY = 1 << 30  # limit in bytes for the inputs and all tensors computed from them; a larger part isn't run
KEPT = 1 << 20  # bytes; a larger constant becomes an input
LARGEST_INSIDE = 1 << 26  # bytes; larger external data of a constant inside a node isn't replaced by zeros
LISTED = 1 << 16  # elements; of a larger input, computed elements aren't listed
UNABLE = (
    "NOT_IMPLEMENTED",
    "not a registered function/op",
    "No Op registered",
    "is under development",
    "Unsupported model IR version",
    "create a github issue",
    "No corresponding Numpy type",
    "is not currently registered or supported",
)
"""Parts of ONNX Runtime's messages about operators and types that it doesn't implement."""
_KNOWN = 21
"""The operator set to which newer ones are lowered if the operators are the same there; runtimes support it sooner."""
_NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
_FED = frozenset({"bool", "string", "float16", "float32", "float64", "complex64", "complex128"}) | {
    f"{sign}int{8 * size}" for sign in ("", "u") for size in (1, 2, 4, 8)
}


class CutError(UsageError):
    """A part of a model can't be cut out; the message has the reason."""


def bytes_of(t: Tensor) -> int:
    """Return the approximate size of a tensor in bytes; unknown sizes count as 1."""
    return 4 * prod(d.constant for d in t.shape or () if d.constant is not None)


def too_large(needed: int) -> str:
    """Return why tensors of so many bytes aren't computed; "" if they are."""
    return f"running it would take {needed / (1 << 30):.1f} GiB" if needed > MEMORY else ""


class Feed(NamedTuple):
    """The content of an input: `values` if its elements are known, else any elements of this type and shape."""

    dtype: str
    shape: Shape
    values: tuple[Number, ...] | None = None
    declared: tuple[int | str | None, ...] | None = None
    """The shape that the model's file declares; None for a weight, and for an output of a node that isn't included."""

    @property
    def bytes(self) -> int:
        """The approximate size in bytes."""
        size = 8 if self.dtype in ("string", "bool") else np.dtype(self.dtype).itemsize
        return prod(self.shape) * size


@frozen(eq=False)
class Cut:
    """A part of a model whose last node should fail on these inputs.

    Attributes:
        nodes: The nodes, in topological order.
        reads: The tensors that the last node reads.
        constants: The initializers that are kept.
        feeds: The inputs, including those that replace weights.
        whole: Whether all nodes before the last one are included.
        settled: Whether all integer inputs have known elements, so that the run doesn't depend on arbitrary ones.
        origin: The whole model, for its operator sets and functions.
    """

    nodes: Sequence[onnx.NodeProto]
    reads: Sequence[str]
    constants: Sequence[onnx.TensorProto]
    feeds: Mapping[str, Feed]
    whole: bool
    settled: bool
    origin: onnx.ModelProto

    @property
    def outputs(self) -> list[str]:
        """The names of the last node's outputs."""
        return [name for name in self.nodes[-1].output if name]

    @property
    def inner(self) -> list[str]:
        """The outputs of earlier nodes that the last node reads; none if it reads only inputs."""
        earlier = {name for node in self.nodes[:-1] for name in node.output}
        return [name for name in self.reads if name in earlier]

    @cached_property
    def functions(self) -> list[onnx.FunctionProto]:
        """The model's own functions that the nodes call, directly or through another function."""
        known = {(f.domain, f.name): f for f in self.origin.functions}
        used: dict[tuple[str, str], onnx.FunctionProto] = {}
        ahead = list(_operators(self.nodes))
        while ahead:
            key = ahead.pop()
            if key in known and key not in used:
                used[key] = known[key]
                ahead += _operators(known[key].node)
        return [f for key, f in known.items() if key in used]

    @cached_property
    def opsets(self) -> dict[str, int]:
        """The operator sets by domain; ONNX's own at the oldest version that the nodes allow."""
        from onnx import defs

        versions = {o.domain: o.version for o in self.origin.opset_import}
        own = versions.get("", 0)
        if own > _KNOWN:
            used = {name for domain, name in _operators(self.nodes) if not domain}
            needed = [defs.get_schema(n, own).since_version for n in used if defs.has(n)]
            versions[""] = min(own, max([_KNOWN, *needed]))
        return versions

    def model(self, *, last: bool = True, fixed: bool = False) -> bytes:
        """Return the part as a file; `last=False` drops the last node, `fixed` declares the actual shapes."""
        from onnx import helper

        nodes, outputs = (self.nodes, self.outputs) if last else (self.nodes[:-1], self.inner)
        inputs = []
        for name, feed in self.feeds.items():
            shape = feed.shape if fixed or feed.declared is None else feed.declared
            inputs.append(helper.make_tensor_value_info(name, _NUMBERS[feed.dtype], shape))
        ends = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(nodes, "cut", inputs, ends, self.constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in self.opsets.items()]
        proto = helper.make_model(
            graph, opset_imports=opsets, functions=self.functions, ir_version=self.origin.ir_version
        )
        return bytes(proto.SerializeToString())


def at(graph: Graph, example: Counterexample) -> Mapping[str, Tensor]:
    """Return every tensor as inferred for these shapes of the inputs and elements of small inputs."""
    inputs = {name: tensor(d.dtype, example.inputs.get(name)) for name, d in graph.inputs.items()}
    for name, numbers in example.values.items():
        shape, dtype = example.inputs[name], inputs[name].dtype
        inputs[name] = from_literal(Literal(dtype, shape, numbers))
    return infer(graph, inputs).tensors


def cut_out(
    proto: onnx.ModelProto,
    graph: Graph,
    index: int,
    example: Counterexample,
    known: Mapping[str, Tensor],
    *,
    whole: bool = True,
    keep: int = KEPT,
) -> Cut:
    """Cut out the node with the nodes before it that it needs, or alone if `whole` is false.

    Args:
        proto: The model, as protobuf.
        graph: The model as a graph, which orders and names its nodes.
        index: The node's index in the graph.
        example: The model's inputs.
        known: Every tensor as inferred for these inputs.
        whole: Whether to include the nodes before it.
        keep: The size in bytes up to which a constant stays a constant.

    Raises:
        CutError: A tensor that would become an input has no known shape, or isn't a plain tensor.
    """
    indices = sorted({*graph.ancestors(index), index}) if whole else [index]
    protos = {tuple(node.output): node for node in proto.graph.node}
    nodes = [_node(protos[tuple(graph.nodes[i].outputs)], graph.nodes[i].name) for i in indices]
    computed = {name for node in nodes for name in node.output}
    needed = dict.fromkeys(n for i in indices for n in graph.nodes[i].reads if n not in computed)
    constants = _constants(needed, proto, graph, keep)
    feeds = {name: _feed(name, graph, example, known) for name in needed if name not in constants}
    inner = [name for name in feeds if name not in graph.inputs and name not in graph.literals]
    settled = all(feeds[name].values is not None or feeds[name].dtype.startswith("float") for name in inner)
    reads = graph.nodes[index].reads
    return Cut(nodes, reads, list(constants.values()), feeds, whole, settled, proto)


def _constants(names: Iterable[str], proto: onnx.ModelProto, graph: Graph, keep: int) -> dict[str, onnx.TensorProto]:
    """Return the initializers among `names` that stay constants: up to `keep` bytes, or with elements for shapes."""
    stored = {t.name: t for t in proto.graph.initializer}
    literals = {name: graph.literals[name] for name in names if name in graph.literals}
    constants = {name: _constant(stored.get(name), literal, name, keep) for name, literal in literals.items()}
    return {name: constant for name, constant in constants.items() if constant is not None}


def _feed(name: str, graph: Graph, example: Counterexample, known: Mapping[str, Tensor]) -> Feed:
    """Return the input that replaces a tensor from outside the part: a weight, an input, or another node's output."""
    literal = graph.literals.get(name)
    if literal is not None:
        return _make_feed(name, literal.dtype, literal.shape)
    return _input(name, graph, example) if name in graph.inputs else _feed_of_output(name, known.get(name))


def _node(proto: onnx.NodeProto, name: str) -> onnx.NodeProto:
    """Return a copy of the node, named `name`, without metadata, and with zeros for data in other files."""
    from onnx import helper

    copy = type(proto)()
    copy.CopyFrom(proto)
    copy.name = name
    copy.ClearField("doc_string")
    copy.ClearField("metadata_props")
    for inside in _tensors(copy):
        if inside.data_location == inside.EXTERNAL:
            dtype = helper.tensor_dtype_to_np_dtype(inside.data_type)
            if prod(inside.dims) * dtype.itemsize > LARGEST_INSIDE:
                raise CutError(f"node '{printable(name)}' holds a large tensor in another file")
            inside.ClearField("external_data")
            inside.ClearField("data_location")
            inside.raw_data = bytes(prod(inside.dims) * dtype.itemsize)
    return copy


def _inner(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        yield from attribute.graphs
        if attribute.HasField("g"):
            yield attribute.g


def _tensors(node: onnx.NodeProto) -> Iterator[onnx.TensorProto]:
    for attribute in node.attribute:
        yield from attribute.tensors
        if attribute.HasField("t"):
            yield attribute.t
    for graph in _inner(node):
        yield from graph.initializer
        for inside in graph.node:
            yield from _tensors(inside)


def _operators(nodes: Sequence[onnx.NodeProto]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        yield node.domain, node.op_type
        for graph in _inner(node):
            yield from _operators(graph.node)


def _constant(stored: onnx.TensorProto | None, literal: Literal, name: str, keep: int) -> onnx.TensorProto | None:
    """Return the initializer if it stays a constant, being small or deciding shapes by its elements; else None."""
    from onnx import helper

    if stored is not None and stored.data_location != stored.EXTERNAL:
        listed = literal.values is not None and not literal.dtype.startswith("float")
        return stored if stored.ByteSize() <= keep or listed or literal.dtype not in _FED else None
    if literal.values is not None:
        return helper.make_tensor(
            name, _NUMBERS[literal.dtype], literal.shape, cast("tuple[float, ...]", literal.values)
        )
    return None


def _make_feed(
    name: str,
    dtype: str,
    shape: Shape,
    values: tuple[Number, ...] | None = None,
    declared: tuple[int | str | None, ...] | None = None,
) -> Feed:
    if dtype not in _FED:
        raise CutError(f"tensor '{printable(name)}' is of the type {dtype or 'unknown'}, which can't be fed")
    return Feed(dtype, shape, values, declared)


def _input(name: str, graph: Graph, example: Counterexample) -> Feed:
    declared, shapes = graph.inputs[name], example.inputs
    if declared.kind != "tensor":
        raise CutError(f"input '{printable(name)}' is of the type {declared.dtype}, which can't be fed")
    if name not in shapes:
        raise CutError(f"the rank of input '{printable(name)}' is unknown; --shape says what it has")
    fits = declared.shape is not None and len(declared.shape) == len(shapes[name])
    return _make_feed(name, declared.dtype, shapes[name], example.values.get(name), declared.shape if fits else None)


def _feed_of_output(name: str, t: Tensor | None) -> Feed:
    """Return the input that replaces the output of an excluded node: its shape, and its elements if they are known."""
    evaluator = Evaluator({})
    if t is None or t.shape is None or any(d.symbols for d in t.shape):
        raise CutError(f"the shape of tensor '{printable(name)}' isn't known")
    shape = tuple(int(evaluator.dim(d)) for d in t.shape)
    return _make_feed(name, t.dtype, shape, _elements(t, shape))


def _elements(t: Tensor, shape: Shape) -> tuple[Number, ...] | None:
    evaluator = Evaluator({})
    if t.value is None or isinstance(t.value, Floats):
        return None
    if isinstance(t.value, Elements):
        items = [item for item in t.value.items if item is not None and not item.symbols]
        if len(items) < len(t.value.items):
            return None
        return tuple(evaluator.dim(item) if isinstance(item, Dim) else item.value(evaluator) for item in items)
    numbers = None if prod(shape) > LISTED else numbers_at(t.value.element, shape)
    return None if numbers is None else tuple(numbers)
