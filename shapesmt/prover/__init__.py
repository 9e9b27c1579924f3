"""The prover: conditions over integers in ranges, decided with proof. It knows nothing of models.

A symbol has a range, expressions and conditions are made of symbols, a domain has the admissible inputs, and a judge
decides over it: first without a solver, then by Z3. Expressions are of integers: division rounds down, `x // 0` is 0,
and so `x % 0` is `x`. Answers are about domains that have an input: if facts may contradict each other, ask
`judge.satisfiable` first.

    >>> n, tile = symbol("n", 1, 1000), symbol("tile", 1, 64)  # two integers
    >>> blocks = (n + tile - 1) // tile  # an expression: the tiles that cover a loop of n steps
    >>> inputs, judge = Domain([n, tile]), Judge()
    >>> judge.decide(inputs, at_least(blocks * tile, n)).verdict  # a proof: they do
    <Verdict.PROVED: 'PROVED'>
    >>> judge.decide(inputs, equal(blocks * tile, n)).counterexample  # the smallest input where they cover more
    {Atom('n'): 1, Atom('tile'): 2}
    >>> judge.region(inputs, equal((n + 15) // 16 * 16, n)).whole  # where tiles of 16 cover exactly n
    'n % 16 == 0'
    >>> inputs.assume(divides(16, n))  # from here on, only these
    >>> low, high = judge.extent(inputs, blocks * tile - n)  # exact bounds, with inputs that attain them
    >>> low.value, high.value, high.witness
    (0, 62, {Atom('n'): 64, Atom('tile'): 63})
    >>> judge.satisfiable(inputs), judge.satisfiable(Domain([n], [divides(16, n), at_most(n, 15)]))
    (True, False)
    >>> print(script([*inputs.facts, equal(n, 24)]))  # Z3's system, as text that other solvers read, too
    (declare-const |n| Int)
    (assert (<= 1 |n| 1000))
    (assert (= 0 (+ (* (- 16) (div |n| 16)) |n|)))
    (assert (= 0 (+ (- 24) |n|)))
"""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.prover.algebra import (
        Dim as Dim,
        End as End,
        Evaluator as Evaluator,
        Formula as Formula,
        Verdict as Verdict,
        all_of as all_of,
        any_of as any_of,
        at_least as at_least,
        at_most as at_most,
        divides as divides,
        equal as equal,
        maximum as maximum,
        minimum as minimum,
        negate as negate,
        symbol as symbol,
    )
    from shapesmt.prover.judge import Judge as Judge
    from shapesmt.prover.presolve import Decision as Decision, Domain as Domain
    from shapesmt.prover.regions import Region as Region
    from shapesmt.prover.smt import script as script
