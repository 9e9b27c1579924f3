"""Options: what is asked of the API, and bad usage in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from shapesmt.analysis.verify import Question
from shapesmt.tasks.memory import Wanted
from tests.entrypoints.cli.test_main import run


def test_check_passes_everything_on(asked, capsys):
    status, out, err = run(
        capsys, "check", "m.onnx", "--dim", "batch=1..32", "--dim", "`Batch Size`=8", "--shape", "x=[1,?]",
        "--value", "sr=16000", "--assume", "a == b", "--assume", "c <= 3", "--timeout", "5", "--declared", "trust",
        "--session", "file",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert out.startswith("PROVED m.onnx: all 2 node requirements hold\n")
    question = Question(
        {"batch": "1..32", "Batch Size": "8"},
        {"x": "[1,?]"},
        {"sr": "16000"},
        ("a == b", "c <= 3"),
        timeout=5.0,
        declared="trust",
        session="file",
    )
    assert asked.calls == [("check", "m.onnx", question)]


def test_certify_is_asked_for_only_when_given(asked, capsys):
    run(capsys, "check", "m.onnx", "--certify")
    assert asked.calls[0][2].certify


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc"], "error: no such command 'chekc'"),
        (["check"], "error: missing argument 'MODEL...' (see shapesmt check --help)"),
        (["check", "m", "--dim", "h"], "error: invalid value for '--dim': 'h' is not NAME=RANGE (see"),
        (["check", "m", "--dim", "=3"], "error: invalid value for '--dim': '=3' is not NAME=RANGE (see"),
        (["check", "m", "--dim", "h=1", "--dim", "h=2"], "error: invalid value for '--dim': 'h' has two values: 1 and"),
        (["profile", "m", "--opt", "h=x"], "error: invalid value for '--opt': 'h=x' is not NAME=VALUE (see"),
        (["profile", "m", "--opt", f"h={5000 * '9'}"], "error: invalid value for '--opt': 'h=9999"),
        (["profile", "m", "--opt", "h=٣"], "error: invalid value for '--opt': 'h=٣' is not NAME=VALUE"),
        (["check", "m", "--timeout", "0"], "error: invalid value for '--timeout': 0.0 is not in the range x>0"),
        (["check", "m", "--format", "xml"], "error: invalid value for '--format': 'xml' is not one of"),
        (["check", "m", "--dmi", "h=1"], "error: no such option '--dmi'; did you mean"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line_and_two(asked, capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.replace(":", "").startswith(message.replace(":", ""))
    assert err.count("\n") == 1
    assert asked.calls == []


def test_memory_passes_everything_on(asked, capsys):
    status, out, err = run(
        capsys, "memory", "m.onnx", "--dim", "n=1..9", "--mode", "alias", "--budget", "2GB", "--max", "n", "--at", "m=7"
    )
    assert (status, err) == (0, "")
    assert out.startswith("m.onnx: 12 bytes of activations at most")
    assert asked.calls == [
        ("measure", "m.onnx", Question({"n": "1..9"}, {}, {}, ()), Wanted("alias", "2GB", "n", {"m": 7}))
    ]


@pytest.mark.parametrize(
    "options",
    [["--at", "m"], ["--at", "m=1..3"], ["--mode", "dead"], ["--max", "n"]],
)
def test_memory_names_bad_usage(asked, capsys, options):
    status, out, err = run(capsys, "memory", "m.onnx", *options)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert not asked.calls


def test_help_lists_commands_by_use_and_says_what_each_is_for_on_one_line(capsys):
    out = run(capsys, "--help")[1]
    commands = [line.split(maxsplit=1) for line in out.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
    assert [name for name, _ in commands[:3]] == ["inspect", "check", "explain"]
    assert not [text for _, text in commands if text.endswith("...") and not text.endswith(", ...")]


def test_the_options_of_check_stand_in_sections(capsys):
    sections = run(capsys, "check", "--help")[1].split("\n\n")
    heads = {text.split("\n")[0]: text for text in sections if text.split("\n")[0].endswith(":")}
    assert list(heads) == ["Options:", "Output:", "Several models:", "Other options:"]
    assert "--dim NAME=RANGE" in heads["Options:"]
    assert "--jobs" in heads["Several models:"]
    assert "-h, --help" in heads["Other options:"]


def test_names_are_utf_8_in_a_locale_that_has_ascii_only(tmp_path: Path) -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["":18]> g (float[n, k] x) => (y) <int64[2] s = {3, 1}> { y = Expand (x, s) }'
    )
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "größe"
    model.graph.node[0].output[0] = model.graph.output[0].name = "ausgäbe"
    onnx.save(model, tmp_path / "modéle.onnx")
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ["bounds", "modéle.onnx", "ausgäbe", "--dim", "größe=1..9", "--assume", "größe == 3", "--format", "json"]
    line = [sys.executable, "-m", "shapesmt", *words]
    ran = subprocess.run(list(map(str.encode, line)), cwd=tmp_path, env=plain, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    (shape,) = [tensor["shape"] for tensor in json.loads(ran.stdout)["tensors"].values()]
    assert shape[0]["min"] == shape[0]["max"] == 3
