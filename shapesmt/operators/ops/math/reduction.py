"""Reductions, `ArgMax` and running sums; short lists keep their values."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate
from math import inf, prod
from operator import add, mul
from typing import Any

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.network.graph import Runtime
from shapesmt.operators.ops.shared.fields import MAX_CHOICES, concrete, value_of
from shapesmt.operators.ops.shared.follows import apart_from
from shapesmt.operators.ops.shared.indices import count_true, fold_all, is_flag, with_flags
from shapesmt.operators.ops.shared.items import (
    INTEGERS,
    LOGIC,
    Function,
    cast,
    choose_item,
    fit_item,
    greatest,
    smallest,
)
from shapesmt.operators.rules import (
    FLOATS,
    Decided,
    Elements,
    Field,
    Floats,
    Item,
    RuleContext,
    Shape,
    Tensor,
    Traits,
    Value,
    elements,
    extremes,
    field,
    move_positions,
    position,
    positions,
    rule,
)
from shapesmt.prover.algebra import (
    FALSE,
    ONE,
    ZERO,
    Dim,
    absolute,
    all_of,
    any_of,
    as_dim,
    at_least,
    atom_of,
    const,
    entries,
    equal,
    maximum,
    product,
    select,
    substitute,
    truncated_divide,
)
from shapesmt.prover.algebra.numeric import MANTISSA, Float, from_dim, literal

FOLDS: dict[str, Function] = {
    "ReduceL1": add,
    "ReduceMax": greatest,
    "ReduceMean": add,
    "ReduceMin": smallest,
    "ReduceProd": mul,
    "ReduceSum": add,
    "ReduceSumSquare": add,
}
EACH: dict[str, Function] = {
    "ReduceL1": lambda a: absolute(a) if isinstance(a, Dim) else None,
    "ReduceSumSquare": lambda a: a * a,
}
COUNTING = frozenset({"ReduceL1", "ReduceSum", "ReduceSumSquare"})
PREFERRED: dict[tuple[str, bool], Function] = {
    ("ArgMax", False): LOGIC["Greater"],
    ("ArgMax", True): LOGIC["GreaterOrEqual"],
    ("ArgMin", False): LOGIC["Less"],
    ("ArgMin", True): LOGIC["LessOrEqual"],
}
NEUTRAL = {"ReduceL1": 0, "ReduceProd": 1, "ReduceSum": 0, "ReduceSumSquare": 0}


# Folding axes


def reduced_axes(ctx: RuleContext, x: Tensor) -> tuple[int, ...] | None:
    """Return the reduced axes, from an attribute or an input; None if they aren't known."""
    if ctx.has(1) and ctx.input(1).shape is not None:
        ctx.require_rank(ctx.input(1), 1)
    axes = ctx.constants(1, "axes", ())
    if axes and not _is_free(ctx, x):
        return tuple(sorted({ctx.normal(a, x.rank) for a in axes}))
    if axes is None and not (ctx.has(1) and ctx.input(1).shape == (ZERO,)):
        for axis in ctx.items(1) or ():
            if axis is not None:
                ctx.require_within(axis, x.rank, laws.FOLDED_AXES_IN_TENSOR)
        return None
    return () if ctx.flag("noop_with_empty_axes", only_one=True) else tuple(range(x.rank))


def _is_free(ctx: RuleContext, x: Tensor) -> bool:
    """Whether `axes` isn't read: for a scalar, in versions before ONNX's inference checked it."""
    return x.rank == 0 and ctx.version < (12 if ctx.node.op in ("ReduceMax", "ReduceMin") else 11)


def without(dims: Shape, axes: tuple[int, ...], *, keep: bool) -> Shape:
    """Return the shape without those axes, or with size 1 there if `keep`.

    >>> without((const(2), const(3)), (1,), keep=True)
    (Dim('2'), Dim('1'))
    """
    if keep:
        return tuple(ONE if i in axes else d for i, d in enumerate(dims))
    return tuple(d for i, d in enumerate(dims) if i not in axes)


@rule(
    *FOLDS,
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    any_rank=True,
    traits=Traits.MIXED,
    follows=apart_from(reduced_axes),
)
def reduction(ctx: RuleContext) -> Tensor:
    """Reduce the axes in `axes`, by default all: `[m, n] -> [m, 1]` for axis 1, or `[m]` if `keepdims` is 0."""
    x, keep = ctx.input(0), ctx.flag("keepdims", 1, only_one=True)
    if x.shape is None:
        named = ctx.has(1) or ctx.attribute("axes") or ctx.flag("noop_with_empty_axes", only_one=True)
        return ctx.tensor(None if keep or named else ())
    axes = reduced_axes(ctx, x)
    if axes is not None:
        _require_extreme(ctx, x, axes)
        shape = without(x.dims, axes, keep=keep)
        return ctx.tensor(
            shape, None, _count_flags(ctx, x, axes, shape) or fold_elements(ctx.node.op, x, axes, keep=keep)
        )
    if not keep:
        return ctx.tensor(None)
    return ctx.tensor([ctx.fresh(f"size{i}", 0, maximum(d, 1), how=Decided((1,))) for i, d in enumerate(x.dims)])


def _require_extreme(ctx: RuleContext, x: Tensor, axes: tuple[int, ...]) -> None:
    """Require that ReduceMax and ReduceMin of booleans reduce some element; only ONNX Runtime requires it."""
    if x.dtype == "bool" and ctx.node.op in ("ReduceMax", "ReduceMin") and ctx.runtime is Runtime.ONNX:
        nothing = [equal(d, 0) for i, d in enumerate(x.dims) if i not in axes]
        for folded_axis in (x[a] for a in axes):
            ctx.limit(any_of(at_least(folded_axis, 1), *nothing), laws.EXTREME_AXIS_HAS_ELEMENT, folded_axis, 1)


def _count_flags(ctx: RuleContext, x: Tensor, axes: tuple[int, ...], shape: Shape) -> Value | None:
    """Return the sum of 0s and 1s as a data-dependent count; None if this reduction isn't such a sum."""
    if ctx.node.op not in COUNTING or len(axes) < x.rank or not x.rank or x.value is not None:
        return None
    ctx.memoizable = False
    if not ctx.boolean(0) or (x.dtype in FLOATS and 1 << MANTISSA[x.dtype] <= x.numel.hi < inf):
        return None
    return elements(concrete(shape) or (), [fit_item(cast(count_true(ctx, 0), x.dtype), x.dtype)])


def fold_elements(op: str, x: Tensor, axes: tuple[int, ...], *, keep: bool) -> Value | None:
    """Return the elements of `x` reduced along `axes` by `op`, such as "ReduceSum"; None if they aren't known."""
    shape, sizes = without(x.dims, axes, keep=keep), concrete(x.shape)
    if op not in FOLDS or not isinstance(x.value, Field if sizes is None else (Elements, Field)):
        return None
    if not isinstance(x.value, Elements) or sizes is None:
        element = fit_item(_folded_element(op, x, axes), x.dtype, FOLDS[op])
        if not isinstance(element, Dim):
            return None
        gone = [x.rank - a for a in axes if not keep]
        return value_of(shape, move_positions(element, lambda axis: position(axis - sum(g < axis for g in gone))))
    kept = [i for i in range(x.rank) if i not in axes]
    table = x.value.array.transpose(*kept, *axes).reshape(prod(sizes[i] for i in kept), prod(sizes[a] for a in axes))
    rows = [_fold(op, row, x.dtype) for row in table.tolist()]
    return elements(concrete(shape) or (), [fit_item(item, x.dtype, FOLDS[op]) for item in rows])


def _fold(op: str, row: list[Item], dtype: str) -> Item:
    row = [None if i is None else EACH[op](i) for i in row] if op in EACH else row
    if any(i is None for i in row) or not _in_any_order(op, row):
        return None
    if row:
        result: Item = fit_item(reduce(FOLDS[op], row), dtype, FOLDS[op])
        return _divide_sum(result, len(row)) if op == "ReduceMean" else result
    neutral = of_nothing(op, dtype)
    return None if neutral is None else literal(neutral, dtype) if dtype in FLOATS else const(neutral)


def _divide_sum(whole: Item, count: int) -> Item:
    """Return a sum divided by the number of summands; integers are rounded towards zero."""
    if isinstance(whole, Float):
        return whole / literal(count, whole.dtype)
    return None if whole is None else truncated_divide(whole, count)


def of_nothing(op: str, dtype: str) -> int | None:
    """Return the result of reducing no elements: 0 for a sum, an integer type's minimum for ReduceMax; None if none.

    >>> of_nothing("ReduceMax", "int8"), of_nothing("ReduceMin", "uint8"), of_nothing("ReduceMax", "float32")
    (-128, 255, None)
    """
    bits = INTEGERS.get(dtype)
    if bits is None or op not in ("ReduceMax", "ReduceMin"):
        return NEUTRAL.get(op)
    least = 0 if dtype[0] == "u" else -(1 << bits - 1)
    return least if op == "ReduceMax" else least + (1 << bits) - 1


def _in_any_order(op: str, row: list[Item]) -> bool:
    """Whether no order of the steps rounds: integer-valued floats whose sum or product fits the mantissa."""
    floats = [i for i in row if isinstance(i, Float)]
    if len(floats) < 2 or op in ("ReduceMin", "ReduceMax"):
        return True
    if any(i.numerator is None or i.denominator != 1 for i in floats):
        return False
    sizes = [max(abs(i.lo), abs(i.hi), 1) for i in floats]
    return (prod(sizes) if op == "ReduceProd" else sum(sizes)) < 1 << MANTISSA[floats[0].dtype]


def _folded_element(op: str, x: Tensor, axes: tuple[int, ...]) -> Dim | None:
    """Return the element of a reduction of a formula; None if it isn't known.

    A sum adds equal elements or sums over positions; extremes are at the ends of the axes if elements are monotone.
    """
    assert isinstance(x.value, Field)
    if entries(x.value.element):
        return None
    element, axes = _without_short_axes(op, x, x.value.element, axes)
    along = {x.rank - a for a in axes}
    used = {int(atom.name[1:]) for atom in positions(element)}
    if op == "ReduceSum" and used <= along:
        return fold_all("sum", element, tuple(d if x.rank - a in along else ONE for a, d in enumerate(x.dims)))
    if op == "ReduceSum" and not used & along:
        return element * product(x[a] for a in axes)
    if op not in ("ReduceMin", "ReduceMax") or (used & along and not used <= along):
        return None
    if used & along:
        ends = extremes(element, lambda axis: x[-axis])
        how = "least" if op == "ReduceMin" else "greatest"
        element = fold_all(how, element, x.dims) if ends is None else ends[op == "ReduceMax"]
    if all(x[a].lo >= 1 for a in axes):
        return element
    none = of_nothing(op, x.dtype)
    return None if none is None else select(all_of(*(at_least(x[a], 1) for a in axes)), element, none)


def _without_short_axes(op: str, x: Tensor, element: Dim, axes: tuple[int, ...]) -> tuple[Dim, tuple[int, ...]]:
    """Reduce the short axes of an element that also depends on kept positions; return it and the remaining axes."""
    along = {a: atom_of(position(x.rank - a)) for a in axes}
    if op not in ("ReduceSum", "ReduceMin", "ReduceMax") or {*positions(element)} <= {*along.values()}:
        return element, axes
    sizes = {a: x[a].constant or 0 for a, p in along.items() if p in element.symbols}
    short = {a: size for a, size in sizes.items() if 1 <= size <= MAX_CHOICES}
    for a, size in short.items():
        element = reduce(FOLDS[op], [substitute(element, {along[a]: as_dim(at)}) for at in range(size)])
    return element, tuple(a for a in axes if a not in short)


@rule("ArgMax", "ArgMin", dtype="int64", traits=Traits.MIXED, follows=apart_from(lambda ctx, x: {ctx.axis(x.rank, 0)}))
def extreme_position(ctx: RuleContext) -> Tensor:
    """Return the index of the maximum or minimum along `axis`, which keeps size 1 unless `keepdims` is 0.

    Requires an element along `axis` unless the output is empty.
    """
    x, keep = ctx.input(0), ctx.flag("keepdims", 1, only_one=True)
    if _is_free(ctx, x):
        return ctx.tensor((), "int64")
    axis = ctx.axis(x.rank, 0)
    nothing = [equal(d, 0) for i, d in enumerate(x.dims) if i != axis]
    ctx.require(any_of(at_least(x[axis], 1), *nothing), laws.EXTREME_AXIS_HAS_ELEMENT, x[axis], 1)
    shape = without(x.dims, (axis,), keep=keep)
    if not isinstance(x.value, Elements) or 0 in x.value.shape:
        return ctx.tensor(shape, "int64")
    more = PREFERRED[ctx.node.op, ctx.flag("select_last_index")]
    rows = np.moveaxis(x.value.array, axis, -1).reshape(-1, x.value.shape[axis]).tolist()
    return ctx.tensor(shape, "int64", elements(concrete(shape) or (), [_extreme_place(row, more) for row in rows]))


def _extreme_place(row: list[Item], more: Function) -> Item:
    """Return the index of the best item, None if unknown; of equal ones the last if `more` accepts equality."""
    if len(row) > MAX_CHOICES and any(i is not None and i.symbols for i in row):
        return None
    place, best = ZERO, row[0]
    for at, item in enumerate(row[1:], 1):
        better = None if best is None or item is None else more(item, best)
        if better is None:
            return None
        place, best = choose_item(better, const(at), place), choose_item(better, item, best)
    return place


# Running along an axis


def one_axis(ctx: RuleContext, x: Tensor) -> set[int] | None:
    """Return the axis that input 1 names; None if it isn't known."""
    axes = ctx.constants(1)
    return None if axes is None else {axis % x.rank for axis in axes}


AXIS_SCALAR = laws.SM401.law("the axis is a scalar")
AXIS_ONE_ELEMENT = laws.SM401.law("the axis is one element")


@rule("CumProd", follows=apart_from(one_axis))
@rule("CumSum", traits=Traits.RUNNING_SUM, follows=apart_from(one_axis))
def running(ctx: RuleContext) -> Tensor:
    """Return running sums or products along `axis`, an input that isn't read if `x` is empty."""
    x, which = ctx.input(0, least=1), ctx.input(1)
    x = with_flags(ctx, 0) if ctx.node.op == "CumSum" else x
    ctx.check(which.rank <= 1, AXIS_SCALAR)
    ctx.require(any_of(equal(which.numel, 1), equal(x.numel, 0)), AXIS_ONE_ELEMENT, which.numel, 1)
    axis = _running_axis(ctx, x)
    return ctx.tensor(x.dims, None, None if axis is None else running_elements(ctx, x, axis))


def _running_axis(ctx: RuleContext, x: Tensor) -> int | None:
    """Return the axis that the second input names, inside the rank unless `x` is empty; None if it isn't known."""
    (axis, *_) = ctx.items(1) or (None,)
    if axis is None:
        return None
    number, inside = axis.constant, all_of(at_least(axis, -x.rank), at_least(x.rank, axis + 1))
    law = laws.AXIS_INSIDE_RANK.of(axis=number, rank=x.rank)
    law = laws.THE_AXIS_INSIDE_RANK.of(rank=x.rank) if number is None else law
    ctx.require(any_of(inside, equal(x.numel, 0)), law, axis, x.rank)
    return None if number is None or inside is FALSE else number % x.rank


def running_elements(ctx: RuleContext, x: Tensor, axis: int) -> Value | None:
    """Return the elements of a running sum or product along `axis`; None if they aren't known."""
    exclusive, reverse = ctx.flag("exclusive"), ctx.flag("reverse")
    if isinstance(x.value, (Field, Floats)):
        here = position(x.rank - axis)
        if ctx.node.op == "CumProd":
            return None
        return _times(x, here, (x[axis] - here if reverse else here + 1) - int(exclusive))
    if not isinstance(x.value, Elements) or (x.dtype in FLOATS and ctx.node.op == "CumProd"):
        return None
    lines = np.moveaxis(x.value.array, axis, -1)
    totals = np.empty(lines.shape, dtype=object)
    for place in np.ndindex(lines.shape[:-1]):
        row = lines[place].tolist()
        line = _run(ctx.node.op, row[::-1] if reverse else row, x.dtype, exclusive=exclusive)
        totals[place] = line[::-1] if reverse else line
    return elements(x.value.shape, np.moveaxis(totals, -1, axis).ravel().tolist())


def _times(x: Tensor, here: Dim, count: Dim) -> Value | None:
    """Return the sums of `count` elements that are equal along an axis, where the position is `here`.

    None for floats if a step may round. If the elements are flags, the sum's bounds are those of none and all of them.
    """
    assert isinstance(x.value, (Field, Floats))
    one = x.value.element
    if here.as_symbol() in one.symbols and not (isinstance(one, Dim) and is_flag(one)):
        return None
    if isinstance(one, Dim):
        sums = fit_item(one * count, x.dtype)
        return None if sums is None else field(sums)
    if one.numerator is None or one.denominator > 1:
        return None
    exact = from_dim(one.numerator * count, x.dtype)
    return None if exact.numerator is None else field(exact)


def _run(op: str, row: list[Item], dtype: str, *, exclusive: bool) -> list[Item]:
    start: Item = ONE if op == "CumProd" else literal(0.0, dtype) if dtype in FLOATS else ZERO
    step = FOLDS["ReduceProd" if op == "CumProd" else "ReduceSum"]

    def following(a: Item, b: Item) -> Any:
        return None if a is None or b is None else step(a, b)

    line = [fit_item(item, dtype, step) for item in accumulate(row, following, initial=start)]
    return line[:-1] if exclusive else line[1:]
