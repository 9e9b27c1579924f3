"""Boxes: as large as can be, and inside the condition."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from shapesmt.prover.algebra import (
    Evaluator,
    Formula,
    all_of,
    any_of,
    at_least,
    at_most,
    differs,
    divides,
    equal,
    symbol,
)
from shapesmt.prover.algebra.dim import Dim
from shapesmt.prover.regions.box import Progression, box_of, relates
from tests.prover.presolve.sets import ATOMS, condition

N, M, K = symbol("n", 1), symbol("m", 1), symbol("k", 1)


def near(size: Dim) -> Formula:
    return at_most((size + 7) % 32, 7)


def boxed(*conditions: Formula, **ranges: tuple[int, int | None, int]) -> list[tuple[int, int | None, int]] | None:
    known = {s: Progression(*ranges.get(s.name, (1, None, 1))) for d in (N, M, K) for s in d.symbols}
    found = box_of(conditions, {s: r for s, r in known.items() if s in all_of(*conditions).symbols})
    return None if found is None else [tuple(r) for r in found.values()]


@pytest.mark.parametrize(
    ("conditions", "ranges", "found"),
    [
        ([near(N)], {"n": (32, 1280, 1)}, [(32, 1280, 32)]),
        ([near(N)], {"n": (16, 48, 1)}, [(25, 32, 1)]),
        ([near(N)], {"n": (4, None, 4)}, [(32, None, 32)]),
        ([any_of(equal(N % 8, 2), equal(N % 8, 4))], {}, [(2, None, 8)]),
        ([any_of(at_most(N, 100), divides(64, N))], {"n": (1, 1000, 1)}, [(64, 960, 64)]),
        ([differs(N, 5)], {"n": (1, 20, 1)}, [(6, 20, 1)]),
        ([near(N), near(M), at_least(((N + 31) // 32) * ((M + 31) // 32), 5)], {}, [(64, None, 32), (96, None, 32)]),
        ([at_most(N * M, 100)], {}, [(1, 10, 1), (1, 10, 1)]),
        ([at_most(N, 9), at_most(M * K, 4)], {}, [(1, 9, 1), (1, 2, 1), (1, 2, 1)]),
        ([any_of(at_most(N, 416), at_most(M, 416))], {"n": (1, 512, 1), "m": (1, 512, 1)}, [(1, 416, 1), (1, 512, 1)]),
        (
            [at_most(N % 224, 3), at_most(M % 224, 3), any_of(at_most(N, 227), at_most(M, 227))],
            {"n": (224, 1024, 1), "m": (224, 1024, 1)},
            [(224, 227, 1), (224, 896, 224)],
        ),
        ([differs(N, 3), at_most(N, 2 + 0 * M)], {"n": (1, 12, 1)}, [(1, 2, 1)]),
        ([near(N)], {"n": (1, 20, 1)}, None),
    ],
    ids=str,
)
def test_the_largest_ranges(conditions, ranges, found):
    assert boxed(*conditions, **ranges) == found


def test_what_compares_sizes_is_no_box() -> None:
    assert relates(any_of(equal(N, 1), equal(N, M)))
    assert relates(at_least(K, N + M))
    assert not relates(divides(7, N * M))
    assert not relates(any_of(at_most(N, 227), at_most(M, 227)))


def test_random_boxes_are_inside(seeds: range) -> None:
    known, found = {s: Progression(int(s.lo), int(s.hi), 1) for s in ATOMS[:2]}, 0
    for seed in seeds:
        asked = condition(Random(f"box {seed}"))
        ranges = {s: r for s, r in known.items() if s in asked.symbols}
        sizes = box_of([asked], ranges) if ranges else None
        if sizes is None:
            assert not ranges or not any(Evaluator(point).formula(asked) for point in points(known)), seed
            continue
        found += 1
        assert all(Evaluator(point).formula(asked) for point in points({**known, **sizes})), f"seed {seed}: {sizes}"
    assert found > len(seeds) // 3


def points(ranges):
    axes = [range(r.lo, r.hi + 1, r.step) for r in ranges.values()]
    return [dict(zip(ranges, values, strict=True)) for values in product(*axes)]
