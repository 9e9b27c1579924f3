"""TensorFlow's joints, splits and pads against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import ints, length, scalar

raw = tf.raw_ops

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
