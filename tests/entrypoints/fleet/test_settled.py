"""Outcomes on their way from one process to another."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import shapesmt
from shapesmt.entrypoints.fleet.settled import Settled, Wish, pickle_outcomes, settle, unpickle_outcomes
from shapesmt.reports.answers import Report, Unchecked


@pytest.fixture
def some(folder: Path) -> list[Settled]:
    reports = [shapesmt.check(name) for name in ("add.onnx", "deep/er/broken.onnx")]
    return [settle(reports[0], Wish()), Settled(Unchecked("m.onnx", "it is damaged")), settle(reports[1], Wish(True))]


def test_they_arrive_as_they_were(some: list[Settled]) -> None:
    assert unpickle_outcomes(pickle_outcomes(some)) == some
    assert pickle.loads(pickle.dumps(unpickle_outcomes(pickle_outcomes(some)))) == some


def test_reports_are_unpickled_when_they_are_read(some: list[Settled], monkeypatch: pytest.MonkeyPatch) -> None:
    number, loads = [0], pickle.loads

    def counting(data: bytes) -> object:
        number[0] += 1
        return loads(data)

    monkeypatch.setattr(pickle, "loads", counting)
    first, _, last = (one.outcome for one in unpickle_outcomes(pickle_outcomes(some)))
    assert isinstance(first, Report)
    assert isinstance(last, Report)
    assert (first.verdict.value, last.ok, first.model, number) == ("DEPENDS", False, "add.onnx", [1])
    assert (first.findings[0].op_type, last.requirements.total, number) == ("Add", 1, [2])
