"""Tensor sizes as numbers, Python's arithmetic on them, and assertions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from shapesmt.network import laws
from shapesmt.operators.ops.shared import items
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import require_not_negative
from shapesmt.operators.ops.torch.layout import is_plain, storage_of
from shapesmt.operators.rules import Decided, Elements, Tensor, elements, tensor
from shapesmt.prover.algebra import ONE, ZERO, Dim, absolute, as_dim, differs, maximum, minimum, product, select, total
from shapesmt.prover.algebra.numeric import Float, float_greatest, float_least, from_dim, literal, steps

Number: TypeAlias = "Dim | Float | None"
REAL = "float64"  # Python's floats
LEAST_INTEGER = -(2**63)


def scalar(item: Number, dtype: str) -> Tensor:
    """Return a tensor of rank 0 whose element is `item`; None: an unknown element."""
    return tensor(dtype, (), elements((), [item]))


# Sizes


@operator("sym_size.int", "size.int", of_shape=True)
def sym_size(call: Call) -> Tensor:
    """Return the size of axis `dim` as a number."""
    x = call.tensor("self")
    return scalar(x[call.ctx.normal(call.integer("dim"), x.rank)], "int64")


@operator("sym_numel.default", "numel.default", of_shape=True)
def sym_numel(call: Call) -> Tensor:
    """Return the number of elements."""
    return scalar(call.tensor("self").numel, "int64")


@operator("sym_stride.int", of_shape=True)
def sym_stride(call: Call) -> Tensor:
    """Return the stride of axis `dim`; unknown if the axis has size 1 or the tensor isn't contiguous."""
    x = call.tensor("self")
    axis = call.ctx.normal(call.integer("dim"), x.rank)
    known = x.layout is None and x[axis] is not ONE
    return scalar(product(maximum(d, 1) for d in x.dims[axis + 1 :]) if known else None, "int64")


@operator("sym_storage_offset.default", of_shape=True)
def sym_storage_offset(call: Call) -> Tensor:
    """Return the storage offset: 0 if the tensor is known to begin its memory, otherwise unknown."""
    return scalar(None if storage_of(call.tensor("self")) is None else ZERO, "int64")


@operator("sym_is_contiguous.default", of_shape=True)
def sym_is_contiguous(call: Call) -> Tensor:
    """Return true if the tensor is certainly contiguous, otherwise an unknown boolean."""
    plain = is_plain(call.tensor("self")) and call.text("memory_format") in ("", "contiguous_format")
    return scalar(ONE if plain else None, "bool")


# Python's operators


def _real(x: Dim | Float) -> Float:
    return from_dim(x, REAL) if isinstance(x, Dim) else x


def _alike(function: Callable[..., Number]) -> Callable[..., Number]:
    """Return a function that calls `function` with both operands converted to floats, unless both are integers."""

    def applied(a: Dim | Float, b: Dim | Float) -> Number:
        both = isinstance(a, Dim) and isinstance(b, Dim)
        return function(a, b) if both else function(_real(a), _real(b))

    return applied


def _whole(x: Dim | Float) -> Number:
    """Round a float towards zero; an integer stays."""
    return x if isinstance(x, Dim) else x.to_int()


def _power(a: Dim | Float, b: Dim | Float) -> Number:
    negative = isinstance(a, Dim) and isinstance(b, Dim) and b.lo < 0
    result = None if negative else items.ARITHMETIC["Pow"](a if isinstance(b, Dim) else _real(a), b)
    return result if isinstance(result, (Dim, Float)) else None


ARITHMETIC: dict[str, Callable[..., Number]] = {
    "_operator.add": _alike(lambda a, b: a + b),
    "_operator.sub": _alike(lambda a, b: a - b),
    "_operator.mul": _alike(lambda a, b: a * b),
    "_operator.pow": _power,
    "_operator.neg": lambda a: -a,
    "_operator.pos": lambda a: a,
    "_operator.abs": lambda a: absolute(a) if isinstance(a, Dim) else None,
    "torch.sym_max": _alike(lambda a, b: maximum(a, b) if isinstance(a, Dim) else float_greatest(a, b)),
    "torch.sym_min": _alike(lambda a, b: minimum(a, b) if isinstance(a, Dim) else float_least(a, b)),
    "torch.sym_float": _real,
    "torch.sym_int": _whole,
    "torch.sym_sqrt": lambda a: _real(a).unary(steps.SQRT),
    "torch._sym_sqrt": lambda a: _real(a).unary(steps.SQRT),
    "math.sqrt": lambda a: _real(a).unary(steps.SQRT),
    "math.trunc": _whole,
    "math.ceil": lambda a: a if isinstance(a, Dim) else a.ceil().to_int(),
    "math.floor": lambda a: a if isinstance(a, Dim) else a.floor().to_int(),
    "_operator.round": lambda a: a if isinstance(a, Dim) else a.round().to_int(),
}
DIVISIONS: dict[str, Callable[..., Number]] = {
    "_operator.floordiv": lambda a, b: (a - a % b) // b if isinstance(a, Dim) and isinstance(b, Dim) else None,
    "_operator.mod": lambda a, b: a % b if isinstance(a, Dim) and isinstance(b, Dim) else None,
    "_operator.truediv": lambda a, b: _real(a) / _real(b),
}
COMPARISONS: dict[str, Callable[..., Number]] = {
    "_operator.eq": _alike(items.LOGIC["Equal"]),
    "_operator.ne": _alike(lambda a, b: items.PREDICATES["Not"](items.LOGIC["Equal"](a, b))),
    "_operator.lt": _alike(items.LOGIC["Less"]),
    "_operator.le": _alike(items.LOGIC["LessOrEqual"]),
    "_operator.gt": _alike(items.LOGIC["Greater"]),
    "_operator.ge": _alike(items.LOGIC["GreaterOrEqual"]),
}
LOGIC: dict[str, Callable[..., Number]] = {
    "_operator.and_": items.LOGIC["And"],
    "_operator.or_": items.LOGIC["Or"],
    "_operator.xor": items.LOGIC["Xor"],
    "torch.sym_not": items.PREDICATES["Not"],
    "_operator.not_": items.PREDICATES["Not"],
}
UNARY = {op for op in {**ARITHMETIC, **LOGIC} if op.startswith(("math.", "torch.sym_float", "torch.sym_int"))}
UNARY |= {op for op in {**ARITHMETIC, **LOGIC} if op.endswith(("sqrt", "not", "not_", "neg", "pos", "abs", "round"))}
REALS = ("_operator.truediv", "torch.sym_float", "torch.sym_sqrt", "torch._sym_sqrt", "math.sqrt")
WHOLES = ("torch.sym_int", "math.trunc", "math.ceil", "math.floor", "_operator.round")


def operands(call: Call) -> tuple[list[Number], list[str]]:
    """Return the operands of a Python operator (None: unknown number) and their element types."""
    names = [name for name in ("a", "b", "x") if name in call]
    for index in range(len(names), 1 if call.ctx.node.op in UNARY else 2):
        call.ctx.reject(laws.INPUT_GIVEN.of(index=index))
    places = [call.tensor(name) if f"@{name}" in call.ctx.attributes else _constant(call, name) for name in names]
    return [_item(call, x) for x in places], [x.dtype for x in places]


def _constant(call: Call, name: str) -> Tensor:
    value = call.number(name) or 0
    if isinstance(value, int):
        return scalar(as_dim(int(value)), "bool" if isinstance(value, bool) else "int64")
    return scalar(literal(value, REAL), REAL)


def _item(call: Call, x: Tensor) -> Number:
    call.ctx.assume_elements(x, only_sizes=True)
    return x.value.items[0] if isinstance(x.value, Elements) else None


def apply_function(function: Callable[..., Number], numbers: Sequence[Number]) -> Number:
    """Return `function(*numbers)`; None if an operand is unknown or the result has an unrounded square root."""
    result = None if None in numbers else function(*numbers)
    return None if isinstance(result, Float) and result.blurred else result


@operator(*ARITHMETIC)
def arithmetic(call: Call) -> Tensor:
    """Compute `a + b`, `max(a, b)`, `math.floor(a)` and others as Python does; integers don't overflow."""
    numbers, types = operands(call)
    op = call.ctx.node.op
    whole = op in WHOLES or (op not in REALS and REAL not in types)
    if whole and op == "_operator.pow" and not (isinstance(numbers[1], Dim) and numbers[1].lo >= 0):
        return scalar(None, "")  # a negative exponent makes a float
    return scalar(apply_function(ARITHMETIC[op], numbers), "int64" if whole else REAL)


@operator(*DIVISIONS)
def divide(call: Call) -> Tensor:
    """Divide as Python does, rounding down for `//` and `%`; an integer divisor must not be 0."""
    numbers, types = operands(call)
    divisor = numbers[-1]
    if isinstance(divisor, Dim):
        call.ctx.require(differs(divisor, 0), laws.NOT_DIVIDED_BY_ZERO, divisor, 0)
    whole = call.ctx.node.op not in REALS and REAL not in types
    return scalar(apply_function(DIVISIONS[call.ctx.node.op], numbers), "int64" if whole else REAL)


@operator(*COMPARISONS, *LOGIC)
def compare(call: Call) -> Tensor:
    """Compare two numbers, or combine two truth values; bitwise results on integers are unknown."""
    numbers, types = operands(call)
    op = call.ctx.node.op
    function = COMPARISONS[op] if op in COMPARISONS else LOGIC[op]
    whole = op not in COMPARISONS and set(types) != {"bool"}  # bitwise on integers
    return scalar(None if whole else apply_function(function, numbers), "int64" if whole else "bool")


@operator("torch.sym_ite")
def sym_ite(call: Call) -> Tensor:
    """Return `t` if the condition `b` is true, otherwise `f`."""
    condition, *cases = (call.tensor(n) if f"@{n}" in call.ctx.attributes else _constant(call, n) for n in "btf")
    chosen, (a, b) = _item(call, condition), (_item(call, x) for x in cases)
    dtype = REAL if any(x.dtype == REAL for x in cases) else cases[0].dtype
    if isinstance(chosen, Dim) and isinstance(a, Dim) and isinstance(b, Dim):
        return scalar(select(differs(chosen, 0), a, b), dtype)
    return scalar(None, dtype)


@operator("torch.sym_sum")
def sym_sum(call: Call) -> Tensor:
    """Return the sum of a list of numbers."""
    numbers = call.sizes("args")
    return scalar(total(n for n in numbers if n is not None) if None not in numbers else None, "int64")


# Elements as numbers


@operator("item.default", "_local_scalar_dense.default")
def item(call: Call) -> Tensor:
    """Return the only element of a tensor as a number."""
    x, ctx = call.tensor("self"), call.ctx
    if ctx.node.op == "aten.item.default":
        ctx.require_equal(x.numel, 1, laws.TENSOR_ONE_ELEMENT)
    else:  # `_local_scalar_dense` returns the first element
        ctx.require_at_least(x.numel, 1, laws.INPUT_NOT_EMPTY)
    dtype = x.dtype if x.dtype == "bool" else "int64" if x.dtype in items.INTEGERS else REAL
    if isinstance(x.value, Elements) and x.value.items and x.value.items[0] is not None:
        return scalar(_real(x.value.items[0]) if dtype == REAL else x.value.items[0], dtype)
    if dtype == REAL:
        return scalar(None, dtype)
    least, most = (0, 1) if dtype == "bool" else (LEAST_INTEGER, None)
    return scalar(ctx.fresh("item", least, most, how=Decided((0,), place=0, free=True)), dtype)


@operator("is_nonzero.default")
def is_nonzero(call: Call) -> Tensor:
    """Test whether the only element of a tensor isn't zero; the result is unknown."""
    call.ctx.require_equal(call.tensor("self").numel, 1, laws.TENSOR_ONE_ELEMENT)
    return scalar(None, "bool")


@operator("equal.default", total=True)
def equal_tensors(_: Call) -> Tensor:
    """Test whether two tensors are equal; the result is unknown."""
    return scalar(None, "bool")


@operator("allclose.default")
def allclose(call: Call) -> Tensor:
    """Test whether two tensors, broadcast together, are nearly equal; the result is unknown."""
    x, y = call.tensor("self"), call.tensor("other")
    call.ctx.check(x.dtype == y.dtype, laws.OPERANDS_ONE_TYPE)
    require_not_negative(call, "rtol", "atol")
    call.ctx.broadcast(x.dims, y.dims)
    return scalar(None, "bool")


# Assertions


ASSERTED = laws.SM406.law("the assertion {condition} holds", broken="the assertion fails")


@operator("_assert_scalar.default", "_assert_async.default", "_assert_async.msg")
def assertion(call: Call) -> None:
    """Require that a number isn't zero; assume it if the number is unknown."""
    condition = _constant(call, "self") if "@self" not in call.ctx.attributes else call.tensor("self")
    truth = condition.value.items[0] if isinstance(condition.value, Elements) else None
    if isinstance(truth, Dim):
        asserted = differs(truth, 0)
        call.ctx.require(asserted, ASSERTED.of(condition=asserted))
    else:
        call.ctx.assume_elements(condition)


@operator("_assert_tensor_metadata.default")
def metadata(call: Call) -> None:
    """Require that the tensor has the asserted sizes and element type."""
    x, ctx, dtype = call.tensor("a"), call.ctx, call.text("dtype")
    ctx.check(not dtype or not x.dtype or dtype == x.dtype, laws.ASSERTION_HOLDS)
    if "size" in call:
        expected = call.sizes("size")
        ctx.check(len(expected) == x.rank, laws.ASSERTION_HOLDS)
        for size, d in zip(expected, x.dims, strict=True):
            if size is not None:
                ctx.require_equal(d, size, laws.ASSERTION_HOLDS)


@operator("sym_constrain_range.default", "sym_constrain_range_for_size.default")
def constrain(call: Call) -> None:
    """Require `min <= size <= max`; `sym_constrain_range_for_size` has minimum 0 by default.

    An unknown size is assumed to be in the range.
    """
    size = call.size("size")
    for_size = call.ctx.node.op.endswith("for_size.default")
    least = call.number("min") if call.number("min") is not None else 0 if for_size else None
    most = call.number("max")
    if size is None:
        return
    if isinstance(least, int):
        call.ctx.require_at_least(size, least, laws.ASSERTION_HOLDS)
    if isinstance(most, int):
        call.ctx.require_at_least(most, size, laws.ASSERTION_HOLDS)
