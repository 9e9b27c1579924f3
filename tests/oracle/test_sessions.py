"""What is said of ONNX Runtime's default session, held against running it at every size.

A difference between the default session and the unoptimized one fails the test unless a record of
`shapesmt.operators.ops.session` states it. Graphs are drawn, and single operators with their attributes at the edges.
Run with `--full` for many more, with `--seed` for others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import numpy as np
import onnxruntime
import pytest

import shapesmt
from shapesmt.reports.answers import ModelWarning, Report
from tests.oracle.arithmetic import Case, drawn
from tests.oracle.edges import boxed, boxes
from tests.oracle.faults import lenient, odd
from tests.oracle.forked import results
from tests.oracle.growing import Grown
from tests.oracle.onnx_peer import OPEN
from tests.oracle.runner import Execution, assignments, value
from tests.oracle.test_operators import elements, feed, ones
from tests.support.sessions import LEVELS, Outcome, run_at, started
from tests.support.versions import require_runtime

DEFAULT, FULL = 60, 4000
ALONE, ROUNDS = 60, 5  # single operators; with --full, rounds through all their edges
Ran = list[tuple[dict[str, int], Outcome, Outcome]]


def runs_of(case: Case) -> Ran:
    """The sizes, with what the default session and the unoptimized one give there."""
    default, file = (started(case.model, level) for level in (LEVELS.ORT_ENABLE_ALL, LEVELS.ORT_DISABLE_ALL))
    each = [dict(sizes) for sizes in assignments(case.ranges)]
    return [(s, run_at(default, case.model, s), run_at(file, case.model, s)) for s in each]


def wrong_in(case: Case, counts: Counter[str]) -> Iterator[str]:
    """What is wrong, or isn't said, in the report on a model."""
    runs = runs_of(case)
    report = shapesmt.check(case.model, dims={name: f"0..{r[-1]}" for name, r in case.ranges.items()})
    counts["differ"] += any(default != file for _, default, file in runs)
    for w in report.warnings:
        yield from _warned(w, runs) if w.kind == "session" else ()
    yield from _found(report, runs)
    if report.verdict == "UNKNOWN" or report.precondition is None or not report.precondition.exact:
        counts["undecided"] += 1
        return
    yield from islice(_unsaid(case, report, runs), 1)


def _found(report: Report, runs: Ran) -> Iterator[str]:
    """What is wrong in findings about the session: at the counterexample it has to fail alone."""
    for f in report.findings:
        if f.kind == "session" and f.counterexample is not None:
            _, default, file = next(run for run in runs if run[0] == f.counterexample.symbols)
            if default is not None or file is None:
                yield f"{f.node} at {f.counterexample.symbols}: {default}, {file}"


def _unsaid(case: Case, report: Report, runs: Ran) -> Iterator[str]:
    """The sizes about which the report is wrong, or says nothing of a difference."""
    warnings = [w for w in report.warnings if w.kind == "session"]
    further = any(w.text.startswith("the file fails") for w in warnings)
    for sizes, default, file in runs:
        said = all(value(text, sizes) for text in report.precondition.text)
        if said != (default is not None and file is not None):
            yield f"{'runs' if said else 'fails'} at {sizes}: {default}, {file}"
        elif default is not None and file is None and not further:
            yield f"isn't said: at {sizes} only the session runs, and gives {default}"
        elif default is not None and file is not None and default != file:
            other = {o.name for o, a, b in zip(case.model.graph.output, default, file, strict=True) if a != b}
            if not other <= {w.tensor for w in warnings}:
                yield f"isn't said: at {sizes} the session gives {default}, the file {file}"


def _warned(w: ModelWarning, runs: Ran) -> Iterator[str]:
    """What is wrong in a warning: at its example the sessions have to differ."""
    assert w.example is not None
    found = next((run for run in runs if run[0] == w.example.symbols), None)
    if found is None or found[1] is None or found[1] == found[2]:
        yield f"{w.text}: {found}"
    elif w.text.startswith("the file fails"):
        made = ["x".join(map(str, shape)) or "scalar" for shape in found[1]]
        if found[2] is not None or not all(f" {shape}" in w.text for shape in made):
            yield f"{w.text}: {found}"


def judged(seed: int) -> tuple[Counter[str], list[str]]:
    """Count what the sessions do with the model of a seed, and list the wrong claims about it."""
    counts: Counter[str] = Counter()
    return counts, [f"seed {seed}: {text}" for text in wrong_in(drawn(seed), counts)]


def runs_alone(case: Grown) -> Ran:
    """The same for a single operator; nothing where a session has no kernel, or gives what ONNX doesn't define."""
    inputs = [Execution(case.model, of) for of in (feed, ones)]  # a factor that isn't positive is a fault of the data
    model, free = inputs[0].model, elements(inputs[0])[0]
    each = assignments({**{name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}, **free})
    if any(sign in inputs[0].refusal for sign in OPEN if inputs[0].whole is None):
        return []
    sessions = [started(model, level) for level in (LEVELS.ORT_ENABLE_ALL, LEVELS.ORT_DISABLE_ALL)]
    runs = []
    for sizes in each:
        with suppress(Undefined):
            runs.append((dict(sizes), *(_alone(session, inputs, sizes) for session in sessions)))
    return runs


class Undefined(Exception):  # noqa: N818 - it is about the runtime, not about us
    """A session has no kernel, or gives what ONNX doesn't define."""


def _alone(session: onnxruntime.InferenceSession | None, inputs: list[Execution], sizes: dict[str, int]) -> Outcome:
    """The shapes of the outputs, for the first of the inputs with which the session runs."""
    for execution in inputs if session is not None else ():
        [node], feeds = execution.model.graph.node, execution.feeds(sizes)
        try:
            made = session.run(None, feeds)
        except Exception as error:  # ONNX Runtime's own, of several kinds
            if any(sign in str(error) for sign in OPEN):
                raise Undefined from None
            continue
        values = {**execution.arrays, **feeds, **dict(zip([o for o in node.output if o], made, strict=True))}
        if any(value is None for value in made) or odd(node, values):
            raise Undefined
        return None if lenient(node, values) else [np.shape(output) for output in made]
    return None


def judged_alone(seed: int) -> tuple[Counter[str], list[str]]:
    """Count what the sessions do with the single operator of a seed, and list the wrong claims about it."""
    case = boxed(seed)
    runs, pinned = runs_alone(case), elements(Execution(case.model, feed))[1]
    counts = Counter(operators=1, executions=len(runs))
    report = shapesmt.check(case.model, dims=case.ranges, values=pinned)
    region = report.precondition
    if not runs or report.verdict == "UNKNOWN" or region is None or not region.exact:
        counts["undecided"] += bool(runs)
        return counts, []
    if report.assumed:  # of data, which may be wrong
        runs = [run for run in runs if None not in run or not all(value(text, run[0]) for text in region.text)]
    case = Case(case.model, {})
    return counts, [
        f"seed {seed} {case.model.graph.node[0].op_type}: {text}" for text in islice(_unsaid(case, report, runs), 1)
    ]


def test_sessions_that_differ_are_said(request: pytest.FixtureRequest, full: bool) -> None:
    require_runtime()
    first = request.config.getoption("--seed")
    counts, wrong = Counter[str](), list[str]()
    seeds = range(first, first + (FULL if full else DEFAULT))
    for result in results(judged, seeds):  # some kernels end the process where an axis is empty
        counts.update(("died",) if result is None else result[0])
        wrong += [] if result is None else result[1]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["differ"] >= len(seeds) // 30, counts
    assert counts["undecided"] + counts["died"] <= len(seeds) // 4, counts


def test_operators_alone_in_the_default_session(request: pytest.FixtureRequest, full: bool) -> None:
    require_runtime()
    count = len(boxes()) * ROUNDS if full else ALONE
    first = request.config.getoption("--seed") * len(boxes()) + 1
    counts, wrong = Counter[str](), list[str]()
    for result in results(judged_alone, range(first, first + count)):
        counts.update(("died",) if result is None else result[0])
        wrong += [] if result is None else result[1]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["executions"] > count, counts
    assert counts["undecided"] + counts["died"] <= count // 10, counts
