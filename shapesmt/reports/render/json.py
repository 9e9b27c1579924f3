"""JSON text: one line for each field, tensor and finding, so that it can be read, searched and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from json import dumps
from typing import TYPE_CHECKING, TextIO

from shapesmt.base.errors import escape_marks

if TYPE_CHECKING:
    from shapesmt.reports.answers import AnyResult


def to_json(data: Mapping[str, object]) -> str:
    """Return the JSON text of `data`, in ASCII, ending in a line end.

    >>> print(to_json({"schema": "shapesmt/bounds/1", "tensors": {"x": {"shape": None}, "y": {"shape": []}}}))
    {"schema": "shapesmt/bounds/1",
     "tensors": {
      "x": {"shape": null},
      "y": {"shape": []}}}
    <BLANKLINE>
    """
    return escape_marks("".join(_pieces(data)), r"\u0023")


def write_result(result: AnyResult, stream: TextIO) -> None:
    """Write the JSON text of `result`."""
    stream.write(to_json(result.to_dict()))


def _pieces(data: Mapping[str, object]) -> Iterator[str]:
    separator = "{"
    for key, value in data.items():
        yield f"{separator}{dumps(key)}: "
        separator = ",\n "
        if value and isinstance(value, dict) and all(isinstance(item, dict) for item in value.values()):
            texts = {id(item): dumps(item) for item in value.values()}  # equal tensors share one dictionary
            yield from _block("{}", (f"{dumps(name)}: {texts[id(item)]}" for name, item in value.items()))
        elif value and isinstance(value, list) and all(isinstance(item, dict) for item in value):
            yield from _block("[]", map(dumps, value))
        else:
            yield dumps(value)
    yield "}\n"


def _block(brackets: str, lines: Iterable[str]) -> Iterator[str]:
    yield brackets[0] + "\n  "
    yield ",\n  ".join(lines)
    yield brackets[1]
