"""The laws of ONNX's and ONNX Runtime's operators, one at a time: a call that runs, with one thing changed.

Where ONNX Runtime refuses, the verdict isn't PROVED; where it runs, it isn't FAILS, and types and shapes are the same.
"""

from __future__ import annotations

from functools import partial
from random import Random

import numpy as np
import pytest
from onnx import numpy_helper

import shapesmt
from tests.oracle.catalogue import RECIPES
from tests.oracle.catalogue.ml import LINEAR, TREE
from tests.oracle.onnx_calls import calls, k, op, running, x
from tests.oracle.onnx_peer import compare, outcomes, runs_in_newer
from tests.oracle.onnx_siblings import siblings
from tests.support.versions import NEW

GROWN, CALLS, SIBLINGS = 24, 300, 2  # without --full: of the catalogue, of all calls, of each call
ms = partial(op, domain="com.microsoft", version=1)
ml = partial(op, domain="ai.onnx.ml", version=3)
S, Z = k(1, "float32"), k(0, "uint8")
POOL = {"kernel_shape": [2, 2], "auto_pad": "SAME"}
WORDS = {"ngram_counts": [0], "ngram_indexes": [0, 1], "pool_int64s": [3, 4], "mode": "TF"}
WORDS |= {"min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0}
HEADS = {"num_heads": 2, "kv_num_heads": 1}
BYTES = x(2, 4, dtype="uint8")
WORD = k([[0, 0]], "int32")


def grouped(size, *tables):
    """Two heads of queries, of this size, that share keys and values."""
    kept = [k([2], "int32"), k(3, "int32"), *tables]
    return ms("GroupQueryAttention", x(1, 3, 2 * size), x(1, 3, size), x(1, 3, size), None, None, *kept, **HEADS)


def masked(value, length, *past, **given):
    """A token whose values are of that size, beside keys and values of a length."""
    kept = [*past, k([1], "int32")] if past else []
    keys = [x(1, 1, 4), x(1, length, 4), x(1, length, value)]
    return ms("DecoderMaskedMultiHeadAttention", *keys, None, None, *kept, num_heads=2, **given)


def quantized_embedding(*segments):
    """A look-up of words with some of what segments need: the segments, their table, its scale and zero point."""
    tables = [x(*shape, dtype="uint8") for shape in ((5, 4), (6, 4), (4,), (4,))]
    words, table, scale, zero = (given if i in segments else None for i, given in enumerate([WORD, BYTES, S, Z]))
    inputs = [WORD, words, *tables[:2], table, *tables[2:], None, S, S, scale, S, S, Z, Z, zero, Z, Z]
    return ms("QEmbedLayerNormalization", *inputs, outputs=2)


def indexer(*inputs, **given):
    """A selection of tokens."""
    policy = {"policy_mode": "qsa", "token_budget": 4, "compress_ratio": 2, "outputs": 2, **given}
    return ms(
        "SparseAttentionIndexer",
        x(1, 4, 16),
        x(1, 4, 8),
        x(8),
        x(8),
        *[x(8, 4)] * 2,
        None,
        x(1, 0, 8),
        *inputs,
        **policy,
    )


def packed(size, **given):
    return ms("MatMulFpQ4", x(2, 40), x(size, dtype="uint8"), k([40, 4]), **given)


HARDWARE = "not yet supported on this hardware platform"
BUFFER = {"outputs": 3, "past_present_share_buffer": 1}
REFUSED = [
    *(quantized_embedding(*some) for some in ((0,), (1,), (2,), (3,), (0, 1), (0, 1, 2), (0, 1, 3), (1, 2, 3))),
    *(packed(84), packed(160), packed(167), packed(168, blk_quant_type=0)),
    op("SimplifiedLayerNormalization", x(2, 3), x(3, dtype="float16"), version=1, outputs=2),
    op("SimplifiedLayerNormalization", x(2, 3, dtype="float16"), x(3), version=1),
    *(masked(5, 1, *[x(1, 2, 6, 2)] * 2, **BUFFER), masked(4, 2, *[x(1, 2, 6, 2)] * 2, **BUFFER)),
    ms("SparseAttention", *[x(1, 3, 32)] * 3, *[x(1, 2, 4, 16)] * 2, k([[0, 1]], "int32"), k([[0]], "int32"),
       k(3, "int32"), k([3], "int32"), outputs=3, num_heads=2, kv_num_heads=2, sparse_block_size=16),
    *(indexer(policy_mode="msa"), indexer(token_budget=3), indexer(token_budget=0), indexer(index_topk=4)),
    *(indexer(x(1, 4, 16)), indexer(outputs=3), indexer(token_budget=2**31), indexer(compress_ratio=0)),
    *(grouped(4), grouped(12), grouped(8, x(5, 4), x(5, 4)), grouped(32, x(5, 12), x(5, 12))),
    op("RotaryEmbedding", x(2, 3, 32), *[x(2, 3, 4)] * 2, version=23, num_heads=4, rotary_embedding_dim=9),
    op("Attention", *[x(1, 2, 2, 8)] * 3, x(2, 2, dtype="int8"), version=23, outputs=4, qk_matmul_output_mode=3,
       softmax_precision=11),
    op("SimplifiedLayerNormalization", x(2, 3), version=1),
    ms("MultiHeadAttention", x(1, 0, 3), *[x(1, 3, 3)] * 2, num_heads=2),
    ms("DecoderMaskedMultiHeadAttention", x(1, 1, 5), *[x(1, 2, 2, 2)] * 2, num_heads=2),
    op("Attention", *[x(1, 2, 3, 4)] * 3, scale=-1.0, version=23),
    op("BatchNormalization", x(2, 3), *[x(3)] * 4, training_mode=-1),
    op("BatchNormalization", x(2, 3), *[x(3)] * 4, outputs=3),
    op("BatchNormalization", x(2, 3, 4), *[x(3)] * 4, spatial=2, version=7),
    op("BatchNormalization", x(2, 3, 4), *[x(3)] * 4, outputs=3, version=9),
    op("Attention", *[x(1, 2, 3, 4)] * 3, qk_matmul_output_mode=4, outputs=4, version=23),
    op("Attention", *[x(1, 2, 3, 4)] * 3, None, None, None, k([-1]), version=24),
    op("Attention", *[x(1, 2, 3, 4)] * 3, None, None, None, k([4]), version=24),
    op("Attention", *[x(1, 2, 3, 4)] * 2, x(1, 2, 3, 4, dtype="float64"), version=23),
    op("Attention", *[x(1, 2, 3, 4)] * 3, x(3, 3, dtype="int64"), is_causal=1, version=23),
    op("Attention", *[x(1, 2, 3, 4)] * 3, x(3, 5), *[x(1, 2, 2, 4)] * 2, version=23),
    op("QuantizeLinear", x(3, 4), x(dtype="float16"), x(dtype="uint8"), version=21),
    op("RMSNormalization", x(2, 3), x(3, dtype="float64"), version=23),
    op("Flatten", x(2, 3), axis=-1, version=9),
    op("Squeeze", x(1, 2), None),
    op("Squeeze", x(1, 2), None, version=24),
    op("Split", x(5), num_outputs=0),
    op("Split", x(5), k([2, 3]), num_outputs=2, outputs=2),
    op("TfIdfVectorizer", x(3, dtype="int64"), **{**WORDS, "pool_int64s": [3, 3]}),
    ml("SVMRegressor", x(2, 2), coefficients=[1.0], support_vectors=[1.0] * 4, n_supports=2, rho=[0.5], **LINEAR),
    ms("Attention", x(1, 2, 4), x(4, 12), x(12), num_heads=2, do_rotary=1),
    ms("CausalConvWithState", x(1, 2, 4), x(2, 1, 3), state_window=1, outputs=2),
    ms("DecoderMaskedMultiHeadAttention", *[x(4, 1, 4)] * 3, num_heads=2, outputs=3),
    ms("DecoderMaskedMultiHeadAttention", *[x(4, 1, 4)] * 3, num_heads=2, past_present_share_buffer=1),
    ms("DecoderMaskedMultiHeadAttention", *[x(4, 1, 4)] * 3, None, None, *[x(4, 2, 3, 2)] * 2, k([1], "int32"),
       num_heads=2, outputs=3),
    ms("DecoderMaskedMultiHeadAttention", *[x(4, 1, 4)] * 3, None, None, *[x(4, 2, 3, 2)] * 2,
       num_heads=2, outputs=3, past_present_share_buffer=1),
    ms("Attention", x(1, 1, 8), x(8, 24), x(24), None, x(2, 1, 2, 6, 4), None, k(2, "int32"), outputs=2, num_heads=2,
       past_present_share_buffer=1),
    ms("AttnLSTM", x(3, 2, 4), x(1, 8, 4), x(1, 8, 2), *[None] * 5, x(1, 2, 3), x(1, 7, 3), x(1, 3), x(2, 5, 7),
       hidden_size=2),
    ms("FusedGemm", x(2, 2), x(2, 2), x(2)),
    ms("GroupQueryAttention", x(1, 3, 8), x(1, 3, 4), x(1, 3, 4), None, None, k([2], "int32"), k(3, "int32"),
       outputs=3, **HEADS),
    ms("GroupQueryAttention", x(1, 3, 16), x(1, 3, 8), x(1, 3, 8), None, None, k([2], "int32"), k(3, "int32"),
       *[None] * 7, x(8), x(8), outputs=3, **HEADS),
    ms("GroupQueryAttention", x(1, 3, 16), x(1, 3, 8), x(1, 3, 8), *[x(1, 1, 2, 8)] * 2, k([1], "int32"),
       k(5, "int32"), outputs=3, **HEADS),
    ms("GroupQueryAttention", x(1, 3, 16), x(1, 3, 8), x(1, 3, 8), None, None, k([2], "int32"), k(3, "int32"),
       outputs=3, sliding_window_cache=1, **HEADS),
    ms("LinearAttention", x(1, 4, 4), x(1, 4, 2), x(1, 4, 2), outputs=2, q_num_heads=2, kv_num_heads=1,
       update_rule="linear", state_window=1),
    op("Bernoulli", x(3), dtype=0),
    op("BitCast", x(3), to=11, version=26),
    op("EyeLike", x(2, 2), dtype=-1),
    op("BlackmanWindow", k(3), output_datatype=-1),
    op("HannWindow", k([3])),
    op("HammingWindow", k(0)),
    op("Cast", x(2), to=0),
    op("CastLike", x(2), x(2), saturate=0),
    op("Conv", x(1, 1, 3, 3), x(4, 1, 2, 2), x(1, 4)),
    op("ConvTranspose", x(1, 1, 3, 3), x(1, 4, 2, 2), x(1, 4)),
    op("GRU", x(2, 1, 3), x(1, 6, 3), x(1, 6, 2), hidden_size=2, clip=-1.0, outputs=2),
    op("Conv", x(1, 1, 3, 3), k([[[[]]]], "float32")),
    op("DFT", x(4, 2, 1), k([4]), axis=0, version=17),
    op("DequantizeLinear", x(2, 4, dtype="uint8"), x(2), axis=0, block_size=-1),
    op("GatherND", x(2, 0, 2), k([[[1]], [[1]]]), batch_dims=1),
    op("GatherElements", x(2, 0), x(2, 3, dtype="int64"), axis=1),
    op("GridSample", x(1, 1, 3, 3), x(1, 2, 2, 2), mode="cubic", version=16),
    op("GridSample", x(1, 1, 3, 3), x(1, 2, 2, 2), mode="bicubic", version=20),
    op("LRN", x(1, 2, 3, 3), size=1, alpha=0.0),
    op("LayerNormalization", x(2, 3), x(3), stash_type=-1, outputs=2),
    op("MaxPool", x(1, 1, 4, 4), **POOL),
    op("MaxPool", x(1, 1, 4, 4), kernel_shape=[2, 2], storage_order=2),
    op("MelWeightMatrix", k([2]), k(8), k(8000), k(0.0, "float32"), k(4000.0, "float32")),
    op("MelWeightMatrix", k(2), k(-2), k(8000), k(0.0, "float32"), k(4000.0, "float32")),
    op("QLinearMatMul", x(2, 2, dtype="uint8"), S, Z, x(2, 2, dtype="uint8"), S, Z, k([[1]], "float32"), Z),
    op("Range", k([0]), k(3), k(1)),
    op("RegexFullMatch", k(["a"], "object")),
    op("Resize", x(1, 1, 2, 2), None, k([1, 1, 2, 2], "float32"), nearest_mode="edge"),
    op("RoiAlign", x(1, 1, 4, 4), x(1, 4), k([0]), mode="sum"),
    op("RoiAlign", x(1, 1, 4, 4), x(1, 4), k([0]), output_width=-1),
    op("STFT", x(1, 8, 1), k(2)),
    op("Split", x(3, 2), num_outputs=9, outputs=2),
    op("TfIdfVectorizer", x(3, dtype="int64"), **{**WORDS, "mode": "mean"}),
    op("TfIdfVectorizer", x(3, dtype="int64"), **{**WORDS, "max_gram_length": 2}),
    op("TfIdfVectorizer", x(3, dtype="int64"), **WORDS, weights=[1.0]),
    op("TfIdfVectorizer", x(3, dtype="int64"), **{**WORDS, "ngram_counts": [3]}),
    ml("FeatureVectorizer", x(2, 3), inputdimensions=[-1]),
    ml("Imputer", x(2, 3, dtype="int64"), imputed_value_floats=[1.0]),
    ml("LinearClassifier", x(2, 2), coefficients=[1.0] * 5, intercepts=[0.0] * 2, classlabels_ints=[1, 2], outputs=2),
    ml("LinearClassifier", x(2, 2), coefficients=[1.0] * 4, classlabels_ints=[1, 2], outputs=2),
    ml("LinearRegressor", x(2, 2), coefficients=[1.0] * 4, targets=-1),
    ml(
        "SVMClassifier", x(2, 2), outputs=2, classlabels_ints=[0, 1], vectors_per_class=[1, 1], rho=[0.5],
        support_vectors=[1.0] * 4, coefficients=[1.0] * 2, prob_a=[1.0], **LINEAR,
    ),
    ms("CausalConvWithState", x(1, 2, 4), x(2, 1, 3), activation="relu", outputs=2),
    ms("CausalConvWithState", x(1, 2, 4), x(2, 1, 3), state_window=9, outputs=2),
    ms("EmbedLayerNormalization", WORD, None, x(0, 4), x(6, 4), None, x(4), x(4), outputs=2),
    ms("FusedGemm", x(2, 2), x(2, 2), x(2), activation="Gelu"),
    ms("FusedConv", x(1, 1, 3, 3), x(1, 1, 2, 2), activation="Gelu"),
    ms("GroupQueryAttention", x(1, 3, 16), x(1, 3, 8), x(1, 3, 8), None, None, k([2], "int32"), k(3, "int32"),
       outputs=3, causal=2, **HEADS),
    ms("MatMulBnb4", x(2, 32), x(32, dtype="uint8"), x(4), K=32, N=-2, block_size=16, quant_type=1),
    ms("MoE", x(2, 3), x(2, 2), x(2, 4, 3), None, x(2, 3, 4), k=-1, activation_type="gelu"),
    ms("MoE", x(2, 3), x(2, 2), x(2, 4, 3), None, x(2, 3, 4), k=1, activation_type="gelu", use_sparse_mixer=1),
    ms("NhwcMaxPool", x(1, 4, 4, 1, dtype="uint8"), **POOL),
    ms("QLinearConcat", S, Z, x(2, 2, dtype="uint8"), S, k(0, "int8"), axis=0),
    ms("SkipLayerNormalization", x(1, 2, 3), x(1, 2, 3), x(3), epsilon=-1.0),
    ms("Tokenizer", k([["a"]], "object"), mark=0, pad_value="#", mincharnum=0, separators=[" "]),
]  # fmt: skip
RUNNING = [
    *(quantized_embedding(), quantized_embedding(0, 1, 2, 3), packed(168), packed(160, blk_quant_type=0)),
    *(masked(5, 1), masked(5, 2), masked(4, 1, *[x(1, 2, 6, 2)] * 2, **BUFFER)),
    op("SimplifiedLayerNormalization", *[x(3, dtype="float16")] * 2, version=1),
    *(grouped(8), grouped(24), grouped(16, x(5, 8), x(5, 8)), grouped(32, x(5, 8), x(5, 8))),
    op("SimplifiedLayerNormalization", x(2, 3), x(3), version=1),
    *(ms("MultiHeadAttention", x(0, 1, 3), *[x(0, s, 3)] * 2, num_heads=2) for s in (0, 1)),
    ms("MultiHeadAttention", x(1, 2, 4), x(1, 0, 4), x(1, 0, 3), num_heads=2),
    ms("DecoderMaskedMultiHeadAttention", *[x(0, 1, 5)] * 3, num_heads=2),
    ms("DecoderMaskedMultiHeadAttention", x(0, 1, 5), *[x(0, 2, 2, 2)] * 2, num_heads=2),
    op("CenterCropPad", x(4, 3), k([-5, 3])),
    op("BatchNormalization", x(2, 3, 4), *[x(3, 4)] * 4, spatial=2, version=7),
    op("Compress", x(), k([1, 0], "bool"), version=9),
    op("Squeeze", x(1, 2)),
    ms("AttnLSTM", x(3, 2, 4), x(1, 8, 11), x(1, 8, 2), *[None] * 5, x(1, 2, 3), x(1, 7, 3), x(1, 3), x(2, 5, 7),
       hidden_size=2),
    ms("DecoderMaskedMultiHeadAttention", *[x(4, 1, 4)] * 3, num_heads=2),
    ms("DecoderMaskedMultiHeadAttention", *[x(4, 1, 4)] * 3, None, None, *[x(4, 2, 3, 2)] * 2, k([1], "int32"),
       num_heads=2, outputs=3, past_present_share_buffer=1),
    ms("GroupQueryAttention", x(1, 3, 16), x(1, 3, 8), x(1, 3, 8), *[x(1, 1, 2, 8)] * 2, k([2], "int32"),
       k(5, "int32"), outputs=3, **HEADS),
    op("MeanVarianceNormalization", x(1, 2, 3, 3)),
    op("MelWeightMatrix", k(2), k(-1), k(8000), k(0.0, "float32"), k(4000.0, "float32")),
    op("Resize", x(1, 1, 2, 2), None, k([1, 1, 2, 2], "float32"), mode="linear", nearest_mode="edge"),
    op("Resize", x(1, 1, 2, 2), None, None, k([7, -5]), axes=[2, 3], keep_aspect_ratio_policy="not_smaller"),
    op("Upsample", x(1, 1, 2, 2), k([[1, 1, 2, 2]], "float32"), version=9),
    ml(
        "TreeEnsembleClassifier", x(2, 2), outputs=2, class_ids=[0, 1], class_nodeids=[1, 2], class_treeids=[0, 0],
        class_weights=[1.0, 2.0], classlabels_int64s=[4, 5], **{**TREE, "nodes_featureids": [1, 9, 9]},
    ),
    ms("BifurcationDetector", x(3, dtype="int64"), x(2, dtype="int64"), k([[0]]), outputs=2),
    *(ms("MatMulIntegerToFloat", BYTES, x(4, 3, dtype="uint8"), S, S, None, None, x(*b)) for b in ((1, 3), (3, 1))),
    ms("DynamicQuantizeMatMul", x(2, 4), x(4, 3, dtype="uint8"), S, None, x(1, 1, 3)),
    ms("MoE", x(2, 3), x(2, 2), x(2, 4, 3), None, x(2, 3, 4), k=1, activation_type="gelu", swiglu_fusion=1),
    ms("MurmurHash3", x(3, dtype="int32"), positive=2),
    ms("QLinearConcat", S, Z, x(2, 2, dtype="uint8"), k([[1]], "float32"), Z, axis=0),
    ms("QLinearMul", x(2, dtype="uint8"), S, Z, x(2, dtype="uint8"), S, Z, S),
]  # fmt: skip


@pytest.fixture(scope="module")
def random(pytestconfig):
    return Random(pytestconfig.getoption("--seed"))


@pytest.fixture(scope="module")
def ran(pytestconfig, random):
    if pytestconfig.getoption("--full"):
        return running(calls(range(2 * len(RECIPES))))
    return running(random.sample(calls(random.sample(range(len(RECIPES)), GROWN)), CALLS))


def forest(root=0, yes=(1, 0, 1), no=(2, 2, 3), **given):
    """A tree of three nodes and four leaves that begins at a root: 0 branches to 1 and 2."""
    lists = {"nodes_featureids": [0] * 3, "nodes_truenodeids": list(yes), "nodes_falsenodeids": list(no)}
    lists |= {"nodes_trueleafs": [0, 1, 1], "nodes_falseleafs": [0, 1, 1], "leaf_targetids": [0] * 4}
    of_floats = {"nodes_splits": np.ones(3, np.float32), "leaf_weights": np.ones(4, np.float32)}
    tensors = {n: numpy_helper.from_array(v) for n, v in {**of_floats, "nodes_modes": np.zeros(3, np.uint8)}.items()}
    return op(
        "TreeEnsemble",
        x(2, 2),
        domain="ai.onnx.ml",
        version=5,
        tree_roots=[root],
        **lists,
        **tensors,
        **{"n_targets": 1, **given},
    )


GIVES = {"target_ids": [0, 1], "target_nodeids": [1, 2], "target_treeids": [0, 0], "target_weights": [1.0, 2.0]}


def trees(**given):
    """A node and two leaves, listed as before version 5."""
    return ml("TreeEnsembleRegressor", x(2, 2), **{"n_targets": 2, **GIVES, **TREE, **given})


REFUSED += [
    trees(n_targets=1), trees(target_ids=[0, -1]), trees(target_ids=[0]), trees(target_weights=[1.0]),
    trees(target_nodeids=[1, 7]), trees(nodes_truenodeids=[0, 0, 0]), trees(nodes_truenodeids=[9, 0, 0]),
    trees(nodes_modes=["BRANCH", "LEAF", "LEAF"]), trees(nodes_values=[0.5]), trees(nodes_nodeids=[0, 1, 1]),
    trees(nodes_featureids=[-1, 0, 0]), trees(base_values=[1.0]), trees(aggregate_function="MEAN"),
    trees(nodes_truenodeids=[1, 2, 0], nodes_falsenodeids=[2, 2, 0], nodes_modes=["BRANCH_EQ"] * 2 + ["LEAF"]),
]  # fmt: skip
if NEW:
    RUNNING.append(op("QuantizeLinear", x(3, 4), x(dtype="float16"), x(dtype="uint8"), version=23))
RUNNING += [trees(), trees(base_values=[1.0, 2.0])]
RUNNING += [trees(nodes_falsenodeids=[1, 0, 0]), trees(nodes_truenodeids=[1, 9, 9])]
REFUSED += [
    forest(yes=(0, 0, 1)),
    forest(no=(1, 2, 3)),
    forest(aggregate_function=4),
    forest(post_transform=5),
    forest(n_targets=0),
]
RUNNING += [forest(), forest(1), forest(yes=(2, 0, 1), no=(1, 2, 3)), forest(1, yes=(0, 0, 1))]


def test_what_is_always_refused():
    for call, run in zip(REFUSED, outcomes(REFUSED), strict=True):
        assert run.refused or runs_in_newer(shapesmt.check(call.proto)), call
        assert not run.open or HARDWARE in run.refused, (call, run)
        assert not compare(call, run), call


def test_what_runs_all_the_same():
    for call, run in zip(RUNNING, outcomes(RUNNING), strict=True):
        if HARDWARE in run.refused:
            continue
        assert run.made, (call, run)
        assert not compare(call, run), call


def test_calls(ran):
    disagreeing = [f"{call}: {what}" for call, run in ran if (what := compare(call, run))]
    assert not disagreeing, "\n".join(disagreeing)


def test_laws(ran, random, full, pytestconfig):
    every = [list(siblings(call)) for call, _ in ran]
    chosen = [s for made in every for s in (made if full else random.sample(made, min(SIBLINGS, len(made))))]
    found = [(call, compare(call, run)) for call, run in zip(chosen, outcomes(chosen), strict=True)]
    disagreeing = [f"{call}: {what}" for call, what in found if what]
    assert not disagreeing, f"seed {pytestconfig.getoption('--seed')}\n" + "\n".join(disagreeing)
