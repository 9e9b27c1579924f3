"""Testing: a helper for test suites that fails with the report unless a model is proved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shapesmt.analysis.verify import TIMEOUT, Question
from shapesmt.base.errors import one_frame
from shapesmt.entrypoints.api import answer_check
from shapesmt.frontends import Model
from shapesmt.network.declarations import RangeLike, ShapeLike, ValueLike
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report
from shapesmt.reports.render import lines


@one_frame
def assert_proved(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    declared: str = "check",
    session: str = "default",
    timeout: float = TIMEOUT,
) -> Report:
    """Return a model's report if it is proved, else raise AssertionError; the arguments are those of `check`.

    Raises:
        AssertionError: The model isn't proved, or is undecided; the message is the report.
        ModelError: The model can't be read.
        UsageError: A name doesn't exist, a range is malformed, or no input is admissible.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'''
    >>> assert_proved(model, assume=["n == m or m == 1"]).requirements.proved
    1
    >>> assert_proved(model, dims={"n": "2..8", "m": "2..8"})
    Traceback (most recent call last):
      ...
    AssertionError: DEPENDS <bytes>: 1 of 1 requirement fails for some n in 2..8, m in 2..8
    ...
    """
    __tracebackhide__ = True
    report = answer_check(model, Question(dims, shapes, values, assume, timeout, declared, session=session))
    if report.verdict is Verdict.PROVED:
        return report
    text = "\n".join(map(str, lines(report)))
    if report.verdict is Verdict.UNKNOWN:
        text = f"undecided, which proves nothing\n{text}"
    raise AssertionError(text)
