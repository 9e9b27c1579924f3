"""Every answer about random small models, held against running them at every admissible assignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

import shapesmt
from shapesmt.errors import UsageError
from shapesmt.finding import Finding, Verdict
from shapesmt.report import Bounds, Report
from tests.oracle.graphs import Case, generate
from tests.oracle.runner import Execution, NoBlame, Run, assignments, value

DEFAULT, FULL = 60, 3000
NODES = 6


@dataclass(frozen=True)
class Truth:
    """What happens at every admissible assignment."""

    case: Case
    dims: dict[str, str]
    assume: list[str]
    runs: list[tuple[dict[str, int], Run]]

    @property
    def valid(self) -> list[tuple[dict[str, int], Run]]:
        return [(sizes, run) for sizes, run in self.runs if not run.failing]

    def expected(self) -> tuple[dict[str, Verdict], set[str]]:
        """The verdict of each node to be reported, and the nodes about which nothing can be seen.

        A node is judged where the nodes reported before it run; one that runs nowhere is left out.
        """
        alive = self.runs
        found: dict[str, Verdict] = {}
        unseen: set[str] = set()
        for node in self.case.model.graph.node:
            name = node.name
            seen = [(sizes, run) for sizes, run in alive if name not in run.missing]
            failing = [sizes for sizes, run in seen if name in run.failing]
            if len(seen) < len(alive):
                unseen.add(name)
            elif failing:
                found[name] = Verdict.FAILS if len(failing) == len(alive) else Verdict.DEPENDS
                if found[name] is Verdict.DEPENDS:
                    alive = [(sizes, run) for sizes, run in alive if name not in run.failing]
        return found, unseen


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


def truth_of(case: Case, dims: dict[str, str], assume: list[str]) -> Truth:
    execution = Execution(case.model)
    ranges = {name: list(_values(text)) for name, text in dims.items()}
    admissible = [s for s in assignments(ranges) if all(value(text, s) for text in assume)]
    return Truth(case, dims, assume, [(sizes, execution.run(sizes)) for sizes in admissible])


def _values(text: str) -> range:
    ends, _, step = text.partition(":")
    lo, hi = map(int, ends.split(".."))
    return range(lo, hi + 1, int(step or 1))


def disagreements(seed: int, counts: Counter[str]) -> list[str]:
    """What is wrong in the answers about the model of this seed."""
    case, dims, assume = posed(seed)
    try:
        truth = truth_of(case, dims, assume)
    except NoBlame as error:
        counts["no blame"] += 1
        return [f"onnxruntime: {error}"] if counts["no blame"] > 3 else []
    try:
        report = shapesmt.check(case.model, dims=dims, assume=assume)
        bounds = shapesmt.bounds(case.model, dims=dims, assume=assume)
    except UsageError as error:
        empty = "no admissible input" in str(error)
        return [] if empty and not truth.runs else [f"raised {error}"]
    if not truth.runs:
        return ["nothing is admissible, and that isn't said"]
    counts[str(report.verdict)] += 1
    try:
        wrong = [*_verdicts(truth, report), *_regions(truth, report, counts), *_bounds(truth, bounds, counts)]
        wrong += [*_smallest(truth, report), *_remedy(truth, report, counts)]
    except SyntaxError as error:
        wrong = [f"Python can't read {error.text}"]
    return [f"{text} (dims={dims}, assume={assume})" for text in wrong]


def _verdicts(truth: Truth, report: Report) -> Iterator[str]:
    """The model's verdict and the nodes reported, with their counterexamples."""
    expected, unseen = truth.expected()
    found = {f.node: f for f in report.findings if f.node not in unseen}
    unknown = {name for name, f in found.items() if f.verdict is Verdict.UNKNOWN}
    if not truth.valid and not unknown and report.verdict is Verdict.PROVED:
        yield "PROVED, and nothing runs"
    kinds = {node.name: node.op_type for node in truth.case.model.graph.node}
    failing = {kinds[name] for name, f in found.items() if f.verdict is Verdict.FAILS}
    for name, verdict in expected.items():
        if verdict is Verdict.FAILS and kinds[name] in failing:
            continue  # the same node again is the same finding
        if name not in found:
            yield f"{name} should be {verdict}, and isn't reported"
    for name, finding in found.items():
        wanted = expected.get(name, Verdict.PROVED)
        if finding.verdict is not wanted and name not in unknown:
            yield f"{name} is {finding.verdict} ({finding.condition}), should be {wanted}"
        elif name not in unknown:
            yield from _counterexample(truth, finding)
    worst = Verdict.worst([*expected.values(), *(f.verdict for f in report.findings)])
    if report.verdict is not worst:
        yield f"the verdict is {report.verdict}, its findings' worst is {worst}"


def _counterexample(truth: Truth, finding: Finding) -> Iterator[str]:
    shown = finding.counterexample
    if shown is None:
        yield f"{finding.node} has no counterexample"
        return
    run = next((run for sizes, run in truth.runs if sizes == shown.symbols), None)
    if run is None:
        yield f"{finding.node}: {shown.symbols} isn't admissible"
    elif finding.node not in run.failing:
        yield f"{finding.node}: {shown.symbols} fails at {run.failing}"
    else:
        for name, shape in shown.inputs.items():
            if run.shapes[name] != shape:
                yield f"input {name} has shape {shape}, its symbols give {run.shapes[name]}"


def _smallest(truth: Truth, report: Report) -> Iterator[str]:
    """Each counterexample is as near to the lower bounds as can be, and fails whatever the others are."""
    lowest = {name: _values(text)[0] for name, text in truth.dims.items()}

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
        if not truth.assume and distance(nearest) < distance(dict(shown.symbols)):
            yield f"{finding.node}: {nearest} is nearer than {shown.symbols}"
        fixed = {name: shown.symbols[name] for name in shown.relevant or shown.symbols}
        for sizes, run in alive:
            if fixed.items() <= sizes.items() and finding.node not in {*run.failing, *run.missing}:
                yield f"{finding.node}: runs at {sizes}, though only {fixed} is to matter"
                break


def _remedy(truth: Truth, report: Report, counts: Counter[str]) -> Iterator[str]:
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
            truth.case.model,
            dims={**truth.dims, **report.remedy.dims},
            assume=[*truth.assume, *report.remedy.assume],
        )
        if again.verdict is not Verdict.PROVED:
            yield f"{again.verdict} with {report.remedy}"


def _regions(truth: Truth, report: Report, counts: Counter[str]) -> Iterator[str]:
    """The precondition, and each `holds_iff` where the node's inputs come to be."""
    region = report.precondition
    assert region is not None
    counts["region"] += 1
    counts["region inexact"] += not region.exact
    fails = any(f.verdict is Verdict.FAILS for f in report.findings)
    for sizes, run in truth.runs:
        claimed = all(value(text, sizes) for text in region.text)
        if claimed != (not run.failing) and (region.exact or fails):
            yield f"precondition {region.text} is {claimed} at {sizes}, where {run.failing or 'nothing'} fails"
            break
    for finding in report.findings:
        counts["finding"] += 1
        counts["finding without holds_iff"] += finding.holds_iff is None
        for sizes, run in truth.runs if finding.holds_iff is not None else ():
            if finding.node not in run.missing:
                claimed = value(finding.holds_iff, sizes)
                if claimed == (finding.node in run.failing):
                    yield f"{finding.node} holds iff {finding.holds_iff}: {claimed} at {sizes}, failing {run.failing}"
                    break


def _bounds(truth: Truth, bounds: Bounds, counts: Counter[str]) -> Iterator[str]:
    """Every interval contains what happens, is attained where it claims to be, and has the right formula."""
    if bounds.valid != bool(truth.valid):
        yield f"bounds are valid: {bounds.valid}, and {len(truth.valid)} assignments run"
        return
    for name in truth.valid[0][1].shapes if truth.valid else ():
        shapes = [run.shapes[name] for _, run in truth.valid]
        found = bounds.tensors[name].shape
        if found is None:
            counts["rank unknown"] += 1
            continue
        if any(len(shape) != len(found) for shape in shapes):
            yield f"{name} has rank {len(found)}, and is {shapes[0]}"
            continue
        for axis, dim in enumerate(found):
            real = [shape[axis] for shape in shapes]
            counts["size"] += 1
            counts["size inexact"] += not dim.exact
            where = f"{name}[{axis}] in {dim.min}..{dim.max}"
            if min(real) < dim.min or (dim.max is not None and max(real) > dim.max):
                yield f"{where}, really {min(real)}..{max(real)}"
            elif dim.exact and (min(real), max(real)) != (dim.min, dim.max):
                yield f"{where} is called exact, really {min(real)}..{max(real)}"
            for (sizes, _), size in zip(truth.valid, real, strict=True):
                if value(dim.expr, sizes) != size:
                    yield f"{name}[{axis}] = {dim.expr} = {value(dim.expr, sizes)} at {sizes}, really {size}"
                    break
            for end, witness in zip((dim.min, dim.max), dim.witnesses, strict=True):
                if dim.exact and witness is not None:
                    fitting = [z for (s, _), z in zip(truth.valid, real, strict=True) if witness.items() <= s.items()]
                    if end not in fitting:
                        yield f"{where}: the witness {witness} of {end} gives {sorted(set(fitting))}"


def test_answers_agree_with_running_everything(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    wrong = [
        f"seed {s}: {t}" for s in range(first, first + (FULL if full else DEFAULT)) for t in disagreements(s, counts)
    ]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["UNKNOWN"] <= counts["region"] // 50, counts
    assert counts["region inexact"] <= counts["region"] // 50, counts
    assert counts["size inexact"] <= counts["size"] // 100, counts
    assert not counts["rank unknown"], counts
    assert counts["depends without remedy"] <= counts["depends"] // 20, counts
