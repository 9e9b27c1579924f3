"""The benchmark runs; what it measures is printed and never asserted."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.algebra import Verdict
from tests.bench.models import generated
from tests.bench.report import report


def test_the_generated_decoder_is_proved() -> None:
    subject = generated(2)
    assert shapesmt.check(subject.model, dims=subject.dims).verdict is Verdict.PROVED
    assert shapesmt.bounds(subject.model, dims=subject.dims).exit_status == 0


def test_measurements(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    if not request.config.getoption("--bench", False):
        pytest.skip("measuring takes minutes: --bench")
    with capsys.disabled():
        for line in report():
            print(f"\n{line}", end="")
