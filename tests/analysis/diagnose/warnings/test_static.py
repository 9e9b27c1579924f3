"""Sizes that were to vary and are numbers in the program: what needs them, in every form of a report."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import shapesmt
from shapesmt.reports.answers import Report
from shapesmt.reports.render import render
from tests.support.torch_programs import archive, as_tensor, meta, node, program

TRACED = "x axis 0 is 7 in the program: no node needs it, only the trace"
NEEDED = "x axis 1 is 3 in the program: mm needs it, model.py:2 in forward"
STACK = {"stack_trace": 'File "/home/me/model.py", line 2, in forward\n    return x.mm(w)'}


def relu(*guards: str, rows: int | str = 7) -> bytes:
    """`relu(x)` of 7 rows and 3 columns."""
    document = program(guards_code=guards, range_constraints={})
    document["graph_module"]["graph"]["tensor_values"] = {"x": meta(rows, 3), "relu": meta(rows, 3)}
    return archive(model=document)


def product() -> bytes:
    """`x.mm(w)` of 7 rows and 3 columns, both of which were to vary; `w` wasn't."""
    document = program(guards_code=["L['x'].size()[0] == 7", "L['x'].size()[1] == 3"], range_constraints={})
    module, graph = document["graph_module"], document["graph_module"]["graph"]
    graph["inputs"].append(as_tensor("w"))
    graph["outputs"] = [as_tensor("mm")]
    graph["nodes"] = [
        node("torch.ops.aten.mm.default", "mm", self=as_tensor("x"), mat2=as_tensor("w")) | {"metadata": STACK}
    ]
    graph["tensor_values"] = {"x": meta(7, 3), "w": meta(3, 2), "mm": meta(7, 2)}
    module["signature"]["input_specs"].append({"user_input": {"arg": as_tensor("w")}})
    called = module["module_call_graph"][0]["signature"]
    called["forward_arg_names"].append("w")
    spec = json.loads(called["in_spec"])
    spec[1]["children_spec"][0]["children_spec"] *= 2
    called["in_spec"] = json.dumps(spec)
    return archive(model=document)


def warned(report: Report) -> list[tuple[str, str, str]]:
    return [(w.node, w.tensor, w.text) for w in report.warnings if w.kind == "static"]


def test_a_size_that_only_the_trace_needs() -> None:
    report = shapesmt.check(relu("L['x'].size()[0] == 7"))
    assert report.verdict is shapesmt.Verdict.PROVED
    assert warned(report) == [("", "x", TRACED)]
    assert f"\nWARNING  static  SM908\n  {TRACED}\n" in str(report)
    assert warned(shapesmt.check(relu("L['flat_args'][0].size()[0] == 7"))) == [("", "x", TRACED)]


def test_the_node_that_needs_a_size() -> None:
    report = shapesmt.check(product())
    assert warned(report) == [("", "x", TRACED), ("mm", "x", NEEDED)]
    assert report.warnings[1].source == shapesmt.reports.answers.Source(
        "/home/me/model.py", 2, "forward", "return x.mm(w)"
    )


@pytest.mark.parametrize(
    "guards", [(), ("L['x'].size()[0] <= 7",), ("L['x'].size()[0] // 7 == 1",), ("L['y'].size()[0] == 7",)]
)
def test_other_guards_say_nothing_of_what_was_to_vary(guards: tuple[str, ...]) -> None:
    assert warned(shapesmt.check(relu(*guards))) == []


def test_a_size_that_varies_is_none() -> None:
    assert warned(shapesmt.check(relu("L['x'].size()[0] == 7", rows="s0"))) == []


@pytest.mark.parametrize("guards", ["check", "ignore"])
def test_a_range_over_a_number_of_the_program(guards: str) -> None:
    options: dict[str, Any] = {"shapes": {"x": "[n, 3]"}, "declared": "ignore", "guards": guards}
    assert warned(shapesmt.check(relu(), dims={"n": "1..8"}, **options)) == [("", "x", TRACED)]
    assert warned(shapesmt.check(relu(), dims={"n": 7}, **options)) == []
    assert warned(shapesmt.check(product(), shapes={"x": "[7, m]"}, guards="ignore"))[1:] == [("mm", "x", NEEDED)]


def test_shapes_are_declared_of_the_sizes_of_the_trace() -> None:
    report = shapesmt.check(relu(), shapes={"x": "[n, 3]"}, guards="ignore")
    assert [w.kind for w in report.warnings] == ["static"]


def test_other_formats_have_no_such_sizes() -> None:
    model = b'<ir_version: 8, opset_import: ["":18]> g (float[7] x) => (float[m] y) { y = Exp (x) }'
    assert shapesmt.check(model, shapes={"x": "[n]"}).warnings == ()


def test_every_form_shows_where_the_node_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text("def forward(self, x, w):\n    return x.mm(w)\n")
    (tmp_path / "model.pt2").write_bytes(product())
    report = shapesmt.check("model.pt2")
    assert report.to_dict()["warnings"][1]["source"]["line"] == 2
    github, sarif = StringIO(), StringIO()
    render(report, "github", github)
    assert (
        f"::warning title=SM908 mm (aten.mm.default) in model.pt2,file=model.py,line=2::{NEEDED}\n" in github.getvalue()
    )
    render(report, "sarif", sarif)
    place = json.loads(sarif.getvalue())["runs"][0]["results"][1]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("model.py", 2)


def test_what_a_proved_program_fixes_is_said_in_every_form() -> None:
    report = shapesmt.check(product())
    first = {"input": "x", "axis": 0, "size": 7, "why": "no node needs it, only the trace"}
    second = {"input": "x", "axis": 1, "size": 3, "node": "mm", "why": "mm needs it"}
    others = [{"input": "w", "axis": 0, "size": 3}, {"input": "w", "axis": 1, "size": 2}]
    assert report.to_dict()["fixed"] == [first, second, *others]
    said = "x axis 0 = 7 (no node needs it, only the trace), axis 1 = 3 (mm needs it), w axis 0 = 3, axis 1 = 2"
    assert f"\nfixed by the program: {said}\n" in report.text(200)
    assert f"fixed by the program: {said}" in report.page()
    assert Report.from_dict(report.to_dict()).fixed == report.fixed


def test_a_size_to_which_the_caller_gives_a_range_is_not_said_to_be_fixed() -> None:
    report = shapesmt.check(relu(), shapes={"x": "[n, 3]"}, guards="ignore")
    assert [(one.input, one.axis) for one in report.fixed] == [("x", 1)]
    assert shapesmt.check(relu(rows="s0"), dims={"x_dim0": "7..9"}).fixed[0].why == ""
