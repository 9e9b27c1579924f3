"""TensorFlow's operators on shapes against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import ints, length, scalar, zeros

raw = tf.raw_ops

SHAPES = {
    "shape": (lambda x: [raw.Shape(input=x), raw.Shape(input=x, out_type=tf.int64)], ["0..2,3,1..2"]),
    "shape_n": (lambda x, y: raw.ShapeN(input=[x, y], out_type=tf.int64), ["0..2,3", "1..2"]),
    "size": (lambda x: [raw.Size(input=x), raw.Size(input=x, out_type=tf.int64), raw.Rank(input=x)], ["0..2,1..2"]),
    "reshape": (lambda x: raw.Reshape(tensor=x, shape=ints(2, -1)), ["0..4,0..3"]),
    "reshape_zero": (lambda x: raw.Reshape(tensor=x, shape=ints(0, 3)), ["0..2,0..2"]),
    "reshape_zero_rest": (lambda x: raw.Reshape(tensor=x, shape=ints(0, -1)), ["0..2,0..2"]),
    "reshape_sizes": (lambda x: raw.Reshape(tensor=x, shape=[length(x), length(x, 1), 1]), ["0..3,0..3"]),
    "reshape_rest": (lambda x: raw.Reshape(tensor=x, shape=[length(x), -1]), ["0..3,0..2,0..2"]),
    "reshape_halves": (lambda x: raw.Reshape(tensor=x, shape=[length(x) // 2, -1, 2]), ["0..5,1..3"]),
    "reshape_perhaps": (lambda x: raw.Reshape(tensor=x, shape=[length(x) - 2, 2]), ["0..5,1..3"]),
    "reshape_list": (lambda x: raw.Reshape(tensor=x, shape=ints(2, 2, 1)), ["1..4,1..4"]),
    "reshape_scalar": (lambda x: raw.Reshape(tensor=x, shape=ints(dtype=tf.int32)), ["0..2,1..2"]),
    "expand": (lambda x: raw.ExpandDims(input=x, axis=scalar(1)), ["0..2,3"]),
    "expand_last": (lambda x: raw.ExpandDims(input=x, axis=ints(-1)), ["0..2,3"]),
    "expand_outside": (lambda x: raw.ExpandDims(input=x, axis=scalar(-4)), ["0..2,3"]),
    "squeeze": (lambda x: raw.Squeeze(input=x, axis=[0, -1]), ["0..2,1..3,0..2"]),
    "squeeze_all": (lambda x: raw.Squeeze(input=x), ["1,2..3,1"]),
    "transpose": (lambda x: raw.Transpose(x=x, perm=ints(2, 0, 1)), ["0..2,3,1..2"]),
    "transpose_short": (lambda x: raw.Transpose(x=x, perm=ints(1, 0)), ["0..2,3,1..2"]),
    "transpose_twice": (lambda x: raw.Transpose(x=x, perm=ints(1, 1)), ["0..2,1..2"]),
    "invert": (lambda x: raw.Transpose(x=x, perm=raw.InvertPermutation(x=ints(2, 0, 1))), ["0..2,3,1..2"]),
    "permute": (lambda x: raw.DataFormatVecPermute(x=tf.shape(x)), ["0..1,0..2,1..2,0..2"]),
    "ensure": (lambda x: raw.EnsureShape(input=x, shape=[2, None]), ["0..3,1..2"]),
    "ensure_rank": (lambda x: raw.EnsureShape(input=x, shape=[2]), ["2"]),
    "fill": (lambda x: raw.Fill(dims=[length(x), 2], value=scalar(7)), ["0..3"]),
    "fill_less": (lambda x: raw.Fill(dims=[length(x) - 1, 2], value=scalar(7)), ["0..3"]),
    "alike": (lambda x: [raw.ZerosLike(x=tf.shape(x)), raw.OnesLike(x=x), tf.ones_like(x, tf.bool)], ["0..3"]),
    "range": (lambda x: raw.Range(start=scalar(1), limit=length(x), delta=scalar(2)), ["0..6"]),
    "range_back": (lambda x: raw.Range(start=length(x), limit=scalar(1), delta=scalar(-2)), ["0..6"]),
    "range_step": (lambda x: raw.Range(start=scalar(0), limit=scalar(4), delta=length(x) - 1), ["0..3"]),
    "range_floats": (
        lambda x: raw.Range(start=0.5, limit=tf.cast(length(x), tf.float32), delta=0.5),
        ["0..3"],
    ),
    "linspace": (lambda x: raw.LinSpace(start=0.0, stop=1.0, num=length(x)), ["0..3"]),
    "tile": (lambda x: raw.Tile(input=x, multiples=ints(2, 0)), ["0..2,0..2"]),
    "tile_sizes": (lambda x: raw.Tile(input=x, multiples=[length(x) - 1, 1]), ["0..3,2"]),
    "tile_short": (lambda x: raw.Tile(input=x, multiples=ints(2)), ["0..2,0..2"]),
    "broadcast": (lambda x: raw.BroadcastTo(input=x, shape=ints(2, 3, 2)), ["1..3,0..3"]),
    "broadcast_empty": (lambda x: raw.BroadcastTo(input=x, shape=ints(0, 3, 2)), ["1..3,0..3"]),
    "broadcast_short": (lambda x: raw.BroadcastTo(input=x, shape=ints(2)), ["1..3,0..3"]),
    "broadcast_sizes": (lambda x, y: raw.BroadcastTo(input=x, shape=tf.shape(y)), ["0..3", "0..2,0..3"]),
    "broadcast_args": (lambda x, y: raw.BroadcastArgs(s0=tf.shape(x), s1=tf.shape(y)), ["0..3", "0..2,0..3"]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, agree):
    build, shapes = SHAPES[name]
    agree(build, *shapes)


def test_squeezes_of_what_may_be_one(agree):
    agree(lambda x: raw.Squeeze(input=x), "1..2,1", known=False)


def test_sizes_are_computed_with(agree):
    def build(x):
        sizes = tf.shape(x)
        half = sizes[1] // 2
        return [tf.reshape(x, [sizes[0], -1]), tf.fill([half, sizes[0]], 1.0), tf.range(half), zeros(2, 2)[:half]]

    agree(build, "1..3,0..5,2")


def test_values_of_ranges(agree):
    agree(lambda x: ints(2, 1, dtype=tf.int32) * tf.reshape(tf.range(length(x) * 2), [-1, 2]), "0..3")


RANKS = {
    "squeeze": tf.squeeze,
    "squeeze and transpose": lambda x: tf.raw_ops.Transpose(x=tf.squeeze(x), perm=[1, 0]),
    "branches": lambda x: tf.cond(length(x) == 1, lambda: tf.squeeze(x, [0]), lambda: tf.nn.relu(x)),
    "an axis that is chosen": lambda x: tf.expand_dims(x, tf.where(length(x) == 1, 0, 2)),
    "a reduced axis that is chosen": lambda x: tf.reduce_sum(x, tf.where(length(x) == 1, 0, 1)),
    "a shape of few ranks": lambda x: [tf.fill(tf.shape(tf.squeeze(x)), 1.0), tf.reshape(x, tf.shape(tf.squeeze(x)))],
    "a shape of few lengths": lambda x: tf.ones(tf.fill([length(x)], 2)),
}


@pytest.mark.parametrize("name", RANKS)
def test_ranks_that_sizes_decide(agree, name):
    agree(RANKS[name], "1..3,1,1..2")
