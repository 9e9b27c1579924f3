"""Every operation says what is asked of it, and every analysis of operations has an entry for each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from shapesmt.prover.algebra.dim import Dim, Kind, make_atom, symbol
from shapesmt.prover.algebra.evaluation import Evaluator, evaluate, fits_int64
from shapesmt.prover.algebra.formula import at_least
from shapesmt.prover.algebra.growth.monotonicity import RISES_WITH
from shapesmt.prover.algebra.growth.quasipolynomial import Forms
from shapesmt.prover.algebra.intervals import ALL
from shapesmt.prover.algebra.numeric.bits import BIT_AND, BIT_OR, BIT_XOR, POWER, bit_and, bit_or, bit_xor, power
from shapesmt.prover.algebra.numeric.floats import TO_INT, from_dim, literal
from shapesmt.prover.algebra.numeric.folds import FOLD, fold
from shapesmt.prover.algebra.numeric.lookups import LOOKUP, lookup
from shapesmt.prover.algebra.operations import (
    ANALYSES,
    ENTRY,
    FLOOR_DIVISION,
    MAX,
    MIN,
    OPERATIONS,
    PRODUCT,
    SELECT,
    SYMBOL,
    Operation,
    Rows,
)
from shapesmt.prover.algebra.relaxation import ABOVE
from shapesmt.prover.algebra.substitution import entry, substitute, twin
from shapesmt.prover.expression_trees import Trees
from shapesmt.prover.presolve.enumeration import Magnitudes
from shapesmt.prover.smt.smtlib import Script

N, M = symbol("n", -3, 4), symbol("m", 0, 3)
LAST = symbol("@1", 0, 3, kind=Kind.AXIS)
UNKNOWN = twin(M, Kind.ENTRY)
PER_SIZE = {N.as_symbol(): range(-3, 5), M.as_symbol(): range(4)}

EXAMPLES: Mapping[Operation, tuple[Dim, str]] = {
    SYMBOL: (N, "n"),
    FLOOR_DIVISION: (make_atom(FLOOR_DIVISION, (N + 1, M)), "((n + 1)//m if m != 0 else 0)"),
    PRODUCT: (make_atom(PRODUCT, (N + 1, M)), "(n + 1)*(m)"),
    MIN: (make_atom(MIN, (N, M)), "min(m, n)"),
    MAX: (make_atom(MAX, (N, M)), "max(m, n)"),
    SELECT: (make_atom(SELECT, (at_least(N, M), N, M)), "(n if n >= m else m)"),
    TO_INT: (
        make_atom(TO_INT, (from_dim(N, "float32") * literal(0.7, "float32"),)),
        "to_int(mul(n, (11744051)/16777216))",
    ),
    FOLD: (fold("greatest", LAST * N % 3, {LAST.as_symbol(): M - 1}), "greatest((n*i) % 3)"),
    BIT_AND: (bit_and(N, M), "(n & m)"),
    BIT_OR: (bit_or(N, M), "(n | m)"),
    BIT_XOR: (bit_xor(N, M), "(n ^ m)"),
    POWER: (power(N, M), "n**m"),
    LOOKUP: (lookup(np.array([5, 3, 8]), N + M), "constant_4c75656cfdf25d27[m + n]"),
    ENTRY: (entry(UNKNOWN, N), "entry(m, n)"),
}
BY_ROW = pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)


def operation(dim: Dim) -> Operation:
    atom = dim.as_atom()
    assert atom is not None
    return atom.op


def test_there_is_an_example_of_every_operation() -> None:
    assert [*EXAMPLES] == [operation(dim) for dim, _ in EXAMPLES.values()]
    assert {*EXAMPLES} == {*OPERATIONS}
    assert len({op.name for op in OPERATIONS}) == len(OPERATIONS)


@BY_ROW
def test_its_text(op: Operation) -> None:
    dim, text = EXAMPLES[op]
    assert str(dim) == text


@BY_ROW
def test_its_values_lie_in_its_bounds_one_by_one_and_together(op: Operation) -> None:
    dim, _ = EXAMPLES[op]
    if op is ENTRY:  # which only data know
        with pytest.raises(KeyError):
            evaluate(dim, dict.fromkeys(dim.symbols, 0))
        return
    points = list(itertools.product(*PER_SIZE.values()))
    single = [evaluate(dim, dict(zip(PER_SIZE, point, strict=True))) for point in points]
    assert dim.lo <= min(single) <= max(single) <= dim.hi
    columns = np.array(points).T
    together = Evaluator(dict(zip(PER_SIZE, columns, strict=True))).dim(dim)
    assert np.broadcast_to(together, len(points)).tolist() == single
    assert fits_int64(dim)


@BY_ROW
def test_a_substitution_builds_it_again(op: Operation) -> None:
    dim, _ = EXAMPLES[op]
    (k,) = symbol("k", -5, 7).symbols
    changed = substitute(dim, {N.as_symbol(): symbol("k", -5, 7) + M})
    if op is ENTRY:
        assert changed is entry(UNKNOWN, symbol("k", -5, 7) + M)
        return
    for n, m in itertools.product(range(-1, 4), range(4)):
        assert evaluate(changed, {k: n - m, M.as_symbol(): m}) == evaluate(dim, {N.as_symbol(): n, M.as_symbol(): m})


@pytest.mark.parametrize(
    "rows",
    [ABOVE, RISES_WITH, Forms.rows, Magnitudes.rows, Script.rows, Trees.rows],
    ids=lambda rows: rows.name,
)
def test_every_analysis_knows_all_operations(rows: Rows[object]) -> None:
    assert {*rows} == {*OPERATIONS}
    assert any(rows is one for one in ANALYSES)


def test_an_operation_that_an_analysis_has_nothing_for_is_an_error_when_it_is_made() -> None:
    with pytest.raises(TypeError, match=r"relaxation: no row for Operation\('new'\)"):
        Operation("new", bounds=lambda: ALL, evaluate=lambda _: 0)
    assert "new" not in {op.name for op in OPERATIONS}


def test_an_analysis_that_has_nothing_for_an_operation_is_an_error_when_it_is_made() -> None:
    with pytest.raises(TypeError, match=r"new: no row for Operation\('floordiv'\)"):
        Rows("new", {SYMBOL: 1}, opaque=0)
    assert "new" not in {rows.name for rows in ANALYSES}
