"""Annotations of GitHub's workflows: one line each, whatever the names are."""

from __future__ import annotations

import dataclasses

import pytest

from shapesmt.entrypoints.cli.main import main
from shapesmt.network.laws import CATALOGUE
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Counts, Report
from shapesmt.reports.answers.batch import BatchReport, Unchecked
from shapesmt.reports.answers.finding import Finding, Source
from shapesmt.reports.render.github import commands
from tests.support.reports import UNET

EVIL = "a%b:c,d\r\n::error::\x1b[2J\u202e"


def test_one_line_for_each_finding():
    found = dataclasses.replace(UNET.findings[0], code="SM103")
    slow = Finding(Verdict.UNKNOWN, "requirement", "r", "Reshape", 4, "the number of elements is kept", "n*n == m*m")
    slow = dataclasses.replace(slow, code="SM104")
    report = dataclasses.replace(UNET, findings=(found, slow))
    report = dataclasses.replace(report, model="models/unet.onnx")
    several = BatchReport((report, dataclasses.replace(UNET, findings=()), Unchecked("b.onnx", "100% damaged")))
    assert list(commands(several)) == [
        "::error title=SM103 /up1/Concat (Concat),file=models/unet.onnx::joined tensors match off the join axis: "
        "height = 65 against 2*((height + 1)//2) = 66; fails at height=65, width=64, any batch (image 1x3x65x64); "
        "runs exactly when height %25 2 == 0",
        "::notice title=SM104 r (Reshape),file=models/unet.onnx::the number of elements is kept: n*n == m*m; undecided",
        "::error title=not checked,file=b.onnx::100%25 damaged",
    ]


@pytest.mark.parametrize("kind", ["requirement", "rank", "unsupported"])
def test_hostile_names_stay_one_line_of_one_command(kind):
    found = Finding(Verdict.FAILS, kind, EVIL, EVIL, 1, EVIL, EVIL, code="SM103", note=EVIL)
    (row,) = commands(Report(EVIL, Verdict.FAILS, {}, Counts(1, fails=1), (found,)))
    assert len(row.splitlines()) == 1
    assert "\x1b" not in row
    assert "\u202e" not in row
    command, properties, text = row[2:].partition(" ")[0], *row.partition(" ")[2].split("::", 1)
    assert command == "error"
    assert [p.partition("=")[0] for p in properties.split(",")] == ["title", "file"]
    file = properties.rpartition("file=")[2]
    assert file == r"a%25b%3Ac%2Cd\r\n%3A%3Aerror%3A%3A\x1b[2J\u202e"
    assert "%" not in text.replace("%25", "")


def test_on_the_command_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a,b.onnxtxt").write_text(CATALOGUE["SM104"].example)
    assert main(["check", "a,b.onnxtxt", "--format", "github"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("::error title=SM104 Reshape_0 (Reshape),file=a%2Cb.onnxtxt::the number of elements is kept")
    assert main(["check", "a,b.onnxtxt", "--dim", "n=8", "--format", "github"]) == 0
    assert capsys.readouterr().out == ""


def test_the_line_of_python_where_the_file_is_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = dataclasses.replace(UNET.findings[0], code="SM103", source=Source("/home/me/net,1/model.py", 13, code="x"))
    report = dataclasses.replace(UNET, findings=(found,))
    assert next(iter(commands(report))).startswith("::error title=SM103 /up1/Concat (Concat),file=unet.onnx::joined")
    (tmp_path / "net,1").mkdir()
    (tmp_path / "net,1" / "model.py").write_text("\n" * 12 + "  x\n")
    (row,) = commands(report)
    assert row.startswith(
        "::error title=SM103 /up1/Concat (Concat) in unet.onnx,file=net%2C1/model.py,line=13::joined tensors"
    )
