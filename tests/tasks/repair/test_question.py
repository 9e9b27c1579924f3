"""The answer of `repair`: its JSON, its exit status, what is written, and what is refused."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import pytest
from onnx import parser

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.prover.algebra import Verdict
from shapesmt.tasks.repair import search
from shapesmt.tasks.repair.edit import Edit
from shapesmt.tasks.repair.trial import Trials

HEAD = '<ir_version: 8, opset_import: ["":18]> '
SWAPPED = HEAD + "g (float[n, 3] x, float[3, 4] w) => (float[a, b] z) { z = MatMul (w, x) }"
RUNS = HEAD + "g (float[n, 3] x, float[3, 4] w) => (float[a, b] z) { z = MatMul (x, w) }"
HOPELESS = HEAD + "g (float[n, 3] x) => (float[n, 3] z) { z = NoSuchOperator (x) }"


@pytest.fixture
def swapped(tmp_path: Path) -> Path:
    path = tmp_path / "swapped.onnxtxt"
    path.write_text(SWAPPED)
    return path


def test_the_json_has_each_proposal(swapped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", str(swapped), "--dim", "n=5..8", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    first = answer["proposals"][0]
    assert list(answer) == ["schema", "model", "verdict", "proposals", "tried", "dropped", "complete", "seconds"]
    assert (answer["schema"], answer["verdict"], answer["complete"]) == ("shapesmt/repair/1", "FAILS", True)
    assert list(first) == [
        *("node", "op_type", "kind", "name", "input", "from", "to", "verdict", "evidence", "text", "keeps", "at"),
    ]
    assert (first["kind"], first["from"], first["to"], first["verdict"]) == (
        "operands",
        ["w", "x"],
        ["x", "w"],
        "PROVED",
    )


def test_a_model_is_written_with_the_proposal_that_is_taken(swapped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = swapped.with_name("out.onnx")
    assert main(["repair", str(swapped), "--dim", "n=5..8", "-o", str(out)]) == 0
    assert "with proposal 1" in " ".join(capsys.readouterr().out.split())
    assert shapesmt.check(out, dims={"n": "5..8"}).verdict is Verdict.PROVED


def test_a_proposal_that_isnt_there_is_refused(swapped: Path) -> None:
    with pytest.raises(UsageError, match="no proposal 99"):
        shapesmt.repair(swapped, swapped.with_name("out.onnx"), take=99, dims={"n": "5..8"})
    assert not swapped.with_name("out.onnx").exists()


def test_of_a_proved_model_it_says_that_there_is_nothing_to_repair(tmp_path: Path) -> None:
    answer = shapesmt.repair(RUNS.encode(), tmp_path / "out.onnx", dims={"n": "5..8"})
    assert "there is nothing to repair" in str(answer)
    assert (answer.proposals, answer.tried, answer.exit_status) == ((), 0, 1)
    assert not (tmp_path / "out.onnx").exists()


def test_of_a_model_that_no_change_repairs_it_says_so() -> None:
    answer = shapesmt.repair(HOPELESS.encode())
    assert "no single change that was tried makes it run" in str(answer)
    assert answer.exit_status == 1


def test_what_was_found_in_time_is_kept_and_the_status_is_3(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("ENOUGH", "MARGIN", "PATIENCE"):
        monkeypatch.setattr(search, limit, 1e9)
    left, tried = Trials.left, list[Edit]()

    def slow(trials: Trials, edit: Edit) -> set[str] | None:
        tried.append(edit)
        if len(tried) == 4:
            monkeypatch.setattr("shapesmt.base.deadline.monotonic", lambda: inf)
        return left(trials, edit)

    monkeypatch.setattr(Trials, "left", slow)
    answer = shapesmt.repair(SWAPPED.encode(), dims={"n": "5..8"})
    assert (answer.complete, answer.exit_status) == (False, 3)
    assert answer.proposals
    assert "a longer --timeout may find more" in str(answer)


@pytest.mark.parametrize(("enough", "complete", "status"), [(0, False, 3), (1, True, 0)])
def test_a_search_has_processor_time_until_a_change_is_proved(
    enough: int, complete: bool, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("ENOUGH", "MARGIN", "PATIENCE"):
        monkeypatch.setattr(search, limit, 1e9)
    left, proved = Trials.left, list[Edit]()

    def spent(trials: Trials, edit: Edit) -> set[str] | None:
        if len(proved) >= enough:
            monkeypatch.setattr("shapesmt.base.deadline.thread_time", lambda: 1e9)
        names = left(trials, edit)
        proved.extend([edit] * (names == set()))
        return names

    monkeypatch.setattr(Trials, "left", spent)
    answer = shapesmt.repair(SWAPPED.encode(), dims={"n": "5..8"})
    assert (answer.complete, answer.exit_status) == (complete, status)
    assert bool(answer.proposals) == bool(enough)
    assert ("a longer --timeout may find more" in str(answer)) == (not enough)


@pytest.mark.parametrize("hostile", ["\x1b[31mred", "a\nb", "\u202e", "x" * 5000, "::error::gone"])
def test_names_from_files_are_printed_safely(hostile: str) -> None:
    model = parser.parse_model(SWAPPED)
    model.graph.node[0].name = hostile
    answer = shapesmt.repair(model, dims={"n": "5..8"})
    assert answer.proposals
    assert "\x1b" not in str(answer)
    assert answer.text(9999).count("\n") == shapesmt.repair(SWAPPED.encode(), dims={"n": "5..8"}).text(9999).count("\n")


def test_an_exported_model_is_told_the_line_to_change() -> None:
    model = parser.parse_model(
        HEAD + "g (float[n, 4] x) => (float[a, b] z) <int64[2] to = {8, 2}> { z = Reshape(x, to) }"
    )
    stack = 'File "model.py", line 17, in forward\n    return x.view(8, 2)'
    model.graph.node[0].metadata_props.add(key="pkg.torch.onnx.stack_trace", value=stack)
    sources = [p.source for p in shapesmt.repair(model).proposals]
    assert ("model.py", 17) in [(source.file, source.line) for source in sources if source is not None]


def test_a_change_that_leaves_findings_is_written_only_if_it_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "g (float[n, 3] x, float[n, 4] w, float[m] v) => (float[a, b] z, float[c, d] y)"
    path, target = tmp_path / "m.onnxtxt", tmp_path / "out.onnx"
    path.write_text(f"{HEAD} {text} {{ t = Transpose <perm=[0, 1]> (x) z = MatMul (t, w) y = Add (v, w) }}")
    dims = {"n": "5..8", "m": "4..6"}
    answer = shapesmt.repair(path, dims=dims)
    assert {str(p.verdict) for p in answer.proposals} == {"DEPENDS"}
    assert answer.exit_status == 1
    assert "makes it run; these help in part" in str(answer)
    with pytest.raises(shapesmt.UsageError, match="proposal 1 leaves findings"):
        shapesmt.repair(path, target, dims=dims)
    assert main(["repair", str(path), "-o", str(target), "--dim", "n=5..8", "--dim", "m=4..6"]) == 1
    told = capsys.readouterr().out
    assert answer.proposals[0].text in told
    assert "not written: proposal 1 leaves findings; choose a proposal with --take" in told
    assert not target.exists()
    assert shapesmt.repair(path, target, take=1, dims=dims).taken == 1


def test_what_a_missing_file_leaves_undecided_may_stay_so() -> None:
    """The rows that are looked up stand in a file that isn't there; the product's operands are the wrong way round."""
    text = f"{HEAD}g (float[n, 3] x, float[3, 4] w) => (float[a, b] z, float[c, d] y) {{ z = MatMul (w, x) }}"
    model = parser.parse_model(text.replace("(w, x)", "(w, x) y = Gather (x, rows)"))
    rows = model.graph.initializer.add(name="rows", data_type=7, dims=[2], data_location=1)
    rows.external_data.add(key="location", value="gone.bin")
    answer = shapesmt.repair(model, dims={"n": "5..8"})
    assert (answer.verdict, answer.exit_status) == (Verdict.FAILS, 1)
    first = answer.proposals[0]
    assert (first.text, first.verdict) == ("operands of MatMul_0 the other way round: x,w", Verdict.UNKNOWN)
    assert "these help in part" in str(answer)
