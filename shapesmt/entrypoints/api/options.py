"""Options of every question about a model, named once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypedDict, TypeVar

from shapesmt.analysis.verify import GUARDS, TIMEOUT, Question
from shapesmt.base.errors import UsageError, one_frame, printable
from shapesmt.network.declarations import RangeLike, ShapeLike, ValueLike

Arguments = ParamSpec("Arguments")
Reply = TypeVar("Reply")


class Where(TypedDict, total=False):
    """Options that declare the inputs: their ranges, shapes, elements and relations."""

    dims: Mapping[str, RangeLike] | None
    shapes: Mapping[str, ShapeLike] | None
    values: Mapping[str, ValueLike] | None
    assume: Iterable[str] | None


class Asking(TypedDict, total=False):
    """How a question is asked."""

    declared: str | None
    guards: str
    session: str | None
    timeout: float


class Export(TypedDict, total=False):
    """How a module is exported."""

    args: Any
    kwargs: Mapping[str, Any] | None
    dynamic_shapes: Any


class OpenOptions(Asking, Export, total=False):
    """The options of `open`."""


class FileOptions(Where, Asking, total=False):
    """The options of a function that asks about files."""


class Options(Where, Asking, Export, total=False):
    """The options of every function that asks about a model; the docstring of `check` describes each."""


_MAPS = ("dims", "shapes", "values")
_AS_DIMENSION = "a dimension of that name goes into where(dims={{{0!r}: ...}})"
_DEFAULTS = {"guards": GUARDS[0], "timeout": TIMEOUT}
"""The defaults of options; that of any other option is None."""


def asks(listed: type) -> Callable[[Callable[Arguments, Reply]], Callable[Arguments, Reply]]:
    """Decorate a public function with `**options`: `help` lists them, and a user's mistake is raised from here."""

    def decorate(function: Callable[Arguments, Reply]) -> Callable[Arguments, Reply]:
        own, asked = signature(function), one_frame(function)
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=kind.__forward_arg__)
            for name, kind in listed.__annotations__.items()
        ]
        kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        asked.__signature__ = own.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
        return asked

    return decorate


def require_known(options: Mapping[str, object], listed: type) -> None:
    """Refuse a keyword that is no option, as Python does for a function's arguments.

    Raises:
        TypeError: There is no such option.
    """
    for name in options:
        if name not in listed.__annotations__:
            known = ", ".join(listed.__annotations__)
            raise TypeError(f"got an unexpected keyword argument {name!r}; there are {known}")


def narrowed(question: Question, relations: tuple[object, ...], given: Mapping[str, Any]) -> Question:
    """Return the question with more ranges, which replace those of the same name, and more relations.

    Raises:
        UsageError: A relation is no text, or a word of this interface is given as if it were a dimension.
    """
    maps = {name: given.get(name) for name in _MAPS}
    ranges = {name: value for name, value in given.items() if name not in _MAPS}
    for name in ranges:
        if name in Options.__annotations__:
            how = "relations are given by position" if name == "assume" else f"{name} is an option of open()"
            raise UsageError(f"{how}; {_AS_DIMENSION.format(name)}")
    for name, value in maps.items():
        if not isinstance(value, (Mapping, type(None))):
            what = f"{name} maps names, as in where({name}={{...}}); it isn't {printable(repr(value), 60)}"
            raise UsageError(f"{what}; {_AS_DIMENSION.format(name)}")
    dims = maps["dims"] or {}
    twice = next((name for name in ranges if name in dims and dims[name] != ranges[name]), None)
    if twice is not None:
        raise UsageError(f"dimension {twice} has two ranges: {twice}={ranges[twice]!r} and {dims[twice]!r} in dims")
    maps["dims"] = {**dims, **ranges}
    strange = next((relation for relation in relations if not isinstance(relation, str)), None)
    if strange is not None:
        raise UsageError(f'a relation is a text, as "height % 16 == 0"; it isn\'t {printable(repr(strange), 60)}')
    given = {name: deepcopy(dict(value or {})) for name, value in maps.items()}
    more: dict[str, Any] = {name: {**(getattr(question, name) or {}), **value} for name, value in given.items()}
    return replace(question, assume=(*(question.assume or ()), *map(str, relations)), **more)
