"""Several models in one run: what is found of each, in order, whatever happens to the others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

import shapesmt
from shapesmt.entrypoints.cli.main import main
from tests.entrypoints.fleet.conftest import EXP, UNRULED

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("folder")


def run(capsys: pytest.CaptureFixture[str], *arguments: str, jobs: int | None = 1) -> tuple[int, str, str]:
    """`check` in this process alone, unless there are more jobs, or None: then it is as configured."""
    status = main(["check", *arguments, *(["--jobs", str(jobs)] if jobs else [])])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_folder_without_models_is_a_mistake(folder, capsys):
    (folder / "empty").mkdir()
    status, out, err = run(capsys, "empty")
    assert (status, out) == (2, "")
    assert err.startswith("error: no *.onnx or *.pt2 file in the folder empty; name files, or a folder that has some")
    (folder / "empty" / "model.pt2").write_bytes(b"")
    assert "model.pt2" in run(capsys, "empty")[1] + run(capsys, "empty")[2]
    assert run(capsys, "-", "exp.onnx")[2].startswith("error: - (standard input) can't be checked beside other models")


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_table_comes_last(jobs, capsys):
    status, out, err = run(capsys, ".", "none.onnx", "--dim", "batch=1..8", jobs=jobs)
    assert (status, err) == (2, "")
    assert out.startswith("DEPENDS add.onnx: 1 of 1 node requirement fails for some n in 1.., m in 1..\n\nDEPENDS  ")
    assert "\n\n\nFAILS deep/er/broken.onnx: 1 of 1 node requirement fails for every input\n" in out
    table = out[out.index("verdict") :].splitlines()
    assert [line.rstrip() for line in table[:-1]] == [
        "verdict  model                proved",
        "DEPENDS  add.onnx             0 of 1, runs exactly when m == 1 or m == n or n == 1",
        "ERROR    deep/damaged.onnx    not an ONNX model, or a damaged one (Error parsing message with "
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
    assert list(data) == ["schema", "summary", "tally", "reports", "unchecked", "seconds"]
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
        "DEPENDS add.onnx: 1 of 1 node requirement fails for some n in 1.., m in 1..",
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
    monkeypatch.setattr("shapesmt.entrypoints.api.Opened.check", lambda opened: {}[opened.model.graph().source])
    status, out, _ = run(capsys, "exp.onnx", "add.onnx", "--jobs", "1", "-q")
    assert status == 4
    assert out.startswith("ERROR exp.onnx: internal error: KeyError: 'exp.onnx'\n")


def test_the_hook_is_consistent_with_the_command(capsys):
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text().removeprefix("- ").splitlines()
    hook = dict(line.strip().split(": ", 1) for line in lines if not line.startswith("    "))
    assert hook["id"] == "shapesmt-check"
    assert hook["language"] == "python"
    assert hook["files"] == r"\.onnx$"
    program, *arguments = hook["entry"].split()
    assert f'{program} = "shapesmt.__main__:run"' in (ROOT / "pyproject.toml").read_text()
    assert main([*arguments, "exp.onnx", "add.onnx", "--jobs", "1"]) == 1


def test_from_python(folder: Path) -> None:
    done: list[str] = []
    batch = shapesmt.check_many([folder / "exp.onnx", "deep"], dims={"batch": (1, 8)}, jobs=1, done=done.append)
    assert [model.model for model in batch.models] == done
    assert [Path(model).name for model in done] == ["exp.onnx", "damaged.onnx", "broken.onnx", "exp.onnx"]
    assert batch.summary["proved"] == 2
    assert batch.reports[0].symbols["batch"].max == 8
    with pytest.raises(shapesmt.UsageError, match="no input dimension 'bacth' in any of 1 models"):
        shapesmt.check_many("exp.onnx", dims={"bacth": 8})
    with pytest.raises(shapesmt.UsageError, match="name it with output"):
        shapesmt.check_many("exp.onnx", resume=True)


def test_what_models_have_in_common(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "fold.onnx").write_text(UNRULED)
    tally = json.loads(run(capsys, ".", "--format", "json")[1])["tally"]
    assert tally["laws"] == [{"name": "broadcast sizes are equal or 1", "nodes": 2, "models": 2, "code": "SM101"}]
    assert tally["operators"] == [{"name": "Add", "nodes": 2, "models": 2}]
    assert tally["without_rule"] == [{"name": "own.Fold", "nodes": 1, "models": 1}]
    assert tally["exporters"][0]["models"] == 5
    shown = run(capsys, ".", "--summary", "--index", "index.html")[1]
    assert "DEPENDS  add.onnx" in shown
    assert "fails at" not in shown
    assert [line.split() for line in shown.splitlines() if line.startswith("SM101")] == [
        ["SM101", "broadcast", "sizes", "are", "equal", "or", "1", "2", "2"]
    ]
    page = (folder / "index.html").read_text()
    assert "Fails: x[0] is 2, y[0] is 4" in page
    assert "Not decided: own.Fold has no rule" in page
    assert page.index("operators without a rule") > page.index("<bdi>fold.onnx</bdi>")
    assert "operators without a rule" in page
    assert "own.Fold" in page
    assert "<a " not in page


def test_an_index_links_to_the_pages_wherever_they_are(folder: Path) -> None:
    assert main(["check", ".", "--jobs", "1", "--html", "the pages", "--index", "deep/all.html"]) == 2
    links = re.findall(r'<a href="([^"]*)">', (folder / "deep" / "all.html").read_text())
    assert "../the%20pages/exp.onnx.html" in links
    assert all((folder / "deep" / unquote(link)).is_file() for link in links)
    assert len(links) == len(re.findall("<a ", (folder / "the pages" / "index.html").read_text())) > 1


def test_of_many_models_the_index_begins_with_what_they_share(folder: Path) -> None:
    for number in range(51):
        (folder / f"{number}.onnx").write_text(UNRULED)
    assert main(["check", ".", "--jobs", "1", "--summary", "--index", "index.html"]) == 2
    page = (folder / "index.html").read_text()
    assert page.index("operators without a rule") < page.index("<bdi>0.onnx</bdi>")


@pytest.mark.parametrize(
    ("index", "why"),
    [("deep", "it is a folder"), ("none/index.html", "there is no such folder, or it may not be written")],
)
def test_an_index_that_cant_be_written_is_refused_at_once(
    index: str, why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapesmt.entrypoints.fleet.check_all", None)
    assert main(["check", ".", "--index", index]) == 2
    assert capsys.readouterr().err == f"error: cannot write {index}: {why}\n"


def test_the_first_failure_can_end_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "exp.onnx", "add.onnx", "deep", "--fail-fast", "--summary")
    assert status == 1
    assert "2 models: 1 proved, 1 depending on the input, 3 left out in" in out
    assert json.loads(run(capsys, "add.onnx", "exp.onnx", "--fail-fast", "--format", "json")[1])["left"] == 1
    assert run(capsys, "exp.onnx", "deep/exp.onnx", "--fail-fast")[0] == 0


def test_pages_and_their_index(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, ".", "--html", "pages")[0] == 2
    names = sorted(path.name for path in (folder / "pages").iterdir())
    assert names == ["add.onnx.html", "deep_er_broken.onnx.html", "deep_exp.onnx.html", "exp.onnx.html", "index.html"]
    assert '<a href="deep_exp.onnx.html">' in (folder / "pages" / "index.html").read_text()
