"""The atoms of polynomials: kinds of symbols (`Kind`), and operations such as floor division or `min` (`Operation`).

An `Operation` has the properties that all parts of the algebra need: bounds, value, text. The module of an operation
adds its normal form (`defines`); each analysis has a table of its own, with a row for each operation (`Rows`).

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> h = symbol("h", 1, 64)
    >>> FLOOR_DIVISION.build(2 * h + 4, symbol("k", 2, 2, fold=False))
    Dim('(2*h + 4)//k')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import reduce, singledispatch
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import intervals
from shapesmt.prover.algebra.intervals import Interval

Text: TypeAlias = tuple[str, bool]  # the text of an operation, and whether it needs no parentheses after a factor
AnyBuild = TypeVar("AnyBuild", bound=Callable[..., Any])
Row = TypeVar("Row")


class Kind(str, Enum):
    """The source of a symbol's value, such as the caller of the model, the data, or the iteration of a loop."""

    INPUT = "input"
    """The caller of the model."""
    VALUE = "value"
    """The caller: an element of a small input, of 32 or 64 bits, for which no value is declared."""
    DATA = "data"
    """The data: a requirement has to hold for every value."""
    PLACE = "place"
    """The data: an element of a tensor of indices, which has several."""
    ENTRY = "entry"
    """The data: the symbol stands for any of a tensor's unknown elements."""
    ITERATION = "iteration"
    """The iteration of a loop: a requirement has to hold for every one."""
    AXIS = "axis"
    """Nothing: the symbol ranges over the positions along an axis."""
    LOST = "lost"
    """Other sizes, by a computation that is not known."""
    OPEN = "open"
    """Unknown, even whether other sizes decide it."""
    MARK = "mark"
    """Nothing: it stands for an element of unknown origin while a rule is applied."""
    DEFINED = "defined"
    """The expression that defines it."""
    NONE = ""
    """Not a symbol, but an operation."""

    __hash__ = str.__hash__


class Window(NamedTuple):
    """The remainders that a symbol n may leave: `(n + shift) % modulus < width`."""

    modulus: int
    shift: int
    width: int

    def usual(self, unit: int) -> int:
        """Return the usual c with `(n + c) // unit == (n + shift) // unit`, for a divisor of the modulus.

        It rounds down or up to multiples of `unit` if possible: `(n + 31) // 32` if `(n + 3) % 32 < 4`.
        """
        more = self.shift % unit
        return self.shift + (unit - 1 - more if more and self.width <= more + 1 else 0)


class Values(Protocol):
    """The values of expressions and conditions, from which an operation is evaluated."""

    arrays: bool
    """Whether some values are arrays."""

    floats: dict[Any, Any]
    """The values of the floats computed so far."""

    def dim(self, dim: Any) -> Any:
        """Return the value of an expression."""

    def formula(self, formula: Any) -> Any:
        """Return the truth of a condition."""


def _call_text(name: str) -> Callable[..., Text]:
    """Return a function that writes an operation as a call, with arguments sorted by length and numbers last."""

    def text(_: Callable[[Any], str], *args: Any) -> Text:
        texts = sorted(map(str, args), key=lambda t: (t.lstrip("-").isdigit(), len(t), t))
        return f"{name}({', '.join(texts)})", True

    return text


class Operation:
    """One kind of atom.

    Attributes:
        name: The name, as in `min(a, b)`.
        build: Applies the operation to arguments, in normal form.
        bounds: Computes the interval of the result from the arguments.
        evaluate: Computes the value from the `Values` and the arguments.
        text: Writes the operation, from a function that writes operands of `//`, and the arguments.
        fits: Whether all steps inside arguments other than expressions and conditions fit 62 bits, at all values.
        fits_at: Whether they do at the values that the `Values` have; by default as at all values.
        opaque: Whether analyses know only its interval and its values.
    """

    __slots__ = ("bounds", "build", "evaluate", "fits", "fits_at", "name", "opaque", "text")

    build: Callable[..., Any]

    def __init__(
        self,
        name: str,
        *,
        bounds: Callable[..., Interval],
        evaluate: Callable[..., Any],
        text: Callable[..., Text] | None = None,
        fits: Callable[..., bool] = lambda *_: True,
        fits_at: Callable[..., bool] | None = None,
        opaque: bool = False,
    ) -> None:
        self.name = name
        self.bounds = bounds
        self.evaluate = evaluate
        self.text = text or _call_text(name)
        self.fits = fits
        self.fits_at = fits_at or (lambda _, *args: fits(*args))
        self.opaque = opaque
        for rows in ANALYSES:
            rows.admit(self)
        OPERATIONS.append(self)

    def defines(self, build: AnyBuild) -> AnyBuild:
        """Register the function that applies the operation: `@MIN.defines`."""
        self.build = build
        return build

    def __repr__(self) -> str:
        return f"Operation({self.name!r})"


OPERATIONS: list[Operation] = []


class Rows(dict[Operation, Row], Generic[Row]):
    """The table of an analysis: a row for each operation. An operation without a row is an error at import.

    Args:
        name: The name of the analysis.
        rows: The row of each operation.
        opaque: The row of the opaque operations that `rows` doesn't have.
    """

    def __init__(self, name: str, rows: Mapping[Operation, Row], opaque: Row) -> None:
        super().__init__(rows)
        self.name = name
        self.opaque = opaque
        for op in OPERATIONS:
            self.admit(op)
        ANALYSES.append(self)

    def admit(self, op: Operation) -> None:
        """Add the row of an opaque operation; raise TypeError if any other operation has none."""
        if op not in self and not op.opaque:
            raise TypeError(f"{self.name}: no row for {op}")
        self.setdefault(op, self.opaque)


ANALYSES: list[Rows[Any]] = []


def ends(dim: Any) -> Interval:
    """Return the bounds of an expression as an interval."""
    return dim.lo, dim.hi


def _extreme_bounds(pick: Callable[..., Any]) -> Callable[..., Interval]:
    return lambda *dims: (pick(d.lo for d in dims), pick(d.hi for d in dims))


def _quotient(at: Values, a: Any, b: Any) -> Any:
    top, bottom = at.dim(a), at.dim(b)
    if at.arrays and isinstance(bottom, np.ndarray):
        return np.where(bottom == 0, 0, top // np.where(bottom == 0, 1, bottom))
    return top // bottom if bottom else top * 0


def _extreme(pick: Callable[..., Any], of_arrays: str) -> Callable[..., Any]:
    def evaluate(at: Values, *dims: Any) -> Any:
        values = [at.dim(d) for d in dims]
        return reduce(getattr(np, of_arrays), values) if at.arrays else pick(values)

    return evaluate


def _choose(at: Values, condition: Any, a: Any, b: Any) -> Any:
    truth = at.formula(condition)
    if at.arrays and isinstance(truth, np.ndarray):
        return np.where(truth, at.dim(a), at.dim(b))
    return at.dim(a) if truth else at.dim(b)


def _unknown(_: Values, *args: Any) -> Any:
    raise KeyError(", ".join(map(str, args)))


def _quotient_text(a: str, b: str, *, zero: bool) -> tuple[str, bool]:
    """Write a quotient; if the divisor may be 0 (`zero`), as a choice, so that Python doesn't divide by 0."""
    return (f"({a}//{b} if {b} != 0 else 0)", True) if zero else (f"{a}//{b}", False)


SYMBOL = Operation("symbol", bounds=lambda: intervals.ALL, evaluate=_unknown)
"""A named variable; it has no arguments, and its atom has its name, range and kind."""
FLOOR_DIVISION = Operation(
    "floordiv",
    bounds=lambda a, b: intervals.floor_divide(ends(a), ends(b)),
    evaluate=_quotient,
    text=lambda operand, a, b: _quotient_text(operand(a), operand(b), zero=b.lo <= 0 <= b.hi),
)
"""The quotient rounded down; `x // 0` is 0."""
PRODUCT = Operation(
    "product",
    bounds=lambda a, b: intervals.power(ends(a), 2) if a is b else intervals.multiply(ends(a), ends(b)),
    evaluate=lambda at, a, b: at.dim(a) * at.dim(b),
    text=lambda _, a, b: (f"({a})*({b})", False),
)
"""A product with too many terms to be multiplied out."""
MIN = Operation("min", bounds=_extreme_bounds(min), evaluate=_extreme(min, "minimum"))
MAX = Operation("max", bounds=_extreme_bounds(max), evaluate=_extreme(max, "maximum"))
SELECT = Operation(
    "select",
    bounds=lambda _, a, b: intervals.union(ends(a), ends(b)),
    evaluate=_choose,
    text=lambda _, condition, a, b: (f"({a} if {condition} else {b})", True),
)
"""`select(c, a, b)` is a if the condition c holds, else b."""
ENTRY = Operation("entry", bounds=lambda index, *_: ends(index), evaluate=_unknown, opaque=True)
"""The element at some indices of a tensor whose elements are data-dependent."""


@singledispatch
def text_of(what: object) -> str:
    """Return the text of an expression or a condition; `text` has the functions for both."""
    raise TypeError(f"{type(what).__name__} has no text")
