"""Which models are meant: paths, folders, patterns, URLs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.entrypoints.fleet import is_several, models_in
from tests.entrypoints.fleet.conftest import ADD, EXP

pytestmark = pytest.mark.usefixtures("folder")


def test_folders_are_searched_and_sorted() -> None:
    below = ["add.onnx", "deep/damaged.onnx", "deep/er/broken.onnx", "deep/exp.onnx"]
    assert models_in(["exp.onnx", "."], 60) == ["exp.onnx", *below]
    assert models_in(["none.onnx", "none.onnx"], 60) == ["none.onnx"]


def test_only_files_below_folders_are_models(folder: Path) -> None:
    (folder / "deep" / "folder.onnx").mkdir()
    (folder / "deep" / "up").symlink_to("..")
    (folder / "deep" / "nowhere.onnx").symlink_to("nowhere")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "deep" / "pipe.onnx")
        (folder / "deep" / "link.onnx").symlink_to("pipe.onnx")
    assert models_in(["deep"], 60) == ["deep/damaged.onnx", "deep/er/broken.onnx", "deep/exp.onnx", "deep/nowhere.onnx"]


def test_a_folder_that_cant_be_read_is_not_passed_by(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def scandir(path: str, scan: Callable[[str], object] = os.scandir) -> object:
        if path.endswith("er"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert main(["check", "deep", "--jobs", "1", "-q"]) == 2
    assert "ERROR deep/er: cannot read deep/er: it is a folder, not a file\n" in capsys.readouterr().out


def test_patterns() -> None:
    assert models_in(["*.onnx"], 60) == ["add.onnx", "exp.onnx"]
    assert models_in(["**/e*.onnx", "exp.onnx"], 60) == ["deep/exp.onnx", "exp.onnx"]
    with pytest.raises(UsageError, match=r"no file matches none\*\.onnx"):
        models_in(["none*.onnx"], 60)
    with pytest.raises(UsageError, match=r"no file matches \*\\x00"):
        models_in(["*\0"], 60)


def test_a_file_may_have_the_name_of_a_pattern(folder: Path) -> None:
    (folder / "a[1].onnx").write_text(EXP)
    assert models_in(["a[1].onnx"], 60) == ["a[1].onnx"]
    assert not is_several("a[1].onnx", 60)


def test_urls(capsys: pytest.CaptureFixture[str]) -> None:
    url = "memory:///test_urls"
    for name, text in {"exp.onnx": EXP, "deep/add.onnx": ADD}.items():
        with fsspec.open(f"{url}/{name}", "w") as file:
            file.write(text)
    assert models_in([url, "exp.onnx"], 60) == [f"{url}/deep/add.onnx", f"{url}/exp.onnx", "exp.onnx"]
    assert main(["check", f"{url}/**/*.onnx", "--jobs", "1", "-q"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"DEPENDS {url}/deep/add.onnx: ")
    assert second.startswith(f"PROVED {url}/exp.onnx: ")
    assert shapesmt.check_many(f"{url}/exp.onnx", jobs=1).models[0].model == f"{url}/exp.onnx"
    assert main(["check", "absent://m/*.onnx"]) == 2
    assert capsys.readouterr().err == "error: cannot read absent://m/*.onnx: Protocol not known: absent\n"
