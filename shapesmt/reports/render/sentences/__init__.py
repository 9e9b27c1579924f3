"""Sentences of a report, made of the facts that its fields hold, whenever one is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shapesmt.reports.answers import StaticAxis, facts
from shapesmt.reports.render.sentences import absence, advice, helping, titles, warnings

_TELLING: dict[type, Callable[[Any], Any]] = {
    facts.Broken: titles.broken,
    facts.Undecided: titles.undecided,
    facts.When: titles.when,
    facts.Mixed: titles.mixed,
    facts.Inside: lambda inside: f"inside {inside.path}",
    facts.Behind: lambda behind: f"and so are {behind.nodes} later nodes",
    facts.Absent: absence.absent,
    facts.Without: absence.without,
    facts.ToPlace: absence.to_place,
    facts.Stretched: warnings.stretched,
    facts.Contradicted: warnings.contradicted,
    facts.Untaken: warnings.untaken,
    facts.Unrun: warnings.unrun,
    facts.Reshaped: warnings.reshaped,
    facts.SharedOut: warnings.shared_out,
    facts.OneValue: warnings.one_value,
    facts.Large: warnings.large,
    facts.InSession: warnings.in_session,
    facts.Further: warnings.further,
    facts.OtherShape: warnings.other_shape,
    facts.Unread: warnings.unread,
    facts.Unnamed: warnings.unnamed,
    StaticAxis: warnings.static,
    facts.Needed: warnings.needed,
    facts.Hints: advice.hints,
    facts.Nearby: advice.nearby,
    facts.Doubt: advice.doubt,
    facts.ByData: helping.by_data,
    facts.Change: helping.change,
    facts.Numbers: helping.numbers,
    facts.Fixed: helping.fixed,
    facts.Offset: helping.offset,
    facts.Target: helping.target,
    facts.Rounded: helping.rounded,
    facts.Cut: helping.cut,
    facts.Scaled: helping.scaled,
    facts.Axes: helping.axes,
    facts.Relation: helping.relation,
    facts.Unlike: helping.unlike,
}


_FACTS = {kind for kind in vars(facts).values() if isinstance(kind, type) and kind.__module__ == facts.__name__}
_UNTOLD = {kind.__name__ for kind in _FACTS - {facts.Choice} - _TELLING.keys()}  # a choice is a part of `When`
if _UNTOLD:
    raise TypeError(f"no sentence for {', '.join(sorted(_UNTOLD))}")


def words(told: object) -> Any:
    """Return the sentence that tells facts; the sentences of `Hints`."""
    return _TELLING[type(told)](told)
