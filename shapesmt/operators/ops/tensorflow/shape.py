"""Operators that create, read and change shapes; a 0 is a size, and lists of sizes may be int32."""

from __future__ import annotations

from itertools import zip_longest

from shapesmt.network import laws
from shapesmt.network.graph import Declared
from shapesmt.operators.ops.layout.reshape import reshape_to
from shapesmt.operators.ops.layout.shape import stretched_to
from shapesmt.operators.ops.shared.bridge import anything, constants_of, known_axis, result, vector
from shapesmt.operators.ops.shared.fields import value_of
from shapesmt.operators.ops.shared.follows import each, unread
from shapesmt.operators.ops.shared.items import INTEGERS
from shapesmt.operators.ops.shared.require import complete_sizes, require_direction, require_least, require_shape
from shapesmt.operators.ops.tensorflow.common import DOMAIN, first, with_type
from shapesmt.operators.rules import Elements, RuleContext, Tensor, Traits, elements, rule, tensor
from shapesmt.prover.algebra import ONE, ZERO, any_of, as_dim, equal

# Reading a shape


@rule("Shape", "Size", domain=DOMAIN, any_rank=True, total=True, follows=unread)
def shape_of(ctx: RuleContext) -> Tensor:
    """Return the input's sizes as a list, or their product."""
    return with_type(result(ctx, ctx.node.op, ctx.input(0)), ctx.text("out_type", "int32"))


@rule("ShapeN", domain=DOMAIN, follows=unread)
def shapes_of(ctx: RuleContext) -> list[Tensor]:
    """Return the sizes of each input."""
    return [ctx.integer_list(ctx.input(i).dims, ctx.text("out_type", "int32")) for i in range(ctx.outputs)]


@rule("Rank", domain=DOMAIN, any_rank=True, total=True, follows=unread)
def rank_of(ctx: RuleContext) -> Tensor:
    """Return the number of axes."""
    ndim = ctx.input(0).ndim
    return ctx.tensor((), "int32", None if ndim is None else elements((), [ndim]))


# The same elements in another shape


@rule("Reshape", domain=DOMAIN, any_rank=True, traits=Traits.VIEW)
def reshape(ctx: RuleContext) -> Tensor:
    """Reshape to the sizes in an input: the number of elements stays; -1 is inferred from the sizes that aren't 0."""
    return reshape_to(ctx, ctx.sizes(1), allow_zero=True, rounded=True)


@rule("ExpandDims", domain=DOMAIN, any_rank=True, traits=Traits.VIEW)
def expand_dims(ctx: RuleContext) -> Tensor:
    """Insert an axis of size 1."""
    axis = known_axis(ctx, 1)
    return ctx.tensor(None) if axis is None else result(ctx, "Unsqueeze", ctx.input(0), vector(axis))


@rule("Squeeze", domain=DOMAIN, any_rank=True, traits=Traits.VIEW)
def squeeze(ctx: RuleContext) -> Tensor:
    """Remove axes of size 1: those in `squeeze_dims`, or all."""
    axes = ctx.integers("squeeze_dims", ())
    return result(ctx, "Squeeze", ctx.input(0), *([vector(*axes)] if axes else []))


@rule("Transpose", domain=DOMAIN, traits=Traits.REARRANGED)
@rule("ConjugateTranspose", domain=DOMAIN)
def transpose(ctx: RuleContext) -> Tensor:
    """Permute the axes: `out.shape[i] = x.shape[perm[i]]`."""
    x, order = ctx.input(0), constants_of(ctx, 1, "the axes")
    ctx.require_rank(ctx.input(1), 1)
    if order is None:
        ctx.require_equal(ctx.input(1)[0], x.rank, laws.ORDER_NAMES_AXES_ONCE)
        return anything(ctx, x)
    ctx.check(len(order) == x.rank, laws.ORDER_NAMES_AXES_ONCE)
    return result(ctx, "Transpose", x, perm=ctx.normals(order, x.rank))


PERM_NAMES_EACH_ONCE = laws.SM302.law("perm {perm} has each number from 0 on once")


@rule("InvertPermutation", domain=DOMAIN)
def invert_permutation(ctx: RuleContext) -> Tensor:
    """Return the inverse permutation: the position of each number from 0 on in a list."""
    x, order = ctx.input(0, rank=1), ctx.constants(0)
    if order is None:
        return ctx.tensor(x.dims)
    ctx.check(sorted(order) == list(range(len(order))), PERM_NAMES_EACH_ONCE.of(perm=list(order)))
    return ctx.tensor(x.dims, value=elements((len(order),), [as_dim(order.index(i)) for i in range(len(order))]))


SHAPE_IS_ENSURED_ONE = laws.SM107.law("the shape is the one that is ensured")


@rule("EnsureShape", domain=DOMAIN, follows=each)
def ensure_shape(ctx: RuleContext) -> Tensor:
    """Return the input; require that its shape matches the attribute."""
    x, expected = ctx.input(0), ctx.attribute("shape")
    if isinstance(expected, Declared) and expected.shape is not None:
        ctx.require_rank(x, len(expected.shape))
        for size, d in zip(expected.shape, x.dims, strict=True):
            if isinstance(size, int):
                ctx.require_equal(d, size, SHAPE_IS_ENSURED_ONE)
    return x


SRC_FORMAT_LETTERS = laws.SM401.law("'src_format' has 4 or 5 letters, not {count}")
DST_FORMAT_LETTERS = laws.SM502.law("'dst_format' has the letters of '{source}'")
ROW_PER_AXIS_OR_SPATIAL_AXIS = laws.SM302.law("there is a row for each axis, or for each but batch and channels")
TWO_COLUMNS = laws.SM401.law("there are two columns")


@rule("DataFormatVecPermute", domain=DOMAIN)
def permute_sizes(ctx: RuleContext) -> Tensor:
    """Reorder a list of sizes from one layout to another; it has an entry per axis, or only per spatial axis."""
    x, source, target = ctx.input(0), ctx.text("src_format", "NHWC"), ctx.text("dst_format", "NCHW")
    ctx.check(len(source) in (4, 5), SRC_FORMAT_LETTERS.of(count=len(source)))
    ctx.check(sorted(source) == sorted(target), DST_FORMAT_LETTERS.of(source=source))
    ctx.check(1 <= x.rank <= 2, laws.RANK_1_OR_2.of(rank=x.rank))
    whole = any_of(*(equal(x[0], count) for count in (len(source), len(source) - 2)))
    ctx.require(whole, ROW_PER_AXIS_OR_SPATIAL_AXIS, x[0], len(source))
    if x.rank == 2:
        ctx.require_equal(x[1], 2, TWO_COLUMNS)
    order, items = [source.index(letter) for letter in target], ctx.items(0)
    if items is None or x.rank != 1 or len(items) != len(order):
        return ctx.tensor(x.dims)
    return ctx.integer_list([items[i] for i in order], x.dtype)


# New elements


@rule("Fill", domain=DOMAIN, any_rank=True, traits=Traits.COPIED)
def fill(ctx: RuleContext) -> Tensor:
    """Return a tensor whose sizes are an input, filled with one element."""
    ctx.require_rank(ctx.input(1), 0)
    output, filling = result(ctx, "Expand", ctx.input(1), ctx.input(0)), ctx.input(1).value
    if output.value is None and output.shape is not None and isinstance(filling, Elements):
        return tensor(output.dtype, output.shape, value_of(output.dims, filling.items[0]))
    return output


@rule("ZerosLike", "OnesLike", domain=DOMAIN, any_rank=True, total=True, follows=unread)
def alike(ctx: RuleContext) -> Tensor:
    """Return a tensor of zeros or ones of the input's shape."""
    x, element = ctx.input(0), ONE if ctx.node.op == "OnesLike" else ZERO
    known_type = x.shape is not None and (x.dtype in INTEGERS or x.dtype == "bool")
    return ctx.tensor(x.shape, value=value_of(x.dims, element) if known_type else None)


@rule("Range", domain=DOMAIN, any_rank=True)
def sequence(ctx: RuleContext) -> Tensor:
    """Return `start + i*delta` up to `limit` (exclusive), which must lie in the direction of `delta`."""
    for i in range(3):
        ctx.require_rank(ctx.input(i), 0)
    start, limit, delta = (x.value.items[0] if isinstance(x.value, Elements) else None for x in ctx.inputs[:3] if x)
    require_direction(ctx, start, limit, delta)
    return result(ctx, "Range", *map(ctx.input, range(3)))


START_STOP_NUMBER_ONE_NUMBER_EACH = laws.SM401.law("start, stop and number are one number each")


@rule("LinSpace", domain=DOMAIN)
def linear_space(ctx: RuleContext) -> Tensor:
    """Return evenly spaced numbers; their count is an input."""
    require_shape(ctx, (0, 1, 2), (), START_STOP_NUMBER_ONE_NUMBER_EACH)
    count = first(ctx, 2)
    require_least(ctx, [count], 1, laws.A_NUMBER)
    return ctx.tensor(complete_sizes(ctx, [count], 1, index=2))


# Repeated elements


@rule("Tile", domain=DOMAIN, traits=Traits.REPEATED)
def tile(ctx: RuleContext) -> Tensor:
    """Multiply every size by its repeat count."""
    return result(ctx, "Tile", ctx.input(0), ctx.input(1))


@rule("BroadcastTo", domain=DOMAIN, traits=Traits.REPEATED)
def broadcast_to(ctx: RuleContext) -> Tensor:
    """Broadcast the input to a shape."""
    x, target = ctx.input(0), ctx.sizes(1)
    if target is None:
        return ctx.tensor(None)
    require_least(ctx, target, 0, laws.SIZES_NOT_NEGATIVE)
    dims = tuple(complete_sizes(ctx, target, index=1))
    ctx.check(x.rank <= len(dims), laws.RANK_AT_MOST_THAT_OF_SHAPE.of(most=len(dims), rank=x.rank))
    return stretched_to(ctx, x, target, dims)


@rule("BroadcastArgs", domain=DOMAIN)
def broadcast_args(ctx: RuleContext) -> Tensor:
    """Return the shape to which two shapes, given as lists of sizes, broadcast."""
    shapes = [ctx.sizes(i) for i in (0, 1)]
    lists = [items[::-1] for items in shapes if items is not None]
    if len(lists) < 2:
        return ctx.tensor((ctx.fresh("rank"),))
    pairs = zip_longest(*lists, fillvalue=ONE)
    joint = [None if a is None or b is None else ctx.broadcast_sizes(a, b) for a, b in pairs]
    return ctx.integer_list(joint[::-1], ctx.input(0).dtype)
