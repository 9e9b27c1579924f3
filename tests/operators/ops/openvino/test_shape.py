"""OpenVINO's operators on shapes, and sizes computed with, against its own execution, over all small sizes."""

from __future__ import annotations

import numpy as np
import pytest

import shapesmt

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from openvino import Model, opset15 as op, opset16

from tests.support import openvino as oracle
from tests.support.openvino_values import ints, scalar, zeros

SHAPES = {
    "reshape": (lambda x: op.reshape(x, ints(2, -1), False), ["[1..4,1..3]"]),
    "reshape_copy": (lambda x: op.reshape(x, ints(0, 3, -1), True), ["[1..4,1..6]"]),
    "reshape_all": (lambda x: op.reshape(x, ints(4, 3), True), ["[1..4,1..6]"]),
    "reshape_zero": (lambda x: op.reshape(x, ints(0, 3), False), ["[0..2,1..2]"]),
    "reshape_scalar": (lambda x: op.reshape(x, op.constant(np.zeros(0, np.int64)), False), ["[1..2,1..2]"]),
    "squeeze": (lambda x: op.squeeze(x, ints(0, -1)), ["[1,1..3,2..3]"]),
    "squeeze_all": (lambda x: op.squeeze(x), ["[1,2..3,1]"]),
    "squeeze_one": (lambda x: op.squeeze(x, scalar(1)), ["[1..2,1,1..2]"]),
    "unsqueeze": (lambda x: op.unsqueeze(x, ints(0, -1)), ["[1..2,3]"]),
    "unsqueeze_one": (lambda x: op.unsqueeze(x, scalar(1)), ["[1..2,3]"]),
    "transpose": (lambda x: op.transpose(x, ints(2, 0, 1)), ["[1..2,3,1..2]"]),
    "transpose_all": (lambda x: op.transpose(x, op.constant(np.zeros(0, np.int64))), ["[1..2,3,1..2]"]),
    "broadcast": (lambda x: op.broadcast(x, ints(2, 3, 2)), ["[1..3,1..3]"]),
    "broadcast_both": (lambda x: op.broadcast(x, ints(1, 3), broadcast_spec="BIDIRECTIONAL"), ["[2,1..3,1..3]"]),
    "broadcast_at": (lambda x: op.broadcast(x, ints(2, 3, 4), ints(0, 1), "EXPLICIT"), ["[1..3,1..3]"]),
    "tile": (lambda x: op.tile(x, ints(2, 1, 3)), ["[1..2,0..2]"]),
    "tile_short": (lambda x: op.tile(x, ints(3)), ["[1..2,0..2]"]),
    "one_hot": (lambda x: op.one_hot(op.convert(x, "i32"), scalar(4), scalar(1), scalar(0), -1), ["[1..3,2]"]),
    "eye": (lambda x: op.add(op.eye(scalar(2), scalar(3), scalar(0), "f32"), op.reduce_sum(x, ints(0))), ["[1..2]"]),
    "non_zero": (op.non_zero, ["[1..3,2]"]),
    "einsum": (lambda x, y: op.einsum([x, y], "ij,jk->ik"), ["[1..2,1..3]", "[1..3,2]"]),
    "concat": (lambda x, y: op.concat([x, y], -2), ["[1..3,1..2]", "[2,1..2]"]),
    "concat_of_empty": (lambda x, y: op.concat([x, y], 1), ["[0..2,2]", "[0..2,0..2]"]),
    "split": (lambda x: op.split(x, scalar(1), 2), ["[2,1..5]"]),
    "variadic_split": (lambda x: op.variadic_split(x, scalar(-1), ints(1, -1, 2)), ["[2,3..5]"]),
    "variadic_split_all": (lambda x: op.variadic_split(x, scalar(0), ints(1, 3)), ["[1..5,2]"]),
    "pad": (lambda x: op.pad(x, ints(1, 0), ints(0, 2), "constant"), ["[0..3,1..2]"]),
    "pad_edge": (lambda x: op.pad(x, ints(1, 0), ints(0, 2), "edge"), ["[1..3,1..2]"]),
    "pad_reflect": (lambda x: op.pad(x, ints(2, 0), ints(0, 1), "reflect"), ["[1..4,1..2]"]),
    "pad_symmetric": (lambda x: op.pad(x, ints(2, 0), ints(0, 1), "symmetric"), ["[1..4,1..2]"]),
    "pad_crop": (lambda x: op.pad(x, ints(-1, 0), ints(0, 2), "constant"), ["[1..4,1..2]"]),
    "shuffle_channels": (lambda x: op.shuffle_channels(x, 1, 2), ["[1..2,1..4,2]"]),
    "depth_to_space": (lambda x: op.depth_to_space(x, "blocks_first", 2), ["[1..2,1..8,1,2]"]),
    "space_to_depth": (lambda x: op.space_to_depth(x, "blocks_first", 2), ["[1,1..2,1..4,2]"]),
    "batch_to_space": (
        lambda x: op.batch_to_space(x, ints(1, 2, 2), ints(0, 1, 0), ints(0, 0, 1)),
        ["[1..8,1..2,1..2]"],
    ),
    "space_to_batch": (
        lambda x: op.space_to_batch(x, ints(1, 2, 2), ints(0, 1, 0), ints(0, 0, 1)),
        ["[1..2,1..3,1..3]"],
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, agree):
    build, shapes = SHAPES[name]
    agree(build, *shapes)


RANGES = [(0.9, 10.3, 1.7, "i32"), (0.9, 10.3, 1.7, "f32"), (5.5, -5.5, -2.5, "i64"), (0, 6, 2, "f32")]


@pytest.mark.parametrize(("start", "stop", "step", "dtype"), RANGES)
def test_ends_of_a_range_are_of_its_type(start, stop, step, dtype, agree):
    ends = [scalar(v, np.float32) for v in (start, stop, step)]
    agree(lambda x: op.add(op.convert(op.range(*ends, dtype), "f32"), op.reduce_sum(x, ints(0))), "[1..2]")


def test_zeros_copy_sizes(agree):
    agree(lambda x: op.reshape(x, ints(2, 0, 2, -1), True), "[2,1..3,1..4]")
    agree(lambda x: op.reshape(x, ints(0, -1, 4), True), "[0..2,1..3,1..4]")
    agree(lambda x: op.reshape(x, ints(0, 0, 1), True), "[1..2,1..3]")


def test_nothing_checks_sizes_beside_a_copied_one(tmp_path):
    path = oracle.saved(oracle.made(lambda x: op.reshape(x, ints(2, 0, 2, 8), True), "[2,4,4]"), tmp_path)
    assert [(f.verdict.value, f.kind) for f in shapesmt.check(path).findings] == [("UNKNOWN", "elements")]


def test_sizes_are_computed_with(agree):
    def build(x):
        sizes = op.shape_of(x)
        half = op.divide(op.gather(sizes, ints(1), scalar(0)), ints(2))
        rows = op.range(scalar(0), op.squeeze(half), scalar(1), "i64")
        ends = op.concat([op.strided_slice(sizes, ints(0), ints(1), ints(1), [0], [0]), ints(-1)], 0)
        return [op.reshape(x, ends, False), op.tile(x, op.concat([half, ints(1)], 0)), rows]

    agree(build, "[1..3,1..5]")


@pytest.mark.parametrize("name", ["clamp", "relu", "identity", "round"])
def test_elements_that_change_are_not_the_old_ones(name, agree):
    changed = {
        "clamp": lambda x: op.clamp(x, 2.0, 3.0),
        "relu": op.relu,
        "identity": opset16.identity,
        "round": lambda x: op.round(x, "half_to_even"),
    }[name]

    def build(x):
        sizes = op.convert(changed(op.convert(op.shape_of(x), "f32")), "i64")
        return op.broadcast(zeros(1), sizes)

    agree(build, "[1..4,1..3]")


def squeezed_where_one(x):
    """The first axis goes where its size is 1."""
    size = op.gather(op.shape_of(x), np.array(0), np.array(0))
    sides = []
    for squeezes in (True, False):
        inner = op.parameter([-1, -1], np.float32)
        made = op.squeeze(inner, np.array([0])) if squeezes else op.relu(inner)
        sides.append((Model([op.result(made)], [inner]), inner))
    node = op.if_op(op.equal(size, np.array(1, np.int64)).output(0))
    node.set_then_body(sides[0][0])
    node.set_else_body(sides[1][0])
    node.set_input(x.output(0), sides[0][1], sides[1][1])
    node.set_output(sides[0][0].results[0], sides[1][0].results[0])
    return [node.output(0)]


def test_ranks_that_sizes_decide(agree):
    agree(op.squeeze, "[1..3,1,1..2]")
    agree(lambda x: op.transpose(op.squeeze(x), np.array([1, 0])), "[1..3,1,1..2]")
    agree(squeezed_where_one, "[1..3,1..2]")
