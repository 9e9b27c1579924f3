"""Amounts of memory as people write them."""

from __future__ import annotations

import re

from shapesmt.errors import UsageError
from shapesmt.language import quoted

_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kKMGT]?)(i?)[bB]?\s*")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_amount(text: str | int) -> int:
    """Return the bytes of an amount: a number, or a text with or without a unit.

    >>> parse_amount("2GB"), parse_amount("1.5 MiB"), parse_amount("300"), parse_amount(4096)
    (2000000000, 1572864, 300, 4096)

    Raises:
        UsageError: The amount is something else.
    """
    if isinstance(text, int) and not isinstance(text, bool) and text >= 0:
        return text
    match = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if match is None or (match[3] and not match[2]):
        raise UsageError(f"{quoted(text)} is no amount of memory, such as 2GB, 512MiB or 100000")
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** _POWERS[unit.lower()])
