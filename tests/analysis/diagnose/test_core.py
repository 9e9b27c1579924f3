"""Cores: the fewest facts from which a proof follows."""

from __future__ import annotations

from shapesmt.prover.algebra import Verdict
from tests.analysis.diagnose.test_explanation import TWICE, explained


def test_a_proof_names_the_ranges_it_rests_on() -> None:
    found = explained(TWICE, "join", dims={"height": "64..512:2", "width": "8..96:4"})
    assert (found.verdict, found.findings, found.facts) == (Verdict.PROVED, (), ())
    told = {p.condition: [(f.kind, f.expr, f.law) for f in p.facts] for p in found.proofs if p.facts}
    assert told == {
        "height % 2 == 0": [("range", "height % 2 == 0", "--dim")],
        "width % 2 == 0": [("range", "width % 4 == 0", "--dim")],
    }


def test_a_proof_names_assumptions_and_what_earlier_nodes_need() -> None:
    text = """(float[n, 3] x, float[m, 3] y, float[k, 3] z) => (c) {
        [first] a = Add (x, y)
        [second] b = Mul (x, y)
        [third] c = Sub (b, z)
    }"""
    ranges = {"n": "2..8", "m": "2..8", "k": "2..8"}
    (proof,) = [p for p in explained(text, "second", dims=ranges).proofs if p.facts]
    assert ("requirement", "first") in {(f.kind, f.node) for f in proof.facts}
    found = explained(text, "third", dims=ranges, assume=["k == n", "m == n"])
    kinds = {f.kind for p in found.proofs for f in p.facts}
    assert found.verdict is Verdict.PROVED
    assert kinds == {"assumption"}


def test_what_holds_whatever_the_input_needs_no_facts() -> None:
    proofs = explained(TWICE, "up").proofs
    assert {(p.condition, p.proved_by, p.facts) for p in proofs} == {("True", "normal form", ())}
