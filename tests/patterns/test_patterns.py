"""The bugs that people make most, as graphs: verdict, region, counterexample and warnings, judged by execution."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

import shapesmt
from shapesmt.entrypoints.cli.main import main
from tests.oracle.runner import Execution, value
from tests.patterns.layers import LAYERS
from tests.patterns.pattern import Pattern
from tests.patterns.sizes import SIZES

PATTERNS = [*LAYERS, *SIZES]
MOST = 256  # of a size that is drawn
DRAWN = 200
TRIED = 4  # inputs that run, and as many that don't
each = pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.number)


@each
def test_what_is_said(pattern: Pattern) -> None:
    report = shapesmt.check(pattern.model, dims=pattern.dims, assume=pattern.assume)  # type: ignore[arg-type]  # ranges
    assert report.precondition is not None
    said = (report.verdict.value, report.precondition.text, report.precondition.exact)
    assert said == (pattern.verdict, pattern.region, True)
    assert tuple(w.kind for w in report.warnings) == pattern.warnings
    if not pattern.region:
        assert not report.findings
        return
    first = report.findings[0]
    assert first.node == pattern.node
    assert first.counterexample is not None
    assert first.counterexample.symbols == pattern.broken
    assert first.counterexample.relevant or pattern.verdict == "FAILS"


@each
def test_what_runs(pattern: Pattern) -> None:
    execution = Execution(pattern.model)
    if pattern.verdict != "PROVED":
        assert execution.run(pattern.broken).failing[:1] == (pattern.node,)
    if pattern.verdict != "FAILS" and not pattern.huge:
        assert pattern.fine
        assert all(value(text, pattern.fine) for text in pattern.region)
        assert execution.run(pattern.fine).failing == ()


@each
def test_what_is_warned_of_runs(pattern: Pattern) -> None:
    report = shapesmt.check(pattern.model, dims=pattern.dims, assume=pattern.assume)  # type: ignore[arg-type]  # ranges
    for warning in report.warnings:
        if warning.example is not None and not pattern.huge:
            assert Execution(pattern.model).run(warning.example.symbols).failing == ()


@each
def test_the_region_is_where_it_runs(pattern: Pattern) -> None:
    if pattern.huge:
        return
    execution = Execution(pattern.model)
    counts = {True: 0, False: 0}
    for sizes in drawn(pattern):
        valid = all(value(text, sizes) for text in pattern.region)
        counts[valid] += 1
        if counts[valid] <= TRIED:
            assert (execution.run(sizes).failing == ()) == valid, sizes
    assert counts[True] or pattern.verdict == "FAILS"
    assert counts[False] or pattern.verdict == "PROVED"


def drawn(pattern: Pattern) -> Iterator[dict[str, int]]:
    """The inputs that the pattern names, then admissible ones at random, not too large."""
    yield from (dict(sizes) for sizes in (pattern.broken, pattern.fine) if sizes)
    ranges = shapesmt.check(pattern.model, dims=pattern.dims).symbols  # type: ignore[arg-type]  # ranges
    chance = random.Random(pattern.number)
    for _ in range(DRAWN):
        sizes = {
            name: chance.randrange(r.min, max(r.min, min(MOST, r.max or r.min + 8)) + 1, r.step)
            for name, r in ranges.items()
        }
        if all(value(text, sizes) for text in pattern.assume):
            yield sizes


def test_contradictory_declarations_are_no_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "(float[b, 4] x, float[c, 4] y) => (z) { z = Add (x, y) }"
    path = tmp_path / "tied.onnx"
    onnx.save(Pattern("36", "sizes that can't be equal, tied", body).model, path)
    assert main(["check", str(path), "--dim", "b=1..4", "--dim", "c=8..9", "--assume", "b == c"]) == 2
    said = capsys.readouterr()
    assert said.err == "error: no admissible input: b in 1..4, c in 8..9, b == c contradict each other\n"
    assert not said.out


def test_every_pattern_is_there() -> None:
    numbers = [p.number for p in PATTERNS]
    assert len(set(numbers)) == len(numbers)
    assert {int(n.rstrip("abcdef")) for n in numbers} == {*range(1, 36)}
