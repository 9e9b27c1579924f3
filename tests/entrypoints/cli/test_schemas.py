"""JSON schemas: each command's answers follow theirs, whatever the verdict, and broken answers don't."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import TypeAlias

import onnx
import pytest
from onnx import numpy_helper

import shapesmt
from shapesmt.entrypoints.cli.main import cli, main
from shapesmt.network.laws import CATALOGUE
from shapesmt.prover.algebra import Verdict
from tests.entrypoints.fleet.conftest import ADD, BROKEN, EXP, HEAD, UNRULED
from tests.support import transcripts
from tests.support.plugins import without_plugins
from tests.support.schemas import Json, violations

ROOT = Path(__file__).parents[3]
PAGES = [
    *(ROOT / "README.md", *ROOT.glob("shapesmt/entrypoints/cli/pages/*.md")),
    *(*ROOT.glob("examples/*/README.md"), *ROOT.glob("examples/*/report.txt")),
]
MODELS = {
    "proved": HEAD + "g (float[n, 4] x, float[4, m] w) => (float[n, m] z) { z = MatMul(x, w) }",
    "depends": ADD,
    "fails": BROKEN,
    "unknown": UNRULED,
    "data": HEAD + "g (float[n, 3] x, int64[m] i) => (float[k, 3] z) { j = NonZero(i) f = Gather(x, i) z = Add(f, x) }",
    "branches": HEAD
    + """g (bool c, float[n] x, float[m] y) => (float[k] z) { z = If (c) <
        then_branch = t () => (float[k] a) { a = Add (x, y) }, else_branch = e () => (float[k] b) { b = Exp (x) }> }""",
    "baked": HEAD
    + """g (float[n, 3, 4] x) => (float[k, l] z) <int64[2] s = {1, 12}>
        { y = Identity (x) [flatten] z = Reshape (y, s) }""",
}
COMMANDS = (
    *("check", "check --certify", "check --replay --strict", "check --assume 'n == 7'", "check --dim n=7 --dim m=9"),
    *("explain", "explain NODE", "explain NODE --constraints", "explain --error log", "explain --error log --replay"),
    *("bounds", "memory", "memory --budget 1kB --max n --at n=3", "repair", "repair -o fixed.onnx --as-declared"),
    *("tighten -o out.onnx", "tighten -o out.onnx --valid-only --simplify", "tighten -o out.onnx --trust-ranges"),
    *("simplify -o out.onnx", "simplify -o out.onnx --valid-only --check-runs 2", "profile", "profile --valid-only"),
    *("profile --for trtexec --valid-only --profiles 3", "profile --for openvino --valid-only --inner z"),
    *("repro", "encode", "encode NODE", "ops", "inspect"),
)
ASKED = ("check", "explain", "bounds", "memory", "repair", "tighten", "simplify", "profile")
"""The answers that have a verdict."""
Source: TypeAlias = Callable[[pytest.CaptureFixture[str]], Iterator[tuple[str, Json]]]
LOG = (
    "Non-zero status code returned while running Add node. Name:'Add_0' Status Message: "
    "Attempting to broadcast an axis by a dimension other than 1. 7 by 9"
)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    without_plugins(monkeypatch)


def answers(capsys: pytest.CaptureFixture[str], *words: str) -> Iterator[tuple[str, Json]]:
    """The document that a command prints, and the name of its schema; none if there is nothing to answer."""
    status = main([*words, *(() if "--format" in words else ("--format", "json"))])
    out, err = capsys.readouterr()
    if not out:
        assert status == 2 or (words[0], status) == ("repro", 1), err
        return
    document = json.loads(out)
    yield "tighten" if words[0] == "tighten" else document["schema"].split("/")[1], document


def of_models(capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Json]]:
    """What every command prints of models with every verdict."""
    Path("log").write_text(LOG)
    for (name, text), command in product(MODELS.items(), COMMANDS):
        Path(f"{name}.onnxtxt").write_text(text)
        node = shapesmt.load_graph(f"{name}.onnxtxt").nodes[-1].name
        first, *more = shlex.split(command)
        yield from answers(capsys, first, f"{name}.onnxtxt", *[node if word == "NODE" else word for word in more])


def of_many(capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Json]]:
    """What is printed of several models, of which some can't be checked, and the file of results."""
    for name, text in MODELS.items():
        Path(f"{name}.onnx").write_text(text)
    apart = onnx.parser.parse_model(MODELS["baked"])
    sizes = apart.graph.initializer[0]
    sizes.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(sizes), sizes.name))
    onnx.save(apart, "apart.onnx", save_as_external_data=True, location="apart.data", size_threshold=0)
    shutil.copy("apart.onnx", "absent.onnx")
    absent = onnx.load("absent.onnx", load_external_data=False)
    absent.graph.initializer[0].external_data[0].value = "none.data"
    onnx.save(absent, "absent.onnx")
    Path("damaged.onnx").write_bytes(b"\x08\x99")
    for more in ((), ("--fail-fast",), ("--output", "results.jsonl")):
        yield from answers(capsys, "check", ".", "none.onnx", "--jobs", "1", *more)
    for line in Path("results.jsonl").read_text().splitlines():
        yield "line", json.loads(line)


def of_examples(capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Json]]:
    """What the commands print that the pages and the examples show."""
    shutil.copytree(ROOT / "examples", "examples")
    texts = [part for path in PAGES for part in transcripts.blocks(path.read_text()) or [path.read_text()]]
    for command in dict.fromkeys(command for text in texts for command in transcripts.commands(text)):
        tool, *words = shlex.split(command)
        if tool == "shapesmt" and words[0] not in ("help", "schema") and "--format" not in words:
            yield from answers(capsys, *words, *(("--jobs", "1") if words[0] == "check" else ()))
    for program in ("torch_export/classifier", "lowering/tagger"):
        for command in ("check", "explain", "bounds", "memory", "dynamic-shapes", "inspect", "ops"):
            yield from answers(capsys, command, f"examples/{program}.pt2")


def of_codes(capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Json]]:
    """The pages of the error codes, each with the report on its example."""
    for code in CATALOGUE:
        yield from answers(capsys, "explain", code)
    yield from answers(capsys, "ops")


@pytest.mark.parametrize("source", [of_models, of_many, of_examples, of_codes])
def test_answers_follow_their_schemas(source: Source, capsys: pytest.CaptureFixture[str]) -> None:
    """Strictly: each key that is printed is described."""
    documents = [*source(capsys)]
    wrong = [(name, found, document) for name, document in documents if (found := violations(document, name))]
    assert not wrong
    verdicts = [(name, document.get("verdict")) for name, document in documents]
    assert {*verdicts} >= EXPECTED.get(source, set())


EXPECTED: dict[Source, set[tuple[str, str | None]]] = {
    of_models: {*product(ASKED, map(str, Verdict)), *((name, None) for name in ("error", "repro", "encode", "ops"))},
    of_many: {("checks", None), *product(["line"], [None, *map(str, Verdict)])},
    of_examples: {("checks", None), ("dynamic-shapes", "PROVED"), ("inspect", None)},
    of_codes: {("code", None)},
}


def test_every_schema_is_listed_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert {name for name, _ in rows} >= {"line", "graph", *cli.commands} - {"schema", "help"}
    for name, title in rows:
        assert len(title) > 20
        assert main(["schema", name]) == 0
        assert json.loads(capsys.readouterr().out) == shapesmt.schema(name)


def test_an_unknown_name_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "chek\n"]) == 2
    assert capsys.readouterr() == ("", "error: no schema 'chek\\n'; did you mean 'check'?\n")
    with pytest.raises(shapesmt.UsageError, match="no schema 'chek'; did you mean 'check'"):
        shapesmt.schema("chek")


def test_schemas_cost_other_commands_nothing() -> None:
    code = "import sys; from shapesmt.entrypoints.cli.main import main; main(sys.argv[1:]); print(*sys.modules)"
    Path("m.onnxtxt").write_text(EXP)
    ran = subprocess.run([sys.executable, "-c", code, "check", "m.onnxtxt"], capture_output=True, text=True, check=True)
    assert "shapesmt.reports.answers.report" in ran.stdout
    assert "render.schemas" not in ran.stdout
    assert "shapesmt.reports.answers.batch" not in ran.stdout
