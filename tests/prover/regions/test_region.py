"""Regions: the formula a person would write, and exactly the condition."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from random import Random

import numpy as np
import pytest

import shapesmt
from shapesmt.network.declarations.expressions import parse_formula
from shapesmt.prover.algebra import Kind, Verdict, atom_of
from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import (
    FALSE,
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
from shapesmt.prover.algebra.numeric import bit_and, bit_xor, power
from shapesmt.prover.algebra.text import CUT
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve.decisions import decide
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.regions.grids import on_a_grid
from shapesmt.prover.regions.region import Region, describe
from tests.oracle.runner import value
from tests.prover.presolve.sets import ATOMS, H, W, condition, everything

SIZE, OTHER = symbol("height", 1, 512), symbol("width", 1, 512)
LONG = symbol("seq", 1)
N, M = symbol("n", 1), symbol("m", 1)
ODD = symbol("Batch Size", 1, 64)
UNEVEN = symbol("even", 2, 64, step=2)


def described(condition: Formula, *facts: Formula) -> Region:
    judge = Judge()
    return describe(condition, Domain(sorted(condition.symbols, key=lambda s: s.number), facts), judge.proves)


def presolved(domain: Domain, asked: Formula) -> bool:
    """Whether a condition is proven, which needs no solver."""
    decision = decide(domain, asked)
    assert decision is not None, asked
    return decision.verdict is Verdict.PROVED


def exactly(condition: Formula, *facts: Formula) -> tuple[str, ...]:
    found = described(condition, *facts)
    assert found.exact
    return found.text


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (divides(16, SIZE), ("height % 16 == 0",)),
        (equal(SIZE, 2 * ((SIZE + 1) // 2)), ("height % 2 == 0",)),
        (equal((SIZE + 3) // 4, (SIZE + 1) // 4 + 0 * SIZE), ("(height + 1) % 4 <= 1",)),
        (at_most(SIZE, 77), ("height <= 77",)),
        (at_least(SIZE // 8, 9), ("height >= 72",)),
        (all_of(at_least(SIZE, 3), at_most(SIZE, 9)), ("3 <= height <= 9",)),
        (equal(SIZE // 7, 3), ("21 <= height <= 27",)),
        (equal(SIZE * SIZE, 49), ("height == 7",)),
        (differs(SIZE, 5), ("height <= 4 or height >= 6",)),
        (any_of(equal(SIZE, 1), equal(SIZE, 224)), ("height == 1 or height == 224",)),
        (all_of(divides(4, SIZE), at_least(SIZE, 64)), ("height >= 64", "height % 4 == 0")),
        (all_of(divides(8, SIZE), divides(32, OTHER)), ("height % 8 == 0", "width % 32 == 0")),
        (at_most(LONG, 512), ("seq <= 512",)),
        (divides(64, LONG), ("seq % 64 == 0",)),
        (equal(N, M), ("m == n",)),
        (any_of(equal(N, M), equal(M, 1)), ("m == 1 or m == n",)),
        (at_most(ODD, 9), ("`Batch Size` <= 9",)),
        (divides(4, UNEVEN), ("even % 4 == 0",)),
        (any_of(equal(LONG, 1), divides(2, LONG)), ("seq == 1 or seq % 2 == 0",)),
    ],
    ids=str,
)
def test_as_a_person_would_write_it(condition: Formula, text: tuple[str, ...]) -> None:
    found = described(condition)
    assert found.exact
    assert {frozenset(t.split(" or ")) for t in found.text} == {frozenset(t.split(" or ")) for t in text}


def test_the_domain_needs_no_mention() -> None:
    assert exactly(all_of(at_least(SIZE, 64), divides(4, SIZE)), at_least(SIZE, 64)) == ("height % 4 == 0",)


def test_a_product_of_one_condition_each() -> None:
    assert exactly(equal(minimum(SIZE, OTHER), 512)) == ("height == 512", "width == 512")


@pytest.mark.parametrize("number", [1, 5])
def test_a_number_is_put_into_the_other_conditions(number: int) -> None:
    """Tested for an unbounded symbol and for one with few values."""
    few = symbol("k", 1, 8)
    assert exactly(all_of(equal(N, number), at_most(M * N, N * LONG))) == (f"n == {number}", "m <= seq")
    found = described(all_of(equal(few, number), at_most(M * N, few * LONG)))
    assert found.exact
    assert found.text == (f"k == {number}", "seq >= m*n" if number == 1 else f"m*n <= {number}*seq")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (equal(N * M, 49 * (N // 7) * (M // 7)), ("n % 7 == 0", "m % 7 == 0")),
        (divides(7, N * M), ("(m*n) % 7 == 0",)),
        (
            any_of(all_of(equal(SIZE, 224), divides(32, OTHER)), all_of(equal(SIZE, 448), equal(OTHER, 448))),
            ("(height == 224 and width % 32 == 0) or (height == 448 and width == 448)",),
        ),
        (equal(maximum(SIZE, OTHER) - minimum(SIZE, OTHER), 0), ("width == height",)),
        (equal(maximum((N + 31) // 224 - 1, 0) * 3 + maximum(M // 224 - 1, 0), 0), ("n <= 416", "m <= 447")),
        (equal(minimum((SIZE + 28) // 32, (OTHER + 28) // 32), 10), None),
        (
            all_of(
                equal(minimum(N // 32, M // 32), 7),
                at_most(N % 224, 3),
                at_most(M % 224, 3),
                at_most(224, minimum(N, M)),
            ),
            ("n >= 224", "n % 224 <= 3", "m >= 224", "m % 224 <= 3", "n <= 227 or m <= 227"),
        ),
        (at_most(maximum(N, M), 9), ("m <= 9", "n <= 9")),
        (equal(maximum(minimum(N + M, LONG) - M, 0), N), ("seq >= m + n",)),
        (equal(N * LONG % 4, 2 * (M // 99)), None),
    ],
    ids=str,
)
def test_several_symbols(condition: Formula, text: tuple[str, ...] | None) -> None:
    found = described(condition)
    assert found.exact
    assert alternatives(found.text) == alternatives(text or (str(condition),)), found.text


def alternatives(texts: Iterable[str]) -> set[frozenset[str]]:
    """The conjuncts, each as its alternatives: these are in the order in which formulas were made first."""
    return {frozenset(text.split(" or ")) for text in texts}


def test_what_one_size_or_the_other_rules_out_needs_no_solver() -> None:
    """A PyTorch program has such guards: `(h + 7)//8 != 1 and (w + 7)//8 != 1` for each layer."""
    refused = any_of(*(equal((x + k - 1) // k, 1) for k in (2, 4, 8) for x in (N, M)))
    found = describe(refused, Domain([N, M]), presolved)
    assert (found.text, found.exact) == (("n <= 8 or m <= 8",), True)


def test_what_never_holds_says_so() -> None:
    assert exactly(FALSE) == ("False",)


def test_what_one_symbol_rules_out_says_so() -> None:
    """No h is both 1 or 2 and 3 or 4, whatever w is."""
    h, w = symbol("h", 1, 8), symbol("w", 1, 8)
    apart = all_of(any_of(equal(h, 1), equal(h, 2)), any_of(equal(h, 3), equal(h, 4)))
    assert exactly(all_of(apart, any_of(equal(h, w), equal(w, 1)))) == ("False",)


def test_that_a_divisor_is_positive_is_said_first() -> None:
    part = symbol("part", -(1 << 63), (1 << 63) - 1, kind=Kind.VALUE)
    found = described(all_of(at_least(part, 0), equal(part * (2 // part), 2)))
    assert found.exact
    assert found.text == ("part >= 1", "2 % part == 0")


def test_a_long_list_of_remainders_gives_way_to_the_condition() -> None:
    asked = divides(7, SIZE * ((SIZE + 2) // 16))
    assert described(asked).text == (str(asked),)


def test_random_regions_are_exactly_the_condition(seeds: range) -> None:
    inexact = 0
    for seed in seeds:
        asked = condition(Random(f"region {seed}"))
        truth = [bool(Evaluator(p).formula(asked)) for p in everything()]
        if not asked.symbols or not any(truth):
            continue
        found = describe(asked, Domain(ATOMS[:2]), Judge().proves)
        names: dict[str, Dim] = {"h": H, "w": W}
        inexact += not found.exact
        for point, holds in zip(everything(), truth, strict=True):
            sizes = {a.name: v for a, v in point.items()}
            claimed = all(value(text, sizes) for text in found.text)
            assert claimed == holds or not found.exact, f"seed {seed}: {found.text} at {sizes} for {asked}"
            assert claimed or not holds, f"seed {seed}: {found.text} is too narrow at {sizes} for {asked}"
        for text in found.text:
            assert parse_formula(text, names) is not None
    assert inexact <= len(seeds) // 20


RANGES = ((1, inf), (1, 60), (5, 4096), (0, 100_000))


def wide(r: Random, sizes: list[Dim], depth: int = 2) -> Dim:
    """A size as networks have them: halves, remainders, products, ends."""
    if not depth or r.random() < 0.35:
        return r.choice(sizes) + r.choice([0, 0, 0, 1, -1, 3])
    a, b, k = wide(r, sizes, depth - 1), wide(r, sizes, depth - 1), r.choice([2, 3, 4, 7, 16])
    made: list[Dim] = [
        a + b,
        k * a,
        a * r.choice(sizes),
        (a + r.randint(0, 3)) // k,
        a % k,
        minimum(a, b),
        maximum(a, b),
    ]
    return r.choice([*made, minimum(a, b), maximum(a, b)])


def asked_of(r: Random, sizes: list[Dim], depth: int = 1) -> Formula:
    if depth and r.random() < 0.3:
        return r.choice([all_of, any_of])(asked_of(r, sizes, 0), asked_of(r, sizes, 0))
    a, k = wide(r, sizes), r.choice([2, 3, 4, 7, 16, 64, 224])
    made = [divides(k, a), at_most(a, k), at_least(a, k), equal(a, k), equal(a, r.choice(sizes))]
    return r.choice([*made, equal(k * (a // k), a), at_most(a, wide(r, sizes, 1))])


def test_random_regions_over_wide_ranges(seeds: range) -> None:
    """For unbounded or very large ranges, a region that is called exact agrees at every sampled point."""
    asked = inexact = 0
    for seed in seeds:
        r = Random(f"wide region {seed}")
        sizes = [symbol(name, *r.choice(RANGES)) for name in ("h", "w", "n")[: r.randint(1, 3)]]
        atoms = [a for a in (s.as_symbol() for s in sizes) if a is not None]
        condition, judge = asked_of(r, sizes), Judge()
        if judge.decide(Domain(atoms), condition).verdict != Verdict.DEPENDS:
            continue
        found = describe(condition, Domain(atoms), judge.proves)
        asked, inexact = asked + 1, inexact + (not found.exact)
        texts = [parse_formula(text, {s.name: d for s, d in zip(atoms, sizes, strict=True)}) for text in found.text]
        for _ in range(100):
            near = r.choice([3, 20, 300, 5000])
            point = {a: r.randint(int(a.lo), int(min(a.hi, a.lo + near))) for a in atoms}
            evaluator = Evaluator(point)
            holds, told = evaluator.formula(condition), all(evaluator.formula(text) for text in texts)
            assert told == holds or (told and not found.exact), f"seed {seed}: {found} for {condition} at {point}"
    assert asked >= len(seeds) // 2
    assert inexact <= asked // 20


@pytest.mark.parametrize("lo", [2**62, 2**63 - 1, 2**63])
def test_ranges_that_begin_beyond_machine_words_are_described_all_the_same(lo: int) -> None:
    far, near = symbol("far", lo), symbol("near", 1)
    assert exactly(divides(2, far)) == ("far % 2 == 0",)
    assert exactly(at_least(near, far)) == ("far <= near",)


def test_forms_of_what_single_symbols_rule_out_have_all_points_of_the_grid(seeds: range) -> None:
    """A side that no pattern fits isn't dropped from a disjunction."""
    symbols = [of.as_symbol() for of in (symbol("n", 1, 4), symbol("m", 20, 224))]
    axes = [np.arange(1, 5), np.arange(20, 225)]
    for seed in seeds:
        random = Random(seed)
        kept = random.sample(range(32), random.choice((1, 5, 12)))
        passing = np.isin(axes[1] % 32, kept) & (axes[1] >= random.randint(20, 60))
        truth = (axes[0] <= random.randint(1, 3))[:, None] | ~passing[None]
        pieces = on_a_grid(symbols, axes, truth, FALSE, 1000)
        if pieces:
            told = Evaluator(dict(zip(symbols, np.meshgrid(*axes, indexing="ij"), strict=True)))
            held = [np.broadcast_to(told.formula(piece.formula), truth.shape) for piece in pieces]
            assert np.array_equal(np.all(held, axis=0), truth), seed


def test_a_grid_without_places_shows_nothing() -> None:
    axes = [np.arange(3), np.arange(0), np.arange(4)]
    symbols = [atom_of(s) for s in (N, M, LONG)]
    assert on_a_grid(symbols, axes, np.ones((3, 0, 4), dtype=bool), at_least(N * M * (LONG // 2), 9)) is None


def test_what_is_too_long_to_write_is_left_out() -> None:
    n, m = (symbol(letter * 100, 1) for letter in "nm")
    long = sum(((n + m) // k for k in range(2, 30)), n)
    assert str(long) == str(long + 1) == CUT
    assert described(equal(long, 4321)) == Region((), exact=False, partial=True)


def test_what_holds_for_no_data_is_nothing_else():
    count, limit = symbol("count", 0, 9, kind=Kind.DATA), symbol("limit", 0, 9, kind=Kind.DATA)
    for never in (equal(count, 1), equal(count, limit), equal(count * SIZE, SIZE)):
        assert exactly(all_of(divides(4, OTHER), never)) == ("False",)


def test_no_size_is_safe_where_data_can_have_too_few_elements_at_any() -> None:
    count = symbol("count", 0, kind=Kind.DATA)
    assert exactly(at_least(count, 50)) == ("False",)
    assert exactly(at_least(count + N, 50)) == ("n >= 50",)


def test_a_condition_whose_text_cannot_be_read_back_is_listed_where_it_has_few_values() -> None:
    n, m, k = (symbol(name, 0, 4) for name in "nmk")
    grid = [{"n": i, "m": j, "k": h} for i in range(5) for j in range(5) for h in range(5)]
    for asked, holds in (
        (equal(bit_and(m + n, 5), n), lambda n, m, k: (m + n) & 5 == n),  # noqa: ARG005
        (equal(bit_xor(m * k, 5 * n), power(n, m)), lambda n, m, k: m * k ^ 5 * n == n**m),
    ):
        found = described(any_of(equal(n, 2), asked))
        assert found.exact
        for at in grid:
            assert all(eval(text, {}, at) for text in found.text) == (at["n"] == 2 or holds(**at))


def test_a_quotient_that_divides_is_written_as_a_remainder() -> None:
    n, m = symbol("n", 1, 400), symbol("m", 1, 400)
    assert str(equal(n, m * (n // m))) == "n % m == 0"
    assert str(differs(n + 1, 2 * m * ((n + 1) // (2 * m)))) == "(n + 1) % (2*m) != 0"


def test_the_targets_of_a_reshape_are_one_readable_region() -> None:
    model = b'<ir_version: 9, opset_import: ["": 18]> g (float[a, 4] x, int64[2] t) => (y) { y = Reshape(x, t) }'
    report = shapesmt.check(model, dims={"a": "0..4"}, values={"t": "-3..4"})
    assert report.precondition.exact
    assert len(report.precondition.text) == 4


def test_a_condition_is_described_where_the_earlier_ones_hold() -> None:
    def halved(n: Dim, k: int) -> Dim:  # the 7 rows of each tile, padded by what one row for two would lack
        tiles = (n + 7 * k - 1) // (7 * k)
        lacking = maximum((n + 2 * k - 1) // (2 * k) - 3 * tiles - (n + 7 * k - 1) // (14 * k), 0)
        return (7 * tiles + lacking) // 2

    def in_tiles(rows: Dim, columns: Dim) -> Formula:
        counts = [select(equal(n // 7, 0), 99, n // 7) for n in (rows, columns)]
        return equal(rows * columns, 49 * counts[0] * counts[1])

    stages = [(halved(N, k), halved(M, k)) for k in (4, 8, 16)]
    condition = all_of(in_tiles((N + 3) // 4, (M + 3) // 4), *(in_tiles(*stage) for stage in stages))
    region = describe(condition, Domain(map(atom_of, (N, M))), presolved)
    assert (region.exact, region.text) == (True, ("(n + 3) % 224 <= 3", "(m + 3) % 224 <= 3"))


def test_a_divisor_that_may_be_0_is_guarded_or_none() -> None:
    n, m = symbol("n", 0, 9), symbol("m", -3, 4)
    chosen = select(equal(m, 0), 4, m)
    divided = equal(n, m * (n // m))
    assert str(equal(n, chosen * (n // chosen))) == "n % (4 if m == 0 else m) == 0"
    assert str(all_of(differs(m, 0), divided)) == "m != 0 and n % m == 0"
    for i, j in ((0, 0), (3, 0), (4, 2), (3, 2)):
        assert eval(str(divided), {}, {"n": i, "m": j}) == (i % j == 0 if j else i == 0)


def test_conditions_that_others_imply_are_left_out() -> None:
    n, m = symbol("n", 1), symbol("m", 1)
    either = any_of(equal(m, 1), equal(m, n // 2))
    assert described(all_of(either, equal(m, n // 2))).text == ("m == n//2",)
    assert described(all_of(at_least(n, m), at_least(n, m + 1))).text == ("n >= m + 1",)


@pytest.mark.parametrize("step", [1, 16])
def test_bounds_need_no_proof(step: int) -> None:
    size, random = symbol("size", step, step=step), Random(step)
    values = np.arange(step, 4000, step)
    for _ in range(50):
        least, most = sorted(random.sample(range(1, 3000), 2))
        condition = all_of(
            at_least((size + 31) // 8, least), at_most(size, 10 * most), at_least(size, random.choice((1, 40)))
        )
        region = describe(condition, Domain([size]), lambda *_: False)
        said = all_of(*(c.formula for c in region.conjuncts))
        truth, expected = (Evaluator({size.as_symbol(): values}).formula(f) for f in (said, condition))
        assert region.exact
        assert np.array_equal(np.broadcast_to(truth, len(values)), np.broadcast_to(expected, len(values))), condition
