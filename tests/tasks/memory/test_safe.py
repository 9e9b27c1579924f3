"""Regions of a budget that are safe: what they say fits, fits; few inputs are listed, so that they are exact."""

from __future__ import annotations

from itertools import product
from random import Random

import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Dim, Formula, any_of, at_least, at_most, equal, evaluate, maximum, select, symbol
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.prover.regions import conjunct_of
from shapesmt.tasks.memory.safe import safe_conditions

A, B, C = (symbol(name, low, high) for name, low, high in (("a", 0, 5), ("b", 1, 6), ("c", 2, 4)))


def condition(random: Random) -> Formula:
    """A condition on two or three sizes that nobody can read."""

    def part() -> Dim:
        x, y = random.sample([A, B, C], 2)
        return select(equal(x, random.randint(0, 3)), y, x * y) * random.randint(1, 3) + maximum(x, y) // 2

    return any_of(
        at_most(part() * random.choice([1, A, B]), random.randint(0, 40)), equal(part(), random.randint(0, 9))
    )


def holds(text: tuple[str, ...], at: dict[str, int]) -> bool:
    return all(eval(part, {}, at) for part in text)


def test_a_region_of_few_inputs_is_listed(request: pytest.FixtureRequest) -> None:
    random = Random(request.config.getoption("--seed"))
    symbols = [s for d in (A, B, C) if (s := d.as_symbol()) is not None]
    judge, domain = Judge(), Domain(symbols)
    listed = 0
    for _ in range(60):
        wanted = condition(random)
        text, exact = safe_conditions(wanted, [conjunct_of(at_least(B, 6))], domain, judge)
        listed += exact
        for point in product(range(6), range(1, 7), range(2, 5)):
            said = holds(text, dict(zip("abc", point, strict=True)))
            real = evaluate(wanted, dict(zip(symbols, point, strict=True)))
            assert real if said else (not exact or not real), (wanted, text, point)
    assert listed


def test_a_region_of_many_inputs_is_a_box() -> None:
    n, m = symbol("n", 1), symbol("m", 1, 10**6)
    symbols = [s for d in (n, m) if (s := d.as_symbol()) is not None]
    wanted = at_most(select(equal(n % 7, 3), n * m, n + m), 1000)
    (first, second), exact = safe_conditions(wanted, (), Domain(symbols), Judge())
    assert not exact
    high = {name: int(end) for name, _, end in (part.partition(" <= ") for part in (first, second))}
    for at in product(range(1, high["n"] + 1), range(1, high["m"] + 1)):
        assert evaluate(wanted, dict(zip(symbols, at, strict=True))), at
    assert safe_conditions(at_most(n + m, 1), (), Domain(symbols), Judge()) == (("False",), True)


MODEL = """<ir_version: 8, opset_import: ["":18]> g (float[a,b] x, float[c] y) => (float[d,e] z) {
    s = Shape(x) t = Shape(y) u = Max(s, t) v = Expand(x, u) w = Concat<axis=0>(v, v) z = Exp(w) }"""


@pytest.mark.parametrize("budget", [40, 100, 144, 200, 400])
def test_what_a_region_of_a_budget_admits_fits(budget: int) -> None:
    model, dims = onnx.parser.parse_model(MODEL), {"a": "1..4", "b": "1..4", "c": "1..3"}
    region = shapesmt.memory(model, dims=dims, budget=budget).budget
    assert region is not None
    for a, b, c in product(range(1, 5), range(1, 5), range(1, 4)):
        sizes = {"a": a, "b": b, "c": c}
        worst = shapesmt.memory(model, dims=sizes).worst
        if worst is not None and worst.bytes is not None and holds(region.text, sizes):
            assert worst.bytes <= budget, (sizes, region)
