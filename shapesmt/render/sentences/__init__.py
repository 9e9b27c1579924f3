"""Sentences of a report, made of the facts that its fields have until they are first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shapesmt import report
from shapesmt.render.sentences import advice, titles, warnings

_TELLING: dict[type, Callable[[Any], Any]] = {
    report.Broken: titles.broken,
    report.Undecided: titles.undecided,
    report.When: titles.when,
    report.Inside: lambda inside: f"inside {inside.path}",
    report.Behind: lambda behind: f"and so are {behind.nodes} nodes behind it",
    report.Stretched: warnings.stretched,
    report.Contradicted: warnings.contradicted,
    report.Untaken: warnings.untaken,
    report.Unrun: warnings.unrun,
    report.OneValue: warnings.one_value,
    report.Large: warnings.large,
    report.Unread: warnings.unread,
    report.Unnamed: warnings.unnamed,
    report.StaticAxis: warnings.static,
    report.Hints: advice.hints,
    report.Nearby: advice.nearby,
}


def words(told: object) -> Any:
    """Return the sentence that tells some report."""
    return _TELLING[type(told)](told)
