"""Answers about sizes without ends, or with far ones, held against running some of the sizes.

What holds for all of them is shown by what fails at one: a verdict, a condition, a counterexample, a formula, a remedy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report
from tests.oracle.chains import chain
from tests.oracle.compare import Truth, disagreements
from tests.oracle.graphs import Case, generate
from tests.oracle.runner import Execution, NoBlame, Run, Sizes, assignments, value

DEFAULT, FULL = 60, 2000
NEAR = 5  # values of each symbol that are run
SEEN = (777341, 777887, 778616)  # a limit that was left out where sizes have far ends, and a float beyond any integer
FAR = 300  # a counterexample that has a greater size isn't run
NODES = 5


def posed(seed: int) -> tuple[Case, dict[str, str], dict[str, range], list[str]]:
    """A model with the ranges of its symbols, those values that are run, and sometimes an assumption."""
    r = Random(f"endless {seed}")
    case = chain(seed) if r.random() < 0.6 else generate(seed, NODES)
    dims, near = {}, {}
    for name in case.ranges:
        low, step = r.randint(0, 4), r.choice([1, 1, 1, 2, 3, 4])
        end = r.choice(["", "", "", 10 ** r.randint(2, 9), 2**62, 2**63 - 1])
        dims[name] = f"{low}..{end}" + (f":{step}" if step > 1 else "")
        near[name] = range(low, low + NEAR * step, step)
    assume = []
    if dims and r.random() < 0.3:
        a, b, k = r.choice([*dims]), r.choice([*dims]), r.randint(1, 3)
        texts = [f"{a} <= {b}", f"{a} == {b} + {k}", f"{a} % 2 == 0", f"{a} == 2*{b}", f"{a}*{b} >= {k}", f"{a} == {k}"]
        assume = [r.choice([*texts, f"{a} % ({b} + 1) == 0", f"{a}//2 == {b}", f"{a} == {b} or {b} == {k}"])]
    return case, dims, near, assume


def wrong_in(seed: int, counts: Counter[str]) -> list[str]:
    """What is wrong in the answers about the model of this seed."""
    case, dims, near, assume = posed(seed)
    execution = Execution(case.model)
    sizes = [s for s in assignments(near) if all(value(text, s) for text in assume)]
    try:
        report = shapesmt.check(execution.model, dims=dims, assume=assume, session="file")
        runs = [(s, execution.run(s)) for s in (*sizes, *shown(report, {name: v[0] for name, v in near.items()}))]
    except NoBlame:
        counts["no blame"] += 1
        return []
    except shapesmt.UsageError as error:
        return [] if "no admissible input" in str(error) and not sizes else [f"raised {error}"]
    if any(f.kind == "data" for f in report.findings):
        counts["hinges on data"] += 1
        return []
    wrong = [*running(report, runs), *_remedy(execution, report, dims, assume)]
    if any(not run.failing for _, run in runs):  # elsewhere nodes behind a failing one aren't seen
        wrong += disagreements(Truth(execution.model, runs, whole=False), counts, dims, assume)
    return wrong


def shown(report: Report, rest: Sizes) -> Iterator[Sizes]:
    """The counterexamples with small sizes."""
    for finding in report.findings:
        if finding.counterexample is not None and finding.verdict in (Verdict.DEPENDS, Verdict.FAILS):
            sizes = {**rest, **{n: v for n, v in finding.counterexample.symbols.items() if n in rest}}
            if max(sizes.values(), default=0) <= FAR:
                yield sizes


def running(report: Report, runs: list[tuple[Sizes, Run]]) -> Iterator[str]:
    """What runs though it is said to fail for every input."""
    if report.verdict is Verdict.FAILS:
        yield from (f"FAILS, and runs at {sizes}" for sizes, run in runs if not run.failing)


def _remedy(execution: Execution, report: Report, dims: dict[str, str], assume: list[str]) -> Iterator[str]:
    """A remedy with which the model isn't proved."""
    if report.remedy is not None:
        within = {**dims, **report.remedy.dims}
        again = shapesmt.check(execution.model, dims=within, assume=[*assume, *report.remedy.assume], session="file")
        if again.verdict is not Verdict.PROVED:
            yield f"{again.verdict} with {report.remedy}"


def test_sizes_without_ends(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    seeds = [*SEEN, *range(first, first + (FULL if full else DEFAULT))]
    wrong = [f"seed {seed}: {text}" for seed in seeds for text in wrong_in(seed, counts)]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["DEPENDS"] >= len(seeds) // 10, counts
    assert counts["UNKNOWN"] <= len(seeds) // 4, counts
