"""The text: names, depth, sharing, and operations on floats."""

from __future__ import annotations

import itertools

import pytest

from shapesmt.prover.algebra.dim import Dim, define_symbol, symbol
from shapesmt.prover.algebra.evaluation import evaluate
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import Formula, any_of, at_least, differs, equal, select
from shapesmt.prover.algebra.numeric.floats import from_dim, literal
from shapesmt.prover.smt.smtlib import RESERVED, Script, script
from shapesmt.prover.smt.solver import check
from tests.oracle.solvers import cvc5_verdict, z3_verdict


def both(*formulas: Formula) -> str:
    text = f"(set-logic ALL)\n{script(formulas)}\n(check-sat)\n"
    said = {z3_verdict(text), cvc5_verdict(text)}
    assert len(said) == 1, said
    return said.pop()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("height", "|height|"),
        ("Batch Size", "|Batch Size|"),
        ("a|b\\c", "|a?b?c|"),
        ("höhe\n", "|h?he?|"),
        ("", "||"),
        ("let", "|let|"),
    ],
)
def test_names_keep_to_the_grammar(name: str, text: str) -> None:
    made = Script()
    assert made.name(name) == text
    assert made.name(name) == f"{text[:-1]} (2)|"
    x = symbol(name, 1, 9)
    assert both(equal(x, 3)) == "sat"


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_symbols_may_be_called_as_operators_are(name: str) -> None:
    n = symbol(name, 1)
    assert check([equal(n * n * n, 27)]).model == {n.as_symbol(): 3}
    assert both(equal(n * n, 9)) == "sat"


def test_symbols_of_one_name_and_different_ranges_stay_apart() -> None:
    a, b = symbol("twin", 1, 3), symbol("twin", 2, 9)
    assert both(equal(a, b), at_least(b, 4)) == "unsat"
    assert check([equal(2 * a, b), at_least(b, 4)]).model[b.as_symbol()] in (4, 6)


@pytest.mark.parametrize(("k", "verdict"), [(80, "sat"), (81, "unsat"), (512, "sat"), (513, "unsat"), (63, "unsat")])
def test_ranges_and_steps(k: int, verdict: str) -> None:
    assert both(equal(symbol("stepped", 64, 512, step=16), k)) == verdict


def test_division_rounds_down_for_all_signs_and_is_0_by_0() -> None:
    a, b = symbol("a", -7, 7), symbol("b", -4, 4)
    quotient = a // b
    for x, y in itertools.product(range(-7, 8), range(-4, 5)):
        expected = x // y if y else 0
        assert check([equal(a, x), equal(b, y), differs(quotient, expected)]).verdict == "unsat", (x, y)


def test_depth_has_no_limit() -> None:
    h = symbol("h", 1, 9)
    deep = h
    for i in range(3000):
        deep = define_symbol(deep + 1 if i % 2 else minimum(deep, 5000 - h), f"d{i}")
    text = str(script([at_least(deep, 4000)]))
    assert text.count("\n") < 7000
    assert z3_verdict(text) == "unsat"


def test_length_is_linear_in_the_distinct_parts() -> None:
    h, w = symbol("h", 0, 99), symbol("w", 0, 99)

    def doubled(depth: int) -> Dim:
        x = h
        for i in range(depth):
            x = select(at_least(x, w + i), (x + 1) // (w + 2), x // (h + i + 1))
        return x

    short, long = (len(str(script([at_least(doubled(n), 3)]))) for n in (10, 40))
    assert long < 5 * short


def test_an_operation_on_floats_is_a_table_where_its_symbol_has_few_values() -> None:
    n = symbol("n", 1, 100)
    size = (from_dim(n, "float32") * literal(0.7, "float32")).floor().to_int()
    made = script([at_least(size, 1)])
    assert not made.opaque
    for k in (1, 10, 50, 100):
        value = evaluate(size, {n.as_symbol(): k})
        assert both(equal(n, k), equal(size, value)) == "sat"
        assert both(equal(n, k), differs(size, value)) == "unsat"


def test_an_operation_on_floats_is_pinned_down_where_a_model_gets_it_wrong() -> None:
    n = symbol("n", 1, 4000)
    size = (from_dim(n, "float32") * literal(0.7, "float32")).floor().to_int()
    answer = check([equal(size, 7), differs(n, 11)])
    assert answer.verdict == "sat"
    assert evaluate(size, answer.model) == 7


def test_extremes_of_many_don_t_double_the_text() -> None:
    symbols = [symbol(f"s{i}", i, 100 + i) for i in range(12)]
    least, greatest = minimum(*symbols), maximum(*symbols)
    made = script([at_least(least, greatest)])
    assert len(str(made)) < 3_000
    assert both(at_least(least, greatest), any_of(*(differs(s, 50) for s in symbols))) == "sat"
