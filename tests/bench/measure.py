"""Times of this process as medians of CPU time, which others on the machine don't change, and whole processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

REPEATS = 5
ENOUGH = 2.0  # seconds: what takes longer is measured once

# Linux hands the peak of the process that started this one on to getrusage, so its own count comes first.
PEAK = """
import pathlib, resource
own = pathlib.Path("/proc/self/status")
lines = own.read_text().splitlines() if own.exists() else []
peak = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
peak += [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)]
print(peak[0], file=sys.stderr)
"""


class Timing(NamedTuple):
    """Seconds of the first call, and the median of those that follow."""

    first: float
    median: float


class Process(NamedTuple):
    """CPU seconds, its children's included, and peak memory in bytes of a process from its start to its end."""

    seconds: float
    memory: int


def timed(call: Callable[[], object], repeats: int = REPEATS) -> Timing:
    first = _once(call)
    return Timing(first, first if first > ENOUGH else statistics.median(_once(call) for _ in range(repeats)))


def _once(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def process(code: str, *arguments: str, repeats: int = REPEATS) -> Process:
    """A Python process that runs the code, with `sys.argv[1:]` as given; the medians."""
    measured = f"import sys\n{code}\n{PEAK}"
    runs = []
    for _ in range(repeats):
        before = os.times()
        ran = subprocess.run([sys.executable, "-c", measured, *arguments], capture_output=True, text=True, check=True)
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        runs.append(Process(seconds, int(ran.stderr.split()[-1])))
    return Process(statistics.median(r.seconds for r in runs), int(statistics.median(r.memory for r in runs)))
