"""Random graphs in which elements of small inputs decide, held against running them at every value and every size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import DimBounds
from tests.oracle.choosing import Choice, choose
from tests.oracle.compare import Truth, disagreements
from tests.oracle.runner import Execution, NoBlame, Run, assignments, plain, value

DEFAULT, FULL = 20, 1000
LIMIT = 4.0  # seconds that an answer about unbounded numbers may take


def runs_of(case: Choice, execution: Execution) -> list[tuple[dict[str, int], Run]]:
    ranges = {name: range(lo, hi + 1) for name, (lo, hi) in {**case.ranges, **case.values}.items()}
    return [(sizes, execution.run(sizes)) for sizes in assignments(ranges)]


def declared(case: Choice, counts: Counter[str]) -> list[str]:
    """What is wrong where each element has a declared range."""
    execution = Execution(case.model, plain)
    runs = runs_of(case, execution)
    values = {name: f"{lo}..{hi}" for name, (lo, hi) in case.values.items()}
    return disagreements(Truth(execution.model, runs, values=values), counts, case.ranges)


def undeclared(case: Choice, counts: Counter[str]) -> list[str]:
    """What is wrong where nothing is said of the elements: the answer is about more than what is run."""
    execution = Execution(case.model, plain)
    runs = runs_of(case, execution)
    report = shapesmt.check(execution.model, dims=case.ranges, timeout=LIMIT, session="file")
    bounds = shapesmt.bounds(execution.model, dims=case.ranges, timeout=LIMIT, session="file")
    counts[f"undeclared {report.verdict}"] += 1
    tables = {one.node.partition("/")[0] for one in report.assumed}  # what they read is data
    judged = [(sizes, run) for sizes, run in runs if tables.isdisjoint(run.failing) and not run.odd]
    wrong = []
    if any(f.kind == "data" for f in report.findings):
        return []
    for sizes, run in judged:
        holds = all(value(text, sizes) for text in report.precondition.text)
        if report.verdict is Verdict.PROVED and run.failing:
            wrong.append(f"PROVED, and {run.failing} fails at {sizes}")
        if report.precondition.exact and holds == bool(run.failing):
            wrong.append(f"{report.precondition.text} is {holds} at {sizes}, where {run.failing or 'nothing'} fails")
        for name, shape in run.shapes.items() if not run.failing else ():
            found = bounds.tensors[name].shape if name in bounds.tensors else None
            if found is not None and not fits(shape, found):
                wrong.append(f"{name} is {shape} at {sizes}, not in {found}")
    return (wrong + list(_running(report, execution, case, counts, tables)))[:3]


def _running(
    report: shapesmt.Report, execution: Execution, case: Choice, counts: Counter[str], tables: set[str]
) -> Iterator[str]:
    """The counterexamples at which the node runs all the same."""
    left_out = {f.node for f in report.findings if f.verdict is not Verdict.DEPENDS}  # nothing is assumed of those
    left_out |= tables  # nor of those
    for f in report.findings:
        if f.counterexample is not None and f.verdict in (Verdict.DEPENDS, Verdict.FAILS):
            shown = f.counterexample.symbols
            if any(abs(v) > 64 for v in shown.values()):
                counts["far away"] += 1
                continue
            filled = {**{name: ends[0] for name, ends in case.values.items()}, **shown}
            failing = execution.run(filled).failing
            if f.node not in failing and left_out.isdisjoint(failing):
                yield f"{f.node} runs at {filled}, failing {failing}"


def by_data(case: Choice, counts: Counter[str]) -> list[str]:
    """What is wrong where data decides a branch as well: each graph is run on ones, and on what is below zero."""
    executions = [Execution(case.model, plain), Execution(case.model, below)]
    both = list(zip(*(runs_of(case, e) for e in executions), strict=True))
    values = {name: f"{lo}..{hi}" for name, (lo, hi) in case.values.items()}
    report = shapesmt.check(case.model, dims=case.ranges, values=values, timeout=LIMIT, session="file")
    bounds = shapesmt.bounds(case.model, dims=case.ranges, values=values, timeout=LIMIT, session="file")
    counts[f"by data {report.verdict}"] += 1
    wrong = []
    some = [sizes for pair in both for sizes, run in pair if not run.failing]
    every = [sizes for (sizes, a), (_, b) in both if not a.failing and not b.failing]
    if report.verdict is Verdict.FAILS and some:
        wrong.append(f"FAILS, and runs at {some[0]}")
    if report.verdict is Verdict.PROVED and len(every) < len(both):
        wrong.append("PROVED, and fails")
    if report.precondition.exact:
        told = [sizes for (sizes, _), _ in both if all(value(text, sizes) for text in report.precondition.text)]
        wrong += [f"{report.precondition.text} at {s}" for s in told if s not in every]
    for sizes, run in (one for pair in both for one in pair):
        for name, shape in run.shapes.items() if not run.failing and not run.odd else ():
            found = bounds.tensors[name].shape if name in bounds.tensors else None
            if bounds.valid and found is not None and not fits(shape, found):
                wrong.append(f"{name} is {shape} at {sizes}, not in {found}")
    return wrong[:3]


def below(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> Any:
    """The same, with floats below zero."""
    array = plain(info, shape)
    return -array if array.dtype.kind == "f" else array


def fits(shape: tuple[int, ...], found: Sequence[DimBounds]) -> bool:
    """Whether sizes are inside their bounds."""
    ends = ((d.min, inf if d.max is None else d.max) for d in found)
    return len(shape) == len(found) and all(lo <= n <= hi for n, (lo, hi) in zip(shape, ends, strict=True))


def refused(case: Choice) -> bool:
    """Whether onnxruntime doesn't load the model: for a node that never runs, in a branch that is never taken."""
    execution = Execution(case.model, plain)
    return execution.whole is None and "Graph attribute inferencing failed" in execution.refusal


def judged(seed: int, counts: Counter[str]) -> list[str]:
    case = choose(seed)
    if refused(case) or refused(choose(seed, data=True)):
        counts["refused"] += 1
        return []
    try:
        wrong = [*declared(case, counts), *undeclared(case, counts), *by_data(choose(seed, data=True), counts)]
    except NoBlame:
        counts["no blame"] += 1
        return []
    return [f"seed {seed}: {text}" for text in wrong]


FOUND = {
    232652: "a loop without iterations, whose output has another rank where a node is run alone",
}


@pytest.mark.parametrize("seed", FOUND)
def test_what_was_found_is_judged_as_it_runs(seed: int) -> None:
    assert not judged(seed, Counter())


@pytest.mark.parametrize(("seed", "data"), [(1799, False), (834, True), (3097, True)])
def test_branches_inside_each_other_are_not_too_deep_for_a_file(seed: int, data: bool) -> None:
    model = choose(seed, data=data).model
    assert onnx.ModelProto.FromString(model.SerializeToString()) == model


def test_every_value(request: pytest.FixtureRequest, full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    wrong = [text for seed in range(first, first + (FULL if full else DEFAULT)) for text in judged(seed, counts)]
    with capsys.disabled():
        print(f"\n{dict(counts)}")
    assert not wrong, "\n".join(wrong[:20])
