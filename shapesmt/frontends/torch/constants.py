"""Tensors that belong to a program: their elements are read from the archive where it has them as plain numbers."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any

from shapesmt.errors import ModelError
from shapesmt.frontends.torch.fields import MisfitError, integer, record, text
from shapesmt.frontends.torch.sizes import dtype_of, shape_of
from shapesmt.graph import Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapesmt.frontends.torch.archive import Archive

__all__ = ["Constants"]

_FORMATS = {"bool": "?", "float16": "e", "float32": "f", "float64": "d"}
_FORMATS |= {"int8": "b", "int16": "h", "int32": "i", "int64": "q"}
_FORMATS |= {"uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}
_MOST_FLOATS = 16


@dataclass(frozen=True, eq=False)
class Constants:
    """The constants of one program: `entry` is its JSON in the archive."""

    archive: Archive
    entry: str

    def literal(self, name: str, dtype: str, shape: tuple[int, ...]) -> Literal:
        """A constant by its path in the module; its elements are read when something depends on them."""
        size = prod(shape)
        few = size <= (_MOST_FLOATS if "float" in dtype else Literal.MOST)
        if not few or dtype not in _FORMATS or not self._configured:
            return Literal(dtype, shape, missing=Literal.ELSEWHERE)
        return Literal(dtype, shape, None, partial(self.elements, name, dtype, shape), Literal.ELSEWHERE)

    @property
    def _configured(self) -> bool:
        """Whether the archive is of a layout that has constants as plain numbers."""
        return "models/" in self.entry

    @cached_property
    def _configuration(self) -> dict[str, tuple[str, Any]]:
        """The entry and the description of each constant."""
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

    def elements(self, name: str, dtype: str, shape: tuple[int, ...]) -> tuple[int | float, ...] | None:
        """The elements of a constant; None where the archive doesn't have them, or not as expected."""
        folder, described = self._configuration.get(name, ("", None))
        try:
            place = _place(record(described), dtype, shape)
            entry, form = folder + text(record(described).get("path_name")), _FORMATS[dtype]
            start, length = place * struct.calcsize(form), prod(shape) * struct.calcsize(form)
            content = self.archive.content(entry, start + length)
        except (MisfitError, ModelError):
            return None
        if content is None or len(content) < start + length or self._order != b"little":
            return None
        return struct.unpack(f"<{prod(shape)}{form}", content[start : start + length])

    @cached_property
    def _order(self) -> bytes:
        return (self.archive.content(f"{self.entry.rpartition('models/')[0]}byteorder", 16) or b"little").strip()


def _place(described: Mapping[str, Any], dtype: str, shape: tuple[int, ...]) -> int:
    """The place of the first element in the memory of a contiguous tensor of this type and shape."""
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
