"""OpenVINO's products, cells and attention against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from openvino import opset15 as op

from tests.support.openvino_values import zeros


def test_ellipses_of_different_ranks(agree):
    agree(lambda x, y: op.einsum([x, y], "...ij,...jk->...ik"), "[2,1..2,1..2,1..3]", "[1..2,1..3,2]")
    agree(lambda x, y: op.einsum([x, y], "...ij,jk->ik..."), "[1..2,1..2,1..3]", "[1..3,2]")


@pytest.mark.parametrize("a", [False, True])
@pytest.mark.parametrize("b", [False, True])
def test_matrix_products(a, b, agree):
    agree(lambda x, y: op.matmul(x, y, a, b), "[1..2,1..2,1..2]", "[1..2,2]")
    agree(lambda x, y: op.matmul(x, y, a, b), "[1..3]", "[1..2,1..3]")
    agree(lambda x, y: op.matmul(x, y, a, b), "[2,1..3]", "[1..3]")


CELLS = {
    "lstm": (
        lambda x, h, c: op.lstm_cell(x, h, c, zeros(8, 3), zeros(8, 2), zeros(8), 2),
        ["[1..2,2..3]"] + ["[1..2,1..2]"] * 2,
    ),
    "gru": (lambda x, h: op.gru_cell(x, h, zeros(6, 3), zeros(6, 2), zeros(6), 2), ["[1..2,2..3]", "[1..2,1..2]"]),
    "rnn": (
        lambda x, h: op.rnn_cell(x, h, zeros(2, 3), zeros(2, 2), zeros(2), 2, ["tanh"], [], []),
        ["[1..2,2..3]", "[1..2,1..2]"],
    ),
    "lstm_sequence": (
        lambda x, h, n: op.lstm_sequence(
            x, h, h, op.convert(n, "i32"), zeros(2, 8, 3), zeros(2, 8, 2), zeros(2, 8), 2, "bidirectional"
        ),
        ["[1..2,1..2,3]", "[1..2,1..2,2]", "[1..2]"],
    ),
    "gru_sequence": (
        lambda x, h, n: op.gru_sequence(
            x, h, op.convert(n, "i32"), zeros(1, 6, 3), zeros(1, 6, 2), zeros(1, 6), 2, "forward"
        ),
        ["[1..2,1..2,3]", "[1..2,1,2]", "[1..2]"],
    ),
    "rnn_sequence": (
        lambda x, h, n: op.rnn_sequence(
            x, h, op.convert(n, "i32"), zeros(1, 2, 3), zeros(1, 2, 2), zeros(1, 2), 2, "reverse"
        ),
        ["[1..2,1..2,3]", "[1..2,1,2]", "[1..2]"],
    ),
    "attention": (
        lambda q, k, v: op.scaled_dot_product_attention(q, k, v, causal=False),
        ["[2,1..2,1..2]", "[2,1..2,1..2]", "[2,1..2,3]"],
    ),
    "batch_norm": (
        lambda x: op.batch_norm_inference(x, zeros(2), zeros(2), zeros(2), zeros(2), 1e-5),
        ["[1..2,1..3,2]"],
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_layers(name, agree):
    build, shapes = CELLS[name]
    agree(build, *shapes)
