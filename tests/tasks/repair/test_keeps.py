"""A repair keeps what the model computes wherever it runs: by proof, or by runs of both on equal data."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.reports.answers import Keeping
from shapesmt.tasks.replay import Copies, worker

HEAD = '<ir_version: 8, opset_import: ["":18]> '
BATCH = HEAD + "g (float[n, 3, 2] x) => (float[a, b] z) <int64[2] to = {4, 6}> { z = Reshape (x, to) }"
BRANCH = """g (float[n, 3, 2] x, bool c) => (float[a, b] z) {
    y = If (c) <then_branch = t () => (float[d, e] p) <int64[2] to = {4, 6}> { p = Reshape (x, to) },
        else_branch = f () => (float[g, h] q) <int64[2] to = {-1, 6}> { q = Reshape (x, to) }> z = %s (y) }"""
TABLE = HEAD + (
    "g (float[b, 4, t] x, float[1, 1, 4] cls) => (float[b, s, 4] z) <int64[1] zero = {0},"
    " int64[1] one = {1}, int64[1] four = {4}> { tokens = Transpose <perm=[0, 2, 1]> (x) shape = Shape (tokens)"
    " batch = Gather (shape, zero) to = Concat <axis=0> (batch, one, four) c = Expand (cls, to)"
    " y = Concat <axis=1> (c, tokens) z = Add (y, pos) }"
)
MOST = HEAD + "g (float[b, n] x) => (float[b, 6] z, int64[b, 6] i) <int64[1] k = {6}> { z, i = TopK (x, k) }"
WINDOWS = HEAD + (
    "g (float[b, h] x) => (float[a, c, d] z) <int64[1] four = {4}, int64[1] one = {1}, int64[1] two = {2},"
    " int64[1] zero = {0}> { s = Shape (x) h = Slice (s, one, two) k = Div (h, four)"
    " to = Concat <axis=0> (zero, k, four) z = Reshape (x, to) }"
)
PATCHES = HEAD + (
    "g (float[1, h] x) => (float[c, d] z) <int64[1] two = {2}, int64[1] one = {1}, int64[1] four = {4}, int64[1] zero ="
    " {0}, int64[1] any = {-1}> { s = Shape (x) h = Slice (s, one, two) p = Div (h, two) q = Mul (p, two)"
    " y = Slice (x, zero, q, one) to = Concat <axis=0> (any, four) z = Reshape (y, to) }"
)
QUERIES = HEAD + (
    "g (float[b, 3, 4] x) => (float[b, 5, 3] z) <int64[3] times = {8, 1, 1}, int64[3] to = {8, 3, 4},"
    " int64[2] flat = {24, 4}, int64[3] back = {8, 3, 4}> { q = Tile (query, times) r = Reshape (x, to) e = Exp (r)"
    " f = Reshape (e, flat) n = Neg (f) g = Reshape (n, back) k = Transpose <perm=[0, 2, 1]> (g) z = MatMul (q, k) }"
)
MIXED = HEAD + (
    "g (float[b, 6, 4] x) => (float[b, 6, 4] z) <int64[3] to = {2, -1, 4}, int64[3] back = {2, 6, 4}>"
    " { q = Reshape (x, to) s = Softmax <axis=1> (q) z = Reshape (s, back) }"
)
IDS = HEAD + (
    "g (int64[b, s] ids, int64[b, m] mask) => (float[b, t, 3] z) <int64[1] two = {2}>"
    " { e = Gather (table, ids) k = Cast <to = 1> (mask) u = Unsqueeze (k, two) z = Mul (e, u) }"
)
UPSAMPLED = HEAD + (
    "g (float[1, 2, h, w] x) => (float[a, b, c, d] z) <float[4] twice = {1, 1, 2, 2}> { d = MaxPool"
    ' <kernel_shape=[2, 2], strides=[2, 2]> (x) u = Resize <mode="nearest"> (d, , twice) z = Concat <axis=1> (x, u) }'
)
HALF = (
    HEAD + "g (float[n, 3] x) => (float[n, 3] z) <int64[2] times = {4, 1}> { q = Tile (query, times) z = Add (q, x) }"
)


class Runs(NamedTuple):
    """A model that runs at some sizes of its ranges, and the random weights that it gets."""

    text: str
    dims: dict[str, str]
    weights: dict[str, tuple[int, ...]] = {}  # noqa: RUF012 - never changed

    @property
    def model(self) -> onnx.ModelProto:
        """The model with its weights."""
        proto, random = onnx.parser.parse_model(self.text), np.random.default_rng(1)
        for name, shape in self.weights.items():
            numbers = random.standard_normal(shape).astype(np.float32)
            proto.graph.initializer.append(onnx.numpy_helper.from_array(numbers, name))
        return proto


RUNS = {
    "baked batch": Runs(BATCH, {"n": "1..9"}),
    "baked batch in a branch": Runs(HEAD + BRANCH % "Exp", {"n": "1..9"}),
    "table of positions": Runs(TABLE, {"b": "1..3", "t": "1..12"}, {"pos": (1, 9, 4)}),
    "most elements": Runs(MOST, {"b": "1..2", "n": "2..12"}),
    "windows": Runs(WINDOWS, {"b": "1..3", "h": "4..12"}),
    "windows of patches": Runs(PATCHES, {"h": "4..24"}),
    "baked batch at several nodes": Runs(QUERIES, {"b": "1..10"}, {"query": (1, 5, 4)}),
    "baked batch that mixes samples": Runs(MIXED, {"b": "1..10"}),
    "indices and a mask": Runs(IDS, {"b": "1..3", "s": "1..5", "m": "1..5"}, {"table": (7, 3)}),
    "sizes after a pooling": Runs(UPSAMPLED, {"h": "2..7", "w": "2..7"}),
}


def session_of(model: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def drawn(session: onnxruntime.InferenceSession, sizes: dict[str, int]) -> dict[str, Any]:
    """Return random inputs of a model at these sizes."""
    random, feeds = np.random.default_rng(3), {}
    for i in session.get_inputs():
        shape = [sizes[d] if isinstance(d, str) else d for d in i.shape]
        some = random.standard_normal(shape) if "float" in i.type else random.integers(0, 7, shape)
        kind = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_}[i.type]
        feeds[i.name] = np.asarray(some).astype(kind)
    return feeds


def outputs(session: onnxruntime.InferenceSession, feeds: dict[str, Any]) -> list[Any] | None:
    """Return the outputs in ONNX Runtime's default session; None if the model doesn't run."""
    try:
        return list(session.run(None, feeds))
    except Exception:
        return None


def every(dims: dict[str, str]) -> list[dict[str, int]]:
    ends = [range(int(lo), int(hi) + 1) for lo, hi in (r.split("..") for r in dims.values())]
    return [dict(zip(dims, sizes, strict=True)) for sizes in product(*ends)]


@pytest.mark.parametrize("case", RUNS.values(), ids=RUNS)
def test_each_proposal_gives_the_old_numbers_at_each_size_at_which_the_model_ran(case: Runs, tmp_path: Path) -> None:
    model = case.model
    session = session_of(model.SerializeToString())
    inputs = [(str(at), drawn(session, at)) for at in every(case.dims)]
    before = [(at, feeds, outputs(session, feeds)) for at, feeds in inputs]
    assert None in [expected for _, _, expected in before]
    proposals = shapesmt.repair(model, dims=case.dims).proposals
    for number, proposal in enumerate(proposals, 1):
        path = tmp_path / f"{number}.onnx"
        shapesmt.repair(model, path, take=number, dims=case.dims)
        repaired = session_of(path.read_bytes())
        for at, feeds, expected in before:
            after = outputs(repaired, feeds) if expected is not None else []
            assert after is not None, (proposal.text, at)
            for x, y in zip(expected or [], after, strict=True):
                np.testing.assert_allclose(y, x, rtol=1e-4, err_msg=f"{proposal.text} at {at}")


@pytest.mark.parametrize(
    ("case", "first"),
    [
        ("baked batch", ("input 1 of Reshape_0: 4,6 -> 0,6", Keeping.PROVED)),
        ("baked batch in a branch", ("input 1 of Reshape_0: 4,6 -> 0,6", Keeping.RUN)),
        ("table of positions", None),
        ("most elements", None),
        ("windows", ("pad input x to multiples: axis 1 to 4", Keeping.PROVED)),
        ("windows of patches", ("pad input x to multiples: axis 1 to 4 or up to 1 more", Keeping.PROVED)),
        ("baked batch at several nodes", ("8 -> b: Tile_0, Reshape_1, Reshape_3, Reshape_5", Keeping.PROVED)),
        ("baked batch that mixes samples", ("2 -> b: Reshape_0, Reshape_2", Keeping.PROVED)),
        ("indices and a mask", ("axis 1 of input mask: m -> s", Keeping.PROVED)),
        ("sizes after a pooling", ("crop input 0 of Concat_2 to the other's size along 2,3", Keeping.PROVED)),
    ],
)
def test_the_first_proposal_keeps_what_ran(case: str, first: tuple[str, Keeping] | None) -> None:
    answer = shapesmt.repair(RUNS[case].model, dims=RUNS[case].dims)
    assert [(p.text, p.keeps) for p in answer.proposals[:1]] == ([] if first is None else [first])
    if first is None:
        assert answer.dropped
        assert "and still compute what it computes at " in " ".join(str(answer).split())
    if first is not None and first[1] is Keeping.RUN:
        assert answer.proposals[0].to_dict()["at"] == [{"n": 1, "c": 0}, {"n": 9, "c": 0}]
        assert "PROVED: same numbers at n=1, c=0 and n=9, c=0 (run)" in str(answer)
    if first is not None and first[1] is Keeping.PROVED:
        assert "PROVED: proved to compute the same wherever the model ran" in str(answer)


@pytest.mark.parametrize("most", ["9", ""])
def test_an_output_that_is_not_as_declared_changes_only_if_the_caller_says_so(tmp_path: Path, most: str) -> None:
    case = Runs(HALF, {"n": f"1..{most}"}, {"query": (1, 3)})
    answer = shapesmt.repair(case.model, dims=case.dims)
    first = answer.proposals[0]
    assert (first.text, first.keeps, first.as_declared) == ("4 -> n: Tile_0", Keeping.PROVED, True)
    assert first.to_dict()["changed"] == [{"at": {"n": 1}, "output": "z", "from": [4, 3], "to": [1, 3]}]
    assert "wherever the model ran as declared" in str(answer)
    assert "\n     but at n=1, z 4x3, which isn't as declared, becomes 1x3\n" in str(answer)
    assert answer.at == ({"n": 4},)
    path, target = tmp_path / "half.onnx", tmp_path / "out.onnx"
    path.write_bytes(case.model.SerializeToString())
    with pytest.raises(
        UsageError, match="changes an output's shape at sizes at which the model runs; give as_declared"
    ):
        shapesmt.repair(path, target, take=1, dims=case.dims)
    assert shapesmt_main("repair", str(path), "-o", str(target)) == 1
    assert not target.exists()
    assert shapesmt_main("repair", str(path), "-o", str(target), "--as-declared") == 0
    before, after = session_of(path.read_bytes()), session_of(target.read_bytes())
    feeds = drawn(before, {"n": 4})
    np.testing.assert_allclose(after.run(None, feeds)[0], before.run(None, feeds)[0], rtol=1e-4)
    assert [after.run(None, drawn(before, {"n": n}))[0].shape for n in (1, 7)] == [(1, 3), (7, 3)]


def test_a_freed_batch_mixes_no_samples(tmp_path: Path) -> None:
    case, path = RUNS["baked batch that mixes samples"], tmp_path / "out.onnx"
    shapesmt.repair(case.model, path, dims=case.dims)
    before, after = session_of(case.model.SerializeToString()), session_of(path.read_bytes())
    x = drawn(before, {"b": 4})["x"]
    pairs = [before.run(None, {"x": part})[0] for part in (x[:2], x[2:])]
    np.testing.assert_allclose(after.run(None, {"x": x})[0], np.concatenate(pairs), rtol=1e-5)


def test_a_baked_size_is_freed_though_other_findings_are_left() -> None:
    tiles = WINDOWS.replace("int64[1] zero = {0}>", "int64[1] three = {3}>").replace(
        "(zero, k, four)", "(three, k, four)"
    )
    answer = shapesmt.repair(tiles.encode(), dims={"b": "1..5", "h": "8..9"})
    first = answer.proposals[0]
    assert (first.text, str(first.verdict), first.keeps) == ("3 -> b: Concat_3", "DEPENDS", Keeping.PROVED)
    assert "helps in part: proved to compute the same wherever the model ran; other findings are left" in str(answer)


def test_a_model_that_runs_nowhere_is_repaired_though_it_fails_for_some_input_then() -> None:
    joined = HEAD + "g (float[b, h, 4] x, float[b, w, 6] y) => (float[b, k, c] z) { z = Concat <axis=1> (x, y) }"
    first = shapesmt.repair(joined.encode()).proposals[0]
    assert (first.text, str(first.verdict)) == ("axis of Concat_0: 1 -> 2", "DEPENDS")


def test_a_table_that_is_too_short_is_named_with_what_helps() -> None:
    answer = shapesmt.repair(RUNS["table of positions"].model, dims=RUNS["table of positions"].dims)
    assert answer.reason == "pos has 9 rows for every x: interpolate it, or keep t at 8"
    assert f"\n  {answer.reason}\n" in str(answer)
    graph = "g (float[n] x) => (float[n, 3] z) <int64 zero = {0}, int64 one = {1}> { s = Shape (x)"
    graph += " m = Gather (s, zero) i = Range (zero, m, one) z = Gather (table, i) }"
    longer = Runs(HEAD + graph, {"n": "1..50"}, {"table": (16, 3)})
    told = shapesmt.repair(longer.model, dims=longer.dims).reason
    assert told == "table has 16 rows for every x: give it more, or keep n in 1..16"


def test_of_a_model_that_runs_nowhere_nothing_is_known() -> None:
    answer = shapesmt.repair(BATCH.encode(), dims={"n": "5..9"})
    assert {p.keeps for p in answer.proposals} == {Keeping.NOTHING}
    assert "what it should compute isn't known, as it runs for no input" in " ".join(str(answer).split())


def test_no_input_becomes_unread_even_if_the_model_runs_nowhere() -> None:
    graph = "g (float[n, 3] x, float[n, 4] w) => (float[n, k] z) { e = Exp (x) z = Add (e, w) }"
    for proposal in shapesmt.repair((HEAD + graph).encode()).proposals:
        assert proposal.kind != "edge", proposal.text


def test_a_number_may_lose_its_influence_if_a_node_still_reads_it() -> None:
    graph = "g (float[n] x) => (float[n] z) <int64 zero = {0}> { start = Constant <value = float {0}> ()"
    graph += " s = Shape (x) n = Gather (s, zero) m = Cast <to = 7> (n) i = Range (start, m, step) z = Add (x, i) }"
    proto = Runs(HEAD + graph, {}, {"step": ()}).model
    proto.graph.initializer[-1].CopyFrom(onnx.numpy_helper.from_array(np.float32(1), "step"))
    assert shapesmt.repair(proto).proposals[0].text == "to of Cast_3: 7 -> 1"


def test_random_operators_count_as_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, target = tmp_path / "random.onnxtxt", tmp_path / "out.onnx"
    path.write_text(HEAD + BRANCH % "RandomNormalLike")
    answer = shapesmt.repair(path, dims={"n": "1..9"})
    assert answer.proposals[0].keeps is Keeping.NOT_RUN
    assert "not run, so it may compute something else" in str(answer)
    assert shapesmt_main("repair", str(path), "--dim", "n=1..9", "-o", str(target)) == 1
    assert "not written: proposal 1 may change what the model computes" in capsys.readouterr().out
    assert not target.exists()


def test_without_onnxruntime_the_reference_evaluator_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    process = worker.Worker()
    case = RUNS["baked batch"]
    feeds = [{"x": ("float32", (n, 3, 2), worker.Drawn(n))} for n in (4, 5)]
    model = case.model.SerializeToString()
    assert process.original(model, None, feeds, 1.0) == [0]
    assert process.copy(model, None, []) == ""
    text = BATCH.replace("Reshape (x, to)", "Reshape (y, to)").replace("{ z", "{ y = Exp (x) z")
    other = onnx.parser.parse_model(text).SerializeToString()
    assert process.copy(other, None, []) == "the output z differs"
    assert process.copy(other, None, [], frozenset({0})) == ""


def test_a_runtime_that_crashes_refutes_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    from shapesmt.base.deadline import Deadline
    from shapesmt.tasks.replay import run

    dies = (
        "import pickle, sys; pickle.dump('9', sys.stdout.buffer); sys.stdout.flush(); sys.stdin.buffer.read(1); exit(7)"
    )
    monkeypatch.setattr(run, "_WORKER", dies)
    twins = Copies(Deadline(60), 60, RUNS["baked batch"].model, None, [])
    assert twins.compare(RUNS["baked batch"].model, []) == "the runtime itself ends, with status 7"
    twins.close()


def shapesmt_main(*words: str) -> int:
    from shapesmt.entrypoints.cli.main import main

    return main([*words])
