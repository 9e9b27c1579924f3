"""ONNX Runtime's own operators that run on a CPU."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.oracle.recipes import FLAG, MICROSOFT, any_of, op as plain

op = partial(plain, domain=MICROSOFT)
S, Z = np.float32(1), np.uint8(0)
PAIR = {"k": 1, "activation_type": "gelu"}
TABLES = [np.ones(shape, np.float32) for shape in ((5, 4), (6, 4), (2, 4), 4, 4)]
HEADS = {"num_heads": 2}
GROUPED = {"num_heads": 2, "kv_num_heads": 1}

RECIPES = [
    *(op(name, "f *") for name in ("Gelu", "QuickGelu", "SampleOp")),
    op("MurmurHash3", "j *"),
    *(op(name, "f * c", "f c") for name in ("BiasGelu", "FastGelu")),
    op("FusedMatMul", "f * n k", "f k m", alpha=any_of(None, 0.5)),
    op("FusedMatMul", "f k n", "f m k", transA=1, transB=1),
    op("TransposeMatMul", "f n k", "f m k", transB=1),
    op("FusedGemm", "f n k", "f k m", "?f m", activation="Relu"),
    op("FusedConv", "f n c h w", "f m c 2 2", "?f m", activation="Relu", strides=any_of(None, [2, 2])),
    op("NhwcMaxPool", "u n h w c", kernel_shape=[2, 2], strides=any_of(None, [2, 2]), ceil_mode=FLAG),
    op("MaxpoolWithMask", "f n c h w", "j n c h w", kernel_shape=[2, 2]),
    op("ConvTransposeWithDynamicPads", "f n c h w", "f c m 2 2", "= 0 1 0 0", strides=any_of(None, [2, 2])),
    op("SkipLayerNormalization", "f b s c", "f b s c", "f c", "?f c"),
    op("SkipSimplifiedLayerNormalization", "f b s c", "f b s c", "f c"),
    op("EmbedLayerNormalization", "J b s", "J b s", *TABLES, "?J b s", outputs=2),
    op("CDist", "f m k", "f n k", metric="euclidean"),
    op("ExpandDims", "f *", any_of(np.int32(0), np.int32(-1))),
    op("Trilu", "f n m"),
    op("Pad", "f n m", "= 0 k 1 0"),
    op("GatherND", "f n m k", "I j 2", assumed=True),
    op("Unique", "f n", outputs=3),
    op("GridSample", "f n c h w", "f n k l 2"),
    op("Range", ". 0", ". n", ". 2"),
    op("UnfoldTensor", "f n m", dim=any_of(-1, 0), size=2, step=any_of(1, 2)),
    op("NGramRepeatBlock", "I n s", "f n v", ngram_size=2, assumed=True),
    op("DynamicTimeWarping", "f m n"),
    op("WordConvEmbedding", "M n m", "f 3 1 2 2", "f 3", "f 5 2",
       embedding_size=3, conv_window_size=2, char_embedding_size=2),
    op("BifurcationDetector", "i s", "i c", np.int64(0), outputs=2),
    op("Tokenizer", "s n m", mark=any_of(0, 1), pad_value="#", mincharnum=1, separators=[" "]),
    op("CausalConvWithState", "f b c l", "f c 1 3", "?f c", "?f b c 2", outputs=2),
    op("LinearAttentionGate", "f b t h", "f h", "f h"),
    op("GatedAdd", "f n m", "f n m", "f n 1"),
    op("GatedRMSNorm", "f n m", "f m", "f n m"),
    op("QLinearAdd", "u *", S, Z, "u ~", S, Z, S, Z),
    op("QLinearMul", "u *", S, Z, "u ~", S, Z, S, Z),
    op("QLinearSigmoid", "u *", S, Z, S, Z),
    op("QLinearLeakyRelu", "u *", S, Z, S, Z),
    op("QLinearSoftmax", "u n m", S, Z, S, Z, opset=13, axis=any_of(-1, 0)),
    op("QLinearWhere", "b *", "u ~", S, Z, "u ~", S, Z, S, Z),
    op("QLinearConcat", S, Z, "u n m", S, Z, "u k m", S, Z, axis=any_of(0, 0, 1)),
    op("QLinearAveragePool", "u n c h+1 w+1", S, Z, S, Z, kernel_shape=[2, 2], strides=any_of(None, [2, 2])),
    op("QLinearGlobalAveragePool", "u n c h w", S, Z, S, Z),
    op("QLinearConv", "u n c h w", S, Z, "u m c 2 2", S, Z, S, Z),
    op("QGemm", "u n k", S, Z, "u k m", S, Z, "?j m", S, Z, transA=0),
    op("QuantizeLinear", "f n m", S, Z),
    op("DequantizeLinear", "u n m", S, Z),
    op("DynamicQuantizeMatMul", "f n k", "u k m", S, Z),
    op("MatMulIntegerToFloat", "u n k", "u k m", S, S, Z, Z),
    op("MatMulNBits", "f n m 16", "u 3 1 8", "f 3", K=16, N=3, bits=4, block_size=16),
    op("MatMulBnb4", "f n 32", "u 32", "f 4", K=32, N=2, block_size=16, quant_type=1),
    op("GatherBlockQuantized", "u n 16", "I i 2", "f n 2", gather_axis=0, quantize_axis=1, block_size=16, bits=4,
       assumed=True),
    op("MoE", "f t 3", "f t 2", "f 2 4 3", "", "f 2 3 4", **PAIR),
    op("Attention", "f b s 4", "f 4 12", "f 12", "?J b s", **HEADS),
    op("QAttention", "u b s 4", "u 4 12", "f 12", S, S, "", Z, Z, **HEADS),
    op("MultiHeadAttention", "f b s 4", "f b t 4", "f b t 4", "?f 12", **HEADS),
    op("DecoderMaskedMultiHeadAttention", "f b 1 4", "f b 2 t 2", "f b 2 t 2", **HEADS),
    op("GroupQueryAttention", "f b s 16", "f b s 8", "f b s 8", "", "", "J b", ":j . s", outputs=3, **GROUPED),
    op("RotaryEmbedding", "f b s 8", "I b s", "f m 4", "f m 4", assumed=True),
    op("LinearAttention", "f b t 4", "f b t 2", "f b t e", outputs=2,
       q_num_heads=2, kv_num_heads=1, update_rule="linear"),
    op("BranchwiseRMSNorm", "f n c m", "f m"),
    op("HyperConnectionPreMix", "f n c m", "f n c"),
    op("HyperConnectionPostMix", "f n c m", "f n m", "f n c"),
    op("DynamicQuantizeLSTM", "f s b i", "u 1 i 12", "u 1 3 12", "", "", "", "", "", "f 1", "u 1", "f 1", "u 1",
       hidden_size=3, outputs=3),
    op("QMoE", "f t 16", "f t 2", "u 2 32 8", "f 2 32", "", "u 2 16 16", "f 2 16", expert_weight_bits=4, **PAIR),
]  # fmt: skip
