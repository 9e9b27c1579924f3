"""The bytes over the ranges, beside those that the formula gives."""

from __future__ import annotations

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.frontends import ModelSource
from shapesmt.reports.answers import Chart
from shapesmt.tasks.memory import Wanted, measure

MODEL = b"""<ir_version: 8, opset_import: ["": 18]>
g (float[n, h] x, float[n, k] z) => (float[n, h] y, float[n, u] w) { y = Exp(x) w = Concat<axis = 1>(z, x) }"""


def charts(model: bytes = MODEL, **options) -> dict[tuple[str, ...], Chart]:
    answer = measure(ModelSource(model), Question(**options), Wanted(charts=True))
    assert "charts" not in answer.to_dict()
    return {tuple(chart.values): chart for chart in answer.charts}


def test_each_dimension_alone_and_the_two_widest_together():
    found = charts(dims={"n": "1..4", "h": "16..64:16", "k": "0..400"})
    assert found.keys() == {("k",), ("h",), ("n",), ("k", "n")}
    alone = found["h",]
    assert (alone.values, alone.fixed) == ({"h": (16, 32, 48, 64)}, {"n": 4, "k": 400})
    assert alone.bytes == (tuple(4 * 4 * (2 * h + 400) for h in (16, 32, 48, 64)),)
    both = found["k", "n"]
    assert both.values["n"] == (1, 2, 3, 4)
    assert both.values["k"][::40] == (0, 400)
    for n, row in zip(both.values["n"], both.bytes, strict=True):
        assert row == tuple(4 * n * (128 + k) for k in both.values["k"])


def test_only_valid_inputs_have_bytes_and_what_is_tied_moves_along():
    dims = {"n": 1, "h": "1..9", "k": "1..9"}
    assert charts(dims=dims, assume=["h + k <= 10"])["h", "k"].bytes[8] == (4 * 11, *[None] * 8)
    assert charts(dims=dims, assume=["k == 10 - h"])["h",].fixed == {"n": 1}


def test_without_an_end_the_first_values_are_drawn():
    chart = charts(dims={"n": 1, "k": 2})["h",]
    assert chart.values["h"][0] == 1
    assert chart.bytes[0][0] == 4 * (1 + 3)
    assert len(chart.values["h"]) > 100


def test_nothing_is_drawn_where_nothing_varies_or_is_asked_for():
    assert not charts(dims={"n": 1, "h": 2, "k": 3})
    assert not shapesmt.memory(MODEL).charts
