"""TensorFlow's reductions against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import ints, named, scalar

raw = tf.raw_ops


@pytest.mark.parametrize("name", ["Max", "Mean", "Min", "Prod", "Sum", "EuclideanNorm"])
def test_folds(name, agree):
    fold = named(name)
    agree(lambda x: fold(x, ints(0, -1), keep_dims=True), "0..2,0..3,2")
    agree(lambda x: [fold(x, scalar(1)), fold(x, ints()), fold(x, tf.range(3))], "0..2,0..3,2")
    agree(lambda x: fold(x, ints(3)), "0..2,0..3,2")
    agree(lambda x: fold(x, ints(0, 0)), "0..2,0..3,2")


def test_folds_of_truths(agree):
    agree(lambda x: [raw.All(input=x, axis=ints(1)), raw.Any(input=x, axis=ints(0))], "0..2,0..3", dtypes=["bool"])


def test_folds_of_sizes(agree):
    agree(
        lambda x: [raw.Prod(input=tf.shape(x), axis=ints(0)), raw.Max(input=tf.shape(x)[1:], axis=ints(0))],
        "0..3,0..3,2",
    )


def test_running(agree):
    agree(lambda x: [raw.Cumsum(x=x, axis=scalar(-1), exclusive=True), raw.Cumprod(x=x, axis=scalar(0))], "0..2,0..3")
    agree(
        lambda x: [raw.Cumsum(x=tf.shape(x), axis=scalar(0)), raw.Cumprod(x=tf.shape(x), axis=scalar(0))], "0..2,0..3"
    )
    agree(lambda x: raw.Cumsum(x=x, axis=scalar(2)), "0..2,0..3")
    agree(lambda x: raw.Cumsum(x=x, axis=tf.shape(x)[0]), "0..2,0..3")
    agree(lambda x: raw.CumulativeLogsumexp(x=x, axis=scalar(1)), "0..2,0..3")


def test_extremes(agree):
    agree(
        lambda x: [
            raw.ArgMax(input=x, dimension=scalar(1)),
            raw.ArgMin(input=x, dimension=scalar(-1), output_type=tf.int32),
        ],
        "0..2,0..3",
    )
    agree(lambda x: raw.ArgMax(input=x, dimension=scalar(2)), "1..2,1..3")


def test_losses(agree):
    agree(lambda x: raw.L2Loss(t=x), "0..2,0..2")
    agree(lambda x, y: raw.SoftmaxCrossEntropyWithLogits(features=x, labels=y), "0..2,0..2", "0..2,0..2")
    agree(
        lambda x, y: raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=tf.zeros_like(y, tf.int32)),
        "0..2,0..2",
        "0..2",
    )
