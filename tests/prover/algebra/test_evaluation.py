"""Evaluation at one point and at many, of chains that no call may nest, and in 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

from shapesmt.prover.algebra.dim import Atom, Dim, Kind, const, define_symbol, make_atom, symbol
from shapesmt.prover.algebra.evaluation import Checked, Evaluator, evaluate, fits_int64, inmost_first
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import FALSE, TRUE, Formula, all_of, any_of, at_least, differs, equal, select
from shapesmt.prover.algebra.numeric.floats import from_dim, literal
from shapesmt.prover.algebra.numeric.folds import fold
from shapesmt.prover.algebra.operations import PRODUCT
from shapesmt.prover.algebra.substitution import Substitution

N, M, WIDE = symbol("n", 0, 9), symbol("m", -4, 4), symbol("wide", 0, 1 << 40)
SIZES = {N.as_symbol(): 7, M.as_symbol(): -2}


@pytest.mark.parametrize(
    ("what", "value"),
    [
        (const(5), 5),
        (3 * N * N + 2 * M - 1, 142),
        (N // M, -4),
        (N // (M + 2), 0),  # whatever is divided by 0 is 0
        (minimum(N, M, 3) + maximum(N, M), 5),
        (select(equal(N, 7), M, 100), -2),
        (select(equal(N, 6), M, 100), 100),
        ((from_dim(N, "float32") * literal(0.7, "float32")).to_int(), 4),
        (define_symbol(N * N, "square") + 1, 50),
        (TRUE, True),
        (FALSE, False),
        (all_of(at_least(N, 7), differs(M, 0)), True),
        (any_of(equal(N, 3), equal(M, 2)), False),
    ],
    ids=str,
)
def test_values(what: Dim | Formula, value: object) -> None:
    assert evaluate(what, SIZES) == value
    arrays = {s: np.array([v, v]) for s, v in SIZES.items()}
    assert np.broadcast_to(evaluate(what, arrays), 2).tolist() == [value, value]


def test_a_symbol_without_a_value_is_named() -> None:
    with pytest.raises(KeyError, match="n"):
        evaluate(N + 1, {M.as_symbol(): 1})


def test_what_a_choice_leaves_is_not_looked_at() -> None:
    assert evaluate(select(equal(N, 1), M, N), {N.as_symbol(): 2}) == 2


def test_a_given_value_comes_before_a_definition() -> None:
    size = define_symbol(N + 1, "size")
    atom = size.as_symbol()
    assert (evaluate(size * 2, {N.as_symbol(): 3}), evaluate(size * 2, {atom: 10})) == (8, 20)


def test_chains_of_definitions_nest_no_calls() -> None:
    chain = N
    for i in range(5_000):
        chain = define_symbol(chain + 1, f"link{i}")
    assert evaluate(chain, {N.as_symbol(): 2}) == 5_002
    assert [fits_int64(what) for what in (chain, at_least(chain, 9), chain * WIDE * WIDE)] == [True, True, False]


def test_parts_come_in_order_and_once() -> None:
    first = define_symbol(N + 1, "first")
    second = define_symbol(first * first, "second")
    both = (second + first, at_least(second, first))
    assert [a.name for a in inmost_first(both)] == ["n", "first", "second"]
    assert inmost_first(both, known=frozenset({second.as_symbol(), first.as_symbol()})) == []
    seen = set[object]()
    assert [len(inmost_first(both, seen=seen)) for _ in range(2)] == [3, 0]


def test_each_shared_part_is_computed_once() -> None:
    evaluator = Evaluator({N.as_symbol(): 4})
    assert evaluator.dim(N // 3) is evaluator.dim(N // 3)


@pytest.mark.parametrize(
    ("what", "fits"),
    [
        (N * M, True),
        (WIDE + (1 << 61), True),
        (WIDE * WIDE, False),
        (const(1 << 62), False),
        (symbol("endless", 0) + 1, False),
        (equal(WIDE * WIDE, N * WIDE * WIDE), False),
        (at_least(N, M), True),
        (minimum(WIDE * WIDE, 3), False),  # small, but a step of it isn't
        (define_symbol(WIDE * WIDE, "large") // (1 << 30), False),
        (fold("sum", symbol("@1", 0, kind=Kind.AXIS) % 7, {symbol("@1", 0, kind=Kind.AXIS).as_symbol(): N}), True),
        (fold("sum", symbol("@1", 0, kind=Kind.AXIS) % 7, {symbol("@1", 0, kind=Kind.AXIS).as_symbol(): WIDE}), False),
    ],
    ids=str,
)
def test_what_fits_64_bits(what: Dim | Formula, fits: bool) -> None:
    assert fits_int64(what) is fits


@pytest.mark.parametrize(
    ("what", "fits"),
    [
        ((N * 2**40) // M, True),
        (N * M * 2**60, False),
        (N * 2**58 - M * 2**61, False),
        (make_atom(PRODUCT, (N + 2**40, M + 2**40)), False),
        (at_least(2**40, N * WIDE), True),
    ],
)
def test_what_would_overflow_is_refused(what: Dim | Formula, fits: bool) -> None:
    sizes = {s.as_symbol(): np.array(values) for s, values in ((N, [5, 9]), (M, [-3, 4]), (WIDE, [2, 1 << 40]))}
    at = Checked(sizes)  # type: ignore[arg-type]
    read = at.dim if isinstance(what, Dim) else at.formula
    if not fits:
        with pytest.raises(OverflowError):
            read(what)
    else:
        values = evaluate(what, sizes)  # type: ignore[arg-type]
        assert read(what).tolist() == values.tolist()


def test_a_substitution_that_time_interrupts_can_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next call rewrites the definitions that weren't reached, without calls nested as deep as their chain."""
    chain = N
    for i in range(2000):
        chain = define_symbol(chain * chain % 7, f"link{i}")
    substitution = Substitution({N.as_symbol(): M + 5})  # type: ignore[dict-item]
    rewrite, left = Substitution._apply, iter(range(100))

    def until_late(self: Substitution, atom: Atom) -> Dim:
        if next(left, None) is None:
            raise TimeoutError
        return rewrite(self, atom)

    with monkeypatch.context() as late:
        late.setattr(Substitution, "_apply", until_late)
        with pytest.raises(TimeoutError):
            substitution.apply(chain)
    assert evaluate(substitution.apply(chain), SIZES) == evaluate(chain, {N.as_symbol(): 3})  # type: ignore[arg-type]
