"""Cache: answers in a folder, by the content of the model, the question, and the version of all that answers it.

Any number of processes may read and write the folder: each answer is a file of its own, which is written whole. Its
first line is the digest of the rest, so that a damaged one is none. What was read of files beside the model is noted
with its digest, and compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from shapesmt.errors import UsageError, printable
from shapesmt.examine import Question
from shapesmt.export import write_whole
from shapesmt.frontends import ModelFile, SideRead, side_reads
from shapesmt.report import Report
from shapesmt.rules import plugin_versions
from shapesmt.version import __version__

__all__ = ["Entry", "digest", "prepared"]

HURRIED = 0.5
"""The part of the timeout after which an answer isn't kept: some of it may be undecided for lack of time only."""


def prepared(folder: str) -> str:
    """The folder of a cache, which is created.

    Raises:
        UsageError: It can't be.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot make the folder {printable(folder)}: {reason}") from None
    return str(Path(folder).resolve())


class Entry:
    """The place of an answer in a folder.

    Args:
        file: The model.
        folder: The folder.
        question: The question.
        shapes: Shapes that are used if the model has such an input.
    """

    def __init__(self, file: ModelFile, folder: str, question: Question, shapes: Mapping[str, Any]) -> None:
        head = json.dumps([file.source, file.name, file.signature, digest(question, shapes)])
        name = _sum(head.encode(), _entries(file.path) or file.content)
        self._path = Path(folder, name[:2], f"{name[2:]}.json")
        self._beside = file.folder
        self._question = question

    def answer(self, model: str, compute: Callable[[], Report], *, fresh: bool) -> Report:
        """The answer that is there; if there is none, or with `fresh`, the one that is computed now, which is kept."""
        kept = None if fresh else self.kept(model)
        if kept is not None:
            return kept
        with side_reads() as reads:
            report = compute()
        if report.seconds < HURRIED * self._question.timeout:
            with suppress(OSError, UsageError):  # an answer that can't be kept is one all the same
                self._path.parent.mkdir(exist_ok=True)
                body = json.dumps({"reads": list(dict.fromkeys(reads)), "report": report.to_dict()}).encode()
                write_whole(self._path, _sum(body).encode() + b"\n" + body)
        return report

    def kept(self, model: str) -> Report | None:
        """The answer that is there, if there is one, under the name of a model."""
        try:
            stated, _, body = self._path.read_bytes().partition(b"\n")
            if stated == _sum(body).encode():
                entry = json.loads(body)
                if all(SideRead(*read).unchanged(self._beside) for read in entry["reads"]):
                    report = Report.from_dict({**entry["report"], "model": model})
                    return replace(report, strict=True) if self._question.strict else report
        except (OSError, KeyError, TypeError, ValueError):  # there is none, or another version's
            pass
        return None


def _sum(*contents: bytes) -> str:
    digest = blake2b(digest_size=20)
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


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
        last = _Last.asked = question, shapes, plugins, _sum(written.encode())
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
