"""Read the archive that `torch.export.save` writes: a zip file; only JSON and raw constants in it are ever read.

Since PyTorch 2.8 it has `ROOT/models/NAME.json` for each program; before, only `serialized_exported_program.json`.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from shapesmt.base.collector import gc_paused
from shapesmt.base.errors import ModelError, ShapesmtError, pass_on, printable
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property

_MOST = 1 << 27  # bytes; a larger program is refused
_DIRECTORY = 1 << 24  # bytes; a longer list of entries is refused (each parameter may be an entry)
_END = 1 << 17  # bytes at the end of a zip file that contain the length of that list
_PROGRAM = re.compile(r"(?:[^/]+/)?models/([^/]+)\.json")
_OLD = "serialized_exported_program.json"
_COMPILED = re.compile(r"(?:[^/]+/)?data/aotinductor/|.*\.(?:so|wrapper\.cpp)$")


@frozen(eq=False)
class Archive:
    """The programs of an archive, read on demand.

    `file` is the archive's path or, if it has none, its content.
    """

    file: str | bytes
    source: str

    def programs(self) -> dict[str, str]:
        """Return the entry of each program by its name.

        Raises:
            ModelError: The file is no archive of programs.
        """
        names = self.names
        entries = [(match[1], name) for name in names if (match := _PROGRAM.fullmatch(name))]
        entries = entries or [("model", name) for name in names if name == _OLD]
        if len(dict(entries)) < len(entries):
            raise ModelError(f"{self.source}: two programs in it have one name; it is damaged")
        if not entries and any(_COMPILED.match(name) for name in names):
            raise ModelError(
                f"{self.source}: an AOTInductor package, which has compiled code instead of a graph; "
                "check the program that it was compiled from (torch.export.save)"
            )
        if not entries:
            raise ModelError(f"{self.source}: a zip file, but not of torch.export.save: it has no program")
        return dict(entries)

    @cached_property
    def names(self) -> list[str]:
        """The names of the entries, which may repeat.

        Raises:
            ModelError: The file is no zip file, or damaged.
        """
        with self._open() as zipped:
            return [info.filename for info in zipped.infolist()]

    def document(self, entry: str) -> dict[str, Any]:
        """Return the JSON of an entry.

        Raises:
            ModelError: The entry is missing, too large, or not JSON.
        """
        content = self.content(entry, _MOST)
        if content is None:
            raise ModelError(f"{self.source}: its program can't be read, or has more than {_MOST >> 20} MiB")
        try:
            with gc_paused():
                document = json.loads(content)
        except (ValueError, RecursionError, MemoryError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else printable(str(error), 100)
            raise ModelError(f"{self.source}: its program is no JSON, or damaged ({reason})") from None
        if not isinstance(document, dict):
            raise ModelError(f"{self.source}: its program is not what torch.export writes")
        return document

    def content(self, entry: str, most: int) -> bytes | None:
        """Return the content of an entry; None if there is none, or if it has more than `most` bytes."""
        try:
            with self._open() as zipped, zipped.open(entry) as file:
                content = file.read(most + 1)
        except KeyError:
            return None
        return content if len(content) <= most else None

    @contextmanager
    def _open(self) -> Iterator[zipfile.ZipFile]:
        try:
            with Path(self.file).open("rb") if isinstance(self.file, str) else BytesIO(self.file) as file:
                if _directory(file) > _DIRECTORY:
                    raise ModelError(f"{self.source}: an archive with more entries than PyTorch writes")
                with zipfile.ZipFile(file) as zipped:
                    yield zipped
        except (ShapesmtError, KeyError):
            raise
        except MemoryError:
            raise ModelError(f"{self.source}: too large to read") from None
        except Exception as error:  # zipfile may raise anything on hostile data
            pass_on(error)
            reason = printable(str(error), 100) or type(error).__name__
            raise ModelError(f"{self.source}: a zip file that can't be read: {reason}") from None


def _directory(file: IO[bytes]) -> int:
    """Return the length of a zip file's list of entries, which zipfile reads completely when it opens the file."""
    size = file.seek(0, 2)
    file.seek(max(size - _END, 0))
    end = file.read()
    short, long = end.rfind(b"PK\5\6"), end.rfind(b"PK\6\6")
    lengths = [int.from_bytes(end[long + 40 : long + 48], "little")] if long >= 0 else []
    length = int.from_bytes(end[short + 12 : short + 16], "little") if short >= 0 else 0
    return max([*lengths, 0 if length == 0xFFFFFFFF else length])
