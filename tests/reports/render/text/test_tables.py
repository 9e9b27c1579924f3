"""Tables: the bounds of tensors, and the operators that have a rule."""

from __future__ import annotations

from shapesmt.reports.answers import (
    Bounds,
    DimBounds,
    Operator,
    Operators,
    TensorBounds,
)
from shapesmt.reports.answers.finding import SymbolRange
from tests.support.reports import SYMBOLS, text


def test_bounds():
    tensors = {
        "image": TensorBounds("float32", (DimBounds(1, 32, "batch"), DimBounds(3, 3, "3"))),
        "mask": TensorBounds("bool", (DimBounds(1, None, "n*n", False),)),
        "unknown": TensorBounds("", None),
        "scalar": TensorBounds("int64", ()),
    }
    assert (
        text(Bounds("m.onnx", {"batch": SymbolRange(1, 32, 1, "--dim")}, tensors))
        == """\
m.onnx: 4 tensors, 2 not exact (marked ~); batch in 1..32

tensor   dtype    shape
image    float32  [1..32, 3]  [batch, 3]
mask     bool     [~1..]      [n*n]
unknown  ?        [...]
scalar   int64    []
"""
    )


def test_bounds_that_are_exact_and_bounds_of_nothing():
    assert text(Bounds("m", {}, {"x": TensorBounds("float32", ())})).startswith(
        "m: 1 tensor, every bound attained and proven\n"
    )
    assert text(Bounds("m", SYMBOLS, {}, valid=False)) == (
        "FAILS m: no input is valid, so nothing has bounds; batch in 1..32, height in 64..512\n"
    )


def test_operators():
    listed = (Operator("Add", since=7, nodes=3), Operator("Odd", "com.example", None, 1))
    assert (
        text(Operators("m.onnx", listed))
        == """\
m.onnx: 1 of 2 operators with a rule

Add              since 7   3 nodes
com.example.Odd  no rule   1 node

an operator without a rule leaves its nodes undecided: shapesmt explain SM601 says what helps
"""
    )
    assert text(Operators(None, listed[:1])) == "1 operator with a rule\n\nAdd  since 7\n"
