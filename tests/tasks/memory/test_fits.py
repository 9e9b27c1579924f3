"""The inputs that keep a limit, and the greatest size among them."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import shapesmt
from shapesmt.prover.algebra import TRUE, Dim, End, at_least, at_most, divides, equal, evaluate, symbol
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.tasks.memory.fits import fit_limit, highest
from shapesmt.tasks.memory.points import Point
from tests.oracle.runner import value


def points(*sizes: Dim) -> list[Point]:
    return [Point("", "", size, TRUE) for size in sizes]


N, M = symbol("n", 1, 40), symbol("m", 0, 30)
ATOMS = [d.as_symbol() for d in (N, M)]


FACTS = [
    [],
    [at_most(N + M, 40)],
    [divides(3, N)],
    [at_least(M, N - 5)],
    [at_least(N, 2 * M - 3), at_least(M, 4)],
    [equal(N, M + 7)],
]


@pytest.mark.parametrize("facts", FACTS, ids=str)
def test_regions_and_greatest_sizes_of_random_sums(facts: list):
    domain, judge = Domain(ATOMS, facts), Judge()
    grid = [dict(zip(ATOMS, at, strict=True)) for at in product(range(1, 41), range(31))]
    grid = [at for at in grid if all(evaluate(f, at) for f in facts)]
    for seed in range(30):
        r = Random(seed)
        sums = [r.randint(1, 9) * N * M + r.randint(0, 90) * N + r.randint(0, 90) * M + r.randint(0, 99) for _ in "abc"]
        sums.append(r.randint(1, 9) * ((N + 1) // 2) * N)
        limit = r.randint(50, 9000)
        fit = fit_limit(points(*sums), limit, domain, judge)
        fitting = [at for at in grid if all(evaluate(size, at) <= limit for size in sums)]
        assert fit.exact
        named = [{s.name: v for s, v in at.items()} for at in grid]
        assert [at for at, n in zip(grid, named, strict=True) if all(value(t, n) for t in fit.text)] == fitting, seed
        for asked in (N, M):
            end = highest(asked, fit, domain, judge) or End(None)
            assert end.value == max((evaluate(asked, at) for at in fitting), default=None), seed
            if end.value is not None:
                assert {**dict.fromkeys(ATOMS, 0), **end.witness} in fitting or not end.witness.keys() >= {*ATOMS}, seed
                assert all(evaluate(size, {ATOMS[1]: 0, **end.witness}) <= limit for size in sums), seed


def test_sizes_without_an_end_have_a_region_and_a_greatest_value():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[b, s] x) => (float[b, s] y, float[k] z) { y = Exp(x) f = MatMul(x, x) z = ReduceSum<keepdims = 0>(y) }"""
    report = shapesmt.memory(model, dims={"b": "1.."}, assume=["b == s"], budget="1MB", greatest="s")
    assert report.budget.exact
    assert report.max.value == max(s for s in range(1, 1000) if 8 * s * s <= 10**6)


@pytest.mark.parametrize(("asked", "value"), [("b", 10_000), ("s", 10_000), ("p", 9_999), ("t", 19_999)])
def test_the_greatest_of_sizes_without_ends_that_belong_together(asked: str, value: int):
    """The other sizes are at their minimum (`t` is `s + p`); in memory are y and z, `4*b*(s + p)` and `4*b*t` bytes."""
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[b, s] x, float[b, p] past, float[b, t] mask) => (float[b, u] y, float[b, t] z) {
      y = Concat<axis = 1>(past, x)
      z = Exp(mask)
    }"""
    dims = {"b": "1..", "s": "1..", "p": "0..", "t": "1.."}
    greatest = shapesmt.memory(model, dims=dims, assume=["t >= s + p"], budget="80kB", greatest=asked).max
    assert (greatest.value, greatest.exact) == (value, True)
    assert greatest.witness == {**dict.fromkeys("bst", 1), "p": 0, asked: value} | (
        {"t": value + (asked == "p")} if asked in "sp" else {}
    )


def test_one_layer_of_many_decides():
    layer = "a{1} = Exp(a{0}) b{0} = Concat<axis = 0>(a{0}, a{1}, a{0}) c{0} = ReduceSum(b{0})"
    layers = " ".join(layer.format(i, i + 1) for i in range(40))
    model = f'<ir_version: 8, opset_import: ["": 18]> g (float[n, m] a0) => (float[n, m] a40) {{ {layers} }}'
    report = shapesmt.memory(model.encode(), dims={"n": "1..5000", "m": "1..5000"}, budget="1MB")
    assert len(report.budget.text) == 1
    assert report.budget.exact


def test_what_fits_is_not_exact_where_a_node_is_not_judged():
    text = '<ir_version: 9, opset_import: ["": 18]> g (float[a, k] x) => (z) { '
    unjudged = "s = Shape(x) f = Cast<to = 1>(s) g = Sin(f) i = Cast<to = 7>(g) z = Gather(x, i) }"
    for body, verdict in (("z = Sub(x, x) }", "PROVED"), (unjudged, "UNKNOWN")):
        memory = shapesmt.memory((text + body).encode(), budget=10_000)
        assert (memory.verdict, memory.unknown) == (verdict, ())
        assert memory.budget.exact is (verdict == "PROVED")
