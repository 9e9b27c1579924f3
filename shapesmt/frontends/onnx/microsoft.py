"""The schemas of ONNX Runtime's own operators, from a table that is read when a model has one of them.

A line of the table has the operator, how many inputs and outputs it has (least and most), its inputs ("?" marks
optional ones, "*" one that repeats) with the names of their types, its attributes ("!" marks required ones), and the
element types that each name allows.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from shapesmt.frontends.onnx.types import Parameters
from shapesmt.graph import Parameter, Signature

__all__ = ["find"]

DOMAIN = "com.microsoft"
ADDED = ("MemcpyFromHost", "MemcpyToHost", "SimplifiedLayerNormalization")  # to ONNX's own domain


class Schema(NamedTuple):
    """One operator: the types of its inputs, and what else a node may have."""

    signature: Signature
    parameters: Parameters


def find(domain: str, op: str) -> Schema | None:
    """The schema of an operator; None if the table has none.

    >>> find("com.microsoft", "Gelu").parameters.inputs
    (1, 1)
    """
    own = domain.startswith(DOMAIN) or (domain == "" and op in ADDED)
    return _table().get(f"{domain}.{op}") if own else None


@cache
def _table() -> dict[str, Schema]:
    lines = Path(__file__).with_name("microsoft.txt").read_text(encoding="utf-8").splitlines()
    return dict(map(_read, lines[1:]))


def _read(line: str) -> tuple[str, Schema]:
    title, counts, inputs, attributes, types = (part.split() for part in line.split("|"))
    least, most, fewest, greatest = map(int, counts)
    names, kinds = zip(*(part.partition(":")[::2] for part in inputs), strict=True) if inputs else ((), ())
    allowed = {key: frozenset(listed.split(",")) for key, _, listed in (part.partition("=") for part in types)}
    pairs = [part.partition(":")[::2] for part in attributes]
    parameters = Parameters(
        (least, most),
        (fewest, greatest),
        {name.rstrip("!"): kind for name, kind in pairs},
        tuple(name[:-1] for name, _ in pairs if name.endswith("!")),
        tuple("" if name[-1] in "?*" else name for name in names),
    )
    return title[0], Schema(Signature(tuple(map(_parameter, names, kinds, [allowed] * len(names)))), parameters)


def _parameter(name: str, kind: str, allowed: dict[str, frozenset[str]]) -> Parameter:
    shared = kind if kind in allowed else ""
    types = allowed.get(kind.rstrip("~")) or frozenset({kind})
    return Parameter(name.rstrip("?*"), shared, types, name.endswith("*"))
