"""Products, normalizations, recurrence and attention."""

from __future__ import annotations

import numpy as np

from tests.oracle.recipes import FLAG, any_of, op

ONE, ZERO = np.float32(1), np.uint8(0)

RECIPES = [
    op("MatMul", "f * n k", "f k m"),
    op("MatMul", "f * n k", "f * k m"),
    op("MatMul", "f k", "f k m"),
    op("MatMul", "f n k", "f k"),
    op("Gemm", "f n k", "f k m", "?f m"),
    op("Gemm", "f k n", "f m k", "?f n 1", transA=1, transB=1),
    op("Einsum", "f b i k", "f b k j", equation=any_of("bik,bkj->bij", "bik,bkj->ij", "...ik,...kj->...ij", "aik,akj")),
    op("Einsum", "f n n", equation=any_of("ii", "ii->i", "ij->ji")),
    op("Det", "f * n n"),
    op("MatMulInteger", "u n k", "u k m"),
    op("QLinearMatMul", "u n k", ONE, ZERO, "u k m", ONE, ZERO, ONE, ZERO),
    op("QuantizeLinear", "f n m", ONE, ZERO),
    op("QuantizeLinear", "f n m", "f m", axis=any_of(1, -1, 0)),
    op("QuantizeLinear", "f n 4", np.ones((2, 2), np.float32), block_size=2, axis=1, since=21),
    op("DequantizeLinear", "u *", ONE, ZERO),
    op("DequantizeLinear", "u n m", "f n", "?u n", axis=0),
    op("DynamicQuantizeLinear", "f *", outputs=3),
    op("BatchNormalization", "f n c *", "f c", "f c", "f c", "f c"),
    op("InstanceNormalization", "f n c h", "f c", "f c"),
    op("LayerNormalization", "f * c", "f c", "?f c", outputs=3, since=17),
    op("LayerNormalization", "f n m c", "f m c", axis=any_of(1, -2, 0), since=17),
    op("GroupNormalization", "f n c h", "f c", "f c", num_groups=any_of(1, 2), since=21),
    op("RMSNormalization", "f * c", "f c", axis=any_of(None, -1, 0), since=23),
    op("MeanVarianceNormalization", "f n c h w", axes=any_of(None, [0, 2])),
    op("LpNormalization", "f n m", axis=any_of(None, 0), p=any_of(None, 1)),
    op("LRN", "f n c h w", size=any_of(3, 1)),
    op("RNN", "f t b i", "f 1 2 i", "f 1 2 2", "?f 1 4", "", "?f 1 b 2", outputs=2, hidden_size=2),
    op("RNN", "f t b i", "f 2 h i", "f 2 h h", outputs=2, hidden_size=2, direction="bidirectional"),
    op("GRU", "f t b i", "f 1 6 i", "f 1 6 2", "?f 1 12", outputs=2, hidden_size=2),
    op("GRU", "f t b i", "f 1 3*h i", "f 1 3*h h", outputs=2, hidden_size=any_of(2, 3)),
    op("LSTM", "f t b i", "f 1 8 i", "f 1 8 2", "?f 1 16", outputs=3, hidden_size=2),
    op("Attention", "f b s 4", "f b t 4", "f b t 4", "?f s t", since=23, q_num_heads=2, kv_num_heads=2),
    op("Attention", "f b 2 s d", "f b 2 t d", "f b 2 t e", since=23, is_causal=FLAG),
    op("Attention", "f b 2 s d", "f b 1 t d", "f b 1 t d", "", "f b 1 p d", "f b 1 p d", outputs=3, since=23),
    op("RotaryEmbedding", "f b s 8", "f m 2", "f m 2", "I b s", num_heads=2, since=23),
    op("RotaryEmbedding", "f b 2 s 4", "f b s 2", "f b s 2", since=23),
    op("SoftmaxCrossEntropyLoss", "f n c", "I n", "?f c", reduction=any_of(None, "none", "sum"), assumed=True),
    op("SoftmaxCrossEntropyLoss", "f n c d", "I n d", outputs=2, reduction=any_of(None, "none"), assumed=True),
    op("NegativeLogLikelihoodLoss", "f n c", "I n", "f w", assumed=True),
    op("NegativeLogLikelihoodLoss", "f n c d", "I n d", "?f c", reduction=any_of(None, "none", "sum"), assumed=True),
    op("SimplifiedLayerNormalization", "f * c", "f c"),
]
