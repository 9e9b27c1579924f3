"""Sparse tensors, which are three inputs: indices, values and shape; also sets and ragged rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import constants_of, result, vector
from shapesmt.operators.ops.shared.indices import columns
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_same, require_vector
from shapesmt.operators.ops.tensorflow.common import DOMAIN, first, least, one_of, require_each, require_numbers
from shapesmt.operators.ops.tensorflow.containers.ragged import require_rows
from shapesmt.operators.ops.tensorflow.indexing import require_places, require_sorted
from shapesmt.operators.ops.tensorflow.segments import sparse_segments
from shapesmt.operators.rules import RuleContext, Tensor, rule
from shapesmt.prover.algebra import FALSE, ONE, Dim, Formula, any_of, differs, equal, less, total


class Sparse(NamedTuple):
    """A sparse tensor with `entries` values and `rank` axes; `sizes` has None for each unknown size, or is None."""

    entries: Dim
    dtype: str
    rank: Dim
    sizes: Sequence[Dim | None] | None


SPARSE_VALUE_PER_PLACE_ON_EACH_AXIS = laws.SM116.law(
    "a sparse tensor has a value for each place, which names one on each axis"
)


def sparse_input(ctx: RuleContext, places: int, values: int, shape: int, *, inside: bool = False) -> Sparse:
    """Return the sparse tensor in three inputs: indices `[count, rank]`, values `[count]` and shape `[rank]`.

    `places`, `values` and `shape` are the positions of these inputs; with `inside`, require indices inside the shape.
    """
    indices, items = ctx.input(places, rank=2), ctx.input(values, rank=1)
    sizes = ctx.input(shape, rank=1)
    ctx.require_equal(indices[0], items[0], SPARSE_VALUE_PER_PLACE_ON_EACH_AXIS)
    ctx.require_equal(indices[1], sizes[0], SPARSE_VALUE_PER_PLACE_ON_EACH_AXIS)
    dense_shape = ctx.sizes(shape)
    counting = {"SparseReorder": 0, "SparseFillEmptyRows": 1}.get(ctx.node.op)  # the others use all sizes
    require_least(ctx, dense_shape and dense_shape[:counting], 0, laws.SIZES_NOT_NEGATIVE)
    if counting:
        require_least(ctx, dense_shape, -1, laws.SIZES_MINUS_1_OR_MORE)
    if inside:
        require_inside(ctx, indices, dense_shape)
    return Sparse(items[0], items.dtype, sizes[0], dense_shape)


def require_inside(
    ctx: RuleContext, places: Tensor, sizes: Sequence[Dim | None] | None, unless: Formula = FALSE
) -> None:
    """Require that the known index tuples in `places`, `[count, rank]`, are inside `sizes`, unless `unless` holds."""
    for column, size in zip(columns(places, len(sizes or ())), sizes or (), strict=False):
        if size is not None:
            require_places(ctx, column, size, unless)
    ctx.assume_elements(places)


def triple(ctx: RuleContext, count: Dim, rank: Dim | int, dtype: str) -> list[Tensor]:
    """Return the three outputs of a sparse tensor: indices `[count, rank]`, values `[count]` and shape `[rank]`."""
    return [ctx.tensor((count, rank), "int64"), ctx.tensor((count,), dtype), ctx.tensor((rank,), "int64")]


@rule("SparseReorder", domain=DOMAIN)
def reorder(ctx: RuleContext) -> list[Tensor]:
    """Sort the values by their indices."""
    x = sparse_input(ctx, 0, 1, 2)
    return triple(ctx, x.entries, x.rank, x.dtype)[:2]


RANK_AT_LEAST_2 = laws.SM303.law("the rank is at least 2, not another")


@rule("SparseSoftmax", domain=DOMAIN)
def softmax(ctx: RuleContext) -> Tensor:
    """Normalize the values along the last axis of a tensor of at least 2 axes."""
    x = sparse_input(ctx, 0, 1, 2)
    ctx.require_at_least(x.rank, 2, RANK_AT_LEAST_2)
    return ctx.tensor((x.entries,), x.dtype)


DENSE_AXES_AT_MOST_SPARSE = laws.SM303.law("the dense tensor has no more axes than the sparse one")


@rule("SparseDenseCwiseAdd", "SparseDenseCwiseDiv", "SparseDenseCwiseMul", domain=DOMAIN)
def with_dense(ctx: RuleContext) -> Tensor:
    """Combine each value with the element of a dense tensor that broadcasts to the sparse shape."""
    x, dense = sparse_input(ctx, 0, 1, 2, inside=True), ctx.input(3)
    ctx.require_at_least(x.rank, dense.rank, DENSE_AXES_AT_MOST_SPARSE)
    for size, d in zip((x.sizes or ())[::-1], dense.dims[::-1], strict=False):
        if size is not None:
            ctx.require(any_of(equal(d, size), equal(d, 1)), laws.EXPANDS_FROM_1_OR_STAYS, d, size)
    return ctx.tensor((x.entries,), x.dtype)


@rule("SparseTensorDenseAdd", domain=DOMAIN)
def add_dense(ctx: RuleContext) -> Tensor:
    """Add the values to a dense tensor of the same shape."""
    x, dense = sparse_input(ctx, 0, 1, 2, inside=True), ctx.input(3)
    ctx.require_equal(x.rank, dense.rank, laws.OPERANDS_SAME_SHAPE)
    require_same(ctx, x.sizes, dense.dims, laws.OPERANDS_SAME_SHAPE)
    return ctx.tensor(dense.dims, x.dtype)


SPARSE_OPERAND_MATRIX = laws.SM303.law("the sparse operand is a matrix")


@rule("SparseTensorDenseMatMul", domain=DOMAIN)
def multiply(ctx: RuleContext) -> Tensor:
    """Multiply matrices: `[m, k] x [k, n] -> [m, n]`; attributes transpose either operand."""
    x, dense = sparse_input(ctx, 0, 1, 2), ctx.input(3, rank=2)
    ctx.require_equal(x.rank, 2, SPARSE_OPERAND_MATRIX)
    turn = -1 if ctx.integer("adjoint_a", 0) else 1
    m, k = ctx.sizes(2, 2)[::turn]
    inner, n = dense.dims[:: -1 if ctx.integer("adjoint_b", 0) else 1]
    if k is not None:
        ctx.require_equal(k, inner, laws.INNER_SIZES_EQUAL)
    output = ctx.tensor([*complete_sizes(ctx, [m]), n], x.dtype)
    require_inside(ctx, ctx.input(0), [m, inner][::turn], equal(output.numel, 0))
    return output


@rule("SparseAdd", "SparseSparseMaximum", "SparseSparseMinimum", domain=DOMAIN)
def add(ctx: RuleContext) -> list[Tensor]:
    """Add two tensors of the same shape, or return their elementwise maximum or minimum, without a shape output."""
    inside = ctx.node.op != "SparseAdd"
    a, b = sparse_input(ctx, 0, 1, 2, inside=inside), sparse_input(ctx, 3, 4, 5, inside=inside)
    require_numbers(ctx, 6)
    ctx.require_equal(a.rank, b.rank, laws.OPERANDS_SAME_SHAPE)
    require_same(ctx, a.sizes, b.sizes, laws.OPERANDS_SAME_SHAPE)
    return triple(ctx, ctx.fresh("count", 0, a.entries + b.entries), a.rank, a.dtype)


@rule("SparseConcat", domain=DOMAIN)
def concat(ctx: RuleContext) -> list[Tensor]:
    """Concatenate sparse tensors along an axis; the output has the values of all."""
    many = len(ctx.inputs) // 3
    ctx.check(many > 1, laws.AT_LEAST_TWO_TENSORS_TO_JOIN)
    parts = [sparse_input(ctx, i, many + i, 2 * many + i) for i in range(many)]
    rank, at, law = parts[0].rank.constant, ctx.integer("concat_dim"), laws.JOINED_MATCH_OFF_AXIS
    axis = at if rank is None else ctx.normal(at, rank)
    for x in parts[1:]:
        ctx.require_equal(x.rank, parts[0].rank, law)
        one, other = (
            [None if i == axis or axis < 0 else d for i, d in enumerate(p.sizes or ())] for p in (x, parts[0])
        )
        require_same(ctx, one, other, law)
    return triple(ctx, total(x.entries for x in parts), parts[0].rank, parts[0].dtype)


START_AND_SIZE_PER_AXIS = laws.SM116.law("there is a start and a size for each axis")


@rule("SparseSlice", domain=DOMAIN)
def cut(ctx: RuleContext) -> list[Tensor]:
    """Return the sparse tensor of the values inside a region."""
    x = sparse_input(ctx, 0, 1, 2)
    require_vector(ctx, (3, 4), x.rank, START_AND_SIZE_PER_AXIS)
    require_least(ctx, ctx.items(4), 0, laws.SIZES_NOT_NEGATIVE)
    return triple(ctx, ctx.fresh("count", 0, x.entries), x.rank, x.dtype)


AXIS_INSIDE_TENSOR = laws.SM302.law("the axis is inside the tensor")
SOMETHING_PER_PART = laws.SM116.law("there is something for each part")


@rule("SparseSplit", domain=DOMAIN)
def split(ctx: RuleContext) -> list[Tensor]:
    """Split an axis into `num_split` parts; if the size isn't a multiple, the first parts are longer by one."""
    parts, x = least(ctx, "num_split", 1), sparse_input(ctx, 1, 2, 3, inside=True)
    require_numbers(ctx, 0)
    axis = first(ctx, 0)
    if axis is not None:
        ctx.require_within(axis, x.rank, AXIS_INSIDE_TENSOR)
    known = None if axis is None else axis.constant
    size = x.sizes[known] if known is not None and x.sizes and -len(x.sizes) <= known < len(x.sizes) else None
    if size is not None:
        ctx.require_at_least(size, parts, SOMETHING_PER_PART)
    tensors = [triple(ctx, ctx.fresh(f"count{i}", 0, x.entries), x.rank, x.dtype) for i in range(parts)]
    return [t for kind in zip(*tensors, strict=True) for t in kind]


@rule("SparseReshape", domain=DOMAIN)
def reshape(ctx: RuleContext) -> list[Tensor]:
    """Change the shape and recompute the indices; the values stay."""
    places, old, new = ctx.input(0, rank=2), ctx.input(1, rank=1), ctx.input(2, rank=1)
    ctx.require_equal(places[1], old[0], SPARSE_VALUE_PER_PLACE_ON_EACH_AXIS)
    before, after = ctx.sizes(1), ctx.sizes(2)
    require_least(ctx, before, 0, laws.SIZES_NOT_NEGATIVE)
    if before is not None and after is not None and None not in (*before, *after):
        result(ctx, "Reshape", ctx.tensor(complete_sizes(ctx, before)), vector(*after), allowzero=1)
    return [ctx.tensor((places[0], new[0]), "int64"), ctx.tensor((new[0],), "int64")]


AXES_ONE_NUMBER_OR_LIST = laws.SM302.law("the axes are one number, or a list")


@rule("SparseReduceMax", "SparseReduceSum", domain=DOMAIN)
def fold(ctx: RuleContext) -> Tensor:
    """Reduce the axes in an input; they keep size 1 with `keep_dims`, else they are removed."""
    x, axes, keep = sparse_input(ctx, 0, 1, 2), constants_of(ctx, 3, "the axes"), ctx.integer("keep_dims", 0)
    if axes is None or x.sizes is None:
        return ctx.tensor(None, x.dtype)
    dense = ctx.tensor(complete_sizes(ctx, x.sizes), x.dtype)
    ctx.check(ctx.input(3).rank <= 1, AXES_ONE_NUMBER_OR_LIST)
    folded = dict.fromkeys(ctx.normal(axis, dense.rank) for axis in axes)
    require_inside(ctx, ctx.input(0), [None if i in folded else d for i, d in enumerate(x.sizes)])
    return result(ctx, "ReduceSum", dense, vector(*folded), keepdims=keep, noop_with_empty_axes=1)


ROWS = laws.SM204.law("there are rows")


@rule("SparseFillEmptyRows", domain=DOMAIN)
def fill_rows(ctx: RuleContext) -> list[Tensor]:
    """Fill empty rows with a default; also return which rows were empty, and the new index of each value."""
    x = sparse_input(ctx, 0, 1, 2)
    require_numbers(ctx, 3)
    ctx.require_at_least(x.rank, 1, ROWS)
    (rows,) = complete_sizes(ctx, x.sizes[:1]) if x.sizes else (ctx.fresh("rows"),)
    require_inside(ctx, ctx.input(0), [rows, *[None] * len((x.sizes or ())[1:])])
    outputs = triple(ctx, ctx.fresh("count", 0, x.entries + rows), x.rank, x.dtype)
    return [*outputs[:2], ctx.tensor((rows,), "bool"), ctx.tensor((x.entries,), "int64")]


SUMMED = ("Mean", "SqrtN", "Sum")


@rule(*(f"SparseSegment{name}WithNumSegments" for name in SUMMED), domain=DOMAIN)
def segments(ctx: RuleContext) -> Tensor:
    """Gather rows by indices and reduce them by segments; an input has the number of segments."""
    count, reduced = first(ctx, 3), sparse_segments(ctx)
    require_numbers(ctx, 3)
    require_least(ctx, [count], 0, laws.SEGMENT_COUNT_NOT_NEGATIVE)
    if count is not None:
        require_each(ctx, ctx.input(2), lambda d: less(d, count), laws.SEGMENT_NUMBERS_BELOW_COUNT)
    return ctx.tensor([*complete_sizes(ctx, [count]), *reduced.dims[1:]])


@rule("SerializeManySparse", domain=DOMAIN)
def serialized(ctx: RuleContext) -> Tensor:
    """Serialize each row of a sparse tensor as three texts: `[rows, 3]`."""
    x = sparse_input(ctx, 0, 1, 2, inside=True)
    ctx.require_at_least(x.rank, 2, RANK_AT_LEAST_2)
    return ctx.tensor((*complete_sizes(ctx, x.sizes[:1] if x.sizes else [None]), 3), ctx.text("out_type", "string"))


# Sets


def operation(ctx: RuleContext, *places: int) -> None:
    """Require a known set operation, and sorted indices in the sparse sets that begin at the inputs `places`."""
    one_of(ctx, "set_operation", "union", "intersection", "a-b", "b-a")
    for at in places:
        sizes = ctx.sizes(at + 2)
        if sizes is not None and None not in sizes:
            require_sorted(ctx, ctx.input(at), ctx.tensor(complete_sizes(ctx, sizes)))


SETS_AS_MANY_IN_BOTH = laws.SM116.law("there are as many sets in both tensors")


@rule("DenseToDenseSetOperation", domain=DOMAIN)
def sets(ctx: RuleContext) -> list[Tensor]:
    """Combine sets along the last axes of two tensors whose other axes agree; the result is sparse."""
    a, b = ctx.input(0, least=2), ctx.input(1, least=2)
    operation(ctx)
    ctx.require_agree(a, b, but=a.rank - 1, law=SETS_AS_MANY_IN_BOTH)
    return triple(ctx, ctx.fresh("count"), a.rank, a.dtype)


@rule("DenseToSparseSetOperation", domain=DOMAIN)
def sets_of_sparse(ctx: RuleContext) -> list[Tensor]:
    """Combine sets in a dense and in a sparse tensor; the result is sparse."""
    b, a = sparse_input(ctx, 1, 2, 3, inside=True), ctx.input(0, least=2)
    operation(ctx, 1)
    ctx.require_equal(a.rank, b.rank, SETS_AS_MANY_IN_BOTH)
    require_same(ctx, a.dims[:-1], (b.sizes or ())[:-1], SETS_AS_MANY_IN_BOTH)
    return triple(ctx, ctx.fresh("count"), a.rank, a.dtype)


@rule("SparseToSparseSetOperation", domain=DOMAIN)
def sparse_sets(ctx: RuleContext) -> list[Tensor]:
    """Combine sets in two sparse tensors; the result is sparse."""
    a, b = sparse_input(ctx, 0, 1, 2, inside=True), sparse_input(ctx, 3, 4, 5, inside=True)
    ctx.require_at_least(a.rank, 2, RANK_AT_LEAST_2)
    operation(ctx, 0, 3)
    ctx.require_equal(a.rank, b.rank, SETS_AS_MANY_IN_BOTH)
    require_same(ctx, (a.sizes or ())[:-1], (b.sizes or ())[:-1], SETS_AS_MANY_IN_BOTH)
    return triple(ctx, ctx.fresh("count"), a.rank, a.dtype)


# Ragged rows


NO_STEP_0 = laws.SM502.law("no step is 0")


@rule("RaggedRange", domain=DOMAIN)
def ragged_range(ctx: RuleContext) -> list[Tensor]:
    """Return the numbers from each start up to its limit as one row: the row splits, and all numbers."""
    ends = [ctx.input(i) for i in range(3)]
    rows = _range_count(ctx, ends)
    require_each(ctx, ends[2], lambda d: differs(d, 0), NO_STEP_0)
    return [ctx.tensor((rows + 1,), ctx.text("Tsplits", "int64")), ctx.tensor((ctx.fresh("count"),))]


@rule("RaggedTensorToSparse", domain=DOMAIN)
def ragged_to_sparse(ctx: RuleContext) -> list[Tensor]:
    """Return all values with their indices: the row on each level, and the position in it."""
    splits = len(ctx.inputs) - 1
    values = ctx.input(splits, least=1)
    for index in range(splits):
        ctx.require_rank(ctx.input(index), 1)
    for index in range(splits):
        require_rows(ctx, index, ctx.input(index + 1)[0] - (index + 1 < splits))
    return triple(ctx, values.numel, splits + values.rank, values.dtype)


STARTS_LIMITS_STEPS_NUMBER_OR_LIST = laws.SM401.law("starts, limits and steps are one number, or a list")
STARTS_AS_MANY_AS_LIMITS_AND_STEPS = laws.SM116.law("there are as many starts as limits and steps")


def _range_count(ctx: RuleContext, ends: list[Tensor]) -> Dim:
    """Return the number n of ranges: starts, limits and steps, in `ends`, are each a scalar or a list `[n]`."""
    for x in ends:
        ctx.check(x.rank <= 1, STARTS_LIMITS_STEPS_NUMBER_OR_LIST)
    lists = [x[0] for x in ends if x.rank]
    for size in lists[1:]:
        ctx.require_equal(size, lists[0], STARTS_AS_MANY_AS_LIMITS_AND_STEPS)
    return lists[0] if lists else ONE
