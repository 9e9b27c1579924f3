"""Cache: the key of an answer is the content of the model, the question, and the version of all that answers it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from shapesmt.examine import Question
from shapesmt.fleet.answers import sum_of
from shapesmt.frontends import ModelFile
from shapesmt.rules import plugin_versions
from shapesmt.version import __version__

__all__ = ["digest", "key"]


def key(file: ModelFile, question: Question, shapes: Mapping[str, Any]) -> bytes:
    """What tells the answer to a question about a model from other answers."""
    head = "\0".join((file.source, file.name, file.signature, digest(question, shapes), ""))
    return sum_of(head.encode(errors="surrogatepass"), _entries(file.path) or file.content)


def _entries(path: str) -> bytes:
    """What tells a zip file from others: the names, sizes and checksums of its entries; nothing of another file."""
    if not path:
        return b""
    try:
        with ZipFile(path) as archive:
            return repr([(entry.filename, entry.file_size, entry.CRC) for entry in archive.infolist()]).encode()
    except (OSError, ValueError, BadZipFile):
        return Path(path).read_bytes()


class _Last:
    """The question that was asked last, which is that of thousands of models: one tuple, as threads share it."""

    asked: tuple[Question, Mapping[str, Any], list[str], str] | None = None


def digest(question: Question, shapes: Mapping[str, Any]) -> str:
    """What tells a question, and the version of all that answers it, from others."""
    last, plugins = _Last.asked, plugin_versions()
    if last is None or last[0] is not question or last[1] is not shapes or last[2] != plugins:
        written = json.dumps([__version__, _onnx(), plugins, _plain(question), _plain(shapes)])
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
