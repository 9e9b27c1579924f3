"""Warnings in words: a section of their own, and names that stay text."""

from __future__ import annotations

import dataclasses

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Counts,
    Report,
)
from shapesmt.reports.answers.finding import ModelWarning
from tests.support.reports import text


def test_warnings_are_a_section_of_their_own():
    stretched = ModelWarning("SM901", "broadcast", "add", "Add", 3, "", "n = 1 is broadcast to m = 2 at n=1, m=2")
    spare = ModelWarning("SM906", "symbol", "", "", -1, "x", "nothing depends on k: no node reads 'x'")
    report = Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2), warnings=(stretched, spare))
    assert (
        text(report)
        == """\
PROVED m.onnx: all 2 node requirements hold

WARNING  add (Add, node 3)  SM901
  n = 1 is broadcast to m = 2 at n=1, m=2
WARNING  symbol  SM906
  nothing depends on k: no node reads 'x'

2 of 2 requirements proved in 0.00 s after reading
"""
    )
    many = dataclasses.replace(report, warnings=(spare,) * 15, strict=True)
    assert text(many).splitlines()[-4:] == [
        "12 more warnings; --all lists them",
        "15 warnings: --strict makes this fail",
        "",
        "2 of 2 requirements proved in 0.00 s after reading",
    ]


def test_names_in_warnings_are_shown_escaped():
    warning = ModelWarning("SM901", "broadcast", "a\x1b[2J", "A\ndd", 3, "", "n\x1b = 1")
    shown = text(Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2), warnings=(warning,)))
    assert "\\x1b[2J" in shown
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == 6
