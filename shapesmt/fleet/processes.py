"""Processes: tasks in this process, or in several on this machine, which survive that one of them ends.

One that ends breaks no other's work: what it had is done again by a new one, model by model, and a model at which it
ends twice is reported. Nothing here needs a thread, which a system may refuse: the process that asks waits for
the answers of all of them at once.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from time import monotonic, sleep
from typing import Any

from shapesmt.errors import UsageError
from shapesmt.fleet.settled import Settled, unsealed
from shapesmt.fleet.task import LARGEST, Arriving, Task, all_done, each_done, lost, split

__all__ = ["in_processes", "in_turn", "usual_jobs"]

PATIENCE = 5.0  # seconds in which a process has to end itself and its solver before it is killed
_NOTHING = range(0)
_SETTINGS = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore:resource_tracker"}
"""Environment variables of the processes that are started: no module is imported from the working directory, and the
helper process of `multiprocessing`, which removes what a killed process left behind, prints no warning."""


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
    crew = _Crew(tasks, jobs)
    whole = False
    try:
        with _settings():
            yield from crew.arriving()
        whole = True
    finally:  # interrupted or not: none stays behind
        crew.stop(whole)


@contextmanager
def _settings() -> Iterator[None]:
    """Set `_SETTINGS` in the environment of the processes that are started inside."""
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


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that start inside get none: the one that starts them handles them, and ends the others."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would let them through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Crew:
    """The processes, and what they are at."""

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        self._tasks = tasks
        self._jobs = jobs
        self._left = deque(split(len(tasks), jobs))
        self._ended: set[range] = set()
        """The pieces of one task at which a process has ended."""
        self._workers: dict[Any, _Worker] = {}
        """The workers that haven't ended, by their connection."""
        self._failed = 0  # processes in a row that ended before they began

    def arriving(self) -> Arriving:
        """The index and the outcome of each task."""
        arrived: list[tuple[int, Settled]] = []
        while self._left or arrived or any(worker.piece or worker.again for worker in self._workers.values()):
            self._give()
            yield from arrived
            arrived = []
            if any(worker.piece is not None for worker in self._workers.values()):
                for end in connection.wait([*self._workers]):
                    arrived += self._taken(self._workers[end])

    def _give(self) -> None:
        """Give each worker that waits something to do, and start as many as there is work for."""
        for worker in self._workers.values():
            if worker.piece is None and (worker.again or self._left):
                piece = (worker.again or self._left).popleft()
                worker.ask(piece, self._tasks[piece.start : piece.stop])
        starting = sum(worker.piece == _NOTHING for worker in self._workers.values())
        for _ in range(min(len(self._left) - starting, self._jobs - len(self._workers))):
            self._start(())

    def _start(self, again: Iterable[range]) -> None:
        with _no_interrupts():
            worker = _Worker(again)
            self._workers[worker.end] = worker

    def _taken(self, worker: _Worker) -> list[tuple[int, Settled]]:
        """Yield the answers of a worker; if it has ended, its work is done again."""
        piece, answer = worker.take()
        if answer is not None:
            self._failed = 0
            return [*zip(piece, unsealed(answer), strict=True)] if piece else []
        del self._workers[worker.end]
        status = worker.ended()
        arrived: list[tuple[int, Settled]] = []
        again = [range(index, index + 1) for index in piece or ()]
        if piece == _NOTHING:
            self._failed += 1
            if self._failed > self._jobs:  # one may be killed meanwhile
                how = "no process could be started to check models in"
                raise UsageError(f'{how}; a script has to call it below `if __name__ == "__main__":`')
        elif piece is not None and piece in self._ended:
            how = f"the process that checked it ended{status}"
            arrived, again = [(piece.start, lost(self._tasks[piece.start], how))], []
        elif piece is not None and piece in again:
            self._ended.add(piece)
        if again or worker.again:
            self._start([*again, *worker.again])
        return arrived

    def stop(self, whole: bool) -> None:
        """End every process, and with it its solver; at once if the work isn't whole."""
        for worker in self._workers.values():
            worker.stop(at_once=not whole)
        for worker in self._workers.values():
            worker.wait()


class _Worker:
    """One process.

    Attributes:
        end: The end of the connection to it.
        piece: The indices of the tasks that it is at, `_NOTHING` while it starts; None where it waits for some.
        again: Those that it is given before others, since the process before it has ended at them.
    """

    def __init__(self, again: Iterable[range]) -> None:
        context = get_context("spawn")
        self.end, other = context.Pipe()
        self.piece: range | None = _NOTHING
        self.again = deque(again)
        self._process = context.Process(target=_serve, args=(other,))
        with other:  # which the process has a copy of
            self._process.start()

    def ask(self, piece: range, tasks: Sequence[Task]) -> None:
        """Have it check tasks."""
        self.piece = piece
        with suppress(ConnectionError):  # it has ended, which is seen when its answer is taken
            self.end.send(tasks)

    def take(self) -> tuple[range | None, bytes | None]:
        """Return the work of a worker and its answer; None if it has ended."""
        piece, self.piece = self.piece, None
        try:
            answer: bytes | Exception = self.end.recv()
        except (EOFError, OSError):
            return piece, None
        if isinstance(answer, Exception):
            raise answer
        return piece, answer

    def stop(self, *, at_once: bool) -> None:
        """Tell the process to end."""
        if at_once:
            self._process.terminate()
        self.end.close()

    def wait(self) -> None:
        """Wait until the process has ended, and kill it after `PATIENCE`."""
        if not connection.wait([self._process.sentinel], PATIENCE):
            self._process.kill()
        self._process.join()

    def ended(self) -> str:
        """How the process has ended, ` with status -9`, as far as that is known."""
        self.stop(at_once=True)
        self.wait()
        status = _status(self._process)
        return "" if status is None else f" with status {status}"


def _status(process: BaseProcess) -> int | None:
    """Return the exit status of a process that has ended; None if it can't be read.

    Another thread of this program may look for processes that have ended, too: it may have taken the status and not
    stored it yet.
    """
    until = monotonic() + PATIENCE
    while process.exitcode is None and monotonic() < until:
        sleep(0.01)
    return process.exitcode


def _serve(end: connection.Connection) -> None:
    """In a new process: say that it has begun, and check what is asked until the other end is closed."""
    with suppress(EOFError, OSError):
        end.send(_tried(_begin))
        while True:
            end.send(_tried(all_done, end.recv()))


def _tried(do: Callable[..., bytes], *arguments: Any) -> bytes | Exception:
    """Return the result of a function, or the exception that it raises."""
    try:
        return do(*arguments)
    except Exception as error:  # the process that asks says it
        return error


def _begin() -> bytes:
    """In a new process: end with the process that started it, and end the solver too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    sys.unraisablehook = _end_again
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    return b""


def _end_again(ignored: Any) -> None:
    """What Python calls where an exception is ignored: an exit is one where a callback or a finalizer runs."""
    if ignored.exc_type is SystemExit:
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGTERM)).start()
    else:
        sys.__unraisablehook__(ignored)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
