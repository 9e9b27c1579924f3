"""What the answers say, held against what happens at every admissible assignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace

import onnx

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.network.declarations.ranges import RangeLike
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Bounds, CaseBounds, DimBounds, Report
from shapesmt.reports.answers.finding import Finding
from tests.oracle.runner import Run, value


@dataclass(frozen=True)
class Truth:
    """What happens at every admissible assignment.

    Attributes:
        assumed: Nodes that may fail for data that nobody knows.
        unchecked: Nodes of which only what they give is judged, not whether they run.
        whole: False when some assignments are left out because of that.
        values: What is said of elements of small inputs.
    """

    model: onnx.ModelProto
    runs: list[tuple[dict[str, int], Run]]
    assumed: frozenset[str] = frozenset()
    unchecked: frozenset[str] = frozenset()
    whole: bool = True
    values: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def valid(self) -> list[tuple[dict[str, int], Run]]:
        return [(sizes, run) for sizes, run in self.runs if not run.failing]

    def expected(
        self, undecided: AbstractSet[str] = frozenset(), depending: AbstractSet[str] = frozenset()
    ) -> tuple[dict[str, Verdict], set[str]]:
        """The verdict of each node to be reported, and the nodes about which nothing can be seen.

        A node is judged where the nodes reported before it run, but for those that are undecided; one that runs
        nowhere is left out, unless it is said to be depending: it may run at an assignment that is left out.
        """
        alive = self.runs
        found: dict[str, Verdict] = {}
        unseen: set[str] = set()
        for node in self.model.graph.node:
            name = node.name
            seen = [(sizes, run) for sizes, run in alive if name not in run.missing]
            failing = [sizes for sizes, run in seen if name in run.failing]
            if len(seen) < len(alive):
                unseen.add(name)
            elif failing:
                found[name] = Verdict.FAILS if len(failing) == len(alive) else Verdict.DEPENDS
                some = found[name] is Verdict.DEPENDS or (name in depending and not self.whole)
                if some and name not in undecided:
                    alive = [(sizes, run) for sizes, run in alive if name not in run.failing]
        return found, unseen


def disagreements(
    truth: Truth, counts: Counter[str], dims: Mapping[str, RangeLike], assume: Iterable[str] = ()
) -> list[str]:
    """What is wrong in the answers about a model."""
    try:
        report = shapesmt.check(truth.model, dims=dims, values=truth.values, assume=assume, session="file")
        bounds = shapesmt.bounds(truth.model, dims=dims, values=truth.values, assume=assume, session="file")
    except UsageError as error:
        empty = "no admissible input" in str(error)
        return [] if empty and not truth.runs else [f"raised {error}"]
    if not truth.runs:
        return ["nothing is admissible, and that isn't said"]
    counts[str(report.verdict)] += 1
    truth = _without_granted(truth, report)
    if not truth.runs:
        return []
    try:
        if any(f.kind == "data" for f in report.findings):
            counts["hinges on data"] += 1
            wrong = list(_reported(truth, report))
        else:
            wrong = [*_verdicts(truth, report), *_regions(truth, report, counts)]
            unknown = any(f.verdict is Verdict.UNKNOWN for f in report.findings)
            wrong += _bounds(truth, bounds, counts) if truth.valid or not unknown else []
    except SyntaxError as error:
        wrong = [f"Python can't read {error.text}"]
    return [f"{text} (dims={dims}, assume={assume})" for text in wrong]


def _without_granted(truth: Truth, report: Report) -> Truth:
    """Without the assignments at which only data fail, or a runtime is odd."""
    claims = {f.node: f.holds_iff for f in report.findings}

    def unseen(sizes: dict[str, int], run: Run) -> bool:
        for name in truth.assumed | truth.unchecked:
            fails = name in claims and not value(claims[name] or "False", sizes)
            if name in truth.unchecked and name not in run.missing and fails != (name in run.failing):
                return True
            if not fails and name in truth.assumed and name in run.failing:
                return True
        return False

    kept = [(sizes, run) for sizes, run in truth.runs if not run.odd and not unseen(sizes, run)]
    return replace(truth, runs=kept, whole=truth.whole and len(kept) == len(truth.runs))


def _reported(truth: Truth, report: Report) -> Iterator[str]:
    """Where data decide: at least, whatever fails first is reported."""
    found = {f.node for f in report.findings}
    for sizes, run in truth.runs:
        if run.failing and found.isdisjoint(run.failing):
            yield f"{run.failing} fails at {sizes}, and isn't reported"
            return


def _verdicts(truth: Truth, report: Report) -> Iterator[str]:
    """The model's verdict and the nodes reported, with their counterexamples."""
    undecided = {
        f.node for f in report.findings if f.kind in ("elements", "layout")
    }  # nothing of them is assumed further down
    depending = {f.node for f in report.findings if f.verdict is Verdict.DEPENDS}
    half = undecided & depending
    expected, unseen = truth.expected(undecided - half, depending)
    names = [node.name for node in truth.model.graph.node]
    behind = names[min(map(names.index, half), default=len(names)) :]  # judged where that half of a law holds
    unseen |= truth.unchecked.union(behind)
    found = {f.node: f for f in report.findings if f.node not in unseen}
    unknown = {name for name, f in found.items() if f.verdict is Verdict.UNKNOWN}
    if not truth.valid and not unknown and report.verdict is Verdict.PROVED:
        yield "PROVED, and nothing runs"
    kinds = {node.name: node.op_type for node in truth.model.graph.node}
    kinds.update({f.node: f.op_type for f in report.findings})  # that of a node in a branch
    failing = {kinds[name] for name, f in found.items() if f.verdict is Verdict.FAILS}
    open_kinds = {kinds[name] for name in unknown}
    for name, verdict in expected.items():
        if (verdict is Verdict.FAILS and kinds[name] in failing) or (kinds[name] in open_kinds and name not in found):
            continue  # the same node again is the same finding
        if name not in unseen and name not in {f.node for f in report.findings}:
            yield f"{name} should be {verdict}, and isn't reported"
    for name, finding in found.items():
        wanted = expected.get(name, Verdict.PROVED)
        if finding.verdict is not wanted:
            if name in unknown or (finding.verdict is Verdict.DEPENDS and not truth.whole):
                continue
            yield f"{name} is {finding.verdict} ({finding.condition}), should be {wanted}"
        elif name not in unknown:
            yield from _counterexample(truth, finding, unknown)
    worst = Verdict.worst(f.verdict for f in report.findings)
    if report.verdict is not worst and report.verdict is not Verdict.UNKNOWN:
        yield f"the verdict is {report.verdict}, its findings' worst is {worst}"


def _counterexample(truth: Truth, finding: Finding, unknown: set[str]) -> Iterator[str]:
    shown = finding.counterexample
    if shown is None:
        yield f"{finding.node} has no counterexample"
        return
    runs = (run for sizes, run in truth.runs if all(sizes.get(n, size) == size for n, size in shown.symbols.items()))
    run = next(runs, None)
    if run is None and truth.whole:
        yield f"{finding.node}: {shown.symbols} isn't admissible"
    elif run is None:
        return
    elif finding.node not in run.failing and unknown.isdisjoint(run.failing):
        yield f"{finding.node}: {shown.symbols} fails at {run.failing}"
    elif finding.node in run.failing:
        for name, shape in shown.inputs.items():
            if run.shapes[name] != shape:
                yield f"input {name} has shape {shape}, its symbols give {run.shapes[name]}"


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
        if truth.whole or not bounds.valid:
            yield f"bounds are valid: {bounds.valid}, and {len(truth.valid)} assignments run"
        return
    for name in truth.valid[0][1].shapes if truth.valid else ():
        shapes = [run.shapes[name] for _, run in truth.valid]
        found = bounds.tensors[name].shape
        if found is None and bounds.tensors[name].cases:
            counts["cases"] += 1
            with suppress(NameError):  # data decide which
                yield from _cases(truth, name, bounds.tensors[name].cases, counts)
        elif found is None:
            counts["rank unknown"] += 1
        elif any(len(shape) != len(found) for shape in shapes):
            yield f"{name} has rank {len(found)}, and is {shapes[0]}"
        else:
            for axis, dim in enumerate(found):
                counts["size"] += 1
                counts["size inexact"] += not dim.exact
                yield from _size(truth, f"{name}[{axis}]", dim, [shape[axis] for shape in shapes], counts)


def _cases(truth: Truth, name: str, cases: tuple[CaseBounds, ...], counts: Counter[str]) -> Iterator[str]:
    """Exactly one case holds for each run, each holds for some, and its shape is that of the runs where it does."""
    for sizes, run in truth.valid:
        held = [case.when for case in cases if value(case.when, sizes)]
        if len(held) != 1:
            yield f"{name} is {run.shapes[name]} at {sizes}, where {held} hold"
            return
    for case in cases:
        part = replace(truth, runs=[(sizes, run) for sizes, run in truth.valid if value(case.when, sizes)])
        shapes = [run.shapes[name] for _, run in part.runs]
        if not shapes and truth.whole:
            yield f"{name}: nothing runs where {case.when}"
        elif any(len(shape) != len(case.shape) for shape in shapes):
            yield f"{name} has rank {len(case.shape)} where {case.when}, and is {shapes[0]}"
        elif shapes:
            for axis, dim in enumerate(case.shape):
                where = f"{name}[{axis}] where {case.when}"
                yield from _size(part, where, dim, [shape[axis] for shape in shapes], counts)


def _size(truth: Truth, name: str, dim: DimBounds, real: list[int], counts: Counter[str]) -> Iterator[str]:
    where = f"{name} in {dim.min}..{dim.max}"
    if min(real) < dim.min or (dim.max is not None and max(real) > dim.max):
        yield f"{where}, really {min(real)}..{max(real)}"
    try:
        for (sizes, _), size in zip(truth.valid, real, strict=True):
            if value(dim.expr, sizes) != size:
                yield f"{name} = {dim.expr} = {value(dim.expr, sizes)} at {sizes}, really {size}"
                break
    except NameError:  # it is about a size that only data decide
        counts["data size"] += 1
        return
    if not (dim.exact and truth.whole):
        return
    if (min(real), max(real)) != (dim.min, dim.max):
        yield f"{where} is called exact, really {min(real)}..{max(real)}"
    for end, witness in zip((dim.min, dim.max), dim.witnesses, strict=True):
        if witness is not None:
            told = {n: v for n, v in witness.items() if not _decided_by_data(truth, n)}
            fitting = [
                z for (s, _), z in zip(truth.valid, real, strict=True) if told.items() <= {**truth.values, **s}.items()
            ]
            if end not in fitting:
                yield f"{where}: the witness {witness} of {end} gives {sorted(set(fitting))}"


def _decided_by_data(truth: Truth, name: str) -> bool:
    """Whether a name is that of a size that only data decide, which no run says: it begins with an output of a node.

    It is in a witness for the conditions around, as `y.count` for `y = NonZero(x)`.
    """
    outputs = (o for node in truth.model.graph.node for o in node.output if o)
    return any(name.startswith((f"{output}.", f"{output}/")) for output in outputs)


__all__ = ["Truth", "disagreements"]
