"""ONNX's messages: those of its package, whether it is imported or not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from tests.support.onnx_text import CHAIN

READ = """
import sys
from shapesmt.frontends.onnx import messages

early = messages.from_bytes(open(sys.argv[1], "rb").read())
"""
COMPARE = """
assert "onnx" not in sys.modules
assert not messages.is_model(early)
import onnx

assert type(early) is onnx.ModelProto
assert messages.is_model(early)
assert type(onnx.load(sys.argv[1])) is onnx.ModelProto
onnx.checker.check_model(early)
"""
ELSEWHERE = """
from importlib.machinery import ModuleSpec
from shapesmt.frontends.onnx import messages

messages.find_spec = lambda name: ModuleSpec(name, None, origin="elsewhere/__init__.py")
"""


def run(code: str, folder: Path) -> None:
    onnx.save(onnx.parser.parse_model(CHAIN), folder / "model.onnx")
    subprocess.run([sys.executable, "-c", code, str(folder / "model.onnx")], check=True)


@pytest.mark.parametrize("implementation", ["upb", "python"])
def test_they_are_those_of_the_package(implementation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", implementation)
    run(READ + COMPARE, tmp_path)


def test_where_their_file_is_not_found_the_package_has_them(tmp_path: Path) -> None:
    run(ELSEWHERE + READ + "assert isinstance(early, sys.modules['onnx'].ModelProto)", tmp_path)
