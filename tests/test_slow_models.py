"""Models built to be slow: an answer or one line, in time, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

import shapesmt
from tests.support.hang import PATIENCE, processor_time
from tests.support.hostile import assert_refused, model

SOON = 1.5  # seconds that it may take where nothing but the time is asked
LATE = 15  # seconds of processor time that it may take beyond that


def assert_answered(path: Path, *options: str, verbs: tuple[str, ...] = ("check", "bounds")) -> None:
    """In a process of its own, which is killed when it hangs: an answer or one line, and nothing else."""
    before = set(path.parent.iterdir())
    for verb in verbs:
        command = [sys.executable, "-X", "faulthandler", "-m", "shapesmt", verb, str(path), *options]
        command += [] if verb == "ops" else ["--timeout", str(SOON)]
        began = processor_time()
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=path.parent)
        assert processor_time() - began < SOON + LATE, f"{verb} ran past its timeout"
        assert "Traceback" not in ran.stderr + ran.stdout, ran.stderr[-2000:]
        assert ran.returncode in (0, 1, 2, 3), f"{verb}: {ran.returncode} {ran.stderr[-500:]}"
        if ran.returncode == 2:
            assert_refused(ran.returncode, ran.stdout, ran.stderr)
        else:
            assert ran.stdout
    assert set(path.parent.iterdir()) == before


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(Path(shapesmt.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))


def shape_chain(steps: int, *operators: str) -> onnx.ModelProto:
    """One size of the input, put through operator after operator with itself, a constant or an earlier value."""
    nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Gather", ["s", "zero"], ["v0"], axis=0)]
    for k in range(steps):
        op = operators[k % len(operators)]
        other = f"v{k}" if op in ("Mul", "Add") else "two" if op == "Div" else f"v{max(0, k - 3)}"
        nodes.append(helper.make_node(op, [f"v{k}", other], [f"v{k + 1}"]))
    nodes.append(helper.make_node("Concat", [f"v{steps}", "minus"], ["t"], axis=0))
    nodes.append(helper.make_node("Reshape", ["x", "t"], ["y"]))
    return model(nodes, {"x": ["n", "m"]}, ["y"], {"zero": [0], "two": [2], "minus": [-1]})


def deep_if(depth: int) -> onnx.ModelProto:
    """Branches inside branches."""
    branch = helper.make_graph([helper.make_node("Relu", ["x"], ["r"])], "b", [], [onnx.ValueInfoProto(name="r")])
    for level in range(depth):
        node = helper.make_node(
            "If", ["c"], [f"y{level}"], then_branch=branch, else_branch=branch if level < 1 else _leaf()
        )
        branch = helper.make_graph([node], "b", [], [onnx.ValueInfoProto(name=f"y{level}")])
    graph = helper.make_graph(
        list(branch.node),
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"]),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        ],
        list(branch.output),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def _leaf() -> onnx.GraphProto:
    return helper.make_graph([helper.make_node("Relu", ["x"], ["l"])], "l", [], [onnx.ValueInfoProto(name="l")])


def recursive() -> onnx.ModelProto:
    """A function that calls itself."""
    proto = model([helper.make_node("F", ["x"], ["y"], domain="me")], {"x": ["n"]}, ["y"])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("me", 1)]
    call = helper.make_node("F", ["a"], ["b"], domain="me")
    proto.functions.append(helper.make_function("me", "F", ["a"], ["b"], [call], opsets))
    proto.opset_import.append(opsets[1])
    return proto


def exploding() -> onnx.ModelProto:
    """Functions that each call the next one twice: 2^40 nodes when written out."""
    proto = model([helper.make_node("F0", ["x"], ["y"], domain="me")], {"x": ["n"]}, ["y"])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("me", 1)]
    for k in range(40):
        calls = [
            helper.make_node(f"F{k + 1}", ["a"], ["t"], domain="me"),
            helper.make_node(f"F{k + 1}", ["t"], ["b"], domain="me"),
        ]
        body = calls if k < 39 else [helper.make_node("Relu", ["a"], ["b"])]
        proto.functions.append(helper.make_function("me", f"F{k}", ["a"], ["b"], body, opsets))
    proto.opset_import.append(opsets[1])
    return proto


def sums(count: int) -> onnx.ModelProto:
    """Concatenations that double each time, of many symbols."""
    names = [f"n{k}" for k in range(count)]
    nodes = [helper.make_node("Concat", [f"x{k}", f"c{k - 1}" if k else "x0"], [f"c{k}"], axis=0) for k in range(count)]
    nodes.append(helper.make_node("MatMul", [f"c{count - 1}", f"c{count - 1}"], ["y"]))
    return model(nodes, {f"x{k}": [name, 4] for k, name in enumerate(names)}, ["y"])


def unsettled(count: int) -> onnx.ModelProto:
    """Many nonlinear requirements over unbounded symbols."""
    nodes = []
    for k in range(count):
        nodes.append(helper.make_node("Reshape", [f"x{k}", "t"], [f"r{k}"]))
        nodes.append(helper.make_node("Add", [f"r{k}", f"x{(k + 1) % count}"], [f"a{k}"]))
    inputs: dict[str, list[int | str | None]] = {f"x{k}": [f"a{k}", f"b{k}", f"c{k}"] for k in range(count)}
    return model(nodes, inputs, [f"a{k}" for k in range(count)], {"t": [-1, 7, 5]})


SLOW = {
    "squares": lambda: shape_chain(10_000, "Mul"),
    "doublings": lambda: shape_chain(10_000, "Add"),
    "maxima and halves": lambda: shape_chain(3000, "Max", "Div"),
    "mixed": lambda: shape_chain(3000, "Mul", "Div", "Max", "Sub", "Min", "Mod"),
    "long": lambda: model(
        [helper.make_node("Relu", [f"x{k}" if k else "x"], [f"x{k + 1}"]) for k in range(20_000)],
        {"x": ["n"]},
        ["x20000"],
    ),
    "deep": lambda: deep_if(12),
    "recursive": recursive,
    "exploding": exploding,
    "sums": lambda: sums(60),
    "unsettled": lambda: unsettled(8),
}


@pytest.mark.parametrize("name", SLOW)
def test_slow_models_are_answered_in_time(name: str, tmp_path: Path) -> None:
    path = tmp_path / "slow.onnx"
    path.write_bytes(SLOW[name]().SerializeToString())
    assert_answered(path)
