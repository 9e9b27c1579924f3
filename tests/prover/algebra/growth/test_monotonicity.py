"""How expressions and conditions change as a symbol grows, against their values."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import at_least, select
from shapesmt.prover.algebra.growth.monotonicity import half_line, monotone
from shapesmt.prover.algebra.substitution import atom_of

X, Y = symbol("x", 0, 9), symbol("y", 1, 9)


@pytest.mark.parametrize(
    ("dim", "by_x", "by_both"),
    [
        (X, 1, 1),
        (0 * X + Y, 0, 1),
        (3 - X, -1, -1),
        (X // 3 + Y, 1, 1),
        (X - Y, 1, None),
        (X * Y - X, 1, None),  # y - 1 times x, and y is 1 or more
        (X * X, 1, 1),
        (X * (X // 2), 1, 1),
        (X % 3, None, None),
        (minimum(X, 5) * Y, 1, 1),
        (maximum(4 - X, Y), -1, None),
        ((X - 20) * (X - 20), None, None),
        (X // Y, 1, None),
        (Y // (X + 1), None, None),
        (select(at_least(Y, 4), X, 2 * X), 1, None),
        (select(at_least(X, 4), X, 2 * X), None, None),
    ],
    ids=str,
)
def test_directions(dim: Dim, by_x: int | None, by_both: int | None) -> None:
    assert monotone(dim, atom_of(X)) == by_x
    assert monotone(dim) == by_both


def drawn(r: Random, depth: int = 3) -> Dim:
    if not depth:
        return r.choice([X, Y, X + r.randint(-9, 9), Y * r.randint(-2, 3)])
    a, b = drawn(r, depth - 1), drawn(r, depth - 1)
    return r.choice([a + b, a - b, a * b, a // r.randint(1, 5), a // maximum(b, 1), minimum(a, b), maximum(a, b)])


def test_random_directions_are_those_of_the_values(seeds: range) -> None:
    known = 0
    for seed in [*seeds, *range(1000, 1200)]:
        dim = drawn(Random(f"direction {seed}"))
        by_x, by_both = monotone(dim, atom_of(X)), monotone(dim)
        value = {(x, y): Evaluator({atom_of(X): x, atom_of(Y): y}).dim(dim) for x in range(10) for y in range(1, 10)}
        across = [value[x + 1, y] - value[x, y] for x, y in product(range(9), range(1, 10))]
        upwards = across + [value[x, y + 1] - value[x, y] for x, y in product(range(10), range(1, 9))]
        for direction, steps in ((by_x, across), (by_both, upwards)):
            known += direction is not None
            assert direction is None or all(step * direction >= 0 for step in steps), f"seed {seed}: {dim}"
            assert direction != 0 or not any(steps), f"seed {seed}: {dim}"
    assert known > 100


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("step", [1, 3, 7])
def test_half_lines_are_where_the_condition_holds(way: int, step: int) -> None:
    x = symbol("x", 0, 400, step=step)
    for divisor, shift, least in product((1, 2, 5), (-9, 0, 4), (1, 3)):
        dim = way * ((2 * x + shift) // divisor - 1) // 3 + least
        found = half_line(dim)
        assert found is not None, str(dim)
        for v in range(0, 401, step):
            holds = Evaluator({x.as_symbol(): v}).dim(dim) >= 0
            assert holds == (v >= found[1] if found[0] > 0 else v <= found[1]), (str(dim), v)
