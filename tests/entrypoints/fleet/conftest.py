"""A folder with a few models, as working directory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import shapesmt
from shapesmt.entrypoints.api import Opened
from shapesmt.entrypoints.fleet import answers
from tests.support.plugins import without_plugins

DATABASE = Path("kept", answers.NAME)
HEAD = '<ir_version: 8, opset_import: ["":18]> '
ADD = HEAD + "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }"
EXP = HEAD + "g (float[batch] x) => (float[batch] y) { y = Exp(x) }"
BROKEN = HEAD + "g (float[2, 3] x, float[4, 3] y) => (float[k, 3] z) { z = Add(x, y) }"
UNRULED = HEAD.replace("]", ', "own": 1]') + "g (float[n] x) => (float[n] y) { y = own.Fold(x) }"


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    without_plugins(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "add.onnx": ADD,
        "exp.onnx": EXP,
        "deep/er/broken.onnx": BROKEN,
        "deep/exp.onnx": EXP,
        ".hidden/exp.onnx": EXP,
        "deep/damaged.onnx": "\x08\x99",
        "deep/notes.txt": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Counted:
    """How often models are checked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number, checked = 0, Opened.check

        def counting(opened: Opened) -> object:
            self.number += 1
            return checked(opened)

        monkeypatch.setattr(Opened, "check", counting)

    def __call__(self, *models: str, **options: object) -> int:
        """How many are checked of these."""
        before = self.number
        shapesmt.check_many(models, jobs=1, cache="kept", **options)  # type: ignore[arg-type]
        return self.number - before


@pytest.fixture
def counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def rows() -> list[tuple[bytes, bytes, bytes]]:
    with closing(sqlite3.connect(DATABASE)) as database:
        return database.execute("SELECT key, sum, text FROM answers ORDER BY rowid").fetchall()


def change(column: str, value: object) -> None:
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute(f"UPDATE answers SET {column} = ?", [value])
