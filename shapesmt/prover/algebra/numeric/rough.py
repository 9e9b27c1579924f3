"""Rough numbers, such as logarithms: their last bits differ between runtimes, which few results depend on.

>>> from shapesmt.prover.algebra.numeric.floats import literal
>>> three, eight = (literal(number, "float32").unary(LOG) for number in (3, 8))
>>> is_rough(three), str(settled(three.floor(), [three])), settled((eight / three).floor(), [three, three])
(True, '1', None)
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import isclose, isfinite

from shapesmt.prover.algebra.dim import Dim
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.numeric.floats import Float, literal
from shapesmt.prover.algebra.numeric.steps import LOG, ROOT, Step

NEAR = 1e-4
"""Two numbers this near may be equal but for their last bits: relative to the greater one, or to 1."""


def is_rough(number: object) -> bool:
    """Whether it is a rough number, or computed from one."""
    return isinstance(number, Float) and not number.symbols and _takes(number, (LOG, ROOT))


def _takes(number: object, steps: Container[Step]) -> bool:
    """Whether one of these steps makes a float, or one of the floats from which it is computed."""
    if not isinstance(number, Float) or number.numerator is not None:
        return False
    return number.op in steps or any(_takes(part, steps) for part in number.args)


def settled(result: Dim | Float | None, operands: Sequence[Dim | Float | None]) -> Dim | Float | None:
    """Return the result of an operation on numbers, some of them rough; None if their last bits may decide it.

    They don't decide a comparison of numbers that are far enough apart, nor how a number is rounded that is no integer
    and no half, nearly. Numbers and sizes together are not known, except for logarithms of both.
    """
    of_sizes = [x for x in operands if x is None or x.symbols]
    if result is None or not all(_takes(x, (LOG,)) for x in of_sizes):
        return None
    if isinstance(result, Float) and not result.whole:
        return result
    if of_sizes:
        return None
    at = Evaluator({})
    first, *others = [float(at.dim(x) if isinstance(x, Dim) else x.value(at)) for x in operands if x is not None]
    if not isfinite(first):
        return None
    if any(isclose(first, n, rel_tol=NEAR, abs_tol=NEAR) for n in others or [round(2 * first) / 2]):
        return None
    return result if isinstance(result, Dim) else literal(float(result.value(at)), result.dtype)
