"""Random small models with dynamic sizes, for any oracle to judge.

Each model is built so that it runs at one assignment of its symbols, drawn first; whether it runs at the others is
the question. Weights are tiny and stored, so that onnxruntime can run it.

    >>> case = generate(3)
    >>> case.ranges.keys() == case.sizes.keys()
    True
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from random import Random
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


@dataclass(frozen=True)
class Case:
    """A model, the range of each of its symbols, and sizes inside them at which it was meant to run."""

    seed: int
    model: onnx.ModelProto
    ranges: dict[str, tuple[int, int]]
    sizes: dict[str, int]


class Made(NamedTuple):
    """A tensor under construction, with its shape at the sizes that were drawn first."""

    name: str
    shape: tuple[int, ...]


class Number(NamedTuple):
    """A vector of one int64, with its value at those sizes."""

    name: str
    value: int


def generate(seed: int, most: int = 10) -> Case:
    """The model of this seed, of at most some `most` steps."""
    return _Generator(seed).case(most)


class _Generator:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = Random(f"graph {seed}")
        self.opset = self.r.choice([13, 17, 18, 21])
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.tensors: list[Made] = []
        self.numbers: list[Number] = []
        self.integers: set[str] = set()
        self.sizes: dict[str, int] = {}

    def case(self, most: int) -> Case:
        r = self.r
        ranges = {}
        for name in r.sample(["batch", "height", "width", "length"], r.randint(1, 3)):
            lo = r.choice([0, 1, 1, 1, 2])
            hi = lo + r.randint(1, 7)
            ranges[name] = (lo, hi)
            self.sizes[name] = r.randint(max(lo, 1), hi)
        for i in range(r.randint(1, 3)):
            self._input(f"x{i}")
        steps = [getattr(self, name) for name in dir(self) if name.startswith("step_")]
        steps += [self.step_size, self.step_size, self.step_arithmetic, self.step_arithmetic, self.step_reshape]
        wanted = r.randint(2, most)
        for _ in range(5 * wanted):
            if len(self.nodes) < wanted:
                r.choice(steps)()
        self.sizes = {name: size for name, size in self.sizes.items() if self._used(name)}
        return Case(self.seed, self._model(), {n: ranges[n] for n in self.sizes}, self.sizes)

    # What a step draws from

    def tensor(self, *ranks: int) -> Made | None:
        fitting = [t for t in self.tensors if (not ranks or len(t.shape) in ranks) and 0 < prod(t.shape) <= 2000]
        return self.r.choice(fitting[-4:]) if fitting else None

    def number(self, value: int | None = None) -> Number:
        """An int64 vector of one: of that value, computed if there is one, else a constant."""
        fitting = [n for n in self.numbers if value is None or n.value == value]
        if fitting and self.r.random() < 0.8:
            return self.r.choice(fitting)
        value = self.r.randint(1, 4) if value is None else value
        return Number(self.constant([value]), value)

    def vector(self, values: tuple[int, ...]) -> str:
        """These integers, computed from sizes as far as some are at hand."""
        if self.r.random() < 0.3:
            return self.constant(list(values))
        return self.integer("Concat", *(self.number(v).name for v in values), axis=0)

    def axis(self, t: Made) -> int:
        return self.r.randrange(len(t.shape))

    # What a step makes

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes: object) -> str:
        names = [f"{op.lower()}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{len(self.nodes)}", **attributes))
        return names[0]

    def integer(self, op: str, *inputs: str, **attributes: object) -> str:
        name = self.node(op, *inputs, **attributes)
        self.integers.add(name)
        return name

    def constant(self, values: object, kind: type = np.int64) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, dtype=kind), name))
        return name

    def keep(self, name: str, shape: tuple[int, ...]) -> None:
        if prod(shape) <= 2000 and min(shape, default=1) > 0:
            self.tensors.append(Made(name, shape))

    # Steps

    def step_size(self) -> None:
        """One size of a tensor, as a number."""
        if t := self.tensor():
            axis = self.axis(t) if t.shape else None
            if axis is not None:
                shape = self.integer("Shape", t.name)
                index = self.constant([axis - len(t.shape) if self.r.random() < 0.5 else axis])
                self.numbers.append(Number(self.integer("Gather", shape, index, axis=0), t.shape[axis]))

    def step_arithmetic(self) -> None:
        if self.numbers:
            a, b = self.r.choice(self.numbers), self.number()
            op = self.r.choice(["Add", "Sub", "Mul", "Div", "Max", "Min"])
            if op == "Div" and b.value == 0:
                return
            value = {
                "Add": a.value + b.value,
                "Sub": a.value - b.value,
                "Mul": a.value * b.value,
                "Div": int(a.value / b.value) if b.value else 0,
                "Max": max(a.value, b.value),
                "Min": min(a.value, b.value),
            }[op]
            self.numbers.append(Number(self.integer(op, a.name, b.name), value))

    def step_elementwise(self) -> None:
        a = self.tensor()
        if a is None:
            return
        others = [t for t in self.tensors if _broadcast(a.shape, t.shape) is not None]
        b = self.r.choice(others)
        self.keep(self.node(self.r.choice(["Add", "Mul", "Sub"]), a.name, b.name), _broadcast(a.shape, b.shape) or ())

    def step_activation(self) -> None:
        if t := self.tensor():
            self.keep(self.node(self.r.choice(["Relu", "Tanh", "Identity"]), t.name), t.shape)

    def step_convolution(self) -> None:
        if t := self.tensor(4):
            r = self.r
            k, stride, pad, out = r.randint(1, 3), r.randint(1, 2), r.randint(0, 1), r.randint(1, 4)
            n, c, *image = t.shape
            sizes = [(x + 2 * pad - k) // stride + 1 for x in image]
            if min(sizes) > 0:
                weight = self.constant(np.zeros((out, c, k, k)), np.float32)
                made = self.node("Conv", t.name, weight, kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4)
                self.keep(made, (n, out, *sizes))

    def step_transposed_convolution(self) -> None:
        if t := self.tensor(4):
            k, stride, out = self.r.randint(1, 3), self.r.randint(1, 2), self.r.randint(1, 3)
            n, c, *image = t.shape
            weight = self.constant(np.zeros((c, out, k, k)), np.float32)
            made = self.node("ConvTranspose", t.name, weight, strides=[stride] * 2, kernel_shape=[k, k])
            self.keep(made, (n, out, *(stride * (x - 1) + k for x in image)))

    def step_pool(self) -> None:
        if t := self.tensor(4):
            k, ceil = self.r.randint(1, 3), self.r.randint(0, 1)
            stride = self.r.randint(1, min(k, 2))
            if min(t.shape[2:]) >= k:
                starts = [range(0, x if ceil else x - k + 1, stride) for x in t.shape[2:]]
                sizes = tuple(min(len(s), -((k - x) // stride) + 1) for s, x in zip(starts, t.shape[2:], strict=True))
                attributes = {"kernel_shape": [k, k], "strides": [stride] * 2, "ceil_mode": ceil}
                self.keep(self.node("MaxPool", t.name, **attributes), (*t.shape[:2], *sizes))

    def step_matmul(self) -> None:
        if t := self.tensor(2, 3, 4):
            others = [u for u in self.tensors if len(u.shape) == 2 and u.shape[0] == t.shape[-1]]
            if others and self.r.random() < 0.5:
                u = self.r.choice(others)
            else:
                width = self.r.randint(1, 4)
                u = Made(self.constant(np.zeros((t.shape[-1], width)), np.float32), (t.shape[-1], width))
            self.keep(self.node("MatMul", t.name, u.name), (*t.shape[:-1], u.shape[1]))

    def step_concat(self) -> None:
        if t := self.tensor(1, 2, 3, 4):
            axis = self.axis(t)
            same_rank = [u for u in self.tensors if len(u.shape) == len(t.shape)]
            fitting = [u for u in same_rank if _off(u.shape, axis) == _off(t.shape, axis)]
            parts = [t, *self.r.choices(fitting, k=self.r.randint(1, 2))]
            made = self.node("Concat", *(p.name for p in parts), axis=axis)
            self.keep(made, (*t.shape[:axis], sum(p.shape[axis] for p in parts), *t.shape[axis + 1 :]))

    def step_split(self) -> None:
        if t := self.tensor(1, 2, 3, 4):
            axis = self.axis(t)
            even = t.shape[axis] % 2 == 0
            attributes = {"num_outputs": 2} if self.opset >= 18 and even else {}
            parts = [t.shape[axis] // 2, t.shape[axis] - t.shape[axis] // 2]
            inputs = [] if even else [self.vector(tuple(parts))]
            made = self.node("Split", t.name, *inputs, outputs=2, axis=axis, **attributes)
            for i, part in enumerate(parts):
                self.keep(f"{made[:-1]}{i}", (*t.shape[:axis], part, *t.shape[axis + 1 :]))

    def step_transpose(self) -> None:
        if t := self.tensor(2, 3, 4):
            order = self.r.sample(range(len(t.shape)), len(t.shape))
            self.keep(self.node("Transpose", t.name, perm=order), tuple(t.shape[i] for i in order))

    def step_reshape(self) -> None:
        """Neighbouring axes joined, or one split; one size is left to infer."""
        if t := self.tensor(1, 2, 3, 4):
            axis = self.axis(t)
            if axis + 1 < len(t.shape) and self.r.random() < 0.6:
                shape = (*t.shape[:axis], t.shape[axis] * t.shape[axis + 1], *t.shape[axis + 2 :])
            else:
                factor = self.r.choice([k for k in (1, 2, 3, 4) if t.shape[axis] % k == 0])
                shape = (*t.shape[:axis], factor, t.shape[axis] // factor, *t.shape[axis + 1 :])
            asked = list(shape)
            if self.r.random() < 0.7:
                asked[self.r.randrange(len(asked))] = -1
            if len(shape) <= 4:
                self.keep(self.node("Reshape", t.name, self.vector(tuple(asked))), shape)

    def step_slice(self) -> None:
        if t := self.tensor(1, 2, 3, 4):
            axis = self.axis(t)
            start, end = self.r.randint(-2, 2), self.number()
            length = len(range(t.shape[axis])[start : end.value])
            made = self.node("Slice", t.name, self.constant([start]), end.name, self.constant([axis]))
            self.keep(made, (*t.shape[:axis], length, *t.shape[axis + 1 :]))

    def step_gather(self) -> None:
        if t := self.tensor(1, 2, 3, 4):
            axis = self.axis(t)
            indices = [self.r.randrange(-t.shape[axis], t.shape[axis]) for _ in range(self.r.randint(1, 3))]
            made = self.node("Gather", t.name, self.constant(indices), axis=axis)
            self.keep(made, (*t.shape[:axis], len(indices), *t.shape[axis + 1 :]))

    def step_resize(self) -> None:
        if t := self.tensor(4):
            if self.r.random() < 0.6:
                scale = self.r.choice([0.5, 1.5, 2.0, 2.0, 0.7])
                scales = self.constant([1, 1, scale, scale], np.float32)
                sizes = tuple(int(np.floor(np.float32(x) * np.float32(scale))) for x in t.shape[2:])
                made = self.node("Resize", t.name, "", scales, mode="nearest")
            else:
                sizes = (self.number().value, self.number().value)
                if min(sizes) <= 0:
                    return
                made = self.node("Resize", t.name, "", "", self.vector((*t.shape[:2], *sizes)), mode="nearest")
            self.keep(made, (*t.shape[:2], *sizes))

    def step_pad(self) -> None:
        if t := self.tensor(1, 2, 3, 4):
            before, after = ([self.r.randint(-1, 2) for _ in t.shape] for _ in "ba")
            shape = tuple(b + x + a for b, x, a in zip(before, t.shape, after, strict=True))
            if min(shape) > 0:
                self.keep(self.node("Pad", t.name, self.constant(before + after)), shape)

    def step_expand(self) -> None:
        if t := self.tensor(1, 2, 3):
            shape = tuple(self.number().value if x == 1 else x for x in t.shape)
            if min(shape) > 0:
                self.keep(self.node("Expand", t.name, self.vector(shape)), shape)

    def step_tile(self) -> None:
        if t := self.tensor(1, 2, 3):
            repeats = tuple(self.r.randint(1, 2) for _ in t.shape)
            shape = tuple(x * k for x, k in zip(t.shape, repeats, strict=True))
            self.keep(self.node("Tile", t.name, self.vector(repeats)), shape)

    def step_axes(self) -> None:
        """An axis of size 1 put in, or one taken out."""
        if t := self.tensor(1, 2, 3, 4):
            axis = self.axis(t)
            if t.shape[axis] == 1:
                self.keep(self.node("Squeeze", t.name, self.constant([axis])), _off(t.shape, axis))
            elif len(t.shape) < 4:
                made = self.node("Unsqueeze", t.name, self.constant([axis]))
                self.keep(made, (*t.shape[:axis], 1, *t.shape[axis:]))

    def step_reduce(self) -> None:
        if t := self.tensor(2, 3, 4):
            axis, kept = self.axis(t), self.r.randint(0, 1)
            made = self.node("ReduceSum", t.name, self.constant([axis]), keepdims=kept)
            self.keep(made, (*t.shape[:axis], *[1] * kept, *t.shape[axis + 1 :]))

    def step_flatten(self) -> None:
        if t := self.tensor(2, 3, 4):
            axis = self.axis(t)
            self.keep(self.node("Flatten", t.name, axis=axis), (prod(t.shape[:axis]), prod(t.shape[axis:])))

    def step_fill(self) -> None:
        """A tensor whose sizes are numbers."""
        sizes = tuple(self.number().value for _ in range(self.r.randint(1, 3)))
        if min(sizes) > 0:
            self.keep(self.node("ConstantOfShape", self.vector(sizes)), sizes)

    # The model

    def _input(self, name: str) -> None:
        r = self.r
        dims = [r.choice([*self.sizes, *self.sizes, r.randint(1, 4)]) for _ in range(r.choice([1, 2, 3, 4, 4]))]
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
        self.tensors.append(Made(name, tuple(self.sizes.get(d, d) if isinstance(d, str) else d for d in dims)))

    def _used(self, symbol: str) -> bool:
        return any(d.dim_param == symbol for i in self.inputs for d in i.type.tensor_type.shape.dim)

    def _model(self) -> onnx.ModelProto:
        read = {name for node in self.nodes for name in node.input}
        outputs = [
            helper.make_tensor_value_info(n, TensorProto.INT64 if n in self.integers else TensorProto.FLOAT, None)
            for node in self.nodes
            for n in node.output
            if n not in read
        ]
        graph = helper.make_graph(self.nodes, f"random{self.seed}", self.inputs, outputs, self.weights)
        opset = helper.make_opsetid("", self.opset)
        return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def _off(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None
