"""Make, read and change shapes: constants, `Shape`, `Reshape`'s relatives, `Expand`, `Tile`."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.network.graph import BITS, AttributeValue, Literal, Runtime
from shapesmt.operators.ops.shared.fields import broadcast_index, concrete, reshape_elements, view_elements
from shapesmt.operators.ops.shared.require import complete_sizes, element, require_broadcast_to, require_least
from shapesmt.operators.rules import RuleContext, Shape, Tensor, Traits, Value, elements, from_literal, position, rule
from shapesmt.prover.algebra import ONE, ZERO, Dim, at_least, equal, maximum, product, select

_KINDS = {"value_int": "int64", "value_float": "float32", "value_string": "string"}


@rule("Identity", "MemcpyFromHost", "MemcpyToHost", any_rank=True, total=True, traits=Traits.IDENTITY)
def identity(ctx: RuleContext) -> Tensor:
    """Return the input."""
    return ctx.input(0)


ONE_ATTRIBUTE_HAS_VALUE = laws.SM502.law("exactly one attribute has the value")


@rule("Constant", traits=Traits.CONSTANT)
def constant(ctx: RuleContext) -> Tensor:
    """Return the constant in the node's only attribute."""
    literals = [_literal(name, value) for name, value in ctx.attributes.items()]
    values = [literal for literal in literals if literal is not None]
    ctx.check(len(values) == 1, ONE_ATTRIBUTE_HAS_VALUE)
    return from_literal(values[0])


def _literal(name: str, value: AttributeValue) -> Literal | None:
    """Return the constant in attribute `name` of a Constant node, such as `value_ints`; None for other attributes."""
    if isinstance(value, Literal):
        return value
    dtype = _KINDS.get(name.removesuffix("s"))
    if dtype and isinstance(value, (int, float, str)):
        return Literal(dtype, (), (value,))
    if dtype and isinstance(value, tuple):
        return Literal(dtype, (len(value),), value)  # type: ignore[arg-type]  # numbers or texts
    return None


@rule("Shape", any_rank=True, dtype="int64", total=True, of_shape=True)
def shape(ctx: RuleContext) -> Tensor:
    """Return `x.shape[start:end]`, start and end clamped as in Python."""
    x = ctx.input(0)
    whole = "end" not in ctx.attributes and not ctx.integer("start", 0)
    if x.shape is None:
        return ctx.tensor((x.ndim if whole and x.ndim is not None else ctx.fresh("rank"),), "int64")
    end = ctx.integer("end") if "end" in ctx.attributes else None
    return ctx.integer_list(x.dims[ctx.integer("start", 0) : end])


@rule("Size", any_rank=True, dtype="int64", total=True, of_shape=True)
def size(ctx: RuleContext) -> Tensor:
    """Return the number of elements, as a scalar."""
    x = ctx.input(0)
    return ctx.tensor((), "int64", None if x.shape is None else elements((), [x.numel]))


PERM_ORDERS_AXES = laws.SM302.law("perm {perm} orders the {rank} axes")


@rule("Transpose", traits=Traits.REARRANGED)
def transpose(ctx: RuleContext) -> Tensor:
    """Permute axes: `out.shape[i] = x.shape[perm[i]]`; by default they are reversed."""
    x = ctx.input(0)
    perm = ctx.integers("perm", range(x.rank - 1, -1, -1))
    ctx.check(sorted(perm) == list(range(x.rank)), PERM_ORDERS_AXES.of(perm=list(perm), rank=x.rank))
    dims = [x[axis] for axis in perm]

    def moved(back: int) -> Dim:
        return position(x.rank - perm.index(x.rank - back))

    return ctx.tensor(dims, value=view_elements(x, dims, lambda a: a.transpose(perm), moved))


AXES_LIST = laws.SM302.law("the axes are a list")
SQUEEZED_AXIS_SIZE_1 = laws.SM304.law("a squeezed axis has size 1")


@rule("Squeeze", traits=Traits.VIEW)
def squeeze(ctx: RuleContext) -> Tensor:
    """Remove the axes in `axes`, which have size 1; by default all axes of size 1."""
    x = ctx.input(0)
    axes = ctx.constants(1, "axes", ())
    ctx.limit(ctx.has(1) or len(ctx.node.inputs) < 2, laws.INPUT_GIVEN.of(index=1))
    if ctx.has(1):
        ctx.check(ctx.input(1).shape is None or ctx.input(1).rank == 1, AXES_LIST)
    dropped = {ctx.normal(a, x.rank) for a in axes or ()}
    for axis in sorted(dropped):
        ctx.require_equal(x[axis], 1, SQUEEZED_AXIS_SIZE_1)
    if not dropped:
        ones = [ctx.holds(equal(d, 1)) for d in x.dims] if axes is not None else [None]
        if None in ones:
            return ctx.tensor(None)  # the number of sizes of 1 isn't known
        dropped = {axis for axis, one in enumerate(ones) if one}
    return _same_order(ctx, x, [d for axis, d in enumerate(x.dims) if axis not in dropped])


@rule("Unsqueeze", traits=Traits.VIEW)
def unsqueeze(ctx: RuleContext) -> Tensor:
    """Insert axes of size 1 at the positions `axes` of the output: `[m, n]` and axes `[0, 3]` -> `[1, m, n, 1]`."""
    x, axes = ctx.input(0), ctx.constants(1, "axes")
    if ctx.has(1):
        ctx.check(ctx.input(1).shape is None or ctx.input(1).rank <= 1, AXES_LIST)
    if axes is None:
        return ctx.tensor(None)
    rank = x.rank + len(axes)
    inserted, rest = ctx.normals(axes, rank), iter(x.dims)
    return _same_order(ctx, x, [ONE if axis in inserted else next(rest) for axis in range(rank)])


FLATTEN_AXIS_NOT_NEGATIVE = laws.SM502.law("attribute 'axis' is not negative before opset 11")
AXIS_SPLITS_SHAPE = laws.SM302.law("axis {axis} splits a shape of rank {rank}")


@rule("Flatten", any_rank=True, traits=Traits.VIEW)
def flatten(ctx: RuleContext) -> Tensor:
    """Reshape to `[product(x.shape[:axis]), product(x.shape[axis:])]`."""
    x = ctx.input(0)
    if x.shape is None:
        return ctx.tensor((ctx.fresh("rows"), ctx.fresh("columns")))
    axis = ctx.integer("axis", 1)
    ctx.limit(axis >= 0 or ctx.version >= 11, FLATTEN_AXIS_NOT_NEGATIVE)
    ctx.check(-x.rank <= axis <= x.rank, AXIS_SPLITS_SHAPE.of(axis=axis, rank=x.rank))
    axis += x.rank if axis < 0 else 0
    return _same_order(ctx, x, [product(x.dims[:axis]), product(x.dims[axis:])])


def _same_order(ctx: RuleContext, x: Tensor, dims: list[Dim]) -> Tensor:
    return ctx.tensor(dims, x.dtype, reshape_elements(x, dims))


@rule("Expand", traits=Traits.REPEATED)
def expand(ctx: RuleContext) -> Tensor:
    """Broadcast `x` and the requested shape together: `[3, 1]` and `(2, 1, 4)` -> `[2, 3, 4]`."""
    x, items = ctx.input(0), ctx.sizes(1)
    if items is None:
        return ctx.tensor(None)
    require_least(ctx, items, 0, laws.SIZES_NOT_NEGATIVE)
    rank = max(x.rank, len(items))
    target = tuple(_expanded_size(ctx, x, i, len(items) - i, item) for i, item in enumerate(items))
    dims = ctx.broadcast(x.dims, target, law=laws.EXPANDS_FROM_1_OR_STAYS)
    return ctx.tensor(dims, x.dtype, broadcast_value(x, dims[len(dims) - rank :]))


def _expanded_size(ctx: RuleContext, x: Tensor, place: int, back: int, item: Dim | None) -> Dim:
    """Return entry `place` of Expand's shape, for the `back`-th axis from the end; if unknown, only size 1 expands."""
    if item is not None:
        return item
    if back > x.rank or x[-back] is ONE:
        return element(ctx, f"size{back}", 1, place)
    if not x[-back].lo <= 1 <= x[-back].hi:
        return ONE
    return select(equal(x[-back], 1), element(ctx, f"size{back}", 1, place), x[-back])


def stretched_to(ctx: RuleContext, x: Tensor, target: Sequence[Dim | None], dims: Shape) -> Tensor:
    """Broadcast `x` to `dims`; if some sizes in `target` are unknown (None), only the rank is checked."""
    if None in target:
        ctx.check(x.rank <= len(dims), laws.EXPANDS_FROM_1_OR_STAYS)
    else:
        require_broadcast_to(ctx, x, dims, laws.EXPANDS_FROM_1_OR_STAYS)
    return ctx.tensor(dims, value=broadcast_value(x, dims))


def broadcast_value(x: Tensor, dims: Shape) -> Value | None:
    """Return the elements of `x` broadcast to `dims`; None if they aren't known."""
    pairs = [(x[-back], dims[-back]) for back in range(1, x.rank + 1)]
    for d, size in ((d, stretch.constant) for d, stretch in pairs):
        if size is not None and not (d.lo <= size <= d.hi or d.lo <= 1 <= d.hi):
            return None
    array = concrete(dims) or ()
    return view_elements(
        x, dims, lambda a: np.broadcast_to(a, array), lambda back: broadcast_index(*pairs[back - 1], back)
    )


MOST_TILED = 2**32
"""The maximum bytes to which ONNX Runtime tiles a tensor; a size without a declared upper bound is assumed to fit."""


@rule("Tile", since=6, traits=Traits.REPEATED)
def tile(ctx: RuleContext) -> Tensor:
    """Repeat the tensor along each axis: `out.shape[i] = x.shape[i] * repeats[i]`."""
    x = ctx.input(0)
    repeats = ctx.sizes(1, x.rank, "repeats")
    require_least(ctx, repeats, 0, laws.REPEATS_NOT_NEGATIVE)
    dims = [d * r for d, r in zip(x.dims, complete_sizes(ctx, repeats, index=1), strict=True)]
    _require_tiled(ctx, dims, BITS.get(x.dtype, 0) // 8)
    return ctx.tensor(dims, value=_tile_elements(x, dims, [None if r is None else r.constant for r in repeats]))


def _tile_elements(x: Tensor, dims: Sequence[Dim], counts: Sequence[int | None]) -> Value | None:
    """Return the elements of `x` repeated `counts` times along each axis; None if they aren't known."""
    known = [count for count in counts if count is not None]
    if concrete(dims) is not None and len(known) < len(counts):
        return None

    def moved(back: int) -> Dim:
        size, count = x[-back], counts[-back]
        place = position(back)
        return ZERO if size is ONE else place if count == 1 else place % size

    return view_elements(x, dims, lambda a: np.tile(a, known), moved)


def _require_tiled(ctx: RuleContext, dims: Sequence[Dim], each: int) -> None:
    """Require that the output's bytes, `each` per element, fit; an axis after an empty one counts alone."""
    before = ONE
    for d in dims if ctx.runtime is Runtime.ONNX else ():
        size = maximum(before, 1) * d * each
        if size.hi > MOST_TILED and all(s.hi < inf for s in size.symbols):
            ctx.limit(at_least(MOST_TILED, size), laws.OUTPUT_IN_4_GIB, size, MOST_TILED)
        before = before * d
