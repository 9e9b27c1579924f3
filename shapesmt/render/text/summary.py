"""The summary of several models: a table of their verdicts, and the totals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.algebra import Verdict
from shapesmt.errors import printable
from shapesmt.render.text.words import FAINT, STRONG, STYLES, Line, code, column, count, line, name, runs_when
from shapesmt.report import Unchecked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapesmt.report import BatchReport, Report

__all__ = ["summary", "totals", "unchecked"]

_ERROR = "ERROR"
_WIDTH = max(len(verdict.value) for verdict in Verdict)


def unchecked(model: Unchecked) -> Line:
    """The line of a model that could not be checked."""
    return line(0, (_ERROR, STYLES[Verdict.FAILS]), f" {name(model.model)}: {printable(model.error, 1000)}")


def summary(result: BatchReport) -> Iterator[Line]:
    """A row for each model: its verdict, how much of it is proved, when it runs; then the totals."""
    width = column(["model", *(name(model.model) for model in result.models)])
    yield line(0, (f"{'verdict':{_WIDTH}}  {'model':{width}}  proved", STRONG))
    for model in result.models:
        label = f"  {name(model.model):{width}}  "
        if isinstance(model, Unchecked):
            yield line(0, (f"{_ERROR:{_WIDTH}}", STYLES[Verdict.FAILS]), label, printable(model.error, 1000))
        else:
            verdict = (f"{model.verdict.value:{_WIDTH}}", STYLES[model.verdict])
            yield line(0, verdict, label, *_extent(model))
    yield line(0)
    yield line(0, (f"{totals(result)} in {result.seconds:.2f} s, reading included", FAINT))


def _extent(report: Report) -> Iterator[str | tuple[str, str]]:
    """The number of proved requirements, and the condition under which the others hold."""
    counts, region = report.requirements, report.precondition
    yield f"{counts.proved} of {counts.total}"
    if report.verdict is Verdict.DEPENDS and region is not None and region.text and (region.data or region.exact):
        how, formula = runs_when(region.whole, data=region.data is not None)
        yield f", {how} "
        yield code(formula)


def totals(result: BatchReport) -> str:
    """The number of models by verdict."""
    words = {"proved": "proved", "unknown": "undecided", "depends": "depending on the input", "fails": "failing"}
    tally = result.summary
    parts = [f"{tally[key]} {text}" for key, text in words.items() if tally[key]]
    parts += [f"{tally['unchecked']} not checked"] if tally["unchecked"] else []
    return f"{count(tally['models'], 'model')}: {', '.join(parts)}"
