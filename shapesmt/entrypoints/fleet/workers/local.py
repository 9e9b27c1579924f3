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
from time import perf_counter
from typing import TYPE_CHECKING

from shapesmt.base.deadline import processor_time
from shapesmt.entrypoints.fleet.task import LARGEST, Arriving, Task, each_done, split
from shapesmt.frontends import is_url

if TYPE_CHECKING:
    from shapesmt.entrypoints.fleet.workers.processes import Crew

SMALL = 1 << 20  # bytes; a larger model may need so much memory that the system ends the process that checks it


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


class _Pace:
    """The time that this process needs for a model, and the part of a processor that it gets.

    The first model is measured alone: what it takes is mostly what another process needs until it is ready.
    """

    def __init__(self, begun: float) -> None:
        self._started, self._last = perf_counter(), begun
        self._first = self._sum = self._squares = 0.0  # seconds of processor time
        self._number = -1  # of the models after the first

    def note(self) -> None:
        """Measure the model that has just been checked."""
        now = processor_time()
        seconds, self._last = now - self._last, now
        self._number += 1
        if not self._number:
            self._started, self._first = perf_counter(), seconds
            return
        self._sum += seconds
        self._squares += seconds * seconds

    def pays(self, left: int, jobs: int) -> bool:
        """Whether `jobs` processes are expected to check the models that are left sooner than this one alone."""
        if self._number < 2:
            return False
        # if this process has to wait for a processor, so many of them are busy with other programs
        idle = jobs * min(1.0, self._sum / (perf_counter() - self._started))
        alone = left * self._least()
        return alone / max(1.0, idle) + self._first < alone

    def _least(self) -> float:
        """Return the mean of the models after the first, less its standard error: few models say little."""
        mean = self._sum / self._number
        variance = max(0.0, self._squares / self._number - mean * mean) / (self._number - 1)
        return max(0.0, mean - sqrt(variance))
