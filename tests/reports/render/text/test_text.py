"""The wording, line by line."""

from __future__ import annotations

import dataclasses
import io
import re
import subprocess
import sys

import pytest

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Bounds,
    Counts,
    DimBounds,
    Explanation,
    Fact,
    Operator,
    Operators,
    Precondition,
    Report,
    TensorBounds,
)
from shapesmt.reports.answers.finding import Cause, Clash, Counterexample, Finding, Group, Side, SymbolRange
from shapesmt.reports.render import render
from tests.support.reports import CONCAT, SYMBOLS, UNET, Terminal, text


def test_proved():
    report = Report("unet.onnx", Verdict.PROVED, SYMBOLS, Counts(310, proved=310), (), None, 0.111)
    assert text(report) == (
        "PROVED unet.onnx: all 310 node requirements hold for every batch in 1..32, height in 64..512\n"
        "310 of 310 requirements proved in 0.11 s after reading\n"
    )


def test_depends():
    assert (
        text(UNET)
        == """\
DEPENDS unet.onnx: 2 of 310 node requirements fail for some batch in 1..32, height in 64..512

DEPENDS  /up1/Concat (Concat, node 12)
  image[2] is 65, u1[2] is 66
    image[2] = height              = 65
    u1[2]    = 2*((height + 1)//2) = 66
  fails at height=65, width=64, any batch (image 1x3x65x64)
  runs exactly when height % 2 == 0
  because
    image[2] = height = 65               input
    d1[2]    = (height + 1)//2 = 33      /down1/Conv (stride 2, pads 1,1)
    u1[2]    = 2*((height + 1)//2) = 66  /up1/Resize (scales 1,1,2,2)
  help: pad the input to a multiple, crop the skip connection, \
or resize to the other tensor's size instead of by a factor
  required: joined tensors match off the join axis; more: shapesmt explain SM103

unet.onnx runs exactly when height % 16 == 0
PROVED with --dim height=64..512:16
308 of 310 requirements proved in 0.11 s after reading
"""
    )


def test_fails_with_all_kinds_of_findings():
    gemm = Finding(
        Verdict.FAILS,
        "requirement",
        "fc",
        "Gemm",
        3,
        "inner sizes agree",
        "False",
        Counterexample({"n": 1}, {"x": (1, 1024)}),
        "False",
        (),
        Clash(Side("1024", 1024), Side("1023", 1023)),
    )
    slow = Finding(Verdict.UNKNOWN, "requirement", "r", "Reshape", 4, "the number of elements is kept", "n*n == m*m")
    data = dataclasses.replace(CONCAT, kind="data", node="pick", because=(), clash=None, note="inside If_0/then")
    odd = [Finding(Verdict.UNKNOWN, "unsupported", f"odd{i}", "Odd", 5 + i, "", "", group=0) for i in range(3)]
    report = Report(
        "m.onnx",
        Verdict.FAILS,
        {"n": SymbolRange(1, None, 1, "model"), "k": SymbolRange(4, 4)},
        Counts(9, proved=6, fails=1, depends=1, unknown=1),
        (gemm, slow, data, *odd),
        Precondition(("False",), True),
        0.2,
        ("n % 2 == 0",),
        groups=(Group(3),),
    )
    assert (
        text(report)
        == """\
FAILS m.onnx: 1 of 9 node requirements fails for every input, 1 fails for some input, 1 is undecided, \
3 nodes without a rule; n in 1.., k = 4 with n % 2 == 0
declared in the file: n in 1.., k = 4

FAILS  fc (Gemm, node 3)
  inner sizes agree
  fails for every input, as at n=1 (x 1x1024)

UNKNOWN  r (Reshape, node 4)
  the number of elements is kept
    n*n == m*m
  undecided; narrower ranges or a longer --timeout may decide it

DEPENDS  pick (Concat, node 12)
  image[2] is 65, u1[2] is 66
  inside If_0/then
    height == 2*((height + 1)//2)
  fails at height=65, width=64, any batch (image 1x3x65x64)
  runs exactly when height % 2 == 0
  whether it fails depends on the data too, not on sizes alone
  help: pad the input to a multiple, crop the skip connection, \
or resize to the other tensor's size instead of by a factor
  required: joined tensors match off the join axis; more: shapesmt explain SM103

UNKNOWN  odd0 (Odd, node 5) and 2 more nodes
  operator Odd has no rule, so its outputs are unknown
  also: odd1, odd2

6 of 9 requirements proved in 0.20 s after reading
next: shapesmt repair m.onnx --assume "n % 2 == 0"
"""
    )


@pytest.mark.parametrize(
    ("counts", "verdict", "symbols", "first"),
    [
        (Counts(), Verdict.PROVED, {}, "PROVED m: no node has a requirement that could fail"),
        (Counts(1, 1), Verdict.PROVED, {}, "PROVED m: its one node requirement holds"),
        (Counts(2, 2), Verdict.PROVED, {}, "PROVED m: all 2 node requirements hold"),
        (Counts(1, fails=1), Verdict.FAILS, {}, "FAILS m: 1 of 1 node requirement fails for every input"),
        (
            Counts(9, fails=1), Verdict.FAILS, {"batch": SYMBOLS["batch"]},
            "FAILS m: 1 of 9 node requirements fails for every batch in 1..32",
        ),
        (Counts(9, unknown=2), Verdict.UNKNOWN, {}, "UNKNOWN m: 2 of 9 node requirements are undecided"),
        (
            Counts(2, 2),
            Verdict.PROVED,
            {f"s{i}": SymbolRange(1, 2) for i in range(9)},
            "PROVED m: all 2 node requirements hold for every s0 in 1..2, s1 in 1..2, s2 in 1..2, s3 in 1..2, "
            "s4 in 1..2, s5 in 1..2 and 3 more",
        ),
    ],
)  # fmt: skip
def test_first_line(counts, verdict, symbols, first):
    assert text(Report("m", verdict, symbols, counts)).splitlines()[0] == first


def test_a_region_that_is_not_exact_promises_nothing():
    claimed = Precondition(("a == b or a == 1", "b > 2"), False)
    report = dataclasses.replace(UNET, precondition=claimed, remedy=None)
    shown = text(report)
    assert "runs, as far as is known, when (a == b or a == 1) and b > 2\n" in shown
    assert "PROVED" not in shown


def test_a_region_that_is_partial_claims_no_input():
    partial = dataclasses.replace(UNET, precondition=Precondition(("b > 2",), False, partial=True), remedy=None)
    assert "runs, as far as is known, only when b > 2\n" in text(partial)
    data = dataclasses.replace(partial, precondition=Precondition(("b > 2",), False, False, partial=True))
    assert "runs whatever the data, as far as is known, only when b > 2\n" in text(data)


def test_explanation():
    explained = Explanation(
        "m.onnx",
        "fc",
        Verdict.PROVED,
        {"n": SymbolRange(1, 8)},
        facts=(Fact("requirement", "n == 4", "fc", "Gemm", "inner sizes agree"), Fact("input", "n == 3")),
        because=(Cause("Flatten_1", "y", 1, "4*n"),),
        tensors={"y": TensorBounds("float32", (DimBounds(4, 32, "4*n", witnesses=({"n": 1}, {"n": 8})),))},
    )
    assert (
        text(explained)
        == """\
PROVED m.onnx, fc: nothing can fail here; n in 1..8

these can't all hold
  n == 4  (fc: inner sizes agree)
  n == 3  (input)

sizes come from
    y[1] = 4*n  Flatten_1

tensor  dtype    shape
y       float32  [4..32]  [4*n]
  4*n is 4 at n=1 and 32 at n=8
"""
    )


def test_names_from_files_stay_text():
    evil = "\x1b[2J[bold red]:smile:\n\u202egnp.exe"
    finding = dataclasses.replace(CONCAT, node=evil, law=evil, because=(Cause(evil, evil, 0, evil),))
    report = dataclasses.replace(UNET, model=evil, findings=(finding,), symbols={evil: SymbolRange(1, 2)})
    tensors = {evil: TensorBounds("float32", (DimBounds(1, 2, evil),))}
    for result in (report, Bounds(evil, {}, tensors), Operators(evil, (Operator(evil),))):
        plain, terminal = text(result), Terminal()
        render(result, "text", terminal)
        for shown in (plain, terminal.getvalue()):
            assert r"\x1b[2J[bold red]:smile:\n\u202egnp.exe" in " ".join(shown.split())
            assert "\x1b[2J" not in shown
            assert "\u202e" not in shown


def test_no_colour_but_on_a_terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    plain, terminal = io.StringIO(), Terminal()
    render(UNET, "text", plain)
    render(UNET, "text", terminal)
    assert "\x1b" not in plain.getvalue()
    assert "\x1b[1;33mDEPENDS\x1b[0m unet.onnx" in terminal.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    without = Terminal()
    render(UNET, "text", without)
    assert "\x1b" not in without.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_terminal_gets_lines_that_fit(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    render(UNET, "text", terminal)
    rows = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()
    assert max(map(len, rows)) <= width
    assert " ".join(" ".join(rows).split()).replace(" ", "") == "".join(text(UNET).split())


def test_plain_text_needs_no_rich():
    code = (
        "import io, sys; from shapesmt import Verdict; from shapesmt.reports.render import render\n"
        "from shapesmt.reports.answers import *\n"
        "r = Report('m', Verdict.PROVED, {}, Counts(1, 1))\n"
        "render(r, 'text', io.StringIO()); render(r, 'json', io.StringIO()); print('rich' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
