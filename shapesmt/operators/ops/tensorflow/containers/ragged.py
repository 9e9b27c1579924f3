"""Ragged tensors: values in rows of different lengths, with a list of row splits for each level of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import complete_sizes, require_broadcast_to, require_least
from shapesmt.operators.ops.tensorflow.common import DOMAIN, first, leave_open, require_numbers
from shapesmt.operators.ops.tensorflow.indexing import require_places
from shapesmt.operators.rules import RuleContext, Tensor, rule
from shapesmt.prover.algebra import ONE, TRUE, ZERO, Dim, all_of, any_of, at_least, equal, less

ROW_ENDS = laws.SM204.law("there is an end before each row, and one behind the last")
ROWS_END_ASCENDING = laws.SM502.law("rows end in ascending order")
ROWS_BEGIN_AT_0_AND_END_WITH_VALUES = laws.SM301.law("the first row begins at 0 and the last ends with the values")


def require_rows(ctx: RuleContext, index: int, count: Dim | None, *, whole: bool = True) -> Dim:
    """Require that an input is a list of row splits of `count` values: `[0, 2, 5]` has rows of 2 and 3 values.

    Return the number of rows. Without `whole`, values before the first and after the last split are allowed.
    """
    ends = ctx.input(index, rank=1)
    ctx.require_at_least(ends[0], 1, ROW_ENDS)
    places = ctx.items(index) or (None,)
    for before, after in pairwise((ZERO, *places, count)):
        if before is not None and after is not None:
            ctx.require_at_least(after, before, ROWS_END_ASCENDING)
    for place, end in ((places[0], ZERO), (places[-1], count)):
        if place is not None and end is not None and (whole or (count is None and index > 2)):
            ctx.require_equal(place, end, ROWS_BEGIN_AT_0_AND_END_WITH_VALUES)
    return ends[0] - 1


ROW_LIST_OF_A_KIND = laws.SM401.law("each list of rows is of a kind")
ROW_LIST_KINDS_GO_TOGETHER = laws.SM502.law("lists of rows are of kinds that go together")


def partitions(ctx: RuleContext) -> tuple[Dim | None, int]:
    """Return the number of outermost rows (None if unknown) and the number of levels of rows."""
    kinds = ctx.texts("row_partition_types")
    ctx.check(0 < len(kinds) == len(ctx.inputs) - 3, ROW_LIST_OF_A_KIND)
    counted = kinds[0] == "FIRST_DIM_SIZE"
    law = ROW_LIST_KINDS_GO_TOGETHER
    ctx.check(counted or kinds[0] == "ROW_SPLITS", law)
    ctx.check({*kinds[1:]} <= {"ROW_SPLITS", "VALUE_ROWIDS"}, law)
    rows = first(ctx, 3) if counted else None
    if counted:
        require_numbers(ctx, 3)
    for index, kind in enumerate(kinds[counted:], 3 + counted):
        ctx.assume_valid(index)
        if kind == "ROW_SPLITS":
            require_rows(ctx, index, None, whole=False)
        else:
            require_row_ids(ctx, index, rows if index == 4 else None)
    return rows if counted else ctx.input(3, rank=1)[0] - 1, len(kinds) - counted


VALUES_IN_ROWS = laws.SM301.law("each value is in a row")


def require_row_ids(ctx: RuleContext, index: int, rows: Dim | None) -> None:
    """Require that an input is a vector of row numbers, one per value, such as `[0, 0, 2]`.

    Known numbers must be in 0..rows-1; if `rows` is None or 0, any are accepted.
    """
    ctx.input(index, rank=1)
    for number in ctx.items(index) or ():
        if number is not None and rows is not None:
            inside = any_of(equal(rows, 0), all_of(at_least(number, 0), less(number, rows)))
            ctx.require(inside, VALUES_IN_ROWS, number, rows)


@rule("RaggedTensorToTensor", domain=DOMAIN)
def to_tensor(ctx: RuleContext) -> Tensor:
    """Pad rows with a default value to the requested length, or to the length of the longest row."""
    values, default = ctx.input(1, least=1), ctx.input(2)
    rows, levels = partitions(ctx)
    require_least(ctx, [rows], 0, laws.SIZES_NOT_NEGATIVE)
    require_default(ctx, default, values.dims[1:])
    sizes = [*complete_sizes(ctx, [rows]), *(ctx.fresh(f"length{i}") for i in range(levels)), *values.dims[1:]]
    return ctx.tensor(with_requested(ctx, sizes, 1 + levels), values.dtype)


DEFAULT_STRETCHES_TO_VALUE = laws.SM107.law("the default stretches to a value")


def require_default(ctx: RuleContext, default: Tensor, sizes: Sequence[Dim]) -> None:
    """Require that `default` broadcasts to `sizes`, the shape of one value."""
    law = DEFAULT_STRETCHES_TO_VALUE
    require_broadcast_to(ctx, default, tuple(sizes), law)
    for d, size in zip(default.dims, sizes, strict=False):
        ctx.require(any_of(equal(d, size), equal(d, ONE)), law, d, size)


REQUESTED_SHAPE_HAS_AXES_OF_VALUES_AND_ROWS = laws.SM107.law(
    "the shape asked for has the axes of the values and of their rows"
)


def with_requested(ctx: RuleContext, sizes: Sequence[Dim], free: int) -> list[Dim]:
    """Return `sizes`, with the first `free` of them replaced by the sizes in the first input; -1 keeps a size."""
    ctx.only_sizes(0)
    if ctx.input(0).rank == 0:
        whole = first(ctx, 0)
        ctx.require(TRUE if whole is None else equal(whole, -1), REQUESTED_SHAPE_HAS_AXES_OF_VALUES_AND_ROWS)
        return [*sizes]
    ctx.require_equal(ctx.input(0, rank=1)[0], len(sizes), REQUESTED_SHAPE_HAS_AXES_OF_VALUES_AND_ROWS)
    output = []
    for axis, (size, item) in enumerate(zip(sizes, ctx.sizes(0) or [None] * len(sizes), strict=False)):
        if item is not None and axis >= free:
            same = any_of(equal(item, -1), equal(item, size))
            ctx.require(same, REQUESTED_SHAPE_HAS_AXES_OF_VALUES_AND_ROWS, item, size)
        known = item is not None and (item.constant is not None or item.lo >= 0)
        kept = axis >= free or (item is not None and item.constant == -1)
        require_least(ctx, [item], -1, laws.SIZES_MINUS_1_OR_MORE)
        output.append(size if kept else item if known and item is not None else ctx.fresh(f"size{axis}"))
    return output


LEVELS_AS_MANY_AS_INDEX_AXES = laws.SM116.law("there are as many levels as indices have axes")
LIST_OF_ENDS_PER_LEVEL = laws.SM401.law("there is a list of ends for each level")


@rule("RaggedGather", domain=DOMAIN)
def gather(ctx: RuleContext) -> list[Tensor]:
    """Return the rows at the given indices: the row splits of each level, and the values."""
    levels, indices = ctx.integer("PARAMS_RAGGED_RANK"), ctx.input(len(ctx.inputs) - 1)
    ctx.check(ctx.integer("OUTPUT_RAGGED_RANK") == levels + indices.rank - 1, LEVELS_AS_MANY_AS_INDEX_AXES)
    ctx.check(levels >= 1 and len(ctx.inputs) == levels + 2, LIST_OF_ENDS_PER_LEVEL)
    require_places(ctx, indices, row_count(ctx, levels))
    outer = [ctx.tensor(indices.dims[: i + 1]).numel for i in range(indices.rank)]
    ends = [*outer, *(ctx.fresh(f"rows{i}") for i in range(levels - 1))]
    splits = [ctx.tensor((count + 1,), ctx.input(0).dtype) for count in ends]
    values = ctx.input(levels)
    return [*splits, ctx.tensor((ctx.fresh("count"), *values.dims[1:]), values.dtype)]


ROWS_END_WHERE_INNER_ROWS_DO = laws.SM301.law("rows end where those inside do")


def row_count(ctx: RuleContext, levels: int) -> Dim:
    """Return the number of outermost rows; require that the splits of each level fit the next level or the values.

    The first `levels` inputs are the row splits, the next one holds the values.
    """
    values = ctx.input(levels, least=1)
    counts = [*(ctx.input(i + 1, rank=1)[0] - 1 for i in range(levels - 1)), values[0]]
    rows = [require_rows(ctx, i, count if i + 1 == levels else None, whole=False) for i, count in enumerate(counts)]
    for i, count in enumerate(counts[:-1]):
        last = (ctx.items(i) or (None,))[-1]
        if last is not None and (count - last).lo < 0:
            leave_open(ctx, ROWS_END_WHERE_INNER_ROWS_DO)
    return rows[0]


@rule("RaggedTensorToVariant", domain=DOMAIN)
def to_variant(ctx: RuleContext) -> Tensor:
    """Pack a ragged tensor into one element, or into one per outermost row."""
    levels = len(ctx.inputs) - 1
    rows = row_count(ctx, levels) if levels else None
    if not ctx.integer("batched_input"):
        return ctx.tensor((), "variant")
    if rows is None:
        ctx.require_rank(ctx.input(0), 1, least=True)
    return ctx.tensor((ctx.input(0)[0] if rows is None else rows,), "variant")


@rule("RaggedTensorFromVariant", domain=DOMAIN)
def from_variant(ctx: RuleContext) -> list[Tensor]:
    """Unpack elements of type variant to a ragged tensor, whose values have any shape."""
    x, levels = ctx.input(0), ctx.integer("output_ragged_rank")
    counts = [ctx.tensor(x.dims[: i + 1]).numel if i < x.rank else ctx.fresh(f"rows{i}") for i in range(levels)]
    splits = [ctx.tensor((count + 1,), ctx.text("Tsplits", "int64")) for count in counts]
    return [*splits, ctx.tensor(None, ctx.text("Tvalues", ""))]
