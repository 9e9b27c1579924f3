"""A builder of ONNX models whose sizes are products: each axis is a tuple of factors, numbers or symbols.

>>> b = Builder(0)
>>> x = b.input("x", ("batch", "seq", 8))
>>> b.reshape(x, ((BATCH, "seq"), (8,))).dims
(('batch', 'seq'), (8,))
"""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH = "batch"
KINDS = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "b": TensorProto.BOOL}
DTYPES = {"f": np.float32, "i": np.int64, "b": np.bool_}

Dim = tuple[Any, ...]  # factors, outermost first: numbers or symbols


class Value(NamedTuple):
    """A tensor: its name, the factors of its axes, and its element type (`f`, `i` or `b`)."""

    name: str
    dims: tuple[Dim, ...]
    kind: str = "f"

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return len(self.dims)

    def axis(self) -> int | None:
        """The axis with the batch among its factors."""
        return next((i for i, dim in enumerate(self.dims) if BATCH in dim), None)

    def others(self) -> list[int]:
        """The axes without it."""
        return [i for i, dim in enumerate(self.dims) if BATCH not in dim]


class Builder:
    """Nodes, weights and inputs of a model; whatever is random comes from `r`."""

    def __init__(self, seed: object, opset: int | None = None) -> None:
        self.r = Random(f"samples {seed}")
        self.opset = opset or self.r.choice([13, 17, 18, 20])
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.functions: list[onnx.FunctionProto] = []
        self.high: dict[str, int] = {}
        self.found: dict[str, tuple[str, int]] = {}  # a symbol -> the input and the axis with its size
        self.number = 0

    def fresh(self, stem: str) -> str:
        """Return a name that nothing has yet."""
        self.number += 1
        return f"{stem.lower()}{self.number}"

    def input(self, name: str, dims: tuple[Any, ...], kind: str = "f", high: int = 3) -> Value:
        """Add an input; its integers are drawn below `high`."""
        self.inputs.append(helper.make_tensor_value_info(name, KINDS[kind], dims))
        self.high[name] = high
        for axis, dim in enumerate(dims):
            if isinstance(dim, str):
                self.found.setdefault(dim, (name, axis))
        return Value(name, tuple((dim,) for dim in dims), kind)

    def constant(self, array: Any, kind: str = "f") -> Value:
        """Add a weight, as an initializer or as a node."""
        given = np.asarray(array, DTYPES[kind])
        name = self.fresh("w")
        if self.r.random() < 0.8:
            self.weights.append(numpy_helper.from_array(given, name))
        else:
            self.nodes.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(given)))
        return Value(name, tuple((n,) for n in given.shape), kind)

    def weight(self, *shape: int) -> Value:
        """Add a weight of random floats, none of them near 0."""
        drawn = [self.r.choice([-1, 1]) * self.r.uniform(0.2, 1) for _ in range(prod(shape))]
        return self.constant(np.array(drawn).reshape(shape))

    def many(self, op: str, *inputs: Value | None, outs: int = 1, domain: str = "", **attributes: Any) -> list[str]:
        """Add a node, and return the names of its outputs."""
        names = [self.fresh(op) for _ in range(outs)]
        given = [v.name if v else "" for v in inputs]
        self.nodes.append(helper.make_node(op, given, names, self.fresh(f"{op}_"), domain=domain, **attributes))
        return names

    def op(
        self, op: str, *inputs: Value | None, dims: tuple[Dim, ...] | None = None, kind: str = "", **attributes: Any
    ) -> Value:
        """Add a node with one output, of the first input's shape and type unless said otherwise."""
        first = next((v for v in inputs if v), Value("", ()))
        (name,) = self.many(op, *inputs, **attributes)
        return Value(name, first.dims if dims is None else dims, kind or first.kind)

    def ints(self, *values: int) -> Value:
        """A vector of integers, as an initializer."""
        return self.constant(list(values), "i")

    # Sizes

    def size(self, symbol: str) -> Value:
        """The size of a symbol, as a vector of one."""
        name, axis = self.found[symbol]
        shape = self.op("Shape", Value(name, ()), dims=((1,),), kind="i")
        if self.r.random() < 0.5:
            return self.op("Gather", shape, self.ints(axis), dims=((1,),), axis=0)
        return self.op("Slice", shape, self.ints(axis), self.ints(axis + 1), dims=((1,),))

    def extent(self, dim: Dim) -> Value:
        """The size of an axis, as a vector of one."""
        total = self.ints(prod(f for f in dim if isinstance(f, int)))
        for factor in dim:
            if isinstance(factor, str):
                total = self.op("Mul", self.size(factor), total)
        return total

    def shape(self, dims: tuple[Dim, ...]) -> Value:
        """A shape, computed."""
        parts = [self.extent(dim) for dim in dims]
        return self.op("Concat", *parts, dims=((len(dims),),), kind="i", axis=0)

    def range(self, dim: Dim) -> Value:
        """The indices along an axis."""
        stop = self.op("Squeeze", self.extent(dim), self.ints(0), dims=())
        zero, one = self.constant(0, "i"), self.constant(1, "i")
        return self.op("Range", zero, stop, one, dims=(dim,), kind="i")

    # Layout

    def reshape(self, v: Value, dims: tuple[Dim, ...], computed: bool | None = None) -> Value:
        """Reshape to these factors, with a target of numbers if one can say it, or a computed one."""
        target: list[int] = []
        for i, dim in enumerate(dims):
            if all(isinstance(f, int) for f in dim):
                target.append(prod(dim))
            elif i < v.rank and dim == v.dims[i] and self.r.random() < 0.7:
                target.append(0)
            else:
                target.append(-1)
        if computed or target.count(-1) > 1 or (computed is None and self.r.random() < 0.2):
            return self.op("Reshape", v, self.shape(dims), dims=dims)
        return self.op("Reshape", v, self.ints(*target), dims=dims)

    def transpose(self, v: Value, perm: list[int]) -> Value:
        """Permute the axes."""
        return self.op("Transpose", v, dims=tuple(v.dims[p] for p in perm), perm=perm)

    def to_front(self, v: Value, axis: int) -> Value:
        """Bring an axis to the front."""
        return self.transpose(v, [axis, *(i for i in range(v.rank) if i != axis)]) if axis else v

    def slice(self, v: Value, axis: int, start: int, end: int, step: int = 1, dim: Dim | None = None) -> Value:
        """Cut an axis."""
        dims = (*v.dims[:axis], v.dims[axis] if dim is None else dim, *v.dims[axis + 1 :])
        return self.op("Slice", v, *(self.ints(k) for k in (start, end, axis, step)), dims=dims)

    def unsqueeze(self, v: Value, axis: int) -> Value:
        """Insert an axis of size 1."""
        return self.op("Unsqueeze", v, self.ints(axis), dims=(*v.dims[:axis], (1,), *v.dims[axis:]))

    def squeeze(self, v: Value, axis: int) -> Value:
        """Remove an axis of size 1."""
        return self.op("Squeeze", v, self.ints(axis), dims=(*v.dims[:axis], *v.dims[axis + 1 :]))

    def reduce(self, op: str, v: Value, axes: list[int], keepdims: bool) -> Value:
        """Reduce axes, given as an attribute or as an input, as the opset has it."""
        ones = tuple((1,) if i in axes else dim for i, dim in enumerate(v.dims))
        dims = ones if keepdims else tuple(dim for i, dim in enumerate(v.dims) if i not in axes)
        if self.opset >= 18 or op == "ReduceSum":
            return self.op(op, v, self.ints(*axes), dims=dims, keepdims=int(keepdims))
        return self.op(op, v, dims=dims, axes=axes, keepdims=int(keepdims))

    def linear(self, v: Value, width: int) -> Value:
        """Multiply the last axis, whose size is a number, by a weight."""
        dims = (*v.dims[:-1], (width,))
        return self.op("MatMul", v, self.weight(prod(v.dims[-1]), width), dims=dims)

    def split(self, v: Value, axis: int, parts: int) -> list[Value]:
        """Cut an axis in equal parts; its size is a number."""
        size = prod(v.dims[axis]) // parts
        names = self.many("Split", v, self.ints(*[size] * parts), outs=parts, axis=axis)
        return [Value(name, (*v.dims[:axis], (size,), *v.dims[axis + 1 :]), v.kind) for name in names]

    def model(self, outputs: list[Value]) -> onnx.ModelProto:
        """The model with these outputs, without what they don't need."""
        nodes = needed(self.nodes, {v.name for v in outputs})
        read = {name for node in nodes for name in reads(node)}
        weights = [w for w in self.weights if w.name in read]
        inputs = [i for i in self.inputs if i.name in read]
        infos = [helper.make_tensor_value_info(v.name, KINDS[v.kind], None) for v in outputs]
        graph = helper.make_graph(nodes, "g", inputs, infos, weights)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        if self.functions:
            opsets.append(helper.make_opsetid("local", 1))
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=self.functions)


def reads(node: onnx.NodeProto) -> set[str]:
    """The names that a node reads, those in its subgraphs included."""
    found = {name for name in node.input if name}
    for attribute in node.attribute:
        for inner in [attribute.g] if attribute.HasField("g") else []:
            made = {o for n in inner.node for o in n.output} | {i.name for i in inner.input}
            found |= {name for n in inner.node for name in reads(n)} - made
            found |= {o.name for o in inner.output} - made
    return found


def needed(nodes: list[onnx.NodeProto], names: set[str]) -> list[onnx.NodeProto]:
    """The nodes that these tensors need, in order."""
    wanted, kept = set(names), []
    for node in reversed(nodes):
        if wanted & set(node.output):
            kept.append(node)
            wanted |= reads(node)
    return kept[::-1]
