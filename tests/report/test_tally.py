"""What many models have in common, counted."""

from __future__ import annotations

from shapesmt.algebra import Verdict
from shapesmt.report import BatchReport, Report, Tallying, Times
from shapesmt.report.finding import Finding, FindingKind
from shapesmt.report.report import Counts

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
    report = Report("a", Verdict.FAILS, {}, Counts(), (finding("Add"),))
    whole = BatchReport((report,))
    assert whole.tally.laws == (Times(LAW, 1, 1, "SM103"),)
    assert BatchReport((report.brief,)).tally.laws == ()
    assert BatchReport((report.brief,), counted=whole.tally).tally == whole.tally
    assert report.brief.exit_status == report.exit_status
