"""The answer of `simplify`: refused where some input fails, written with its condition, run beside the original."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import InternalError, ModelError
from shapesmt.frontends import ModelSource
from shapesmt.prover.algebra import Verdict
from shapesmt.tasks.simplify import write_simplified
from tests.tasks.simplify.compared import differences

JOIN = """<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[m] z) => (float[k] y) {
    a = Identity(x) s = Shape(a) e = Expand(a, s) y = Add(e, z) }"""


def nodes(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def test_a_model_that_fails_for_some_input_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "out.onnx"
    question = Question({"n": "2..4", "m": "2..4"})
    answer = write_simplified(ModelSource(JOIN.encode()), question, target)[1]
    assert (answer.verdict, answer.written, answer.exit_status) == (Verdict.DEPENDS, None, 1)
    assert "m == n" in (answer.precondition.text if answer.precondition else ())
    assert answer.remedy is not None
    assert not target.exists()
    with pytest.raises(ModelError, match="valid_only"):
        shapesmt.simplify(JOIN.encode(), dims=question.dims)
    assert "--valid-only" in str(answer)


def test_a_model_for_valid_inputs_says_which_and_still_refuses_the_others(tmp_path: Path) -> None:
    target = tmp_path / "out.onnx"
    question = Question({"n": "2..4", "m": "2..4"})
    answer = write_simplified(
        ModelSource(JOIN.encode()), question, target, valid_only=True, check_runs=9, trust_ranges=True
    )[1]
    assert (answer.written, answer.before, answer.after, answer.runs) == (str(target), 4, 1, 9)
    assert answer.exit_status == 0
    made = onnx.load(target)
    notes = {note.key: note.value for note in made.metadata_props}
    assert notes["shapesmt.precondition"] == "m == n"
    assert notes["shapesmt.admissible"] == "n=2..4; m=2..4"
    assert not [
        *shapesmt.simplify(JOIN.encode(), dims=question.dims, valid_only=True).metadata_props
    ]  # it holds for all
    sizes = [{"n": n, "m": m} for n in (2, 3, 4) for m in (2, 3, 4)]
    assert [*differences(onnx.parser.parse_model(JOIN), made, sizes)] == []
    data = answer.to_dict()
    assert (data["schema"], data["nodes_before"], data["nodes_after"]) == ("shapesmt/simplify/1", 4, 1)
    assert {r["node"] for r in data["rewrites"]} == {"Identity_0", "Shape_1", "Expand_2"}
    assert "identity: Identity_0 (Identity)" in answer.text(everything=True)


def test_a_file_that_runs_for_some_inputs_is_written_where_onnx_was_never_imported(tmp_path: Path) -> None:
    path = tmp_path / "join.onnx"
    onnx.save(onnx.parser.parse_model(JOIN), path)
    command = [sys.executable, "-m", "shapesmt", "simplify", path, "-o", tmp_path / "out.onnx", "--valid-only"]
    assert "wrote" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_model_that_fails_for_every_input_is_never_written(tmp_path: Path) -> None:
    target = tmp_path / "out.onnx"
    answer = write_simplified(ModelSource(JOIN.encode()), Question({"n": 2, "m": 3}), target, valid_only=True)[1]
    assert (answer.verdict, answer.written) == (Verdict.FAILS, None)
    assert not target.exists()
    assert "runs for no input" in str(answer)
    for write in (shapesmt.simplify, shapesmt.tighten):
        for valid_only in (False, True):
            if write is shapesmt.simplify or not valid_only:
                with pytest.raises(ModelError, match="runs for no admissible input"):
                    write(JOIN.encode(), dims={"n": 2, "m": 3}, valid_only=valid_only)


def test_a_wrong_copy_is_refuted_by_running_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from shapesmt.tasks.simplify import answer, whole

    def wrong(*arguments: object) -> whole.Smaller:
        result = whole.smaller(*arguments)
        result.proto.graph.node[-1].op_type = "Sub"
        return result

    monkeypatch.setattr(answer, "smaller", wrong)
    with pytest.raises(InternalError, match="the output y differs"):
        shapesmt.simplify(JOIN.encode(), dims={"n": 3, "m": 3}, check_runs=2)


HALVES = """<ir_version: 8, opset_import: ["":18]> g (float16[n,196] x) => (float16[a,b] y) {
    s = Shape(x) i = Constant<value_ints=[1]>() d = Gather(s, i) c = Cast<to=10>(d) q = Div(c, ten) e = Add(q, tenth)
    y = Mul(x, e) }"""


def halves() -> onnx.ModelProto:
    model = onnx.parser.parse_model(HALVES)
    for name, number in (("ten", 10), ("tenth", 0.1)):
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.float16(number), name))
    return model


def test_floats_of_16_bits_are_compared_to_their_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    from shapesmt.tasks.simplify import answer, whole

    question, model = Question({"n": "1..40"}), halves()
    copy = shapesmt.simplify(model, dims=question.dims)
    assert any(differences(model, copy, [{"n": 40}]))  # onnxruntime adds before it rounds the quotient
    found = write_simplified(ModelSource(model), question, os.devnull, check_runs=5)[1]
    assert (found.runs, found.exact, found.to_dict()["bits_compared"]) == (5, False, False)
    assert "the same outputs, to the precision of 16 bits, in 5 runs" in str(found)

    def wrong(*arguments: object) -> whole.Smaller:
        result = whole.smaller(*arguments)
        result.proto.graph.node[-1].op_type = "Sub"
        return result

    monkeypatch.setattr(answer, "smaller", wrong)
    with pytest.raises(InternalError, match="the output y differs"):
        shapesmt.simplify(model, dims=question.dims, check_runs=5)


def test_weights_in_other_files_stay_there(tmp_path: Path) -> None:
    weight = onnx.numpy_helper.from_array(np.arange(6, dtype=np.float32).reshape(2, 3), "w")
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["a"]), helper.make_node("MatMul", ["a", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])],
        [weight],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    path, target = tmp_path / "m.onnx", tmp_path / "out.onnx"
    onnx.save(model, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    (tmp_path / "w.bin").chmod(0o400)
    answer = write_simplified(ModelSource(path), Question(), target, check_runs=3)[1]
    assert (answer.after, answer.runs) == (1, 3)
    made = onnx.load(target, load_external_data=False)
    assert [t.data_location for t in made.graph.initializer] == [TensorProto.EXTERNAL]
    assert nodes(made) == ["MatMul"]


@pytest.mark.parametrize(("ir", "opset"), [(3, 7), (4, 9), (8, 15), (10, 22)])
def test_old_files_and_new_ones(ir: int, opset: int) -> None:
    body = "s = Shape(x) i = Constant<value: tensor = int64[1] {0}>() a = Gather(s, i) "
    body += "c = Constant<value: tensor = int64[1] {6}>() t = Concat<axis=0>(a, c) y = Reshape(x, t)"
    text = f'<ir_version: {ir}, opset_import: ["":{opset}]> g (float[n,2,3] x) => (float[k,6] y) {{ {body} }}'
    model = onnx.parser.parse_model(text)
    made = shapesmt.simplify(model, check_runs=3)
    assert [op for op in nodes(made) if op != "Constant"] == ["Reshape"]
    onnx.checker.check_model(made)
    assert [*differences(model, made, [{"n": n} for n in range(1, 5)])] == []


def test_bodies_of_loops_are_made_smaller_too() -> None:
    text = """<ir_version: 9, opset_import: ["":18, "f":1]> g (float[n] x, int64 trips) => (float[k] y) {
        c = Constant<value_int=1>() go = Cast<to=9>(c)
        y = Loop(trips, go, x) <body = b (int64 i, bool on, float[l] v) => (bool on2, float[l2] v2) {
            on2 = Identity(on) a = Exp(v) b = Exp(v) p = Identity(a) v2 = Add(p, b) }> }"""
    model = onnx.parser.parse_model(text)
    made = shapesmt.simplify(model, values={"trips": "1..3"}, check_runs=4)
    (loop,) = (node for node in made.graph.node if node.op_type == "Loop")
    (body,) = (a.g for a in loop.attribute if a.name == "body")
    assert [node.op_type for node in body.node] == ["Constant", "Exp", "Add"]
    answer = write_simplified(ModelSource(model), Question(values={"trips": "1..3"}), os.devnull)[1]
    assert {"identity", "common-subexpression"} <= {r.rule for r in answer.rewrites}


def test_bodies_of_functions_are_made_smaller_too() -> None:
    text = """<ir_version: 9, opset_import: ["":18, "f":1]>
        g (float[n] x) => (float[k] y) { y = f.twice <by: int=11> (x) }
        <domain: "f", opset_import: ["":18]> twice <by> (v) => (w) {
            a = Exp(v) b = Exp(v) p = Identity(a) c = Cast<to: int = @by>(p) d = Cast<to=1>(c) w = Add(d, b) }"""
    model = onnx.parser.parse_model(text)
    made = shapesmt.simplify(model, dims={"n": "1..4"}, check_runs=4)
    assert [node.op_type for node in made.functions[0].node] == ["Exp", "Cast", "Cast", "Add"]


def test_a_model_is_not_overwritten_by_its_smaller_form(tmp_path):
    path = tmp_path / "m.onnxtxt"
    path.write_text('<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (z) { y = Identity (x) z = Exp (y) }')
    (tmp_path / "link.onnxtxt").symlink_to(path)
    for output in (path, tmp_path / "link.onnxtxt"):
        with pytest.raises(shapesmt.UsageError, match="it is the model itself; name another file"):
            shapesmt.simplify(path, output)
    assert path.read_text().startswith("<ir_version")
