"""TensorFlow's quantized numbers, recurrent blocks, assertions and the like against its own execution."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import ints, named

raw = tf.raw_ops


def quantized(x, low, high, axis=-1):
    """Numbers quantized and back, and the ends of their range."""
    made = raw.QuantizeV2(input=x, min_range=low, max_range=high, T=tf.quint8, axis=axis)
    return [raw.Dequantize(input=made[0], min_range=made[1], max_range=made[2], axis=axis), *made[1:]]


def test_quantized_numbers(agree):
    agree(lambda x: quantized(x, 0.0, 1.0), "0..2,1..2")
    for size in (1, 3):
        agree(lambda x, y: quantized(x, y - 1, y, axis=1), f"1..2,{size}", "1..3")
    both, each = raw.QuantizeAndDequantizeV2, raw.QuantizeAndDequantizeV3
    agree(lambda x: both(input=x, input_min=0.0, input_max=1.0, range_given=True), "0..2,1..3")
    agree(lambda x, y: each(input=x, input_min=y - 1, input_max=y, num_bits=8, axis=1), "1..2,1..3", "1..3")


def test_recurrent_blocks(agree):
    def block(x, s, w, b):
        p = tf.zeros([2])
        return raw.BlockLSTMV2(
            seq_len_max=tf.cast(tf.shape(x)[0], tf.int64), x=x, cs_prev=s, h_prev=s, w=w, wci=p, wcf=p, wco=p, b=b
        )

    agree(block, "1..2,1..2,1..3", "1..2,2", "4..5,8", "8")

    def cell(x, s, w):
        p = w[0, :2]
        return raw.LSTMBlockCell(x=x, cs_prev=s, h_prev=s, w=w, wci=p, wcf=p, wco=p, b=w[0])

    agree(cell, "1..2,1..3", "1..2,2", "4..5,8")
    agree(named("GRUBlockCell"), "1..2,1..3", "1..2,2", "4,4", "4,1..2", "3..4", "2")


def test_sound(agree):
    agree(lambda x: raw.AudioSpectrogram(input=x, window_size=5, stride=2), "2..9,1..2")
    agree(lambda x: raw.Mfcc(spectrogram=x, sample_rate=16000), "1..2,0..2,129")


PARTS = {
    "partition": (
        lambda x: raw.DynamicPartition(data=x, partitions=ints(0, 1, 0, dtype=tf.int32), num_partitions=2),
        ["2..4,0..2"],
    ),
    "stitch": (
        lambda x, y: raw.DynamicStitch(indices=[[0, 2], [1]], data=[x, y]),
        ["1..3,1..2", "1,1..2"],
    ),
    "stitch_by_data": (
        lambda x, y: raw.DynamicStitch(indices=[tf.range(tf.shape(x)[0]), tf.cast(y, tf.int32)], data=[x, y]),
        ["1..3", "1..2"],
    ),
    "beta": (named("Betainc"), ["1..2,2", "", "1..2,1..2"]),
    "empty": (lambda x: tf.shape(raw.Empty(shape=[tf.shape(x)[0] - 1, 2], dtype=tf.float32)), ["0..2"]),
    "sparse_segments": (
        lambda x: raw.SparseSegmentSum(data=x, indices=[0, 2], segment_ids=[0, 1]),
        ["1..4,0..2"],
    ),
    "eigenvalues": (lambda x: raw.SelfAdjointEigV2(input=x), ["0..2,1..2,1..3"]),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts(name, agree):
    build, shapes = PARTS[name]
    agree(build, *shapes)


def test_substrings(agree):
    agree(lambda x: raw.Substr(input=x, pos=[0, 0], len=[1, 1]), "0..2,1..3", dtypes=["string"])


def test_boolean_masks(agree):
    agree(lambda x: tf.boolean_mask(x, x[:, 0] > 0), "0..3,1..2")


def test_assertions(agree):
    def build(x, y):
        tf.debugging.assert_equal(tf.shape(x)[0], tf.shape(y)[0])
        tf.debugging.assert_less(tf.shape(x)[0] + 1, 4)
        return x

    agree(build, "1..4", "1..3")


def test_assertions_about_data_are_taken_to_hold(agree):
    def build(x):
        raw.Assert(condition=tf.reduce_all(x > 0), data=[x])
        return x

    agree(build, "1..3")


def test_assertions_about_numbers_that_are_not_followed_are_left_open(agree):
    def build(x):
        size = tf.cast(tf.math.erf(tf.cast(tf.shape(x)[0], tf.float32)), tf.int32)
        raw.Assert(condition=size < 1, data=[x])
        return x

    found = agree(build, "1..3", known=False)
    assert [u.kind for a in found.inference.applications for u in a.unjudged] == ["elements"]
