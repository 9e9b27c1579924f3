"""TensorFlow's operators that pick and place against its own execution, over all small sizes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from shapesmt import InferenceContext, ShapeMismatch
from shapesmt.operators.ops.tensorflow.common import DOMAIN
from shapesmt.operators.rules import resolve
from tests.support.tensorflow import floats, ints, length, named, scalar

raw = tf.raw_ops


def places(x, *shape):
    """Indices of zeros, as many as sizes and numbers say."""
    return tf.zeros([x if isinstance(x, int) else length(x), *shape], tf.int32)


GATHERS = {
    "gather": (lambda x: raw.Gather(params=x, indices=ints(0, 1)), ["0..3,0..2"]),
    "gather_axis": (lambda x: raw.GatherV2(params=x, indices=ints(0, 1), axis=scalar(-1)), ["0..2,0..3"]),
    "gather_one": (lambda x: raw.GatherV2(params=x, indices=scalar(1), axis=scalar(0)), ["0..2,0..3"]),
    "gather_negative": (lambda x: raw.GatherV2(params=x, indices=scalar(-1), axis=scalar(0)), ["0..2,0..3"]),
    "gather_none": (lambda x: raw.GatherV2(params=x, indices=ints(), axis=scalar(0)), ["0..2,0..3"]),
    "gather_size": (lambda x, y: raw.GatherV2(params=x, indices=length(y) - 1, axis=scalar(0)), ["0..3,2", "0..4"]),
    "gather_range": (lambda x, y: tf.gather(x, tf.range(length(y))), ["0..3,0..1", "0..4"]),
    "gather_shape": (lambda x: raw.GatherV2(params=tf.shape(x), indices=ints(2, 0), axis=scalar(0)), ["0..2,2,0..2"]),
    "gather_batch": (
        lambda x, y: raw.GatherV2(params=x, indices=tf.cast(y, tf.int32), axis=scalar(1), batch_dims=1),
        ["0..3,2,3", "0..2,0..3"],
    ),
    "gather_batch_negative": (
        lambda x, y: raw.GatherV2(params=x, indices=tf.cast(y, tf.int32), axis=scalar(1), batch_dims=-1),
        ["0..3,2,3", "0..2,0..3"],
    ),
    "gather_nd": (lambda x, y: raw.GatherNd(params=x, indices=places(y, 1)), ["0..3,0..2", "0..2"]),
    "gather_nd_pairs": (lambda x, y: raw.GatherNd(params=x, indices=places(y, 2)), ["0..2,0..2", "0..2"]),
    "gather_nd_none": (lambda x, y: raw.GatherNd(params=x, indices=places(y, 0)), ["0..2,0..2", "0..2"]),
    "gather_nd_at": (lambda x: raw.GatherNd(params=x, indices=ints(1, 2)), ["0..3,0..3"]),
    "gather_nd_negative": (lambda x: raw.GatherNd(params=x, indices=ints(-1)), ["0..2"]),
    "gather_nd_longer": (lambda x: raw.GatherNd(params=x, indices=ints(0, 0)), ["1..2"]),
    "gather_nd_shape": (lambda x: raw.GatherNd(params=tf.shape(x), indices=tf.constant([[1], [0]])), ["0..2,0..3"]),
    "scatter": (
        lambda x, y: raw.ScatterNd(indices=places(x, 1), updates=x, shape=[length(y), 2]),
        ["0..2,1..2", "0..2"],
    ),
    "scatter_pairs": (
        lambda x, y: raw.ScatterNd(indices=places(2, 2), updates=x, shape=[length(y), 2]),
        ["0..3", "0..2"],
    ),
    "scatter_at": (lambda x: raw.ScatterNd(indices=[[2]], updates=[1.0], shape=[length(x)]), ["0..4"]),
    "scatter_negative": (lambda x: raw.ScatterNd(indices=[[-1]], updates=[1.0], shape=[length(x)]), ["0..4"]),
    "update": (
        lambda x, y: raw.TensorScatterUpdate(tensor=x, indices=places(y, 1), updates=y),
        ["0..2,1..2", "0..2,1..2"],
    ),
    "update_at": (lambda x: raw.TensorScatterUpdate(tensor=x, indices=[[1]], updates=[1.0]), ["0..3"]),
    "add_without_alias": (
        lambda x: raw.ScatterNdNonAliasingAdd(input=x, indices=[[1]], updates=[1.0]),
        ["0..3"],
    ),
    "update_shape": (lambda x: raw.TensorScatterUpdate(tensor=tf.shape(x), indices=[[1]], updates=[5]), ["0..3,0..2"]),
    "add_to_shape": (lambda x: raw.TensorScatterAdd(tensor=tf.shape(x), indices=[[1]], updates=[5]), ["0..3,0..2"]),
    "others": (
        lambda x: [named(f"TensorScatter{name}")(x, [[1]], [1.0]) for name in ("Sub", "Max", "Min")],
        ["0..3"],
    ),
    "sparse": (
        lambda x: raw.SparseToDense(
            sparse_indices=ints(0, 1, dtype=tf.int32),
            output_shape=[length(x)],
            sparse_values=x,
            default_value=0.0,
        ),
        ["2..3"],
    ),
    "sparse_pairs": (
        lambda x, y: raw.SparseToDense(
            sparse_indices=tf.reshape(tf.range(length(x)), [-1, 1]),
            output_shape=[3],
            sparse_values=y,
            default_value=0.0,
        ),
        ["0..3", "0..3"],
    ),
}


@pytest.mark.parametrize("name", GATHERS)
def test_gathers(name, agree):
    build, shapes = GATHERS[name]
    agree(build, *shapes)


CHOICES = {
    "one_hot": (
        lambda x: raw.OneHot(indices=tf.cast(x, tf.int32), depth=scalar(4), on_value=1.0, off_value=0.0),
        ["0..3,2"],
    ),
    "one_hot_axis": (
        lambda x: raw.OneHot(indices=tf.cast(x, tf.int32), depth=length(x) - 1, on_value=1, off_value=0, axis=0),
        ["0..3,2"],
    ),
    "top_k": (lambda x: raw.TopKV2(input=x, k=scalar(2)), ["0..2,0..3"]),
    "top_k_sizes": (lambda x, y: raw.TopKV2(input=x, k=length(y) - 1), ["0..2,0..3", "0..3"]),
    "nth": (lambda x: raw.NthElement(input=x, n=scalar(1)), ["0..2,0..3"]),
    "nth_negative": (lambda x: raw.NthElement(input=x, n=length(x) - 1), ["0..3"]),
    "in_top_k": (
        lambda x, y: raw.InTopKV2(predictions=x, targets=tf.cast(y, tf.int32), k=scalar(1)),
        ["0..2,0..3", "0..2"],
    ),
    "where": (lambda x: raw.Where(condition=x > 0), ["0..3,0..2"]),
    "where_one": (lambda x: raw.Where(condition=x), [""]),
    "where_sizes": (lambda x: raw.Where(condition=tf.shape(x) > 1), ["0..3,0..2"]),
    "unique": (lambda x: raw.Unique(x=x), ["0..3"]),
    "unique_counts": (lambda x: raw.UniqueWithCounts(x=x, out_idx=tf.int64), ["0..3"]),
    "unique_all": (lambda x: raw.UniqueV2(x=x, axis=ints()), ["0..3"]),
    "unique_axis": (lambda x: raw.UniqueWithCountsV2(x=x, axis=ints(1)), ["1..2,1..3"]),
    "list_diff": (lambda x, y: raw.ListDiff(x=x, y=y), ["0..3", "0..2"]),
    "bincount": (lambda x, y: raw.Bincount(arr=tf.cast(x, tf.int32), size=scalar(3), weights=y), ["0..2", "0..2"]),
    "bincount_sizes": (
        lambda x: raw.Bincount(arr=tf.cast(x, tf.int32), size=length(x) - 1, weights=floats()),
        ["0..3"],
    ),
    "dense_bincount": (
        lambda x, y: raw.DenseBincount(input=tf.cast(x, tf.int32), size=scalar(3), weights=y),
        ["0..2,0..2", "0..2,0..2"],
    ),
    "bucketize": (lambda x: raw.Bucketize(input=x, boundaries=[1.0, 2.0]), ["0..2,0..2"]),
    "lower_bound": (lambda x, y: raw.LowerBound(sorted_inputs=x, values=y), ["0..2,0..2", "0..2,0..2"]),
    "upper_bound": (
        lambda x, y: raw.UpperBound(sorted_inputs=x, values=y, out_type=tf.int64),
        ["0..2,1..2", "0..2,0..2"],
    ),
    "segments": (lambda x: raw.SegmentSum(data=x, segment_ids=ints(0, 0, 2)), ["1..4,0..2"]),
    "segment_mean": (lambda x, y: raw.SegmentMean(data=x, segment_ids=places(y)), ["0..3,2", "0..3"]),
    "unravel": (lambda x: raw.UnravelIndex(indices=places(x), dims=[2, 3]), ["0..3"]),
    "unsorted": (
        lambda x, y: raw.UnsortedSegmentSum(data=x, segment_ids=places(y), num_segments=scalar(2)),
        ["0..3,0..2", "0..3"],
    ),
    "unsorted_sizes": (
        lambda x: raw.UnsortedSegmentMax(data=x, segment_ids=ints(0, 2), num_segments=length(x, 1)),
        ["2,0..4"],
    ),
}


@pytest.mark.parametrize("name", CHOICES)
def test_choices(name, agree):
    build, shapes = CHOICES[name]
    agree(build, *shapes)


def test_indices_by_data(agree):
    feeds = {"y": lambda shape: np.zeros(shape)}
    agree(lambda x, y: tf.gather(x, tf.cast(y, tf.int32)), "1..3,2", "0..2", feeds=feeds)


def test_top_k_of_an_attribute():
    """Old files have `k` as an attribute; TensorFlow itself no longer runs this version."""
    rule = resolve(DOMAIN, "TopK", 1)
    made = InferenceContext.of("TopK", ["[2,5]"], 2, attributes={"k": 3}, domain=DOMAIN).run(rule.apply)
    assert [[d.constant for d in t.dims] for t in made] == [[2, 3], [2, 3]]
    with pytest.raises(ShapeMismatch):
        InferenceContext.of("TopK", ["[2,5]"], 2, attributes={"k": 6}, domain=DOMAIN).run(rule.apply)
