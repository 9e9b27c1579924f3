"""A model that is opened once and asked many questions."""

from __future__ import annotations

import copy
import io
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import onnx
import pytest

import shapesmt
from shapesmt.base.errors import ModelError, UsageError
from shapesmt.frontends import ModelSource, formats

ADD = b"""<ir_version: 8, opset_import: ["":18]>
    g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { [add] z = Add (x, y) }"""
NAMED = b"""<ir_version: 8, opset_import: ["":18]>
    g (float[dims, timeout] x, float[dims, 4] y) => (float[p, q] z) { z = Add (x, y) }"""


def test_nothing_changes() -> None:
    add = shapesmt.open(ADD)
    some = add.where(n="2..8", m="2..8")
    assert [some.proved, some.where("n == m").proved, some.proved, add.proved] == [False, True, False, False]
    assert add.where(n=1).proved
    assert add.verdict.value == "DEPENDS"


def test_ranges_replace_earlier_ones_and_relations_add_up() -> None:
    some = shapesmt.open(ADD).where("n >= m", n="2..8", m=3).where("m >= n", n="3..9")
    assert repr(some) == "<Opened <bytes> where n=3..9, m=3, n >= m, m >= n>"
    report = some.check()
    assert (report.ok, report.symbols["n"].max) == (True, 9)


def test_names_that_are_words_of_the_interface_go_into_dims() -> None:
    model = shapesmt.open(NAMED)
    assert model.where(dims={"dims": "1..8", "timeout": 4}).proved
    for given in ({"dims": 8}, {"timeout": 4}, {"shapes": "1..8"}, {"assume": "a == b"}, {"args": 1}):
        (name,) = given
        with pytest.raises(UsageError, match=rf"goes into where\(dims={{'{name}': \.\.\.}}\)"):
            model.where(**given)  # type: ignore[arg-type]


def test_what_makes_no_sense_is_said_at_once() -> None:
    model = shapesmt.open(ADD)
    with pytest.raises(UsageError, match="dimension n has two ranges: n=2 and 3 in dims"):
        model.where(n=2, dims={"n": 3})
    assert model.where(n=2, dims={"n": 2}).check().symbols["n"].max == 2
    with pytest.raises(UsageError, match="a relation is a text"):
        model.where(8)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="did you mean"):
        model.where(nn=2).check()
    with pytest.raises(ModelError, match="cannot read missing"):
        shapesmt.open("missing.onnx")
    with pytest.raises(UsageError, match="session is one of"):
        shapesmt.open(ADD, session="other")
    with pytest.raises(TypeError, match="unexpected keyword argument 'dims'"):
        shapesmt.open(ADD, dims={"n": 2})  # type: ignore[call-arg]


def test_a_model_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, loads = tmp_path / "add.onnx", []
    onnx.save(onnx.parser.parse_model(ADD.decode()), path)
    read = formats.open_model
    monkeypatch.setattr(formats, "open_model", lambda given, **how: loads.append(given) or read(given, **how))
    opened = shapesmt.open(path)
    with ThreadPoolExecutor(4) as threads:
        reports = [*threads.map(lambda n: opened.where(n=n).check(), range(1, 9))]
    assert [report.verdict.value for report in reports] == ["PROVED", *["DEPENDS"] * 7]
    path.unlink()
    assert opened.bounds().valid
    assert [given for given in loads if given == path] == [path]


def test_standard_input_can_be_asked_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    content = onnx.parser.parse_model(ADD.decode()).SerializeToString()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    opened = shapesmt.open("-").where(n=2, m=2)
    assert opened.proved
    assert [node.op_type for node in opened.simplify().graph.node] == ["Add"]


def test_questions_after_one_another_examine_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from shapesmt.analysis import analysis

    posed: list[Any] = []
    pose = analysis.verify.pose_problem
    monkeypatch.setattr(analysis.verify, "pose_problem", lambda *given: posed.append(given) or pose(*given))
    some = shapesmt.open(ADD).where(n="2..8", m="2..8")
    report = some.check()
    assert (some.bounds().valid, some.explain("add").verdict.value) == (True, "DEPENDS")
    assert report.page().startswith("<!doctype html>")
    assert len(posed) == 1
    assert shapesmt.open(ADD).where(n="2..8", m="2..8").check().findings == report.findings
    assert len(posed) == 2


def test_a_source_is_a_model_for_every_function() -> None:
    source = ModelSource(ADD)
    assert shapesmt.check(source).verdict.value == "DEPENDS"
    assert shapesmt.load_graph(source) is source.graph()


def test_every_question_is_a_method() -> None:
    for name in ("check", "page", "bounds", "explain", "memory", "profile", "repair", "simplify", "tighten", "encode",
                 "encoding", "repro", "dataflow", "dynamic_shapes", "inspect", "assert_proved"):  # fmt: skip
        assert callable(getattr(shapesmt.Opened, name))
        assert callable(getattr(shapesmt, name))


def test_what_was_given_may_change_later() -> None:
    shape = [5, 3]
    some = shapesmt.open(ADD).where(shapes={"x": shape, "y": [5, 3]})
    assert some.proved
    shape[0] = 4
    assert some.proved
    assert repr(some) == "<Opened <bytes> where x=[5, 3], y=[5, 3]>"


def test_equal_numbers_of_other_types_are_other_questions() -> None:
    opened = shapesmt.open(ADD)
    assert opened.where(n=1).check().ok
    for size in (1.0, True):
        with pytest.raises(UsageError, match="is not a range of 'n'"):
            opened.where(n=size).check()  # type: ignore[arg-type]


def test_names_are_texts_and_are_shown_on_one_line() -> None:
    opened = shapesmt.open(ADD)
    with pytest.raises(UsageError, match="dims maps names; 1 is none"):
        opened.where(dims={1: 3})  # type: ignore[dict-item]
    assert repr(opened.where("n == m\n", self=3)) == r"<Opened <bytes> where self=3, n == m\n>"


def test_an_opened_model_can_be_copied_and_pickled() -> None:
    opened = shapesmt.open(ADD).where(n=2, m=2)
    assert pickle.loads(pickle.dumps(opened)).proved
    assert copy.deepcopy(opened).proved


def test_a_file_that_changes_while_it_is_open_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "add.onnx"
    onnx.save(onnx.parser.parse_model(ADD.decode()), path)
    opened = shapesmt.open(path).where(n=2, m=2)
    assert opened.proved
    onnx.save(onnx.parser.parse_model(NAMED.decode()), path)
    assert [node.name for node in opened.simplify().graph.node] == ["add"]
