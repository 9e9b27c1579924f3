"""Hostile and broken input: one line and exit status 2, or a finding; never a traceback, a hang or a stray file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import onnx
import pytest
from onnx import TensorProto, helper

import shapesmt
from shapesmt.base.errors import ShapesmtError, SizeOverflowError, UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report
from tests.support.hostile import assert_refused, model

TIMEOUT = 5  # seconds that the analysis of a damaged file may take


VERBS = ("check", "explain", "bounds", "encode", "ops")


ADD = '<ir_version: 8, opset_import: ["":18]> g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'


def plain() -> onnx.ModelProto:
    return onnx.parser.parse_model(ADD)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The command line in this process."""
    status = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


OUTER = "a = Flatten <axis = 0> (x) b = Transpose (a) c = MatMul (b, a)"
OF_OUTER = "d = Flatten <axis = 0> (c) e = Transpose (d) {} = MatMul (e, d)"


@pytest.mark.parametrize(
    "body",
    [
        f"{OUTER} {OF_OUTER.format('y')}",
        f"{OUTER} {OF_OUTER.format('f')} y = Size (f)",
        f"{OUTER} y = If (flag) <then_branch = t () => (u) {{ {OF_OUTER.format('f')} u = Size (f) }}, "
        "else_branch = o () => (v) { v = Size (c) }>",
    ],
)
def test_sizes_whose_product_is_too_long_to_be_written(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = of_large_sizes(tmp_path, 60, body)
    for verb in VERBS:
        status, out, error = run(capsys, verb, path)
        if status:
            assert_refused(status, out, error)
            assert "more than 4,000 digits" in error
    with pytest.raises(SizeOverflowError, match=r"more than 4,000 digits"):
        shapesmt.check(path)


def test_more_axes_than_an_array_can_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = of_large_sizes(tmp_path, 310, "y = Relu (x)")
    for verb in VERBS:
        status, out, error = run(capsys, verb, path)
        if status:
            assert_refused(status, out, error)
            assert error == "error: input 'x' has 310 dimensions; a tensor has at most 64\n"
    with pytest.raises(UsageError, match="at most 64"):
        shapesmt.check(path)


def of_large_sizes(folder: Path, rank: int, body: str) -> Path:
    """A model of an input of that rank, each size of which is near the end of 64 bits."""
    shape = ", ".join([str(1 << 62)] * rank)
    text = f'<ir_version: 8, opset_import: ["":17]> g (float[{shape}] x, bool flag) => (y) {{ {body} }}'
    path = folder / "large.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    return path


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\xff" * 64, b"MZ\x90\0", b"not a model", b"{}", b"<", b"\x0a\xff\xff\xff\xff\x7f"]
)
def test_no_model_is_one_line(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(content)
    for verb in VERBS:
        assert_refused(*run(capsys, verb, path))
    with pytest.raises(ShapesmtError):
        shapesmt.check(content)
    assert list(tmp_path.iterdir()) == [path]


def test_missing_files_folders_and_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.onnx").write_bytes(plain().SerializeToString())
    for path in (tmp_path / "none.onnx", "/dev/zero", tmp_path / "a\0b"):
        assert_refused(*run(capsys, "check", path))
        status, out, err = run(capsys, "check", "-q", "--jobs", 1, path, tmp_path)
        assert (status, err, [line.split()[0] for line in out.splitlines()]) == (2, "", ["ERROR", "DEPENDS"])
    assert_refused(*run(capsys, "explain", tmp_path))
    for verb in (["tighten", "--valid-only"], ["simplify", "--valid-only"], ["encode"]):
        assert_refused(*run(capsys, *verb, tmp_path / "m.onnx", "-o", tmp_path / "no" / "out.onnx"))
        assert_refused(*run(capsys, *verb, tmp_path / "m.onnx", "-o", tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == ["m.onnx"]


def damaged(kind: str, seed: int) -> bytes:
    """A model's file after an accident."""
    r = Random(f"{kind} {seed}")
    content = bytearray(rich().SerializeToString())
    if kind == "truncated":
        return bytes(content[: r.randrange(len(content))])
    if kind == "random":
        return r.randbytes(r.randrange(1, 400))
    for _ in range(r.choice([1, 1, 2, 8])):
        content[r.randrange(len(content))] ^= 1 << r.randrange(8)
    return bytes(content)


def rich() -> onnx.ModelProto:
    """Something of everything that a file can hold."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "i"], ["n"], axis=0),
        helper.make_node("Concat", ["n", "i", "minus"], ["t"], axis=0),
        helper.make_node("Reshape", ["x", "t"], ["r"]),
        helper.make_node("Conv", ["x4", "w"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Slice", ["x", "i", "one", "i"], ["l"]),
        helper.make_node("Split", ["x"], ["a", "b"], axis=1, num_outputs=2),
    ]
    constants = {"i": [0], "minus": [-1], "one": [1]}
    shapes: dict[str, list[int | str | None]] = {"x": ["n", 4], "x4": ["n", 3, "h", "w"], "w": [8, 3, 3, 3]}
    return model(nodes, shapes, ["r", "c", "l", "a"], constants)


@pytest.mark.parametrize("kind", ["truncated", "random", "flipped"])
def test_damaged_files_are_refused_or_analysed(kind: str, full: bool) -> None:
    for seed in range(2000 if full else 120):
        answer = answered(damaged(kind, seed), f"{kind}, seed {seed}")
        assert isinstance(answer, Report) or "\n" not in str(answer), f"{kind}, seed {seed}"


def answered(content: object, about: str = "") -> Report | ShapesmtError:
    """The report, or the mistake that it is said to be; anything else is ours."""
    try:
        return shapesmt.check(content, timeout=TIMEOUT)  # type: ignore[arg-type]
    except ShapesmtError as error:
        return error
    except Exception as error:
        raise AssertionError(f"{about}: {type(error).__name__}: {error}") from error


def cyclic() -> onnx.ModelProto:
    nodes = [helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Relu", ["a"], ["b"])]
    return model(nodes, {"x": ["n"]}, ["b"])


def undefined() -> onnx.ModelProto:
    return model([helper.make_node("Relu", ["nowhere"], ["y"])], {"x": ["n"]}, ["y"])


def twice() -> onnx.ModelProto:
    return model([helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Abs", ["x"], ["y"])], {"x": ["n"]}, ["y"])


@pytest.mark.parametrize(("build", "message"), [(cyclic, "cycl"), (undefined, "nowhere"), (twice, "'y'")])
def test_impossible_models_are_named(
    build: Callable[[], onnx.ModelProto], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "impossible.onnx"
    path.write_bytes(build().SerializeToString())
    status, out, err = run(capsys, "check", path)
    assert_refused(status, out, err)
    assert message in err


def test_a_negative_size_is_no_size() -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], {"x": [-3]}, ["y"])
    answer = answered(proto)
    assert "-3" in str(answer) if isinstance(answer, ShapesmtError) else answer.symbols["x_dim0"].min >= 0


def absurd(size: int) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Flatten", ["x"], ["f"], axis=0),
        helper.make_node("MatMul", ["x", "x"], ["p"]),
        helper.make_node("Shape", ["f"], ["s"]),
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("Tile", ["x", "s"], ["t"]),
    ]
    return model(nodes, {"x": [size, size]}, ["p", "c", "t"])


@pytest.mark.parametrize("size", [0, 2**31, 2**62, 2**63 - 1])
def test_absurd_sizes_are_answered(size: int) -> None:
    assert shapesmt.check(absurd(size)).findings is not None
    assert shapesmt.bounds(absurd(size)).to_dict()


@pytest.mark.parametrize("op", ["NonZero", "Transpose", "Identity", "Cast", "Flatten"])
def test_empty_tensors_may_be_too_long_for_an_array(op: str) -> None:
    node = helper.make_node(op, ["z"], ["y"], **({"to": TensorProto.INT64} if op == "Cast" else {}))
    proto = model([helper.make_node("ConstantOfShape", ["k"], ["z"]), node], {}, ["y"], {"k": [0, 2**62, 2**63 - 1]})
    assert shapesmt.check(proto).verdict is Verdict.PROVED


def test_the_rows_of_empty_tensors_are_too_many_to_go_along() -> None:
    gather = helper.make_node("Gather", ["z", "i"], ["y"], axis=1)
    fill = helper.make_node("ConstantOfShape", ["k"], ["z"])
    proto = model([fill, gather], {"x": ["n"]}, ["y"], {"k": [2**50, 1, 0], "i": [0]})
    assert shapesmt.check(proto).verdict is Verdict.PROVED


def huge_literal() -> onnx.ModelProto:
    """An initializer that says it has more elements than its file."""
    proto = model([helper.make_node("Reshape", ["x", "t"], ["y"])], {"x": ["n"]}, ["y"])
    proto.graph.initializer.append(TensorProto(name="t", data_type=TensorProto.INT64, dims=[2**40]))
    return proto


def test_a_literal_without_its_elements() -> None:
    answer = answered(huge_literal())
    assert isinstance(answer, Report) or "'t'" in str(answer)


def test_huge_constants_are_not_made() -> None:
    nodes = [
        helper.make_node("ConstantOfShape", ["big"], ["a"]),
        helper.make_node("Range", ["zero", "end", "one"], ["r"]),
        helper.make_node("Expand", ["a", "big"], ["e"]),
        helper.make_node("NonZero", ["e"], ["z"]),
    ]
    proto = model(nodes, {}, ["r", "z"], {"big": [2**20, 2**20], "zero": 0, "end": 2**40, "one": 1})
    found = shapesmt.bounds(proto).tensors["r"].shape
    assert found is not None
    assert found[0].min == 2**40


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dim", "hieght=3"], ["'hieght'"]),
        (["--dim", "n=8..2"], ["'n'", "8", "2"]),
        (["--dim", "n=one..2"], ["one..2"]),
        (["--dim", "n=1..8:0"], ["1..8:0"]),
        (["--dim", "n=-4..8"], ["-4"]),
        (["--dim", f"n={10**30}"], [str(2**63 - 1)]),
        (["--shape", "z=[1]"], ["'z'"]),
        (["--shape", "x=[1,2,3]"], ["'x'", "3", "2"]),
        (["--shape", "x=[1,"], ["'x'"]),
        (["--assume", "n =="], ["n =="]),
        (["--assume", "n"], ["n"]),
        (["--assume", "n == k"], ["'k'"]),
        (["--assume", "__import__('os')"], ["__import__"]),
        (["--assume", "(" * 5000 + "n" + ")" * 5000 + " == 1"], ["long"]),
        (["--assume", "n ** 9999999 == 1"], ["9999999"]),
        (["--assume", "n // 0 == 1"], ["0"]),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(
    options: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "add.onnxtxt"
    path.write_text(ADD)
    status, out, err = run(capsys, "check", path, *options)
    assert_refused(status, out, err)
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    "options",
    [
        ["--assume", "n > m", "--assume", "m > n"],
        ["--assume", "n == m + 1", "--assume", "n == m"],
        ["--assume", "n == n + 1"],
        ["--assume", "False"],
        ["--assume", "n == 2*n"],
        ["--dim", "n=1..4", "--assume", "n >= 5"],
        ["--dim", "n=5..8", "--dim", "m=1..4", "--assume", "n == m"],
        ["--dim", "n=1..9:2", "--assume", "n % 2 == 0"],
        ["--assume", "n*n == 2"],
        ["--assume", "n % 4 == 1", "--assume", "n % 2 == 0"],
    ],
    ids=" ".join,
)
def test_contradictions_are_named(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "add.onnxtxt"
    path.write_text(ADD)
    for verb in ("check", "bounds", "explain"):
        status, out, err = run(capsys, verb, path, *options)
        assert_refused(status, out, err)
        assert "no admissible input" in err


def test_names_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\x1b]0;title\x07\u202e\n\r[bold]x[/bold]"
    node = helper.make_node("Add", ["x", evil], ["z"], name=evil)
    proto = model([node], {"x": [f"n{evil}"], evil: ["m"]}, ["z"])
    path = tmp_path / "evil.onnx"
    path.write_bytes(proto.SerializeToString())
    for arguments in (["check", path], ["explain", path], ["bounds", path], ["check", path, "--dim", f"{evil}=3"]):
        status, out, err = run(capsys, *arguments)
        assert status in (0, 1, 2, 3), err
        for character in ("\x1b", "\x07", "\r", "\u202e"):
            assert character not in out + err
    status, out, _ = run(capsys, "check", path, "--format", "json")
    assert "\x1b" not in out
