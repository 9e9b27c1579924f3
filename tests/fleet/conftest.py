"""A folder with a few models, as working directory."""

from __future__ import annotations

from pathlib import Path

import pytest

HEAD = '<ir_version: 8, opset_import: ["":18]> '
ADD = HEAD + "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }"
EXP = HEAD + "g (float[batch] x) => (float[batch] y) { y = Exp(x) }"
BROKEN = HEAD + "g (float[2, 3] x, float[4, 3] y) => (float[k, 3] z) { z = Add(x, y) }"
UNRULED = HEAD.replace("]", ', "own": 1]') + "g (float[n] x) => (float[n] y) { y = own.Fold(x) }"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "add.onnx": ADD,
        "exp.onnx": EXP,
        "deep/er/broken.onnx": BROKEN,
        "deep/exp.onnx": EXP,
        ".hidden/exp.onnx": EXP,
        "deep/damaged.onnx": "\x08\x99",
        "deep/notes.txt": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path
