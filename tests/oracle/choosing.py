"""Random graphs in which the elements of small inputs decide: branches, slices, repeats, targets of reshapes, trips.

Numbers are int64 tensors of one element, conditions booleans of one element, both computed from small inputs, from
sizes and from constants; what is made of them cuts, repeats, reshapes and fills floats. Branches
may differ in rank.

    >>> case = choose(7)
    >>> sorted(case.values) == sorted(v for i in case.model.graph.input for v in case.values if v.startswith(i.name))
    True
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZES = {"a": (1, 3), "b": (1, 4)}
NUMBERS = ("Add", "Sub", "Mul", "Min", "Max", "Div", "Mod", "Where", "Neg", "Abs", "Shape", "Cast")
CONDITIONS = ("Equal", "Less", "GreaterOrEqual", "Not", "And", "Or", "Xor")
MAKERS = ("Slice", "Reshape", "Expand", "Tile", "Pad", "TopK", "ConstantOfShape", "Range", "Split", "Gather", "Add")
MAKERS += ("Concat", "If", "If", "If", "Loop", "Resize", "OneHot", "Scan output")
DEEPEST = 20  # branches inside each other; protobuf reads about 30, each of which is three messages deep


@dataclass(frozen=True)
class Choice:
    """A model, the range of each of its sizes, and the values of each of its elements that are tried."""

    model: onnx.ModelProto
    ranges: dict[str, tuple[int, int]]
    values: dict[str, tuple[int, int]]


class Floats(NamedTuple):
    """A tensor of floats under construction."""

    name: str
    rank: int


def choose(seed: int, *, data: bool = False) -> Choice:
    """The graph of this seed; with `data`, one in which the sign of a sum of floats is a condition too."""
    return _Chooser(Random(f"choice {seed} {data or ''}")).choice(data=data)


class _Chooser:
    def __init__(self, r: Random) -> None:
        self.r = r
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.values: dict[str, tuple[int, int]] = {}
        self.numbers: list[str] = []
        self.conditions: list[str] = []
        self.floats: list[Floats] = []
        self.signs: list[str] = []  # conditions that data decides: numbers made of them would be taken to fit
        self.count = 0
        self.depth = 0

    def choice(self, *, data: bool) -> Choice:
        self._small_inputs()
        for rank in self.r.sample([1, 2], 2)[: self.r.randint(1, 2)]:
            name, dims = self._name("x"), [self.r.choice(["a", "b", 2]) for _ in range(rank)]
            self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
            self.floats.append(Floats(name, rank))
        if data:
            total = self._add("ReduceSum", self.floats[0].name, keepdims=0)
            self.signs.append(self._add("Greater", total, self._constant(0, np.float32)))
        for _ in range(self.r.randint(0, 3)):
            self._number()
        for _ in range(self.r.randint(0, 2)):
            self._condition()
        for _ in range(self.r.randint(1, 3)):
            self.floats.append(self._made(self.r.choice(MAKERS)))
        outputs = [helper.make_tensor_value_info(t.name, TensorProto.FLOAT, None) for t in self.floats[-1:]]
        graph = helper.make_graph(self.nodes, "choice", self.inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        named = {d.dim_param for i in self.inputs for d in i.type.tensor_type.shape.dim}
        return Choice(model, {name: ends for name, ends in SIZES.items() if name in named}, self.values)

    def _small_inputs(self) -> None:
        for kind in self.r.sample(["number", "pair", "narrow", "flag"], self.r.randint(1, 2)):
            name = self._name({"number": "k", "pair": "p", "narrow": "i", "flag": "c"}[kind])
            low = self.r.randint(-2, 1)
            ends = (low, low + self.r.randint(1, 4))
            if kind == "pair":
                self.values.update({f"{name}[0]": ends, f"{name}[1]": (0, 2)})
                self.inputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, [2]))
                self.numbers += [self._add("Gather", name, self._constant([at])) for at in (0, 1)]
            else:
                dtype = {"number": TensorProto.INT64, "narrow": TensorProto.INT32, "flag": TensorProto.BOOL}[kind]
                self.values[name] = (0, 1) if kind == "flag" else ends
                self.inputs.append(helper.make_tensor_value_info(name, dtype, self.r.choice([[], [1]])))
                one = self._add("Reshape", name, self._constant([1]))
                if kind == "flag":
                    self.conditions.append(one)
                else:
                    self.numbers.append(one if kind == "number" else self._add("Cast", one, to=TensorProto.INT64))

    # Pieces

    def _name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def _add(self, op: str, *inputs: str, outputs: int = 1, **attributes: object) -> str:
        names = [self._name(op.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{self.count}", **attributes))
        return names[0]

    def _constant(self, values: object, dtype: type = np.int64) -> str:
        self.weights.append(numpy_helper.from_array(np.array(values, dtype), self._name("w")))
        return self.weights[-1].name

    def _any_number(self, constants: int = 1) -> str:
        chosen = self.r.choice([*self.numbers, *[""] * max(constants, not self.numbers)])
        return chosen or self._constant([self.r.randint(-1, 4)])

    def _list(self, count: int) -> str:
        return self._add("Concat", *(self._any_number() for _ in range(count)), axis=0)

    def _any_floats(self, *ranks: int) -> Floats:
        fitting = [t for t in self.floats if t.rank in ranks]
        if fitting:
            return self.r.choice(fitting)
        shape = [self.r.randint(1, 3) for _ in range(ranks[0])]
        return Floats(self._constant(np.ones(shape), np.float32), ranks[0])

    def _any_condition(self) -> str:
        return self.r.choice(self.conditions) if self.conditions else self._condition()

    def _number(self) -> None:
        op, a = self.r.choice(NUMBERS), self._any_number(0)
        if op in ("Neg", "Abs"):
            self.numbers.append(self._add(op, a))
        elif op == "Where":
            condition = self._any_condition()
            self.numbers.append(self._add(op, condition, a, self._any_number()))
        elif op == "Shape":
            t = self._any_floats(1, 2)
            self.numbers.append(self._add(op, t.name, start=t.rank - 1, end=t.rank))
        elif op == "Cast":
            condition = self._any_condition()
            self.numbers.append(self._add(op, condition, to=TensorProto.INT64))
        else:
            b = self._constant([self.r.randint(2, 3)]) if op in ("Div", "Mod") else self._any_number()
            self.numbers.append(self._add(op, a, b))

    def _condition(self) -> str:
        op = self.r.choice(CONDITIONS if self.conditions else CONDITIONS[:3])
        if op in ("Equal", "Less", "GreaterOrEqual"):
            made = self._add(op, self._any_number(0), self._any_number(2))
        elif op == "Not":
            made = self._add(op, self.r.choice(self.conditions))
        else:
            made = self._add(op, self.r.choice(self.conditions), self.r.choice(self.conditions))
        self.conditions.append(made)
        return made

    # What is made of them

    def _made(self, op: str) -> Floats:
        x = self._any_floats(1, 2)
        axis = self.r.randrange(x.rank)
        if op == "Slice":
            steps = [] if self.r.random() < 0.6 else [self._any_number(3)]
            return Floats(self._add(op, x.name, self._list(1), self._list(1), self._constant([axis]), *steps), x.rank)
        if op in ("Reshape", "Expand"):
            rank = self.r.randint(1, 2)
            target = self._list(rank)
            allowed = {"allowzero": self.r.randint(0, 1)} if op == "Reshape" else {}
            return Floats(self._add(op, x.name, target, **allowed), rank if op == "Reshape" else max(rank, x.rank))
        if op == "Tile":
            return Floats(self._add(op, x.name, self._list(x.rank)), x.rank)
        if op == "Pad":
            return Floats(self._add(op, x.name, self._list(2 * x.rank)), x.rank)
        if op == "TopK":
            return Floats(self._add(op, x.name, self._any_number(), outputs=2, axis=axis), x.rank)
        if op == "ConstantOfShape":
            rank = self.r.randint(1, 2)
            return Floats(self._add(op, self._list(rank)), rank)
        if op == "Range":
            ends = [self._scalar(self._any_number()) for _ in range(3 if self.r.random() < 0.4 else 2)]
            ends += [self._constant(1)] * (3 - len(ends))
            return Floats(self._add("Cast", self._add(op, *ends), to=TensorProto.FLOAT), 1)
        return self._others(op, x, axis)

    def _others(self, op: str, x: Floats, axis: int) -> Floats:
        if op == "Split":
            return Floats(self._add(op, x.name, self._list(2), outputs=2, axis=axis), x.rank)
        if op == "Gather":
            return Floats(self._add(op, x.name, self._any_number(0), axis=axis), x.rank)
        if op == "OneHot":
            i = self._add("Range", self._constant(0), self._scalar(self._any_number()), self._constant(1))
            ends = self._constant([0, 1], np.float32)
            return Floats(self._add(op, i, self._any_number(), ends), 2)
        if op == "Resize":
            x = self._any_floats(2)
            return Floats(self._add(op, x.name, "", "", self._list(2), mode="nearest"), 2)
        if op in ("Add", "Concat"):
            y = self._any_floats(x.rank)
            return Floats(self._add(op, x.name, y.name, **({"axis": axis} if op == "Concat" else {})), x.rank)
        if op == "Loop":
            return self._loop(x, axis)
        if op == "Scan output":
            return self._stacked(x)
        return self._branch(x.rank)

    def _scalar(self, number: str) -> str:
        return self._add("Reshape", number, self._constant([], np.int64))

    def _inside(self, rank: int) -> tuple[list[onnx.NodeProto], str]:
        """A few nodes that make floats of that rank, for a branch."""
        outer, self.nodes = self.nodes, []
        kept = list(self.numbers), list(self.conditions), list(self.floats)
        makers = MAKERS if self.depth < DEEPEST else [op for op in MAKERS if op != "If"]
        self.depth += 1
        for _ in range(20):
            made = self._made(self.r.choice(makers))
            if made.rank == rank:
                break
        else:
            made = Floats(self._add("Identity", self._any_floats(rank).name), rank)
        self.depth -= 1
        (self.numbers, self.conditions, self.floats), inner, self.nodes = kept, self.nodes, outer
        return inner, made.name

    def _branch(self, rank: int) -> Floats:
        condition = self.r.choice([*self.conditions, *self.signs * 3]) if self.conditions or self.signs else ""
        condition = condition or self._condition()
        if condition in self.signs and self.r.random() < 0.5:
            condition = self._add(*self.r.choice([("Not", condition), ("And", condition, self._any_condition())]))
        graphs = {}
        for name in ("then_branch", "else_branch"):
            inner, made = self._inside(self.r.choice([rank, rank, rank, 3 - rank]))
            if not any(made in node.output for node in inner):
                inner, made = [*inner, helper.make_node("Identity", [made], [f"{made}_{name}"])], f"{made}_{name}"
            output = helper.make_tensor_value_info(made, TensorProto.FLOAT, None)
            graphs[name] = helper.make_graph(inner, name, [], [output])
        return Floats(self._add("If", condition, **graphs), rank)

    def _loop(self, x: Floats, axis: int) -> Floats:
        """As many trips as a number says, each of which makes the tensor longer."""
        infos = [("t", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("old", TensorProto.FLOAT, None)]
        nodes = [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("Concat", ["old", x.name], ["new"], axis=axis),
        ]
        outputs = [("on", TensorProto.BOOL, []), ("new", TensorProto.FLOAT, None)]
        start = helper.make_tensor_value_info
        body = helper.make_graph(nodes, "body", [start(*i) for i in infos], [start(*o) for o in outputs])
        first = self._scalar(self.r.choice(self.conditions)) if self.conditions and self.r.random() < 0.4 else ""
        return Floats(self._add("Loop", self._scalar(self._any_number(0)), first, x.name, body=body), x.rank)

    def _stacked(self, x: Floats) -> Floats:
        """As many trips as a number says, each of which makes one row."""
        x = self._any_floats(1)
        infos = [("t", TensorProto.INT64, []), ("go", TensorProto.BOOL, [])]
        nodes = [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Identity", [x.name], ["row"])]
        outputs = [("on", TensorProto.BOOL, []), ("row", TensorProto.FLOAT, None)]
        start = helper.make_tensor_value_info
        body = helper.make_graph(nodes, "body", [start(*i) for i in infos], [start(*o) for o in outputs])
        return Floats(self._add("Loop", self._scalar(self._any_number(0)), "", body=body), 2)


__all__ = ["Choice", "choose"]
