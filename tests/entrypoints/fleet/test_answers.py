"""Answers stay whole whatever happens to their database, and may be signed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from shapesmt.entrypoints.cli.main import main
from shapesmt.entrypoints.fleet import answers
from tests.entrypoints.fleet.conftest import ADD, DATABASE, Counted, change, rows


def test_rows_that_are_not_signed_with_the_key_are_none(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    assert counted("add.onnx") == 1
    for number, key in enumerate(("secret", "another", "")):
        monkeypatch.setenv(answers.KEY, key) if key else monkeypatch.delenv(answers.KEY)
        assert counted("add.onnx") == 1, number
        assert counted("add.onnx") == 0, number


def test_a_forged_row_is_none_where_there_is_a_key(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(answers.KEY, "secret")
    assert counted("add.onnx") == 1
    ((key, signature, text),) = rows()
    assert len(signature) == 32
    forged = text.replace(b"DEPENDS", b"PROVED")
    change("text", forged)
    assert counted("add.onnx") == 1
    (change("text", forged), change("sum", answers.sum_of(key, forged)))
    assert counted("add.onnx") == 1


def test_an_empty_key_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(answers.KEY, "")
    assert main(["check", "exp.onnx", "--cache", "kept"]) == 2
    assert capsys.readouterr().err == (
        "error: SHAPESMT_CACHE_KEY is empty, with which anybody signs: give it a key, or unset it\n"
    )


def test_a_damaged_database_is_begun_anew(counted: Counted) -> None:
    names = ["add.onnx", "exp.onnx"]
    assert counted(*names) == 2
    whole = DATABASE.read_bytes()
    middle = len(whole) // 2
    damaged = [b"no database", whole[:middle], whole[:100] + b"\xff" * 4000 + whole[4100:], b"", bytes(len(whole))]
    damaged += [whole[:middle] + bytes(512) + whole[middle + 512 :], whole[:4096] + b"\xa5" * (len(whole) - 4096)]
    for number, content in enumerate(damaged):
        DATABASE.write_bytes(content)
        assert counted(*names) > 0, number
        assert counted(*names) == 0, number


def test_what_is_no_file_is_left_alone(counted: Counted) -> None:
    Path("kept").mkdir()
    for make in (Path.mkdir, getattr(os, "mkfifo", Path.mkdir)):
        make(DATABASE)
        assert counted("add.onnx") == counted("add.onnx") == 1, make
        assert not DATABASE.is_file()
        DATABASE.rmdir() if DATABASE.is_dir() else DATABASE.unlink()
    DATABASE.symlink_to("nowhere")
    assert counted("add.onnx") == counted("add.onnx") == 1
    assert not Path("kept", "nowhere").exists()


def test_another_file_is_no_database(counted: Counted, folder: Path) -> None:
    (folder / "kept").mkdir()
    (folder / "notes").write_text("of mine")
    DATABASE.symlink_to(folder / "notes")
    assert counted("add.onnx") == 1
    assert (folder / "notes").read_text() == "of mine"
    assert counted("add.onnx") == 0


def test_what_cant_be_written_is_read(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    assert counted("add.onnx") == 1

    def read_only(where: str, *arguments: object, **options: object) -> sqlite3.Connection:
        return connect(where.replace("mode=rwc", "mode=ro"), *arguments, **options)  # type: ignore[call-overload, no-any-return]

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", read_only)
    assert counted("add.onnx", "exp.onnx") == 1
    assert counted("add.onnx", "exp.onnx") == 1


def test_what_another_process_locks_is_not_waited_for_long(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "PATIENCE", 0.01)
    assert counted("add.onnx") == 1
    with closing(sqlite3.connect(DATABASE, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        assert counted("add.onnx", "exp.onnx") == 1
        database.execute("INSERT OR REPLACE INTO answers SELECT * FROM answers")
        database.execute("PRAGMA cache_spill = 1")
        database.execute("COMMIT")
        database.execute("BEGIN EXCLUSIVE")
        assert counted("add.onnx", "exp.onnx") == 2
    assert counted("add.onnx", "exp.onnx") == 1
    assert counted("add.onnx", "exp.onnx") == 0


def test_the_oldest_make_room(counted: Counted, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST", most := 1 << 16)
    monkeypatch.setattr(answers, "ROWS", 4)
    names = [f"add{number}.onnx" for number in range(100)]
    for name in names:
        (folder / name).write_text(ADD)
    assert counted(*names) == 100
    assert DATABASE.stat().st_size <= most
    assert counted(names[-1]) == 0
    assert counted(names[0]) == 1


def test_where_there_are_no_locks_none_are_kept(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlocked(*_: object) -> sqlite3.DatabaseError:
        return sqlite3.OperationalError("locking protocol")

    monkeypatch.setattr(answers.Answers, "_insert", unlocked)
    assert main(["check", "exp.onnx", "--cache", "kept"]) == 2
    assert capsys.readouterr().err.endswith("answers-1.sqlite: locking protocol\n")
