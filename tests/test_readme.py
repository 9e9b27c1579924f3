"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

from tests.support import transcripts

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = {
    str(path.relative_to(ROOT)): path.read_text() for path in (ROOT / "README.md", *ROOT.glob("examples/*/README.md"))
}


@pytest.fixture(autouse=True)
def in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


@pytest.mark.parametrize("block", transcripts.blocks(README), ids=lambda block: block.splitlines()[0][2:])
def test_console(block: str) -> None:
    steps = transcripts.steps(block)
    assert steps
    for step in steps:
        assert step.agrees(), f"$ {step.command}\n{step.printed}"


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_python(page: str) -> None:
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner()
    for kind, block in re.findall(r"^```(python|pycon)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        if kind == "python":
            exec(block, names)
            for test in [name for name in names if name.startswith("test_")]:
                names.pop(test)()  # type: ignore[operator]
        else:
            test = doctest.DocTestParser().get_doctest(block, names, "README.md", None, None)
            runner.run(test, clear_globs=False)
            names = test.globs
    assert runner.summarize().attempted > 5
    assert runner.summarize().failed == 0


def test_settings(tmp_path: Path) -> None:
    from shapesmt import Config

    (block,) = re.findall(r"^```toml\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (tmp_path / "shapesmt.toml").write_text(block)
    assert Config.load().of("decoder.onnx")["dims"].keys() == {"batch", "past", "seq"}


def test_links() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_every_command_is_listed() -> None:
    from shapesmt.cli.main import cli

    assert set(re.findall(r"^\| `shapesmt (\w+)", README, re.MULTILINE)) == set(cli.commands)
