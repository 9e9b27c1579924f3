"""Answers are kept by the content of the model, the question and the version."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import shapesmt
from shapesmt import api
from shapesmt.cli.main import main
from shapesmt.fleet import answers, cache, task
from tests.fleet.conftest import ADD, EXP, UNRULED

DATABASE = Path("kept", answers.NAME)
EXAMPLES = Path(__file__).parents[2] / "examples"


class Counted:
    """How often models are checked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number, checked = 0, api.checked

        def counting(*arguments: object) -> object:
            self.number += 1
            return checked(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(api, "checked", counting)

    def __call__(self, *models: str, **options: object) -> int:
        """How many are checked of these."""
        before = self.number
        shapesmt.check_many(models, jobs=1, cache="kept", **options)  # type: ignore[arg-type]
        return self.number - before


@pytest.fixture
def counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def test_what_is_known_is_not_checked_again(counted: Counted) -> None:
    assert counted("exp.onnx", "add.onnx") == 2
    assert counted("exp.onnx", "add.onnx") == 0
    assert counted("deep/exp.onnx") == 0


@pytest.mark.parametrize(
    "options", [{"dims": {"n": "1..8"}}, {"strict": True}, {"timeout": 9.0}, {"shapes": {"x": "[2,3]"}}]
)
def test_another_question_has_another_answer(counted: Counted, options: Mapping[str, object]) -> None:
    assert counted("add.onnx") == counted("add.onnx", **options) == 1
    assert counted("add.onnx") == counted("add.onnx", **options) == 0


def test_another_content_or_version_has_another_answer(
    counted: Counted, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert counted("exp.onnx") == 1
    (folder / "exp.onnx").write_text(ADD)
    assert counted("exp.onnx") == 1
    monkeypatch.setattr(cache, "__version__", "another")
    assert counted("exp.onnx") == 1
    monkeypatch.setattr(cache, "followed_runtime", lambda: (1, 0))
    assert counted("exp.onnx") == 1
    (folder / "exp.onnx").write_text(EXP)
    assert counted("exp.onnx") == 1


def test_a_rule_of_ones_own_counts(counted: Counted, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shapesmt.rules import registry

    (folder / "fold.onnx").write_text(UNRULED)
    assert counted("fold.onnx") == 1
    monkeypatch.setattr(registry, "_RULES", {key: list(rules) for key, rules in registry._RULES.items()})
    monkeypatch.setattr(registry, "_PLUGINS", {})
    shapesmt.rule("Fold", domain="own")(lambda ctx: ctx.input(0))
    assert counted("fold.onnx") == 1
    assert counted("fold.onnx") == 0


def rows() -> list[tuple[bytes, bytes, bytes]]:
    with closing(sqlite3.connect(DATABASE)) as database:
        return database.execute("SELECT key, sum, text FROM answers ORDER BY rowid").fetchall()


def change(column: str, value: object) -> None:
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute(f"UPDATE answers SET {column} = ?", [value])


def verdicts_without_time() -> list[bytes]:
    return [re.sub(rb'"seconds": [\d.]+|[\d.]+, "', b"", text) for _, _, text in rows()]


@pytest.mark.parametrize("damage", [b"", b"{}", b"half", b"other", "text", 7])
def test_a_damaged_row_is_recomputed(counted: Counted, damage: object) -> None:
    assert counted("add.onnx") == 1
    ((_, _, whole),), before = rows(), verdicts_without_time()
    change(
        "text", {b"half": whole[: len(whole) // 2], b"other": whole.replace(b"DEPENDS", b"PROVED")}.get(damage, damage)
    )
    assert counted("add.onnx") == 1
    assert verdicts_without_time() == before
    assert counted("add.onnx") == 0


def test_the_row_of_another_key_is_none(counted: Counted) -> None:
    assert counted("add.onnx") == 1
    ((key, _, _),) = rows()
    assert counted("exp.onnx") == 1
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("DELETE FROM answers WHERE key = ?", [key])
        database.execute("UPDATE answers SET key = ?", [key])
    assert counted("add.onnx") == 1


@pytest.mark.parametrize(
    "text",
    [
        b"null\nnull\nnull",
        b"[]",
        b'[[[1, 2]], {}, "PROVED", 0.1, ""]\n{}\n{}',
        b"[" * 10**5 + b"\n\n",
        b'[[], {}, ["PROVED"], 0.1, ""]\n{}\n{}',
        b'[[], {}, "SURE", 0.1, ""]\n{}\n{}',
    ],
)
def test_a_foreign_row_is_recomputed(counted: Counted, text: bytes) -> None:
    assert counted("add.onnx") == 1
    ((key, _, _),) = rows()
    change("text", text)
    change("sum", answers.sum_of(key, text))
    assert counted("add.onnx") == 1
    assert counted("add.onnx") == 0


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


@pytest.mark.parametrize("arguments", [["--summary"], ["--output", "out.jsonl"], ["-q"], ["--format", "json"]])
def test_every_form_is_the_same_again(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    (folder / "fold.onnx").write_text(UNRULED)

    def answered() -> tuple[int, str, list[str]]:
        status = main(["check", ".", "--jobs", "1", "--cache", "kept", "--strict", *arguments])
        lines = sorted(Path("out.jsonl").read_text().splitlines()) if "out.jsonl" in arguments else []
        without = re.compile(r'in \d+\.\d+ s|"seconds": [\d.]+')
        return status, without.sub("", capsys.readouterr().out), [without.sub("", x) for x in lines]

    assert answered() == answered()


def test_files_beside_the_model_count(counted: Counted, folder: Path) -> None:
    target = numpy_helper.from_array(np.array([2, -1]), "target")
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "target"], ["y"])], "g",
        [helper.make_tensor_value_info("x", 1, ["n", 3])], [onnx.ValueInfoProto(name="y")], [target],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, folder / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    assert counted("m.onnx") == 1
    assert counted("m.onnx") == 0
    (folder / "m.data").write_bytes(np.array([3, -1]).tobytes())
    assert counted("m.onnx") == 1
    (folder / "m.data").unlink()
    assert counted("m.onnx") == 1


def test_an_archive_is_told_by_all_its_entries(counted: Counted, folder: Path) -> None:
    whole = EXAMPLES / "torch_export" / "classifier.pt2"
    (folder / "m.pt2").write_bytes(whole.read_bytes())
    assert counted("m.pt2") == 1
    assert counted("m.pt2") == 0
    with ZipFile(folder / "m.pt2", "a") as archive:
        archive.writestr("model/extra/note", "another")
    assert counted("m.pt2") == 1


def test_checksums_of_an_archive_are_not_trusted(counted: Counted, folder: Path) -> None:
    whole = (EXAMPLES / "torch_export" / "classifier.pt2").read_bytes()
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    for number, word in enumerate(("plumless", "buckeroo")):
        (folder / "m.pt2").write_bytes(whole)
        with ZipFile(folder / "m.pt2", "a") as archive:
            archive.writestr("model/extra/note", word)
        assert counted("m.pt2") == 1, number


def test_a_hurried_answer_is_not_kept(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "HURRIED", 0.0)
    assert counted("add.onnx") == counted("add.onnx") == 1


def test_an_answer_that_cant_be_kept_is_one(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_PAGE", answers.MOST // 2)  # two pages of the usual size
    assert counted("add.onnx") == counted("add.onnx") == 1


def test_several_may_write(counted: Counted) -> None:
    with ThreadPoolExecutor(4) as pool:
        batches = [pool.submit(shapesmt.check_many, ["add.onnx", "exp.onnx"], jobs=1, cache="kept") for _ in range(8)]
        assert {future.result().summary["proved"] for future in batches} == {1}
    assert len(rows()) == 2
    assert counted("add.onnx") == 0


def test_several_processes_may_write(folder: Path) -> None:
    names = [f"add{number}.onnx" for number in range(200)]
    for name in names:
        (folder / name).write_text(ADD)
    arguments = ["check", "--cache", "kept", "--jobs", "1", "--summary"]
    command = [sys.executable, "-m", "shapesmt", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    parts = (names[:150], names[50:])
    running = [subprocess.Popen([*command, *part], env=environment, stdout=subprocess.DEVNULL) for part in parts]
    assert [process.wait() for process in running] == [1, 1]
    with closing(sqlite3.connect(DATABASE)) as database:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (len(names),)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_a_killed_process_has_written_is_kept(counted: Counted, folder: Path) -> None:
    assert counted("add.onnx") == 1
    script = """if True:
        import os, sqlite3
        database = sqlite3.connect("kept/answers-1.sqlite", isolation_level=None)
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN IMMEDIATE")
        database.execute("DELETE FROM answers")
        for number in range(1000):
            database.execute("INSERT INTO answers VALUES (?, '', ?)", (str(number), "x" * 1000))
        os.kill(os.getpid(), 9)
    """
    subprocess.run([sys.executable, "-c", script], check=False)
    assert DATABASE.with_name("answers-1.sqlite-journal").exists()
    assert counted("add.onnx", "exp.onnx") == 1
    assert len(rows()) == 2


def test_the_folder_has_to_be_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "exp.onnx", "--cache", "add.onnx", "--jobs", "1"]) == 2
    assert capsys.readouterr().err == "error: cannot make the folder add.onnx: File exists\n"


def test_runs_of_counterexamples_are_not_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "exp.onnx", "--cache", "kept", "--replay"]) == 2
    assert capsys.readouterr().err == "error: no answers of --replay are kept; leave --cache out\n"


def test_what_is_known_needs_no_other_process(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["exp.onnx", "add.onnx"]
    assert counted(*names) == 2
    monkeypatch.setattr("shapesmt.fleet.processes.in_processes", None)
    assert shapesmt.check_many(names, jobs=2, cache="kept").summary["models"] == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_read_once(counted: Counted, folder: Path) -> None:
    os.mkfifo(folder / "pipe.onnx")
    with ThreadPoolExecutor(1) as pool:
        pool.submit((folder / "pipe.onnx").write_text, EXP)
        assert counted("pipe.onnx") == 1


def test_the_text_is_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def shown() -> list[str]:
        main(["check", str(EXAMPLES), "--jobs", "1", "--cache", str(tmp_path), "--no-config"])
        return [line for line in capsys.readouterr().out.splitlines() if " in " not in line]

    assert shown() == shown()
