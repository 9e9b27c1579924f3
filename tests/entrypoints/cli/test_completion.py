"""Completion in the shell, and the command that someone forgot."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from click.shell_completion import ShellComplete

from shapesmt.entrypoints.cli.main import cli, main

MODEL = """<ir_version: 8, opset_import: ["":18]>
g (float[height, 3] image, int64[1] steps, float[batch] other) => (y) {
    [up] tall = Expand (image, steps) [down] y = Abs (tall) }"""


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.onnx").write_text(MODEL)
    (tmp_path / "damaged.onnx").write_bytes(b"\x08")
    monkeypatch.chdir(tmp_path)


def completed(*words: str) -> list[str]:
    items = ShellComplete(cli, {}, "shapesmt", "_SHAPESMT_COMPLETE").get_completions([*words[:-1]], words[-1])
    return [item.value for item in items]


def test_dimensions_come_from_the_file():
    assert completed("check", "net.onnx", "--dim", "") == ["batch=", "height="]
    assert completed("bounds", "net.onnx", "--dim", "he") == ["height="]
    assert completed("check", "net.onnx", "--dim", "height=4", "--dim", "b") == ["batch="]
    assert completed("check", "damaged.onnx", "--dim", "") == []
    assert completed("check", "missing.onnx", "--dim", "") == []
    assert completed("check", "--dim", "") == []


def test_inputs_nodes_and_tensors_too():
    assert completed("check", "net.onnx", "--shape", "") == ["image=", "steps=", "other="]
    assert completed("check", "net.onnx", "--value", "st") == ["steps="]
    assert completed("explain", "net.onnx", "") == ["up", "down", "image", "steps", "other", "tall", "y"]
    assert completed("encode", "net.onnx", "d") == ["down"]
    assert completed("bounds", "net.onnx", "y", "t") == ["tall"]


@pytest.mark.parametrize("command", ["check", "explain", "bounds", "encode", "ops"])
def test_models_are_files_which_the_shell_completes(command):
    items = ShellComplete(cli, {}, "shapesmt", "_SHAPESMT_COMPLETE").get_completions([command], "ne")
    assert [(item.value, item.type) for item in items] == [("ne", "file")]


def test_a_name_that_no_terminal_shows_is_left_out():
    proto = onnx.parser.parse_model(MODEL)
    proto.graph.node[0].name = "up\x1b[2J"
    onnx.save(proto, "evil.onnx")
    assert completed("explain", "evil.onnx", "") == ["down", "image", "steps", "other", "tall", "y"]


def test_as_the_shell_asks(capsys, monkeypatch):
    monkeypatch.setenv("_SHAPESMT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "shapesmt check net.onnx --dim he")
    monkeypatch.setenv("COMP_CWORD", "4")
    assert main([]) == 0
    assert capsys.readouterr().out == "plain,height=\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("net.onnx", "--dim", "height=4..8"), "shapesmt check net.onnx --dim height=4..8"),
        (("missing.onnx",), "shapesmt check missing.onnx"),
        (("a b.onnx",), "shapesmt check 'a b.onnx'"),
    ],
)
def test_a_model_without_a_command(words, meant, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err == f"error: no command '{words[0]}'; did you mean: {meant}\n"


def test_another_word_is_no_model(capsys):
    assert main(["frobnicate"]) == 2
    err = capsys.readouterr().err
    assert "frobnicate" in err
    assert "did you mean" not in err
