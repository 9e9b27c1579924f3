"""The command that mutates the package makes changes that are code, and tells which of them some test notices."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests import mutants

ROOT = mutants.ROOT
FILES = {
    "pyproject.toml": "",
    "shapesmt/__init__.py": "",
    "shapesmt/prover/regions/__init__.py": "",
    "shapesmt/prover/regions/one.py": "def least(a, b):\n    return a if a <= b else b\n",
    "tests/prover/regions/test_one.py": (
        "from shapesmt.prover.regions import one\ndef test_least():\n    assert one.least(2, 1) == 1\n"
    ),
    "tests/analysis/diagnose/test_two.py": "",
}


def test_changes_are_code_and_change_it(seeds: range) -> None:
    for mutant in mutants.drawn(seeds[0], 100, [*mutants.ORACLES]):
        whole = (ROOT / mutant.file).read_text()
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(ast.parse(whole)), mutant
        assert mutant.before == whole.splitlines()[mutant.number - 1].strip()


def test_what_tests_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("checkout", "copy"):
        for name, text in FILES.items():
            (tmp_path / place / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place / name).write_text(text)
    monkeypatch.setattr(mutants, "ROOT", tmp_path / "checkout")
    monkeypatch.setitem(mutants.ORACLES, "prover/regions", ("analysis/diagnose",))
    made = {mutant.after: mutant for mutant in mutants.drawn(0, 2, ["prover/regions"])}
    told = {after: mutants.noticed(mutant, tmp_path / "copy", 60) for after, mutant in made.items()}
    failed = "FAILED tests/prover/regions/test_one.py::test_least - assert 2 == 1"
    assert told == {"return a if (a < b) else b": "", "return (b if a <= b else a)": failed}
    assert (tmp_path / "copy" / "shapesmt/prover/regions/one.py").read_text() == FILES["shapesmt/prover/regions/one.py"]


def test_listed_survivors_are_of_code_that_is_there() -> None:
    for line in mutants.SURVIVORS.read_text().splitlines():
        change, _, reason = line.rpartition(" # ")
        file, _, rest = change.partition(": ")
        lines = {line.strip() for line in (ROOT / file).read_text().splitlines()}
        assert reason
        assert any(rest.startswith(f"{line} -> ") for line in lines), change
