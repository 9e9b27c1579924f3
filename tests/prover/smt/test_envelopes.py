"""The lines around float arithmetic hold at every size, in every type."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from shapesmt.prover.algebra.dim import symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import any_of, at_least, equal, less
from shapesmt.prover.algebra.numeric.floats import Float, from_dim, literal
from shapesmt.prover.smt.envelopes import envelope
from shapesmt.prover.smt.solver import check

H = symbol("h", 0, 2**40)


def chain(r: Random, dtype: str) -> Float:
    x = from_dim(H, dtype)
    for _ in range(r.randint(1, 4)):
        step = r.choice(["mul", "div", "floor", "ceil", "round", "trunc", "cast"])
        by = literal(r.choice([0.1, 0.5, 0.7, 1 / 3, 1.3, 2.0, 7.0]), x.dtype)
        if step in ("mul", "div"):
            x = x * by if step == "mul" else x / by
        elif step == "cast":
            x = x.cast(r.choice(["float32", "float64"])) or x
        else:
            x = getattr(x, step)()
    return x


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_value_lies_between_its_lines(dtype: str, seeds: range) -> None:
    known = 0
    for seed in seeds:
        r = Random(f"{dtype} {seed}")
        real = chain(r, dtype)
        between = envelope(real)
        if between is None:  # exact halves, rounded, are choices between integers that intervals don't bound by 0
            continue
        known += 1
        for h in [*range(20), *(r.randrange(2000 if dtype == "float16" else 2**40) for _ in range(100))]:
            at_h = Evaluator({H.as_symbol(): h})
            value = float(real.value(at_h))
            if value == float("inf"):
                continue
            below, above = (slope * at_h.dim(between.base) + offset for slope, offset in between.lines)
            assert below <= Fraction(value) <= above, f"seed {seed}, h = {h}"
    assert known >= 0.9 * len(seeds)


def test_what_can_be_negative_has_no_lines() -> None:
    n = symbol("n", -5, 5)
    assert envelope(from_dim(n, "float32") * literal(0.7, "float32")) is None
    assert envelope(from_dim(H, "float32") * literal(-0.7, "float32")) is None
    part = from_dim(H, "float32") * literal(0.7, "float32")
    assert envelope(part + part) is None


def test_the_lines_decide_over_long_and_open_ranges() -> None:
    for hi in (1000, 10**6, float("inf")):
        h = symbol("h", 1, hi)
        size = (from_dim(h, "float32") * literal(0.7, "float32")).floor().to_int()
        assert check([less(h, size)]).verdict == "unsat"
        assert check([at_least(size, 1), equal(h, 1)]).verdict == "unsat"
        if hi == 1000:
            assert check([any_of(less(h * 7 // 10, size), less(size + 1, h * 7 // 10))]).verdict == "unsat"


@pytest.mark.parametrize("number", [5e-324, 2.2e-308, 1.7e308, -1e-320])
def test_the_smallest_and_the_largest_numbers(number):
    """A denominator of 2**1074 isn't representable as a float, but the quotient is."""
    made = literal(number, "float64")
    assert (made.lo, made.hi) == (number, number)
