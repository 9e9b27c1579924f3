"""Models that nobody exports: growing functions, chains of formulas, deep nesting, huge sizes, giant loops.

python -m tests.oracle.hostile SEED COUNT
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.oracle.mutants import answer_of

TIMEOUT = 2.0
SIZES = (0, 1, 2, 3, 7, 64, 1000, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -1, -2, -(2**63))
OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("me", 1)]
UNARY = (
    *(
        "Relu",
        "Identity",
        "Neg",
        "Shape",
        "Size",
        "NonZero",
        "Flatten",
        "Softmax",
        "Transpose",
        "Not",
        "Cast",
        "Unique",
    ),
    *("Squeeze", "ReduceSum", "GlobalAveragePool", "Det", "Mystery"),
)
BINARY = (
    *("Add", "Mul", "Div", "Mod", "Max", "Min", "Sub", "Pow", "MatMul", "Concat", "Reshape", "Expand", "Tile"),
    *("Gather", "Where", "Equal", "Greater", "GatherND", "Split", "Range", "TopK", "Pad", "Slice", "OneHot", "Resize"),
)

Node = onnx.NodeProto


def node(op: str, reads: list[str], writes: list[str], **attributes: object) -> Node:
    return helper.make_node(op, reads, writes, domain="me" if op == "Mystery" or op[0].islower() else "", **attributes)


def value(name: str) -> onnx.ValueInfoProto:
    return onnx.ValueInfoProto(name=name)


def constant(name: str, number: object) -> TensorProto:
    return numpy_helper.from_array(np.asarray(number, dtype=np.int64), name)


def model(
    nodes: list[Node],
    outputs: list[str],
    shape: list[str | int | None] | None = None,
    constants: dict[str, object] | None = None,
    functions: list[onnx.FunctionProto] | None = None,
) -> onnx.ModelProto:
    sizes = ["n", "m", 3] if shape is None else shape
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)
    made = [constant(name, number) for name, number in (constants or {}).items()]
    graph = helper.make_graph(nodes, "g", [x], [value(name) for name in outputs], made)
    return helper.make_model(graph, opset_imports=OPSETS, ir_version=8, functions=functions or [])


def growing_functions(r: Random) -> onnx.ModelProto:
    """Functions that call the one before them several times, through all kinds of bodies."""
    body = some_nodes(r, r.randint(1, 4), ["x"])
    functions = [helper.make_function("me", "f0", ["x"], [body[-1].output[0]], body, OPSETS)]
    levels, times = r.choice([(25, 2), (12, 4), (60, 1), (80, 1), (200, 1), (18, 3)])
    for level in range(levels):
        rows = [node(f"f{level}", [f"a{k}" if k else "x"], [f"a{k + 1}"]) for k in range(times)]
        if r.random() < 0.3:
            rows.append(node(r.choice(BINARY), [f"a{times}", "x"], [f"a{times + 1}"]))
        functions.append(helper.make_function("me", f"f{level + 1}", ["x"], [rows[-1].output[0]], rows, OPSETS))
    return model([node(f"f{levels}", ["x"], ["y"])], ["y"], functions=functions)


def some_nodes(r: Random, count: int, names: list[str]) -> list[Node]:
    known, rows = list(names), []
    for k in range(count):
        if r.random() < 0.4:
            row = node(r.choice(UNARY), [r.choice(known)], [f"t{k}"])
        else:
            row = node(r.choice(BINARY), [r.choice(known) for _ in range(r.choice([2, 2, 3]))], [f"t{k}"])
        if row.op_type == "Cast":
            row.attribute.append(helper.make_attribute("to", r.choice([1, 6, 7, 9, 10, 11])))
        if row.op_type == "Concat":
            row.attribute.append(helper.make_attribute("axis", r.choice([0, 1, -1, 5])))
        known.append(f"t{k}")
        rows.append(row)
    return rows


def formulas(r: Random) -> onnx.ModelProto:
    """A size put through operator after operator, then used as a shape."""
    steps = r.choice([6, 15, 30, 60])
    period = [(r.choice(BINARY[:8]), r.randrange(5)) for _ in range(r.randint(1, 4))]
    rows = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["v0"]), node("Gather", ["s", "one"], ["w"])]
    for k in range(steps):
        op, kind = period[k % len(period)]
        other = ("k", "w", f"v{max(0, k - 1)}", f"v{max(0, k - 3)}", f"v{k}")[kind]
        pair = [f"v{k}", other] if r.random() < 0.8 else [other, f"v{k}"]
        rows.append(node(op, pair, [f"v{k + 1}"]))
    rows += [node("Concat", [f"v{steps}", "minus"], ["t"], axis=0), node("Reshape", ["x", "t"], ["y"])]
    numbers: dict[str, object] = {"zero": [0], "one": [1], "minus": [-1], "k": [r.choice([2, 3, 7, 64, 1000003])]}
    return model(rows, ["y"], ["n", "m"], numbers)


def nested(r: Random) -> onnx.ModelProto:
    """Branches and loops inside each other, deep or doubling."""
    inner = some_nodes(r, 2, ["x"])
    outputs, doubling = [inner[-1].output[0]], r.random() < 0.5
    for level in range(r.choice([8, 16]) if doubling else r.choice([10, 20, 28])):
        graph = helper.make_graph(inner, "b", [], [value(name) for name in outputs])
        other = graph if doubling else helper.make_graph([node("Relu", ["x"], ["o"])], "o", [], [value("o")])
        rows = [node("ReduceSum", ["x"], ["r"], keepdims=0), helper.make_node("Cast", ["r"], ["c"], to=9)]
        if r.random() < 0.5:
            rows.append(helper.make_node("If", ["c"], [f"i{level}"], then_branch=graph, else_branch=other))
        else:
            head = [helper.make_tensor_value_info("i", 7, []), helper.make_tensor_value_info("go", 9, [])]
            body = helper.make_graph(
                [*inner, helper.make_node("Identity", ["go"], ["on"])], "l", head, [value("on"), *map(value, outputs)]
            )
            rows += [helper.make_node("Loop", [r.choice(["", "trips"]), "c"], [f"i{level}"], body=body)]
            rows.insert(0, helper.make_node("Constant", [], ["trips"], value_int=r.choice(SIZES)))
        inner, outputs = rows, [f"i{level}"]
        if sum(row.ByteSize() for row in inner) > 500_000:
            break
    return model(inner, outputs)


def huge(r: Random) -> onnx.ModelProto:
    """Sizes at the edges of what can be counted, through random operators."""
    numbers: dict[str, object] = {
        f"k{i}": r.choice([[r.choice(SIZES)], [r.choice(SIZES), r.choice(SIZES)], r.choice(SIZES)]) for i in range(4)
    }
    rows = [
        node("Shape", ["x"], ["s"]),
        node("ConstantOfShape", ["k0"], ["z"]),
        *some_nodes(r, 8, ["x", "s", "z", *numbers]),
    ]
    sizes: list[str | int | None] = [r.choice(["n", None, max(0, r.choice(SIZES))]) for _ in range(r.randint(0, 4))]
    return model(rows, [rows[-1].output[0], rows[-2].output[0]], sizes, numbers)


def loops(r: Random) -> onnx.ModelProto:
    """Loops of enormous or unknown length that grow what they carry."""
    body = some_nodes(r, r.randint(1, 3), ["v", "i"])
    head = [
        helper.make_tensor_value_info("i", 7, []),
        helper.make_tensor_value_info("go", 9, []),
        helper.make_tensor_value_info("v", 1, [None, "m"] if r.random() < 0.5 else None),
    ]
    last = body[-1].output[0]
    body.append(helper.make_node("Identity", ["go"], ["on"]))
    ends = [value("on"), value(last), value(body[0].output[0])]
    graph = helper.make_graph(body, "l", head, ends)
    rows = [helper.make_node("Loop", [r.choice(["", "trips", "s0"]), "", "x"], ["y", "all"], body=graph)]
    rows.insert(0, node("Size", ["x"], ["s0"]))
    return model([*rows, node("Add", ["y", "all"], ["z"])], ["z"], ["n", "m"], {"trips": r.choice(SIZES)})


def wide(r: Random) -> onnx.ModelProto:
    """Very many inputs, nodes, outputs, attributes or dimensions."""
    count = r.choice([500, 3000])
    kind = r.randrange(6)
    if kind == 0:
        rows = [node("Concat", [f"x{i}" for i in range(count)], ["y"], axis=0)]
        inputs = [helper.make_tensor_value_info(f"x{i}", 1, [f"n{i}", 3]) for i in range(count)]
        return helper.make_model(helper.make_graph(rows, "g", inputs, [value("y")]), opset_imports=OPSETS, ir_version=8)
    if kind == 1:
        return model([node("Split", ["x"], [f"y{i}" for i in range(count)], axis=0, num_outputs=count)], ["y0"])
    if kind == 2:
        row = node("Relu", ["x"], ["y"])
        row.attribute.extend(helper.make_attribute(f"a{i}", i) for i in range(30 * count))
        return model([row], ["y"])
    if kind == 3:
        return model([node("Transpose", ["x"], ["y"], perm=[*range(count)])], ["y"], [f"n{i}" for i in range(count)])
    if kind == 4:
        rows = [
            node(r.choice(["Relu", "Shape", "Exp"]), [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(5 * count)
        ]
        return model(rows, [f"v{5 * count}"])
    rows = [node("Sum", ["x"] * count, ["y"]), node("Expand", ["y", "k"], ["z"])]
    return model(rows, ["z"], constants={"k": [1] * count})


def contradictory(r: Random) -> onnx.ModelProto:
    """Declared types, shapes and elements that speak against each other."""
    proto = model(some_nodes(r, 6, ["x", "k", "j"]), ["t5", "t3", "x"], constants={"k": [2, 3], "j": 0})
    for name in ("t0", "t1", "t2", "x", "k"):
        proto.graph.value_info.append(
            helper.make_tensor_value_info(name, r.randint(0, 23), [r.choice(["n", 5, None])] * r.randint(0, 4))
        )
    k = proto.graph.initializer[0]
    k.data_type = r.choice([0, 1, 6, 7, 8, 9, 10, 14, 16, 23, 99, -1])
    k.dims.append(r.choice(SIZES))
    return proto


KINDS: tuple[Callable[[Random], onnx.ModelProto], ...] = (
    growing_functions, formulas, nested, huge, loops, wide, contradictory,
)  # fmt: skip


def failure(seed: int, folder: Path) -> str:
    """What is wrong with the answer about a hostile model; "" where nothing is."""
    r = Random(f"hostile {seed}")
    kind = KINDS[seed % len(KINDS)]
    path = folder / "hostile.onnx"
    path.write_bytes(kind(r).SerializeToString())
    verb = r.choice(["check", "check", "bounds", "explain", "tighten", "encode", "repro"])
    line = [verb, str(path), "--timeout", str(TIMEOUT), "--no-config"]
    line += ["-o", str(folder / "out")] if verb in ("tighten", "encode", "repro") else []
    line += ["--html", str(folder / "out.html")] if verb == "check" and r.random() < 0.3 else []
    line += ["--certify"] if verb == "check" and r.random() < 0.2 else []
    said = answer_of(line)
    return said and f"seed {seed}, {kind.__name__}: {' '.join(line)}\n  {said}"


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    until = time.monotonic() + (float(sys.argv[3]) if len(sys.argv) > 3 else 1e9)
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(first, first + count):
            wrong = failure(number, Path(temporary))
            if wrong:
                print(wrong, flush=True)
            if time.monotonic() > until:
                print("stopped at", number)
                break
