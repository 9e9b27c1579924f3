"""Tally: what many models have in common: the laws that fail most, the operators, who exported them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from shapesmt.algebra import Verdict
from shapesmt.report.data import OMIT_EMPTY, Data
from shapesmt.report.finding import FindingKind
from shapesmt.report.report import Report

__all__ = ["Exported", "Tally", "Tallying", "Times"]


@dataclass(frozen=True, slots=True)
class Times(Data):
    """How many nodes something happens at, and in how many models; `code` is that of a law.

    >>> Times("joined tensors match off the join axis", 4, 2, "SM103").to_dict()
    {'name': 'joined tensors match off the join axis', 'nodes': 4, 'models': 2, 'code': 'SM103'}
    """

    name: str
    nodes: int
    models: int
    code: str = field(default="", metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class Exported(Data):
    """How many models an exporter wrote, by verdict."""

    exporter: str
    models: int
    proved: int
    unknown: int
    depends: int
    fails: int


@dataclass(frozen=True, slots=True)
class Tally(Data):
    """Of many reports: which laws fail and at which operators, which operators have no rule, who exported the models.

    Each is sorted by its number, the largest first.
    """

    laws: tuple[Times, ...] = ()
    operators: tuple[Times, ...] = ()
    without_rule: tuple[Times, ...] = ()
    exporters: tuple[Exported, ...] = ()


class Tallying:
    """A tally in the making, which holds none of the reports.

    >>> from shapesmt.report.report import Counts
    >>> tallying = Tallying()
    >>> tallying.add(Report("a.onnx", Verdict.PROVED, {}, Counts(), exporter="pytorch 2.9"))
    >>> tallying.result().exporters
    (Exported(exporter='pytorch 2.9', models=1, proved=1, unknown=0, depends=0, fails=0),)
    """

    def __init__(self) -> None:
        self._laws, self._operators, self._unruled = _Counted(), _Counted(), _Counted()
        self._exporters: dict[str, Counter[Verdict]] = {}

    def add(self, report: Report) -> None:
        """Count one more report."""
        self._exporters.setdefault(report.exporter or "unknown", Counter())[report.verdict] += 1
        failing = [f for f in report.judged if f.verdict in (Verdict.FAILS, Verdict.DEPENDS)]
        self._laws.add([(f.law, f.code) for f in failing])
        self._operators.add([(f.op_type, "") for f in failing])
        self._unruled.add([(f.op_type, "") for f in report.findings if f.kind is FindingKind.UNSUPPORTED])

    def result(self) -> Tally:
        """The tally of what was added."""
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
    """The nodes and the models of each name."""

    def __init__(self) -> None:
        self.nodes: Counter[tuple[str, str]] = Counter()
        self.models: Counter[tuple[str, str]] = Counter()

    def add(self, names: list[tuple[str, str]]) -> None:
        self.nodes.update(names)
        self.models.update(dict.fromkeys(names, 1))

    def most(self) -> tuple[Times, ...]:
        ranked = sorted(self.nodes, key=lambda key: (-self.nodes[key], -self.models[key], key))
        return tuple([Times(key[0], self.nodes[key], self.models[key], key[1]) for key in ranked])
