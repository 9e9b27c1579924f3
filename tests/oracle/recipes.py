"""How an operator may be used, in a line or two: the shapes of its inputs and a choice of values for each attribute.

    op("Conv", "f n c h w", "f m c 3 2", "?f m", strides=any_of(None, [2, 1]), group=any_of(None, 1, 2))

An input is text: "?" where it may be left out, an element type ("f" float32, "d" float64, "h" float16, "i" int64,
"j" int32, "e" int16, "u" uint8, "g" int8, "b" bool, "s" string, "I" and "J" integers that are zero, "L" lengths that
are one, "T" one of `kinds`), and sizes: numbers, letters (the same size wherever the letter stands), formulas over
them, "*" (any axes) or "~" (whatever broadcasts with the first input). "= n 2 -1" is a vector of these int64, ". n" a
scalar, ":j = n 2" one of int32. Anything that isn't text is a constant. Several nodes at once are ONNX's text:

    text("y = SequenceAt(s, p)  s = SequenceConstruct(x, z)", x="f n 2", z="f k 2", p=". 1")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"
KINDS = {
    "f": "float32", "d": "float64", "h": "float16", "i": "int64", "j": "int32", "u": "uint8", "g": "int8",
    "e": "int16", "b": "bool", "s": "string", "I": "int64", "J": "int32", "L": "int64", "M": "int32",
}  # fmt: skip


class Choice(tuple[Any, ...]):
    """Values of which one is drawn; None leaves the attribute out."""

    __slots__ = ()


def any_of(*values: Any) -> Choice:
    """One of these."""
    return Choice(values)


AXIS = any_of(None, 0, 1, -1, -1, -2, 2)
FLAG = any_of(None, 0, 1)


@dataclass(frozen=True)
class Recipe:
    """One way to use an operator, in the operator sets `since` to `until`."""

    op: str
    inputs: Mapping[str, Any]
    outputs: int = 1
    kinds: str = "f"
    since: int = 13
    until: int = 99
    domain: str = ""
    version: int = 1
    attributes: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    assumed: bool = False
    """Its data may make it fail, which nobody can know beforehand (an index on an empty axis)."""


def op(
    name: str,
    *inputs: Any,
    outputs: int = 1,
    kinds: str = "f",
    since: int = 13,
    until: int = 99,
    domain: str = "",
    version: int = 1,
    assumed: bool = False,
    **attributes: Any,
) -> Recipe:
    """One node."""
    given = {f"x{i}": x for i, x in enumerate(inputs)}
    return Recipe(name, given, outputs, kinds, since, until, domain, version, attributes, assumed=assumed)


def text(code: str, *, since: int = 18, kinds: str = "f", assumed: bool = False, **inputs: Any) -> Recipe:
    """Several nodes, in the syntax of ONNX's parser, over inputs that the keywords name."""
    name = re.findall(r"= *(\w+) *[(<]", code)[0]
    return Recipe(name, inputs, 1, kinds, since, code=code, assumed=assumed)
