"""Bars: they appear late, only at a terminal, and count."""

from __future__ import annotations

import io
import threading

from shapesmt.reports.render.progress import counting, timing
from tests.support.hang import PATIENCE
from tests.support.reports import Terminal


def test_progress_appears_only_late_and_only_at_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    quick, slow, piped = Terminal(), Terminal(), io.StringIO()
    with timing("checking m.onnx", 60, quick, delay=PATIENCE):
        pass
    with timing("checking [red]m.onnx", 60, slow, delay=0.01):
        assert slow.wrote.wait(PATIENCE)
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
