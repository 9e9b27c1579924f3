"""Parse the elements that users declare for small inputs: `16000`, `1..32`, `-4..4:2`, `true` or `0.5`."""

from __future__ import annotations

import re
from dataclasses import field
from numbers import Rational, Real
from operator import index
from typing import TypeAlias

from shapesmt.base.errors import UsageError
from shapesmt.base.frozen import frozen
from shapesmt.network.declarations.ranges import Origin, Range, RangeLike, quote

ACCEPTED_VALUE = "write 16000, 1..32, 0.., ..8, -4..4:2, or true or false"

LEAST_VALUE = -(1 << 63)  # `lo` of a range without a lower bound
LONGEST = 100  # characters; a longer text isn't read as a range

_RANGE = re.compile(r"(-?\d+)?(?:(\.\.)(-?\d+)?(?::(\d+))?)?", re.ASCII)
_WORDS = {"true": 1, "false": 0}


@frozen()
class Number:
    """A float that a caller declares as an input's value."""

    value: float
    origin: Origin | None = field(default=None, compare=False, repr=False)


ValueLike: TypeAlias = "RangeLike | float | Number"


def parse_value(spec: ValueLike, name: str = "") -> Range | Number:
    """Parse a text, a number or a pair as a range of integers or as a float; `..8` has no lower bound.

    >>> parse_value("16000"), parse_value("-4..4:2"), parse_value("true"), parse_value(0.5)
    (Range(lo=16000, hi=16000, step=1), Range(lo=-4, hi=4, step=2), Range(lo=1, hi=1, step=1), Number(value=0.5))

    `name` is the input's name in messages.

    Raises:
        UsageError: `spec` is neither a range nor a number, or the range is empty.
    """
    if isinstance(spec, Range | Number):
        return spec
    if isinstance(spec, str):
        return _read(spec.strip(), name)
    if isinstance(spec, Real) and not isinstance(spec, Rational):
        return Number(float(spec))
    lo, hi = spec if isinstance(spec, tuple) else (spec, spec)
    try:
        return _make_range(index(lo), None if hi is None else index(hi), 1, name)  # type: ignore[arg-type]  # refused
    except (TypeError, ValueError):
        raise _refusal(spec, name) from None


def _read(text: str, name: str) -> Range | Number:
    text = str(_WORDS.get(text.lower(), text))
    match = _RANGE.fullmatch(text) if 0 < len(text) <= LONGEST else None
    if match is None:
        try:
            return Number(float(text))
        except ValueError:
            raise _refusal(text, name) from None
    lo = LEAST_VALUE if match[1] is None else int(match[1])
    hi = lo if match[2] is None else None if match[3] is None else int(match[3])
    return _make_range(lo, hi, int(match[4] or 1), name)


def _make_range(lo: int, hi: int | None, step: int, name: str) -> Range:
    if step < 1 or (hi is not None and lo > hi):
        raise _refusal(f"{lo}..{'' if hi is None else hi}" + (f":{step}" if step != 1 else ""), name)
    last = None if hi is None else hi - (hi - lo) % step
    return Range(lo, last, 1 if last == lo else step)


def _refusal(spec: object, name: str) -> UsageError:
    return UsageError(f"{quote(spec)} is no value{f' of {quote(name)}' if name else ''}; {ACCEPTED_VALUE}")
