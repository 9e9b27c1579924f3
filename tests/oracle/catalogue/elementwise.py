"""Element by element, and with broadcasting."""

from __future__ import annotations

from onnx import TensorProto

from tests.oracle.recipes import AXIS, any_of, op

UNARY = (
    *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor"),
    *(
        "HardSigmoid",
        "HardSwish",
        "IsInf",
        "IsNaN",
        "LeakyRelu",
        "Log",
        "Mish",
        "Reciprocal",
        "Round",
        "Selu",
        "Shrink",
    ),
    *("Sigmoid", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "ThresholdedRelu"),
)
NUMERIC, ANY = "fdij", "fdiub"
CASTS = (TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.UINT8, TensorProto.DOUBLE)

RECIPES = [
    *(op(name, "f *", since=9) for name in UNARY),
    *(op(name, "f *", axis=AXIS) for name in ("Hardmax", "Softmax", "LogSoftmax")),
    *(op(name, "T *", kinds="fij") for name in ("Abs", "Neg", "Sign", "Relu")),
    op("Gelu", "f *", since=20, approximate=any_of(None, "tanh")),
    op("Swish", "f *", since=24),
    op("Identity", "T *", kinds=ANY),
    op("Not", "b *"),
    op("BitwiseNot", "T *", kinds="iju", since=18),
    op("Bernoulli", "f *"),
    op("Cast", "T *", kinds=ANY, to=any_of(*CASTS)),
    op("CastLike", "T *", "f *", since=16),
    op("Clip", "T *", "?T", "?T", kinds="fi"),
    op("Dropout", "f *", outputs=2),
    op("Trilu", "f * n m", "?. 1", upper=any_of(None, 0), since=16),
    op("EyeLike", "f n m", k=any_of(None, 1)),
    *(op(name, "T *", "T ~", kinds=NUMERIC) for name in ("Add", "Sub", "Mul")),
    op("Div", "f *", "f ~"),
    op("Div", "i *", [2]),
    op("Mod", "i *", [3]),
    op("Mod", "f *", "f ~", fmod=1),
    op("Pow", "f *", "f ~"),
    op("PRelu", "f *", "f ~"),
    *(op(name, "T *", "T ~", kinds="fid") for name in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")),
    *(op(name, "b *", "b ~") for name in ("And", "Or", "Xor")),
    *(op(name, "T *", "T ~", kinds="iju", since=18) for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")),
    op("BitShift", "u *", "u ~", direction="LEFT"),
    *(op(name, "T *", "T ~", "?T ~", kinds="fi") for name in ("Max", "Min")),
    *(op(name, "f *", "f ~", "?f ~") for name in ("Mean", "Sum")),
    op("Where", "b *", "T ~", "T ~", kinds="fi"),
    op("StringConcat", "s *", "s ~", since=20),
    op("RegexFullMatch", "s *", pattern="a+", since=20),
    op("StringSplit", "s *", outputs=2, since=20),
    op("StringNormalizer", "s n", stopwords=any_of(None, ["b"]), is_case_sensitive=1),
    op("RandomNormalLike", "f *"),
    op("RandomUniformLike", "f *"),
]
