"""Complete systems as text."""

from __future__ import annotations

import re

from shapesmt.frontends import load
from tests.oracle.solvers import z3_verdict
from tests.support.systems import SKIP, model, system


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


def test_nodes_without_a_rule_are_listed() -> None:
    graph = load(b'<ir_version: 8, opset_import: ["":18, "odd":1]> g (float[n] x) => (y) { y = odd.Thing (x) }')
    assert system(graph).unsupported == ("Thing_0",)


def test_a_deep_model_needs_no_deep_stack() -> None:
    steps = ["t0 = Relu (x)", *(f"t{i} = Concat <axis: int = 0> (t{i - 1}, x)" for i in range(1, 3000))]
    encoding = system(model(" ".join(steps), "float[n, 2] x", "t2999"))
    assert z3_verdict(encoding.text) == "unsat"
