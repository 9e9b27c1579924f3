"""Calls written by hand: of layers and of indexing, with arguments that PyTorch's own samples leave out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tests.oracle.torch.written import x

aten = torch.ops.aten


def i(*shape: int) -> torch.Tensor:
    """Indices of that shape, all 0."""
    return torch.zeros(shape, dtype=torch.int64)


def b(*shape: int) -> torch.Tensor:
    """A mask of that shape, all true."""
    return torch.ones(shape, dtype=torch.bool)


def recurrent(gates: int, layers: int, directions: int, *, bias: bool, batch_first: bool) -> tuple[Any, ...]:
    """The arguments of a recurrent layer of 5 features and 4 hidden ones, on 2 samples of 3 steps."""
    states = [x(layers * directions, 2, 4)] * (2 if gates == 4 else 1)
    weights = []
    for layer in range(layers):
        features = 4 * directions if layer else 5
        cell = [x(4 * gates, features), x(4 * gates, 4), *([x(4 * gates)] * 2 if bias else [])]
        weights += cell * directions
    sample = x(2, 3, 5) if batch_first else x(3, 2, 5)
    return sample, states if gates == 4 else states[0], weights, bias, layers, 0.0, False, directions == 2, batch_first


WINDOWS: list[Callable[[], Any]] = [
    lambda: aten.convolution.default(x(2, 6, 5, 5), x(4, 3, 3, 3), x(4), [2, 1], [1, 1], [1, 2], False, [0, 0], 2),
    lambda: aten.convolution.default(x(2, 6, 5, 5), x(6, 2, 3, 3), x(4), [2, 1], [1, 1], [1, 1], True, [1, 0], 2),
    lambda: aten.conv2d.padding(x(2, 6, 5, 5), x(4, 6, 3, 2), None, [1, 1], "same", [2, 1]),
    lambda: aten.conv_transpose1d.default(x(6, 5), x(6, 4, 3), x(4), [2], [1], [1]),
    lambda: aten.conv_transpose1d.default(x(2, 4, 3), x(4, 2, 3), None, [2], [3]),
    lambda: aten.conv_transpose2d.input(i(1, 2, 2, 2), i(2, 3, 3, 2), None, [1, 2], [2, 1]),
    lambda: aten.conv_transpose3d.input(x(2, 2, 2, 2), x(2, 3, 2, 4, 5), None, [1], [1, 2, 2]),
    lambda: aten.max_pool2d.default(x(3, 5, 6), [3, 2], [2, 2], [1, 1], [1, 1], True),
    lambda: aten.avg_pool3d.default(x(3, 5, 6, 4), [3, 2, 2], [2, 2, 2], [1, 1, 1], True),
    lambda: aten.adaptive_avg_pool2d.default(x(2, 3, 4, 5), [1, 1]),
    lambda: aten._adaptive_avg_pool2d.default(x(2, 3, 4, 5), [1, 1]),
    lambda: aten.adaptive_max_pool2d.default(x(3, 4, 5), [2, 3]),
    lambda: aten.col2im.default(x(2, 12, 6), [3, 4], [2, 2], [1, 1], [0, 0], [1, 1]),
    lambda: aten.im2col.default(x(2, 3, 4, 5), [2, 2], [1, 2], [1, 0], [2, 1]),
    lambda: aten.affine_grid_generator.default(x(2, 2, 3), [2, 3, 4, 5], False),
    lambda: aten.upsample_nearest2d.vec(x(2, 3, 4, 5), None, [2.3, 0.4]),
    lambda: aten.upsample_bicubic2d.default(x(2, 3, 4, 5), [8, 7], True),
    lambda: aten.pixel_unshuffle.default(x(2, 3, 4, 6), 2),
    lambda: aten.reflection_pad2d.default(x(2, 3, 4, 5), [1, 2, 0, 1]),
    lambda: aten.unfold.default(x(3, 6), 1, 3, 2),
]
LINEAR: list[Callable[[], Any]] = [
    lambda: aten.linear.default(x(2, 4, 3), x(5, 3), x(5)),
    lambda: aten.linear.default(x(3), x(5, 3), x(1)),
    lambda: aten.addmm.default(x(3, 1), x(3, 4), x(4, 5)),
    lambda: aten.addmm_.default(x(3, 5), x(3, 4), x(4, 5)),
    lambda: aten.addmv.default(x(1), x(3, 4), x(4)),
    lambda: aten.baddbmm.default(x(1, 5), x(2, 3, 4), x(2, 4, 5)),
    lambda: aten.matmul.default(x(4), x(2, 4, 5)),
    lambda: aten.einsum.default("...ij,...jk->...ik", [x(2, 3, 4), x(4, 5)]),
    lambda: aten.einsum.default("bhid,bhjd->bhij", [x(2, 3, 4, 5), x(2, 3, 6, 5)]),
    lambda: aten.tensordot.default(x(3, 4, 5), x(4, 5, 6), [1, 2], [0, 1]),
    lambda: aten.linalg_vector_norm.default(x(3, 4), float("inf"), [1]),
    lambda: aten.linalg_norm.default(x(3, 4), -1),
    lambda: aten.cdist.default(x(2, 3, 4), x(5, 4)),
    lambda: aten.pairwise_distance.default(i(3, 4), i(4)),
    lambda: aten.linalg_pinv.atol_rtol_tensor(x(0, 3, 3), hermitian=True),
]
LAYERS: list[Callable[[], Any]] = [
    lambda: aten.batch_norm.default(x(2, 3, 4), x(3), x(3), x(3), x(3), False, 0.1, 1e-5, False),
    lambda: aten.native_group_norm.default(x(2, 6, 3), x(6), x(6), 2, 6, 3, 2, 1e-5),
    lambda: aten.native_layer_norm.default(x(2, 3, 4), [3, 4], x(3, 4), None, 1e-5),
    lambda: aten.instance_norm.default(x(2, 3, 4), x(3), None, None, None, True, 0.1, 1e-5, False),
    lambda: aten.rms_norm.default(x(2, 3, 4), [4], x(4)),
    lambda: aten.scaled_dot_product_attention.default(x(2, 3, 4, 6), x(2, 3, 5, 6), x(2, 3, 5, 7), x(2, 1, 4, 5)),
    lambda: aten._scaled_dot_product_attention_math.default(x(3, 4, 6), x(3, 5, 6), x(3, 5, 7)),
    lambda: aten.nll_loss_forward.default(x(3, 4), i(3), x(4), 0, -100),
    lambda: aten.cross_entropy_loss.default(x(3, 4, 2), x(3, 4, 2), x(4), 0),
    lambda: aten.embedding.default(x(6, 3), i(2, 4)),
    lambda: aten.prelu.default(x(2, 3, 4), x(3)),
    lambda: aten.multi_margin_loss.default(x(5), i(1), 1, 1.0, None, 0),
    lambda: aten.multi_margin_loss.default(x(1, 5), i(), 1, 1.0, None, 0),
    lambda: aten.multilabel_margin_loss.default(x(3, 5), i(3, 5), 0),
    lambda: aten.l1_loss.default(x(3, 5, dtype=torch.complex64), x(5, dtype=torch.float64)),
    lambda: aten.l1_loss.default(i(3, 5), i(5), 2),
    lambda: aten.mse_loss.default(i(3, 5), x(5, dtype=torch.float16), 0),
    lambda: aten.huber_loss.default(x(3, 5), x(5, dtype=torch.float64)),
    lambda: aten.soft_margin_loss.default(x(3, 5), x(5)),
    lambda: aten.binary_cross_entropy_with_logits.default(x(5), x(3, 5), x(1, 5), None, 0),
    lambda: aten.binary_cross_entropy_with_logits.default(x(3, 5), x(3, 5), None, x(5), 0),
    lambda: aten.margin_ranking_loss.default(i(3), i(3), i(3)),
    lambda: aten.cosine_embedding_loss.default(i(3, 5), i(3, 5), i(3)),
    lambda: aten.triplet_margin_loss.default(i(3, 5), i(3, 5), i(3, 5)),
    lambda: aten.batch_norm.default(x(0), None, None, x(1), x(1), False, 0.1, 1e-5, False),
]
INDEXING: list[Callable[[], Any]] = [
    lambda: aten.index.Tensor(x(4, 5, 6), [i(3), None, i(2, 1)]),
    lambda: aten.index.Tensor(x(4, 5, 6), [None, i(3), i(1)]),
    lambda: aten.index.Tensor(x(4, 5), [None, b(5)]),
    lambda: aten.index.Tensor(x(4, 5, 6), [b(4, 5)]),
    lambda: aten.index_put.default(x(4, 5, 6), [None, i(3), i(2, 1)], x(2, 1)),
    lambda: aten.gather.default(x(4, 5), 1, i(3, 7)),
    lambda: aten.scatter.src(x(4, 5), 1, i(3, 4), x(3, 6)),
    lambda: aten.index_add.default(x(4, 5), 1, i(3), x(4, 3)),
    lambda: aten.index_select.default(x(4, 5), 1, i(3)),
    lambda: aten.select_scatter.default(x(4, 5), x(4), 1, 2),
    lambda: aten.slice_scatter.default(x(4, 5), x(4, 2), 1, 1, -2),
    lambda: aten.diagonal_scatter.default(x(4, 5), x(3), 2),
    lambda: aten.topk.default(x(4, 5), 2, 1),
    lambda: aten.kthvalue.default(x(4, 5), 2, 0, True),
    lambda: aten.nonzero.default(x(4, 5)),
    lambda: aten.masked_select.default(x(4, 5), b(5)),
    lambda: aten.take_along_dim.default(x(4, 1), i(4, 3), 1),
]
SIGNALS: list[Callable[[], Any]] = [
    lambda: aten.stft.default(x(2, 20), 8, 3, 6, x(6), False, True, True),
    lambda: aten.stft.center(x(2, 20), 8, 4, 8, x(8), True, "reflect", False, True, True),
    lambda: aten.stft.default(x(20, dtype=torch.complex64), 8),
    lambda: aten._fft_r2c.default(x(3, 4, 5), [0, 2], 0, True),
    lambda: aten.fft_irfft.default(x(3, 4, dtype=torch.complex64)),
    lambda: aten.randperm.default(5),
    lambda: aten.multinomial.default(x(2, 4), 3),
]
OPEN: list[Callable[[], Any]] = [
    lambda: aten.scaled_dot_product_attention.default(x(2, 4, 3, 6), x(2, 2, 5, 6), x(2, 2, 5, 6), enable_gqa=True),
    lambda: aten.index.Tensor(x(4, 5, 6), [b(4), None, i(1)]),
    lambda: aten.gru_cell.default(x(2, 5), x(2, 4), x(12, 5), x(12, 4)),
    lambda: aten.lstm.input(*recurrent(4, 2, 2, bias=True, batch_first=False)),
    lambda: aten.gru.input(*recurrent(3, 1, 2, bias=False, batch_first=True)),
    lambda: aten.rnn_tanh.input(*recurrent(1, 2, 1, bias=True, batch_first=True)),
]
"""Of which some sizes are left open, as PyTorch doesn't check them or data decides them."""
