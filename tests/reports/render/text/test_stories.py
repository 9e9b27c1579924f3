"""Reports as long as one reads them: the gravest first, one story for each cause, and the rest counted."""

from __future__ import annotations

import dataclasses
import re

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Finding, FindingKind, Group
from shapesmt.reports.render.text.stories import MOST_LINES, height, stories_of
from shapesmt.reports.render.text.text import lines
from tests.support.reports import CONCAT, UNET, text

JOINS = tuple(dataclasses.replace(CONCAT, node=f"/up{i}/Concat", group=0) for i in range(4))
ODD = Finding(Verdict.UNKNOWN, FindingKind.UNSUPPORTED, "odd", "Odd", 20, "", "", group=1)
BEHIND = [Finding(Verdict.UNKNOWN, FindingKind.RANK, f"r{i}", "Add", 21 + i, "", "", group=1) for i in range(3)]
GROUPS = Group(4, holds_iff="height % 16 == 0"), Group(1, behind=3)
REPORT = dataclasses.replace(UNET, findings=(*JOINS, ODD, *BEHIND), groups=GROUPS)


def test_a_group_is_one_story_with_the_condition_that_covers_it():
    first, second = stories_of(REPORT.judged, GROUPS)
    assert (first.first.node, [f.node for f in first.others]) == ("/up0/Concat", [f"/up{i}/Concat" for i in (1, 2, 3)])
    assert (second.first.node, second.others) == ("odd", ())
    shown = text(REPORT)
    assert "DEPENDS  /up0/Concat (Concat, node 12) and 3 more nodes\n" in shown
    assert "  all run exactly when height % 16 == 0\n" in shown
    assert "  also: /up1/Concat, /up2/Concat, /up3/Concat\n" in shown


def test_nodes_behind_another_finding_are_counted():
    assert "UNKNOWN  odd (Odd, node 20); 3 later nodes weren't checked\n" in text(REPORT)
    assert "r1" not in text(REPORT)


def test_a_report_is_read_at_once_unless_all_of_it_is_asked_for():
    many = tuple(dataclasses.replace(CONCAT, node=f"n{i}") for i in range(50))
    report = dataclasses.replace(UNET, findings=many)
    shown = list(lines(report))
    assert height(shown) <= MOST_LINES
    assert re.fullmatch(r"6 findings shortened; 44 more findings: n6 .*; --all", str(shown[-5]))
    assert text(report).count("fails at") == text(report).count("runs exactly when height") - 1 == 6
    everything = "".join(f"{row}\n" for row in lines(report, everything=True))
    assert everything.count("fails at") == 50
