"""Warnings as text, a line or two for each; and where the samples of a batch are."""

from __future__ import annotations

from collections.abc import Iterator

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import ModelWarning, OutputSamples, Report, SampleAnswer, WarningKind
from shapesmt.reports.render.text.sources import quotation
from shapesmt.reports.render.text.words import BLANK, FAINT, STRONG, Line, count, line, name

_MOST_WARNINGS = 3
_MOST_OUTPUTS = 4
_STYLE = "bold magenta"


def warning_lines(report: Report, *, everything: bool = False) -> Iterator[Line]:
    """Yield the warnings of a report as a section, after a blank line: the first few, or all with `everything`."""
    if not report.warnings:
        return
    yield BLANK
    shown = report.warnings if everything else report.warnings[:_MOST_WARNINGS]
    for warning in shown:
        yield from _warning(warning)
    if len(shown) < len(report.warnings):
        yield line(0, f"{count(len(report.warnings) - len(shown), 'more warning')}; --all lists them")
    if report.strict:
        yield line(0, f"{count(len(report.warnings), 'warning')}: --strict makes this fail")


def _warning(warning: ModelWarning) -> Iterator[Line]:
    where = f"{name(warning.op_type)}, node {warning.index}" if warning.index >= 0 else ""
    subject = name(warning.node) or warning.kind
    label = (subject, STRONG), f" ({where})" if where else ""
    yield line(0, ("WARNING", _STYLE), "  ", *label, (f"  {warning.code}", FAINT))
    yield line(2, printable(warning.text, 400))
    source = quotation(warning.source, warning.node)
    if source and warning.kind != WarningKind.STATIC:  # the text of that kind names the line
        yield line(2, source)


def samples_told(report: Report) -> str:
    """Return what a report says of samples, after its verdict on the nodes; "" if it wasn't asked."""
    return "".join(f"; samples of {name(s.symbol)} {_STATE[s.verdict]}" for s in _asked(report))


_STATE = {
    Verdict.PROVED: "stay apart",
    Verdict.DEPENDS: "are mixed for some input",
    Verdict.FAILS: "are mixed for every input",
    Verdict.UNKNOWN: "may be mixed",
}


def _asked(report: Report) -> list[SampleAnswer]:
    return [*([] if report.samples is None else [report.samples]), *report.further_samples]


def sample_lines(report: Report) -> Iterator[Line]:
    """Yield, for each dimension that counts samples, where they are in the outputs."""
    for answer in _asked(report):
        places = {output: _place(told, answer.symbol) for output, told in answer.outputs.items()}
        listed = list(dict.fromkeys(places.values()))
        for place in listed:
            outputs = [name(output) for output, own in places.items() if own == place]
            if len(outputs) > _MOST_OUTPUTS:
                outputs[_MOST_OUTPUTS - 1 :] = [f"{len(outputs) - _MOST_OUTPUTS + 1} more"]
            yield line(0, f"samples of {name(answer.symbol)} in {', '.join(outputs)}: {place}")


def _place(output: OutputSamples, symbol: str) -> str:
    """Return where an output's samples are."""
    if output.verdict == "apart":
        index = "" if output.inner == "1" else f" // ({printable(str(output.inner), 100)})"
        turns = "" if output.outer == "1" else f" % {name(symbol)}"
        sample = f"j{index}" if not turns else f"(j{index}){turns}" if index else f"j{turns}"
        return f"axis {output.axis}" + ("" if sample == "j" else f", index j belongs to sample {sample}")
    if output.verdict == "mixed" and output.holds_iff not in (None, "False"):
        return f"mixed unless {printable(str(output.holds_iff), 200)}"
    return {"shared": "none", "mixed": "mixed"}.get(output.verdict, "unknown")
