"""The normal form changes no value: random expressions against Python's own integers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from math import prod
from operator import add, floordiv, mod, mul, sub

import numpy as np
import pytest

from shapesmt.prover.algebra.dim import Atom, Dim, Kind, const, define_symbol, symbol
from shapesmt.prover.algebra.division import ceil_divide
from shapesmt.prover.algebra.evaluation import evaluate, fits_int64
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.factors import product, total
from shapesmt.prover.algebra.formula import absolute, at_least, differs, equal, select, truncated_divide
from shapesmt.prover.algebra.relaxation import tight
from shapesmt.prover.algebra.substitution import substitute
from tests.support.each import each

Meaning = Callable[[dict[str, int]], int]
H, W, N, M = symbol("h", 1, 64), symbol("w", 1, 512), symbol("n", 0, 9), symbol("m", 1, 9)


def floor_divide(a: int, b: int) -> int:
    return a // b if b else 0


def truncate(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def expression(r: random.Random, symbols: list[Dim], depth: int) -> tuple[Dim, Meaning]:
    """A random expression, and what it means."""
    if depth == 0:
        if r.random() < 0.3:
            c = r.randint(-5, 9)
            return const(c), lambda _: c
        s = r.choice(symbols)
        name = str(s)
        return s, lambda e: e[name]
    a, fa = expression(r, symbols, depth - 1)
    b, fb = expression(r, symbols, r.randint(0, depth - 1))
    k = r.randint(1, 8)
    choices: list[Callable[[], tuple[Dim, Meaning]]] = [
        lambda: (a + b, lambda e: fa(e) + fb(e)),
        lambda: (a - b, lambda e: fa(e) - fb(e)),
        lambda: (a * b, lambda e: fa(e) * fb(e)),
        lambda: (a // b, lambda e: floor_divide(fa(e), fb(e))),
        lambda: (a // k, lambda e: fa(e) // k),
        lambda: (a % k, lambda e: fa(e) % k),
        lambda: (ceil_divide(a, k), lambda e: -((-fa(e)) // k)),
        lambda: (truncated_divide(a, k), lambda e: truncate(fa(e), k)),
        lambda: (absolute(a), lambda e: abs(fa(e))),
        lambda: (minimum(a, b), lambda e: min(fa(e), fb(e))),
        lambda: (maximum(a, b), lambda e: max(fa(e), fb(e))),
        lambda: (select(equal(a, b), b, k), lambda e: fb(e) if fa(e) == fb(e) else k),
        lambda: (select(at_least(a, k), a, b), lambda e: fa(e) if fa(e) >= k else fb(e)),
        lambda: (select(differs(a, k), b, a), lambda e: fb(e) if fa(e) != k else fa(e)),
        lambda: (define_symbol(a) + b, lambda e: fa(e) + fb(e)),
        lambda: (maximum(a // k, k - 3) % 3, lambda e: max(fa(e) // k, k - 3) % 3),
        lambda: ((k - minimum(a, k)) // 2 - b, lambda e: (k - min(fa(e), k)) // 2 - fb(e)),
        lambda: (minimum(maximum(a, b) + k, maximum(a, 1)), lambda e: min(max(fa(e), fb(e)) + k, max(fa(e), 1))),
    ]
    return r.choice(choices)()


@each("seed", range(300), "seed {}".format)
def test_normal_forms_keep_every_value(seed: int) -> None:
    r = random.Random(seed)
    lows = [r.choice([0, 1, 1, -3]) for _ in range(3)]
    symbols = [symbol(name, lo, lo + r.randint(1, 9)) for name, lo in zip("xyz", lows, strict=True)]
    dim, meaning = expression(r, symbols, r.randint(1, 4))
    ranges = [range(int(s.lo), int(s.hi) + 1) for s in symbols]
    points = list(itertools.product(*ranges))
    for point in r.sample(points, min(40, len(points))):
        names = dict(zip("xyz", point, strict=True))
        expected = meaning(names)
        assert evaluate(dim, dict(zip(map(atom, symbols), point, strict=True))) == expected
        assert dim.lo <= expected <= dim.hi
        assert tight(dim)[0] <= expected <= tight(dim)[1]
        with suppress(ZeroDivisionError):  # which shapesmt takes for 0
            assert eval(str(dim), {}, names) == expected, str(dim)
    if fits_int64(dim):
        grid = {
            atom(s): np.array(r).reshape([-1 if i == k else 1 for k in range(3)])
            for i, (s, r) in enumerate(zip(symbols, ranges, strict=True))
        }
        values = np.broadcast_to(evaluate(dim, grid), [len(r) for r in ranges])
        assert values.ravel().tolist() == [meaning(dict(zip("xyz", p, strict=True))) for p in points]
    assert substitute(dim, {atom(s): s for s in symbols}) is dim  # built again, it is the same object


def atom(s: Dim) -> Atom:
    found = s.as_symbol()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (((H + 1) // 2 + 1) // 2, "(h + 3)//4"),
        (-((-H) // 4), "(h + 3)//4"),
        (H - H % 16, "16*(h//16)"),
        (H % 16, "h % 16"),
        (W + (64 - W % 64) % 64, "64*((w + 63)//64)"),
        (H * M * 768 // (H * M), "768"),
        ((M * H + M) // M, "h + 1"),
        ((6 * H) // (4 * M), "(3*h)//(2*m)"),
        (minimum(H, 100), "h"),
        (maximum(H - 70, 0), "0"),
        (minimum(H, 10), "min(h, 10)"),
        (maximum(maximum(H // 2, 1) // 2, 1), "max(h//4, 1)"),
        (maximum((maximum(H // 2, 1) - 3) // 2 + 1, 1), "max((h + 2)//4 - 1, 1)"),
        (maximum(H // 2, 1) // 2, "h//4"),
        ((3 * minimum(N, 7) + 1) // 4, "min((3*n + 1)//4, 5)"),
        ((-minimum(N, 7)) // 2, "-min((n + 1)//2, 4)"),
        (maximum(H, W) // 2, "max(h, w)//2"),
        (maximum(2 * maximum(H - 9, W) + 19, 80), "max(2*h + 1, 2*w + 19, 80)"),
        (maximum(maximum(N - 4, 0), minimum(maximum(N - 4, 0), 2)), "max(n - 4, 0)"),
        (maximum(H // 2, 1) % 7, "max(h//2, 1) % 7"),
        (M - 2 * (minimum(H, 5) % 3), "m - 2*(min(h, 5) % 3)"),
        (7 // H, "7//h"),
        (7 % H, "-h*(7//h) + 7"),
        (total([H, 1, -H]), "1"),
        (product([H, 2, M]), "2*h*m"),
        (select(equal(N, 0), 0, N), "n"),
        (symbol("Batch Size", 1) + 1, "`Batch Size` + 1"),
    ],
)
def test_normal_form(dim: Dim, text: str) -> None:
    assert str(dim) == text


def test_equal_normal_forms_are_one_object() -> None:
    assert (H + 1) * (H - 1) is H * H - 1
    assert (H // 2) * 2 + H % 2 is H


def test_a_long_chain_of_products_stays_small() -> None:
    x = symbol("x", 1, 9)
    for _ in range(2000):
        x = x * x + 1
    assert x.depth < 100
    assert evaluate(substitute(symbol("y", 1) + 1, {atom(symbol("y", 1)): N}), {atom(N): 3}) == 4


def test_a_deep_chain_evaluates_without_recursion() -> None:
    x = symbol("x", 0, 9)
    for k in range(500):
        x = maximum(x // 2 * 3 + 1, x - k)
    assert isinstance(evaluate(x, {atom(symbol("x", 0, 9)): 3}), int)


@pytest.mark.parametrize(("block", "number"), [(7, 49), (7, 48), (7, 98), (3, 9), (5, 25)])
@pytest.mark.parametrize("lo", [0, 3, 4])
@pytest.mark.parametrize("below", [False, True])
def test_a_product_equal_to_its_bound_is_so_factor_by_factor(block: int, number: int, lo: int, *, below: bool) -> None:
    h, w = symbol("h", lo, 130), symbol("w", lo, 130)
    span, up = 4 * block, 0 if below else 4 * block - 4
    left, right = (h // 4) * (w // 4), number * ((h + up) // span) * ((w + up) // span)
    condition = equal(left, right)
    sizes = np.meshgrid(np.arange(lo, 131, 2), np.arange(lo, 131, 3), indexing="ij")
    values = dict(zip((atom(h), atom(w)), sizes, strict=True))
    assert np.array_equal(evaluate(condition, values), evaluate(left, values) == evaluate(right, values))
    assert all(len(c.symbols) == 1 for c in condition.conjuncts) == (number == block * block and lo == 4)


@pytest.mark.parametrize("relation", [equal, differs])
def test_text_of_a_remainder_says_the_same(relation: Callable[..., object]) -> None:
    """For example, `(x + 1) % 4 == 1` is written as `x % 4 == 0`."""
    x = symbol("x", 0, 40)
    for k, shift, number in itertools.product((2, 3, 4), range(-5, 6), range(-4, 5)):
        for left, right in (((x + shift) % k, number), (k * ((x + shift) // k), x + number)):
            formula = relation(left, right)
            text = str(formula)
            for value in range(41):
                asked = evaluate(formula, {x.as_symbol(): value})  # type: ignore[arg-type,call-overload]
                assert bool(asked) == eval(text, {"x": value}), (text, k, shift, number, value)


def test_a_misspelt_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="'dta' is not a valid Kind"):
        symbol("n", kind="dta")  # type: ignore[arg-type]
    assert symbol("n", kind="data") is symbol("n", kind=Kind.DATA)  # type: ignore[arg-type]


def test_terms_by_their_factors() -> None:
    products = {tuple(sorted(f.name for f in factors)): c for factors, c in (3 * H * N - 2 * N * N + 5).products()}
    assert products == {("h", "n"): 3, ("n", "n"): -2, (): 5}
    assert (H.as_atom(), (H + 1).as_atom(), (H // 2).as_symbol()) == (H.as_symbol(), None, None)


def test_products_are_those_of_their_factors_one_by_one() -> None:
    symbols = [symbol(f"s{i}", 0) for i in range(20)]
    for factors in ([], [7], symbols[:3], [symbols[0], 2, symbols[1] + 1, symbols[0], 3], [symbols[0], 0, symbols[1]]):
        assert product(factors) is reduce(mul, factors, const(1))
    values = {s.atoms()[0]: i % 3 + 1 for i, s in enumerate(symbols)}
    assert evaluate(product([*symbols, symbols[0] + 1, 5]), values) == 5 * 2 * prod(values.values())


def test_a_size_without_its_half_is_the_half_rounded_up() -> None:
    """So padding to a multiple of 2 has one form, `h + h % 2`, which is halved again at the next stage of a network."""
    x, w = symbol("x", -9, 30), symbol("w", -9, 30)
    for whole in (x, x // 4, (x + 3) // 6, x // 4 + w, maximum(x // 4, 1), minimum(x - 3, 9)):
        half = whole - whole // 2
        assert whole + whole % 2 is 2 * half
        assert w * whole - w * (whole // 2) is w * half
        for value in range(-9, 31):
            sizes = {x.as_symbol(): value, w.as_symbol(): 3}
            assert evaluate(half, sizes) == (evaluate(whole, sizes) + 1) // 2  # type: ignore[arg-type]
    assert x // 4 - x // 8 is (x // 4 + 1) // 2
    assert x - (x + 1) // 2 is x // 2
    assert (x + x % 2) * (w + w % 2) is 4 * ((x + 1) // 2) * ((w + 1) // 2)
    assert str(3 * x - 2 * (x // 2)) == "3*x - 2*(x//2)"


def test_a_choice_of_0_where_the_divisor_is_0_is_the_quotient() -> None:
    x, d = symbol("x", 0), symbol("d", 0)
    assert select(differs(d, 0), x // d, 0) is select(equal(d, 0), 0, x // d) is x // d


def test_a_choice_between_sizes_that_are_equal_where_it_is_made_is_none() -> None:
    """If `(w + 3)//4 == 1`, then w is 1 to 4 and `max((w + 1)//4, 1)` is 1 as well, so the choice has one value."""
    w = symbol("w", 1)
    whole = (w + 3) // 4
    assert select(equal(whole, 1), maximum((w + 1) // 4, 1), whole) is whole
    other = select(equal(whole, 1), maximum((w + 2) // 4, 2) - 1, whole + w // 4)
    assert [evaluate(other, {w.as_symbol(): value}) for value in range(1, 10)] == [1, 1, 1, 1, 3, 3, 3, 4, 5]  # type: ignore[arg-type]
    kept = select(equal(whole, 2), w // 8, whole)
    assert [evaluate(kept, {w.as_symbol(): value}) for value in range(3, 10)] == [1, 1, 0, 0, 0, 1, 3]  # type: ignore[arg-type]


@pytest.mark.parametrize("operation", [mul, floordiv, mod, add, sub, equal, at_least])
@pytest.mark.parametrize("number", [1.5, 2.0, np.float32(1.5)])
def test_no_float_is_taken_for_an_integer(operation: Callable[[object, object], object], number: object) -> None:
    """Not even one without a fraction: whether 0.3 * 10 has one is a matter of rounding."""
    for left, right in ((H, number), (number, H)):
        with pytest.raises(TypeError):
            operation(left, right)


def test_integers_of_numpy_are_integers() -> None:
    large = np.int64(2**62)
    assert H + np.int8(3) is H + 3
    assert H * large * large is 2**124 * H
    assert const(np.int64(7)) is const(7)
