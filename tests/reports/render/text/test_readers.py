"""Text for every reader: narrow and wide terminals, pipes, no colour, names from files."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Bounds,
    DimBounds,
    Explanation,
    Fact,
    Operator,
    Operators,
    Remedy,
    TensorBounds,
)
from shapesmt.reports.answers.finding import Cause
from shapesmt.reports.render import render
from tests.support.reports import UNET, Terminal, text

UNET_FILE = Path(__file__).parents[4] / "examples" / "unet" / "unet.onnx"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
LONG = "/model/" + "/".join(f"layers.{i}" for i in range(12)) + "/Concat"
WIDE = "模型/層/結合" * 6
EVIL = "\x1b[31m\x07[bold]x[/bold]\r\n\t\u202e\u200b\ud800`$(rm)`"


def renamed(name: str):
    """Results of every kind in which everything that a file can name is named so."""
    finding = dataclasses.replace(
        UNET.findings[0], code="SM103", node=name, op_type=name, law=name, because=(Cause(name, name, 2, name, 65),)
    )
    tensors = {name: TensorBounds("float32", (DimBounds(1, 32, name, witnesses=({name: 1}, {name: 32})),) * 4)}
    facts = (Fact("requirement", name, name, name, name),)
    return [
        dataclasses.replace(UNET, model=name, findings=(finding,)),
        Bounds(name, UNET.symbols, tensors),
        Explanation(name, name, Verdict.DEPENDS, UNET.symbols, (finding,), facts, finding.because, tensors),
        Operators(name, (Operator(name, name), Operator("Add", "", None, 3))),
    ]


RESULTS = [
    UNET,
    shapesmt.explain_code("SM101"),
    shapesmt.explain_code("SM113"),
    *renamed(LONG),
    *renamed(WIDE),
    *renamed(EVIL),
]


def at_a_terminal(result, monkeypatch, width: int, **environment: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": str(width), **environment}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    render(result, "text", terminal)
    return terminal.getvalue()


@pytest.mark.parametrize("width", [30, 40, 52, 60, 80])
def test_lines_fit_a_narrow_terminal_and_nothing_is_lost(monkeypatch, width):
    for result in RESULTS:
        shown = ESCAPES.sub("", at_a_terminal(result, monkeypatch, width))
        assert max(map(cell_len, shown.splitlines())) <= width
        assert "".join(shown.split()) == "".join(text(result).split())


def test_a_wide_terminal_gets_the_lines_of_a_file_and_whole_rows_of_tables(monkeypatch):
    for result in RESULTS:
        shown = ESCAPES.sub("", at_a_terminal(result, monkeypatch, 2000))
        assert " ".join(shown.split()) == " ".join(str(result).split())
        if str(result).isascii():  # a file's columns are characters
            assert [row.rstrip() for row in shown.splitlines()] == str(result).splitlines()


def test_a_file_gets_lines_of_100_columns_but_for_commands_and_rows_of_tables():
    remedy = Remedy({f"input_{i}.height": "64..512:16" for i in range(8)})
    rows = str(dataclasses.replace(UNET, remedy=remedy)).splitlines()
    (proved,) = (row for row in rows if row.startswith("PROVED with"))
    assert proved.count("--dim") == 8
    assert max(len(row) for row in rows if row != proved) <= 100
    assert "  help: pad the input to a multiple, crop the skip connection, or resize to the other tensor's size" in rows
    assert "      instead of by a factor" in rows
    tensors = {LONG: TensorBounds("float32", (DimBounds(1, 32, "height", witnesses=()),) * 20)}
    assert max(map(len, str(Bounds("m", UNET.symbols, tensors)).splitlines())) > 200


def test_what_is_continued_is_indented_further(monkeypatch):
    shown = ESCAPES.sub("", at_a_terminal(shapesmt.explain_code("SM101"), monkeypatch, 50)).splitlines()
    start = next(i for i, row in enumerate(shown) if row.startswith("    Give equal sizes"))
    assert len(shown) > start + 2
    assert all(row.startswith(" " * 8) for row in shown[start + 1 :])


def test_no_colour_is_honoured(monkeypatch):
    coloured = re.compile(r"\x1b\[[0-9;]*3[0-7]")
    for result in RESULTS[:3]:
        assert coloured.search(at_a_terminal(result, monkeypatch, 80))
        assert not coloured.search(at_a_terminal(result, monkeypatch, 80, NO_COLOR="1"))
        assert "\x1b" not in at_a_terminal(result, monkeypatch, 80, TERM="dumb")


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_a_pipe_gets_neither_colour_nor_wrapping(form):
    environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    ran = subprocess.run(
        [sys.executable, "-m", "shapesmt", "check", str(UNET_FILE), "--dim", "height=64..512", "--format", form],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**environment, "TERM": "xterm-256color", "COLUMNS": "40"},
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "\x1b" not in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) > 80


def test_names_from_files_reach_no_terminal_unescaped(monkeypatch):
    for result in renamed(EVIL):
        plain = io.StringIO()
        render(result, "text", plain)
        for shown in (plain.getvalue(), ESCAPES.sub("", at_a_terminal(result, monkeypatch, 60))):
            assert all(c.isprintable() or c == "\n" for c in shown)
            assert "[bold]x[/bold]" in "".join(shown.split())
        assert "\x1b[31m" not in at_a_terminal(result, monkeypatch, 60)
