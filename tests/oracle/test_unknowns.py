"""Numbers from anywhere, held against running the model at every size; see `tests.oracle.unknowns`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Bounds, Report
from tests.oracle.runner import value
from tests.oracle.unknowns import drawn

SIZES = range(1, 9)
WORDS = (1, 2, 3)
DEFAULT, FULL = 80, 2000

Runs = dict[int, list[tuple[int, ...] | None]]  # the output's shapes for each word, None where it fails


def test_numbers_from_anywhere(seeds: range, full: bool, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(seeds.start, seeds.start + (FULL if full else DEFAULT)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        model, data = drawn(seed, folder)
        path = folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        runs = ran(path)
        wrong = list(contradictions(path, runs, data, counts))
        assert not wrong, f"seed {seed}: {wrong[0]}\n{onnx.printer.to_text(model)[:6000]}"
    assert {"PROVED", "DEPENDS", "FAILS"} <= counts.keys()
    assert counts["UNKNOWN"] < counts.total() / 3


def ran(path: Path) -> Runs:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options)
    found: Runs = {}
    for n in SIZES:
        found[n] = []
        for word in WORDS:
            found[n].append(shape_of(session, {"x": np.zeros((n, 4), np.float32), "word": np.array([word])}))
    return found


def shape_of(session: onnxruntime.InferenceSession, feeds: dict[str, Any]) -> tuple[int, ...] | None:
    try:
        shape: tuple[int, ...] = session.run(["y"], feeds)[0].shape
    except Exception:  # whatever it says, the model doesn't run
        return None
    return shape


def contradictions(path: Path, runs: Runs, data: bool, counts: Counter[str]) -> Iterator[str]:
    """What check and bounds say that running shows to be otherwise."""
    dims = {"n": (SIZES.start, SIZES.stop - 1)}
    report, bounds = shapesmt.check(path, dims=dims, session="file"), shapesmt.bounds(path, dims=dims, session="file")
    counts[str(report.verdict)] += 1
    if not data:
        yield from misjudged(report, {n: found[0] is not None for n, found in runs.items()})
    yield from outside(bounds, runs, data)


def misjudged(report: Report, works: dict[int, bool]) -> Iterator[str]:
    expected = Verdict.PROVED if all(works.values()) else Verdict.DEPENDS if any(works.values()) else Verdict.FAILS
    open_ = any(f.verdict is Verdict.UNKNOWN for f in report.findings)  # then what may run isn't known to
    expected = Verdict.DEPENDS if open_ and report.verdict is Verdict.DEPENDS and not all(works.values()) else expected
    if report.verdict not in (expected, Verdict.UNKNOWN):
        yield f"{report.verdict}, but it runs at {[n for n, fine in works.items() if fine]}"
    region = report.precondition
    assert region is not None
    for n, fine in works.items():
        if region.exact and all(value(text, {"n": n}) for text in region.text) != fine:
            yield f"it {'runs' if fine else 'fails'} at {n}, against {region.text}"


def outside(bounds: Bounds, runs: Runs, data: bool) -> Iterator[str]:
    shapes = {shape for found in runs.values() for shape in found if shape is not None}
    if not bounds.valid:
        yield from ["bounds say that nothing runs"] * (bool(shapes) and not data)
        return
    known = bounds.tensors["y"].shape
    for shape in shapes if known is not None else ():
        pairs = list(zip(known or (), shape, strict=False))
        if len(shape) != len(known or ()) or any(s < d.min or (d.max is not None and s > d.max) for d, s in pairs):
            yield f"it makes {shape}, outside {known}"
    for axis, d in enumerate(known or () if shapes and not data else ()):
        sizes = [shape[axis] for shape in shapes]
        if d.exact and (min(sizes), max(sizes)) != (d.min, d.max):
            yield f"axis {axis} is {min(sizes)} to {max(sizes)}, not exactly {d}"
