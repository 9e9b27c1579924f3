"""Damaged files of every format, and hostile models: an answer in time or one line, whatever the options are."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")

from tests.oracle.hostile import KINDS, failure as hostile
from tests.oracle.mutants import failure, mutant
from tests.oracle.originals import by_format

FORMATS = ("onnx", "text", "json", "textproto", "nodelink", "ir", "graph", "graph text", "saved", "saved text", "torch")


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Python's collector is spared what earlier tests left, as it is in a process of its own."""
    gc.collect()
    gc.freeze()


def test_there_are_originals_of_every_format() -> None:
    assert sorted(by_format()) == sorted(FORMATS)
    assert {mutant(seed).format for seed in range(200)} == set(FORMATS)


def test_damaged_files_are_answered_or_refused(seeds: range, full: bool, tmp_path: Path) -> None:
    count = 20_000 if full else 400
    wrong = filter(None, (failure(seeds.start + i, tmp_path) for i in range(count)))
    assert "\n".join(wrong) == ""


def test_hostile_models_are_answered_in_time(seeds: range, full: bool, tmp_path: Path) -> None:
    count = 200 if full else len(KINDS)
    wrong = filter(None, (hostile(seeds.start + i, tmp_path) for i in range(count)))
    assert "\n".join(wrong) == ""
