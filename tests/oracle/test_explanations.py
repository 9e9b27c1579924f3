"""Every explanation stands alone: its facts, read back from their text, can't all hold, and none can be left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path

import pytest

import shapesmt
from shapesmt.dim import Dim, symbol
from shapesmt.errors import UsageError
from shapesmt.expressions import parse_formula
from shapesmt.report import Explanation, SymbolRange, Verdict
from shapesmt.solve.solver import check
from tests.oracle.test_execution import posed

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = sorted(EXAMPLES.rglob("*.onnx"))


def symbols(ranges: Mapping[str, SymbolRange]) -> dict[str, Dim]:
    return {n: symbol(n, r.min, inf if r.max is None else r.max, step=r.step) for n, r in ranges.items()}


def flaws(explanation: Explanation) -> Iterator[str]:
    """What is wrong with the facts of an explanation."""
    about = f"{explanation.model} at {explanation.target}"
    failing = [f for f in explanation.findings if f.kind == "requirement" and f.verdict is not Verdict.UNKNOWN]
    if not failing:
        return
    names = symbols(explanation.symbols)
    facts = [parse_formula(fact.expr, names) for fact in explanation.facts]
    shown = [fact.expr for fact in explanation.facts]
    if not any(fact.kind == "requirement" for fact in explanation.facts):
        yield f"{about}: no requirement among {shown}"
    if check(facts).verdict != "unsat":
        yield f"{about}: {shown} can all hold"
    for left_out in range(len(facts)):
        rest = facts[:left_out] + facts[left_out + 1 :]
        if check(rest).verdict != "sat":
            yield f"{about}: {shown} can't all hold even without {shown[left_out]}"


def explained(model: object, dims: Mapping[str, str], assume: list[str]) -> Iterator[Explanation]:
    """One explanation per finding."""
    for finding in shapesmt.check(model, dims=dims, assume=assume).findings:  # type: ignore[arg-type]
        if finding.kind == "requirement":
            yield shapesmt.explain(model, finding.node, dims=dims, assume=assume)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_examples(path: Path) -> None:
    explanations = list(explained(path, {}, []))
    assert [flaw for e in explanations for flaw in flaws(e)] == []


def test_random_graphs(seeds: range) -> None:
    wrong, seen = [], 0
    for seed in seeds:
        case, dims, assume = posed(seed)
        try:
            for explanation in explained(case.model, dims, assume):
                seen += 1
                wrong += [f"seed {seed}: {flaw} (dims={dims}, assume={assume})" for flaw in flaws(explanation)]
        except UsageError as error:
            assert "no admissible input" in str(error), f"seed {seed}"  # noqa: PT017 - a random assumption
    assert not wrong, "\n".join(wrong[:10])
    assert seen >= len(seeds) // 4
