"""Interval arithmetic on integers, with `math.inf` for a missing bound.

An interval is a pair `(lo, hi)` with `lo <= hi`. Bounds exceeding `LIMIT` count as infinite, so that chains of
products can't grow numbers without limit.
"""

from __future__ import annotations

from math import inf

Bound = int | float
Interval = tuple[Bound, Bound]

ALL: Interval = (-inf, inf)
LIMIT = 1 << 96
MAX_BITS = 14_000  # of a number in an expression; longer ones raise errors. Python writes at most 4,300 digits


def clamp(lo: Bound, hi: Bound) -> Interval:
    """Return the interval, widened so that no finite bound exceeds `LIMIT`.

    >>> clamp(-(10**40), 10**40), clamp(10**40, 10**41) == (LIMIT, inf)
    ((-inf, inf), True)
    """
    return (-inf if lo < -LIMIT else min(lo, LIMIT), inf if hi > LIMIT else max(hi, -LIMIT))


def add(a: Interval, b: Interval) -> Interval:
    """Return the interval of `x + y` for x in a, y in b.

    >>> add((1, 2), (3, inf))
    (4, inf)
    """
    return clamp(a[0] + b[0], a[1] + b[1])


def scale(a: Interval, factor: int) -> Interval:
    """Return the interval of `factor * x` for x in a and a factor that isn't 0."""
    lo, hi = (x * factor if isinstance(x, int) else x if factor > 0 else -x for x in a)
    return clamp(lo, hi) if factor > 0 else clamp(hi, lo)


def multiply(a: Interval, b: Interval) -> Interval:
    """Return the interval of `x * y` for x in a, y in b; zero times infinity is zero.

    >>> multiply((0, inf), (-2, 3))
    (-inf, inf)
    >>> multiply((0, 0), (-inf, inf))
    (0, 0)
    """
    if a[0] >= 0 and b[0] >= 0:
        return clamp(_product(a[0], b[0]), _product(a[1], b[1]))
    ends = [_product(x, y) for x in a for y in b]
    return clamp(min(ends), max(ends))


def power(a: Interval, exponent: int) -> Interval:
    """Return the interval of `x ** exponent` for x in a and a positive exponent."""
    result = a
    for _ in range(exponent - 1):
        result = multiply(result, a)
    if exponent % 2 == 0 and a[0] < 0:
        result = (0 if a[1] >= 0 else max(result[0], 0), result[1])
    return result


def floor_divide(a: Interval, b: Interval) -> Interval:
    """Return the interval of `x // y` for x in a, y in b, with `x // 0 == 0`.

    >>> floor_divide((5, inf), (2, 2))
    (2, inf)
    >>> floor_divide((0, 9), (0, 4))
    (0, 9)
    """
    if b[0] > 0:
        ends = [_quotient(x, y) for x in a for y in b]
        return (min(ends), max(ends))
    if b[0] >= 0 and a[0] >= 0:
        return (0, a[1])
    most = max(abs(a[0]), abs(a[1]))
    return (-most, most)


def union(a: Interval, b: Interval) -> Interval:
    """Return the smallest interval that contains both."""
    return (min(a[0], b[0]), max(a[1], b[1]))


def _product(x: Bound, y: Bound) -> Bound:
    return x * y if x and y else 0


def _quotient(x: Bound, y: Bound) -> Bound:
    if y == inf:
        return 0 if x >= 0 else -1
    return x if x in (inf, -inf) else x // y
