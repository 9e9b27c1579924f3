"""TensorFlow operators that ONNX has under another name, one line each."""

from __future__ import annotations

from shapesmt.ops.shared.bridge import Row, rename
from shapesmt.ops.tensorflow.common import DOMAIN

TABLE = {
    **{name: Row(name) for name in ("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseAnd")},
    **{
        name: Row(name)
        for name in ("BitwiseOr", "BitwiseXor", "Ceil", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Greater")
    },
    **{name: Row(name) for name in ("IsInf", "LeakyRelu", "Less", "Log", "Mul", "Neg", "Reciprocal", "Relu")},
    **{name: Row(name) for name in ("Round", "Selu", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt")},
    **{name: Row(name) for name in ("Sub", "Tan", "Tanh")},
    **{name: Row("Identity") for name in ("CheckNumerics", "GuaranteeConst", "Identity", "PreventGradient")},
    **{name: Row("Identity") for name in ("Snapshot", "StopGradient")},
    "Add": Row("Add"),
    "AddV2": Row("Add"),
    "GreaterEqual": Row("GreaterOrEqual"),
    "Inv": Row("Reciprocal"),
    "Invert": Row("BitwiseNot"),
    "IsNan": Row("IsNaN"),
    "LessEqual": Row("LessOrEqual"),
    "LogSoftmax": Row("LogSoftmax"),
    "LogicalAnd": Row("And"),
    "LogicalNot": Row("Not"),
    "LogicalOr": Row("Or"),
    "Maximum": Row("Max"),
    "Minimum": Row("Min"),
    "Print": Row("Identity", inputs=1),
    "Rint": Row("Round"),
    "Softmax": Row("Softmax"),
}

rename(TABLE, DOMAIN)
