"""The base of the results: frozen data that converts itself to the plain dictionaries of its JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from shapesmt.base.errors import printable
from shapesmt.prover.regions import Conjunct

if TYPE_CHECKING:
    from typing_extensions import Self

Json: TypeAlias = dict[str, Any]
Value = TypeVar("Value")
Kind = TypeVar("Kind", bound="Data")

_TOLD = frozenset({str, tuple, type(None)})
"""The types of sentences; all others are of facts."""
_PLAIN = (int, float, bool, str, type(None))
_NONE = (MISSING, MISSING)
_COUNTED = {"models": "model", "boxes": "box", "proposals": "proposal", "operators": "operator"}
"""The fields whose number of items an answer's `repr` states, each with its word for one item."""
_EMPTY: tuple[object, ...] = (None, "", (), {})
OMIT_EMPTY = {"omit": _EMPTY}  # left out of the JSON if the field is None, "" or without elements
OMIT_NONE = {"omit": (None,)}  # left out if the field is None
OMIT_FALSE = {"omit": (False,)}  # left out if the field is false
OMIT_ZERO = {"omit": (0,)}  # left out if the field is 0
OMIT_ONE = {"omit": (1,)}  # left out if the field is 1
OMIT = {"omit": None}  # never in the JSON


class Data:
    """Frozen data; `to_dict()` has its fields in order, after the schema if it has one."""

    __slots__ = ()
    schema: ClassVar[str] = ""

    def to_dict(self) -> Json:
        """Return the JSON of this object, as plain dictionaries, lists and values."""
        data: Json = {"schema": self.schema} if self.schema else {}
        for name, key, omitted in _layout(cast("Any", type(self))):
            value = getattr(self, name)
            if value not in omitted:
                data[key] = _plain(value)
        return data

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Return the object that this JSON describes; unknown keys are ignored.

        Raises:
            KeyError, TypeError, ValueError: It isn't the JSON of such an object.
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

    @property
    def told(self) -> dict[str, Any]:
        """The facts that fields tell in sentences, as far as they are known: JSON and pickles have the sentences."""
        known = {name: vars(self)[name] for name in _sentences(cast("Any", type(self))) if name in vars(self)}
        return {name: value for name, value in known.items() if type(value) not in _TOLD}

    def __getstate__(self) -> dict[str, object]:
        return {item.name: getattr(self, item.name) for item in fields(cast("Any", self))}


class _Sentence:
    """A descriptor for a field that holds facts and reads as the sentence that tells them."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, data: object, _kind: type | None = None) -> Any:
        if data is None:
            return self
        try:
            told = vars(data)[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
        return told if type(told) in _TOLD else words(told)

    def __set__(self, data: object, told: object) -> None:
        vars(data)[self._name] = told


def words(told: object) -> Any:
    """Return the sentence that tells facts; the sentences of `Hints`."""
    from shapesmt.reports import render

    return render.words(told)


def telling(*names: str) -> Callable[[type[Kind]], type[Kind]]:
    """Return a class decorator by which the named fields hold facts, and read as the sentences that tell them.

    A text stands for itself, as in what JSON restores. Copies by `altered` have the facts, pickles the sentences.

    >>> from shapesmt.base.frozen import frozen
    >>> from shapesmt.reports.answers.facts import Unrun
    >>> @telling("text")
    ... @frozen()
    ... class Note(Data):
    ...     name: str
    ...     text: str = ""
    >>> note = Note("a", Unrun("trips"))
    >>> note.text, note.told, note == Note("a", note.text)
    ("its body never runs: 'trips' is 0 for every input", {'text': Unrun(trips='trips')}, True)
    """

    def changed(kind: type[Kind]) -> type[Kind]:
        for name in names:
            setattr(kind, name, _Sentence(name))
        return kind

    return changed


def altered(data: Kind, **values: object) -> Kind:
    """Return a copy with other values in these fields; unlike `dataclasses.replace`, it keeps the facts of others."""
    if unknown := values.keys() - cast("Any", data).__dataclass_fields__.keys():
        raise TypeError(f"no fields of {type(data).__name__}: {', '.join(sorted(unknown))}")
    copy = object.__new__(type(data))
    vars(copy).update(vars(data), **values)
    return copy


class Answer(Data):
    """An answer that people read: `str` returns its text, and a notebook shows it as the page does."""

    __slots__ = ()

    @property
    def exit_status(self) -> int:
        """The status of the command line: 0 for an answer that can't fail."""
        return 0

    def text(self, width: int | None = None, *, everything: bool = False) -> str:
        """Return the answer as the command line prints it.

        Args:
            width: The number of columns to fold lines to. By default it is 100, and rows of tables aren't folded.
            everything: Whether to show all findings of a report, however many.
        """
        from shapesmt.reports import render

        return render.fold_text(cast("Any", self), width, everything=everything)

    def __init_subclass__(cls) -> None:
        if "__repr__" not in vars(cls):  # a dataclass would show all of its fields
            cls.__repr__ = Answer.__repr__  # type: ignore[method-assign]  # as is usual for a class that is being made

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def __repr__(self) -> str:
        about = getattr(self, "code", None) or getattr(self, "model", None) or ""
        counts = [(getattr(self, name, None), one, name) for name, one in _COUNTED.items()]
        said = [f"{len(items)} {one if len(items) == 1 else name}" for items, one, name in counts if items]
        said = [str(getattr(self, "verdict", "")), *said]
        named = f"{type(self).__name__} {printable(about, 60)}".rstrip()
        return f"<{named}: {', '.join(filter(None, said))}>" if any(said) else f"<{named}>"

    def _repr_html_(self) -> str:
        from shapesmt.reports import render

        return render.excerpt_html(cast("Any", self))


@cache
def _layout(kind: Any) -> list[tuple[str, str, tuple[object, ...]]]:
    """Return for each field in the JSON: its name, its key, and the values for which it is omitted."""
    return [
        (item.name, item.metadata.get("key", item.name), omitted)
        for item in fields(kind)
        if (omitted := item.metadata.get("omit", ())) is not None
    ]


@cache
def _sentences(kind: Any) -> list[str]:
    """Return the names of the fields that hold facts and read as sentences."""
    return [item.name for item in fields(kind) if isinstance(getattr(kind, item.name, None), _Sentence)]


Restore: TypeAlias = Callable[[Any], Any]


@cache
def _plan(kind: Any) -> list[tuple[str, str, frozenset[Any], Restore, object]]:
    """Return for each field in the JSON: name, key, types of values to keep, function that restores others, default.

    The default replaces a missing key; it is `MISSING` if the field's own default is right or the key is required.
    """
    hints, needed = get_type_hints(kind), {f.name for f in fields(kind) if (f.default, f.default_factory) == _NONE}
    return [
        (name, key, _plain_types(hint), _restorer(hint), "" if name in needed and "" in omitted else MISSING)
        for name, key, omitted in _layout(kind)
        for hint in (hints[name],)
    ]


@cache
def _plain_types(kind: Any) -> frozenset[Any]:
    """Return those types of an annotation whose values are the same in JSON."""
    kinds = frozenset([] if get_origin(kind) in (tuple, Mapping) else get_args(kind) or (kind,))
    return (kinds | {int} if float in kinds else kinds).intersection(_PLAIN)


@cache
def _restorer(kind: Any) -> Restore:
    """Return the function that restores a value of this type from the output of `_plain`."""
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        item, same = _restorer(inner[0]), _plain_types(inner[0]).issuperset
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
    """Return a function that returns plain values of these types unchanged and refuses others."""
    accepted = {*kinds, int} if float in kinds else {*kinds}

    def restore(value: Any) -> Any:
        if type(value) in accepted:
            return value
        raise TypeError(f"{value!r} is none of {kinds}")

    return restore


def _plain(value: object) -> object:
    """Return `value` in JSON types; an object met twice in one mapping gives one dictionary."""
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
