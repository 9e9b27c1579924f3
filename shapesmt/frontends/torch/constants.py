"""Tensors that belong to a program: their elements are read if the archive has them as plain numbers."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import partial
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, NamedTuple

from shapesmt.base.errors import ModelError
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.frontends.torch.archive import Archive
from shapesmt.frontends.torch.fields import MisfitError, integer, record, text
from shapesmt.frontends.torch.sizes import dtype_of, shape_of
from shapesmt.network.graph import Literal

_FORMATS = {"bool": "?", "float16": "e", "float32": "f", "float64": "d"}
_FORMATS |= {"int8": "b", "int16": "h", "int32": "i", "int64": "q"}
_FORMATS |= {"uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}
_MOST_FLOATS = 16


def has_few(dtype: str, shape: tuple[int, ...]) -> bool:
    """Whether a constant is small enough to be read: at most 16 elements if they are floats."""
    count = prod(shape)
    return count <= _MOST_FLOATS if "float" in dtype else not Literal.too_many(dtype, count)


class _Stored(NamedTuple):
    """The archive entry with a constant's memory, the `struct` format of its elements, and the index of the first."""

    entry: str
    form: str
    place: int


@frozen(eq=False)
class Constants:
    """Reads the weights and constants of an exported program from its archive, by their path in the module.

    Attributes:
        archive: The archive.
        entry: The archive entry with the program's JSON, such as `models/model.json`.
    """

    archive: Archive
    entry: str

    def literal(self, name: str, dtype: str, shape: tuple[int, ...]) -> Literal:
        """Return a constant by its path in the module; its elements are read when something depends on them."""
        stored = self._storage(name, dtype, shape) if has_few(dtype, shape) and dtype in _FORMATS else None
        source = None if stored is None else partial(self._elements, stored)
        return Literal(dtype, shape, None, source, Literal.ELSEWHERE)

    def _storage(self, name: str, dtype: str, shape: tuple[int, ...]) -> _Stored | None:
        """Return where the elements of the constant at this path are; None unless stored raw and contiguous."""
        folder, described = self._configuration.get(name, ("", None))
        try:
            entry = folder + text(record(described).get("path_name"))
            if entry not in self.archive.names:
                return None
            return _Stored(entry, f"<{prod(shape)}{_FORMATS[dtype]}", _place(record(described), dtype, shape))
        except MisfitError:
            return None

    @cached_property
    def _configuration(self) -> dict[str, tuple[str, Any]]:
        """The folder and the description of each constant; empty for archives from before PyTorch 2.8."""
        if "models/" not in self.entry:
            return {}
        root, _, name = self.entry.removesuffix(".json").rpartition("models/")
        found = {}
        for kind in ("weights", "constants"):
            folder = f"{root}data/{kind}/"
            try:
                document = self.archive.document(f"{folder}{name}_{kind}_config.json")
            except ModelError:
                continue
            config = document.get("config")
            for path, meta in config.items() if isinstance(config, dict) else ():
                found[path] = (folder, meta)
        return found

    def _elements(self, stored: _Stored) -> tuple[int | float, ...] | None:
        """Return the elements; None if the archive's content is too short for them."""
        length = struct.calcsize(stored.form)
        start = stored.place * (length // max(int(stored.form[1:-1]), 1))
        try:
            content = self.archive.content(stored.entry, start + length)
        except ModelError:
            return None
        if content is None or len(content) < start + length or self._order != b"little":
            return None
        return struct.unpack(stored.form, content[start : start + length])

    @cached_property
    def _order(self) -> bytes:
        return (self.archive.content(f"{self.entry.rpartition('models/')[0]}byteorder", 16) or b"little").strip()


def _place(described: Mapping[str, Any], dtype: str, shape: tuple[int, ...]) -> int:
    """Return the index of the first element in the memory of a contiguous tensor of this type and shape."""
    meta = record(described.get("tensor_meta"))
    strides = tuple(integer(record(stride).get("as_int")) for stride in meta.get("strides", ()))
    rows = tuple(accumulate(reversed(shape[1:]), mul, initial=1))[::-1] if shape else ()
    known = described.get("use_pickle") is False and dtype_of(meta) == dtype and shape_of(meta) == shape
    if not known or any(a != b for a, b, size in zip(strides, rows, shape, strict=True) if size > 1):
        raise MisfitError("it isn't a contiguous tensor")
    offset = integer(record(meta.get("storage_offset")).get("as_int"))
    if offset < 0:
        raise MisfitError("it begins before its memory")
    return offset
