"""Notices: one sentence for each finding and warning, with a level, and an identity that outlives other nodes."""

import dataclasses

import pytest

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Counts, Finding, FindingKind, ModelWarning, Report, WarningKind
from shapesmt.reports.render.notices import notices_of
from tests.support.reports import CONCAT


def only(finding: Finding):
    (notice,) = notices_of(Report("m.onnx", finding.verdict, {}, Counts(), (finding,)))
    return notice


@pytest.mark.parametrize(("verdict", "level"), [("DEPENDS", "error"), ("FAILS", "error"), ("UNKNOWN", "note")])
def test_the_level_is_the_verdicts(verdict, level):
    assert only(dataclasses.replace(CONCAT, verdict=Verdict(verdict))).level == level


def test_the_identity_of_a_named_node_is_its_path():
    moved = dataclasses.replace(CONCAT, index=CONCAT.index + 7)
    assert only(moved).identity == only(CONCAT).identity
    assert CONCAT.node in only(CONCAT).identity


def test_the_identity_of_a_node_without_a_name_is_what_it_needs():
    kind = FindingKind.REQUIREMENT
    first, later = (Finding(Verdict.FAILS, kind, f"Add_{i}", "Add", i, "sizes are equal", "n == 3") for i in (3, 9))
    assert only(first).identity == only(later).identity


def test_declarations_appear_once_as_warnings():
    claim = Finding(Verdict.FAILS, FindingKind.DECLARATION, "a", "Add", 0, "declared", "n == 3", code="SM902")
    warning = ModelWarning("SM902", WarningKind.DECLARATION, "a", "Add", 0, "y", "the file declares [3] of 'y'")
    report = Report("m.onnx", Verdict.PROVED, {}, Counts(), (claim,), warnings=(warning,))
    assert [(n.level, n.text) for n in notices_of(report)] == [("warning", "the file declares [3] of 'y'")]
