"""The benchmark runs; what it measures is printed and never asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.bench.__main__ import main
from tests.bench.models import generated
from tests.bench.report import tail


def test_the_generated_decoder_is_proved() -> None:
    subject = generated(2)
    assert shapesmt.check(subject.model, dims=subject.dims).verdict is Verdict.PROVED
    assert shapesmt.bounds(subject.model, dims=subject.dims).exit_status == 0


def test_a_table_of_all_tools_is_kept_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--only", "of 1 layers", "--part", "inference", "--repeats", "1", "--keep", str(tmp_path)]
    main(command)
    (kept,) = tmp_path.iterdir()
    measured = json.loads(kept.read_text())
    row = measured["inference"]["decoder of 1 layers"]
    assert kept.stem == measured["about"]["commit"]
    assert {"nodes", "check", "bounds", "ONNX"} <= row.keys()
    assert all(row[tool] is not None for tool in row)
    assert "CPU milliseconds" in capsys.readouterr().out
    measured["inference"]["decoder of 1 layers"]["check"] *= 100
    (tmp_path / "before.json").write_text(json.dumps(measured))
    main([*command, "--against", str(tmp_path / "before.json")])
    assert "check of decoder of 1 layers: " in capsys.readouterr().out


def test_the_tail_is_over_what_a_tool_did() -> None:
    part = {str(k): {"nodes": 9, "check": float(k), "ONNX": None if k > 2 else 1.0} for k in range(1, 102)}
    assert tail(part)["check"] == {"p50": 51.0, "p95": 96.0, "max": 101.0, "models": 101}
    assert tail(part)["ONNX"]["models"] == 2
