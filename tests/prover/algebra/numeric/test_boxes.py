"""The ends of expressions over boxes of positions: what is found when each position is tried."""

from __future__ import annotations

from itertools import product

import pytest

from shapesmt.prover.algebra import ZERO, Kind, at_least, differs, entry, equal, less, minimum, position, select, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.numeric import ends_over, whatever_entries

n, m = symbol("n", 1, 6), symbol("m", 1, 6)
i, j = position(1), position(2)
BOX = {i.as_symbol(): (ZERO, n - 1), j.as_symbol(): (ZERO, m - 1)}
ELEMENTS = {
    "rising": 2 * i + n * j,
    "falling": m - i - j,
    "a choice of one position": select(less(i, 3), 7 + i, 4 * i),
    "the other of one": select(differs(i, 2), 7 + i, 0 * i),
    "choices inside choices": select(at_least(i, 2), select(equal(j, 1), i, 9 - j), j - 3),
    "divided": i // 2 - i % 2,
    "a bow": i * (5 - i) + j,
    "choices by both": select(less(i, j), i, 3 * j),
}


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_the_ends_of_the_parts_are_those_of_all_positions(element):
    parts = ends_over(element, BOX)
    assert parts
    for sizes in product(range(1, 7), repeat=2):
        given = dict(zip((n.as_symbol(), m.as_symbol()), sizes, strict=True))
        at = Evaluator(given)
        known = [(at.dim(p.least), at.dim(p.greatest)) for p in parts if at.formula(p.condition)]
        tried = [
            Evaluator({**given, i.as_symbol(): a, j.as_symbol(): b}).dim(element)
            for a, b in product(*map(range, sizes))
        ]
        assert (min(a for a, _ in known), max(b for _, b in known)) == (min(tried), max(tried))


def test_positions_in_a_flattened_matrix_become_those_of_rows_and_columns():
    place = i // n * 2 + i % n
    (ends,) = ends_over(place, {i.as_symbol(): (ZERO, n * m - 1)})
    assert (ends.least, ends.greatest) == (ZERO, n + 2 * m - 3)


def test_a_box_may_start_at_any_position():
    (ends,) = ends_over((i - 3) // n * 2 + (i - 3) % n, {i.as_symbol(): (ZERO + 3, n * m + 2)})
    assert (ends.least, ends.greatest) == (ZERO, n + 2 * m - 3)


def test_an_empty_box_has_no_ends():
    assert ends_over(i, {i.as_symbol(): (ZERO, ZERO - 1)}) == []


def test_unknown_elements_in_a_choice_that_does_not_split_the_box_are_not_known():
    data = entry(symbol("data", 0, 9, kind=Kind.ENTRY), i)
    assert ends_over(select(less(i * i, 5), data, 3), BOX) is None
    assert len(ends_over(select(less(i, 5), data, 3), BOX)) == 2


def test_distances_of_joined_positions_that_are_capped_have_a_greatest():
    """The bound is found although only the innermost choices are bounded as numbers: the outer ones cap them at 7."""
    long = symbol("n", 1, 512)
    a, b = (select(less(p, long), p, p - long) for p in (i, j))
    distance = select(at_least(a, b), a - b, b - a)
    assert whatever_entries(select(at_least(distance, 4), minimum(distance // 8 + 4, 7), distance)) == (0, 7)
