"""Amounts of memory as people write them."""

from __future__ import annotations

import pytest

from shapesmt.base.errors import UsageError
from shapesmt.tasks.memory.footprint import parse_amount


@pytest.mark.parametrize(
    ("text", "number"),
    [("2GB", 2 * 10**9), ("2 GiB", 2**31), ("0.5kB", 500), ("1K", 1000), ("1Ki", 1024), ("7b", 7), ("3TB", 3 * 10**12)],
)
def test_units(text: str, number: int):
    assert parse_amount(text) == number


@pytest.mark.parametrize("text", ["", "GB", "-1", "1 PB", "1e9", "2iB", "nan", True, 1.5, -1, None])
def test_anything_else_is_a_mistake(text: object):
    with pytest.raises(UsageError, match="no amount of memory"):
        parse_amount(text)  # type: ignore[arg-type]
