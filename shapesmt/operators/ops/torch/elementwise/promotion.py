"""Element types of results: PyTorch's promotion of tensors, tensors of rank 0, and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce

from shapesmt.network import laws
from shapesmt.operators.ops.math.elementwise import combine
from shapesmt.operators.ops.shared import items
from shapesmt.operators.ops.shared.items import INTEGERS
from shapesmt.operators.ops.shared.require import reaches
from shapesmt.operators.ops.torch.call import Call
from shapesmt.operators.rules import Elements, Item, Tensor, elements, tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, as_dim, negate
from shapesmt.prover.algebra.numeric import from_dim, literal

BOOL, INTEGER, FLOAT, COMPLEX = range(4)
DEFAULT_FLOAT = "float32"
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_WHOLES = {"float16": "complex32", "bfloat16": "bcomplex32", "float32": "complex64", "float64": "complex128"}
_PARTS = {whole: part for part, whole in _WHOLES.items()}


def kind(dtype: str) -> int:
    """Return the kind of an element type, one of the ascending numbers BOOL, INTEGER, FLOAT and COMPLEX."""
    return BOOL if dtype == "bool" else INTEGER if dtype in INTEGERS else COMPLEX if dtype in _PARTS else FLOAT


def require_one_kind(call: Call, *tensors: Tensor | None) -> None:
    """Require operands of one kind, as matrix products do: all integers, all floats or all complex numbers.

    Floats of different widths leave the node undecided: inside an autocast they become one type.
    """
    types = [x.dtype for x in tensors if x is not None and x.dtype]
    kinds = {max(kind(dtype), 1) for dtype in types}
    call.ctx.check(len(kinds) <= 1, laws.OPERANDS_SAME_TYPE.of(types=" and ".join(dict.fromkeys(types))))
    call.open_if_broken(FALSE if len({*types}) > 1 else TRUE, laws.OPERANDS_ONE_TYPE)


def promote(a: str, b: str) -> str:
    """Return the type that holds the numbers of both, as `torch.promote_types` does; "" if unknown.

    >>> promote("int8", "uint8"), promote("float16", "bfloat16"), promote("float64", "complex64")
    ('int16', 'float32', 'complex128')
    >>> promote("bool", "int32"), promote("int64", "float16")
    ('int32', 'float16')
    """
    if a == b:
        return a
    low, high = sorted((a, b), key=kind)
    if kind(high) == COMPLEX and kind(low) >= FLOAT:
        return _WHOLES[promote(real_part(low), real_part(high))]
    if kind(low) != kind(high):
        return high
    if kind(high) == FLOAT:
        known = low in _FLOATS and high in _FLOATS
        return "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=_FLOATS.index) if known else ""
    signed = [t for t in (a, b) if t[0] == "i"]
    if len(signed) == 1:
        return "int16" if {a, b} == {"int8", "uint8"} else signed[0]
    return max(a, b, key=INTEGERS.__getitem__)


def real_part(dtype: str) -> str:
    """Return the type of the real part of complex numbers; other types stay.

    >>> real_part("complex64"), real_part("int64")
    ('float32', 'int64')
    """
    return _PARTS.get(dtype, dtype)


def as_float(dtype: str) -> str:
    """Return the type in which functions of real numbers compute: integers and booleans become the default float.

    >>> as_float("int64"), as_float("float16"), as_float("")
    ('float32', 'float16', '')
    """
    return DEFAULT_FLOAT if dtype and kind(dtype) < FLOAT else dtype


def result_type(operands: Iterable[tuple[Tensor, bool]], before_2_14: bool | None = None) -> str:
    """Return the type of a result as `torch.result_type` does; "" if unknown.

    Each operand comes with whether it is a number. Operands with axes count first, then tensors of rank 0, then
    numbers, whose floats have the default type. PyTorch before 2.14, if known, made complex64 of bfloat16 and such a
    complex number, as it had no bcomplex32.

    >>> matrix, one, number = tensor("float16", (2, 3)), tensor("float64", ()), tensor("float64", ())
    >>> result_type([(matrix, False), (one, False), (number, True)]), result_type([(one, False), (matrix, False)])
    ('float16', 'float16')
    >>> result_type([(tensor("int64", (2, 3)), False), (number, True)])
    'float32'
    """
    groups: list[list[str]] = [[], [], []]
    for x, number in operands:
        if not x.dtype:
            return ""
        dtype = DEFAULT_FLOAT if number and kind(x.dtype) == FLOAT else x.dtype
        groups[2 if number else 0 if x.shape is None or x.rank else 1].append(dtype)
    dtype = reduce(_over, (reduce(promote, group) for group in groups if group))
    if dtype == "bcomplex32" and not any(dtype in group for group in groups):
        return dtype if before_2_14 is False else "complex64" if before_2_14 else ""
    return dtype


def _over(high: str, low: str) -> str:
    """Return the common type of `high` and `low`; `low` has less priority and counts only if its kind is higher."""
    if kind(high) >= kind(low):
        return high
    return _WHOLES.get(high, low) if kind(low) == COMPLEX and kind(high) == FLOAT else promote(high, low)


# Operands


def operand(call: Call, name: str) -> Tensor:
    """Return an argument that is a tensor or a number; a number becomes a tensor of rank 0."""
    x = call.optional(name)
    value = call.number(name)
    if x is None and call.text(name) == "complex":
        return tensor("complex64", ())
    return call.tensor(name) if x is not None or value is None else number_tensor(value)


def number_tensor(value: float) -> Tensor:
    """Return a number as a tensor of rank 0 and, as in Python, of type bool, int64 or float64."""
    if isinstance(value, int):
        return tensor("bool" if isinstance(value, bool) else "int64", (), elements((), [as_dim(int(value))]))
    return tensor("float64", (), elements((), [literal(value, "float64")]))


def require_order(call: Call, low: str | float, high: str | float, law: laws.Law, *, apart: bool = False) -> None:
    """Require `low <= high` (`low < high` if `apart`) of arguments, given by name, and constants.

    Arguments that are tensors or None are accepted. If PyTorch may compare otherwise, the node is undecided.
    """
    if not all(end in call and call.is_number(end) for end in (low, high) if isinstance(end, str)):
        return
    a, b = _number(call, low, law), _number(call, high, law)
    if a is not None and b is not None:
        if not (isinstance(a, Dim) and isinstance(b, Dim)):
            a, b = (from_dim(x, "float64") if isinstance(x, Dim) else x for x in (a, b))
        reached = reaches(a, b) if apart else reaches(b, a)
        if reached is None:
            call.open_if_broken(FALSE, law)
        else:
            call.ctx.require(negate(reached) if apart else reached, law)


def _number(call: Call, end: str | float, law: laws.Law) -> Item:
    """Return a number or the argument of that name; None, and assume that the law holds, if it is data."""
    if isinstance(end, str) and f"@{end}" in call.ctx.attributes:
        call.ctx.assume_valid(call.place(end), law=law)
        value = call.tensor(end).value
        return value.items[0] if isinstance(value, Elements) else None
    number: float | None = call.number(end) if isinstance(end, str) else end
    if number is None:
        return None
    return as_dim(int(number)) if isinstance(number, int) else literal(number, "float64")


def require_not_negative(call: Call, *names: str) -> None:
    """Require that arguments which are numbers aren't negative."""
    for name in names:
        require_order(call, 0, name, laws.NAMED_ATTRIBUTE_NOT_NEGATIVE.of(name=name))


CHANCE_FROM_0_TO_1 = laws.SM309.law("a chance is from 0 to 1")


def require_chance(call: Call, name: str = "p", *, sure: bool = True) -> None:
    """Require that an argument, if it is a number, is from 0 to 1; without `sure`, neither of both."""
    require_order(call, 0, name, CHANCE_FROM_0_TO_1, apart=not sure)
    require_order(call, name, 1, CHANCE_FROM_0_TO_1, apart=not sure)


def promoted_type(call: Call, names: Sequence[str], operands: Sequence[Tensor]) -> str:
    """Return the promoted element type of the arguments `names`, which are `operands`."""
    given = ((x, call.is_number(name)) for name, x in zip(names, operands, strict=True))
    return result_type(given, call.before(214))


def cast(x: Tensor, dtype: str) -> Tensor:
    """Return a tensor, with its known elements, in another element type; "" keeps it."""
    if x.dtype == dtype or not dtype or x.shape is None:
        return x
    return tensor(dtype, x.dims, combine(partial(items.cast, dtype=dtype), (x,), x.dims, dtype))
