"""Replays in ONNX Runtime's default session, and without optimizations where the two differ."""

from __future__ import annotations

import numpy as np

import shapesmt
from tests.support.sessions import ROWS, TABLE, half, parsed


def test_a_finding_about_the_session_fails_there_and_runs_as_written():
    model = parsed(f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=-1)} y = Add (t, z) }}", **TABLE,
                   z=np.zeros((2, 4), np.float32))  # fmt: skip
    report = shapesmt.check(model, dims={"n": "1"}, replay=True)
    replay = report.findings[0].replay
    assert (replay.confirmed, replay.node, report.exit_status) == (True, "Add_7", 1)
    assert replay.message.startswith("the default session: ")
    assert replay.message.endswith("; the file as written runs")


def test_a_finding_about_the_file_says_that_the_session_runs():
    report = shapesmt.check(half("[4]"), dims={"a": "1..8"}, replay=True)
    replay = report.findings[0].replay
    assert (replay.confirmed, report.exit_status) == (True, 1)
    assert replay.message.startswith("as written: The input tensor cannot be reshaped")
    assert replay.message.endswith("; the default session runs")


def test_a_finding_about_both_names_neither():
    model = parsed("g (float[n, 4] x, float[3] z) => (float[p, q] y) { y = Add (x, z) }")
    replay = shapesmt.check(model, replay=True).findings[0].replay
    assert replay.confirmed
    assert "session" not in replay.message
