"""SARIF: the standard's layout, and what a reader of it gets."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import jsonschema
import pytest

import shapesmt
from shapesmt.entrypoints.cli.main import main
from shapesmt.network.laws import CATALOGUE
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Counts, Report
from shapesmt.reports.answers.batch import BatchReport, Unchecked
from shapesmt.reports.answers.finding import Cause, Finding, Source
from shapesmt.reports.render.sarif import sarif_log
from tests.support.reports import UNET

PART = json.loads((Path(__file__).parent / "sarif.schema.json").read_text())
SCHEMA = os.environ.get("SARIF_SCHEMA")
HEADER = b'<ir_version: 8, opset_import: ["": 18]>\n'
EVIL = "\x1b[2J</script>%0A::error::\n\u202e\ud800"


def log_of(*reports: Report, version: str = "0") -> dict:
    return sarif_log(BatchReport(reports), version)


def at(path: str, report: Report) -> Report:
    return dataclasses.replace(report, model=path)


def logs():
    """Logs of every kind: nothing found, each code's example, hostile names, several models, one of them twice."""
    found = dataclasses.replace(UNET.findings[0], code="SM103")
    proved = Report("p.onnx", Verdict.PROVED, {}, Counts(2, proved=2))
    evil = dataclasses.replace(found, node=EVIL, law=EVIL, code="ACME1", because=(Cause(EVIL, EVIL, 0, EVIL),))
    report = dataclasses.replace(UNET, findings=(found, evil))
    yield log_of()
    yield log_of(proved)
    yield log_of(at("models/p q.onnx", proved), at("/abs/unet.onnx", report), at(EVIL, report), at(EVIL, report))
    examples = [(code, shapesmt.explain_code(code).report) for code in CATALOGUE]
    yield log_of(*(at(code, report) for code, report in examples if report is not None))
    yield sarif_log(BatchReport((proved, Unchecked("b.onnx", "cannot read b.onnx: it is damaged"))), "0")


def only_result(model: bytes, **dims: str) -> dict:
    log = log_of(shapesmt.check(model, dims=dims))
    (result,) = log["runs"][0]["results"]
    return result


def test_the_layout_is_the_standards():
    validator = jsonschema.Draft4Validator(PART, format_checker=jsonschema.FormatChecker())
    for log in logs():
        validator.validate(json.loads(json.dumps(log)))


@pytest.mark.skipif(SCHEMA is None, reason="SARIF_SCHEMA names a copy of the published sarif-schema-2.1.0.json")
def test_the_published_schema():
    validator = jsonschema.Draft4Validator(json.loads(Path(SCHEMA or "").read_text()))
    for log in logs():
        validator.validate(json.loads(json.dumps(log)))


def test_the_validation_can_fail():
    log = json.loads(json.dumps(next(logs())))
    log["runs"][0]["results"] = [{"level": "fatal"}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, PART)


def test_a_finding():
    found = dataclasses.replace(UNET.findings[0], code="SM103")
    log = log_of(dataclasses.replace(UNET, model="models/unet.onnx", findings=(found,)), version="1.2.3")
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("shapesmt", "1.2.3")
    assert [(rule["id"], rule["name"]) for rule in driver["rules"]] == [("SM103", "Join")]
    assert run["artifacts"] == [{"location": {"uri": "models/unet.onnx"}, "roles": ["analysisTarget"]}]
    assert run["properties"]["verdict"] == "DEPENDS"
    assert run["properties"]["models"][0]["precondition"] == {"text": ["height % 16 == 0"], "exact": True}
    (result,) = run["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("SM103", 0, "error")
    assert result["message"]["text"] == (
        "joined tensors match off the join axis: height = 65 against 2*((height + 1)//2) = 66; "
        "fails at height=65, width=64, any batch (image 1x3x65x64); runs exactly when height % 2 == 0"
    )
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "models/unet.onnx", "index": 0},
        "region": {"startLine": 1},
    }
    assert place["logicalLocations"] == [{"name": "Concat", "fullyQualifiedName": "/up1/Concat", "kind": "operator"}]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps[:-1]] == [
        "image[2] = height = 65",
        "d1[2] = (height + 1)//2 = 33",
        "u1[2] = 2*((height + 1)//2) = 66",
    ]
    names = [step["location"]["logicalLocations"][0]["fullyQualifiedName"] for step in steps]
    assert names == ["image", "/down1/Conv", "/up1/Resize", "/up1/Concat"]
    assert result["properties"]["counterexample"]["symbols"] == {"batch": 1, "height": 65, "width": 64}


def test_levels_and_the_verdict_of_a_run():
    def finding(verdict):
        return Finding(verdict, "requirement", "n", "Add", 0, "broadcast sizes are equal or 1", "", code="SM101")

    levels = {}
    for verdict in (Verdict.DEPENDS, Verdict.FAILS, Verdict.UNKNOWN):
        report = Report("m", verdict, {}, Counts(1), (finding(verdict),))
        log = log_of(Report("p", Verdict.PROVED, {}, Counts()), report)
        levels[verdict.value] = log["runs"][0]["results"][0]["level"]
        assert log["runs"][0]["properties"]["verdict"] == verdict.value
    assert levels == {"DEPENDS": "error", "FAILS": "error", "UNKNOWN": "note"}


def test_what_is_not_checked_is_told_beside_the_results():
    proved = Report("p.onnx", Verdict.PROVED, {}, Counts(2, proved=2))
    assert log_of(proved)["runs"][0]["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    (invocation,) = sarif_log(BatchReport((proved, Unchecked("b.onnx", "it is damaged"))), "0")["runs"][0][
        "invocations"
    ]
    assert not invocation["executionSuccessful"]
    (told,) = invocation["toolExecutionNotifications"]
    assert (told["level"], told["message"]) == ("error", {"text": "it is damaged"})
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b.onnx"


@pytest.mark.parametrize("added", [b"", b"e = Exp (x)\n", b"e = Exp (x)\nf = Log (e)\n"])
@pytest.mark.parametrize("name", [b"", b"[sum] "])
def test_a_fingerprint_stays_when_other_nodes_are_added(added, name):
    model = HEADER + b"g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) {\n%s%sz = Add (x, y)\n}"
    first = only_result(model % (b"", name), n="2..8", m="2..8")["partialFingerprints"]
    assert list(first) == ["shapesmt/v1", "primaryLocationLineHash"]
    assert only_result(model % (added, name), n="2..8", m="2..8")["partialFingerprints"] == first
    assert only_result(model % (added, b"[other] "), n="2..8", m="2..8")["partialFingerprints"] != first


def test_two_findings_have_two_fingerprints():
    found = dataclasses.replace(UNET.findings[0], code="SM103")
    log = log_of(dataclasses.replace(UNET, findings=(found, found)))
    prints = [result["partialFingerprints"]["shapesmt/v1"] for result in log["runs"][0]["results"]]
    assert prints[0] != prints[1]
    assert prints[0].endswith(":1")
    assert prints[1] == f"{prints[0][:-2]}:2"


def test_hostile_names_are_escaped():
    text = json.dumps(list(logs()), ensure_ascii=False)
    assert "\x1b" not in text
    assert "\\u001b" not in text
    assert "\u202e" not in text
    text.encode()


def test_on_the_command_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a b.onnxtxt").write_text(CATALOGUE["SM104"].example)
    assert main(["check", "models/a b.onnxtxt", "--format", "sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    jsonschema.validate(log, PART)
    assert log["runs"][0]["artifacts"][0]["location"]["uri"] == "models/a%20b.onnxtxt"
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["SM104"]
    assert main(["check", "models/a b.onnxtxt", "--dim", "n=8", "--format", "sarif"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"] == []
    assert main(["bounds", "models/a b.onnxtxt", "--format", "sarif"]) == 2


def test_the_line_of_python_where_the_file_is_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my net.py").write_text("pass\n" * 20)
    source = Source("my net.py", 13)
    causes = tuple(
        dataclasses.replace(cause, source=source if cause.node else None) for cause in UNET.findings[0].because
    )
    found = dataclasses.replace(UNET.findings[0], code="SM103", source=source, because=causes)
    elsewhere = dataclasses.replace(found, source=Source("gone.py", 13))
    log = log_of(dataclasses.replace(UNET, findings=(found, elsewhere)))
    jsonschema.validate(log, PART)
    first, second = log["runs"][0]["results"]
    line = {"artifactLocation": {"uri": "my%20net.py"}, "region": {"startLine": 13}}
    model = {"artifactLocation": {"uri": "unet.onnx", "index": 0}, "region": {"startLine": 1}}
    assert [place["physicalLocation"] for place in first["locations"]] == [line]
    assert [place["physicalLocation"] for place in first["relatedLocations"]] == [model]
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"] for step in steps] == [model, line, line, line]
    assert [place["physicalLocation"] for place in second["locations"]] == [model]
    assert "relatedLocations" not in second
    (alone,) = log_of(dataclasses.replace(UNET, findings=(elsewhere,)))["runs"][0]["results"]
    assert first["partialFingerprints"] == alone["partialFingerprints"]
