"""Every walk over an expression looks at a shared part once: as trees, these would have 2**64 parts, and never end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shapesmt.prover.algebra import (
    Dim,
    Formula,
    all_of,
    any_of,
    at_least,
    atoms_within,
    define_symbol,
    differs,
    equal,
    evaluate,
    expand_definitions,
    maximum,
    minimum,
    negate,
    of_atom,
    symbol,
)
from shapesmt.prover.algebra.growth import compared_expressions, monotone
from shapesmt.prover.algebra.growth.quasipolynomial import of_formula
from shapesmt.prover.algebra.numeric import from_dim, literal
from shapesmt.prover.presolve import Domain
from shapesmt.prover.presolve.decisions import is_fact
from shapesmt.prover.presolve.values import divisor_values
from shapesmt.prover.regions.box import _divisors as divisors_of_symbol
from shapesmt.prover.regions.simpler import _divisors as divisors_of_size

DEPTH = 64
N, M = symbol("n", 1, 1000), symbol("m", 1, 1000)


def repeated(step: Callable[[Any, int], Any], start: Any) -> Any:
    """The step applied `DEPTH` times."""
    for i in range(DEPTH):
        start = step(start, i)
    return start


def quotients() -> Dim:
    """Each level has the one below twice."""
    size: Dim = repeated(lambda x, _: x // 2 + (x + 1) // 3 + N, M)
    return size


def extremes() -> Dim:
    """The same with minima and maxima."""
    size: Dim = repeated(lambda x, i: maximum(minimum(x + i, 2 * M + N), (x + M) // 3), N)
    return size


def conditions() -> Formula:
    """A condition each level of which joins the one below twice, by `or` within `and`."""
    joined: Formula = repeated(
        lambda f, i: all_of(any_of(f, at_least(N * M - i, 7)), any_of(f, at_least(N + 2 * M - 3 * i, 9))),
        differs(N, M),
    )
    return joined


@pytest.mark.parametrize("size", [quotients(), extremes()])
def test_of_sizes(size: Dim) -> None:
    (n, m) = (atom for d in (N, M) for atom in d.atoms())
    domain = Domain([n, m])
    assert monotone(size, n) in (1, None)
    assert divisors_of_size(size) == []
    assert divisors_of_symbol(at_least(size, 5), m) <= {2, 3}
    assert len([*atoms_within(size)]) < 10 * DEPTH
    assert is_fact(domain, at_least(size, 5)) is False
    assert evaluate(size, {n: 3, m: 4}) > 0


def test_of_conditions() -> None:
    condition, n, m = conditions(), *(atom for d in (N, M) for atom in d.atoms())
    domain = Domain([n, m], [at_least(N, 2)])
    assert evaluate(condition, {n: 3, m: 3}) != evaluate(negate(condition), {n: 3, m: 3})
    assert len(compared_expressions(condition)) < 4 * DEPTH
    assert of_formula(condition) is not None
    assert divisor_values(condition) == {}
    assert is_fact(domain, condition) is False


def test_of_floats() -> None:
    number = repeated(lambda x, i: x * x if i % 2 else x / (x + literal(1.5, "float32")), from_dim(N, "float32"))
    (n,) = N.atoms()
    assert evaluate(number.floor().to_int(), {n: 3}) == 0


def test_of_definitions() -> None:
    size = repeated(lambda x, i: define_symbol(x // 2 + x // 3 + N, f"d{i}"), M)
    (n, m) = (atom for d in (N, M) for atom in d.atoms())
    whole = expand_definitions(size)
    assert whole.symbols == {n, m}
    assert evaluate(whole, {n: 3, m: 4}) == evaluate(size, {n: 3, m: 4})
    assert equal(of_atom(n), 3).symbols == {n}
