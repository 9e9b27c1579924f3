"""Check what a text does where it is pasted, run or printed: in bash, in Python, and in the log of a CI job."""

from __future__ import annotations

import builtins
import io
import re
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import redirect_stdout, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

_END = "\1"
_DRIVER = """
command_not_found_handle() { printf '%s\\n' "$*" >> ran; }
for tool in trtexec polygraphy ovc ovms shapesmt; do
  eval "$tool() { printf '%s\\\\0' $tool \\"\\$@\\" $'\\\\1'; }"
done
while IFS= read -r -d '' text; do (eval "$text"); done 2> /dev/null
"""
_COMMAND = re.compile(r"##\w*\[")


def obeyed(text: str) -> list[str]:
    """Return the lines of a job's output that a terminal, GitHub, Azure or TeamCity would take as commands."""
    lines = text.removesuffix("\n").split("\n")
    return [row for row in lines if not row.isprintable() or row.lstrip().startswith("::") or _COMMAND.search(row)]


def annotations(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return GitHub's workflow commands in a text as its runner reads them: command, properties and message."""
    found = []
    for row in text.splitlines():
        assert row.isprintable(), row
        assert not _COMMAND.search(row), row
        head, _, message = row.removeprefix("::").partition("::")
        command, _, properties = head.partition(" ")
        assert row.startswith("::"), row
        found.append((command, dict(pair.partition("=")[::2] for pair in properties.split(",")), message))
    return found


def words(texts: Iterable[str], folder: Path) -> list[list[str]]:
    """Return the words of each text's command as bash splits them; assert that nothing runs and no file is made."""
    folder.mkdir(exist_ok=True)
    given = b"".join(text.encode(errors="surrogateescape") + b"\0" for text in texts)
    command = [shutil.which("bash") or pytest.skip("there is no bash"), "--norc", "--noprofile", "-c", _DRIVER]
    done = subprocess.run(command, input=given, cwd=folder, env={"PATH": "/nowhere"}, capture_output=True, check=False)
    assert [path.name for path in folder.iterdir()] == [], [path.read_bytes() for path in folder.iterdir()]
    said = done.stdout.decode(errors="surrogateescape").split("\0")[:-1]
    ends = [-1, *(place for place, word in enumerate(said) if word == _END)]
    return [said[start + 1 : end] for start, end in pairwise(ends)]


def called(code: str, *real: str, **made: Any) -> dict[str, Any]:
    """Run code and return its names; modules other than `real` are mocks, which record how they are called."""
    bad: list[object] = []

    def imported(name: str, *rest: Any) -> object:
        if name.partition(".")[0] in real:
            return __import__(name, *rest)
        if name not in ("openvino", "torch", "torch.export", "torch_tensorrt", "onnxruntime", "coremltools"):
            bad.append(name)
        return made.setdefault(name, MagicMock())

    had: dict[str, Any] = {
        "__builtins__": {**vars(builtins), "__import__": imported},
        "pwned": lambda *_: bad.append("pwned"),
        **{name: MagicMock() for name in ("model", "mod")},
    }
    exec(compile(code, "pasted.py", "exec"), had)
    assert bad == []
    return had


def printed(script: str) -> str:
    """Return the output of a script of `shapesmt repro` if ONNX Runtime refuses the model with a hostile message."""
    runtime = MagicMock(__version__="1")
    runtime.InferenceSession.side_effect = RuntimeError("[ONNXRuntimeError] : 1\n::error::x ##vso[a]\x1b[2J")
    out = io.StringIO()
    with redirect_stdout(out), suppress(SystemExit):
        called(script, "itertools", "sys", "numpy", "onnx", onnxruntime=runtime)
    return out.getvalue()
