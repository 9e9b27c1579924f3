"""Bounds hold for every size, and the values at a few points are values: random expressions at every size."""

from __future__ import annotations

from itertools import product
from random import Random

from shapesmt.prover.algebra.dim import define_symbol, symbol
from shapesmt.prover.algebra.evaluation import evaluate
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import at_least, equal, select, truncated_divide
from shapesmt.prover.algebra.relaxation import nonnegative, sample, tight
from tests.oracle.test_identities import expression


def test_bounds_hold_and_seen_values_occur(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"bounds {seed}")
        symbols = [symbol(name, lo := r.randint(-3, 2), lo + r.randint(1, 6)) for name in "xyz"]
        dim = expression(r, symbols, r.randint(1, 4))[1]
        atoms = [next(iter(s.symbols)) for s in symbols]
        points = product(*(range(int(a.lo), int(a.hi) + 1) for a in atoms))
        values = {int(evaluate(dim, dict(zip(atoms, point, strict=True)))) for point in points}
        (lo, hi), (least, most) = tight(dim), sample(dim)
        assert lo <= min(values), f"seed {seed}: {dim}"
        assert max(values) <= hi, f"seed {seed}: {dim}"
        assert {least, most} <= values or least > most, f"seed {seed}: {dim}"
        assert not nonnegative(dim) or min(values) >= 0, f"seed {seed}: {dim}"


def test_steps_are_kept_and_open_ranges_have_values() -> None:
    h, n = symbol("h", 64, 512, step=64), symbol("n", 1)
    assert sample(h % 64) == (0, 0)
    assert sample(n)[0] == 1
    assert sample(n)[1] > 1000
    assert sample(symbol("below", hi=-5, lo=float("-inf")))[1] <= -5


def test_names_of_names_may_stand_for_more_than_calls_may_nest() -> None:
    size = symbol("of many names", 1, 9)
    for k in range(3000):
        size = define_symbol(10 - size, f"name {k}")
    assert sample(size) == (1, 9)


def test_a_bound_is_searched_through_nested_choices_and_extremes() -> None:
    x = symbol("x", 1, 480_000)
    length = truncated_divide(truncated_divide(x - 400, 320) - 3, 2) + 1
    assert tight(maximum(length, 0) - minimum(length, 5))[0] == 0
    assert tight(select(equal(x, 3), x, 3) - select(at_least(x, 9), x, 2))[1] <= 2


def test_a_small_negative_number_divides_to_minus_one() -> None:
    height = symbol("height", 32, 1024)
    padded = 7 * ((height + 24) // 28)
    assert ((-3) // padded).constant == -1
    assert ((-15) // padded).constant is None


def test_quotients_by_numbers_beyond_floats_have_bounds() -> None:
    size = symbol("n", 1)
    for _ in range(1100):
        size = size // 2
        assert tight(size)[0] >= 0
