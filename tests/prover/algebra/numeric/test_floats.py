"""Floats of each type, computed as numpy computes them."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from shapesmt.prover.algebra import equal, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.numeric import Float, choice, float_remainder, from_dim, literal
from shapesmt.prover.algebra.numeric.quotients import drop_rounding, nearest_fraction

KINDS = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
NUMBERS = (1 / 748, 1 / 3, 0.1, 3.0, 2047.0, 5e-7, 60000.0, -1.5)


def number(x: Float) -> float:
    """The number that a constant float is."""
    return float(x.value(Evaluator({})))


@pytest.mark.parametrize("dtype", KINDS)
def test_operations_on_constants_round_once(dtype: str) -> None:
    kind = KINDS[dtype]
    for a, b in product(NUMBERS, NUMBERS):
        x, y = literal(a, dtype), literal(b, dtype)
        assert number(x) == kind(a)
        with np.errstate(all="ignore"):
            expected = kind(a) + kind(b), kind(a) - kind(b), kind(a) * kind(b), kind(a) / kind(b)
        assert [number(r) for r in (x + y, x - y, x * y, x / y)] == [float(e) for e in expected]


def test_the_order_of_factors_and_summands_does_not_matter() -> None:
    n, part = from_dim(symbol("n", 1), "float64"), literal(0.6, "float64")
    assert part * n is n * part
    assert part + n is n + part
    assert part - n is not n - part


@pytest.mark.parametrize(("dtype", "mantissa"), [("float16", 11), ("float32", 24)])
def test_rounded_quotients_are_quotients_of_integers_where_rounding_reaches_no_integer(
    dtype: str, mantissa: int
) -> None:
    kind, random = KINDS[dtype], Random(dtype)
    followed = 0
    for _ in range(200):
        hi = random.randint(1, 1 << random.randint(4, mantissa))
        lo = random.choice((0, 1, -random.randint(0, hi)))
        divisor, adds = random.choice((3, 5, 7, 10, 49, 441, -3, 0.75)), random.choices((1, -1, 5, -100), k=2)
        sizes = np.arange(max(lo, hi - 5000), hi + 1)
        n = symbol("n", lo, hi)
        rounded, values = from_dim(n, dtype) / literal(divisor, dtype), sizes.astype(kind) / kind(divisor)
        for number in adds[: random.randint(0, 2)]:
            rounded, values = rounded + literal(number, dtype), values + kind(number)
        fraction = None if rounded.numerator is not None else drop_rounding(rounded, mantissa)
        if fraction is None:
            continue
        followed += 1
        at = Evaluator({n.as_symbol(): sizes})
        for ours, numpys in ((rounded.floor(), np.floor), (rounded.ceil(), np.ceil), (rounded.trunc(), np.trunc)):
            assert (at.dim(ours.to_int()) == numpys(values).astype(int)).all(), (rounded, fraction)
    assert followed > 100


def test_the_frames_of_padded_audio_are_a_quotient_also_where_there_are_many_samples() -> None:
    samples = symbol("samples", 1, 480000)
    frames = from_dim(samples - 5, "float32") / literal(5, "float32") + literal(1, "float32")
    assert str(frames.ceil().to_int()) == "(samples + 4)//5"
    many = from_dim(symbol("many", 1, 1 << 24), "float32") / literal(49, "float32") + literal(1, "float32")
    assert many.ceil().numerator is None


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_the_nearest_fraction_is_the_one_that_numpy_rounds_to(dtype: str) -> None:
    kind, bits, rng = KINDS[dtype], {"float16": 11, "float32": 24}[dtype], Random(dtype)
    for _ in range(300):
        divisor, binade = rng.choice([1, 1, 2, 3, 7, 160]), rng.randint(0, 14 if dtype == "float16" else 30)
        least = rng.randint(divisor << binade, (divisor << (binade + 1)) - 1)
        n = symbol("n", least, min(least + 20, divisor << (binade + 1)))
        fraction = nearest_fraction(n, divisor, bits)
        assert fraction is not None
        for size in range(int(n.lo), int(n.hi) + 1):
            top = Evaluator({n.as_symbol(): size}).dim(fraction[0])
            assert float(top / fraction[1]) == float(kind(np.float64(size) / divisor)), (size, divisor)


def test_no_fraction_is_the_nearest_of_a_range_over_several_binades() -> None:
    assert nearest_fraction(symbol("n", 1 << 24, (1 << 25) + 1), 1, 24) is None
    assert nearest_fraction(symbol("n", 0, 9), 1, 24) is None
    assert nearest_fraction(symbol("n", 1 << 24), 1, 24) is None


def test_quotients_and_products_of_sizes_without_an_end_are_numbers_unless_one_may_be_infinite() -> None:
    n, m = from_dim(symbol("n", 1), "float32"), from_dim(symbol("m", 1), "float32")
    rounded = from_dim(symbol("n", 1) * symbol("m", 1), "float32")
    assert ((n / m) * m).lo == ((n / rounded) * rounded).lo == 0
    infinite, none = literal(float("inf"), "float32"), -float("inf")
    assert (infinite / m).lo == (infinite * (n / m)).lo == none
    assert (from_dim(symbol("n", 1), "float16") / from_dim(symbol("m", 1), "float16")).lo == none


def test_a_remainder_has_the_sign_of_the_dividend() -> None:
    n = symbol("n", 1, 40)
    rest = float_remainder(from_dim(n - 20, "float32"), literal(7.0, "float32")).to_int()
    for size in range(1, 41):
        assert Evaluator({n.as_symbol(): size}).dim(rest) == int(np.fmod(size - 20, 7))


def test_a_number_divided_by_itself_is_1_unless_it_may_be_0_or_infinite() -> None:
    rows = from_dim(symbol("rows", 1, 1 << 30) // 3 + 1, "float32")
    assert (rows / rows).to_int().constant == 1
    none = from_dim(symbol("none", 0, 8), "float32")
    assert (none / none).numerator is None
    endless = from_dim(symbol("endless", 1) * symbol("also", 1), "float32")  # below 2**126
    assert (endless / endless).to_int().constant == 1
    more = endless * from_dim(symbol("more", 1), "float32")
    assert (more / more).numerator is None


def test_differences_of_sizes_without_a_declared_end_are_exact_as_sums_are_but_not_those_of_data() -> None:
    rows, columns, data = symbol("rows", 1), symbol("columns", 1), symbol("data", -(2**63))
    assert (from_dim(rows, "float32") - from_dim(columns, "float32")).numerator is rows - columns
    assert (from_dim(rows, "float32") - from_dim(data, "float32")).numerator is None
    assert (from_dim(data, "float32") - from_dim(rows, "float32")).numerator is None


def test_an_integer_and_a_float_are_no_items_of_one_tensor() -> None:
    n, half = symbol("n"), literal(0.5, "float32")
    assert [choice(equal(n, 0), *pair) for pair in ((n, half), (half, n), (n, None), (None, half))] == [None] * 4
    assert choice(equal(n, 0), half, half) is half


def test_of_types_that_numpy_has_not_a_quotient_is_left_rounded() -> None:
    n = symbol("n", 1, 1000)
    for dtype in ("bfloat16", "float8e5m2"):
        quotient = from_dim(n, dtype) / literal(2.0, dtype)
        assert quotient.numerator is None
        assert quotient.floor().numerator is None
