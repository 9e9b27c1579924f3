"""Every row of the checklist of what partial shapes and shape functions have to do has a test that names it."""

from __future__ import annotations

from tests.support.rows import covered

ROWS = {
    "A": range(1, 40),  # shape propagation
    "B": range(1, 35),  # partial shapes, dimensions, ranks
    "C": range(1, 28),  # symbolic shapes and values that ride along
    "D": range(1, 52),  # the inference context
}
PARTS = {"B16": [f"B16{part}" for part in "abcdefg"], "C20": ["C20", "C20b"]}


def test_every_row_is_named_by_a_test():
    names = [f"{section}{number:02}" for section, numbers in ROWS.items() for number in numbers]
    rows = {part for name in names for part in PARTS.get(name, [name])}
    assert len(rows) == 158
    assert sorted(rows - set(covered())) == []


def test_no_test_names_a_row_that_is_none():
    names = {f"{section}{number:02}" for section, numbers in ROWS.items() for number in numbers}
    assert [row for row in covered() if row[:3] not in names] == []
