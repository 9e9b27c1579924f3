"""What holds for all sizes, against running through many of them."""

from __future__ import annotations

from itertools import product
from math import inf
from random import Random

import numpy as np

from shapesmt.prover.algebra import (
    TRUE,
    Dim,
    Evaluator,
    Formula,
    all_of,
    any_of,
    at_least,
    atom_of,
    differs,
    divides,
    equal,
    lowest,
    maximum,
    minimum,
    select,
    symbol,
)
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.everywhere import decide_on_cells, extremes
from tests.oracle.test_identities import expression, formula

B, H, W = symbol("b", 1), symbol("h", 1), symbol("w", 1)
FAR = 60  # values of each symbol that are run through


def domain(symbols: list[Dim], *facts: Formula) -> Domain:
    return Domain(map(atom_of, symbols), facts)


def values(symbol: Dim, count: int = FAR) -> range:
    lo = int(symbol.lo)
    return range(lo, int(min(symbol.hi, lo + count - 1)) + 1, atom_of(symbol).step)


def distance(point: tuple[int, ...], symbols: list[Dim]) -> tuple[int, int, tuple[int, ...]]:
    off = [v - lowest(atom_of(s)) for v, s in zip(point, symbols, strict=True)]
    return sum(o != 0 for o in off), sum(map(abs, off)), point


def everywhere(symbols: list[Dim], *parts: Formula | Dim) -> tuple[list[tuple[int, ...]], list[list[int]]]:
    """The first values of the symbols, and what each of the parts is there."""
    points = [*product(*map(values, symbols))]
    at = Evaluator(dict(zip(map(atom_of, symbols), np.array(points, np.int64).T, strict=True)))
    return points, [np.broadcast_to(at.part(part), len(points)).tolist() for part in parts]


def checked(symbols: list[Dim], facts: list[Formula], condition: Formula) -> bool:
    """Whether the condition was decided, rightly at the first values of each symbol."""
    within = domain(symbols, *facts)
    known = decide_on_cells(within, condition)
    tied = within.closure(condition.symbols)[0]
    if known is None or any(not fact.symbols <= {*tied} for fact in facts):
        return False
    symbols = [s for s in symbols if atom_of(s) in tied]
    failing, holds = known
    points, found = everywhere(symbols, all_of(*facts), condition)
    truth = {point: true for point, admitted, true in zip(points, *found, strict=True) if admitted}
    bad = [distance(p, symbols) for p, true in truth.items() if not true]
    if failing is None:
        assert not bad, f"{condition} fails at {min(bad)}"
    else:
        at = Evaluator(failing)
        assert at.formula(all_of(*facts)), f"{failing} isn't admitted"
        assert not at.formula(condition), f"{condition} holds at {failing}"
        shown = distance(tuple(failing[atom_of(s)] for s in symbols), symbols)
        assert shown <= min(bad, default=shown) or within.definitions, f"{condition} fails at {min(bad)} already"
    assert holds or not any(truth.values()), f"{condition} holds somewhere"
    if holds and all(s.hi < inf for s in symbols):
        assert any(truth.values()), f"{condition} holds nowhere"
    return True


def ranges(r: Random) -> list[Dim]:
    made = []
    for name in ("h", "w"):
        lo, step = r.choice([0, 1, 1, 3, -4]), r.choice([1, 1, 3])
        made.append(symbol(name, lo, r.choice([inf, inf, lo + step * r.randint(4, FAR // step - 1)]), step=step))
    return made


def bounded(symbols: list[Dim], facts: list[Formula], dim: Dim) -> bool:
    """Whether the ends of an expression are known: attained, and passed at none of the first values of each symbol."""
    within = domain(symbols, *facts)
    tied, known = within.closure(dim.symbols)[0], extremes(within, dim)
    if known is None or any(not fact.symbols <= {*tied} for fact in facts):
        return False
    low, high = known
    fact, least, most = all_of(*facts), low.value, high.value
    assert least is not None
    for end in (low, high):
        if end.value is not None and end.witness is not None:
            at = Evaluator(end.witness)
            assert at.formula(fact), f"{end.witness} isn't admitted"
            assert at.dim(dim) == end.value, f"{dim} is {at.dim(dim)} at {end.witness}"
    _, (admitted, reached) = everywhere(symbols, fact, dim)
    sizes = [size for size, held in zip(reached, admitted, strict=True) if held]
    assert least <= min(sizes, default=least), f"{dim} is {min(sizes)}"
    assert most is None or max(sizes, default=most) <= most, f"{dim} is {max(sizes)}"
    assert most is not None or any(s.hi == inf for s in symbols), f"{dim} has an upper end"
    return True


def test_random_expressions_have_the_ends_that_running_through_sizes_shows(seeds: range) -> None:
    known = 0
    for seed in seeds:
        r = Random(f"ends everywhere {seed}")
        symbols = ranges(r)
        facts = [formula(r, symbols, 2)[1] for _ in range(r.choice([0, 1]))]
        dim = expression(r, symbols, r.randint(1, 4))[1]
        facts = [f for f in facts if f.symbols & dim.symbols]
        if dim.symbols:
            known += bounded(symbols, facts, dim)
    assert known > len(seeds) // 4


def test_random_conditions_are_decided_as_running_through_sizes_does(seeds: range) -> None:
    known = 0
    for seed in seeds:
        r = Random(f"everywhere {seed}")
        symbols = ranges(r)
        facts = [formula(r, symbols, 2)[1] for _ in range(r.choice([0, 0, 1]))]
        condition = formula(r, symbols, r.randint(1, 4))[1]
        facts = [f for f in facts if f.symbols & condition.symbols]  # what is false isn't about any
        if condition.symbols:
            known += checked(symbols, facts, condition)
    assert known > len(seeds) // 4


def part(r: Random, symbols: list[Dim], depth: int) -> Dim:
    """An expression as sizes of models have them: quotients by sizes, choices, the lesser of two, products."""
    if depth == 0:
        return r.choice(symbols) // r.choice([1, 1, 2, 4]) + r.choice([0, 0, 0, 1, 3])
    a, b = part(r, symbols, depth - 1), part(r, symbols, r.randint(0, depth - 1))
    chosen = select(equal(a, r.randint(0, 3)), b, a)
    return r.choice(
        [a * b, a - b, a + b, minimum(a, b), maximum(a - r.randint(0, 9), 0), chosen, a // b, 24 // b, b // 3]
    )


def asked(r: Random, symbols: list[Dim]) -> Formula:
    a, b = part(r, symbols, 2), part(r, symbols, r.randint(0, 1))
    said = [equal(a, b), at_least(a, b), equal(a // b * b, a), equal(36 // a * a, 36), equal(a, r.randint(0, 9))]
    return r.choice([any_of, all_of])(r.choice(said), r.choice([*said, differs(a, b)]))


def test_quotients_by_sizes_and_lesser_sizes_are_decided_as_running_through_sizes_does(seeds: range) -> None:
    known = 0
    for seed in seeds:
        r = Random(f"quotients everywhere {seed}")
        symbols = ranges(r)
        facts = [asked(r, symbols[: r.choice([1, 2])]) for _ in range(r.choice([0, 0, 1]))]
        condition, dim = asked(r, symbols), part(r, symbols, 2)
        if condition.symbols:
            known += checked(symbols, [f for f in facts if f.symbols & condition.symbols], condition)
        if dim.symbols:
            known += bounded(symbols, [f for f in facts if f.symbols & dim.symbols], dim)
    assert known > len(seeds) // 2


def counted(r: Random, symbols: list[Dim]) -> Formula:
    """A condition on the remainder of a product or sum of sizes, such as the windows of a batch."""
    sizes = [(s + r.randint(0, 3)) // r.choice([1, 2, 4]) for s in [*symbols, r.choice(symbols)]]
    number, count = r.choice([4, 6, 8, 12]), r.choice([sizes[0] * sizes[1], sizes[0] * sizes[1] * sizes[2], sum(sizes)])
    rest = (r.choice([1, 1, 2, 3]) * count + r.choice([0, 0, 1, 5])) % number
    return r.choice([equal(rest, 0), equal(rest, 0), differs(rest, r.randint(0, 2)), at_least(rest, r.randint(1, 3))])


def test_remainders_of_products_are_decided_as_running_through_sizes_does(seeds: range) -> None:
    known = 0
    for seed in seeds:
        r = Random(f"remainders everywhere {seed}")
        symbols = ranges(r)
        facts = [counted(r, symbols) for _ in range(r.choice([0, 1, 1]))]
        asked_too = r.choice([TRUE, TRUE, at_least(symbols[0] // 4, 2), equal(symbols[1], 4 * (symbols[1] // 4))])
        condition = r.choice([any_of, all_of])(counted(r, symbols), asked_too)
        dim = r.choice([condition.dim, symbols[0] * symbols[1], None]) or symbols[0] * (symbols[1] % 4)
        if condition.symbols:
            known += checked(symbols, [f for f in facts if f.symbols & condition.symbols], condition)
        if dim.symbols:
            known += bounded(symbols, [f for f in facts if f.symbols & dim.symbols], dim)
    assert known > len(seeds)


def test_a_condition_on_remainders_is_decided_by_few_of_them() -> None:
    count = [B * ((H + k - 4) // k) * ((W + k - 4) // k) for k in (28, 56)]
    fine = domain([B, H, W], at_least(H, 4), at_least(W, 4), divides(64, count[0]))
    assert decide_on_cells(fine, divides(16, count[1])) == (None, True)
    assert decide_on_cells(fine, divides(32, count[1])) == ({atom_of(B): 1, atom_of(H): 200, atom_of(W): 200}, True)


def test_lines_along_which_two_sizes_grow_alike_are_borders_of_cells() -> None:
    assert decide_on_cells(domain([H, W]), equal(H, W)) == ({atom_of(H): 1, atom_of(W): 2}, True)
    for facts, dim, least in (
        ([], maximum(5 * H - 3 * W, 0) * H, 0),
        ([at_least(5 * H, 3 * W)], 5 * H - 3 * W, 0),
        ([equal(5 * H, 3 * W)], H * W, 15),
    ):
        low, high = extremes(domain([H, W], *facts), dim) or (None, None)
        assert low is not None
        assert high is not None
        assert (low.value, high.value, high.proven) == (least, None, True)


def test_what_is_no_polynomial_is_left_open() -> None:
    assert (
        decide_on_cells(domain([H, W]), at_least(W // H * H + H, W)) is None
    )  # a quotient that no polynomial comes near
    assert extremes(domain([H, W]), W // H * H) is None


def test_finite_ranges_that_machine_words_cannot_count_are_left_open() -> None:
    wide = symbol("wide", 1, 2**63 - 1)
    assert decide_on_cells(domain([wide, W]), at_least(wide * W, 5)) is None
    assert extremes(domain([wide, W]), wide * W) is None


def test_listed_values_are_tried_one_by_one() -> None:
    product_of_both = equal((H // 4) * W, 12)  # so w is a divisor of 12
    low, high = extremes(domain([H, W], product_of_both), H * W) or (None, None)
    assert low is not None
    assert high is not None
    assert (low.value, high.value) == (48, 84)


def test_numbers_beyond_machine_words_are_left_open() -> None:
    v = symbol("v", -8)
    assert decide_on_cells(domain([v]), at_least(((1 << 63) + 1) * v + v // 2, -5)) is None
