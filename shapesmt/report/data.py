"""The base of the results: frozen data that converts itself into the plain dictionaries of its JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from shapesmt.region import Conjunct

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "OMIT",
    "OMIT_EMPTY",
    "OMIT_FALSE",
    "OMIT_ONE",
    "Answer",
    "Data",
    "Json",
    "Presenter",
    "late",
    "later",
    "may_be_unread",
    "unread",
]

Json: TypeAlias = dict[str, Any]
Value = TypeVar("Value")
Kind = TypeVar("Kind", bound="Data")

_MAKE = "made when it is read"  # no field's name
_PLAIN = (int, float, bool, str, type(None))
_NONE = (MISSING, MISSING)
_EMPTY: tuple[object, ...] = (None, "", (), {})
OMIT_EMPTY = {"omit": _EMPTY}  # a field that stays out of the JSON when it is None, "" or without elements
OMIT_FALSE = {"omit": (False,)}  # one that stays out when it is false
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

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """The object of which this is the JSON; fields that it doesn't know are passed by.

        Raises:
            KeyError, TypeError, ValueError: It is the JSON of no such object.
        """
        if data.get("schema", cls.schema) != cls.schema:
            raise ValueError(f"the schema is {data['schema']}, not {cls.schema}")
        values = {}
        for name, key, kinds, restore, missing in _plan(cast("Any", cls)):
            if key in data:
                value = data[key]
                values[name] = value if type(value) in kinds else restore(value)
            elif missing is not MISSING:
                values[name] = missing
        return cls(**values)


class _Later(NamedTuple):
    work: Callable[[], Any]


class _Late:
    """A field that works out a value given by `later` when it is first read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, data: object, _kind: type | None = None) -> Any:
        values = vars(data)
        value = values[self._name]
        if isinstance(value, _Later):
            value = values[self._name] = value.work()
        return value

    def __set__(self, data: object, value: object) -> None:
        vars(data)[self._name] = value


def later(work: Callable[[], Value]) -> Value:
    """A value for a `late` field, which this function works out when the field is first read."""
    return cast("Value", _Later(work))


def late(name: str) -> Callable[[type[Kind]], type[Kind]]:
    """A class whose field of this name may have a value that is worked out `later`; copies and pickles have it.

    >>> from dataclasses import dataclass
    >>> @late("text")
    ... @dataclass(frozen=True)
    ... class Note(Data):
    ...     text: str = ""
    >>> Note(later(lambda: "abc")), Note(later(lambda: "abc")) == Note("abc")
    (Note(text='abc'), True)
    """

    def changed(kind: type[Kind]) -> type[Kind]:
        setattr(kind, name, _Late(name))
        kind.__reduce__ = _reduced  # type: ignore[method-assign, assignment]
        return kind

    return changed


def _reduced(data: Any) -> tuple[Any, ...]:
    return type(data), tuple(getattr(data, item.name) for item in fields(data))


class _Unread:
    """A field whose value is that of another object, which is made when the first of such fields is read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, data: Any, _kind: type | None = None) -> Any:
        values = vars(data)
        make = values.get(_MAKE)
        if make is None:
            return values[self._name]  # another thread has read it meanwhile
        values.update({name: value for name, value in vars(make()).items() if name not in values})
        values.pop(_MAKE, None)
        return values[self._name]


def may_be_unread(*names: str) -> Callable[[type[Kind]], type[Kind]]:
    """A class whose fields of these names may be left `unread`; copies and pickles have them.

    >>> from dataclasses import dataclass
    >>> @may_be_unread("text")
    ... @dataclass(frozen=True)
    ... class Note(Data):
    ...     name: str
    ...     text: str = ""
    >>> note = unread(Note, lambda: Note("a", "abc"), name="b")
    >>> note.name, note.text, note == Note("b", "abc")
    ('b', 'abc', True)
    """

    def changed(kind: type[Kind]) -> type[Kind]:
        for name in names:
            setattr(kind, name, _Unread(name))
        return kind

    return changed


def unread(kind: type[Kind], make: Callable[[], Kind], **values: object) -> Kind:
    """An object with these values; all others are those of the object that is made when one of them is first read."""
    data = object.__new__(kind)
    vars(data).update(values)
    vars(data)[_MAKE] = make
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


Restore: TypeAlias = Callable[[Any], Any]


@cache
def _plan(kind: Any) -> list[tuple[str, str, frozenset[Any], Restore, object]]:
    """For each field in the JSON: its name, its key, how its value is restored, and the value where there is no key.

    A value of the types that come first stays as it is. The value where there is no key is `MISSING` where the field's
    own default is right, or a key is needed.
    """
    hints, needed = get_type_hints(kind), {f.name for f in fields(kind) if (f.default, f.default_factory) == _NONE}
    return [
        (name, key, _unchanged(hint), _restorer(hint), "" if name in needed and "" in omitted else MISSING)
        for name, key, omitted in _layout(kind)
        for hint in (hints[name],)
    ]


@cache
def _unchanged(kind: Any) -> frozenset[Any]:
    """The types of the values that are the same in JSON."""
    kinds = frozenset([] if get_origin(kind) in (tuple, Mapping) else get_args(kind) or (kind,))
    return (kinds | {int} if float in kinds else kinds).intersection(_PLAIN)


@cache
def _restorer(kind: Any) -> Restore:
    """What makes a value of this type of what `_plain` made of it."""
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        item, same = _restorer(inner[0]), _unchanged(inner[0]).issuperset
        return lambda values: tuple(values if same(map(type, values)) else map(item, values))
    if get_origin(kind) is Mapping:
        item = _restorer(inner[1])
        return lambda values: {name: item(value) for name, value in values.items()}
    if not inner and issubclass(kind, Data):
        return cast("Restore", kind.from_dict)
    if kind is Conjunct:
        return _exactly((str,))
    if not inner and issubclass(kind, Enum):
        return cast("Restore", kind)
    compound = [one for one in inner if one not in _PLAIN]
    if compound:  # a union with None
        whole = _restorer(compound[0])
        return lambda value: None if value is None else whole(value)
    return _exactly(inner or (kind,))


def _exactly(kinds: tuple[Any, ...]) -> Restore:
    """What returns a plain value of these types as it is, and refuses any other."""
    accepted = {*kinds, int} if float in kinds else {*kinds}

    def restore(value: Any) -> Any:
        if type(value) in accepted:
            return value
        raise TypeError(f"{value!r} is none of {kinds}")

    return restore


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
    if isinstance(value, Conjunct):
        return str(value)
    return round(value, 4) if isinstance(value, float) else value
