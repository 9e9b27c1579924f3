"""Operators that read and write elements by index; a negative index is out of range."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.network.graph import AttributeValue
from shapesmt.operators.ops.layout.indexing import gathered_tuples, hot_axes
from shapesmt.operators.ops.shared.bridge import anything, as_list, constants_of, result, results, vector
from shapesmt.operators.ops.shared.fields import integers_of, reshape_elements
from shapesmt.operators.ops.shared.follows import gathered_along, row_wise
from shapesmt.operators.ops.shared.indices import columns, spans
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_same, require_shape
from shapesmt.operators.ops.tensorflow.common import (
    DOMAIN,
    axis_of,
    first,
    least,
    one_of,
    require_each,
    require_most,
    require_numbers,
    with_type,
)
from shapesmt.operators.rules import Keeps, RuleContext, Tensor, Traits, rule, tensor
from shapesmt.prover.algebra import (
    FALSE,
    ONE,
    ZERO,
    Dim,
    Formula,
    all_of,
    any_of,
    at_least,
    equal,
    less,
    negate,
    product,
)


def require_places(ctx: RuleContext, indices: Tensor, size: Dim, unless: Formula = FALSE) -> None:
    """Require that known indices are in 0..size-1, unless `unless` holds; for unknown ones, require `size >= 1`."""
    known = spans(ctx, indices, laws.INDICES_INSIDE_AXIS)
    if not known:
        ctx.require(any_of(unless, equal(indices.numel, 0), at_least(size, 1)), laws.SOMETHING_TO_PICK, size)
    for condition, lowest, highest in known:
        for formula, index in ((at_least(lowest, 0), lowest), (less(highest, size), highest)):
            ctx.require(any_of(unless, negate(condition), formula), laws.INDICES_INSIDE_AXIS, index, size)


# Gathers


@rule("Gather", "ResourceGather", "GatherV2", domain=DOMAIN, traits=Traits.LOOKUP, follows=gathered_along)
def gather(ctx: RuleContext) -> Tensor:
    """Return the elements at the given indices of an axis; data and indices share the first `batch_dims` axes."""
    x, indices = ctx.input(0), ctx.input(1)
    batch = ctx.integer("batch_dims", 0)
    signed_axis = axis_of(ctx, 2) if ctx.node.op == "GatherV2" else max(batch, 0)
    if signed_axis is None:
        return ctx.tensor([ctx.fresh(f"size{i}") for i in range(x.rank + indices.rank - 1)])
    axis, batch = ctx.normal(signed_axis, x.rank), batch + (indices.rank if batch < 0 else 0)
    ctx.check(0 <= batch <= min(axis, indices.rank), laws.BATCH_DIMS_AT_MOST_AXIS)
    require_places(ctx, indices, x[axis], equal(product([*x.dims[:axis], *x.dims[axis + 1 :]]), 0))
    require_same(ctx, x.dims[:batch], indices.dims, laws.DATA_AND_INDICES_SAME_BATCH)
    if batch:
        return ctx.tensor([*x.dims[:axis], *indices.dims[batch:], *x.dims[axis + 1 :]])
    return _without_laws(ctx, "Gather", x, indices, axis=axis)


def _without_laws(ctx: RuleContext, op: str, *inputs: Tensor, **attributes: AttributeValue) -> Tensor:
    """Return the output of ONNX's operator without its laws; the rules here state TensorFlow's."""
    before = len(ctx.requirements)
    output = result(ctx, op, *inputs, **attributes)
    del ctx.requirements[before:]
    return output


@rule("GatherNd", "ResourceGatherNd", domain=DOMAIN, follows=gathered_tuples)
def gather_nd(ctx: RuleContext) -> Tensor:
    """Return an element or a slice for each index tuple along the last axis of the indices."""
    x, indices = ctx.input(0, least=1), ctx.input(1, least=1)
    require_indexable(ctx, x, indices)
    if (depth := indices[-1].constant) is None:
        return ctx.tensor(None)
    require_tuples(ctx, x, indices, depth)
    return _without_laws(ctx, "GatherND", x, indices) if depth else ctx.tensor([*indices.dims[:-1], *x.dims])


LOOKED_UP_NOT_EMPTY = laws.SM204.law("what is looked up in isn't empty")


def require_indexable(ctx: RuleContext, x: Tensor, indices: Tensor) -> None:
    """Require index tuples no longer than the rank of `x` (at most 7), and no lookup if `x` is empty."""
    ctx.require_at_least(7, indices[-1], laws.INDEX_TUPLE_AT_MOST)
    ctx.require_at_least(x.rank, indices[-1], laws.INDEX_TUPLE_WITHIN_INDEXED_RANK)
    nothing = equal(product(indices.dims[:-1]), 0)
    ctx.require(any_of(nothing, *map(negate, [equal(x.numel, 0)])), LOOKED_UP_NOT_EMPTY, x.numel)


# Scatters


@rule("ScatterNd", domain=DOMAIN)
def scatter_nd(ctx: RuleContext) -> Tensor:
    """Return zeros, of the sizes in an input, with an update written at each index tuple."""
    indices, updates, sizes = ctx.input(0), ctx.input(1), ctx.sizes(2)
    if sizes is None:
        return ctx.tensor(None, updates.dtype)
    require_least(ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    output = tensor(updates.dtype, complete_sizes(ctx, sizes, index=2))
    require_updates(ctx, output, indices, updates)
    return output


SCATTERS = ("ScatterNdNonAliasingAdd", *(f"TensorScatter{way}" for way in ("Add", "Sub", "Max", "Min")))
REDUCTIONS = {"Update": "none", "Add": "add", "Max": "max", "Min": "min"}


@rule(*SCATTERS, domain=DOMAIN)
@rule("TensorScatterUpdate", domain=DOMAIN, traits=Traits(Keeps.COPIED, tuples=True))
def tensor_scatter(ctx: RuleContext) -> Tensor:
    """Write or combine an update at each index tuple; the shape is unchanged."""
    x, indices, updates = (ctx.input(i) for i in range(3))
    require_updates(ctx, x, indices, updates)
    reduction = REDUCTIONS.get(ctx.node.op.removeprefix("TensorScatter").removeprefix("ScatterNdNonAliasing"))
    if reduction is None or x.value is None or indices[-1].constant is None:
        return ctx.tensor(x.dims)
    return _without_laws(ctx, "ScatterND", x, indices, updates, reduction=reduction)


UPDATE_PER_INDEX_TUPLE = laws.SM306.law("there is an update for each index tuple, of the shape of what it replaces")


def require_updates(ctx: RuleContext, x: Tensor, indices: Tensor, updates: Tensor) -> None:
    """Require one update for each index tuple, with the shape of the slice of `x` that it replaces."""
    ctx.require_rank(indices, 1, least=True)
    ctx.require_rank(x, 1, least=True)
    require_indexable(ctx, x, indices)
    depth = indices.rank - 1 + x.rank - updates.rank if indices[-1].constant is None else indices[-1].constant
    law = UPDATE_PER_INDEX_TUPLE
    ctx.check(0 <= depth <= x.rank, law)
    ctx.require_equal(indices[-1], depth, law)
    ctx.require_agree(updates, ctx.tensor([*indices.dims[:-1], *x.dims[depth:]]), law=law)
    require_tuples(ctx, x, indices, depth)


def require_tuples(ctx: RuleContext, x: Tensor, indices: Tensor, depth: int) -> None:
    """Require that index tuples of length `depth` are inside `x`, unless the node ignores those outside."""
    if one_of(ctx, "bad_indices_policy", "", "DEFAULT", "ERROR", "IGNORE") != "IGNORE":
        for column, size in zip(columns(indices, depth), x.dims, strict=False):
            require_places(ctx, column, size)


INDICES_NUMBER_LIST_OR_TUPLES = laws.SM401.law("indices are a number, a list or a list of tuples")
ONE_VALUE_OR_PER_INDEX = laws.SM116.law("there is one value, or one for each index")
INDEX_TUPLE_PLACE_ON_EACH_AXIS = laws.SM306.law("an index tuple names a place on each axis")


@rule("SparseToDense", domain=DOMAIN)
def sparse_to_dense(ctx: RuleContext) -> Tensor:
    """Return a tensor of the sizes in an input, with one value, or one per index tuple, written at the index tuples."""
    indices, sizes, values = ctx.input(0), ctx.sizes(1), ctx.input(2)
    ctx.require_rank(ctx.input(3), 0)
    count = indices[0] if indices.rank else ONE
    ctx.check(indices.rank <= 2 and values.rank <= 1, INDICES_NUMBER_LIST_OR_TUPLES)
    if values.rank:
        ctx.require_equal(values[0], count, ONE_VALUE_OR_PER_INDEX)
    if sizes is None:
        return ctx.tensor(None, values.dtype)
    require_least(ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    depth = indices[1] if indices.rank == 2 else ONE
    ctx.require_equal(depth, len(sizes), INDEX_TUPLE_PLACE_ON_EACH_AXIS)
    output = tensor(values.dtype, complete_sizes(ctx, sizes))
    require_sorted(ctx, indices, output)
    return output


INDEX_TUPLES_ASCENDING = laws.SM502.law("index tuples are in ascending order, none twice")


def require_sorted(ctx: RuleContext, indices: Tensor, x: Tensor) -> None:
    """Require that known index tuples are inside `x`, in ascending order and without duplicates."""
    if indices.rank < 2:  # a list of single indices
        indices = tensor(
            indices.dtype, [*(indices.dims or (ONE,)), ONE], reshape_elements(indices, [*(indices.dims or (ONE,)), ONE])
        )
    for column, size in zip(columns(indices, x.rank), x.dims, strict=False):
        require_places(ctx, column, size)
    numbers = integers_of(indices)
    if numbers is not None and x.rank and ctx.integer("validate_indices", 1):
        rows = [numbers[at : at + x.rank] for at in range(0, len(numbers), x.rank)]
        ctx.check(rows == sorted(set(rows)), INDEX_TUPLES_ASCENDING)


# Choices


DEPTH_ON_OFF_ONE_NUMBER_EACH = laws.SM401.law("depth, on and off are one number each")
DEPTH_NOT_NEGATIVE = laws.SM309.law("the depth isn't negative")


@rule("OneHot", domain=DOMAIN, traits=Traits.COPIED, follows=hot_axes)
def one_hot(ctx: RuleContext) -> Tensor:
    """Insert an axis of size `depth`, which holds `on` at each index and `off` elsewhere."""
    indices = ctx.input(0)
    require_shape(ctx, (1, 2, 3), (), DEPTH_ON_OFF_ONE_NUMBER_EACH)
    least(ctx, "axis", -1, -1)
    axis, depth = ctx.axis(indices.rank + 1, -1), first(ctx, 1)
    require_least(ctx, [depth], 0, DEPTH_NOT_NEGATIVE)
    dims = [*indices.dims[:axis], *complete_sizes(ctx, [depth], index=1), *indices.dims[axis:]]
    return ctx.tensor(dims, ctx.input(2).dtype)


@rule("TopK", "TopKV2", domain=DOMAIN, traits=Traits.MIXED, follows=row_wise())
def top_k(ctx: RuleContext) -> list[Tensor]:
    """Return the `k` largest elements along the last axis and their indices; `k` is an input since version 2."""
    x = ctx.input(0, least=1)
    k = as_list(ctx.input(1, rank=0)) if ctx.node.op == "TopKV2" else vector(ctx.integer("k"))
    ordered = ctx.integer("sorted", 1)
    best, places = results(ctx, "TopK", x, k, axis=-1, sorted=ordered)
    return [best, with_type(places, ctx.text("index_type", "int32"))]


N_INSIDE_LAST_AXIS = laws.SM305.law("n is inside the last axis")


@rule("NthElement", domain=DOMAIN)
def nth_element(ctx: RuleContext) -> Tensor:
    """Return the n-th smallest element along the last axis, which is removed."""
    place, x = first(ctx, 1), ctx.input(0, least=1)
    ctx.require_rank(ctx.input(1), 0)
    place = ZERO if place is None else place
    ctx.require(all_of(at_least(place, 0), less(place, x[-1])), N_INSIDE_LAST_AXIS, place, x[-1])
    return ctx.tensor(x.dims[:-1])


TARGET_PER_ROW = laws.SM116.law("there is one target per row")


@rule("InTopK", "InTopKV2", domain=DOMAIN)
def in_top_k(ctx: RuleContext) -> Tensor:
    """Test whether each row's target class is among its k best."""
    x, targets = ctx.input(0, rank=2), ctx.input(1, rank=1)
    require_numbers(ctx, 2)
    ctx.require_equal(x[0], targets[0], TARGET_PER_ROW)
    return ctx.tensor(targets.dims, "bool")


@rule("Where", domain=DOMAIN, any_rank=True)
def where(ctx: RuleContext) -> Tensor:
    """Return the indices of nonzero elements, `[count, rank]`."""
    x = ctx.input(0)
    places = result(ctx, "NonZero", x)
    if x.shape is None:
        return ctx.tensor(places.dims[::-1], "int64")
    ctx.require_rank(x, 1, least=True)
    require_most(ctx, x, 8)
    return result(ctx, "Transpose", places)


ALONG_ONE_AXIS_AT_MOST = laws.SM303.law("it is along one axis at most")


@rule("Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2", domain=DOMAIN)
def unique(ctx: RuleContext) -> list[Tensor]:
    """Return the distinct elements or slices, the index of each input element or slice among them, and their counts."""
    x, dtype = ctx.input(0), ctx.text("out_idx", "int32")
    axes = constants_of(ctx, 1, "the axis") if ctx.node.op.endswith("V2") else ()
    if ctx.node.op.endswith("V2"):
        ctx.require_rank(ctx.input(1), 1)
        ctx.require_at_least(1, ctx.input(1)[0], ALONG_ONE_AXIS_AT_MOST)
    if axes is None:
        size = ctx.fresh("size")
        return [anything(ctx, x), ctx.tensor((size,), dtype), ctx.tensor((ctx.fresh("count"),), dtype)]
    ctx.require_rank(x, 1, least=bool(axes))
    outputs = results(ctx, "Unique", x, axis=axes[0] if axes else 0)
    return [outputs[0], with_type(outputs[2], dtype), with_type(outputs[3], dtype)]


@rule("ListDiff", domain=DOMAIN)
def list_diff(ctx: RuleContext) -> list[Tensor]:
    """Return the elements of one list that aren't in another, and their positions."""
    x = ctx.input(0, rank=1)
    ctx.require_rank(ctx.input(1), 1)
    dims = (ctx.fresh("count", 0, x[0]),)
    return [ctx.tensor(dims), ctx.tensor(dims, ctx.text("out_idx", "int32"))]


A_PLACE = laws.SM204.law("there is at least one place")
NO_SIZE_0 = laws.SM204.law("no size is 0")
PLACES_INSIDE_TENSOR = laws.SM301.law("places are inside the tensor")


@rule("UnravelIndex", domain=DOMAIN)
def unravel(ctx: RuleContext) -> Tensor:
    """Convert indices of a flattened tensor to indices along each of its axes, `[rank, count]`."""
    places, shape = ctx.input(0), ctx.input(1, rank=1)
    ctx.check(places.rank <= 1, laws.RANK_AT_MOST_1.of(rank=places.rank))
    ctx.require_at_least(places.numel, 1, A_PLACE)
    sizes = ctx.sizes(1) or [None]
    require_least(ctx, sizes, 1, NO_SIZE_0)
    if None not in sizes:
        volume = product([d for d in sizes if d is not None])
        require_each(ctx, places, lambda d: less(d, volume), PLACES_INSIDE_TENSOR)
    return ctx.tensor([shape[0], *places.dims])
