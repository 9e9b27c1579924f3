"""Trees: expressions and conditions as plain lists that another program can evaluate.

Each entry of `Trees.entries` refers to earlier entries by their positions:

    12, "2417851639229258349412352"    a number (as text past 2**53)
    ["at", 0]                          the symbol at this position
    ["sum", [[2, 3, 4], [-1, 5]]]      2 * entry 3 * entry 4 - entry 5
    ["div", 3, 4]                      floor division, where x // 0 is 0; so "mul", "min", "max"
    ["if", 6, 3, 4]                    entry 3 where condition 6 holds, else entry 4
    ["eq", 3], ["ne", 3], ["ge", 3]    entry 3 compared with 0
    ["and", 6, 7], ["or", 6, 7]        conditions joined; without any, true and false
    ["float", 24, "mul", 8, 9]         an operation on floats, rounded to so many bits
    ["int", 10]                        a float rounded towards zero
    ["?"]                              unknown: a symbol that isn't listed, or an operation that isn't written

>>> from shapesmt.algebra import symbol
>>> h = symbol("h", 1)
>>> trees = Trees([h.as_symbol()])
>>> trees.dim((h + 1) // 2), trees.entries
(3, [['at', 0], ['sum', [[1], [1, 0]]], 2, ['div', 1, 2]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from shapesmt.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SELECT,
    SYMBOL,
    Atom,
    Dim,
    Formula,
    Rows,
    const,
    definitions,
)
from shapesmt.algebra.numeric import MANTISSA, TO_INT, Float

__all__ = ["Trees"]

Entry: TypeAlias = Any
EXACT = 1 << 53  # from here on, another program's numbers may not be exact
NAMES = {FLOOR_DIVISION: "div", PRODUCT: "mul", MIN: "min", MAX: "max"}
ROUNDED = {"float32", "float64"}  # the types that programs compute with as numpy does
STEPS = {
    *("cast", "add", "sub", "mul", "div", "floor", "ceil", "trunc", "round", "sqrt"),
    *("min", "max", "sign", "choose", "abs", "equal", "at_least", "fraction", "from_dim"),
}
UNKNOWN: Entry = ["?"]


class Trees:
    """Expressions and conditions over some symbols, each shared part once."""

    def __init__(self, symbols: Iterable[Atom]) -> None:
        self.entries: list[Entry] = []
        self._places: dict[Any, int] = {}
        for position, s in enumerate(symbols):
            self._places[s] = self._added(["at", position])

    def dim(self, dim: Dim) -> int:
        """The position of an expression."""
        self._define(dim)
        return self._placed(dim, self._dim)

    def formula(self, formula: Formula) -> int:
        """The position of a condition."""
        self._define(formula)
        return self._placed(formula, self._formula)

    def _define(self, what: Dim | Formula) -> None:
        """Add the definitions that an expression rests on, oldest first, so that a long chain needs no recursion."""
        if what not in self._places:
            for atom in definitions((what,), self._places):
                self._placed(atom, self._atom)

    def _placed(self, what: Any, entry: Callable[[Any], Entry]) -> int:
        if what not in self._places:
            made = entry(what)
            self._places[what] = made if isinstance(made, _Place) else self._added(made)
        return self._places[what]

    def _added(self, entry: Entry) -> int:
        self.entries.append(entry)
        return len(self.entries) - 1

    def _dim(self, dim: Dim) -> Entry:
        if dim.constant is not None:
            return dim.constant if abs(dim.constant) < EXACT else str(dim.constant)
        atom = dim.as_atom()
        if atom is not None:
            return _Place(self._placed(atom, self._atom))
        terms = [
            [coefficient, *(self._placed(a, self._atom) for a in factors)] for factors, coefficient in dim.products()
        ]
        return ["sum", terms] if all(abs(c) < EXACT for c, *_ in terms) else UNKNOWN

    def _atom(self, atom: Atom) -> Entry:
        if atom.definition is not None:
            return _Place(self._placed(atom.definition, self._dim))
        return WRITERS[atom.op](self, atom)

    def operation(self, atom: Atom) -> Entry:
        """The entry of an operation on expressions."""
        return [NAMES[atom.op], *(self._placed(d, self._dim) for d in atom.args)]

    def choice(self, atom: Atom) -> Entry:
        """The entry of a choice."""
        condition, a, b = atom.args
        return ["if", self._placed(condition, self._formula), self._placed(a, self._dim), self._placed(b, self._dim)]

    def rounded(self, atom: Atom) -> Entry:
        """The entry of a float as an integer."""
        return ["int", self._placed(atom.args[0], self._float)]

    def _float(self, number: Float) -> Entry:
        name = number.op.name
        if number.dtype not in ROUNDED or name not in STEPS:
            return UNKNOWN
        bits = MANTISSA[number.dtype]
        if name == "fraction":
            numerator, denominator = number.args
            return ["float", bits, "div", self._whole(numerator, bits), self._whole(const(denominator), bits)]
        if name == "from_dim":
            return ["float", bits, "cast", self._placed(number.args[0], self._dim)]
        return ["float", bits, name, *(self._part(a) for a in number.args)]

    def _whole(self, number: Dim, bits: int) -> int:
        """The position of an integer as a float."""
        return self._added(["float", bits, "cast", self._placed(number, self._dim)])

    def _part(self, part: Float | Formula) -> int:
        return self._placed(part, self._float if isinstance(part, Float) else self._formula)

    def _formula(self, formula: Formula) -> Entry:
        if formula.dim is not None:
            return [formula.op, self._placed(formula.dim, self._dim)]
        joined = formula.op in ("and", "true")
        return ["and" if joined else "or", *(self._placed(f, self._formula) for f in formula.args)]


class _Place(int):
    """The position of an entry that stands for another expression as well."""


WRITERS = Rows[Callable[[Trees, Atom], Entry]](
    "trees",
    {
        **dict.fromkeys(NAMES, Trees.operation),
        SELECT: Trees.choice,
        TO_INT: Trees.rounded,
        SYMBOL: lambda *_: UNKNOWN,
    },
    opaque=lambda *_: UNKNOWN,
)
