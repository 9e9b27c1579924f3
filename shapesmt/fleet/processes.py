"""Processes: tasks in this process, or in several on this machine, which survive that one of them ends.

Each process is the only one of a `ProcessPoolExecutor`, so that one that ends breaks no other's work: what it had is
done again by a new one, model by model, and a model at which it ends twice is reported.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import active_children, connection, get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from time import monotonic, sleep
from typing import Any

from shapesmt.errors import UsageError
from shapesmt.fleet.settled import Settled, unsealed
from shapesmt.fleet.task import LARGEST, Arriving, Task, all_done, each_done, lost, split

__all__ = ["in_processes", "in_turn", "usual_jobs"]

PATIENCE = 5.0  # seconds in which a process has to end itself and its solver before it is killed
STARTS = 2  # that are tried, since one may be killed meanwhile
_SETTINGS = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore:resource_tracker"}
"""Of processes that start: they take no modules from the working directory, and `multiprocessing`'s own one, which
removes what a process leaves that is killed, doesn't speak of it."""


def usual_jobs(models: int) -> int:
    """The number of processes: as many as processors, but no more than models."""
    return max(1, min(models, os.cpu_count() or 1))


def in_turn(tasks: Sequence[Task]) -> Arriving:
    """The index and the outcome of each task, one after the other in this process."""
    for index, answer in enumerate(each_done(tasks)):
        yield index, answer
        if index % LARGEST == LARGEST - 1:
            gc.collect(1)  # the command line has paused it


def in_processes(tasks: Sequence[Task], jobs: int) -> Arriving:
    """The index and the outcome of each task, in the order in which several processes finish them."""
    workers = _Workers()
    threads = ThreadPoolExecutor(jobs, initializer=_leave_interrupts)
    whole = False
    try:
        with _settings():
            pieces = split(len(tasks), jobs)
            futures = {threads.submit(workers.run, tasks[piece.start : piece.stop]): piece for piece in pieces}
            for future in as_completed(futures):
                piece = futures.pop(future)
                yield from zip(piece, future.result(), strict=True)
        whole = True
    finally:  # interrupted or not: none stays behind
        threads.shutdown(wait=False, cancel_futures=True)
        workers.stop(whole)


@contextmanager
def _settings() -> Iterator[None]:
    """Python processes that start inside have `_SETTINGS`."""
    before = {name: os.environ.get(name) for name in _SETTINGS}
    for name, value in _SETTINGS.items():
        os.environ[name] = ",".join(filter(None, [before[name] if name == "PYTHONWARNINGS" else None, value]))
    try:
        yield
    finally:
        for name, earlier in before.items():
            os.environ.pop(name)
            if earlier is not None:
                os.environ[name] = earlier


def _leave_interrupts() -> None:
    """Let the main thread handle them, which ends the processes that this thread starts: they get none."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # which would let them through again when it starts
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


class _Workers:
    """The worker of each thread."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._all: list[_Worker] = []
        self._stopped = False

    def run(self, tasks: Sequence[Task]) -> list[Settled]:
        """The outcomes of tasks, whatever happens to the process."""
        done = self._ask(tasks)
        if done is None and len(tasks) > 1:
            return [one for task in tasks for one in self.run([task])]
        if done is None:
            done = self._ask(tasks)
        return [lost(tasks[0], f"the process that checked it ended{self._own.worker.status}")] if done is None else done

    def _ask(self, tasks: Sequence[Task]) -> list[Settled] | None:
        """The outcomes; None where the process ends meanwhile."""
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None or worker.ended:
            self._own.worker = worker = _Worker()
            self._all.append(worker)
        return None if self._stopped else worker.ask(tasks)

    def stop(self, whole: bool) -> None:
        """End every process, and with it its solver; at once if the work isn't whole."""
        self._stopped = True
        for worker in self._all:
            worker.stop(at_once=not whole)
        for worker in self._all:
            worker.wait()


class _Worker:
    """One process."""

    def __init__(self) -> None:
        self.ended = False
        self.status = ""
        self._process: BaseProcess | None = None
        for _ in range(STARTS):
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), _begin)
            with suppress(BrokenProcessPool):
                pid = self._pool.submit(os.getpid).result()
                self._process = next((p for p in active_children() if p.pid == pid), None)
                return
        how = "no process could be started to check models in"
        raise UsageError(f'{how}; a script has to call it below `if __name__ == "__main__":`')

    def ask(self, tasks: Sequence[Task]) -> list[Settled] | None:
        """The outcomes; None where the process ends meanwhile."""
        try:
            answers: Future[bytes] = self._pool.submit(all_done, tasks)
            return unsealed(answers.result())
        except (BrokenProcessPool, SystemExit):
            self.ended = True
            self.stop(at_once=True)
            self.wait()
            return None

    def stop(self, *, at_once: bool) -> None:
        """Tell the process to end."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if at_once and self._process is not None:
            self._process.terminate()

    def wait(self) -> None:
        """Wait until the process has ended, and kill it after `PATIENCE`."""
        if self._process is None:
            return
        if not connection.wait([self._process.sentinel], PATIENCE):
            self._process.kill()
        self._process.join()
        status = _status(self._process)
        if status is not None:
            self.status = f" with status {status}"


def _status(process: BaseProcess) -> int | None:
    """Return the exit status of a process that has ended; None if it can't be read.

    A thread of the executor waits for the process, too: it may have taken the status and not stored it yet.
    """
    until = monotonic() + PATIENCE
    while process.exitcode is None and monotonic() < until:
        sleep(0.01)
    return process.exitcode


def _begin() -> None:
    """In a new process: end with the process that started it, and end the solver too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    sys.unraisablehook = _end_again
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_again(ignored: Any) -> None:
    """What Python calls where an exception is ignored: an exit is one where a callback or a finalizer runs."""
    if ignored.exc_type is SystemExit:
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGTERM)).start()
    else:
        sys.__unraisablehook__(ignored)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
