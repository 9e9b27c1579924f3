"""Exported networks, held against what running them showed.

The folder that `--models` names has `manifest.json` (ranges and relations per model),
`truth/NAME.json.gz` (`runs`: sizes with every tensor's shape; `fails`: sizes with the runtime's message) and
`runnable/`, models with weights and a manifest of their own.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Bounds, Report
from tests.oracle.runner import Execution, value
from tests.oracle.solvers import cvc5_verdict, z3_verdict
from tests.support.schemas import violations

LONGEST_FORMULA = 120
SMALL = 180  # nodes that cvc5 can deal with
LARGE = 1000  # nodes; beyond it only with --full
LONGEST = 500  # size along one axis
GRID = 14  # assignments of a runnable model; all of them with --full

Entry = dict[str, Any]


MANIFESTS = {
    "test_answers_agree_with_recorded_runs": ("manifest.json", inf),
    "test_answers_agree_with_running": ("runnable/manifest.json", inf),
    "test_answers_follow_their_schemas": ("manifest.json", LARGE),
    "test_two_solvers_agree_on_the_complete_system": ("manifest.json", SMALL),
}
"""The manifest that a test is about, and the number of nodes that its models are below."""


@pytest.fixture
def models(pytestconfig: pytest.Config) -> Path:
    folder = pytestconfig.getoption("--models")
    if folder is None:
        pytest.skip("exported networks with recorded runs: --models FOLDER")
    return Path(folder)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each model of a manifest; without a folder one that is skipped."""
    folder = metafunc.config.getoption("--models")
    if "entry" in metafunc.fixturenames:
        manifest, most = MANIFESTS[metafunc.function.__name__]
        listed = [e for e in entries(Path(folder), manifest) if e["nodes"] < most] if folder is not None else [None]
        metafunc.parametrize("entry", listed, ids=named)


def entries(folder: Path, manifest: str) -> list[Entry]:
    listed = json.loads((folder / manifest).read_text())
    return sorted(listed["models"] if isinstance(listed, dict) else listed, key=lambda e: e["nodes"])


def named(entry: Entry | None) -> str:
    return "no model" if entry is None else entry["file"].removesuffix(".onnx")


@cache
def answers(
    path: Path, ranges: tuple[tuple[str, int, int | None], ...], assume: tuple[str, ...]
) -> tuple[Report, Bounds]:
    dims = {name: (lo, hi) for name, lo, hi in ranges}
    return shapesmt.check(path, dims=dims, assume=assume), shapesmt.bounds(path, dims=dims, assume=assume)


def asked(path: Path, entry: Entry) -> tuple[Report, Bounds]:
    ranges = tuple((name, lo, hi) for name, (lo, hi) in entry["ranges"].items())
    return answers(path, ranges, tuple(entry["relations"] or ()))


def admissible(entry: Entry, sizes: Mapping[str, int]) -> bool:
    inside = all(lo <= sizes[n] and (hi is None or sizes[n] <= hi) for n, (lo, hi) in entry["ranges"].items())
    return inside and all(value(text, sizes) for text in entry["relations"] or ())


def known(text: str, sizes: Mapping[str, int]) -> Any:
    """The value of a formula; None where it is about a size that only data decide."""
    try:
        return value(text, sizes)
    except NameError:
        return None


def misfits(bounds: Bounds, sizes: Mapping[str, int], shapes: Mapping[str, Any]) -> Iterator[str]:
    """Shapes that happened and that the bounds or their formulas exclude."""
    for name, shape in shapes.items():
        found = bounds.tensors[name].shape if name in bounds.tensors else None
        if shape is None or found is None:
            continue
        if len(found) != len(shape):
            yield f"{name} has rank {len(found)}, ran {shape}"
            continue
        for axis, (dim, size) in enumerate(zip(found, shape, strict=True)):
            if size < dim.min or (dim.max is not None and size > dim.max):
                yield f"{name}[{axis}] in {dim.min}..{dim.max}, ran {size} at {sizes}"
            if (said := known(dim.expr, sizes)) is not None and said != size:
                yield f"{name}[{axis}] = {dim.expr} = {said}, ran {size} at {sizes}"


def contradictions(report: Report, sizes: Mapping[str, int], ran: bool) -> Iterator[str]:
    """What the report says of an admissible input, against what happened."""
    region = report.precondition
    assert region is not None
    if not ran and report.verdict is Verdict.PROVED:
        yield f"PROVED, and fails at {sizes}"
    if ran and report.verdict is Verdict.FAILS:
        yield f"FAILS, and runs at {sizes}"
    claimed = all(value(text, sizes) for text in region.text)
    if region.exact and claimed != ran:
        yield f"precondition {region.text} is {claimed} at {sizes}, which {'runs' if ran else 'fails'}"


def test_answers_agree_with_recorded_runs(models: Path, entry: Entry, full: bool) -> None:
    if entry["nodes"] >= LARGE and not full:
        pytest.skip("a large model: --full")
    recorded = models / "truth" / (named(entry) + ".json.gz")
    if not recorded.is_file():
        pytest.skip("no runs are recorded")
    truth = json.loads(gzip.decompress(recorded.read_bytes()))
    report, bounds = asked(models / entry["file"], entry)
    assert not [f.op_type for f in report.findings if f.kind == "unsupported"]
    wrong: list[str] = []
    for run in truth["runs"]:
        if admissible(entry, run["env"]):
            wrong += [*misfits(bounds, run["env"], run["shapes"]), *contradictions(report, run["env"], ran=True)]
    for failure in truth["fails"]:
        if admissible(entry, failure["env"]) and "allocate memory" not in failure["error"]:
            wrong += contradictions(report, failure["env"], ran=False)
    assert not wrong, "\n".join(wrong[:10])


def test_answers_agree_with_running(models: Path, entry: Entry, full: bool) -> None:
    path = models / "runnable" / entry["file"]
    report, bounds = asked(path, entry)
    execution = Execution(onnx.load(path), feed)
    wrong: list[str] = []
    grid = [sizes for sizes in probes(entry, report) if admissible(entry, sizes)]
    for sizes in grid if full else grid[:: max(1, len(grid) // GRID)]:
        run = execution.run(sizes)
        wrong += contradictions(report, sizes, ran=not run.failing)
        if not run.failing:
            wrong += misfits(bounds, sizes, run.shapes)
    for finding in report.findings:
        if finding.kind == "requirement" and finding.counterexample is not None:
            shown = dict(finding.counterexample.symbols)
            failing = execution.run(shown).failing
            if not admissible(entry, shown) or finding.node not in failing:
                wrong.append(f"{finding.node}: the counterexample {shown} fails at {failing}")
    assert not wrong, "\n".join(wrong[:10])


def test_answers_follow_their_schemas(models: Path, entry: Entry) -> None:
    path, dims = models / entry["file"], {name: tuple(ends) for name, ends in entry["ranges"].items()}
    options: Any = {"dims": dims, "assume": entry["relations"] or ()}
    others = [ask(path, **options) for ask in (shapesmt.explain, shapesmt.memory, shapesmt.profile)]
    said = [*asked(path, entry), *others, shapesmt.inspect(path), shapesmt.supported_ops(path)]
    assert not [found for answer in said if (found := violations(answer.to_dict()))]


@pytest.mark.parametrize("manifest", ["manifest.json", "runnable/manifest.json"])
def test_every_counterexample_is_confirmed(models: Path, manifest: str, full: bool) -> None:
    """Checked with and without the relations that a caller would state; models in the large folder have no weights."""
    missed, confirmed = [], 0
    for entry in entries(models, manifest):
        if entry["nodes"] >= SMALL and not full:
            continue
        path, dims = (models / manifest).parent / entry["file"], {n: tuple(r) for n, r in entry["ranges"].items()}
        for assume in {tuple(entry["relations"] or ()), ()}:
            for found in shapesmt.check(path, dims=dims, assume=assume, replay=True).findings:
                if found.replay is not None and found.replay.confirmed:
                    confirmed += 1
                elif found.counterexample is not None:
                    missed.append(f"{entry['file']}, {found.node}: {found.replay}")
    assert confirmed
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("manifest", ["manifest.json", "runnable/manifest.json"])
def test_every_remedy_is_enough(models: Path, manifest: str, full: bool) -> None:
    """Checked with the ranges of the manifest and without any."""
    told = 0
    for entry in entries(models, manifest):
        if entry["nodes"] >= SMALL and not full:
            continue
        path, ranges = (models / manifest).parent / entry["file"], {n: tuple(r) for n, r in entry["ranges"].items()}
        for dims, assume in ((ranges, [*(entry["relations"] or ())]), ({}, [])):
            remedy = shapesmt.check(path, dims=dims, assume=assume).remedy
            if remedy is not None:
                told += 1
                mended = shapesmt.check(
                    path, dims={**dims, **remedy.dims}, assume=[*assume, *remedy.assume], values=remedy.values
                )
                assert mended.verdict is Verdict.PROVED, (entry["file"], dims, remedy, mended.findings)
    assert told


@pytest.mark.parametrize("manifest", ["manifest.json", "runnable/manifest.json"])
def test_what_fails_at_given_sizes_runs_at_the_nearest(models: Path, manifest: str, full: bool) -> None:
    """Checked at the sizes of each counterexample. No formula in a report is long."""
    tried = 0
    for entry in entries(models, manifest):
        if entry["nodes"] >= SMALL and not full:
            continue
        path, ranges = (models / manifest).parent / entry["file"], {n: tuple(r) for n, r in entry["ranges"].items()}
        for dims, assume in ((ranges, [*(entry["relations"] or ())]), ({}, [])):
            report = shapesmt.check(path, dims=dims, assume=assume)
            assert report.precondition is not None
            shown = [*report.precondition.text, *(f.holds_iff or "" for f in report.findings)]
            assert max(map(len, shown), default=0) <= LONGEST_FORMULA, (entry["file"], shown)
            counterexamples = [f.counterexample for f in report.findings if f.counterexample is not None]
            if not counterexamples or report.verdict is not Verdict.DEPENDS or not report.precondition.exact:
                continue
            sizes = dict(counterexamples[0].symbols)
            release = shapesmt.check(path, dims=sizes, assume=assume).release
            assert release is not None, (entry["file"], sizes)
            assert release.nearest, (entry["file"], release)
            for at in release.nearest:
                tried += 1
                runs = shapesmt.check(path, dims={**sizes, **at}, assume=assume).verdict
                assert runs is Verdict.PROVED, (entry["file"], release)
    assert tried


def probes(entry: Entry, report: Report) -> Iterator[dict[str, int]]:
    """Ends and middles of the ranges, the sizes around each counterexample, and relations put in."""
    shown = [f.counterexample.symbols for f in report.findings if f.counterexample is not None]
    choices = {}
    for name, (lo, hi) in entry["ranges"].items():
        top = min(LONGEST, hi or LONGEST)
        spread = [lo, lo + 1, *(top * k // 4 for k in range(1, 5))]
        near = [s[name] + step for s in shown for step in (-1, 0, 1)]
        picked = {v for v in [*spread, *near, 32, 64, 128] if lo <= v <= top}
        choices[name] = sorted(picked)[: 2 if name == "batch" else None]
    relations = [r.split("==") for r in entry["relations"] or () if r.count("==") == 1]
    for left, _ in relations:
        choices.pop(left.strip(), None)
    for values in product(*choices.values()):
        sizes = dict(zip(choices, values, strict=True))
        yield {**sizes, **{left.strip(): value(right.strip(), sizes) for left, right in relations}}


def feed(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> Any:
    """Zeros for token numbers and positions, ones for masks."""
    dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    return np.zeros(shape, dtype) if dtype.kind == "i" and "mask" not in info.name else np.ones(shape, dtype)


def test_two_solvers_agree_on_the_complete_system(models: Path, entry: Entry) -> None:
    path, dims = models / entry["file"], {name: tuple(ends) for name, ends in entry["ranges"].items()}
    report, _ = asked(path, entry)
    text = shapesmt.encode(path, dims=dims, assume=entry["relations"] or ())
    expected = "unsat" if report.verdict is Verdict.PROVED else "sat"
    assert (z3_verdict(text), cvc5_verdict(text)) == (expected, expected)
