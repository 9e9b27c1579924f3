"""Changes of a small constant that a node reads: one element, two that belong together, or their order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from shapesmt.network.graph import Literal
from shapesmt.operators.rules import FLOATS
from shapesmt.tasks.repair.candidates.site import Change, Site

MOST = 16
"""Elements; longer constants aren't changed."""
FAR = 2**31 - 1
"""Numbers from here on stand for an axis's end."""

UNREAD = "constants that nothing reads"
"""The key under which a graph remembers them."""

Values = Iterator[tuple[tuple[Any, ...], float]]


def constants(site: Site) -> Iterator[Change]:
    """Yield changes of each constant input with at most 16 elements: integers, or floats such as scales."""
    for index, name in enumerate(site.node.inputs):
        literal = site.literal(name) if name else None
        if literal is None or not literal.values or len(literal.values) > MOST or len(literal.shape) > 1:
            continue
        if literal.dtype in ("int64", "int32"):
            others = _integers(site, literal.values)
        elif literal.dtype in FLOATS and len(literal.values) > 1:
            others = _scales(literal.values)
        else:
            continue
        seen = {literal.values}
        for values, cost in sorted((*_unread(site, literal), *others), key=lambda other: other[1]):
            if values not in seen:
                seen.add(values)
                edit = site.with_constant(index, Literal(literal.dtype, literal.shape, values))
                yield site.change("constant", name, _shown(literal.values), _shown(values), edit, cost, index)


def _unread(site: Site, like: Literal) -> Values:
    """Yield the elements of other constants of the same type and shape that no node reads, as after an edit."""
    graph = site.graph
    if UNREAD not in graph.memory:
        names = (*graph.literals, *(name for node in graph.nodes if not node.inputs for name in node.outputs))
        left = (site.literal(name) for name in names if not graph.consumers(name) and name not in graph.outputs)
        graph.memory[UNREAD] = [literal for literal in left if literal is not None]
    for literal in graph.memory[UNREAD]:
        if (literal.dtype, literal.shape) == (like.dtype, like.shape) and literal.values:
            yield literal.values, 2.1


def _shown(values: tuple[Any, ...]) -> Any:
    return values if len(values) != 1 else values[0]


def _integers(site: Site, old: tuple[Any, ...]) -> Values:
    """Yield the elements of the constant with other integers, each time with the cost."""
    for i, n in enumerate(old):
        for new, cost in _numbers(site, n, len(old)) if abs(n) < FAR else ():
            if new != -1 or -1 not in (*old[:i], *old[i + 1 :]):
                yield _with(old, {i: new}), cost
    if len(old) > 1 and all(abs(n) < FAR for n in old):
        for i, j in combinations(range(len(old)), 2):
            yield from _pairs(site, old, i, j)
        yield from _parts(site, old)
    if len(old) > 3 and len(old) % 2 == 0:  # pairs in one order or the other
        yield old[::2] + old[1::2], 2.2
        yield tuple(n for pair in zip(old[: len(old) // 2], old[len(old) // 2 :], strict=True) for n in pair), 2.2
        yield old[1:] + old[:1], 3.0


def _pairs(site: Site, old: tuple[Any, ...], i: int, j: int) -> Values:
    """Yield constants with elements `i` and `j` exchanged, shifted by 1, halved and doubled, or with -1 moved."""
    m, n = old[i], old[j]
    yield _with(old, {i: n, j: m}), 2.4 + 0.01 * (j - i)
    yield _with(old, {i: m + 1, j: n - 1}), 3.0
    yield _with(old, {i: m - 1, j: n + 1}), 3.0
    if j == i + 1 and min(m, n) > 0:
        yield from ((_with(old, {i: 2 * m, j: n // 2}), 2.6) for _ in range(1 - n % 2))
        yield from ((_with(old, {i: m // 2, j: 2 * n}), 2.6) for _ in range(1 - m % 2))
    if -1 not in old and min(old) > 0:  # the batch, and what varies with the image
        yield from ((_with(old, {a: 0, b: -1}), 2.4 + 0.01 * (j - i)) for a, b in ((i, j), (j, i)))
    if min(m, n) == -1 and max(m, n) > 0:
        for size in (*site.sizes, 0):
            yield _with(old, {i: -1 if n == -1 else size, j: -1 if m == -1 else size}), 3.0


def _parts(site: Site, old: tuple[Any, ...]) -> Values:
    """Yield other sizes of parts, as of Split, whose sum is one of the sizes that clash."""
    total = sum(old)
    for size in site.sizes if min(old) > 0 else ():
        yield from ((_with(old, {i: n + size - total}), 2.5) for i, n in enumerate(old) if n + size > total != size)
        if size % len(old) == 0:
            yield (size // len(old),) * len(old), 2.4


def _numbers(site: Site, n: int, length: int) -> Iterator[tuple[int, float]]:
    """Yield (number, cost) for other values of an element `n` of a constant with `length` elements."""
    if length > 1 or n > 1:
        yield -1, 2.3
    if length > 1:
        yield 0, 2.2
    yield from ((n + by, 2.5) for by in (1, -1))
    yield from ((size, 2.5) for size in site.sizes)
    if abs(n) > 1:
        yield from ((n * 2, 2.8), (n // 2, 2.8))
    if length == 1 and abs(n) < 4:  # an axis or an index
        yield from ((n + by, 2.7) for by in (2, -2, 3))


def _scales(old: tuple[Any, ...]) -> Values:
    for i in range(len(old)):
        for j in range(len(old)):
            yield _with(old, {i: old[j]}), 2.0 + 0.01 * abs(i - j)
        for new in (old[i] * 2, old[i] / 2, old[i] - 1, old[i] + 1):
            if new > 0:
                yield _with(old, {i: new}), 2.8


def _with(values: tuple[Any, ...], new: dict[int, Any]) -> tuple[Any, ...]:
    return tuple(new.get(i, n) for i, n in enumerate(values))
