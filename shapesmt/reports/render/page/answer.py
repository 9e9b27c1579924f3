"""The top of a page: the answer as a sentence, the inputs that it covers, and the remedy."""

from __future__ import annotations

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict, conjunct, conjunction
from shapesmt.reports.answers import Finding, FindingKind, Report
from shapesmt.reports.render.page.document import badge, code, copyable
from shapesmt.reports.render.page.markup import Content, Markup, tag
from shapesmt.reports.render.page.phrases import word_conditions
from shapesmt.reports.render.text.advice import command
from shapesmt.reports.render.text.text import COMPLETE, proofs, release_line, subject
from shapesmt.reports.render.text.words import (
    adopted_lines,
    assumed_of_data,
    count,
    fixed_line,
    interval,
    name,
    region_told,
)

MOST_IN_HEADLINE = 90  # the most characters of a formula in a headline


def header(report: Report) -> Markup:
    """Return the answer, the inputs that it covers, and how it was found."""
    text = subject(report)
    return tag(
        "header",
        tag("p", badge(report.verdict), tag("bdi", name(report.model), class_="model"), class_="verdict"),
        tag("h1", headline(report)),
        tag("p", text[:1].upper() + text[1:], class_="lead"),
        tag("p", str(release_line(report.release)), class_="lead") if report.release is not None else None,
        _inputs(report),
        [tag("p", str(row), class_="faint") for row in fixed_line(report.fixed)],
        [tag("p", f"hint: {printable(hint, 400)}", class_="faint") for hint in report.hints],
        [tag("p", str(row), class_="faint") for row in adopted_lines({}, {}, report.unadopted)],
        [tag("p", str(row), class_="faint") for row in assumed_of_data(report.assumed)],
        tag("p", proofs(report), class_="faint"),
        tag("p", f"{COMPLETE}: {report.certificate}", class_="faint") if report.certificate else None,
    )


def headline(report: Report, *, below: str = ": the condition is below") -> Content:
    """Return the answer in one sentence; `below` stands for a condition that is too long for it.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.regions import Residue
    >>> from shapesmt.reports.answers import Counts, Precondition, Report
    >>> counts, said = Counts(2, proved=1, depends=1), Residue(*symbol("n").symbols, 4, (0,))
    >>> region = Precondition((said,), exact=True)
    >>> "".join(headline(Report("m.onnx", Verdict.DEPENDS, {}, counts, precondition=region)))
    'Runs exactly when n is a multiple of 4'
    """
    if report.verdict is Verdict.PROVED:
        return "Runs for every admissible input" if report.symbols else "Runs"
    if report.verdict is Verdict.DEPENDS:
        return _region_told(report, below)
    grave = [f for f in report.judged if f.verdict is report.verdict]
    first = next(iter(grave), None)
    if report.verdict is Verdict.FAILS and first is not None:
        every = "Fails for every input" if report.symbols else "Fails"
        return f"{every}: {printable(first.title or first.law, 200)}"
    return _undecided_title(first, len(grave))


def _region_told(report: Report, below: str) -> Content:
    region = report.precondition
    if region is None or not region.text:
        return "Runs for some inputs and fails for others"
    how, formula = region_told(region)
    how = how[:1].upper() + how[1:]
    if region.data_needs:
        return f"{how} {formula}"
    words, left = word_conditions(region.conjuncts)
    rest = [*map(str, left)]
    formula = " and ".join(map(conjunct, rest)) if words else conjunction(rest)
    if len(formula) > MOST_IN_HEADLINE or region.nowhere:
        return how if region.nowhere else f"Runs for some inputs{below}"
    return [f"{how} {words}", " and " if words and rest else "", code(formula) if rest else ""]


def _undecided_title(first: Finding | None, number: int) -> str:
    if first is None:
        return "Not decided"
    if first.kind == FindingKind.UNSUPPORTED:
        return f"Not decided: {name(first.op_type)} has no rule"
    return f"Not decided at {count(number, 'node')}"


def _inputs(report: Report) -> Markup | None:
    """Return the ranges of the symbols, and the assumptions; None if there are no symbols."""
    if not report.symbols:
        return None
    chips = [
        tag("li", tag("b", name(symbol)), tag("span", interval(r.min, r.max, r.step)), tag("small", name(r.source)))
        for symbol, r in report.symbols.items()
    ]
    assumed = [
        tag("li", tag("b", "assumed"), code(text), tag("small", name(report.origins.get(text, "--assume"))))
        for text in report.assumptions
    ]
    return tag("ul", chips, assumed, class_="chips", aria_label="admissible inputs")


def remedies(report: Report) -> Markup | None:
    """Return the whole command under which the model is proved, to copy; None if no remedy is known."""
    if report.remedy is None:
        return None
    text = command("check", report, report.remedy)
    note = f" ({printable(report.remedy.note, 400)})" if report.remedy.note else ""
    doubt = tag("p", printable(report.remedy.doubt, 400)) if report.remedy.doubt else None
    return tag("div", tag("h3", "What helps"), doubt, tag("p", "With these ranges it is ", badge(Verdict.PROVED), note),
               copyable(text, "remedy"))  # fmt: skip
