"""Complete systems of random graphs: Z3, cvc5, plain enumeration and the pipeline say the same of each."""

from __future__ import annotations

from itertools import product

import pytest

import shapesmt
from shapesmt.analysis.encoding.certify import certify_system, first_failing
from shapesmt.analysis.encoding.encode import Encoding, encode_graph
from shapesmt.analysis.verify import Question
from shapesmt.analysis.verify.problem import pose
from shapesmt.base.deadline import Deadline
from shapesmt.frontends import load
from shapesmt.prover.algebra import Verdict
from tests.oracle.graphs import Case, generate
from tests.oracle.solvers import cvc5_verdict, z3_verdict

SECONDS = 30


def system(case: Case) -> Encoding:
    problem = pose(load(case.model), Question(case.ranges))
    return encode_graph(problem.graph, problem.inputs, problem.domain.facts)


def fails_somewhere(encoding: Encoding) -> bool:
    """Every assignment of the symbols tried by evaluation."""
    symbols = list(encoding.script.symbols)
    ranges = [range(int(s.lo), int(s.hi) + 1) for s in symbols]
    return any(first_failing(encoding, dict(zip(symbols, values, strict=True))) for values in product(*ranges))


def test_every_judge_agrees(seeds: range) -> None:
    undecided = 0
    for seed in seeds:
        case = generate(seed)
        encoding = system(case)
        if any(s.kind == "data" for s in encoding.script.symbols) or encoding.unsupported:
            continue
        truth = "sat" if fails_somewhere(encoding) else "unsat"
        said = [z3_verdict(encoding.text, SECONDS), cvc5_verdict(encoding.text, SECONDS)]
        said.append(
            {"PROVED": "unsat", "REFUTED": "sat"}.get(certify_system(encoding, Deadline(SECONDS)).verdict, "unknown")
        )
        verdict = shapesmt.check(case.model, dims=case.ranges).verdict
        said.append({Verdict.PROVED: "unsat", Verdict.UNKNOWN: "unknown"}.get(verdict, "sat"))
        assert set(said) <= {truth, "unknown"}, f"seed {seed}: {truth} by enumeration, {said} else"
        undecided += "unknown" in said
    assert undecided <= len(seeds) // 20


@pytest.mark.parametrize("seed", range(3))
def test_the_text_names_what_the_model_names(seed: int) -> None:
    case = generate(seed)
    text = system(case).text
    for node in case.model.graph.node:
        assert f"; node {node.name}\n" in text
    for symbol in case.ranges:
        assert f"(declare-const |{symbol}| Int)" in text
