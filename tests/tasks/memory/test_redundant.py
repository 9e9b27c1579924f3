"""Limits that others imply: never one that some size breaks while the others are kept."""

from __future__ import annotations

from itertools import product
from random import Random

from shapesmt.prover.algebra import Dim, at_most, evaluate, symbol
from shapesmt.prover.presolve import Domain
from shapesmt.tasks.memory.redundant import Samples, beneath, follows

X, Y = symbol("x", 1, 12), symbol("y", 0, 12)
ATOMS = [d.as_symbol() for d in (X, Y)]
GRID = [dict(zip(ATOMS, point, strict=True)) for point in product(range(1, 13), range(13))]


def formula(r: Random) -> Dim:
    """A random sum, such as the bytes of a point."""
    parts = [X, Y, X * Y, X * X, X * X * Y, (X + 1) // 2 * Y]
    size = r.randint(0, 200) + X * 0
    for part in r.sample(parts, r.randint(1, 3)):
        size = size + r.randint(1, 9) * part
    return size


def test_what_is_implied_is_kept_wherever_the_others_are():
    implied = {"follows": 0, "beneath": 0}
    for seed in range(1000):
        r = Random(seed)
        mine, first, second = (formula(r) for _ in range(3))
        limit = r.randint(1, 2000)
        kept = [at for at in GRID if evaluate(first, at) <= limit]
        if beneath(mine, first, limit):
            implied["beneath"] += 1
            assert all(evaluate(mine, at) <= limit for at in kept), seed
        if follows(mine, first, second, limit):
            implied["follows"] += 1
            assert all(evaluate(mine, at) <= limit for at in kept if evaluate(second, at) <= limit), seed
    assert min(implied.values()) > 20


def test_samples_show_only_what_is_so():
    domain = Domain(ATOMS)
    shown = 0
    for seed in range(300):
        r = Random(seed)
        kept, broken = (at_most(formula(r), r.randint(1, 2000)) for _ in range(2))
        real = any(evaluate(kept, at) and not evaluate(broken, at) for at in GRID)
        seen = Samples(domain, ATOMS).shows([kept], broken)
        assert real or not seen, seed
        shown += seen
        assert seen or not real, seed  # all sizes of so few are looked at
    assert shown > 50


def test_samples_of_sizes_without_an_end_keep_to_the_facts():
    n, m = symbol("n", 1, step=3), symbol("m", 2)
    domain = Domain([n, m], [at_most(m, n)])
    samples = Samples(domain, n.symbols | m.symbols)
    assert samples.shows([], at_most(n * m, 10**9))
    assert not samples.shows([at_most(n, 50)], at_most(m, 50))
