"""Steps: the operations on floats. Each is a `Step`, and its result is rounded to the float type."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, isnan, log2
from struct import pack, unpack
from typing import Any, TypeVar

from shapesmt.base.lazy import np
from shapesmt.prover.algebra.dim import Dim
from shapesmt.prover.algebra.formula import Formula
from shapesmt.prover.algebra.interning import memo

Ends = tuple[float, float]
AnyBuild = TypeVar("AnyBuild", bound=Callable[..., Any])
NUMPY = {"float16": "e", "float32": "f", "float64": "d"}
"""The float types that numpy has, with their format characters in `struct`."""


class Step:
    """One operation on floats.

    Attributes:
        name: The name in texts, as in `min(log(n), 2)`.
        apply: Computes the values with numpy; as an argument, it may be the name of a numpy function.
        whole: Whether its results are integers.
        ends: Computes the interval of its results; None if `apply` on the arguments' bounds gives it.
        build: Applies it to arguments, exactly if possible; None if no fraction stays exact.
    """

    __slots__ = ("apply", "build", "ends", "name", "whole")

    build: Callable[..., Any] | None

    def __init__(
        self,
        name: str,
        apply: str | Callable[..., Any],
        *,
        whole: bool = False,
        ends: Callable[..., Ends] | None = None,
    ) -> None:
        self.name = name
        self.apply = _of_numpy(apply) if isinstance(apply, str) else apply
        self.whole = whole
        self.ends = ends
        self.build = None
        STEPS.append(self)

    def defines(self, build: AnyBuild) -> AnyBuild:
        """Register the function that applies the step: `@CHOOSE.defines`."""
        self.build = build
        return build

    def __repr__(self) -> str:
        return f"Step({self.name!r})"


STEPS: list[Step] = []


def _of_numpy(name: str) -> Callable[..., Any]:
    return lambda *numbers: getattr(np, name)(*numbers)


def _itself(x: Any) -> Any:
    return x


FRACTION = Step("fraction", "divide")
"""An exact fraction of integers."""
FROM_DIM = Step("from_dim", _itself)
"""An integer, rounded."""
LITERAL = Step("literal", _itself)
"""Infinity or NaN."""
CAST = Step("cast", _itself)
ADD = Step("add", "add")
SUB = Step("sub", "subtract")
MUL = Step("mul", "multiply")
DIV = Step("div", "divide")
FLOOR = Step("floor", "floor", whole=True)
CEIL = Step("ceil", "ceil", whole=True)
TRUNC = Step("trunc", "trunc", whole=True)
ROUND = Step("round", "rint", whole=True)
SQRT = Step("sqrt", "sqrt")
ROOT = Step("root", "sqrt")
"""A square root whose last bit differs between runtimes."""
LOG = Step("log", "log")
LEAST = Step("min", "minimum")
GREATEST = Step("max", "maximum")
SIGN = Step("sign", "sign", whole=True)
CHOOSE = Step("choose", "where", ends=lambda _, a, b: (min(a.lo, b.lo), max(a.hi, b.hi)))
"""`CHOOSE(c, a, b)` is a if the condition c holds, else b."""
ABS = Step("abs", "abs", ends=lambda x: (max(0.0, x.lo, -x.hi), max(-x.lo, x.hi)))
REMAINDER = Step("fmod", "fmod", ends=lambda a, b: _remainder_ends(a, b))
"""The remainder with the dividend's sign, which is never rounded."""
EQUAL = Step("equal", lambda a, b: np.asarray(a == b), whole=True, ends=lambda *_: (0.0, 1.0))
AT_LEAST = Step("at_least", lambda a, b: np.asarray(a >= b), whole=True, ends=lambda *_: (0.0, 1.0))


def ends_of(op: Step, args: tuple[Any, ...], dtype: str) -> Ends:
    """Return the bounds of the result, computed from the bounds of the arguments: rounding is monotone."""
    if op.ends is not None:
        return op.ends(*args)
    if dtype not in NUMPY:
        return (-inf, inf)
    if op is DIV and args[1].lo <= 0 <= args[1].hi:
        return (-inf, inf)
    kind = getattr(np, dtype)
    with np.errstate(all="ignore"):
        corners = [[kind(a.lo), kind(a.hi)] for a in args]
        if len(corners) == 1:
            ends = [float(op.apply(x)) for x in corners[0]]
        else:
            ends = [float(op.apply(x, y)) for x in corners[0] for y in corners[1]]
    if any(map(isnan, ends)):
        return (0.0, inf) if op in (MUL, DIV) and all(a.lo >= 0 and is_finite(a) for a in args) else (-inf, inf)
    return min(ends), max(ends)


def is_finite(number: Any) -> bool:
    """Whether a float is proven to be finite, even if the ranges of its sizes are unbounded: sizes are below 2**63."""
    return max(-number.lo, number.hi) < inf or exponent(number) < EXPONENTS.get(number.dtype, -inf)


EXPONENTS = {"float32": 127.5, "float64": 1023.5}


def exponent(number: Any) -> float:
    """Return a number x such that the absolute value of a float is at most 2**x; infinity if unknown."""
    if number not in _EXPONENTS:
        _EXPONENTS[number] = _exponent(number)
    return _EXPONENTS[number]


def _exponent(number: Any) -> float:
    op, parts = number.op, [a for a in number.args if hasattr(a, "dtype")]
    if max(-number.lo, number.hi) < inf:
        return log2(max(-number.lo, number.hi, 1))
    if op in (FRACTION, FROM_DIM):
        return _sum([63 * len(factors) + log2(abs(c)) for factors, c in number.args[0].terms])
    if op in (ADD, SUB):
        return _sum([*map(exponent, parts)])
    if op is MUL:
        return sum(map(exponent, parts))
    if op is DIV and parts[1].lo > 0:
        return exponent(parts[0]) - min(log2(parts[1].lo), 0)
    return (
        max(map(exponent, parts), default=inf)
        if op in (CAST, LEAST, GREATEST, CHOOSE, FLOOR, CEIL, TRUNC, ROUND)
        else inf
    )


def _sum(exponents: list[float]) -> float:
    most = max(exponents, default=0)
    return most + log2(sum(2 ** (x - most) for x in exponents)) if most < inf else inf


_EXPONENTS: dict[Any, float] = memo("exponents of floats", {})


def _remainder_ends(a: Any, b: Any) -> Ends:
    """Bound a remainder by dividend and divisor; no bounds if the divisor may be 0, or the dividend infinite."""
    most = min(max(-a.lo, a.hi), max(-b.lo, b.hi))
    if b.lo <= 0 <= b.hi or max(-a.lo, a.hi) == inf:
        return -inf, inf
    return (0.0 if a.lo >= 0 else -most), (0.0 if a.hi <= 0 else most)


def nearest(number: float, dtype: str) -> float:
    """Return the nearest number of a type, as numpy rounds it; bfloat16 has the upper half of a float32.

    >>> nearest(0.7, "float32"), nearest(1e5, "float16"), nearest(343, "bfloat16")
    (0.699999988079071, inf, 344.0)
    """
    if dtype == "bfloat16":
        single = nearest(number, "float32")
        (bits,) = unpack("I", pack("f", single))
        even = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return float(unpack("f", pack("I", even))[0]) if isfinite(single) else single
    try:
        (rounded,) = unpack(NUMPY[dtype], pack(NUMPY[dtype], float(number)))
    except OverflowError:
        return inf if number > 0 else -inf
    return float(rounded)


def leaves(number: Any) -> set[Dim | Formula]:
    """Return the expressions and conditions at the leaves of a tree of float operations."""
    sizes, seen, ahead = set[Dim | Formula](), set[Any](), [number]
    while ahead:
        part = ahead.pop()
        if part not in seen:
            seen.add(part)
            leaves = part.args[:1] if part.op is FRACTION else part.args
            sizes.update(a for a in leaves if isinstance(a, Formula) or (isinstance(a, Dim) and a.constant is None))
            ahead += [a for a in leaves if hasattr(a, "dtype")]
    return sizes
