"""Identity of the answerer: cached, earlier and remote answers are used only if it is the same; keys of answers.

The identity covers the sources of this package and of plugin rules, and the versions of the packages that answers
depend on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from shapesmt.analysis.verify import Question
from shapesmt.base.version import LOADED, __version__, followed_runtime, newer_runtime
from shapesmt.entrypoints.fleet.answers import sum_of
from shapesmt.operators.rules import changed_at, plugin_sources, plugins

_PACKAGES = ("onnx", "z3-solver", "numpy")
_SHOWN = 16  # digits of a digest in messages


class Answerer(NamedTuple):
    """The sources and versions that decide an answer.

    Attributes:
        parts: A text for each of them, as in messages.
        trouble: Why they can't be determined; "" if they can. With trouble, no other process has equal parts.
    """

    parts: tuple[str, ...]
    trouble: str = ""

    @property
    def digest(self) -> str:
        """A digest of the parts."""
        return sha256("\0".join(self.parts).encode()).hexdigest()


class _Last:
    """The last identity, with the plugins that it covers."""

    known: tuple[dict[str, int], Answerer] | None = None


def process_identity() -> Answerer:
    """Return the identity of this process, computed again after plugins were registered."""
    last, registered = _Last.known, plugins()
    if last is None or last[0] != registered:
        last = _Last.known = registered, _compute_identity()
    return last[1]


def _compute_identity() -> Answerer:
    own, trouble = _sources()
    rules, trouble_of_rules = plugin_sources()
    parts = (
        f"shapesmt {__version__} ({_short(own, trouble)})",
        *(f"{name} {_version(name)}" for name in _PACKAGES),
        f"the rules of ONNX Runtime {'.'.join(map(str, followed_runtime()))}{' or newer' if newer_runtime() else ''}",
        f"plugin rules ({_short(rules, trouble_of_rules)})" if rules or trouble_of_rules else "no plugin rules",
    )
    return Answerer(parts, trouble or trouble_of_rules)


def _short(digest: str, trouble: str) -> str:
    return (os.urandom(_SHOWN).hex() if trouble else digest)[:_SHOWN]


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "without a version"


@cache
def _sources() -> tuple[str, str]:
    """Return a digest of this package's files and "", or "" and the reason why there is none."""
    folder = str(Path(__file__).parents[2])
    digest, paths = sha256(), sorted(_below(folder))
    for path in paths:
        with suppress(OSError):
            file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))  # `pathlib` takes twice as long
            status = os.fstat(file)
            content = os.read(file, status.st_size)
            os.close(file)
            digest.update(b"%b\0%d\0%b" % (path[len(folder) :].replace(os.sep, "/").encode(), len(content), content))
            if changed_at(status) > LOADED:
                return "", "shapesmt itself was changed after this process had loaded it"
    return (digest.hexdigest(), "") if paths else ("", "the sources of shapesmt can't be read")


def _below(folder: str) -> Iterator[str]:
    """Yield the files in a folder and its subfolders, except `__pycache__`."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _below(entry.path) if entry.name != "__pycache__" else ()
            else:
                yield entry.path


def key(content: str, question: Question, shapes: Mapping[str, Any]) -> bytes:
    """Return the key of an answer: a digest of model, question and answerer; b"" if model or answerer have no digest.

    Args:
        content: The model's digest, by `content_digest`; "" if it has none.
        question: The question.
        shapes: Shapes that apply if the model has such an input.
    """
    return (
        sum_of(content.encode(), digest(question, shapes).encode())
        if content and not process_identity().trouble
        else b""
    )


class _LastDigest:
    """The last question and its digest, which thousands of models share: one tuple, so that threads see it whole."""

    asked: tuple[Question, Mapping[str, Any], Answerer, str] | None = None


def digest(question: Question, shapes: Mapping[str, Any]) -> str:
    """Return a digest of a question, its shapes, and the answerer."""
    last, who = _LastDigest.asked, process_identity()
    if last is None or last[0] is not question or last[1] is not shapes or last[2] is not who:
        written = json.dumps([who.digest, _plain(question), _plain(shapes)])
        last = _LastDigest.asked = question, shapes, who, sum_of(written.encode()).hex()
    return last[3]


def _plain(value: Any) -> Any:
    """Convert a value to JSON that differs for different values; origins of ranges count too."""
    if is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, item.name)) for item in fields(value) if item.compare)]
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(item)] for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, type(None))) else repr(value)
