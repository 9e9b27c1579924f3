"""Elementwise operators, and those that make tensors of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from tests.oracle.second.node import MOST, Node, Operators, T, Undecided, broadcast, counted, fail, known, need

op = Operators()

UNARY: dict[str, Callable[[Any], Any] | None] = {
    "Abs": np.abs, "Neg": np.negative, "Floor": np.floor, "Ceil": np.ceil, "Sqrt": np.sqrt, "Sign": np.sign,
    "Exp": np.exp, "Log": np.log, "Not": np.logical_not, "Round": np.rint, "BitwiseNot": np.bitwise_not,
    "Relu": lambda x: np.maximum(x, np.zeros((), x.dtype)), "Identity": lambda x: x, "IsNaN": np.isnan,
}  # fmt: skip
PLAIN = "Acos Acosh Asin Asinh Atan Atanh Celu Cos Cosh Elu Erf Gelu HardSigmoid HardSwish LeakyRelu Mish Reciprocal"
PLAIN += " Selu Shrink Sigmoid Sin Sinh Softplus Softsign Swish Tan Tanh ThresholdedRelu Bernoulli IsInf"
BOOLEAN = ("IsNaN", "IsInf")


def _trunc(a: Any, b: Any) -> Any:
    if a.dtype.kind == "f":
        return a / b
    if (b == 0).any():
        raise Undecided("an integer division by zero")
    return (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(a.dtype)


BINARY: dict[str, Callable[[Any, Any], Any] | None] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": _trunc, "Pow": None, "Mod": None, "BitShift": None,
    "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "Equal": np.equal, "Less": np.less,
    "LessOrEqual": np.less_equal, "Greater": np.greater, "GreaterOrEqual": np.greater_equal,
    "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
}  # fmt: skip
TO_BOOLEAN = ("And", "Or", "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")


def computed(function: Any, dtype: str, shape: tuple[int, ...], *inputs: T) -> T:
    """A tensor of that shape, its elements computed where those of all inputs are known."""
    if function is None or any(t.value is None for t in inputs):
        return T(dtype, shape)
    with np.errstate(all="ignore"):
        made = np.asarray(function(*(t.value for t in inputs)))
    return T(dtype, shape, np.broadcast_to(made, shape) if made.size <= MOST else None)


@op(*UNARY, *PLAIN.split())
def unary(n: Node) -> T:
    """The shape is kept."""
    return computed(UNARY.get(n.op), "bool" if n.op in BOOLEAN else n[0].dtype, n[0].shape, n[0])


@op(*BINARY)
def binary(n: Node) -> T:
    """Two operands broadcast."""
    need(len(n.ins) == 2, "two operands are expected")
    shape = broadcast(n[0].shape, n[1].shape)
    if n.op == "Mod" and n[1].value is not None and (n[1].value == 0).any() and n[1].dtype.startswith("int"):
        raise Undecided("an integer division by zero")
    function = {"Mod": np.fmod if n.get("fmod", 0) else np.mod}.get(n.op, BINARY[n.op])
    return computed(function, "bool" if n.op in TO_BOOLEAN else n[0].dtype, shape, n[0], n[1])


@op("Max", "Min", "Sum", "Mean")
def variadic(n: Node) -> T:
    """Any number of operands broadcast."""
    need(n.ins, "an operand is expected")
    inputs = [n[i] for i in range(len(n.ins))]
    if n.version < 8:
        need(all(t.shape == n[0].shape for t in inputs), "operands have the same shape")
    function = {"Max": np.maximum, "Min": np.minimum, "Sum": np.add}.get(n.op)
    folded = function and (lambda first, *rest: [first := function(first, x) for x in rest][-1] if rest else first)
    return computed(folded, n[0].dtype, broadcast(*(t.shape for t in inputs)), *inputs)


@op("Where")
def where(n: Node) -> T:
    """Three operands broadcast."""
    return computed(np.where, n[1].dtype, broadcast(*(n[i].shape for i in range(3))), n[0], n[1], n[2])


@op("PRelu")
def slope(n: Node) -> T:
    """The slope broadcasts to the input, not the other way round."""
    need(broadcast(n[0].shape, n[1].shape) == n[0].shape, "the slope doesn't broadcast to the input")
    return T(n[0].dtype, n[0].shape)


@op("Clip")
def clip(n: Node) -> T:
    """The shape is kept; the ends are scalars."""
    need(all(n[i].rank == 0 for i in (1, 2) if n.has(i)), "an end is a scalar")
    if n[0].value is None or any(n.has(i) and n[i].value is None for i in (1, 2)) or n.version < 11:
        return T(n[0].dtype, n[0].shape)
    low, high = (n[i].value if n.has(i) else None for i in (1, 2))
    made = n[0].value if low is None else np.maximum(n[0].value, low)
    return T(n[0].dtype, n[0].shape, made if high is None else np.minimum(made, high))


@op("Dropout")
def dropout(n: Node) -> list[T]:
    """The shape is kept, and that of the mask."""
    need(all(n[i].rank == 0 for i in (1, 2) if n.has(i)), "ratio and mode are scalars")
    return [T(n[0].dtype, n[0].shape, n[0].value if not n.has(2) else None), T("bool", n[0].shape)]


def dtype_name(kind: int) -> str:
    """The name of an element type."""
    need(kind in TensorProto.DataType.values() and kind, "it names no element type")
    if kind == TensorProto.STRING:
        return "string"
    return str(np.dtype(helper.tensor_dtype_to_np_dtype(kind)))


@op("Cast", "CastLike")
def cast(n: Node) -> T:
    """The shape is kept."""
    dtype = n[1].dtype if n.op == "CastLike" else dtype_name(n.get("to"))
    value = n[0].value
    if value is None or dtype == "string" or value.dtype.kind not in "iufb" or np.dtype(dtype).kind not in "iufb":
        return T(dtype, n[0].shape)
    kinds = value.dtype.kind + np.dtype(dtype).kind
    if kinds in ("fi", "fu") and not (np.abs(value) < 2**31).all():  # what doesn't fit isn't defined
        return T(dtype, n[0].shape)
    return T(dtype, n[0].shape, value.astype(dtype))


@op("Constant")
def constant(n: Node) -> T:
    """What an attribute holds."""
    for name, kind in (
        ("value_ints", "int64"),
        ("value_int", "int64"),
        ("value_floats", "float32"),
        ("value_float", "float32"),
    ):
        if name in n.attributes:
            return known(np.array(n.attributes[name], kind))
    if "value_string" in n.attributes or "value_strings" in n.attributes:
        return T("string", (len(n.attributes["value_strings"]),) if "value_strings" in n.attributes else ())
    if "value" not in n.attributes:
        raise Undecided("a sparse constant")
    return known(numpy_helper.to_array(n.attributes["value"]))


@op("ConstantOfShape")
def constant_of_shape(n: Node) -> T:
    """A tensor of the shape that the input lists."""
    need(n[0].rank == 1, "a shape is a list")
    shape = tuple(n.numbers(0) or ())
    need(all(d >= 0 for d in shape), "a size is negative")
    fill = numpy_helper.to_array(n.attributes["value"]) if "value" in n.attributes else np.zeros(1, np.float32)
    need(fill.size == 1, "the value has one element")
    small = T("", shape).size <= MOST
    return T(str(fill.dtype), shape, np.full(shape, fill.ravel()[0]) if small else None)


@op("Shape")
def shape_of(n: Node) -> T:
    """The sizes from `start` to `end`, which are clamped."""
    return known(np.array(n[0].shape, np.int64)[n.get("start", 0) : n.get("end", n[0].rank)])


@op("Size")
def size_of(n: Node) -> T:
    """The number of elements."""
    return known(np.array(n[0].size, np.int64))


@op("Range")
def numbers(n: Node) -> T:
    """`max(ceil((limit - start) / delta), 0)` numbers."""
    need(all(n[i].size == 1 for i in range(3)), "start, limit and delta are one number each")
    if any(n[i].value is None for i in range(3)):
        raise Undecided("a range of unknown numbers")
    start, limit, delta = (np.ravel(n[i].value)[0] for i in range(3))
    need(delta != 0, "delta is 0")
    count = max(int(np.ceil((float(limit) - float(start)) / float(delta))), 0)
    return T(n[0].dtype, (count,), (start + np.arange(count) * delta).astype(n[0].dtype) if count <= MOST else None)


@op("EyeLike")
def eye_like(n: Node) -> T:
    """The shape is kept, of rank 2."""
    need(n[0].rank == 2, "the rank is 2")
    return T(dtype_name(n.get("dtype")) if n.get("dtype") else n[0].dtype, n[0].shape)


@op("RandomNormal", "RandomUniform")
def random(n: Node) -> T:
    """The shape is an attribute."""
    return T(dtype_name(n.get("dtype", 1)), tuple(n.get("shape", ())))


@op("RandomNormalLike", "RandomUniformLike")
def random_like(n: Node) -> T:
    """The shape is kept."""
    return T(n[0].dtype, n[0].shape)


@op("Multinomial")
def multinomial(n: Node) -> T:
    """`[batch, sample_size]`."""
    need(n[0].rank == 2, "the rank is 2")
    return T("int32", (n[0].shape[0], n.get("sample_size", 1)))


@op("HammingWindow", "HannWindow", "BlackmanWindow")
def window(n: Node) -> T:
    """As many numbers as the input says."""
    need(n[0].rank == 0, "the size is a scalar")
    return T("float32", (n.number(0),)) if n.number(0) >= 0 else fail("the size is negative")


@op("OneHot")
def one_hot(n: Node) -> T:
    """A new axis of size `depth`."""
    need(n[1].size == 1 and n[2].shape == (2,), "one depth, two values")
    axis = counted(n.get("axis", -1), n[0].rank + 1)
    return T(n[2].dtype, (*n[0].shape[:axis], n.number(1), *n[0].shape[axis:]))


@op("QuantizeLinear", "DequantizeLinear")
def quantize(n: Node) -> T:
    """The shape is kept; there is one scale, one for each place on an axis, or one for each block of it."""
    x, scale, block = n[0], n[1], n.get("block_size", 0)
    one = scale.size == 1 and (not n.has(2) or (n[2].size == 1 and n[2].rank <= 1))
    need(one or not n.has(2) or n[2].shape == scale.shape, "a zero point for each scale")
    if scale.size != 1 or (block and scale.rank > 1):
        axis = counted(n.get("axis", 1), x.rank)
        if block and n.version >= 21:
            need(block > 0 and scale.rank == x.rank, "scales have the input's rank")
            blocks = tuple(-(-d // block) if i == axis else d for i, d in enumerate(x.shape))
            need(scale.shape == blocks, "a scale for each block")
        else:
            need(scale.shape == (x.shape[axis],), "a scale for each place on the axis")
    dtype = (n[2].dtype if n.has(2) else "uint8") if n.op == "QuantizeLinear" else scale.dtype
    return T(dtype, x.shape)


@op("DynamicQuantizeLinear")
def dynamic_quantize(n: Node) -> list[T]:
    """The shape is kept; one scale and one zero point."""
    return [T("uint8", n[0].shape), T("float32", ()), T("uint8", ())]
