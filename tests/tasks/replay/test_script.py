"""Scripts: they read well, hold whatever a node can hold, and names in them stay text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import shapesmt
from tests.tasks.replay.test_reproduce import ADD, ran


def test_it_reads_well() -> None:
    script = shapesmt.repro(ADD.encode())
    assert script is not None
    assert script.startswith("# A failure of <bytes>, cut down to the node and what leads to it;")
    assert "    'x': ('float32', ('n', 3), (2, 3), 1),\n" in script
    assert "    helper.make_node('Add', ['a', 'y'], ['z'], name='plus'),\n" in script
    assert "#   required: broadcast sizes are equal or 1; more: shapesmt explain SM101\n" in script
    assert max(map(len, script.splitlines())) <= 120


def test_everything_that_a_node_can_hold(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["":18, "local":1]>
        g (bool c, float[n, 3] x, float[m, 3] y) => (float[k, 3] z) {
            big = Constant <value = float[3] {1.0, 2.5, -3.0}> ()
            p = Pad <mode: string = "edge"> (x, pads)
            f = local.Scaled <by: float = 0.5> (p)
            s = If (c) <then_branch = t () => (float[a, 3] p1) { p1 = Mul(f, big) },
                        else_branch = e () => (float[a, 3] p2) { p2 = Identity(f) }>
            [plus] z = Add(s, y) }
        <domain: "local", opset_import: ["":18]> Scaled <by> (a) => (b) {
            w = Constant <value_float: float = @by> () b = Mul(a, w) }"""
    model = onnx.parser.parse_model(text)
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(4, np.int64), "pads"))
    script = shapesmt.repro(model, dims={"n": "2..3", "m": "2..3"})
    assert script is not None
    done = ran(script, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


HOSTILE = '\'); raise SystemExit(3) #"""\n\u2028\x1b[2J\\ {x} 深い'


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    x, y, z = (f"{name}{HOSTILE}" for name in "xyz")
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [f"{name} size"]) for name in (x, y)]
    node = helper.make_node("Add", [x, y], [z], name=HOSTILE)
    graph = helper.make_graph([node], HOSTILE, inputs, [helper.make_empty_tensor_value_info(z)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    script = shapesmt.repro(model)
    assert script is not None
    done = ran(script, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\x1b" not in script + done.stdout.splitlines()[0]
