"""Phrases: what a person reads in them is what the condition says."""

from __future__ import annotations

import pickle
import re

import pytest

from shapesmt.prover.algebra import equal, symbol
from shapesmt.prover.regions import Conjunct, Interval, Other, Residue, conjunct_of
from shapesmt.reports.render.page.phrases import in_words, word_conditions

((X,), (N,), (M,), (A_B,)) = (symbol(name).symbols for name in ("x", "n", "m", "a b"))
NEAR = re.compile(r"x is a multiple of (\d+)(?: or (?:up to )?(\d+) less)?(?: or (?:up to )?(\d+) more)?")


def read(text: str, value: int) -> bool:
    """Whether a number is one that the phrase tells of."""
    match = NEAR.fullmatch(text)
    assert match is not None, text
    k, less, more = (int(g or 0) for g in match.groups())
    return any((value - shift) % k == 0 for shift in range(-less, more + 1))


@pytest.mark.parametrize("k", [3, 4, 7, 32])
def test_remainders_around_a_multiple(k: int) -> None:
    for less, more in ((a, b) for a in range(k) for b in range(k - a)):
        rests = sorted({n % k for n in range(-less, more + 1)})
        if len(rests) == k:
            continue
        told = in_words([Residue(X, k, rests)])
        assert told is not None
        assert all(read(told, value) == (value % k in rests) for value in range(3 * k))


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (Residue(N, 2, (0,)), "n is even"),
        (Residue(N, 2, (1,)), "n is odd"),
        (Residue(N, 16, (3,)), "n is 3 more than a multiple of 16"),
        (Interval(N, 1, 1), "n is 1"),
        (Interval(N, 2, 9), "n is from 2 to 9"),
        (Interval(N, 2, None), "n is at least 2"),
        (Interval(A_B, None, 512), "a b is at most 512"),
        (conjunct_of(equal(symbol("total"), symbol("past"))), "past equals total"),
    ],
    ids=str,
)
def test_simple_conditions(condition: Conjunct, told: str) -> None:
    assert in_words([condition]) == told
    assert in_words([pickle.loads(pickle.dumps(condition))]) == told


@pytest.mark.parametrize(
    "condition",
    [Residue(X, 8, (1, 5)), Residue(X, 8, (5, 6, 7)), Other("n + m == 4"), Other("n == 1 or m == 1")],
    ids=str,
)
def test_what_has_no_words_stays_a_formula(condition: Conjunct) -> None:
    assert in_words([condition]) is None
    assert word_conditions([Interval(N, 1, 1), condition]) == ("n is 1", [condition])


def test_sizes_of_which_the_same_is_said_are_said_together() -> None:
    relation = conjunct_of(equal(symbol("n"), symbol("m")))
    told = word_conditions([relation, Interval(N, 2, None), Interval(M, 2, None), Other("n * m <= 100")])
    assert told == ("n and m are at least 2 and m equals n", [Other("n * m <= 100")])


def test_too_many_conditions_stay_formulas() -> None:
    many = [Interval(s, i, i) for i in range(9) for s in symbol(f"n{i}").symbols]
    assert word_conditions(many) == ("", many)
