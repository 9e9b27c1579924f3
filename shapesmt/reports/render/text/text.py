"""Results as text for the terminal: the verdict first, then each finding, its cause, and advice.

The wording consists of plain lines; `folding` gives them a width, and rich colours them on a terminal only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TextIO, cast

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import FindingKind, Remedy, facts
from shapesmt.reports.render.folding import WIDEST, fold, write
from shapesmt.reports.render.sentences.absence import absent
from shapesmt.reports.render.text.advice import command, flags
from shapesmt.reports.render.text.findings import causes
from shapesmt.reports.render.text.stories import MOST_LINES, height, stories_of, story_lines
from shapesmt.reports.render.text.warnings import sample_lines, samples_told, warning_lines
from shapesmt.reports.render.text.words import (
    BLANK,
    COMMAND,
    FAINT,
    STRONG,
    Line,
    admissible,
    adopted_lines,
    assumed_of_data,
    assuming,
    beside_guards,
    code,
    count,
    fixed_line,
    headline,
    line,
    name,
    region_told,
)

if TYPE_CHECKING:
    from shapesmt.reports.answers import (
        AnyResult,
        BatchReport,
        ErrorCode,
        ErrorOrigin,
        Explanation,
        Fact,
        Proof,
        Release,
        Report,
    )

COMPLETE = "the complete system, decided by the solver as a whole"
_ROOM = 30  # the most lines for the findings of an explanation, before its facts


def write_text(result: AnyResult, stream: TextIO) -> None:
    """Write `result`, wrapped and coloured if `stream` is a terminal."""
    write(lines(result), stream)


def write_everything(result: AnyResult, stream: TextIO) -> None:
    """Write `result` with all findings of a report, however many."""
    write(lines(result, everything=True), stream)


def write_headlines(result: AnyResult, stream: TextIO) -> None:
    """Write only the verdict of each model, in one line, and what differs from a baseline."""
    from shapesmt.reports.render.text.summary import comparison_lines

    heads = [next(lines(answer)) for answer in getattr(result, "models", [result])]
    heads += comparison_lines(getattr(result, "comparison", None))
    write((head._replace(whole=True) for head in heads), stream)


def write_fleet(result: AnyResult, stream: TextIO) -> None:
    """Write the table of several models and the tables over all of them, without their reports."""
    from shapesmt.reports.answers import BatchReport
    from shapesmt.reports.render.text.summary import fleet

    write(fleet(result) if isinstance(result, BatchReport) else lines(result), stream)


def lines(result: AnyResult, *, everything: bool = False) -> Iterator[Line]:
    """Return the text of `result`, line by line; with `everything`, nothing is left out."""
    kind = type(result).__name__
    module, function = _TEXTS[kind]
    words = getattr(import_module(f"shapesmt.reports.render.text.{module}"), function)
    text = words(result, everything=everything) if kind in _SHORTENED else words(result)
    return cast("Iterator[Line]", text)


def fold_text(result: AnyResult, width: int | None = None, *, everything: bool = False) -> str:
    """Return the text of `result` without colours, in lines of at most `width` columns (None: 100, but for tables)."""
    rows = lines(result, everything=everything)
    rows = rows if width is None else (row._replace(whole=False) for row in rows)
    return "".join(f"{piece}\n" for row in rows for piece in fold(row, width or WIDEST))


def _reports(result: BatchReport, *, everything: bool = False) -> Iterator[Line]:
    """Yield the report of each model that isn't proved, nor in the baseline as it is; then a line for each model."""
    from shapesmt.reports.render.text.summary import summary_lines

    for report in result.unlike:
        yield from _report(report, everything=everything)
        yield BLANK
        yield BLANK
    yield from summary_lines(result)


def _report(report: Report, *, everything: bool = False) -> Iterator[Line]:
    head = [
        headline(report.verdict, name(report.model), subject(report)),
        *fixed_line(report.fixed),
        *adopted_lines(report.symbols, report.origins, report.unadopted),
        *(line(0, (f"hint: {printable(hint, 4000)}", FAINT)) for hint in report.hints),
        *assumed_of_data(report.assumed),
    ]
    cautions = [*warning_lines(report, everything=everything)]
    end = [BLANK] if report.judged or report.warnings else []
    end += [*_region(report), *sample_lines(report), line(0, (proofs(report, everything=everything), FAINT))]
    end += [_repair(report)] * (report.verdict is Verdict.FAILS and report.release is None and not _nodes_hold(report))
    if report.certificate:
        end.append(line(0, (f"{COMPLETE}: {report.certificate}", FAINT)))
    room = MOST_LINES - sum(map(height, (head, cautions, end)))
    yield from head
    yield from story_lines(stories_of(report.judged, report.groups), report.symbols, room, everything=everything)
    yield from cautions
    yield from end


def _repair(report: Report) -> Line:
    """Return the line about changing the model, which is more likely wrong than the ranges."""
    return line(0, "next: ", (command("repair", report, Remedy({})), COMMAND))


def subject(report: Report) -> str:
    """Return the verdict in one sentence."""
    return _judged(report) + assuming(report.stated)


def _judged(report: Report) -> str:
    """Return the verdict in one sentence, without assumptions."""
    total = report.requirements.total
    over = admissible(report.symbols, report.assumptions)
    also = samples_told(report)
    if report.verdict is Verdict.PROVED or (also and _nodes_hold(report)):
        if total == 0:
            return "no node has a requirement that could fail" + also
        what = f"all {total} node requirements hold" if total > 1 else "its one node requirement holds"
        return what + (f" for every {over}" if over else "") + also
    parts = [f"{number} {what}" for number, what in _tallies(report) if number]
    if report.needed:
        parts.insert(0 if report.verdict is Verdict.UNKNOWN else len(parts), absent(facts.Absent(report.needed)))
    parts = parts or ["undecided"]
    if not over:
        return ", ".join(parts) + also
    if len(parts) == 1 and parts[0].endswith(" input"):
        return parts[0].removesuffix("input") + over + also
    return f"{', '.join(parts)}; {over}{also}"


def _nodes_hold(report: Report) -> bool:
    """Whether only samples keep a report from being proved."""
    counts, others = report.requirements, [f for f in report.judged if f.kind is not FindingKind.SAMPLES]
    clean = not (counts.fails or counts.depends or counts.unknown or others)
    return clean and (report.verdict is not Verdict.UNKNOWN or bool(report.judged))


def _tallies(report: Report) -> Iterator[tuple[int, str]]:
    """Yield the kinds of findings with their numbers, gravest first; the first is stated with the total."""
    counts = report.requirements
    of = f"of {count(counts.total, 'node requirement')} "
    for number, one, many in (
        (counts.fails, "fails for every input", "fail for every input"),
        (counts.depends, "fails for some input", "fail for some input"),
        (counts.unknown, "is undecided", "are undecided"),
    ):
        yield number, of + (one if number == 1 else many)
        of = "" if number else of
    kinds = Counter(finding.kind for finding in report.judged)
    for number, thing, state in (
        (kinds[FindingKind.UNSUPPORTED], "node", "without a rule"),
        (kinds[FindingKind.RANK], "node", "with inputs of unknown rank"),
        (kinds[FindingKind.ELEMENTS], "node", "with sizes that aren't tracked"),
        (kinds[FindingKind.COUNT], "node", "with indices that data count"),
        (kinds[FindingKind.LAYOUT], "node", "whose input has an unknown layout in memory"),
        (kinds[FindingKind.TIMEOUT], "node", "not looked at in the time given"),
    ):
        yield number, f"{count(number, thing).split(' ', 1)[1]} {state}"


def _region(report: Report) -> Iterator[Line]:
    """Yield the precondition of the whole model, and the flags under which it is proved."""
    region = report.precondition
    if report.release is not None:
        yield release_line(report.release)
    if region is None or report.verdict is Verdict.FAILS:
        return
    if region.text:
        how, formula = region_told(region)
        yield line(0, f"{name(report.model)} {how}", *(" ", code(formula)) * bool(formula))
    if report.guarded is not None:
        for before, refused, after in beside_guards(report.guarded):
            yield line(0, before, *(" ", code(refused)) * bool(refused), after)
    if report.remedy is not None:
        if report.remedy.doubt:
            yield line(0, (printable(report.remedy.doubt, 400), STRONG))
            yield _repair(report)
        note = f" ({printable(report.remedy.note, 400)})" if report.remedy.note else ""
        yield line(0, "PROVED with ", (flags(report.remedy), COMMAND), note)


def release_line(release: Release) -> Line:
    """Return the line about the inputs for which a model runs without the `--dim` numbers that make it fail."""
    region = release.precondition
    how, formula = region_told(region)
    what = [f"it {how} ", code(formula)] if formula else ["it runs for other sizes"]
    nearest = [", ".join(f"{name(n)}={size}" for n, size in at.items()) for at in release.nearest]
    pinned = flags(Remedy({n: str(size) for n, size in release.dims.items()}))
    return line(
        0,
        "without ",
        (pinned, COMMAND),
        " ",
        *what,
        *[f"; nearest: {' or '.join(nearest)}"] * bool(nearest),
    )


def proofs(report: Report, *, everything: bool = False) -> str:
    """Return the number of proved requirements as text; with `everything`, how many by each kind of proof."""
    counts = report.requirements
    ways = {"assumed": "assumed", "z3": "by Z3"}
    by = ", ".join(f"{number} {ways.get(how, f'by {how}')}" for how, number in counts.proved_by.items() if number)
    proved = f"{counts.proved} of {count(counts.total, 'requirement')} proved in {report.seconds:.2f} s after reading"
    return proved + (f" ({by})" if by and everything else "")


def _explanation(explanation: Explanation) -> Iterator[Line]:
    target = explanation.target
    subject = name(explanation.model) + (f", {name(target)}" if target is not None else "")
    over = admissible(explanation.symbols, explanation.assumptions)
    ending = (f"; {over}" if over else "") + assuming(explanation.assumed)
    yield headline(explanation.verdict, subject, _headline(explanation) + ending)
    yield from assumed_of_data(explanation.assumed)
    every, single = stories_of(explanation.findings, explanation.groups), target is not None
    whole = single or len(every) == 1
    yield from story_lines(every, explanation.symbols, _ROOM, everything=whole, further="explain MODEL NODE")
    if any(fact.expr != "False" for fact in explanation.facts):
        yield BLANK
        yield line(0, "these can't all hold")
        for fact in explanation.facts:
            yield _fact(2, fact)
    yield from _proofs_told(explanation.proofs)
    if explanation.because:
        yield BLANK
        yield line(0, "sizes come from")
        yield from causes(explanation.because)
    if explanation.tensors:
        from shapesmt.reports.render.text.tables import table, witnesses

        yield BLANK
        yield from table(explanation.tensors)
        yield from witnesses(explanation.tensors)
    if explanation.constraints is not None:
        from shapesmt.reports.render.text.constraints import constraint_lines

        yield from constraint_lines(explanation.constraints)


def _error_code(error: ErrorCode) -> Iterator[Line]:
    yield line(0, (error.code, STRONG), f" {error.title}")
    yield line(2, error.law)
    if error.report is not None:
        options = f"{flags(Remedy(error.dims, error.assume))}{f' --samples {error.samples}' if error.samples else ''}"
        yield BLANK
        yield line(2, (f"for example {error.report.model}", FAINT))
        yield from (line(4, row) for row in error.model.splitlines())
        yield BLANK
        yield line(2, (f"$ shapesmt check {error.report.model} {options.strip()}".rstrip(), FAINT))
        yield from (row._replace(indent=row.indent + 4) if row.parts else row for row in _report(error.report))
    yield BLANK
    yield line(2, "what helps")
    yield line(4, error.remedy)


def _origin(answer: ErrorOrigin) -> Iterator[Line]:
    from shapesmt.reports.render.errors import error_text

    return error_text(answer)


def _headline(explanation: Explanation) -> str:
    """Return the text of an explanation's first line."""
    findings = explanation.findings
    if not findings:
        return "nothing can fail here"
    single = bool(explanation.symbols) and all(r.min == r.max for r in explanation.symbols.values())
    if single and explanation.target is None and findings[0].verdict is Verdict.FAILS:
        return f"fails first at {name(findings[0].node)}"
    return count(len(findings), "finding")


def _proofs_told(proofs: Sequence[Proof]) -> Iterator[Line]:
    """Yield each requirement of a node with the facts that prove it."""
    if proofs:
        yield BLANK
        yield line(0, "it runs because")
    for proof in proofs:
        yield line(2, printable(proof.law, 400), (f"  ({proof.proved_by})", FAINT))
        if proof.condition != "True":
            yield line(4, code(proof.condition), " follows from" if proof.facts else " holds whatever the input")
        for fact in proof.facts:
            yield _fact(6, fact)


def _fact(indent: int, fact: Fact) -> Line:
    law = printable(fact.law or fact.kind, 200)
    return line(indent, code(fact.expr), f"  ({name(fact.node)}: {law})" if fact.node else f"  ({law})")


_TEXTS = {
    "Report": ("text", "_report"),
    "BatchReport": ("text", "_reports"),
    "Unchecked": ("summary", "unchecked_line"),
    "Explanation": ("text", "_explanation"),
    "ErrorOrigin": ("text", "_origin"),
    "ErrorCode": ("text", "_error_code"),
    "Bounds": ("tables", "bounds_text"),
    "Tightened": ("tables", "tightened_text"),
    "Profile": ("tables", "profile_text"),
    "DynamicShapes": ("tables", "dynamic_text"),
    "ModelFacts": ("tables", "facts_text"),
    "Operators": ("tables", "operators_text"),
    "Memory": ("memory", "memory_text"),
    "Simplified": ("rewrites", "simplified_text"),
    "Repairs": ("rewrites", "repairs_text"),
}
"""The module and the function that word each kind of answer."""
_SHORTENED = ("Report", "BatchReport", "Simplified")
"""The kinds of answers whose text is shortened unless `everything` is set."""
