"""Cluster: check tasks on the workers of a Dask scheduler, which may come and go meanwhile.

Dask repeats the work of a worker that is gone. If it gives up a piece of work after several such workers, each model of
the piece is checked again at the end, one at a time, and reported if workers end again.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from shapesmt.base.errors import UsageError, printable
from shapesmt.entrypoints.fleet.answers import KEY
from shapesmt.entrypoints.fleet.identity import process_identity
from shapesmt.entrypoints.fleet.settled import Settled, unpickle_outcomes
from shapesmt.entrypoints.fleet.task import Arriving, Task, all_done, lost_outcome, split
from shapesmt.frontends import is_url

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 10  # seconds to wait for a scheduler's answer
_MOST = 1000  # pieces of work submitted at the same time
_PROCESSES = 4  # minimum number of processes to cut pieces for, as workers may join later
_GONE = "the scheduler is gone, and with it what isn't finished"


@contextmanager
def connect(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address for the block, and yield the client.

    Raises:
        UsageError: Dask isn't installed, or no scheduler answers.
    """
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host
    except ImportError:
        raise UsageError("--scheduler needs Dask: pip install 'shapesmt[dask]'") from None
    for name in ("distributed", *logging.root.manager.loggerDict):  # shapesmt itself reports errors, once
        if name.partition(".")[0] == "distributed":  # some loggers have their own levels
            logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        get_address_host(address)  # raises, while a client of a malformed address prints when it is deleted
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"no scheduler at {printable(address)}: {printable(reason, 200)}") from None
    try:
        yield client
    finally:
        with suppress(OSError):
            client.close(timeout=PATIENCE)


def on_cluster(tasks: Sequence[Task], client: Client) -> Arriving:
    """Yield the index and the outcome of each task, in the order in which the workers finish them.

    Raises:
        UsageError: The scheduler is gone, or a worker has no shapesmt, or other versions or rules than this process.
    """
    work = _Work([_with_absolute_paths(task) for task in tasks], client)
    try:
        yield from work.done()
    finally:
        work.cancel()


def _with_absolute_paths(task: Task) -> Task:
    """Return the task with absolute paths, as workers have other working directories."""
    place = task.path if is_url(task.path) else os.path.abspath(task.path)  # noqa: PTH100 - links stay as they are
    page = os.path.abspath(task.page) if task.page else ""  # noqa: PTH100 - as above
    return task._replace(place=place, page=page)


class _Work:
    """The pieces of work that the scheduler has."""

    def __init__(self, tasks: Sequence[Task], client: Client) -> None:
        from distributed import KilledWorker, as_completed

        self._tasks = tasks
        self._client = client
        self._killed = KilledWorker
        self._running = as_completed(loop=client.loop)
        self._pieces: dict[Any, range] = {}
        self._suspects: list[int] = []
        self._kept = any(task.cache for task in tasks)

    def done(self) -> Iterator[tuple[int, Settled]]:
        """Yield outcomes as they arrive; at the end, check again the tasks that ended several workers."""
        pieces = iter(split(len(self._tasks), max(_PROCESSES, self._processes())))
        for piece in islice(pieces, _MOST):
            self._submit(piece)
        for future in self._running:
            piece = self._pieces.pop(future)
            done = self._result(future)
            if done is None:
                self._suspects += piece
            else:
                yield from zip(piece, done, strict=True)
            for following in islice(pieces, 1):
                self._submit(following)
        for index in self._suspects:
            done = self._result(self._submit(range(index, index + 1)))
            gone = lost_outcome(self._tasks[index], "the workers that checked it ended")
            yield index, gone if done is None else done[0]

    def _processes(self) -> int:
        """Return how many pieces of work the connected workers do at once."""
        try:
            return sum(self._client.nthreads().values())
        except OSError:
            raise UsageError(_GONE) from None

    def _submit(self, piece: range) -> Any:
        # Dask searches everything but bytes for its own keys
        tasks = pickle.dumps(self._tasks[piece.start : piece.stop])
        future = self._client.submit(answers, tasks, _who(self._kept), pure=False)
        self._pieces[future] = piece
        self._running.add(future)
        return future

    def _result(self, future: Any) -> list[Settled] | None:
        """Return the outcomes of a piece of work; None if too many workers ended at it."""
        try:
            return unpickle_outcomes(future.result())
        except self._killed:
            return None
        except ImportError as error:
            raise UsageError(f"a worker can't import shapesmt: {printable(str(error), 200)}") from None
        except (CancelledError, OSError):
            raise UsageError(_GONE) from None

    def cancel(self) -> None:
        """Cancel the unfinished pieces."""
        if self._pieces:
            with suppress(Exception):  # the scheduler may be gone
                self._client.cancel(list(self._pieces), force=True)


def _who(kept: bool) -> tuple[str, ...]:
    """Return the parts of this process's identity; if answers are `kept` in a cache, also whether it signs them."""
    trust = f"a {KEY}" if os.environ.get(KEY) else f"no {KEY}"
    return *process_identity().parts, trust if kept else ""


def answers(tasks: bytes, asking: tuple[str, ...]) -> bytes:
    """Check pickled tasks on a worker, and return the pickled outcomes.

    `asking` is the identity of the asking process (see `_who`). Both arguments are the same in every version, so that
    each version can refuse the others.

    Raises:
        UsageError: The worker has other versions or rules than the asking process.
    """
    for theirs, ours in zip(_who(kept=bool(asking[-1])), asking, strict=False):
        if theirs != ours:
            raise UsageError(f"{_worker()} has {theirs} and this process has {ours}; install the same on both")
    return all_done(pickle.loads(tasks))  # noqa: S301 - Dask unpickles its messages itself


def _worker() -> str:
    from distributed import get_worker

    with suppress(ValueError):
        return f"the worker {get_worker().address}"
    return "a worker"
