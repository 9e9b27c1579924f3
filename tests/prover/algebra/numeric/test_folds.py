"""Folds against trying every position by hand, and their intervals."""

from __future__ import annotations

from itertools import product
from math import inf

import hypothesis.strategies as st
import pytest
from hypothesis import given

from shapesmt.prover.algebra.dim import Kind, const, symbol
from shapesmt.prover.algebra.evaluation import Evaluator, evaluate, fits_int64
from shapesmt.prover.algebra.extremes import maximum
from shapesmt.prover.algebra.formula import absolute, at_least, equal, select
from shapesmt.prover.algebra.numeric import folds
from shapesmt.prover.algebra.numeric.folds import fold
from shapesmt.prover.algebra.substitution import substitute

N, M = symbol("n", 0, 6), symbol("m", 0, 5)
P, Q = symbol("@1", 0, kind=Kind.AXIS), symbol("@2", 0, kind=Kind.AXIS)
LASTS = {P.as_symbol(): N - 1, Q.as_symbol(): M - 1}
FOLDS = {"least": min, "greatest": max, "sum": sum}
ELEMENTS = {
    "constant slope": P + 2 * Q,
    "a square": P * P - 4 * P,
    "a distance": absolute(P - Q),
    "a distance cut off": select(at_least(absolute(P - Q), 3), 7, absolute(P - Q)),
    "a remainder": (P * 3 + Q) % 4,
    "with a size": (N - P) * (Q - 2),
    "where they meet": select(equal(P, Q), 1, 0),
}


@pytest.mark.parametrize("how", FOLDS)
@pytest.mark.parametrize("name", ELEMENTS)
def test_it_is_what_trying_gives(name, how):
    element = ELEMENTS[name]
    folded = fold(how, element, LASTS)
    for n, m in product(range(7), range(6)):
        at = {N.as_symbol(): n, M.as_symbol(): m}
        tried = [evaluate(element, {**at, P.as_symbol(): i, Q.as_symbol(): j}) for i in range(n) for j in range(m)]
        expected = FOLDS[how](tried) if tried else 0
        assert evaluate(folded, at) == expected
        assert folded.lo <= expected <= folded.hi


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), min_size=1, max_size=20))
def test_many_sizes_at_once(sizes):
    import numpy as np

    ns, ms = map(np.array, zip(*sizes, strict=True))
    for element in ELEMENTS.values():
        folded = fold("greatest", element, LASTS)
        together = Evaluator({N.as_symbol(): ns, M.as_symbol(): ms}).dim(folded)
        single = [evaluate(folded, {N.as_symbol(): int(n), M.as_symbol(): int(m)}) for n, m in sizes]
        assert np.broadcast_to(together, ns.shape).tolist() == single


def test_no_sizes_at_once():
    import numpy as np

    folded, none = fold("greatest", P * N % 3, LASTS), np.zeros(0, int)
    assert Evaluator({N.as_symbol(): none, M.as_symbol(): none}).dim(folded).tolist() == []


def test_cases_are_told_apart_without_an_end():
    n = symbol("n", 1)
    lasts = {P.as_symbol(): n - 1, Q.as_symbol(): n - 1}
    near = select(at_least(7, absolute(P - Q)), absolute(P - Q), const(9))
    assert (fold("greatest", near, lasts).hi, fold("least", near, lasts).lo) == (9, 0)
    assert fold("greatest", maximum(3 - P, 0), {P.as_symbol(): n - 1}).hi == 3


@pytest.mark.parametrize("distance", [P - Q - N, P + N - Q, Q + N], ids=str)
def test_cases_of_a_distance_with_a_size_in_it(distance):
    far = select(at_least(distance, 8), 7, distance)
    folded = fold("greatest", far, {P.as_symbol(): M * 1000, Q.as_symbol(): M * 900})
    assert folded.hi == 7


def test_other_sizes_can_be_put_in():
    folded = fold("sum", P * Q, LASTS)
    twice = substitute(folded, {N.as_symbol(): 2 * M})
    assert evaluate(twice, {M.as_symbol(): 3}) == sum(i * j for i in range(6) for j in range(3))


def test_what_is_too_large_to_try_is_never_tried():
    wide = symbol("wide", 1, 1 << 20)
    lasts = {P.as_symbol(): wide - 1, Q.as_symbol(): wide - 1}
    folded = fold("greatest", P * Q % 7, lasts)
    assert not fits_int64(folded)
    assert (folded.lo, folded.hi) == (0, 6)
    with pytest.raises(OverflowError, match="too many positions"):
        evaluate(folded, {wide.as_symbol(): 1 << 20})


@pytest.mark.parametrize("most", [2**31, inf])
def test_sums_of_polynomials_need_no_trying(most):
    n = symbol("n", 0, most)
    for element in (P + 1, P * P - 3, (N - P) * P):
        total = fold("sum", element, {P.as_symbol(): n - 1})
        for size in (0, 1, 2, 7):
            values = {n.as_symbol(): size, N.as_symbol(): 4}
            tried = sum(evaluate(element, {P.as_symbol(): p, N.as_symbol(): 4}) for p in range(size))
            assert evaluate(total, values) == tried


def test_its_text_names_the_positions():
    assert str(fold("greatest", P * P, {P.as_symbol(): N - 1})) == "greatest(i*i)"


def test_sizes_with_the_same_positions_are_tried_together(monkeypatch):
    import numpy as np

    n, sizes = symbol("n", 0, 999), np.arange(1000)
    element, lasts = absolute(P * 7 - n % 30) - Q, {P.as_symbol(): n // 100, Q.as_symbol(): const(2)}
    expected = [max(abs(7 * i - s % 30) for i in range(s // 100 + 1)) for s in range(1000)]
    for most, times in ((1 << 20, 10), (300, 60)):
        monkeypatch.setattr(folds, "MOST_TRIED", most)
        asked = []
        monkeypatch.setattr(folds, "Evaluator", lambda at, asked=asked: asked.append(at) or Evaluator(at))
        assert Evaluator({n.as_symbol(): sizes}).dim(fold("greatest", element, lasts)).tolist() == expected
        assert len(asked) == times
