"""Many models: each is checked as if alone, several in parallel, and reported in the order of the arguments.

Every worker is a process that takes one model after another and has a solver of its own. What ends a worker ends
one model's check, not the others'.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, NamedTuple, TypeAlias, cast

from shapesmt.errors import InternalError, ShapesmtError, UsageError, printable
from shapesmt.examine import Question, names_of, parse_value
from shapesmt.frontends import is_folder, load, opened
from shapesmt.language import Origin, names_in, parse_range, parse_shape, unknown_name
from shapesmt.report import BatchReport, Report, Unchecked

__all__ = ["Task", "check_all", "models_in", "shared", "usual_jobs"]

Options: TypeAlias = dict[str, Any]

PATIENCE = 5.0  # seconds in which a worker has to end itself and its solver before it is killed
_WORKER = (
    "import sys; del sys.path[0]; from shapesmt.cli.many import serve; serve()"  # not the working directory's modules
)


class Task(NamedTuple):
    """A model's path, the question about it, shapes that are used if it has such an input, and the path of its page."""

    path: str
    question: Question
    shapes: dict[str, str]
    page: str = ""


def models_in(paths: Iterable[str]) -> list[str]:
    """The models among the paths, and every `*.onnx` below folders among them, sorted; hidden folders are left out.

    Raises:
        UsageError: A folder has no such file, or standard input is among several models.
    """
    models: list[str] = []
    for path in paths:
        if path == "-":
            raise UsageError("- (standard input) can't be checked beside other models; give it alone")
        if not is_folder(path):
            models.append(path)
            continue
        below = [file for file in Path(path).rglob("*.onnx") if not _hidden(file.relative_to(path).parts)]
        if not below:
            raise UsageError(f"no *.onnx file in the folder {printable(path)}; name files, or a folder that has some")
        models += sorted(map(str, below))
    return list(dict.fromkeys(models))


def _hidden(parts: Sequence[str]) -> bool:
    return any(part.startswith(".") for part in parts)


def usual_jobs(models: int) -> int:
    """The number of processes: as many as processors, but no more than models."""
    return max(1, min(models, os.cpu_count() or 1))


def shared(paths: Sequence[str], options: Options) -> Options:
    """The options for several models: a declaration applies to the models that have its name, at least to one.

    Raises:
        UsageError: No model that can be read has the name, or the declaration can't be read.
    """
    dims = {
        name: replace(parse_range(spec, name), origin=Origin("--dim", needed=False))
        for name, spec in options.get("dims", {}).items()
    }
    values = {
        name: replace(parse_value(spec, name), origin=Origin("--value", needed=False))
        for name, spec in options.get("values", {}).items()
    }
    shapes: Mapping[str, str] = options.get("shapes", {})
    assume = dict.fromkeys(options.get("assume", ()), Origin("--assume", needed=False))
    for name, shape in shapes.items():
        parse_shape(shape, name)
    names = {("input dimension", name) for name in dims} | {("input", name) for name in shapes}
    names |= {("small input", name) for name in values}
    names |= {("symbol", name) for text in assume for name in names_in(text)}
    _require(names, paths)
    return {**options, "dims": dims, "values": values, "assume": assume}


def _require(names: set[tuple[str, str]], paths: Sequence[str]) -> None:
    """Read models until each name has occurred; raise for one that no model has."""
    known: dict[str, dict[str, None]] = {"input dimension": {}, "input": {}, "small input": {}, "symbol": {}}
    for path in paths if names else ():
        with suppress(ShapesmtError):
            graph = load(path)
            dims, elements = names_of(graph)
            known["input dimension"].update(dict.fromkeys(sorted(dims)))
            known["input"].update(dict.fromkeys(graph.inputs))
            known["small input"].update(dict.fromkeys(sorted({*elements, *graph.inputs})))
            known["symbol"].update(dict.fromkeys(sorted(dims | elements)))
        names = {(what, name) for what, name in names if name not in known[what]}
        if not names:
            return
    for what, name in sorted(names) if any(known.values()) else ():
        raise unknown_name(what, name, known[what], f"any of {len(paths)} models")


def check_all(tasks: Sequence[Task], jobs: int, done: Callable[[str], object] = str) -> BatchReport:
    """Check every model, `jobs` at a time; `done` is called with the path of each that is finished.

    With one job, the models are checked in this process.
    """
    started = time.perf_counter()
    outcomes: dict[int, Report | Unchecked] = {}
    for index, outcome in _outcomes(tasks, min(jobs, len(tasks))):
        outcomes[index] = outcome
        done(tasks[index].path)
    return BatchReport(tuple(outcomes[index] for index in range(len(tasks))), time.perf_counter() - started)


def _outcomes(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Report | Unchecked]]:
    """The index and the outcome of each task, in the order in which they finish."""
    if jobs <= 1:
        for index, task in enumerate(tasks):
            yield index, outcome(task)
            gc.collect()  # the command line has paused it
        return
    workers = _Workers()
    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {pool.submit(workers.run, task): index for index, task in enumerate(tasks)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:  # interrupted or not: none stays behind
        pool.shutdown(wait=False, cancel_futures=True)
        workers.stop()


def outcome(task: Task) -> Report | Unchecked:
    """The report of `check` for one model under its path, or the error that prevented it."""
    from shapesmt import api

    path = printable(task.path, 1000)
    try:
        model = opened(task.path)
        graph = load(model)
        shapes = {name: shape for name, shape in task.shapes.items() if name in graph.inputs}
        question = replace(task.question, shapes={**(task.question.shapes or {}), **shapes})
        asked = model if question.replay else graph
        if not task.page:
            return replace(api.checked(asked, question), model=path)
        from shapesmt.cli.html_files import write_page

        data = api.page_data(asked, question)
        return write_page(task.page, replace(data, report=replace(data.report, model=path)))
    except ShapesmtError as error:
        return Unchecked(path, printable(" ".join(str(error).split()), 1000))
    except MemoryError:
        return Unchecked(path, "there isn't enough memory")
    except Exception as error:  # one model's failure mustn't end the others'
        text = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
        return Unchecked(path, printable(f"internal error: {' '.join(text.split())}", 1000), internal=True)


class _Workers:
    """The worker processes, idle or with a task."""

    def __init__(self) -> None:
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._all: list[subprocess.Popen[bytes]] = []
        self._stopped = False

    def run(self, task: Task) -> Report | Unchecked:
        """The outcome of a task, from a worker that is idle or new."""
        try:
            worker = self._idle.get_nowait()
        except Empty:
            worker = self._start()
        try:
            pickle.dump(task, cast("IO[bytes]", worker.stdin))
            cast("IO[bytes]", worker.stdin).flush()
            outcome: Report | Unchecked = pickle.load(cast("IO[bytes]", worker.stdout))  # noqa: S301 - our own process
        except (OSError, EOFError, pickle.UnpicklingError):
            worker.kill()
            text = f"internal error: the process that checked it ended with status {worker.wait()}; out of memory?"
            return Unchecked(printable(task.path, 1000), text, internal=True)
        self._idle.put(worker)
        return outcome

    def _start(self) -> subprocess.Popen[bytes]:
        if self._stopped:
            raise EOFError
        worker = subprocess.Popen(  # noqa: S603 (this interpreter, our own code)
            [sys.executable, "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            start_new_session=True,  # an interrupt is for this process, which then ends them
        )
        self._all.append(worker)
        return worker

    def stop(self) -> None:
        """End every worker, and with it its solver."""
        self._stopped = True
        for worker in self._all:
            worker.terminate()  # one at work
            with suppress(OSError, ValueError):
                cast("IO[bytes]", worker.stdin).close()  # one that waits: a signal just before it reads wakes nobody
        for worker in self._all:
            _end(worker)


def _end(worker: subprocess.Popen[bytes]) -> None:
    """Wait for a worker that was told to end, and kill it after `PATIENCE`; its solver ends with it."""
    try:
        worker.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def serve() -> None:
    """Run as a worker: read tasks from standard input and write outcomes to standard output until the input ends."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that the solver is ended as well
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    with suppress(EOFError):
        while True:
            pickle.dump(outcome(pickle.load(sys.stdin.buffer)), answers)  # noqa: S301 - our own parent's
            answers.flush()
