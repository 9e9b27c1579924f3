"""Results: a file with one report a line (JSON Lines), or a row (Parquet), written as the reports arrive."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol

from shapesmt.algebra import conjunction
from shapesmt.errors import UsageError, printable
from shapesmt.export import write_whole
from shapesmt.report import Report

__all__ = ["Results", "kept", "results"]

Record = dict[str, Any]
_ROWS = 256  # of Parquet's file that are written at once


class Results(Protocol):
    """A file that takes the line of one record after the other."""

    def write(self, line: bytes) -> None:
        """Add one."""

    def close(self) -> None:
        """End the file."""


def kept(path: str, asked: Mapping[str, str]) -> dict[str, tuple[Record, Report]]:
    """The records of earlier reports in a file, by model: those whose question is asked again.

    Raises:
        UsageError: The file can't be read.
    """
    found: dict[str, tuple[Record, Report]] = {}
    for one in _read(path):
        with suppress(KeyError, TypeError, ValueError):  # no report, or another version's
            report = Report.from_dict(one)
            if one["asked"] == asked.get(report.model):
                found[report.model] = one, report
    return found


@contextmanager
def results(path: str, records: Mapping[str, Record]) -> Iterator[Results]:
    """A file of results, which has these records at first.

    Raises:
        UsageError: It can't be written, or pyarrow isn't installed.
    """
    if path == "-":
        raise UsageError(
            "results are written to a file, not to - (standard output), where --format json prints them all"
        )
    with _refusing(path):
        file: Results = _Parquet(path, records) if _is_parquet(path) else _Lines(path, records)
    try:
        yield file
    finally:
        with _refusing(path):
            file.close()


def _is_parquet(path: str) -> bool:
    return path.endswith(".parquet")


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise UsageError(
            f"{printable(path)} needs pyarrow: pip install 'shapesmt[parquet]'; or name it *.jsonl"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write {printable(path)}: {printable(str(reason), 200)}") from None


def _read(path: str) -> Iterator[Record]:
    """The records in a file, and in the part of one that was not ended."""
    with _refusing(path):
        if not _is_parquet(path):
            yield from _lines(path)
            return
        if Path(path).exists():
            from pyarrow import parquet

            yield from map(json.loads, parquet.read_table(path, columns=["report"]).column("report").to_pylist())
        yield from _lines(_part(path))


def _lines(path: str) -> Iterator[Record]:
    """The records in JSON Lines; a line that isn't whole is none."""
    if not Path(path).exists():
        return
    with Path(path).open("rb") as file:
        for line in file:
            with suppress(ValueError):
                one = json.loads(line)
                if isinstance(one, dict):
                    yield one


def _part(path: str) -> str:
    """Where the rows of a Parquet file are kept as JSON Lines until it is written."""
    return f"{path}.part"


class _Lines:
    """JSON Lines: each line is written whole, so that a process that is killed leaves at most one that is not."""

    def __init__(self, path: str, records: Mapping[str, Record], *, own: bool = False) -> None:
        write_whole(path, b"".join(map(_line, records.values())), own=own)
        follow = getattr(os, "O_NOFOLLOW", 0) if own else 0
        self._name, self._file = path, os.open(path, os.O_WRONLY | os.O_APPEND | follow)

    def write(self, line: bytes) -> None:
        rest = memoryview(line)
        with _refusing(self._name):
            while rest:
                rest = rest[os.write(self._file, rest) :]

    def close(self) -> None:
        os.close(self._file)


def _line(record: Record) -> bytes:
    return json.dumps(record).encode() + b"\n"


class _Parquet(_Lines):
    """Parquet: a row for each model. A file can't be continued, so that it is written at the end, from JSON Lines."""

    def __init__(self, path: str, records: Mapping[str, Record]) -> None:
        importlib.import_module("pyarrow.parquet")
        super().__init__(_part(path), records, own=True)
        self._path = path

    def close(self) -> None:
        super().close()
        import pyarrow
        from pyarrow import parquet

        text, number = pyarrow.string(), pyarrow.int64()
        columns = {"model": text, "verdict": text, "requirements": number, "proved": number, "findings": number}
        columns |= {"precondition": text, "exporter": text, "error": text, "seconds": pyarrow.float64(), "report": text}
        schema, written = pyarrow.schema(list(columns.items())), Path(f"{self._path}.{token_hex(8)}.new")
        rows = map(_row, _lines(_part(self._path)))
        try:
            with written.open("xb") as content, parquet.ParquetWriter(content, schema) as file:
                while some := list(islice(rows, _ROWS)):
                    file.write_table(pyarrow.Table.from_pylist(some, schema=schema))
            written.replace(self._path)
        except BaseException:
            written.unlink(missing_ok=True)
            raise
        Path(_part(self._path)).unlink()


def _row(record: Record) -> Record:
    counts, region = record.get("requirements", {}), record.get("precondition") or {}
    return {
        "model": record["model"],
        "verdict": record.get("verdict"),
        "requirements": counts.get("total"),
        "proved": counts.get("proved"),
        "findings": len(record["findings"]) if "findings" in record else None,
        "precondition": conjunction(region["text"]) if region.get("exact") else None,
        "exporter": record.get("exporter"),
        "error": record.get("error"),
        "seconds": record.get("seconds"),
        "report": json.dumps(record),
    }
