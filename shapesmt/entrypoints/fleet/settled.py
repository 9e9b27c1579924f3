"""Settled: the outcome of a task, as processes send it and the cache stores it.

If only the table and the summary are shown, reports are brief, without findings: sending thousands of whole reports
takes longer than computing them. Reports arrive pickled, and are unpickled when more than their verdict is read.

A cached answer has three lines of JSON, and only the needed ones are parsed: the external files that its check
read, with the values for table and tally; the brief report; the whole report.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from shapesmt.entrypoints.fleet.answers import Entry
from shapesmt.frontends import SideRead
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Counts, Marks, Precondition, Report, Unchecked, UncheckedLine
from shapesmt.reports.render import json_text

Outcome: TypeAlias = Report | Unchecked
_NAMELESS = b'"model": ""'


class Wish(NamedTuple):
    """The form in which an outcome is requested.

    Attributes:
        brief: Whether the report comes without its findings.
        asked: The digest of the question, for the line in the file of results; "" for no line.
    """

    brief: bool = False
    asked: str = ""


class Source(NamedTuple):
    """The model that an outcome is about.

    Attributes:
        content: The digest of the model's content; "" if it has none.
        beside: The external files that were read.
    """

    content: str = ""
    beside: Sequence[SideRead] = ()


_UNTOLD = Source()


class Settled(NamedTuple):
    """The outcome of a task.

    Attributes:
        outcome: The report, or the error that prevented one.
        line: The line in the file of results; b"" without such a file.
        marks: Values of a brief report for the tally; None for a whole report or an error.
        entry: The answer to cache; None if it isn't cached.
    """

    outcome: Outcome
    line: bytes = b""
    marks: Marks | None = None
    entry: Entry | None = None


def settle(outcome: Outcome, wish: Wish, source: Source = _UNTOLD) -> Settled:
    """Return an outcome in the requested form; `source` is stated in its line of the file of results."""
    if isinstance(outcome, Unchecked):
        record = UncheckedLine(outcome.model, outcome.error, outcome.internal, asked=wish.asked)
        return Settled(outcome, json_text(record.to_dict()).encode() + b"\n" if wish.asked else b"")
    text = line(report_json(outcome), outcome.model, wish.asked, source) if wish.asked else b""
    return Settled(outcome.brief, text, Marks.of(outcome)) if wish.brief else Settled(outcome, text)


def pickle_outcomes(some: Sequence[Settled]) -> bytes:
    """Pickle outcomes for another process, with their reports as a pickle inside."""
    reports = [one.outcome for one in some if isinstance(one.outcome, Report)]
    heads = [(r.model, r.verdict, r.seconds, r.exporter, r.strict) for r in reports]
    others = [one._replace(outcome=None) if isinstance(one.outcome, Report) else one for one in some]  # type: ignore[arg-type]
    return pickle.dumps((others, heads, pickle.dumps(reports)))


def unpickle_outcomes(data: bytes) -> list[Settled]:
    """Return the outcomes that another process has pickled; their reports are unpickled later."""
    others, heads, reports = pickle.loads(data)  # noqa: S301 - it is a process of this program that sends them
    seal = _Seal(reports)
    opened = iter([
        Report.stored(
            partial(seal.report, place),
            model=model, verdict=verdict, seconds=seconds, exporter=exporter, strict=strict,
        )
        for place, (model, verdict, seconds, exporter, strict) in enumerate(heads)
    ])  # fmt: skip
    return [one._replace(outcome=next(opened)) if one.outcome is None else one for one in others]


class _Seal:
    """Reports that are unpickled together when the first of them is read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._reports: list[Report] | None = None

    def report(self, place: int) -> Report:
        data = self._data  # read first: other threads may set `_reports` and empty it meanwhile
        if self._reports is None:
            self._reports = pickle.loads(data)  # noqa: S301 - as above
            self._data = b""
        return self._reports[place]


def text(report: Report, reads: Sequence[SideRead]) -> bytes:
    """Return a report as the cache stores it, with the external files that were read for it."""
    brief, region = report.brief, report.precondition
    head = [
        list(dict.fromkeys(reads)), Marks.of(report).to_dict(), report.verdict.value, report.seconds, report.exporter,
        report.requirements.to_dict(), None if region is None else region.to_dict(), len(brief.findings),
    ]  # fmt: skip
    return b"\n".join([json.dumps(head).encode(), json.dumps(brief.to_dict()).encode(), report_json(report)])


class Place(NamedTuple):
    """The model of a cached report: its name in reports, the digest of its content, its folder (None without one)."""

    model: str
    content: str
    folder: str | None


def restore_report(text: bytes, place: Place, *, strict: bool, wish: Wish) -> Settled | None:
    """Return a cached report in the requested form; None if it is damaged or external files have changed."""
    try:
        head, brief, whole = text.split(b"\n")
        reads, marks, verdict, seconds, exporter, counts, region, findings = json.loads(head)
        beside = [SideRead(*read) for read in reads]
        if not all(read.is_unchanged(place.folder) for read in beside):
            return None
        report = Report.stored(
            lambda: Report.from_dict(json.loads(brief if wish.brief else whole)),
            model=place.model, verdict=Verdict(verdict), seconds=seconds, exporter=exporter, strict=strict,
            requirements=Counts.from_dict(counts), precondition=region and Precondition.from_dict(region),
            **({"findings": ()} if wish.brief and not findings else {}),
        )  # fmt: skip
        found = line(whole, place.model, wish.asked, Source(place.content, beside)) if wish.asked else b""
        return Settled(report, found, Marks.from_dict(marks) if wish.brief else None)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None  # shapesmt didn't write it


def report_json(report: Report) -> bytes:
    """Return the JSON of a report, with "" for the model's name."""
    return json_text({**report.to_dict(), "model": ""}).encode()


def line(report: bytes, model: str, asked: str, source: Source = _UNTOLD) -> bytes:
    r"""Return the line of a report in the file of results: the JSON from `report_json` with name, question and source.

    >>> line(b'{"schema": "shapesmt/check/1", "model": "", "verdict": "PROVED"}', "m.onnx", "4f", Source("c3"))
    b'{"schema": "shapesmt/check/1", "model": "m.onnx", "verdict": "PROVED", "asked": "4f", "content": "c3"}\n'
    """
    start, _, rest = report.partition(_NAMELESS)
    ends = {"asked": asked, "content": source.content, **({"beside": source.beside} if source.beside else {})}
    return b'%b"model": %b%b, %b\n' % (start, json_text(model).encode(), rest[:-1], json_text(ends).encode()[1:])
