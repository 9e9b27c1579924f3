"""What rewrites rest on: all inputs that the written model declares, or those that the caller has trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import ModelError
from shapesmt.frontends import ModelSource
from shapesmt.tasks.simplify import write_simplified, write_tightened
from tests.oracle.runner import assignments
from tests.tasks.simplify.compared import differences, outputs, session

HEAD = '<ir_version: 8, opset_import: ["":18]>'
MEAN = f"""{HEAD} g (float[b,n] x) => (float[b] y) {{ s = Shape(x) i = Constant<value_int=1>() d = Gather(s, i)
    c = Cast<to=1>(d) a = Constant<value_ints=[1]>() t = ReduceSum<keepdims=0>(x, a) y = Div(t, c) }}"""
"""The mean of each row: its length is a number in it."""


def sizes_of(model: onnx.ModelProto, infos: str = "input") -> list[list[str | int]]:
    tensors = [info.type.tensor_type for info in getattr(model.graph, infos)]
    return [[d.dim_param or d.dim_value for d in t.shape.dim] for t in tensors]


def admissible(model: onnx.ModelProto) -> str:
    return "".join(note.value for note in model.metadata_props if note.key == "shapesmt.admissible")


def same(model: str, made: onnx.ModelProto, **most: int) -> bool:
    """Whether a model computes what its original does at all sizes up to these, 0 included."""
    sizes = assignments({name: range(end + 1) for name, end in most.items()})
    return not [*differences(onnx.parser.parse_model(model), made, sizes)]


@pytest.mark.parametrize("write", [shapesmt.simplify, shapesmt.tighten])
def test_a_size_with_one_value_is_a_number(write: Any) -> None:
    made = write(onnx.parser.parse_model(MEAN), dims={"n": 4})
    assert sizes_of(made) == [["b", 4]]
    assert admissible(made) == ""
    ones = np.ones((1, 8), np.float32)
    assert outputs(session(made), {"x": ones}) is None  # ONNX Runtime refuses another size


@pytest.mark.parametrize("write", [shapesmt.simplify, shapesmt.tighten])
def test_tied_sizes_have_one_name(write: Any) -> None:
    text = f"{HEAD} g (float[n] x, float[m] y, float[?] u) => (float[k] z, float[l] v) {{ z = Add(x, y) v = Neg(u) }}"
    made = write(onnx.parser.parse_model(text), assume=["m == n", "u_dim0 == n"])
    assert sizes_of(made) == [["n"], ["n"], ["n"]]
    assert sizes_of(made, "output") == [["n"], ["n"]]


def test_a_size_that_a_relation_fixes_is_a_number() -> None:
    made = shapesmt.simplify(onnx.parser.parse_model(MEAN), assume=["2*n == 8"])
    assert sizes_of(made) == [["b", 4]]


def test_a_name_that_stands_for_two_sizes_is_split() -> None:
    text = f"{HEAD} g (float[n] x, float[n] y) => (float[a] z, float[c] v) {{ z = Neg(x) v = Neg(y) }}"
    made = shapesmt.simplify(onnx.parser.parse_model(text), shapes={"x": "[1..4]", "y": "[2..8]"})
    assert sizes_of(made) == [["n"], ["y_dim0"]]
    assert sizes_of(made, "output") == [["n"], ["y_dim0"]]


def test_a_shape_that_the_caller_gives_is_written() -> None:
    model = onnx.parser.parse_model(f"{HEAD} g (float[] x) => (y) {{ y = Neg(x) }}")
    model.graph.input[0].type.tensor_type.ClearField("shape")
    assert sizes_of(shapesmt.simplify(model, shapes={"x": "[?,3]"})) == [[0, 3]]
    assert sizes_of(shapesmt.simplify(model, dims={"x_rank": 2})) == [[0, 0]]


BRANCH = f"""{HEAD} g (float[n] x) => (float[m] y) {{ s = Shape(x) t = Constant<value_ints=[2]>() e = Greater(s, t)
    c = Squeeze(e) y = If(c) <then_branch = p () => (float[q] u) {{ u = Exp(x) }},
                              else_branch = o () => (float[r] w) {{ w = Abs(x) }}> }}"""
SLICED = f"""{HEAD} g (float[n] x, float[m] y) => (float[k] z, float[m] v) {{ s = Shape(y)
    t = Constant<value_ints=[0]>() a = Slice(x, t, s) z = Exp(a) v = Neg(y) }}"""
TOTAL = f"""{HEAD} g (float[n] x, float[m] y, float[k] u) => (float[k] z) {{ s = Shape(x) t = Shape(y) w = Shape(u)
    p = Add(s, t) e = Equal(p, w) c = Cast<to=1>(e) z = Add(u, c) }}"""


@pytest.mark.parametrize(
    ("text", "options", "left"),
    [
        (BRANCH, {"dims": {"n": "3..8"}}, ["Exp"]),
        (SLICED, {"assume": ["m >= n"]}, ["Slice", "Exp", "Neg"]),
        (SLICED, {"dims": {"n": "1..4", "m": "4..8"}}, ["Exp", "Neg"]),
        (TOTAL, {"assume": ["k == n + m"]}, ["Add"]),
    ],
)
def test_what_a_file_cannot_declare_counts_only_if_trusted(text: str, options: Any, left: list[str]) -> None:
    model = onnx.parser.parse_model(text)
    made = shapesmt.simplify(model, **options)
    assert same(text, made, **dict.fromkeys("nmk", 4))
    assert (admissible(made), len(made.graph.node)) == ("", len(model.graph.node))
    trusted = shapesmt.simplify(model, **options, trust_ranges=True)
    assert [n.op_type for n in trusted.graph.node if n.op_type != "Constant"] == left
    assert admissible(trusted)


def test_a_size_may_be_0_unless_ranges_are_trusted() -> None:
    model = onnx.parser.parse_model(f"""{HEAD} g (float[n] x, float[m] y) => (float[m] z) {{ s = Shape(x)
        t = Constant<value_ints=[0]>() e = Greater(s, t) c = Cast<to=1>(e) z = Add(y, c) }}""")
    assert [n.op_type for n in shapesmt.simplify(model).graph.node] == [n.op_type for n in model.graph.node]
    trusted = shapesmt.simplify(model, trust_ranges=True)
    assert [n.op_type for n in trusted.graph.node] == ["Add"]
    assert admissible(trusted) == "n=1..; m=1.."


def test_elements_that_the_caller_gives_count_only_if_trusted() -> None:
    text = f"""{HEAD} g (float[n] x, int64 k) => (float[n] y) {{ o = Constant<value_int=1>() p = Mul(k, o)
        c = Cast<to=1>(p) y = Add(x, c) }}"""
    made = shapesmt.simplify(onnx.parser.parse_model(text), values={"k": 3})
    fed = {"x": np.zeros(2, np.float32), "k": np.array(5)}
    (y,) = outputs(session(made), fed) or ()
    assert y.tolist() == [5, 5]
    trusted = shapesmt.simplify(onnx.parser.parse_model(text), values={"k": 3}, trust_ranges=True)
    assert admissible(trusted) == "n=1..; k=3"
    assert shapesmt.check(trusted).symbols["k"].to_dict() == {"min": 3, "max": 3, "step": 1, "from": "metadata"}


def test_check_reads_the_admissible_inputs_back() -> None:
    made = shapesmt.simplify(SLICED.encode(), dims={"n": "2..8:2"}, assume=["m >= n"], trust_ranges=True)
    report = shapesmt.check(made)
    assert {n: (r.min, r.max, r.step, r.source) for n, r in report.symbols.items()} == {
        "n": (2, 8, 2, "metadata"),
        "m": (1, None, 1, "metadata"),
    }
    assert (report.assumptions, report.origins) == (("m >= n",), {"m >= n": "metadata"})
    assert "from the file's metadata: n in 2..8:2, m >= 1, m >= n" in str(report).replace("m in 1..", "m >= 1")
    assert shapesmt.check(made, dims={"n": "1..4"}).symbols["n"].source == "--dim"


def test_what_is_trusted_is_said(tmp_path: Path) -> None:
    question = Question({"n": "3..8"})
    answer = write_simplified(ModelSource(BRANCH.encode()), question, tmp_path / "s.onnx", trust_ranges=True)[1]
    assert "right only for n=3..8, as its metadata say" in str(answer)
    assert answer.to_dict()["admissible"] == "n=3..8"
    tight = write_tightened(ModelSource(BRANCH.encode()), question, tmp_path / "t.onnx", trust_ranges=True)[1]
    assert "right only for n=3..8, as its metadata say" in str(tight)
    assert tight.to_dict()["admissible"] == "n=3..8"
    assert "right only" not in str(write_simplified(ModelSource(BRANCH.encode()), question, tmp_path / "s.onnx")[1])


@pytest.mark.parametrize("again", [shapesmt.simplify, shapesmt.tighten])
def test_metadata_of_two_writings_never_contradict(again: Any) -> None:
    once = shapesmt.simplify(SLICED.encode(), dims={"n": "2..16:2", "m": "1..9"}, trust_ranges=True)
    assert admissible(again(once, dims={"n": "4..20:4"})) == "n=2..16:2; m=1..9"
    twice = again(once, dims={"n": "4..20:4"}, trust_ranges=True)
    assert admissible(twice) == "n=4..16:4; m=1..9"
    assert admissible(again(once, dims={"n": 4})) == "m=1..9"
    assert admissible(again(once, assume=["m == n"])) == "n=2..8:2"
    for made in (once, twice):
        onnx.checker.check_model(made)
    with pytest.raises(ModelError, match=r"no n is both in 2\.\.16:2 and in 5, for which the file's metadata say"):
        again(once, dims={"n": 5})


def test_relations_in_metadata_go_by_the_written_names() -> None:
    once = shapesmt.simplify(SLICED.encode(), assume=["m >= n + 1"], trust_ranges=True)
    assert admissible(shapesmt.simplify(once, dims={"n": 4})) == "m=1..; m >= 5"
    assert admissible(shapesmt.simplify(once, dims={"n": 4, "m": 8})) == ""


def overridable(ir: int = 8) -> onnx.ModelProto:
    info = helper.make_tensor_value_info
    nodes = [helper.make_node("Reshape", ["x", "t"], ["y"]), helper.make_node("Exp", ["y"], ["z"])]
    inputs, table = [info("x", 1, ["n", 4]), info("t", 7, [2])], helper.make_tensor("t", 7, [2], [-1, 4])
    graph = helper.make_graph(nodes, "g", inputs, [info("z", 1, ["a", "b"])], [table])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 8)], ir_version=ir)


def test_an_initializer_that_a_caller_may_replace_stays_open(tmp_path: Path) -> None:
    made = shapesmt.simplify(overridable())
    fed = {"x": np.ones((2, 4), np.float32), "t": np.array([4, -1])}
    assert [a.shape for a in outputs(session(made), fed) or ()] == [(4, 2)]
    answer = write_simplified(ModelSource(overridable()), Question(), tmp_path / "s.onnx")[1]
    assert "inputs with a value in the file, left to the caller: t" in str(answer)
    trusted = write_simplified(ModelSource(overridable()), Question(), tmp_path / "s.onnx", trust_ranges=True)[1]
    assert "inputs with a value in the file, taken to be the file's, whatever a caller gives: t" in str(trusted)
    assert (trusted.after, trusted.to_dict()["defaults"]) == (1, ["t"])
    assert [n.op_type for n in shapesmt.simplify(overridable(3)).graph.node] == ["Exp"]  # nobody can replace it


def test_a_file_that_no_runtime_loads_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shapesmt.tasks.simplify import answer, whole

    target = tmp_path / "s.onnx"
    for change, reason in (
        ("Nonsense", "ONNX's checker refuses it: No Op registered"),
        ("Det", "ONNX Runtime refuses"),
    ):

        def wrong(*arguments: Any, op: str = change) -> whole.Smaller:
            result = whole.smaller(*arguments)
            result.proto.graph.node[-1].op_type = op
            return result

        monkeypatch.setattr(answer, "smaller", wrong)
        text = f"{HEAD} g (float[n] x) => (float[n] z) {{ y = Identity(x) z = Exp(y) }}"
        with pytest.raises(ModelError, match=reason):
            write_simplified(ModelSource(text.encode()), Question(), target)[1]
        assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("trusted", [False, True])
def test_numbers_that_the_runtime_refuses_if_they_are_declared_are_not_written(trusted: bool) -> None:
    for nodes in ("z = Concat<axis=0>(x, y)", "q = Relu(x) r = Relu(y) z = Concat<axis=0>(q, r)"):
        model = onnx.parser.parse_model(f"{HEAD} g (float[n,2] x, float[m,k] y) => (z) {{ {nodes} }}")
        made = shapesmt.tighten(model, dims={"n": 0, "k": 3}, trust_ranges=trusted)
        assert sizes_of(made) == [["n", 2], ["m", "k"]]
        assert not [*differences(model, made, assignments({"n": [0], "m": [0, 1, 2], "k": [3]}))]
