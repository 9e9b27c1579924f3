"""Every kind of change is found on a small model that lacks it; what is written is proved, and runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Proposal, Repairs

HEAD = '<ir_version: 8, opset_import: ["":18]> '


class Broken(NamedTuple):
    """A model that doesn't run for all its inputs, and a change that repairs it and keeps what ran."""

    graph: str
    dims: dict[str, str]
    kind: str
    text: str


BROKEN = {
    "order of axes": Broken(
        "g (float[n, 3] x, float[n, 4] w) => (float[a, b] z) { t = Transpose <perm=[0, 1]> (x) z = MatMul (t, w) }",
        {"n": "4..8"},
        "attribute",
        "perm of Transpose_0: 0,1 -> 1,0",
    ),
    "axis": Broken(
        "g (float[n, 3] x, float[m, 3] y) => (float[a, b] z) { z = Concat <axis=1> (x, y) }",
        {"n": "1..8", "m": "9..16"},
        "attribute",
        "axis of Concat_0: 1 -> 0",
    ),
    "flag that isn't stated": Broken(
        "g (float[n, 3] x, float[4, 3] w) => (float[a, b] z) { z = Gemm (x, w) }",
        {"n": "1..8"},
        "attribute",
        "transB of Gemm_0: 0 -> 1",
    ),
    "number for the batch": Broken(
        "g (float[n, 3, 2] x) => (float[a, b] z) <int64[2] to = {4, 6}> { z = Reshape (x, to) }",
        {"n": "1..8"},
        "constant",
        "input 1 of Reshape_0: 4,6 -> 0,6",
    ),
    "parts": Broken(
        "g (float[n, 9] x) => (float[a, b] y, float[c, d] z) <int64[2] sizes = {4, 4}>"
        " { y, z = Split <axis=1> (x, sizes) }",
        {"n": "1..8"},
        "constant",
        "input 1 of Split_0: 4,4 -> 5,4",
    ),
    "order of operands": Broken(
        "g (float[n, 3] x, float[3, 4] w) => (float[a, b] z) { z = MatMul (w, x) }",
        {"n": "5..8"},
        "operands",
        "operands of MatMul_0 the other way round: x,w",
    ),
    "other operand": Broken(
        "g (float[n, 3] x, float[n, 4] w) => (float[a, b] z) { t = Transpose (x) z = MatMul (x, w) }",
        {"n": "4..8"},
        "edge",
        "input 0 of MatMul_1: x -> t",
    ),
    "weight": Broken(
        "g (float[n, 3] x) => (float[a, b] z) <float[4, 2] w = {1,2,3,4,5,6,7,8}> { z = MatMul (x, w) }",
        {"n": "2..8"},
        "weight",
        "shape of w, input 1 of MatMul_0: 4,2 -> 3,2",
    ),
    "name of a size": Broken(
        "g (float[n, 3] x, float[m, 3] y, float[n, 3] w) => (float[a, b] z) { s = Add (x, w) z = Add (s, y) }",
        {"n": "2..8", "m": "2..8"},
        "declared",
        "axis 0 of input y: m -> n",
    ),
    "superfluous node": Broken(
        "g (float[n, 3] x, float[3, 4] w) => (float[a, b] z) { t = Transpose (x) z = MatMul (t, w) }",
        {"n": "4..8"},
        "node",
        "leave out Transpose_0 (Transpose)",
    ),
    "missing node": Broken(
        "g (float[n, 3] x, float[n, 4] w) => (float[a, b] z) { z = MatMul (x, w) }",
        {"n": "4..8"},
        "node",
        "Transpose 1,0 before input 0 of MatMul_0",
    ),
    "missing axis": Broken(
        "g (float[n, 3] x, float[n, 1, 3] w) => (float[a, b, c] z) { z = Concat <axis=1> (x, w) }",
        {"n": "2..8"},
        "node",
        "Unsqueeze 1 before input 0 of Concat_0",
    ),
    "two missing axes": Broken(
        "g (float[n, 3] x, float[1, 1, n, 3] w) => (float[a, b, c, d] z) { z = Concat <axis=0> (x, w) }",
        {"n": "2..8"},
        "node",
        "Unsqueeze 0,1 before input 0 of Concat_0",
    ),
    "number that an edit left unread": Broken(
        "g (float[n, 20] x) => (float[a, b] v, int64[c, d] i) <int64[1] k = {2001}, int64[1] five = {5}>"
        " { v, i = TopK (x, k) }",
        {"n": "1..8"},
        "constant",
        "input 1 of TopK_0: 2001 -> 5",
    ),
    "sizes that are cropped": Broken(
        "g (float[1, 2, h, w] x) => (float[a, b, c, d] z) <float[4] twice = {1, 1, 2, 2}> { d = MaxPool"
        ' <kernel_shape=[2, 2], strides=[2, 2]> (x) u = Resize <mode="nearest"> (d, , twice)'
        " z = Concat <axis=1> (x, u) }",
        {"h": "2..9", "w": "2..9"},
        "node",
        "crop input 0 of Concat_2 to the other's size along 2,3",
    ),
    "sizes that aren't multiples": Broken(
        "g (float[b, h, w, 8] x) => (float[c, d, e, f, g, i] z) <int64 seven = {7}, int64[1] part = {7},"
        " int64[1] c = {8}, int64[1] two = {2}, int64[1] one = {1}, int64[1] three = {3}, int64[1] any = {-1}>"
        " { s = Shape (x) h = Slice (s, one, two) w = Slice (s, two, three) k = Div (h, seven) l = Div (w, seven)"
        " to = Concat <axis=0> (any, k, part, l, part, c) z = Reshape (x, to) }",
        {"b": "1..2", "h": "7..60", "w": "7..60"},
        "node",
        "pad input x to multiples: axis 1 to 7, axis 2 to 7",
    ),
    "node inside a loop": Broken(
        """g (float[n, 3] x, int64 k, bool go) => (float[a, b] z) {
            z = Loop (k, go, x) <body = b (int64 i, bool c, float[n, 3] s) => (bool d, float[n, 3] t)
            { d = Identity (c) r = Transpose <perm=[1, 0]> (s) t = Add (s, r) }> }""",
        {"n": "4..8"},
        "attribute",
        "perm of Transpose_1: 1,0 -> 0,1",
    ),
}


def model(broken: Broken) -> bytes:
    return (HEAD + broken.graph).encode()


def proposals(broken: Broken) -> tuple[Proposal, ...]:
    return shapesmt.repair(model(broken), dims=broken.dims).proposals


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_the_change_that_repairs_a_model_is_proposed(broken: Broken) -> None:
    found = {p.text: p for p in proposals(broken)}
    assert broken.text in found
    assert found[broken.text].kind == broken.kind


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_what_is_written_is_proved_and_runs(broken: Broken, tmp_path: Path) -> None:
    for number, proposal in enumerate(proposals(broken)[:3], 1):
        path = tmp_path / f"{number}.onnx"
        answer = shapesmt.repair(model(broken), path, take=number, dims=broken.dims)
        assert (answer.written, answer.taken) == (str(path), number)
        dims = {name: r for name, r in broken.dims.items() if proposal.kind != "declared" or name != proposal.old}
        assert shapesmt.check(path, dims=dims).verdict is Verdict.PROVED
        run(path, dims)


def run(path: Path, dims: dict[str, str]) -> None:
    """Run a model at the ends of its ranges."""
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    for end in (0, 1):
        sizes = {name: int(r.split("..")[end]) for name, r in dims.items()}
        kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_}
        feeds = {i.name: np.ones([sizes.get(d, d) for d in i.shape], kinds[i.type]) for i in session.get_inputs()}
        session.run(None, feeds)


def test_nothing_else_in_the_file_changes(tmp_path: Path) -> None:
    broken = BROKEN["order of axes"]
    before = onnx.parser.parse_model(HEAD + broken.graph)
    before.doc_string, before.graph.node[1].doc_string = "of a person", "here"
    shapesmt.repair(before, tmp_path / "repaired.onnx", dims=broken.dims)
    after = onnx.load(tmp_path / "repaired.onnx")
    assert after.doc_string == "of a person"
    assert after.graph.node[1] == before.graph.node[1]
    assert after.graph.node[0] != before.graph.node[0]
    assert (after.graph.input, after.graph.output) == (before.graph.input, before.graph.output)


def test_nodes_alike_speak_for_a_change() -> None:
    twice = " ".join(f"t{i} = Transpose <perm=[1, 0]> (x) y{i} = MatMul (t{i}, w)" for i in range(3))
    odd = "t = Transpose <perm=[0, 1]> (x) z = MatMul (t, w)"
    outputs = ", ".join(f"float[a, b] y{i}" for i in range(3))
    graph = f"g (float[n, 3] x, float[n, 4] w) => (float[a, b] z, {outputs}) {{ {twice} {odd} }}"
    best = proposals(Broken(graph, {"n": "4..8"}, "", ""))[0]
    assert (best.new, best.evidence) == ((1, 0), "3 of 3 Transpose nodes alike have it")


def test_declared_outputs_speak_for_a_change() -> None:
    """Either operand may be transposed, but only one way gives the output that the file declares."""
    graph = "g (float[n, 3] x, float[n, 3] w) => (float[n, n] z) { z = MatMul (x, w) }"
    found = proposals(Broken(graph, {"n": "5..8"}, "", ""))
    told = [(p.name, p.input, p.evidence) for p in found if p.name == "Transpose"]
    assert told == [
        ("Transpose", 1, "the outputs have their declared sizes"),
        ("Transpose", 0, "an output isn't as declared"),
    ]


def test_findings_that_are_left_are_told() -> None:
    graph = "g (float[n, 3] x, float[n, 4] w, float[m] v) => (float[a, b] z, float[c] y)"
    two = f"{graph} {{ t = Transpose <perm=[0, 1]> (x) z = MatMul (t, w) e = Exp (v) y = Add (v, w) }}"
    answer = shapesmt.repair((HEAD + two).encode(), dims={"n": "2..8", "m": "5..6"})
    assert answer.proposals
    assert all(p.verdict is Verdict.DEPENDS for p in answer.proposals if p.kind == "attribute")


def test_a_node_that_needs_equal_sizes_before_and_after_a_change_isnt_in_its_way() -> None:
    graph = """g (float[n, 3] x, float[m, 1] u, float[3, 4] w) => (float[a, b] y, float[c, d] z)
        { t = Transpose <perm=[1, 0]> (x) y = Add (t, u) z = MatMul (t, w) }"""
    first = proposals(Broken(graph, {"n": "5..8", "m": "1..8"}, "", ""))[0]
    assert (first.text, first.verdict) == ("perm of Transpose_0: 1,0 -> 0,1", Verdict.DEPENDS)


@pytest.mark.parametrize("target", ["{4, 6}", "{4, 3, 2}"])
def test_samples_that_stay_apart_are_not_mixed(target: str) -> None:
    """At n = 4 both `4,-1` and `0,6` keep the rows apart; at n = 8 the first reads two as one."""
    rank = target.count(",") + 1
    model = f"{HEAD}g (float[n, 3, 2] x) => (z) <int64[{rank}] to = {target}> {{ z = Reshape (x, to) }}"
    found = shapesmt.repair(model.encode(), dims={"n": "4..8:4"})
    numbers = target.strip("{}").replace(" ", "")
    assert [p.text for p in found.proposals] == [f"input 1 of Reshape_0: {numbers} -> 0{numbers[1:]}"]
    assert found.mixing == found.to_dict()["mixing"] > 0


def test_what_would_only_mix_samples_is_said() -> None:
    told = Repairs("m.onnx", Verdict.DEPENDS, tried=3, mixing=2)
    assert "no single change that was tried makes it run, and keeps the samples of its batch apart" in told.text(200)
