"""TensorFlow's random numbers against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import length, scalar

raw = tf.raw_ops

RANDOMS = {
    "uniform": lambda s: raw.RandomUniform(shape=s, dtype=tf.float32),
    "integers": lambda s: raw.RandomUniformInt(shape=s, minval=scalar(0), maxval=scalar(5)),
    "normal": lambda s: [
        raw.RandomStandardNormal(shape=s, dtype=tf.float64),
        raw.TruncatedNormal(shape=s, dtype=tf.float32),
    ],
    "stateless": lambda s: [
        raw.StatelessRandomUniform(shape=s, seed=[1, 2]),
        raw.StatelessRandomNormal(shape=s, seed=[1, 2]),
    ],
    "gamma": lambda s: raw.RandomGamma(shape=s, alpha=[1.0, 2.0, 3.0]),
    "poisson": lambda s: raw.RandomPoissonV2(shape=s, rate=[[1.0], [2.0]]),
    "full": lambda s: raw.StatelessRandomUniformFullInt(shape=s, seed=[1, 2], dtype=tf.int64),
    "stateless_v2": lambda s: tf.random.stateless_uniform(s, [1, 2]),
}


@pytest.mark.parametrize("name", RANDOMS)
def test_random(name, agree):
    agree(lambda x: RANDOMS[name](tf.stack([length(x) - 1, 2])), "0..3")


def test_draws(agree):
    agree(lambda x: raw.Multinomial(logits=x, num_samples=scalar(3)), "0..2,1..2")
    agree(lambda x: raw.RandomShuffle(value=x), "0..2,1..2")
