"""Baseline: many models compared with what a file states of them, so that only what became worse fails."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from shapesmt.base.errors import ShapesmtError
from shapesmt.base.frozen import frozen
from shapesmt.entrypoints.fleet.task import Task
from shapesmt.frontends import ModelSource, is_url, model_file
from shapesmt.prover.algebra import name_text
from shapesmt.reports.answers import BatchReport, Change, Comparison, Report, TensorFacts, Unchecked, altered, gravest
from shapesmt.tasks.baselines import Entry, change_of, entry_of, read, write

OWN = ("new", "asked otherwise")
"""The changes after which a model counts by its own verdict."""
CONTRADICTED = 4  # the exit status of an answer that a run contradicts, and of an internal error
ORDER = ("worse", "asked otherwise", "new", "better", "no worse")


@frozen()
class Baseline:
    """A baseline and what it states, by the names of its models.

    Attributes:
        path: The file.
        entries: What it states; nothing if it is to be written for the first time.
        writing: Whether to write the answers into it instead of comparing them.
    """

    path: str
    entries: Mapping[str, Entry]
    writing: bool

    @staticmethod
    def open(path: str, *, writing: bool) -> Baseline:
        """Read a baseline; with `writing`, it need not exist.

        Raises:
            UsageError: It can't be read.
        """
        return Baseline(path, read(path) if os.path.lexists(path) or not writing else {}, writing)

    def take(self, batch: BatchReport, tasks: Sequence[Task], given: Sequence[str]) -> BatchReport:
        """Compare the answers with the baseline, or write them into it, and return the report with the comparison.

        Args:
            batch: The answers, one for each task.
            tasks: The models that were checked.
            given: The paths, folders and patterns for which they stand, by which a model may be missing.

        Raises:
            UsageError: The file can't be written.
        """
        return (self._write if self.writing else self._compare)(batch, tasks, given)

    def _compare(self, batch: BatchReport, tasks: Sequence[Task], given: Sequence[str]) -> BatchReport:
        """Return the report with its comparison."""
        changes = [Change(name, "worse", ("missing",)) for name in self._missing(tasks, given)]
        gone, own, models = len(changes), list[int](), list[Report | Unchecked]()
        for task, outcome in zip(tasks, batch.models, strict=True):
            change = self._change(task, outcome)
            changes += [] if change is None else [change]
            if outcome.exit_status == CONTRADICTED or (change is not None and change.state in OWN):
                own.append(outcome.exit_status)
            models.append(_marked(outcome, self.entries.get(self._name(task.path))))
        status = gravest([*own, *(1 for change in changes if change.state == "worse")])
        changes.sort(key=lambda change: (ORDER.index(change.state), change.model))
        same = len(tasks) - len(changes) + gone
        comparison = Comparison(Path(self.path).name, False, tuple(changes), same, status)
        return replace(batch, models=tuple(models), comparison=comparison)

    def _write(self, batch: BatchReport, tasks: Sequence[Task], given: Sequence[str]) -> BatchReport:
        """Write the answers into the file, and return the report; the file keeps models that weren't asked for."""
        missing = {*self._missing(tasks, given)}
        entries = {name: entry for name, entry in self.entries.items() if name not in missing}
        pairs = zip(tasks, batch.models, strict=True)
        entries |= {self._name(task.path): entry_of(outcome, task.question) for task, outcome in pairs}
        write(self.path, entries)
        status = CONTRADICTED if any(outcome.exit_status == CONTRADICTED for outcome in batch.models) else 0
        return replace(batch, comparison=Comparison(Path(self.path).name, True, (), len(tasks), status))

    def _change(self, task: Task, outcome: Report | Unchecked) -> Change | None:
        before = self.entries.get(self._name(task.path))
        if before is None:
            return Change(outcome.model, "new", (entry_of(outcome).verdict,))
        return change_of(before, outcome, partial(_still_runs, task, before, outcome), task.question)

    def _missing(self, tasks: Sequence[Task], given: Sequence[str]) -> list[str]:
        """Return the models that aren't there any more, though one of the given paths would have them."""
        checked = {self._name(task.path) for task in tasks}
        return [name for name in self.entries if name not in checked and _is_gone(name, self._folder, given)]

    @property
    def _folder(self) -> str:
        return os.path.dirname(os.path.abspath(self.path))  # noqa: PTH100, PTH120 - a link keeps its own folder

    def _name(self, path: str) -> str:
        return _name(path, self._folder)


def _name(path: str, folder: str) -> str:
    """Return the name of a model in a baseline: its path relative to the folder, with slashes; a URL as it is."""
    if is_url(path):
        return path
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(path).as_posix()


def _is_gone(name: str, folder: str, given: Sequence[str]) -> bool:
    """Whether a model that wasn't checked should have been: it isn't there, and one of the given paths has it."""
    if is_url(name):
        return any(name.startswith(one.rstrip("/") + "/") for one in given)
    full = os.path.normpath(Path(folder, name))
    wholes = [os.path.abspath(one) for one in given if not is_url(one)]  # noqa: PTH100 - a link keeps its own path
    below = any(full.startswith(one.rstrip(os.sep) + os.sep) or fnmatchcase(full, one) for one in wholes)
    return below and not Path(full).exists()


def _still_runs(task: Task, before: Entry, now: Report | Unchecked) -> bool:
    """Whether a model is proved to run wherever the baseline states that it did."""
    from shapesmt.entrypoints.api import Opened

    asked = before.asked
    axes = {axis for t in before.inputs.values() for axis in t.shape or ()}
    ranges = {name: text for name, text in asked.ranges.items() if name in axes}
    values = {name: text for name, text in asked.ranges.items() if name not in axes}
    question = task.question.again()
    try:
        model = ModelSource(question.read(lambda: model_file(task.place or task.path, weights=False)))
        shapes = _shapes(before.inputs, getattr(now, "inputs", {}))
        relations = (*asked.assume, *(before.ran or ()))
        question = replace(question, dims=ranges, values=values, assume=relations, shapes=shapes, replay=False)
        return Opened(model, question).proved
    except ShapesmtError:
        return False


def _shapes(before: Mapping[str, TensorFacts], now: Mapping[str, TensorFacts]) -> dict[str, tuple[str | int, ...]]:
    """Return the shapes that inputs had, for those that have others now."""
    return {
        name: tuple([int(axis) if axis.isdecimal() else name_text(axis) for axis in t.shape])
        for name, t in before.items()
        if t.shape is not None and name in now and now[name].shape != t.shape
    }


def _marked(outcome: Report | Unchecked, before: Entry | None) -> Report | Unchecked:
    """Return the outcome with the findings that the baseline has of the model."""
    if isinstance(outcome, Unchecked):
        return outcome
    findings = () if before is None else before.findings
    return altered(outcome, known=frozenset([(one.code, one.node, one.law) for one in findings]))
