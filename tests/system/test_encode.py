"""Complete systems of known models, decided and read."""

from __future__ import annotations

import re
from math import inf

import pytest

from shapesmt.deadline import Deadline
from shapesmt.examine import Question
from shapesmt.examine.problem import pose
from shapesmt.frontends import load
from shapesmt.graph.graph import Graph
from shapesmt.system.certify import certify, first_failing
from shapesmt.system.encode import Encoding, encode
from tests.oracle.solvers import cvc5_verdict, z3_verdict


def model(body: str, inputs: str = "float[n, 3, h, w] x", outputs: str = "y") -> Graph:
    text = f'<ir_version: 8, opset_import: ["":18]> g ({inputs}) => ({outputs}) {{ {body} }}'
    return load(text.encode())


def system(graph: Graph, dims: dict[str, str] | None = None, assume: list[str] | None = None) -> Encoding:
    problem = pose(graph, Question(dims, assume=assume))
    return encode(problem.graph, problem.inputs, problem.domain.facts)


SKIP = model(
    """down = MaxPool <kernel_shape: ints = [2, 2], strides: ints = [2, 2]> (x)
    scales = Constant <value_floats: floats = [1.0, 1.0, 2.0, 2.0]> ()
    up = Resize <mode: string = "nearest"> (down, , scales)
    y = Concat <axis: int = 1> (up, x)"""
)
MERGE = model("shape = Constant <value_ints: ints = [-1, 32]> () y = Reshape (x, shape)", "float[n, s] x")
POSITIONS = model(
    """shape = Shape (ids)
    one = Constant <value_ints: ints = [1]> ()
    length = Gather <axis: int = 0> (shape, one)
    zero = Constant <value_ints: ints = [0]> ()
    rows = Slice (table, zero, length, zero)
    y = Add (hidden, rows)""",
    "int64[b, s] ids, float[512, 16] table, float[b, s, 16] hidden",
)


@pytest.mark.parametrize(
    ("graph", "dims", "assume", "verdict", "law"),
    [
        (SKIP, {"h": "2..64", "w": "2..64:2"}, [], "REFUTED", "joined tensors match off the join axis"),
        (SKIP, {"h": "2..64:2", "w": "2..64:2"}, [], "PROVED", ""),
        (SKIP, {"h": "2..4000", "w": "2..64:2"}, ["h % 2 == 0"], "PROVED", ""),
        (MERGE, {}, [], "REFUTED", "number of elements"),
        (MERGE, {}, ["s % 32 == 0"], "PROVED", ""),
        (MERGE, {}, ["s % 32 == 0 or n % 8 == 0"], "REFUTED", "number of elements"),
        (POSITIONS, {"s": "1..513"}, [], "REFUTED", "broadcast sizes are equal or 1"),
        (POSITIONS, {"s": "1..512"}, [], "PROVED", ""),
    ],
)
def test_a_model_is_decided_as_a_whole(
    graph: Graph, dims: dict[str, str], assume: list[str], verdict: str, law: str
) -> None:
    encoding = system(graph, dims, assume)
    certificate = certify(encoding, Deadline(20))
    assert certificate.verdict == verdict
    assert cvc5_verdict(encoding.text) == {"PROVED": "unsat", "REFUTED": "sat"}[verdict]
    if certificate.failing is not None:
        assert re.search(law, certificate.failing.law)
        assert first_failing(encoding, certificate.values) is certificate.failing
        for atom, value in certificate.values.items():
            assert atom.lo <= value <= (atom.hi if atom.hi < inf else value)


def test_every_size_is_a_variable_and_every_requirement_has_a_name() -> None:
    text = system(SKIP, {"h": "2..64", "w": "2..64"}).text
    for line in (
        "(declare-const |h| Int)",
        "(assert (<= 2 |h| 64))",
        "; node MaxPool_0",
        "(define-fun |down[2]| () Int (div |h| 2))",
        "; node Concat_3",
        "(check-sat)",
        "(get-value (|n| |h| |w|))",
    ):
        assert line in text.splitlines()
    assert "(define-fun |Concat_3: joined tensors match off the join axis #" in text
    assert re.search(r"\(define-fun \|up\[2\]\| \(\) Int .*\|down\[2\]\|", text)
    assert re.search(r"#\d+\| \(\) Bool .*\|up\[2\]\|", text)


def test_listed_elements_are_variables_too() -> None:
    graph = model(
        "s = Shape (x) two = Constant <value_ints: ints = [2]> () d = Div (s, two) y = Expand (x, d)", "float[n, m] x"
    )
    text = system(graph).text
    assert "(define-fun |s{0}| () Int |n|)" in text
    assert "(define-fun |d{1}| () Int (div |s{1}| 2))" in text


def test_a_model_that_cannot_fail_has_nothing_to_satisfy() -> None:
    encoding = system(model("y = Relu (x)"))
    assert encoding.text.rstrip().endswith("(assert false)\n(check-sat)\n(get-value (|n| |h| |w|))")
    assert certify(encoding).verdict == "PROVED"


def test_what_data_decides_is_bounded_only_where_its_node_runs() -> None:
    graph = model(
        """pooled = MaxPool <kernel_shape: ints = [3]> (x)
        found = NonZero (pooled)
        y = Add (pooled, x)""",
        "float[1, 1, w] x",
    )
    encoding = system(graph, {"w": "1..2"})
    certificate = certify(encoding)
    assert certificate.verdict == "REFUTED"
    assert certificate.failing is not None
    assert certificate.failing.node == "MaxPool_0"


def test_nodes_without_a_rule_are_listed() -> None:
    graph = load(b'<ir_version: 8, opset_import: ["":18, "odd":1]> g (float[n] x) => (y) { y = odd.Thing (x) }')
    assert system(graph).unsupported == ("Thing_0",)


def test_a_deep_model_needs_no_deep_stack() -> None:
    steps = ["t0 = Relu (x)", *(f"t{i} = Concat <axis: int = 0> (t{i - 1}, x)" for i in range(1, 3000))]
    encoding = system(model(" ".join(steps), "float[n, 2] x", "t2999"))
    assert z3_verdict(encoding.text) == "unsat"


def test_a_passed_deadline_decides_nothing() -> None:
    assert certify(system(MERGE), Deadline(0)).verdict == "UNKNOWN"
