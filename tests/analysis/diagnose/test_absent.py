"""External files that aren't there: the verdict without them is the one with them, or it is unknown and names them."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from onnx import numpy_helper

import shapesmt
from shapesmt.entrypoints.cli.main import main
from shapesmt.prover.algebra import Verdict
from tests.oracle.graphs import generate

HEADER = '<ir_version: 8, opset_import: ["": 18, "own": 1]>\n'
TARGET = "<int64[2] t = {-1, 4}> { y = Reshape (x, t) }"
MODELS = {
    "target": f"(float[n, 4] x) => (y) {TARGET}",
    "target that fails": "(float[n, 4] x) => (y) <int64[2] t = {3, 5}> { y = Reshape (x, t) }",
    "target that depends": "(float[n, 4] x) => (y) <int64[2] t = {-1, 3}> { y = Reshape (x, t) }",
    "a law beside it": "(float[n, 4] x, float[m, 4] z) => (y, s) <int64[2] t = {-1, 4}> "
    "{ y = Reshape (x, t) s = Add (x, z) }",
    "a law behind it": "(float[n, 4] x, float[8, 2] w) => (y) <int64[2] t = {-1, 8}> "
    "{ a = Reshape (x, t) y = MatMul (a, w) }",
    "a sum that sizes take part in": "(float[n, 4] x) => (y) <int64[1] k = {1}> "
    "{ s = Shape <end = 1> (x) e = Add (s, k) y = Expand (x, e) }",
    "expanded": "(float[n, 1] x) => (y) <int64[2] t = {1, 4}> { y = Expand (x, t) }",
    "sliced": "(float[n, 4] x, float[n, 3] z) => (y) <int64[1] a = {1}, int64[1] b = {4}> "
    "{ s = Slice (x, a, b, a) y = Add (s, z) }",
    "looked up": "(float[n, 4] x) => (y) <int64[2] i = {0, 2}> { y = Gather (x, i) }",
    "axes": "(float[n, 4] x) => (y) <int64[2] a = {0, 3}> "
    "{ u = Unsqueeze (x, a) t = Transpose <perm = [0, 2, 1, 3]> (u) f = Flatten (t) y = Add (f, x) }",
    "rank behind a softmax": "(float[n, 4] x, float[4, n] w) => (y) <int64[1] a = {1}, int64[1] k = {0}> "
    "{ u = Unsqueeze (x, a) p = Softmax (u) v = Mul (p, p) t = Transpose <perm = [2, 1, 0]> (v) "
    "s = Squeeze (t, a) y = Add (s, w) }",
    "rows of a range": "(float[n, 4] x, float[5] w) => (y) <int64 a = {0}, int64 b = {5}, int64 d = {1}> "
    "{ r = Range (a, b, d) f = Cast <to = 1> (r) y = Add (f, w) }",
    "scales": "(float[1, 3, h, w] x, float[1, 3, h, w] z) => (y) <float[4] s = {1, 1, 2, 2}> "
    '{ u = Resize <mode = "nearest"> (x, , s) d = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (u) '
    "y = Add (d, z) }",
    "count of the greatest": "(float[n, 4] x) => (v, i) <int64[1] k = {5}> { v, i = TopK <axis = 0> (x, k) }",
    "repeats": "(float[n, 4] x, float[m, 8] z) => (y) <int64[2] r = {2, 2}> { t = Tile (x, r) y = Add (t, z) }",
    "pads": "(float[n, 4] x, float[n, 6] z) => (y) <int64[4] p = {0, 1, 0, 1}> { t = Pad (x, p) y = Add (t, z) }",
    "a branch": "(float[n, 4] x) => (y) <bool c = {1}> { y = If (c) <then_branch = t () => (a) "
    "{ k = Constant <value_ints = [-1, 3]> () a = Reshape (x, k) }, else_branch = e () => (b) { b = Exp (x) }> }",
    "a loop": "(float[n, 4] x) => (y) <int64 m = {3}, bool c = {1}> { y = Loop (m, c, x) <body = b "
    "(int64 i, bool k, float[p, q] v) => (l, o) { l = Identity (k) o = Concat <axis = 0> (v, v) }> }",
    "a function": "(float[n, 4] x) => (y) <int64[2] t = {-1, 4}> { y = own.flat (x, t) }\n"
    '<opset_import: ["": 18], domain: "own"> flat (v, s) => (r) { r = Reshape (v, s) }',
    "data with it": "(float[n, 4] x, int64[1] w) => (y) <int64[1] k = {4}> "
    "{ e = Mul (w, k) t = Concat <axis = 0> (e, k) a = Reshape (x, t) y = Add (a, x) }",
    "a threshold": "(float[n, 4] x) => (y) <float k = {0.5}> { b = Greater (x, k) y = NonZero (b) }",
    "weights": "(float[n, 4] x) => (y) <float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> { y = MatMul (x, w) }",
}
UNNEEDED = {"weights", "a threshold"}


def written(model: onnx.ModelProto | str, folder: Path, *, together: bool = True) -> Path:
    """Write a model with the elements of all constants in `m.data`, or else in a file for each."""
    if isinstance(model, str):
        model = onnx.parser.parse_model(HEADER + "g " + model)
        for tensor in model.graph.initializer:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    path = folder / "m.onnx"
    where = {"all_tensors_to_one_file": together, "location": "m.data" if together else None}
    onnx.save(model, path, save_as_external_data=True, size_threshold=0, convert_attribute=True, **where)
    return path


def broken_rules(path: Path, dims: dict[str, str]) -> list[str]:
    """Return how the answers with and without the file contradict each other."""
    there, file = shapesmt.check(path, dims=dims), path.with_name("m.data")
    content = file.read_bytes()
    file.unlink()
    gone, said = shapesmt.check(path, dims=dims), []
    if gone.verdict not in (there.verdict, Verdict.UNKNOWN):
        said.append(f"{there.verdict} with the file, {gone.verdict} without")
    if gone.verdict is Verdict.UNKNOWN is not there.verdict and "m.data" not in str(gone).splitlines()[0]:
        said.append("the first line doesn't name the file")
    if len([f for f in gone.judged if f.verdict is Verdict.UNKNOWN]) > 1 and there.verdict is not Verdict.UNKNOWN:
        said.append("one cause has several findings")
    file.write_bytes(content)
    known = {(f.node, f.verdict) for f in there.judged}
    for finding in gone.judged:  # with the file, an earlier node may fail at the same input
        at = finding.counterexample
        if at is not None and (finding.node, finding.verdict) not in known:
            ends = shapesmt.check(path, dims=at.symbols)
            said += [f"{finding.node} doesn't fail at {at.symbols}"] if ends.verdict is not Verdict.FAILS else []
    file.unlink()
    return said


@pytest.mark.parametrize("name", MODELS)
def test_the_verdict_without_the_file_is_the_one_with_it_or_unknown(name: str, tmp_path: Path) -> None:
    path = written(MODELS[name], tmp_path)
    assert broken_rules(path, {}) == []
    gone = shapesmt.check(path)
    assert bool(gone.needed) == (name not in UNNEEDED)
    hinted = "m.data isn't next to the model: this answer doesn't need it, a runtime does" in gone.hints
    assert hinted == (name in UNNEEDED)


def test_random_models_without_their_file(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        case = generate(seed)
        path = written(case.model, tmp_path)
        if (tmp_path / "m.data").exists():
            assert broken_rules(path, {k: f"{lo}..{hi}" for k, (lo, hi) in case.ranges.items()}) == [], seed


def test_the_file_is_named_once_with_what_helps(tmp_path: Path) -> None:
    path = written(MODELS["a law behind it"], tmp_path)
    (tmp_path / "m.data").unlink()
    report = shapesmt.check(path)
    told = str(report).splitlines()
    assert told[0] == "UNKNOWN m.onnx: m.data isn't next to the model, and 1 constant in it decides sizes; n in 1.."
    assert [line for line in told if "help:" in line] == ["  help: put m.data next to the model"]
    assert "  2 nodes are undecided without that" in told
    (finding,) = report.findings
    assert (finding.kind, finding.code, finding.rests_on) == ("external", "SM605", "m.data")
    assert json.loads(json.dumps(report.to_dict()))["absent"] == [
        {"file": "m.data", "reason": "missing", "constants": 1}
    ]


def test_a_law_that_fails_is_named_first(tmp_path: Path) -> None:
    path = written(MODELS["a law beside it"], tmp_path)
    (tmp_path / "m.data").unlink()
    report = shapesmt.check(path, dims={"n": "2..4", "m": "2..4"})
    told = str(report).splitlines()[0]
    assert told.startswith(
        "DEPENDS m.onnx: 1 of 2 node requirements fails for some input, m.data isn't next to the model,"
    )


def test_files_that_are_too_short_or_have_no_folder(tmp_path: Path) -> None:
    path = written(MODELS["target"], tmp_path)
    first = str(shapesmt.check(path.read_bytes())).splitlines()
    assert "m.data isn't read, as the model is no file on disk" in first[0]
    assert "  help: give the path of a file, with m.data next to it" in first
    (tmp_path / "m.data").write_bytes(b"\0" * 15)
    short = str(shapesmt.check(path)).splitlines()
    assert "m.data is too short, and 1 constant in it decides sizes" in short[0]
    assert "  help: replace m.data by the whole file" in short


def test_several_files(tmp_path: Path) -> None:
    model = "(float[n, 4] x) => (y) <int64[2] t = {-1, 4}, int64[2] a = {0, 3}, float[1] w = {0}> "
    path = written(model + "{ r = Reshape (x, t) y = Unsqueeze (r, a) }", tmp_path, together=False)
    for file in "taw":
        (tmp_path / file).unlink()
    report = shapesmt.check(path)
    assert "t, a aren't next to the model, and 2 constants in them decide sizes" in str(report).splitlines()[0]
    assert "put t, a next to the model" in str(report)
    assert {(f.file, f.constants) for f in report.absent} == {("t", 1), ("a", 1), ("w", 0)}


def test_inspect_names_the_file(tmp_path: Path) -> None:
    for name, line in {
        "target": "m.data isn't next to the model, and 1 constant in it decides sizes",
        "weights": "m.data isn't next to the model, and no constant in it is known to decide sizes",
    }.items():
        path = written(MODELS[name], tmp_path)
        assert "m.data" not in str(shapesmt.inspect(path))
        (tmp_path / "m.data").unlink()
        assert line in str(shapesmt.inspect(path)).splitlines()


def test_an_answer_that_was_kept_is_given_again_only_while_the_file_is_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    path = written(MODELS["weights"], folder)
    content = (folder / "m.data").read_bytes()
    line = ["check", str(folder), "--cache", str(tmp_path / "cache"), "--jobs", "1", "--format", "json"]
    hints = []
    for there in (True, True, False, False, True):
        (folder / "m.data").unlink(missing_ok=True)
        if there:
            (folder / "m.data").write_bytes(content)
        assert main(line) == 0
        hints.append("isn't next to the model" in capsys.readouterr().out)
    assert hints == [False, False, True, True, False]
    assert path.exists()


def test_an_intermediate_rank_that_rests_on_the_file_is_not_data(tmp_path: Path) -> None:
    path = written(MODELS["rank behind a softmax"], tmp_path)
    (tmp_path / "m.data").unlink()
    assert [f.kind for f in shapesmt.check(path).findings] == ["external"]
