"""The laws of partial shapes: a lattice under `merge` and `relax`, and arithmetic that has exactly what can occur."""

from __future__ import annotations

import itertools
import operator

import pytest
from hypothesis import assume, given, strategies as st

from shapesmt import Dimension, PartialShape, ShapeMismatch
from shapesmt.network.declarations.ranges import LARGEST

MOST = 6  # of the ends of small intervals, all of whose sizes are tried
RANKS = 4


@st.composite
def bounded(draw, most=MOST):
    lo = draw(st.integers(0, most))
    return Dimension(lo, draw(st.integers(lo, most)))


SIZES = st.integers(0, LARGEST) | st.integers(0, 9)
dimensions = (
    st.builds(Dimension, SIZES, SIZES | st.none()) | st.builds(Dimension, SIZES) | bounded() | st.just(Dimension())
)


@st.composite
def shapes(draw, of=dimensions):
    """Shapes of known rank, or of an interval of ranks with some leading dimensions."""
    leading = [draw(of) for _ in range(draw(st.integers(0, RANKS)))]
    if draw(st.booleans()):
        return PartialShape(leading)
    ranks = Dimension(len(leading), draw(st.none() | st.integers(len(leading), RANKS + 2)))
    known = ",".join(map(str, leading))
    return PartialShape(f"[{known},... rank {ranks}]" if known else f"[... rank {ranks}]")


def sizes(d: Dimension) -> range:
    """The sizes of a small interval."""
    assert d.max_length is not None
    return range(d.min_length, d.max_length + 1)


def hull(found: list[int]) -> Dimension:
    return Dimension(min(found), max(found))


def met(a, b):
    """The merge, None where there is none."""
    try:
        return a.merge(b)
    except ShapeMismatch:
        return None


@given(dimensions)
def test_the_text_of_a_dimension_reads_back(d):
    assert Dimension(str(d)) == d == eval(repr(d))
    assert hash(Dimension(str(d))) == hash(d)


@given(shapes())
def test_the_text_of_a_shape_reads_back(s):
    assert PartialShape(str(s)) == s == eval(repr(s))
    assert hash(PartialShape(str(s))) == hash(s)


@pytest.mark.parametrize("values", [dimensions, shapes()], ids=["dimension", "shape"])
@given(data=st.data())
def test_refinement_is_a_partial_order(values, data):
    a, b, c = (data.draw(values) for _ in range(3))
    assert a.refines(a)
    assert not (a.refines(b) and b.refines(a)) or a == b
    assert not (a.refines(b) and b.refines(c)) or a.refines(c)
    assert a.refines(b) == b.relaxes(a)


@pytest.mark.parametrize("values", [dimensions, shapes()], ids=["dimension", "shape"])
@given(data=st.data())
def test_merge_is_the_meet(values, data):
    a, b, c = (data.draw(values) for _ in range(3))
    both = met(a, b)
    assert both == met(b, a)
    assert (both is not None) == a.compatible(b) == b.compatible(a)
    assert a.merge(a) == a
    if both is None:
        assert not (c.refines(a) and c.refines(b))
        return
    assert both.refines(a)
    assert both.refines(b)
    assert (c.refines(a) and c.refines(b)) == c.refines(both)
    assert (both == a) == a.refines(b)
    assert met(both, c) == (None if (rest := met(b, c)) is None else met(a, rest))


@pytest.mark.parametrize("values", [dimensions, shapes()], ids=["dimension", "shape"])
@given(data=st.data())
def test_relax_is_the_join(values, data):
    a, b, c = (data.draw(values) for _ in range(3))
    either = a.relax(b)
    assert either == b.relax(a)
    assert either.relaxes(a)
    assert either.relaxes(b)
    assert (c.relaxes(a) and c.relaxes(b)) == c.relaxes(either)
    assert either.relax(c) == a.relax(b.relax(c))
    assert a.relax(a) == a
    assert a.merge(either) == a
    assert not a.compatible(b) or a.relax(a.merge(b)) == a


@given(shapes())
def test_static_shapes_are_the_least(s):
    assert s.is_static != s.is_dynamic
    if s.is_static:
        assert PartialShape(s.to_shape()) == s
    else:
        with pytest.raises(ValueError, match="isn't"):
            s.to_shape()


CLIPPED = [
    (operator.add, lambda x, y: x + y),
    (operator.sub, lambda x, y: max(x - y, 0)),
    (operator.mul, lambda x, y: x * y),
    (operator.floordiv, lambda x, y: x // y if y else None),
]


@pytest.mark.parametrize(("on_intervals", "on_sizes"), CLIPPED, ids=lambda f: getattr(f, "__name__", ""))
@given(bounded(), bounded())
def test_arithmetic_is_the_hull_of_every_result(on_intervals, on_sizes, a, b):
    results = [r for x, y in itertools.product(sizes(a), sizes(b)) if (r := on_sizes(x, y)) is not None]
    if results:
        assert on_intervals(a, b) == hull(results)
    else:
        with pytest.raises(ZeroDivisionError):
            on_intervals(a, b)


@given(bounded(30), st.integers(1, 7))
def test_exact_division_has_every_quotient(a, divisor):
    quotients = [x // divisor for x in sizes(a) if x % divisor == 0]
    if quotients:
        assert a / divisor == hull(quotients)
    else:
        with pytest.raises(ShapeMismatch):
            a / divisor


@pytest.mark.parametrize(("on_intervals", "on_sizes"), CLIPPED, ids=lambda f: getattr(f, "__name__", ""))
@given(st.data(), st.builds(Dimension, st.integers(0, 99), st.none()), bounded() | st.just(Dimension(3, None)))
def test_what_has_no_end_has_none_after_arithmetic(on_intervals, on_sizes, data, a, b):
    assume(b != 0)
    for one, other in ((a, b), (b, a)):
        result = on_intervals(one, other)
        x, y = (data.draw(st.integers(d.min_length, d.max_length or 2**30)) for d in (one, other))
        size = on_sizes(x, y)
        assert size is None or result.relaxes(size)
        low = on_sizes(one.min_length, 2**40 if other.max_length is None else other.max_length)
        assert on_intervals is not operator.sub or result.min_length == low
    assert on_intervals(a, b).max_length is None


def broadcast(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...] | None:
    """Numpy's rule for two shapes."""
    n = max(len(x), len(y))
    x, y = (1,) * (n - len(x)) + x, (1,) * (n - len(y)) + y
    if any(a != b and 1 not in (a, b) for a, b in zip(x, y, strict=True)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(x, y, strict=True))


def concrete(shape: PartialShape, most: int, ranks: int) -> list[tuple[int, ...]]:
    """The shapes of up to this rank with sizes up to `most`."""
    found: list[tuple[int, ...]] = []
    for rank in range(shape.rank.min_length, min(shape.rank.max_length or ranks, ranks) + 1 if shape.rank != 0 else 1):
        found += itertools.product(*(range(most + 1) if d == Dimension() else sizes(d) for d in shape.merge_rank(rank)))
    return found


@given(bounded(), bounded())
def test_broadcasting_dimensions_has_exactly_what_can_occur(a, b):
    pairs = [(x, y) for x, y in itertools.product(sizes(a), sizes(b)) if broadcast((x,), (y,)) is not None]
    if not pairs:
        for fails in (a.broadcast_merge, a.broadcast_refine):
            with pytest.raises(ShapeMismatch):
                fails(b)
        return
    assert a.broadcast_merge(b) == hull([x if y == 1 else y for x, y in pairs])
    assert a.broadcast_refine(b) == hull([x for x, _ in pairs])
    stretched = [x for x, y in pairs if y in (1, x)]
    assert not stretched or a.stretch(b) == hull(stretched)


@given(shapes(bounded(2)), shapes(bounded(2)))
def test_broadcasting_shapes_has_exactly_what_can_occur(a, b):
    """Ranks up to 4 stand for unlimited ranks, and sizes up to 2 for unknown dimensions."""
    high = 4
    assume(len(a.leading) + len(b.leading) < high)
    assume(all(d.rank.max_length is None or d.rank.max_length <= high for d in (a, b)))
    left, right = concrete(a, 2, high), concrete(b, 2, high)
    assume(len(left) * len(right) < 40_000)
    results = {r for x, y in itertools.product(left, right) if (r := broadcast(x, y)) is not None}
    if not results:
        if all(d.rank.max_length is not None and d.rank.max_length <= high for d in (a, b)):
            with pytest.raises(ShapeMismatch):
                a.broadcast_merge(b)
        return
    result = a.broadcast_merge(b)
    assert result == b.broadcast_merge(a)
    for shape in results:
        assert result.relaxes(shape)
    least = [PartialShape(shape) for shape in results]
    assert result.rank.min_length == min(map(len, least))
    for i, d in enumerate(result.leading):
        column = [int(s[i]) for s in least]
        assert d.min_length == min(column)
        assert d.max_length is None or d.max_length == max(column)
