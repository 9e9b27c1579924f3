"""The suite needs the packages of the `dev` extra and no others: tests of the other extras are skipped without them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TESTS = Path(__file__).parent
ROOT = TESTS.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
MODULES = {"axe-core-python": "axe_core_python", "tensorflow-cpu": "tensorflow"}
COLLECTED_WITHOUT = """
import sys
from importlib.machinery import PathFinder

import pytest

hidden = sys.argv[1].split()

class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
sys.exit(pytest.main(["--collect-only", "-q", *sys.argv[2:]]))
"""


def packages(*extras: str) -> set[str]:
    """Return the names of the packages in these extras."""
    return {re.match(r"[\w-]+", line)[0] for extra in extras for line in EXTRAS[extra]}


def test_what_dev_leaves_out_is_optional() -> None:
    left_out = sorted(MODULES.get(name, name) for name in packages(*EXTRAS) - packages("dev"))
    assert {"cvc5", "openvino", "tensorflow", "torch"} <= {*left_out}
    imports = re.compile(rf"^(?:import|from) (?:{'|'.join(left_out)})\b", re.MULTILINE)
    folders = {path.parent for path in TESTS.rglob("*.py") if imports.search(path.read_text("utf-8"))}
    assert folders
    command = [sys.executable, "-c", COLLECTED_WITHOUT, " ".join(left_out), *sorted(map(str, folders))]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stdout[-3000:]


def test_ci_has_every_extra() -> None:
    """So CI skips no test for lack of a package that an extra has; its workflow runs only that script."""
    script = (ROOT / ".ci" / "run").read_text()
    installed = re.search(r"-e '\.\[([\w,]+)\]'", script)[1].split(",")
    assert packages(*installed) == packages(*EXTRAS)
    steps = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert re.findall(r"^ +- run: (.*)", steps, re.MULTILINE) == ["bash .ci/run"]
