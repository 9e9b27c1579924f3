"""TensorFlow's assertions against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import agree

raw = tf.raw_ops


def test_assertions():
    def build(x, y):
        tf.debugging.assert_equal(tf.shape(x)[0], tf.shape(y)[0])
        tf.debugging.assert_less(tf.shape(x)[0] + 1, 4)
        return x

    agree(build, "1..4", "1..3")


def test_assertions_about_data_are_taken_to_hold():
    def build(x):
        raw.Assert(condition=tf.reduce_all(x > 0), data=[x])
        return x

    agree(build, "1..3")


def test_assertions_about_numbers_that_are_not_followed_are_left_open():
    def build(x):
        size = tf.cast(tf.math.erf(tf.cast(tf.shape(x)[0], tf.float32)), tf.int32)
        raw.Assert(condition=size < 1, data=[x])
        return x

    found = agree(build, "1..3", known=False)
    assert [u.kind for a in found.inference.applications for u in a.unjudged] == ["elements"]
