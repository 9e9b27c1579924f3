"""A domain of two small symbols, which can be run through, and a third without end; conditions drawn over them."""

from __future__ import annotations

from itertools import product
from random import Random

from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import Formula, all_of, any_of, at_least, at_most, differs, equal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.domain import Domain

H, W, FREE = symbol("h", 1, 12), symbol("w", 0, 9, step=3), symbol("free", 1)
ATOMS = [atom_of(H), atom_of(W), atom_of(FREE)]


def domain(*facts: Formula) -> Domain:
    return Domain(ATOMS, facts)


def condition(r: Random, depth: int = 2) -> Formula:
    if depth and r.random() < 0.4:
        return r.choice([all_of, any_of])(condition(r, depth - 1), condition(r, depth - 1))
    return r.choice([equal, differs, at_least, at_most])(expression(r), expression(r, 1))


def expression(r: Random, depth: int = 2) -> Dim:
    if not depth or r.random() < 0.3:
        return r.choice([H, W, H + r.randint(-3, 3), W - r.randint(0, 4), 0 * H + r.randint(0, 9)])
    a, b, k = expression(r, depth - 1), expression(r, depth - 1), r.randint(1, 5)
    return r.choice([a + b, a - b, a * b, a // k, a % k, k * a])


def everything() -> list[dict[object, int]]:
    """Every assignment of h and w."""
    return [dict(zip(ATOMS[:2], v, strict=True)) for v in product(range(1, 13), range(0, 10, 3))]


def admitted(fact: Formula) -> list[dict[object, int]]:
    """The assignments of h and w for which a fact holds."""
    return [point for point in everything() if Evaluator(point).formula(fact)]
