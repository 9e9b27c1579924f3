"""Answers in Python: text, one line, a page, and bounds as a mapping."""

from __future__ import annotations

import pickle

import pytest

import shapesmt
from tests.support.reports import UNET, text

MODEL = b"""<ir_version: 8, opset_import: ["":18]>
g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }"""


def test_a_report_is_its_text_and_in_one_line_its_verdict():
    report = shapesmt.check(MODEL, dims={"n": range(2, 9), "m": 4})
    assert str(report).startswith("DEPENDS <bytes>: 1 of 1 requirement fails for some")
    assert repr(report) == "<Report <bytes>: DEPENDS, 1 finding>"
    assert not report.ok
    assert report.symbols["n"].max == 8
    assert str(UNET) + "\n" == text(UNET)
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
