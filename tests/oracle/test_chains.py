"""Models whose nodes depend on numbers that sizes decide, held against running them at every assignment.

python -m pytest tests/oracle/test_chains.py --full -s
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest

import shapesmt
from tests.oracle.chains import chain
from tests.oracle.compare import Truth, disagreements
from tests.oracle.graphs import Case
from tests.oracle.runner import Execution, NoBlame, assignments

DEFAULT, FULL = 150, 4000


def wrong_in(case: Case, counts: Counter[str]) -> list[str]:
    """What is wrong in the answers about a model."""
    execution = Execution(case.model)
    ranges = {name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}
    try:
        runs = [(sizes, execution.run(sizes)) for sizes in assignments(ranges)]
    except NoBlame:
        counts["no blame"] += 1
        return []
    return disagreements(Truth(execution.model, runs), counts, case.ranges)


def test_numbers_that_sizes_decide(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    seeds = range(first, first + (FULL if full else DEFAULT))
    wrong = [f"seed {seed}: {text}" for seed in seeds for text in wrong_in(chain(seed), counts)]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["no blame"] <= len(seeds) // 20, counts
    assert counts["UNKNOWN"] <= len(seeds) // 4, counts


ENDLESS = {
    "Resize": '(float[n, m] x) => (y) { y = Resize <mode = "nearest"> (x, , pair) }',
    "a half": '(float[n, m] x) => (y) { s = Mul (pair, half) y = Resize <mode = "nearest"> (x, , s) }',
    "Range": "(float[n] x) => (y) { r = Range (half, v, half) y = Add (x, r) }",
    "a step": "(float[n] x) => (y) { r = Range (half, half, v) y = Add (x, r) }",
    "a start": "(float[n] x) => (y) { r = Range (v, half, half) y = Add (x, r) }",
    "a size": "(float[n] x) => (y) {s = Shape (x) f = Cast<to=1>(s) p = Mul (f, v) i = Cast<to=7>(p) y = Tile (x, i)}",
    "Cast": "(float[n] x) => (y) { p = Mul (v, half) c = Cast <to = 7> (p) t = Reshape (c, one) y = Expand (x, t) }",
    "Ceil": "(float[n] x) => (y) { p = Ceil (v) c = Cast <to = 7> (p) t = Reshape (c, one) y = Tile (x, t) }",
}
"""Models that make sizes of `v`, or of the vector `pair` of 1 and `v`."""


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_numbers_that_are_none(text: str, number: float) -> None:
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 18]> g ' + text)
    for name, values in {"v": number, "pair": [1, number], "half": 0.5}.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(values, np.float32), name))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1]), "one"))
    ranges = {name: (1, 3) for name in ("n", "m") if f"{name}]" in text or f"[{name}" in text}
    assert wrong_in(Case(0, model, ranges, {}), Counter()) == []
    for limits in ({}, ranges):
        shapesmt.check(model, dims=limits, session="file")
        shapesmt.bounds(model, dims=limits, session="file")
