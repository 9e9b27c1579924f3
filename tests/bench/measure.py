"""Times of this process as medians of CPU time, which others on the machine don't change, and whole processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
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
    """Of a process from its start to its end: seconds, CPU seconds with those of its children, peak memory in bytes."""

    seconds: float
    cpu: float
    memory: int


def timed(call: Callable[[], object], repeats: int = REPEATS) -> Timing:
    first = _once(call)
    return Timing(first, first if first > ENOUGH else statistics.median(_once(call) for _ in range(repeats)))


def _once(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def processes(codes: Sequence[tuple[str, Sequence[str]]], repeats: int = REPEATS) -> list[Process]:
    """Python processes that run these codes, with `sys.argv[1:]` as given, by turns; the medians of each.

    A run before these compiles what they import, as an installer does.
    """
    for code, arguments in codes:
        _process(code, arguments)
    runs = [[_process(code, arguments) for code, arguments in codes] for _ in range(repeats)]
    return [_median(each) for each in zip(*runs, strict=True)]


def _process(code: str, arguments: Sequence[str]) -> Process:
    before, started = os.times(), time.perf_counter()
    words = [sys.executable, "-c", f"import sys\n{code}\n{PEAK}", *arguments]
    compiling = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run(words, capture_output=True, text=True, check=True, env=compiling)
    seconds, after = time.perf_counter() - started, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Process(seconds, cpu, int(ran.stderr.split()[-1]))


def _median(runs: Sequence[Process]) -> Process:
    seconds, cpu, memory = (statistics.median(values) for values in zip(*runs, strict=True))
    return Process(seconds, cpu, int(memory))
