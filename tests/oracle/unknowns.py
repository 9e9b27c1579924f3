"""Random models in which one number of any type, from anywhere, ends as a shape, an index or a condition.

The number comes from a constant (of every type, in every form that a file has), from a size, from an input or from a
random generator. It is computed with at top level, in a function, a branch or a loop.

>>> model, data = drawn(7, Path())
>>> [len(model.graph.input), data]
[2, True]
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper

SIZES = ((), (1,), (3,), (16,), (17,), (4, 16), (1024,), (1025,), (41, 50))
FLOATS = (T.FLOAT, T.DOUBLE, T.FLOAT16, T.BFLOAT16, T.FLOAT8E4M3FN, T.FLOAT8E5M2)
INTEGERS = (T.INT8, T.INT16, T.INT32, T.INT64, T.UINT8, T.UINT16, T.UINT32, T.UINT64, T.INT4, T.UINT4, T.BOOL)
ELSEWHERE = b"\0" * 64  # what comes first in an external file
COMPUTED = (T.FLOAT, T.DOUBLE, T.FLOAT16)


class Model:
    """A model that grows node by node; `name` is the number so far, an int64 list of one element."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = Random(seed)
        self.folder = folder
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.sparse: list[onnx.SparseTensorProto] = []
        self.inputs = {"x": (T.FLOAT, ["n", 4]), "word": (T.INT64, [1])}
        self.functions: list[onnx.FunctionProto] = []
        self.data = False
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        """One more node; its output."""
        name = self.new()
        self.nodes.append(helper.make_node(op, inputs, [name], name=f"{op} {name}", **attributes))
        return name

    def ints(self, *values: int, scalar: bool = False) -> str:
        name = self.new()
        self.constants.append(numpy_helper.from_array(np.array(values[0] if scalar else values, np.int64), name))
        return name

    def held(self, value: float, dtype: int, *, scalar: bool = False) -> str:
        return self.add(
            "Cast",
            self.add("Constant", value=helper.make_tensor("", T.FLOAT, [] if scalar else [1], [value])),
            to=dtype,
        )

    # Where the number comes from

    def source(self) -> str:
        kind = self.random.choice(["constant"] * 6 + ["size", "word", "drawn", "beside"])
        if kind == "beside":
            parts = [self.source(), self.source()]
            rest, self.data = self.data, False
            joined = self.add("Concat", *parts, axis=0)
            self.data = rest
            return self.add("Gather", joined, self.ints(self.random.randrange(2)))
        if kind == "constant":
            return self.constant()
        if kind == "size":
            return self.add("Shape", "x", end=1)
        self.data = True
        if kind == "word":
            return self.add("Identity", "word")
        drawn = self.add("RandomUniform", shape=[1], low=1.0, high=4.0)
        return self.add("Cast", drawn, to=T.INT64)

    def constant(self) -> str:
        dtype, shape = self.random.choice((*FLOATS, *INTEGERS)), self.random.choice(SIZES)
        count = int(np.prod(shape))
        whole = dtype in INTEGERS
        values = [self.random.randint(0, 1 if dtype == T.BOOL else 6) for _ in range(count)]
        listed = values if whole else [v + self.random.choice((0.0, 0.5)) for v in values]
        name = self.formed(helper.make_tensor(self.new(), dtype, shape, listed), listed, shape)
        flat = self.add("Reshape", self.add("Cast", name, to=T.INT64), self.ints(-1))
        fold = self.random.choice(("Gather", "Gather", "ReduceMax", "ReduceSum"))
        if fold == "Gather":
            return self.add("Gather", flat, self.ints(self.random.randrange(count)))
        return self.add("Min", self.add(fold, flat, keepdims=1), self.ints(9))

    def formed(self, tensor: onnx.TensorProto, listed: list[Any], shape: tuple[int, ...]) -> str:
        """The constant in one of the forms that a file may have."""
        kind = self.random.choice(("typed", "raw", "external", "node", "sparse", "list"))
        name, dtype = tensor.name, tensor.data_type
        if kind == "sparse" and dtype in (T.FLOAT, T.INT64) and len(shape) == 1:
            tensor.dims[:] = [len(listed)]
            places = numpy_helper.from_array(np.arange(len(listed)))
            self.sparse.append(helper.make_sparse_tensor(tensor, places, shape))
            return name
        if kind == "list" and dtype in (T.FLOAT, T.INT64) and len(shape) < 2:
            what = ("value_float" if dtype == T.FLOAT else "value_int") + "s" * len(shape)
            return self.add("Constant", **{what: listed if shape else listed[0]})
        if kind == "node":
            return self.add("Constant", value=tensor)
        if kind in ("raw", "external") and dtype not in (T.BFLOAT16, T.FLOAT8E4M3FN, T.FLOAT8E5M2, T.INT4, T.UINT4):
            tensor = numpy_helper.from_array(numpy_helper.to_array(tensor), name)
        self.constants.append(tensor)
        if kind == "external" and tensor.HasField("raw_data"):
            file = self.folder / f"{name}.bin"
            file.write_bytes(ELSEWHERE + tensor.raw_data)
            tensor.ClearField("raw_data")
            tensor.data_location = T.EXTERNAL
            for key, value in {"location": file.name, "offset": len(ELSEWHERE)}.items():
                tensor.external_data.add(key=key, value=str(value))
        return name

    # What is computed with it

    def steps(self, name: str) -> str:
        for _ in range(self.random.randint(0, 3)):
            name = self.random.choice((self.whole, self.fraction, self.fraction))(name)
        return name

    def whole(self, name: str) -> str:
        op = self.random.choice(("Add", "Sub", "Mul", "Mod", "Max", "Min", "Div"))
        other = self.add("Shape", "x", end=1) if self.random.random() < 0.3 else self.ints(self.random.randint(1, 4))
        return self.add(op, name, other)

    def fraction(self, name: str) -> str:
        dtype = self.random.choice(COMPUTED)
        f = self.add("Cast", name, to=dtype)
        kind = self.random.choice(("scale", "scale", "curve", "fold"))
        if kind == "scale":
            f = self.add(
                self.random.choice(("Mul", "Div", "Add")), f, self.held(self.random.choice((0.5, 0.7, 1.5)), dtype)
            )
            f = self.add(self.random.choice(("Floor", "Ceil", "Identity")), f)
        elif kind == "curve":
            f = self.add(
                "Min", self.add(self.random.choice(("Exp", "Sqrt", "Sigmoid", "Abs")), f), self.held(9.0, dtype)
            )
        else:
            pair = self.add("Concat", f, f, axis=0)
            f = self.add(self.random.choice(("ReduceMean", "ReduceSum", "ReduceMax")), pair, keepdims=1)
        return self.add("Cast", f, to=T.INT64)

    # Where that happens

    def placed(self, name: str) -> str:
        kind = self.random.choice(("top", "top", "function", "branch", "loop", "twice"))
        if kind == "twice":
            return self.placed(self.placed(name))
        before = len(self.nodes)
        out = self.steps(name)
        if kind == "top":
            return out
        inner, self.nodes = self.nodes[before:], self.nodes[:before]
        inner.append(helper.make_node("Identity", [out], [f"{out}_last"]))
        end = helper.make_tensor_value_info(f"{out}_last", T.INT64, [1])
        if kind == "function":
            return self.function(inner, name, f"{out}_last")
        if kind == "branch":
            other = helper.make_node("Constant", [], [f"{out}_other"], value_ints=[self.random.randint(1, 3)])
            branch = helper.make_graph(
                [other], "else", [], [helper.make_tensor_value_info(f"{out}_other", T.INT64, [1])]
            )
            return self.add(
                "If", self.condition(), then_branch=helper.make_graph(inner, "then", [], [end]), else_branch=branch
            )
        return self.loop(inner, name, out)

    def function(self, inner: list[onnx.NodeProto], name: str, out: str) -> str:
        title = f"own{len(self.functions)}"
        reads = dict.fromkeys(n for node in inner for n in node.input if n)
        made = {o for node in inner for o in node.output}
        outer = list(dict.fromkeys([name, *(n for n in reads if n not in made)]))
        opsets = [helper.make_opsetid("", 21)]
        self.functions.append(helper.make_function("own", title, outer, [out], inner, opsets))
        return self.add(title, *outer, domain="own")

    def condition(self) -> str:
        kind = self.random.choice(("constant", "size", "word"))
        if kind == "word":
            self.data = True
        number = {
            "constant": self.ints(self.random.randint(1, 4)),
            "size": self.add("Shape", "x", end=1),
            "word": "word",
        }
        return self.add("Squeeze", self.add("Greater", number[kind], self.ints(2)))

    def loop(self, inner: list[onnx.NodeProto], name: str, out: str) -> str:
        i, go, old, on = (f"{out}_{s}" for s in ("i", "go", "old", "on"))
        for node in inner:
            node.input[:] = [old if n == name else n for n in node.input]
        body = helper.make_graph(
            [*inner, helper.make_node("Identity", [go], [on])],
            "body",
            [
                helper.make_tensor_value_info(i, T.INT64, []),
                helper.make_tensor_value_info(go, T.BOOL, []),
                helper.make_tensor_value_info(old, T.INT64, [1]),
            ],
            [helper.make_tensor_value_info(on, T.BOOL, []), helper.make_tensor_value_info(f"{out}_last", T.INT64, [1])],
        )
        return self.add("Loop", self.ints(self.random.randint(1, 3), scalar=True), "", name, body=body)

    # Where it ends

    def use(self, name: str) -> str:
        uses: list[Callable[[str], str]] = [
            lambda v: self.add("Reshape", "x", self.add("Concat", v, self.ints(-1), axis=0)),
            lambda v: self.add("Expand", "x", self.add("Concat", v, self.ints(1), axis=0)),
            lambda v: self.add("Gather", "x", v),
            lambda v: self.add("ConstantOfShape", v),
            lambda v: self.add("Tile", "x", self.add("Concat", v, self.ints(1), axis=0)),
            lambda v: self.add("Slice", "x", self.ints(0), v, self.ints(0)),
            lambda v: self.add("Range", self.ints(0, scalar=True), self.add("Squeeze", v), self.ints(1, scalar=True)),
            self.floats,
            lambda v: self.add("TopK", "x", v, axis=0),
            self.choice,
        ]
        return self.random.choice(uses)(name)

    def floats(self, v: str) -> str:
        dtype = self.random.choice((T.FLOAT, T.DOUBLE))
        limit = self.add("Squeeze", self.add("Cast", v, to=dtype))
        start, step = (self.held(n, dtype, scalar=True) for n in (0.0, self.random.choice((1.0, 0.5, 0.3, -1.0))))
        return self.add("Range", start, limit, step)

    def choice(self, v: str) -> str:
        holds = self.add("Squeeze", self.add("Greater", v, self.ints(2)))
        wrong = helper.make_node("Reshape", ["x", self.ints(3, 5)], ["bad"], name="bad")
        right = helper.make_node("Identity", ["x"], ["good"], name="good")
        then, other = ([wrong], "bad"), ([right], "good")
        graphs = [
            helper.make_graph(n, o, [], [helper.make_tensor_value_info(o, T.FLOAT, None)]) for n, o in (then, other)
        ]
        return self.add("If", holds, then_branch=graphs[0], else_branch=graphs[1])

    def finished(self) -> onnx.ModelProto:
        self.nodes[-1].output[0] = "y"
        if self.nodes[-1].op_type == "TopK":
            self.nodes[-1].output.append("places")
        inputs = [helper.make_tensor_value_info(n, t, s) for n, (t, s) in self.inputs.items()]
        graph = helper.make_graph(
            self.nodes, "g", inputs, [onnx.ValueInfoProto(name="y")], self.constants, sparse_initializer=self.sparse
        )
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
        return helper.make_model(graph, functions=self.functions, opset_imports=opsets, ir_version=10)


def drawn(seed: int, folder: Path) -> tuple[onnx.ModelProto, bool]:
    """A model, and whether data have a part in the number."""
    made = Model(seed, folder)
    made.use(made.placed(made.source()))
    return made.finished(), made.data
