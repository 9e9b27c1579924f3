"""The benchmark runs; what it measures is printed and never asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.bench.__main__ import main
from tests.bench.measure import first, process, warm
from tests.bench.models import generated
from tests.bench.report import MODELS, slow, summary


def test_the_generated_decoder_is_proved(tmp_path: Path) -> None:
    subject = generated(2, tmp_path)
    assert shapesmt.check(subject.path, dims=subject.dims).verdict is Verdict.PROVED
    assert shapesmt.bounds(subject.path, dims=subject.dims).exit_status == 0


def test_each_run_is_kept_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept.jsonl"
    command = ["--only", "of 1 layers", "--repeats", "1", "--keep", str(kept)]
    main([*command, *(f"--part={name}" for name in ("process", "first", "warm"))])
    measured = json.loads(kept.read_text())
    for name in MODELS:
        row = measured[name]["decoder of 1 layers"]
        assert {"check", "ONNX"} <= row.keys(), name
        assert all(number > 0 for number in row.values()), name
    assert "sum by ONNX's" in capsys.readouterr().out
    measured["about"]["commit"] = "before"
    measured["warm"]["decoder of 1 layers"]["check"] *= 100
    kept.write_text(json.dumps(measured) + "\n")
    main([*command, "--part=warm", "--against", "before"])
    assert "warm: check of decoder of 1 layers: " in capsys.readouterr().out
    main([*command, "--part=warm", "--against", "before", "--no-ranges"])
    assert "no earlier run of before asks the same" in capsys.readouterr().out
    assert len(kept.read_text().splitlines()) == 3


def test_the_time_of_children_is_counted() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(10**7))'])"
    child = partial(subprocess.run, [sys.executable, "-c", "sum(range(10**7))"])
    alone = first(lambda: None)
    assert min(process(code, [])[0], first(child), warm(child, 1)) > alone + 0.05


def test_a_summary_is_over_what_a_tool_did() -> None:
    part = {str(k): {"check": float(k), "ONNX": None if k > 2 else 1.0} for k in range(1, 102)}
    assert summary(part)["check"] == {
        "models": 101,
        "p50": 51.0,
        "p95": 96.0,
        "max": 101.0,
        "sum": 5151.0,
        "ratio": 1.5,
    }
    assert summary(part)["ONNX"]["models"] == 2


def test_slow_is_what_takes_many_times_as_long_as_onnx_and_is_noticed() -> None:
    part = {"a": {"check": 31.0, "ONNX": 2.0}, "b": {"check": 31.0, "ONNX": 3.0}, "c": {"check": 29.0, "ONNX": 1.0}}
    assert slow(part) == ["a"]
