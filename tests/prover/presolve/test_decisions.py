"""Conditions decided without a solver, against running through every assignment."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from shapesmt.prover.algebra import Verdict
from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.evaluation import Evaluator, fits_int64
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import (
    FALSE,
    TRUE,
    Formula,
    all_of,
    any_of,
    at_least,
    at_most,
    differs,
    divides,
    equal,
    select,
)
from shapesmt.prover.algebra.growth import quasipolynomial_of
from shapesmt.prover.algebra.numeric import from_dim, literal
from shapesmt.prover.algebra.substitution import atom_of
from shapesmt.prover.presolve.decisions import Decision, decide, independent, simpler_facts, together
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.optima import extent
from tests.prover.presolve.sets import ATOMS, FREE, H, W, admitted, condition, domain
from tests.support.each import each

MANY = 20_000


@pytest.mark.parametrize(
    ("facts", "condition", "verdict"),
    [
        ((), at_least(H, 1), Verdict.PROVED),
        ((), at_least(H, 2), Verdict.DEPENDS),
        ((), at_least(H, 13), Verdict.FAILS),
        ((), divides(3, W), Verdict.PROVED),
        ((), equal(H - H % 4 + H % 4, H), Verdict.PROVED),
        ((), differs(2 * H, W + W + 1), Verdict.PROVED),
        ((equal(H, W),), divides(3, H), Verdict.PROVED),
        ((equal(H, W),), equal(H * FREE, W * FREE), Verdict.PROVED),
        ((equal(H, W), at_least(W, 6)), at_least(H, 6), Verdict.PROVED),
        ((equal(W, 2 * H),), divides(6, W), Verdict.PROVED),
        ((divides(4, H),), any_of(equal(H, 4), equal(H, 8), equal(H, 12)), Verdict.PROVED),
        ((at_most(H, 3),), differs(H * H, 16), Verdict.PROVED),
    ],
    ids=str,
)
def test_decided(facts: tuple[Formula, ...], condition: Formula, verdict: Verdict) -> None:
    decision = decide(domain(*facts), condition)
    assert decision is not None
    assert decision.verdict is verdict


def test_the_nearest_of_two_counterexamples_starts_where_the_domain_does() -> None:
    decision = decide(domain(at_least(W, 6)), all_of(at_most(W, 6), at_most(H, 2)))
    assert decision is not None
    assert decision.counterexample == {ATOMS[1]: 9}


def test_a_counterexample_is_the_smallest() -> None:
    decision = decide(domain(at_least(H + W, 5)), equal(H, 5))
    assert decision is not None
    assert decision.counterexample is not None
    assert {a.name: v for a, v in decision.counterexample.items()} == {"h": 6, "w": 0}


def test_unbounded_symbols_are_left_to_the_solver() -> None:
    assert decide(domain(), differs(FREE * FREE * FREE * FREE * FREE, 7 * FREE + 6)) is None


def test_what_is_assumed_holds() -> None:
    fact = differs(FREE * FREE * FREE, 7 * FREE * W + 6)
    assert decide(domain(fact), fact) == Decision(Verdict.PROVED, "assumed")


def test_conditions_are_grouped_by_what_ties_their_symbols() -> None:
    apart = all_of(at_least(H, 2), at_least(W, 3), at_least(FREE, 4))
    assert independent(domain(), apart) == [at_least(H, 2), at_least(W, 3), at_least(FREE, 4)]
    tied = independent(domain(at_least(FREE, H)), apart)
    assert tied == [all_of(at_least(H, 2), at_least(FREE, 4)), at_least(W, 3)]


@pytest.mark.parametrize(
    ("each", "all_together"),
    [
        ((), (Verdict.PROVED, "normal form")),
        (((Verdict.PROVED, "assumed"), (Verdict.PROVED, "enumeration")), (Verdict.PROVED, "enumeration")),
        (((Verdict.PROVED, "z3"), (Verdict.DEPENDS, "enumeration")), (Verdict.DEPENDS, "enumeration")),
        (((Verdict.FAILS, "z3"), (Verdict.DEPENDS, "enumeration")), (Verdict.FAILS, "z3")),
        (((Verdict.UNKNOWN, "z3"), (Verdict.DEPENDS, "enumeration")), (Verdict.UNKNOWN, "z3")),
        (((Verdict.UNKNOWN, "z3"), (Verdict.FAILS, "enumeration")), (Verdict.FAILS, "enumeration")),
    ],
)
def test_independent_decisions_together(each: tuple[tuple[str, str], ...], all_together: tuple[str, str]) -> None:
    assert together(domain(), [Decision(*d) for d in each])[:2] == all_together


def test_random_conditions_are_decided_right(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"presolve {seed}")
        fact, asked = condition(r), condition(r)
        points = admitted(fact)
        if not points:
            continue
        truth = [bool(Evaluator(p).formula(asked)) for p in points]
        decision = decide(domain(fact), asked)
        expected = Verdict.PROVED if all(truth) else Verdict.DEPENDS if any(truth) else Verdict.FAILS
        assert decision is None or decision.verdict == expected, f"seed {seed}: {asked} where {fact}"


@pytest.mark.parametrize(
    ("fact", "condition", "verdict", "counterexample"),
    [
        (at_least(FREE // 5, 4), at_least(FREE, 20), Verdict.PROVED, None),
        (at_least(FREE // 5, 4), at_least(FREE, 21), Verdict.DEPENDS, 20),
        (at_most(FREE, 30), at_most(FREE // 2, 9), Verdict.DEPENDS, 20),
        (at_most(FREE, 30), at_least(FREE, 31), Verdict.FAILS, 1),
        (at_least(FREE, 9), at_most(FREE, 8), Verdict.FAILS, 9),
        (differs(FREE // 4, 0), at_least(FREE, 4), Verdict.PROVED, None),
        (divides(4, FREE), differs(FREE % 8, 4), Verdict.DEPENDS, 4),
        (divides(8, FREE), divides(4, FREE), Verdict.PROVED, None),
    ],
    ids=str,
)
def test_an_open_range_needs_no_solver(
    fact: Formula, condition: Formula, verdict: Verdict, counterexample: int
) -> None:
    decision = decide(domain(fact), condition)
    assert decision is not None
    assert decision.verdict is verdict
    assert decision.counterexample == (None if counterexample is None else {ATOMS[2]: counterexample})


def test_a_bound_beyond_what_cells_follow_needs_no_solver() -> None:
    x = symbol("x", 7, 2**41, step=4)
    for asked, failing in ((at_least(x, 2**40), 7), (at_most(x, 2**40), 2**40 + 3)):
        assert decide(Domain([atom_of(x)]), asked) == Decision(Verdict.DEPENDS, "enumeration", {atom_of(x): failing})


def test_parts_are_proven_one_by_one_where_they_have_too_many_cells_together() -> None:
    """The domain is an image that is cut into one tile of 224 by 224."""
    h, w = symbol("h", 1), symbol("w", 1)
    tall, wide = (maximum((s + 31) // 224 - 1, 0) for s in (h, w))
    within = Domain([atom_of(h), atom_of(w)], [equal(tall + wide + tall * wide, 0)])
    assert decide(within, all_of(at_most(w, 416), at_most(h, 416))) == Decision(Verdict.PROVED, "enumeration")


# Several symbols without upper end, of which each case or part is about one


OTHER, THIRD = symbol("other", 2), symbol("third", 1)
OPEN = [atom_of(FREE), atom_of(OTHER), atom_of(THIRD)]


@pytest.mark.parametrize(
    ("facts", "condition", "verdict", "counterexample"),
    [
        ((), differs(FREE * (OTHER // 2), 1), Verdict.DEPENDS, {"free": 1, "other": 2}),
        ((at_least(FREE, 2),), differs(FREE * (OTHER // 2), 1), Verdict.PROVED, None),
        ((), any_of(at_least(OTHER // 3, 1), at_least(FREE // 8, 2)), Verdict.DEPENDS, {"other": 2, "free": 1}),
        ((differs(OTHER // 3, 0),), any_of(equal(FREE % 4, 1), at_least(OTHER, 3)), Verdict.PROVED, None),
        (
            (at_most(OTHER, 2), differs(FREE // 8, 0)),
            any_of(at_least(OTHER, 3), at_most(FREE // 2, 3)),
            Verdict.FAILS,
            {"other": 2, "free": 8},
        ),
        (
            (at_least(FREE // 8, 2),),
            all_of(any_of(at_least(FREE, 9), at_least(OTHER, 9)), any_of(at_least(FREE, 16), at_least(THIRD, 7))),
            Verdict.PROVED,
            None,
        ),
        ((at_least(FREE, OTHER),), any_of(at_least(FREE // 2, 2), at_most(OTHER // 2, 1)), Verdict.PROVED, None),
    ],
    ids=str,
)
def test_what_is_about_one_symbol_each_needs_no_solver(
    facts: tuple[Formula, ...], condition: Formula, verdict: Verdict, counterexample: dict[str, int] | None
) -> None:
    decision = decide(Domain(OPEN, facts), condition)
    assert decision is not None
    assert decision.verdict is verdict
    found = decision.counterexample
    assert (None if found is None else {s.name: v for s, v in found.items()}) == counterexample


@each("seed", range(200), "seed {}".format)
def test_cases_and_parts_are_decided_as_they_hold_in_the_first_values(seed: int) -> None:
    r = Random(f"cases {seed}")
    symbols = (FREE, OTHER, THIRD)

    def single() -> Formula:
        x, compare = r.choice(symbols), r.choice([equal, differs, at_least, at_most])
        return compare((x + r.randint(0, 3)) // r.choice([1, 2, 4]), r.randint(0, 5))

    inner, outer = r.sample([all_of, any_of], 2)
    asked = outer(*(inner(single(), single()) for _ in range(r.randint(1, 3))))
    fact = r.choice([all_of, any_of])(single(), single())
    grid = dict(zip(OPEN, np.meshgrid(*(np.arange(x.lo, 40) for x in symbols), indexing="ij"), strict=True))
    admitted = np.broadcast_to(np.asarray(Evaluator(grid).formula(fact)), (39, 38, 39))
    truth = np.broadcast_to(np.asarray(Evaluator(grid).formula(asked)), (39, 38, 39))
    if not admitted.any():
        return
    decision = decide(Domain(OPEN, [fact]), asked)
    if decision is None:
        return
    holds, fails = (truth & admitted).any(), (~truth & admitted).any()
    assert decision.verdict is (Verdict.DEPENDS if holds and fails else Verdict.PROVED if holds else Verdict.FAILS)
    if decision.verdict is not Verdict.PROVED:
        at = admitted & np.all([grid[x] == value for x, value in (decision.counterexample or {}).items()], axis=0)
        assert at.any()
        assert not truth[at].any()


# One symbol without upper end, against its first values


def drawn_dim(random: Random, x: Dim, depth: int = 2) -> Dim:
    """Sums, divisions by constants, remainders and the odd minimum of an expression on one symbol."""
    if depth == 0:
        return x * random.randint(-2, 3) + random.randint(-30, 30)
    a, b = drawn_dim(random, x, depth - 1), drawn_dim(random, x, depth - 1)
    divisor = random.choice([2, 3, 4, 7, 8, 12, 28])
    return random.choice([a + b, a // divisor, a % divisor, a - b // divisor, minimum(a, b), maximum(a % divisor, 1)])


def drawn_formula(random: Random, x: Dim) -> Formula:
    compare = random.choice([equal, differs, at_least])
    first = compare(drawn_dim(random, x), random.randint(-3, 9))
    return first if random.random() < 0.6 else random.choice([all_of, any_of])(first, drawn_formula(random, x))


@each("seed", range(300), "seed {}".format)
def test_what_is_decided_is_what_many_values_show(seed: int) -> None:
    random = Random(seed)
    lo, step = random.randint(0, 40), random.choice([1, 1, 4, 6])
    x = symbol("x", lo, step=step)
    atom = atom_of(x)
    facts = [f for f in (drawn_formula(random, x) for _ in range(random.randint(0, 2))) if f not in (TRUE, FALSE)]
    condition = drawn_formula(random, x)
    decision = decide(Domain([atom], facts), condition)
    values = np.arange(lo, MANY, step)
    evaluator = Evaluator({atom: values})
    valid = np.broadcast_to(evaluator.formula(all_of(*facts)), values.shape)
    truth = np.broadcast_to(evaluator.formula(condition), values.shape)[valid]
    if decision is None or not truth.size:
        return
    verdict = Verdict.PROVED if truth.all() else Verdict.DEPENDS if truth.any() else Verdict.FAILS
    assert decision.verdict is verdict
    if decision.counterexample:
        assert decision.counterexample == {atom: values[valid][~truth][0]}


def test_most_drawn_conditions_are_decided() -> None:
    x = symbol("x", 5)
    conditions = [drawn_formula(Random(seed), x) for seed in range(300)]
    assert sum(decide(Domain([atom_of(x)]), c) is not None for c in conditions) > 240


def test_what_no_size_decides_is_computed() -> None:
    least = literal(float("nan"), "float32").to_int()
    assert least.constant is None
    assert decide(domain(), at_least(least, 0)) == Decision(Verdict.FAILS, "enumeration", {})
    assert decide(domain(), at_most(least, 0)) == Decision(Verdict.PROVED, "enumeration")
    assert [end.value for end in extent(domain(), least) or ()] == [-(2**63)] * 2


def test_what_facts_state_is_left_out_of_a_conjunction() -> None:
    h, w, rows = symbol("h", 1), symbol("w", 1), symbol("rows", 0)
    known, p, q = (at_least(h * w, k * rows) for k in (2, 3, 5))
    facts = Domain([a for d in (h, w, rows) if (a := d.as_symbol())], [known, q])
    assert independent(facts, all_of(known, p)) == [p]
    assert independent(facts, all_of(q, any_of(p, known))) == [q]
    assert decide(facts, any_of(p, all_of(q, known))) == Decision(Verdict.PROVED, "assumed")


def test_factors_of_a_number_are_enumerated_though_no_range_ends() -> None:
    h, w = symbol("h", 1), symbol("w", 1)
    tokens = (h // 4) * (w // 4)
    fits = equal(tokens * (588 // tokens), 588)
    assert decide(Domain([atom_of(h), atom_of(w)]), fits) == Decision(
        Verdict.DEPENDS, "enumeration", {atom_of(h): 1, atom_of(w): 1}
    )
    within = Domain([atom_of(h), atom_of(w)], [at_least(h, 4), at_least(w, 4), fits])
    assert decide(within, any_of(equal(tokens, 588), at_most(tokens, 294))) == Decision(Verdict.PROVED, "enumeration")
    largest = decide(within, at_most(h, 4 * 294 + 3))
    assert largest == Decision(Verdict.DEPENDS, "enumeration", {atom_of(h): 4 * 588, atom_of(w): 4})


def test_cases_that_do_not_arise_leave_simpler_facts() -> None:
    """As in windowed attention: a nonempty map is split into 7 by 7 windows, so its rows are 7 times the windows."""
    n, h, w = symbol("n", 1), symbol("h", 1), symbol("w", 1)
    rows, columns = (select(equal(s // 28, 0), 64, s // 28) for s in (h, w))
    condition = equal((h // 4) * (w // 4), 49 * rows * columns)
    within = Domain([atom_of(s) for s in (n, h, w)])
    inside = equal((49 * n * (h // 28) * (w // 28)) // ((h // 4) * (w // 4)), n)
    facts = simpler_facts(within, condition)
    assert all(len(fact.symbols) == 1 for fact in facts)
    for fact in facts:
        within.assume(fact)
    assert [within.ends(atom_of(s))[0] for s in (h, w)] == [28, 28]
    assert decide(within, inside) == Decision(Verdict.PROVED, "enumeration")
    assert simpler_facts(Domain(within.symbols), at_least(h, 5)) == [at_least(h, 5)]


def test_quotients_by_products_follow_from_equalities() -> None:
    h = symbol("h", 1)
    for divisor, factor in ((4, 7), (2, 3), (5, 2)):
        condition = all_of(equal(h // divisor, factor * (h // (divisor * factor))), at_least(h, divisor))
        within = Domain([atom_of(h)])
        quotient = h // (divisor * (h // (divisor * factor)))
        assert equal(quotient, factor) in simpler_facts(within, condition)
        for n in range(1, 100):
            at = Evaluator({atom_of(h): n})
            assert not at.formula(condition) or at.dim(quotient) == factor, n
    condition = equal(h // 4, 7 * (h // 28))
    assert simpler_facts(Domain([atom_of(h)]), condition) == [condition]  # h may be 3


def test_nested_quotients_are_enumerated_as_far_as_their_values_go() -> None:
    """By ranges alone, each of 8 levels multiplies by more than it divides by; the values stay small."""
    n, h, w = symbol("n", 1, 64), symbol("h", 32, 512), symbol("w", 32, 512)
    pixels, windows = (h // 8) * (w // 8), 64 * (h // 64) * (w // 64)
    images = n
    for _ in range(8):
        images = (windows * images) // pixels
    within = Domain([atom_of(s) for s in (n, h, w)], [divides(64, h), divides(64, w)])
    assert within.fits(images)
    assert not fits_int64(images)
    assert not within.fits(images * 2**60)
    assert decide(within, at_least(n, images)) == Decision(Verdict.PROVED, "enumeration")
    within.assume(at_least(images, 2))
    assert decide(within, at_least(n, 2)) == Decision(Verdict.PROVED, "enumeration")


def test_conditions_that_leave_few_values_are_replaced_by_these() -> None:
    n, h, w = symbol("n", 1), symbol("h", 1), symbol("w", 1)
    domain = Domain([atom_of(s) for s in (n, h, w)], [at_most((h + 3) % 28, 3), at_most((w + 3) % 28, 3)])
    patches = equal(((h + 31) // 32) * ((w + 31) // 32), 49)
    facts = simpler_facts(domain, patches)
    assert facts[-1] is patches  # 25 by 1,537 pixels have 49 patches too, and 25 by 25 haven't
    for fact in facts:
        domain.assume(fact)
    expected = [v for v in range(1, 2000) if (v + 3) % 28 <= 3 and (v + 31) // 32 in (1, 7, 49)]
    assert [domain.values(atom_of(s)).tolist() for s in (h, w)] == [expected, expected]  # type: ignore[union-attr]
    square = equal(((h + 7) // 8) * ((w + 7) // 8), 49 * ((h + 27) // 56) * ((w + 27) // 56))
    facts = simpler_facts(domain, square)
    assert facts == [at_least(h, 221), at_most(h, 224), at_least(w, 221), at_most(w, 224)]
    bounded = symbol("a", 1, 40), symbol("b", 1, 40)
    fact = equal(bounded[0] * bounded[1], 6)
    assert simpler_facts(Domain([atom_of(s) for s in bounded]), fact) == [fact]


def test_symbols_that_a_condition_does_not_depend_on_are_left_out() -> None:
    batch, h, w = symbol("batch", 1), symbol("h", 1), symbol("w", 1)
    domain = Domain([batch, h, w])
    idle = equal((batch * h + 3) // h, batch)  # from h = 4 on
    assert {s.name for fact in simpler_facts(domain, idle) for s in fact.symbols} == {"h"}
    needed = equal((batch * h + 3) // h, w)
    assert simpler_facts(domain, needed) == [needed]


def test_periods_of_nested_quotients_are_no_longer_than_needed() -> None:
    h = symbol("h", 1)
    form = quasipolynomial_of((h - 16 * minimum((h + 12) // 16, 1) + 28) // 32)
    assert form is not None
    assert [*form.periods.values()] == [32]


def test_a_float_with_an_upper_bound_leaves_few_values() -> None:
    n = symbol("n", 1)
    scaled = (from_dim(n, "float32") + from_dim(n, "float32") / from_dim(n + 3, "float32")).to_int()
    domain = Domain([n])
    assert decide(domain, at_most(scaled, 110)) == Decision(Verdict.DEPENDS, "enumeration", {atom_of(n): 111})
    fails = decide(domain, at_most(scaled, 0))
    assert fails is not None
    assert fails.verdict is Verdict.FAILS
    domain.assume(at_most(scaled, 110))
    assert domain.ends(atom_of(n)) == (1, 110)


def test_the_normal_form_over_narrowed_symbols_proves_what_windows_in_a_batch_are() -> None:
    batch, h, w = symbol("batch", 2), symbol("h", 33), symbol("w", 33)
    rows, columns = (h + 27) // 28, (w + 27) // 28
    within = Domain([batch, h, w], [at_most((n + 3) % 28, 3) for n in (h, w)])
    within.assume(equal(batch, rows * columns))
    inside = 49 * ((h + 3) // 28) * ((w + 3) // 28) * (batch * ((h + 3) // 4 // ((h + 3) // 28)) // 7)
    claim = equal(rows * columns, inside // (((h + 3) // 4) * ((w + 3) // 4)))
    assert decide(within, claim) == Decision(Verdict.PROVED, "assumed")
