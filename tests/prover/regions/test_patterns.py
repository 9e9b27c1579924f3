"""Patterns: what is said of one symbol's values is exactly the set, however it is said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shapesmt.prover.algebra import Evaluator, all_of, symbol
from shapesmt.prover.regions.patterns import describe_values, evenly_spaced

N = symbol("n", 0, 40)
ATOM = N.as_symbol()
VALUES = np.arange(41)


def texts(truth: np.ndarray) -> list[str] | None:
    pieces = describe_values(ATOM, VALUES, truth)
    return None if pieces is None else [*map(str, pieces)]


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (VALUES >= 7, ["n >= 7"]),
        (VALUES % 4 == 0, ["n % 4 == 0"]),
        ((VALUES >= 8) & (VALUES <= 20), ["8 <= n <= 20"]),
        (VALUES % 8 <= 3, ["n % 8 <= 3"]),
        (VALUES % 8 >= 6, ["n % 8 >= 6"]),
        ((VALUES + 1) % 4 <= 1, ["(n + 1) % 4 <= 1"]),
        ((VALUES - 2) % 8 <= 2, ["2 <= n % 8 <= 4"]),
        (np.isin(VALUES % 8, [0, 2, 3]), ["n % 8 in {0, 2, 3}"]),
        (np.isin(VALUES, [3, 17, 18, 31]), ["n == 3 or 17 <= n <= 18 or n == 31"]),
        (~np.isin(VALUES, [7, 19, 20, 33, 37]), ["n not in {7, 19, 20, 33, 37}"]),
        (~np.isin(VALUES, [0, 1, 2, 7, 14, 20, 33, 38, 39, 40]), ["3 <= n <= 37", "n not in {7, 14, 20, 33}"]),
    ],
)
def test_sets_are_said_as_a_person_would(truth, said):
    assert texts(truth) == said


@given(st.sets(st.integers(0, 40)) | st.builds(lambda m, r: {*range(r, 41, m)}, st.integers(1, 12), st.integers(0, 40)))
def test_whatever_is_said_is_exactly_the_set(chosen):
    truth = np.isin(VALUES, [*chosen])
    pieces = describe_values(ATOM, VALUES, truth)
    if pieces is not None:
        holds = Evaluator({ATOM: VALUES}).formula(all_of(*(piece.formula for piece in pieces)))
        assert np.broadcast_to(holds, VALUES.shape).tolist() == truth.tolist()


def test_evenly_spaced_values_are_those_of_the_step():
    assert evenly_spaced(ATOM, VALUES)
    assert not evenly_spaced(ATOM, np.array([0, 1, 3]))


def test_remainders_repeat_among_the_values_of_a_step():
    stepped = symbol("w", 64, 512, step=16).as_symbol()
    values = np.arange(64, 513, 16)
    (piece,) = describe_values(stepped, values, values % 32 == 0)
    assert str(piece) == "w % 32 == 0"
