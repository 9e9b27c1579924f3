"""Earlier results: read the records in a file of results, which may be damaged or hostile."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from shapesmt.base.errors import UsageError, pass_on, printable
from shapesmt.frontends import SideRead
from shapesmt.reports.answers import Report
from shapesmt.reports.export import hidden_start

Record = dict[str, Any]
LONGEST = 1 << 28  # bytes; a longer line counts as damaged
NAMES = 1000  # characters; a record with a longer name of a model counts as damaged
_JOURNAL = ".rows"


class Known(NamedTuple):
    """An earlier report that answers the same question by the same answerer, if its model is unchanged.

    Attributes:
        record: The record in the file.
        report: The report in it.
        content: The digest of the model's content.
        beside: The external files that were read for it.
    """

    record: Record
    report: Report
    content: str
    beside: tuple[SideRead, ...]


class Earlier(NamedTuple):
    """The contents of a file of results.

    Attributes:
        known: Reports that may be used again, by model.
        others: Records of models that aren't checked now, by model.
        damaged: The number of lines or rows that can't be read.
    """

    known: dict[str, Known]
    others: dict[str, Record]
    damaged: int


def read_earlier(path: str, asked: Mapping[str, str]) -> Earlier:
    """Read a file of results; `asked` maps each model to be checked to the digest of the current question.

    Raises:
        UsageError: The file can't be read at all.
    """
    known: dict[str, Known] = {}
    others: dict[str, Record] = {}
    damaged = 0
    with usage_errors("read", path):
        for record in _read_records(path):
            model = None if record is None else record.get("model")
            if record is None or not isinstance(model, str) or printable(model, NAMES) != model:
                damaged += 1
            elif model not in asked:
                others[model] = record
            elif record.get("asked") == asked[model] and "verdict" in record:
                one = _parse_record(record)
                damaged += one is None
                if one is not None:
                    known[model] = one
    return Earlier(known, others, damaged)


def _parse_record(record: Record) -> Known | None:
    """Return the report in a record; None if this version doesn't write such records."""
    with suppress(AttributeError, KeyError, TypeError, ValueError, RecursionError):
        report = Report.from_dict(record)
        content, beside = record["content"], tuple([SideRead(*read) for read in record.get("beside", ())])
        groups = range(len(report.groups))
        is_whole = all(finding.group is None or finding.group in groups for finding in report.findings)
        if is_whole and isinstance(content, str) and all(tuple(map(type, read)) == _READ for read in beside):
            return Known(record, report, content, beside)
    return None


_READ = (str, int, int, str)


@contextmanager
def usage_errors(verb: str, path: str) -> Iterator[None]:
    """Turn errors in reading or writing a file of results into one line, such as `cannot read r.jsonl: ...`."""
    shown = printable(path)
    try:
        yield
    except ImportError:
        raise UsageError(f"{shown} needs pyarrow: pip install 'shapesmt[parquet]'; or name it *.jsonl") from None
    except (OSError, ValueError, RuntimeError, MemoryError) as error:
        pass_on(error)
        reason = getattr(error, "strerror", None) or str(error) or "there isn't enough memory"
        raise UsageError(f"cannot {verb} {shown}: {printable(str(reason), 200)}") from None


def is_parquet(path: str) -> bool:
    """Whether `path` names a Parquet file, which has a row for each report."""
    return path.endswith(".parquet")


def journals(path: str) -> list[Path]:
    """Return the journals of an unfinished Parquet file, oldest first: this user's hidden JSON Lines next to it."""
    target = Path(path).resolve()
    start = hidden_start(target)
    found = []
    with suppress(OSError):
        found = [file for file in target.parent.iterdir() if file.name.startswith(start) and file.suffix == _JOURNAL]
    return sorted((file for file in found if _is_own(file)), key=lambda file: file.stat().st_mtime_ns)


def _is_own(file: Path) -> bool:
    status = file.lstat()
    return stat.S_ISREG(status.st_mode) and (not hasattr(os, "geteuid") or status.st_uid == os.geteuid())


def _read_records(path: str) -> Iterator[Record | None]:
    """Yield the records in a file, or in a Parquet file and its journals; None for each that can't be read."""
    if not is_parquet(path):
        if Path(path).is_file():
            yield from records(Path(path))
        return
    if Path(path).exists():
        yield from map(_record, _rows(path))
    for journal in journals(path):
        yield from records(journal)


def _rows(path: str) -> Iterator[object]:
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            if "report" not in file.schema_arrow.names:
                raise ValueError("it has no column 'report'")
            for batch in file.iter_batches(columns=["report"]):
                yield from batch.column(0).to_pylist()
    except Exception as error:  # pyarrow raises errors of all kinds for a damaged file
        pass_on(error)
        raise ValueError(" ".join(str(error).split())) from None


def records(path: Path) -> Iterator[Record | None]:
    """Yield the records in JSON Lines; None for a line that can't be read."""
    with path.open("rb") as file:
        while line := file.readline(LONGEST):
            if not line.isspace():
                yield _record(line)


def _record(text: object) -> Record | None:
    with suppress(ValueError, TypeError, RecursionError, MemoryError):
        one = json.loads(text)  # type: ignore[arg-type]
        if isinstance(one, dict):
            return one
    return None
