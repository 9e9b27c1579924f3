"""Split queries, keys and values into heads, for attention in every domain."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import require_shape
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import ONE, ZERO, Dim, any_of, as_dim, at_least, divides, equal, product

IN_32_BITS = 2**31 - 1


class Heads(NamedTuple):
    """A tensor as `[batch, number, length, size]`, such as `[2, 8, 77, 64]`."""

    batch: Dim
    number: Dim
    length: Dim
    size: Dim

    @property
    def hidden(self) -> Dim:
        """The size of all heads together: `number * size`."""
        return self.number * self.size

    @property
    def packed(self) -> tuple[Dim, Dim, Dim]:
        """The shape with packed heads: `[batch, length, number*size]`."""
        return self.batch, self.length, self.hidden

    def past(self, ctx: RuleContext, keys: int, values: int, values_size: Dim, of: tuple[laws.Law, laws.Law]) -> Dim:
        """Return the length of cached keys and values, 0 if they are omitted; require their shapes.

        `keys` and `values` are input indices, and `of` has the laws for the two shapes. Both are
        `[batch, number, length, size]`, but the values have the size `values_size`.
        """
        if not ctx.has(keys):
            return ZERO
        length = ctx.input(keys, rank=4)[2]
        require_shape(ctx, keys, [self.batch, self.number, length, self.size], of[0])
        require_shape(ctx, values, [self.batch, self.number, length, values_size], of[1])
        return length


def heads_of(ctx: RuleContext, x: Tensor, counted_by: str) -> Heads:
    """Return the heads of `[batch, number, length, size]`, or of the packed `[batch, length, number*size]`."""
    if x.rank == 4:
        return Heads(*x.dims)
    count = ctx.integer(counted_by)
    ctx.check(count > 0, laws.ATTRIBUTE_POSITIVE.of(name=counted_by, value=count))
    size = per_head(ctx, x[2], count, laws.ATTRIBUTE_DIVIDES_LAST_SIZE.of(name=counted_by))
    return Heads(x[0], as_dim(count), x[1], size)


AT_LEAST_ONE_HEAD_COUNTED = laws.SM204.law("there is at least one head, not {count}")


def head_count(ctx: RuleContext, name: str = "num_heads") -> int:
    """Return the number of heads, an attribute; require at least one."""
    count = ctx.integer(name)
    ctx.check(count > 0, AT_LEAST_ONE_HEAD_COUNTED.of(count=count))
    return count


def head_size(ctx: RuleContext, hidden: Dim) -> Dim:
    """Return a head's size: `hidden` divided by the attribute `num_heads`."""
    return per_head(ctx, hidden, head_count(ctx, "num_heads"))


def per_head(
    ctx: RuleContext,
    hidden: Dim,
    count: Dim | int,
    law: laws.Law = laws.HEADS_DIVIDE_HIDDEN_SIZE,
    rows: Dim = ONE,
) -> Dim:
    """Return `hidden // count`; require that the `count` heads divide it, unless there are no `rows` to split."""
    ctx.require(any_of(divides(count, hidden), equal(rows, 0)), law, hidden, count)
    return hidden // count


STRIDES_IN_32_BITS = laws.SM404.law("no size or stride of what is rotated overflows 32 bits")


def require_strides(ctx: RuleContext, x: Tensor, rows: Dim) -> None:
    """Require that `rows`, and sizes and strides of `[b, n, s, d]` or `[b, s, n*d]`, fit 32 bits, unless unbounded."""
    strides = (product(x.dims[1:]), *((x[1] * x[3], x[2] * x[3]) if x.rank == 4 else ()))
    for size in (*x.dims, rows, *strides):
        if IN_32_BITS < size.hi < inf:
            ctx.limit(at_least(IN_32_BITS, size), STRIDES_IN_32_BITS, size, IN_32_BITS)
