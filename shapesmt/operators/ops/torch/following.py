"""Which axes of its inputs an operator's outputs follow: what PyTorch's families share.

Each function here is, or returns, a `Following`: the argument `follows` of `@operator`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shapesmt.operators.ops.shared.follows import aligned, apart_from, product_axes
from shapesmt.operators.ops.torch.call import Call
from shapesmt.operators.rules import Following, Follows, Letters, RuleContext, Tensor


def dims(ctx: RuleContext, x: Tensor, name: str = "dim") -> Collection[int]:
    """Return the axes of `x` that an argument lists; all if it lists none."""
    listed = {axis % max(x.rank, 1) for axis in Call(ctx).integers(name)}
    return listed or range(x.rank)


def moved_dims(ctx: RuleContext, x: Tensor) -> Collection[int]:
    """Return the axes of `x` along which elements move; all if they aren't listed."""
    return dims(ctx, x, "dims")


def one_dim(ctx: RuleContext, x: Tensor) -> Collection[int]:
    """Return the axis of `x` that the argument `dim` names; all if there is none."""
    call = Call(ctx)
    known = "dim" in call.names and call.number("dim") is not None
    return {call.axis(x)} if known or "@dim" in ctx.attributes else range(x.rank)


along_dims = apart_from(dims)
along_dim = apart_from(one_dim)


def last_axes(ctx: RuleContext, x: Tensor) -> Collection[int]:
    """Return the last axes, which a layer normalizes."""
    return range(x.rank - len(Call(ctx).sizes("normalized_shape")), x.rank)


def unless_training(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """In inference, each element is scaled on its own; in training, by the statistics of the batch."""
    call = Call(ctx)
    flags = [name for name in ("training", "train") if name in call.names]
    if any(map(call.flag, flags)) or not (flags or "no_training" in ctx.node.op):
        return Follows((), ())
    return Follows((aligned(ctx.input(0)),), (aligned(outputs[0]),))


def convolved(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The batch is on axis 0 if the input has one."""
    x, w = ctx.input(0), ctx.input(1)
    letters: Letters = ("batch", *[None] * (x.rank - 1)) if x.rank == w.rank else ()
    return Follows((letters,), (letters,) * len(outputs))


def added_product(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The product of inputs 1 and 2 is added to input 0, which broadcasts."""
    plain = product_axes(ctx, outputs, 1, 2)
    (made, *_) = plain.outputs
    added = made[len(made) - ctx.input(0).rank :]
    return plain._replace(inputs=(added, *plain.inputs[1:3]))


def looked_up(place: int, indices: int) -> Following:
    """The axes of the indices take the place of the axis `dim` of input `place`, or of its first one."""

    def follows(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
        x, chosen, call = ctx.input(place), ctx.input(indices), Call(ctx)
        axis = call.axis(x) if "dim" in call.names else 0
        own, picks = tuple(range(x.rank)), tuple(("index", i) for i in range(chosen.rank))
        read: list[Letters] = [()] * len(ctx.inputs)
        read[place], read[indices] = (*own[:axis], ..., *own[axis + 1 :]), picks
        return Follows(tuple(read), ((*own[:axis], *picks, *own[axis + 1 :]),) * len(outputs))

    return follows


def beside_dim(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Elements, indices and values are at the same position off the axis `dim`, on which the indices pick."""
    x, call = ctx.input(0), Call(ctx)
    axis, own = call.axis(x), tuple(range(x.rank))
    moved = tuple(... if i == axis else i for i in own)
    kept = own if outputs[0].shape == x.shape and "scatter" in ctx.node.op else moved
    others = [moved if t is not None and t.rank == x.rank else () for t in ctx.inputs[1:]]
    if kept is moved:  # a gather: each index is at the position of the element that it gives
        others = [own if t is not None and t.rank == x.rank else () for t in ctx.inputs[1:]]
    return Follows((kept, *others), (own,) * len(outputs))


def padded(ctx: RuleContext, x: Tensor) -> Collection[int]:
    """Return the axes that are padded, which the argument `pad` lists from the last one."""
    pads = Call(ctx).sizes("pad")
    ends = zip(pads[::2], pads[1::2], strict=False)
    return {x.rank - 1 - i for i, pair in enumerate(ends) if any(d is None or d.constant != 0 for d in pair)}


def sequences(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The batch is on axis 1, or 0 with `batch_first`; states have it on axis 1."""
    x, first = ctx.input(0), Call(ctx).flag("batch_first")
    if x.rank != 3:
        return Follows((), ())
    own: Letters = ("batch", None, None) if first else (None, "batch", None)
    state: Letters = (None, "batch", None)
    states = [state if t is not None and t.rank == 3 else () for t in ctx.inputs[1:3]]
    return Follows((own, *states), (own, state, state)[: len(outputs)])


def hot(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The new axis is the last one."""
    letters = aligned(ctx.input(0))
    return Follows((letters,), ((*letters, None),) * len(outputs))
