"""Trees: write expressions and conditions as plain lists that another program can evaluate.

Each entry of `Trees.entries` refers to earlier entries by index:

    12, "2417851639229258349412352"    a number (as text past 2**53)
    ["at", 0]                          the symbol with this index
    ["sum", [[2, 3, 4], [-1, 5]]]      2 * entry 3 * entry 4 - entry 5
    ["div", 3, 4]                      floor division, where x // 0 is 0; so "mul", "min", "max"
    ["if", 6, 3, 4]                    entry 3 if condition 6 holds, else entry 4
    ["eq", 3], ["ne", 3], ["ge", 3]    entry 3 compared with 0
    ["and", 6, 7], ["or", 6, 7]        conditions; an empty "and" is true, an empty "or" false
    ["float", 24, "mul", 8, 9]         an operation on floats, rounded to 24 bits
    ["int", 10]                        a float rounded towards zero
    ["?"]                              unknown: a symbol that isn't listed, or an unsupported operation

>>> from shapesmt.prover.algebra import symbol
>>> h = symbol("h", 1)
>>> trees = Trees([h.as_symbol()])
>>> trees.dim((h + 1) // 2), trees.entries
(3, [['at', 0], ['sum', [[1], [1, 0]]], 2, ['div', 1, 2]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SELECT,
    SYMBOL,
    Atom,
    Dim,
    Formula,
    Interpretation,
    Rows,
    const,
)
from shapesmt.prover.algebra.numeric import MANTISSA, TO_INT, Float

Entry: TypeAlias = Any
EXACT = 1 << 53  # larger numbers are written as text: floats don't hold them exactly
ROUNDED = {"float32", "float64"}  # types for which programs compute the same as numpy
STEPS = {
    *("cast", "add", "sub", "mul", "div", "floor", "ceil", "trunc", "round", "sqrt"),
    *("min", "max", "sign", "choose", "abs", "equal", "at_least", "fraction", "from_dim"),
}
UNKNOWN: Entry = ["?"]


class Trees(Interpretation[int]):
    """Expressions and conditions over some symbols as a list of entries; equal parts share one entry.

    Methods return the index of the entry.
    """

    def __init__(self, symbols: Iterable[Atom]) -> None:
        self.entries: list[Entry] = []
        super().__init__({s: self.add(["at", position]) for position, s in enumerate(symbols)})

    def add(self, entry: Entry) -> int:
        """Add an entry and return its index."""
        self.entries.append(entry)
        return len(self.entries) - 1

    def _sum(self, dim: Dim) -> int:
        if dim.constant is not None:
            return self.add(dim.constant if abs(dim.constant) < EXACT else str(dim.constant))
        atom = dim.as_atom()
        if atom is not None:
            return self.atom(atom)
        terms = [[coefficient, *map(self.atom, factors)] for factors, coefficient in dim.products()]
        return self.add(["sum", terms] if all(abs(c) < EXACT for c, *_ in terms) else UNKNOWN)

    def _condition(self, formula: Formula) -> int:
        name = {"true": "and", "false": "or"}.get(formula.op, formula.op)  # of no conditions
        return self.add([name, *map(self.part, formula.parts)])

    def number(self, number: Float) -> int:
        """Return the index of a float's entry."""
        if number not in self._known:
            self._known[number] = self.add(self._float_entry(number))
        return self._known[number]

    def _float_entry(self, number: Float) -> Entry:
        name = number.op.name
        if number.dtype not in ROUNDED or name not in STEPS:
            return UNKNOWN
        bits = MANTISSA[number.dtype]
        if name == "fraction":
            numerator, denominator = number.args
            return ["float", bits, "div", self._whole(numerator, bits), self._whole(const(denominator), bits)]
        if name == "from_dim":
            return ["float", bits, "cast", self.dim(number.args[0])]
        parts = (self.number(a) if isinstance(a, Float) else self.formula(a) for a in number.args)
        return ["float", bits, name, *parts]

    def _whole(self, number: Dim, bits: int) -> int:
        """Return the index of an integer as a float."""
        return self.add(["float", bits, "cast", self.dim(number)])


def _call_writer(name: str) -> Callable[[Trees, Atom], int]:
    """Return a function that adds the entry of an operation on expressions; the first may also be a condition."""
    return lambda trees, atom: trees.add([name, *map(trees.part, atom.args)])


def _unknown(trees: Trees, _: Atom) -> int:
    return trees.add(UNKNOWN)


Trees.rows = Rows(
    "trees",
    {
        SYMBOL: _unknown,
        FLOOR_DIVISION: _call_writer("div"),
        PRODUCT: _call_writer("mul"),
        MIN: _call_writer("min"),
        MAX: _call_writer("max"),
        SELECT: _call_writer("if"),
        TO_INT: lambda trees, atom: trees.add(["int", trees.number(atom.args[0])]),
    },
    opaque=_unknown,
)
