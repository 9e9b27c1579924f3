"""Random graphs around the arithmetic of shapes, as exporters write it: the patterns that optimizers look for.

>>> case = drawn(7)
>>> case.model.graph.input[0].name, case.ranges
('x', {'a': range(0, 5), 'c': range(0, 5)})
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZES = [["a", 4], ["a", 4], ["a", "b"], ["a", 2, "b"], ["a", 3, 2], ["a", "a", 4], [6, "a"], ["a", 5, 0], ["a"]]
LISTED = 13
"""The opset since which axes are an input."""
MOST = 4
"""The largest size of the box."""


class Case(NamedTuple):
    """A model, with the sizes of each symbol at which it is run."""

    model: onnx.ModelProto
    ranges: dict[str, range]


class _Graph:
    """The nodes so far, and the tensors by what they are: sizes (scalars), vectors of sizes, data by its rank."""

    def __init__(self, r: Random) -> None:
        self.r, self.opset = r, r.choice([11, 12, 13, 14, 17, 18, 19, 21, 23])
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.scalars: list[str] = []
        self.ones: list[str] = []
        self.data: dict[str, int] = {}

    def op(self, name: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        index = len(self.nodes)
        made = [f"{name.lower()}{index}" + f"_{i}" * (outputs > 1) for i in range(outputs)]
        self.nodes.append(helper.make_node(name, inputs, made, name=f"{name}_{index}", **attributes))
        return made[0] if outputs == 1 else made

    def number(self, value: Any, dtype: Any = np.int64) -> str:
        """A constant: an initializer, or the output of a node."""
        array = np.array(value, dtype)
        if self.r.random() < 0.5:
            return str(self.op("Constant", value=numpy_helper.from_array(array)))
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def along(self, name: str, x: str, axes: list[int]) -> str:
        """Squeeze or Unsqueeze along axes."""
        if self.opset < LISTED:
            return str(self.op(name, x, axes=axes))
        return str(self.op(name, x, self.number(axes)))

    def size(self) -> str:
        """A size of some tensor, as a scalar."""
        r, x = self.r, self.r.choice([*self.data])
        rank = max(self.data[x], 1)
        shape = self.op("Shape", x)
        if r.random() < 0.2:
            start = r.randrange(rank)
            ends = self.number([start]), self.number([start + 1])
            return self.along("Squeeze", self.op("Slice", shape, *ends), [0])
        return str(self.op("Gather", shape, self.number(r.choice([r.randrange(rank), 0, r.randrange(-rank, 0)]))))

    def scalar(self) -> str:
        """A size, or a number computed from sizes."""
        r = self.r
        if not self.scalars or r.random() < 0.4:
            self.scalars.append(self.size())
        a = r.choice(self.scalars)
        if r.random() < 0.5:
            return a
        name = r.choice(["Add", "Sub", "Mul", "Div", "Div", "Add", "Mul", "Min", "Max", "Identity", "Cast", "Neg"])
        if name in ("Min", "Max") and self.opset < 12:
            name = "Add"
        if name in ("Identity", "Neg", "Cast"):
            made = self.op(name, a, **({"to": TensorProto.INT64} if name == "Cast" else {}))
        else:
            number = r.choice([0, 1, 1, 2, 2, 3, 4])
            both = [a, self.number(max(number, 1) if name == "Div" else number)]
            if r.random() < 0.3 and name != "Div":
                both[1] = r.choice(self.scalars)
            made = self.op(name, *both)
        self.scalars.append(made)
        return str(made)

    def one(self) -> str:
        """A vector of one element."""
        r = self.r
        kind = r.random()
        if self.ones and kind < 0.2:
            return r.choice(self.ones)
        if kind < 0.7:
            made = self.along("Unsqueeze", self.scalar(), [0])
        elif kind < 0.8:
            x = r.choice([*self.data])
            start = r.randrange(max(self.data[x], 1))
            made = self.op("Slice", self.op("Shape", x), self.number([start]), self.number([start + 1]))
        elif kind < 0.9:
            x = r.choice([*self.data])
            made = self.op("Gather", self.op("Shape", x), self.number([r.randrange(max(self.data[x], 1))]))
        else:
            made = self.op("Reshape", self.scalar(), self.number([1]))
        self.ones.append(made)
        return str(made)

    def target(self, *, inferred: bool = True) -> tuple[str, int]:
        """A list of sizes, and how many there are; with `inferred`, one may be -1."""
        r = self.r
        if inferred and r.random() < 0.35:
            sizes = r.choice([[-1], [4, -1], [0, -1], [2, -1], [8], [2, 4], [4], [1, 4], [0, 0, -1], [3, -1], [12]])
            return self.number(sizes), len(sizes)
        parts, count = [], 0
        for _ in range(r.choice([1, 2, 2, 2, 3])):
            if r.random() < 0.55:
                parts.append(self.one())
                count += 1
            else:
                sizes = r.choice([[4], [2], [-1] if inferred else [1], [1], [8], [2, 2], [4], [0], [3], [5, 0], [0, 0]])
                parts.append(self.number(sizes))
                count += len(sizes)
        made = str(self.op("Concat", *parts, axis=0))
        return (str(self.op("Identity", made)) if r.random() < 0.1 else made), count

    def rows(self, back: bool = False) -> str:
        """A range of numbers; it may count down only if `back`, as ONNX Runtime crashes on an empty axis."""
        r, count = self.r, self.scalar()
        first = r.choice([0, 0, 0, 1, -1, -2, 3])
        step = r.choice([1, 1, 1, 1, 2, -1 if back else 1])
        return str(self.op("Range", self.number(first), count, self.number(step)))

    def step(self) -> None:
        """One more tensor of data."""
        x = self.r.choice([*self.data][-3:])
        kinds = (
            [self.reshaped] * 8 + [self.looked_up] * 5 + [self.squeezed, self.cut, self.expanded] * 2 + [self.moved] * 6
        )
        made, rank = self.r.choice(kinds)(x, self.data[x])
        self.data[made] = rank

    def reshaped(self, x: str, _: int) -> tuple[str, int]:
        target, rank = self.target()
        zero = {"allowzero": 1} if self.opset >= 14 and self.r.random() < 0.1 else {}
        return self.op("Reshape", x, target, **zero), rank

    def looked_up(self, x: str, rank: int) -> tuple[str, int]:
        """Rows of a table, or of the tensor, by a range."""
        if not rank or self.r.random() < 0.3:
            table = self.number(np.zeros((self.r.choice([3, 4, 6]), 4)), np.float32)
            return self.op("Gather", table, self.rows(back=True)), 2
        return self.op("Gather", x, self.rows(), axis=self.r.randrange(-rank, rank)), rank

    def squeezed(self, x: str, rank: int) -> tuple[str, int]:
        if rank and self.r.random() < 0.5:
            return self.along("Squeeze", x, [self.r.randrange(rank)]), rank - 1
        return self.along("Unsqueeze", x, [self.r.choice([0, rank])]), rank + 1

    def cut(self, x: str, rank: int) -> tuple[str, int]:
        if not rank:
            return self.op("Relu", x), rank
        ends = self.r.choice([self.number([0]), self.one()]), self.r.choice([self.one(), self.number([2**31])])
        return self.op("Slice", x, *ends, self.number([self.r.randrange(rank)])), rank

    def expanded(self, x: str, rank: int) -> tuple[str, int]:
        sizes = self.r.choice([[1], [4], [0], [1, 4], [0, 4], [1, 1], [2, 4], [2, 1, 1]])
        target, count = self.target(inferred=False) if self.r.random() < 0.6 else (self.number(sizes), len(sizes))
        return self.op("Expand", x, target), max(rank, count)

    def moved(self, x: str, rank: int) -> tuple[str, int]:
        """Add a node of another operator, and return its output and that one's rank."""
        r, axis, other = self.r, self.r.randrange(max(rank, 1)), self.r.choice([*self.data])
        alike = r.choice([n for n, k in self.data.items() if k == rank])
        both = max(rank, self.data[other])
        kinds = {
            "Relu": ((x,), {}, rank), "Identity": ((x,), {}, rank), "Add": ((x, other), {}, both),
            "Transpose": ((x,), {"perm": r.sample(range(rank), rank)} if rank else {}, rank),
            "Flatten": ((x,), {"axis": r.randrange(rank + 1)}, 2),
        }  # fmt: skip
        if rank:
            kinds["Concat"] = (x, alike), {"axis": axis}, rank
        if min(rank, self.data[other]) >= 2:
            kinds["MatMul"] = (x, other), {}, both
        name = r.choice([*kinds, "Tile", "ConstantOfShape", "Where", "Split"])
        if name == "Tile":
            return self.op(name, x, self.number([r.choice([1, 2]) for _ in range(rank)])), rank
        if name == "ConstantOfShape":
            return self.op(name, self.op("Concat", self.one(), self.number([4]), axis=0)), 2
        if name == "Where":
            return self.op(name, self.op("Equal", self.scalar(), self.number(2)), x, x), rank
        if name == "Split" and rank:
            return self.op(name, x, outputs=2, axis=axis, **({"num_outputs": 2} if self.opset >= 18 else {}))[0], rank
        inputs, attributes, made = kinds.get(name, kinds["Relu"])
        return self.op("Relu" if name == "Split" else name, *inputs, **attributes), made


def drawn(seed: int) -> Case:
    """The model of a seed."""
    r = Random(f"sessions {seed}")
    g = _Graph(r)
    inputs = []
    for name in ("x", "w")[: r.choice([1, 1, 2])]:
        sizes = r.choice(SIZES if name == "x" else [["a", 4], ["c", 4], ["b", 2], ["c"], [6, 7], ["c", 8]])
        inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes))
        g.data[name] = len(sizes)
    for _ in range(r.choice([1, 2, 3, 4])):
        g.step()
    read = {name for node in g.nodes for name in node.input}
    ends = [name for name in g.data if name not in read and name not in ("x", "w")] or [[*g.data][-1]]
    if r.random() < 0.1:
        ends.append(g.nodes[r.randrange(len(g.nodes))].output[0])
    outputs = [onnx.ValueInfoProto(name=name) for name in dict.fromkeys(ends) if name not in ("x", "w")]
    graph = helper.make_graph(g.nodes, "g", inputs, outputs, g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", g.opset)], ir_version=8)
    names = sorted({d.dim_param for i in inputs for d in i.type.tensor_type.shape.dim if d.dim_param})
    return Case(model, {name: range(MOST + 1) for name in names})
