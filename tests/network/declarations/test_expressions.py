"""EXPR text: what it means, what it refuses, and that no text makes it hang or fail otherwise."""

from __future__ import annotations

import itertools
import re
import warnings

import pytest
from hypothesis import given, strategies as st

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.network.declarations.expressions import names_in, parse_dim, parse_formula
from shapesmt.network.declarations.ranges import LARGEST
from shapesmt.prover.algebra import name_text, text_name
from shapesmt.prover.algebra.dim import Dim, symbol
from shapesmt.prover.algebra.formula import FALSE, TRUE
from tests.support.hang import no_hang

NAMES = ("n", "m", "height", "Batch Size", "a.b", "ﬁ")
SYMBOLS = {name: symbol(name, 0, 9) for name in NAMES}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("height % 2 == 0", "height % 2 == 0"),
        ("n == m", "n == m"),
        ("n = = m".replace("= =", "=="), "n == m"),
        ("not n == m", "n != m"),
        ("n < 4", "n <= 3"),
        ("n > 4", "n >= 5"),
        ("1 <= n < m", "n >= 1 and m >= n + 1"),
        ("`Batch Size` >= 2", "`Batch Size` >= 2"),
        ("`height` >= 2", "height >= 2"),
        ("`a.b` >= 2", "`a.b` >= 2"),
        ("ﬁ >= 2", "ﬁ >= 2"),
        ("n\n>=\t2", "n >= 2"),
        ("  (n) >= (2)", "n >= 2"),
        ("n in {1}", "n == 1"),
        ("n not in (1, 2)", "n != 1 and n != 2"),
        ("n**2 == 4", "n*n == 4"),
        ("+n - -m >= 3", "n + m >= 3"),
    ],
)
def test_formula(text, expected):
    assert parse_formula(text, SYMBOLS) is parse_formula(expected, SYMBOLS)
    assert str(parse_formula(text, SYMBOLS)) == str(parse_formula(expected, SYMBOLS))


def test_constants():
    assert parse_formula("True", {}) is TRUE
    assert parse_formula("1 < 2 and not 3 == 3", {}) is FALSE
    assert parse_dim("7 // 2 - 10 % 4", {}).constant == 1
    assert parse_dim("min(4, 2, 3) + max(1, 5) + abs(-3)", {}).constant == 10


TEXTS = [
    "n + m*2 - height",
    "(n + 3)//4",
    "(n - m) % 4",
    "min(n, m, 5)",
    "max(n - 2, m)",
    "abs(n - m)",
    "n if n < m else m",
    "(n*m + 1)//(m + 1)",
    "n*((m + 1)//n if n != 0 else 0)",
    "7//(n*m) if n*m != 0 else 0",
    "0 if n - m == 0 else height//(n - m)",
    "n**2 - n*n + 7",
    "max(n if n < m else -9223372036854775808, 1)",
    "n + 18446744073709551616*m",
]


@pytest.mark.parametrize("text", TEXTS)
def test_numbers_are_what_python_computes_and_texts_read_back(text):
    dim = parse_dim(text, SYMBOLS)
    assert parse_dim(str(dim), SYMBOLS) is dim
    for n, m, height in itertools.product(range(0, 10, 3), repeat=3):
        values = {"n": n, "m": m, "height": height}
        constants: dict[str, Dim] = {name: parse_dim(str(value), {}) for name, value in values.items()}
        assert parse_dim(text, constants).constant == eval(text, {"min": min, "max": max, "abs": abs}, values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hieght > 2", "no symbol 'hieght' in 'hieght > 2'; did you mean 'height'?"),
        ("`batch size` > 2", "no symbol 'batch size' in '`batch size` > 2'; did you mean 'Batch Size'?"),
        ("height = 3", "expression 'height = 3' has '='; write == to compare"),
        ("height", "expression 'height' is a number, not a condition; compare it, as in n >= 1"),
        ("n and m == 1", "expression 'n' is a number, not a condition; compare it, as in n >= 1 (in 'n and m == 1')"),
        ("(n < m) + 1 == 2", "expression 'n < m' is a condition, not a number (in '(n < m) + 1 == 2')"),
        ("True == 1", "expression 'True' is a condition, not a number"),
        ("n & m", "expression 'n & m' has '&'; write and"),
        ("n == 1 || m == 1", "has '|'; write or"),
        ("!(n == 1)", "has '!'; write not"),
        ("n / 2 == 1", "expression 'n / 2' has '/'; write // to divide whole numbers (in 'n / 2 == 1')"),
        ("n // 0 == 1", "expression 'n // 0' divides by 0"),
        ("n % (2 - 2) == 1", "expression 'n % (2 - 2)' divides by 0"),
        ("foo(n) == 1", "expression 'foo(n)' calls another function than min, max or abs"),
        ("min(n) == 1", "expression 'min(n)' calls min without 2 or more numbers"),
        ("1.5 < n", "expression '1.5' is neither a whole number nor a name; put odd names in backticks"),
        ("a.b > 1", "expression 'a.b' is neither a whole number nor a name; put odd names in backticks"),
        ("2d > 1", "expression '2d > 1' has '2d', neither a whole number nor a name; put odd names in backticks"),
        ("n**9 == 4", "expression 'n**9' has a power that is no number in 0..8"),
        ("n == 9223372036854775808", "exceeds 9223372036854775807, the largest size a tensor can have"),
        ("", "expression '' is empty"),
        ("n ==", "expression 'n ==' cannot be read"),
        ("(n == 1", "cannot be read at '(n == 1'"),
        ("`n == 1", "has '`'; close the backtick"),
        ("n == 1, m == 2", "is not accepted; use comparisons joined by and, or, not over symbols"),
        ("n is m", "expression 'n is m' is not a comparison of numbers"),
        ("lambda: n", "has ':'"),
        ("n @ m == 1", "has '@'"),
        ("n << m == 1", "expression 'n << m' is not accepted"),
        ("__import__('os').system('true')", 'has "\'"'),
        ("n.__class__ == 1", "expression 'n.__class__' is neither a whole number nor a name"),
        ("[x for x in n] == 1", "expression '[x for x in n]' is not accepted"),
    ],
)
def test_what_is_refused_and_how(text, message):
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        parse_formula(text, SYMBOLS, LARGEST)
    assert str(caught.value).isprintable()


def refusal(text: str) -> str:
    """What is said of a text that isn't accepted; nothing of one that is."""
    try:
        parse_formula(text, SYMBOLS, LARGEST)
    except UsageError as error:
        return str(error)
    return ""


HOSTILE = [
    "(" * 5000 + "n",
    "(" * 150 + "n" + ")" * 150 + " == 1",
    "-" * 5000 + "n == 1",
    "not " * 2000 + "n == 1",
    "n+" * 4000 + "n == 1",
    "n<" * 4000 + "n",
    "(n+m)*" * 99 + "1 == 2",
    "(" * 90 + "n+1" + ")**8" * 90 + " == 1",
    "((9**8)**8)**8 == n",
    "`" * 9999,
    "min(" * 100 + "n,m" + ",m)" * 99 + ") == 1",
    "n == 1 or " * 900 + "n == 2",
    "(n-height)**8*(m-n)**8 == 3",
    "{" * 500,
    "[" * 9000,
    "max(n," * 95 + "m" + ")" * 95 + " == 3",
    "n%(m*" * 80 + "3" + ")" * 80 + " < 1",
    "n == " + "9" * 5000,
    "1if n else 2 < 3",
    "\0",
    "\ud800 == 1",
    "n == 1 " * 3000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_text_ends_in_one_line(text):
    with no_hang(), warnings.catch_warnings():
        warnings.simplefilter("error")
        message = refusal(text)
    assert message.isprintable()
    assert len(message) < 500


@given(st.text(alphabet="nm19 +-*/%()<>=!,`.{}[]&:'\"\\\n\0iorandt", max_size=40))
def test_any_text_is_a_formula_or_a_usage_error(text):
    assert refusal(text).isprintable()


@pytest.mark.parametrize("name", ["a`b", "`", "``", "`a`", "a`", "`a", "x` == 1 or `y", "a``b"])
def test_backticks_in_names_are_written_twice(name):
    size = symbol(name, 1, 9)
    condition = parse_formula(f"{name_text(name)} % 4 == 0", {name: size})
    assert condition is parse_formula(str(condition), {name: size})
    assert names_in(str(condition)) == {name}
    assert text_name(name_text(name)) == name


@pytest.mark.parametrize(
    "text", ["n//m", "m*(n//m) == n", "(n + 1)//(n*m) >= 1", "n % m == 0", "2*n - (n + 7)//(n - m) <= m"]
)
def test_python_computes_what_is_printed_where_a_divisor_is_0(text):
    read = parse_formula if "=" in text else parse_dim
    printed = str(read(text, SYMBOLS))
    assert read(printed, SYMBOLS) is read(text, SYMBOLS)
    for n, m in itertools.product(range(4), repeat=2):
        values = {"n": n, "m": m}
        known: dict[str, Dim] = {name: parse_dim(str(value), {}) for name, value in values.items()}
        expected = read(printed, known)
        assert eval(printed, {}, values) == (expected.constant if isinstance(expected, Dim) else expected is TRUE)


def test_a_region_with_a_backtick_in_a_name_is_read_back():
    model = b"""<ir_version: 8, opset_import: ["": 18]> g (float["a`b", 3] x) => (float[k, l] y) {
        t = Constant<value_ints = [2, -1]>() y = Reshape(x, t) }"""
    report = shapesmt.check(model)
    assert report.precondition.text == ("`a``b` % 2 == 0",)
    assert str(shapesmt.check(model, assume=report.precondition.text).verdict) == "PROVED"
