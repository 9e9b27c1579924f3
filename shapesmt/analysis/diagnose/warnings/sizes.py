"""Warnings about tensors with more elements than 32 bits can count."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator
from functools import partial
from math import inf, prod

from shapesmt.analysis.diagnose.warnings.common import Examples, producer_of, warning
from shapesmt.analysis.verify import Examination, Examined
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import (
    Assignment,
    Bound,
    Dim,
    Evaluator,
    at_most,
    memo,
    product,
)
from shapesmt.prover.algebra.growth import monotone
from shapesmt.prover.presolve import ascending, compute_once, decide
from shapesmt.reports.answers import ModelWarning, WarningKind, facts

__all__ = ["large"]

MOST_ELEMENTS = (1 << 31) - 1  # the most elements that a signed 32-bit index can count
_POINTS: dict[Hashable, Assignment | None] = memo("inputs with large tensors", {})
MAX_TRIED = 1 << 16  # the most inputs that are tried for one number of elements
MAX_LARGE = 4  # the most different tensors that are examined


def large(a: Examined, examples: Examples) -> Iterator[ModelWarning]:
    """Warn of the largest tensor with more elements than a signed 32-bit index can count, at a smallest such input."""
    examination, tensors = a.examination, a.examination.inference.tensors
    large = {t: most for t in dict.fromkeys(tensors.values()) if MOST_ELEMENTS < (most := _max_elements(t)) < inf}
    for t in sorted(large, key=large.__getitem__, reverse=True)[:MAX_LARGE]:
        size = product(t.dims)
        about = size, tuple(examination.narrowing.replacements.items())
        point = compute_once(_POINTS, examination.domain, about, partial(_overflow, size, examination))
        if point is not None:
            name = next(name for name, other in tensors.items() if other is t)
            shown, values = examples.counterexample_at(point, size.symbols)
            told = facts.Large(name, values.dim(size), shown)
            yield warning(WarningKind.SIZE, told, producer_of(a.problem.graph, name), tensor=name, example=shown)
            return


def _max_elements(t: Tensor) -> Bound:
    """Return an upper bound on the number of elements of a tensor; 0 if its shape is unknown."""
    most: Bound = 1
    for d in t.shape or ():
        most *= d.hi
    return most if t.shape is not None and t.is_tensor else 0


def _overflow(size: Dim, examination: Examination) -> Assignment | None:
    """Return an input with more elements than the limit, each dimension as small as possible; None if none is found."""
    if any(s.universal for s in size.symbols):
        return None
    domain = examination.narrowed
    symbols, facts = domain.closure(size.symbols)
    axes = {s: ascending(domain, s) for s in symbols}
    if not all(map(len, axes.values())):
        return None
    if facts or monotone(size) != 1:
        few = prod(map(len, axes.values())) <= MAX_TRIED
        decision = decide(domain, at_most(size, MOST_ELEMENTS)) if few else None
        return decision.counterexample if decision is not None else None
    point = {s: int(values[-1]) for s, values in axes.items()}
    if Evaluator(point).dim(size) <= MOST_ELEMENTS:
        return None
    for s, values in axes.items():
        at = bisect_left(values, True, key=lambda v: Evaluator({**point, s: int(v)}).dim(size) > MOST_ELEMENTS)
        point[s] = int(values[at])
    return point
