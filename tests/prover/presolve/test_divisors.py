"""What symbols can be as factors of a number: no value that a fact admits is left out, and few others are kept."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import shapesmt
from shapesmt.prover.algebra.dim import symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import Formula, all_of, any_of, at_least, equal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.divisors import divisor_values
from shapesmt.prover.presolve.domain import Domain
from tests.prover.presolve.sets import condition

A, B, C = symbol("a", 1), symbol("b", 2, step=4), symbol("c", -8, 8)
ATOMS = [atom_of(d) for d in (A, B, C)]
OF_6 = [-6, -3, -2, -1, 1, 2, 3, 6]


@pytest.mark.parametrize(
    ("fact", "values"),
    [
        (equal(A * B, 6), {"a": OF_6, "b": OF_6}),
        (equal(A * B + 2 * A, 6), {"a": OF_6}),
        (equal(A * A * (B // 3), 6), {"a": OF_6, "b": [6, 10, 18]}),
        (equal((B // 3) * (C // 2), 7), {"b": [22], "c": [-2, -1, 2, 3, 14, 15]}),
        (any_of(equal(A * B, 4), equal(A * C, 3)), {"a": [-4, -3, -2, -1, 1, 2, 3, 4]}),
        (equal(A * B, 0), {}),
        (equal(A * B, C), {}),
        (any_of(equal(A * B, 6), at_least(C, 2)), {}),
        (equal(A * B, 1 << 41), {}),
    ],
)
def test_factors_of_numbers(fact: Formula, values: dict[str, list[int]]) -> None:
    assert {s.name: v.tolist() for s, v in divisor_values(fact).items()} == values


def test_a_domain_keeps_the_factors_in_range_and_step() -> None:
    domain = Domain(ATOMS, [equal(A * B * C, 1536)])
    assert [domain.ends(s) for s in ATOMS] == [(1, 1536), (2, 6), (-8, 8)]
    assert domain.values(ATOMS[1]).tolist() == [2, 6]  # type: ignore[union-attr]
    assert Domain(ATOMS, [all_of(at_least(B, 8), equal(A * B, 1023))]).is_empty()


def test_random_facts_lose_no_value(seeds: range) -> None:
    atoms = [atom_of(symbol("h", 1, 12)), atom_of(symbol("w", 0, 9, step=3))]
    for seed in seeds:
        fact = condition(Random(seed))
        for values in product(range(1, 13), range(0, 10, 3)):
            point = dict(zip(atoms, values, strict=True))
            if Evaluator(point).formula(fact):
                assert all(point[s] in kept for s, kept in divisor_values(fact).items()), (
                    f"seed {seed}: {fact} at {point}"
                )


def test_bounds_of_the_factors_of_a_size_are_exact() -> None:
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[a, b, c] x) => (float[p, q] y) <int64[1] all = {1536}, int64[2] two = {0, -1}>
    { z = Reshape(x, all)  y = Reshape(x, two) }"""
    found = shapesmt.bounds(model).tensors["y"]
    assert [(d.min, d.max, d.exact) for d in found.shape] == [(1, 1536, True)] * 2
