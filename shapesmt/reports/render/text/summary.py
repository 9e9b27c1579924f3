"""The summary of several models: a table of their verdicts, and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import ERROR, BatchReport, Comparison, Report, Tally, Unchecked, is_expected
from shapesmt.reports.render.text.words import (
    FAINT,
    STRONG,
    STYLES,
    Line,
    code,
    column,
    count,
    line,
    name,
    row,
    runs_when,
)

MOST_ROWS = 12
_WIDEST = 60  # the most columns of the first cell of a row
_WIDTH = max(len(verdict.value) for verdict in Verdict)
_CHANGES = {"worse": STYLES[Verdict.FAILS], "better": STYLES[Verdict.PROVED]}


def unchecked_line(model: Unchecked) -> Iterator[Line]:
    """Yield the line about a model that could not be checked."""
    yield row(0, (ERROR, STYLES[Verdict.FAILS]), f" {name(model.model)}: {_reason(model)}")


def _reason(model: Unchecked) -> str:
    """Return the error without the name of the file at its start, which the line has already."""
    return printable(model.error.removeprefix(f"{PurePath(model.model).name}: "), 1000)


def summary_lines(result: BatchReport) -> Iterator[Line]:
    """Yield a row for each model: its verdict, how much of it is proved, when it runs; then the totals."""
    width = column(["model", *(name(model.model) for model in result.models)])
    yield row(0, (f"{'verdict':{_WIDTH}}  {'model':{width}}  proved", STRONG))
    for model in result.models:
        label = f"  {name(model.model):{width}}  "
        if isinstance(model, Unchecked):
            expected = ", as expected" if not model.exit_status else ""
            yield row(0, (f"{ERROR:{_WIDTH}}", STYLES[Verdict.FAILS]), label, _reason(model), expected)
        else:
            verdict = (f"{model.verdict.value:{_WIDTH}}", STYLES[model.verdict])
            yield row(0, verdict, label, *_extent(model))
    yield line(0)
    yield line(0, (f"{totals(result)} in {result.seconds:.2f} s, reading included", FAINT))
    yield from comparison_lines(result.comparison)


def comparison_lines(comparison: Comparison | None) -> Iterator[Line]:
    """Yield how many models differ from a baseline, then a line for each; nothing without a baseline."""
    if comparison is None:
        return
    tally = Counter(change.state for change in comparison.changes)
    if comparison.written:
        yield line(0, (f"written to {name(comparison.baseline)}: {count(comparison.same, 'model')}", STRONG))
        return
    counts = ", ".join([*(f"{number} {state}" for state, number in tally.items()), f"{comparison.same} unchanged"])
    yield line(0, (f"compared with {name(comparison.baseline)}: {counts}", STRONG))
    for change in comparison.changes:
        reasons = "; ".join(printable(reason, 1000) for reason in change.reasons)
        yield line(0, (change.state, _CHANGES.get(change.state, STRONG)), f" {name(change.model)}: {reasons}")
    if tally:
        yield line(0, ("to take these answers over: the same command with --write-baseline", FAINT))


def fleet(result: BatchReport) -> Iterator[Line]:
    """Yield the summary, then tables of failing laws, operators and exporters, each cut after its first rows."""
    yield from summary_lines(result)
    yield from _shared_tables(result.tally)


def _extent(report: Report) -> Iterator[str | tuple[str, str]]:
    """Yield the number of proved requirements, and the condition under which the others hold."""
    counts, region = report.requirements, report.precondition
    yield f"{counts.proved} of {counts.total}"
    if report.verdict is Verdict.DEPENDS and region is not None and region.text and (region.data or region.exact):
        how, formula = runs_when(region.whole, data=region.data is not None)
        yield f", {how} "
        yield code(formula)
    if not report.ok and is_expected(report.verdict.value, report.expected):
        yield ", as expected"


def totals(result: BatchReport) -> str:
    """Return the number of models by verdict, as text."""
    words = {"proved": "proved", "unknown": "undecided", "depends": "depending on the input", "fails": "failing"}
    tally = result.summary
    parts = [f"{tally[key]} {text}" for key, text in words.items() if tally[key]]
    parts += [f"{tally['unchecked']} not checked"] if tally["unchecked"] else []
    parts += [f"{result.left} left out"] if result.left else []
    return f"{count(tally['models'], 'model')}: {', '.join(parts)}"


class Rows(NamedTuple):
    """A table: its title, the heads of its columns, its rows."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def tables(tally: Tally) -> list[Rows]:
    """Return the tables over many models: laws and operators that fail, operators without a rule, exporters."""
    counted = [
        Rows(
            title,
            (head, "nodes", "models"),
            [(f"{t.code} {t.name}".strip(), str(t.nodes), str(t.models)) for t in times],
        )
        for title, head, times in (
            ("laws that fail", "law that fails", tally.laws),
            ("operators that fail", "operator that fails", tally.operators),
            ("operators without a rule", "operator without a rule", tally.without_rule),
        )
    ]
    exported = [(e.exporter, *map(str, (e.models, e.proved, e.depends, e.fails, e.unknown))) for e in tally.exporters]
    heads = ("exporter", "models", "proved", "depends", "fails", "undecided")
    return [table for table in (*counted, Rows("exporters", heads, exported)) if table.rows]


def _shared_tables(tally: Tally) -> Iterator[Line]:
    for _, heads, rows in tables(tally):
        shown = [heads, *([printable(row[0], _WIDEST), *row[1:]] for row in rows[:MOST_ROWS])]
        widths = [max(map(len, cells)) for cells in zip(*shown, strict=True)]
        yield line(0)
        for number, texts in enumerate(shown):
            cells = [
                f"{texts[0]:{widths[0]}}",
                *(f"{c:>{width}}" for c, width in zip(texts[1:], widths[1:], strict=True)),
            ]
            yield row(0, ("  ".join(cells), "" if number else STRONG))
        if len(rows) > MOST_ROWS:
            yield line(0, (f"and {len(rows) - MOST_ROWS} more", FAINT))
