"""Read the values of a document; a value of the wrong type is refused, with its path.

>>> field({"axis": "one"}, "axis", "nodes[3].attributes", int)
Traceback (most recent call last):
  ...
shapesmt.frontends.nodelink.fields.RefusedError: nodes[3].attributes.axis: an integer, not "one"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from shapesmt.base.errors import printable

_CALLED = {
    int: "an integer",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
}
_LONGEST = 1000  # bits; longer integers aren't shown

T = TypeVar("T")


class RefusedError(Exception):
    """A value in a document is wrong; the message has its path and the expected value."""


def refuse(path: str, message: str) -> NoReturn:
    """Raise the error for a value at a path.

    Raises:
        RefusedError: Always.
    """
    raise RefusedError(f"{path}: {message}" if path else message)


def texts(contents: Sequence[Any], path: str, *, empty: bool = False) -> tuple[str, ...]:
    """Return the list's items, which must be names; with `empty`, "" is allowed too. Any other item raises an error."""
    for i, content in enumerate(contents):
        if not isinstance(content, str) or not (content or empty):
            refuse(f"{path}[{i}]", f"a name, not {value_text(content)}")
    return tuple(contents)


_MISSING: Any = object()


def field(document: Mapping[str, Any], key: str, path: str, kind: type[T], default: Any = _MISSING) -> T:
    """Return `document[key]` if its type is `kind`; for a missing key return `default`, or raise an error without one.

    `path` is the document's path in messages.
    """
    if key not in document:
        if default is _MISSING:
            refuse(at(path, key), "is missing")
        value: T = default
        return value
    return a(document[key], kind, at(path, key))


def a(content: Any, kind: type[T], path: str) -> T:
    """Return the value if its type is `kind`, else raise an error with its path; a tuple passes as a list."""
    if kind is list and isinstance(content, tuple):
        content = list(content)
    if not isinstance(content, kind) or (kind is int and isinstance(content, bool)):
        refuse(path, f"{_CALLED[kind]}, not {value_text(content)}")
    return content


def at(path: str, key: str) -> str:
    """Return the path of a key in the document at `path`.

    >>> at("graph.opsets", "ai.onnx"), at("", "nodes")
    ('graph.opsets["ai.onnx"]', 'nodes')
    """
    key = str(key)
    if key.isidentifier() and key.isprintable():
        return f"{path}.{printable(key, 60)}" if path else printable(key, 60)
    return f"{path}[{value_text(key)}]"


def value_text(content: object) -> str:
    """Return a value for a message, on one line."""
    if isinstance(content, (dict, list, tuple)):
        return _CALLED[dict if isinstance(content, dict) else list]
    if content is None or isinstance(content, bool):
        return {None: "null", True: "true", False: "false"}[content]
    if isinstance(content, str):
        return f'"{printable(content, 60)}"'
    if isinstance(content, int) and content.bit_length() > _LONGEST:  # Python doesn't print very long ones
        return "a number of hundreds of digits"
    return printable(str(content), 60) if isinstance(content, (int, float)) else f"a {type(content).__name__}"
