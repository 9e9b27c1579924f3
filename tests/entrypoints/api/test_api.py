"""The public functions: what they take, what they give, and what each promises."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import onnx
import pytest

import shapesmt
from shapesmt.analysis.verify import Examination, Problem, Question
from shapesmt.analysis.verify.examiner import examine
from shapesmt.base.errors import UsageError
from shapesmt.frontends import ModelSource, load
from shapesmt.prover.algebra import Verdict
from shapesmt.tasks.simplify import write_tightened
from tests.support.hang import processor_time

HEAD = '<ir_version: 8, opset_import: ["":18]> g '
ADD = HEAD + "(float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { [add] z = Add (x, y) }"
JOINED = "(float[n, 2] x, float[m, 2] y) => (z) { [join] z = Concat <axis = 1> (x, y) }"
HALVED = HEAD + "(float[n] x) => (y) <int64[2] t = {-1, 2}> { [halve] y = Reshape (x, t) }"


def model(text: str = ADD) -> onnx.ModelProto:
    return onnx.parser.parse_model(text)


def test_every_kind_of_model_gives_the_same_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "add.onnx"
    path.write_bytes(model().SerializeToString())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    given = [path, str(path), path.read_bytes(), model(), load(model()), "-"]
    answers = [shapesmt.check(m, dims={"n": "2..3", "m": "2..3"}) for m in given]
    assert {a.verdict for a in answers} == {Verdict.DEPENDS}
    assert len({str(a.to_dict()["findings"]) for a in answers}) == 1
    assert answers[0].model == "add.onnx"


def test_a_model_is_not_changed() -> None:
    proto = model()
    before = proto.SerializeToString()
    shapesmt.check(proto)
    shapesmt.bounds(proto)
    shapesmt.infer_shapes(proto)
    shapesmt.tighten(proto, valid_only=True)
    assert proto.SerializeToString() == before


def test_bounds_are_over_the_valid_region() -> None:
    found = shapesmt.bounds(model(HALVED), dims={"n": "3..9"})
    assert (found.valid, found.exit_status) == (True, 0)
    (x,) = found.tensors["x"].shape or ()
    rows, two = found.tensors["y"].shape or ()
    assert (x.min, x.max, x.exact) == (4, 8, True)
    assert (rows.min, rows.max, two.min, two.max) == (2, 4, 2, 2)
    low, high = rows.witnesses
    assert (low, high) == ({"n": 4}, {"n": 8})


@pytest.mark.parametrize(
    ("n", "m", "ends"),
    [("2..8", "5..20", (5, 8)), ("1..7", "1..6:2", (1, 5)), ("1..6:2", "1..7", (1, 5)), ("1..8:2", "1..8:3", (1, 7))],
)
def test_bounds_of_sizes_that_have_to_be_equal(n: str, m: str, ends: tuple[int, int]) -> None:
    found = shapesmt.bounds(model(HEAD + JOINED), dims={"n": n, "m": m})
    for name in "xyz":
        (size, _) = found.tensors[name].shape or ()
        assert (size.min, size.max, size.exact) == (*ends, True), name


def test_bounds_of_some_tensors() -> None:
    assert list(shapesmt.bounds(model(), "z").tensors) == ["z"]
    with pytest.raises(UsageError, match="no tensor 'zz'"):
        shapesmt.bounds(model(), "zz")


def test_without_a_valid_input_there_are_no_bounds() -> None:
    found = shapesmt.bounds(model(), dims={"n": 2, "m": 3})
    assert (found.valid, dict(found.tensors), found.exit_status) == (False, {}, 1)


def test_an_end_that_is_open() -> None:
    (x,) = shapesmt.bounds(model(HALVED)).tensors["x"].shape or ()
    assert (x.min, x.max, x.exact) == (2, None, True)


def test_explain_a_node_a_tensor_and_the_model() -> None:
    ranges = {"n": "2..9", "m": "2..9"}
    node = shapesmt.explain(model(), "add", dims=ranges)
    assert (node.target, node.verdict) == ("add", Verdict.DEPENDS)
    assert any(f.kind == "requirement" and f.node == "add" for f in node.facts)
    tensor = shapesmt.explain(model(), "z", dims=ranges)
    assert "z" in tensor.tensors
    whole = shapesmt.explain(model(), dims=ranges)
    assert (whole.target, whole.verdict) == (None, Verdict.DEPENDS)
    assert whole.precondition is not None
    with pytest.raises(UsageError, match=r"no node or tensor 'ad'.*did you mean 'add'"):
        shapesmt.explain(model(), "ad")


def test_tighten_writes_the_shapes(tmp_path: Path) -> None:
    target = tmp_path / "tight.onnx"
    given = shapesmt.tighten(model(HALVED), target, dims={"n": "3..5"}, valid_only=True, trust_ranges=True)
    written = onnx.load(target)
    assert written == given
    (y,) = [o for o in written.graph.output if o.name == "y"]
    assert [d.dim_value for d in y.type.tensor_type.shape.dim] == [2, 2]
    assert list(tmp_path.iterdir()) == [target]
    question = Question({"n": "3..5"})
    found = write_tightened(ModelSource(model(HALVED)), question, target, valid_only=True, trust_ranges=True)[1].bounds
    assert (onnx.load(target), found.tensors) == (given, shapesmt.bounds(model(HALVED), dims={"n": "3..5"}).tensors)


def test_tighten_writes_no_file_for_a_model_that_never_runs(tmp_path: Path) -> None:
    never = model(HEAD + "(float[n, 4] x, float[3] b) => (z) { z = Add (x, b) }")
    for valid_only in (False, True):
        answer = write_tightened(ModelSource(never), Question(), tmp_path / "tight.onnx", valid_only=valid_only)[1]
        assert (answer.bounds.valid, answer.written, answer.exit_status) == (False, None, 1)
    assert list(tmp_path.iterdir()) == []


def test_tighten_writes_no_file_for_a_model_that_fails_for_some_input(tmp_path: Path) -> None:
    target = tmp_path / "tight.onnx"
    with pytest.raises(shapesmt.ModelError, match="valid_only"):
        shapesmt.tighten(model(HALVED), target, dims={"n": "3..5"})
    answer = write_tightened(ModelSource(model(HALVED)), Question({"n": "3..5"}), target)[1]
    assert (answer.written, answer.exit_status, answer.bounds.share.valid) == (None, 1, 1)
    assert list(tmp_path.iterdir()) == []
    assert str(answer).splitlines() == [
        "DEPENDS <model>: runs for 1 of 3 sizes of n only, so nothing is written",
        "  to write it: --dim n=4",
        "  to write the shapes of the inputs that run: --valid-only",
    ]
    write_tightened(ModelSource(model(HALVED)), Question({"n": "4"}), target)[1]
    assert target.exists()


def test_the_complete_system_is_text() -> None:
    text = shapesmt.encode(model(), dims={"n": "1..3"})
    assert "(declare-const |n| Int)" in text
    assert text.count("(check-sat)") == 1


def test_a_contradiction_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match=r"no admissible input.*n in 1\.\.3.*n >= 4"):
        shapesmt.check(model(), dims={"n": "1..3"}, assume=["n >= 4"])


def test_what_is_undecided_in_time_is_unknown() -> None:
    cube = HEAD + "(float[a, a, a] x, float[b, b, b] y, float[c, c, c] z) => (s) <int64[1] t = {-1}> {"
    cube += (
        "u = Reshape (x, t) v = Reshape (y, t) w = Reshape (z, t) uv = Concat <axis = 0> (u, v) [sum] s = Add (uv, w) }"
    )
    began = processor_time()
    report = shapesmt.check(model(cube), dims=dict.fromkeys("abc", "2.."), timeout=0.2)
    assert processor_time() - began < 5
    assert report.verdict in (Verdict.UNKNOWN, Verdict.FAILS, Verdict.DEPENDS)
    for finding in report.findings:
        assert finding.verdict is not Verdict.PROVED


def examinations(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The problems that are examined from now on."""
    examined: list[object] = []

    def counting(problem: Problem, *arguments: Any, **options: Any) -> Examination:
        examined.append(problem)
        return examine(problem, *arguments, **options)

    monkeypatch.setattr("shapesmt.analysis.verify.examined.examine", counting)
    return examined


def test_a_page_examines_a_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    examined = examinations(monkeypatch)
    report = shapesmt.check(model(), dims={"n": "2..9", "m": "2..9"})
    assert len(examined) == 1
    shown = report.page()
    assert report.page() == shown
    assert len(examined) == 1
    shapesmt.page(model(), dims={"n": "2..9", "m": "2..9"})
    assert len(examined) == 2


def test_the_page_of_an_earlier_report_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    examined = examinations(monkeypatch)
    report = shapesmt.check(model(), dims={"n": "2..9", "m": "2..9"})
    shown = report.page()
    shapesmt.check(model(HALVED))
    assert report.page() == shown
    assert len(examined) == 3


def test_the_page_of_a_report_whose_time_was_up_has_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    report = shapesmt.check(model(), dims={"n": "2..9", "m": "2..9"}, timeout=0)
    assert report.verdict is Verdict.UNKNOWN
    examined = examinations(monkeypatch)
    assert "2..9" in report.page()
    assert len(examined) == 1


def test_the_same_twice() -> None:
    first, second = (shapesmt.check(model(), dims={"n": "2..9", "m": "2..9"}).to_dict() for _ in range(2))
    first.pop("seconds")
    second.pop("seconds")
    assert first == second


@pytest.mark.parametrize("question", ["check", "bounds", "explain", "memory", "page", "profile", "repair", "encode"])
def test_a_mistake_shows_the_line_of_the_caller_and_one_more(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = getattr(shapesmt, question)
    with pytest.raises(UsageError) as raised:
        ask(ADD.encode(), dims={"bb": 3})
    assert [Path(entry.path).name for entry in raised.traceback] == ["test_api.py", "errors.py"]
    monkeypatch.setenv("SHAPESMT_DEBUG", "1")
    with pytest.raises(UsageError) as raised:
        ask(ADD.encode(), dims={"bb": 3})
    assert "declarations.py" in [Path(entry.path).name for entry in raised.traceback]


def test_every_answer_has_a_line_of_its_own() -> None:
    answers = {
        "Report add.onnx: DEPENDS, 1 finding": shapesmt.check,
        "Memory add.onnx: DEPENDS": shapesmt.memory,
        "Profile add.onnx: DEPENDS, 1 box": lambda m, **o: shapesmt.profile(m, **o, valid_only=True),
        "Repairs add.onnx: DEPENDS": shapesmt.repair,
    }
    graph = load(ADD.encode())
    for said, ask in answers.items():
        shown = repr(ask(model(), dims={"n": "2..4", "m": "2..4"})).replace("<model>", "add.onnx")
        assert shown.startswith(f"<{said}")
        assert len(shown) < 120
    assert repr(shapesmt.explain_code("SM101")) == "<ErrorCode SM101>"
    assert repr(shapesmt.supported_ops(graph)) == "<Operators <bytes>: 1 operator>"


def test_a_notebook_keeps_empty_lines_and_shows_arguments() -> None:
    shown = shapesmt.check(model(HALVED), dims={"n": "2..9"})._repr_html_()
    assert "\n\n" not in shown
    assert "\n&nbsp;\n" in shown
    assert "dims={&quot;n&quot;: &quot;2..8:2&quot;}" in shown
    assert "--dim" not in shown


def test_bounds_list_constants_last() -> None:
    assert [*shapesmt.bounds(model(HALVED)).tensors] == ["x", "y", "t"]


def test_bounds_of_a_node_name_its_output() -> None:
    with pytest.raises(UsageError) as raised:
        shapesmt.bounds(ADD.encode(), "add")
    assert str(raised.value) == "'add' is a node of <bytes>; its output is 'z'"
