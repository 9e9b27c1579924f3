"""The examples: each model is what its script builds, each report what the tool says, each verdict what a run shows."""

from __future__ import annotations

import importlib
import io
import json
import random
import runpy
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tests.support import transcripts

ROOT = Path(__file__).parent.parent
STORIES = sorted(path.parent for path in (ROOT / "examples").glob("*/build.py"))
COMMANDS = [
    command
    for story in STORIES
    for command in transcripts.commands((story / "report.txt").read_text())
    if command.startswith("shapesmt check") and ".onnx" in command
]
MOST = 640  # of a size that is run
DRAWN = 20_000
TRIED = 4  # inputs that run, and as many that don't


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


@pytest.mark.parametrize("story", STORIES, ids=lambda s: s.name)
def test_the_script_builds_the_model(story: Path, tmp_path: Path) -> None:
    runpy.run_path(shutil.copy(story / "build.py", tmp_path), run_name="__main__")
    made = {path.name: path.read_text() for path in tmp_path.glob("*.json")}
    assert made == {path.name: path.read_text() for path in story.glob("*.json")}
    built = {path.name: onnx.load(path) for path in tmp_path.glob("*.onnx")}
    assert made or built
    assert built == {path.name: onnx.load(path) for path in story.glob("*.onnx")}
    for model in built.values():
        onnx.checker.check_model(model)


@pytest.mark.parametrize("story", STORIES, ids=lambda s: s.name)
def test_the_story_names_the_commands_of_its_report(story: Path) -> None:
    told = [line.strip() for line in (story / "build.py").read_text().splitlines() if line.startswith("    shapesmt ")]
    ran = transcripts.commands((story / "report.txt").read_text())
    assert told == [command for command in ran if command != "echo $?"]


@pytest.mark.parametrize("story", STORIES, ids=lambda s: s.name)
def test_the_report_is_what_the_tool_says(story: Path) -> None:
    for step in transcripts.steps((story / "report.txt").read_text()):
        assert step.agrees(), f"$ {step.command}\n{step.printed}"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_verdict_is_what_runs_show(command: str) -> None:
    words = shlex.split(command)
    printed, _ = transcripts.run([*words, "--format", "json"])
    report = json.loads(printed)
    model = onnx.load(words[2])
    run = runner(model)
    broken = [found for found in report["findings"] if found["counterexample"]]
    assert bool(broken) == (report["verdict"] != "PROVED")
    for found in broken:
        error = run(found["counterexample"]["inputs"])
        assert error is not None, f"runs at {found['counterexample']}"
        assert f"Name:'{found['node']}'" in error
    assert report["precondition"]["exact"]
    for valid, shapes in drawn(model, report):
        error = run(shapes)
        assert (error is None) == valid, f"{shapes}: {error or 'runs'}"


@pytest.mark.parametrize("command", COMMANDS)
def test_what_other_tools_accept(command: str) -> None:
    """All tools with which the README compares accept every model in its ranges, also the failing models."""
    openvino = pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

    words = shlex.split(command)
    symbols = json.loads(transcripts.run([*words, "--format", "json"])[0])["symbols"]
    model = onnx.load(words[2])
    onnx.checker.check_model(model, full_check=True)
    onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    runner(model)
    ranges = {name: openvino.Dimension(r["min"], -1 if r["max"] is None else r["max"]) for name, r in symbols.items()}
    shapes = {
        i.name: openvino.PartialShape([ranges.get(d.dim_param, d.dim_value) for d in i.type.tensor_type.shape.dim])
        for i in model.graph.input
    }
    openvino.Core().read_model(words[2]).reshape(shapes)


@pytest.mark.parametrize("story", ["torch_export", "lowering"])
def test_the_script_exports_the_program(story: str) -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    from examples.torch_export.export import archive

    script = importlib.import_module(f"examples.{story}.export")
    (file,) = (ROOT / "examples" / story).glob("*.pt2")
    assert programs(archive(script.exported())) == programs(file.read_bytes())


def programs(content: bytes) -> dict[str, Any]:
    """The programs of an archive, by entry, without the version of PyTorch that wrote them."""
    with zipfile.ZipFile(io.BytesIO(content)) as zipped:
        read = {name: json.loads(zipped.read(name)) for name in zipped.namelist() if name.endswith(".json")}
    return {name: {k: v for k, v in document.items() if k != "torch_version"} for name, document in read.items()}


def test_the_plan_of_an_executorch_program_holds() -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    pytest.importorskip("executorch", reason="ExecuTorch isn't installed, which makes the plan and runs it")
    story = ROOT / "examples" / "executorch"
    ran = subprocess.run([sys.executable, str(story / "plan.py")], capture_output=True, text=True, check=False)
    assert ran.stdout == (story / "plan.txt").read_text(), ran.stderr


def test_the_readme_counts_the_models_that_fail() -> None:
    ran = [(shlex.split(command)[2], transcripts.run(shlex.split(command))[1]) for command in COMMANDS]
    assert len({model for model, _ in ran}) == 10
    assert len({model for model, status in ran if status == 1}) == 9
    assert "Nine of the ten ONNX models that the examples check" in (ROOT / "README.md").read_text()


def runner(model: onnx.ModelProto) -> Callable[[dict[str, Any]], str | None]:
    """Runs the model on inputs of these shapes; what ONNX Runtime complains of, else None."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    types = {i.name: np.int64 if "int64" in i.type else np.float32 for i in session.get_inputs()}

    def run(shapes: dict[str, Any]) -> str | None:
        try:
            session.run(None, {name: np.zeros(shape, types[name]) for name, shape in shapes.items()})
        except Exception as error:
            return str(error)
        return None

    return run


def drawn(model: onnx.ModelProto, report: dict[str, Any]) -> Iterator[tuple[bool, dict[str, list[int]]]]:
    """Admissible inputs at random: a few that satisfy the precondition, and a few that don't."""
    chance = random.Random(0)
    counts = {True: 0, False: 0}
    conditions = [compile(text, text, "eval") for text in report["precondition"]["text"]]
    assumed = [compile(text, text, "eval") for text in report.get("assumptions", [])]
    for _ in range(DRAWN):
        sizes = {name: size(chance, r) for name, r in report["symbols"].items()}
        if not all(eval(code, {}, sizes) for code in assumed):
            continue
        valid = all(eval(code, {}, sizes) for code in conditions)
        counts[valid] += 1
        if counts[valid] <= TRIED:
            yield (
                valid,
                {
                    i.name: [sizes[d.dim_param] if d.dim_param else d.dim_value for d in i.type.tensor_type.shape.dim]
                    for i in model.graph.input
                },
            )
    assert counts[True] >= TRIED or report["verdict"] == "FAILS"
    assert counts[False] >= TRIED or report["verdict"] == "PROVED"


def size(chance: random.Random, of: dict[str, Any]) -> int:
    """One admissible size; where there is no end, a small one."""
    most = of["min"] + 15 if of["max"] is None else max(of["min"], min(of["max"], MOST))
    return chance.randrange(of["min"], most + 1, of["step"])
