"""Phrases: what a person reads in them is what the condition says."""

from __future__ import annotations

import re

import pytest

from shapesmt.render.page.phrases import in_words, phrased

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
        told = in_words([f"x % {k} in {{{', '.join(map(str, rests))}}}"])
        assert told is not None
        assert all(read(told, value) == (value % k in rests) for value in range(3 * k))


@pytest.mark.parametrize("least", [1, 2, 7])
def test_other_forms_of_the_same(least: int) -> None:
    below, above = in_words([f"(x + {least}) % 32 <= {least}"]), in_words([f"x % 32 <= {least}"])
    assert below is not None
    assert above is not None
    for value in range(96):
        assert read(below, value) == ((value + least) % 32 <= least)
        assert read(above, value) == (value % 32 <= least)


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("n % 2 == 0", "n is even"),
        ("n % 2 == 1", "n is odd"),
        ("n % 16 == 3", "n is 3 more than a multiple of 16"),
        ("n == 1", "n is 1"),
        ("2 <= n <= 9", "n is from 2 to 9"),
        ("n >= 2", "n is at least 2"),
        ("`a b` <= 512", "a b is at most 512"),
        ("total == past", "total equals past"),
    ],
)
def test_simple_conditions(condition: str, told: str) -> None:
    assert in_words([condition]) == told


@pytest.mark.parametrize("condition", ["x % 8 in {1, 5}", "(x + 3) % 8 <= 2", "n + m == 4", "n == 1 or m == 1"])
def test_what_has_no_words_stays_a_formula(condition: str) -> None:
    assert in_words([condition]) is None
    assert phrased(["n == 1", condition]) == ("n is 1", [condition])


def test_too_many_conditions_stay_formulas() -> None:
    many = [f"n{i} == {i}" for i in range(9)]
    assert phrased(many) == ("", many)
