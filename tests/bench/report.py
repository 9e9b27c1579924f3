"""What is measured, as plain data: a part of it is one dictionary, which is JSON."""

from __future__ import annotations

import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeAlias

from tests.bench import measure
from tests.bench.measure import timed
from tests.bench.models import Subject, generated, subjects
from tests.bench.peers import OURS, PEERS, SLOW, installed, ours

Part: TypeAlias = dict[str, Any]
ROOT = Path(__file__).parents[2]
MOST = 1000  # nodes of a model on which slow peers are measured
CHECK = "from shapesmt.entrypoints.cli import main; sys.argv[1:1] = ['check']; assert main() in (0, 1, 3)"
INFER = """import onnx
model = onnx.load(sys.argv[1], load_external_data=False)
onnx.shape_inference.infer_shapes(model, data_prop=True)"""
GROWTH = (334, 1112)  # layers: 15,030 and 50,040 nodes
FLEET = 300  # models


def about() -> Part:
    """What was measured, where and when."""
    return {
        "commit": _git("rev-parse", "--short=10", "HEAD") + ("-changed" if _git("status", "--porcelain") else ""),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {platform.system()}",
        "versions": installed(),
    }


def _git(*words: str) -> str:
    ran = subprocess.run(["git", *words], capture_output=True, text=True, cwd=ROOT)
    return ran.stdout.strip() or ("unknown" if ran.returncode else "")


def parts(
    folder: str | None = None, only: str = "", repeats: int = 5, chosen: Iterable[str] = ()
) -> Iterator[tuple[str, Part]]:
    """Each part with its name, as soon as it is measured; those that are chosen, by default all."""
    measured = [s for s in subjects(folder) if only in s.name]
    ways: dict[str, Callable[[], Part]] = {
        "inference": lambda: inference(measured, repeats),
        "growth": lambda: growth(repeats),
        "process": lambda: processes(measured, repeats),
        "fleet": lambda: fleet(FLEET),
    }
    for name, way in ways.items():
        if name in (tuple(chosen) or ways):
            yield name, way()


def inference(measured: list[Subject], repeats: int) -> Part:
    """Milliseconds of each tool for each model, None where it fails or would take minutes."""
    tools = [name for name in PEERS if name in installed()]
    return {
        s.name: {"nodes": s.nodes, **{verb: _milliseconds(lambda v=verb, s=s: ours(v, s), repeats) for verb in OURS},  # type: ignore[misc]
                 **{name: _peer(name, s, repeats) for name in tools}}
        for s in measured
    }  # fmt: skip


def _peer(name: str, subject: Subject, repeats: int) -> float | None:
    if name in SLOW and subject.nodes > MOST:
        return None
    return _milliseconds(lambda: PEERS[name][2](subject), repeats)


def _milliseconds(prepare: Callable[[], Callable[[], object]], repeats: int) -> float | None:
    try:
        return round(1e3 * timed(prepare(), repeats).median, 3)
    except Exception:  # the peers raise whatever they like
        return None


def growth(repeats: int) -> Part:
    """Microseconds per node of decoders, the second more than three times as large as the first."""
    sizes = [generated(layers) for layers in GROWTH]
    return {
        str(s.nodes): {verb: round(1e6 * timed(ours(verb, s), repeats).median / s.nodes, 2) for verb in OURS}
        for s in sizes
    }


def processes(measured: list[Subject], repeats: int) -> Part:
    """Whole processes on a small, a middling and the largest model, ours and ONNX's by turns."""
    picked = sorted({len(measured) // 4, len(measured) // 2, len(measured) - 1}) if measured else []
    found: Part = {}
    for subject in (measured[i] for i in picked):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.onnx")
            path.write_bytes(subject.model.SerializeToString())
            options = [f"--dim={n}={lo}..{'' if hi is None else hi}" for n, (lo, hi) in subject.dims.items()]
            options += [f"--assume={text}" for text in subject.assume]
            ways = {"check": (CHECK, [str(path), *options]), "ONNX": (INFER, [str(path)])}
            runs = dict(zip(ways, measure.processes([*ways.values()], repeats), strict=True))
        found[subject.name] = {"nodes": subject.nodes} | {
            name: {"seconds": round(r.seconds, 3), "cpu": round(r.cpu, 3), "megabytes": round(r.memory / 1e6, 1)}
            for name, r in runs.items()
        }
    return found


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


def tail(part: Part) -> dict[str, Part]:
    """Of each tool the median, the 95th percentile and the maximum over models, in milliseconds; the models it did."""
    tools = dict.fromkeys(tool for row in part.values() for tool in row if tool != "nodes")
    tails: dict[str, Part] = {}
    for tool in tools:
        times = sorted(row[tool] for row in part.values() if row[tool] is not None)
        if times:
            high = times[min(len(times) - 1, round(0.95 * (len(times) - 1)))]
            tails[tool] = {"p50": statistics.median(times), "p95": high, "max": times[-1], "models": len(times)}
    return tails
