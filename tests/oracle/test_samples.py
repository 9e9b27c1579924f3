"""Whether samples stay apart, as `check` claims it, held against running with one sample changed at a time."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.oracle.samples.models import generate
from tests.oracle.samples.scoring import FAULTS, Remark, remarks, scored, table
from tests.oracle.samples.truth import truth_of
from tests.oracle.samples.written import lines, written

DEFAULT, FULL = 40, 400
FEW = 3  # models more than their share that may be unlucky, so that a draw of 40 passes every time


def faults(found: list[tuple[str, Remark]]) -> str:
    """What may never be, one a line."""
    return "\n".join(f"{about}: {remark.kind}: {remark.text}" for about, remark in found if remark.kind in FAULTS)


def test_random_models(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    found = []
    for seed in range(first, first + (FULL if full else DEFAULT)):
        case = generate(seed)
        found += [(f"seed {seed}, {case.about}", r) for r in scored(case.model, case.high, seed)]
    assert not faults(found)
    counts = Counter(remark.kind for _, remark in found)
    report = "\n".join([*table(counts), *(f"{about}: {remark}" for about, remark in found if remark.text)])
    apart, mixed = counts["apart right"], counts["mixed right"]
    assert apart >= 0.97 * sum(n for kind, n in counts.items() if kind.startswith("apart")) - FEW, report
    assert mixed >= 0.97 * sum(n for kind, n in counts.items() if kind.startswith("mixed")) - FEW, report
    assert counts["node wrong"] <= 0.05 * mixed + FEW, report
    bad = counts["holds_iff wrong, with batch"] + counts["holds_iff none, with batch"]
    assert bad <= 0.05 * mixed + FEW, report


@pytest.mark.parametrize("part", range(8))
def test_written_models(part: int, full: bool) -> None:
    taken = [line for i, line in enumerate(lines()) if i % (8 if full else 64) == part]
    found = [(line, r) for line in taken for r in scored(written(line), {}, 0)]
    assert not faults(found)


def test_what_mixes_is_seen() -> None:
    model = written("13 | float[batch, 4] x | a = Relu (x) b = Softmax <axis = 0> (a) y = Tanh (b)")
    truth = truth_of(model, {})
    assert truth.verdicts == {"a": "apart", "b": "mixed", "y": "mixed"}
    assert truth.culprits("y") == ["Softmax_1"]
    claim = {"verdict": "apart", "axis": 0, "outer": "1", "inner": "1"}
    said = remarks(truth, {"verdict": "PROVED", "outputs": {"y": claim}})
    assert [remark.kind for remark in said] == ["false"]
