"""Answers are kept by the content of the model, the question and the version."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tracemalloc
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
from shapesmt.entrypoints.cli.main import main
from shapesmt.entrypoints.fleet import answers, identity, task
from shapesmt.frontends import files
from tests.entrypoints.fleet.conftest import ADD, DATABASE, EXP, UNRULED, Counted, change, rows

EXAMPLES = Path(__file__).parents[3] / "examples"


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
    monkeypatch.setattr(identity, "process_identity", lambda: identity.Answerer(("another",)))
    assert counted("exp.onnx") == 1
    assert counted("exp.onnx") == 0
    (folder / "exp.onnx").write_text(EXP)
    assert counted("exp.onnx") == 1


def test_a_rule_of_ones_own_counts(counted: Counted, folder: Path) -> None:
    (folder / "fold.onnx").write_text(UNRULED)
    assert counted("fold.onnx") == 1
    shapesmt.rule("Fold", domain="own")(lambda ctx: ctx.input(0))
    assert counted("fold.onnx") == 1
    assert counted("fold.onnx") == 0


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


def test_an_archive_that_is_too_large_is_checked_each_time(
    counted: Counted, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "m.pt2").write_bytes((EXAMPLES / "torch_export" / "classifier.pt2").read_bytes())
    monkeypatch.setattr(files, "MOST_COMPARED", (folder / "m.pt2").stat().st_size)
    assert counted("m.pt2") == 1
    assert counted("m.pt2") == 0
    monkeypatch.setattr(files, "MOST_COMPARED", (folder / "m.pt2").stat().st_size - 1)
    assert counted("m.pt2") == counted("m.pt2") == 1


def test_an_archive_is_not_unpacked_to_be_told(folder: Path) -> None:
    with ZipFile(folder / "m.pt2", "w", 8) as archive:
        for number in range(64):
            archive.writestr(f"model/{number}.json", bytes(1 << 20))
    tracemalloc.start()
    assert files.content_digest(files.model_file("m.pt2"))
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()


def test_checksums_of_an_archive_are_not_trusted(counted: Counted, folder: Path) -> None:
    whole = (EXAMPLES / "torch_export" / "classifier.pt2").read_bytes()
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    a, b = (word + bytes(2 << 20) for word in (b"plumless", b"buckeroo"))
    assert zlib.crc32(a) == zlib.crc32(b)
    for number, content in enumerate(("plumless", "buckeroo", a, b)):
        (folder / "m.pt2").write_bytes(whole)
        with ZipFile(folder / "m.pt2", "a") as archive:
            archive.writestr("model/extra/note", content)
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
    monkeypatch.setattr("shapesmt.entrypoints.fleet.workers.processes.in_processes", None)
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
