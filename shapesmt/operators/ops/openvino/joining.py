"""Split, pad, roll and reverse tensors, and move blocks between axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.bridge import normalize_axes
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.bridge import anything, constants_of, known_axis, parts, result, vector
from shapesmt.operators.ops.shared.follows import apart_from, listed_axes, rows
from shapesmt.operators.ops.shared.require import open_unless, require_fits, require_least, require_vector
from shapesmt.operators.rules import Follows, RuleContext, Tensor, Traits
from shapesmt.prover.algebra import FALSE, Dim, all_of, any_of, at_least, divides, maximum, product, total

REFLECTED_PADS_NO_LONGER_THAN_AXIS = laws.SM203.law("reflected pads are no longer than the axis")
EDGE_HAS_ELEMENT_TO_REPEAT = laws.SM203.law("mode edge has an element to repeat")
MIRRORED, EDGE = REFLECTED_PADS_NO_LONGER_THAN_AXIS, EDGE_HAS_ELEMENT_TO_REPEAT

NUM_SPLITS_IS_OUTPUT_COUNT = laws.SM110.law("num_splits {count} is the number of outputs, {outputs}")


def padded_axes(ctx: RuleContext, x: Tensor) -> set[int] | None:
    """Return the axes that are padded; None if they aren't known."""
    before, after = ctx.constants(1), ctx.constants(2)
    if before is None or after is None:
        return None
    return {axis for axis, ends in enumerate(zip(before, after, strict=False)) if any(ends) and axis < x.rank}


def reversed_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Sequence i is reversed by its own length; the time axis is read in another order."""
    x = ctx.input(0)
    time, batch = (ctx.axis(x.rank, default, name) for name, default in (("seq_axis", 1), ("batch_axis", 0)))
    letters = tuple(range(x.rank))
    return Follows((tuple(None if i == time else i for i in letters), (batch,)), (letters,) * len(outputs))


@operator("Split", traits=Traits.PART)
def split(ctx: RuleContext) -> list[Tensor]:
    """Split into equal parts along an axis."""
    count = ctx.integer("num_splits", ctx.outputs)
    ctx.check(count == ctx.outputs, NUM_SPLITS_IS_OUTPUT_COUNT.of(count=count, outputs=ctx.outputs))
    return parts(ctx, ctx.input(0), known_axis(ctx, 1))


@operator("VariadicSplit", traits=Traits.PART)
def variadic_split(ctx: RuleContext) -> list[Tensor]:
    """Split into parts whose lengths are an input; one may be -1: the remainder, or 0 if nothing remains."""
    x, axis, lengths = ctx.input(0), known_axis(ctx, 1), ctx.sizes(2, ctx.outputs)
    require_least(ctx, lengths, -1, laws.SIZES_MINUS_1_OR_MORE)
    rest = [i for i, d in enumerate(lengths) if d is not None and d.constant == -1]
    if axis is None or len(rest) != 1 or None in lengths:
        return parts(ctx, x, axis, lengths)
    axis = ctx.normal(axis, x.rank)
    remaining = x[axis] - total(d for i, d in enumerate(lengths) if i not in rest and d is not None)
    if remaining.lo >= 0:
        return parts(ctx, x, axis, lengths)
    sizes = [maximum(remaining, 0) if i in rest else d for i, d in enumerate(lengths)]
    return [x.replace(axis, d) for d in sizes if d is not None]


@operator("Pad", traits=Traits.COPIED, follows=apart_from(padded_axes))
def pad(ctx: RuleContext) -> Tensor:
    """Pad every axis; a reflected pad is shorter than the axis, a symmetric one at most as long."""
    x, mode = ctx.input(0), ctx.text("pad_mode", "constant").lower()
    before, after = (ctx.sizes(i, x.rank, "pads") for i in (1, 2))
    if mode == "constant":
        return result(ctx, "Pad", x, vector(*before, *after), ctx.inputs[3] if ctx.has(3) else None, mode=mode)
    for size, *pads in zip(x.dims, before, after, strict=True):
        for width in pads:
            if width is not None and mode == "edge":
                ctx.require(any_of(at_least(0, width), at_least(size, 1)), EDGE, size, width)
            elif width is not None:
                needed = width + (mode == "reflect")
                ctx.require(any_of(at_least(0, width), at_least(size, needed)), MIRRORED, width, size)
    return result(ctx, "Pad", x, vector(*before, *after))


AXES_LIST_AS_SHIFTS = laws.SM302.law("the axes are a list, as the shifts are")


@operator("Roll", any_rank=True, traits=Traits.REARRANGED, follows=apart_from(partial(listed_axes, index=2)))
def roll(ctx: RuleContext) -> Tensor:
    """Roll each axis in an input by its shift, as `numpy.roll` does; the shape is unchanged."""
    x, shifts, axes = ctx.input(0), ctx.input(1), ctx.constants(2)
    if shifts.shape is not None and ctx.input(2).shape is not None:
        ctx.require_equal(shifts.numel, ctx.input(2).numel, laws.SHIFT_PER_AXIS)
        ctx.check(ctx.input(2).rank >= shifts.rank, AXES_LIST_AS_SHIFTS)
    for axis in axes or ():
        ctx.normal(axis, max(x.rank, 1))
    return ctx.tensor(x.shape)


INTEGER_OR_MASKED_BOOL = laws.SM501.law("the element type is an integer, or bool with mode mask")
AXIS_MARKED_OR_NOT = laws.SM116.law("each axis is marked, or not")


@operator("Reverse", follows=apart_from(partial(listed_axes, index=1)))
def reverse(ctx: RuleContext) -> Tensor:
    """Reverse the axes that an input lists or, with `mode="mask"`, marks by a boolean for each axis."""
    x, masked = ctx.input(0), ctx.text("mode").lower() == "mask"
    ctx.check((ctx.input(1).dtype == "bool") == masked, INTEGER_OR_MASKED_BOOL)
    if masked:
        require_vector(ctx, 1, x.rank, AXIS_MARKED_OR_NOT)
    normalize_axes(ctx, (() if masked else ctx.constants(1)) or (), x.rank)
    return ctx.tensor(x.dims)


@operator("ReverseSequence", traits=Traits.REARRANGED, follows=reversed_axes)
def reverse_sequence(ctx: RuleContext) -> Tensor:
    """Reverse the first `lengths[i]` elements of sample i along `seq_axis`; the shape is unchanged."""
    x, lengths = ctx.input(0), ctx.input(1)
    batch = ctx.axis(x.rank, 0, "batch_axis")
    along = x[ctx.axis(x.rank, 1, "seq_axis")]
    ctx.require_equal(lengths[0], x[batch], laws.LENGTH_PER_BATCH_ELEMENT)
    known = [d for d in ctx.items(1) or () if d is not None and d.constant is not None]
    if any(all_of(at_least(along, d), at_least(d, 1)) is FALSE for d in known):
        open_unless(ctx, laws.LENGTHS_INSIDE_AXIS)
    return ctx.tensor(x.dims)


@operator("ShuffleChannels", traits=Traits.REARRANGED, follows=apart_from(lambda ctx, x: {ctx.axis(x.rank, 1)}))
def shuffle_channels(ctx: RuleContext) -> Tensor:
    """Interleave the channels of `group` groups, whose number divides the axis; the shape is unchanged."""
    x, group = ctx.input(0), ctx.integer("group", 1)
    axis = ctx.axis(x.rank, 1)
    ctx.check(group >= 1, laws.A_GROUP.of(groups=group))
    ctx.require(divides(group, x[axis]), laws.GROUPS_DIVIDE_CHANNELS, x[axis], group)
    return ctx.tensor(x.dims)


BLOCK_SIZE_AT_LEAST_1 = laws.SM111.law("block_size {size} is at least 1")


@operator("DepthToSpace", follows=rows())
def depth_to_space(ctx: RuleContext) -> Tensor:
    """Move channels into blocks: `[n, c, *sizes] -> [n, c / b**k, *(sizes * b)]` for a block size b and k sizes."""
    block, x = ctx.integer("block_size", 1), ctx.input(0, least=3)
    ctx.check(block >= 1, BLOCK_SIZE_AT_LEAST_1.of(size=block))
    volume = block ** (x.rank - 2)
    require_fits(ctx, volume, "the size of a block")
    ctx.require(divides(volume, x[1]), laws.CHANNELS_SPLIT_INTO_BLOCKS.of(block=volume), x[1], volume)
    return ctx.tensor([x[0], x[1] // volume, *(d * block for d in x.dims[2:])])


@operator("SpaceToDepth", follows=rows())
def space_to_depth(ctx: RuleContext) -> Tensor:
    """Move blocks into channels: `[n, c, *sizes] -> [n, c * b**k, *(sizes / b)]` for a block size b and k sizes."""
    block, x = ctx.integer("block_size", 1), ctx.input(0, least=3)
    ctx.check(block >= 1, BLOCK_SIZE_AT_LEAST_1.of(size=block))
    for d in x.dims[2:]:
        ctx.require(divides(block, d), laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS.of(block=block), d, block)
    return ctx.tensor([x[0], x[1] * block ** (x.rank - 2), *(d // block for d in x.dims[2:])])


def _blocks(ctx: RuleContext) -> tuple[tuple[int, ...] | None, list[Dim | None], list[Dim | None]]:
    """Return the block's size on each axis (None if unknown), and the crops or pads at each axis' start and end."""
    x = ctx.input(0)
    block = constants_of(ctx, 1, "the sizes of the block")
    ctx.check(block is None or len(block) == x.rank, laws.SIZE_COUNT.of(expected=x.rank, count=len(block or ())))
    ctx.check(min(block or (1,)) >= 1, BLOCK_SIZE_AT_LEAST_1.of(size=min(block or (1,))))
    return block, ctx.sizes(2, x.rank, "pads"), ctx.sizes(3, x.rank, "pads")


@operator("BatchToSpace")
def batch_to_space(ctx: RuleContext) -> Tensor:
    """Move samples into blocks: `[4*n, h, w]` with block `[1, 2, 2]` -> `[n, 2*h, 2*w]`; then crop the axes."""
    x, (block, begin, end) = ctx.input(0), _blocks(ctx)
    if block is None or None in begin or None in end:
        return anything(ctx, x)
    for ends in (begin, end):
        require_least(ctx, ends, 0, laws.PADDING_NOT_NEGATIVE)
    volume = product(block)
    ctx.require(divides(volume, x[0]), laws.SAMPLES_SPLIT_INTO_BLOCKS.of(block=volume), x[0], volume)
    dims = zip((x[0] // volume, *x.dims[1:]), block, begin, end, strict=True)
    cropped = [d * b - p - q for d, b, p, q in dims if p is not None and q is not None]
    require_least(ctx, cropped[1:], 0, laws.PADS_CROP_WHAT_THERE_IS)
    return ctx.tensor([maximum(cropped[0], 0), *cropped[1:]])


PADS_CROP_AND_LEAVE_SAMPLE = laws.SM203.law("pads crop no more than there is, and leave a sample")


@operator("SpaceToBatch")
def space_to_batch(ctx: RuleContext) -> Tensor:
    """Pad the axes (crop if negative), then move blocks into the batch.

    Example: padded sizes `[n, 2*h, 2*w]` with block `[1, 2, 2]` -> `[4*n, h, w]`.
    """
    x, (block, begin, end) = ctx.input(0), _blocks(ctx)
    if block is None or None in begin or None in end:
        return anything(ctx, x)
    padded = [d + p + q for d, p, q in zip(x.dims, begin, end, strict=True) if p is not None and q is not None]
    for axis, (d, b) in enumerate(zip(padded, block, strict=True)):
        ctx.require_at_least(d, int(axis == 0), PADS_CROP_AND_LEAVE_SAMPLE)
        ctx.require(divides(b, d), laws.PADDED_SIZES_SPLIT_INTO_BLOCKS.of(block=b), d, b)
    first, *rest = (d // b for d, b in zip(padded, block, strict=True))
    return ctx.tensor([first * product(block), *rest])
