"""Read tensors in node-link documents: types, shapes, ranges, constants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shapesmt.base.errors import UsageError
from shapesmt.frontends.nodelink.fields import a, field, refuse, value_text
from shapesmt.network.declarations import LARGEST, Origin, Range, parse_range, parse_shape
from shapesmt.network.graph import DTYPES, Declared, Literal, Scalar

RANK = 255
"""The limit of dimensions of a tensor, above which a document is refused."""
_KINDS = {"seq": "sequence", "optional": "optional", "map": "map"}
_NAMES = frozenset(DTYPES.values())
_NOT_FINITE = ("inf", "-inf", "nan")


def symbol_range(content: Any, path: str) -> str | Range:
    """Return a symbol's range; a range that the exporter noted in the file's metadata is returned as text."""
    document = content if isinstance(content, dict) else {"range": content, "from": "model"}
    text, source = document.get("range"), field(document, "from", path, str, "model")
    if source == "metadata":
        return a(text, str, path)
    try:
        return replace(parse_range(a(text, str, path)), origin=Origin(source))
    except UsageError as error:
        refuse(path, str(error))


def read_declaration(content: Any, path: str) -> Declared:
    """Return the type and shape that a document declares for a tensor."""
    document = a(content, dict, path)
    dtype = field(document, "dtype", path, str, "")
    outer = dtype.partition("(")[0]
    if "(" not in dtype and dtype not in _NAMES:
        refuse(f"{path}.dtype", f"an element type such as float32, not {value_text(dtype)}")
    if "(" in dtype and outer not in _KINDS:
        refuse(
            f"{path}.dtype", f"an element type, or seq(...), optional(...), map(...) of one, not {value_text(dtype)}"
        )
    shape = axes(document.get("shape"), f"{path}.shape")
    kind = "sparse" if field(document, "sparse", path, bool, False) else _KINDS.get(outer, "tensor")
    plain = None if shape is None else tuple(None if isinstance(axis, Range) else axis for axis in shape)
    return Declared(dtype, plain, kind)


def axes(content: Any, path: str) -> tuple[int | str | Range | None, ...] | None:
    """Return the sizes of a shape: numbers, names, ranges, None for unknown ones; None if the rank is unknown."""
    if content is None:
        return None
    parts = content if isinstance(content, str) else a(content, list, path)
    if len(parts) > RANK and not isinstance(content, str):
        refuse(path, f"a shape of at most {RANK} dimensions, not {len(parts)}")
    for i, size in enumerate(parts if isinstance(parts, list) else ()):
        if isinstance(size, bool) or not (size is None or isinstance(size, (int, str))):
            refuse(f"{path}[{i}]", f'a size, null, "name" or "1..8", not {value_text(size)}')
    try:
        shape = parse_shape(parts)
    except UsageError as error:
        refuse(path, str(error))
    return None if shape is None else tuple(s.lo if isinstance(s, Range) and s.lo == s.hi else s for s in shape)


def literal(document: Mapping[str, Any], path: str) -> Literal:
    """Return a constant tensor; without "values" its elements are unknown."""
    dtype = field(document, "dtype", path, str)
    if dtype not in _NAMES:
        refuse(f"{path}.dtype", f"an element type such as float32, not {value_text(dtype)}")
    shape: list[Any] = field(document, "shape", path, list)
    for i, size in enumerate(shape):
        if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= LARGEST:
            refuse(f"{path}.shape[{i}]", f"a size, 0 or more, not {value_text(size)}")
    if len(shape) > RANK:
        refuse(f"{path}.shape", f"a shape of at most {RANK} dimensions, not {len(shape)}")
    values: list[Any] | None = field(document, "values", path, list, None)
    size = math.prod(shape)
    if values is not None and len(values) != size:
        refuse(f"{path}.values", f"as many values as the shape has elements, {size}, not {len(values)}")
    if values is None or Literal.too_many(dtype, size):
        return Literal(dtype, shape, None if size else ())
    scalars = [_scalar(v, dtype, f"{path}.values[{i}]") for i, v in enumerate(values)]
    return Literal(dtype, shape, scalars) if size <= Literal.LIMIT else Literal(dtype, shape, source=lambda: scalars)


def _scalar(content: Any, dtype: str, path: str) -> Scalar:
    """Return an element as the Python type of its element type: bool, str, int or float."""
    if dtype == "bool" and isinstance(content, bool):
        return content
    if dtype == "string" and isinstance(content, str):
        return content
    if "int" in dtype and isinstance(content, int) and not isinstance(content, bool) and -(2**63) <= content < 2**64:
        return content
    if "float" in dtype and isinstance(content, (int, float)) and not isinstance(content, bool):
        return float(content) if abs(content) < 2**1023 or isinstance(content, float) else math.inf
    if "float" in dtype and content in _NOT_FINITE:
        return float(content)
    refuse(path, f"an element of type {dtype or 'unknown'}, not {value_text(content)}")


def number(document: Mapping[str, Any], path: str) -> float:
    """Return a number that JSON can't write: `{"float": "inf"}`, "-inf" or "nan"."""
    if document["float"] not in _NOT_FINITE:
        refuse(f"{path}.float", f'"inf", "-inf" or "nan", not {value_text(document["float"])}')
    return float(document["float"])
