"""Convolutions and transposed convolutions, with or without a batch."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import require_least
from shapesmt.operators.ops.shared.windows import Window, sliding
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import real_part, require_one_kind
from shapesmt.operators.ops.torch.following import convolved
from shapesmt.operators.ops.torch.layout import as_image, lay_out
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import (
    FALSE,
    ONE,
    TRUE,
    Dim,
    Formula,
    all_of,
    any_of,
    at_least,
    divides,
    equal,
    negate,
    product,
    select,
)

LARGE = 20480
"""Number of input elements above which PyTorch uses oneDNN's kernel."""
UNSURE = ("float16", "bfloat16")
"""Types for which the kernel depends on the machine."""


def per_axis(call: Call, name: str, count: int) -> tuple[int, ...]:
    """Return argument `name` as a number for each of `count` spatial axes; a single number counts for all."""
    numbers = call.integers(name)
    numbers = numbers * count if len(numbers) == 1 else numbers
    call.ctx.check(len(numbers) == count, laws.ATTRIBUTE_ENTRIES.of(name=name, count=count))
    return numbers


def operands(call: Call) -> tuple[Tensor, Tensor]:
    """Return the input, with a batch of one if it has none, and the weights."""
    x, w = call.tensor("input"), call.tensor("weight", least=3)
    call.ctx.check(x.rank in (w.rank, w.rank - 1), laws.INPUT_AND_WEIGHT_SAME_RANK.of(rank=x.rank, other=w.rank))
    return x if x.rank == w.rank else call.ctx.tensor([1, *x.dims], x.dtype), w


ONLY_BATCH_OR_CHANNELS_EMPTY = laws.SM204.law("no axis but the batch or the channels is empty")


def windows(call: Call, x: Tensor, w: Tensor, padding: Sequence[int]) -> list[Window]:
    """Return the window along each spatial axis of weights `w`, with the same padding on both sides."""
    ctx = call.ctx
    stride, dilation = (per_axis(call, name, w.rank - 2) for name in ("stride", "dilation"))
    ctx.check(min((*stride, *dilation)) > 0, laws.STRIDES_AND_DILATIONS_POSITIVE)
    ctx.check(min(padding) >= 0, laws.PADDING_NOT_NEGATIVE)
    ctx.check(call.integer("groups") > 0, laws.GROUP_POSITIVE)
    for size in w.dims[2:]:
        ctx.require(any_of(at_least(size, 1), equal(w[1], 0)), laws.KERNEL_NOT_EMPTY, size, 1)
    for size in x.dims[2:]:
        law = ONLY_BATCH_OR_CHANNELS_EMPTY
        ctx.require(any_of(at_least(size, 1), equal(x[0], 0), equal(x[1], 0)), law, size, 1)
    return sliding(w.dims[2:], stride, dilation, (padding, padding))


def result(call: Call, filters: Dim, sizes: Sequence[Dim], pixel: Sequence[Dim]) -> Tensor:
    """Return `[n, filters, *sizes]`, without a batch if the input has none.

    The output has no channels if the input has none. `pixel` holds the output sizes of a one-pixel input.
    """
    ctx, x, bias = call.ctx, call.tensor("input"), call.optional("bias")
    require_one_kind(call, x, call.tensor("weight"), bias)
    before = x.rank - len(sizes) - 1
    call.require_vector("bias", filters, laws.BIAS_PER_FILTER)
    output = ctx.tensor([*x.dims[:before], select(equal(x[before], 0), 0, filters), *sizes], x.dtype)
    return _in_memory(output, x, call.tensor("weight"), grows=any(d.hi > 1 for d in pixel))


def _in_memory(y: Tensor, x: Tensor, w: Tensor, *, grows: bool) -> Tensor:
    """Return the output with channels last if they are last in the input or in the weights."""
    if x.layout is w.layout is None:
        return y
    if x.rank == w.rank == 4:
        return as_image(y, (x, w), every=False, grows=grows)
    copied = x.rank == w.rank == 3 and w.layout is None and x[1].lo > 1 and (x[2].lo > 1 or not grows)
    return y if copied else lay_out(y, None)


FILTER_PER_GROUP = laws.SM106.law("there is a filter for each group")


@operator("conv1d.default", "conv2d.default", "conv3d.default", memory="view", follows=convolved)
def convolve(call: Call, *, same: bool = False, padding: Sequence[int] | None = None) -> Tensor:
    """Convolve: `[n, c, *sizes]` and weights `[m, c/groups, *kernel]` -> `[n, m, *window positions]`."""
    ctx, (x, w), groups = call.ctx, operands(call), call.integer("groups")
    axes = windows(call, x, w, padding or per_axis(call, "padding", w.rank - 2))
    ctx.require_at_least(w[0], groups, FILTER_PER_GROUP)
    ctx.require(divides(groups, w[0]), laws.GROUP_DIVIDES_FILTERS, w[0], groups)
    ctx.require_equal(x[1], w[1] * groups, laws.INPUT_CHANNELS_ARE_GROUP_TIMES_WEIGHTS)
    sizes = [axis._replace(same=same).positions(ctx, d) for d, axis in zip(x.dims[2:], axes, strict=True)]
    return result(call, w[0], sizes, [axis._replace(same=same).places(ONE) for axis in axes])


def _require_spread(call: Call, x: Tensor, w: Tensor, size: Dim) -> None:
    """Require a nonnegative output size; only oneDNN's kernel returns an empty output for a nonempty input."""
    fast, sure = _by_onednn(call, x, w)
    empty = any_of(equal(x[0], 0), equal(x[1], 0))
    runs = any_of(at_least(size, 1), all_of(at_least(size, 0), any_of(empty, fast)))
    call.ctx.require(runs, laws.OUTPUT_NOT_EMPTY, size, 1)
    call.open_if_broken(any_of(at_least(size, 1), empty, sure), laws.OUTPUT_NOT_EMPTY)


def _by_onednn(call: Call, x: Tensor, w: Tensor) -> tuple[Formula, Formula]:
    """Return when PyTorch uses oneDNN's kernel for a transposed convolution, and when all machines agree on it."""
    stride, dilation, extra = (call.integers(name) for name in ("stride", "dilation", "output_padding"))
    dtype = real_part(x.dtype)
    if dtype in UNSURE:
        return TRUE, FALSE
    if dtype not in ("float32", "") or any(more >= step for more, step in zip(extra, stride, strict=False)):
        return FALSE, TRUE
    sizes = [x[0], x[1], ONE, x[2]] if x.rank == 3 else x.dims[:4]
    wide = all_of(at_least(w[-1], 4), at_least(w[-2], 4)) if w.rank > 3 else FALSE
    large = at_least(product(sizes), LARGE + 1)
    fast = TRUE if call.integer("groups") > 1 else any_of(wide, at_least(x[0], 2), large)
    if max((*stride, *dilation)) > 1:
        return fast, TRUE
    point = all_of(equal(w[-1], 1), equal(w[-2], 1) if w.rank > 3 else TRUE)
    return fast, any_of(negate(point), at_least(x[0], 16), negate(fast))


@operator(
    "conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input", memory="view", follows=convolved
)
def spread(call: Call) -> Tensor:
    """Compute a transposed convolution: `[n, c, *sizes]`, weights `[c, m/groups, *kernel]` -> `[n, m, *new sizes]`."""
    ctx, (x, w), groups = call.ctx, operands(call), call.integer("groups")
    axes, sizes = windows(call, x, w, per_axis(call, "padding", w.rank - 2)), []
    ctx.require_at_least(w[0], groups, FILTER_PER_GROUP)
    ctx.require_at_least(w[1], 1, laws.FILTERS_NOT_EMPTY)
    ctx.require(divides(groups, w[0]), laws.GROUP_DIVIDES_CHANNELS, w[0], groups)
    ctx.require_equal(x[1], w[0], laws.WEIGHTS_HAVE_INPUT_CHANNELS)
    for size, axis, extra in zip(x.dims[2:], axes, per_axis(call, "output_padding", len(axes)), strict=True):
        ctx.check(0 <= extra < max(axis.stride, axis.dilation), laws.OUTPUT_PADDING_BELOW_STRIDE_OR_DILATION)
        sizes.append(axis.reach(size) + (extra - axis.head) - axis.tail)
        _require_spread(call, x, w, sizes[-1])
    return result(call, w[1] * groups, sizes, [axis.reach(ONE) - axis.head - axis.tail for axis in axes])


SAME_PADDING_WITHOUT_STRIDE = laws.SM202.law("padding 'same' comes without strides")


@operator(
    "conv1d.padding", "conv2d.padding", "conv3d.padding", "_convolution_mode.default", memory="view", follows=convolved
)
def conv_by_name(call: Call) -> Tensor:
    """Convolve with padding "same", which keeps the spatial sizes, or "valid", which is none."""
    same = call.text("padding") == "same"
    x, w = operands(call)
    if same:
        call.ctx.check(set(call.integers("stride")) == {1}, SAME_PADDING_WITHOUT_STRIDE)
        require_least(call.ctx, x.dims[2:], 1, laws.INPUT_NOT_EMPTY)
        _require_kernel(call, w)
    return convolve(call, same=same, padding=(0,) * (w.rank - 2))


def _require_kernel(call: Call, w: Tensor) -> None:
    """Require a nonempty kernel, except one without dilation and channels."""
    for size, dilation in zip(w.dims[2:], per_axis(call, "dilation", w.rank - 2), strict=True):
        empty = equal(w[1], 0) if dilation == 1 else FALSE
        call.ctx.require(any_of(at_least(size, 1), empty), laws.KERNEL_NOT_EMPTY, size, 1)


@operator("convolution.default", "_convolution.default", memory="view", follows=convolved)
def convolution(call: Call) -> Tensor:
    """Compute a convolution or a transposed one; the input has a batch."""
    x, w = call.tensor("input"), call.tensor("weight")
    call.ctx.check(x.rank == w.rank, laws.INPUT_AND_WEIGHT_SAME_RANK.of(rank=x.rank, other=w.rank))
    return spread(call) if call.flag("transposed") else convolve(call)
