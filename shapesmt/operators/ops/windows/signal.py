"""Fourier transforms, window functions and mel filters."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.shared.follows import apart_from, rows
from shapesmt.operators.ops.shared.items import wrap
from shapesmt.operators.ops.shared.windows import quotient
from shapesmt.operators.rules import Elements, RuleContext, Tensor, rule
from shapesmt.prover.algebra import ZERO, Dim, all_of, any_of, as_dim, at_least, equal, less, maximum
from shapesmt.prover.algebra.numeric import Float


def scalar(ctx: RuleContext, index: int, least: int = 0) -> Dim:
    """Return the one integer in input `index`; require rank 0 if it is a constant in the file.

    If it isn't known, return a new symbol of at least `least`.
    """
    number = single(ctx, index, least)
    if (ctx.node.op, index) not in (("MelWeightMatrix", 2), ("STFT", 1)):
        require_axisless(ctx, index)
    return number


INPUT_SINGLE_NUMBER = laws.SM401.law("input {index} is a single number")


def single(ctx: RuleContext, index: int, least: int = 0) -> Dim:
    """Return the one integer in input `index`; if it isn't known, a new symbol of at least `least`."""
    ctx.require_equal(ctx.input(index).numel, 1, INPUT_SINGLE_NUMBER.of(index=index))
    items = ctx.items(index)
    if items is None or len(items) != 1 or items[0] is None:
        return ctx.fresh(f"number{index}", least)
    return items[0]


FILE_INPUT_SCALAR = laws.SM401.law("input {index}, as the file has it, is a scalar")


def require_axisless(ctx: RuleContext, index: int) -> None:
    """Require that input `index` has rank 0 if it is a constant in the file; runtimes check no other inputs."""
    if ctx.input(index).shape != ():
        ctx.memoizable = False
        ctx.limit(ctx.node.inputs[index] not in ctx.literals, FILE_INPUT_SCALAR.of(index=index))


def frequency_axes(ctx: RuleContext, x: Tensor) -> set[int] | None:
    """Return the axis that is transformed and the one of the parts; None if it isn't known."""
    axes = ctx.constants(2) if ctx.has(2) else (-2,)
    return None if axes is None else {*(axis % x.rank for axis in axes), x.rank - 1}


@rule("DFT", since=17, follows=apart_from(lambda ctx, x: {ctx.axis(x.rank, 1), x.rank - 1}))
def dft_17(ctx: RuleContext) -> Tensor:
    """Compute the Fourier transform along the axis in an attribute."""
    return transform(ctx, ctx.integer("axis", 1))


@rule("DFT", since=20, follows=apart_from(frequency_axes))
def dft(ctx: RuleContext) -> Tensor:
    """Compute the Fourier transform along the axis that an input names."""
    axis = ctx.constants(2) if ctx.has(2) else (-2,)
    if ctx.has(2):
        require_axisless(ctx, 2)
    if axis is None or len(axis) != 1:
        ctx.require_equal(ctx.input(2).numel, 1, laws.AXIS_ONE_NUMBER)
        ctx.require_rank(ctx.input(0), 2, least=True)
        require_parts(ctx, ctx.input(0)[-1], (1, 2))
        x, half, back = ctx.input(0), ctx.flag("onesided"), ctx.flag("inverse")
        kept = not half and not ctx.has(1)
        sizes = [d if kept else ctx.fresh(f"size{i}") for i, d in enumerate(x.dims[:-1])]
        return ctx.tensor([*sizes, 1 if half and back else 2])
    return transform(ctx, axis[0])


TRANSFORM_NOT_ALONG_LAST_AXIS = laws.SM207.law("the axis isn't the last one, which holds real and imaginary part")


def transform(ctx: RuleContext, axis: int) -> Tensor:
    """Transform along `axis`: `[..., n, ..., 1 or 2] -> [..., length, ..., 2]`.

    With `onesided`, the output has `length // 2 + 1` frequencies, and the inverse returns real numbers.
    """
    half, back, x = ctx.flag("onesided"), ctx.flag("inverse"), ctx.input(0, least=2)
    axis = ctx.normal(axis, x.rank)
    ctx.check(axis != x.rank - 1, TRANSFORM_NOT_ALONG_LAST_AXIS)
    require_parts(ctx, x[-1], (2,) if half and back else (1,) if half and x[-1].constant else (1, 2))
    length = in_32_bits(scalar(ctx, 1, 1)) if ctx.has(1) else 2 * (x[axis] - 1) if half and back else x[axis]
    ctx.require_at_least(length, 1 if ctx.has(1) else 0, laws.LENGTH_POSITIVE)
    dims = list(x.dims)
    dims[axis] = length // 2 + 1 if half and not back else length
    dims[-1] = as_dim(1 if half and back else 2)
    empty = [equal(d, 0) for d in dims]
    ctx.require(any_of(at_least(x[axis], 1), *empty), laws.SIGNAL_NOT_EMPTY, x[axis], 1)
    return ctx.tensor(dims)


def in_32_bits(number: Dim) -> Dim:
    """Return the lowest 32 bits of a number as int32, which is what runtimes read."""
    rest = wrap(number, "int32")
    return number if rest is None else rest


LAST_AXIS_ELEMENTS = laws.SM207.law("the last axis has {sizes} elements")
LAST_AXIS_ELEMENT = laws.SM207.law("the last axis has {sizes} element")


def require_parts(ctx: RuleContext, size: Dim, admitted: Sequence[int]) -> None:
    """Require that the last axis holds real parts (`size` 1) or real and imaginary ones (2), as in `admitted`."""
    law = LAST_AXIS_ELEMENTS if 2 in admitted else LAST_AXIS_ELEMENT
    holds = any_of(*(equal(size, n) for n in admitted))
    ctx.require(holds, law.of(sizes=" or ".join(map(str, admitted))), size, admitted[-1])


WINDOW_OR_FRAME_LENGTH_GIVEN = laws.SM405.law("a window or the length of a frame is given")


@rule("STFT", since=17, follows=rows())
def stft(ctx: RuleContext) -> Tensor:
    """Transform signals `[n, length, 1 or 2]`, or real ones `[n, length]`, to `[n, frames, bins, 2]`."""
    x, half = ctx.input(0), ctx.flag("onesided", 1)
    ctx.check(x.rank in (2, 3), laws.RANK_2_OR_3.of(rank=x.rank))
    if x.rank == 3:
        require_parts(ctx, x[2], (1, 2))
    step = scalar(ctx, 1, 1)
    ctx.require_at_least(step, 1, laws.FRAME_STEP_POSITIVE)
    window = ctx.input(2, rank=1) if ctx.has(2) else None
    ctx.check(ctx.has(3) or window is not None, WINDOW_OR_FRAME_LENGTH_GIVEN)
    frame = scalar(ctx, 3, 1) if ctx.has(3) else x[1] if window is None else window[0]
    if window is not None:
        ctx.require_equal(window[0], frame, laws.WINDOW_AS_LONG_AS_FRAME)
    ctx.require(any_of(at_least(frame, 1), equal(x[0], 0)), laws.FRAME_NOT_EMPTY, frame, 1)
    return ctx.tensor([x[0], _frames(ctx, x, frame, step), frame // 2 + 1 if half else frame, 2])


def _frames(ctx: RuleContext, x: Tensor, frame: Dim, step: Dim) -> Dim:
    """Return the number of frames of `frame` elements, one every `step`; require that all are inside the signal."""
    ctx.require_at_least(x[1], frame, laws.FRAME_FITS_SIGNAL)
    steps = quotient(x[1] - frame, step)
    ctx.require(any_of(at_least(x[1], steps * step + frame), equal(x[0], 0)), laws.FRAME_FITS_SIGNAL, x[1], frame)
    return steps + 1


FILE_SIZE_POSITIVE = laws.SM502.law("the size, as the file has it, is positive")


@rule("HannWindow", "HammingWindow", "BlackmanWindow", since=17)
def window(ctx: RuleContext) -> Tensor:
    """Return a window function `[size]`."""
    size = scalar(ctx, 0)
    if size is ZERO:
        ctx.memoizable = False
        ctx.limit(ctx.node.inputs[0] not in ctx.literals, FILE_SIZE_POSITIVE)
    ctx.require_at_least(size, 0, laws.SIZE_NOT_NEGATIVE)
    return ctx.tensor([size], DTYPES.get(ctx.integer("output_datatype", 1), ""))


RATE_POSITIVE = laws.SM207.law("the rate is positive")
BIN_COUNT_NOT_NEGATIVE = laws.SM207.law("the number of bins isn't negative")
EDGES_ONE_NUMBER_EACH = laws.SM401.law("each edge is one number")
EDGES_IN_SPECTRUM = laws.SM206.law("the edges lie in the spectrum")


@rule("MelWeightMatrix", since=17)
def mel_weights(ctx: RuleContext) -> Tensor:
    """Return mel weights `[dft_length // 2 + 1, num_mel_bins]`; both edges are in the spectrum."""
    bins, length, rate = scalar(ctx, 0), scalar(ctx, 1), scalar(ctx, 2, 1)
    ctx.require_at_least(rate, 1, RATE_POSITIVE)
    spectrum = maximum(length, 0) // 2 + 1  # ONNX Runtime rounds -1 / 2 to 0
    ctx.require_at_least(bins, 0, BIN_COUNT_NOT_NEGATIVE)
    ctx.require_at_least(length, -1, laws.LENGTH_NOT_NEGATIVE)
    for index in (3, 4):
        ctx.require_equal(ctx.input(index).numel, 1, EDGES_ONE_NUMBER_EACH)
        edge = ctx.input(index).value
        hertz = edge.items[0] if isinstance(edge, Elements) and len(edge.items) == 1 else None
        if isinstance(hertz, Float) and hertz.numerator is not None:
            bin_ = (length + 1) * hertz.numerator // (rate * hertz.denominator)
            inside = all_of(at_least(bin_, 0), less(bin_, spectrum))
            ctx.limit(inside, EDGES_IN_SPECTRUM, bin_, spectrum)
    return ctx.tensor([spectrum, bins], DTYPES.get(ctx.integer("output_datatype", 1), ""))
