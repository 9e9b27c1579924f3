"""Quantized tensors as PT2E writes them (`quantized_decomposed`): integers, with scales and zero points as operands."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import ONE

QUANTIZED = ("uint8", "int8", "uint16", "int16", "int32", "float8e5m2", "float8e4m3fn")
ENDS = {"int8": (-128, 127), "int16": (-(1 << 15), (1 << 15) - 1), "int32": (-(1 << 31), (1 << 31) - 1)}
ENDS |= {"uint8": (0, 255), "uint16": (0, (1 << 16) - 1)}
HELD = ("float32", "float16", "bfloat16", "")  # element types that can be quantized

QUANTIZED_ENDS_FIT = laws.SM501.law("the ends of the quantized numbers fit the element type")


def result_type(call: Call, x: Tensor, *, bounded: bool) -> str:
    """Return the element type of the result; if `bounded`, require that `quant_min` and `quant_max` fit that type."""
    check, dtype = call.ctx.check, call.text("dtype")
    check(dtype in QUANTIZED, laws.ELEMENT_TYPE.of(expected="a quantized one", dtype=dtype))
    ends = call.number("quant_min"), call.number("quant_max")
    if bounded and dtype in ENDS and None not in ends:
        check(ENDS[dtype][0] <= (ends[0] or 0) and (ends[1] or 0) <= ENDS[dtype][1], QUANTIZED_ENDS_FIT)
    if ".quantize" in call.ctx.node.op:
        check(x.dtype in HELD, laws.ELEMENT_TYPE.of(expected="a float of at most 32 bits", dtype=x.dtype))
        return dtype
    check(x.dtype in (dtype, ""), laws.ELEMENT_TYPE.of(expected=dtype, dtype=x.dtype))
    return call.text("out_dtype") or "float32"


@operator(
    *(
        f"quantized_decomposed.{way}quantize_per_tensor.{kind}"
        for way in ("", "de")
        for kind in ("default", "tensor", "tensor2")
    )
)
def per_tensor(call: Call) -> Tensor:
    """Quantize or dequantize with one scale and one zero point; the shape is unchanged."""
    x = call.tensor("input")
    for name in ("scale", "zero_point", "quant_min", "quant_max"):
        number = call.optional(name)
        if number is not None:
            call.ctx.require_equal(number.numel, 1, laws.TENSOR_ONE_ELEMENT)
    return tensor(result_type(call, x, bounded=".quantize" in call.ctx.node.op), x.dims)


VALUE_PER_CHANNEL = laws.SM108.law("scales and zero points have one element per channel")


@operator("quantized_decomposed.quantize_per_channel.default", "quantized_decomposed.dequantize_per_channel.default")
def per_channel(call: Call) -> Tensor:
    """Quantize or dequantize with lists of scales and zero points, whose size broadcasts with that of `axis`."""
    ctx, x, scales, zeros = call.ctx, call.tensor("input"), call.tensor("scales"), call.optional("zero_points")
    axis, dtype = ctx.normal(call.integer("axis"), x.rank), result_type(call, x, bounded=True)
    ctx.require_rank(scales, 1, least=True)
    for listed in (scales, *([] if zeros is None else [zeros])):
        ctx.require_equal(listed.numel, scales[0], VALUE_PER_CHANNEL)
    return tensor(dtype, x.replace(axis, ctx.broadcast_sizes(x[axis], scales[0])).dims)


@operator("quantized_decomposed.choose_qparams.tensor", "quantized_decomposed.choose_qparams_symmetric.tensor")
def chosen(call: Call) -> list[Tensor]:
    """Return a scale and a zero point, each a list of one number; the tensor has to have an element."""
    x = call.tensor("input")
    call.ctx.check(x.dtype in HELD, laws.ELEMENT_TYPE.of(expected="a float of at most 32 bits", dtype=x.dtype))
    call.ctx.require_at_least(x.numel, 1, laws.INPUT_NOT_EMPTY)
    return [tensor("float64", [ONE]), tensor("int64", [ONE])]
