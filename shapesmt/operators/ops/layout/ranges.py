"""Make tensors of a given shape: one number everywhere, ranges, diagonals."""

from __future__ import annotations

from math import inf, prod

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.network.graph import DTYPES, Literal
from shapesmt.operators.ops.shared.fields import concrete, element_of, term_of, value_of
from shapesmt.operators.ops.shared.follows import each
from shapesmt.operators.ops.shared.require import complete_sizes, element, require_least, require_single
from shapesmt.operators.rules import (
    FLOATS,
    MAX_ELEMENTS,
    MAX_FLOATS,
    Elements,
    RuleContext,
    Tensor,
    Traits,
    Value,
    elements,
    from_literal,
    move_positions,
    position,
    rule,
)
from shapesmt.prover.algebra import (
    ONE,
    ZERO,
    Dim,
    Evaluator,
    at_least,
    ceil_divide,
    differs,
    entries,
    equal,
    maximum,
    select,
)
from shapesmt.prover.algebra.numeric import Float, from_dim

SIZES_INT64 = laws.SM501.law("the sizes are of type int64")


@rule("ConstantOfShape", since=9, any_rank=True, traits=Traits.COPIED)
def constant_of_shape(ctx: RuleContext) -> Tensor:
    """Return a tensor whose sizes are an input, filled with one number."""
    ctx.check(ctx.input(0).dtype in ("", "int64"), SIZES_INT64)
    sizes = ctx.sizes(0)
    fill = from_literal(_fill(ctx))
    if sizes is None:
        return ctx.tensor(None, fill.dtype)
    require_least(ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    dims = complete_sizes(ctx, sizes, index=0)
    return ctx.tensor(dims, fill.dtype, _fill_elements(fill, dims))


VALUE_ATTRIBUTE_ONE_ELEMENT = laws.SM401.law("attribute 'value' holds one element")


def _fill(ctx: RuleContext) -> Literal:
    value = ctx.attribute("value")
    if not isinstance(value, Literal):
        return Literal("float32", (), (0.0,))
    ctx.check(prod(value.shape) == 1, VALUE_ATTRIBUTE_ONE_ELEMENT)
    return Literal(value.dtype, (), value.values)


def _fill_elements(fill: Tensor, dims: list[Dim]) -> Value | None:
    element, sizes = term_of(fill), concrete(dims)
    most = MAX_FLOATS if fill.dtype in FLOATS else MAX_ELEMENTS
    if element is None or sizes is None or prod(sizes) > most:
        return None if element is None else value_of(dims, element)
    return elements(sizes, [element] * prod(sizes))


DELTA_NOT_0 = laws.SM307.law("delta is not 0")


@rule("Range", since=11, any_rank=True)
def sequence(ctx: RuleContext) -> Tensor:
    """Return the range of `start + i*delta` for `0 <= i < ceil((limit - start) / delta)`."""
    start, limit, delta = (_scalar(ctx, i) for i in range(3))
    _require_scalars(ctx)
    ctx.only_sizes(0, 1)
    ctx.check(not any(map(_endless, (start, limit))) and not _is_nan(delta), laws.RANGE_ENDS_FINITE)
    if isinstance(delta, Dim):
        ctx.require(differs(delta, 0), DELTA_NOT_0, delta, 0)
    elif isinstance(delta, Float) and delta.numerator is not None and delta.numerator.constant is not None:
        ctx.check(delta.numerator.constant != 0, DELTA_NOT_0)
    count = _count(start, limit, delta)
    length = _length(ctx, start, limit, delta) if count is None else maximum(count, 0)
    few = length.constant is not None and length.constant <= MAX_ELEMENTS
    if isinstance(start, Dim) and isinstance(delta, Dim) and few:
        items = [start + delta * i for i in range(length.constant or 0)]
        return ctx.tensor((length,), value=elements((len(items),), items))
    return ctx.tensor((length,), value=value_of((length,), _progression(start, delta)))


def _endless(end: Dim | Float | None) -> bool:
    """Whether a number is known to be infinite or NaN."""
    return isinstance(end, Float) and (end.lo == inf or end.hi == -inf or _is_nan(end))


def _is_nan(number: Dim | Float | None) -> bool:
    """Whether a number is NaN and depends on no size."""
    return isinstance(number, Float) and not number.symbols and bool(np.isnan(number.value(Evaluator({}))))


FILE_NUMBERS_SCALARS = laws.SM401.law("the numbers, as the file has them, are scalars")


def _require_scalars(ctx: RuleContext) -> None:
    """Require that start, limit and delta are scalars if all are constants in the file: runtimes check no others."""
    if ctx.node.domain == "" and any(t.shape is not None and t.rank for t in map(ctx.input, range(3))):
        ctx.memoizable = False
        known = all(name in ctx.literals for name in ctx.node.inputs)
        ctx.limit(not known, FILE_NUMBERS_SCALARS)


def _progression(start: Dim | Float | None, delta: Dim | Float | None) -> Dim | Float | None:
    """Return `start + i*delta`; None for floats if a step may round, since runtimes add `delta` step by step."""
    if isinstance(start, Dim) and isinstance(delta, Dim):
        return start + delta * position(1)
    if not isinstance(start, Float) or not isinstance(delta, Float):
        return None
    place = from_dim(position(1), start.dtype)
    term = start + delta * place
    return term if term.numerator is not None else None


def _length(ctx: RuleContext, start: Dim | Float | None, limit: Dim | Float | None, delta: Dim | Float | None) -> Dim:
    """Return a new symbol for a data-dependent length; in `Range(0, limit, 1)` it is the unknown limit itself."""
    if start is ZERO and delta is ONE and limit is None:
        return element(ctx, "length", 1, 0)
    return ctx.fresh("length")


START_LIMIT_DELTA_ONE_NUMBER_EACH = laws.SM401.law("start, limit and delta are one number each")


def _scalar(ctx: RuleContext, index: int) -> Dim | Float | None:
    x = ctx.input(index)
    ctx.assume_valid(index)
    if x.shape is not None:
        ctx.check(x.rank <= 1, START_LIMIT_DELTA_ONE_NUMBER_EACH)
        ctx.require_equal(x.numel, 1, START_LIMIT_DELTA_ONE_NUMBER_EACH)
    if isinstance(x.value, Elements):
        return x.value.items[0] if len(x.value.items) == 1 else None
    element = term_of(x)
    return None if element is None or entries(element) else move_positions(element, lambda _: ZERO)


def _count(start: Dim | Float | None, limit: Dim | Float | None, delta: Dim | Float | None) -> Dim | None:
    """Return `ceil((limit - start) / delta)`, floats in float64 as in ONNX Runtime; None if it isn't known."""
    if isinstance(start, Dim) and isinstance(limit, Dim) and isinstance(delta, Dim):
        return ceil_divide(limit - start, delta)
    wide = [x.cast("float64") for x in (start, limit, delta) if isinstance(x, Float)]
    first, last, step = wide if len(wide) == 3 else (None, None, None)
    if first is None or last is None or step is None or step.lo <= 0 <= step.hi:
        return None
    return ((last - first) / step).ceil().to_int()


@rule("EyeLike", since=9, any_rank=True, of_shape=True)
def eye_like(ctx: RuleContext) -> Tensor:
    """Return a tensor of the input's shape with ones on diagonal `k` and zeros elsewhere."""
    x = ctx.input(0, rank=2)
    dtype = DTYPES.get(ctx.integer("dtype"), "") if "dtype" in ctx.attributes else x.dtype
    if x.shape is None:
        return ctx.tensor((ctx.fresh("rows"), ctx.fresh("columns")), dtype)
    on_diagonal = select(equal(position(1) - position(2), ctx.integer("k", 0)), 1, 0)
    return ctx.tensor(x.dims, dtype, value_of(x.dims, on_diagonal) if _is_integer(dtype) else None)


@rule("Trilu", since=14, traits=Traits.OVERWRITTEN, follows=each)
def trilu(ctx: RuleContext) -> Tensor:
    """Set elements below (or above) diagonal `k` to 0; the shape is unchanged."""
    x = ctx.input(0, least=2)
    shift: Dim | None = ZERO
    if ctx.has(1):
        if ctx.input(1).shape is not None:
            require_single(ctx, 1, law=laws.K_ONE_NUMBER)
        items = ctx.items(1)
        shift = items[0] if items else None
    element = element_of(x) if _is_integer(x.dtype) else None
    if element is None or shift is None:
        return ctx.tensor(x.dims)
    distance = position(1) - position(2) - shift
    kept = at_least(distance, 0) if ctx.flag("upper", 1) else at_least(-distance, 0)
    return ctx.tensor(x.dims, value=value_of(x.dims, select(kept, element, 0)))


def _is_integer(dtype: str) -> bool:
    return dtype == "bool" or dtype.startswith(("int", "uint"))
