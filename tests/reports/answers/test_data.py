"""Data: what appears in the dictionaries of its JSON, which of them are shared, and how answers show themselves."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
from pathlib import Path

import pytest

import shapesmt
from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Bounds,
    Counts,
    DimBounds,
    Finding,
    FindingKind,
    Report,
    TensorBounds,
    altered,
    facts,
)
from shapesmt.reports.answers.finding import Cause, Clash, Side
from tests.reports.answers.test_report import CONCAT
from tests.support.reports import UNET, text

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_what_may_be_absent_appears_only_when_present():
    clash = Clash(Side("height", 65), Side("64", 64))
    rich = dataclasses.replace(CONCAT, clash=clash, note="inside If_0/then").to_dict()
    plain = CONCAT.to_dict()
    assert set(rich) - set(plain) == {"clash", "note"}
    assert rich["clash"] == {"left": {"expr": "height", "value": 65}, "right": {"expr": "64", "value": 64}}
    assert dataclasses.replace(CONCAT, counterexample=None).to_dict()["counterexample"] is None
    assert "value" not in Cause("n", "t", 0, "h").to_dict()
    assert Cause("n", "t", 0, "h", 0).to_dict()["value"] == 0
    assert Counts(1, 1, proved_by={"z3": 1}).to_dict()["proved_by"] == {"z3": 1}


def test_fifty_thousand_tensors_share_the_dictionaries_of_their_shapes():
    shapes = [TensorBounds("float32", (DimBounds(1, 32, f"b{i}"), DimBounds(1, 1, "1"))) for i in range(20)]
    bounds = Bounds("m", {}, {f"t{i}": shapes[i % 20] for i in range(50_000)})
    data = bounds.to_dict()
    assert bounds.exit_status == 0
    assert len(data["tensors"]) == 50_000
    assert len({id(tensor) for tensor in data["tensors"].values()}) == len(shapes)
    assert data["tensors"]["t20"] == data["tensors"]["t0"] != data["tensors"]["t1"]


MODEL = b"""<ir_version: 8, opset_import: ["":18]>
g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }"""


def test_a_report_is_its_text_and_in_one_line_its_verdict():
    report = shapesmt.check(MODEL, dims={"n": range(2, 9), "m": 4})
    assert str(report).startswith("DEPENDS <bytes>: 1 of 1 node requirement fails for some")
    assert repr(report) == "<Report <bytes>: DEPENDS, 1 finding>"
    assert not report.ok
    assert report.symbols["n"].max == 8
    assert " ".join(str(UNET).split()) == " ".join(text(UNET).split())
    assert max(map(len, report.text(width=50).splitlines())) <= 50
    assert len(report.text(everything=True)) >= len(report.text())


def test_a_notebook_shows_the_text_escaped():
    shown = shapesmt.check(MODEL)._repr_html_()
    assert "&lt;bytes&gt;" in shown
    assert "<bytes>" not in shown


def test_a_report_makes_its_page_unless_it_was_sent():
    report = shapesmt.check(MODEL)
    assert report.page().startswith("<!doctype html>")
    sent = pickle.loads(pickle.dumps(report))
    assert sent == report
    with pytest.raises(shapesmt.UsageError, match=r"shapesmt\.page"):
        sent.page()


def test_bounds_are_a_mapping():
    bounds = shapesmt.bounds(MODEL, dims={"n": "2..8:2", "m": "2..8:2"}, assume=["n == m"])
    assert list(bounds) == ["x", "y", "z"]
    assert "x" in bounds
    assert bounds.get("w") is None
    assert dict(bounds.items())["x"] == bounds["x"]
    assert bounds.tensors["x"].shape[0].step == 2
    with pytest.raises(KeyError):
        bounds["w"]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/*.onnx")), ids=lambda path: path.name)
def test_a_report_comes_back_from_its_json(path: Path) -> None:
    report = shapesmt.check(path)
    again = Report.from_dict(json.loads(json.dumps(report.to_dict())))
    assert again == dataclasses.replace(report, seconds=again.seconds)
    assert again.text() == dataclasses.replace(report, seconds=again.seconds).text()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"schema": "shapesmt/bounds/1"},
        {"model": "m", "verdict": "MAYBE", "symbols": {}, "requirements": {}},
        {"model": 7, "verdict": "PROVED", "symbols": {}, "requirements": {}},
        {"model": "m", "verdict": "PROVED", "symbols": {"n": {"min": "1", "max": None}}, "requirements": {}},
        {"model": "m", "verdict": "PROVED", "symbols": {}, "requirements": {"total": None}},
        {"model": "m", "verdict": "PROVED", "symbols": {}, "requirements": {}, "hints": 7},
    ],
)
def test_what_is_no_report_is_refused(data: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Report.from_dict(data)


@frozen()
class Marked(Finding):
    mark: str = ""


@pytest.mark.parametrize("kind", [Finding, Marked])
def test_a_copy_has_the_facts_and_a_pickle_the_sentences(kind: type[Finding]) -> None:
    inside = facts.Inside("loop/body")
    one = kind(Verdict.FAILS, FindingKind.DATA, "n", "Add", 0, "sizes agree", "a == b", note=inside, help="a text")  # type: ignore[arg-type]
    copy, sent = altered(one, group=3), pickle.loads(pickle.dumps(one))
    assert copy.told == one.told == {"note": inside}
    assert copy == dataclasses.replace(one, group=3) != one
    assert sent == one
    assert (sent.note, sent.told) == ("inside loop/body", {})


def test_a_copy_with_a_field_that_its_class_has_not_is_refused() -> None:
    with pytest.raises(TypeError, match="no fields of Finding: titel"):
        altered(CONCAT, titel="x")


@pytest.mark.parametrize("kind", [Finding, Report])
def test_a_class_whose_fields_hold_facts_can_be_looked_at(kind: type) -> None:
    assert {"to_dict", "told"} <= {name for name, _ in inspect.getmembers(kind)}
    assert Counts().told == {}
