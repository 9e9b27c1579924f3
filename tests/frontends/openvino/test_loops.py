"""Loops and branches of OpenVINO's files: those that it writes, and damaged ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import shapesmt
from shapesmt.frontends import load
from tests.support.ir_text import answers, damaged


@pytest.mark.parametrize("name", ["growing_loop", "counted_loop", "backward_iterator"])
def test_mutated_loops(name, seeds, oracle, tmp_path):
    from tests.support import openvino_loops as models

    build, shapes = getattr(models, name), ["[2,1..4,4]", "[1..2,4]"]
    made = (
        oracle.made(build, "[1..3,2]")
        if name == "growing_loop"
        else oracle.made(build(2) if name == "counted_loop" else build, *shapes)
    )
    text = Path(oracle.saved(made, tmp_path)).read_bytes()
    for seed in seeds:
        at = text.index(b"<port_map>")
        changed = damaged(text[at : at + 900], 2 * seed)
        answers(text[:at] + changed + text[at + 900 :], f"{name}, seed {seed}")
    for number in (b"0", b"-1", b"x", b"99999999999999999999", b"\xc2\xb2"):
        for key in (b"axis", b"part_size", b"stride", b"start"):
            answers(re.sub(key + b'="[^"]*"', key + b'="' + number + b'"', text), f"{name}, {key} {number}")


def test_branches(oracle, tmp_path):
    import openvino as ov
    from openvino import opset15 as op

    def build(x, c):
        sides = []
        for grow in (False, True):
            inner = op.parameter(x.get_output_partial_shape(0), ov.Type.f32)
            made = op.concat([inner, inner], 0) if grow else op.relu(inner)
            sides.append((ov.Model([op.result(made)], [inner]), inner))
        node = op.if_op(c)
        node.set_then_body(sides[0][0])
        node.set_else_body(sides[1][0])
        node.set_input(x.output(0), sides[0][1], sides[1][1])
        node.set_output(sides[0][0].results[0], sides[1][0].results[0])
        return [node.output(0)]

    path = oracle.saved(oracle.made(build, "[1..4,2]", "[]", dtypes=["f32", "boolean"]), tmp_path)
    graph = load(path)
    (name,) = graph.outputs
    assert [(d.min, d.max) for d in shapesmt.bounds(path).tensors[name].shape] == [(1, 8), (2, 2)]
    assert shapesmt.check(path).verdict.value == "PROVED"
