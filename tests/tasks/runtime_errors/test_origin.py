"""Which node says a message, at which inputs: names, loops, the optimizer's rewrites, other runtimes and models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.reports.answers import Candidate, ErrorOrigin, Explanation
from tests.support.sessions import LEVELS, half, started
from tests.tasks.runtime_errors.printed import HEAD, said

EXAMPLES = Path(__file__).parents[3] / "examples"
UNET = EXAMPLES / "unet" / "unet.onnx"
HEADING = "Non-zero status code returned while running "
TWO = """(float[n, 3] x, float[m, 3] y) => (u, v) {
    [first] u = Concat <axis = 1> (x, y)
    s = Shape (u)
    [second] v = Concat <axis = 1> (x, x, y)
}"""
LOOPED = """(float[n, 3] x, float[m, 3] y) => (z) <int64 trips = {2}, bool on = {1}> {
    [loop] z = Loop <body = body (int64 i, bool c, float[k, l] s) => (bool d, float[k, l] t) {
        d = Identity (c)  [inner] t = Add (s, y)
    }> (trips, on, x)
}"""


def model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(HEAD + text)


def origin(text: str | Path, error: object, **options: object) -> ErrorOrigin:
    answer = shapesmt.explain(model(text) if isinstance(text, str) else text, error=error, **options)  # type: ignore[arg-type]
    assert isinstance(answer, ErrorOrigin)
    return answer


def only(text: str | Path, error: object, **options: object) -> Candidate:
    (candidate,) = origin(text, error, **options).candidates
    return candidate


def optimized(path: str | bytes, sizes: dict[str, int]) -> str:
    """Return ONNX Runtime's error message at its default optimizer level."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
    feeds = {i.name: np.zeros([sizes.get(d, d) for d in i.shape], kinds[i.type]) for i in session.get_inputs()}
    with pytest.raises(Exception, match="ONNXRuntimeError") as raised:
        session.run(None, feeds)
    return str(raised.value)


def test_the_bounds_are_exact() -> None:
    found = only(UNET, optimized(str(UNET), {"batch": 2, "height": 51, "width": 50}))
    assert (found.node, found.bounds["height"].min, found.bounds["height"].max) == ("/up2/Concat", 50, 51)
    assert found.counterexample is not None
    assert found.counterexample.inputs == {"image": (1, 3, 50, 16)}


def test_only_outside_the_given_ranges() -> None:
    error = optimized(str(UNET), {"batch": 2, "height": 51, "width": 50})
    assert only(UNET, error, dims={"height": "64..512"}).outside
    assert not only(UNET, error, dims={"height": "16..512"}).outside


def test_a_message_without_a_name_has_a_candidate_for_each_node_that_fits() -> None:
    message = said(model(TWO), {"n": 4, "m": 7}).replace("Name:'second'", "Name:''")
    assert [c.node for c in origin(TWO, message).candidates] == ["first", "second"]


def test_a_node_inside_a_loop() -> None:
    message = said(model(LOOPED), {"n": 4, "m": 7})
    found = only(LOOPED, message)
    assert (found.node, found.finding is not None and found.finding.note) == ("loop", "inside loop/trip 0/inner")


def test_a_lookup_past_the_end_of_a_table_fails_later_after_the_optimizer() -> None:
    table = EXAMPLES / "position_table" / "position_table.onnx"
    answer = origin(table, optimized(str(table), {"batch": 2, "seq": 599}), replay=True)
    (found,) = answer.candidates
    assert (found.node, found.silent, found.grade, found.bounds["seq"].min, found.bounds["seq"].max) == (
        *("add", "positions", "partial"),
        *(599, 599),
    )
    assert "says nothing" in str(answer)
    assert found.again is False, "without the optimizer another node fails"


PAST = """(float[past, 1] k, float[seq, 2] x) => (z) <int64 zero = {0}, int64 one = {1}, float[4, 1] w = {1, 1, 1, 1}> {
    s = Shape (k)  p = Gather (s, zero)  r = Shape (x)  q = Gather (r, zero)  e = Add (p, q)
    o = Range (p, e, one)  [look] row = Gather (w, o)  [a] z = Add (x, row)
}"""


def test_onnxruntime_may_be_silent_past_the_end_of_a_table() -> None:
    """At its default optimization level it returns an empty tensor, or another node fails."""
    without = said(model(PAST), {"past": 4, "seq": 1})
    answer = origin(PAST, without)
    assert [(c.node, c.silent) for c in answer.candidates] == [("look", "")]
    assert "may return an empty tensor" in str(answer)
    session = onnxruntime.InferenceSession(model(PAST).SerializeToString(), providers=["CPUExecutionProvider"])
    (empty,) = session.run(None, {"k": np.zeros((4, 1), np.float32), "x": np.zeros((1, 2), np.float32)})
    assert empty.shape == (0, 2)
    later = only(PAST, optimized(model(PAST).SerializeToString(), {"past": 2, "seq": 4}))
    assert (later.node, later.silent, later.grade) == ("a", "look", "partial")
    assert [(b.min, b.max) for b in (later.bounds["past"], later.bounds["seq"])] == [(2, 2), (4, 4)]


def test_a_message_is_exact_only_if_the_session_runs_the_nodes_of_the_file() -> None:
    text, at = half("[4]"), {"x": np.zeros((3, 4), np.float32)}
    with pytest.raises(Exception, match="cannot be reshaped") as raised:
        started(text, LEVELS.ORT_DISABLE_ALL).run(None, at)
    assert started(text, LEVELS.ORT_ENABLE_ALL).run(None, at)[0].shape == (3, 4)
    (candidate,) = shapesmt.explain(text, error=raised.value).candidates
    assert (candidate.grade, candidate.region) == ("partial", "")
    (candidate,) = shapesmt.explain(text, error=raised.value, session="file").candidates
    assert (candidate.grade, candidate.region) == ("exact", "a == 3")


@pytest.mark.parametrize(
    ("text", "sizes", "declared"),
    [
        ("(float[n, 3] x, float[n, 4] y) => (z) { [a] z = Concat <axis = 1> (x, y) }", {"x": (2, 3), "y": (5, 4)},
         "y as [n, 4]; given 5x4"),
        ('(float[n, "4*n", 3, 3] x) => (z) { [a] z = DepthToSpace <blocksize = 2> (x) }', {"x": (2, 7, 3, 3)},
         "x as [n, 4*n, 3, 3]; given 1x1x3x3"),
        ("(float[n, n] x) => (z) { [a] z = Det (x) }", {"x": (2, 7)}, "x as [n, n]; given 1x2"),
    ],
)  # fmt: skip
def test_sizes_of_one_name_that_differ(text: str, sizes: dict[str, tuple[int, ...]], declared: str) -> None:
    """ONNX Runtime takes them: it compares inputs with the numbers of the file, not with one another."""
    session = started(model(text), LEVELS.ORT_ENABLE_ALL)
    assert session is not None
    with pytest.raises(Exception, match="Name:'a'") as raised:
        session.run(None, {name: np.zeros(shape, np.float32) for name, shape in sizes.items()})
    answer = origin(text, raised.value)
    (candidate,) = answer.candidates
    assert (candidate.node, candidate.outside) == ("a", True)
    assert f"outside: the file declares {declared}, it fails" in str(answer)
    with pytest.raises(Exception, match="Name:'a'"):
        session.run(None, {n: np.zeros(shape, np.float32) for n, shape in candidate.counterexample.inputs.items()})


@pytest.mark.parametrize("named", ["[outer] ", ""])
def test_a_node_without_a_name_inside_another(named: str) -> None:
    text = LOOPED.replace("[loop] ", named).replace("[inner] ", "").replace("\n}", "  u = Add (z, x)\n}").replace(
        "=> (z)", "=> (u)"
    )  # fmt: skip
    message = said(model(text), {"n": 4, "m": 3})
    assert "Name:''" in message
    (candidate,) = origin(text, message).candidates
    assert (candidate.inside, candidate.index) == ("Add_1", 0)


@pytest.mark.parametrize(
    ("text", "sizes", "region"),
    [
        ("(float[5, 3] x, float[n, m] u) => (z) <int64[4, 3] i = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}> "
         "{ [a] z = ScatterElements (x, i, u) }", {"n": 4, "m": 2}, "n == 4 and m == 2"),
        ("(float[n, 3] x, float[3, 4] y, float[m] z) => (o) { [a] o = Gemm (x, y, z) }", {"n": 2, "m": 3},
         "2 <= m <= 3 or m >= 5"),
        ("(float[2, n] x, float[3, 4] y, float[m] z) => (o) { [a] o = Gemm (x, y, z) }", {"n": 2, "m": 4},
         "n == 2 and (m == 1 or m == 4)"),
    ],
)  # fmt: skip
def test_what_is_checked_first(text: str, sizes: dict[str, int], region: str) -> None:
    """ONNX Runtime prints the first of several sizes that differ, and a bias that does not fit before the matrices."""
    found = only(text, said(model(text), sizes))
    assert (found.region, found.grade) == (region, "exact")


@pytest.mark.parametrize("bias", ["", ", b"])
def test_an_axis_and_a_bias_that_are_omitted(bias: str) -> None:
    text = f"(float[2, n] x, float[m] s, float[n] b) => (z) {{ [a] z = LayerNormalization (x, s{bias}) }}"
    found = only(text, said(model(text), {"n": 4, "m": 3}))
    assert [(found.bounds[d].min, found.bounds[d].max) for d in "nm"] == [(4, 4), (3, 3)]


@pytest.mark.parametrize(("last", "shape"), [(0, "1, c, 8, 8"), (1, "1, 8, 8, c")])
def test_a_quantized_convolution_says_what_one_of_real_numbers_does(last: int, shape: str) -> None:
    text = f"""(uint8[{shape}] x, uint8[2, 3, 3, 3] w) => (z) <float s = {{1}}, uint8 p = {{0}}> {{
        [conv] z = com.microsoft.QLinearConv <channels_last = {last}> (x, s, p, w, s, p, s, p) }}"""
    proto = model(text)
    proto.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    session, axes = started(proto, LEVELS.ORT_DISABLE_ALL), [int(d) if d != "c" else 5 for d in shape.split(", ")]
    with pytest.raises(Exception, match="kernel channels") as raised:
        session.run(None, {"x": np.zeros(axes, np.uint8), "w": np.zeros((2, 3, 3, 3), np.uint8)})
    (found,) = shapesmt.explain(proto, error=raised.value).candidates
    assert (found.node, found.bounds["c"].min, found.bounds["c"].max) == ("conv", 5, 5)


def test_names_that_the_optimizer_makes() -> None:
    text = "(float[1, c, h, w] x, float[2, 3, 3, 3] k) => (z) { [conv] y = Conv (x, k)  [act] z = Relu (y) }"
    weights = onnx.numpy_helper.from_array(np.zeros((2, 3, 3, 3), np.float32), "k")
    proto = model(text)
    del proto.graph.input[1]
    proto.graph.initializer.append(weights)
    message = optimized(proto.SerializeToString(), {"c": 5, "h": 8, "w": 8})
    assert "_nchwc" in message
    (found,) = shapesmt.explain(proto, error=message).candidates  # type: ignore[union-attr]
    assert (found.node, found.bounds["c"].min, found.bounds["c"].max) == ("conv", 5, 5)


@pytest.mark.parametrize("target", ["node 0", "0", "first_nchwc", "u_nchwc", "/first/MatmulTransposeFusion/"])
def test_what_else_names_a_node(target: str) -> None:
    explained = shapesmt.explain(model(TWO), target)
    assert isinstance(explained, Explanation)
    assert explained.target == "first"


def test_a_message_in_the_place_of_a_node() -> None:
    message = said(model(TWO), {"n": 4, "m": 7})
    assert isinstance(shapesmt.explain(model(TWO), message), ErrorOrigin)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("'second'", "'third'", "name"),
        ("'second'", "'second_3'", "name"),
        ("Concat node", "MatMul node", "operator"),
        ("Axis 0", "Axis 1", "sizes"),
        ("7 and 4", "4 and 4", "sizes"),
    ],
)
def test_messages_of_another_model_are_impossible(old: str, new: str, why: str) -> None:
    message = said(model(TWO), {"n": 4, "m": 7})
    assert old in message
    answer = origin(TWO, message.replace(old, new))
    assert (answer.possible, [a.why for a in answer.against], answer.exit_status) == (False, [why], 0)
    assert "another file" in str(answer)


def test_a_node_that_runs_for_all_is_told_apart() -> None:
    text = "(float[n, 3] x) => (z) { [a] z = Add (x, x) }"
    message = said(model(TWO), {"n": 4, "m": 7}).replace("Concat node. Name:'second'", "Add node. Name:'a'")
    assert [a.why for a in origin(text, message).against] == ["runs"]


def test_a_message_of_unknown_words_claims_no_region() -> None:
    text = "(float[2, n] x, float[m, 2] y) => (z) { [a] z = MatMul (x, y) }"
    answer = origin(text, f"{HEADING}MatMul node. Name:'a' Status Message: matmul it fails")
    (found,) = answer.candidates
    assert (answer.grade, answer.possible, found.region, found.node_holds_iff) == ("partial", True, "", "m == n")
    assert "isn't known" in str(answer)
    assert "this node runs exactly when m == n" in str(answer)


def test_a_text_without_a_message_is_refused() -> None:
    with pytest.raises(UsageError, match="no message of a known runtime"):
        origin(TWO, "all is well")


def test_openvino_says_which_node() -> None:
    openvino = pytest.importorskip("openvino", reason="openvino isn't installed")
    from tests.support.openvino_runtime import compiled

    baked = EXAMPLES / "baked_batch" / "baked_batch.onnx"
    run = compiled(openvino.Core().read_model(baked))
    with pytest.raises(RuntimeError) as raised:
        run([np.zeros((3, *run.inputs[0].get_partial_shape().get_min_shape()[1:]), np.float32)])
    found = only(baked, raised.value)
    assert (found.node, found.region) == ("flatten", "batch == 3")


def test_torch_says_which_sizes() -> None:
    torch = pytest.importorskip("torch", reason="torch isn't installed")
    text = "(float[n, 3] x, float[m, 3] y) => (z) { [r] u = Relu (x)  [a] z = Add (u, y) }"
    with pytest.raises(RuntimeError) as raised:
        torch.zeros(4, 3) + torch.zeros(7, 3)
    found = only(text, raised.value)
    assert (found.grade, found.region) == ("partial", ""), "PyTorch may name the operands in another order"
    assert found.counterexample is not None
    assert dict(found.counterexample.symbols) == {"n": 4, "m": 7}
    with pytest.raises(RuntimeError) as raised:
        torch.zeros(2, 3) @ torch.zeros(5, 2)
    assert only("(float[2, n] x, float[m, 2] y) => (z) { [a] z = MatMul (x, y) }", raised.value).node == "a"


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(b"\xff start\n" + optimized(str(UNET), {"batch": 2, "height": 51, "width": 50}).encode())
    assert main(["explain", str(UNET), "--error", str(log), "--replay", "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["possible"], data["runtime"]) == ("shapesmt/error/1", True, "onnxruntime")
    (candidate,) = data["candidates"]
    assert {"node", "op_type", "index", "law", "region", "counterexample"} <= candidate.keys()
    assert (candidate["node"], candidate["again"]) == ("/up2/Concat", True)
    assert main(["explain", str(UNET), "--error", str(tmp_path / "none.txt")]) == 2
    assert main(["explain", str(UNET), "/up2/Concat", "--error", str(log)]) == 2
    assert main(["explain", str(UNET), "--replay"]) == 2


def test_hostile_names_are_printed_escaped() -> None:
    message = said(model(TWO), {"n": 4, "m": 7}).replace("'second'", "'\x1b[2J{node}\u202e'")
    text = str(origin(TWO, message))
    assert all(line.isprintable() for line in text.splitlines())
    assert "\\x1b[2J{node}" in text
