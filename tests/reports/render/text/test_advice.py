"""Flags: a remedy as the command line reads it."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.analysis.diagnose.remedies.remedy import as_declarations
from shapesmt.prover.algebra import symbol
from shapesmt.prover.regions import Interval, Other, Residue
from shapesmt.reports.answers.finding import SymbolRange
from shapesmt.reports.render.text.advice import flags

NAMES = ("height", "Batch Size", "free", "stepped", "shaped")
(HEIGHT,), (BATCH,), (FREE,), (STEPPED,), (SHAPED,) = (symbol(name).symbols for name in NAMES)


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([Residue(HEIGHT, 16, (0,))], "--dim height=64..512:16"),
        ([Residue(HEIGHT, 16, (5,))], "--dim height=69..501:16"),
        ([Interval(HEIGHT, None, 100), Residue(HEIGHT, 16, (0,))], "--dim height=64..96:16"),
        ([Interval(HEIGHT, 100, None)], "--dim height=100..512"),
        ([Interval(HEIGHT, 224, 224)], "--dim height=224"),
        ([Interval(BATCH, None, 8)], '--dim "Batch Size=1..8"'),
        ([Interval(FREE, 7, None)], "--dim free=7.."),
        ([Residue(STEPPED, 3, (0,))], "--dim stepped=6..96:6"),
        ([Residue(STEPPED, 4, (1,))], '--assume "stepped % 4 == 1"'),
        ([Interval(STEPPED, 5, None), Interval(STEPPED, None, 9)], "--dim stepped=6..8:2"),
        ([Interval(HEIGHT, 70, 99)], "--dim height=70..99"),
        ([Interval(SHAPED, None, 3)], '--assume "shaped <= 3"'),
        ([Residue(HEIGHT, 4, (0, 3))], '--assume "(height + 1) % 4 <= 1"'),
        (
            [Other("total == past + seq"), Interval(HEIGHT, None, 100)],
            '--dim height=64..100 --assume "total == past + seq"',
        ),
        ([Other("`a b` == height")], "--assume '`a b` == height'"),
        ([Interval(HEIGHT, 900, None)], '--assume "height >= 900"'),
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
    assert flags(as_declarations(conditions, symbols).remedy(symbols)) == expected


@pytest.mark.parametrize(
    ("graph", "dims", "command"),
    [
        ("(float[n, 3] x, float[n, 4] y) => (float[n, 4] z) { z = Add (x, y) }", {"n": "5..8"}, "--dim n=5..8"),
        ("(float[n, 6] x) => (o) <int64[2] to = {8, 3}> { o = Reshape (x, to) }", {"n": "1..32"}, "--dim n=1..32"),
        ("(float[n, 6] x, float[m, 6] y) => (float[n, 6] z) { z = Add (x, y) }", {}, None),
        ("(float[n, 6] x) => (float[n, 6] z) { z = Exp (x) }", {}, None),
        ("(float[n, 6] x, float[m, 6] y) => (float[n, 6] z) { z = Add (x, y) }", {"n": 5, "m": 6}, None),
    ],
)  # fmt: skip
def test_a_model_that_is_more_likely_wrong_than_the_ranges_is_to_be_repaired(
    graph: str, dims: dict[str, str | int], command: str | None
) -> None:
    """Not where the caller's own numbers make it fail."""
    text = str(shapesmt.check(f'<ir_version: 8, opset_import: ["":18]> g {graph}'.encode(), dims=dims))
    told = [row for row in text.splitlines() if row.startswith("next: ")]
    assert told == ([] if command is None else [f"next: shapesmt repair '<bytes>' {command}"])
