"""The answer for several models: the gravest exit status counts."""

from __future__ import annotations

import pytest

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Counts, Report
from shapesmt.reports.answers.batch import BatchReport, Tallying, Times, Unchecked, reports_in
from shapesmt.reports.answers.finding import Finding, FindingKind

PROVED = Report("p", Verdict.PROVED, {}, Counts())


UNKNOWN = Report("u", Verdict.UNKNOWN, {}, Counts())


DEPENDS = Report("d", Verdict.DEPENDS, {}, Counts())


UNREAD = Unchecked("e", "cannot read it")


@pytest.mark.parametrize(
    ("models", "status"),
    [
        ((), 0),
        ((PROVED, PROVED), 0),
        ((PROVED, UNKNOWN), 3),
        ((UNKNOWN, DEPENDS), 1),
        ((UNKNOWN, DEPENDS, UNREAD), 2),
        ((UNREAD, Unchecked("i", "oops", internal=True), DEPENDS), 4),
    ],
)
def test_the_gravest_status_counts(models, status):
    assert BatchReport(models).exit_status == status
    assert reports_in(BatchReport(models)) == tuple(m for m in models if isinstance(m, Report))
    assert reports_in(PROVED) == (PROVED,)


LAW = "joined tensors match off the join axis"


def finding(op: str, verdict: Verdict = Verdict.FAILS, kind: FindingKind = FindingKind.REQUIREMENT) -> Finding:
    return Finding(
        verdict, kind, "n", op, 0, LAW if kind is FindingKind.REQUIREMENT else "it has a rule", "a == b", code="SM103"
    )


def test_nodes_and_models_are_counted_apart() -> None:
    tallying = Tallying()
    twice = (finding("Concat"), finding("Concat", Verdict.DEPENDS), finding("Stack", Verdict.UNKNOWN))
    tallying.add(Report("a", Verdict.FAILS, {}, Counts(), twice, exporter="pytorch 2"))
    tallying.add(Report("b", Verdict.FAILS, {}, Counts(), (finding("Add"),), exporter="pytorch 2"))
    unruled = finding("own.Fold", Verdict.UNKNOWN, FindingKind.UNSUPPORTED)
    tallying.add(Report("c", Verdict.UNKNOWN, {}, Counts(), (unruled, unruled)))
    tally = tallying.result()
    assert tally.laws == (Times(LAW, 3, 2, "SM103"),)
    assert tally.operators == (Times("Concat", 2, 1), Times("Add", 1, 1))
    assert tally.without_rule == (Times("own.Fold", 2, 1),)
    assert [(e.exporter, e.models, e.fails, e.unknown) for e in tally.exporters] == [
        ("pytorch 2", 2, 2, 0),
        ("unknown", 1, 0, 1),
    ]


def test_a_batch_counts_its_reports_unless_they_were_counted() -> None:
    report = Report("a", Verdict.FAILS, {}, Counts(), (finding("Add"), finding("Mul")))
    whole = BatchReport((report,))
    assert whole.tally.laws == (Times(LAW, 2, 1, "SM103"),)
    assert BatchReport((report.brief,)).tally.laws == (Times(LAW, 1, 1, "SM103"),)
    assert BatchReport((report.brief,), counted=whole.tally).tally == whole.tally
    assert report.brief.exit_status == report.exit_status


@pytest.mark.parametrize(
    ("verdict", "findings", "kept"),
    [
        (Verdict.FAILS, (finding("Add", Verdict.DEPENDS), finding("Mul"), finding("Sub")), ["Mul"]),
        (Verdict.DEPENDS, (finding("Add", Verdict.DEPENDS),), []),
        (Verdict.UNKNOWN, (finding("Add", Verdict.UNKNOWN),), ["Add"]),
        (Verdict.UNKNOWN, (finding("Add", Verdict.UNKNOWN),) * 2, []),
        (Verdict.UNKNOWN, (finding("Fold", Verdict.UNKNOWN, FindingKind.UNSUPPORTED),) * 2, ["Fold"]),
    ],
)
def test_a_brief_report_has_the_finding_of_its_headline(
    verdict: Verdict, findings: tuple[Finding, ...], kept: list[str]
) -> None:
    assert [f.op_type for f in Report("a", verdict, {}, Counts(), findings).brief.findings] == kept
