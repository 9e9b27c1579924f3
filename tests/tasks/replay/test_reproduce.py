"""Scripts that reproduce a failure: they stand alone, and show it on ONNX Runtime."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from onnx import helper

import shapesmt
from shapesmt.entrypoints.cli.main import main
from tests.oracle.graphs import generate
from tests.support import transcripts
from tests.support.versions import following
from tests.test_examples import COMMANDS, ROOT

HEAD = '<ir_version: 8, opset_import: ["":18]> '
ADD = HEAD + "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { a = Exp(x) [plus] z = Add(a, y) }"


def ran(script: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    (tmp_path / "repro.py").write_text(script, "utf-8")
    command = [sys.executable, "-I", str(tmp_path / "repro.py")]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_are_reproduced(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    words = shlex.split(command)
    report = json.loads(transcripts.run([*words, "--format", "json"])[0])
    target = tmp_path / "script.py"
    asked = ["shapesmt", "repro", *words[2:], "-o", str(target)]
    if report["verdict"] == "PROVED":
        assert transcripts.run(asked)[1] == 1
        assert not target.exists()
        return
    for found in report["findings"]:
        assert transcripts.run([*asked[:3], found["node"], *asked[3:]])[1] == 0
        done = ran(target.read_text("utf-8"), tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{found['node']!r} ({found['op_type']}) fails" in done.stdout


def test_random_graphs_are_reproduced(seeds: range, tmp_path: Path) -> None:
    reproduced = 0
    for seed in seeds[:: max(1, len(seeds) // 12)]:
        case = generate(seed)
        script = shapesmt.repro(case.model, dims={name: f"{lo}..{hi}" for name, (lo, hi) in case.ranges.items()})
        if script is not None:
            done = ran(script, tmp_path)
            assert done.returncode == 0, f"seed {seed}: {done.stdout}{done.stderr}"
            reproduced += 1
    assert reproduced


def test_a_node_that_runs_is_not_reproduced(tmp_path: Path) -> None:
    script = shapesmt.repro(ADD.encode())
    assert script is not None
    assert "(2, 3), 1)" in script
    done = ran(script.replace("(2, 3), 1)", "(3, 3), 1)"), tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("not reproduced with onnxruntime ")


@pytest.mark.parametrize(("op", "opset", "status"), [("Add", 28, 0), ("CausalConvWithState", 27, 1)])
def test_operator_sets_that_the_runtime_does_not_know_yet(op: str, opset: int, status: int, tmp_path: Path) -> None:
    """An older opset is used if it means the same; otherwise the refusal to load doesn't count as a shape failure."""
    names = ("x", "y") if op == "Add" else ("x", "w")
    rank = 2 if op == "Add" else 3
    inputs = [helper.make_tensor_value_info(n, 1, [f"{n}{i}" for i in range(rank)]) for n in names]
    outputs = [helper.make_empty_tensor_value_info(n) for n in (("z",) if op == "Add" else ("z", "state"))]
    node = helper.make_node(op, names, [o.name for o in outputs], name="it")
    graph = helper.make_graph([node], "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    with following(1, 32):
        script = shapesmt.repro(model)
    assert script is not None
    assert ran(script, tmp_path).returncode == status


def test_zeros_that_divide_are_no_failure_of_shapes(tmp_path: Path) -> None:
    script = shapesmt.repro((HEAD + "g (int64[n] x, int64[m] y) => (int64[k] z) { [over] z = Div(x, y) }").encode())
    assert script is not None
    done = ran(script, tmp_path)
    assert done.returncode == 0
    assert "broadcast" in done.stdout


def test_what_only_data_decide_is_tried(tmp_path: Path) -> None:
    text = """g (float[n] x, float[m] y) => (float[k] z) <int64[1] axis = {0}> {
        found = NonZero(x) row = Squeeze(found, axis) f = Cast<to = 1>(row) [sum] z = Add(f, y) }"""
    script = shapesmt.repro((HEAD + text).encode(), dims={"n": "2..4", "m": "2..4"})
    assert script is not None
    done = ran(script, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_long_way_is_cut_to_the_node_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shapesmt.tasks.replay.script.READABLE", 2)
    script = shapesmt.repro(
        (
            HEAD
            + """g (float[n, m] x) => (float[k, 4] z) <int64[2] to = {-1, 4}> {
        a = Exp(x) s = Shape(x) c = Mul(s, to) d = Abs(c) [view] z = Reshape(a, d) }"""
        ).encode()
    )
    assert script is not None
    assert "cut down to the node alone, on the sizes that reach it" in script
    assert "'Exp'" not in script
    done = ran(script, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_to_reproduce(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "add.onnxtxt"
    path.write_text(ADD)
    assert main(["repro", str(path), "--assume", "n == m"]) == 1
    assert capsys.readouterr() == ("", f"nothing to reproduce in {path}: no input is known to break any node\n")
    assert main(["repro", str(path), "Exp_0"]) == 1
    assert capsys.readouterr().err.endswith("no input is known to break node 'Exp_0'\n")
    assert main(["repro", str(path), "plos"]) == 2
    assert capsys.readouterr().err == "error: no node 'plos' in add.onnxtxt; did you mean 'plus'?\n"


def test_it_is_printed_written_or_in_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "add.onnxtxt"
    path.write_text(ADD)
    assert main(["repro", str(path)]) == 0
    printed = capsys.readouterr().out
    assert main(["repro", str(path), "plus", "-o", str(tmp_path / "out.py")]) == 0
    assert (tmp_path / "out.py").read_text("utf-8") == printed
    assert main(["repro", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema": "shapesmt/repro/1", "model": str(path), "script": printed}
