"""TensorFlow's operators on texts against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

raw = tf.raw_ops

TEXTS = {
    "lower": lambda x: raw.StringLower(input=x),
    "upper": lambda x: raw.StringUpper(input=x),
    "strip": lambda x: raw.StringStrip(input=x),
    "length": lambda x: raw.StringLength(input=x),
    "hash": lambda x: [
        raw.StringToHashBucket(string_tensor=x, num_buckets=3),
        raw.StringToHashBucketFast(input=x, num_buckets=3),
    ],
    "hash_strong": lambda x: raw.StringToHashBucketStrong(input=x, num_buckets=3, key=[1, 2]),
    "number": lambda x: raw.StringToNumber(
        string_tensor=raw.AsString(input=raw.StringLength(input=x)), out_type=tf.int32
    ),
    "match": lambda x: [raw.RegexFullMatch(input=x, pattern="a"), raw.StaticRegexFullMatch(input=x, pattern="a")],
    "replace": lambda x: [
        raw.RegexReplace(input=x, pattern="a", rewrite="b"),
        raw.StaticRegexReplace(input=x, pattern="a", rewrite="b"),
    ],
    "encode": lambda x: raw.DecodeBase64(input=raw.EncodeBase64(input=x)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name, agree):
    agree(TEXTS[name], "0..2,1..2", dtypes=["string"])


def test_joined_texts(agree):
    agree(lambda x, y: raw.StringJoin(inputs=[x, y]), "0..2,2", "1..2,2", dtypes=["string"] * 2)
    agree(lambda x, y: raw.StringJoin(inputs=[x, y]), "0..2,2", "", dtypes=["string"] * 2)
