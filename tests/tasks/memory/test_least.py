"""The least input of a domain, beside all of its inputs."""

from __future__ import annotations

from itertools import product
from random import Random

from shapesmt.prover.algebra import at_least, at_most, divides, evaluate, symbol
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.tasks.memory.least import least_input

SYMBOLS = [symbol(name, low, 9) for name, low in (("a", 0), ("b", 1), ("c", 2))]


def test_it_is_the_one_below_all_others_or_none():
    judge, some = Judge(), 0
    for seed in range(150):
        r = Random(seed)
        first, second, third = r.sample(SYMBOLS, 3)
        facts = [at_least(r.randint(1, 3) * first, second + r.randint(-2, 2) * third + r.randint(-3, 6))]
        facts.append(r.choice([at_most(first + second, 12), divides(3, third), at_least(second, third // 2)]))
        domain = Domain([s.as_symbol() for s in SYMBOLS], facts)
        grid = [dict(zip(domain.symbols, at, strict=True)) for at in product(range(10), range(1, 10), range(2, 10))]
        grid = [at for at in grid if all(evaluate(f, at) for f in facts)]
        corner = {s: min((at[s] for at in grid), default=None) for s in domain.symbols}
        found = least_input(domain, domain.symbols, judge)
        assert found == (corner if corner in grid else None), seed
        some += found is not None
    assert 30 < some < 150
