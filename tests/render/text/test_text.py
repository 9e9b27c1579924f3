"""The wording, line by line."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import subprocess
import sys
import threading

import pytest

from shapesmt.algebra import Verdict
from shapesmt.diagnose.remedy import declared
from shapesmt.render import render
from shapesmt.render.progress import counting, timing
from shapesmt.render.text.advice import flags
from shapesmt.render.text.text import lines
from shapesmt.report.finding import Cause, Clash, Counterexample, Finding, ModelWarning, Side, SymbolRange
from shapesmt.report.report import (
    Bounds,
    Counts,
    DimBounds,
    Explanation,
    Fact,
    Operator,
    Operators,
    Precondition,
    Remedy,
    Report,
    TensorBounds,
)

SYMBOLS = {"batch": SymbolRange(1, 32, 1, "--dim"), "height": SymbolRange(64, 512, 1, "--dim")}
CONCAT = Finding(
    Verdict.DEPENDS,
    "requirement",
    "/up1/Concat",
    "Concat",
    12,
    "joined tensors match off the join axis",
    "height == 2*((height + 1)//2)",
    Counterexample({"batch": 1, "height": 65, "width": 64}, {"image": (1, 3, 65, 64)}, ("height", "width")),
    "height % 2 == 0",
    (
        Cause("", "image", 2, "height", 65, shape=(1, 3, 65, 64)),
        Cause("/down1/Conv", "d1", 2, "(height + 1)//2", 33, "Conv", "stride 2, pads 1,1", (1, 8, 33, 32)),
        Cause("/up1/Resize", "u1", 2, "2*((height + 1)//2)", 66, "Resize", "scales 1,1,2,2", (1, 8, 66, 64)),
    ),
    Clash(Side("height", 65, "image", 2), Side("2*((height + 1)//2)", 66, "u1", 2)),
)
UNET = Report(
    "unet.onnx",
    Verdict.DEPENDS,
    SYMBOLS,
    Counts(310, proved=308, depends=2, proved_by={"interval": 7, "normal form": 301}),
    (CONCAT,),
    Precondition(("height % 16 == 0",), True),
    0.11,
    remedy=Remedy({"height": "64..512:16"}),
)


class Terminal(io.StringIO):
    """A stream that looks like a terminal, and knows when a whole bar has been written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.wrote = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        written = super().write(text)
        if " of 60 s" in self.getvalue():
            self.wrote.set()
        return written


def text(result) -> str:
    return "".join(f"{line}\n" for line in lines(result))


def test_proved():
    report = Report("unet.onnx", Verdict.PROVED, SYMBOLS, Counts(310, proved=310), (), None, 0.111)
    assert text(report) == (
        "PROVED unet.onnx: all 310 requirements hold for every batch in 1..32, height in 64..512\n"
        "310 of 310 requirements proved in 0.11 s\n"
    )


def test_depends():
    assert (
        text(UNET)
        == """\
DEPENDS unet.onnx: 2 of 310 requirements fail for some batch in 1..32, height in 64..512

DEPENDS  /up1/Concat (Concat, node 12)
  joined tensors match off the join axis
    image[2] = height              = 65
    u1[2]    = 2*((height + 1)//2) = 66
  fails at height=65, width=64, any batch (image 1x3x65x64)
  runs exactly when height % 2 == 0
  because
    input                             image[2] = height = 65
    /down1/Conv (stride 2, pads 1,1)  d1[2]    = (height + 1)//2 = 33
    /up1/Resize (scales 1,1,2,2)      u1[2]    = 2*((height + 1)//2) = 66

unet.onnx runs exactly when height % 16 == 0
PROVED with --dim height=64..512:16
308 of 310 requirements proved in 0.11 s (interval 7, normal form 301)
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
    odd = [Finding(Verdict.UNKNOWN, "unsupported", f"odd{i}", "Odd", 5 + i, "", "") for i in range(3)]
    report = Report(
        "m.onnx",
        Verdict.FAILS,
        {"n": SymbolRange(1, None, 1, "model"), "k": SymbolRange(4, 4)},
        Counts(9, proved=6, fails=1, depends=1, unknown=1),
        (gemm, slow, data, *odd),
        Precondition(("False",), True),
        0.2,
        ("n % 2 == 0",),
    )
    assert (
        text(report)
        == """\
FAILS m.onnx: 1 of 9 requirements fails for every input, 1 fails for some input, 1 is undecided, \
3 nodes without a rule; n in 1.., k = 4 with n % 2 == 0
declared in the file: n in 1.., k = 4

FAILS  fc (Gemm, node 3)
  inner sizes agree
    1024 against 1023
  fails for every input, as at n=1 (x 1x1024)

UNKNOWN  r (Reshape, node 4)
  the number of elements is kept
    n*n == m*m
  undecided in the time given; a longer --timeout may decide it

DEPENDS  pick (Concat, node 12)
  joined tensors match off the join axis
  inside If_0/then
    height == 2*((height + 1)//2)
  fails at height=65, width=64, any batch (image 1x3x65x64)
  runs exactly when height % 2 == 0
  it hinges on a size that only the data decide

UNKNOWN  odd0 (Odd, node 5)
  operator Odd has no rule, so its outputs are unknown; the same for 2 other nodes

6 of 9 requirements proved in 0.20 s
"""
    )


def test_what_nobody_gave_by_hand_is_told_with_its_source():
    symbols = {
        "a": SymbolRange(1, 2, 1, "--dim"),
        "b": SymbolRange(1, 3, 1, "metadata"),
        "c": SymbolRange(1, 4, 1, "shapesmt.toml"),
    }
    report = Report(
        "m", Verdict.PROVED, symbols, Counts(2, 2), assumptions=("a <= b", "b <= c"),
        origins={"b <= c": "shapesmt.toml"}, unadopted={"s17": SymbolRange(1, 64)},
    )  # fmt: skip
    assert text(report).splitlines()[1:4] == [
        "from the file's metadata: b in 1..3",
        "from shapesmt.toml: c in 1..4, b <= c",
        "noted in the file under names that no input has, so not adopted: s17 in 1..64; use --dim",
    ]
    assert report.to_dict()["assumptions_from"] == {"b <= c": "shapesmt.toml"}
    assert report.to_dict()["unadopted"]["s17"]["max"] == 64


def test_warnings_are_a_section_of_their_own():
    stretched = ModelWarning("SM901", "broadcast", "add", "Add", 3, "", "n = 1 is stretched to m = 2 at n=1, m=2")
    spare = ModelWarning("SM906", "symbol", "", "", -1, "x", "nothing depends on k: no node reads 'x'")
    report = Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2), warnings=(stretched, spare))
    assert (
        text(report)
        == """\
PROVED m.onnx: all 2 requirements hold

WARNING  add (Add, node 3)  SM901
  n = 1 is stretched to m = 2 at n=1, m=2
WARNING  symbol  SM906
  nothing depends on k: no node reads 'x'

2 of 2 requirements proved in 0.00 s
"""
    )
    many = dataclasses.replace(report, warnings=(spare,) * 15, strict=True)
    assert text(many).splitlines()[-4:] == [
        "3 more warnings; --format json lists all",
        "15 warnings: --strict makes this fail",
        "",
        "2 of 2 requirements proved in 0.00 s",
    ]


def test_names_in_warnings_are_shown_escaped():
    warning = ModelWarning("SM901", "broadcast", "a\x1b[2J", "A\ndd", 3, "", "n\x1b = 1")
    shown = text(Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2), warnings=(warning,)))
    assert "\\x1b[2J" in shown
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == 6


@pytest.mark.parametrize(
    ("counts", "verdict", "symbols", "first"),
    [
        (Counts(), Verdict.PROVED, {}, "PROVED m: no node has a requirement that could fail"),
        (Counts(1, 1), Verdict.PROVED, {}, "PROVED m: its one requirement holds"),
        (Counts(2, 2), Verdict.PROVED, {}, "PROVED m: all 2 requirements hold"),
        (Counts(1, fails=1), Verdict.FAILS, {}, "FAILS m: 1 of 1 requirement fails for every input"),
        (Counts(9, fails=1), Verdict.FAILS, SYMBOLS, "FAILS m: 1 of 9 requirements fails for every batch in 1..32, "
         "height in 64..512"),
        (Counts(9, unknown=2), Verdict.UNKNOWN, {}, "UNKNOWN m: 2 of 9 requirements are undecided"),
        (
            Counts(2, 2),
            Verdict.PROVED,
            {f"s{i}": SymbolRange(1, 2) for i in range(9)},
            "PROVED m: all 2 requirements hold for every s0 in 1..2, s1 in 1..2, s2 in 1..2, s3 in 1..2, "
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


def test_many_findings_are_cut_short_and_say_so():
    many = tuple(dataclasses.replace(CONCAT, node=f"n{i}") for i in range(50))
    shown = text(dataclasses.replace(UNET, findings=many))
    assert "30 more findings; --format json lists all\n" in shown
    assert shown.count("fails at") == 20


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (["height % 16 == 0"], "--dim height=64..512:16"),
        (["height % 16 == 5"], "--dim height=69..501:16"),
        (["height <= 100", "height % 16 == 0"], "--dim height=64..96:16"),
        (["height >= 100"], "--dim height=100..512"),
        (["height == 224"], "--dim height=224"),
        (["`Batch Size` <= 8"], '--dim "Batch Size=1..8"'),
        (["free >= 7"], "--dim free=7.."),
        (["stepped % 3 == 0"], "--dim stepped=6..96:6"),
        (["stepped % 4 == 1"], '--assume "stepped % 4 == 1"'),
        (["stepped >= 5", "stepped <= 9"], "--dim stepped=6..8:2"),
        (["70 <= height <= 99"], "--dim height=70..99"),
        (["shaped <= 3"], '--assume "shaped <= 3"'),
        (["height % 4 in {0, 3}"], '--assume "height % 4 in {0, 3}"'),
        (["total == past + seq", "height <= 100"], '--dim height=64..100 --assume "total == past + seq"'),
        (["`a b` == height"], "--assume '`a b` == height'"),
        (["height >= 900"], '--assume "height >= 900"'),
    ],
)
def test_flags_that_make_it_proved(conditions, expected):
    symbols = {
        "height": SymbolRange(64, 512),
        "Batch Size": SymbolRange(1, None),
        "free": SymbolRange(1, None),
        "stepped": SymbolRange(2, 100, 2),
        "shaped": SymbolRange(1, 8, 1, "--shape"),
    }
    assert flags(declared(conditions, symbols)) == expected


def test_bounds():
    tensors = {
        "image": TensorBounds("float32", (DimBounds(1, 32, "batch"), DimBounds(3, 3, "3"))),
        "mask": TensorBounds("bool", (DimBounds(1, None, "n*n", False),)),
        "unknown": TensorBounds("", None),
        "scalar": TensorBounds("int64", ()),
    }
    assert (
        text(Bounds("m.onnx", {"batch": SymbolRange(1, 32, 1, "--dim")}, tensors))
        == """\
m.onnx: 4 tensors, 2 not exact (marked ~); batch in 1..32

tensor   dtype    shape
image    float32  [1..32, 3]  [batch, 3]
mask     bool     [~1..]      [n*n]
unknown  ?        [...]
scalar   int64    []
"""
    )


def test_bounds_that_are_exact_and_bounds_of_nothing():
    assert text(Bounds("m", {}, {"x": TensorBounds("float32", ())})).startswith(
        "m: 1 tensor, every bound attained and proven\n"
    )
    assert text(Bounds("m", SYMBOLS, {}, valid=False)) == (
        "FAILS m: no input is valid, so nothing has bounds; batch in 1..32, height in 64..512\n"
    )


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
    Flatten_1  y[1] = 4*n

tensor  dtype    shape
y       float32  [4..32]  [4*n]
  4*n is 4 at n=1 and 32 at n=8
"""
    )


def test_operators():
    listed = (Operator("Add", since=7, nodes=3), Operator("Odd", "com.example", None, 1))
    assert (
        text(Operators("m.onnx", listed))
        == """\
m.onnx: 1 of 2 operators with a rule

Add              since 7   3 nodes
com.example.Odd  no rule   1 node

an operator without a rule leaves its nodes undecided: shapesmt explain SM601 says what helps
"""
    )
    assert text(Operators(None, listed[:1])) == "1 operator with a rule\n\nAdd  since 7\n"


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
    assert "\x1b[1;33m" not in without.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_terminal_gets_lines_that_fit(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    render(UNET, "text", terminal)
    rows = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()
    assert max(map(len, rows)) <= width
    assert " ".join(" ".join(rows).split()).replace(" ", "") == "".join(text(UNET).split())


def test_json_has_one_line_for_each_finding_and_tensor():
    stream = io.StringIO()
    render(UNET, "json", stream)
    assert json.loads(stream.getvalue()) == UNET.to_dict()
    assert stream.getvalue().splitlines()[0] == '{"schema": "shapesmt/check/1",'
    assert sum('"op_type": "Concat"' in row for row in stream.getvalue().splitlines()) == 1
    shared = TensorBounds("float32", (DimBounds(1, 2, "n"),))
    bounds = Bounds("m", {}, {"a": shared, "b": shared, "\ud800": TensorBounds("", None)})
    stream = io.StringIO()
    render(bounds, "json", stream)
    assert json.loads(stream.getvalue()) == bounds.to_dict()
    assert stream.getvalue().isascii()
    assert '  "b": {"dtype": "float32", "shape": [{"min": 1, ' in stream.getvalue()


def test_plain_text_needs_no_rich():
    code = (
        "import io, sys; from shapesmt import Verdict; from shapesmt.render import render\n"
        "from shapesmt.report import *\n"
        "r = Report('m', Verdict.PROVED, {}, Counts(1, 1))\n"
        "render(r, 'text', io.StringIO()); render(r, 'json', io.StringIO()); print('rich' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_progress_appears_only_late_and_only_at_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    quick, slow, piped = Terminal(), Terminal(), io.StringIO()
    with timing("checking m.onnx", 60, quick, delay=60):
        pass
    with timing("checking [red]m.onnx", 60, slow, delay=0.01):
        assert slow.wrote.wait(60)
    threads = threading.active_count()
    with timing("checking m.onnx", 60, piped, delay=0):
        assert threading.active_count() == threads
    assert quick.getvalue() == piped.getvalue() == ""
    assert "checking [red]m.onnx" in slow.getvalue()
    assert "of 60 s" in slow.getvalue()


def test_models_are_counted_only_at_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown, piped = Terminal(), io.StringIO()
    for stream in (shown, piped):
        with counting(2, stream) as done:
            done("a.onnx")
            done("[red]b\x1b.onnx")
    assert piped.getvalue() == ""
    assert "2/2" in shown.getvalue()
    assert "[red]b\\x1b.onnx" in shown.getvalue()
