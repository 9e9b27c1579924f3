"""Regroup elements in blocks, crop or pad around the centre, reverse: `DepthToSpace`, `Col2Im`, `CenterCropPad`."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import apart_from, rows
from shapesmt.operators.ops.shared.indices import spans
from shapesmt.operators.ops.shared.require import complete_sizes, require_fits
from shapesmt.operators.ops.shared.windows import sliding
from shapesmt.operators.rules import Follows, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import (
    FALSE,
    ONE,
    Dim,
    all_of,
    any_of,
    at_least,
    divides,
    equal,
    implies,
    less,
    maximum,
    product,
    select,
)


def reversed_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Sequence i is reversed by its own length; the time axis is read in another order."""
    x, time, batch = ctx.input(0), ctx.integer("time_axis", 0), ctx.integer("batch_axis", 1)
    letters = tuple(range(x.rank))
    return Follows((tuple(None if i == time else i for i in letters), (batch,)), (letters,) * len(outputs))


def cropped_axes(ctx: RuleContext, x: Tensor) -> tuple[int, ...]:
    """Return the axes that are cropped or padded."""
    return ctx.normals(ctx.integers("axes", range(x.rank)), x.rank)


@rule("DepthToSpace", follows=rows())
def depth_to_space(ctx: RuleContext) -> Tensor:
    """Move channels into blocks of pixels: `[n, c, h, w] -> [n, c / b**2, h*b, w*b]`."""
    x, block = ctx.input(0), _block(ctx)
    n, c, h, w = x.dims
    ctx.require(divides(block**2, c), laws.CHANNELS_SPLIT_INTO_BLOCKS.of(block=block**2), c, block**2)
    return ctx.tensor((n, c // block**2, h * block, w * block))


@rule("SpaceToDepth", follows=rows())
def space_to_depth(ctx: RuleContext) -> Tensor:
    """Move blocks of pixels into channels: `[n, c, h, w] -> [n, c * b**2, h / b, w / b]`."""
    x, block = ctx.input(0), _block(ctx)
    n, c, h, w = x.dims
    for d in (h, w):
        ctx.require(divides(block, d), laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS.of(block=block), d, block)
    return ctx.tensor((n, c * block**2, h // block, w // block))


BLOCKSIZE_AT_LEAST_1 = laws.SM111.law("blocksize {size} is at least 1")
MODE_DCR_OR_CRD = laws.SM502.law("the mode is DCR or CRD")


def _block(ctx: RuleContext) -> int:
    ctx.require_rank(ctx.input(0), 4)
    block = ctx.integer("blocksize")
    ctx.check(block >= 1, BLOCKSIZE_AT_LEAST_1.of(size=block))
    require_fits(ctx, block**2, f"a block of {block} by {block}")
    ctx.check(ctx.text("mode", "DCR") in ("DCR", "CRD"), MODE_DCR_OR_CRD)
    return block


TIME_AND_BATCH_FIRST = laws.SM302.law("time and batch are the axes 0 and 1")


@rule("ReverseSequence", since=10, traits=Traits.REARRANGED, follows=reversed_axes)
def reverse_sequence(ctx: RuleContext) -> Tensor:
    """Reverse the first `lengths[i]` elements of sequence i along the time axis; the shape is unchanged."""
    x, lengths = ctx.input(0, least=2), ctx.input(1, rank=1)
    time, batch = ctx.integer("time_axis", 0), ctx.integer("batch_axis", 1)
    ctx.check({time, batch} == {0, 1}, TIME_AND_BATCH_FIRST)
    ctx.require_equal(lengths[0], x[batch], laws.LENGTH_PER_BATCH_ELEMENT)
    _require_lengths(ctx, lengths, x[time])
    return ctx.tensor(x.dims)


def _require_lengths(ctx: RuleContext, lengths: Tensor, time: Dim) -> None:
    """Require that the sequence lengths are in 0..`time`, the size of the time axis."""
    for condition, least, greatest in spans(ctx, lengths, laws.LENGTHS_INSIDE_TIME_AXIS, 1):
        for low, high in ((least, 0), (time, greatest)):
            ctx.require(implies(condition, at_least(low, high)), laws.LENGTHS_INSIDE_TIME_AXIS, low, high)


@rule("CenterCropPad", since=18, follows=apart_from(cropped_axes))
def center_crop_pad(ctx: RuleContext) -> Tensor:
    """Crop or pad axes around the centre to the sizes in an input; a negative size counts as 0.

    A single size that isn't a constant in the file applies to all axes, and may be a scalar.
    """
    x, asked = ctx.input(0), ctx.input(1)
    is_constant = ctx.node.inputs[1] in ctx.literals
    ctx.require_rank(x, 1, least=True)
    requested, count = _requested(ctx, asked, is_constant=is_constant)
    axes = ctx.normals(ctx.integers("axes", range(x.rank)), x.rank)
    fitting = any_of(equal(count, len(axes)), FALSE if is_constant else equal(count, 1))
    ctx.require(fitting, laws.FIXED_NUMBER_OF.of(expected=len(axes), what="sizes"), count, len(axes))
    sizes = complete_sizes(ctx, [None] * len(axes)) if requested is None else complete_sizes(ctx, requested, index=1)
    dims = list(x.dims)
    for axis, d in zip(axes, sizes * len(axes) if len(sizes) == 1 else sizes, strict=False):
        dims[axis] = _centre_crop(x[axis], d)
    return ctx.tensor(dims)


def _requested(ctx: RuleContext, sizes: Tensor, *, is_constant: bool) -> tuple[Sequence[Dim | None] | None, Dim]:
    """Return the requested sizes (None if even their number is unknown), and how many they are."""
    if sizes.shape == () and not is_constant:
        return ctx.items(1) or [None], ONE
    requested = ctx.sizes(1)
    ctx.require_rank(sizes, 1)
    return requested, sizes[0]


def _centre_crop(size: Dim, asked: Dim) -> Dim:
    """Return the size of an axis after it is cropped or padded to `asked` elements around the centre.

    If the crop ends at index 2**31 - 1, the Slice inside reads that as the axis' end, and the rest of the axis remains.
    """
    end, start = (1 << 31) - 1, (size - asked) // 2
    if not end < size.hi < inf:
        return maximum(asked, 0)
    return select(all_of(less(asked, size), equal(start + asked, end)), size - start, maximum(asked, 0))


IMAGE_AND_BLOCK_ONE_RANK = laws.SM303.law("image and block have one rank")


@rule("Col2Im", since=18, follows=rows())
def col2im(ctx: RuleContext) -> Tensor:
    """Sum blocks into an image: `[n, c * product(block), l] -> [n, c, *image]` for `l` positions of the block."""
    x, image, block = ctx.input(0, rank=3), ctx.sizes(1), ctx.sizes(2)
    lengths = {len(v) for v in (image, block) if v is not None}
    ctx.require_equal(ctx.input(1).numel, ctx.input(2).numel, IMAGE_AND_BLOCK_ONE_RANK)
    if len(lengths) != 1:
        return ctx.tensor(None)
    (rank,) = lengths
    channels = _channels(ctx, x[1], block)
    if image is not None and block is not None:
        _require_places(ctx, x[2], image, block)
    return ctx.tensor((x[0], channels, *complete_sizes(ctx, image or [None] * rank, index=1)))


def _channels(ctx: RuleContext, channels: Dim, block: Sequence[Dim | None] | None) -> Dim:
    """Return `channels` divided by the number of elements in a block; a new symbol if that number isn't known."""
    if block is None or None in block:
        return ctx.fresh("channels", 1, channels)
    volume = product(d for d in block if d is not None)
    require_fits(ctx, volume, "the size of a block")
    ctx.require(divides(volume, channels), laws.CHANNELS_MULTIPLE_OF_BLOCK, channels, volume)
    ctx.require_at_least(channels, 1, laws.CHANNELS_MULTIPLE_OF_BLOCK)
    return channels // volume


COUNT_FOR_AXES = laws.SM303.law("{length} {what} for {rank} axes, not {count}")


def _require_places(ctx: RuleContext, count: Dim, image: Sequence[Dim | None], block: Sequence[Dim | None]) -> None:
    rank = len(image)
    strides, dilations = ctx.integers("strides", [1] * rank), ctx.integers("dilations", [1] * rank)
    pads = ctx.integers("pads", [0] * (2 * rank))
    for values, length, what in ((strides, rank, "strides"), (dilations, rank, "dilations"), (pads, 2 * rank, "pads")):
        ctx.check(len(values) == length, COUNT_FOR_AXES.of(length=length, what=what, rank=rank, count=len(values)))
    ctx.check(min((*strides, *dilations), default=1) > 0, laws.STRIDES_AND_DILATIONS_POSITIVE)
    axes = sliding([ONE if k is None else k for k in block], strides, dilations, (pads[:rank], pads[rank:]))
    known = [(d, a) for d, k, a in zip(image, block, axes, strict=True) if d is not None and k is not None]
    places = [a.positions(ctx, d, laws.DILATED_BLOCK_FITS) for d, a in known]
    if len(places) == rank:
        ctx.require(equal(product(places), count), laws.COLUMN_PER_BLOCK_PLACE, count, product(places))
