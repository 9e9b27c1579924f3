"""The result of `check` for several models: a report for each, or the error that prevented one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.catalogue import Result
from shapesmt.reports.answers.data import OMIT_EMPTY, OMIT_NONE, Answer, Data, Json
from shapesmt.reports.answers.finding import FindingKind
from shapesmt.reports.answers.report import ERROR, Report, is_expected

_GRAVEST_LAST = (0, 3, 1, 2, 4)


def gravest(statuses: Iterable[int]) -> int:
    """Return the gravest of some exit statuses.

    >>> gravest([0, 3, 1]), gravest([])
    (1, 0)
    """
    return max(statuses, key=_GRAVEST_LAST.index, default=0)


@frozen()
class Unchecked(Data):
    """A model that could not be checked: it can't be read, the question makes no sense for it, or shapesmt failed.

    `error` says why, on one line.

    >>> Unchecked("m.onnx", "cannot read m.onnx: it is a folder, not a file").exit_status
    2
    """

    model: str
    error: str
    internal: bool = False
    """Whether the error is shapesmt's own fault."""
    expected: str = field(default="", metadata=OMIT_EMPTY)
    """As in a `Report`."""

    @property
    def exit_status(self) -> int:
        """2 if the user made a mistake, 4 if shapesmt failed; 0 if the settings expect that it can't be checked."""
        return 4 if self.internal else 0 if is_expected(ERROR, self.expected) else 2


@frozen()
class UncheckedLine(Unchecked):
    """A line of a file of results about a model that could not be checked."""

    schema: ClassVar[str] = "shapesmt/unchecked/1"

    asked: str = ""
    """The digest of the question."""


@frozen()
class ReportLine(Report):
    """A line of a file of results: a report, with what decides whether it can be used again.

    Attributes:
        asked: The digest of the question.
        content: The digest of the model's content; "" if it has none.
        beside: The external files that were read: name, offset, number of bytes, and their SHA-256.
    """

    asked: str = ""
    content: str = ""
    beside: tuple[tuple[str | int, ...], ...] = field(default=(), metadata=OMIT_EMPTY)


@frozen()
class Times(Data):
    """How often a law or an operator occurs in a tally: at how many nodes, and in how many models.

    `code` is the law's error code, "" for an operator.

    >>> Times("joined tensors match off the join axis", 4, 2, "SM103").to_dict()
    {'name': 'joined tensors match off the join axis', 'nodes': 4, 'models': 2, 'code': 'SM103'}
    """

    name: str
    nodes: int
    models: int
    code: str = field(default="", metadata=OMIT_EMPTY)


@frozen()
class Exported(Data):
    """The number of models written by one exporter, such as "pytorch 2.9": in all, and by verdict."""

    exporter: str
    models: int
    proved: int
    unknown: int
    depends: int
    fails: int


@frozen()
class Tally(Data):
    """Statistics of several reports: failing laws, the operators they fail at, operators without a rule, exporters.

    Laws and operators are sorted by their number of nodes, exporters by their number of models, the largest first.
    """

    laws: tuple[Times, ...] = ()
    operators: tuple[Times, ...] = ()
    without_rule: tuple[Times, ...] = ()
    exporters: tuple[Exported, ...] = ()


@frozen()
class Marks(Data):
    """The parts of a report that a tally counts: law, code and operator per failing node; operators without a rule."""

    failing: tuple[tuple[str, ...], ...] = field(default=(), metadata=OMIT_EMPTY)
    unruled: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)

    @classmethod
    def of(cls, report: Report) -> Marks:
        """Return the marks of a report that has its findings."""
        failing = [f for f in report.judged if f.verdict in (Verdict.FAILS, Verdict.DEPENDS)]
        unruled = [f.op_type for f in report.findings if f.kind is FindingKind.UNSUPPORTED]
        return cls(tuple([(f.law, f.code, f.op_type) for f in failing]), tuple(unruled))


class Tallying:
    """Counts reports one at a time for a `Tally`, without retaining them.

    >>> from shapesmt.reports.answers.report import Counts
    >>> tallying = Tallying()
    >>> tallying.add(Report("a.onnx", Verdict.PROVED, {}, Counts(), exporter="pytorch 2.9"))
    >>> tallying.result().exporters
    (Exported(exporter='pytorch 2.9', models=1, proved=1, unknown=0, depends=0, fails=0),)
    """

    def __init__(self) -> None:
        self._laws, self._operators, self._unruled = _Counted(), _Counted(), _Counted()
        self._exporters: dict[str, Counter[Verdict]] = {}

    def add(self, report: Report, marks: Marks | None = None) -> None:
        """Count one more report; `marks` replaces its findings if it has been stripped of them."""
        marks = Marks.of(report) if marks is None else marks
        self._exporters.setdefault(report.exporter or "unknown", Counter())[report.verdict] += 1
        self._laws.add([(law, code) for law, code, _ in marks.failing])
        self._operators.add([(op, "") for _, _, op in marks.failing])
        self._unruled.add([(op, "") for op in marks.unruled])

    def result(self) -> Tally:
        """Return the tally of the reports added so far."""
        exporters = [
            Exported(
                name,
                by.total(),
                *(by[verdict] for verdict in (Verdict.PROVED, Verdict.UNKNOWN, Verdict.DEPENDS, Verdict.FAILS)),
            )
            for name, by in self._exporters.items()
        ]
        exporters.sort(key=lambda e: (-e.models, e.exporter))
        return Tally(self._laws.most(), self._operators.most(), self._unruled.most(), tuple(exporters))


class _Counted:
    """Counts, for each pair of name and code, the nodes and the models in which it occurs."""

    def __init__(self) -> None:
        self.nodes: Counter[tuple[str, str]] = Counter()
        self.models: Counter[tuple[str, str]] = Counter()

    def add(self, names: list[tuple[str, str]]) -> None:
        if names:
            self.nodes.update(names)
            self.models.update(dict.fromkeys(names, 1))

    def most(self) -> tuple[Times, ...]:
        ranked = sorted(self.nodes, key=lambda key: (-self.nodes[key], -self.models[key], key))
        return tuple([Times(key[0], self.nodes[key], self.models[key], key[1]) for key in ranked])


@frozen()
class Change(Data):
    """A model whose answer isn't that of the baseline, and why.

    Attributes:
        model: Its path; of a missing one, relative to the folder of the baseline.
        state: "worse", "better" (a milder verdict), "no worse" (it runs where it ran, by another condition), "new" (the
            baseline doesn't have it), or "asked otherwise" (for other ranges, relations or options).
        reasons: The reasons, each in words.

    >>> Change("m.onnx", "worse", ("missing",)).to_dict()
    {'model': 'm.onnx', 'state': 'worse', 'reasons': ['missing']}
    """

    model: str
    state: str
    reasons: tuple[str, ...]


@frozen()
class Comparison(Data):
    """The comparison of several models with a baseline.

    Attributes:
        baseline: The name of the file.
        written: Whether it was written instead, or as well.
        changes: The models that differ from it, the worse ones first.
        same: The number of models that don't.
        exit_status: 1 if a model is worse, else the gravest status of those that are new or asked otherwise.
    """

    baseline: str
    written: bool
    changes: tuple[Change, ...]
    same: int
    exit_status: int


@frozen()
class Summary(Data):
    """The number of models in all and by verdict, and of those that could not be checked."""

    models: int
    proved: int
    unknown: int
    depends: int
    fails: int
    unchecked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJson(Data):
    """The answer of `check` for several models, as JSON: a report for each model that was checked.

    Attributes:
        left: The number of models left out because an earlier one failed.
        tally: The failing laws, operators and exporters over all models.
        unchecked: The models that could not be checked.
        comparison: The comparison with a baseline; null without one.
        seconds: The time that all took, in seconds.
    """

    schema: ClassVar[str] = "shapesmt/checks/1"

    summary: Summary
    left: int = field(default=0, metadata={"omit": (0,)})
    tally: Tally
    reports: tuple[Report, ...]
    unchecked: tuple[Unchecked, ...]
    comparison: Comparison | None = field(default=None, metadata=OMIT_NONE)
    seconds: float


@frozen()
class BatchReport(Answer):
    """The answer of `check` for several models, in the order of the question.

    >>> from shapesmt.reports.answers.report import Counts
    >>> batch = BatchReport((Report("a.onnx", Verdict.PROVED, {}, Counts()), Unchecked("b.onnx", "it is damaged")))
    >>> batch.to_dict()["summary"], batch.exit_status
    ({'models': 2, 'proved': 1, 'unknown': 0, 'depends': 0, 'fails': 0, 'unchecked': 1}, 2)
    """

    models: tuple[Report | Unchecked, ...]
    seconds: float = 0.0
    counted: Tally | None = None
    """The tally of the reports if these are without their findings, else None."""
    left: int = 0
    """The number of models left out because an earlier one failed."""
    comparison: Comparison | None = None
    """The comparison with a baseline; None without one."""

    @property
    def reports(self) -> tuple[Report, ...]:
        """The reports of the models that were checked."""
        return tuple(model for model in self.models if isinstance(model, Report))

    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """The models that could not be checked."""
        return tuple(model for model in self.models if isinstance(model, Unchecked))

    @property
    def unlike(self) -> tuple[Report, ...]:
        """The reports that aren't proved and, with a baseline, aren't as it has them, or better."""
        changed = (
            None
            if self.comparison is None
            else {change.model for change in self.comparison.changes if change.state not in ("better", "no worse")}
        )
        open_ = (report for report in self.reports if report.verdict is not Verdict.PROVED)
        return tuple(report for report in open_ if changed is None or report.model in changed)

    @property
    def summary(self) -> dict[str, int]:
        """The number of models by verdict."""
        verdicts = Counter(report.verdict for report in self.reports)
        tallies = {verdict.value.lower(): verdicts[verdict] for verdict in Verdict}
        return {"models": len(self.models), **tallies, "unchecked": len(self.unchecked)}

    @property
    def tally(self) -> Tally:
        """The failing laws, operators and exporters over all models."""
        if self.counted is not None:
            return self.counted
        tallying = Tallying()
        for report in self.reports:
            tallying.add(report)
        return tallying.result()

    @property
    def exit_status(self) -> int:
        """The gravest status of a model: 2 not checked, then 1 depends or fails, 3 undecided, 0 proved.

        An unchecked model outranks a failing one, since the answer is incomplete without it. With a baseline, the
        status is that of the comparison.
        """
        if self.comparison is not None:
            return self.comparison.exit_status
        return gravest(model.exit_status for model in self.models)

    def to_dict(self) -> Json:
        """Return the JSON of this object, with a report for each checked model."""
        return BatchJson(
            summary=Summary(**self.summary), left=self.left, tally=self.tally, reports=self.reports,
            unchecked=self.unchecked, comparison=self.comparison, seconds=self.seconds,
        ).to_dict()  # fmt: skip


AnyResult: TypeAlias = Result | BatchReport


def reports_in(result: AnyResult) -> tuple[Report, ...]:
    """Return the reports in a result of `check` for one model or several; () for the answer to another question."""
    if isinstance(result, BatchReport):
        return result.reports
    return (result,) if isinstance(result, Report) else ()


def unchecked_in(result: AnyResult) -> tuple[Unchecked, ...]:
    """Return the models of a result that could not be checked."""
    return result.unchecked if isinstance(result, BatchReport) else ()


def changes_in(result: AnyResult) -> tuple[Change, ...]:
    """Return the models of a result that differ from the baseline; () without one."""
    comparison = result.comparison if isinstance(result, BatchReport) else None
    return () if comparison is None else comparison.changes
