"""Float: floating-point scalars in shape arithmetic, exactly as runtimes compute them.

A `Float` is either an exact fraction `numerator / denominator` that the float type represents without
rounding, or a tree of float operations that is rounded step by step when sizes are known.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> n = symbol("n", 1, 100)
    >>> half = from_dim(n, "float32") * literal(0.5, "float32")
    >>> half.floor().to_int()
    Dim('n//2')
    >>> from shapesmt.prover.algebra.evaluation import evaluate
    >>> seven = (from_dim(n, "float32") * literal(0.7, "float32")).floor().to_int()
    >>> evaluate(seven, {n.as_symbol(): 10})  # in float32, 10 * 0.7f is 7 and not 6.99...
    7
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import gcd, inf, isfinite
from typing import Any

from shapesmt.base.lazy import np
from shapesmt.prover.algebra.dim import Atom, Dim, as_dim, const, make_atom, symbol
from shapesmt.prover.algebra.evaluation import SAFE, Evaluator
from shapesmt.prover.algebra.formula import truncated_divide_positive
from shapesmt.prover.algebra.interning import Table
from shapesmt.prover.algebra.intervals import Bound
from shapesmt.prover.algebra.numeric.quotients import drop_rounding, half_even, nearest_fraction
from shapesmt.prover.algebra.numeric.steps import (
    ADD,
    CAST,
    CEIL,
    DIV,
    FLOOR,
    FRACTION,
    FROM_DIM,
    LITERAL,
    MUL,
    NUMPY,
    ROOT,
    ROUND,
    SUB,
    TRUNC,
    Step,
    ends_of,
    is_finite,
    leaves,
    nearest,
)
from shapesmt.prover.algebra.operations import Operation, Values

MANTISSA = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
LARGEST = {"float16": 65504, "bfloat16": 1 << 100, "float32": 1 << 100, "float64": 1 << 100}
SMALLEST = {"float16": 1 << 24, "bfloat16": 1 << 100, "float32": 1 << 100, "float64": 1 << 100}
"""Numbers below `LARGEST` don't overflow, and multiples of a number above `1 / SMALLEST` don't underflow."""
MOST_TRIED = 1 << 14  # maximum value of a size for which `_as_quotient` evaluates a tree at all values
MOST_DENOMINATOR = 48
BEYOND = 1 << 63  # the smallest positive number that is no int64
SMALL = 1 << 8  # maximum factor with which an unbounded size counts as exact: no axis reaches 2**16 times it


class Float:
    """A float: the exact fraction if `numerator` isn't None, else the operation `op` on `args`."""

    __slots__ = ("__weakref__", "args", "denominator", "depth", "dtype", "hi", "lo", "numerator", "op", "symbols")

    op: Step
    args: tuple[Any, ...]
    dtype: str
    numerator: Dim | None
    denominator: int
    lo: float
    hi: float
    symbols: frozenset[Atom]
    depth: int

    def __add__(self, other: Float) -> Float:
        return _binary(ADD, self, other)

    def __sub__(self, other: Float) -> Float:
        return _binary(SUB, self, other)

    def __mul__(self, other: Float) -> Float:
        return _binary(MUL, self, other)

    def __truediv__(self, other: Float) -> Float:
        return _binary(DIV, self, other)

    def __neg__(self) -> Float:
        return literal(0.0, self.dtype) - self

    def floor(self) -> Float:
        """Return the float rounded down."""
        return self._to_integer(FLOOR, lambda n, d: n // d)

    def ceil(self) -> Float:
        """Return the float rounded up."""
        return self._to_integer(CEIL, lambda n, d: -((-n) // d))

    def trunc(self) -> Float:
        """Return the float rounded towards zero."""
        return self._to_integer(TRUNC, lambda n, d: truncated_divide_positive(n, const(d)))

    def round(self) -> Float:
        """Return the float rounded to the nearest integer, ties to even."""
        return self._to_integer(ROUND, half_even)

    def _to_integer(self, op: Step, exact: Callable[[Dim, int], Dim]) -> Float:
        if self.op.whole:
            return self
        fraction = (self.numerator, self.denominator) if self.numerator is not None else None
        if fraction is None and op is not ROUND and self.dtype in NUMPY:
            fraction = drop_rounding(self, MANTISSA[self.dtype]) or _nearest_quotient(self)
        return step(op, (self,), self.dtype) if fraction is None else exact_fraction(exact(*fraction), 1, self.dtype)

    @property
    def whole(self) -> bool:
        """Whether it is an integer."""
        return self.op.whole or self.op is FROM_DIM or (self.numerator is not None and self.denominator == 1)

    @property
    def blurred(self) -> bool:
        """Whether an argument is a square root, whose last bit differs between runtimes, and no rounding hides that."""
        return not self.op.whole and any(a.op is ROOT for a in self.args if isinstance(a, Float))

    def unary(self, op: Step) -> Float:
        """Apply a monotone function (`SQRT`, `LOG`, ...) to the float."""
        return step(op, (self,), self.dtype)

    def cast(self, dtype: str) -> Float | None:
        """Return the float cast to another float type; None if it isn't exact and numpy lacks the type."""
        if self.numerator is not None and _representable(self.numerator, self.denominator, dtype):
            return exact_fraction(self.numerator, self.denominator, dtype)
        return step(CAST, (self,), dtype) if dtype in NUMPY else None

    def to_int(self) -> Dim:
        """Return the float cast to an integer, rounded towards zero."""
        whole = self.trunc()
        if whole.lo >= BEYOND or whole.hi < -BEYOND:
            return const(-BEYOND)  # as `_truncate` has it
        if whole.numerator is not None:
            return whole.numerator
        quotient = _as_quotient(whole)
        return make_atom(TO_INT, (whole,)) if quotient is None else quotient

    def __str__(self) -> str:
        if self.numerator is not None:
            return f"({self.numerator})/{self.denominator}" if self.denominator > 1 else str(self.numerator)
        return f"{self.op.name}({', '.join(map(str, self.args))})"

    def rebuild(self, args: Sequence[Any]) -> Float:
        """Return the same operation on other arguments."""
        if self.op is FRACTION:
            return _quotient(args[0], self.denominator, self.dtype)
        if self.op is FROM_DIM:
            return from_dim(args[0], self.dtype)
        result: Float | None = None if self.op.build is None else self.op.build(*args)
        return step(self.op, tuple(args), self.dtype) if result is None else result

    def value(self, evaluator: Values) -> Any:
        """Return the float (or an array of floats) at concrete sizes."""
        known = evaluator.floats
        if self not in known:
            known[self] = self._compute(evaluator)
        return known[self]

    def _compute(self, evaluator: Values) -> Any:
        kind = getattr(np, self.dtype if self.dtype in NUMPY else "float32")  # float32 holds what numpy lacks
        if self.op is FRACTION:
            assert self.numerator is not None
            numerator = np.asarray(evaluator.dim(self.numerator), np.float64)
            return (numerator / float(self.denominator)).astype(kind)  # both fit into float64
        if self.op is FROM_DIM:
            return np.asarray(evaluator.dim(self.args[0])).astype(kind)[()]
        if self.op is LITERAL:
            return kind(self.args[0])
        with np.errstate(all="ignore"):
            return self.op.apply(
                *(a.value(evaluator) if isinstance(a, Float) else evaluator.formula(a) for a in self.args)
            ).astype(kind)


def literal(number: float, dtype: str) -> Float:
    """Return a constant of a float type."""
    number = nearest(number, dtype) if dtype in MANTISSA else number
    if not isfinite(number):
        return step(LITERAL, (number,), dtype, (number, number) if number == number else (-inf, inf))
    numerator, denominator = number.as_integer_ratio()
    return exact_fraction(const(numerator), denominator, dtype)


def from_dim(dim: Dim | int, dtype: str) -> Float:
    """Return an integer cast to a float type."""
    dim = as_dim(dim)
    if _representable(dim, 1, dtype):
        return exact_fraction(dim, 1, dtype)
    rounded = nearest_fraction(dim, 1, MANTISSA[dtype]) if dtype in NUMPY else None
    if rounded is not None and dim.hi < LARGEST[dtype]:
        return exact_fraction(*rounded, dtype)
    lo, hi = (nearest(float(end), dtype) if dtype in NUMPY else float(end) for end in (dim.lo, dim.hi))
    return step(FROM_DIM, (dim,), dtype, (lo, hi))


_FLOATS: Table[tuple[Any, ...], Float] = Table("floats", lambda number: (number.op, number.args, number.dtype))


def _float(op: Step, args: tuple[Any, ...], dtype: str, bounds: tuple[float, float]) -> Float:
    number = Float.__new__(Float)
    number.op, number.args, number.dtype = op, args, dtype
    number.numerator, number.denominator = args if op is FRACTION else (None, 1)
    number.lo, number.hi = bounds
    number.symbols = frozenset().union(*(a.symbols for a in args if hasattr(a, "symbols")))
    number.depth = 1 + max((a.depth for a in args if hasattr(a, "depth")), default=0)
    return number


def exact_fraction(numerator: Dim, denominator: int, dtype: str) -> Float:
    """Return a fraction that the float type represents exactly, with factors of 2 cancelled."""
    while denominator % 2 == 0 and all(c % 2 == 0 for _, c in numerator.terms):
        numerator, denominator = numerator // 2, denominator // 2
    bounds = _ratio(numerator.lo, denominator), _ratio(numerator.hi, denominator)
    return step(FRACTION, (numerator, denominator), dtype, bounds)


def _ratio(number: Bound, denominator: int) -> float:
    """Return the quotient; it may fit a float even if both integers are too large for one."""
    return number / denominator if isinstance(number, int) else number


def _quotient(numerator: Dim, denominator: int, dtype: str) -> Float:
    if _representable(numerator, denominator, dtype):
        return exact_fraction(numerator, denominator, dtype)
    whole = from_dim(numerator, dtype)
    return whole if denominator == 1 else whole / literal(denominator, dtype)


def step(op: Step, args: tuple[Any, ...], dtype: str, bounds: tuple[float, float] | None = None) -> Float:
    """Return `op` applied to `args` as an interned tree, not evaluated; its bounds are computed unless given."""
    key = (op, args, dtype)
    number = _FLOATS.get(key)
    if number is None:
        number = _FLOATS.make(key, _float, op, args, dtype, bounds or ends_of(op, args, dtype))
    return number


def _binary(op: Step, a: Float, b: Float) -> Float:
    p, q = a.numerator, b.numerator
    known = _identity(op, a, b)
    if known is not None:
        return known
    if p is not None and q is not None:
        d, e = a.denominator, b.denominator
        top: Dim | None = None
        bottom = d * e
        if op in (ADD, SUB):
            top = p * e + q * d if op is ADD else p * e - q * d
        elif op is MUL:
            top = p * q
        elif q.constant:
            sign = 1 if q.constant > 0 else -1
            top, bottom = p * (e * sign), d * abs(q.constant)
            common = gcd(bottom, *(c for _, c in top.terms))
            top, bottom = top // common, bottom // common
        if top is not None and _representable(top, bottom, a.dtype):
            return exact_fraction(top, bottom, a.dtype)
    if p is not None and q is not None and p.constant is not None and q.constant is not None and a.dtype in NUMPY:
        kind = getattr(np, a.dtype)
        with np.errstate(all="ignore"):
            x, y = kind(p.constant / a.denominator), kind(q.constant / b.denominator)
            return literal(float(op.apply(x, y)), a.dtype)
    if op in (ADD, MUL) and not a.symbols:
        a, b = b, a  # the same tree for 0.6 * n and n * 0.6
    return step(op, (a, b), a.dtype)


def _identity(op: Step, a: Float, b: Float) -> Float | None:
    """Return the result that 0, 1 or equal operands give without rounding; None for other operands."""
    if op is DIV and a is b and (a.lo > 0 or a.hi < 0) and is_finite(a):
        return literal(1.0, a.dtype)
    for x, y in ((a, b), (b, a)):
        if is_number(y, 0 if op in (ADD, SUB) else 1) and (y is b or op in (ADD, MUL)):
            return x
        opposite = op is ADD and y.op is SUB and is_number(y.args[0], 0) and y.args[1] is x
        if (opposite or (op is MUL and is_number(y, 0))) and is_finite(x):
            return literal(0.0, a.dtype)
    return None


def is_number(x: Float, value: int) -> bool:
    """Whether a float is exactly this number."""
    return x.numerator is not None and x.numerator.constant == value * x.denominator


def _nearest_quotient(number: Float) -> tuple[Dim, int] | None:
    """Return `x / c` for a constant c > 0, rounded to the float type, as (numerator, denominator); None if unknown."""
    a, b = number.args if number.op is DIV else (None, None)
    if a is None or a.numerator is None or b.numerator is None or not b.numerator.constant or b.numerator.constant < 0:
        return None
    top, bottom = a.numerator * b.denominator, a.denominator * b.numerator.constant
    common = gcd(bottom, *(c for _, c in top.terms))
    return nearest_fraction(top // common, bottom // common, MANTISSA[number.dtype])


def _as_quotient(whole: Float) -> Dim | None:
    """Return an integer quotient that equals the tree for every value of its only size; None if none is found.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> (from_dim(symbol("h", 1, 512), "float32") * literal(0.7, "float32")).floor().to_int()
    Dim('(7*h)//10')
    """
    sizes = leaves(whole)
    if len(sizes) != 1 or whole.dtype not in NUMPY:
        return None
    (size,) = sizes
    if not isinstance(size, Dim) or not 0 <= size.lo <= size.hi <= MOST_TRIED:
        return None
    values = np.arange(int(size.lo), int(size.hi) + 1, dtype=np.int64)
    results = _values_if_finite(whole, size, values)
    if results is None:
        return None
    if len(values) == 1:
        return const(int(results[0]))
    slope = float(results[-1] - results[0]) / float(values[-1] - values[0])
    if max(float(np.abs(results).max()), abs(slope) * float(values[-1])) * MOST_DENOMINATOR >= SAFE:
        return None  # would exceed 64 bits
    for q in range(1, MOST_DENOMINATOR + 1):
        for p in {int(slope * q), round(slope * q), int(slope * q) + 1}:
            shift = int((results * q - p * values).max())
            if np.array_equal((p * values + shift) // q, results):
                return (size * p + shift) // q
    return None


def _values_if_finite(whole: Float, size: Dim, values: Any) -> Any:
    """Return the rounded tree at each value of its size; None if one is NaN, infinite or too large."""
    twin = symbol("size", int(values[0]), int(values[-1]), fold=False)
    (atom,) = twin.atoms()

    @cache
    def over(number: Float) -> Float:
        """Return the tree with its size replaced by `twin`."""
        if number.op is FRACTION:
            top = twin if number.numerator is size else number.numerator
            assert top is not None
            is_whole = number.denominator == 1
            return from_dim(top, number.dtype) if is_whole else exact_fraction(top, number.denominator, number.dtype)
        if number.op is FROM_DIM:
            return from_dim(twin, number.dtype)
        args = [twin if a is size else over(a) if isinstance(a, Float) else a for a in number.args]
        return step(number.op, tuple(args), number.dtype)

    rounded = np.asarray(over(whole).value(Evaluator({atom: values}))).astype(np.float64)
    return rounded.astype(np.int64) if np.isfinite(rounded).all() and (np.abs(rounded) < 1 << 62).all() else None


def _representable(numerator: Dim, denominator: int, dtype: str) -> bool:
    """Whether the float type represents every value of the fraction exactly."""
    if denominator & (denominator - 1) or denominator >= SMALLEST.get(dtype, 0):
        return False
    if numerator.constant is not None:
        odd = abs(numerator.constant)
        while odd and odd % 2 == 0:
            odd //= 2
        return odd < 1 << MANTISSA[dtype] and abs(numerator.constant) < LARGEST[dtype] * denominator
    if inf in (numerator.hi, -numerator.lo):
        linear = all(
            len(m) <= 1 and abs(c) <= SMALL and all(-a.lo <= SMALL for a in m) for m, c in numerator.products()
        )
        return linear and MANTISSA[dtype] >= MANTISSA["float32"]
    return max(abs(numerator.lo), abs(numerator.hi)) <= 1 << MANTISSA[dtype]


def _integer_bounds(number: Float) -> tuple[int | float, int | float]:
    lo = int(number.lo) if isfinite(number.lo) else -inf
    hi = int(number.hi) if isfinite(number.hi) else inf
    within = lo >= -BEYOND and (hi < BEYOND or hi == inf)  # an unbounded number is assumed to fit
    return (lo, hi) if within or lo == -inf else (-BEYOND, BEYOND - 1)


def _truncate(at: Values, number: Float) -> Any:
    """Cast to integers; values out of range and NaN become the smallest integer, as on most processors."""
    with np.errstate(invalid="ignore"):
        whole = np.asarray(number.value(at)).astype(np.int64)
    return whole if whole.ndim else int(whole)


TO_INT = Operation("to_int", bounds=_integer_bounds, evaluate=_truncate, opaque=True)
"""A float as an integer, rounded towards zero."""
TO_INT.defines(Float.to_int)
ADD.defines(Float.__add__)
SUB.defines(Float.__sub__)
MUL.defines(Float.__mul__)
DIV.defines(Float.__truediv__)
FLOOR.defines(Float.floor)
CEIL.defines(Float.ceil)
TRUNC.defines(Float.trunc)
ROUND.defines(Float.round)
