"""Requirements that many families of operators share: shapes, lengths, single numbers, ranges of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from shapesmt.network import laws
from shapesmt.network.graph import Runtime
from shapesmt.operators.rules import Decided, Item, RuleContext, Shape, Tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, Formula, all_of, any_of, as_dim, at_least, equal, negate, select
from shapesmt.prover.algebra.numeric import Float, float_at_least

LARGEST = 2**63 - 1  # the maximum of int64
RUNTIMES = {"openvino": "OpenVINO", "torch": "PyTorch", "tensorflow": "TensorFlow"}


def require_shape(
    ctx: RuleContext, indices: int | Sequence[int], shape: Sequence[Dim | int], law: laws.Law, *, limit: bool = False
) -> None:
    """Require that each input in `indices`, unless omitted, has shape `shape`.

    `limit` means that no output shape depends on it (see `RuleContext.limit`).
    """
    for index in (indices,) if isinstance(indices, int) else indices:
        if ctx.has(index):
            x = ctx.input(index)
            ctx.check(x.rank == len(shape), law)
            for size, expected in zip(x.dims, shape, strict=True):
                (ctx.limit if limit else ctx.require)(equal(size, expected), law, size, expected)


def require_vector(ctx: RuleContext, indices: int | Sequence[int], size: Dim | int, law: laws.Law) -> None:
    """Require that the inputs `indices`, unless omitted, are vectors of length `size`."""
    require_shape(ctx, indices, (size,), law)


def require_single(
    ctx: RuleContext, *indices: int, law: laws.Law = laws.SCALES_AND_ZERO_POINTS_ONE_NUMBER_EACH
) -> None:
    """Require that the inputs `indices`, unless omitted, are single numbers: scalars or vectors of one element."""
    for x in (ctx.input(i) for i in indices if ctx.has(i)):
        ctx.check(x.rank <= 1, law)
        ctx.require_equal(x.numel, 1, law)


def require_one_or(ctx: RuleContext, index: int, size: Dim | int, law: laws.Law) -> None:
    """Require that input `index`, unless omitted, has one element (a scalar is accepted) or is a vector of `size`."""
    if ctx.has(index):
        x = ctx.input(index)
        ctx.check(x.rank <= 1, law)
        ctx.require(any_of(equal(x.numel, 1), equal(x.numel, size)), law, x.numel, size)


def require_least(ctx: RuleContext, items: Iterable[Dim | None] | None, least: int, law: laws.Law) -> None:
    """Require that each known element or size is at least `least`."""
    for item in items or ():
        if item is not None:
            ctx.require_at_least(item, least, law)


def require_same(
    ctx: RuleContext, sizes: Iterable[Dim | None] | None, others: Iterable[Dim | int | None] | None, law: laws.Law
) -> None:
    """Require `sizes[i] == others[i]` for each `i` in both lists at which both sizes are known."""
    for size, other in zip(sizes or (), others or (), strict=False):
        if size is not None and other is not None:
            ctx.require_equal(size, other, law)


def require_fits(ctx: RuleContext, number: Dim | int, what: str) -> None:
    """Require that a number that the node computes with fits int64; `what` names it in the law."""
    ctx.check(as_dim(number).lo <= LARGEST, laws.IN_64_BITS.of(what=what))


IN_32_BITS = laws.SM404.law("{what} doesn't overflow 32 bits")


def require_narrow(ctx: RuleContext, *names: str) -> None:
    """Require that integer attributes, where given, fit 32 bits."""
    for name in names:
        ctx.limit(-(2**31) <= ctx.integer(name, 0) < 2**31, IN_32_BITS.of(what=f"'{name}'"))


def complete_sizes(
    ctx: RuleContext, items: Sequence[Dim | None], least: int = 0, *, index: int | None = None
) -> list[Dim]:
    """Return the sizes, with a new symbol of at least `least` for each unknown one (None).

    `index` is the input that lists them; None if the sizes may depend on all inputs.
    """
    if index is None:
        return [ctx.fresh(f"size{i}", least) if d is None else d for i, d in enumerate(items)]
    return [element(ctx, f"size{i}", index, i, least) if d is None else d for i, d in enumerate(items)]


def element(ctx: RuleContext, name: str, index: int, place: int, least: int = 0) -> Dim:
    """Return a new symbol, at least `least`, for a size that is the unknown element `place` of input `index`."""
    return ctx.fresh(name, least, how=Decided((index,), place=place, free=True))


def require_ranks(ctx: RuleContext, rank: int, *tensors: Tensor, least: bool = False) -> None:
    """Require that each of `tensors` has rank `rank`, or with `least` a higher one."""
    for x in tensors:
        ctx.require_rank(x, rank, least=least)


def require_numel(ctx: RuleContext, indices: Sequence[int], count: Dim | int, law: laws.Law) -> None:
    """Require that each input in `indices`, unless omitted, has `count` elements, whatever its shape."""
    for index in filter(ctx.has, indices):
        ctx.require_equal(ctx.input(index).numel, count, law)


def require_first_axes(ctx: RuleContext, x: Tensor, whole: Tensor, law: laws.Law) -> None:
    """Require that the shape of `x` is a prefix of that of `whole`: `[b, s]` fits `[b, s, h]`."""
    ctx.check(x.rank <= whole.rank, law)
    for size, d in zip(x.dims, whole.dims, strict=False):
        ctx.require_equal(size, d, law)


def require_broadcast_to(ctx: RuleContext, x: Tensor, shape: Shape, law: laws.Law) -> None:
    """Require that every size of `x`, aligned from the right, equals that of `shape` or is 1."""
    ctx.check(x.rank <= len(shape), law)
    for d, size in zip(x.dims[::-1], shape[::-1], strict=False):
        ctx.require(any_of(equal(d, size), equal(d, 1)), law, d, size)


def open_beside_cpu(ctx: RuleContext, law: laws.Law, *, used: bool) -> None:
    """Leave the node undecided if it uses a feature (`used`) that ONNX Runtime has on other devices than CPU only."""
    if used and ctx.runtime is not Runtime.STANDARD:
        ctx.leave("elements", f"{law}: ONNX Runtime has it on other devices only")


def open_unless(ctx: RuleContext, law: laws.Law, formula: Formula = FALSE) -> None:
    """Leave the node undecided if `formula` doesn't hold: it then violates a law that the runtime doesn't check.

    The node's behaviour is undefined in that case. Without a runtime, the law is required.
    """
    if ctx.runtime is Runtime.STANDARD:
        ctx.limit(formula, law)
    elif formula is not TRUE:
        text = f"{law}, which {RUNTIMES.get(ctx.node.domain, 'ONNX Runtime')} doesn't check"
        note = "" if formula is FALSE else f"the law holds where {formula}"
        ctx.leave("elements", text, note, branch=negate(formula))


LIMIT_IN_STEP_DIRECTION = laws.SM307.law("the limit is in the direction of the step")


def require_direction(ctx: RuleContext, start: Item, limit: Item, step: Item) -> None:
    """Require that `limit` lies in the direction of `step` from `start`, unless one of them is unknown."""
    forwards, backwards = reaches(limit, start), reaches(start, limit)
    if step is not None and forwards is not None and backwards is not None:
        direction = any_of(all_of(_positive(step), forwards), all_of(_positive(-step), backwards))
        ctx.require(direction, LIMIT_IN_STEP_DIRECTION)


def reaches(a: Item, b: Item) -> Formula | None:
    """Return the condition that `a >= b`; None if either is unknown."""
    if isinstance(a, Float) and isinstance(b, Float):
        return float_at_least(a, b)
    return at_least(a, b) if isinstance(a, Dim) and isinstance(b, Dim) else None


def _positive(number: Dim | Float) -> Formula:
    return at_least(number, 1) if isinstance(number, Dim) else at_least(number.ceil().to_int(), 1)


def require_alike(
    state: Callable[..., None], shapes: Sequence[Sequence[Dim]], axes: Sequence[int], law: laws.Law
) -> list[Dim]:
    """Require, by `state` (`ctx.require` or `ctx.limit`), that shapes agree on `axes`; empty shapes are exempt.

    Returns:
        The sizes of the first shape that isn't empty, or of the first if all are.
    """
    sizes = list(shapes[0])
    if not axes:
        return sizes
    nothing = any_of(*(equal(d, 0) for d in sizes))
    for others in shapes[1:]:
        empty = any_of(*(equal(d, 0) for d in others))
        for i in axes:
            state(any_of(equal(sizes[i], others[i]), nothing, empty), law, sizes[i], others[i])
            sizes[i] = select(any_of(negate(nothing), empty), sizes[i], others[i])
        nothing = all_of(nothing, empty)
    return sizes
