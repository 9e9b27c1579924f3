"""The base of the results: frozen data that converts itself into the plain dictionaries of its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, ClassVar, TypeAlias, cast

__all__ = ["OMIT", "OMIT_EMPTY", "Data", "Json"]

Json: TypeAlias = dict[str, Any]

OMIT_EMPTY = {"omit": "empty"}  # a field that stays out of the JSON when it is None, "" or without elements
OMIT = {"omit": "always"}


class Data:
    """Frozen data whose `to_dict()` is its fields, in order; a schema, where it has one, comes first."""

    __slots__ = ()
    schema: ClassVar[str] = ""

    def to_dict(self) -> Json:
        """The JSON of this object, as plain dictionaries, lists and values."""
        data: Json = {"schema": self.schema} if self.schema else {}
        for name, key, omit in _layout(cast("Any", type(self))):
            value = getattr(self, name)
            if not omit or (value is not None and value != () and value != "" and value != {}):
                data[key] = _plain(value)
        return data


@cache
def _layout(kind: Any) -> list[tuple[str, str, bool]]:
    """For each field in the JSON: its name, its key, and whether it is omitted when empty."""
    return [
        (item.name, item.metadata.get("key", item.name), "omit" in item.metadata)
        for item in fields(kind)
        if item.metadata.get("omit") != "always"
    ]


def _plain(value: object) -> object:
    """`value` as JSON's own types; an object met twice in one mapping gives one dictionary."""
    if isinstance(value, Data):
        return value.to_dict()
    if isinstance(value, Mapping):
        shared = {id(item): _plain(item) for item in {id(item): item for item in value.values()}.values()}
        return {name: shared[id(item)] for name, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return round(value, 4) if isinstance(value, float) else value
