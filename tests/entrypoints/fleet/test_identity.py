"""Who answers: told by the package's own files, by rules of one's own with what they import, and by versions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import shapesmt
from tests.entrypoints.fleet.conftest import UNRULED

PACKAGE = Path(shapesmt.__file__).parents[1]
RULE = """
from shapesmt import rule
@rule("Fold", domain="own")
def fold(ctx):
    {}
    return ctx.tensor([helper.size(ctx.input(0)[0])])
"""
WHO = "from shapesmt.entrypoints.fleet.identity import process_identity as made; print(made().digest, made().trouble)"


def said(script: str, *path: Path) -> str:
    """Return the output of a new process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, PACKAGE))), "PYTHONSAFEPATH": "1"}
    ran = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_it_is_the_same_in_another_process() -> None:
    assert said(WHO) == said(WHO)
    assert len(said(WHO)) == 64


def test_another_copy_of_the_package_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of all files has the same identity until one file changes, although its version stays."""
    monkeypatch.chdir(Path(__file__).parent)  # Python 3.10 always imports from the current folder
    ignored = ("__pycache__",)
    for path in (p for p in (PACKAGE / "shapesmt").rglob("*") if p.is_file() and not {*p.parts} & {*ignored}):
        copy = tmp_path / path.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    script = "import shapesmt; " + WHO
    assert said(script, tmp_path) == said(script)
    changed = tmp_path / "shapesmt" / "network" / "laws" / "presence.py"
    changed.write_text(changed.read_text() + "\n")
    assert said(script, tmp_path) != said(script)


@pytest.mark.parametrize(
    "where",
    ["import helper", "from deep import helper", "from deep.helper import size as _; import deep.helper as helper"],
)
def test_what_a_rule_imports_counts(where: str, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("helper.py", "deep/helper.py", "deep/inner.py", "elsewhere.py"):
        (tmp_path / name).write_text("def size(n):\n    from . import inner\n    return n\n")
    (tmp_path / "deep" / "__init__.py").write_text("")
    (tmp_path / "own_rules.py").write_text(RULE.format(where))
    script = "import own_rules; " + WHO
    before = said(script, tmp_path)
    assert before != said(WHO)
    changing = ["helper.py"] if where == "import helper" else ["deep/helper.py", "deep/inner.py", "deep/__init__.py"]
    for name in (*changing, "own_rules.py"):
        (tmp_path / name).write_text((tmp_path / name).read_text() + "\n")
        assert said(script, tmp_path) not in (before, ""), name
        before = said(script, tmp_path)
    (tmp_path / "elsewhere.py").write_text("")
    assert said(script, tmp_path) == before


def test_an_installed_plugin_counts_before_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def size(n):\n    return n\n")
    (tmp_path / "own_rules.py").write_text(RULE.format("import helper"))
    info = tmp_path / "own_rules-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own_rules\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[shapesmt.rules]\nmine = own_rules\n")
    before = said(WHO, tmp_path)
    assert said("from shapesmt.operators.rules import rules; [*rules()]; " + WHO, tmp_path) == before
    (tmp_path / "helper.py").write_text("def size(n):\n    return n + 1\n")
    assert said(WHO, tmp_path) != before


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        (RULE.format("helper = None"), "a rule of __main__ has no file"),
        (
            "import own_rules, pathlib, time; time.sleep(0.1); pathlib.Path(own_rules.__file__).write_text('')",
            "own_rules.py, on which",
        ),
        (
            "import own_rules, shapesmt; shapesmt.rule('Fold', domain='own')(own_rules.fold)",
            "a rule of __main__ has no",
        ),
    ],
)
def test_rules_that_no_file_has_are_told_from_none(code: str, trouble: str, tmp_path: Path) -> None:
    answers = []
    for _ in range(2):
        (tmp_path / "own_rules.py").write_text(RULE.format("helper = None"))
        answers.append(said(f"exec({code!r}); {WHO}", tmp_path).split(" ", 1))
    assert [why.startswith(trouble) for _, why in answers] == [True, True]
    assert answers[0][0] != answers[1][0]


def test_answers_of_a_rule_without_a_file_are_not_kept(folder: Path) -> None:
    (folder / "fold.onnx").write_text(UNRULED)
    ask = "import shapesmt; print(shapesmt.check_many('fold.onnx', cache='kept', jobs=1).reports[0].verdict.value)"
    rule = "from shapesmt import rule; rule('Fold', domain='own')(lambda ctx: ctx.input(0)); "
    assert [said(rule + ask), said(ask), said(rule + ask)] == ["PROVED", "UNKNOWN", "PROVED"]
