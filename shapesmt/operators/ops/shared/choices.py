"""Allowed values of attributes that don't affect shapes, such as `mode`; runtimes refuse others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from shapesmt.network import laws
from shapesmt.network.graph import Node

AUTO_PAD = ("", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
FLAG = (0, 1)
PADDED = """AveragePool Conv ConvInteger ConvTranspose ConvTransposeWithDynamicPads FusedConv LpPool MaxPool
MaxpoolWithMask NhwcConv NhwcFusedConv NhwcMaxPool QLinearAveragePool QLinearConv"""
SCORED = "LinearClassifier LinearRegressor SVMClassifier SVMRegressor TreeEnsembleClassifier TreeEnsembleRegressor"
GEMM = (
    *("Celu", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "Selu", "Sigmoid", "Softplus", "Softsign", "Tanh"),
    "ThresholdedRelu",
)
KEPT_AS = ("NONE", "PER_TENSOR", "PER_CHANNEL", "none", "per_tensor", "per_channel")
COORDINATES = (
    *("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"),
    *("tf_crop_and_resize", "tf_half_pixel_for_nn"),
)

CHOICES: dict[tuple[str, str], tuple[str | int, ...]] = {
    ("auto_pad", PADDED): AUTO_PAD,
    ("direction", "BitShift"): ("LEFT", "RIGHT"),
    ("direction", "AttnLSTM DynamicQuantizeLSTM RNN GRU LSTM"): ("forward", "reverse", "bidirectional"),
    ("layout", "RNN GRU LSTM"): FLAG,
    ("fmod", "Mod"): FLAG,
    ("storage_order", "MaxPool"): FLAG,
    ("center_point_box", "NonMaxSuppression"): FLAG,
    ("case_change_action", "StringNormalizer"): ("NONE", "LOWER", "UPPER"),
    ("mode", "Resize"): ("nearest", "linear", "cubic"),
    ("coordinate_transformation_mode", "Resize"): COORDINATES,
    ("update_rule", "LinearAttention"): ("linear", "gated", "delta", "gated_delta"),
    ("exclusive", "CumSum CumProd"): FLAG,
    ("reverse", "CumSum CumProd"): FLAG,
    ("approximate", "Gelu"): ("none", "tanh"),
    ("keep_aspect_ratio_policy", "Resize"): ("stretch", "not_larger", "not_smaller"),
    ("mode", "Upsample"): ("nearest", "linear", "cubic"),
    ("mode", "CropAndResize"): ("bilinear", "nearest"),
    ("mode", "RoiAlign"): ("avg", "max", "AVG", "MAX"),
    ("mode", "TensorScatter"): ("linear", "circular"),
    ("mode", "TfIdfVectorizer"): ("TF", "IDF", "TFIDF"),
    ("round_mode", "Cast"): ("up", "down", "nearest"),
    ("padding_mode", "GridSample"): ("zeros", "border", "reflection"),
    ("aggregate_function", "TreeEnsemble"): (0, 1, 2, 3),
    ("post_transform", "TreeEnsemble"): (0, 1, 2, 3, 4),
    ("aggregate_function", "TreeEnsembleRegressor"): ("AVERAGE", "SUM", "MIN", "MAX"),
    ("post_transform", SCORED): ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"),
    ("kernel_type", "SVMClassifier SVMRegressor"): ("LINEAR", "POLY", "RBF", "SIGMOID"),
    ("norm", "Normalizer"): ("MAX", "L1", "L2"),
    ("quant_type", "MatMulBnb4"): FLAG,
    ("activation_type", "MoE QMoE"): ("relu", "gelu", "silu", "swiglu", "identity"),
    ("activation", "CausalConvWithState"): ("none", "silu", "swish"),
    ("activation", "GatedRMSNorm"): ("silu", "swish", "sigmoid"),
    ("activation", "FusedConv"): ("Relu", "Tanh", "Sigmoid", "HardSwish", "LeakyRelu", "Clip", "HardSigmoid"),
    ("activation", "FusedGemm"): GEMM,
    ("causal", "GroupQueryAttention"): FLAG,
    ("mrope_layout", "MRotaryEmbedding"): FLAG,
    ("state_update_capacity", "VarlenNGramHashMapping"): tuple(range(9)),
    ("policy_mode", "PackedSparseAttentionIndexer SparseAttentionIndexer"): ("csa", "qsa"),
    ("qk_output", "GroupQueryAttention"): (0, 1, 2),
    ("channels_last", "CausalConvWithState"): FLAG,
    ("k_quant_type", "GroupQueryAttention"): KEPT_AS,
    ("v_quant_type", "GroupQueryAttention"): KEPT_AS,
    ("state_window", "CausalConvWithState LinearAttention"): tuple(range(9)),
    ("bits", "MatMulNBits"): (2, 4, 8),
    ("fc1_expert_weight_bits", "QMoE"): (2, 4, 8),
    ("fc2_expert_weight_bits", "QMoE"): (2, 4, 8),
    ("fc3_expert_weight_bits", "QMoE"): (2, 4, 8),
}
SUPPORT = ("coefficients", "kernel_params", "rho")
NEEDED = {
    "RNN": ("hidden_size",), "GRU": ("hidden_size",), "LSTM": ("hidden_size",), "SVMRegressor": SUPPORT,
    "AttnLSTM": ("hidden_size",), "DynamicQuantizeLSTM": ("hidden_size",),
    "RegexFullMatch": ("pattern",), "LinearClassifier": ("intercepts",), "SVMClassifier": SUPPORT,
    "FeatureVectorizer": ("inputdimensions",), "FusedGemm": ("activation",),
    "TreeEnsemble": ("n_targets",), "TreeEnsembleRegressor": ("n_targets",),
    "LinearRegressor": ("coefficients",),
}  # fmt: skip
POSITIVE = {
    "LinearRegressor": ("targets",), "TreeEnsemble": ("n_targets",), "TreeEnsembleRegressor": ("n_targets",),
    "Tokenizer": ("mincharnum",), "MaxRoiPool": ("spatial_scale",),
    "LRN": ("alpha", "beta"), "GRU": ("clip",), "LSTM": ("clip",),
    "AttnLSTM": ("clip", "hidden_size"), "DynamicQuantizeLSTM": ("clip", "hidden_size"),
    "RandomNormal": ("scale",), "RandomNormalLike": ("scale",),
    "TfIdfVectorizer": ("min_gram_length", "max_gram_length"), "MoE": ("k",), "QMoE": ("k",),
    "MatMulBnb4": ("K", "N"), "MatMulNBits": ("K", "N"), "CausalConvWithState": ("dilation",),
    "VarlenCausalConvWithState": ("dilation",),
    "BifurcationDetector": ("min_ngram_size", "max_ngram_size"),
    "PackedSparseAttentionIndexer": ("compress_ratio",), "SparseAttentionIndexer": ("compress_ratio",),
}  # fmt: skip
NOT_NEGATIVE = {
    "RoiAlign": ("sampling_ratio", "output_height", "output_width"), "QMoE": ("block_size",),
    "DequantizeLinear": ("block_size",), "QuantizeLinear": ("block_size",),
    "SkipLayerNormalization": ("epsilon",), "SkipSimplifiedLayerNormalization": ("epsilon",),
    "QEmbedLayerNormalization": ("epsilon",),
    "EmbedLayerNormalization": ("epsilon",), "TfIdfVectorizer": ("max_skip_count",),
}  # fmt: skip


@cache
def _by_operator() -> Mapping[str, Mapping[str, tuple[str | int, ...]]]:
    by_operator: dict[str, dict[str, tuple[str | int, ...]]] = {}
    for (attribute, operators), values in CHOICES.items():
        for operator in operators.split():
            by_operator.setdefault(operator, {})[attribute] = values
    return by_operator


SEPARATORS_OR_TOKENEXP = laws.SM502.law("attribute 'separators' or 'tokenexp' is given")


def broken_law(node: Node) -> laws.Law | None:
    """Return the law that a node violates by an attribute's value or absence; None if it violates none.

    >>> from shapesmt.network.graph import Attributes, Node
    >>> print(broken_law(Node("Mod", "", "mod", ["x", "y"], ["z"], Attributes({"fmod": 2}))))
    attribute 'fmod' is 0 or 1
    """
    if node.domain.startswith(("openvino", "tensorflow", "torch")):
        return None
    for attribute, values in _by_operator().get(node.op, {}).items():
        if attribute in node.attributes and node.attributes[attribute] not in values:
            listed = [str(v) for v in values if v != ""]
            return laws.ATTRIBUTE_IS_ONE_OF.of(name=attribute, values=", ".join(listed[:-1]), last=listed[-1])
    for attribute, value in node.attributes.items():
        if isinstance(value, (int, float)):
            if attribute in POSITIVE.get(node.op, ()) and not value > 0:
                return laws.NAMED_ATTRIBUTE_POSITIVE.of(name=attribute)
            if attribute in NOT_NEGATIVE.get(node.op, ()) and value < 0:
                return laws.NAMED_ATTRIBUTE_NOT_NEGATIVE.of(name=attribute)
    if node.op == "Tokenizer" and node.attributes.keys().isdisjoint(("separators", "tokenexp")):
        return SEPARATORS_OR_TOKENEXP
    missing = [name for name in NEEDED.get(node.op, ()) if name not in node.attributes]
    return laws.ATTRIBUTE_GIVEN.of(name=missing[0]) if missing else None
