"""Processes: check tasks in several processes on this machine.

If a process ends, a new one checks its models again, one at a time, and a model at which two processes end is reported.
The asking process waits for all answers at once instead of using threads, which a system may refuse.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import connection, get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from time import monotonic, sleep
from typing import Any

from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.fleet.settled import Settled, unpickle_outcomes
from shapesmt.entrypoints.fleet.task import Arriving, Task, all_done, lost_outcome, split

PATIENCE = 5.0  # seconds for a process to end itself and its solver before it is killed
_NOTHING = range(0)
_SETTINGS = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore:resource_tracker"}
"""Environment variables of child processes: modules aren't imported from the working directory, and the helper process
of `multiprocessing`, which removes what a killed process left behind, prints no warning."""

_NEEDED = ("shapesmt.entrypoints.api.opened",)
"""Modules that every check needs and that this one doesn't import."""


def in_processes(tasks: Sequence[Task], jobs: int) -> Arriving:
    """Yield the index and the outcome of each task, in the order in which several processes finish them."""
    with Crew(tasks, jobs, reversed(split(len(tasks), jobs))) as crew:
        yield from crew.arriving()


@contextmanager
def _settings() -> Iterator[None]:
    """Set `_SETTINGS` in the environment of processes that are started inside."""
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
    """Block interrupts in processes that are started inside: the asking process handles them, and ends the others."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it would unblock them
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Crew:
    """Child processes and their work; as a context manager, it leaves none behind, even after an interrupt.

    Args:
        tasks: The tasks.
        jobs: The number of processes.
        pieces: The pieces of work, last ones first; the asking process may take tasks of the first ones.
        modules: Modules that each process imports while it starts, if it finds them.
    """

    def __init__(self, tasks: Sequence[Task], jobs: int, pieces: Iterable[range], modules: Sequence[str] = ()) -> None:
        self._tasks = tasks
        self._jobs = jobs
        self._modules = modules
        self._left = deque(pieces)
        self._ended: set[range] = set()
        """Pieces of one task at which a process has ended."""
        self._workers: dict[Any, _Worker] = {}
        """The running workers, by their connections."""
        self._failed = 0  # consecutive processes that ended before they were ready
        self._whole = False

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        """End every process with its solver, at once unless the work is complete and it only waits for more."""
        for worker in self._workers.values():
            worker.stop(at_once=not self._whole or worker.piece is not None)
        for worker in self._workers.values():
            worker.wait()

    def take_next(self) -> bool:
        """Take the first task that is left for the asking process; False if none is left."""
        if self._left:
            piece = self._left.popleft()
            if len(piece) > 1:
                self._left.appendleft(piece[1:])
            return True
        return False

    def arrived(self, patience: float | None = 0) -> Arriving:
        """Yield the outcomes that have arrived, and give work to idle processes; None waits until there is one."""
        self._give()
        arrived: list[tuple[int, Settled]] = []
        if any(worker.piece is not None for worker in self._workers.values()):
            for end in connection.wait([*self._workers], patience):
                arrived += self._take_outcomes(self._workers[end])
        self._give()
        yield from arrived

    def arriving(self) -> Arriving:
        """Yield the index and the outcome of each task that is left."""
        while self._left or any(worker.piece or worker.again for worker in self._workers.values()):
            yield from self.arrived(None)
        self._whole = True

    def _give(self) -> None:
        """Give work to each idle worker, and start workers for the work that is left."""
        for worker in self._workers.values():
            if worker.piece is None and (worker.again or self._left):
                piece = worker.again.popleft() if worker.again else self._left.pop()
                worker.ask(piece, self._tasks[piece.start : piece.stop])
        starting = sum(worker.piece == _NOTHING for worker in self._workers.values())
        for _ in range(min(len(self._left) - starting, self._jobs - len(self._workers))):
            self._start(())

    def _start(self, again: Iterable[range]) -> None:
        with _settings(), _no_interrupts():
            worker = _Worker(again, self._modules)
            self._workers[worker.end] = worker

    def _take_outcomes(self, worker: _Worker) -> list[tuple[int, Settled]]:
        """Return the outcomes from a worker; if it has ended, start another that repeats its work."""
        piece, answer = worker.take()
        if answer is not None:
            self._failed = 0
            return [*zip(piece, unpickle_outcomes(answer), strict=True)] if piece else []
        del self._workers[worker.end]
        status = worker.wait_for_end()
        arrived: list[tuple[int, Settled]] = []
        again = [range(index, index + 1) for index in piece or ()]
        if piece == _NOTHING:
            self._failed += 1
            if self._failed > self._jobs:  # some may have been killed
                how = "no process could be started to check models in"
                raise UsageError(f'{how}; a script has to call it below `if __name__ == "__main__":`')
        elif piece is not None and piece in self._ended:
            how = f"the process that checked it ended{status}"
            arrived, again = [(piece.start, lost_outcome(self._tasks[piece.start], how))], []
        elif piece is not None and piece in again:
            self._ended.add(piece)
        if again or worker.again:
            self._start([*again, *worker.again])
        return arrived


class _Worker:
    """A child process that checks models.

    Attributes:
        end: The asking process's end of the connection.
        piece: The indices of the tasks that it works on; `_NOTHING` while it starts, None if it is idle.
        again: Pieces that it gets first, because the process before it ended at them.
    """

    def __init__(self, again: Iterable[range], modules: Sequence[str]) -> None:
        context = get_context("spawn")
        self.end, other = context.Pipe()
        self.piece: range | None = _NOTHING
        self.again = deque(again)
        self._process = context.Process(target=_serve, args=(other, modules))
        with other:  # the child has its own copy
            self._process.start()

    def ask(self, piece: range, tasks: Sequence[Task]) -> None:
        """Send tasks to the process."""
        self.piece = piece
        with suppress(ConnectionError):  # it has ended: `take` finds out
            self.end.send(tasks)

    def take(self) -> tuple[range | None, bytes | None]:
        """Return the piece of work and its pickled outcomes; None instead of outcomes if the process has ended."""
        piece, self.piece = self.piece, None
        try:
            answer: bytes | Exception = self.end.recv()
        except (EOFError, OSError):
            return piece, None
        if isinstance(answer, Exception):
            raise answer
        return piece, answer

    def stop(self, *, at_once: bool) -> None:
        """Close the connection, upon which the process ends; with `at_once`, terminate it."""
        if at_once:
            self._process.terminate()
        self.end.close()

    def wait(self) -> None:
        """Wait until the process has ended; kill it after `PATIENCE` seconds."""
        if not connection.wait([self._process.sentinel], PATIENCE):
            self._process.kill()
        self._process.join()

    def wait_for_end(self) -> str:
        """Wait for the end of the process, and return a text such as ` with status -9`; "" if the status is unknown."""
        self.stop(at_once=True)
        self.wait()
        status = _status(self._process)
        return "" if status is None else f" with status {status}"


def _status(process: BaseProcess) -> int | None:
    """Return the exit status of a process that has ended; None if it can't be read.

    Another thread of this program may collect ended processes too: it may have taken the status and not stored it yet.
    """
    until = monotonic() + PATIENCE
    while process.exitcode is None and monotonic() < until:
        sleep(0.01)
    return process.exitcode


def _serve(end: connection.Connection, modules: Sequence[str]) -> None:
    """Run a new process: report that it is ready, and check tasks until the other end is closed."""
    with suppress(EOFError, OSError):
        end.send(_result_or_error(_begin, modules))
        while True:
            end.send(_result_or_error(all_done, end.recv()))


def _result_or_error(do: Callable[..., bytes], *arguments: Any) -> bytes | Exception:
    """Return the result of a function, or the exception that it raises."""
    try:
        return do(*arguments)
    except Exception as error:  # the asking process raises it
        return error


def _begin(modules: Sequence[str] = ()) -> bytes:
    """Make a new process end with the process that started it, and end its solver on SIGTERM; import modules."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    sys.unraisablehook = _end_again
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    for name in (*_NEEDED, *modules):
        with suppress(ImportError):
            import_module(name)
    return b""


def _end_again(ignored: Any) -> None:
    """Handle an ignored exception: a SystemExit in a callback or a finalizer is repeated by another SIGTERM."""
    if ignored.exc_type is SystemExit:
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGTERM)).start()
    else:
        sys.__unraisablehook__(ignored)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
