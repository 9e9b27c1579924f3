"""Local: check tasks on this machine, in this process for as long as several aren't expected to be done sooner.

Starting a process costs as much as checking dozens of small models. The time until this process had checked its first
model says how much, the models after it say what the others will take.
"""

from __future__ import annotations

import gc
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from shapesmt.base.deadline import processor_time
from shapesmt.entrypoints.fleet.task import LARGEST, Arriving, Task, each_done, split
from shapesmt.frontends import is_url

if TYPE_CHECKING:
    from shapesmt.entrypoints.fleet.workers.processes import Crew

SMALL = 1 << 20  # bytes; a larger model may need so much memory that the system ends the process that checks it
WATCHED = 20
"""One of so many models, for each other process, is checked before these are asked to help: the first ones say little,
and at most a tenth of the time is lost."""


def on_this_machine(tasks: Sequence[Task], jobs: int | None, begun: float) -> Arriving:
    """Yield the index and the outcome of each task, in the order in which they finish.

    Args:
        tasks: The tasks.
        jobs: The number of processes that check them, 1 for this one; None for this one until several are quicker.
        begun: The `processor_time()` at which this process began what another one would have to repeat to be ready.
    """
    number = min(jobs or os.cpu_count() or 1, len(tasks))
    if number == 1:
        return _in_turn(tasks)
    if jobs is None and not _is_child() and all(map(_is_small, tasks)):
        return _where_it_pays(tasks, number, begun)
    from shapesmt.entrypoints.fleet.workers.processes import in_processes

    return in_processes(tasks, number)


def _in_turn(tasks: Sequence[Task]) -> Arriving:
    """Yield the outcome of each task, checked one after another in this process."""
    for index, answer in enumerate(each_done(tasks)):
        yield index, answer
        if index % LARGEST == LARGEST - 1:
            gc.collect(1)  # the command line has paused automatic collections


def _where_it_pays(tasks: Sequence[Task], jobs: int, begun: float) -> Arriving:
    """Yield the outcome of each task, checked in this process, and in others as well once that is quicker."""
    pace, before = _Pace(begun), {*sys.modules}
    with ExitStack() as stack:
        crew = None
        for index, answer in _in_turn(tasks):
            pace.note()
            yield index, answer
            left = range(index + 1, len(tasks))
            if crew is None and pace.pays(len(left), min(jobs, len(left))):
                crew = stack.enter_context(_helpers(tasks, left, min(jobs, len(left)), before))
            if crew is not None:
                yield from crew.arrived()
                if not crew.take_next():
                    break
        if crew is not None:
            yield from crew.arriving()


def _helpers(tasks: Sequence[Task], left: range, jobs: int, before: set[str]) -> Crew:
    """Return processes for what is left, which this one works on too; they import what it imported since `before`."""
    from shapesmt.entrypoints.fleet.workers.processes import Crew

    pieces = [left[piece.start : piece.stop] for piece in split(len(left), jobs)]
    modules = [name for name in sys.modules if name.startswith("shapesmt.") and name not in before]
    return Crew(tasks, jobs - 1, pieces, modules)


def _is_child() -> bool:
    """Whether `multiprocessing` started this process; it may run a script again, and then refuses to start others."""
    if "multiprocessing" not in sys.modules:
        return False
    from multiprocessing import parent_process

    return parent_process() is not None


def _is_small(task: Task) -> bool:
    """Whether checking a task neither takes much memory nor runs the model, and writes no page."""
    if task.question.replay or task.page or is_url(task.path):
        return False
    with suppress(OSError, ValueError):
        status = os.stat(task.path)  # noqa: PTH116 - `pathlib` is slower
        return stat.S_ISREG(status.st_mode) and status.st_size <= SMALL
    return True  # it can't be read


def waited() -> float:
    """Return the seconds for which this thread waited for a processor; 0 on systems other than Linux."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


class _Pace:
    """The processor time that this process needs for a model, and how long it has to wait for a processor."""

    def __init__(self, begun: float) -> None:
        self._begun = self._last = begun
        self._waited = waited()
        self._sums: list[float] = []
        """The seconds of processor time of the models after the first, summed up to each of them."""
        self._squares: list[float] = []

    def note(self) -> None:
        """Measure the model that has just been checked; the first one takes the imports with it."""
        now = processor_time()
        if self._sums:
            seconds = now - self._last
            self._sums.append(self._sums[-1] + seconds)
            self._squares.append(self._squares[-1] + seconds * seconds)
        else:
            self._sums, self._squares = [0.0], [0.0]
        self._last = now

    def pays(self, left: int, jobs: int) -> bool:
        """Whether `jobs` processes are expected to check the models that are left sooner than this one alone."""
        number = len(self._sums) - 1
        if number < 3 or number * WATCHED * (jobs - 1) < left:
            return False
        work, waiting, each = self._last - self._begun, waited() - self._waited, self._least()
        start = work - number * each  # to import, and to check the first models of their kind
        # while all processors are busy with other programs, this process gets one for `jobs` of `jobs + 1` seconds
        busy = min(1.0, (jobs + 1) * waiting / (work + waiting))
        return left * each / (1 + (jobs - 1) * (1 - busy)) + start < left * each

    def _least(self) -> float:
        """Return the mean of the latter half of the models, less its standard error: few models say little."""
        half = (len(self._sums) - 1) // 2
        number = len(self._sums) - 1 - half
        mean = (self._sums[-1] - self._sums[half]) / number
        variance = max(0.0, (self._squares[-1] - self._squares[half]) / number - mean * mean) / (number - 1)
        return max(0.0, mean - sqrt(variance))
