"""Write expressions and conditions as SMT-LIB 2 text, which every solver reads.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.algebra import equal
    >>> h = symbol("height", 1, 64)
    >>> print(script([equal(2 * ((h + 1) // 2), h)]))
    (declare-const |height| Int)
    (assert (<= 1 |height| 64))
    (assert (= 0 (+ (* (- 2) (div (+ 1 |height|) 2)) |height|)))

The text grows with the number of distinct parts: a part with a long text gets a name, and each part is written once,
however often it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor, inf
from operator import attrgetter

from shapesmt.base.errors import escape_marks
from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SELECT,
    SYMBOL,
    Atom,
    Bound,
    Dim,
    Evaluator,
    Formula,
    Interpretation,
    Rows,
    of_atom,
)
from shapesmt.prover.algebra.numeric import TO_INT
from shapesmt.prover.smt.envelopes import Envelope, envelope

LONGEST = 100  # characters; a longer part is named
SCALE = 1 << 28  # denominator of the slopes and offsets of the lines around a float
MAX_TABLE = 500  # steps in a symbol's range; beyond this a float operation is bounded, not tabulated
RESERVED = frozenset({
    *("!", "_", "as", "Bool", "Int", "true", "false", "not", "and", "or", "xor", "=>", "=", "distinct", "ite"),
    *("+", "-", "*", "div", "mod", "abs", "<", "<=", ">", ">="),
})  # fmt: skip
"""Operators and types of SMT-LIB and its theory of integers; solvers refuse variables with some of these names."""
CONDITIONS = {
    "eq": "(= 0 {})",
    "ne": "(not (= 0 {}))",
    "ge": "(<= 0 {})",
    "and": "(and {})",
    "or": "(or {})",
    "true": "true",
    "false": "false",
}


class Script(Interpretation[str]):
    """An SMT-LIB script under construction, which declares the symbols of its terms and defines their parts.

    Attributes:
        lines: The commands so far.
        symbols: The free symbols declared so far, with their names in the text.
        opaque: Operations that the text only bounds; a solver may give them any value within these bounds.
    """

    def __init__(self) -> None:
        super().__init__({})
        self.lines: list[str] = []
        self.symbols: dict[Atom, str] = {}
        self.opaque: dict[Atom, str] = {}
        self._taken: set[str] = set()

    def state(self, *formulas: Formula) -> None:
        """Assert the conditions."""
        for f in formulas:
            self.lines.append(f"(assert {self.formula(f)})")

    def define(self, name: str, text: str, kind: str = "Int") -> str:
        """Define a name for a term of this text, an `Int` or a `Bool`, and return it as written in the text."""
        name = self.name(name)
        self.lines.append(f"(define-fun {name} () {kind} {text})")
        return name

    def name(self, stem: str) -> str:
        """Return a unique quoted name, as close to `stem` as SMT-LIB's grammar admits."""
        clean = escape_marks("".join(c if " " <= c <= "~" and c not in "|\\" else "?" for c in stem), "?")
        name, count = clean, 1
        while name in self._taken or name in RESERVED:
            count += 1
            name = f"{clean} ({count})"
        self._taken.add(name)
        return f"|{name}|"

    def corrections(self, evaluator: Evaluator, solver_values: Mapping[str, int]) -> list[str]:
        """Return assertions that state the right values of those opaque operations that a solver's model has wrong.

        `evaluator` computes the right values; `solver_values` has the solver's, by name without bars.
        """
        lines = []
        for atom, name in self.opaque.items():
            try:
                actual = int(evaluator.dim(of_atom(atom)))
            except (ArithmeticError, ValueError, KeyError):  # not a number, or of an element without a value
                continue
            if actual != solver_values[name[1:-1]]:
                here = [f"(= {self.symbols[s]} {number(evaluator.dim(of_atom(s)))})" for s in atom.symbols]
                lines.append(f"(assert (=> (and true {' '.join(here)}) (= {name} {number(actual)})))")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _apply(self, atom: Atom) -> str:
        if atom.definition is not None:
            return self.define_symbol(atom, self.dim(atom.definition))
        text = self.rows[atom.op](self, atom)
        return text if atom.op is SYMBOL else self._short(text)

    def _sum(self, dim: Dim) -> str:
        written = []
        for atoms, coefficient in dim.products():
            factors = sorted(map(self.atom, atoms))
            if coefficient != 1 or not factors:
                factors.insert(0, number(coefficient))
            written.append(factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})")
        written.sort()  # the text mustn't depend on what was computed before in this process
        return self._short(f"(+ {' '.join(written)})" if len(written) > 1 else "".join(written) or "0")

    def _condition(self, formula: Formula) -> str:
        parts = " ".join(map(self.part, formula.parts))
        return self._short(CONDITIONS[formula.op].format(parts), "Bool")

    def _short(self, text: str, kind: str = "Int") -> str:
        """Return the text of a term; if it is long, define a name for it and return that."""
        if len(text) <= LONGEST:
            return text
        return self.define(f"{'t' if kind == 'Int' else 'f'}{len(self._taken)}", text, kind)

    def define_symbol(self, atom: Atom, text: str) -> str:
        """Define a symbol as an expression of this text, and return its name in the script."""
        return self.define(atom.name, text)

    def declare(self, atom: Atom) -> str:
        """Declare a free symbol with its range, step and window, and return its name in the text."""
        name = self.symbols[atom] = self.name(atom.name)
        self.lines.append(f"(declare-const {name} Int)")
        self.lines.extend(f"(assert {condition})" for condition in _range(name, atom.lo, atom.hi))
        if atom.step > 1:
            self.lines.append(f"(assert (= 0 (mod (- {name} {number(int(atom.lo))}) {atom.step})))")
        if atom.window is not None:
            modulus, shift, width = atom.window
            self.lines.append(f"(assert (< (mod (+ {name} {shift}) {modulus}) {width}))")
        return name

    def declare_bounded(self, atom: Atom) -> str:
        """Declare a variable for an opaque operation and return its name.

        Its bounds are asserted; for a float also the lines around it, and for an operation on one symbol with a short
        range all its values.
        """
        for symbol in sorted(atom.symbols, key=attrgetter("name")):
            self.atom(symbol)
        name = self.name(f"{atom.op.name} {atom.number}")
        self.lines.append(f"(declare-const {name} Int)")
        conditions = _range(name, atom.lo, atom.hi)
        if (between := _between(atom)) is not None:
            conditions += _lines(name, self.dim(between.base), between)
        if (runs := _table(atom)) is not None:
            (symbol,) = atom.symbols
            conditions.append(f"(= {name} {_steps(self.atom(symbol), runs)})")
        else:
            self.opaque[atom] = name
        self.lines.extend(f"(assert {condition})" for condition in conditions)
        return name

    def extreme(self, atom: Atom) -> str:
        """Write a minimum or maximum as named choices between two arguments, so that the text stays linear."""
        compare, (best, *rest) = "<=" if atom.op is MIN else ">=", map(self.part, atom.args)
        for i, other in enumerate(rest):
            text = f"(ite ({compare} {best} {other}) {best} {other})"
            if i == len(rest) - 1:
                return text
            best = self.define(f"t{len(self._taken)}", text)
        return best


def script(formulas: Iterable[Formula]) -> Script:
    """Return the script that asserts these conditions."""
    text = Script()
    text.state(*formulas)
    return text


def number(value: int) -> str:
    """Return an integer as SMT-LIB text.

    >>> number(-3)
    '(- 3)'
    """
    return str(value) if value >= 0 else f"(- {-value})"


def _quotient(text: Script, atom: Atom) -> str:
    """Write a quotient rounded down, 0 for a divisor of 0; SMT-LIB's `div` rounds down for positive divisors only."""
    (top, bottom), b = map(text.part, atom.args), atom.args[1]
    if b.lo > 0:
        return f"(div {top} {bottom})"
    negative = f"(div (- {top}) (- {bottom}))"
    if b.hi < 0:
        return negative
    if b.lo >= 0:
        return f"(ite (= 0 {bottom}) 0 (div {top} {bottom}))"
    return f"(ite (< 0 {bottom}) (div {top} {bottom}) (ite (< {bottom} 0) {negative} 0))"


def _call_writer(name: str) -> Callable[[Script, Atom], str]:
    """Return a function that writes an operation as a call of SMT-LIB's function `name`."""
    return lambda text, atom: f"({name} {' '.join(map(text.part, atom.args))})"


Script.rows = Rows(
    "SMT-LIB",
    {
        SYMBOL: lambda text, atom: text.declare(atom),
        FLOOR_DIVISION: _quotient,
        PRODUCT: _call_writer("*"),
        MIN: Script.extreme,
        MAX: Script.extreme,
        SELECT: _call_writer("ite"),
    },
    opaque=lambda text, atom: text.declare_bounded(atom),
)


def _range(name: str, lo: Bound, hi: Bound) -> list[str]:
    if lo == -inf and hi == inf:
        return []
    ends = [*([number(int(lo))] if lo > -inf else []), name, *([number(int(hi))] if hi < inf else [])]
    return [f"(<= {' '.join(ends)})"]


def _between(atom: Atom) -> Envelope | None:
    return envelope(atom.args[0]) if atom.op is TO_INT else None


def _lines(name: str, base: str, between: Envelope) -> list[str]:
    """Return conditions that the integer `name` lies between two lines over `base`, rounded outwards to `1 / SCALE`."""
    conditions = [f"(<= 0 {name})"]
    for line, side, away in zip(between.lines, ("<=", ">="), (floor, ceil), strict=True):
        slope, offset = (away(part * SCALE) for part in line)
        conditions.append(f"({side} (+ {number(offset)} (* {slope} {base})) (* {SCALE} {name}))")
    return conditions


def _table(atom: Atom) -> list[tuple[int, int]] | None:
    """Tabulate an operation on one symbol as pairs (first value of the symbol, result); None if not possible."""
    if len(atom.symbols) != 1:
        return None
    (symbol,) = atom.symbols
    if symbol.hi - symbol.lo > MAX_TABLE * symbol.step or not atom.op.fits(*atom.args):
        return None
    runs: list[tuple[int, int]] = []
    for value in range(int(symbol.lo), int(symbol.hi) + 1, symbol.step):
        try:
            result = int(Evaluator({symbol: value}).dim(of_atom(atom)))
        except (ArithmeticError, ValueError):  # not a number
            return None
        if not runs or runs[-1][1] != result:
            runs.append((value, result))
    return runs


def _steps(symbol: str, runs: Sequence[tuple[int, int]]) -> str:
    """Write a step function, given as by `_table`, as a balanced tree of `ite`s over a symbol."""
    if len(runs) == 1:
        return number(runs[0][1])
    middle = len(runs) // 2
    left, right = _steps(symbol, runs[:middle]), _steps(symbol, runs[middle:])
    return f"(ite (< {symbol} {number(runs[middle][0])}) {left} {right})"
