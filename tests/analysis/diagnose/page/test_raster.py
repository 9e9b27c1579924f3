"""Rasters of the valid region: every cell says what the inputs in it do."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.entrypoints.api import Opened
from shapesmt.frontends import ModelSource
from shapesmt.reports.answers.page import Axis, Raster

EQUAL = "g (float[n] x, float[m] y) => (float[k] z) { z = Add(x, y) }"
SUM = "g (float[p] x, float[q] y, float[t] w) => (float[k] z) { c = Concat<axis=0>(x, y) z = Add(c, w) }"


def drawn(model: str, **options) -> Raster | None:
    """The one raster of a model."""
    regions = (
        Opened(ModelSource(f'<ir_version: 8, opset_import: ["":18]> {model}'.encode()), Question(**options))
        .page_data()
        .regions
    )
    assert len(regions) <= 1
    return next((r for r in regions if isinstance(r, Raster)), None)


def letter(truths: list[bool]) -> str:
    return "n" if not truths else "g" if all(truths) else "m" if any(truths) else "r"


def test_a_raster_shows_more_than_the_sizes_at_which_a_1_is_broadcast() -> None:
    raster = drawn(SUM, dims={"p": "1..40", "q": "1..40", "t": "1..60"}, assume=("p + q <= 50",))
    assert raster is not None
    assert "t" in {axis.name for axis in raster.axes}
    assert raster.fixed in ({"p": 1}, {"q": 1})


@pytest.mark.parametrize(
    ("dims", "assume"),
    [
        ({"n": "2..9", "m": "3..20"}, ()),
        ({"n": "2..200", "m": "3..100:3"}, ()),
        ({"n": "1..150", "m": "1..150"}, ("m >= n",)),
        ({"n": "4..130:2", "m": "1..70"}, ("n % 4 == 0", "m != 9")),
    ],
)
def test_every_cell_is_what_its_inputs_do(dims: dict[str, str], assume: tuple[str, ...]) -> None:
    raster = drawn(EQUAL, dims=dims, assume=assume)
    assert raster is not None
    across, up = raster.axes
    told = {across.name: across, up.name: up}
    assert told.keys() == dims.keys()
    runs = 0
    for row, column in product(range(up.cells), range(across.cells)):
        values = [
            range(lo, hi + 1, axis.step) for axis, (lo, hi) in ((across, across.span(column)), (up, up.span(row)))
        ]
        inputs = [dict(zip((across.name, up.name), pair, strict=True)) for pair in product(*values)]
        admitted = [i for i in inputs if all(eval(text, {}, i) for text in assume)]
        truths = [i["n"] == i["m"] or 1 in i.values() for i in admitted]
        assert raster.rows[row][column] == letter(truths), (row, column)
        runs += sum(truths)
    assert raster.counts is not None
    assert raster.counts[0] == runs


def test_marks_are_where_it_fails() -> None:
    raster = drawn(EQUAL, dims={"n": "2..9", "m": "2..9"})
    assert raster is not None
    (mark,) = raster.marks
    column, row = (int(axis.cell(value)) for axis, value in zip(raster.axes, mark, strict=True))
    assert raster.rows[row][column] == "r"


def test_what_runs_is_seen_however_few_inputs_run() -> None:
    raster = drawn("g (float[n, m] x) => (float[k, l] y) <int64[2] s = {1, 6}> { y = Reshape(x, s) }",
                   dims={"n": "1..5000", "m": "1..5000"})  # fmt: skip
    assert raster is not None
    cells = "".join(raster.rows)
    assert 50 * (cells.count("g") + cells.count("m")) >= len(cells)
    assert all(axis.count < axis.total for axis in raster.axes)


def test_of_three_symbols_two_that_tell_are_drawn() -> None:
    raster = drawn(SUM, dims={"p": "2..9", "q": "2..9", "t": "4..18"})
    assert raster is not None
    assert [axis.name for axis in raster.axes] == ["t", "p"]
    assert raster.fixed == {"q": 2}
    assert {*"".join(raster.rows)} == {"g", "r"}


def test_open_ranges_are_shown_until_something_runs() -> None:
    raster = drawn(
        "g (float[n] x, float[m] y) => (float[k] z) { c = Concat<axis=0>(x, y) z = Conv_like(c) }".replace(
            "z = Conv_like(c)",
            "s = Constant<value_ints=[1, 1, -1]>() r = Reshape(c, s) z = MaxPool<kernel_shape=[300]>(r)",
        )
    )
    assert raster is not None
    assert all(axis.total is None for axis in raster.axes)
    assert {"r", "g"} <= {*"".join(raster.rows)}


@pytest.mark.parametrize(
    "model",
    [
        "g (float[n] x) => (float[n] y) { y = Abs(x) }",
        "g (float[n, 3] x, float[m, 4] y) => (float[k, 3] z) { z = Concat<axis=0>(x, y) }",
        'g (float[n] x) => (float[k, 2] y) <int64[2] s = {-1, 2}> '
        '{ i = NonZero(x) f = Reshape(i, s) y = Reshape(f, s) }',
    ],
    ids=["proved", "fails", "data"],
)  # fmt: skip
def test_no_picture_where_there_is_nothing_to_see(model: str) -> None:
    assert drawn(model) is None


def test_sizes_that_no_machine_word_holds_are_not_drawn() -> None:
    sevens = "g (float[n, m] x) => (float[k, l] y) <int64[2] s = {-1, 7}> { y = Reshape(x, s) }"
    assert drawn(sevens, dims={"n": "1..1000000000000", "m": "1..1000000000000"}) is None
    assert drawn(sevens, dims={"n": "1..1000", "m": "1..1000000"}) is not None


def test_of_too_many_inputs_a_sample_is_looked_at() -> None:
    half = drawn(EQUAL, dims={"n": "2..100000", "m": "2..100000"}, assume=["m >= n"])
    assert half is not None
    assert all(axis.stride > 1 for axis in half.axes)
    assert half.counts is None
    assert {*"".join(half.rows)} >= {"n", "r"}


def test_where_each_block_has_both_the_first_sizes_are_drawn_one_by_one() -> None:
    sevens = drawn(
        "g (float[n, m] x) => (y) <int64[2] s = {-1, 7}> { y = Reshape(x, s) }", dims=dict.fromkeys("nm", "1..1000")
    )
    assert sevens is not None
    assert [(axis.count, axis.block, axis.stride) for axis in sevens.axes] == [(64, 1, 1)] * 2
    assert sevens.rows[0] == ("rrrrrrg" * 10)[:64]


@given(st.integers(0, 100), st.integers(1, 7), st.integers(1, 300), st.integers(0, 5))
@settings(max_examples=60)
def test_cells_are_the_values_in_order(first: int, step: int, count: int, power: int) -> None:
    axis = Axis("n", first, step, count, count, block=2**power)
    spans = [axis.span(cell) for cell in range(axis.cells)]
    values = [value for low, high in spans for value in range(low, high + 1, step)]
    assert values == list(range(first, axis.last + 1, step))
    assert all(int(axis.cell(low)) == int(axis.cell(high)) == cell for cell, (low, high) in enumerate(spans))


def test_the_page_of_a_model_is_the_story_told() -> None:
    assert "choices of n and m run" in shapesmt.page(
        f'<ir_version: 8, opset_import: ["":18]> {EQUAL}'.encode(), dims={"n": "1..9", "m": "1..9"}
    )
