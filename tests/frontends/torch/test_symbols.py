"""Sizes as PyTorch writes them, read as the package's expressions."""

from __future__ import annotations

import pytest

from shapesmt.frontends.torch.symbols import Affine, affine, parse, symbols_in

N = "Symbol('s0', positive=True, integer=True)"
NAMES = {"s0": "n", "s1": "x dim"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (N, "n"),
        ("s0 + 1", "n + 1"),
        ("Symbol('s1')", "`x dim`"),
        (f"Add(Mul(Integer(2), {N}), Integer(-1))", "2 * n + -1"),
        (f"FloorDiv(Add({N}, Integer(1)), Integer(2))", "(n + 1) // 2"),
        (f"Mul({N}, Add({N}, Integer(1)))", "n * (n + 1)"),
        (f"PythonMod({N}, Integer(7))", "n % 7"),
        (f"CeilDiv({N}, Integer(2))", "-(-n // 2)"),
        (f"ModularIndexing({N}, Integer(2), Integer(3))", "n // 2 % 3"),
        (f"Max(Integer(1), {N}, Pow({N}, Integer(2)))", "max(1, n, n ** 2)"),
        (f"And(Ne({N}, Integer(1)), Not(Eq({N}, Integer(3))))", "n != 1 and (not n == 3)"),
        (f"torch.sym_max(1, {N})", "max(1, n)"),
        (f"torch.sym_min([{N}, 4, 7])", "min(n, 4, 7)"),
        (f"torch.sym_not({N} == 1)", "not n == 1"),
        (f"torch.sym_ite({N} > 3, 1, {N})", "1 if n > 3 else n"),
        (f"torch.sym_sum(({N}, 1, 2))", "n + 1 + 2"),
        (f"torch.utils._sympy.functions.FloorDiv({N}, 2)", "n // 2"),
        (f"operator.mod(abs({N}), 3)", "abs(n) % 3"),
        (f"Where(Ge({N}, 3), PowByNatural({N}, 2), Identity({N}))", "n ** 2 if n >= 3 else n"),
        (f"Piecewise(ExprCondPair(Integer(1), Eq({N}, Integer(1))), ExprCondPair({N}, true))", "1 if n == 1 else n"),
    ],
)
def test_functions_become_operators(text: str, expected: str) -> None:
    assert parse(text, NAMES) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Symbol('s9')",
        "Symbol(s0)",
        f"Pow({N}, Integer(-1))",
        f"Pow({N}, {N})",
        "Integer(2.5)",
        f"IntTrueDiv({N}, Integer(2))",
        f"{N} / 2",
        f"2.5 * {N}",
        f"{N} ** 0.5",
        f"math.trunc({N})",
        f"Add({N}",
        f"__import__('os').system({N})",
        f"Piecewise(ExprCondPair({N}, Eq({N}, Integer(1))))",
        "Add(" * 100 + N + ")" * 100,
    ],
)
def test_what_has_no_counterpart_is_left_open(text: str) -> None:
    assert parse(text, NAMES) is None


def test_symbols_of_a_text() -> None:
    assert symbols_in(f"Add({N}, Symbol('u1'))") == {"s0", "u1"}
    assert symbols_in("2*s0 + max(s1, 3)") == {"s0", "s1"}
    assert symbols_in("Add(") == frozenset()


def test_multiples_of_one_symbol() -> None:
    assert affine(f"Add(Mul(Integer(2), Add({N}, Integer(3))), Integer(-1))") == Affine("s0", 2, 5)
    assert affine("3 - s0") == Affine("s0", -1, 3)
    assert [affine(text) for text in ("s0*s0", "s0 + s1", "7", "s0 // 2", "(")] == [None] * 5
