"""Cache: answers in a folder, by the content of the model, the question, and the version of all that answers it.

Any number of processes may read and write the folder: each answer is a file of its own, which is written whole. Its
first line is the digest of the rest, so that a damaged one is none. The second is JSON: what was read of files beside
the model, with digests that are compared, and the brief report. The third is the whole report.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
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
from shapesmt.fleet.settled import Settled, Wish, line, written
from shapesmt.frontends import ModelFile, SideRead
from shapesmt.report import Marks, Report
from shapesmt.rules import plugin_versions
from shapesmt.version import __version__

__all__ = ["Entry", "digest", "prepared"]

LARGEST = 1 << 26  # bytes of an entry that is read
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
        self._path = f"{folder}/{name[:2]}/{name[2:]}.json"
        self._beside = file.folder
        self._question = question

    def keep(self, report: Report, reads: Sequence[SideRead]) -> None:
        """Keep an answer, and what was read of files beside the model for it."""
        free = not os.path.lexists(self._path) or os.path.isfile(self._path)  # noqa: PTH113 - as below
        if free and report.seconds < HURRIED * self._question.timeout:
            head = {"reads": list(dict.fromkeys(reads)), "brief": report.brief.to_dict()}
            head["marks"] = Marks.of(report).to_dict()
            rest = json.dumps(head).encode() + b"\n" + written(report)
            with suppress(OSError, UsageError):  # an answer that can't be kept is one all the same
                Path(self._path).parent.mkdir(exist_ok=True)
                write_whole(self._path, _sum(rest).encode() + b"\n" + rest)

    def kept(self, model: str, wish: Wish) -> Settled | None:
        """The answer that is there, if there is one, under the name of a model."""
        try:
            stated, _, rest = self._content().partition(b"\n")
            if stated == _sum(rest).encode():
                text, _, report = rest.partition(b"\n")
                head = json.loads(text)
                if all(SideRead(*read).unchanged(self._beside) for read in head["reads"]):
                    return self._settled(head, report, model, wish)
        except (OSError, AttributeError, KeyError, TypeError, ValueError, RecursionError):
            pass  # there is none, or it isn't ours
        return None

    def _content(self) -> bytes:
        status = os.stat(self._path)  # noqa: PTH116 - `pathlib` takes twice as long, here and below
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            return b""
        with open(self._path, "rb", buffering=0) as file:  # noqa: PTH123
            return file.readall()

    def _settled(self, head: Mapping[str, Any], report: bytes, model: str, wish: Wish) -> Settled:
        outcome = Report.from_dict({**(head["brief"] if wish.brief else json.loads(report)), "model": model})
        if self._question.strict:
            outcome = replace(outcome, strict=True)
        marks = Marks.from_dict(head["marks"]) if wish.brief else None
        return Settled(outcome, line(report, model, wish.asked) if wish.asked else b"", marks)


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
