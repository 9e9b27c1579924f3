"""Attributes that have one of a few values, none of which decides a shape: the runtime refuses any other."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapesmt.graph import Node

AUTO_PAD = ("", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
FLAG = (0, 1)
PADDED = "AveragePool Conv ConvInteger ConvTranspose FusedConv LpPool MaxPool NhwcConv NhwcFusedConv QLinearConv"
SCORED = "LinearClassifier LinearRegressor SVMClassifier SVMRegressor TreeEnsembleClassifier TreeEnsembleRegressor"
SAMPLING = ("bilinear", "bicubic", "nearest", "linear", "cubic")

CHOICES: dict[tuple[str, str], tuple[str | int, ...]] = {
    ("auto_pad", PADDED): AUTO_PAD,
    ("direction", "BitShift"): ("LEFT", "RIGHT"),
    ("direction", "RNN GRU LSTM"): ("forward", "reverse", "bidirectional"),
    ("layout", "RNN GRU LSTM"): FLAG,
    ("fmod", "Mod"): FLAG,
    ("exclusive", "CumSum"): FLAG,
    ("reverse", "CumSum"): FLAG,
    ("approximate", "Gelu"): ("none", "tanh"),
    ("keep_aspect_ratio_policy", "Resize"): ("stretch", "not_larger", "not_smaller"),
    ("mode", "Upsample"): ("nearest", "linear", "cubic"),
    ("mode", "GridSample"): SAMPLING,
    ("padding_mode", "GridSample"): ("zeros", "border", "reflection"),
    ("post_transform", SCORED): ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"),
    ("kernel_type", "SVMClassifier SVMRegressor"): ("LINEAR", "POLY", "RBF", "SIGMOID"),
    ("norm", "Normalizer"): ("MAX", "L1", "L2"),
    ("quant_type", "MatMulBnb4"): FLAG,
    ("activation_type", "MoE QMoE"): ("relu", "gelu", "silu", "swiglu", "identity"),
}
NEEDED = {"RNN": "hidden_size", "GRU": "hidden_size", "LSTM": "hidden_size", "FeatureVectorizer": "inputdimensions"}


@cache
def _by_operator() -> Mapping[str, Mapping[str, tuple[str | int, ...]]]:
    found: dict[str, dict[str, tuple[str | int, ...]]] = {}
    for (attribute, operators), values in CHOICES.items():
        for operator in operators.split():
            found.setdefault(operator, {})[attribute] = values
    return found


def refused(node: Node) -> str:
    """The law that an attribute breaks by its value or its absence, "" where none does.

    >>> from shapesmt.graph import Attributes, Node
    >>> refused(Node("Mod", "", "mod", ["x", "y"], ["z"], Attributes({"fmod": 2})))
    "attribute 'fmod' is 0 or 1"
    """
    if node.domain.startswith(("openvino", "tensorflow")):
        return ""
    for attribute, values in _by_operator().get(node.op, {}).items():
        if attribute in node.attributes and node.attributes[attribute] not in values:
            listed = [str(v) for v in values if v != ""]
            return f"attribute '{attribute}' is {', '.join(listed[:-1])} or {listed[-1]}"
    name = NEEDED.get(node.op)
    return f"attribute '{name}' is given" if name and name not in node.attributes else ""
