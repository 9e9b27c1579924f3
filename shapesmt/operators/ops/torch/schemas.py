"""The schemas of PyTorch's operators: names, types and defaults of their arguments, from a table of PyTorch's own text.

A line of the table is a schema as PyTorch prints it, for example `cat.default(Tensor[] tensors, int dim=0) -> Tensor`.
The table is read when the first program is.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from shapesmt.network.graph import AttributeValue

DOMAIN = "torch"
_ARGUMENT = re.compile(r"([\w?]+(?:\[\d*\])?\??) (\w+)(?:=(.*))?")


class Argument(NamedTuple):
    """An argument: its type as PyTorch writes it (`SymInt[2]`, `Tensor?`) and its default; None if it has none."""

    name: str
    type: str
    default: AttributeValue | None

    @property
    def length(self) -> int:
        """The length to which a single number is repeated: 2 for `int[2]`; 0 for types without a length."""
        return int(re.sub(r"\D", "", self.type) or 0)


class Schema(NamedTuple):
    """An operator's arguments by name, and the types of its outputs."""

    arguments: dict[str, Argument]
    outputs: tuple[str, ...]


@cache
def _table() -> dict[str, str]:
    lines = (Path(__file__).parent / "schemas.txt").read_text(encoding="utf-8").splitlines()
    return {name: rest for name, _, rest in (line.partition("(") for line in lines)}


@cache
def decomposed_operators() -> frozenset[str]:
    """Return the operators that `run_decompositions()` replaces by others."""
    return frozenset((Path(__file__).parent / "decomposed.txt").read_text(encoding="utf-8").splitlines())


@cache
def _kinds() -> dict[str, str]:
    lines = (Path(__file__).parent / "kinds.txt").read_text(encoding="utf-8").splitlines()
    return {f"aten.{op}": kinds for op, kinds in map(str.split, lines)}


def refused_kinds(op: str) -> str:
    """Return the kinds of elements for which an operator has no kernel.

    The letters are b (booleans), i (integers) and c (complex numbers).

    >>> refused_kinds("aten.layer_norm.default"), refused_kinds("aten.add.Tensor")
    ('bic', '')
    """
    return _kinds().get(op, "")


@cache
def _overloads() -> dict[str, list[str]]:
    by_name: dict[str, list[str]] = {}
    for name, text in _table().items():
        if "Dimname" not in text:  # exports have no named dimensions
            by_name.setdefault(name.partition(".")[0], []).append(name)
    return by_name


def overloads(*names: str) -> list[str]:
    """Return all overloads of the named operators and of their in-place variants.

    >>> overloads("logical_and", "exp")
    ['logical_and.default', 'logical_and_.default', 'exp.default', 'exp_.default']
    """
    return [op for name in names for each in (name, f"{name}_") for op in _overloads().get(each, ())]


def schema(op: str) -> Schema | None:
    """Return the schema of an operator such as "aten.cat.default"; None if PyTorch has no such operator.

    >>> schema("aten.max_pool2d.default").arguments["stride"]
    Argument(name='stride', type='int[2]', default=())
    >>> schema("aten.max_pool2d.default").arguments["stride"].length, schema("aten.max_pool2d.default").outputs
    (2, ('Tensor',))
    >>> schema("aten.split.Tensor").outputs, schema("_operator.add")
    (('Tensor[]',), None)
    """
    known = op.startswith(("aten.", "quantized_decomposed."))
    text = _table().get(op.removeprefix("aten.")) if known else None
    if text is None:
        return None
    listed, _, results = text.rpartition(") -> ")
    arguments = (_ARGUMENT.fullmatch(part) for part in re.split(r", (?![^\[]*\])", listed))
    read = (Argument(a[2], a[1], _default(a[3])) for a in arguments if a is not None)
    return Schema({a.name: a for a in read}, tuple(part.split(" ")[0] for part in results.strip("()").split(", ")))


def _default(text: str | None) -> AttributeValue | None:
    """Return the value of a default: a list as a tuple, a boolean as 0 or 1, a word such as "float" as text."""
    try:
        value = ast.literal_eval(text or "None")
    except (SyntaxError, ValueError):
        return text
    if isinstance(value, list):
        return tuple(value)
    return int(value) if isinstance(value, bool) else value
