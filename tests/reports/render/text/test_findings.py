"""Findings in words: nodes without a rule say so, and shapes of inputs are named together."""

import dataclasses

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Cause, Clash, Counterexample, Finding, FindingKind, Operand, Side
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


def test_a_size_whose_formula_is_long_is_told_by_its_value_and_its_node():
    """The JSON has the formula; a shape without room for its sizes has still as many axes."""
    long = " + ".join(["(height + 31)//32"] * 8)
    cause, side = Cause("/pool", "p", 2, long, 7, "Pool"), Side(long, 7, "p", 2)
    read = Operand(0, "p", "float32", ("batch", long, long, "64"), "/pool", "Pool")
    finding = dataclasses.replace(CONCAT, because=(cause,), clash=Clash(side, side), operands=(read,))
    rows = [str(row).strip() for row in finding_lines(finding)]
    assert rows.count("p[2] = a formula of 157 characters = 7") == 2
    assert {"0  p  [batch, ..., ..., 64]  /pool", "p[2] = a formula of 157 characters = 7  /pool"} <= {*rows}
    assert finding.to_dict()["because"][0]["expr"] == long


def test_tensors_that_are_named_after_their_nodes_are_told_apart():
    rows = [Cause(f"/net/{node}", f"/net/{node}_output_0", 2, expr="n") for node in ("up/Conv", "down/Conv")]
    assert [str(row).split(" = ")[0].strip() for row in causes(rows)] == [".../up/Conv[2]", ".../down/Conv[2]"]
    assert [str(row).split(" = ")[0].strip() for row in causes(rows[:1])] == ["output[2]"]
