"""TensorFlow's operators on shapes, slices and joints against its own execution."""

from __future__ import annotations

from functools import partial

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (an extra) isn't installed")

import tensorflow as tf

from tests.support import tensorflow as oracle
from tests.support.tensorflow import SAMPLED, ints, length, scalar, zeros

raw = tf.raw_ops


@pytest.fixture
def agree(full):
    """The oracle, at a sample of the sizes unless all are asked for."""
    return partial(oracle.agree, most=None if full else SAMPLED)


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


def strided(x, begin, end, strides, **masks):
    return raw.StridedSlice(input=x, begin=begin, end=end, strides=strides, **masks)


PICKS = {
    "slice": (lambda x: raw.Slice(input=x, begin=ints(1, 0), size=ints(2, -1)), ["0..4,0..2"]),
    "slice_sizes": (lambda x: raw.Slice(input=x, begin=[0], size=[length(x) // 2 + 1]), ["0..4"]),
    "slice_begins": (lambda x: raw.Slice(input=x, begin=[length(x) - 2], size=[-1]), ["0..4"]),
    "slice_perhaps": (lambda x: raw.Slice(input=x, begin=[1], size=[length(x) - 2]), ["0..4"]),
    "slice_negative": (lambda x: raw.Slice(input=x, begin=ints(-1), size=ints(1)), ["0..4"]),
    "slice_short": (lambda x: raw.Slice(input=x, begin=ints(1), size=ints(1)), ["0..2,2"]),
    "slice_shape": (lambda x: raw.Slice(input=tf.shape(x), begin=ints(1), size=ints(2)), ["1..2,2..3,0..2"]),
    "strided": (lambda x: strided(x, ints(1, 0), ints(0, 3), ints(1, 2), end_mask=1), ["0..3,0..5"]),
    "strided_back": (lambda x: strided(x, ints(0), ints(0), ints(-1), begin_mask=1, end_mask=1), ["0..3,2"]),
    "strided_back_by_two": (lambda x: strided(x, ints(-1), ints(-4), ints(-2)), ["0..5"]),
    "strided_back_far": (lambda x: strided(x, ints(2), ints(2**31 - 1), ints(-1)), ["0..5"]),
    "strided_mixed": (
        lambda x: strided(
            x,
            ints(0, 0, 0, -1),
            ints(0, 0, 1, 0),
            ints(1, 1, 1, 1),
            ellipsis_mask=2,
            new_axis_mask=1,
            shrink_axis_mask=8,
        ),
        ["0..2,2,0..3,0..2"],
    ),
    "strided_new": (
        lambda x: strided(x, ints(0, 0, 1), ints(0, 0, 3), ints(1, 1, 1), ellipsis_mask=1, new_axis_mask=2),
        ["0..2,0..4"],
    ),
    "strided_new_and_one": (
        lambda x: strided(x, ints(0, 1), ints(0, 2), ints(1, 1), new_axis_mask=1, shrink_axis_mask=3),
        ["0..2,2"],
    ),
    "strided_one": (lambda x: strided(x, ints(2), ints(3), ints(1), shrink_axis_mask=1), ["0..4,2"]),
    "strided_one_masked": (
        lambda x: strided(x, ints(1), ints(0), ints(1), shrink_axis_mask=1, begin_mask=1, end_mask=1),
        ["0..3,2"],
    ),
    "strided_one_back": (lambda x: strided(x, ints(1), ints(0), ints(-1), shrink_axis_mask=1), ["0..3,2"]),
    "strided_one_negative": (lambda x: strided(x, ints(-2), ints(0), ints(1), shrink_axis_mask=1), ["0..4,2"]),
    "strided_two_ellipses": (lambda x: strided(x, ints(0, 0), ints(0, 0), ints(1, 1), ellipsis_mask=3), ["0..2,2"]),
    "strided_beyond": (lambda x: strided(x, ints(0, 0), ints(1, 1), ints(1, 1)), ["0..2"]),
    "strided_still": (lambda x: strided(x, ints(0), ints(1), ints(0)), ["0..2"]),
    "strided_sizes": (lambda x: x[length(x) - 3 : length(x) - 1], ["0..5"]),
    "strided_at_size": (lambda x, y: x[length(y) - 2], ["0..3,2", "0..4"]),
    "strided_steps": (
        lambda x, y: strided(x, ints(0, dtype=tf.int32), ints(9, dtype=tf.int32), [length(y)]),
        ["0..5", "0..3"],
    ),
    "strided_shape": (
        lambda x: [tf.shape(x)[1:], tf.shape(x)[::-1], tf.shape(x)[-1], tf.shape(x)[..., tf.newaxis]],
        ["0..2,2,1..3"],
    ),
}


@pytest.mark.parametrize("name", PICKS)
def test_slices(name, agree):
    build, shapes = PICKS[name]
    agree(build, *shapes)


JOINTS = {
    "concat": (lambda x, y: raw.ConcatV2(values=[x, y], axis=scalar(-2)), ["0..3,0..2", "2,0..2"]),
    "concat_old": (lambda x, y: raw.Concat(concat_dim=scalar(0), values=[x, y]), ["0..3,0..2", "0..2,0..2"]),
    "concat_shapes": (lambda x, y: tf.concat([tf.shape(x), [1], tf.shape(y)], 0), ["0..3,0..2", "0..2"]),
    "concat_ranks": (lambda x, y: raw.ConcatV2(values=[x, y], axis=scalar(0)), ["0..1,2", "0..1"]),
    "concat_outside": (lambda x, y: raw.ConcatV2(values=[x, y], axis=scalar(2)), ["0..1,2", "0..1,2"]),
    "concat_scalars": (lambda x, y: raw.ConcatV2(values=[x, y], axis=scalar(0)), ["", ""]),
    "pack": (lambda x, y: raw.Pack(values=[x, y], axis=1), ["0..2,0..2", "0..2,2"]),
    "pack_last": (lambda x, y: raw.Pack(values=[x, y], axis=-1), ["0..2", "0..2"]),
    "pack_outside": (lambda x, y: raw.Pack(values=[x, y], axis=2), ["0..2", "0..2"]),
    "pack_sizes": (lambda x: raw.Pack(values=[length(x), 3, length(x, 1)]), ["0..2,0..2"]),
    "pack_lists": (lambda x: raw.Pack(values=[tf.shape(x), tf.shape(x) + 1], axis=1), ["0..2,0..2"]),
    "unpack": (lambda x: raw.Unpack(value=x, num=2, axis=-1), ["0..2,0..3"]),
    "unpack_shape": (lambda x: raw.Unpack(value=tf.shape(x), num=3), ["0..2,2,0..3"]),
    "split": (lambda x: raw.Split(axis=scalar(-1), value=x, num_split=2), ["0..2,0..5"]),
    "split_shape": (lambda x: raw.Split(axis=scalar(0), value=tf.shape(x), num_split=2), ["0..2,0..5"]),
    "split_v": (lambda x: raw.SplitV(value=x, size_splits=ints(1, -1, 2), axis=scalar(-1), num_split=3), ["0..2,0..5"]),
    "split_v_all": (lambda x: raw.SplitV(value=x, size_splits=ints(1, 3), axis=scalar(0), num_split=2), ["0..5,0..1"]),
    "split_v_one": (lambda x: raw.SplitV(value=x, size_splits=ints(3), axis=scalar(0), num_split=1), ["0..5,0..1"]),
    "split_v_none": (lambda x: raw.SplitV(value=x, size_splits=ints(-1, -1), axis=scalar(0), num_split=2), ["0..2"]),
    "split_v_negative": (lambda x: raw.SplitV(value=x, size_splits=ints(-2, 3), axis=scalar(0), num_split=2), ["0..2"]),
    "split_v_sizes": (
        lambda x: raw.SplitV(value=x, size_splits=[length(x) // 2, -1], axis=scalar(0), num_split=2),
        ["0..4"],
    ),
    "pad": (lambda x: raw.Pad(input=x, paddings=tf.constant([[1, 0], [0, 2]])), ["0..3,0..2"]),
    "pad_v2": (
        lambda x: raw.PadV2(input=x, paddings=tf.constant([[1, 0], [0, 2]]), constant_values=1.0),
        ["0..3,0..2"],
    ),
    "pad_negative": (lambda x: raw.Pad(input=x, paddings=[[length(x) - 2, 0], [0, 2]]), ["0..3,0..2"]),
    "pad_sizes": (lambda x: raw.Pad(input=x, paddings=[[length(x) - 1, 1]]), ["0..3"]),
    "pad_short": (lambda x: raw.Pad(input=x, paddings=tf.constant([[1, 0]])), ["0..3,0..2"]),
    "pad_scalar": (lambda x: raw.Pad(input=x, paddings=tf.zeros([0, 2], tf.int32)), [""]),
    "pad_shape": (lambda x: raw.Pad(input=tf.shape(x), paddings=tf.constant([[1, 2]])), ["0..3,0..2"]),
    "pad_reflect": (
        lambda x: raw.MirrorPad(input=x, paddings=tf.constant([[2, 0], [0, 1]]), mode="REFLECT"),
        ["0..4,0..3"],
    ),
    "pad_symmetric": (
        lambda x: raw.MirrorPad(input=x, paddings=tf.constant([[2, 0], [0, 1]]), mode="SYMMETRIC"),
        ["0..4,0..3"],
    ),
    "pad_nothing": (lambda x: raw.MirrorPad(input=x, paddings=tf.constant([[0, 0]]), mode="REFLECT"), ["0..2"]),
    "reverse": (lambda x: raw.ReverseV2(tensor=x, axis=ints(0, -1)), ["0..2,0..2"]),
    "reverse_twice": (lambda x: raw.ReverseV2(tensor=x, axis=ints(1, -1)), ["1..2,1..2"]),
    "reverse_shape": (lambda x: raw.ReverseV2(tensor=tf.shape(x), axis=ints(0)), ["0..2,0..2"]),
    "reverse_none": (lambda x: raw.ReverseV2(tensor=x, axis=ints()), ["0..2,0..2"]),
    "reverse_flags": (lambda x: raw.Reverse(tensor=x, dims=tf.constant([True, False])), ["0..2,0..2"]),
    "reverse_sequence": (
        lambda x: raw.ReverseSequence(input=x, seq_lengths=ints(1, 2), seq_dim=1, batch_dim=0),
        ["0..3,0..3,0..2"],
    ),
    "roll": (lambda x: raw.Roll(input=x, shift=ints(1, 5), axis=ints(1, 0)), ["0..2,0..2"]),
    "roll_one": (lambda x: raw.Roll(input=x, shift=scalar(1), axis=scalar(-1)), ["0..2,0..2"]),
    "depth_to_space": (lambda x: raw.DepthToSpace(input=x, block_size=2), ["0..2,0..2,1,0..8"]),
    "space_to_depth": (lambda x: raw.SpaceToDepth(input=x, block_size=2), ["0..1,0..4,0..4,0..1"]),
    "space_to_batch": (
        lambda x: raw.SpaceToBatchND(input=x, block_shape=ints(2, 3), paddings=tf.constant([[0, 1], [1, 0]])),
        ["0..2,0..3,0..3,2"],
    ),
    "space_to_batch_old": (
        lambda x: raw.SpaceToBatch(input=x, block_size=2, paddings=tf.constant([[0, 1], [1, 0]])),
        ["0..2,0..3,0..3,1"],
    ),
    "batch_to_space": (
        lambda x: raw.BatchToSpaceND(input=x, block_shape=ints(2, 2), crops=tf.constant([[0, 1], [1, 2]])),
        ["0..8,0..2,0..2"],
    ),
    "batch_to_space_old": (
        lambda x: raw.BatchToSpace(input=x, block_size=2, crops=tf.constant([[0, 1], [1, 0]])),
        ["0..8,0..2,0..2,1"],
    ),
}


@pytest.mark.parametrize("name", JOINTS)
def test_joints(name, agree):
    build, shapes = JOINTS[name]
    agree(build, *shapes)


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
