"""TensorFlow's operators on each element against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import named, scalar

raw = tf.raw_ops

UNARY = [
    *("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Digamma", "Erf", "Erfc"),
    *("Erfinv", "Exp", "Expm1", "Floor", "Inv", "IsFinite", "IsInf", "IsNan", "Lgamma", "Log", "Log1p", "Ndtri"),
    *("Neg", "Reciprocal", "Rint", "Round", "Rsqrt", "Sigmoid", "Sign", "Sin", "Sinh", "Sqrt", "Square", "Tan"),
    *("Tanh", "BesselI0e", "BesselI1e", "BesselJ0", "Dawsn", "Expint", "FresnelCos", "Spence", "GuaranteeConst"),
]


LAYERS = ["Elu", "Relu", "Relu6", "LeakyRelu", "Selu", "Softplus", "Softsign"]


@pytest.mark.parametrize("name", UNARY + LAYERS)
def test_one_operand(name, agree):
    agree(named(name), "0..3,2")


ONE = {
    "Identity": lambda x: raw.Identity(input=x),
    "StopGradient": lambda x: raw.StopGradient(input=x),
    "PreventGradient": lambda x: raw.PreventGradient(input=x),
    "Snapshot": lambda x: raw.Snapshot(input=x),
    "CheckNumerics": lambda x: raw.CheckNumerics(tensor=x, message=""),
    "IdentityN": lambda x: raw.IdentityN(input=[x, tf.shape(x)]),
    "Print": lambda x: raw.Print(input=x, data=[x], first_n=0),
    "Invert": lambda x: raw.Invert(x=tf.cast(x, tf.int32)),
    "PopulationCount": lambda x: raw.PopulationCount(x=tf.cast(x, tf.int32)),
    "LogicalNot": lambda x: raw.LogicalNot(x=tf.cast(x, tf.bool)),
    "Cast": lambda x: raw.Cast(x=x, DstT=tf.int64),
    "Bitcast": lambda x: raw.Bitcast(input=x, type=tf.int32),
    "BitcastSmaller": lambda x: raw.Bitcast(input=x, type=tf.uint8),
    "BitcastLarger": lambda x: raw.Bitcast(input=x, type=tf.float64),
    "FakeQuantWithMinMaxArgs": lambda x: raw.FakeQuantWithMinMaxArgs(inputs=x),
    "AsString": lambda x: raw.AsString(input=x),
    "complex": lambda x: [f(tf.complex(x, x)) for f in (tf.math.real, tf.math.imag, tf.abs, tf.math.angle)],
}


@pytest.mark.parametrize("name", ONE)
def test_kept(name, agree):
    agree(ONE[name], "0..3,1..3")


def test_softmax(agree):
    agree(lambda x: [raw.Softmax(logits=x), raw.LogSoftmax(logits=x)], "0..3,0..2")
    agree(lambda x: raw.Softmax(logits=x), "0..2,0..2,2")


BINARY = [
    *("Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "Pow", "Maximum", "Minimum"),
    *("SquaredDifference", "DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py", "Atan2", "Igamma", "Igammac"),
    *("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual", "NextAfter", "Complex", "Zeta"),
]


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, agree):
    agree(named(name), "0..3,2", "1..3")
    agree(named(name), "1..2,1..2", "1..3,1..3,1")


def test_alike_operands(agree):
    agree(lambda x, y: raw.ApproximateEqual(x=x, y=y), "0..2,2", "0..2,1..2")
    agree(lambda x, y: raw.AddN(inputs=[x, y, x]), "0..2,2", "0..2,1..2")
    agree(lambda x: raw.AddN(inputs=[x]), "0..2,2")
    agree(lambda x, y: raw.AccumulateNV2(inputs=[x, y], shape=[]), "0..2,2", "0..2,1..2", may_fail_more=True)


def test_equality_of_shapes_that_may_differ(agree):
    agree(lambda x, y: x == y, "2,1..3", "1")
    agree(lambda x, y: raw.Equal(x=x, y=y, incompatible_shape_error=False), "1..3", "1..3", known=False)


@pytest.mark.parametrize("name", ["LogicalAnd", "LogicalOr"])
def test_logic(name, agree):
    agree(named(name), "1..3,2", "1..3", dtypes=["bool"] * 2)


INTEGERS = ["BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", "TruncateDiv", "TruncateMod", "Div"]


@pytest.mark.parametrize("name", [*INTEGERS, "FloorDiv", "FloorMod", "Mod", "Pow", "Add", "Maximum"])
def test_integers(name, agree):
    agree(named(name), "1..3,2", "1..3", dtypes=["int32"] * 2)


@pytest.mark.parametrize("name", ["TruncateDiv", "TruncateMod", "Div", "FloorDiv", "FloorMod", "Mod"])
def test_integer_divisions(name, agree):
    agree(lambda x: named(name)(tf.shape(x) - 3, scalar(2)), "0..5")
    agree(lambda x: named(name)(tf.shape(x) - 3, scalar(-2)), "0..5")
    agree(lambda x: named(name)(scalar(7), tf.shape(x)[0] - 2), "0..5")
    agree(lambda x: named(name)(tf.cast(x, tf.int32), tf.shape(x)), "0..2")
    agree(lambda x: named(name)(tf.cast(x, tf.int32), scalar(0)), "0..2")


def test_powers_of_integers(agree):
    agree(lambda x: raw.Pow(x=scalar(2), y=tf.shape(x)[0] - 1), "0..5")
    agree(lambda x: raw.Pow(x=tf.shape(x)[0], y=scalar(2)), "0..5")
    agree(lambda x: raw.Pow(x=tf.shape(x)[0], y=scalar(7)), "0..9")
    agree(lambda x: raw.Pow(x=scalar(3), y=tf.shape(x)[0]), "0..9")


def test_floats_are_computed_with(agree):
    def build(x):
        n = tf.cast(tf.shape(x)[0], tf.float32)
        sizes = [n * 0.5, n / 2.0, raw.FloorDiv(x=n, y=2.0), tf.math.ceil(n / 3.0), tf.sqrt(n), tf.round(n / 2.0)]
        return [*sizes, *(tf.cast(s, tf.int32) for s in sizes)]

    agree(build, "1..9")


def test_numbers_at_the_ends_of_their_types(agree):
    def build(x):
        n = tf.cast(tf.shape(x)[0] - 4, tf.float32)
        small = [tf.cast(n * 40.5, t) for t in (tf.uint8, tf.int8, tf.int16, tf.int32)]
        wrapped = [tf.cast(tf.shape(x) + 250, t) * tf.constant(3, t) for t in (tf.uint8, tf.int8)]
        return [*(tf.cast(s, tf.int32) for s in (*small, *wrapped)), n % 3.0, raw.Mod(x=n, y=3.0)]

    agree(build, "1..9")


def test_numbers_that_are_infinite(agree):
    def build(x):
        q = tf.cast(tf.shape(x) - 2, tf.float32) / tf.cast(tf.shape(x) - 3, tf.float32)
        return [tf.cast(kind(q * 0.0 + q), tf.int32) for kind in (tf.math.is_finite, tf.math.is_inf, tf.math.is_nan)]

    agree(build, "1..5")


@pytest.mark.parametrize("name", INTEGERS[:5])
def test_bits_of_sizes(name, agree):
    agree(lambda x: named(name)(tf.shape(x), scalar(3)), "0..9")
    agree(lambda x: named(name)(scalar(13), tf.shape(x)[0]), "0..40")
    agree(lambda x: named(name)(tf.cast(tf.shape(x), tf.uint8), tf.constant(5, tf.uint8)), "0..9")


def test_bias(agree):
    agree(lambda x, b: raw.BiasAdd(value=x, bias=b), "0..2,1..2,1..3", "1..3")
    agree(lambda x, b: raw.BiasAdd(value=x, bias=b, data_format="NCHW"), "0..2,1..3,1..2,2", "1..3")
    agree(lambda x, b: raw.BiasAdd(value=x, bias=b), "0..2,1..2", "1..2,1")
    agree(lambda x, b: raw.BiasAdd(value=x, bias=b), "1..2", "1..2")
    agree(lambda x, b: raw.BiasAddV1(value=x, bias=b), "0..2,1..2,1..3", "1..3")


def test_choices(agree):
    agree(named("SelectV2"), "1..3,2", "1..3,1", "1..3", dtypes=["bool"])
    agree(named("Select"), "0..3", "0..3,2", "0..3,1..2", dtypes=["bool"])
    agree(named("Select"), "1..2,2", "0..2,2", "1..2,1..2", dtypes=["bool"])
    agree(named("Select"), "", "0..2,2", "1..2,1..2", dtypes=["bool"])


def test_clips(agree):
    agree(
        lambda x, y: raw.ClipByValue(t=x, clip_value_min=y, clip_value_max=scalar(2.0, tf.float32)), "0..2,2", "0..2,2"
    )
    agree(lambda x, y: raw.ClipByValue(t=x, clip_value_min=scalar(0.0, tf.float32), clip_value_max=y), "0..2", "1")


def test_fake_quantization(agree):
    agree(lambda x: raw.FakeQuantWithMinMaxVars(inputs=x, min=-1.0, max=1.0), "0..2,2")
    each = raw.FakeQuantWithMinMaxVarsPerChannel
    agree(lambda x, y: each(inputs=x, min=-y, max=y), "0..2,1..3", "1..3")
