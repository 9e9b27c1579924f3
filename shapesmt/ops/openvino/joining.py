"""Operators that part tensors, grow them at their ends or move elements in blocks."""

from __future__ import annotations

from shapesmt.context import InferenceContext
from shapesmt.dim import Dim, product
from shapesmt.formula import at_least, divides
from shapesmt.ops.bridge import anything, listed, parts, result
from shapesmt.ops.fields import counted
from shapesmt.ops.laws import require_fits, require_least
from shapesmt.ops.openvino.bridge import DOMAIN, known, known_axis
from shapesmt.ops.registry import rule
from shapesmt.tensor import Tensor


@rule("Split", domain=DOMAIN)
def split(ctx: InferenceContext) -> list[Tensor]:
    """Equal parts along an axis."""
    return parts(ctx, ctx.input(0), known_axis(ctx, 1))


@rule("VariadicSplit", domain=DOMAIN)
def variadic_split(ctx: InferenceContext) -> list[Tensor]:
    """Parts of the listed lengths, of which one may be -1: the rest."""
    return parts(ctx, ctx.input(0), known_axis(ctx, 1), counted(ctx, 2, ctx.outputs, "sizes"))


@rule("Pad", domain=DOMAIN)
def pad(ctx: InferenceContext) -> Tensor:
    """Every axis with its pads added; mirrored ones are limited by what there is to mirror."""
    x, mode = ctx.input(0), ctx.text("pad_mode")
    before, after = (counted(ctx, i, x.rank, "pads") for i in (1, 2))
    if mode != "symmetric":
        return result(ctx, "Pad", x, listed(*before, *after), ctx.inputs[3] if ctx.has(3) else None, mode=mode)
    for size, *pads in zip(x.dims, before, after, strict=True):
        for width in pads:
            if width is not None:
                ctx.require(at_least(size, width), "reflected pads are no longer than the axis", width, size)
    return result(ctx, "Pad", x, listed(*before, *after))


@rule("Reverse", "Roll", domain=DOMAIN, any_rank=True)
def moved(ctx: InferenceContext) -> Tensor:
    """The shape is kept."""
    return ctx.tensor(ctx.input(0).shape)


@rule("ReverseSequence", domain=DOMAIN)
def reverse_sequence(ctx: InferenceContext) -> Tensor:
    """The shape is kept; there is one length for each of the batch."""
    x, lengths = ctx.input(0), ctx.input(1, rank=1)
    batch = ctx.axis(x.rank, 0, "batch_axis")
    ctx.axis(x.rank, 1, "seq_axis")
    ctx.require_equal(lengths[0], x[batch], "there is one length for each of the batch")
    return ctx.tensor(x.dims)


@rule("ShuffleChannels", domain=DOMAIN)
def shuffle_channels(ctx: InferenceContext) -> Tensor:
    """The shape is kept; the groups divide the axis."""
    x, group = ctx.input(0), ctx.integer("group", 1)
    axis = ctx.axis(x.rank, 1)
    ctx.check(group >= 1, f"there is at least one group, not {group}")
    ctx.require(divides(group, x[axis]), "the groups divide the channels", x[axis], group)
    return ctx.tensor(x.dims)


@rule("DepthToSpace", domain=DOMAIN)
def depth_to_space(ctx: InferenceContext) -> Tensor:
    """`[n, c, *sizes]` becomes `[n, c / b**k, *(sizes * b)]` for k sizes."""
    x, block = ctx.input(0), ctx.integer("block_size", 1)
    ctx.require_rank(x, 3, least=True)
    ctx.check(block >= 1, f"block_size {block} is at least 1")
    volume = block ** (x.rank - 2)
    require_fits(ctx, volume, "the size of a block")
    ctx.require(divides(volume, x[1]), f"the channels split into blocks of {volume}", x[1], volume)
    return ctx.tensor([x[0], x[1] // volume, *(d * block for d in x.dims[2:])])


@rule("SpaceToDepth", domain=DOMAIN)
def space_to_depth(ctx: InferenceContext) -> Tensor:
    """`[n, c, *sizes]` becomes `[n, c * b**k, *(sizes / b)]` for k sizes."""
    x, block = ctx.input(0), ctx.integer("block_size", 1)
    ctx.require_rank(x, 3, least=True)
    ctx.check(block >= 1, f"block_size {block} is at least 1")
    for d in x.dims[2:]:
        ctx.require(divides(block, d), f"height and width split into blocks of {block}", d, block)
    return ctx.tensor([x[0], x[1] * block ** (x.rank - 2), *(d // block for d in x.dims[2:])])


def _blocks(ctx: InferenceContext) -> tuple[tuple[int, ...] | None, list[Dim | None], list[Dim | None]]:
    """The block's sizes, and what is cropped from or padded to each end."""
    x = ctx.input(0)
    block = known(ctx, 1, "the sizes of the block")
    ctx.check(block is None or len(block) == x.rank, f"there are {x.rank} sizes, not {len(block or ())}")
    ctx.check(min(block or (1,)) >= 1, f"block_size {min(block or (1,))} is at least 1")
    ends = counted(ctx, 2, x.rank, "pads"), counted(ctx, 3, x.rank, "pads")
    for end in ends:
        require_least(ctx, end, 0, "padding isn't negative")
    return block, *ends


@rule("BatchToSpace", domain=DOMAIN)
def batch_to_space(ctx: InferenceContext) -> Tensor:
    """The batch shrinks by the block, whose sizes the other axes grow by; then they are cropped."""
    x, (block, begin, end) = ctx.input(0), _blocks(ctx)
    if block is None or None in begin or None in end:
        return anything(ctx, x)
    volume = product(block)
    ctx.require(divides(volume, x[0]), f"the samples split into blocks of {volume}", x[0], volume)
    cropped = [
        d * b - p - q for d, b, p, q in zip(x.dims, block, begin, end, strict=True) if p is not None if q is not None
    ]
    require_least(ctx, cropped, 0, "pads crop no more than there is")
    return ctx.tensor([x[0] // volume, *cropped[1:]])


@rule("SpaceToBatch", domain=DOMAIN)
def space_to_batch(ctx: InferenceContext) -> Tensor:
    """The axes are padded and shrink by the block, and the batch grows by it."""
    x, (block, begin, end) = ctx.input(0), _blocks(ctx)
    if block is None or None in begin or None in end:
        return anything(ctx, x)
    padded = [d + p + q for d, p, q in zip(x.dims, begin, end, strict=True) if p is not None and q is not None]
    for d, b in zip(padded, block, strict=True):
        ctx.require(divides(b, d), f"padded sizes split into blocks of {b}", d, b)
    return ctx.tensor([padded[0] * product(block), *(d // b for d, b in zip(padded[1:], block[1:], strict=True))])
