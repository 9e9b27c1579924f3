"""Cache: the key of an answer is the content of the model, the question, and the version of all that answers it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from shapesmt.examine import Question
from shapesmt.fleet.answers import sum_of
from shapesmt.frontends import ModelFile
from shapesmt.rules import plugin_versions
from shapesmt.version import __version__, followed_runtime, newer_runtime

__all__ = ["digest", "key"]

SMALL = 1 << 20  # bytes of an entry of a zip file that is read whatever it is


def key(file: ModelFile, question: Question, shapes: Mapping[str, Any]) -> bytes:
    """What tells the answer to a question about a model from other answers."""
    head = "\0".join((file.source, file.name, file.signature, digest(question, shapes), ""))
    return sum_of(head.encode(errors="surrogatepass"), *_content(file))


def _content(file: ModelFile) -> Iterable[bytes]:
    """What tells a file from others. Of a zip file: its list of entries, and those that aren't weights."""
    if not file.path:
        return [file.content]
    try:
        with ZipFile(file.path) as archive:
            entries = archive.infolist()
            listed = repr([(entry.filename, entry.file_size, entry.CRC) for entry in entries]).encode()
            read = [e for e in entries if e.file_size <= SMALL or e.filename.endswith(".json")]
            return [listed, *(archive.read(entry) for entry in read)]
    except (OSError, ValueError, RuntimeError, EOFError, BadZipFile, zlib.error):
        return [Path(file.path).read_bytes()]


class _Last:
    """The question that was asked last, which is that of thousands of models: one tuple, as threads share it."""

    asked: tuple[Question, Mapping[str, Any], list[str], str] | None = None


def digest(question: Question, shapes: Mapping[str, Any]) -> str:
    """What tells a question, and the version of all that answers it, from others."""
    last, plugins = _Last.asked, plugin_versions()
    if last is None or last[0] is not question or last[1] is not shapes or last[2] != plugins:
        versions = [__version__, _onnx(), followed_runtime(), newer_runtime(), plugins]
        written = json.dumps([*versions, _plain(question), _plain(shapes)])
        last = _Last.asked = question, shapes, plugins, sum_of(written.encode()).hex()
    return last[3]


@cache
def _onnx() -> str:
    from importlib.metadata import version

    return version("onnx")


def _plain(value: Any) -> Any:
    """A value as JSON that tells it from every other, origins of ranges included."""
    if is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, item.name)) for item in fields(value))]
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(item)] for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, type(None))) else repr(value)
