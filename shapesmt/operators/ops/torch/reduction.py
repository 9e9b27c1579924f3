"""Reductions along some axes or all, cumulative operators along one, gradients and integrals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from shapesmt.network import laws
from shapesmt.operators.ops.math.reduction import without
from shapesmt.operators.ops.shared.bridge import result, vector
from shapesmt.operators.ops.shared.fields import value_of
from shapesmt.operators.ops.shared.follows import as_a_whole
from shapesmt.operators.ops.shared.indices import any_places, count_true, is_flag
from shapesmt.operators.ops.shared.require import require_ranks
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import (
    FLOAT,
    INTEGER,
    as_float,
    cast,
    kind,
    real_part,
    require_chance,
    result_type,
)
from shapesmt.operators.ops.torch.elementwise.single import base, flags, in_place, store_in_place
from shapesmt.operators.ops.torch.following import along_dim, along_dims
from shapesmt.operators.ops.torch.joining import as_joined
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.ops.torch.sizes import scalar
from shapesmt.operators.ops.torch.views.parts import END
from shapesmt.operators.rules import Field, Item, Shape, Tensor, Traits, Value, position, tensor
from shapesmt.prover.algebra import ONE, Dim, entries, equal, maximum

FOLDED = {
    "sum": "ReduceSum",
    "prod": "ReduceProd",
    "amax": "ReduceMax",
    "amin": "ReduceMin",
    "max": "ReduceMax",
    "min": "ReduceMin",
    "any": "ReduceMax",
    "all": "ReduceMin",
    "count_nonzero": "ReduceSum",
}
"""Reductions whose known elements are computed."""
WIDENED = ("sum", "prod", "nansum", "cumsum", "cumprod", "trace")
"""Operators that return int64 for integers and booleans."""
OF_FLOATS = ("mean", "nanmean", "var", "std", "var_mean", "std_mean")
"""Reductions that accept only floats and complex numbers."""
REAL = ("var", "std")
"""Reductions of complex numbers to real ones."""
MOST_AXES = 64
WHOLE = ("max.default", "min.default")


def axes_of(call: Call, x: Tensor) -> tuple[int, ...]:
    """Return the axes to reduce: `dim`, or all if `dim` is omitted or empty; a scalar counts as having one axis."""
    call.ctx.check(x.rank <= MOST_AXES, laws.RANK_AT_MOST.of(most=MOST_AXES, rank=x.rank))
    value = call.ctx.attribute("dim")
    named = (value,) if isinstance(value, int) else call.integers("dim") if "dim" in call else ()
    return call.ctx.normals(named, max(x.rank, 1)) or tuple(range(x.rank))


def folded_type(call: Call, x: Tensor) -> str:
    """Return the element type of a reduction's result: `dtype` if given, int64 for sums of integers."""
    name, asked = base(call), call.text("dtype") if "dtype" in call.names else ""
    dtype = asked or x.dtype
    if name in OF_FLOATS and dtype:
        call.ctx.check(kind(dtype) >= FLOAT, laws.FOLDS_FLOATS)
    if asked or not dtype:
        return real_part(dtype) if name in REAL else dtype
    if name in ("any", "all"):
        return "uint8" if dtype == "uint8" else "bool"
    if name == "hash_tensor":
        return "uint64"
    if (name in WIDENED and kind(dtype) < FLOAT) or name == "count_nonzero":
        return "int64"
    return as_float(dtype) if "logsumexp" in name else real_part(dtype) if name in REAL else dtype


@operator(
    *overloads(*(FOLDED.keys() - {"max", "min"}), "mean", "nansum", "nanmean", "logsumexp"),
    traits=Traits.MIXED,
    follows=along_dims,
)
@operator("special_logsumexp.default", "hash_tensor.default", follows=along_dims)
@operator(*overloads("var", "std"), follows=along_dims)
def fold(call: Call) -> Tensor:
    """Reduce the axes in `dim`, or all: `[m, n] -> [m]`, or `[m, 1]` with `keepdim`.

    `amax` and `amin` require that no reduced axis is empty.
    """
    x, name = call.tensor("self"), base(call)
    axes, keep, dtype = axes_of(call, x), call.flag("keepdim"), folded_type(call, x)
    _require_elements(call, x, axes)
    if name in ("sum", "count_nonzero") and not keep and len(axes) == x.rank > 0 and _is_mask(x):
        return scalar(count_true(call.ctx, 0), dtype)
    return folded(call, x, axes, dtype, keep=keep)


def folded(call: Call, x: Tensor, axes: Sequence[int], dtype: str, *, keep: bool) -> Tensor:
    """Return the tensor of type `dtype` with these axes reduced, and with known integers."""
    name = base(call)
    counted = cast(x, "bool") if name in ("any", "all", "count_nonzero") else x
    if name in FOLDED and not x.rank:
        return cast(counted, dtype)
    empty = name in ("any", "all") and any(x[axis].lo < 1 for axis in axes)  # whose maximum isn't defined
    if x.value is None or name not in FOLDED or kind(dtype) >= FLOAT or not axes or empty:
        return tensor(dtype, without(x.dims, tuple(axes), keep=keep))
    whole = "int64" if dtype == "bool" else dtype
    return cast(result(call.ctx, FOLDED[name], cast(counted, whole), vector(*axes), keepdims=int(keep)), dtype)


def _is_mask(x: Tensor) -> bool:
    """Whether every element of a tensor is unknown but can only be 0 or 1."""
    return x.dtype == "bool" if x.value is None else isinstance(x.value, Field) and is_flag(x.value.element)


def _require_elements(call: Call, x: Tensor, axes: tuple[int, ...]) -> None:
    """Require that no reduced axis is empty for `amax` and `amin`, which are undefined for no elements."""
    if base(call) in ("amax", "amin"):
        for axis in axes:
            if axis < x.rank:
                call.ctx.require_at_least(x[axis], 1, laws.EXTREME_AXIS_HAS_ELEMENT)


@operator("var_mean.default", "var_mean.dim", "var_mean.correction", follows=along_dims)
@operator("std_mean.default", "std_mean.dim", "std_mean.correction", follows=along_dims)
def spread_and_mean(call: Call) -> tuple[Tensor, Tensor]:
    """Return the variance (or standard deviation) and the mean over the axes in `dim`, or over all."""
    x = call.tensor("self")
    dtype, dims = folded_type(call, x), without(x.dims, axes_of(call, x), keep=call.flag("keepdim"))
    return tensor(real_part(dtype), dims), tensor(dtype, dims)


@operator("max.dim", "min.dim", traits=Traits.MIXED, follows=along_dim)
def extreme(call: Call) -> tuple[Tensor, Tensor]:
    """Return the maximum (or minimum) along axis `dim`, which must not be empty, and its index."""
    x, axis = call.tensor("self"), call.axis(call.tensor("self"))
    if axis < x.rank:
        call.ctx.require_at_least(x[axis], 1, laws.EXTREME_AXIS_HAS_ELEMENT)
    dims = without(x.dims, (axis,), keep=call.flag("keepdim"))
    size = x[axis] if axis < x.rank else ONE
    most = folded(call, x, (axis,), x.dtype, keep=call.flag("keepdim")) if x.rank else x
    return most, tensor("int64", dims, any_places(call.ctx, dims, size))


@operator(*WHOLE, "median.default", "nanmedian.default", traits=Traits.MIXED, follows=as_a_whole)
def extreme_of_all(call: Call) -> Tensor:
    """Return the maximum, minimum or median of all elements; maximum and minimum require an element."""
    x = call.tensor("self")
    if "median" not in call.ctx.node.op:
        call.ctx.require_at_least(x.numel, 1, laws.EXTREME_AXIS_HAS_ELEMENT)
    return folded(call, x, range(x.rank), x.dtype, keep=False)


@operator("argmax.default", "argmin.default", traits=Traits.MIXED, follows=along_dim)
def extreme_place(call: Call) -> Tensor:
    """Return the index of the maximum (or minimum) along `dim`; without `dim`, in the flattened tensor."""
    x, keep = call.tensor("self"), call.flag("keepdim")
    axes = (call.axis(x),) if "dim" in call else tuple(range(x.rank))
    size = x[axes[0]] if "dim" in call and x.rank else x.numel
    call.ctx.require_at_least(size, 1, laws.EXTREME_AXIS_HAS_ELEMENT)
    dims = without(x.dims, axes, keep=keep)
    return tensor("int64", dims, any_places(call.ctx, dims, size))


@operator("aminmax.default", traits=Traits.MIXED)
def least_and_greatest(call: Call) -> tuple[Tensor, Tensor]:
    """Return the minimum and the maximum along `dim`; without `dim`, of the whole tensor."""
    x = call.tensor("self")
    axes = axes_of(call, x)
    size = x[axes[0]] if "dim" in call and x.rank else x.numel
    call.ctx.require_at_least(size, 1, laws.EXTREME_AXIS_HAS_ELEMENT)
    output = tensor(x.dtype, without(x.dims, axes, keep=call.flag("keepdim")))
    return output, output


@operator(*overloads("quantile", "nanquantile"))
def quantile(call: Call) -> Tensor:
    """Return the quantiles `q` along `dim`, or of the whole tensor; `k` quantiles add a leading axis of size `k`."""
    ctx, x, places = call.ctx, call.tensor("self"), None if call.is_number("q") else call.optional("q")
    require_chance(call, "q")
    ctx.check(x.dtype in ("float32", "float64", ""), laws.FOLDS_FLOATS)
    axes = (call.axis(x),) if "dim" in call else tuple(range(x.rank))
    ctx.require_at_least(x.numel, 1, laws.INPUT_NOT_EMPTY)
    if places is not None:
        ctx.check(places.rank <= 1, laws.RANK_AT_MOST_1.of(rank=places.rank))
        ctx.check(places.dtype == x.dtype, laws.OPERANDS_ONE_TYPE)
    return tensor(
        x.dtype, (*(() if places is None else places.dims), *without(x.dims, axes, keep=call.flag("keepdim")))
    )


@operator("trace.default")
def trace(call: Call) -> Tensor:
    """Return the sum of a matrix's diagonal."""
    x = call.tensor("self", 2)
    return tensor(folded_type(call, x), ())


@operator("segment_reduce.default")
def segment_reduce(call: Call) -> Tensor:
    """Reduce segments of `axis`: `[n, t, c]`, lengths `[n, k]` -> `[n, k, c]` for axis 1; offsets are `[n, k + 1]`."""
    x, ctx, lengths, ends = call.tensor("data"), call.ctx, call.optional("lengths"), call.optional("offsets")
    segments = lengths if ends is None else ends
    ctx.check(segments is not None, laws.NAMED_INPUT_GIVEN.of(name="lengths"))
    if segments is None or "indices" in call or (lengths is not None and ends is not None):
        call.open("offsets")
    axis = ctx.normal(call.integer("axis"), x.rank)
    ctx.require_rank(segments, axis + 1)
    ctx.check(not x.dtype or kind(x.dtype) >= FLOAT, laws.FOLDS_FLOATS)
    for a, b in zip(segments.dims[:axis], x.dims, strict=False):
        call.open_if_broken(equal(a, b), laws.SEGMENT_NUMBERS_HAVE_FIRST_AXES_OF_DATA)
    if ends is not None or not call.flag("unsafe"):
        ctx.require_at_least(segments.numel, 1, laws.INPUT_NOT_EMPTY)
    ctx.assume_elements(segments)
    return tensor(x.dtype, x.replace(axis, segments[axis] - int(ends is not None)).dims)


# Cumulative operators


@operator(*overloads("cumprod", "logcumsumexp"), follows=along_dim)
@operator(*overloads("cumsum"), traits=Traits.RUNNING_SUM, follows=along_dim)
def running(call: Call) -> Tensor:
    """Accumulate along `dim`, as `cumsum` does; the shape is unchanged."""
    x, axis = call.tensor("self"), call.axis(call.tensor("self"))
    asked = call.text("dtype") if "dtype" in call.names else ""
    dtype = asked or ("int64" if base(call) in WIDENED and kind(x.dtype) < FLOAT and x.dtype else x.dtype)
    if in_place(call):
        return store_in_place(call, x, tensor(asked or x.dtype, x.dims))
    if base(call) == "cumsum" and x.rank and kind(dtype) < FLOAT:
        value = flags(call, x) if x.dtype == "bool" else x.value
        if isinstance(value, Field) and entries(value.element):
            return tensor(dtype, x.dims, _counts(x, value.element, axis))
        if x.value is not None:
            return result(call.ctx, "CumSum", cast(x, dtype), vector(axis))
    return tensor(dtype, x.dims)


def _counts(x: Tensor, element: Item, axis: int) -> Value | None:
    """Return a cumulative sum of 0/1 flags along `axis`, as if all were equal: `element * (i + 1)` at index `i`.

    None if `element` isn't such a flag.
    """
    if not isinstance(element, Dim) or not is_flag(element):
        return None
    return value_of(x.dims, element * (position(x.rank - axis) + 1))


@operator("diff.default")
def diff(call: Call) -> Tensor:
    """Return the differences of neighbours along `dim`, `n` times over, after concatenating `prepend` and `append`."""
    ctx, x, times = call.ctx, call.tensor("self"), call.integer("n")
    given = [t for t in (call.optional("prepend"), x, call.optional("append")) if t is not None]
    require_ranks(ctx, 1, *given, least=True)
    ctx.check(times >= 0, laws.NAMED_ATTRIBUTE_NOT_NEGATIVE.of(name="n"))
    axis, dtype = call.axis(x), result_type((t, False) for t in given)
    joined = as_joined(call, [cast(t, dtype) for t in given], axis) if given[1:] else x
    if times == 0:
        return tensor(x.dtype, x.dims)
    x = joined
    if times != 1 or kind(dtype) != INTEGER or x.value is None:
        return tensor(dtype, [maximum(d - times, 0) if i == axis else d for i, d in enumerate(x.dims)])
    later, earlier = (result(ctx, "Slice", x, vector(a), vector(b), vector(axis)) for a, b in ((1, END), (0, -1)))
    return result(ctx, "Sub", later, earlier)


# Gradients of samples along axes, and integrals by the trapezoidal rule


SAMPLES_FOR_SLOPE = laws.SM201.law("there are {least} samples or more along the axis")
PLACE_PER_SAMPLE = laws.SM116.law("there is a place for each sample")


@operator("gradient.scalarint", "gradient.scalararray", "gradient.array")
@operator("gradient.scalarrayint", "gradient.scalarrayarray", "gradient.tensorarrayint", "gradient.tensorarray")
def gradient(call: Call) -> list[Tensor]:
    """Return the gradient along each axis in `dim`, or along all axes: a tensor of the input's shape per axis."""
    x, ctx, order = call.tensor("self"), call.ctx, call.integer("edge_order")
    axes = ctx.normals(call.integers("dim"), x.rank) if "dim" in call else tuple(range(x.rank))
    ctx.check(order in (1, 2), laws.ATTRIBUTE_ONE_OF.of(name="edge_order", values="1 or 2", value=order))
    places = call.tensors("spacing")
    if places or call.numbers("spacing"):
        ctx.check(len(places or call.numbers("spacing")) == len(axes), laws.NUMBER_PER_AXIS)
    for axis, place in zip_longest(axes, places):
        ctx.require_at_least(x[axis], order + 1, SAMPLES_FOR_SLOPE.of(least=order + 1))
        if place is not None:
            ctx.require_rank(place, 1)
            call.open_if_broken(equal(place[0], x[axis]), PLACE_PER_SAMPLE)
    return [tensor(as_float(x.dtype) if not places else "", x.dims)] * len(axes)


# Integrals


SAMPLES_ARE_NUMBERS = laws.SM501.law("samples aren't boolean")


def between(call: Call, y: Tensor, axis: int) -> Shape:
    """Return the shape of the intervals between neighbouring samples `y`: size `n` of `axis` becomes `n - 1`.

    The coordinates `x`, if given, broadcast with the intervals.
    """
    inner = y.replace(axis, maximum(y[axis] - 1, 0))
    x = call.optional("x")
    call.ctx.check("bool" not in (y.dtype, x and x.dtype), SAMPLES_ARE_NUMBERS)
    if x is None:
        return inner.dims
    if x.rank == 1:
        call.ctx.require_equal(x[0], y[axis], PLACE_PER_SAMPLE)
        return inner.dims
    if not (0 < x.rank <= y.rank and axis >= y.rank - x.rank):
        call.open("x")
    return call.ctx.broadcast(inner.dims, x.replace(axis - y.rank, maximum(x[axis - y.rank] - 1, 0)).dims)


def integral_type(call: Call, y: Tensor) -> str:
    """Return the element type of the integral of samples `y` over the coordinates `x`, if given."""
    x = call.optional("x")
    return as_float(y.dtype if x is None else result_type([(y, False), (x, False)]))


@operator("cumulative_trapezoid.dx", "cumulative_trapezoid.x")
def cumulative_trapezoid(call: Call) -> Tensor:
    """Integrate cumulatively along `dim`, whose size shrinks by 1: `[m, n] -> [m, n - 1]`."""
    y = call.tensor("y")
    return tensor(integral_type(call, y), between(call, y, call.ctx.normal(call.integer("dim"), y.rank)))


@operator("trapezoid.dx", "trapezoid.x", "trapz.dx", "trapz.x")
def trapezoid(call: Call) -> Tensor:
    """Integrate along `dim`, which is dropped: `[m, n] -> [m]`; an empty axis gives 0, whatever the coordinates."""
    y = call.tensor("y")
    axis = call.ctx.normal(call.integer("dim"), y.rank)
    dtype = integral_type(call, y) if y[axis].lo >= 1 or integral_type(call, y) == y.dtype else ""
    if call.ctx.holds(equal(y[axis], 0)):
        return tensor(dtype, without(y.dims, (axis,), keep=False))
    return tensor(dtype, without(between(call, y, axis), (axis,), keep=False))
