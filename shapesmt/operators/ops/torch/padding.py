"""Operators that pad or crop a tensor at both sides of its last axes."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import result, vector
from shapesmt.operators.ops.shared.follows import apart_from
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import cast, number_tensor
from shapesmt.operators.ops.torch.following import padded
from shapesmt.operators.rules import Tensor, Traits, tensor
from shapesmt.prover.algebra import Dim, any_of, at_least, less, minimum

Pads = list[tuple["Dim | None", "Dim | None"]]
MODES = ("constant", "reflect", "replicate", "circular")


def pads_of(call: Call, x: Tensor, name: str) -> Pads:
    """Return the padding in argument `name` as pairs (before, after), the last axis first; None for unknown numbers."""
    numbers = call.sizes(name)
    call.ctx.check(len(numbers) % 2 == 0, laws.TWO_PADS_PER_AXIS)
    call.ctx.check(len(numbers) // 2 <= x.rank, laws.AXES_AT_MOST_RANK.of(rank=x.rank, count=len(numbers) // 2))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def pad_sizes(call: Call, x: Tensor, pads: Pads) -> list[Dim]:
    """Return the sizes of `x` padded by `pads` (see `pads_of`): `[h, w]` and `[(1, 2)]` -> `[h, w + 3]`."""
    dims = list(x.dims)
    for back, (before, after) in enumerate(pads, 1):
        if before is None or after is None:
            dims[-back] = call.ctx.fresh(f"size{back}")
        else:
            dims[-back] = x[-back] + before + after
    return dims


def _constant(call: Call, x: Tensor, pads: Pads) -> Tensor:
    ctx = call.ctx
    for back, (before, after) in enumerate(pads, 1):
        if before is not None and after is not None:
            kept = x[-back] + minimum(before, 0) + minimum(after, 0)
            ctx.require_at_least(kept, 0, laws.PADS_CROP_WHAT_THERE_IS)
    if x.value is not None and pads:
        filler = cast(number_tensor(call.number("value") or 0), x.dtype)
        axes = [x.rank - back for back in range(1, len(pads) + 1)]
        numbers = [p[0] for p in pads] + [p[1] for p in pads]
        return result(ctx, "Pad", x, vector(*numbers), filler, vector(*axes), mode="constant")
    return tensor(x.dtype, pad_sizes(call, x, pads))


@operator("constant_pad_nd.default", "_pad_circular.default", traits=Traits.COPIED, follows=apart_from(padded))
def constant_pad(call: Call) -> Tensor:
    """Pad with a number (negative pads crop), or for `_pad_circular` with elements from the tensor's other side."""
    x = call.tensor("self")
    pads = pads_of(call, x, "pad")
    return _pad_by_mode(call, x, pads, "circular") if "circular" in call.ctx.node.op else _constant(call, x, pads)


PAD_VALUE_OF_CONSTANTS = laws.SM502.law("a value to pad with is for mode constant")


@operator("pad.default", traits=Traits.COPIED, follows=apart_from(padded))
def pad(call: Call) -> Tensor:
    """Pad with a number, or with the tensor's own elements mirrored, repeated or wrapped around."""
    x, ctx, mode = call.tensor("self"), call.ctx, call.text("mode")
    ctx.check(mode in MODES, laws.PAD_MODE_KNOWN.of(mode=mode))
    pads = pads_of(call, x, "pad")
    if mode == "constant":
        return _constant(call, x, pads)
    ctx.check(not call.number("value"), PAD_VALUE_OF_CONSTANTS)
    return _pad_by_mode(call, x, pads, mode)


@operator(
    *(f"{mode}_pad{axes}d.default" for mode in ("reflection", "replication") for axes in (1, 2, 3)),
    traits=Traits.COPIED,
    follows=apart_from(padded),
)
def surrounded(call: Call) -> Tensor:
    """Pad with the tensor's own elements, mirrored or repeated."""
    x, name = call.tensor("self"), call.ctx.node.op.split(".")[1]
    pads = pads_of(call, x, "padding")
    call.ctx.check(len(pads) == int(name[-2]), laws.TWO_PADS_PER_AXIS)
    return _pad_by_mode(call, x, pads, "reflect" if name.startswith("refl") else "replicate")


SURROUNDED_RANK = laws.SM303.law(
    "of the axes, all but one or two are padded with the tensor's own elements, and 1 to 3"
)
REPEATED_PADS_NO_LONGER_THAN_AXIS = laws.SM203.law("repeated pads are no longer than the axis")


def _pad_by_mode(call: Call, x: Tensor, pads: Pads, mode: str) -> Tensor:
    ctx, count = call.ctx, len(pads)
    ranks = (count + 2,) if mode == "circular" else (count + 1, count + 2)
    ctx.check(1 <= count <= 3 and x.rank in ranks, SURROUNDED_RANK)
    for axis in range(int(x.rank == count + 2), x.rank) if mode != "circular" else ():
        ctx.require_at_least(x[axis], 1, laws.MODE_HAS_ELEMENT_TO_REPEAT.of(mode=mode))
    for back, (before, after) in enumerate(pads, 1):
        if before is None or after is None:
            continue
        size = x[-back]
        ctx.require_at_least(size + before + after, 0, laws.PADS_CROP_WHAT_THERE_IS)
        for each in (before, after):
            if mode == "reflect":
                ctx.require(less(each, size), laws.REFLECTED_PADS_SHORTER_THAN_AXIS, each, size)
            if mode == "circular":
                ctx.require_at_least(size, each, REPEATED_PADS_NO_LONGER_THAN_AXIS)
    dims = pad_sizes(call, x, pads)
    if mode != "circular":
        ctx.require(any_of(*(at_least(d, 1) for d in dims[-count:])), laws.OUTPUT_NOT_EMPTY)
    return tensor(x.dtype, dims)
