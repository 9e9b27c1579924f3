"""What a user declares of the elements of inputs."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import Number, Range, parse_value


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("..8", Range(-(1 << 63), 8, 1)),
        (np.int64(3), Range(3, 3, 1)),
        ((1, None), Range(1, None, 1)),
        (True, Range(1, 1, 1)),
        (np.float32(0.5), Number(0.5)),
        (np.float64(0.5), Number(0.5)),
        ("1e3", Number(1000.0)),
    ],
)
def test_values_are_integers_ranges_or_floats(spec: object, value: object) -> None:
    assert parse_value(spec) == value  # type: ignore[arg-type]  # numpy's numbers are taken as well


@pytest.mark.parametrize("spec", ["", "3..1", "1:2", "many", Fraction(1, 2), None])
def test_other_values_are_refused(spec: object) -> None:
    with pytest.raises(UsageError, match=re.escape("is no value of 'sr'; write 16000, 1..32")):
        parse_value(spec, "sr")  # type: ignore[arg-type]
