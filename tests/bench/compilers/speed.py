"""CPU time of a run on ONNX Runtime, with its optimizer: microseconds on one thread, medians of interleaved blocks.

The sizes are those of the last run that the manifest records in the declared ranges, or the least. `peer` compares with
the better peer, `before` with the file as it is; a small model's time is that of its nodes, not of large products.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from statistics import median
from typing import Any

import onnxruntime as ort

from tests.bench.compilers.runs import LEVELS, fed, points, session
from tests.bench.compilers.simplify import COLUMNS, variants
from tests.bench.models import Subject, listed, subject


def sizes_of(one: Subject, entry: Mapping[str, Any]) -> dict[str, int]:
    """At which sizes a model is timed."""
    recorded = [probe["shape"] for probe in entry.get("probes", ()) if probe["ok"]]
    inside = [
        shape for shape in recorded
        if all(lo <= shape.get(n, lo) <= (shape.get(n, lo) if hi is None else hi) for n, (lo, hi) in one.dims.items())
    ]  # fmt: skip
    valid = [sizes for sizes in inside if all(eval(relation, {}, sizes) for relation in one.assume)]
    return valid[-1] if valid else [*points(one, 63, 2)][-1]


def timed(
    runtimes: Mapping[str, ort.InferenceSession], inputs: Mapping[str, Any], options: argparse.Namespace
) -> dict[str, float]:
    """Microseconds of a run, by column."""
    taken: dict[str, list[float]] = {name: [] for name in runtimes}
    first = next(iter(runtimes.values()))
    started = time.process_time()
    for _ in range(5):
        first.run(None, dict(inputs))
    runs = max(1, int(options.block * 5 / max(1e-6, time.process_time() - started)))
    for block in range(options.medians + 1):
        for name, runtime in runtimes.items():
            started = time.process_time()
            for _ in range(runs):
                runtime.run(None, dict(inputs))
            if block:  # the first is to warm up
                taken[name].append((time.process_time() - started) / runs * 1e6)
    return {name: median(values) for name, values in taken.items()}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this table."""
    parser.add_argument("--medians", type=int, default=9, metavar="N", help="of which the median is taken")
    parser.add_argument("--block", type=float, default=0.05, metavar="SECONDS", help="how long one takes, about")


def main(options: argparse.Namespace) -> None:
    """Print a row for each model."""
    print(*(f"{name:>9}" for name in (*COLUMNS, "peer", "before")), " model")
    for path, entry in listed(options.folder, options.only):
        one = subject(path, entry)
        models, _ = variants(one, options.patience)
        runtimes = {name: session(m, LEVELS.ORT_ENABLE_ALL) for name, m in models.items() if m is not None}
        took = timed(runtimes, fed(runtimes["before"], sizes_of(one, entry), 0), options)
        best = min((took[name] for name in ("onnxsim", "onnxslim") if name in took), default=None)
        ours = took["simplify"]
        ratios = [f"{ours / other:.2f}" if other else "-" for other in (best, took["before"])]
        print(
            *(f"{took[n]:>9.0f}" if n in took else f"{'-':>9}" for n in COLUMNS),
            *(f"{r:>9}" for r in ratios),
            "",
            path.name,
            flush=True,
        )
