"""Words: ranges and assumptions are named with their source."""

from __future__ import annotations

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Counts,
    Report,
)
from shapesmt.reports.answers.finding import SymbolRange
from tests.support.reports import text


def test_what_nobody_gave_by_hand_is_told_with_its_source():
    symbols = {
        "a": SymbolRange(1, 2, 1, "--dim"),
        "b": SymbolRange(1, 3, 1, "metadata"),
        "c": SymbolRange(1, 4, 1, "shapesmt.toml"),
    }
    report = Report(
        "m", Verdict.PROVED, symbols, Counts(2, 2), assumptions=("a <= b", "b <= c"),
        origins={"b <= c": "shapesmt.toml"}, unadopted={"s17": SymbolRange(1, 64)},
    )  # fmt: skip
    assert text(report).splitlines()[1:4] == [
        "from the file's metadata: b in 1..3",
        "from shapesmt.toml: c in 1..4, b <= c",
        "noted in the file for names that no input has, so not adopted: s17 in 1..64; --dim gives a range to an "
        "input's own dimension, which `inspect` lists",
    ]
    assert report.to_dict()["assumptions_from"] == {"b <= c": "shapesmt.toml"}
    assert report.to_dict()["unadopted"]["s17"]["max"] == 64
