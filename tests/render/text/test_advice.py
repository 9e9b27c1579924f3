"""Flags: a remedy as the command line reads it."""

from __future__ import annotations

import pytest

from shapesmt.diagnose.remedy import declared
from shapesmt.render.text.advice import flags
from shapesmt.report.finding import SymbolRange


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (["height % 16 == 0"], "--dim height=64..512:16"),
        (["height % 16 == 5"], "--dim height=69..501:16"),
        (["height <= 100", "height % 16 == 0"], "--dim height=64..96:16"),
        (["height >= 100"], "--dim height=100..512"),
        (["height == 224"], "--dim height=224"),
        (["`Batch Size` <= 8"], '--dim "Batch Size=1..8"'),
        (["free >= 7"], "--dim free=7.."),
        (["stepped % 3 == 0"], "--dim stepped=6..96:6"),
        (["stepped % 4 == 1"], '--assume "stepped % 4 == 1"'),
        (["stepped >= 5", "stepped <= 9"], "--dim stepped=6..8:2"),
        (["70 <= height <= 99"], "--dim height=70..99"),
        (["shaped <= 3"], '--assume "shaped <= 3"'),
        (["height % 4 in {0, 3}"], '--assume "height % 4 in {0, 3}"'),
        (["total == past + seq", "height <= 100"], '--dim height=64..100 --assume "total == past + seq"'),
        (["`a b` == height"], "--assume '`a b` == height'"),
        (["height >= 900"], '--assume "height >= 900"'),
    ],
)
def test_flags_that_make_it_proved(conditions, expected):
    symbols = {
        "height": SymbolRange(64, 512),
        "Batch Size": SymbolRange(1, None),
        "free": SymbolRange(1, None),
        "stepped": SymbolRange(2, 100, 2),
        "shaped": SymbolRange(1, 8, 1, "--shape"),
    }
    assert flags(declared(conditions, symbols)) == expected
