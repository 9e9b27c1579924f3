"""The suite needs the packages of the `dev` extra and no others: PyTorch's tests are left out without PyTorch."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
COLLECTED_WITHOUT_TORCH = """
import sys
from importlib.machinery import PathFinder

import pytest

class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] == "torch" else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
sys.exit(pytest.main(["--collect-only", "-q", *sys.argv[1:]]))
"""


def test_pytorch_is_optional() -> None:
    importing = [
        path for path in TESTS.rglob("*.py") if re.search(r"^(import|from) torch\b", path.read_text("utf-8"), re.M)
    ]
    folders = {path.parent for path in importing}
    assert folders
    command = [sys.executable, "-c", COLLECTED_WITHOUT_TORCH, *sorted(map(str, folders))]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=TESTS.parent)
    assert ran.returncode == 0, ran.stdout[-3000:]
