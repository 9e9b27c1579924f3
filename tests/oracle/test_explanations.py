"""Every explanation stands alone: its facts, read back from their text, can't all hold, and none can be left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.frontends import load
from shapesmt.network.declarations.expressions import parse_formula
from shapesmt.prover.algebra import Evaluator, Formula, Verdict
from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.formula import negate
from shapesmt.prover.smt.solver import check
from shapesmt.reports.answers import Explanation
from shapesmt.reports.answers.finding import SymbolRange
from tests.oracle.test_execution import posed

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = sorted(EXAMPLES.rglob("*.onnx"))


def symbols(ranges: Mapping[str, SymbolRange]) -> dict[str, Dim]:
    """Each symbol without its range: where that matters, it has to be among the facts."""
    return {n: symbol(n, min(r.min, 1)) for n, r in ranges.items()}


def impossible(conditions: list[Formula]) -> bool:
    """Whether the conditions can't hold together: at no small sizes, where Z3 doesn't know."""
    verdict = check(conditions).verdict
    symbols = sorted({s for f in conditions for s in f.symbols}, key=str)
    grid = product(range(-1, 1000 if len(symbols) < 2 else 40), repeat=len(symbols))
    if verdict != "unknown" or len(symbols) > 2:
        return verdict == "unsat"
    return not any(all(map(Evaluator(dict(zip(symbols, values, strict=True))).formula, conditions)) for values in grid)


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


def unproved(explanation: Explanation) -> Iterator[str]:
    """What is wrong with the proofs of a node that runs."""
    names = symbols(explanation.symbols)
    for proof in explanation.proofs:
        about = f"{explanation.model} at {explanation.target}: {proof.condition}"
        try:
            claim, facts = (
                parse_formula(proof.condition, names),
                [parse_formula(f.expr, names) for f in proof.facts],
            )
        except UsageError:  # it is about a size that data decides
            continue
        if not impossible([*facts, negate(claim)]):
            yield f"{about} doesn't follow from {[f.expr for f in proof.facts]}"
        for left_out in range(len(facts)):
            rest = facts[:left_out] + facts[left_out + 1 :]
            if check([*rest, negate(claim)]).verdict == "unsat":
                yield f"{about} follows even without {proof.facts[left_out].expr}"


def explained(model: object, dims: Mapping[str, str], assume: list[str]) -> Iterator[Explanation]:
    """One explanation per finding."""
    for finding in shapesmt.check(model, dims=dims, assume=assume, session="file").findings:  # type: ignore[arg-type]
        if finding.kind == "requirement":
            yield shapesmt.explain(model, finding.node, dims=dims, assume=assume)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_examples(path: Path) -> None:
    explanations = list(explained(path, {}, []))
    assert [flaw for e in explanations for flaw in flaws(e)] == []


def proved(model: object, dims: Mapping[str, str], assume: list[str]) -> Iterator[Explanation]:
    """One explanation per node, under the remedy that `check` finds, with which every one has to be proved."""
    remedy = shapesmt.check(model, dims=dims, assume=assume, session="file").remedy  # type: ignore[arg-type]
    if remedy is not None:
        dims, assume = {**dims, **remedy.dims}, [*assume, *remedy.assume]
    for node in load(model).nodes:  # type: ignore[arg-type]
        yield shapesmt.explain(model, node.name, dims=dims, assume=assume)  # type: ignore[arg-type]


FREE = ("padded", "attention")  # proved whatever the input
UNPROVED = ("heads", "fold")  # one never runs, one has an operator whose rule is in the story


@pytest.mark.parametrize("path", [p for p in MODELS if p.stem not in UNPROVED], ids=lambda p: p.stem)
def test_proofs_of_the_examples(path: Path) -> None:
    explanations = [*proved(path, {}, [])]
    assert {e.verdict for e in explanations} == {Verdict.PROVED}
    assert [flaw for e in explanations for flaw in unproved(e)] == []
    assert any(p.facts for e in explanations for p in e.proofs) or path.stem in FREE


def test_proofs_of_random_graphs(seeds: range) -> None:
    wrong, seen = [], 0
    for seed in seeds:
        case, dims, assume = posed(seed)
        try:
            for explanation in proved(case.model, dims, assume):
                seen += sum(bool(proof.facts) for proof in explanation.proofs)
                wrong += [f"seed {seed}: {flaw} (dims={dims}, assume={assume})" for flaw in unproved(explanation)]
        except UsageError as error:
            assert "no admissible input" in str(error), f"seed {seed}"  # noqa: PT017 - a random assumption
    assert not wrong, "\n".join(wrong[:10])
    assert seen >= len(seeds) // 4


def test_proofs_that_the_solver_alone_does_not_find() -> None:
    n = {"n": symbol("n", 1)}
    odd, square = parse_formula("n % 2 == 1", n), parse_formula("(4*n + n*n) % 8 == 5", n)
    assert impossible([odd, negate(square)])
    assert not impossible([negate(square)])
    assert not impossible([odd, square])


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
