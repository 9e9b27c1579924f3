"""Reports are written as they arrive, and what is there isn't done again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shapesmt
from shapesmt.entrypoints.api import Opened
from shapesmt.entrypoints.cli.main import main
from shapesmt.reports.answers import Report
from shapesmt.reports.export import hidden_start
from tests.entrypoints.fleet.conftest import ADD, EXP
from tests.support import parquet

pytestmark = pytest.mark.usefixtures("folder")


def check(*arguments: str) -> int:
    return main(["check", *arguments, "--jobs", "1"])


def journal(path: str) -> Path:
    """Where a process that was killed may have left the rows of a file."""
    return Path(f"{hidden_start(Path(path))}0123456789abcdef.rows")


def lines(path: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_a_line_for_each_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(".", "--output", "out.jsonl") == 2
    written = lines("out.jsonl")
    assert [line["model"] for line in written] == [
        "add.onnx", "deep/damaged.onnx", "deep/er/broken.onnx", "deep/exp.onnx", "exp.onnx",
    ]  # fmt: skip
    report = Report.from_dict(written[0])
    assert (report.verdict.value, len(report.findings)) == ("DEPENDS", 1)
    assert str(written[1]["error"]).startswith("damaged.onnx: not an ONNX model")
    assert "fails at" not in capsys.readouterr().out


def test_lines_arrive_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = []
    shapesmt.check_many(".", jobs=1, output="out.jsonl", done=lambda _: numbers.append(len(lines("out.jsonl"))))
    assert numbers == [1, 2, 3, 4, 5]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were checked and not left out."""
    names: list[str] = []
    own = Opened.check
    monkeypatch.setattr(Opened, "check", lambda opened: names.append(opened.model.graph().source) or own(opened))
    return names


@pytest.mark.parametrize("output", parquet.OUTPUTS)
def test_what_is_done_is_not_done_again(output: str, asked: list[str]) -> None:
    assert check(".", "--output", output) == 2
    assert len(asked) == 4
    Path("add.onnx").write_text(ADD)
    (asked.clear(), Path("new.onnx").write_text(ADD))
    assert check(".", "--output", output, "--resume") == 2
    assert asked == ["new.onnx"]
    (asked.clear(), Path("deep/damaged.onnx").unlink())
    assert check(".", "--output", output, "--resume", "--dim", "n=1..8") == 1
    assert len(asked) == 5
    if output == "out.jsonl":
        assert sorted(str(line["model"]) for line in lines(output)) == [
            "add.onnx", "deep/damaged.onnx", "deep/er/broken.onnx", "deep/exp.onnx", "exp.onnx", "new.onnx",
        ]  # fmt: skip


def test_a_line_that_was_cut_is_written_again(capsys: pytest.CaptureFixture[str]) -> None:
    check("add.onnx", "exp.onnx", "--output", "out.jsonl")
    whole = Path("out.jsonl").read_bytes()
    Path("out.jsonl").write_bytes(b'[1]\n{}\n{"verdict": "PROVED", "model": "exp.onnx"}\n' + whole[:-9])
    assert check("add.onnx", "exp.onnx", "--output", "out.jsonl", "--resume") == 1
    assert [line["model"] for line in lines("out.jsonl")] == ["add.onnx", "exp.onnx"]
    check("exp.onnx", "--output", "out.jsonl")
    assert [line["model"] for line in lines("out.jsonl")] == ["exp.onnx"]


def test_a_resumed_summary_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    def summary(*arguments: str) -> list[str]:
        check(".", "--output", "out.jsonl", *arguments)
        return [line for line in capsys.readouterr().out.splitlines() if " in " not in line]

    assert summary() == summary("--resume")


@parquet.NEEDED
def test_rows() -> None:
    assert check(".", "--output", "out.parquet") == 2
    table = parquet.rows("out.parquet")
    assert [(row["model"], row["verdict"], row["requirements"]) for row in table][::2] == [
        ("add.onnx", "DEPENDS", 1), ("deep/er/broken.onnx", "FAILS", 1), ("exp.onnx", "PROVED", 0),
    ]  # fmt: skip
    assert table[0]["precondition"] == "m == 1 or m == n or n == 1"
    assert table[1]["error"].startswith("damaged.onnx")
    assert json.loads(table[0]["report"])["findings"][0]["op_type"] == "Add"


@parquet.NEEDED
def test_rows_that_were_not_ended_are_gone_on_with(asked: list[str]) -> None:
    check("add.onnx", "exp.onnx", "--output", "out.jsonl")
    add, exp = Path("out.jsonl").read_bytes().splitlines(keepends=True)
    journal("out.parquet").write_bytes(add + exp[:-9])
    asked.clear()
    assert check("add.onnx", "exp.onnx", "--output", "out.parquet", "--resume") == 1
    assert asked == ["exp.onnx"]
    assert [row["model"] for row in parquet.rows("out.parquet")] == ["add.onnx", "exp.onnx"]
    assert [path.name for path in Path().glob("*out.parquet*")] == ["out.parquet"]


@parquet.NEEDED
@pytest.mark.parametrize("name", ["out.parquet.part", "out.parquet.new"])
def test_links_beside_the_results_are_not_followed(name: str) -> None:
    Path("victim").write_text("theirs")
    Path(name).symlink_to("victim")
    assert check("add.onnx", "exp.onnx", "--output", "out.parquet") == 1
    assert Path("victim").read_text() == "theirs"
    assert len(parquet.rows("out.parquet")) == 2


def test_links_in_a_folder_of_pages_are_not_followed() -> None:
    Path("victim").write_text("theirs")
    Path("pages").mkdir()
    for name in ("index.html", "add.onnx.html"):
        Path("pages", name).symlink_to("../victim")
    assert check("add.onnx", "exp.onnx", "--html", "pages") == 1
    assert Path("victim").read_text() == "theirs"
    assert not any(path.is_symlink() for path in Path("pages").iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "absent/out.jsonl"], "cannot write absent/out.jsonl: No such file or directory"),
        pytest.param(
            ["--output", "absent/out.parquet"],
            "cannot write absent/out.parquet: No such file or directory",
            marks=parquet.NEEDED,
        ),
        pytest.param(
            ["--output", "add.onnx.parquet", "--resume"], "cannot read add.onnx.parquet: ", marks=parquet.NEEDED
        ),
        (["--output", "-"], "results are written to a file, not to - (standard output)"),
        (["--output", "deep"], "cannot write deep: Is a directory"),
        (["--resume"], "--resume goes on with a file of results: name it with --output"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("add.onnx.parquet").write_text("no table")
    assert check("exp.onnx", "add.onnx", *arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {message}")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("exp.onnx", "--output", "/dev/full") == 2
    assert capsys.readouterr() == ("", "error: cannot write /dev/full: No space left on device\n")


def test_names_that_are_shortened_to_the_same_are_checked_again(asked: list[str]) -> None:
    folder = Path(*["long" * 50] * 6)
    folder.mkdir(parents=True)
    names = [str(folder / f"{middle}{'x' * 150}" / "m.onnx") for middle in ("a", "b")]
    for name, text in zip(names, (ADD, EXP), strict=True):
        Path(name).parent.mkdir()
        Path(name).write_text(text)
    whole = shapesmt.check_many(names, jobs=1, output="out.jsonl")
    again = shapesmt.check_many(names, jobs=1, output="out.jsonl", resume=True)
    assert [report.verdict for report in whole.reports] == [report.verdict for report in again.reports]
    assert len({report.verdict for report in again.reports}) == 2


@pytest.mark.parametrize("output", parquet.OUTPUTS)
def test_whatever_of_the_results_is_there_is_gone_on_with(output: str, asked: list[str]) -> None:
    check("add.onnx", "exp.onnx", "--output", "out.jsonl")
    whole = Path("out.jsonl").read_bytes()
    first = whole.index(b"\n")
    for size in [*range(0, len(whole), 97), first, first + 1, len(whole) - 1]:
        Path("out.parquet").unlink(missing_ok=True)
        (Path(output) if output == "out.jsonl" else journal(output)).write_bytes(whole[:size])
        asked.clear()
        assert check("add.onnx", "exp.onnx", "--output", output, "--resume") == 1
        assert len(asked) == (2 if size < first else 1 if size < len(whole) - 1 else 0)


@parquet.NEEDED
def test_no_rows() -> None:
    assert shapesmt.check_many([], jobs=1, output="none.parquet").summary["models"] == 0
    assert parquet.rows("none.parquet") == []


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert check("exp.onnx", "--output", "out.parquet") == 2
    assert capsys.readouterr().err == (
        "error: out.parquet needs pyarrow: pip install 'shapesmt[parquet]'; or name it *.jsonl\n"
    )
