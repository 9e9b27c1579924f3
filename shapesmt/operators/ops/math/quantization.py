"""Conversions between floats and quantized integers."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.shared.follows import aligned, as_a_whole
from shapesmt.operators.rules import FLOATS, Follows, RuleContext, Tensor, rule
from shapesmt.prover.algebra import all_of, any_of, ceil_divide, differs, equal


def require_scale(ctx: RuleContext) -> None:
    """Require one scale and zero point for the tensor, for each position of `axis`, or for each block along it."""
    x, parameters = ctx.input(0), [ctx.input(1), *([ctx.input(2)] if ctx.has(2) else [])]
    if any(t.shape is None for t in (x, *parameters)):
        return
    law = laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_POSITION
    axis, block = ctx.integer("axis", 1), ctx.integer("block_size", 0)
    if block > 0:
        _require_blocks(ctx, x, parameters, block)
        return
    ctx.check(all(t.rank <= 1 for t in parameters), law)
    fitting = [all_of(*(equal(t.numel, 1) for t in parameters))]
    if all(t.rank == 1 for t in parameters) and -x.rank <= axis < x.rank:
        fitting.append(all_of(*(equal(t[0], x[axis]) for t in parameters)))
    ctx.require(any_of(*fitting), law, parameters[0].numel, x[axis] if len(fitting) > 1 else 1)


VECTOR_NOT_ONE_BLOCK = laws.SM109.law("a vector isn't one block")


def _require_blocks(ctx: RuleContext, x: Tensor, parameters: list[Tensor], block: int) -> None:
    axis = ctx.axis(x.rank, 1)
    for t in parameters:
        ctx.require_rank(t, x.rank)
        for i, size in enumerate(x.dims):
            blocks = ceil_divide(size, block) if i == axis else size
            ctx.require_equal(t[i], blocks, laws.SCALE_AND_ZERO_POINT_PER_AXIS_BLOCK)
    if x.rank == 1:  # runtimes read a single scale as that of the whole tensor
        ctx.limit(differs(parameters[0][0], 1), VECTOR_NOT_ONE_BLOCK, x[0])


def scaled(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each element is converted on its own, with the scale of its position along `axis`."""
    x = ctx.input(0)
    axis, letters = ctx.integer("axis", 1), aligned(x)
    known = letters[axis : axis + 1] if axis != -1 else letters[-1:]
    return Follows(
        (letters, *(known if t is not None and t.rank == 1 else () for t in ctx.inputs[1:])), (letters,) * len(outputs)
    )


ZERO_POINT_OF_OUTPUT_TYPE = laws.SM501.law("the zero point has the output's type {expected}, not {dtype}")


@rule("QuantizeLinear", any_rank=True, follows=scaled)
def quantize(ctx: RuleContext) -> Tensor:
    """Quantize: the output has the input's shape and the zero point's type, else `output_dtype` or uint8.

    Requires one scale and zero point for the tensor, for each position of `axis`, or for each block along it.
    """
    require_scale(ctx)
    if ctx.input(0).dtype in FLOATS and ctx.input(1).dtype not in (ctx.input(0).dtype, ""):
        ctx.limit(ctx.version >= 23 and ctx.since((1, 32)), laws.SAME_TYPE_AS_INPUT.of(kind="scales"))
    if ctx.integer("precision", 0) not in (0, 1, 10):  # the scale's type, float32, float16
        one_of = laws.ATTRIBUTE_IS_ONE_OF.of(name="precision", values="0, 1", last="10")
        ctx.limit(not ctx.since((1, 32)), one_of)
    asked = DTYPES.get(ctx.integer("output_dtype", 0), "")
    known = ctx.input(2).dtype if ctx.has(2) else ""
    ctx.check(not asked or known in ("", asked), ZERO_POINT_OF_OUTPUT_TYPE.of(expected=asked, dtype=known))
    return ctx.tensor(ctx.input(0).shape, ctx.input(2).dtype if ctx.has(2) else asked or "uint8")


@rule("DequantizeLinear", any_rank=True, follows=scaled)
def dequantize(ctx: RuleContext) -> Tensor:
    """Dequantize: the output has the input's shape and the type `output_dtype`, else that of the scale.

    Requires one scale and zero point for the tensor, for each position of `axis`, or for each block along it.
    """
    require_scale(ctx)
    return ctx.tensor(ctx.input(0).shape, DTYPES.get(ctx.integer("output_dtype", 0), "") or ctx.input(1).dtype)


@rule("DynamicQuantizeLinear", any_rank=True, follows=as_a_whole)
def dynamic_quantize(ctx: RuleContext) -> list[Tensor]:
    """Quantize to uint8 by the input's range; return a tensor of the same shape, a scalar scale and zero point."""
    return [ctx.tensor(ctx.input(0).shape, "uint8"), ctx.tensor((), "float32"), ctx.tensor((), "uint8")]
