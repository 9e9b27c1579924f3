"""Every answer about random small models, held against running them at every admissible assignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report
from tests.oracle.compare import Truth, disagreements
from tests.oracle.graphs import Case, generate
from tests.oracle.runner import Execution, NoBlame, assignments, value

DEFAULT, FULL = 60, 3000
NODES = 6


def posed(seed: int) -> tuple[Case, dict[str, str], list[str]]:
    """A model with ranges, some of them with steps, and sometimes an assumption."""
    case = generate(seed, NODES)
    r = Random(f"question {seed}")
    dims = {}
    for name, (lo, hi) in case.ranges.items():
        step = r.choice([1, 1, 1, 2, 3])
        dims[name] = f"{lo}..{hi}:{step}" if step > 1 else f"{lo}..{hi}"
    names = list(dims)
    assume = []
    if names and r.random() < 0.4:
        a, b = r.choice(names), r.choice(names)
        k = r.randint(1, 3)
        texts = [f"{a} <= {b}", f"{a} == {b} + {k}", f"{a} % 2 == 0", f"{a} + {b} <= {3 + 2 * k}", f"{a} == 2*{b}"]
        texts += [f"{a} != {k}", f"{a}*{b} >= {k}", f"{a} == {b} or {b} == {k}", f"{a} == max({b}, {k})"]
        assume = [r.choice(texts)]
    return case, dims, assume


def _values(text: str) -> range:
    ends, _, step = text.partition(":")
    lo, hi = map(int, ends.split(".."))
    return range(lo, hi + 1, int(step or 1))


def wrong_in(seed: int, counts: Counter[str]) -> list[str]:
    """What is wrong in the answers about the model of this seed."""
    case, dims, assume = posed(seed)
    execution = Execution(case.model)
    ranges = {name: list(_values(text)) for name, text in dims.items()}
    admissible = [s for s in assignments(ranges) if all(value(text, s) for text in assume)]
    try:
        truth = Truth(case.model, [(sizes, execution.run(sizes)) for sizes in admissible])
    except NoBlame as error:
        counts["no blame"] += 1
        return [f"onnxruntime: {error}"] if counts["no blame"] > 3 else []
    wrong = disagreements(truth, counts, dims, assume)
    if truth.runs and not wrong:
        report = shapesmt.check(case.model, dims=dims, assume=assume, session="file")
        wrong = [*_smallest(truth, report, dims, assume), *_remedy(truth, report, counts, dims, assume)]
    return wrong


def _smallest(truth: Truth, report: Report, dims: Mapping[str, str], assume: list[str]) -> Iterator[str]:
    """Each counterexample is as near to the lower bounds as can be, and fails whatever the others are."""
    lowest = {name: _values(text)[0] for name, text in dims.items()}

    def distance(sizes: dict[str, int]) -> tuple[int, int]:
        off = [size - lowest[name] for name, size in sizes.items()]
        return sum(map(bool, off)), sum(off)

    for finding in report.findings:
        shown = finding.counterexample
        if shown is None or finding.verdict is not Verdict.DEPENDS:
            continue
        earlier = {f.node for f in report.findings if f.index < finding.index and f.verdict is Verdict.DEPENDS}
        alive = [(sizes, run) for sizes, run in truth.runs if earlier.isdisjoint(run.failing)]
        failing = [sizes for sizes, run in alive if finding.node in run.failing]
        nearest = min(failing, key=distance)
        if not assume and distance(nearest) < distance(dict(shown.symbols)):
            yield f"{finding.node}: {nearest} is nearer than {shown.symbols}"
        fixed = {name: shown.symbols[name] for name in shown.relevant or shown.symbols}
        for sizes, run in alive:
            if fixed.items() <= sizes.items() and finding.node not in {*run.failing, *run.missing}:
                yield f"{finding.node}: runs at {sizes}, though only {fixed} is to matter"
                break


def _remedy(
    truth: Truth, report: Report, counts: Counter[str], dims: Mapping[str, str], assume: list[str]
) -> Iterator[str]:
    """Within the remedy there is some input, and all of them run."""
    depends = report.verdict is Verdict.DEPENDS
    counts["depends"] += depends
    counts["depends without remedy"] += depends and report.remedy is None
    if report.remedy is not None:
        told = {name: text if ".." in text else f"{text}..{text}" for name, text in report.remedy.dims.items()}
        ends = {name: _values(text if text.split("..")[1] else f"{text}999") for name, text in told.items()}
        within = [
            run
            for sizes, run in truth.runs
            if all(sizes[name] in values for name, values in ends.items())
            and all(value(text, sizes) for text in report.remedy.assume)
        ]
        if not within or any(run.failing for run in within):
            yield f"{report.remedy} is {'not enough' if within else 'for no input'}"
        again = shapesmt.check(
            truth.model, dims={**dims, **report.remedy.dims}, assume=[*assume, *report.remedy.assume], session="file"
        )
        if again.verdict is not Verdict.PROVED:
            yield f"{again.verdict} with {report.remedy}"


def test_answers_agree_with_running_everything(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    seeds = range(first, first + (FULL if full else DEFAULT))
    wrong = [f"seed {seed}: {text}" for seed in seeds for text in wrong_in(seed, counts)]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["UNKNOWN"] <= counts["region"] // 50, counts
    assert counts["region inexact"] <= counts["region"] // 50, counts
    assert counts["size inexact"] <= counts["size"] // 100, counts
    assert not counts["rank unknown"], counts
    assert counts["depends without remedy"] <= counts["depends"] // 20, counts
