"""Embedding bags, decoders of text, string tensors, and state variables."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.bridge import dtype_of
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.indices import require_inside, require_places
from shapesmt.operators.ops.shared.require import open_unless, require_shape, require_single, require_vector
from shapesmt.operators.ops.windows.signal import single
from shapesmt.operators.rules import RuleContext, Tensor, Traits, tensor
from shapesmt.prover.algebra import all_of, as_dim, at_least, equal, maximum, product

OFFSETS_ASCENDING = laws.SM301.law("offsets are in ascending order")
WEIGHTS_FOR_SUMS = laws.SM502.law("weights are for sums")


@operator("EmbeddingBagOffsetsSum", "EmbeddingBagOffsets")
def bags_by_offsets(ctx: RuleContext) -> Tensor:
    """Sum or average the table rows of each bag: table `[n, ...]`, indices `[k]`, offsets `[bags]` -> `[bags, ...]`.

    A bag has the indices from its offset up to the next bag's.
    """
    table, indices, offsets = (ctx.input(i) for i in range(3))
    begins, listed = ctx.constants(2) or (0,), ctx.constants(1)
    require_inside(ctx, offsets, indices[0], equal(indices[0], 0), index=2, from_end=False)
    ctx.check(list(begins) == sorted(begins), OFFSETS_ASCENDING)
    _require_rows(ctx, table, ctx.integer_list(listed[begins[0] :]) if listed and begins[0] > 0 else indices)
    require_vector(ctx, 4, indices[0], laws.WEIGHT_PER_INDEX)
    ctx.check(not ctx.has(4) or ctx.text("reduction", "sum").lower() == "sum", WEIGHTS_FOR_SUMS)
    return ctx.tensor([offsets[0], *table.dims[1:]])


@operator("EmbeddingBagPackedSum", "EmbeddingBagPacked")
def bags_of_rows(ctx: RuleContext) -> Tensor:
    """Sum or average the table rows of each bag: table `[n, ...]`, indices `[bags, each]` -> `[bags, ...]`."""
    table, indices = ctx.input(0), ctx.input(1)
    _require_rows(ctx, table, indices)
    require_shape(ctx, 2, indices.dims, laws.WEIGHT_PER_INDEX)
    weighted = ctx.has(2) and ctx.text("reduction", "sum").lower() != "sum"
    ctx.check(not weighted, WEIGHTS_FOR_SUMS)
    return ctx.tensor([indices[0], *table.dims[1:]])


@operator("EmbeddingSegmentsSum")
def bags_by_segments(ctx: RuleContext) -> Tensor:
    """Sum the table rows of each segment: table `[n, ...]`, indices `[k]`, segments `[k]` -> `[segments, ...]`."""
    table, indices, segments = ctx.input(0), ctx.input(1), single(ctx, 3)
    require_vector(ctx, 2, indices[0], laws.SEGMENT_PER_ROW)
    require_vector(ctx, 5, indices[0], laws.WEIGHT_PER_INDEX)
    rows, ids, count = ctx.constants(1), ctx.constants(2), segments.constant
    if rows and ids and count is not None:
        indices = ctx.integer_list([row for row, segment in zip(rows, ids, strict=False) if 0 <= segment < count])
    _require_rows(ctx, table, indices)
    return ctx.tensor([maximum(segments, 0), *table.dims[1:]])


def _require_rows(ctx: RuleContext, table: Tensor, indices: Tensor) -> None:
    """Require that row indices are inside the table, unless its rows have no elements."""
    require_inside(ctx, indices, table[0], equal(product(table.dims[1:]), 0), from_end=False)


# Texts


LABEL_PER_STEP = laws.SM116.law("there is a label for each step")
STEPS_FOR_LABELS = laws.SM301.law("a sample has a step for each label, inside the time axis")


@operator("CTCLoss")
def ctc_loss(ctx: RuleContext) -> Tensor:
    """Return the loss of each sample `[n]`, from logits `[n, time, classes]` and labels `[n, time]`.

    Each sample has a length of its logits and of its labels.
    """
    x = ctx.input(0)
    require_vector(ctx, (1, 3), x[0], laws.LENGTH_PER_BATCH_ELEMENT)
    require_shape(ctx, 2, x.dims[:2], LABEL_PER_STEP)
    for steps, labels in zip(ctx.items(1) or (), ctx.items(3) or (), strict=False):
        if steps is not None and labels is not None:
            fits = all_of(at_least(labels, 0), at_least(steps, 1), at_least(steps, labels), at_least(x[1], steps))
            ctx.require(fits, STEPS_FOR_LABELS, labels, steps)
    return ctx.tensor([x[0]])


STEP_MARKED_OR_NOT = laws.SM116.law("each step is marked, or not")


@operator("CTCGreedyDecoder")
def ctc_greedy(ctx: RuleContext) -> Tensor:
    """Decode scores `[time, n, classes]` with a mask of valid steps `[time, n]`: `[n, time, 1, 1]`."""
    x = ctx.input(0)
    require_shape(ctx, 1, x.dims[:2], STEP_MARKED_OR_NOT)
    return ctx.tensor([x[1], x[0], 1, 1])


BLANK_ONE_NUMBER = laws.SM301.law("the blank is one number")


@operator("CTCGreedyDecoderSeqLen")
def ctc_greedy_lengths(ctx: RuleContext) -> list[Tensor]:
    """Decode scores `[n, time, classes]` with lengths `[n]`: classes `[n, time]`, and their number per sample."""
    x = ctx.input(0)
    require_vector(ctx, 1, x[0], laws.LENGTH_PER_BATCH_ELEMENT)
    require_places(ctx, 1, x[1], laws.LENGTHS_AT_MOST_SEQUENCE, 0)
    require_single(ctx, 2, law=BLANK_ONE_NUMBER)
    classes, lengths = (dtype_of(ctx, name, "i32") for name in ("classes_index_type", "sequence_length_type"))
    return [tensor(classes, x.dims[:2]), tensor(lengths, (x[0],))]


@operator("StringTensorUnpack")
def unpack(ctx: RuleContext) -> list[Tensor]:
    """Return the begin and the end of each text among the concatenated characters, and the characters."""
    return [*[tensor("int32", ctx.input(0).dims)] * 2, tensor("uint8", (ctx.fresh("characters"),))]


TEXT_BEGINS_AND_ENDS = laws.SM116.law("each text begins and ends")


@operator("StringTensorPack")
def pack(ctx: RuleContext) -> Tensor:
    """Return texts, given the begin and the end of each among the concatenated characters."""
    begins, ends = ctx.input(0), ctx.input(1)
    ctx.require_agree(begins, ends, law=TEXT_BEGINS_AND_ENDS)
    return ctx.tensor(begins.dims, "string")


# Others


SAMPLE_COUNT_NOT_NEGATIVE = laws.SM309.law("the number of samples is not negative")


@operator("Multinomial", traits=Traits.STATEFUL)
def multinomial(ctx: RuleContext) -> Tensor:
    """Draw `count` classes per sample: `[n, classes]` -> `[n, count]`.

    If the classes run out, the last one is drawn again.
    """
    x, count = ctx.input(0), single(ctx, 1)
    open_unless(ctx, SAMPLE_COUNT_NOT_NEGATIVE, at_least(count, 0))
    return ctx.tensor([x[0], maximum(count, 0)], dtype_of(ctx, "convert_type"))


@operator("Inverse")
def inverse(ctx: RuleContext) -> Tensor:
    """Invert matrices `[..., n, n]`."""
    x = ctx.input(0)
    ctx.require_equal(x[-2], x[-1], laws.MATRICES_SQUARE)
    return ctx.tensor(x.dims)


@operator("ConvertPromoteTypes", any_rank=True, total=True)
def promoted(ctx: RuleContext) -> list[Tensor]:
    """Convert two tensors to a common element type, which is known only if both already have the same type."""
    x, y = ctx.input(0), ctx.input(1)
    dtype = x.dtype if x.dtype == y.dtype else ""
    dtype_of(ctx, "u64_integer_promotion_target", "f32")
    return [tensor(dtype, t.shape, t.value if dtype else None) for t in (x, y)]


@operator("ReadValue", "Assign", any_rank=True, traits=Traits.STATEFUL)
def variable(ctx: RuleContext) -> Tensor:
    """Return a state variable: the shape of its initial value, or its declared shape if it has none."""
    if ctx.has(0):
        return ctx.tensor(ctx.input(0).shape)
    kind, sizes = dtype_of(ctx, "variable_type", ""), ctx.attribute("variable_shape", ())
    entries = sizes if isinstance(sizes, tuple) else (sizes,)
    dims = [as_dim(d) if isinstance(d, int) and d >= 0 else ctx.fresh(f"size{i}") for i, d in enumerate(entries)]
    return tensor(kind, None if "..." in entries else dims)
