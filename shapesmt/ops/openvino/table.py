"""Operators of OpenVINO that equal an ONNX operator of another name, one line each."""

from __future__ import annotations

from shapesmt.ops.openvino.signatures import DOMAIN, operator
from shapesmt.ops.shared.bridge import Row, rename

TABLE = {
    **{name: Row(name) for name in ("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Cos")},
    **{name: Row(name) for name in ("Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "Log", "Mish", "Sigmoid", "Sign")},
    **{name: Row(name) for name in ("Sin", "Sinh", "Sqrt", "Tan", "Tanh", "IsNaN")},
    "Ceiling": Row("Ceil"),
    "HSigmoid": Row("HardSigmoid"),
    "HSwish": Row("HardSwish"),
    "HardSigmoid": Row("HardSigmoid", inputs=1),
    "Identity": Row("Identity"),
    "IsInf": Row("IsInf", {name: name for name in ("detect_negative", "detect_positive")}),
    "ReLU": Row("Relu"),
    "Relu": Row("Relu"),
    "Round": Row("Round"),
    "Selu": Row("Selu", inputs=1),
    "SoftPlus": Row("Softplus"),
    "SoftSign": Row("Softsign"),
    "Swish": Row("Swish", inputs=1),
    "Concat": Row("Concat", {"axis": "axis"}),
    "GridSample": Row("GridSample"),
}

rename(TABLE, DOMAIN, operator)
