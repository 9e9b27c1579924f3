"""How floats change with sizes, and integers below them, compared with their values at many sizes."""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest

from shapesmt.prover.algebra import Dim, Evaluator, Kind, evaluate, symbol
from shapesmt.prover.algebra.formula import at_least, at_most
from shapesmt.prover.algebra.growth import half_line_of, monotone
from shapesmt.prover.algebra.numeric import Float, ends_over, float_at_least, float_equal, from_dim, literal, weaker
from shapesmt.prover.algebra.numeric.steps import is_finite
from shapesmt.prover.algebra.substitution import atom_of

N, M = symbol("n", 1), symbol("m", 1)
ROW, COLUMN = symbol("@1", 0, kind=Kind.AXIS), symbol("@2", 0, kind=Kind.AXIS)


def of(dim: Dim | int, dtype: str = "float32") -> Float:
    return from_dim(dim, dtype)


def drawn(r: Random, sizes: list[Dim], depth: int = 3) -> Float:
    if not depth or r.random() < 0.2:
        return of(r.choice(sizes)) if r.random() < 0.8 else literal(r.choice([0.0, 0.3, 1.0, 2.5, -1.5]), "float32")
    a, b = drawn(r, sizes, depth - 1), drawn(r, sizes, depth - 1)
    ways = [a + b, a - b, a * b, a / of(r.choice(sizes) + 1), a.floor(), (a / literal(0.7, "float32")).round()]
    return r.choice(ways)


def test_random_floats_grow_along_positions_as_they_are_said_to(seeds: range) -> None:
    row, n, many = atom_of(ROW), atom_of(N), np.arange(200)
    for seed in seeds:
        number = drawn(Random(f"growth {seed}"), [ROW, N, ROW // 3, ROW + 2 * N]).to_int()
        way = monotone(number, row)
        for size in (1, 7, 100):
            values = np.broadcast_to(Evaluator({row: many, n: np.full(200, size)}).dim(number), 200)
            steps = np.diff(values)
            assert way is None or (steps * (way or 1) >= 0).all(), (seed, str(number))
            assert way != 0 or not steps.any(), (seed, str(number))


def test_floats_that_may_not_fit_64_bits_are_not_said_to_grow() -> None:
    far = symbol("far", 1, 1 << 62)
    scaled = (of(ROW) * (of(far) * literal(2.5, "float32"))).to_int()
    assert monotone((of(ROW) * (of(N) / of(M))).to_int(), atom_of(ROW)) == 1
    assert monotone(scaled, atom_of(far)) is None
    assert monotone((of(N) * literal(0.3, "float32")).to_int(), atom_of(N)) is None  # along a size
    assert weaker(at_most((of(far) * literal(2.5, "float32")).to_int(), 9)) == []


def test_random_bounds_are_weaker(seeds: range) -> None:
    n = atom_of(N)
    for seed in seeds:
        r = Random(f"weaker {seed}")
        condition = at_most(drawn(r, [N, N // 3, 2 * N]).to_int() * r.randint(1, 3), r.randint(0, 60))
        for bound in weaker(condition):
            for size in range(1, 120):
                holds = Evaluator({n: size}).formula
                assert holds(bound) or not holds(condition), (seed, str(condition), str(bound), size)


def test_positions_scaled_by_a_ratio_are_bounded_at_corners() -> None:
    rows, columns = (N + 3) // 4, (N + 15) // 16
    ratio = of(rows) / of(columns)
    index = (of(COLUMN) - of(ROW) * ratio + of(columns - 1) * ratio).to_int()
    found = ends_over(index, {atom_of(ROW): (0 * N, columns - 1), atom_of(COLUMN): (0 * N, rows - 1)})
    assert found is not None
    (ends,) = found
    assert str(ends.least) == "0"
    (bound, *_) = weaker(at_least(110, ends.greatest))
    assert half_line_of(bound) == (atom_of(N), -1, 444)
    for size in (1, 5, 16, 17, 223, 224, 225, 226):
        i, j = np.meshgrid(np.arange((size + 15) // 16), np.arange((size + 3) // 4))
        table = Evaluator({atom_of(N): size, atom_of(ROW): i, atom_of(COLUMN): j}).dim(index)
        assert evaluate(ends.greatest, {atom_of(N): size}) == table.max()
        assert table.min() == 0


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_quotient_is_rounded_to_1_only_if_both_are_equal(dtype: str) -> None:
    r, kind = np.random.default_rng(0), getattr(np, dtype)
    below = kind(r.uniform(1, 2, 2000))
    above = np.nextafter(below, kind(3))
    assert (below / above < 1).all()
    assert (above / below > 1).all()


def test_comparisons_of_quotients_with_1() -> None:
    ratio = of(N) / of(M)
    assert str(float_at_least(ratio, literal(1.0, "float32"))) == "n >= m"
    assert str(float_at_least(literal(1.0, "float32"), ratio)) == "m >= n"
    assert str(float_equal(ratio, literal(1.0, "float32"))) == "m == n"
    assert "at_least" in str(float_at_least(ratio, literal(2.5, "float32")))
    assert float_at_least(of(N) / of(M - 1), literal(1.0, "float32")) is None  # m - 1 may be 0


def test_what_needs_no_rounding() -> None:
    ratio = of(N) / of(M)
    zero, one = (literal(x, "float32") for x in (0.0, 1.0))
    assert ratio + zero is ratio - zero is ratio * one is ratio / one is ratio
    assert str((zero - ratio) + ratio) == str(ratio * zero) == "0"
    assert str(of(N * M) / of(N * M)) == "1"


def test_finite_floats() -> None:
    huge = of(N) * of(N)
    assert is_finite(huge)
    assert not is_finite(huge * of(N))  # 2**189
    assert is_finite(of(N, "float64") * of(N, "float64") * of(N, "float64"))
    assert not is_finite(of(N, "float16"))
    assert not is_finite(of(N) / of(M - 1))
    assert (huge * of(N) * literal(0.0, "float32")).hi == inf


def test_a_bound_of_two_floats_bounds_neither() -> None:
    assert weaker(at_least(9, (of(N) / of(M)).to_int() + (of(M) / of(N)).to_int())) == []


def test_a_float_that_may_not_fit_an_integer_does_not_rise() -> None:
    doubled = [(of(symbol("n", 1, most)) * literal(2.5, "float32")).to_int() for most in (2**60, 2**62)]
    assert [monotone(size) for size in doubled] == [1, None]
    assert [bool(weaker(at_least(110, size))) for size in doubled] == [True, False]
