"""The file of a source is named where a reader has it, and nothing outside the working directory is looked at."""

from __future__ import annotations

import pytest

from shapesmt.reports.answers import Source
from shapesmt.reports.render.places import checked_out

CODE = "return torch.cat([a, u], 1)"


@pytest.fixture
def here(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    (folder / "nets").mkdir(parents=True)
    (folder / "nets" / "unet.py").write_text(f"import torch\n\n    {CODE}\n")
    monkeypatch.chdir(folder)
    return folder


def test_a_file_below_the_working_directory(here):
    assert checked_out(Source(str(here / "nets" / "unet.py"), 3)) == "nets/unet.py"
    assert checked_out(Source("nets/unet.py", 99)) == "nets/unet.py"
    assert checked_out(Source("nets", 3)) == ""
    assert checked_out(Source(module="nets")) == ""
    assert checked_out(None) == ""


@pytest.mark.parametrize("file", ["/build/7/nets/unet.py", r"C:\build\7\nets\unet.py"])
def test_a_file_that_was_elsewhere_has_the_same_code(here, file):
    assert checked_out(Source(file, 3, code=CODE)) == "nets/unet.py"
    assert checked_out(Source(file, 2, code=CODE)) == ""
    assert checked_out(Source(file, 4, code=CODE)) == ""
    assert checked_out(Source(file, 3)) == ""


def test_nothing_outside_is_looked_at(here):
    outside = here.parent / "unet.py"
    outside.write_text(f"\n\n{CODE}\n")
    (here / "link.py").symlink_to(outside)
    (here / "circle.py").symlink_to(here / "circle.py")
    for file in ("../unet.py", str(outside), "/etc/hostname", "nets/../../unet.py", "link.py", "circle.py"):
        assert checked_out(Source(file, 3, code=CODE)) == ""


@pytest.mark.parametrize("file", ["a" * 5000, "/".join("a" * 3000), "\0", "//", "/"])
def test_paths_that_the_system_refuses(here, file):
    assert checked_out(Source(file, 3, code=CODE)) == ""


def test_a_working_directory_that_is_gone(here):
    for path in (here / "nets" / "unet.py", here / "nets", here):
        path.rmdir() if path.is_dir() else path.unlink()
    assert checked_out(Source("nets/unet.py", 3, code=CODE)) == ""
