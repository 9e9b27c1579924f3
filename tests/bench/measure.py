"""CPU time, which others on the machine change little: of calls, of first calls in forked processes, of processes.

That of their children is counted, such as the solver's.
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
PEAK = "\nimport os\nif os.path.exists('/proc/self/status'): print(open('/proc/self/status').read(), file=sys.stderr)"
"""Prints the peak of a process itself: in getrusage it starts at that of the process that started this one."""


def by_turns(ways: Mapping[str, Callable[[], T]], repeats: int) -> dict[str, list[T]]:
    """Measure the calls by turns and return the results of each; a call that fails has none."""
    found: dict[str, list[T]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            with suppress(Exception):  # the peers raise whatever they like
                found[name].append(way())
    return found


def warm(call: Callable[[], object], repeats: int) -> float:
    """CPU seconds of a call that isn't the first: the median, with an equal share of the children's.

    The solver runs on from call to call, so that its time is known at the end.
    """
    call()
    before = _children()
    own = [_own(call) for _ in range(repeats)]
    return statistics.median(own) + (_children() - before) / repeats


def first(call: Callable[[], object]) -> float:
    """CPU seconds of a call in a process forked from this one.

    Its garbage collector ignores the objects that exist: those of all tools, of which a user has imported one.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            gc.freeze()
            os.write(writing, str(_own(call) + _children()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        seconds = said.read()
    os.waitpid(child, 0)
    return float(seconds)


def process(code: str, arguments: Sequence[str]) -> tuple[float, float]:
    """CPU seconds, and bytes at the peak if Linux tells them, of a process that runs Python code."""
    compiling = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    at: dict[str, Any] = {
        "cwd": tempfile.gettempdir(),
        "env": {**compiling, "PYTHONPATH": str(ROOT)},
    }  # where no configuration is
    before = _children()
    words = [sys.executable, "-c", f"import sys\n{code}{PEAK}", *arguments]
    ran = subprocess.run(words, capture_output=True, text=True, check=True, **at)
    peaks = [int(line.split()[1]) * 1024 for line in ran.stderr.splitlines() if line.startswith("VmHWM")]
    return _children() - before, sum(peaks)


def _own(call: Callable[[], object]) -> float:
    before = _used(resource.RUSAGE_SELF)
    call()
    return _used(resource.RUSAGE_SELF) - before


def _children() -> float:
    """CPU seconds of the processes that have ended, of which the solver is one."""
    if solver := sys.modules.get("shapesmt.prover.smt.process"):
        solver._CHILD.stop()
    return _used(resource.RUSAGE_CHILDREN)


def _used(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime
