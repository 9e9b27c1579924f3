"""TensorFlow's products and factorizations against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

import shapesmt
from shapesmt.frontends import load
from tests.oracle.tensorflow_calls import made, x
from tests.oracle.tensorflow_peer import graph_of
from tests.support.tensorflow import ints, length, named, scalar

raw = tf.raw_ops


@pytest.mark.parametrize("a", [False, True])
@pytest.mark.parametrize("b", [False, True])
def test_matrix_products(a, b, agree):
    agree(lambda x, y: raw.MatMul(a=x, b=y, transpose_a=a, transpose_b=b), "0..2,0..2", "0..2,0..2")
    for name in ("BatchMatMul", "BatchMatMulV2"):
        agree(lambda x, y, name=name: named(name)(x, y, adj_x=a, adj_y=b), "0..2,0..2,0..2", "0..2,0..2,2")
    agree(lambda x, y: raw.BatchMatMulV3(x=x, y=y, Tout=tf.float32, adj_x=a, adj_y=b), "1..2,1,2,0..2", "1..2,0..2,2")


def test_contractions(agree):
    """The contracted sizes aren't 0: TensorFlow accepts any other size with a contracted size of 0."""
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


@pytest.mark.parametrize(("columns", "verdict"), [(4, "PROVED"), (3, "UNKNOWN"), (5, "UNKNOWN")])
def test_a_fused_bias_of_another_length_is_unknown(columns, verdict):
    """With oneDNN, TensorFlow refuses it; without oneDNN, it reads past the end of the bias."""
    product = made("_FusedMatMul", x(2, 3), x(3, 4), (x(columns),), fused_ops=["BiasAdd"])
    layer = {"num_args": 1, "strides": [1, 1, 1, 1], "padding": "VALID", "fused_ops": ["BiasAdd"]}
    for call in (product, made("_FusedConv2D", x(2, 5, 5, 3), x(3, 3, 3, 4), (x(columns),), (), **layer)):
        assert shapesmt.check(load(graph_of(call).SerializeToString())).verdict == verdict
