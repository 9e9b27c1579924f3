"""Results: a file with a line (JSON Lines) or a row (Parquet) for each report, written as they arrive."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import IO

from shapesmt.base.errors import UsageError, printable
from shapesmt.entrypoints.fleet.earlier import (
    Earlier,
    Record,
    is_parquet,
    journals,
    read_earlier,
    records,
    usage_errors,
)
from shapesmt.prover.algebra import conjunction
from shapesmt.reports.export import begin_whole, hidden_start, only_writer, replacing, write_all
from shapesmt.reports.render import json_text

_ROWS = 256  # rows of a Parquet file that are written at once
_INTEGERS = range(-(1 << 63), 1 << 63)


@contextmanager
def open_results(path: str) -> Iterator[Results]:
    """Open a file of results for this process only; it is unchanged until `begin`.

    Raises:
        UsageError: The file can't be written, another process writes it, or pyarrow isn't installed.
    """
    if path == "-":
        raise UsageError(
            "results are written to a file, not to - (standard output), where --format json prints them all"
        )
    with usage_errors("write", path):
        file = _Parquet(path) if is_parquet(path) else Results(path)
    with only_writer(path):
        try:
            yield file
        finally:
            with usage_errors("write", path):
                file.close()


class Results:
    """A JSON Lines file; lines are written whole, so that a killed process leaves at most one incomplete line."""

    def __init__(self, path: str) -> None:
        self._name = path
        self._file: IO[bytes] | None = None

    def earlier(self, asked: Mapping[str, str]) -> Earlier:
        """Read the file; `asked` has the digest of the current question, by model."""
        return read_earlier(self._name, asked)

    def begin(self, some: Iterable[Record]) -> None:
        """Replace the contents by these records, and open the file for more."""
        with usage_errors("write", self._name):
            self._file = begin_whole(self._path(), b"".join(map(_line, some)))

    def write(self, line: bytes) -> None:
        """Append the line of a record, or nothing if writing fails."""
        if self._file is not None:
            with usage_errors("write", self._name):
                size = os.fstat(self._file.fileno()).st_size
                try:
                    write_all(self._file, line)
                except BaseException:
                    with suppress(OSError):  # a pipe
                        self._file.truncate(size)
                    raise

    def close(self) -> None:
        """Close the file if it was begun."""
        if self._file is not None:
            self._file.close()

    def _path(self) -> Path:
        """Return the path that lines are written to."""
        return Path(self._name)


def _line(record: Record) -> bytes:
    return json_text(record).encode() + b"\n"


class _Parquet(Results):
    """A Parquet file with a row for each model, written at the end from a journal, as it can't be appended to."""

    def __init__(self, path: str) -> None:
        importlib.import_module("pyarrow.parquet")
        super().__init__(path)
        self._target = Path(path).resolve()
        self._journal = self._target.with_name(f"{hidden_start(self._target)}{token_hex(8)}.rows")

    def _path(self) -> Path:
        return self._journal

    def begin(self, some: Iterable[Record]) -> None:
        """Begin a journal with these records, and delete the journals of unfinished files."""
        if self._target.exists() and not self._target.is_file():
            raise UsageError(f"cannot write {printable(self._name)}: it is no file")
        before = journals(self._name)
        super().begin(some)
        for journal in before:
            journal.unlink()

    def close(self) -> None:
        """Write the rows of the journal to the Parquet file, and delete the journal."""
        if self._file is None:
            return
        super().close()
        import pyarrow
        from pyarrow import parquet

        text, number = pyarrow.string(), pyarrow.int64()
        columns = {"model": text, "verdict": text, "requirements": number, "proved": number, "findings": number}
        columns |= {"precondition": text, "exporter": text, "error": text, "seconds": pyarrow.float64(), "report": text}
        schema = pyarrow.schema(list(columns.items()))
        rows = (_row(record) for record in records(self._journal) if record is not None)
        with replacing(self._target) as target, parquet.ParquetWriter(target, schema) as file:
            while some := list(islice(rows, _ROWS)):
                file.write_table(pyarrow.Table.from_pylist(some, schema=schema))
        self._journal.unlink()


def _row(record: Record) -> Record:
    """Return the row of a record, which may come from an earlier file: values of unexpected types become None."""
    counts, region = _mapping(record.get("requirements")), _mapping(record.get("precondition"))
    findings, seconds = record.get("findings"), record.get("seconds")
    return {
        "model": record["model"],
        "verdict": _text(record.get("verdict")),
        "requirements": _number(counts.get("total")),
        "proved": _number(counts.get("proved")),
        "findings": len(findings) if isinstance(findings, list) else None,
        "precondition": _text(_exact(region)),
        "exporter": _text(record.get("exporter")),
        "error": _text(record.get("error")),
        "seconds": seconds if isinstance(seconds, float) else _number(seconds),
        "report": json.dumps(record),
    }


def _exact(region: Record) -> str | None:
    parts = region.get("text")
    if region.get("exact") is not True or not isinstance(parts, list):
        return None
    return conjunction(parts) if all(isinstance(part, str) for part in parts) else None


def _mapping(value: object) -> Record:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value.encode(errors="replace").decode() if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and value in _INTEGERS else None
