"""Tensor: element type, shape and elements of one edge of the graph; interned, so that equal ones are identical."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from shapesmt.base.errors import UsageError
from shapesmt.base.lazy import np
from shapesmt.network.declarations import quote
from shapesmt.network.graph import Literal
from shapesmt.operators.rules.value import Elements, Field, Value, elements, field, kept
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    ZERO,
    Atom,
    Dim,
    Formula,
    Kind,
    Substitution,
    Table,
    all_of,
    as_dim,
    entries,
    equal,
    evaluate,
    memo,
    negate,
    partly_known,
    product,
    symbol,
)
from shapesmt.prover.algebra.numeric import Float, literal as real_literal

Shape: TypeAlias = tuple[Dim, ...]

MAX_RANK = 64  # NumPy's arrays have no more axes
MAX_NUMBERS = 16  # values of one integer that become cases of a rule
MAX_FLOATS = 16  # elements; longer float constants are read only where a node depends on them
FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})

_LITERALS: dict[Literal, Tensor] = memo("tensors of literals", {})
_WEIGHTS: dict[tuple[str, tuple[int, ...]], Tensor] = memo("tensors of literals that aren't read", {})


Nested: TypeAlias = "float | Sequence[Nested]"
"""A number, a list of numbers, a matrix, ..."""


class UnknownRankError(Exception):
    """A rule reads the sizes of a tensor of unknown rank or, with `rank`, requires this rank of it."""

    def __init__(self, tensor: Tensor, rank: int | None = None) -> None:
        self.tensor, self.rank = tensor, rank


class UndecidedError(Exception):
    """A rule asks for a condition that holds for some sizes only."""

    def __init__(self, condition: Formula) -> None:
        self.condition = condition


def holds(condition: Formula, case: Formula | None) -> bool | None:
    """Whether a condition holds in a case; None if it is about unknown sizes, or if `case` is None.

    Raises:
        UndecidedError: Sizes decide it, and the case doesn't determine it.
    """
    if condition is TRUE or condition is FALSE:
        return condition is TRUE
    if case is None or any(s.kind in (Kind.OPEN, Kind.LOST) for s in condition.symbols):
        return None
    for answer, formula in ((True, condition), (False, negate(condition))):
        if all_of(case, formula) is case:  # it may say so in another form: `n >= 4` for `n >= 3` and `n != 3`
            return answer
    raise UndecidedError(condition)


def number(d: Dim, case: Formula | None) -> int | None:
    """Return the value of `d` in a case, for integers that decide ranks or axes; None if it isn't known.

    If `d` has up to `MAX_NUMBERS` values and the case allows several of them, `UndecidedError` asks to split the case.
    """
    if d.constant is not None or not d.hi - d.lo < MAX_NUMBERS:
        return d.constant
    for value in range(int(d.lo), int(d.hi)):
        answer = holds(equal(d, value), case)
        if answer is not False:
            return value if answer else None
    return int(d.hi)


class Layout(NamedTuple):
    """The memory layout of a tensor whose elements aren't row-major.

    Attributes:
        strides: The distance of neighbours along each axis, in elements; None if unknown.
        order: The axes from the outermost inwards; None if unknown.
        storage: The number of elements of the memory, from the tensor's first one on; None if unknown.
    """

    strides: Shape | None = None
    order: tuple[int, ...] | None = None
    storage: Dim | None = None

    def without(self, axis: int) -> Layout:
        """Return the layout after one index of `axis` is selected, which drops that axis."""
        strides = None if self.strides is None else (*self.strides[:axis], *self.strides[axis + 1 :])
        order = None if self.order is None else tuple(a - (a > axis) for a in self.order if a != axis)
        return Layout(strides, order)


class Case(NamedTuple):
    """The tensor that a node returns if a condition holds, such as one of rank 1 if `n == 1`."""

    condition: Formula
    tensor: Tensor


class Tensor:
    """Element type ("" = unknown), shape (None = unknown rank) and, if known, the elements.

    If the rank is unknown, `ndim` may be an expression for it, such as an input's rank plus 1. If a condition decides
    the rank, or how many elements are listed, `cases` has the tensor in each case; exactly one case holds. `layout` is
    for frameworks that expose it: None if elements are row-major, as everywhere else.

    >>> from shapesmt.prover.algebra import symbol
    >>> x = tensor("float32", (symbol("n", 1), 3))
    >>> x, x.rank, x[-1], x is tensor("float32", [symbol("n", 1), 3])
    (Tensor(float32[n, 3]), 2, Dim('3'), True)
    """

    __slots__ = ("__weakref__", "_ndim", "cases", "dtype", "layout", "shape", "value")

    dtype: str
    shape: Shape | None
    value: Value | None
    cases: tuple[Case, ...]
    layout: Layout | None
    _ndim: Dim | None

    @property
    def rank(self) -> int:
        """The number of axes; raises `UnknownRankError` if the shape isn't known."""
        return len(self.dims)

    @property
    def ndim(self) -> Dim | None:
        """The rank as an expression; None if nothing is known of it."""
        return self._ndim if self.shape is None else as_dim(len(self.shape))

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor, and no sequence or optional value."""
        return "(" not in self.dtype

    @property
    def followed(self) -> bool:
        """Whether each element is known, as a formula over the sizes."""
        if self.cases:
            return all(case.tensor.followed for case in self.cases)
        if self.value is None:
            return self.shape is not None and ZERO in self.shape
        return None not in self.value.items if isinstance(self.value, Elements) else not entries(self.value.element)

    @property
    def chosen(self) -> bool:
        """Whether an element depends on data, or on an element of a small input that the caller doesn't restrict."""
        return self.value is not None and True in by_data(self.value)

    @property
    def dims(self) -> Shape:
        """The shape.

        Raises:
            UnknownRankError: It isn't known; the rule is then run for each rank that it may have.
        """
        if self.shape is None:
            raise UnknownRankError(self)
        return self.shape

    @property
    def numel(self) -> Dim:
        """The number of elements."""
        return product(self.dims)

    def __getitem__(self, axis: int) -> Dim:
        return self.dims[axis]

    def replace(self, axis: int, dim: Dim | int) -> Tensor:
        """Return the tensor with the size along `axis` replaced by `dim`, and its elements unknown."""
        dims = list(self.dims)
        dims[axis] = as_dim(dim)
        return tensor(self.dtype, dims)

    def __repr__(self) -> str:
        dims = "?" if self.shape is None else ", ".join(map(str, self.shape))
        return f"Tensor({self.dtype}[{dims}]{'' if self.value is None else f' = {self.value}'})"


def tensor(
    dtype: str,
    shape: Sequence[Dim | int] | None,
    value: Value | None = None,
    ndim: Dim | None = None,
    cases: tuple[Case, ...] = (),
    layout: Layout | None = None,
) -> Tensor:
    """Return the interned tensor with these properties (see `Tensor`); `ndim` is its rank if `shape` is None."""
    dims = None if shape is None else tuple([d if isinstance(d, Dim) else as_dim(d) for d in shape])
    if isinstance(value, Field) and dims is not None:
        value = kept(value, dtype, dims)
    key = (dtype, dims, value, ndim, cases, layout)
    return _TENSORS.get(key) or _TENSORS.make(key, _tensor, key)


TensorKey: TypeAlias = tuple[str, Shape | None, Value | None, Dim | None, tuple[Case, ...], Layout | None]


def _key(t: Tensor) -> TensorKey:
    return t.dtype, t.shape, t.value, t._ndim, t.cases, t.layout  # noqa: SLF001 - as below


_TENSORS: Table[TensorKey, Tensor] = Table("tensors", _key)


def _tensor(key: TensorKey) -> Tensor:
    t = Tensor.__new__(Tensor)
    t.dtype, t.shape, t.value, t._ndim, t.cases, t.layout = key  # noqa: SLF001 - its own class
    return t


def in_each_case(t: Tensor, change: Callable[[int, Tensor], Tensor]) -> tuple[Case, ...]:
    """Return the cases of a tensor, with `change(i, tensor)` as the tensor of case `i`."""
    return tuple(case._replace(tensor=change(i, case.tensor)) for i, case in enumerate(t.cases))


def held(t: Tensor, values: Mapping[Atom, int]) -> Tensor:
    """Return `t` in the case that holds at these values; `t` itself if they don't determine the case."""
    known = (case for case in t.cases if case.condition.symbols <= values.keys())
    return next((case.tensor for case in known if evaluate(case.condition, values)), t)


def is_data(term: Dim | Float) -> bool:
    """Whether a term depends on unknown data; the elements of small inputs are known, as symbols."""
    return any(s.by_data or s.kind is Kind.ENTRY for s in term.symbols)


def by_data(value: Value) -> frozenset[bool]:
    """Return whether the known elements depend on data: {True, False} if some do and others don't."""
    kinds = _BY_DATA.get(value)
    if kinds is None:
        items = {*value.items} if isinstance(value, Elements) else {value.element}
        partly = not isinstance(value, Elements) and partly_known(value.element)
        kinds = frozenset([is_data(i) for i in items if i is not None] + [False] * partly)
        _BY_DATA[value] = kinds
    return kinds


_BY_DATA: dict[Value, frozenset[bool]] = memo("what data decide", {})


def is_free_element(dim: Dim) -> bool:
    """Whether a number is itself an element of a small input that the caller doesn't restrict, not computed from it."""
    s = dim.as_symbol()
    return s is not None and s.kind is Kind.VALUE


def rewrite_tensor(t: Tensor, change: Substitution) -> Tensor:
    """Return the tensor with its sizes and elements rewritten by `change`."""
    cases = tuple(Case(change.apply(case.condition), rewrite_tensor(case.tensor, change)) for case in t.cases)
    value = t.value
    if isinstance(value, Elements):
        value = elements(value.shape, [None if i is None else change.apply(i) for i in value.items])
    elif value is not None:
        value = field(change.apply(value.element))
    if t.shape is None:
        return tensor(t.dtype, None, value, None if t.ndim is None else change.apply(t.ndim), cases)
    layout = t.layout
    if layout is not None:
        strides = None if layout.strides is None else tuple(map(change.apply, layout.strides))
        storage = None if layout.storage is None else change.apply(layout.storage)
        layout = Layout(strides, layout.order, storage)
    return tensor(t.dtype, [change.apply(d) for d in t.shape], value, cases=cases, layout=layout)


def rank_symbol(name: str, kind: Kind = Kind.INPUT) -> Dim:
    """Return the symbol for a tensor's unknown rank; `Kind.OPEN` is for a tensor inside the model."""
    return symbol(f"{name}_rank", 0, MAX_RANK, kind=kind, fold=False)


def from_literal(literal: Literal) -> Tensor:
    """Return the tensor of a constant; if it is read, integers and up to `MAX_FLOATS` floats are listed."""
    if literal.source is not None:
        about = literal.dtype, literal.shape
        return _WEIGHTS.get(about) or _WEIGHTS.setdefault(about, tensor(*about))
    t = _LITERALS.get(literal)
    if t is None:
        t = _LITERALS[literal] = tensor(literal.dtype, literal.shape, _list_elements(literal, MAX_FLOATS))
    return t


def read(literal: Literal) -> bool:
    """Read all elements of a constant, which `from_literal` then lists; return False if that is impossible or done."""
    if not is_unread(literal) or not literal.read():
        return False
    _LITERALS[literal] = tensor(literal.dtype, literal.shape, _list_elements(literal, Literal.MOST))
    return True


def is_unread(literal: Literal) -> bool:
    """Whether the elements of a constant can be read and `from_literal` doesn't list them yet."""
    if literal.source is not None:
        return True
    return literal.values is not None and _listable(literal) and not from_literal(literal).followed


def _listable(literal: Literal) -> bool:
    return not literal.dtype.startswith(("complex", "string"))


def _list_elements(literal: Literal, most: int) -> Value | None:
    if literal.values is None or not _listable(literal):
        return None
    if "float" in literal.dtype:
        if len(literal.values) > most:
            return None
        return elements(literal.shape, [real_literal(float(v), literal.dtype) for v in literal.values])
    dims = {v: as_dim(int(v)) for v in {*literal.values}}  # few values, as in a table of distances
    return elements(literal.shape, [*map(dims.__getitem__, literal.values)])


def constant(value: Nested, like: Tensor) -> Tensor:
    """Return a constant tensor of a number or nested lists of numbers, with the element type of `like`.

    If that type is unknown, it is bool, float32 or int64, after the numbers.
    """
    array = np.asarray(value, None if np.size(value) else int)
    kind = {"b": "bool", "f": "float32"}.get(array.dtype.kind, "int64")
    if array.dtype.kind not in "bif":
        raise UsageError(f"{quote(value)} isn't a tensor of numbers")
    dtype = like.dtype or kind
    flat = array.ravel().tolist()
    items = [real_literal(float(v), dtype) for v in flat] if dtype in FLOATS else [as_dim(int(v)) for v in flat]
    return tensor(dtype, array.shape, elements(array.shape, items))
