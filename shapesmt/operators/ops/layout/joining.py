"""Concatenate, split and pad tensors: `Concat`, `Split`, `Pad`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf, prod
from typing import Any, cast

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.network.graph import Runtime
from shapesmt.operators.ops.shared.fields import concrete, element_list, term_of, value_of, view_elements
from shapesmt.operators.ops.shared.follows import apart_from
from shapesmt.operators.ops.shared.require import require_alike, require_fits, require_least
from shapesmt.operators.rules import (
    MAX_ELEMENTS,
    Decided,
    Elements,
    Item,
    Keeps,
    Listed,
    RuleContext,
    Shape,
    Tensor,
    Traits,
    Value,
    elements,
    field,
    from_array,
    move_positions,
    position,
    rule,
    tensor,
)
from shapesmt.prover.algebra import (
    TRUE,
    ZERO,
    Dim,
    Kind,
    all_of,
    any_of,
    at_least,
    ceil_divide,
    divides,
    entry,
    equal,
    less,
    minimum,
    total,
    twin,
)
from shapesmt.prover.algebra.numeric import MANTISSA, choice, from_dim, literal

LARGEST_PART = 2**31 - 1
LEAST_INTEGER = -(2**63)
UNSET = -1  # ONNX Runtime reads it as a missing `num_outputs`
MAX_JOINED = 8  # formulas combined into one


@rule("Concat", traits=Traits.CONCATENATED)
def concat(ctx: RuleContext) -> Tensor:
    """Concatenate along `axis`: `[m, a]`, `[m, b]` -> `[m, a + b]` for axis 1.

    Requires the same rank, and equal sizes on every other axis unless an input is empty.
    """
    parts = ctx.same_rank(*map(ctx.input, range(len(ctx.inputs))))
    axis = ctx.axis(parts[0].rank, 1 if ctx.version < 4 else None)
    dims = _off_axis(ctx, parts, axis)
    dims[axis] = total(x[axis] for x in parts)
    return ctx.tensor(dims, value=concatenate(parts, axis, dims) or _joined_beside_unknown(ctx, parts, axis, dims))


def _joined_beside_unknown(ctx: RuleContext, parts: Sequence[Tensor], axis: int, dims: Sequence[Dim]) -> Value | None:
    """Return the elements concatenated along `axis` if some parts are known; an unknown element is any integer."""
    if not _partly_known(parts):
        return None
    known = [x if x.value is not None else _any_elements(ctx, x, i) for i, x in enumerate(parts)]
    return concatenate(known, axis, dims)


def _partly_known(parts: Sequence[Tensor]) -> bool:
    """Whether known integers are concatenated with unknown ones, such as positions with data in index tuples."""
    return parts[0].dtype in ("int32", "int64") and any(x.value is not None for x in parts)


def _any_elements(ctx: RuleContext, x: Tensor, index: int) -> Tensor:
    """Return `x`, which is input `index`, with a formula for its unknown elements: each is any integer."""
    ctx.assume_valid(index, fails=False)
    element = ctx.fresh(f"element{index}", LEAST_INTEGER, kind=Kind.PLACE, how=Decided((index,)))
    places = [position(back) for back in range(1, x.rank + 1)]
    return tensor(x.dtype, x.dims, field(entry(twin(element, Kind.ENTRY), *places)))


def _off_axis(ctx: RuleContext, parts: Sequence[Tensor], axis: int) -> list[Dim]:
    """Return the output's sizes, of which the one on `axis` isn't valid yet; nonempty inputs agree on the other axes.

    ONNX Runtime refuses models that declare two different sizes there. Other runtimes compare empty inputs too.
    """
    first = parts[0]
    if ctx.runtime is not Runtime.ONNX:
        ctx.require_agree(*parts, but=axis, law=laws.JOINED_MATCH_OFF_AXIS)
        return [*first.dims]
    each = enumerate(zip(*(x.dims for x in parts), strict=True))
    axes = [i for i, sizes in each if i != axis and len({*sizes}) > 1]
    read = ctx.version >= 11 or ctx.integer("axis", 1) >= 0  # ONNX's inference reads the axis
    for i in axes if read else ():
        numbers = list(dict.fromkeys(x[i] for x in parts if x[i].constant is not None))
        for number in numbers[1:]:
            ctx.limit_declared(False, laws.JOINED_MATCH_OFF_AXIS, numbers[0], number)
    return require_alike(ctx.require, [x.dims for x in parts], axes, laws.JOINED_MATCH_OFF_AXIS)


def concatenate(parts: Sequence[Tensor], axis: int, dims: Sequence[Dim]) -> Value | None:
    """Return the elements of `parts` concatenated along `axis` to sizes `dims`; None if they aren't known."""
    if not any(isinstance(x.value, Elements) for x in parts) or concrete(dims) is None:
        return _joined_formulas(parts, axis, dims)
    lists = [known for x in parts if (known := element_list(x)) is not None]
    if len(lists) < len(parts):
        return _joined_formulas(parts, axis, dims)
    whole = Listed.concatenate(lists, axis)
    return None if whole is None else elements(*whole)


def _joined_formulas(parts: Sequence[Tensor], axis: int, dims: Sequence[Dim]) -> Value | None:
    """Return the concatenated elements as a formula that chooses a part by the position along `axis`.

    None if the formula of a part is unknown, or if there are too many parts.
    """
    parts = [x for x in parts if x[axis] is not ZERO]
    pieces: list[Any] = [term_of(x) for x in parts]
    if not pieces or len(pieces) > MAX_JOINED or None in pieces:
        return None
    back = len(dims) - axis
    ends = [total(x[axis] for x in parts[:i]) for i in range(len(parts) + 1)]
    shifted = [_moved_up(e, back, start) for e, start in zip(pieces, ends, strict=False)]
    result = shifted[-1]
    for piece, end in zip(shifted[-2::-1], ends[-2:0:-1], strict=True):
        result = choice(less(position(back), end), piece, result)
    return value_of(dims, result)


def _moved_up(element: Any, back: int, by: Dim) -> Any:
    """Return the formula of elements that move up by `by` along an axis, the `back`-th from the end."""
    return move_positions(element, lambda b: position(b) - by if b == back else position(b))


@rule("Split", traits=Traits.PART, follows=apart_from(lambda ctx, x: {ctx.axis(x.rank, 0)}))
def split(ctx: RuleContext) -> tuple[Tensor, ...]:
    """Split along `axis` into parts of the listed sizes, which add up to the axis, or into equal parts."""
    x = ctx.input(0)
    axis = ctx.axis(x.rank, 0)
    sizes = _split_sizes(ctx, x[axis])
    shapes = ([*x.dims[:axis], size, *x.dims[axis + 1 :]] for size in sizes)
    starts = accumulate(sizes, initial=ZERO)  # the last one is the input's end
    return tuple(ctx.tensor(d, value=_part(x, d, axis, start)) for d, start in zip(shapes, starts, strict=False))


SIZES_OR_NUM_OUTPUTS_NOT_BOTH = laws.SM405.law("a list of sizes or attribute 'num_outputs' is given, not both")
NUM_OUTPUTS_COUNTS_OUTPUTS = laws.SM502.law("attribute 'num_outputs' is the number of outputs")
SPLIT_SIZES_OR_NUM_OUTPUTS = laws.SM502.law("a list of sizes or attribute 'num_outputs' is given")


def _split_sizes(ctx: RuleContext, size: Dim) -> list[Dim]:
    count = ctx.integer("num_outputs", UNSET)
    counted = "num_outputs" in ctx.attributes and (count != UNSET or size.constant is not None)
    if counted:
        ctx.limit(not ctx.has(1), SIZES_OR_NUM_OUTPUTS_NOT_BOTH)
        ctx.limit(count >= 1, laws.NAMED_ATTRIBUTE_POSITIVE.of(name="num_outputs"))
    empty = ctx.has(1) and ctx.input(1).shape == (ZERO,)
    if empty:  # then ONNX Runtime splits evenly, unless the file says the size of the axis
        ctx.limit_declared(size.constant is None, SPLIT_SIZES_OR_NUM_OUTPUTS)
    elif ctx.has(1) or "split" in ctx.attributes:
        listed = ctx.sizes(1 if ctx.has(1) else "split", ctx.outputs)
        require_least(ctx, listed, 0, laws.SIZES_NOT_NEGATIVE)
        return _fitting(ctx, _complete_sizes(ctx, size, listed))
    if counted:
        ctx.limit(count == ctx.outputs or not ctx.since((1, 32)), NUM_OUTPUTS_COUNTS_OUTPUTS)
        return _chunks(ctx, size, count)
    ctx.limit(ctx.version < 18 or size.constant is None or empty, SPLIT_SIZES_OR_NUM_OUTPUTS)
    ctx.require(divides(ctx.outputs, size), laws.AXIS_SPLITS_EVENLY.of(parts=ctx.outputs), size, ctx.outputs)
    return _fitting(ctx, [size // ctx.outputs] * ctx.outputs)


NO_PART_EMPTY = laws.SM204.law("no part is empty")


def _chunks(ctx: RuleContext, size: Dim, count: int) -> list[Dim]:
    """Return the sizes of equal parts, rounded up, and of the smaller last part, which may be empty.

    Before ONNX Runtime 1.32, `size` must be at least `count` so that no part is empty, and rounding is in float32.
    """
    chunk, rounds = ceil_divide(size, ctx.outputs), 1 << MANTISSA["float32"] < size.hi < inf
    last = size - chunk * (ctx.outputs - 1)
    older = (rounds or at_least(last, 1) is not TRUE) and not ctx.since((1, 32))
    if older:
        ctx.require_at_least(size, count, NO_PART_EMPTY)
    if older and rounds:
        chunk = (from_dim(size, "float32") / literal(ctx.outputs, "float32")).ceil().to_int()
        last = size - chunk * (ctx.outputs - 1)
    law = laws.EQUAL_CHUNKS_COVER_AXIS.of(count=ctx.outputs)
    ctx.require(all_of(at_least(last, int(older)), at_least(chunk, last)), law, last, chunk)
    _fitting(ctx, [chunk])
    return [chunk] * (ctx.outputs - 1) + [last]


def _fitting(ctx: RuleContext, sizes: list[Dim]) -> list[Dim]:
    """Return the sizes of parts; require that each fits 32 bits."""
    for size in sizes:
        if LARGEST_PART < size.hi < inf:
            ctx.require_at_least(LARGEST_PART, size, laws.PART_SIZE_IN_32_BITS)
    return sizes


def _complete_sizes(ctx: RuleContext, size: Dim, sizes: Sequence[Dim | None]) -> list[Dim]:
    """Return the sizes of the parts, which must add up to `size`; a single None among `sizes` is the remainder."""
    rest = size - total(d for d in sizes if d is not None)
    unknown = [i for i, d in enumerate(sizes) if d is None]
    if not unknown:
        ctx.require_equal(size - rest, size, laws.SIZES_ADD_UP_TO_AXIS)
    else:
        ctx.require_at_least(rest, 0, laws.SIZES_ADD_UP_TO_AXIS)
    if len(unknown) == 1:
        return [rest if d is None else d for d in sizes]
    free = [ctx.fresh(f"size{i}", 0, size, how=Decided((1,))) if d is None else d for i, d in enumerate(sizes)]
    if unknown:
        ctx.facts.append(any_of(less(rest, 0), equal(total(free), size)))
    return free


def _part(x: Tensor, dims: Sequence[Dim], axis: int, start: Dim) -> Value | None:
    back, begin, length = x.rank - axis, start.constant, dims[axis].constant
    if isinstance(x.value, Elements) and (
        begin is None or length is None or not 0 <= begin + length <= x.value.shape[axis]
    ):
        return None
    return view_elements(
        x,
        dims,
        lambda a: a.take(range(begin or 0, (begin or 0) + (length or 0)), axis),
        lambda b: position(b) + start if b == back else position(b),
    )


def padded_axes(ctx: RuleContext, x: Tensor) -> set[int] | None:
    """Return the axes that are padded; None if they aren't known."""
    axes = ctx.constants(3) if ctx.has(3) else tuple(range(x.rank))
    if axes is None:
        return None
    axes = ctx.normals(axes, x.rank)
    pads = _pads(ctx, 2 * len(axes))
    return {axis for axis, *ends in zip(axes, pads, pads[len(axes) :], strict=False) if ends != [ZERO, ZERO]}


SCALAR_NOT_PADDED = laws.SM203.law("a scalar can't be padded")


@rule("Pad", traits=Traits(Keeps.COPIED, copied=(0, 2)), follows=apart_from(padded_axes))
def pad(ctx: RuleContext) -> Tensor:
    """Pad each axis: `before[i] + x.shape[i] + after[i]`; negative pads crop."""
    x = ctx.input(0)
    ctx.check(x.rank >= 1, SCALAR_NOT_PADDED)
    mode = ctx.text("mode", "constant")
    ctx.check(mode in ("constant", "reflect", "edge", "wrap"), laws.PAD_MODE_KNOWN.of(mode=mode))
    _require_filler(ctx, x, mode)
    axes = ctx.constants(3) if ctx.has(3) else tuple(range(x.rank))
    if axes is None:
        _require_pads(ctx)
        return ctx.tensor([ctx.fresh(f"size{i}", how=Decided((1, 3))) for i in range(x.rank)])
    axes = ctx.normals(axes, x.rank)
    pads = _pads(ctx, 2 * len(axes))
    dims = list(x.dims)
    for axis, before, after in zip(axes, pads, pads[len(axes) :], strict=False):
        dims[axis] = _pad_axis(ctx, x, axis, before, after, mode)
    return ctx.tensor(dims, value=_pad_value(ctx, axes, pads, mode, dims))


WRAP_HAS_ELEMENT_TO_REPEAT = laws.SM203.law("mode wrap has an element to repeat")
PADDING_VALUE_ONE_NUMBER = laws.SM401.law("what is padded with is one number")


def _require_filler(ctx: RuleContext, x: Tensor, mode: str) -> None:
    """Require an element to repeat in mode wrap, and that the padding value is one number."""
    if mode == "wrap":  # ONNX Runtime refuses empty tensors, whatever the pads
        ctx.require_at_least(x.numel, 1, WRAP_HAS_ELEMENT_TO_REPEAT)
    if ctx.has(2) and ctx.input(2).shape is not None:
        ctx.limit(equal(ctx.input(2).numel, 1), PADDING_VALUE_ONE_NUMBER, ctx.input(2).numel, 1)


def _require_pads(ctx: RuleContext) -> None:
    """Require, for unknown axes, that there are two pads per axis and that some axis is long enough to be cropped."""
    pads, axes = ctx.input(1, rank=1), ctx.input(3, rank=1)
    if pads.shape is not None and axes.shape is not None:
        ctx.require_equal(pads[0], 2 * axes[0], laws.TWO_PADS_PER_AXIS)
    pad_items = ctx.items(1) or ()
    for before, after in zip(pad_items, pad_items[len(pad_items) // 2 :], strict=False):
        if before is not None and after is not None:
            fits = any_of(*(at_least(size + before + after, 0) for size in ctx.input(0).dims))
            ctx.limit(fits, laws.PADS_CROP_WHAT_THERE_IS, before + after)


def _pads(ctx: RuleContext, count: int) -> list[Dim | None]:
    source = 1 if ctx.version >= 11 else "pads" if ctx.version >= 2 else "paddings"
    return ctx.sizes(source, count, "pads")


def _pad_axis(ctx: RuleContext, x: Tensor, axis: int, before: Dim | None, after: Dim | None, mode: str) -> Dim:
    """Return the size of `axis` after padding, and require what `mode` needs; a new symbol if a pad is unknown."""
    size = x[axis]
    if before is None or after is None:
        return ctx.fresh(f"size{axis}", how=Decided((1, 3)))
    padded = size + before + after
    require_fits(ctx, padded, "the padded size")
    ctx.require_at_least(padded, 0, laws.PADS_CROP_WHAT_THERE_IS)
    if mode == "constant" or (before is ZERO and after is ZERO):
        return padded
    kept = size + minimum(before, 0) + minimum(after, 0)
    # Except in mode wrap, ONNX Runtime lets an empty tensor grow along its other axes.
    empty = all_of(equal(x.numel, 0), any_of(at_least(size, 1), equal(padded, 0)))
    legal = at_least(kept, 1)
    if mode == "reflect":
        legal = all_of(legal, less(before, kept), less(after, kept))
    law = {"reflect": laws.REFLECTED_PADS_SHORTER_THAN_AXIS}.get(mode, laws.MODE_HAS_ELEMENT_TO_REPEAT.of(mode=mode))
    ctx.require(legal if mode == "wrap" else any_of(legal, empty), law, before if before.lo > after.lo else after, size)
    return padded


def _pad_value(
    ctx: RuleContext, axes: Sequence[int], pads: Sequence[Dim | None], mode: str, dims: Shape | list[Dim]
) -> Value | None:
    """Return the elements padded along `axes`; None if they aren't known. `pads` lists all befores, then all afters."""
    x, widths = ctx.input(0), [p.constant for p in pads if p is not None and p.constant is not None]
    sizes = concrete(dims)
    few = sizes is not None and prod(sizes) <= MAX_ELEMENTS
    if not few or not isinstance(x.value, Elements) or len(widths) < len(pads):
        return _padded_formula(ctx, axes, pads, dims) if mode == "constant" else None
    amounts = np.zeros((x.rank, 2), dtype=int)
    amounts[list(axes)] = np.array(widths, dtype=int).reshape(2, -1).T
    cropped = x.value.array[
        tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(amounts, x.value.shape, strict=True))
    ]
    if mode == "constant":
        padded = np.pad(cropped, np.maximum(amounts, 0), constant_values=np.array(_filler(ctx), dtype=object))
    elif not cropped.size or (amounts < 0).any() or mode not in ("reflect", "edge", "wrap"):
        return None
    else:
        padded = np.pad(cropped, amounts, cast("Any", mode))
    return from_array(padded) if padded.shape == sizes else None


def _padded_formula(
    ctx: RuleContext, axes: Sequence[int], pads: Sequence[Dim | None], dims: Shape | list[Dim]
) -> Value | None:
    """Return the padded elements as a formula that chooses by position between the tensor and the padding value.

    None if one of them is unknown.
    """
    filler, x = _filler(ctx), ctx.input(0)
    known = [p for p in pads if p is not None]
    if not isinstance(filler, Dim) or x.dtype not in ("int32", "int64") or len(known) < len(pads):
        return None
    element = term_of(x if x.value is not None else _any_elements(ctx, x, 0))
    for axis, before in zip(axes if element is not None else (), known, strict=False):
        back = x.rank - axis
        element = _moved_up(element, back, before)
        after = choice(less(position(back), before + x[axis]), element, filler)
        element = choice(less(position(back), before), filler, after)
    return value_of(dims, element)


def _filler(ctx: RuleContext) -> Item:
    """Return the padding value of mode constant; None if it isn't a known number."""
    if not ctx.has(2):
        return ZERO if ctx.version >= 11 and not ctx.input(0).dtype.startswith(("float", "bfloat")) else None
    fill = ctx.input(2).value
    return fill.items[0] if isinstance(fill, Elements) and fill.items else None
