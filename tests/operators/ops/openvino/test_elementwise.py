"""OpenVINO's operators on each element against its own execution, over all small sizes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from openvino import opset1, opset15 as op

from tests.support.openvino_values import floats, ints, scalar, zeros

UNARY = [
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceiling", "cos", "cosh", "erf", "exp", "floor"),
    *("hsigmoid", "hswish", "is_finite", "is_inf", "is_nan", "log", "mish", "negative", "relu", "sigmoid", "sign"),
    *("sin", "sinh", "softplus", "softsign", "sqrt", "tan", "tanh"),
]


ONE = {
    **{name: getattr(op, name) for name in UNARY},
    "clamp": lambda x: op.clamp(x, 0.0, 6.0),
    "convert": lambda x: op.convert(x, "i32"),
    "convert_like": lambda x: op.convert_like(x, ints(1)),
    "elu": lambda x: op.elu(x, 1.0),
    "gelu": lambda x: op.gelu(x, "erf"),
    "hard_sigmoid": lambda x: op.hard_sigmoid(x, scalar(0.2, np.float32), scalar(0.5, np.float32)),
    "identity": lambda x: op.convert(op.convert(x, "f64"), "f32"),
    "log_softmax": lambda x: op.log_softmax(x, -1),
    "lrn": lambda x: op.lrn(x, ints(1), 1.0, 1.0, 1.0, 3),
    "mvn": lambda x: op.mvn(x, ints(1), True, 1e-6, "inside_sqrt"),
    "normalize_l2": lambda x: op.normalize_l2(x, ints(1), 1e-6, "add"),
    "not": lambda x: op.logical_not(op.convert(x, "boolean")),
    "bitwise_not": lambda x: op.bitwise_not(op.convert(x, "i32")),
    "prelu": lambda x: op.prelu(x, zeros(1)),
    "round": lambda x: op.round(x, "half_to_even"),
    "selu": lambda x: op.selu(x, scalar(1, np.float32), scalar(1, np.float32)),
    "softmax": lambda x: op.softmax(x, -1),
    "swish": lambda x: op.swish(x, scalar(1, np.float32)),
    "cum_sum": lambda x: op.cum_sum(x, scalar(1)),
    "fake_quantize": lambda x: op.fake_quantize(x, zeros(1), zeros(2, 1), zeros(), zeros(), 256),
    "roll": lambda x: op.roll(x, ints(1), ints(1)),
    "bucketize": lambda x: op.bucketize(x, floats(1, 2, 3), "i32"),
    "shape_of": lambda x: op.shape_of(x, output_type="i32"),
    "reverse_sequence": lambda x: op.reverse_sequence(x, ints(1, 1), 1, 0),
}


@pytest.mark.parametrize("name", ONE)
def test_one_operand(name, agree):
    agree(ONE[name], "[2,1..3,1..2]" if name not in ("lrn", "mvn", "normalize_l2") else "[2,1..3,2]")


BINARY = [
    *("add", "subtract", "multiply", "maximum", "minimum", "power", "squared_difference", "equal", "not_equal"),
    *("greater", "greater_equal", "less", "less_equal", "divide", "floor_mod", "mod"),
]


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, agree):
    agree(getattr(op, name), "[1..3,2]", "[1..3]")
    agree(lambda x, y: getattr(op, name)(x, y, auto_broadcast="none"), "[1..3,2]", "[2,1..2]")


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logic(name, agree):
    agree(getattr(op, name), "[1..3,2]", "[1..3]", dtypes=["boolean"] * 2)


BITS = ["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"]


@pytest.mark.parametrize("name", BITS)
def test_bits(name, agree):
    agree(getattr(op, name), "[1..3,2]", "[1..3]", dtypes=["i32"] * 2)


def size_of(x, least=0):
    return op.subtract(op.shape_of(x), ints(least))


@pytest.mark.parametrize("to", ["u8", "i8", "i16", "i32", "i64"])
def test_numbers_at_the_ends_of_their_types(to, agree):
    def scaled(x, factor):
        return op.multiply(op.convert(size_of(x, 4), "f32"), scalar(factor, np.float32))

    agree(lambda x: op.convert(op.convert(scaled(x, 40.5), to), "i64"), "[1..9]")
    agree(lambda x: op.convert(op.multiply(*[op.convert(op.add(size_of(x), ints(30)), to)] * 2), "i64"), "[1..9]")
    if to != "u8":
        agree(lambda x: op.convert(op.negative(op.convert(size_of(x), to)), "i64"), "[1..9]")


@pytest.mark.parametrize("name", BITS)
def test_bits_of_sizes(name, agree):
    agree(lambda x: getattr(op, name)(size_of(x), ints(3)), "[0..9]")
    agree(lambda x: getattr(op, name)(ints(13), size_of(x)), "[0..9]")


def test_powers_of_sizes(agree):
    agree(lambda x: op.power(size_of(x), ints(7)), "[1..30]")
    agree(lambda x: op.power(ints(3), size_of(x)), "[1..20]")


@pytest.mark.parametrize("name", ["is_finite", "is_inf", "is_nan", "floor_mod", "mod"])
def test_quotients_that_are_infinite_and_remainders(name, agree):
    def quotient(x):
        return op.divide(*(op.convert(size_of(x, least), "f32") for least in (2, 3)))

    three = floats(3) if "mod" in name else None
    operands = (lambda x: [op.convert(size_of(x, 5), "f32"), three]) if three else (lambda x: [quotient(x)])
    agree(lambda x: op.convert(getattr(op, name)(*operands(x)), "i64"), "[1..5]")


def test_placed_operands(agree):
    agree(lambda x, y: opset1.add(x, y, auto_broadcast="pdpd"), "[2,1..3,3]", "[1..3]")


def test_select(agree):
    agree(op.select, "[1..3,2]", "[1..3,1]", "[1..3]", dtypes=["boolean", "f32", "f32"])
    agree(lambda c, x: op.select(c, x, x, "none"), "[1..3,2]", "[1..3,2]", dtypes=["boolean"])
