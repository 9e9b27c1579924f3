"""What a page computes with: sliders in their ranges, conditions of nodes, and numbers of elements some input has."""

from __future__ import annotations

from itertools import product as combinations
from math import prod

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.entrypoints.api import Opened
from shapesmt.frontends import ModelSource
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Calculator, Elements, Slider
from tests.support.hang import PATIENCE


def calculator(model: str, **options) -> Calculator:
    text = f'<ir_version: 8, opset_import: ["":18, "com.unheard":1]> {model}'
    return Opened(ModelSource(text.encode()), Question(**options)).page_data().calculator


ADD = "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }"


def test_sliders_begin_where_it_fails() -> None:
    assert calculator(ADD, dims={"n": "2..9", "m": "2..8:2"}).sliders == (
        Slider("n", 2, 9, 1, 3),
        Slider("m", 2, 8, 2, 2),
    )


def test_sliders_begin_where_nothing_is_broadcast_that_was_to_be_equal() -> None:
    mask = """g (float[seq, 1] q, float[past, 1] p, float[total] m) => (float[s, t] y) {
        k = Concat <axis = 0> (p, q) t = Transpose (k) y = Add (t, m) }"""
    assert {s.name: s.start for s in calculator(mask).sliders} == {"seq": 1, "past": 1, "total": 2}
    four = "g (float[batch, 4, n] x, float[32, 2] w) => (float[4, m] y) <int64[2] s = {4, -1}> { t = Reshape (x, s)"
    four += " y = MatMul (t, w) }"
    assert {s.name: s.start for s in calculator(four).sliders} == {"batch": 4, "n": 8}


def test_what_is_computed_from_other_sizes_has_no_slider() -> None:
    found = calculator(ADD, dims={"n": "2..8"}, assume=["m == n + 1", "n % 2 == 0"])
    assert [slider.name for slider in found.sliders] == ["n"]
    assert {"n", "m"} == found.dims.keys()
    assert found.entries[found.dims["m"]][0] == "sum"
    assert "n % 2 == 0" in [text for text, _ in found.facts]


def test_nodes_know_their_sources_and_what_was_said_of_them() -> None:
    first, second, third = calculator(
        "g (float[n] x, float[m] y) => (float[k] z) { a = Relu(x) b = Add(a, y) z = com.unheard.Of(b) }"
    ).nodes
    assert (first.reads, first.condition, first.verdict, first.judged) == ((), None, Verdict.PROVED, True)
    assert (second.reads, second.verdict, second.judged) == ((0,), Verdict.DEPENDS, True)
    assert second.condition is not None
    assert (third.reads, third.verdict, third.judged) == ((1,), Verdict.UNKNOWN, False)


def test_numbers_of_elements_are_those_of_some_input() -> None:
    model = "g (float[n, m] x, float[m, n] y) => (float[a, b] z) { t = MatMul(x, y) z = Add(t, t) }"
    found = calculator(model, dims={"n": "1..5", "m": "2..4"}, assume=["n + m <= 7"])
    sizes = [(n, m) for n, m in combinations(range(1, 6), range(2, 5)) if n + m <= 7]
    for tensor, axes in (("x", (0, 1)), ("z", (0, 0))):
        counts = [prod(size[axis] for axis in axes) for size in sizes]
        assert found.tensors[tensor].elements == Elements(min(counts), max(counts))


def test_without_a_solver_numbers_are_sound() -> None:
    found = calculator(
        "g (float[n] x, float[m] y) => (float[n] z) { z = Relu(x) }", assume=["m**6 % (n*n + 7) == 3"], timeout=PATIENCE
    )
    assert found.tensors["z"].elements == Elements(1, None, False, False)


def test_a_page_takes_no_longer_for_its_bounds_than_it_may() -> None:
    text = '<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Relu(x) }'
    assert shapesmt.page(text.encode(), timeout=0).startswith("<!doctype html>")
