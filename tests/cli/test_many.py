"""Several models in one run: what is found of each, in order, whatever happens to the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shapesmt.cli import many
from shapesmt.cli.main import main
from shapesmt.examine import Question

HEAD = '<ir_version: 8, opset_import: ["":18]> '
ADD = HEAD + "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }"
EXP = HEAD + "g (float[batch] x) => (float[batch] y) { y = Exp(x) }"
BROKEN = HEAD + "g (float[2, 3] x, float[4, 3] y) => (float[k, 3] z) { z = Add(x, y) }"
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
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


def run(capsys: pytest.CaptureFixture[str], *arguments: str, jobs: int | None = 1) -> tuple[int, str, str]:
    """`check` in this process alone, unless there are more jobs, or None: then it is as configured."""
    status = main(["check", *arguments, *(["--jobs", str(jobs)] if jobs else [])])
    out, err = capsys.readouterr()
    return status, out, err


def test_folders_are_searched_and_sorted():
    assert many.models_in(["exp.onnx", "."]) == [
        "exp.onnx",
        "add.onnx",
        "deep/damaged.onnx",
        "deep/er/broken.onnx",
        "deep/exp.onnx",
    ]
    assert many.models_in(["none.onnx", "none.onnx"]) == ["none.onnx"]


def test_a_folder_without_models_is_a_mistake(folder, capsys):
    (folder / "empty").mkdir()
    status, out, err = run(capsys, "empty")
    assert (status, out) == (2, "")
    assert err.startswith("error: no *.onnx file in the folder empty; name files, or a folder that has some")
    assert run(capsys, "-", "exp.onnx")[2].startswith("error: - (standard input) can't be checked beside other models")


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_table_comes_last(jobs, capsys):
    status, out, err = run(capsys, ".", "none.onnx", "--dim", "batch=1..8", jobs=jobs)
    assert (status, err) == (2, "")
    assert out.startswith("DEPENDS add.onnx: 1 of 1 requirement fails for some n in 1.., m in 1..\n\nDEPENDS  ")
    assert "\n\n\nFAILS deep/er/broken.onnx: 1 of 1 requirement fails for every input\n" in out
    table = out[out.index("verdict") :].splitlines()
    assert [line.rstrip() for line in table[:-1]] == [
        "verdict  model                proved",
        "DEPENDS  add.onnx             0 of 1, runs exactly when m == 1 or m == n or n == 1",
        "ERROR    deep/damaged.onnx    damaged.onnx: not an ONNX model, or a damaged one (Error parsing message with "
        "type 'onnx.ModelProto': Wire format was corrupt)",
        "FAILS    deep/er/broken.onnx  0 of 1",
        "PROVED   deep/exp.onnx        0 of 0",
        "PROVED   exp.onnx             0 of 0",
        "ERROR    none.onnx            cannot read none.onnx: No such file or directory",
        "",
    ]
    assert table[-1].startswith("6 models: 2 proved, 1 depending on the input, 1 failing, 2 not checked in ")


def test_the_order_is_the_same_however_many_work(capsys):
    def answer(jobs: int) -> str:
        data = json.loads(run(capsys, ".", "--format", "json", jobs=jobs)[1])
        for part in (data, *data["reports"]):
            del part["seconds"]
        return json.dumps(data)

    assert answer(1) == answer(2) == answer(8)


def test_json(capsys):
    status, out, _ = run(capsys, "exp.onnx", "deep/damaged.onnx", "add.onnx", "--format", "json")
    data = json.loads(out)
    assert status == 2
    assert list(data) == ["schema", "summary", "reports", "unchecked", "seconds"]
    assert data["schema"] == "shapesmt/checks/1"
    assert data["summary"] == {"models": 3, "proved": 1, "unknown": 0, "depends": 1, "fails": 0, "unchecked": 1}
    assert [report["model"] for report in data["reports"]] == ["exp.onnx", "add.onnx"]
    assert all(report["schema"] == "shapesmt/check/1" for report in data["reports"])
    assert data["unchecked"][0]["model"] == "deep/damaged.onnx"
    assert json.loads(run(capsys, "exp.onnx", "--format", "json")[1])["schema"] == "shapesmt/check/1"
    (Path("deep") / "er" / "broken.onnx").write_text(EXP)
    assert json.loads(run(capsys, "deep/er", "--format", "json")[1])["summary"]["models"] == 1


def test_quiet(capsys):
    assert run(capsys, "exp.onnx", "-q")[1] == "PROVED exp.onnx: no node has a requirement that could fail\n"
    assert run(capsys, "exp.onnx", "add.onnx", "none.onnx", "--quiet")[1].splitlines() == [
        "PROVED exp.onnx: no node has a requirement that could fail",
        "DEPENDS add.onnx: 1 of 1 requirement fails for some n in 1.., m in 1..",
        "ERROR none.onnx: cannot read none.onnx: No such file or directory",
    ]
    assert json.loads(run(capsys, "exp.onnx", "-q", "--format", "json")[1])["verdict"] == "PROVED"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dim", "bacth=8"], "no input dimension 'bacth' in any of 2 models; did you mean 'batch'?"),
        (["--shape", "xx=[8]"], "no input 'xx' in any of 2 models; did you mean 'x'?"),
        (["--assume", "batch == q"], "no symbol 'q' in any of 2 models; it has batch, m, n"),
        (["--dim", "batch=8..1"], "range '8..1' of 'batch' is empty: 8 > 1; write lo..hi with lo <= hi"),
        (["--shape", "x=q q"], "'q q' is not a shape of 'x'; write"),
        (["--assume", "batch = 1"], "expression 'batch = 1' has '='; write == to compare"),
    ],
)
def test_a_name_has_to_be_known_by_some_model(arguments, message, capsys):
    status, out, err = run(capsys, "exp.onnx", "add.onnx", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1


def test_models_do_without_names_they_lack(capsys):
    arguments = ["exp.onnx", "add.onnx", "--dim", "batch=1..8", "--shape", "y=[2..4,3]", "--assume", "n == y_dim0"]
    status, _, err = run(capsys, *arguments)
    assert (status, err) == (2, "error: no symbol 'y_dim0' in any of 2 models; it has batch, m, n\n")
    arguments[-1] = "n == 3"
    data = json.loads(run(capsys, *arguments, "--format", "json")[1])
    exp, add = data["reports"]
    assert exp["symbols"] == {"batch": {"min": 1, "max": 8, "step": 1, "from": "--dim"}}
    assert "assumptions" not in exp
    assert add["assumptions"] == ["n == 3"]
    assert add["symbols"]["m"]["from"] == "--shape"


def test_a_question_that_makes_no_sense_for_one_model_is_that_models(capsys):
    status, out, _ = run(capsys, "exp.onnx", "add.onnx", "--dim", "n=1", "--assume", "n == 2", "-q")
    assert status == 2
    assert out.splitlines()[1].startswith("ERROR add.onnx: no admissible input: n in 1..1")


def test_configuration_is_per_model(capsys):
    Path("shapesmt.toml").write_text('jobs = 2\n[models."add.onnx"]\nassume = "n == m"')
    status, out, _ = run(capsys, "add.onnx", "exp.onnx", "-q", jobs=None)
    assert status == 0
    assert out.startswith("PROVED add.onnx")
    assert run(capsys, "add.onnx", "exp.onnx", "--no-config", "-q")[0] == 1


def test_a_failure_of_our_own_is_that_models(monkeypatch, capsys):
    monkeypatch.setattr("shapesmt.api.checked", lambda graph, _: {}[graph.source])
    status, out, _ = run(capsys, "exp.onnx", "add.onnx", "--jobs", "1", "-q")
    assert status == 4
    assert out.startswith("ERROR exp.onnx: internal error: KeyError: 'exp.onnx'\n")


def test_a_worker_that_dies_takes_one_model_with_it(monkeypatch):
    monkeypatch.setattr(many, "_WORKER", "import os; os._exit(9)")
    found = many.check_all([many.Task("exp.onnx", Question(), {}), many.Task("add.onnx", Question(), {})], 2)
    assert [one.exit_status for one in found.models] == [4, 4]
    assert "the process that checked it ended with status 9" in found.unchecked[0].error


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="interrupts a group of processes as a POSIX terminal does")
def test_an_interrupt_ends_everything(tmp_path: Path):
    code = "import time, sys; sys.stderr.write('at work\\n'); time.sleep(60)"
    program = (
        "import signal, sys; from shapesmt.cli import many; from shapesmt.cli import main;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"  # which a job in the background ignores
        f"many._WORKER = {code!r}; sys.exit(main(['check', 'exp.onnx', 'add.onnx', '--jobs', '2']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == process.stderr.readline() == "at work\n"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)  # ends when every process that holds the pipes has ended
    assert (process.returncode, out, err.strip()) == (130, "", "")


def test_the_hook_is_consistent_with_the_command(capsys):
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text().removeprefix("- ").splitlines()
    hook = dict(line.strip().split(": ", 1) for line in lines)
    assert hook["id"] == "shapesmt-check"
    assert hook["language"] == "python"
    assert hook["files"] == r"\.onnx$"
    program, *arguments = hook["entry"].split()
    assert f'{program} = "shapesmt.cli:main"' in (ROOT / "pyproject.toml").read_text()
    assert main([*arguments, "exp.onnx", "add.onnx", "--jobs", "1"]) == 1
