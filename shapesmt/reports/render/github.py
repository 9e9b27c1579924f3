"""Annotations of GitHub's workflows: one `::error file=...::...` line for each finding.

It is about the line of Python that the node comes from, if that file is below the working directory, else the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from shapesmt.base.errors import escape, printable
from shapesmt.reports.answers import AnyResult, changes_in, reports_in, unchecked_in
from shapesmt.reports.render.notices import notices_of
from shapesmt.reports.render.places import checked_out
from shapesmt.reports.render.text.words import name

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = {**_IN_TEXT, ord(":"): "%3A", ord(","): "%2C"}


def write_github(result: AnyResult, stream: TextIO) -> None:
    """Write the annotations for the reports in a result."""
    stream.writelines(f"{row}\n" for row in commands(result))


def commands(result: AnyResult) -> Iterator[str]:
    """Yield the workflow commands, line by line; a report's `model` is the path of its file.

    >>> from shapesmt.prover.algebra import Verdict
    >>> from shapesmt.reports.answers import Finding, FindingKind
    >>> from shapesmt.reports.answers import Counts, Report
    >>> kind = FindingKind.REQUIREMENT
    >>> finding = Finding(Verdict.FAILS, kind, "a:b", "Gemm", 3, "inner sizes agree", "", code="SM102")
    >>> print(*commands(Report("m.onnx", Verdict.FAILS, {}, Counts(1, fails=1), (finding,))))
    ::error title=SM102 a%3Ab (Gemm),file=m.onnx::inner sizes agree; fails for every input
    """
    for report in reports_in(result):
        for notice in notices_of(report):
            path = checked_out(notice.source)
            op = f" ({name(notice.op_type)})" if notice.op_type else ""
            title, place = f"{notice.code} {name(notice.node)}{op}", _file(report.model)
            if notice.source is not None and path:
                title, place = f"{title} in {name(report.model)}", f"{_file(path)},line={notice.source.line}"
            text = _escape(notice.text)
            yield f"::{_COMMANDS[notice.level]} title={title.translate(_IN_PROPERTIES)},file={place}::{text}"
    for change in changes_in(result):
        if change.state == "worse":
            text = _escape("; ".join(change.reasons))
            yield f"::error title=worse than the baseline,file={_file(change.model)}::{text}"
    for missing in unchecked_in(result):
        yield f"::error title=not checked,file={_file(missing.model)}::{_escape(missing.error)}"


def _escape(text: str) -> str:
    return escape(text).translate(_IN_TEXT)


def _file(path: str) -> str:
    return printable(path, 4096).translate(_IN_PROPERTIES)
