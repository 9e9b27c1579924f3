"""Random models whose sizes, indices and conditions are computed from sizes, whatever the operators on the way.

Unlike in `tests/oracle/graphs.py` nothing is meant to run: numbers go through floats, logarithms, comparisons, ranges
and lookups before some node depends on them.

    >>> [node.op_type for node in chain(1).model.graph.node][:2]
    ['Shape', 'Gather']
"""

from __future__ import annotations

from random import Random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.oracle.graphs import Case

KINDS = {"i": TensorProto.INT64, "f": TensorProto.FLOAT, "b": TensorProto.BOOL}
ONE = {
    "i": ["Abs", "Neg", "Sign", "Identity"],
    "f": ["Abs", "Neg", "Floor", "Ceil", "Round", "Sqrt", "Exp", "Log", "Reciprocal", "Erf"],
    "b": ["Not"],
}
TWO = {
    "i": ["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max"],
    "f": ["Add", "Sub", "Mul", "Div", "Min", "Max", "Pow"],
    "b": ["And", "Or", "Xor"],
}
FOLDS = ["ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare"]
BETWEEN = [TensorProto.INT32, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.UINT8, TensorProto.BOOL]
COMPARE = ["Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"]


class _Chain:
    def __init__(self, seed: int) -> None:
        self.r = Random(f"chain {seed}")
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[bytes, onnx.TensorProto] = {}
        self.known: dict[str, list[str]] = {"i": [], "f": [], "b": []}  # numbers and lists, by the kind of element

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes: object) -> str:
        names = [f"t{len(self.nodes)}", *(f"t{len(self.nodes)}_{i}" for i in range(1, outputs))]
        self.nodes.append(helper.make_node(op, list(inputs), names, f"n{len(self.nodes)}", **attributes))
        return names[0]

    def constant(self, values: object, dtype: type = np.int64) -> str:
        array = np.array(values, dtype)
        key = array.tobytes() + str((array.dtype, array.shape)).encode()
        if key not in self.weights:
            self.weights[key] = numpy_helper.from_array(array, f"c{len(self.weights)}")
        return self.weights[key].name

    def some(self, kind: str) -> str:
        if not self.known[kind] or self.r.random() < 0.2:
            number = self.r.choice([-1, 0, 1, 2, 2, 3, 4, 7])
            if kind == "f":
                return self.constant(self.r.choice([0.5, 1.5, 2.0, -1.0, number]), np.float32)
            return self.constant(number % 2 if kind == "b" else number, np.int64 if kind == "i" else np.bool_)
        return self.r.choice(self.known[kind][-5:])

    def step(self) -> None:
        """One more number or list of them."""
        kind = self.r.choice("iiiffb")
        way = self.r.choice([self.one, self.two, self.cast, self.compared, self.chosen, self.folded, self.rearranged])
        made = way(kind)
        self.known[made[0]].append(made[1])

    def one(self, kind: str) -> tuple[str, str]:
        return kind, self.node(self.r.choice(ONE[kind]), self.some(kind))

    def two(self, kind: str) -> tuple[str, str]:
        return kind, self.node(self.r.choice(TWO[kind]), self.some(kind), self.some(kind))

    def cast(self, _: str) -> tuple[str, str]:
        kind, before = self.r.choice("if"), self.some(self.r.choice("ifb"))
        if self.r.random() < 0.3:
            before = self.node("Cast", before, to=self.r.choice(BETWEEN))
        return kind, self.node("Cast", before, to=KINDS[kind])

    def compared(self, _: str) -> tuple[str, str]:
        of = self.r.choice("if")
        return "b", self.node(self.r.choice(COMPARE), self.some(of), self.some(of))

    def chosen(self, kind: str) -> tuple[str, str]:
        return kind, self.node("Where", self.some("b"), self.some(kind), self.some(kind))

    def folded(self, _: str) -> tuple[str, str]:
        op = self.r.choice([*FOLDS, "CumSum", "Size", "NonZero", "Range", "ArgMax", "Unique", "MatMul", "ReduceMean"])
        if op == "Range":
            return "i", self.node(op, self.constant(0), self.single(), self.constant(self.r.choice([1, 1, 2])))
        if op == "CumSum":
            flags = {name: self.r.randint(0, 1) for name in ("exclusive", "reverse")}
            return "i", self.node(op, self.some("i"), self.constant(0), **flags)
        if op == "MatMul":
            return "i", self.node(op, self.flat("i"), self.flat("i"))
        kind = "f" if op == "ReduceMean" else "i"
        return kind, self.node(op, self.flat("i") if op == "Unique" else self.some(kind))

    def rearranged(self, kind: str) -> tuple[str, str]:
        op = self.r.choice(["Concat", "Slice", "Gather", "Tile", "Clip", "Compress", "Expand", "TopK", "Mean"])
        if op == "Concat":
            return kind, self.node(op, self.flat(kind), self.flat(kind), axis=0)
        if op == "Slice":
            ends = (self.constant([self.r.randint(-2, 2)]) for _ in range(2))
            return kind, self.node(
                op, self.flat(kind), *ends, self.constant([0]), self.constant([self.r.choice([1, 2, -1])])
            )
        if op == "Gather":
            return kind, self.node(op, self.flat(kind), self.some("i"))
        if op == "Clip":
            return "i", self.node(op, self.some("i"), self.constant(0), self.constant(self.r.randint(1, 5)))
        if op == "Compress":
            return kind, self.node(op, self.flat(kind), self.flat("b"), axis=0)
        if op == "TopK":
            return "i", self.node(op, self.flat("i"), self.constant([1]), outputs=2)
        if op == "Mean":
            return "f", self.node(op, self.some("f"), self.some("f"))
        return kind, self.node(op, self.flat(kind), self.listed())

    def flat(self, kind: str) -> str:
        """A list, of one number or many."""
        return self.node("Reshape", self.some(kind), self.constant([-1]))

    def single(self) -> str:
        """An integer that is one number, a scalar."""
        return self.node("ReduceMax", self.some("i"), keepdims=0)

    def listed(self) -> str:
        """An integer in a list of its own."""
        return self.node("Reshape", self.single(), self.constant([1]))

    def end(self) -> None:
        """A node that depends on such numbers."""
        ends = [getattr(self, name) for name in dir(self) if name.startswith("end_")]
        self.r.choice(ends)()

    def end_listed(self) -> None:
        self.node(self.r.choice(["Reshape", "Tile", "Expand"]), "x", self.listed())

    def end_indices(self) -> None:
        self.node(self.r.choice(["Gather", "GatherElements"]), "x", self.flat("i"))

    def end_slice(self) -> None:
        self.node("Slice", "x", self.listed(), self.listed(), self.constant([0]))

    def end_pad(self) -> None:
        self.node("Pad", "x", self.node("Concat", self.listed(), self.constant([0]), axis=0))

    def end_top(self) -> None:
        self.node("TopK", "x", self.listed(), outputs=2)

    def end_one_hot(self) -> None:
        self.node("OneHot", self.constant([0, 1]), self.single(), self.constant([0.0, 1.0], np.float32))

    def end_broadcast(self) -> None:
        self.node("Add", "x", self.node("Cast", self.some("i"), to=TensorProto.FLOAT))

    def end_split(self) -> None:
        self.node("Split", "x", self.node("Concat", self.listed(), self.constant([1]), axis=0), outputs=2)

    def end_resize(self) -> None:
        image = self.node("Reshape", "x", self.constant([1, 1, -1, 1]))
        sizes = self.node("Concat", self.constant([1, 1]), self.listed(), self.constant([1]), axis=0)
        self.node("Resize", image, "", "", sizes)

    def end_compress(self) -> None:
        self.node("Add", "x", self.node("Compress", "x", self.flat("b"), axis=0))

    def end_filled(self) -> None:
        self.node("Add", "x", self.node("ConstantOfShape", self.listed()))

    def end_squeeze(self) -> None:
        self.node("Squeeze", self.node("Unsqueeze", "x", self.constant([1])), self.listed())

    def end_reverse(self) -> None:
        row = self.node("Unsqueeze", "x", self.constant([0]))
        self.node("ReverseSequence", row, self.listed(), batch_axis=0, time_axis=1)

    def end_scatter(self) -> None:
        self.node("ScatterElements", "x", self.listed(), self.constant([1.0], np.float32))

    def end_branch(self) -> None:
        """A choice between a sum that may not be possible and the input as it is."""
        out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
        then = helper.make_graph([helper.make_node("Add", ["x", "z"], ["out"])], "then", [], [out])
        other = helper.make_graph([helper.make_node("Identity", ["x"], ["out"])], "other", [], [out])
        condition = self.node("Reshape", self.some("b"), self.constant([1]))
        self.node("If", condition, then_branch=then, else_branch=other)

    def end_loop(self) -> None:
        """As many trips as a number says, each of which makes a row; at least one, or no row has a length."""
        scalars = (("trip", TensorProto.INT64), ("go", TensorProto.BOOL), ("on", TensorProto.BOOL))
        trip, go, on = (helper.make_tensor_value_info(name, kind, []) for name, kind in scalars)
        row = helper.make_tensor_value_info("row", TensorProto.FLOAT, None)
        nodes = [helper.make_node("Identity", [a], [b]) for a, b in (("go", "on"), ("z", "row"))]
        body = helper.make_graph(nodes, "body", [trip, go], [on, row])
        trips = self.node("Max", self.single(), self.constant(1))
        rows = self.node("Loop", trips, "", body=body)
        self.node("Add", "x", self.node("ReduceSum", rows, self.constant([1]), keepdims=0))


def chain(seed: int) -> Case:
    """The model of this seed."""
    made = _Chain(seed)
    r = made.r
    ranges = {name: (lo := r.choice([0, 1, 1, 2]), lo + r.randint(1, 6)) for name in ("n", "m")}
    for source in ("x", "z") if r.random() < 0.5 else ("x",):
        made.known["i"].append(made.node("Gather", made.node("Shape", source), made.constant(0)))
    for _ in range(r.randint(1, 7)):
        made.step()
    for _ in range(r.randint(1, 2)):
        made.end()
    inputs = [helper.make_tensor_value_info(t, TensorProto.FLOAT, [s]) for t, s in (("x", "n"), ("z", "m"))]
    last = helper.make_tensor_value_info(made.nodes[-1].output[0], TensorProto.UNDEFINED, None)
    last.type.Clear()
    graph = helper.make_graph(made.nodes, f"chain {seed}", inputs, [last], [*made.weights.values()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    return Case(seed, model, ranges, {name: lo for name, (lo, _) in ranges.items()})
