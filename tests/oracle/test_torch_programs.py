"""Exported PyTorch programs, held against what running them showed.

The folder that `--models` names has `NAME.pt2` and `NAME.truth.json.gz`: `points` (sizes in the order of `symbols`),
and per point what the graph alone did (`program`), the module with its guards (`module`), and all sizes.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report
from tests.oracle.runner import value

GUARDS = "_guards_fn"


class Recorded:
    """A program, with what running it showed."""

    def __init__(self, truth: Path) -> None:
        self.path = truth.with_name(truth.name.replace(".truth.json.gz", ".pt2"))
        self.truth = json.loads(gzip.decompress(truth.read_bytes()))
        self.points = [dict(zip(self.truth["symbols"], point, strict=True)) for point in self.truth["points"]]
        self.ran = [k == 0 for k in self.truth["program"]]

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The arguments of every question."""
        shapes = {name: f"[{','.join(map(str, i['shape']))}]" for name, i in self.truth["inputs"].items()}
        dims = {name: (s["lo"], s["hi"]) for name, s in self.truth["symbols"].items()}
        return {"shapes": shapes, "dims": dims}

    @cached_property
    def columns(self) -> list[list[int]]:
        return json.loads(zlib.decompress(base64.b64decode(self.truth["columns"])))

    def contradictions(self, report: Report, ran: list[bool]) -> Iterator[str]:
        """Points at which the report says something else than what happened, and a verdict that has no reason."""
        region = report.precondition
        assert region is not None
        if report.verdict is Verdict.UNKNOWN or not region.exact:
            yield f"{report.verdict}, exact: {region.exact}: {[f.law for f in report.findings][:2]}"
            return
        for point, truth in zip(self.points, ran, strict=True):
            if all(value(text, point) for text in region.text) is not truth:
                yield f"{region.text} at {point}, which {'runs' if truth else 'fails'}"
        if all(ran) and report.verdict is Verdict.FAILS:
            yield "FAILS, and every point runs"

    def refuted(self, report: Report, *, guarded: bool) -> Iterator[str]:
        """Counterexamples at recorded points that run, or that fail at another node."""
        for finding in report.findings:
            shown = finding.counterexample
            point = {} if shown is None else {n: shown.symbols.get(n) for n in self.truth["symbols"]}
            if finding.kind != "requirement" or point not in self.points:
                continue
            at = self.points.index(point)
            failed = self.truth["program"][at]
            nodes = [self.truth["failures"][failed - 1]["node"]] if failed else []
            nodes += [GUARDS] if guarded and self.truth["module"][at] == "g" else []
            if finding.node not in nodes:
                yield f"{finding.node} at {point}, where {nodes or 'nothing'} fails"

    def misfits(self) -> Iterator[str]:
        """Sizes that happened and that the bounds or their formulas exclude, and sizes that aren't known."""
        found = shapesmt.bounds(self.path, **self.asked, guards="ignore")
        happened = [point for point, ran in zip(self.points, self.ran, strict=True) if ran]
        for name, places in self.truth["shapes"].items():
            known = found.tensors[name].shape if name in found.tensors else None
            if known is None or len(known) != len(places):
                yield f"{name}: {known}, ran with {len(places)} axes"
                continue
            for axis, (dim, place) in enumerate(zip(known, places, strict=True)):
                column = self.columns[place]
                yield from self.misfit(f"{name}[{axis}]", dim, happened, column)

    def misfit(self, title: str, dim: Any, happened: list[dict[str, int]], column: list[int]) -> Iterator[str]:
        """The first point at which one size was another."""
        for point, size in zip(happened, column, strict=True):
            try:
                said = value(dim.expr, point)
            except NameError:
                said = size if dim.min <= size and (dim.max is None or size <= dim.max) else None
            if said != size:
                yield f"{title} = {dim.expr}, ran {size} at {point}"
                return


@pytest.fixture
def recorded(truth: Path | None) -> Recorded:
    if truth is None:
        pytest.skip("exported programs with recorded runs: --models FOLDER")
    return Recorded(truth)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each program of the folder; without a folder one that is skipped."""
    folder = metafunc.config.getoption("--models")
    found = sorted(Path(folder).glob("*.truth.json.gz")) if folder is not None else []
    metafunc.parametrize("truth", found or [None], ids=lambda path: path.name.split(".")[0] if path else "no program")


def test_the_answer_with_guards_is_what_the_module_did(recorded: Recorded) -> None:
    report = shapesmt.check(recorded.path, **recorded.asked)
    ran = [outcome == "o" for outcome in recorded.truth["module"]]
    wrong = [*recorded.contradictions(report, ran), *recorded.refuted(report, guarded=True)]
    assert not wrong, "\n".join(wrong[:10])


def test_the_answer_without_guards_is_what_the_graph_did(recorded: Recorded) -> None:
    report = shapesmt.check(recorded.path, **recorded.asked, guards="ignore")
    wrong = [*recorded.contradictions(report, recorded.ran), *recorded.refuted(report, guarded=False)]
    assert not wrong, "\n".join(wrong[:10])


def test_the_bounds_are_the_sizes_that_happened(recorded: Recorded) -> None:
    wrong = [*recorded.misfits()]
    assert not wrong, "\n".join(wrong[:10])
