"""Nodes that the reader of programs adds where an operator changes a tensor's memory through another tensor."""

from __future__ import annotations

from shapesmt.operators.ops.shared.fields import term_of, value_of, within
from shapesmt.operators.ops.torch.layout import nesting_of, strides_of
from shapesmt.operators.ops.torch.schemas import DOMAIN
from shapesmt.operators.ops.torch.views.parts import END
from shapesmt.operators.rules import Elements, RuleContext, Tensor, Traits, move_positions, position, rule, tensor
from shapesmt.prover.algebra import TRUE, ZERO, Dim, Formula, all_of, as_dim, at_least, divides, equal, less, maximum
from shapesmt.prover.algebra.numeric import choice


@rule("changed", domain=DOMAIN, any_rank=True, total=True)
def changed(ctx: RuleContext) -> Tensor:
    """Return a tensor with unknown elements: an operator has changed its memory in place through another tensor."""
    x = ctx.input(0)
    return tensor(x.dtype, x.shape, ndim=x.ndim if x.shape is None else None, layout=x.layout)


@rule("changed_part", domain=DOMAIN, total=True, traits=Traits.COPIED)
def changed_part(ctx: RuleContext) -> Tensor:
    """Return a tensor with the elements of input 1 in a part: a slice of an axis, or what is at an index of it.

    They are unknown if several positions may share one place in memory, as after `expand`.
    """
    x, part, axis = ctx.input(0), ctx.input(1), ctx.normal(ctx.integer("dim", 0), ctx.input(0).rank)
    found = _at_index(ctx, x, axis) if part.rank < x.rank else _in_slice(ctx, x, axis)
    own, other = term_of(x), term_of(part)
    if found is None or own is None or other is None or not _is_apart(x):
        return tensor(x.dtype, x.dims, layout=x.layout)
    inside, places = found
    copied = move_positions(other, lambda back: places[part.rank - back])
    return tensor(x.dtype, x.dims, value_of(x.dims, choice(inside, copied, own)), layout=x.layout)


def _is_apart(x: Tensor) -> bool:
    """Whether each element of a tensor is known to have a place of its own in memory."""
    strides = strides_of(x)
    return nesting_of(x) is not None and strides is not None and ZERO not in strides


def _at_index(ctx: RuleContext, x: Tensor, axis: int) -> tuple[Formula, list[Dim]] | None:
    """Return where the part at an index is, and for its axes the places in it of a position; None if unknown."""
    index, at = _number(ctx, "index", 0), [position(x.rank - i) for i in range(x.rank)]
    return None if index is None else (equal(at.pop(axis), within(index, x[axis])), at)


def _in_slice(ctx: RuleContext, x: Tensor, axis: int) -> tuple[Formula, list[Dim]] | None:
    """Return where a slice is, and for its axes the places in it of a position; None if unknown."""
    start, end, step = _number(ctx, "start", 0), _number(ctx, "end", END), _number(ctx, "step", 1)
    if start is None or end is None or step is None or step.lo < 1:
        return None
    at = [position(x.rank - i) for i in range(x.rank)]
    first, last = (number if number.lo >= 0 else within(number, x[axis]) for number in (start, end))
    first = maximum(first, 0)
    before = TRUE if last.lo >= END else less(at[axis], last)  # a position is before the end of the axis anyway
    inside = all_of(at_least(at[axis], first), before, divides(step, at[axis] - first))
    at[axis] = (at[axis] - first) // step
    return inside, at


def _number(ctx: RuleContext, name: str, default: int) -> Dim | None:
    """Return an integer argument, constant or read; None if it is unknown."""
    place = ctx.attribute(f"@{name}")
    if not isinstance(place, int):
        return as_dim(ctx.integer(name, default))
    value = ctx.input(place).value
    item = value.items[0] if isinstance(value, Elements) else None
    return item if isinstance(item, Dim) else None
