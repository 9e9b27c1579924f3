"""Constant tensors, and the declared types of other tensors."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import Enum
from math import prod
from types import MappingProxyType
from typing import ClassVar, NamedTuple, TypeAlias, cast

from shapesmt.prover.algebra import LOCK, WeakTable

Scalar: TypeAlias = int | float | bool | str
Source: TypeAlias = "Callable[[], Iterable[Scalar] | None]"
"""A function that reads the elements of a large constant; it returns None if they can't be read."""

_NUMBERED = (
    *("", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16"),
    *("float64", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz"),
    *("float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2"),
    *("float6e2m3", "float6e3m2"),
)
DTYPES: Mapping[int, str] = MappingProxyType(dict(enumerate(_NUMBERED)))
"""Element types by ONNX's numbers, which attributes such as `Cast`'s `to` hold too; "" is unknown."""
BITS: Mapping[str, int] = {
    **dict.fromkeys(("bool", "int8", "uint8", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"), 8),
    **dict.fromkeys(("float8e8m0", "float6e2m3", "float6e3m2"), 8),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 16),
    **dict.fromkeys(("float32", "int32", "uint32"), 32),
    **dict.fromkeys(("float64", "int64", "uint64", "complex64"), 64),
    **dict.fromkeys(("int4", "uint4", "float4e2m1"), 4),
    **dict.fromkeys(("int2", "uint2"), 2),
    "complex128": 128,
}
"""The bits of an element; elements shorter than a byte are packed. Strings have no fixed length and aren't listed."""


class Absence(str, Enum):
    """The reason why constants in an external file can't be read."""

    FILE = "missing"  # the model's folder has no such file, or only by a path or link that leads out of it
    FOLDER = "unplaced"  # the model isn't a file, so it has no folder
    CONTENT = "short"  # the file doesn't have all of their elements


def identity(value: Hashable) -> Hashable:
    """Return a key that differs for 1, 1.0 and True, and for 0.0 and -0.0, which Python's `==` takes as equal."""
    if type(value) is tuple:
        return tuple, _elements(value)
    return type(value), repr(value) if isinstance(value, float) else value


def _elements(values: tuple[Hashable, ...]) -> Hashable:
    kinds = set(map(type, values))
    if kinds == {float}:
        return float, array("d", cast("tuple[float, ...]", values)).tobytes()
    return (kinds.pop(), values) if len(kinds) == 1 else tuple(map(identity, values))


class Literal:
    """A constant tensor, interned: the same dtype, shape and values are one object.

    `values` lists the elements in row-major order; None until they are read. `source` is a function that reads them
    later; a literal made with a source equals only itself. `missing` says why the elements can't be read; "" if there
    are too many, or their type isn't supported. Literals without elements are one object per dtype, shape and
    `missing`, though the elements in the file may differ. `file` names the external file that should have the
    elements; "" if the model has them itself, or if they are known.

    >>> Literal("int64", (2,), (3, 4)) is Literal("int64", (2,), (3, 4))
    True
    >>> Literal("float32", (), (0.0,)) is Literal("float32", (), (-0.0,))
    False
    >>> late = Literal("int64", (3,), source=lambda: (5, 6, 7))
    >>> late.values, late.read(), late.values
    (None, True, (5, 6, 7))
    """

    __slots__ = ("__weakref__", "dtype", "file", "missing", "shape", "source", "values")
    LIMIT: ClassVar[int] = 1024
    """Larger constants are read only if something depends on their elements."""
    ELSEWHERE: ClassVar[str] = "the file leaves it to the run"
    """The reason in `missing` for a constant that is supplied at run time; its elements count as data."""
    MOST: ClassVar[int] = 1 << 20
    """Constants of int32 and int64 with more elements are never read."""
    MOST_WEIGHTS: ClassVar[int] = 1 << 18
    """Constants of other types with more elements are never read."""
    _interned: ClassVar[WeakTable[Hashable, Literal]] = WeakTable("literals")

    dtype: str
    shape: tuple[int, ...]
    values: tuple[Scalar, ...] | None
    source: Source | None
    missing: str
    file: str

    def __new__(
        cls,
        dtype: str,
        shape: Iterable[int],
        values: Iterable[Scalar] | None = None,
        source: Source | None = None,
        missing: str = "",
        file: str = "",
    ) -> Literal:
        """Return the interned literal with this content; with a `source`, always a new one."""
        shape = tuple(shape)
        values = None if values is None else tuple(values)
        if source is not None:
            return cls._built(dtype, shape, None, source, missing, file)
        file = file if values is None else ""
        key = (dtype, shape, (missing, file) if values is None else _elements(values))
        literal = cls._interned.get(key)
        if literal is None:
            literal = cls._interned.make(key, cls._built, dtype, shape, values, None, missing, file)
        return literal

    @classmethod
    def _built(
        cls,
        dtype: str,
        shape: tuple[int, ...],
        values: tuple[Scalar, ...] | None,
        source: Source | None,
        missing: str,
        file: str,
    ) -> Literal:
        literal = super().__new__(cls)
        literal.dtype, literal.shape, literal.values = dtype, shape, values
        literal.source, literal.missing, literal.file = source, missing, file
        return literal

    @classmethod
    def too_many(cls, dtype: str, count: int) -> bool:
        """Whether a constant with `count` elements of type `dtype` is too large ever to be read.

        >>> Literal.too_many("int64", 1 << 20), Literal.too_many("float32", 1 << 20)
        (False, True)
        """
        return count > (cls.MOST if dtype in ("int32", "int64") else cls.MOST_WEIGHTS)

    def read(self) -> bool:
        """Read the elements if they can be read later, and return whether they are known."""
        with LOCK:
            if self.source is not None:
                elements, self.source = self.source(), None
                values = None if elements is None else tuple(elements)
                self.values = None if values is None or len(values) != prod(self.shape) else values
                self.missing = self.missing or "it can't be decoded"
        return self.values is not None

    @property
    def unread(self) -> str:
        """The reason why the elements aren't known."""
        size = prod(self.shape)
        return self.missing or (f"{size:,} elements" if size > self.LIMIT else f"type {self.dtype or 'unknown'}")

    def __reduce__(self) -> tuple[type[Literal], tuple[object, ...]]:
        return Literal, (self.dtype, self.shape, self.values, None, self.missing, self.file)

    def __repr__(self) -> str:
        return f"Literal({self.dtype!r}, {self.shape!r}, {self.values!r})"


class Declared(NamedTuple):
    """The type that a file declares for a tensor; a None dimension is anonymous, a None shape has unknown rank.

    For a sequence, optional or map, `shape` is the shape of the tensors inside, and `dtype` names the container:
    "seq(float32)", "map(string,float32)".

    """

    dtype: str
    shape: tuple[int | str | None, ...] | None
    kind: str = "tensor"  # or "sequence", "optional", "map", "sparse"
