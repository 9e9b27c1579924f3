"""Operators that find elements (nonzero, marked, distinct) and count them."""

from __future__ import annotations

from math import isfinite

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import result
from shapesmt.operators.ops.shared.indices import any_places, count_true, require_not_negative, require_places
from shapesmt.operators.ops.shared.require import require_least
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import require_order
from shapesmt.operators.ops.torch.following import hot
from shapesmt.operators.ops.torch.sizes import scalar
from shapesmt.operators.rules import Decided, Tensor, Traits, tensor
from shapesmt.prover.algebra import ZERO, Dim, any_of, as_dim, equal, select


@operator("nonzero.default", "argwhere.default")
def nonzero(call: Call) -> Tensor:
    """Return the indices of nonzero elements, one row per element: `[count, rank]`."""
    if not call.tensor("self").rank:
        return tensor("int64", [count_true(call.ctx, 0), 0])
    return result(call.ctx, "Transpose", result(call.ctx, "NonZero", call.tensor("self")))


@operator("nonzero_numpy.default", "where.default")
def places(call: Call) -> list[Tensor]:
    """Return the indices of nonzero elements, one list per axis; a scalar counts as having one axis."""
    rows = result(call.ctx, "NonZero", call.ctx.input(0))
    return [
        result(call.ctx, "Gather", rows, scalar(as_dim(axis), "int64"))
        for axis in range(max(call.ctx.input(0).rank, 1))
    ]


@operator("nonzero_static.default")
def nonzero_static(call: Call) -> Tensor:
    """Return the indices of `size` nonzero elements, one row per element: `[size, rank]`."""
    size = call.size("size")
    return tensor("int64", None if size is None else [size, call.tensor("self").rank])


@operator("masked_select.default", traits=Traits.COPIED)
def masked_select(call: Call) -> Tensor:
    """Return the elements for which `mask` is true, as a list `[count]`; mask and input broadcast."""
    x, mask = call.tensor("self"), call.tensor("mask")
    call.ctx.check(mask.dtype in ("bool", ""), laws.ELEMENT_TYPE.of(expected="bool", dtype=mask.dtype))
    whole = tensor("", call.ctx.broadcast(x.dims, mask.dims)).numel
    call.ctx.only_sizes(call.place("mask"))
    if whole is mask.numel:
        return tensor(x.dtype, [count_true(call.ctx, call.place("mask"))])
    return tensor(x.dtype, [call.ctx.fresh("count", 0, whole, how=Decided((call.place("mask"),)))])


@operator("masked_scatter.default", "masked_scatter_.default", traits=Traits.COPIED)
def masked_scatter(call: Call) -> Tensor:
    """Replace the elements where `mask` is true by those of `source`, in order; it is assumed to have enough."""
    x, mask = call.tensor("self"), call.tensor("mask")
    shape = call.ctx.broadcast(x.dims, mask.dims)
    call.ctx.check(mask.dtype in ("bool", ""), laws.ELEMENT_TYPE.of(expected="bool", dtype=mask.dtype))
    if call.ctx.node.op.split(".")[1].endswith("_"):
        call.ctx.require_agree(x, tensor("", shape), law=laws.CHANGED_SHAPED_AS_RESULT)
    call.ctx.assume_valid(call.place("mask"))
    return tensor(x.dtype, shape)


# Distinct elements


def different(call: Call, name: str, most: Dim) -> Dim:
    """Return a new data-dependent number of distinct elements, from 0 to `most`, or from 1 if `most` is at least 1."""
    least = 1 if most.lo >= 1 else 0
    return call.ctx.fresh(name, least, most, how=Decided((0,)))


def slices(call: Call, x: Tensor) -> list[Tensor]:
    """Return the distinct slices of `x` along `dim`, the index of each slice among them, and their counts."""
    axis = call.ctx.normal(call.integer("dim"), x.rank)
    for i, size in enumerate(x.dims):
        call.ctx.require_at_least(size, 0 if i == axis else 1, laws.ONLY_COMPARED_AXIS_EMPTY)
    count = different(call, "different", x[axis])
    inverse = tensor("int64", [x[axis]], any_places(call.ctx, [x[axis]], count))
    return [x.replace(axis, count), inverse, tensor("int64", [count])]


@operator("_unique2.default", "_unique.default", "unique_consecutive.default")
def unique(call: Call) -> list[Tensor]:
    """Return the distinct elements, the index of each element among them, and their counts."""
    x = call.tensor("self")
    call.ctx.only_sizes(0)
    if "dim" in call and (x.rank != 1 or call.integer("dim") != 0):
        return slices(call, x)
    count, empty = different(call, "different", x.numel), tensor("int64", [ZERO])
    asked = [call.flag(name) if name in call else False for name in ("return_inverse", "return_counts")]
    inverse = tensor("int64", x.dims, any_places(call.ctx, x.dims, count)) if asked[0] else empty
    return [tensor(x.dtype, [count]), inverse, tensor("int64", [count]) if asked[1] else empty][: call.ctx.outputs]


@operator("unique_dim.default", "unique_dim_consecutive.default")
def unique_dim(call: Call) -> list[Tensor]:
    """Return the distinct slices along `dim`, the index of each slice among them, and their counts."""
    call.ctx.only_sizes(0)
    return slices(call, call.tensor("self"))


# Counts


WEIGHT_PER_NUMBER = laws.SM116.law("there is one weight for each number")


@operator("bincount.default")
def bincount(call: Call) -> Tensor:
    """Count each number from 0 to the maximum, or sum the weights; there are at least `minlength` counts."""
    x, weights = call.tensor("self", 1), call.optional("weights")
    if weights is not None:
        call.ctx.require_rank(weights, 1)
        fits = any_of(equal(weights[0], x[0]), equal(x[0], 0))
        call.ctx.require(fits, WEIGHT_PER_NUMBER, weights[0], x[0])
    least = call.size("minlength")
    if least is None or least.constant is None:
        call.open("minlength")
    call.ctx.check(least.constant >= 0, laws.SIZES_NOT_NEGATIVE)
    require_not_negative(call.ctx, 0, laws.PLACES_NOT_NEGATIVE)
    size = call.ctx.fresh("bins", least.constant, how=Decided((0,)))
    dtype = "int64" if weights is None else "float32" if weights.dtype == "float32" else "float64"
    return tensor(dtype, [select(equal(x[0], 0), least, size)])


A_BIN = laws.SM204.law("there is at least one bin")


@operator("histc.default")
def histc(call: Call) -> Tensor:
    """Return the number of elements in each bin."""
    bins = call.integer("bins")
    call.ctx.check(bins > 0, A_BIN)
    require_order(call, "min", "max", laws.RANGE_ENDS_NO_LOWER)
    call.ctx.check(all(isfinite(call.number(name) or 0) for name in ("min", "max")), laws.RANGE_ENDS_FINITE)
    return tensor(call.tensor("self").dtype, [bins])


def require_ranges(call: Call) -> None:
    """Require that the argument `range`, pairs of minimum and maximum, has finite numbers in order."""
    ends = call.numbers("range")
    call.ctx.check(all(a <= b for a, b in zip(ends[::2], ends[1::2], strict=False)), laws.RANGE_ENDS_NO_LOWER)
    call.ctx.check(all(map(isfinite, ends)), laws.RANGE_ENDS_FINITE)


@operator("one_hot.default", follows=hot)
def one_hot(call: Call) -> Tensor:
    """Return one-hot rows: `[n] -> [n, num_classes]`; for -1 the number of classes is data-dependent."""
    x, classes = call.tensor("self"), call.integer("num_classes")
    if classes == -1:
        require_not_negative(call.ctx, 0, laws.PLACES_NOT_NEGATIVE)
        call.ctx.require_at_least(x.numel, 1, laws.INPUT_NOT_EMPTY)
        return tensor("int64", [*x.dims, call.ctx.fresh("classes", 1, how=Decided((0,)))])
    call.ctx.require_at_least(classes, 1, laws.A_CLASS)
    require_places(call.ctx, 0, as_dim(classes), laws.INDICES_INSIDE_AXIS)
    return tensor("int64", [*x.dims, as_dim(classes)])


@operator("histogram.bin_ct", "histogram.bins_tensor")
def histogram(call: Call) -> list[Tensor]:
    """Return the number of elements in each bin, or the sum of their weights, and the bins' edges."""
    ctx, x, weights, edges = call.ctx, call.tensor("self"), call.optional("weight"), call.optional("bins")
    if weights is not None:
        ctx.require_agree(x, weights, law=WEIGHT_PER_NUMBER)
    if edges is None:
        require_ranges(call)
        bins = as_dim(call.integer("bins"))
        ctx.require_at_least(bins, 1, A_BIN)
        return [tensor(x.dtype, [bins]), tensor(x.dtype, [bins + 1])]
    ctx.require_rank(edges, 1)
    ctx.require_at_least(edges[0], 2, A_BIN)
    return [tensor(x.dtype, [edges[0] - 1]), tensor(x.dtype, [edges[0]])]


# Bins of several dimensions


def require_bins(call: Call) -> list[Dim]:
    """Return the number of bins along each axis, and require rows with one element per axis of the histogram."""
    ctx, x, weight, listed = call.ctx, call.tensor("self"), call.optional("weight"), call.type_of("bins") == "Tensor[]"
    edges = [t for t in call.tensors("bins") if t is not None] if listed else []
    ctx.require_rank(x, 2, least=True)
    ctx.check(x.dtype in ("float32", "float64", ""), laws.FOLDS_FLOATS)
    for edge in edges:
        ctx.require_rank(edge, 1)
        ctx.check(edge.dtype == x.dtype, laws.OPERANDS_ONE_TYPE)
    bins = [edge[0] - 1 for edge in edges] if listed else [as_dim(n) for n in call.integers("bins")]
    ctx.require_equal(x[-1], len(bins), laws.NUMBER_PER_AXIS)
    require_least(ctx, bins, 1, A_BIN)
    require_ranges(call)
    if weight is not None:
        ctx.check(weight.dtype == x.dtype, laws.OPERANDS_ONE_TYPE)
        ctx.require_agree(weight, tensor("", x.dims[:-1]), law=WEIGHT_PER_NUMBER)
    return bins


@operator("_histogramdd_from_bin_cts.default", "_histogramdd_from_bin_tensors.default", "histogramdd.default")
@operator("_histogramdd_bin_edges.default", "histogramdd.TensorList_bins")
def histogram_of_rows(call: Call) -> list[Tensor]:
    """Return the number or weight of the rows in each multidimensional bin and each axis' bin edges, or one of both."""
    op, dtype, bins = call.ctx.node.op, call.tensor("self").dtype, require_bins(call)
    counts = [] if op.endswith("bin_edges.default") else [tensor(dtype, bins)]
    return [*counts, *(tensor(dtype, [n + 1]) for n in bins if "_from_" not in op)]


@operator("isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor")
def isin(call: Call) -> Tensor:
    """Test whether each element is among the test elements."""
    return tensor("bool", call.tensor("elements").dims if "elements" in call else ())
