"""Many models, each checked as if alone, and reported in the order in which they were given."""

from __future__ import annotations

import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from shapesmt.analysis.verify import TIMEOUT, Question
from shapesmt.base.deadline import processor_time
from shapesmt.base.errors import UsageError, printable
from shapesmt.base.frozen import frozen
from shapesmt.entrypoints.api import FileOptions, asks, require_known
from shapesmt.entrypoints.fleet.answers import open_answers, prepare_folder
from shapesmt.entrypoints.fleet.identity import digest, process_identity
from shapesmt.entrypoints.fleet.names import models_in, options_for_all
from shapesmt.entrypoints.fleet.settled import Outcome, Settled, Wish, settle
from shapesmt.entrypoints.fleet.task import Arriving, Task, cached_answers, is_same
from shapesmt.reports.answers import BatchReport, Report, Tallying, altered

if TYPE_CHECKING:
    from distributed import Client
    from typing_extensions import Unpack

    from shapesmt.entrypoints.fleet.earlier import Earlier, Record
    from shapesmt.entrypoints.fleet.results import Results

READERS = 8  # threads that look whether models have changed, which may be remote
AT_ONCE = 32
"""Models looked up in the cache together; if it has none of them, the others are looked up when they are checked."""


@frozen()
class Plan:
    """The way in which many models are checked.

    Attributes:
        jobs: The number of models to check at once, each in its own process; with 1, this process checks them. None
            for this process until several are quicker, then for one per processor.
        cluster: A client of a Dask cluster whose workers check them, entered when the first model is to be checked;
            None for this machine.
        cache: The folder of cached answers, which workers of a cluster also read if they reach it; None for no cache.
        output: The file of results; None for none.
        resume: Whether to skip models with a report in the file of results, unless model or question has changed.
        fail_fast: Whether to stop at the first model that isn't proved.
        brief: Whether to drop the findings from the returned reports; a file of results still has them.
        begun: The `processor_time()` at which this process began what another one would have to repeat to be ready.
        say: Called with a line about anything that isn't done as asked.
    """

    jobs: int | None = None
    cluster: AbstractContextManager[Client] | None = None
    cache: str | os.PathLike[str] | None = None
    output: str | os.PathLike[str] | None = None
    resume: bool = False
    fail_fast: bool = False
    brief: bool = False
    begun: float = 0.0
    say: Callable[[str], object] = lambda text: warnings.warn(text, stacklevel=4)


@asks(FileOptions)
def check_many(
    models: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    strict: bool = False,
    samples: str | Iterable[str] = (),
    jobs: int | None = None,
    client: Client | None = None,
    cache: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    fail_fast: bool = False,
    done: Callable[[str], object] = str,
    **options: Unpack[FileOptions],
) -> BatchReport:
    """Check many models: files, folders, patterns such as `models/**/*.onnx`, and URLs.

    A declaration applies to the models that have its name, and at least one has to. If a process ends, its other models
    are checked again. `output` is a file of results with a line (`.jsonl`) or a row (`.parquet`) for each report; with
    `resume`, models with a report in it are skipped unless they have changed. `cache` is a folder of answers, found by
    the models' content. `done` is called with the path of each finished model. The other options are those of `check`.

    Several `jobs` are processes, and so are those that help this one without `jobs` where that is quicker: as with
    `multiprocessing`, a script has to call this function below `if __name__ == "__main__":`.

    Raises:
        UsageError: There are no such models, or a declaration applies to none of them.

    >>> check_many("examples/window_partition", dims={"height": "7..224:7", "width": "7..224:7"}, jobs=1).summary
    {'models': 2, 'proved': 2, 'unknown': 0, 'depends': 0, 'fails': 0, 'unchecked': 0}
    """
    begun = processor_time()
    named = [models] if isinstance(models, (str, os.PathLike)) else models
    require_known(options, FileOptions)
    paths = models_in(map(os.fsdecode, named), options.get("timeout", TIMEOUT))
    asked = options_for_all(paths, dict(options))
    applied, asked["shapes"] = asked.get("shapes") or {}, None
    question = Question(**asked, strict=strict, samples=samples)
    cluster = nullcontext(client) if client is not None else None
    plan = Plan(jobs, cluster, cache, output, resume, fail_fast, begun=begun)
    return check_all([Task(path, question, applied) for path in paths], plan, done)


def check_all(tasks: Sequence[Task], plan: Plan, done: Callable[[str], object] = str) -> BatchReport:
    """Check every task as planned and return the reports; `done` is called with the path of each finished task."""
    started = time.perf_counter()
    if plan.cache is not None:
        folder = prepare_folder(os.fsdecode(plan.cache))
        tasks = [task._replace(cache=folder) for task in tasks]
        if any(task.question.replay for task in tasks):
            raise UsageError("no answers of --replay are kept; leave --cache out")
    if plan.resume and plan.output is None:
        raise UsageError("resume goes on with a file of results: name it with output")
    trouble = process_identity().trouble if plan.cache is not None or plan.resume else ""
    if trouble:
        plan.say(f"every model is checked, and no answer goes into a cache: {printable(trouble, 300)}")
        tasks = [task._replace(cache="") for task in tasks]
    with ExitStack() as stack:
        run = _Run(tasks, plan, stack)
        for index, one in stack.enter_context(closing(run.arriving())):
            outcome = run.take(index, one)
            done(tasks[index].path)
            if plan.fail_fast and outcome.exit_status:
                break
    return run.report(time.perf_counter() - started)


class _Run:
    """The outcomes so far of a run over many models, with the results file and the cache that they are written to."""

    def __init__(self, tasks: Sequence[Task], plan: Plan, stack: ExitStack) -> None:
        self._tasks, self._plan = [task._replace(wish=Wish(plan.brief)) for task in tasks], plan
        self._prepared = processor_time() - plan.begun
        self._done: dict[int, Outcome] = {}
        self._tallying = Tallying()
        self._results: Results | None = None
        self._answers = stack.enter_context(open_answers(tasks[0].cache if tasks else "", writing=True))
        if plan.output is not None:
            self._begin(os.fsdecode(plan.output), stack)

    def _begin(self, output: str, stack: ExitStack) -> None:
        """Open the file of results; with `resume`, take over the reports that it has."""
        asked = {task.name: digest(task.question, task.shapes) for task in self._tasks}
        self._tasks = [task._replace(wish=Wish(self._plan.brief, asked[task.name])) for task in self._tasks]
        from shapesmt.entrypoints.fleet.results import open_results  # needed with an output only

        self._results = stack.enter_context(open_results(output))
        self._results.begin(self._resume(self._results.earlier(asked), output) if self._plan.resume else [])

    def _resume(self, earlier: Earlier, output: str) -> list[Record]:
        """Take earlier reports of unchanged models; return their records and those of models not checked now."""
        if earlier.damaged:
            what = "1 damaged line is" if earlier.damaged == 1 else f"{earlier.damaged} damaged lines are"
            self._plan.say(f"{what} left out of {printable(output)}")
        times = Counter([task.name for task in self._tasks])  # shortened names may be equal
        known = {
            index: earlier.known[task.name]
            for index, task in enumerate(self._tasks)
            if task.name in earlier.known and times[task.name] == 1
        }

        from concurrent.futures import ThreadPoolExecutor

        def still(index: int) -> bool:
            return is_same(self._tasks[index], known[index].content, known[index].beside)

        with ThreadPoolExecutor(READERS) as threads:
            same = zip(known, threads.map(still, known), strict=True)
            left = {index: known[index] for index, is_left in same if is_left}
        for index, one in left.items():
            report = replace(one.report, strict=self._tasks[index].question.strict)
            self._note(index, settle(report, Wish(self._plan.brief)))
        return [*earlier.others.values(), *(one.record for one in left.values())]

    def arriving(self) -> Arriving:
        """Yield the outcomes of the remaining tasks, as they arrive."""
        left = [index for index in range(len(self._tasks)) if index not in self._done]
        if self._plan.cache is not None:
            left = yield from self._cached_outcomes(left)
        with ExitStack() as stack:
            arriving = self._engine([self._tasks[index] for index in left], stack) if left else ()
            for place, one in arriving:
                yield left[place], one

    def _engine(self, tasks: Sequence[Task], stack: ExitStack) -> Arriving:
        """Return an iterator of outcomes as they arrive, from the cluster, from several processes or from this one."""
        if self._plan.cluster is not None:
            from shapesmt.entrypoints.fleet.workers.cluster import on_cluster

            arriving = on_cluster(tasks, stack.enter_context(self._plan.cluster))
        else:
            from shapesmt.entrypoints.fleet.workers.local import on_this_machine

            arriving = on_this_machine(tasks, self._plan.jobs, processor_time() - self._prepared)
        return stack.enter_context(closing(arriving))

    def _cached_outcomes(self, left: Sequence[int]) -> Generator[tuple[int, Settled], None, list[int]]:
        """Yield the cached outcomes, and return the indices of the tasks that remain."""
        remaining: list[int] = []
        for start in range(0, len(left), AT_ONCE):
            some = left[start : start + AT_ONCE]
            found = cached_answers([self._tasks[index] for index in some], self._answers)
            yield from ((index, one) for index, one in zip(some, found, strict=True) if one is not None)
            remaining += [index for index, one in zip(some, found, strict=True) if one is None]
            if not any(found):
                return remaining + list(left[start + AT_ONCE :])
        return remaining

    def take(self, index: int, one: Settled) -> Outcome:
        """Record and return the outcome of the task with this index; write it to the file of results and the cache."""
        if self._results is not None:
            self._results.write(one.line)
        if one.entry is not None:
            self._answers.keep(one.entry)
        return self._note(index, one)

    def _note(self, index: int, one: Settled) -> Outcome:
        if one.marks is not None and isinstance(one.outcome, Report):
            self._tallying.add(one.outcome, one.marks)
        outcome, expected = one.outcome, self._tasks[index].expect
        if expected and isinstance(outcome, Report):
            outcome = altered(outcome, expected=expected)
        elif expected:
            outcome = replace(outcome, expected=expected)
        self._done[index] = outcome
        return outcome

    def report(self, seconds: float) -> BatchReport:
        """Return the report on all finished tasks, in their order."""
        outcomes = tuple([self._done[index] for index in sorted(self._done)])
        tally = self._tallying.result() if self._plan.brief else None
        return BatchReport(outcomes, seconds, tally, len(self._tasks) - len(outcomes))
