"""Padding at both ends of the last axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt import laws
from shapesmt.ops.shared.require import require_least
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import tensor

if TYPE_CHECKING:
    from shapesmt.algebra import Dim
    from shapesmt.rules import Tensor

MODES = {"reflection": "reflect", "replication": "replicate", "_pad_circular": "circular"}


def amounts(call: Call, x: Tensor) -> list[tuple[int, Dim, Dim]]:
    """The axes that are padded, the last one first, with how much is padded at both ends; less than 0 crops."""
    numbers = call.sizes("pad" if "pad" in call else "padding")
    call.ctx.check(len(numbers) % 2 == 0 and len(numbers) <= 2 * x.rank, laws.TWO_PADS_PER_AXIS)
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        call.open("pad")
    pairs = zip(known[::2], known[1::2], strict=True)
    return [(x.rank - 1 - i, head, tail) for i, (head, tail) in enumerate(pairs)]


def padded(call: Call, x: Tensor, mode: str) -> Tensor:
    """The input with what a mode puts around it."""
    shape = list(x.dims)
    for axis, head, tail in amounts(call, x):
        shape[axis] = x[axis] + head + tail
    if mode == "constant":
        for size in shape:
            call.ctx.require_at_least(size, 0, laws.PADS_CROP_WHAT_THERE_IS)
        return tensor(x.dtype, shape)
    _require_source(call, x, mode)
    for axis, _, _ in amounts(call, x):
        call.ctx.require_at_least(shape[axis], 1, laws.PADS_CROP_AND_LEAVE_SAMPLE)
    return tensor(x.dtype, shape)


def _require_source(call: Call, x: Tensor, mode: str) -> None:
    """State that there is enough to repeat, and channels with or without a batch."""
    ctx, axes = call.ctx, amounts(call, x)
    ctx.check(1 <= len(axes) <= 3, laws.TWO_PADS_PER_AXIS)
    ctx.check(x.rank - len(axes) in (1, 2), laws.RANK_WITH_OR_WITHOUT_BATCH.of(axes=len(axes), rank=x.rank))
    require_least(ctx, x.dims[-len(axes) - 1 :], 1, laws.ONLY_BATCH_EMPTY)
    for axis, head, tail in axes:
        for pad in (head, tail):
            if mode == "reflect":
                ctx.require_at_least(x[axis], pad + 1, laws.MODE_PADS_SHORTER_THAN_AXIS.of(mode=mode))
            elif mode == "circular":
                ctx.require_at_least(x[axis], pad, laws.MODE_PADS_NO_LONGER_THAN_AXIS.of(mode=mode))


@operator("constant_pad_nd.default")
def constant_pad(call: Call) -> Tensor:
    """A number around the input."""
    return padded(call, call.tensor("self"), "constant")


@operator("pad.default")
def pad(call: Call) -> Tensor:
    """A number around the input, or its own elements."""
    return padded(call, call.tensor("self"), call.text("mode"))


@operator(*(f"{mode}_pad{count}d.default" for mode in ("reflection", "replication") for count in (1, 2, 3)))
@operator("_pad_circular.default")
def own_elements(call: Call) -> Tensor:
    """The input's own elements around it."""
    name = call.ctx.node.op.split(".")[1]
    mode = next(mode for start, mode in MODES.items() if name.startswith(start))
    return padded(call, call.tensor("self"), mode)
