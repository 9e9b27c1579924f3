"""Error codes: every law has one, every code has an example that fails in just that way."""

from __future__ import annotations

import json
import re

import onnx.parser
import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.network.laws import CATALOGUE, OWN
from shapesmt.operators.rules.registry import _RULES
from tests.support.each import each
from tests.test_examples import runner

FAILURES = [code for code, entry in CATALOGUE.items() if not code.startswith("SM9") and entry.example]
HEADER = b'<ir_version: 8, opset_import: ["": 18, "com.example": 1]>\n'


def unfolded(text: str) -> str:
    """Return a text without its line ends and times."""
    return re.sub(r"\b[0-9]+\.[0-9]+ s\b", "", " ".join(text.split()))


def test_the_catalogue_is_in_order_and_whole():
    assert list(CATALOGUE) == sorted(CATALOGUE)
    assert len({entry.title for entry in CATALOGUE.values()}) == len(CATALOGUE)
    for code, entry in CATALOGUE.items():
        assert re.fullmatch(r"SM[1-9][0-9]{2}", code)
        for text in (entry.sentence, entry.remedy):
            assert text[0].isupper()
            assert text.endswith(".")
            assert "  " not in text
        unseen = (
            "timeout",
            "static",
            "layout",
        )  # how long a model takes varies; no ONNX model is asked to vary, or views
        assert bool(entry.example) == (code != OWN and entry.kind not in unseen)


@each("code", FAILURES)
def test_the_example_fails_in_just_that_way(code):
    found = shapesmt.explain_code(code)
    assert found.report is not None
    codes = [f.code for f in found.report.findings]
    assert codes == [code]
    assert found.report.model == "example.onnxtxt"
    assert (found.report.verdict.value == "UNKNOWN") == (code[2] == "6")


@pytest.mark.parametrize(
    "code", [code for code, entry in CATALOGUE.items() if code.startswith("SM9") and entry.example]
)
def test_the_example_warns_in_just_that_way(code):
    report = shapesmt.explain_code(code).report
    assert report is not None
    assert report.verdict.value == "PROVED"
    assert [w.code for w in report.warnings] == [code]


@each("code", [code for code in FAILURES if code[2] not in "67"])
def test_onnx_runtime_refuses_the_example(code):
    report = shapesmt.explain_code(code).report
    assert report is not None
    shown = report.findings[0].counterexample
    assert shown is not None
    model = onnx.parser.parse_model(CATALOGUE[code].example)
    try:
        run = runner(model)
    except Exception:
        assert report.verdict.value == "FAILS"  # refused before any input is known
    else:
        assert run(dict(shown.inputs)) is not None


@each("code", CATALOGUE)
def test_explaining_a_code(code, capsys):
    assert main(["explain", code.lower()]) == 0
    out = capsys.readouterr().out
    entry = CATALOGUE[code]
    assert unfolded(out).startswith(f"{code} {entry.title} {entry.sentence} ")
    assert unfolded(out).endswith(f" what helps {entry.remedy}")
    if entry.example:
        assert f"    {entry.example.splitlines()[0]}\n" in out
        assert "  $ shapesmt check example.onnxtxt" in out


def test_what_the_explanation_shows_is_what_check_prints(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["explain", "SM101"])
    told = capsys.readouterr().out
    (tmp_path / "example.onnxtxt").write_text(CATALOGUE["SM101"].example)
    command = re.search(r"\$ shapesmt (.*)", told)
    assert command is not None
    assert main(command[1].split()) == 1
    shown = re.sub(r"(?m)^    ", "", told.split(command[0])[1].split("\n  what helps")[0])
    assert unfolded(shown) == unfolded(capsys.readouterr().out)


def test_a_code_as_json(capsys):
    assert main(["explain", "SM103", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data) == ["schema", "code", "title", "law", "remedy", "model", "report"]
    assert data["schema"] == "shapesmt/code/1"
    assert data["report"]["findings"][0]["code"] == "SM103"


def test_a_code_that_does_not_exist(capsys):
    assert main(["explain", "SM10"]) == 2  # no code: a file of that name
    assert main(["explain", "SM130"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: no error code 'SM130' in the catalogue; did you")
    with pytest.raises(UsageError, match="no error code 'x' in the catalogue"):
        shapesmt.explain_code("x")


def test_all_codes_are_listed(capsys):
    assert main(["explain", "--codes"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows == [f"{code}  {entry.title}" for code, entry in CATALOGUE.items()]
    assert rows[0] == "SM101  broadcast"


def test_a_file_named_like_a_code_is_a_file(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "SM101").write_text(CATALOGUE["SM104"].example)
    assert main(["explain", "SM101"]) == 1
    assert "SM104" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("law", "code", "shown"),
    [
        ("sizes are odd", OWN, "sizes are odd"),
        ("ACME7: sizes are odd", "ACME7", "sizes are odd"),
        ("SM107: blended tensors have the same shape", "SM107", "blended tensors have the same shape"),
    ],
)
def test_the_code_of_a_rule_of_ones_own(law, code, shown, monkeypatch):
    monkeypatch.setitem(_RULES, ("com.example", "Odd"), [])

    @shapesmt.rule("Odd", domain="com.example")
    def odd(ctx):
        ctx.require_equal(ctx.input(0)[0] % 2, 1, law)
        return ctx.input(0)

    report = shapesmt.check(HEADER + b"g (float[n] x) => (float[n] y) { y = com.example.Odd (x) }")
    assert [(f.code, f.law) for f in report.findings] == [(code, shown)]
