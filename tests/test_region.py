"""Regions: the formula a person would write, and exactly the condition."""

from __future__ import annotations

from random import Random

import pytest

from shapesmt.dim import Dim, minimum, symbol
from shapesmt.evaluate import Evaluator
from shapesmt.expressions import parse_formula
from shapesmt.formula import Formula, all_of, any_of, at_least, at_most, differs, divides, equal
from shapesmt.presolve import Domain
from shapesmt.region import Region, describe
from shapesmt.solve.deadline import Deadline
from shapesmt.solve.judge import Judge
from tests.oracle.runner import value
from tests.test_presolve import ATOMS, H, W, condition, everything

SIZE, OTHER = symbol("height", 1, 512), symbol("width", 1, 512)
LONG = symbol("seq", 1)
N, M = symbol("n", 1), symbol("m", 1)
ODD = symbol("Batch Size", 1, 64)
UNEVEN = symbol("even", 2, 64, step=2)


def described(condition: Formula, *facts: Formula) -> Region:
    judge = Judge(Deadline(20))
    return describe(condition, Domain(sorted(condition.symbols, key=lambda s: s.number), facts), judge.proves)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (divides(16, SIZE), ("height % 16 == 0",)),
        (equal(SIZE, 2 * ((SIZE + 1) // 2)), ("height % 2 == 0",)),
        (equal((SIZE + 3) // 4, (SIZE + 1) // 4 + 0 * SIZE), ("height % 4 in {0, 3}",)),
        (at_most(SIZE, 77), ("height <= 77",)),
        (at_least(SIZE // 8, 9), ("height >= 72",)),
        (all_of(at_least(SIZE, 3), at_most(SIZE, 9)), ("3 <= height <= 9",)),
        (equal(SIZE // 7, 3), ("21 <= height <= 27",)),
        (equal(SIZE * SIZE, 49), ("height == 7",)),
        (differs(SIZE, 5), ("height <= 4 or height >= 6",)),
        (any_of(equal(SIZE, 1), equal(SIZE, 224)), ("height == 1 or height == 224",)),
        (all_of(divides(4, SIZE), at_least(SIZE, 64)), ("height >= 64", "height % 4 == 0")),
        (all_of(divides(8, SIZE), divides(32, OTHER)), ("height % 8 == 0", "width % 32 == 0")),
        (at_most(LONG, 512), ("seq <= 512",)),
        (divides(64, LONG), ("seq % 64 == 0",)),
        (equal(N, M), ("m == n",)),
        (any_of(equal(N, M), equal(M, 1)), ("m == 1 or m == n",)),
        (at_most(ODD, 9), ("`Batch Size` <= 9",)),
        (divides(4, UNEVEN), ("even % 4 == 0",)),
    ],
    ids=str,
)
def test_as_a_person_would_write_it(condition: Formula, text: tuple[str, ...]) -> None:
    found = described(condition)
    assert found.exact
    assert {frozenset(t.split(" or ")) for t in found.text} == {frozenset(t.split(" or ")) for t in text}


def test_the_domain_needs_no_mention() -> None:
    assert described(all_of(at_least(SIZE, 64), divides(4, SIZE)), at_least(SIZE, 64)) == (("height % 4 == 0",), True)


def test_a_product_of_one_condition_each() -> None:
    assert described(equal(minimum(SIZE, OTHER), 512)) == (("height == 512", "width == 512"), True)


def test_random_regions_are_exactly_the_condition(seeds: range) -> None:
    inexact = 0
    for seed in seeds:
        asked = condition(Random(f"region {seed}"))
        truth = [bool(Evaluator(p).formula(asked)) for p in everything()]
        if not asked.symbols or not any(truth):
            continue
        found = describe(asked, Domain(ATOMS[:2]), Judge(Deadline(20)).proves)
        names: dict[str, Dim] = {"h": H, "w": W}
        inexact += not found.exact
        for point, holds in zip(everything(), truth, strict=True):
            sizes = {a.name: v for a, v in point.items()}
            claimed = all(value(text, sizes) for text in found.text)
            assert claimed == holds or not found.exact, f"seed {seed}: {found.text} at {sizes} for {asked}"
            assert claimed or not holds, f"seed {seed}: {found.text} is too narrow at {sizes} for {asked}"
        for text in found.text:
            assert parse_formula(text, names) is not None
    assert inexact <= len(seeds) // 20
