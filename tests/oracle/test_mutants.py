"""Damaged files of every format: an answer in time or one line, whatever is asked with whatever options."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("tensorboard", reason="tensorboard (an extra), which reads TensorFlow's files, isn't installed")

from tests.oracle.mutants import by_format, failure, mutant

FORMATS = ("onnx", "text", "json", "textproto", "nodelink", "ir", "graph", "graph text", "saved", "saved text")


def test_there_are_originals_of_every_format() -> None:
    assert sorted(by_format()) == sorted(FORMATS)
    assert {mutant(seed).format for seed in range(200)} == set(FORMATS)


def test_damaged_files_are_answered_or_refused(seeds: range, full: bool, tmp_path: Path) -> None:
    count = 20_000 if full else 400
    wrong = filter(None, (failure(seeds.start + i, tmp_path) for i in range(count)))
    assert "\n".join(wrong) == ""
