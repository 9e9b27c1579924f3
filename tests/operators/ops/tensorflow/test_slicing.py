"""TensorFlow's slices against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import ints, length

raw = tf.raw_ops


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
