"""The command line: what is asked of the API, what is printed, and the exit status."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

import shapesmt
from shapesmt.__main__ import run as run_program
from shapesmt.analysis.verify import Question
from shapesmt.base.deadline import TimeUp
from shapesmt.base.errors import InternalError, ModelError, UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Bounds, Counts, Report, Tightened
from tests.support.hang import PATIENCE
from tests.support.transcripts import masked

EXAMPLES = Path(__file__).parents[3] / "examples"
MODEL = '<ir_version: 8, opset_import: ["":18]> g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'


def run(capsys, *arguments):
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(("verdict", "expected"), [("PROVED", 0), ("DEPENDS", 1), ("FAILS", 1), ("UNKNOWN", 3)])
def test_check_exit_status(asked, capsys, verdict, expected):
    asked.answers["check"] = Report("m.onnx", Verdict(verdict), {}, Counts())
    status, out, _ = run(capsys, "check", "m.onnx", "--format", "json")
    assert status == expected
    assert json.loads(out)["verdict"] == verdict


def test_bounds_explain_and_ops(asked, capsys):
    assert run(capsys, "bounds", "m.onnx", "x", "y")[0] == 0
    assert asked.calls[-1] == ("bounds", "m.onnx", Question({}, {}, {}, ()), "x", "y")
    assert run(capsys, "explain", "m.onnx", "fc")[0] == 0
    how = {"constraints": False, "error": None, "replay": False}
    assert asked.calls[-1] == ("explain", "m.onnx", Question({}, {}, {}, ()), "fc", how)
    assert run(capsys, "explain", "m.onnx", "fc", "--constraints")[0] == 0
    assert asked.calls[-1][-1] == {**how, "constraints": True}
    assert run(capsys, "explain", "m.onnx")[0] == 0
    assert asked.calls[-1] == ("explain", "m.onnx", Question({}, {}, {}, ()), None, how)


def test_ops(capsys, tmp_path):
    (tmp_path / "m.onnxtxt").write_text(MODEL)
    assert re.match(r"\d+ operators with a rule", run(capsys, "ops")[1])
    status, out, _ = run(capsys, "ops", str(tmp_path / "m.onnxtxt"), "--format", "json")
    assert (status, [o["name"] for o in json.loads(out)["operators"]]) == (0, ["Add"])


def test_tighten_is_one_analysis(asked, capsys):
    assert run(capsys, "tighten", "m.onnx", "-o", "out.onnx")[0] == 0
    assert [(*call[:2], call[3]) for call in asked.calls] == [("write_tightened", "m.onnx", "out.onnx")]
    assert asked.calls[0][-1] == {"valid_only": False, "simplify": False, "trust_ranges": False}
    asked.answers["write_tightened"] = Tightened(Bounds("m.onnx", {}, {}, valid=False), None)
    assert run(capsys, "tighten", "m.onnx", "-o", "out.onnx")[0] == 1
    assert run(capsys, "tighten", "m.onnx")[0] == 2


def test_simplify_is_one_analysis(asked, capsys):
    text = run(capsys, "simplify", "m.onnx", "-o", "out.onnx", "--explain", "--check-runs", "3")
    assert text[:2] == (0, SIMPLIFIED)
    assert [(*call[:2], call[3]) for call in asked.calls] == [("write_simplified", "m.onnx", "out.onnx")]
    assert asked.calls[0][-1] == {"valid_only": False, "check_runs": 3, "trust_ranges": False}
    assert "identity:" not in run(capsys, "simplify", "m.onnx", "-o", "out.onnx")[1]
    status, out, _ = run(capsys, "simplify", "m.onnx", "-o", "out.onnx", "--format", "json")
    assert (status, json.loads(out)["rewrites"][0]["rule"]) == (0, "identity")
    assert run(capsys, "simplify", "m.onnx")[0] == 2


SIMPLIFIED = """wrote out.onnx
  1 node of 2, constants not counted
  the same outputs, bit by bit, in 3 runs of both on ONNX Runtime
  identity 1
  identity: copy (Identity): Identity returns its input
"""


def test_encode_prints_or_writes_whole(asked, capsys, tmp_path: Path):
    assert run(capsys, "encode", "m.onnx", "--dim", "n=1..2") == (0, "(check-sat)\n", "")
    target = tmp_path / "m.smt2"
    target.write_text("old")
    target.chmod(0o640)
    assert run(capsys, "encode", "m.onnx", "-o", str(target)) == (0, "", "")
    assert target.read_text() == "(check-sat)\n"
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [target]
    status, _, err = run(capsys, "encode", "m.onnx", "-o", str(tmp_path / "none" / "m.smt2"))
    assert status == 2
    assert err.startswith("error: cannot write ")
    assert json.loads(run(capsys, "encode", "m.onnx", "--format", "json")[1])["smt2"] == "(check-sat)\n"
    assert run(capsys, "encode", "m.onnx", "fc")[0] == 0
    assert asked.calls[-1] == ("encode", "m.onnx", Question({}, {}, {}, ()), "fc")


@pytest.mark.parametrize("kind", [UsageError, ModelError])
def test_a_users_mistake_is_one_line_and_two(asked, capsys, kind):
    asked.answers["check"] = kind("no input dimension 'hieght' in unet.onnx;\n did you mean\x1b 'height'?")
    status, out, err = run(capsys, "check", "m.onnx")
    assert (status, out) == (2, "")
    assert err == "error: no input dimension 'hieght' in unet.onnx; did you mean\\x1b 'height'?\n"


def test_our_mistake_asks_for_a_report(asked, capsys, monkeypatch):
    monkeypatch.delenv("SHAPESMT_DEBUG", raising=False)
    asked.answers["check"] = KeyError("x")
    status, _, err = run(capsys, "check", "m.onnx")
    assert status == 4
    assert err == (
        "internal error: KeyError: 'x' (a bug in shapesmt: please report it with the model that shows it); "
        "run again with --debug for the traceback\n"
    )
    asked.answers["check"] = InternalError("a rule raised")
    assert run(capsys, "check", "m.onnx")[2].startswith("internal error: a rule raised (a bug in shapesmt")
    for arguments in (["--debug", "check", "m.onnx"], ["check", "m.onnx", "--debug"]):
        status, _, err = run(capsys, *arguments)
        assert status == 4
        assert "Traceback (most recent call last)" in err
    monkeypatch.setenv("SHAPESMT_DEBUG", "1")
    assert "Traceback" in run(capsys, "check", "m.onnx")[2]


def test_a_deadline_that_no_stage_notices_is_undecided(asked, capsys):
    asked.answers["check"] = TimeUp()
    assert run(capsys, "check", "m.onnx") == (
        3, "", "error: there is no answer in the time given; a longer --timeout may do\n"
    )  # fmt: skip


@pytest.mark.parametrize("error", [MemoryError(), SystemError("error return without exception set")])
def test_what_takes_too_much_memory_is_undecided(asked, capsys, error):
    asked.answers["check"] = error
    assert run(capsys, "check", "m.onnx") == (3, "", "error: there isn't enough memory\n")


def test_interruption_is_silent(asked, capsys):
    asked.answers["check"] = KeyboardInterrupt()
    assert run(capsys, "check", "m.onnx") == (130, "", "\n")


def test_ctrl_c_while_the_command_line_is_imported(monkeypatch):
    class Interrupted(ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "shapesmt.entrypoints.cli", Interrupted("shapesmt.entrypoints.cli"))
    assert run_program() == 130


def test_version_and_help(capsys):
    status, out, _ = run(capsys, "--version")
    assert (status, out) == (0, f"shapesmt {shapesmt.__version__}\n")
    ran = subprocess.run([sys.executable, "-m", "shapesmt", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == out
    status, out, _ = run(capsys, "--help")
    assert status == 0
    assert "shapesmt check unet.onnx --dim batch=1..32" in out
    for command in ("check", "explain", "bounds", "tighten", "simplify", "encode", "ops"):
        status, out, _ = run(capsys, command, "--help")
        words = " ".join(out.split())
        assert status == 0
        assert "exit status: 0" in words
        assert f"Example: shapesmt {command} unet.onnx" in words
    assert main([]) == 2


def shapesmt_process(*arguments: str, **options) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-c",
        "import sys; from shapesmt.entrypoints.cli import main; sys.exit(main())",
        *arguments,
    ]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", **options
    )


def test_help_is_light():
    code = (
        "import sys; from shapesmt.entrypoints.cli import main; main(['check', '--help']);"
        "print([m for m in ('onnx', 'z3', 'networkx', 'rich', 'numpy') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def imported(names: Sequence[str], *arguments: str) -> list[str]:
    """Which of these modules are imported when the command line has answered."""
    asked = f"print([m for m in {names} if m in sys.modules])"
    code = f"import sys; from shapesmt.entrypoints.cli import main; main(); {asked}"
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=EXAMPLES
    )
    return ast.literal_eval(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("model", ["unet/unet.onnx", "kv_cache/kv_cache.onnx", "detector/detector.onnx"])
def test_check_imports_only_what_it_needs(model: str):
    """For a binary file whose operators have rules: neither ONNX's package nor modules for other models and answers."""
    others = (
        *("onnx", "z3", "networkx", "rich", "numpy.typing", "click.shell_completion"),
        *(
            "shapesmt.entrypoints.cli.compilers",
            "shapesmt.entrypoints.cli.questions",
            "shapesmt.network.graph.dataflow",
        ),
        *("shapesmt.reports.answers.page", "shapesmt.reports.answers.memory", "shapesmt.reports.render.json"),
        *(
            "shapesmt.operators.ops.control",
            "shapesmt.operators.ops.contrib",
            "shapesmt.operators.ops.torch",
            "shapesmt.operators.ops.math.recurrent",
        ),
        *(
            "shapesmt.operators.rules.alternatives",
            "shapesmt.operators.rules.shape_functions",
            "shapesmt.operators.rules.unranked",
        ),
        *("shapesmt.network.declarations.dimension", "shapesmt.network.declarations.partial_shape"),
    )
    assert imported(others, "check", model) == []


def test_a_model_without_floats_or_regions_needs_no_arrays():
    assert imported(("numpy",), "check", "heads/heads.onnx") == []


def test_answers_that_are_kept_need_no_rules(tmp_path: Path):
    others = (
        "numpy",
        "shapesmt.entrypoints.api.opened",
        "shapesmt.operators.rules.context",
        "shapesmt.operators.inference",
        "shapesmt.prover.presolve",
    )
    again = "check", "heads", "kv_cache", "--cache", str(tmp_path), "--summary"
    assert imported(others, *again, "--jobs", "1") == list(others)
    assert imported(others, *again) == []


def test_what_is_proved_imports_nothing_about_failures():
    others = ("shapesmt.prover.regions.region", "shapesmt.prover.regions.box")
    proved = "check", "window_partition/tiles.onnx", "--dim", "height=7..224:7", "--dim", "width=7..224:7"
    assert imported(others, *proved) == []
    assert imported(others, *proved[:2]) == [others[0]]


@pytest.mark.parametrize(("call", "frozen"), [("main()", True), ("main(['help', 'ranges'])", False)])
def test_a_process_leaves_nothing_to_the_garbage_collector(call: str, frozen: bool):
    """`main()` freezes all objects, since the process ends; `main` with arguments doesn't, since its caller goes on."""
    code = (
        "import gc, sys; from shapesmt.entrypoints.cli import main; sys.argv[1:] = ['help', 'ranges'];"
        "before = gc.get_freeze_count();"  # Python 3.12 begins with some
        f"assert {call} == 0; print(gc.get_freeze_count() > before)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == str(frozen)


def test_a_reader_that_leaves_early_hears_nothing():
    process = shapesmt_process("ops", "--format", "json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(PATIENCE) == 141
    assert process.stderr.read() == ""
    process.stderr.close()


def test_from_the_command_line_to_a_verdict(tmp_path: Path):
    model = tmp_path / "add.onnxtxt"
    model.write_text(MODEL)
    process = shapesmt_process("check", str(model), "--dim", "n=2..8", "--dim", "m=2..8")
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (1, "")
    assert out.startswith("DEPENDS add.onnxtxt: ")
    assert "  fails at n=2, m=3 (x 2x3, y 3x3)\n" in out
    assert '\nPROVED with --assume "m == n"\n' in out


def test_the_advice_makes_it_proved(tmp_path: Path):
    model = tmp_path / "add.onnxtxt"
    model.write_text(MODEL)
    process = shapesmt_process("check", str(model), "--dim", "n=2..8", "--dim", "m=2..8", "--assume", "n == m")
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out


QUESTIONS = [
    ["check", "unet/unet.onnx", "--dim", "height=64..512", "--dim", "width=64..512"],
    ["check", "kv_cache/kv_cache.onnx", "--format", "json"],
    ["explain", "kv_cache/kv_cache.onnx", "add_mask", "--assume", "total == past + seq"],
    ["explain", "unet/unet.onnx", "--shape", "image=1x3x65x70"],
    ["bounds", "window_partition/padded.onnx", "--dim", "height=1..64"],
]


def test_the_same_question_gives_the_same_answer_whatever_the_hash_seed() -> None:
    code = f"from shapesmt.entrypoints.cli import main; print(*[main(words) for words in {QUESTIONS}])"
    answers = [
        masked(
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONHASHSEED": seed},
                cwd=EXAMPLES,
                capture_output=True,
                text=True,
            ).stdout
        )
        for seed in ("0", "1", "4711")
    ]
    assert answers[0].splitlines()[-1] == "1 1 0 1 0"
    assert answers[1:] == answers[:1] * 2


def test_html_is_written_beside_the_answer(tmp_path: Path, capsys) -> None:
    model, page = tmp_path / "add.onnxtxt", tmp_path / "add.html"
    model.write_text(MODEL)
    assert main(["check", str(model), "--dim", "n=2..9", "--html", str(page)]) == 1
    told = capsys.readouterr().out
    assert main(["check", str(model), "--dim", "n=2..9"]) == 1
    alone = capsys.readouterr().out
    assert told.splitlines()[:-1] == alone.splitlines()[:-1]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_html_that_cannot_be_written_is_a_mistake(tmp_path: Path, capsys) -> None:
    model = tmp_path / "add.onnxtxt"
    model.write_text(MODEL)
    assert main(["check", str(model), "--html", str(tmp_path / "none" / "add.html")]) == 2
    assert main(["check", str(model), str(model.with_name("b.onnx")), "--html", str(model)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "cannot write" in first
    assert "cannot make the folder" in second


def test_several_models_have_pages_in_a_folder_with_an_index(tmp_path: Path, capsys) -> None:
    models = [tmp_path / folder / "add.onnxtxt" for folder in "ab"]
    for model in models:
        model.parent.mkdir()
        model.write_text(MODEL)
    pages, missing = tmp_path / "deep" / "pages", str(tmp_path / "none.onnx")
    assert main(["check", *map(str, models), missing, "--jobs", "2", "--html", str(pages)]) == 2
    told = capsys.readouterr().out
    assert main(["check", *map(str, models), missing, "--jobs", "2"]) == 2
    alone = capsys.readouterr().out
    assert re.sub(r"[0-9.]+ s", "", told) == re.sub(r"[0-9.]+ s", "", alone)
    assert sorted(page.name for page in pages.iterdir()) == ["a_add.onnxtxt.html", "b_add.onnxtxt.html", "index.html"]
    index = (pages / "index.html").read_text(encoding="utf-8")
    assert 'href="a_add.onnxtxt.html"' in index
    assert 'href="b_add.onnxtxt.html"' in index
    assert "ERROR" in index
    assert "none.onnx.html" not in index
