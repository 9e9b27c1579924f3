"""Conditions: what they simplify to holds exactly where they hold."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.evaluation import evaluate
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import (
    FALSE,
    TRUE,
    Formula,
    absolute,
    all_of,
    any_of,
    at_least,
    at_most,
    differs,
    divides,
    equal,
    implies,
    less,
    negate,
    resolve,
    select,
    truncated_divide,
)
from tests.support.each import each

A, B, C = symbol("a", 1, 5), symbol("b", -3, 4), symbol("c", 0, 3)
D = symbol("d", 2, 9)
SYMBOLS = [d.as_symbol() for d in (A, B, C)]
POINTS = [dict(zip(SYMBOLS, p, strict=True)) for p in product(range(1, 6), range(-3, 5), range(4))]
GRID = {atom: np.array([at[atom] for at in POINTS]) for atom in SYMBOLS}
COMPARISONS = {
    equal: int.__eq__,
    differs: int.__ne__,
    at_least: int.__ge__,
    at_most: int.__le__,
    less: int.__lt__,
    divides: lambda k, a: a % k == 0 if k else a == 0,
}


def expression(r: random.Random, depth: int = 2) -> Dim:
    """A random expression on three symbols."""
    if not depth or r.random() < 0.2:
        return r.choice([A, B, C]) * r.choice([1, 1, -1, 2, 3]) + r.choice([0, 0, 1, -2])
    one, other = expression(r, depth - 1), expression(r, depth - 1)
    return r.choice(
        [
            lambda: one + other,
            lambda: one * other,
            lambda: one // r.choice([2, 3, 4]),
            lambda: minimum(one, other),
            lambda: maximum(one, other),
            lambda: select(at_least(one, other), other, one),
            lambda: absolute(one),
        ]
    )()


def condition(r: random.Random, depth: int = 2) -> Formula:
    """A random condition."""
    if not depth:
        return r.choice([*COMPARISONS])(expression(r), expression(r, 1))
    parts = [condition(r, depth - 1) for _ in range(2)]
    return r.choice([all_of, any_of, implies])(*parts)


def everywhere(what: Dim | Formula) -> np.ndarray:
    """The value or the truth at each of the points."""
    return np.broadcast_to(evaluate(what, GRID), len(POINTS))


@pytest.mark.parametrize("compare", COMPARISONS, ids=lambda f: f.__name__)
@each("seed", range(25), "seed {}".format)
def test_a_comparison_holds_where_the_values_compare(compare: object, seed: int) -> None:
    r = random.Random(seed)
    a, b = expression(r), expression(r)
    formula = compare(a, b)  # type: ignore[operator]  # one of the table
    values = zip(everywhere(a).tolist(), everywhere(b).tolist(), strict=True)
    assert everywhere(formula).tolist() == [COMPARISONS[compare](x, y) for x, y in values]  # type: ignore[index]


@each("seed", range(60), "seed {}".format)
def test_the_opposite_holds_where_a_condition_does_not(seed: int) -> None:
    formula = condition(random.Random(seed))
    assert negate(negate(formula)) is formula or formula.args
    assert np.array_equal(everywhere(negate(formula)), ~everywhere(formula))


@each("seed", range(60), "seed {}".format)
def test_what_is_said_twice_changes_nothing(seed: int) -> None:
    r = random.Random(seed)
    atoms = [equal(A, 1), at_least(B, 1), differs(C, 2)]
    clauses = [any_of(*(r.choice([f, negate(f)]) for f in r.sample(atoms, r.randint(1, 3)))) for _ in range(4)]
    whole = all_of(*clauses)
    shorter = resolve(whole)
    assert len(shorter.conjuncts) <= len(whole.conjuncts)
    assert np.array_equal(everywhere(shorter), everywhere(whole))


@each("seed", range(300), "seed {}".format)
def test_the_least_and_the_greatest_value_are_where_they_are(seed: int) -> None:
    r = random.Random(f"ends {seed}")
    size = expression(r) * r.choice([A, A + 1, C + 2]) + r.choice([A, -B, C, A // 2])
    values = everywhere(size)
    end = int(r.choice([values.min(), values.max()]))
    assert np.array_equal(everywhere(equal(size, end)), values == end)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (equal(2 * A, 3), "False"),
        (equal(2 * A, 4 * B), "a == 2*b"),
        (equal(A * B, A * C), "b == c"),
        (equal(A * B, B * C), "a*b == b*c"),  # where b is 0, a and c may differ
        (at_least(3 * A, 7), "a >= 3"),
        (at_least(A, 1), "True"),
        (less(A, 1), "False"),
        (all_of(equal(A, 1), negate(equal(A, 1))), "False"),
        (any_of(equal(A, 1), negate(equal(A, 1))), "True"),
        (all_of(), "True"),
        (any_of(), "False"),
        (equal(select(equal(C, 0), 1, A + 5), 1), "c == 0"),
        (equal(minimum(A, C), A), "c >= a"),
        (divides(4, A + 1), "a % 4 == 3"),
        (equal(A * A, 1), "a == 1"),
        (equal(A * D, 2), "a == 1 and d == 2"),
        (equal(A * D, 45), "a == 5 and d == 9"),
        (equal(A * D, 6), "a*d == 6"),
        (equal(A * D, B - 2), "a == 1 and b == 4 and d == 2"),
        (equal(A + C, 1), "a == 1 and c == 0"),
        (differs((A + 1) // 2 * D, 2), "d != 2 or (a + 1)//2 != 1"),
        (equal((B - A) % symbol("p", 1), 0), "(b - a) % p == 0"),
        (equal(A * C + D, 2), "d + a*c == 2"),  # where c is 0, a may be any number
    ],
    ids=str,
)
def test_normal_forms(formula: Formula, text: str) -> None:
    assert str(formula) == text


def test_equal_conditions_are_one_object() -> None:
    assert all_of(equal(A, B), at_least(C, 1)) is all_of(at_least(C, 1), equal(B, A))
    assert any_of(TRUE, equal(A, B)) is TRUE
    assert all_of(FALSE, equal(A, B)) is FALSE


def test_division_rounded_towards_zero() -> None:
    quotient = truncated_divide(A + B, B - C)
    for at in POINTS:
        a, b = evaluate(A + B, at), evaluate(B - C, at)
        expected = int(a / b) if b else 0
        assert evaluate(quotient, at) == expected, (a, b)


@pytest.mark.parametrize("number", range(1, 10))
@each("end", range(1, 10))
def test_a_case_of_one_number_is_left_out_where_the_others_say_it(number: int, end: int) -> None:
    """`x == 3` is dropped next to conditions that 3 satisfies, and in a choice between expressions equal at 3."""
    x = symbol("x", 1, 9)
    one = equal(x, number)
    for other in (at_most(x, end), at_least(x, end), equal(x % 3, 0), differs(x // 2, 2)):
        for joined, op in ((any_of(one, other), any), (all_of(negate(one), negate(other)), None)):
            for value in range(1, 10):
                said = value == number or evaluate(other, {x.as_symbol(): value})
                assert evaluate(joined, {x.as_symbol(): value}) == (said if op else not said)
    for a, b in ((minimum(x, end), x), (x // 2, 0 * x + end), (x * x, 3 * x), (maximum(x, end), minimum(x, end))):
        chosen = select(one, a, b)
        for value in range(1, 10):
            expected = a if value == number else b
            assert evaluate(chosen, {x.as_symbol(): value}) == evaluate(expected, {x.as_symbol(): value})


def test_a_position_table_with_a_broadcast_leaves_the_length_as_it_is() -> None:
    x = symbol("seq", 1)
    assert any_of(equal(x, 1), at_most(x, 512)) is at_most(x, 512)
    assert all_of(differs(x, 1), at_least(x, 513)) is at_least(x, 513)
    assert select(equal(x, 1), minimum(x, 512), x) is x
    assert any_of(equal(x, 1), at_least(x, 8)).op == "or"
