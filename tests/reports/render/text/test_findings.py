"""Findings in words: nodes without a rule say so, and shapes of inputs are named together."""

import dataclasses

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Cause, Counterexample, Finding, FindingKind
from shapesmt.reports.render.text.findings import assignment, causes, finding_head, finding_lines
from tests.support.reports import CONCAT

KIND = FindingKind.UNSUPPORTED
MISSING = Finding(Verdict.UNKNOWN, KIND, "n0", "A", 0, "a rule", "")


def test_a_node_without_a_rule_says_so():
    _, text = finding_head(MISSING)
    assert str(text) == "  operator A has no rule, so its outputs are unknown"


def test_a_symbol_with_one_value_is_not_mentioned():
    example = Counterexample({"n": 3, "m": 4}, {"x": (3, 4), "y": (3, 4)}, relevant=("n",))
    assert assignment(example) == "n=3, any m (x and y 3x4)"


def test_a_formula_that_is_its_value_is_not_repeated():
    rows = [str(row) for row in finding_lines(dataclasses.replace(CONCAT, because=()))]
    assert not [row for row in rows if " = 1 = 1" in row]


def test_tensors_that_are_named_after_their_nodes_are_told_apart():
    rows = [Cause(f"/net/{node}", f"/net/{node}_output_0", 2, expr="n") for node in ("up/Conv", "down/Conv")]
    assert [str(row).split(" = ")[0].strip() for row in causes(rows)] == [".../up/Conv[2]", ".../down/Conv[2]"]
    assert [str(row).split(" = ")[0].strip() for row in causes(rows[:1])] == ["output[2]"]
