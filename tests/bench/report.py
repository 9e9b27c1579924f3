"""Measurements as plain data: each part is a dictionary by models, with a number for each tool."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from tests.bench import measure
from tests.bench.models import Subject, generated, subjects
from tests.bench.peers import BASE, OURS, calls, installed, ours

Part: TypeAlias = dict[str, Any]
MODELS = ("process", "memory", "first", "warm")
"""Parts about models."""
PARTS = ("process", "first", "warm", "growth", "fleet")  # in this order: a call leaves loaded what later ones need
CHECK = "from shapesmt.__main__ import run; sys.argv[1:1] = ['check']; assert run() in (0, 1, 3)"
INFER = """import onnx
model = onnx.load(sys.argv[1], load_external_data=False)
onnx.shape_inference.infer_shapes(model, data_prop=True)"""
SLOW = (15, 30)  # times as long as ONNX, and milliseconds: the most that a call of `check` should take
GROWTH = (334, 1112)  # layers: 15,030 and 50,040 nodes
FLEET = 300  # models


def about(folder: str | None, ranges: bool, repeats: int) -> Part:
    """Return the versions, the machine, the folder of models and the date of a run."""
    return {
        "commit": _git("rev-parse", "--short=10", "HEAD") + ("-changed" if _git("status", "--porcelain") else ""),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "folder": Path(folder).name if folder else None,
        "ranges": ranges,
        "repeats": repeats,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {platform.system()}, {os.cpu_count()} cores",
        "load": round(os.getloadavg()[0], 1),
        "versions": installed(),
    }


def _git(*words: str) -> str:
    ran = subprocess.run(["git", *words], capture_output=True, text=True, cwd=measure.ROOT)
    return ran.stdout.strip() or ("unknown" if ran.returncode else "")


def parts(
    folder: str | None, only: str, ranges: bool, repeats: int, chosen: Sequence[str] | None
) -> Iterator[tuple[str, Part]]:
    """Each part with its name, as soon as it is measured."""
    with tempfile.TemporaryDirectory() as place:
        asked = [
            s if ranges else replace(s, dims={}, assume=[]) for s in subjects(folder, Path(place)) if only in s.name
        ]
        ways: dict[str, Callable[[], Part]] = {
            "process": lambda: processes(asked, repeats),
            "first": lambda: {"first": {s.name: first(s, repeats) for s in asked}},
            "warm": lambda: {"warm": {s.name: warm(s, repeats) for s in asked}},
            "growth": lambda: {"growth": growth(Path(place), repeats)},
            "fleet": lambda: {"fleet": fleet(FLEET)},
        }
        for name in [name for name in PARTS if name in (chosen or PARTS)]:
            yield from ways[name]().items()


def processes(asked: list[Subject], repeats: int) -> Part:
    """Whole processes, ours and ONNX's: of each model the CPU milliseconds, and the megabytes."""
    found: Part = {"process": {}, "memory": {}}
    for s in asked:
        options = [f"--dim={n}={lo}..{'' if hi is None else hi}" for n, (lo, hi) in s.dims.items()]
        options += [f"--assume={text}" for text in s.assume]
        ways = {"check": partial(measure.process, CHECK, [str(s.path), *options]),
                BASE: partial(measure.process, INFER, [str(s.path)])}  # fmt: skip
        if not found["process"]:
            measure.by_turns(ways, 1)  # compiles what they import, as an installer does
        runs = measure.by_turns(ways, repeats)
        for k, (part, unit) in enumerate({"process": 1e3, "memory": 1e-6}.items()):
            found[part][s.name] = {tool: _median([run[k] for run in runs[tool]], unit) for tool in ways}
    return found


def first(subject: Subject, repeats: int) -> Part:
    """CPU milliseconds of a first call by each tool."""
    ways = {tool: partial(measure.first, call) for tool, call in calls(subject).items()}
    return {tool: _median(times, 1e3) for tool, times in measure.by_turns(ways, repeats).items()}


def warm(subject: Subject, repeats: int) -> Part:
    """CPU milliseconds of a later call by each tool."""
    ways = {tool: partial(measure.warm, call, repeats) for tool, call in calls(subject).items()}
    return {tool: _median(times, 1e3) for tool, times in measure.by_turns(ways, 1).items()}


def _median(values: list[float], unit: float) -> float | None:
    return round(statistics.median(values) * unit, 2) if values else None


def growth(folder: Path, repeats: int) -> Part:
    """Microseconds per node of decoders, the second more than three times as large as the first."""
    sizes = [generated(layers, folder) for layers in GROWTH]
    return {
        str(s.nodes): {verb: round(1e6 * measure.warm(ours(verb, s), repeats) / s.nodes, 2) for verb in OURS}
        for s in sizes
    }


def fleet(count: int) -> Part:
    """Models a second that one and two workers of a Dask scheduler check, and again with their answers kept.

    The wall clock decides, so that it needs a machine that does nothing else.
    """
    import shapesmt
    from shapesmt.entrypoints.fleet import connect
    from tests.entrypoints.fleet.cluster import cluster
    from tests.entrypoints.fleet.variants import write_variants

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        names = [str(folder / "models" / name) for name in write_variants(folder / "models", count)]
        found: Part = {"models": count}

        def rate(client: Any, cache: Path | None = None) -> float:
            started = time.perf_counter()
            shapesmt.check_many(names, client=client, cache=cache)
            return round(count / (time.perf_counter() - started), 1)

        for workers in (1, 2):
            (folder / str(workers)).mkdir()
            with cluster(folder / str(workers)) as started, connect(started.address) as client:
                for _ in range(workers):
                    started.worker()
                client.wait_for_workers(workers)
                rate(client)  # imports
                found[f"workers: {workers}"] = rate(client)
                if workers == 2:
                    rate(client, folder / "kept")
                    found["answers kept"] = rate(client, folder / "kept")
        return found


def summary(part: Part) -> dict[str, Part]:
    """Return each tool's median, 95th percentile, maximum, sum, ratio of sums to ONNX's, and number of models."""
    found: dict[str, Part] = {}
    for tool in dict.fromkeys(tool for row in part.values() for tool in row):
        did = {model: row[tool] for model, row in part.items() if row.get(tool) is not None}
        if did:
            times = sorted(did.values())
            both = [model for model in did if part[model].get(BASE)]
            found[tool] = {
                "models": len(did),
                "p50": statistics.median(times),
                "p95": times[round(0.95 * (len(times) - 1))],
                "max": times[-1],
                "sum": sum(times),
                "ratio": sum(did[m] for m in both) / sum(part[m][BASE] for m in both) if both else None,
            }
    return found


def slow(part: Part) -> list[str]:
    """The models for which `check` takes too long, the worst first."""
    ratios = {m: row["check"] / row[BASE] for m, row in part.items() if row.get("check") and row.get(BASE)}
    return sorted(
        (m for m, r in ratios.items() if r > SLOW[0] and part[m]["check"] > SLOW[1]), key=lambda m: -ratios[m]
    )
