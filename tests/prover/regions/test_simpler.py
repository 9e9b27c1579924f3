"""Nothing is kept that the rest implies: chains become intervals and remainders, ties come before cases."""

from __future__ import annotations

from random import Random

import pytest

from shapesmt.prover.algebra import (
    Evaluator,
    Formula,
    all_of,
    any_of,
    at_least,
    at_most,
    differs,
    divides,
    equal,
    negate,
    symbol,
)
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.prover.regions import Region, describe

H, W, N, M, K = (symbol(name, 1) for name in "hwnmk")


def region(condition: Formula, *facts: Formula) -> Region:
    symbols = {s for f in (condition, *facts) for s in f.symbols}
    return describe(condition, Domain(sorted(symbols, key=lambda s: s.number), facts), Judge().proves)


CHAIN = [at_least(H // q, 2) for q in (1, 2, 4, 8, 16)]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (all_of(*CHAIN), ["h >= 32"]),
        (all_of(*CHAIN, at_most(H // 32, 1280)), ["32 <= h <= 40991"]),
        (all_of(*CHAIN, at_most(H // 32, 1280), at_least(W // 16, 2)), ["32 <= h <= 40991", "w >= 32"]),
        (all_of(divides(8, H), at_least(H // 512, 90), at_most(H // 512, 99)), ["46080 <= h <= 51192", "h % 8 == 0"]),
        (all_of(at_least(H, 4), at_least(W, 4), equal((H // 4) * (W // 4), 16)), ["(h//4)*(w//4) == 16"]),
        (all_of(any_of(equal(N, M), at_least(N, 3)), any_of(equal(N, M), at_least(N, 3), equal(K, 2))),
         ["m == n or n >= 3"]),
        (any_of(equal(N, M), all_of(differs(N, M), equal(N, 1)), all_of(differs(N, 1), equal(M, N))),
         ["n == 1 or m == n"]),
        (all_of(any_of(differs(N, 1), equal(N, M)), any_of(equal(N, 1), equal(M, 1), equal(N, M))),
         ["m == 1 or m == n"]),
        (all_of(at_least(N, 2), at_least(N, M + 1)), ["n >= m + 1"]),
    ],
)  # fmt: skip
def test_what_is_implied_is_left_out(condition: Formula, text: list[str]) -> None:
    found = region(condition)
    assert found.exact
    assert [{*t.split(" or ")} for t in found.text] == [{*t.split(" or ")} for t in text]


def test_what_is_known_already_makes_the_rest_shorter() -> None:
    known = equal(H // 4, 7 * ((H + 24) // 28)), at_least(H, 4)  # h % 28 <= 3
    assert region(any_of(equal((H + 4) // 16, 0), equal((H + 4) // 16, (H + 12) // 16)), *known).text == (
        "(h + 4) % 16 <= 7",
    )


def some(random: Random, depth: int) -> Formula:
    """A condition with parts that imply each other more often than not."""
    if depth:
        return random.choice([all_of, any_of])(*(some(random, depth - 1) for _ in range(random.randint(2, 3))))
    a, b, number = random.choice([N, M, K]), random.choice([N, M]), random.randint(1, 4)
    made = random.choice([equal(a, number), equal(a, b), at_least(a, number), at_least(a, b + 1), divides(number, a)])
    return negate(made) if random.random() < 0.2 else made


def test_what_is_left_says_the_same(seeds: range) -> None:
    for seed in seeds:
        asked = some(Random(f"simpler {seed}"), 2)
        found = region(asked)
        symbols = [*asked.symbols]
        for point in range(6 ** len(symbols)):
            at = Evaluator({s: 1 + point // 6**i % 6 for i, s in enumerate(symbols)})
            told = all(at.formula(c.formula) for c in found.conjuncts)
            assert told == at.formula(asked) or not (found.exact or told), (seed, str(asked), found.text)
