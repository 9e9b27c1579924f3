"""Replay: every counterexample fails at the named node on ONNX Runtime, and a finding that is wrong is told loudly."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

import shapesmt
from shapesmt import UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.operators.rules import registry
from shapesmt.prover.algebra import Verdict
from shapesmt.prover.algebra.formula import divides
from shapesmt.reports.answers import Report
from shapesmt.tasks.replay import run as replay
from tests.oracle.graphs import generate
from tests.support import transcripts
from tests.test_examples import COMMANDS, ROOT

HEAD = '<ir_version: 8, opset_import: ["":18]> '
ADD = HEAD + "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { a = Exp(x) [plus] z = Add(a, y) }"


def checked(text: str | onnx.ModelProto, **options: object) -> Report:
    model = text if isinstance(text, onnx.ModelProto) else text.encode()
    return shapesmt.check(model, replay=True, **options)  # type: ignore[arg-type]


def stamps(report: Report) -> list[tuple[str, bool | None]]:
    return [(f.node, f.replay.confirmed) for f in report.findings if f.replay is not None]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_are_confirmed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    printed, status = transcripts.run([*shlex.split(command), "--replay", "--format", "json"])
    report = json.loads(printed)
    for found in report["findings"]:
        assert found["replay"]["confirmed"] is True, found
        assert found["replay"]["node"] == found["node"]
    assert status == (0 if report["verdict"] == "PROVED" else 1)


def test_random_graphs_are_confirmed(seeds: range, full: bool) -> None:
    confirmed, chosen = 0, seeds if full else seeds[:16]
    for seed in chosen:
        case = generate(seed)
        dims = {name: f"{lo}..{hi}" for name, (lo, hi) in case.ranges.items()}
        for found in checked(case.model, dims=dims).findings:
            if found.counterexample is not None and found.replay is not None:
                assert found.replay.confirmed, f"seed {seed}: {found.node}: {found.replay}"
                confirmed += 1
    assert confirmed >= len(chosen) // 4


def test_what_is_said_in_each_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "add.onnxtxt").write_text(ADD)
    path = str(tmp_path / "add.onnxtxt")
    assert main(["check", path, "--replay"]) == 1
    reason = "Attempting to broadcast an axis by a dimension other than 1. 2 by 3"
    assert f" confirmed by {runtime()}: {reason} " in " ".join(capsys.readouterr().out.split())
    assert main(["check", path, "--replay", "--format", "github"]) == 1
    assert f"confirmed by {runtime()}: {reason}; runs exactly when" in capsys.readouterr().out
    assert main(["check", path, "--format", "json"]) == 1
    assert "replay" not in json.loads(capsys.readouterr().out)["findings"][0]


def test_several_models(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("a", "b"):
        onnx.save(onnx.parser.parse_model(ADD), tmp_path / f"{name}.onnx")
    assert main(["check", str(tmp_path), "--replay", "--jobs", "1"]) == 1
    assert capsys.readouterr().out.count(f"confirmed by {runtime()}") == 2


def runtime() -> str:
    import onnxruntime

    return f"onnxruntime {onnxruntime.__version__}"


@pytest.fixture
def false_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Softsign is said to need an even size: it doesn't."""

    def softsign(ctx: shapesmt.InferenceContext) -> object:
        """`out.shape = x.shape`."""
        x = ctx.input(0)
        ctx.require(divides(2, x[0]), "the first size is even", x[0], 2)
        return x

    wrong = registry.Rule("Softsign", "", 1, softsign)  # type: ignore[arg-type]
    monkeypatch.setitem(registry._RULES, ("", "Softsign"), [wrong])


@pytest.mark.usefixtures("false_rule")
def test_a_false_finding_is_told_loudly(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "odd.onnxtxt"
    path.write_text(HEAD + "g (float[n] x) => (float[n] z) { y = Exp(x) [soft] z = Softsign(y) }")
    assert main(["check", str(path), "--replay"]) == 4
    told = f"  NOT CONFIRMED by {runtime()}: the node runs there; please report this with the model\n"
    assert told in capsys.readouterr().out
    report = shapesmt.check(path, replay=True)
    assert report.findings[0].to_dict()["replay"] == {
        "runtime": runtime(),
        "confirmed": False,
        "node": "soft",
        "message": "the node runs there",
    }


@pytest.fixture
def lenient_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """MatMul is said never to fail."""

    def matmul(ctx: shapesmt.InferenceContext) -> object:
        """`out.shape = (n, m)`."""
        return ctx.input(0).replace(1, ctx.input(1)[1])

    wrong = registry.Rule("MatMul", "", 1, matmul)  # type: ignore[arg-type]
    monkeypatch.setitem(registry._RULES, ("", "MatMul"), [wrong])


@pytest.mark.usefixtures("lenient_rule")
def test_a_failure_that_was_missed_stands_in_the_way() -> None:
    found = checked(
        HEAD
        + """g (float[n, 3] x, float[4, 5] y, float[m, 5] b) => (float[k, 5] z) {
        [missed] a = MatMul(x, y)  c = Exp(a) [told] w = Transpose(c) [sum] z = Gemm(w, b) }"""
    ).findings
    assert [(f.node, f.replay.confirmed) for f in found if f.replay] == [("sum", True)]
    assert found[0].replay is not None
    assert found[0].replay.message.endswith(", the node alone")


def test_without_onnxruntime_it_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (tmp_path / "add.onnxtxt").write_text(ADD)
    assert main(["check", str(tmp_path / "add.onnxtxt"), "--replay"]) == 2
    assert capsys.readouterr() == (
        "",
        "error: --replay needs onnxruntime, which is not installed: pip install 'shapesmt[replay]'\n",
    )
    assert main(["check", str(tmp_path / "add.onnxtxt")]) == 1


def test_a_graph_has_no_file_to_run() -> None:
    with pytest.raises(UsageError, match="give the file's path instead"):
        shapesmt.check(shapesmt.Graph("g", {}, [], []), replay=True)


def test_a_proved_model_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "Runtime", None)
    report = checked(HEAD + "g (float[n] x) => (float[n] y) { y = Exp(x) }")
    assert report.verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("body", "node"),
    [
        ("[branch] z = If(c) <then_branch = t () => (float[a] p) { p = Add(x, y) },"
         " else_branch = e () => (float[b] q) { q = Add(x, y) }>", "branch"),
        ("[call] z = local.Twice(x, y)", "call"),
    ],
)  # fmt: skip
def test_failures_inside(body: str, node: str) -> None:
    text = f"""<ir_version: 8, opset_import: ["":18, "local":1]>
        g (bool c, float[n] x, float[m] y) => (float[k] z) {{ {body} }}
        <domain: "local", opset_import: ["":18]> Twice (a, b) => (s) {{ r = Add(a, b) s = Add(r, r) }}"""
    assert stamps(checked(text, dims={"n": "2..4", "m": "2..4"})) == [(node, True)]


def test_what_only_data_decide_is_tried() -> None:
    text = """g (float[n] x, float[m] y) => (float[k] z) <int64[1] axis = {0}> {
        found = NonZero(x) row = Squeeze(found, axis) f = Cast<to = 1>(row) [sum] z = Add(f, y) }"""
    report = checked(HEAD + text, dims={"n": "2..4", "m": "2..4"})
    assert [f.kind for f in report.findings] == ["data"]
    assert stamps(report) == [("sum", True)]


def test_data_are_drawn_where_those_that_are_all_alike_run() -> None:
    text = """g (float[n] x, float[n] y) => (int64[1, k] z) { a = NonZero(x) b = NonZero(y) [sum] z = Add(a, b) }"""
    report = checked(HEAD + text, dims={"n": "4..6"})
    assert report.findings[0].counterexample is not None
    assert report.findings[0].counterexample.data == {"a.count": 0, "b.count": 2}
    assert stamps(report) == [("sum", True)]


def test_division_by_the_zeros_we_put_in_is_no_failure_of_shapes() -> None:
    report = checked(HEAD + "g (int64[n] x, int64[m] y) => (int64[k] z) { [over] z = Div(x, y) }")
    assert stamps(report) == [("over", True)]
    assert report.findings[0].replay is not None
    assert "broadcast" in report.findings[0].replay.message


def test_division_by_a_size_that_is_zero_is_confirmed() -> None:
    text = """g (float[n] x) => (float[k] y) <int64[1] one = {1}>
        { n = Shape(x) less = Sub(n, one) [over] times = Div(n, less) y = Expand(x, times) }"""
    report = checked(HEAD + text)
    assert stamps(report) == [("over", True)]


def test_a_division_by_our_zeros_before_the_node_refutes_nothing() -> None:
    text = """g (int64[n] x, float[m] y, float[3] w) => (int64[n] q, float[k] z)
        { [apart] d = Sub(x, x) [over] q = Div(x, d) f = Cast<to = 1>(q) [sum] z = Sum(f, y, w) }"""
    report = checked(HEAD + text)
    assert stamps(report) == [("sum", True)]  # the node alone
    assert report.exit_status == 1


def test_too_large_to_run_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shapesmt.tasks.replay.cut.MEMORY", 10)
    report = checked(ADD)
    assert stamps(report) == [("plus", None)]
    assert report.findings[0].replay is not None
    assert report.findings[0].replay.message == "running it would take 0.0 GiB"
    assert report.exit_status == 1


def test_too_long_to_run_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "SECONDS", 0.0)
    monkeypatch.setattr(replay.Runtime, "_start", stuck(replay.Runtime._start))
    report = checked(ADD)
    assert report.findings[0].replay is not None
    assert report.findings[0].replay.message == "running it takes longer than 0 s"


def stuck(start: object) -> object:
    def started(self: replay.Runtime) -> object:
        process = start(self)  # type: ignore[operator]
        os.kill(process.pid, signal.SIGSTOP)
        return process

    return started


def test_a_runtime_that_crashes_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    dies = (
        "import pickle, sys; pickle.dump('onnxruntime 9', sys.stdout.buffer); sys.stdout.flush();"
        " sys.stdin.buffer.read(1); exit(7)"
    )
    monkeypatch.setattr(replay, "_WORKER", dies)
    report = checked(HEAD + "g (float[n] x, float[m] y) => (float[k] z) { [plus] z = Add(x, y) }")
    assert report.findings[0].to_dict()["replay"] == {
        "runtime": "onnxruntime 9",
        "confirmed": True,
        "node": "plus",
        "message": "the runtime itself ends, with status 7",
    }


def test_a_runtime_that_cannot_start_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_WORKER", "exit(1)")
    with pytest.raises(UsageError, match="can't be imported; install it anew"):
        checked(ADD)


def test_an_operator_without_a_kernel_is_not_replayed() -> None:
    x = [helper.make_tensor_value_info(name, TensorProto.INT16, [name]) for name in "nm"]
    node = helper.make_node("Max", ["n", "m"], ["z"], name="most")
    graph = helper.make_graph([node], "g", x, [helper.make_empty_tensor_value_info("z")])
    report = checked(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8))
    assert stamps(report) == [("most", None)]
    assert report.findings[0].replay is not None
    assert "Could not find an implementation" in report.findings[0].replay.message
    assert report.exit_status == 1


def test_a_file_that_is_not_loaded_is_confirmed_as_a_whole():
    model = onnx.parser.parse_model(HEAD + "g (float[a, 2] x) => (float[b, c] z) { y = Abs (x) z = Neg (y) }")
    for node in model.graph.node:
        node.name = "same"
    report = checked(model)
    assert stamps(report) == [("same", True)]
    assert "two nodes with same node name" in str(report)
