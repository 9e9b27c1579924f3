"""Operators that join, split and pad tensors, reverse their axes, or move blocks between axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from shapesmt.network import laws
from shapesmt.operators.ops.layout.joining import concatenate
from shapesmt.operators.ops.shared.bridge import anything, constants_of, parts, result, results, vector
from shapesmt.operators.ops.shared.follows import apart_from, listed_axes, rows
from shapesmt.operators.ops.shared.require import require_least, require_same, require_vector
from shapesmt.operators.ops.tensorflow.common import (
    DOMAIN,
    axis_of,
    channels_first,
    least,
    leave_open,
    one_of,
    require_each,
    require_most,
    require_numbers,
    with_sizes,
)
from shapesmt.operators.rules import Keeps, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import ZERO, Dim, all_of, any_of, as_dim, at_least, divides, equal, product, total

BACKWARDS = 2**63 - 1

# Joining and splitting


def padded_axes(ctx: RuleContext, x: Tensor) -> set[int] | None:
    """Return the axes that are padded; None if they aren't known."""
    pads = ctx.constants(1)
    return None if pads is None else {axis for axis in range(x.rank) if any(pads[2 * axis : 2 * axis + 2])}


@rule("Concat", "ConcatV2", domain=DOMAIN, traits=Traits.CONCATENATED)
def concat(ctx: RuleContext) -> Tensor:
    """Concatenate along an axis; the tensors must agree on every other axis."""
    at = 0 if ctx.node.op == "Concat" else len(ctx.inputs) - 1
    parts, named = [ctx.input(i) for i in range(len(ctx.inputs)) if i != at], axis_of(ctx, at)
    ctx.check(len(parts) > 1, laws.AT_LEAST_TWO_TENSORS_TO_JOIN)
    return anything(ctx, parts[0]) if named is None else _along(ctx, parts, ctx.normal(named, parts[0].rank))


def _along(ctx: RuleContext, parts: Sequence[Tensor], axis: int) -> Tensor:
    """Concatenate `parts` along `axis`; they must agree on every other axis."""
    ctx.require_agree(*parts, but=axis, law=laws.JOINED_MATCH_OFF_AXIS)
    dims = parts[0].replace(axis, total(x[axis] for x in parts)).dims
    return ctx.tensor(dims, parts[0].dtype, concatenate(parts, axis, dims))


@rule("Pack", domain=DOMAIN, traits=Traits.STACKED)
def pack(ctx: RuleContext) -> Tensor:
    """Stack tensors of the same shape along a new axis."""
    parts = [ctx.input(i) for i in range(len(ctx.inputs))]
    ctx.require_agree(*parts, law=laws.STACKED_SAME_SHAPE)
    axis = ctx.axis(parts[0].rank + 1, 0)
    rows = [result(ctx, "Unsqueeze", with_sizes(x, dict(enumerate(parts[0].dims))), vector(axis)) for x in parts]
    return result(ctx, "Concat", *rows, axis=axis)


@rule("Unpack", domain=DOMAIN, traits=Traits.PART)
def unpack(ctx: RuleContext) -> list[Tensor]:
    """Return the slices along an axis, one output each."""
    x, count = ctx.input(0), ctx.outputs
    axis = ctx.axis(x.rank, 0)
    ctx.require_equal(x[axis], count, laws.OUTPUT_PER_AXIS_ELEMENT)
    parts = results(ctx, "Split", with_sizes(x, {axis: count}), vector(*[1] * count), axis=axis)
    return [result(ctx, "Squeeze", part, vector(axis)) for part in parts]


@rule("Split", domain=DOMAIN, traits=Traits(Keeps.COPIED, copied=(1,)))
def split(ctx: RuleContext) -> list[Tensor]:
    """Split an axis into equal parts."""
    return parts(ctx, ctx.input(1), axis_of(ctx, 0))


@rule("SplitV", domain=DOMAIN, traits=Traits.PART)
def split_v(ctx: RuleContext) -> list[Tensor]:
    """Split an axis into parts of the lengths in an input, of which one may be -1: the remainder."""
    lengths = ctx.sizes(1, ctx.outputs)
    require_least(ctx, lengths, -1, laws.SIZES_MINUS_1_OR_MORE)
    axis, numbers = ctx.input(2), ctx.items(2) or (None,)
    if axis.rank == 1 and any(n is None or n.constant is None for n in numbers):  # only a constant has to be a scalar
        ctx.require_equal(axis[0], 1, laws.AXIS_ONE_NUMBER)
        require_some_axis(ctx, lengths)
        return [anything(ctx, ctx.input(0), i) for i in range(ctx.outputs)]
    return parts(ctx, ctx.input(0), axis_of(ctx, 2), lengths)


LENGTHS_ADD_UP_TO_AN_AXIS = laws.SM110.law("the lengths add up to an axis")


def require_some_axis(ctx: RuleContext, lengths: Sequence[Dim | None]) -> None:
    """Require that the lengths, if all are known, add up to the size of some axis of the tensor."""
    known = [d for d in lengths if d is not None and d.lo >= 0]
    if len(known) == len(lengths):
        ctx.require(any_of(*(equal(total(known), d) for d in ctx.input(0).dims)), LENGTHS_ADD_UP_TO_AN_AXIS)


# Padding


def paddings(ctx: RuleContext, index: int, count: int) -> tuple[list[Dim | None], list[Dim | None]]:
    """Return the pads (or crops) before and after each axis, from an input `[count, 2]`; none may be negative."""
    pads, law = ctx.input(index, rank=2), laws.TWO_PADS_PER_COUNTED_AXIS.of(count=count)
    require_same(ctx, pads.dims, (count, 2), law)
    values = ctx.items(index) or ()
    items = values if len(values) == 2 * count else (None,) * (2 * count)
    require_least(ctx, items, 0, laws.PADDING_NOT_NEGATIVE)
    return list(items[::2]), list(items[1::2])


@rule("Pad", "PadV2", domain=DOMAIN, traits=Traits.COPIED, follows=apart_from(padded_axes))
def pad(ctx: RuleContext) -> Tensor:
    """Pad every axis: `before[i] + x.shape[i] + after[i]`."""
    x = ctx.input(0)
    before, after = paddings(ctx, 1, x.rank)
    require_numbers(ctx, 2)
    require_separable(ctx, before, after)
    return result(ctx, "Pad", x, vector(*before, *after), ctx.inputs[2] if ctx.has(2) else None) if x.rank else x


PADS_OF_MANY_AXES_CONSTANT = laws.SM203.law("the pads of more than 6 axes are constants")
AT_MOST_6_AXES_PADDED = laws.SM401.law("6 axes are padded at most, not {count}")


def require_separable(ctx: RuleContext, before: Sequence[Dim | None], after: Sequence[Dim | None]) -> None:
    """Require that at most 6 axes remain after merging neighbouring axes without pads."""
    if len(before) > 6:
        plain = [
            p is not None and q is not None and p.constant == q.constant == 0
            for p, q in zip(before, after, strict=True)
        ]
        known = all(d is not None and d.constant is not None for d in (*before, *after))
        count = 1 + sum(not (a and b) for a, b in pairwise(plain))
        if count > 6 and not known:
            leave_open(ctx, PADS_OF_MANY_AXES_CONSTANT)
        ctx.check(count <= 6, AT_MOST_6_AXES_PADDED.of(count=count))


MODE_PADS_SHORTER_THAN_AXIS = laws.SM203.law("pads of mode {mode} are shorter than the axis")
MODE_PADS_NO_LONGER_THAN_AXIS = laws.SM203.law("pads of mode {mode} are no longer than the axis")


@rule("MirrorPad", domain=DOMAIN, traits=Traits.COPIED, follows=apart_from(padded_axes))
def mirror_pad(ctx: RuleContext) -> Tensor:
    """Pad every axis with its own elements mirrored; no pad is longer than the part that it mirrors."""
    x, mode = ctx.input(0), one_of(ctx, "mode", "REFLECT", "SYMMETRIC")
    require_most(ctx, x, 5)
    before, after = paddings(ctx, 1, x.rank)
    law = MODE_PADS_SHORTER_THAN_AXIS if mode == "REFLECT" else MODE_PADS_NO_LONGER_THAN_AXIS
    for size, *pads in zip(x.dims, before, after, strict=True):
        for width in (ZERO if pad is None else pad for pad in pads):
            ctx.require(at_least(size, width + (mode == "REFLECT")), law.of(mode=mode), width, size)
    return result(ctx, "Pad", x, vector(*before, *after)) if x.rank else x


# Order


@rule("ReverseV2", domain=DOMAIN, traits=Traits.REARRANGED, follows=apart_from(partial(listed_axes, index=1)))
def reverse(ctx: RuleContext) -> Tensor:
    """Reverse the axes in an input; the shape is unchanged."""
    x, axes = ctx.input(0), constants_of(ctx, 1, "the axes")
    ctx.require_rank(ctx.input(1), 1)
    require_most(ctx, x, 8)
    if not axes:
        return ctx.tensor(x.dims) if axes is None else x
    ends = [vector(*[end] * len(axes)) for end in (BACKWARDS, -BACKWARDS, -1)]
    return result(ctx, "Slice", x, ends[0], ends[1], vector(*ctx.normals(axes, x.rank)), ends[2])


FLAG_PER_AXIS = laws.SM116.law("there is one flag for each axis")
FIRST_AXIS_NOT_EMPTY = laws.SM204.law("the first axis isn't empty")


@rule("Reverse", domain=DOMAIN)
def reverse_flagged(ctx: RuleContext) -> Tensor:
    """Reverse the axes whose flag is set; there is one flag for each axis."""
    x = ctx.input(0)
    require_most(ctx, x, 8)
    require_vector(ctx, 1, x.rank, FLAG_PER_AXIS)
    require_least(ctx, x.dims[:1], 1, FIRST_AXIS_NOT_EMPTY)
    return ctx.tensor(x.dims)


SEQUENCE_AND_BATCH_ARE_AXES = laws.SM303.law("sequences and batch are axes of a tensor of rank {rank}")
SEQUENCES_NOT_ALONG_BATCH = laws.SM302.law("sequences run along another axis than the batch")
LENGTHS_OF_SEQUENCES_NOT_NEGATIVE = laws.SM309.law("lengths are those of the sequences at most, and not negative")


@rule("ReverseSequence", domain=DOMAIN, traits=Traits.REARRANGED)
def reverse_sequence(ctx: RuleContext) -> Tensor:
    """Reverse the beginning of each sequence; its length is given for each sample and at most the sequence's."""
    x, lengths = ctx.input(0), ctx.input(1, rank=1)
    require_most(ctx, x, 5)
    along, batch = least(ctx, "seq_dim", 0), least(ctx, "batch_dim", 0, 0)
    ctx.check(max(along, batch) < x.rank, SEQUENCE_AND_BATCH_ARE_AXES.of(rank=x.rank))
    ctx.check(along != batch, SEQUENCES_NOT_ALONG_BATCH)
    ctx.require_equal(lengths[0], x[batch], laws.LENGTH_PER_BATCH_ELEMENT)
    inside = LENGTHS_OF_SEQUENCES_NOT_NEGATIVE
    require_each(ctx, lengths, lambda d: all_of(at_least(d, 0), at_least(x[along], d)), inside)
    return ctx.tensor(x.dims)


SHIFTS_ONE_NUMBER_OR_LIST = laws.SM401.law("shifts are one number, or a list")
ONE_SHIFT_PER_AXIS = laws.SM116.law("there is one shift for each axis")


@rule("Roll", domain=DOMAIN, traits=Traits.REARRANGED, follows=apart_from(partial(listed_axes, index=2)))
def roll(ctx: RuleContext) -> Tensor:
    """Rotate elements along the axes in an input, with one shift each; the shape is unchanged."""
    x, shift, axes = (ctx.input(i) for i in range(3))
    ctx.require_rank(x, 1, least=True)
    ctx.check(shift.rank <= 1, SHIFTS_ONE_NUMBER_OR_LIST)
    ctx.require_agree(shift, axes, law=ONE_SHIFT_PER_AXIS)
    for axis in ctx.constants(2) or ():
        ctx.normal(axis, x.rank)
    return ctx.tensor(x.dims)


# Blocks


@rule("DepthToSpace", domain=DOMAIN, follows=rows())
def depth_to_space(ctx: RuleContext) -> Tensor:
    """Move channels into blocks of pixels: `[n, h, w, c] -> [n, h*b, w*b, c / b**2]`, or with channels second."""
    x, block = ctx.input(0, rank=4), least(ctx, "block_size", 2)
    at = 1 if channels_first(ctx) else 3
    ctx.require(divides(block**2, x[at]), laws.CHANNELS_SPLIT_INTO_BLOCKS.of(block=block**2), x[at], block**2)
    return ctx.tensor([d // block**2 if i == at else d if not i else d * block for i, d in enumerate(x.dims)])


@rule("SpaceToDepth", domain=DOMAIN, follows=rows())
def space_to_depth(ctx: RuleContext) -> Tensor:
    """Move blocks of pixels into channels: `[n, h, w, c] -> [n, h / b, w / b, c * b**2]`, or with channels second."""
    x, block = ctx.input(0, rank=4), least(ctx, "block_size", 2)
    at = 1 if channels_first(ctx) else 3
    for d in (d for i, d in enumerate(x.dims) if i not in (0, at)):
        ctx.require(divides(block, d), laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS.of(block=block), d, block)
    return ctx.tensor([d * block**2 if i == at else d if not i else d // block for i, d in enumerate(x.dims)])


TWO_PADS_PER_BLOCK_AXIS = laws.SM203.law("there are two pads for each axis of a block")
BLOCK_SIZES_AT_LEAST_1 = laws.SM401.law("block sizes are at least 1, not {size}")


def blocks(ctx: RuleContext) -> tuple[tuple[int, ...] | None, list[Dim | None], list[Dim | None]]:
    """Return the block's sizes, and the crops or pads before and after each axis.

    Operators without `ND` have a square block. If the block is unknown, its sizes are None and the lists are empty.
    """
    nd = ctx.node.op.endswith("ND")
    if nd:
        ctx.require_rank(ctx.input(1), 1)
    block = constants_of(ctx, 1, "the sizes of the block") if nd else (least(ctx, "block_size", 2),) * 2
    if block is None:
        law = TWO_PADS_PER_BLOCK_AXIS
        ctx.require_equal(ctx.input(2, rank=2)[0], ctx.input(1)[0], law)
        ctx.require_equal(ctx.input(2)[1], 2, law)
        return None, [], []
    ctx.check(min(block, default=1) >= 1, BLOCK_SIZES_AT_LEAST_1.of(size=min(block, default=1)))
    ctx.require_rank(ctx.input(0), len(block) + 1 if nd else 4, least=nd)
    return block, *paddings(ctx, 2 if nd else 1, len(block))


NO_MORE_CROPPED_THAN_THERE_IS = laws.SM203.law("no more is cropped than there is")


@rule("BatchToSpace", "BatchToSpaceND", domain=DOMAIN)
def batch_to_space(ctx: RuleContext) -> Tensor:
    """Move samples into blocks of the next axes, then crop; the batch is divided by the block's volume."""
    x, (block, before, after) = ctx.input(0), blocks(ctx)
    if block is None:
        return anything(ctx, x)
    volume = product(map(as_dim, block))
    ctx.require(divides(volume, x[0]), laws.SAMPLES_SPLIT_INTO_BLOCKS.of(block=volume), x[0], volume)
    kept = [d * b - (p or ZERO) - (q or ZERO) for d, b, p, q in zip(x.dims[1:], block, before, after, strict=False)]
    require_least(ctx, kept, 0, NO_MORE_CROPPED_THAN_THERE_IS)
    unknown = [p is None or q is None for p, q in zip(before, after, strict=True)]
    cropped = [ctx.fresh(f"size{i}", 0, most) if unknown[i] else most for i, most in enumerate(kept)]
    return ctx.tensor([x[0] // volume, *cropped, *x.dims[len(block) + 1 :]])


@rule("SpaceToBatch", "SpaceToBatchND", domain=DOMAIN)
def space_to_batch(ctx: RuleContext) -> Tensor:
    """Pad the axes after the batch, then move their blocks to the batch, which is multiplied by the block's volume."""
    x, (block, before, after) = ctx.input(0), blocks(ctx)
    if block is None:
        return anything(ctx, x)
    sizes: list[Dim] = []
    for i, (d, b, p, q) in enumerate(zip(x.dims[1:], block, before, after, strict=False)):
        if p is None or q is None:
            sizes.append(ctx.fresh(f"size{i}"))
            continue
        ctx.require(divides(b, d + p + q), laws.PADDED_SIZES_SPLIT_INTO_BLOCKS.of(block=b), d + p + q, b)
        sizes.append((d + p + q) // b)
    return ctx.tensor([x[0] * product(map(as_dim, block)), *sizes, *x.dims[len(block) + 1 :]])
