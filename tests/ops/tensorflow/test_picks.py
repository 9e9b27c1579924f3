"""TensorFlow's operators that pick, place, fold and multiply against its own execution."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

pytest.importorskip("tensorflow", reason="tensorflow (an extra) isn't installed")

import tensorflow as tf

from shapesmt import InferenceContext, ShapeMismatch
from shapesmt.ops.tensorflow.common import DOMAIN
from shapesmt.rules import resolve
from tests.support import tensorflow as oracle
from tests.support.tensorflow import SAMPLED, floats, ints, length, named, scalar

raw = tf.raw_ops


@pytest.fixture
def agree(full):
    """The oracle, at a sample of the sizes unless all are asked for."""
    return partial(oracle.agree, most=None if full else SAMPLED)


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


@pytest.mark.parametrize("a", [False, True])
@pytest.mark.parametrize("b", [False, True])
def test_matrix_products(a, b, agree):
    agree(lambda x, y: raw.MatMul(a=x, b=y, transpose_a=a, transpose_b=b), "0..2,0..2", "0..2,0..2")
    for name in ("BatchMatMul", "BatchMatMulV2"):
        agree(lambda x, y, name=name: named(name)(x, y, adj_x=a, adj_y=b), "0..2,0..2,0..2", "0..2,0..2,2")
    agree(lambda x, y: raw.BatchMatMulV3(x=x, y=y, Tout=tf.float32, adj_x=a, adj_y=b), "1..2,1,2,0..2", "1..2,0..2,2")


def test_contractions(agree):
    """Of sizes that aren't 0, which TensorFlow takes for any other here."""
    agree(lambda x, y: raw.Einsum(inputs=[x, y], equation="ij,jk->ik"), "0..2,1..3", "1..3,2")
    agree(lambda x, y: raw.Einsum(inputs=[x, y], equation="...ij,...jk->...ik"), "0..2,2,1..2", "0..2,1..2,2")
    agree(lambda x, y: raw.Einsum(inputs=[x, y], equation="bshd,btd->bhst"), "1..2,1..2,2,1..2", "1..2,2,1..2")
    agree(lambda x: raw.Einsum(inputs=[x], equation="ii->i"), "0..2,0..2")


MATRICES = {
    "cross": (lambda x, y: raw.Cross(a=x, b=y), ["0..2,2..3", "0..2,3"]),
    "band_part": (lambda x: raw.MatrixBandPart(input=x, num_lower=scalar(1), num_upper=scalar(-1)), ["2,0..3,0..3"]),
    "band_part_sizes": (lambda x: raw.MatrixBandPart(input=x, num_lower=scalar(0), num_upper=scalar(2)), ["0..3,0..3"]),
    "diag": (lambda x: raw.Diag(diagonal=x), ["0..2,0..2"]),
    "diag_part": (lambda x: raw.DiagPart(input=x), ["0..2,2,0..2,0..2"]),
    "matrix_diag": (lambda x: raw.MatrixDiag(diagonal=x), ["0..2,0..2"]),
    "matrix_diag_part": (lambda x: raw.MatrixDiagPart(input=x), ["0..2,0..3,0..3"]),
    "matrix_set_diag": (lambda x, y: raw.MatrixSetDiag(input=x, diagonal=y), ["1..2,0..3,2", "1..2,0..2"]),
    "diagonals": (
        lambda x: raw.MatrixDiagPartV3(input=x, k=ints(-1, 1, dtype=tf.int32), padding_value=0.0),
        ["1..2,0..3,0..3"],
    ),
    "from_diagonal": (
        lambda x: raw.MatrixDiagV3(diagonal=x, k=scalar(1), num_rows=scalar(-1), num_cols=scalar(3), padding_value=0.0),
        ["0..2,0..3"],
    ),
    "from_diagonals": (
        lambda x: raw.MatrixDiagV2(
            diagonal=x,
            k=ints(-1, 1, dtype=tf.int32),
            num_rows=length(x),
            num_cols=scalar(-1),
            padding_value=0.0,
        ),
        ["0..3,0..3"],
    ),
    "from_diagonals_alone": (lambda x: tf.linalg.diag(x, k=(0, 1)), ["1..2,1..3,0..3"]),
    "set_diagonals": (
        lambda x, y: raw.MatrixSetDiagV3(input=x, diagonal=y, k=ints(-1, 1, dtype=tf.int32)),
        ["2,1..3,1..3", "2,3,0..3"],
    ),
    "set_diagonal": (lambda x, y: tf.linalg.set_diag(x, y, k=1), ["1..2,1..3,1..3", "1..2,0..2"]),
    "root": (lambda x: tf.abs(raw.MatrixSquareRoot(input=tf.complex(x, x))), ["1..2,0..2,0..2"]),
    "log_determinant": (lambda x: raw.LogMatrixDeterminant(input=x), ["0..2,0..2,0..2"]),
    "lu": (lambda x: raw.Lu(input=x + tf.linalg.diag(x[..., 0])), ["1..2,1..2,1..3"]),
    "diagonal_above": (lambda x: raw.MatrixDiagPartV2(input=x, k=scalar(2), padding_value=0.0), ["1..2,0..3,0..4"]),
    "cholesky": (lambda x: raw.Cholesky(input=tf.linalg.diag(x)), ["0..2,0..2"]),
    "inverse": (lambda x: raw.MatrixInverse(input=x + tf.linalg.diag(x[..., 0])), ["0..2,1..2,1..3"]),
    "determinant": (lambda x: raw.MatrixDeterminant(input=x), ["0..2,0..3,0..2"]),
    "solve": (lambda x, y: raw.MatrixSolve(matrix=tf.linalg.diag(x), rhs=y), ["0..2,0..2", "0..2,0..2,0..2"]),
    "triangle": (lambda x, y: raw.MatrixTriangularSolve(matrix=x, rhs=y), ["1..2,0..2,2", "1..2,0..2,0..2"]),
    "svd": (lambda x: [raw.Svd(input=x), raw.Svd(input=x, full_matrices=True)], ["0..2,1..3,1..3"]),
    "svd_values": (lambda x: raw.Svd(input=x, compute_uv=False)[0], ["0..2,0..3,0..2"]),
    "qr": (lambda x: [raw.Qr(input=x), raw.Qr(input=x, full_matrices=True)], ["0..2,0..3,0..3"]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices(name, agree):
    build, shapes = MATRICES[name]
    agree(build, *shapes)


def test_fourier(agree):
    agree(lambda x: tf.abs(raw.FFT(input=tf.complex(x, x))), "0..2,0..3")
    agree(lambda x: tf.abs(raw.IFFT2D(input=tf.complex(x, x))), "0..2,0..3")
    agree(lambda x: raw.RFFT(input=x, fft_length=ints(3, dtype=tf.int32)), "0..2,0..5")
    agree(lambda x: raw.RFFT2D(input=x, fft_length=ints(2, 3, dtype=tf.int32)), "0..3,0..4")
    agree(lambda x: raw.RFFT(input=x, fft_length=[length(x, 1)]), "0..2,0..5")
    agree(lambda x: raw.IRFFT(input=tf.complex(x, x), fft_length=ints(4, dtype=tf.int32)), "0..2,0..5")


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


def test_indices_by_data(agree):
    feeds = {"y": lambda shape: np.zeros(shape)}
    agree(lambda x, y: tf.gather(x, tf.cast(y, tf.int32)), "1..3,2", "0..2", feeds=feeds)


def test_top_k_of_an_attribute():
    """Old files have it; TensorFlow itself no longer runs it."""
    rule = resolve(DOMAIN, "TopK", 1)
    made = InferenceContext.of("TopK", ["[2,5]"], 2, attributes={"k": 3}, domain=DOMAIN).run(rule.apply)
    assert [[d.constant for d in t.dims] for t in made] == [[2, 3], [2, 3]]
    with pytest.raises(ShapeMismatch):
        InferenceContext.of("TopK", ["[2,5]"], 2, attributes={"k": 6}, domain=DOMAIN).run(rule.apply)
