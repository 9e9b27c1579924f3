"""Ask: the question about memory, from callers and from the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shapesmt.algebra import one_call
from shapesmt.examine import TIMEOUT, Question, analysed
from shapesmt.footprint.footprint import Wanted, footprint
from shapesmt.frontends import Model
from shapesmt.language import RangeLike, ShapeLike, ValueLike
from shapesmt.report import Memory


def memory(
    model: Model,
    *,
    mode: str = "live",
    budget: str | int | None = None,
    greatest: str | None = None,
    at: Mapping[str, int] | None = None,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> Memory:
    """Compute the activation memory: the maximum over all valid inputs, at given sizes, and the inputs within a budget.

    `mode` says which tensors share a buffer: none ("live"), views too ("alias"), or also the results of operators that
    overwrite an operand ("inplace"). `budget` is "2GB", "512MiB" or a number of bytes. `greatest` is a dimension whose
    maximum within the budget is computed. `at` has sizes at which the bytes are computed, and where `greatest` looks.
    The other options are those of `check`.

    Example:
        >>> model = b'''<ir_version: 8, opset_import: ["":18]>
        ... g (float[n] x) => (float[n] y) { a = Abs(x) y = Exp(a) }'''
        >>> report = memory(model, budget=100, greatest="n", dims={"n": "1..64"})
        >>> report.worst.bytes, report.worst.formula, report.budget.text, report.max.value
        (512, '8*n', ('n <= 12',), 12)
    """
    return measured(model, Question(dims, shapes, values, assume, timeout), Wanted(mode, budget, greatest, at or {}))


@one_call()
def measured(model: Model, question: Question, wanted: Wanted) -> Memory:
    """Return the answer of `memory`."""
    return footprint(analysed(model, question), wanted)
