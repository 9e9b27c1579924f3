"""A timeout limits the whole answer, of every command, also where inference, texts or regions are what takes long."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from math import inf, nan
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import shapesmt
from shapesmt.analysis.verify.problem import pose
from shapesmt.analysis.verify.question import Question
from shapesmt.base.errors import OutOfTimeError, UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.operators.inference import infer
from shapesmt.operators.rules.statements import MAX_ADOPTED
from shapesmt.prover.algebra import Verdict
from shapesmt.prover.smt import process
from tests.support.hang import PATIENCE, processor_time
from tests.support.hard import HARD
from tests.support.hostile import model

TIMEOUT = 0.3


LATE = 2.0  # seconds of processor time that an answer may take beyond its timeout


OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("me", 1)]


Node = tuple[str, Sequence[str], Sequence[str]]


def nodes(*rows: Node, **domains: str) -> list[onnx.NodeProto]:
    return [helper.make_node(op, reads, writes, domain=domains.get(op, "")) for op, reads, writes in rows]


BODIES: dict[str, list[onnx.NodeProto]] = {
    "sums": [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.ones(3, "float32"))),
        helper.make_node("Add", ["x", "c"], ["y"]),
    ],
    "counts": nodes(("NonZero", ["x"], ["z"]), ("Shape", ["z"], ["s"]), ("Relu", ["x"], ["y"])),
    "reshapes": nodes(("Shape", ["x"], ["s"]), ("Reshape", ["x", "s"], ["y"])),
    "slices": [
        helper.make_node("Constant", [], ["zero"], value_ints=[0]),
        *nodes(("Shape", ["x"], ["s"]), ("Slice", ["x", "zero", "s"], ["y"])),
    ],
    "unknown": nodes(("Mystery", ["x"], ["y"]), Mystery="me"),
    "unknown ranks": [
        helper.make_node("Cast", ["x"], ["c"], to=7),
        *nodes(("Expand", ["x", "c"], ["e"]), ("Where", ["x", "e", "x"], ["z"]), ("Relu", ["x"], ["y"])),
    ],
}


def doubling(levels: int, body: list[onnx.NodeProto]) -> onnx.ModelProto:
    """A function that calls another one twice, which calls another one twice, ...: as many calls as 2^levels."""
    proto = model([helper.make_node(f"f{levels}", ["x"], ["y"], domain="me")], {"x": ["n", "m"]}, ["y"])
    proto.opset_import.append(OPSETS[1])
    proto.functions.append(helper.make_function("me", "f0", ["x"], ["y"], body, OPSETS))
    for level in range(levels):
        calls = [helper.make_node(f"f{level}", [a], [b], domain="me") for a, b in (("x", "a"), ("a", "y"))]
        proto.functions.append(helper.make_function("me", f"f{level + 1}", ["x"], ["y"], calls, OPSETS))
    return proto


STEPS: dict[str, Callable[[int], list[onnx.NodeProto]]] = {
    "Max(v, 2)*3//2": lambda k: nodes(
        ("Max", [f"v{k}", "two"], [f"a{k}"]),
        ("Mul", [f"a{k}", "three"], [f"b{k}"]),
        ("Div", [f"b{k}", "two"], [f"v{k + 1}"])
    ),
    "(v + 1)*v": lambda k: nodes(("Add", [f"v{k}", "one"], [f"a{k}"]), ("Mul", [f"a{k}", f"v{k}"], [f"v{k + 1}"])),
    "(v + 7)*v//7": lambda k: nodes(
        ("Add", [f"v{k}", "seven"], [f"a{k}"]),
        ("Mul", [f"a{k}", f"v{k}"], [f"b{k}"]),
        ("Div", [f"b{k}", "seven"], [f"v{k + 1}"]),
    ),
    "Max(v, m)*v//m": lambda k: nodes(
        ("Max", [f"v{k}", "w"], [f"a{k}"]),
        ("Mul", [f"a{k}", f"v{k}"], [f"b{k}"]),
        ("Div", [f"b{k}", "w"], [f"v{k + 1}"])
    ),
    "v//2 if v > 7 else 3*v": lambda k: nodes(
        ("Greater", [f"v{k}", "seven"], [f"g{k}"]),
        ("Mul", [f"v{k}", "three"], [f"b{k}"]),
        ("Div", [f"v{k}", "two"], [f"c{k}"]),
        ("Where", [f"g{k}", f"c{k}", f"b{k}"], [f"v{k + 1}"]),
    ),
    "v + 3*v % 7": lambda k: nodes(
        ("Mul", [f"v{k}", "three"], [f"b{k}"]),
        ("Mod", [f"b{k}", "seven"], [f"a{k}"]),
        ("Add", [f"a{k}", f"v{k}"], [f"v{k + 1}"])
    ),
}  # fmt: skip


def chain(step: str, times: int) -> onnx.ModelProto:
    """A size put through the same formula again and again, then used as a shape."""
    begin = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["v0"], axis=0),
        helper.make_node("Gather", ["s", "one"], ["w"], axis=0),
    ]
    end = [
        helper.make_node("Concat", [f"v{times}", "minus"], ["t"], axis=0),
        helper.make_node("Reshape", ["x", "t"], ["y"]),
    ]
    middle = [node for k in range(times) for node in STEPS[step](k)]
    constants = {"zero": [0], "one": [1], "two": [2], "three": [3], "seven": [7], "minus": [-1]}
    return model([*begin, *middle, *end], {"x": ["n", "m"]}, ["y"], dict(constants))


def ranks(count: int) -> onnx.ModelProto:
    """Joins of tensors that an unknown operator makes, of which not even the rank is known."""
    rows: list[Node] = [("Mystery", ["x"], ["v0"])]
    rows += [("Add", [f"v{k}", f"v{max(0, k - 2)}"], [f"v{k + 1}"]) for k in range(count)]
    proto = model(nodes(*rows, Mystery="me"), {"x": ["n", "m", "k"]}, [f"v{count}"])
    proto.opset_import.append(OPSETS[1])
    return proto


SLOW: dict[str, Callable[[], onnx.ModelProto]] = {
    **{f"doubling {name}": lambda body=body: doubling(25, body) for name, body in BODIES.items()},
    **{f"20 times {step}": lambda step=step: chain(step, 20) for step in STEPS},
    "40 times (v + 1)*v": lambda: chain("(v + 1)*v", 40),
    "unknown ranks": lambda: ranks(60),
}


ASK: dict[str, Callable[[onnx.ModelProto, Path], object]] = {
    "check": lambda m, _: shapesmt.check(m, timeout=TIMEOUT),
    "explain": lambda m, _: shapesmt.explain(m, timeout=TIMEOUT),
    "explain y": lambda m, _: shapesmt.explain(m, m.graph.output[0].name, timeout=TIMEOUT),
    "bounds": lambda m, _: shapesmt.bounds(m, timeout=TIMEOUT),
    "tighten": lambda m, folder: shapesmt.tighten(
        m, folder / "out.onnx", declared="ignore", valid_only=True, timeout=TIMEOUT
    ),
    "repro": lambda m, _: shapesmt.repro(m, timeout=TIMEOUT),
    "simplify": lambda m, folder: shapesmt.simplify(m, folder / "small.onnx", timeout=TIMEOUT),
    "encode": lambda m, _: shapesmt.encode(m, timeout=TIMEOUT),
    "page": lambda m, _: shapesmt.page(m, timeout=TIMEOUT),
}


@pytest.mark.parametrize("name", SLOW)
def test_no_answer_is_late(name: str, tmp_path: Path, full: bool) -> None:
    proto = SLOW[name]()
    turn = [*SLOW].index(name)
    for verb, ask in [*ASK.items()] if full else [[*ASK.items()][k % len(ASK)] for k in (turn, turn + 3)]:
        shapesmt.forget()
        began = processor_time()
        try:
            answer = ask(proto, tmp_path)
        except OutOfTimeError:
            assert verb in ("encode", "repro")
        else:
            assert not isinstance(answer, shapesmt.Report) or str(answer.to_dict())
        assert processor_time() - began < TIMEOUT + LATE, verb


def test_what_is_left_out_is_said() -> None:
    report = shapesmt.check(doubling(25, BODIES["unknown"]), timeout=TIMEOUT)
    assert report.verdict is Verdict.UNKNOWN
    assert [(f.kind, f.code, f.index) for f in report.findings] == [("timeout", "SM604", 0)]


def test_what_is_left_out_is_said_once() -> None:
    proto = chain("(v + 1)*v", 3)
    shapesmt.forget()
    report = shapesmt.check(proto, timeout=1e-9)
    late = [f for f in report.findings if f.kind == "timeout"]
    assert [(f.verdict, f.note) for f in late] == [
        (Verdict.UNKNOWN, f"and so are {len(proto.graph.node) - 1} later nodes")
    ]
    assert report.precondition is not None
    assert not report.precondition.exact


def test_nothing_wrong_is_remembered_of_a_stop() -> None:
    proto = chain("v + 3*v % 7", 4)
    in_time = shapesmt.check(proto).to_dict()
    shapesmt.forget()
    for timeout in (1e-9, 0.001, 0.003, 0.01, 0.03):
        shapesmt.check(proto, timeout=timeout)
        shapesmt.bounds(proto, timeout=timeout)
    again = shapesmt.check(proto).to_dict()
    assert {k: v for k, v in again.items() if k != "seconds"} == {k: v for k, v in in_time.items() if k != "seconds"}


def test_functions_that_only_repeat_are_inferred_once() -> None:
    assert shapesmt.check(doubling(25, BODIES["reshapes"]), timeout=60).verdict is Verdict.PROVED


def test_nodes_that_only_repeat_are_listed_once() -> None:
    inference = infer(
        graph := shapesmt.load_graph(doubling(25, BODIES["unknown ranks"])), pose(graph, Question()).inputs
    )
    assert 0 < len(inference.applications[0].unjudged) < 2 * MAX_ADOPTED


def test_a_missing_attribute_under_a_short_timeout_is_answered() -> None:
    text = """<ir_version: 8, opset_import: ["":18]> g (float[n, m] x) => (float[a, b] y)
        { z = NonZero(x) c = Concat(z, z) s = Shape(c) y = Expand(x, s) }"""
    for timeout in (1e-9, 0.001, 0.01, 1):
        assert shapesmt.check(text.encode(), timeout=timeout).findings


@pytest.mark.parametrize("timeout", [nan, -1, -inf])
def test_no_time_at_all_is_a_mistake(timeout: float) -> None:
    text = b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Abs(x) }'
    for ask in (shapesmt.check, shapesmt.bounds, shapesmt.explain, shapesmt.encode):
        with pytest.raises(UsageError, match="a timeout is a number of seconds"):
            ask(text, timeout=timeout)  # type: ignore[operator]


def test_a_timeout_may_be_endless() -> None:
    text = b'<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[m] y) => (z) { z = Add(x, y) }'
    for timeout in (inf, 1e300, 10**400):
        assert shapesmt.check(text, timeout=timeout).verdict is Verdict.DEPENDS


@pytest.mark.parametrize("timeout", ["nan", "0", "-3", "-inf", "soon"])
def test_the_command_line_refuses_in_one_line(timeout: str) -> None:
    for verb in ("check", "encode"):
        command = [sys.executable, "-m", "shapesmt", verb, "-", "--timeout", timeout]
        ran = subprocess.run(command, input="", capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
        assert "--timeout" in ran.stderr


@pytest.mark.parametrize("timeout", ["1e-9", "0.02", "0.2", "0.5"])
def test_a_process_that_has_no_time_to_import_rules_has_an_answer(timeout: str, tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["":18]> g (float[1,3,n,m] x) => (y) {
        e = Constant<value = float[0] {}>()
        k = Constant<value = float[4] {1.0, 1.0, 0.3, 1.9}>()
        y = Resize(x, e, k)
    }"""
    (tmp_path / "m.onnx").write_text(text)
    for verb in ("check", "memory", "encode"):
        command = [sys.executable, "-m", "shapesmt", verb, "m.onnx", "--timeout", timeout]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert ran.returncode in (0, 3)
        assert "Traceback" not in ran.stderr


def test_numbers_that_double_their_length_end_the_computation() -> None:
    """`(v + 1)*v` is applied 40 times: for v = 2 the result would have about 10**12 digits."""
    steps = " ".join(f"a{i} = Add(v{i}, one) v{i + 1} = Mul(a{i}, v{i})" for i in range(40))
    model = f"""<ir_version: 8, opset_import: ["": 18]> g (float[n] x) => (y)
        <int64[1] one = {{1}}, float[1] z = {{0.0}}> {{ v0 = Shape(x) {steps} y = Expand(z, v40) }}"""
    assert not shapesmt.bounds(model.encode(), timeout=2).tensors["y"].shape[0].exact


VERBS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("check", "bounds"), ("--format", "json")),
    **dict.fromkeys(("memory", "explain", "repro", "encode", "inspect"), ()),
    **dict.fromkeys(("simplify", "tighten"), ("-o", "out.onnx", "--valid-only")),
    "profile": ("--for", "json"),
    "check --html": ("--html", "out.html"),
}


def overrun(words: list[str], timeout: float) -> tuple[int, float]:
    """The exit status of a command in a process of its own, and by how many seconds of processor time it is late.

    What it says is in the files `out` and `err`.
    """
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(timeout) + PATIENCE)
        for name, stream in (("out", 1), ("err", 2)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        status = 9
        try:
            status = main(words)
            sys.stdout.flush()
        except BaseException:  # none may leave `main`
            traceback.print_exc(file=sys.stderr)
            sys.stderr.flush()
        finally:
            process._CHILD.stop()
            os._exit(status)
    _, ended, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(ended), used.ru_utime + used.ru_stime - timeout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_no_command_is_late(
    full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = [(name, verb) for name in HARD for verb in VERBS]
    if not full:
        pairs = random.Random(request.config.getoption("--seed")).sample(pairs, 12)
    for name, verb in pairs:
        Path("hard.onnx").write_bytes(onnx.parser.parse_model(HARD[name]).SerializeToString())
        for timeout in (1, 3, 10) if full else (1,):
            words = [verb.split()[0], "hard.onnx", "--timeout", str(timeout), *VERBS[verb]]
            status, late = overrun(words, timeout)
            said, wrong = Path("out").read_text(), Path("err").read_text()
            assert late < LATE, (name, verb, timeout)
            assert status in range(4), (name, verb, timeout, wrong)
            assert "Traceback" not in said + wrong, (name, verb, timeout)
            assert verb != "check" or status != 3 or "UNKNOWN" in said, (name, timeout)
