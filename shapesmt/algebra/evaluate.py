"""The value of expressions and conditions at concrete sizes: one assignment, or arrays of them at once.

>>> from shapesmt.algebra.dim import symbol
>>> h = symbol("h", 1, 64)
>>> evaluate((h + 1) // 2, {h.as_symbol(): 5})
3
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from math import inf, prod
from typing import Any, NamedTuple, TypeAlias

from shapesmt.algebra import intervals
from shapesmt.algebra.dim import ATOMS, Atom, Dim
from shapesmt.algebra.formula import Formula
from shapesmt.algebra.interning import memo
from shapesmt.algebra.operations import PRODUCT, SYMBOL
from shapesmt.deadline import look
from shapesmt.lazy import np

Assignment: TypeAlias = dict[Atom, int]


def lowest(symbol: Atom) -> int:
    """The default value of a symbol: the end of its range nearest to 0."""
    return int(symbol.lo) if symbol.lo > -inf else int(min(symbol.hi, 0))


class End(NamedTuple):
    """The least or the greatest value of an expression under some conditions.

    Attributes:
        value: The end; None where there is none, or where it is beyond int64.
        witness: Values of the symbols at which it is attained; near to it where it isn't proven to be.
        proven: Whether it is attained. Otherwise it is a bound, and None means that none is known.
    """

    value: int | None
    witness: Assignment | None = None
    proven: bool = True


class Evaluator:
    """Evaluates under one assignment of the symbols, each shared part once.

    Values are ints, or int64 arrays that broadcast together (the caller sees to it that nothing overflows:
    `fits_int64`).
    """

    def __init__(self, values: Mapping[Atom, Any]) -> None:
        self._atoms: dict[Atom, Any] = dict(values)
        self._dims: dict[Dim, Any] = {}
        self._formulas: dict[Formula, Any] = {}
        self._scanned: set[Any] = set()
        self.floats: dict[Any, Any] = {}
        self.arrays = not all(isinstance(v, int) for v in values.values())

    def dim(self, dim: Dim) -> Any:
        """The value of an expression."""
        if dim.constant is not None:
            return dim.constant
        value = self._dims.get(dim)
        if value is None:
            self._define(dim)
            value = self._dims[dim] = self._sum(dim)
        return value

    def formula(self, formula: Formula) -> Any:
        """The truth of a condition."""
        truth = self._formulas.get(formula)
        if truth is None:
            if self.arrays:
                look()
            truth = self._formulas[formula] = self._truth(formula)
        return truth

    def _sum(self, dim: Dim) -> Any:
        result: Any = None
        for monomial, coefficient in dim.terms:
            term: Any = coefficient
            if monomial:
                term = self._atom(ATOMS[monomial[0]])
                for n in monomial[1:]:
                    term = term * self._atom(ATOMS[n])
                if coefficient != 1:
                    term = term * coefficient
            result = term if result is None else result + term
        if type(result) is int and result.bit_length() > intervals.MAX_BITS:
            look(hopeless=True)  # of chained products each doubles the length
        return 0 if result is None else result

    def _atom(self, atom: Atom) -> Any:
        value = self._atoms.get(atom)
        if value is None:
            if self.arrays:
                look()
            value = self._atoms[atom] = self._apply(atom)
        return value

    def _apply(self, atom: Atom) -> Any:
        if atom.definition is not None:
            return self.dim(atom.definition)
        if atom.op is SYMBOL:
            raise KeyError(atom.name)
        return atom.op.evaluate(self, *atom.args)

    def _truth(self, formula: Formula) -> Any:
        if formula.dim is not None:
            value = self.dim(formula.dim)
            return value == 0 if formula.op == "eq" else value != 0 if formula.op == "ne" else value >= 0
        result: Any = formula.op in ("and", "true")
        for a in formula.args:
            result = result & self.formula(a) if formula.op == "and" else result | self.formula(a)
        return result

    def _define(self, dim: Dim) -> None:
        """Evaluate the definitions that roots depend on, oldest first, so that a long chain needs no deep recursion."""
        if dim in self._scanned or all(ATOMS[n] in self._atoms for monomial, _ in dim.terms for n in monomial):
            return
        for atom in definitions((dim,), self._atoms, self._scanned):
            if atom not in self._atoms:
                assert atom.definition is not None
                self._atoms[atom] = self._sum(atom.definition)


class Checked(Evaluator):
    """An evaluator of arrays that raises `OverflowError` where a step might leave 62 bits at the values that it has."""

    def dim(self, dim: Dim) -> Any:
        """The value of an expression."""
        if dim.constant is not None:
            self._look_at(abs(dim.constant))
        return super().dim(dim)

    def _sum(self, dim: Dim) -> Any:
        self._look_at(sum(abs(c) * prod(map(self._size, factors)) for factors, c in dim.products()))
        return super()._sum(dim)

    def _apply(self, atom: Atom) -> Any:
        if atom.op is PRODUCT:
            self._look_at(prod(_largest(self.dim(a)) for a in atom.args))
        elif not atom.op.fits(*atom.args):
            raise OverflowError
        return super()._apply(atom)

    def _size(self, atom: Atom) -> int:
        return _largest(self._atom(atom))

    def _look_at(self, size: int) -> None:
        if size >= SAFE:
            raise OverflowError


def _largest(values: Any) -> int:
    """What values don't exceed either way; at least 1."""
    return max(1, int(np.max(values, initial=1)), -int(np.min(values, initial=1)))


def evaluate(what: Dim | Formula, values: Mapping[Atom, Any]) -> Any:
    """The value of one expression or condition."""
    evaluator = Evaluator(values)
    return evaluator.dim(what) if isinstance(what, Dim) else evaluator.formula(what)


def definitions(
    roots: tuple[Dim | Formula, ...], known: Container[Atom] = (), seen: set[Any] | None = None
) -> list[Atom]:
    """The defined symbols that the roots depend on, each after those in its definition.

    Left out are those behind `known` atoms, and those in `seen`, which earlier calls returned.
    """
    defined: dict[Atom, None] = {}
    seen = set() if seen is None else seen
    stack: list[Any] = list(roots)
    while stack:
        item = stack.pop()
        if item in seen:
            continue
        seen.add(item)
        if isinstance(item, Dim):
            stack.extend(ATOMS[n] for monomial, _ in item.terms for n in monomial)
        elif isinstance(item, Formula):
            stack.extend(item.args)
            stack.extend([item.dim] if item.dim is not None else [])
        elif isinstance(item, Atom) and item not in known:
            if item.definition is not None:
                defined[item] = None
                stack.append(item.definition)
            stack.extend(a for a in item.args if isinstance(a, (Dim, Formula)))
    return sorted(defined, key=lambda a: a.number)


def fits_int64(what: Dim | Formula) -> bool:
    """Whether all intermediate results of its evaluation fit 62 bits, given the symbols' ranges."""
    fits = _FITS.get(what)
    if fits is None:
        fits = _FITS[what] = _fits(what)
    return fits


_FITS: dict[Dim | Formula, bool] = memo("what fits int64", {})
SAFE = 1 << 62  # numbers below it fit int64, and so do sums of two


def _fits(what: Dim | Formula) -> bool:
    if isinstance(what, Formula):
        return all(map(fits_int64, what.args)) and (what.dim is None or fits_int64(what.dim))
    size: float = 0
    for monomial, coefficient in what.terms:
        if abs(coefficient) >= SAFE:
            return False
        term: float = abs(coefficient)
        for n in monomial:
            atom = ATOMS[n]
            term *= max(abs(atom.lo), abs(atom.hi), 1)
            parts = [a for a in (*atom.args, atom.definition) if isinstance(a, (Dim, Formula))]
            if term >= SAFE or not all(map(fits_int64, parts)) or not atom.op.fits(*atom.args):
                return False
        size += term
    return size < SAFE
