"""The base of the results: frozen data that converts itself into the plain dictionaries of its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Protocol, TypeAlias, cast

__all__ = ["OMIT", "OMIT_EMPTY", "OMIT_ONE", "Answer", "Data", "Json", "Presenter"]

Json: TypeAlias = dict[str, Any]

_EMPTY: tuple[object, ...] = (None, "", (), {})
OMIT_EMPTY = {"omit": _EMPTY}  # a field that stays out of the JSON when it is None, "" or without elements
OMIT_ONE = {"omit": (1,)}  # one that stays out when it is 1
OMIT = {"omit": None}  # one that is never in the JSON


class Data:
    """Frozen data whose `to_dict()` is its fields, in order; a schema, where it has one, comes first."""

    __slots__ = ()
    schema: ClassVar[str] = ""

    def to_dict(self) -> Json:
        """The JSON of this object, as plain dictionaries, lists and values."""
        data: Json = {"schema": self.schema} if self.schema else {}
        for name, key, omitted in _layout(cast("Any", type(self))):
            value = getattr(self, name)
            if value not in omitted:
                data[key] = _plain(value)
        return data


class Presenter(Protocol):
    """The part of the package that words answers, which registers itself at `Answer.presenter`."""

    def text(self, answer: Answer, width: int | None, everything: bool) -> str:
        """The answer as the command line prints it."""
        ...

    def html(self, answer: Answer) -> str:
        """The answer as part of a page."""
        ...


class Answer(Data):
    """An answer that people read: `str` is its text, and a notebook shows it as the page does."""

    __slots__ = ()
    presenter: ClassVar[Presenter | None] = None

    def text(self, width: int | None = None, *, everything: bool = False) -> str:
        """The answer as the command line prints it.

        Args:
            width: The columns that lines are folded to; None leaves them as long as they are.
            everything: Whether all findings of a report are shown, however many.
        """
        return repr(self) if self.presenter is None else self.presenter.text(self, width, everything)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str | None:
        return None if self.presenter is None else self.presenter.html(self)


@cache
def _layout(kind: Any) -> list[tuple[str, str, tuple[object, ...]]]:
    """For each field in the JSON: its name, its key, and the values for which it is omitted."""
    return [
        (item.name, item.metadata.get("key", item.name), omitted)
        for item in fields(kind)
        if (omitted := item.metadata.get("omit", ())) is not None
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
