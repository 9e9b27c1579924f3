"""Answers are kept by the content of the model, the question and the version."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import shapesmt
from shapesmt.cli.main import main
from shapesmt.fleet import cache, task
from tests.fleet.conftest import ADD, EXP, UNRULED

EXAMPLES = Path(__file__).parents[2] / "examples"


class Counted:
    """How often models are checked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number, checked = 0, task.checked

        def counting(*arguments: object) -> object:
            self.number += 1
            return checked(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(task, "checked", counting)

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


@pytest.mark.parametrize("damage", [b"", b"{}", b"half", b"other"])
def test_a_damaged_entry_is_recomputed(counted: Counted, damage: bytes) -> None:
    assert counted("add.onnx") == 1
    (entry,) = Path("kept").rglob("*.json")
    whole = entry.read_bytes()
    entry.write_bytes(
        {b"half": whole[: len(whole) // 2], b"other": whole.replace(b"DEPENDS", b"PROVED")}.get(damage, damage)
    )
    assert counted("add.onnx") == 1
    assert (
        entry.read_bytes().partition(b'"seconds"')[0].partition(b"\n")[2]
        == whole.partition(b'"seconds"')[0].partition(b"\n")[2]
    )
    assert counted("add.onnx") == 0


@pytest.mark.parametrize(
    "rest",
    [
        b"null\nnull",
        b'{"reads": [[1, 2]]}\n',
        b'{"reads": []}\n' + b"[" * 10**5,
        b'{"reads": []}\n{"model": "", "verdict": ["PROVED"]}',
    ],
)
def test_a_foreign_entry_is_recomputed(counted: Counted, rest: bytes) -> None:
    assert counted("add.onnx") == 1
    (entry,) = Path("kept").rglob("*.json")
    entry.write_bytes(cache._sum(rest).encode() + b"\n" + rest)
    assert counted("add.onnx") == 1
    assert counted("add.onnx") == 0


def test_an_entry_that_is_no_file_is_left_alone(counted: Counted) -> None:
    assert counted("add.onnx") == 1
    (entry,) = Path("kept").rglob("*.json")
    make = {"mkdir": Path.mkdir, "mkfifo": getattr(os, "mkfifo", Path.mkdir), "huge": huge}
    for kind, one in make.items():
        entry.rmdir() if entry.is_dir() else entry.unlink()
        one(entry)
        assert counted("add.onnx") == 1, kind
    assert counted("add.onnx") == 0  # the huge one is a file, and was replaced


def huge(entry: Path) -> None:
    with entry.open("wb") as file:
        file.truncate(1 << 40)


def test_a_folder_that_cant_be_written_is_read(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    assert counted("add.onnx") == 1
    monkeypatch.setattr(Path, "mkdir", raising := read_only(Path.mkdir))
    monkeypatch.setattr(cache, "write_whole", raising)
    assert counted("add.onnx", "exp.onnx") == 1
    assert counted("add.onnx", "exp.onnx") == 1


def read_only(mkdir: Callable[..., None]) -> Callable[..., None]:
    def refuse(path: Path, *arguments: object, **options: object) -> None:
        if not path.exists():
            raise OSError(errno.EROFS, "Read-only file system")
        mkdir(path, *arguments, **options)

    return refuse


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


def test_a_hurried_answer_is_not_kept(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "HURRIED", 0.0)
    assert counted("add.onnx") == counted("add.onnx") == 1


def test_an_answer_that_cant_be_kept_is_one(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise shapesmt.UsageError("the disk is full")

    monkeypatch.setattr(cache, "write_whole", refuse)
    assert counted("add.onnx") == counted("add.onnx") == 1


def test_several_may_write(counted: Counted) -> None:
    with ThreadPoolExecutor(4) as pool:
        batches = [pool.submit(shapesmt.check_many, ["add.onnx", "exp.onnx"], jobs=1, cache="kept") for _ in range(8)]
        assert {future.result().summary["proved"] for future in batches} == {1}
    assert len([*Path("kept").rglob("*.json")]) == 2
    assert counted("add.onnx") == 0


def test_the_folder_has_to_be_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "exp.onnx", "--cache", "add.onnx", "--jobs", "1"]) == 2
    assert capsys.readouterr().err == "error: cannot make the folder add.onnx: File exists\n"


def test_runs_of_counterexamples_are_not_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "exp.onnx", "--cache", "kept", "--replay"]) == 2
    assert capsys.readouterr().err == "error: no answers of --replay are kept; leave --cache out\n"


def test_what_is_known_needs_no_other_process(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["exp.onnx", "add.onnx"]
    assert counted(*names) == 2
    monkeypatch.setattr("shapesmt.fleet.many.in_processes", None)
    assert shapesmt.check_many(names, jobs=2, cache="kept").summary["models"] == 2


def test_the_text_is_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def shown() -> list[str]:
        main(["check", str(EXAMPLES), "--jobs", "1", "--cache", str(tmp_path), "--no-config"])
        return [line for line in capsys.readouterr().out.splitlines() if " in " not in line]

    assert shown() == shown()
