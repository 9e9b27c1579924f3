"""The helper for test suites, as someone who has just installed it would use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import shapesmt

UNET = Path(__file__).parents[3] / "examples" / "unet" / "unet.onnx"
SUITE = f"""\
import shapesmt


def test_runs_on_every_image():
    shapesmt.assert_proved({str(UNET)!r}, dims={{"height": "64..512", "width": "64..512:16"}})
"""


def test_a_proof_is_returned():
    report = shapesmt.assert_proved(UNET, dims={"height": "64..512:16", "width": "64..512:16"})
    assert report.verdict is shapesmt.Verdict.PROVED
    assert report.requirements.proved == report.requirements.total == 88


def test_a_failure_is_the_report(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(AssertionError) as failed:
        shapesmt.assert_proved(UNET, dims={"batch": 1, "height": "64..512", "width": "64..512:16"})
    shown = str(failed.value)
    assert shown.startswith("DEPENDS unet.onnx: 4 of 88 node requirements fail for some batch = 1, height in 64..512")
    assert "\nDEPENDS  /up4/Concat (Concat, node 14) and 3 more nodes\n  down4[2] is 9, up4.double[2] is 8\n" in shown
    assert "\nPROVED with --dim height=64..512:16 (" in shown
    assert "\x1b" not in shown


def test_undecided_is_a_failure():
    model = '<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = NoSuchOperator (x) }'
    with pytest.raises(
        AssertionError, match=r"^undecided, which proves nothing\nUNKNOWN <bytes>: 1 node without a rule"
    ):
        shapesmt.assert_proved(model.encode())


def test_mistakes_are_errors_not_failures(tmp_path):
    with pytest.raises(shapesmt.UsageError, match="no input dimension 'hieght'"):
        shapesmt.assert_proved(UNET, dims={"hieght": 64})
    with pytest.raises(shapesmt.ModelError, match="cannot read"):
        shapesmt.assert_proved(tmp_path / "none.onnx")


def test_what_pytest_shows(tmp_path: Path):
    (tmp_path / "test_model.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 1
    assert "E       AssertionError: DEPENDS unet.onnx: 4 of 88 node requirements fail" in ran.stdout
    assert "E       unet.onnx runs exactly when height % 16 == 0" in ran.stdout
    assert "testing.py" not in ran.stdout
