"""What the README, the pages of `shapesmt help` and the examples show is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from shapesmt.entrypoints.cli.main import cli
from shapesmt.entrypoints.cli.manual import TOPICS, page
from shapesmt.reports.answers import WarningKind
from shapesmt.reports.render import CHECK_FORMS, WRITERS
from tests.support import transcripts
from tests.support.plugins import without_plugins

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PATHS = [README, *sorted(ROOT.glob("shapesmt/entrypoints/cli/pages/*.md")), *sorted(ROOT.glob("examples/*/README.md"))]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in PATHS}
BLOCKS = [
    pytest.param(block, id=f"{name}: {block.splitlines()[0][2:]}")
    for name, text in PAGES.items()
    for block in transcripts.blocks(text)
]
PYTHON = {name: text for name, text in PAGES.items() if re.search(r"^```py", text, re.MULTILINE)}


@pytest.fixture(autouse=True)
def in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for module in [name for name in sys.modules if name.partition(".")[0] == "examples"]:
        del sys.modules[module]
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    without_plugins(monkeypatch)


def fenced(text: str, *languages: str) -> list[tuple[str, str]]:
    """The blocks of a page in these languages."""
    return re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_every_form_and_every_kind_of_warning_is_listed() -> None:
    forms = [f"| `{form}` | {WRITERS[form].says} |" for form in CHECK_FORMS]
    kinds = [f"| `{kind}` | {kind.says} |" for kind in WarningKind]
    for topic, rows in (("json", forms), ("verdicts", kinds)):
        assert "\n".join(["|---|---|", *rows, ""]) in f"{page(topic)}\n", topic
    *others, last = (f"`{form}`" for form in CHECK_FORMS if form != "text")
    assert f"`--format` chooses {', '.join(others)} or {last}." in README.read_text()


@pytest.mark.parametrize("block", BLOCKS)
def test_console(block: str) -> None:
    steps = transcripts.steps(block)
    assert steps
    for step in steps:
        assert step.agrees(), f"$ {step.command}\n{step.printed}"


@pytest.mark.parametrize("text", PYTHON.values(), ids=PYTHON)
def test_python(text: str) -> None:
    for package in re.findall(r"^>>> import (\w+)", text, re.MULTILINE):
        pytest.importorskip(package, reason=f"{package}, which the page runs, isn't installed")
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner()
    for kind, block in fenced(text, "python", "pycon"):
        if kind == "python":
            exec(block, names)
            for test in [name for name in names if name.startswith("test_")]:
                names.pop(test)()  # type: ignore[operator]
        else:
            test = doctest.DocTestParser().get_doctest(block, names, "README.md", None, None)
            assert test.examples
            runner.run(test, clear_globs=False)
            names = test.globs
    assert runner.summarize().failed == 0


def test_settings(tmp_path: Path) -> None:
    from shapesmt import Config

    ((_, block),) = fenced(page("settings"), "toml")
    (tmp_path / "shapesmt.toml").write_text(block)
    assert Config.load().of("decoder.onnx")["dims"].keys() == {"batch", "past", "seq"}


def test_workflows() -> None:
    """Each command in a workflow runs, and the pre-commit hook exists."""
    blocks = [block for text in PAGES.values() for _, block in fenced(text, "yaml")]
    for command in re.findall(r"run: (shapesmt [^>\n]+)", "\n".join(blocks)):
        words = shlex.split(command)
        if "--baseline" in words:  # it is in the repository
            assert transcripts.run([*words, "--write-baseline"])[1] == 0
        assert transcripts.run(words)[1] in (0, 1, 3), command
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    for hook in re.findall(r"- id: (shapesmt\S*)", "\n".join(blocks)):
        assert f"- id: {hook}\n" in hooks


@pytest.mark.parametrize("path", PATHS, ids=PAGES)
def test_links(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert target.startswith("https://") or (path.parent / target).exists(), target
        assert path.parent.name != "pages", f"{target} isn't beside an installed page"


@pytest.mark.parametrize("text", PAGES.values(), ids=PAGES)
def test_what_is_named_exists(text: str) -> None:
    assert {*re.findall(r"shapesmt help ([a-z]+)", text)} <= {*TOPICS, *cli.commands}
    for example in re.findall(r"\bexamples/\w+", text):
        assert (ROOT / example).is_dir(), example
    options = {option for command in cli.commands.values() for o in command.params for option in o.opts}
    assert {*re.findall(r"`(--[a-z-]+)", text)} <= options


def test_every_command_is_listed() -> None:
    assert {*re.findall(r"^\| `shapesmt ([\w-]+)", PAGES["README.md"], re.MULTILINE)} == {*cli.commands}


def test_nothing_else_is_shown_as_a_command() -> None:
    """Shell blocks can't be compared with a run; the only ones are the README's, which set the project up."""
    shown = [block for text in PAGES.values() for _, block in fenced(text, "sh", "bash", "shell")]
    assert shown == [block for _, block in fenced(PAGES["README.md"], "sh")]
    assert all(block.startswith("python3 -m venv .venv") for block in shown)
