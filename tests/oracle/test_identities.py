"""Z3 and cvc5 prove that the normal form equals what was written, for random expressions.

The written expression goes to SMT-LIB by the few lines below, which know nothing of the normal form.
"""

from __future__ import annotations

from random import Random

import pytest

from shapesmt.prover.algebra.dim import Dim, define_symbol, symbol
from shapesmt.prover.algebra.division import ceil_divide
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import (
    Formula,
    absolute,
    all_of,
    any_of,
    at_least,
    differs,
    divides,
    equal,
    less,
    negate,
    select,
    truncated_divide,
)
from shapesmt.prover.algebra.substitution import substitute
from shapesmt.prover.smt.smtlib import Script, number
from tests.oracle.solvers import cvc5_verdict, z3_verdict

LANGUAGE = """
(set-logic ALL)
(define-fun quotient ((a Int) (b Int)) Int
  (ite (= b 0) 0 (ite (> b 0) (div a b) (div (- a) (- b)))))
(define-fun remainder ((a Int) (b Int)) Int (- a (* b (quotient a b))))
(define-fun least ((a Int) (b Int)) Int (ite (< a b) a b))
(define-fun greatest ((a Int) (b Int)) Int (ite (< a b) b a))
(define-fun truncated ((a Int) (b Int)) Int
  (ite (= b 0) 0 (ite (= (< a 0) (< b 0)) (quotient (abs a) (abs b)) (- (quotient (abs a) (abs b))))))
"""
BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "quotient": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "least": minimum,
    "greatest": maximum,
}
BY_NUMBER = {
    "quotient": lambda a, k: a // k,
    "remainder": lambda a, k: a % k,
    "truncated": truncated_divide,
    "*": lambda a, k: a * k,
}
COMPARE = {"=": equal, "distinct": differs, ">=": at_least, "<": less}

Written = tuple[str, Dim]  # the text as written, and the normal form
Condition = tuple[str, Formula]


def expression(r: Random, symbols: list[Dim], depth: int) -> Written:
    if depth == 0:
        if r.random() < 0.3:
            c = r.randint(-5, 9)
            return number(c), symbols[0] * 0 + c
        s = r.choice(symbols)
        return f"|{s}|", s
    a, x = expression(r, symbols, depth - 1)
    kind = r.randrange(8)
    if kind <= 2:
        op = r.choice(list(BINARY))
        b, y = expression(r, symbols, r.randint(0, depth - 1))
        return f"({op} {a} {b})", BINARY[op](x, y)
    if kind <= 4:
        op, k = r.choice(list(BY_NUMBER)), r.choice([-3, -1, 1, 2, 2, 3, 4, 4, 6, 8])
        return f"({op} {a} {number(k)})", BY_NUMBER[op](x, k)
    if kind == 5:
        k = r.randint(1, 8)
        return r.choice(
            [(f"(- (quotient (- {a}) {k}))", ceil_divide(x, k)), (f"(abs {a})", absolute(x)), (a, define_symbol(x))]
        )
    f, condition = formula(r, symbols, depth - 1)
    b, y = expression(r, symbols, r.randint(0, depth - 1))
    return f"(ite {f} {a} {b})", select(condition, x, y)


def formula(r: Random, symbols: list[Dim], depth: int) -> Condition:
    if depth > 1 and r.random() < 0.4:
        (f, p), (g, q) = (formula(r, symbols, depth - 1) for _ in range(2))
        return r.choice([(f"(and {f} {g})", all_of(p, q)), (f"(or {f} {g})", any_of(p, q)), (f"(not {f})", negate(p))])
    (a, x), (b, y) = (expression(r, symbols, max(depth - 1, 0)) for _ in range(2))
    if r.random() < 0.2:
        k = r.randint(2, 6)
        return f"(= 0 (remainder {a} {k}))", divides(k, x)
    op = r.choice(list(COMPARE))
    return f"({op} {a} {b})", COMPARE[op](x, y)


def ranges(r: Random) -> list[Dim]:
    """Symbols with short and long, open and stepped ranges."""
    made = []
    for name in "xyz":
        lo = r.choice([0, 1, 1, 2, -4])
        hi = r.choice([lo + r.randint(1, 9), lo + 60, 4096, float("inf")])
        made.append(symbol(name, lo, hi, step=r.choice([1, 1, 1, 4]) if hi == 4096 else 1))
    return made


def difference(symbols: list[Dim], written: str, normal: Dim | Formula) -> str:
    """A script that is satisfiable where the two differ."""
    script = Script()
    for s in symbols:
        script.part(s)
    text = script.part(normal)
    return f"{LANGUAGE}{script}\n(assert (distinct {written} {text}))\n(check-sat)\n"


def verdicts(text: str, seconds: float) -> set[str]:
    return {z3_verdict(text, seconds), cvc5_verdict(text, seconds)}


def replaced(r: Random, symbols: list[Dim]) -> Condition:
    """A condition in which an expression was put for a symbol."""
    part, meaning = expression(r, symbols[1:], 1)
    inner = symbol("inner", meaning.lo, meaning.hi + 1)
    written, normal = formula(r, [*symbols[1:], inner], r.randint(1, 3))
    atom = inner.as_symbol()
    assert atom is not None
    return written.replace("|inner|", part), substitute(normal, {atom: meaning})


@pytest.mark.parametrize("kind", ["expression", "formula", "replaced"])
def test_the_normal_form_is_equal_to_what_was_written(kind: str, seeds: range, full: bool) -> None:
    undecided = []
    for seed in seeds:
        r = Random(f"{kind} {seed}")
        symbols = ranges(r)
        written: str
        normal: Dim | Formula
        if kind == "replaced":
            written, normal = replaced(r, symbols)
        else:
            written, normal = (expression if kind == "expression" else formula)(r, symbols, r.randint(1, 4))
        found = verdicts(difference(symbols, written, normal), 10)
        assert "sat" not in found, f"seed {seed}: {written} is not {normal} over {[(s.lo, s.hi) for s in symbols]}"
        if "unsat" not in found:
            undecided.append(seed)
    assert len(undecided) <= len(seeds) // 10, f"neither solver decides the seeds {undecided}"
