"""Identity of the answerer: cached, earlier and remote answers are used only if it is the same.

It covers the sources of this package and of plugin rules, and the versions of the packages that answers depend on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from shapesmt.rules import changed_at, plugin_sources, plugins
from shapesmt.version import LOADED, __version__, followed_runtime, newer_runtime

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


def identity() -> Answerer:
    """Return the identity of this process, computed again after plugins were registered."""
    last, registered = _Last.known, plugins()
    if last is None or last[0] != registered:
        last = _Last.known = registered, _told()
    return last[1]


def _told() -> Answerer:
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
    folder = str(Path(__file__).parents[1])
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
