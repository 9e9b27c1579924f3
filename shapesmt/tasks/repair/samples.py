"""Samples: whether a change lets the samples of what looks like a batch mix."""

from __future__ import annotations

from shapesmt.analysis.samples import samples_of
from shapesmt.analysis.verify import Examined

BRIEF = 1.0
"""Seconds of processor time to find where the samples are."""


def outputs_by_samples(a: Examined) -> dict[str, set[str]]:
    """Return the outputs whose samples are "apart", "shared", "mixed" or "unknown"; {} without a batch."""
    batch, judge = a.problem.batch, a.judge.within(BRIEF)
    if batch is None or a.examination.fails:
        return {}
    about = Examined(a.problem, a.examination, judge)
    samples = judge.deadline.attempt(lambda: samples_of(about, batch), None)
    found: dict[str, set[str]] = {}
    told = None if samples is None else judge.deadline.attempt(samples.answer, None)
    for output, answer in ({} if told is None else told.outputs).items():
        found.setdefault(answer.verdict, set()).add(output)
    return found
