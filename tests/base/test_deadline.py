"""Deadlines: a computation ends where its time is up, and what stands around it goes on. Stages are measured."""

from __future__ import annotations

from time import monotonic

import pytest

import shapesmt
from shapesmt.base.deadline import REST, Deadline, TimeUp, limit, look, measure_stages, spend, stage
from shapesmt.entrypoints.cli import main


def test_a_limit_inside_a_limit_ends_for_itself() -> None:
    def inner() -> str:
        return Deadline(0).attempt(lambda: "done", "late")

    assert Deadline(None).attempt(inner, "never") == "late"
    with pytest.raises(TimeUp), limit(Deadline(0)):
        look()
    look()


def test_times_of_nested_stages_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 1.0, 3.0, 6.0, 10.0, 15.0, 21.0])
    monkeypatch.setattr("shapesmt.base.deadline.perf_counter", lambda: next(now))
    with measure_stages() as stopwatch:  # from 0 on
        with stage("outer"), stage("inner"):  # from 1, and from 3 to 6; the outer one to 10
            pass
        with pytest.raises(ValueError, match="broken"), stage("inner"):  # from 15 to 21
            raise ValueError("broken")
        monkeypatch.setattr("shapesmt.base.deadline.perf_counter", lambda: 28.0)
    assert stopwatch.seconds == {REST: 1 + 5 + 7, "outer": 2 + 4, "inner": 3 + 6}
    assert stopwatch.lines()[-1] == "  28.000 s  together"
    assert stopwatch.lines()[1] == "   9.000 s  inner, 2 times"


def test_nothing_is_measured_unless_somebody_asks() -> None:
    with stage("reading"):
        pass
    with measure_stages() as stopwatch:
        shapesmt.check(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Abs(x) }')
    assert {"reading the model", "ranges and relations", "shapes, node by node"} <= stopwatch.seconds.keys()
    assert stopwatch.times["reading the model"] == 1


def test_a_command_says_how_long_its_stages_took(capsys: pytest.CaptureFixture[str]) -> None:
    model = "examples/unet/unet.onnx"
    assert main(["check", model, "--dim", "height=64..512", "--dim", "width=64..512", "-q", "--profile"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("DEPENDS unet.onnx: 8 of 88")
    stages = {line.split("  ")[-1].split(",")[0] for line in err.splitlines()}
    assert {"reading the model", "explanations", "what would help", "together"} <= stages
    assert main(["bounds", model, "--profile"]) in (0, 3)
    assert "bounds of sizes" in capsys.readouterr().err


def test_a_limit_inside_is_of_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inner, now = Deadline(100).within(1), monotonic()
    monkeypatch.setattr("shapesmt.base.deadline.monotonic", lambda: now + 99)
    assert not inner.expired
    spend(1.0)
    assert (inner.expired, inner.working, inner.within(5).expired) == (True, 0, True)
    monkeypatch.setattr("shapesmt.base.deadline.monotonic", lambda: now + 101)
    assert Deadline(100, now).within(1).expired
