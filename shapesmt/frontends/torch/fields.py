"""Validate a program's JSON: each function returns a value of its type, and raises MisfitError for any other value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shapesmt.base.errors import printable

LARGEST = 1 << 63


class MisfitError(Exception):
    """A value differs from the form in which PyTorch writes it."""


def record(value: object) -> dict[str, Any]:
    """Return the value if it is a JSON object."""
    if not isinstance(value, dict):
        raise MisfitError(f"{_value_text(value)} isn't an object")
    return value


def entries(value: object) -> list[Any]:
    """Return the value if it is a JSON list."""
    if not isinstance(value, list):
        raise MisfitError(f"{_value_text(value)} isn't a list")
    return value


def records(value: object) -> list[dict[str, Any]]:
    """Return the value if it is a JSON list of objects."""
    return [record(item) for item in entries(value)]


def text(value: object) -> str:
    """Return the value if it is a text, which may be a name."""
    if not isinstance(value, str):
        raise MisfitError(f"{_value_text(value)} isn't a text")
    return value


def integer(value: object) -> int:
    """Return the value if it is a 64-bit integer."""
    if not isinstance(value, int) or isinstance(value, bool) or not -LARGEST <= value < LARGEST:
        raise MisfitError(f"{_value_text(value)} isn't an integer of 64 bits")
    return value


def natural(value: object) -> int:
    """Return the value if it is an integer that is 0 or more."""
    number = integer(value)
    if number < 0:
        raise MisfitError(f"the size {number} is below 0")
    return number


def variant(value: object) -> tuple[str, Any]:
    """Return the kind and the content of a value with one key, such as `{"as_int": 3}`."""
    kinds = record(value)
    if len(kinds) != 1:
        raise MisfitError(f"{_value_text(value)} isn't of one kind")
    return next(iter(kinds.items()))


def optional(value: Mapping[str, Any], name: str, default: Any) -> Any:
    """Return an entry, or the default if an older PyTorch didn't write it or it is null."""
    found = value.get(name)
    return default if found is None else found


def _value_text(value: object) -> str:
    return printable(repr(value)[:200], 60)
