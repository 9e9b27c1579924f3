"""Earlier results are taken only for models that are what they were; what is damaged is left out and counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import shapesmt
from shapesmt.entrypoints.cli.main import main
from shapesmt.reports.export import hidden_start, only_writer
from tests.entrypoints.fleet.conftest import ADD, EXP
from tests.entrypoints.fleet.held import HELD, reader
from tests.support import parquet

pytestmark = pytest.mark.usefixtures("folder")


def check(*arguments: str) -> int:
    return main(["check", *arguments, "--jobs", "1", "-q"])


def models(path: str) -> list[str]:
    if path.endswith(".parquet"):
        return sorted(row["model"] for row in parquet.rows(path))
    return sorted(json.loads(line)["model"] for line in Path(path).read_text().splitlines())


@pytest.mark.parametrize("output", parquet.OUTPUTS)
def test_a_model_that_was_replaced_is_checked_again(output: str) -> None:
    assert check("exp.onnx", "--output", output) == 0
    Path("exp.onnx").write_text(ADD)
    assert check("exp.onnx", "--output", output, "--resume") == 1
    assert check("exp.onnx", "--output", output, "--resume") == 1
    Path("exp.onnx").write_text(EXP)
    assert check("exp.onnx", "--output", output, "--resume") == 0
    assert models(output) == ["exp.onnx"]


@pytest.mark.parametrize("cached", [False, True])
def test_a_model_is_checked_again_where_a_file_beside_it_was_replaced(cached: bool) -> None:
    target = numpy_helper.from_array(np.array([2, -1]), "target")
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "target"], ["y"])], "g",
        [helper.make_tensor_value_info("x", 1, ["n", 3])], [onnx.ValueInfoProto(name="y")], [target],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    options = ["--cache", "kept"] if cached else []
    for resume in ([], ["--resume"]):
        assert check("m.onnx", "--output", "out.jsonl", *options, *resume) == 1
    assert json.loads(Path("out.jsonl").read_text())["beside"][0][0] == "m.data"
    Path("m.data").write_bytes(np.array([3, -1]).tobytes())
    assert check("m.onnx", "--output", "out.jsonl", "--resume", *options) == 0


@pytest.mark.parametrize("output", parquet.OUTPUTS)
def test_reports_of_models_that_are_not_asked_for_stay(output: str) -> None:
    assert check("add.onnx", "deep/damaged.onnx", "--output", output) == 2
    assert check("exp.onnx", "--output", output, "--resume") == 0
    assert models(output) == ["add.onnx", "deep/damaged.onnx", "exp.onnx"]
    assert check("add.onnx", "--output", output, "--resume") == 1
    assert models(output) == ["add.onnx", "deep/damaged.onnx", "exp.onnx"]
    assert check("exp.onnx", "--output", output) == 0
    assert models(output) == ["exp.onnx"]


VALUES = (None, [], {}, "x", -1, 1e999, [None], [[]], {"a": None}, [{"a": 1}], 10**30, True, "\ud800", [0, [1]])


def hostile() -> Iterator[bytes]:
    """Lines that no version writes."""
    check("add.onnx", "--output", "out.jsonl")
    whole = json.loads(Path("out.jsonl").read_bytes())
    for name in (*whole, "beside"):
        yield from (json.dumps({**whole, name: value}).encode() for value in VALUES)
    yield from (b"[" * 10**5, b'{"a":' * 5000 + b"1" + b"}" * 5000, b"1" * 5000, b"\xff\0", b"null", b"{}")
    yield from (b'{"model": "\\ud800"}', b'{"model": "add.onnx", "beside": [["a", 1, 2, "b", 3]]}')


def test_a_line_is_none_whatever_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    for line in hostile():
        Path("out.jsonl").write_bytes(line + b"\n")
        for form in ([], ["--summary"], ["--format", "json"]):
            before = Path("out.jsonl").read_bytes()
            assert main(["check", "add.onnx", "--jobs", "1", "--output", "out.jsonl", "--resume", *form]) in (0, 1), (
                line
            )
            assert "Traceback" not in capsys.readouterr().err
            Path("out.jsonl").write_bytes(before)


def test_what_is_damaged_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    check("add.onnx", "exp.onnx", "--output", "out.jsonl")
    capsys.readouterr()
    whole = Path("out.jsonl").read_bytes()
    for damage, said in ((b"[1]\n", "1 damaged line is"), (b'{"model": 1}\n\n[\n', "2 damaged lines are")):
        Path("out.jsonl").write_bytes(damage + whole)
        assert check("add.onnx", "exp.onnx", "--output", "out.jsonl", "--resume") == 1
        assert capsys.readouterr().err == f"note: {said} left out of out.jsonl\n"
        assert check("add.onnx", "exp.onnx", "--output", "out.jsonl", "--resume") == 1
        assert capsys.readouterr().err == ""


@parquet.NEEDED
def test_a_file_of_rows_is_read_whatever_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow
    from pyarrow.parquet import write_table

    deep = "[" * 10**5
    strange = [{"model": "m.onnx", name: value} for name in ("precondition", "error", "seconds") for value in VALUES]
    rows = [None, 1, {"a": 1}, [deep], deep, b"\xff", *({"model": "m.onnx", **one} for one in strange)]
    for row in rows:
        text = json.dumps(row) if isinstance(row, dict) and "model" in row else row
        write_table(pyarrow.table({"report": [text]}), "out.parquet")
        assert check("exp.onnx", "--output", "out.parquet", "--resume") == 0, row
        assert "exp.onnx" in models("out.parquet")
        said = capsys.readouterr().err
        assert said == (
            "" if isinstance(text, str) and "model" in text else "note: 1 damaged line is left out of out.parquet\n"
        )
    write_table(pyarrow.table({"x": [1]}), "out.parquet")
    assert check("exp.onnx", "--output", "out.parquet", "--resume") == 2
    assert capsys.readouterr().err.startswith("error: cannot read out.parquet: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds a writer up with a named pipe; the system has no locks")
@pytest.mark.parametrize("output", parquet.OUTPUTS)
def test_there_is_one_writer(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(HELD)
    command = [sys.executable, "-m", "shapesmt", "check", "exp.onnx", HELD, "--output", output, "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(Path(shapesmt.__file__).parents[1])}
    first = subprocess.Popen(command, env=environment)
    pipe = reader()
    assert check("add.onnx", "--output", output) == 2
    assert capsys.readouterr().err == (
        f"error: another process is writing {output}: wait until it ends, or name another file\n"
    )
    first.kill()
    first.wait()
    os.close(pipe)
    assert check("add.onnx", "--output", output, "--resume") == 1
    assert models(output) == ["add.onnx", "exp.onnx"]
    assert [path.name for path in Path().iterdir() if "out." in path.name] == [output]


def test_many_writers_take_turns() -> None:
    script = """if True:
        import sys, time
        from shapesmt.base.errors import UsageError
        from shapesmt.reports.export import only_writer
        done = 0
        while done < 40:
            try:
                with only_writer("out.jsonl"):
                    number = int(open("number").read())
                    time.sleep(0.001)
                    open("number", "w").write(str(number + 1))
                    done += 1
            except UsageError:
                time.sleep(0.001)
    """
    Path("number").write_text("0")
    environment = {**os.environ, "PYTHONPATH": str(Path(shapesmt.__file__).parents[1])}
    running = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert Path("number").read_text() == "120"


@parquet.NEEDED
def test_no_link_is_followed_beside_the_output() -> None:
    Path("victim").write_text("mine")
    start = hidden_start(Path("out.parquet"))
    for name in ("out.parquet.new", "out.parquet.part", f"{start}0123.rows"):
        Path(name).symlink_to("victim")
    assert check("exp.onnx", "--output", "out.parquet", "--resume") == 0
    assert (Path("victim").read_text(), models("out.parquet")) == ("mine", ["exp.onnx"])
    Path(f"{start}lock").symlink_to("victim")
    assert check("exp.onnx", "--output", "out.parquet") == 2
    with pytest.raises(shapesmt.UsageError, match=r"cannot write out\.parquet: "), only_writer("out.parquet"):
        pass


def test_a_rule_that_is_not_told_from_others_is_not_gone_on_with() -> None:
    code = "import shapesmt\nshapesmt.rule('Fold', domain='own')(lambda ctx: ctx.input(0))"
    exec(code, {"__name__": "__main__"})
    with pytest.warns(
        UserWarning, match="every model is checked, and no answer goes into a cache: a rule of .* has no"
    ):
        shapesmt.check_many("exp.onnx", jobs=1, output="out.jsonl", resume=True)
