"""Lists of elements, rearranged as numpy rearranges arrays of them."""

from __future__ import annotations

from random import Random

import numpy as np

from shapesmt.operators.rules import Listed
from shapesmt.operators.rules.value import extremes
from shapesmt.prover.algebra import const, position, symbol
from tests.support.each import each


def drawn(random: Random, shape: tuple[int, ...]) -> Listed:
    size = int(np.prod(shape))
    return Listed(shape, tuple(random.choice([None, const(i)]) for i in range(size)))


def same(known: Listed | None, array: object) -> bool:
    assert known is not None
    return known.shape == np.shape(array) and known.items == tuple(np.ravel(np.asarray(array, dtype=object)).tolist())


@each("seed", range(200), "seed {}".format)
def test_lists_are_rearranged_as_arrays(seed: int) -> None:
    random = Random(seed)
    shape = tuple(random.randint(0, 3) for _ in range(random.randint(1, 4)))
    known, axis = drawn(random, shape), random.randrange(len(shape))
    places = [random.randrange(shape[axis]) for _ in range(random.randint(0, 4))] if shape[axis] else []
    assert same(known.take(axis, places), known.array.take(np.array(places, int), axis))
    other = drawn(random, (*shape[:axis], random.randint(0, 3), *shape[axis + 1 :]))
    assert same(Listed.concatenate([known, other], axis), np.concatenate([known.array, other.array], axis))
    narrow = drawn(random, tuple(random.choice([1, size]) for size in shape[random.randint(0, len(shape)) :]))
    assert narrow.spread(shape) == tuple(np.broadcast_to(narrow.array, shape).ravel().tolist())


def test_shapes_that_do_not_fit() -> None:
    two, three = Listed((2,), (None, None)), Listed((3, 1), (None,) * 3)
    assert two.spread((3,)) is None
    assert three.spread((3,)) is None
    assert Listed.concatenate([three, Listed((3, 2), (None,) * 6)], 0) is None


def test_what_grows_along_each_axis_has_its_ends_at_corners() -> None:
    n, m = symbol("n", 1), symbol("m", 1)
    lengths = {1: n, 2: m}.__getitem__
    back, further = position(1), position(2)
    assert extremes(2 * back - 3 * further + 5, lengths) == (8 - 3 * m, 2 * n + 3)
    assert extremes(back * m, lengths) == (0 * n, m * n - m)
    assert extremes(back * back - 4 * back, lengths) is None
    assert extremes(back % 3, lengths) is None
