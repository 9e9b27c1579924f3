"""Number lines: every value is in the part that says what it does, also behind the last one that is listed."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from shapesmt.analysis.diagnose.page.lines import number_line
from shapesmt.analysis.verify import Question
from shapesmt.entrypoints.api import Opened
from shapesmt.frontends import ModelSource
from shapesmt.prover.algebra import all_of, any_of, at_least, at_most, evaluate, symbol
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import NumberLine, Run

EVEN = "g (float[n, 4] x) => (float[k, 8] y) <int64[2] s = {-1, 8}> { y = Reshape(x, s) }"


def lines(model: str, **options) -> list[NumberLine]:
    regions = (
        Opened(ModelSource(f'<ir_version: 8, opset_import: ["":18]> {model}'.encode()), Question(**options))
        .page_data()
        .regions
    )
    return [r for r in regions if isinstance(r, NumberLine)]


def told(line: NumberLine, value: int) -> bool | None:
    """What a line says of a value; None where it doesn't say."""
    last = line.parts[-1].first
    if line.period is not None and value > last:
        value = last - line.period + (value - last) % line.period
    return next((p.runs for p in line.parts if p.first <= value and (p.last is None or value <= p.last)), None)


def test_what_repeats_is_shown_once() -> None:
    (line,) = lines(EVEN, dims={"n": "5..99"})
    assert line.parts == (Run(5, 5, False), Run(6, 6, True), Run(7, 7, False))
    assert (line.period, line.last, line.counts) == (2, 99, (47, 95))
    (endless,) = lines(EVEN)
    assert (endless.period, endless.last, endless.counts) == (2, None, None)


def test_few_parts_are_shown_as_they_are() -> None:
    (line,) = lines(EVEN, dims={"n": "1..3"})
    assert line == NumberLine("n", (Run(1, 1, False), Run(2, 2, True), Run(3, 3, False)), last=3, counts=(1, 3))


def test_a_limit_of_a_range_without_end() -> None:
    (line,) = lines("g (float[1, 1, n] x, float[1, 1, 300] w) => (float[1, 1, k] y) { y = Conv(x, w) }")
    assert line.parts == (Run(1, 299, False), Run(300, None, True))
    assert line.last is line.counts is None


def test_only_admissible_values_are_told() -> None:
    (line,) = lines(EVEN, assume=["n % 3 == 0"])
    assert line.parts == (Run(3, 3, False), Run(6, 6, True), Run(9, 9, False))
    assert line.period == 6


def test_dimensions_that_decide_alone_have_lines_of_their_own() -> None:
    model = "g (float[1, 1, n, m] x, float[1, 1, 3, 3] w) => (float[1, 1, k, l] y) { y = Conv(x, w) }"
    assert [line.name for line in lines(model)] == ["n", "m"]


@pytest.mark.parametrize("last", [None, 40, 3000])
def test_random_conditions_are_told_at_every_value(seeds: range, last: int | None) -> None:
    for seed in seeds:
        r = Random(f"line {seed}")
        s = symbol("s", r.randint(0, 3), *([] if last is None else [last]), step=r.choice([1, 1, 1, 4]), fold=False)
        k, end = r.randint(2, 9), r.randint(1, 60)
        condition = r.choice([all_of, any_of])(
            r.choice([at_least, at_most])(s % k, r.randint(0, k - 1)), r.choice([at_least, at_most])(s, end)
        )
        atom = s.as_symbol()
        if atom is None or atom not in condition.symbols:
            continue
        line = number_line(condition, atom, Domain([atom]))
        assert line is not None
        assert all(a.last is not None and a.last + line.step == b.first for a, b in pairwise(line.parts))
        values = range(int(s.lo), (last or 900) + 1, line.step)
        truths = {value: told(line, value) for value in values}
        assert all(truth == evaluate(condition, {atom: v}) for v, truth in truths.items() if truth is not None)
        assert line.more or None not in truths.values()
        assert line.counts is None or line.counts == (
            sum(bool(evaluate(condition, {atom: v})) for v in values),
            len(values),
        )
