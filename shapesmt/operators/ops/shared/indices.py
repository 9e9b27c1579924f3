"""Index tensors: bound their elements and require them to be inside the axis they index."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.operators.ops.shared.fields import MAX_LISTED, concrete, element_of, value_of
from shapesmt.operators.rules import (
    Decided,
    Elements,
    Field,
    RuleContext,
    Shape,
    Tensor,
    Value,
    elements,
    from_array,
    is_free_element,
    move_positions,
    position,
    positions,
    tensor,
)
from shapesmt.prover.algebra import (
    FALSE,
    SELECT,
    TRUE,
    ZERO,
    Dim,
    Formula,
    Kind,
    all_of,
    any_of,
    as_dim,
    at_least,
    atoms_within,
    entries,
    entry,
    equal,
    less,
    negate,
    partly_known,
    product,
    twin,
)
from shapesmt.prover.algebra.numeric import Ends, ends_over, fold_or_unknown, not_empty, whatever_entries


def count_true(ctx: RuleContext, index: int) -> Dim:
    """Return a symbol for how many elements of an input are nonzero: data-dependent, from 0 to the number of elements.

    Each call in one node returns the same symbol. Declares that the elements can't make the node fail.
    """
    ctx.only_sizes(index)
    total = ctx.input(index).numel
    return ctx.fresh("count", 0, total, how=Decided((index,), total=total, free=True))


def true_place(ctx: RuleContext, index: int, axis: int, *, free: bool = True) -> Dim:
    """Return a symbol for the index along `axis` of a nonzero element of input `index`.

    `free` means that data can make it any index of the axis.
    """
    return ctx.fresh(f"row{axis}", 0, ctx.input(index)[axis] - 1, Kind.PLACE, Decided((index,), free=free, row=True))


def any_places(ctx: RuleContext, dims: Sequence[Dim], size: Dim, first: Dim = ZERO) -> Value | None:
    """Return data-dependent elements of shape `dims`, each an integer from `first` to `first + size - 1`."""
    shape = concrete(dims)
    if shape is not None and prod(shape) <= MAX_LISTED:
        return elements(shape, [first + ctx.fresh(f"place{i}", 0, size - 1) for i in range(prod(shape))])
    one = ctx.fresh("place", 0, size - 1, Kind.PLACE)
    return value_of(dims, first + entry(twin(one, Kind.ENTRY), *(position(back) for back in range(1, len(dims) + 1))))


def any_of_known(ctx: RuleContext, x: Tensor, dims: Sequence[Dim]) -> Value | None:
    """Return data-dependent elements of shape `dims` within the bounds of the elements of `x`.

    None unless the elements of `x` and their bounds are known.
    """
    known = _cases(x)
    if len(known) != 1 or known[0].condition is not TRUE or not x.followed:
        return None
    least, greatest = known[0].least, known[0].greatest
    return None if any(map(_is_unrestricted, (least, greatest))) else any_places(ctx, dims, greatest - least + 1, least)


def with_flags(ctx: RuleContext, index: int) -> Tensor:
    """Return an input; if it is an integer tensor of unknown 0s and 1s, a symbol from 0 to 1 gives its elements."""
    x = ctx.input(index)
    if x.value is not None or not x.rank or not x.dtype.startswith(("int", "uint")):
        return x
    ctx.memoizable = False
    if not ctx.boolean(index):
        return x
    one = ctx.fresh(f"flag{index}", 0, 1, Kind.PLACE, Decided((index,), free=True, flag=True))
    return tensor(x.dtype, x.dims, free_elements(x, one))


def free_elements(x: Tensor, one: Dim) -> Value | None:
    """Return elements for the tensor `x` that each may have any value of the symbol `one`, independently."""
    return value_of(x.dims, entry(twin(one, Kind.ENTRY), *(position(back) for back in range(1, x.rank + 1))))


def is_flag(element: Dim) -> bool:
    """Whether an unknown element is 0 or 1."""
    return bool(entries(element)) and element.lo >= 0 and element.hi <= 1 and len(element.atoms()) == 1


def require_inside(
    ctx: RuleContext, indices: Tensor, size: Dim, unless: Formula = FALSE, *, index: int = 1, from_end: bool = True
) -> None:
    """Require that the indices (input `index`) are inside an axis of size `size`, or that `unless` holds.

    Indices may count from the end, unless `from_end` is false.
    """
    if _fits_anyway(indices, size, from_end=from_end):
        return ctx.require(TRUE, laws.INDICES_INSIDE_AXIS)
    known = spans(ctx, indices, laws.INDICES_INSIDE_AXIS, index)
    _leave_mixed(ctx, indices)
    if not known and size.lo < 1:
        some = any_of(unless, equal(indices.numel, 0), at_least(size, 1))
        ctx.require(some, laws.SOMETHING_TO_PICK, size, 1)
    for condition, least, greatest in known:
        bounds = at_least(least, -size if from_end else 0), less(greatest, size)
        for inside, shown in _each_end(least, greatest, *bounds):
            ctx.require(any_of(unless, negate(condition), inside), laws.INDICES_INSIDE_AXIS, shown, size)


def _each_end(least: Dim, greatest: Dim, low: Formula, high: Formula) -> list[tuple[Formula, Dim]]:
    """Return what has to hold of indices, each part with the index that violates it; one part if signs tell which."""
    if least is greatest or least.lo >= 0 or greatest.hi < 0:
        return [(all_of(low, high), least if greatest.hi < 0 else greatest)]
    return [part for part in ((low, least), (high, greatest)) if part[0] is not TRUE] or [(TRUE, greatest)]


def _fits_anyway(indices: Tensor, size: Dim, *, from_end: bool) -> bool:
    """Whether indices are inside an axis whatever their unknown parts are, such as distances of at most 31."""
    element = indices.value.element if isinstance(indices.value, Field) else ZERO
    if not entries(element) and not any(a.op is SELECT for a in atoms_within(element)):
        return False  # its bounds are known at once
    least, greatest = whatever_entries(element)
    return least >= (-size.lo if from_end else 0) and greatest < size.lo


def require_places(ctx: RuleContext, index: int, size: Dim, law: laws.Law, extra: Dim | int = 1) -> None:
    """Require that for each element k of input `index`, positions k to k + `extra` - 1 are inside an axis of `size`."""
    if not ctx.has(index):
        return
    for condition, least, greatest in spans(ctx, ctx.input(index), law, index):
        for inside, shown in _each_end(least, greatest, at_least(least, 0), at_least(size, greatest + extra)):
            ctx.require(any_of(negate(condition), inside), law, shown, size)


def require_not_negative(ctx: RuleContext, index: int, law: laws.Law) -> None:
    """Require that no element of an input is negative."""
    for condition, least, _ in spans(ctx, ctx.input(index), law, index):
        ctx.require(any_of(negate(condition), at_least(least, 0)), law, least, 0)


def spans(ctx: RuleContext, indices: Tensor, law: laws.Law, index: int | None = None) -> list[Ends]:
    """Return bounds of the known elements of an input, case by case; empty if nothing is known.

    Other elements are data, assumed to satisfy the law: unknown elements, and elements of small inputs that the caller
    doesn't restrict. `index` is the input's, if the tensor is only a part of it.
    """
    cases = _cases(indices)
    known = [span for span in cases if not any(map(_is_unrestricted, (span.least, span.greatest)))]
    for place in ctx.places(indices) if index is None else (index,):
        if len(known) < len(cases):
            ctx.assume(place, law)
        ctx.assume_valid(place, law=law)
    return known


def _leave_mixed(ctx: RuleContext, indices: Tensor) -> None:
    """Leave the node undecided if indices are counts or partly unknown, and have no known bounds."""
    element = indices.value.element if isinstance(indices.value, Field) else ZERO
    counted = any((s.lo, s.hi) == (0, 1) for s in entries(element))
    if (counted or partly_known(element)) and not _cases(indices):
        ctx.leave("elements", "the known indices among unknown ones are followed")


def _is_unrestricted(end: Dim) -> bool:
    """Whether an index is data itself and may be any integer, rather than computed from an input's element."""
    return is_free_element(end) or any(s.kind is Kind.PLACE and s.lo < 0 for s in end.symbols)


def _cases(indices: Tensor) -> list[Ends]:
    value = indices.value
    if isinstance(value, Elements):
        known = list(dict.fromkeys(i for i in value.items if isinstance(i, Dim)))
        constants = [i for i in known if i.constant is not None]
        ends = [min(constants, key=lambda d: d.lo), max(constants, key=lambda d: d.lo)] if constants else []
        cases = [Ends(TRUE, *ends)] if ends else []
        return cases + [Ends(TRUE, d, d) for d in known if d.constant is None]
    if not isinstance(value, Field):
        return []
    element = value.element
    box = {p: (ZERO, indices[-int(p.name[1:])] - 1) for p in positions(element)}
    rest = [at_least(d, 1) for b, d in enumerate(reversed(indices.dims), 1) if position(b).as_symbol() not in box]
    cases = ends_over(element, box) or []
    if not cases and not entries(element):
        least, greatest = (fold_all(how, element, indices.dims) for how in ("least", "greatest"))
        cases = [Ends(not_empty(box), least, greatest)]
    return [Ends(all_of(*rest, condition), a, b) for condition, a, b in cases]


def fold_all(how: str, element: Dim, dims: Shape) -> Dim:
    """Return the minimum ("least"), maximum ("greatest") or sum of an element over a tensor's positions; 0 if empty."""
    lasts = {p: dims[-int(p.name[1:])] - 1 for p in positions(element)}
    once = fold_or_unknown(how, element, lasts) if lasts else element
    if how != "sum":
        return once
    return once * product(d for b, d in enumerate(reversed(dims), 1) if position(b).as_symbol() not in lasts)


def columns(indices: Tensor, count: int) -> list[Tensor]:
    """Split a tensor of index tuples `[..., k]` into `count <= k` index tensors `[...]`, one per tuple element."""
    dims = indices.dims[:-1]
    if isinstance(indices.value, Elements):
        arrays = np.moveaxis(indices.value.array, -1, 0)
        return [tensor("int64", dims, from_array(np.asarray(a, dtype=object))) for a in arrays[:count]]
    element = element_of(indices)
    return [tensor("int64", dims, _column(dims, element, i)) for i in range(count)]


def _column(dims: Shape, element: Dim | None, at: int) -> Value | None:
    if element is None:
        return None
    return value_of(dims, move_positions(element, lambda axis: as_dim(at) if axis == 1 else position(axis - 1)))
