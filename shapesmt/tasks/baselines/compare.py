"""Compare: what became worse or better of a model since a baseline was written.

A model is worse if an input for which it was proved to run no longer is one, which the model is asked itself; if its
verdict is graver for the same question; or if it has another interface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapesmt.analysis.verify import NO_OPTIONS, Question
from shapesmt.base.errors import printable
from shapesmt.network.declarations import Range
from shapesmt.prover.algebra import Verdict, conjunction
from shapesmt.reports.answers import (
    ERROR,
    GRAVEST_LAST,
    Change,
    Finding,
    ModelWarning,
    Precondition,
    Report,
    SymbolRange,
    TensorFacts,
    Unchecked,
)
from shapesmt.tasks.baselines.entries import Asked, Entry, Known

_ALWAYS = Precondition((), exact=True)


_USUAL = (None, "check", "default")


def entry_of(outcome: Report | Unchecked, question: Question = NO_OPTIONS) -> Entry:
    """Return what a baseline states of a model about which this was asked."""
    if isinstance(outcome, Unchecked):
        return Entry(ERROR)
    declared = {name: r for name, r in outcome.symbols.items() if r.source != "default"}
    samples = [s.symbol for s in (outcome.samples, *outcome.further_samples) if s is not None]
    uses = {"declared": question.declared, "guards": question.guards, "session": question.session}
    asked = Asked(
        {name: _range(declared[name]) for name in sorted(declared)}, tuple(sorted(outcome.assumptions)), tuple(samples),
        {name: use for name, use in uses.items() if use is not None and use not in _USUAL},
    )  # fmt: skip
    region = _ALWAYS if outcome.verdict is Verdict.PROVED else outcome.precondition
    known = {*map(_of_finding, outcome.findings), *map(_of_warning, outcome.warnings)}
    return Entry(
        outcome.verdict.value, asked, region, outcome.inputs, outcome.outputs,
        tuple(sorted(known, key=lambda k: (k.node, k.code, k.law, k.runs))),
    )  # fmt: skip


def _range(of: SymbolRange) -> str:
    return str(Range(of.min, of.max, of.step))


def _of_finding(finding: Finding) -> Known:
    return Known(finding.node, finding.code, finding.law, finding.holds_iff or "")


def _of_warning(warning: ModelWarning) -> Known:
    return Known(warning.node or warning.tensor, warning.code, "")


def change_of(
    before: Entry, outcome: Report | Unchecked, runs: Callable[[], bool], question: Question = NO_OPTIONS
) -> Change | None:
    """Return what changed of a model; None if nothing did.

    Args:
        before: The model's entry in the baseline.
        outcome: Its answer now.
        runs: Asks the model whether it still runs for all inputs for which the entry says that it did.
        question: What was asked of it.
    """
    now, name = entry_of(outcome, question), outcome.model
    if ERROR in (before.verdict, now.verdict):
        if before.verdict == now.verdict:
            return None
        why = f"{now.verdict}, was {before.verdict}"
        why += f": {printable(outcome.error, 400)}" if isinstance(outcome, Unchecked) else ""
        return Change(name, "worse" if now.verdict == ERROR else "better", (why,))
    asked_alike = before.asked == now.asked
    worse = [*_interface_changes(before, now)]
    if asked_alike and GRAVEST_LAST.index(now.verdict) > GRAVEST_LAST.index(before.verdict):
        worse.append(f"{now.verdict}, was {before.verdict}; {_told(now)}")
    proved = now.verdict == Verdict.PROVED and asked_alike
    same = asked_alike and before.inputs == now.inputs and (proved or before.ran == now.ran)
    if not worse and before.ran is not None and not same and not runs():
        worse.append(f"it is no longer proved where it ran, {_where(before)}; {_told(now)}")
    if worse:
        return Change(name, "worse", tuple(worse))
    if not asked_alike:
        why = f"{now.verdict} for these ranges, relations and options, was {before.verdict} for others"
        return Change(name, "asked otherwise", (why,))
    if now.verdict != before.verdict:
        return Change(name, "better", (f"{now.verdict}, was {before.verdict}; {_told(now)}",))
    if now.ran != before.ran:
        still = "" if before.ran is None else f", and where it ran before, {_where(before)}"
        return Change(name, "no worse", (f"{_told(now)}{still}",))
    return None


def _told(entry: Entry) -> str:
    ran = entry.ran
    return "no input is proved to run" if ran is None else f"it runs {_where(entry)}"


def _where(entry: Entry) -> str:
    return f"if {printable(conjunction(entry.ran), 400)}" if entry.ran else "for every input"


def _interface_changes(before: Entry, now: Entry) -> Iterator[str]:
    """Yield why a caller of the model has to change."""
    yield from (f"input {printable(name)} is new" for name in now.inputs if name not in before.inputs)
    for name, t in before.inputs.items():
        yield from _tensor_changes(f"input {printable(name)}", t, now.inputs.get(name))
    for name, t in before.outputs.items():
        yield from _tensor_changes(f"output {printable(name)}", t, now.outputs.get(name))
    for name in (name for name in before.inputs if name in now.inputs):
        pairs = zip(before.inputs[name].shape or (), now.inputs[name].shape or (), strict=False)
        for axis, (old, new) in enumerate(pairs):
            if new.isdecimal() and new not in (old, before.asked.ranges.get(old)):
                yield f"input {printable(name)}[{axis}] is {new}, was {printable(old, 100)}"


def _tensor_changes(title: str, before: TensorFacts, now: TensorFacts | None) -> Iterator[str]:
    """Yield how a tensor's type or rank changed."""
    if now is None or now.dtype != before.dtype:
        yield f"{title} is missing" if now is None else f"{title} is {_type(now)}, was {_type(before)}"
    elif None not in (now.shape, before.shape) and len(now.shape or ()) != len(before.shape or ()):
        yield f"{title} has rank {len(now.shape or ())}, had {len(before.shape or ())}"


def _type(t: TensorFacts) -> str:
    return t.dtype or "of unknown type"
