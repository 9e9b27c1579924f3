"""Interpret expressions and conditions: the walk that all interpretations share, and evaluation.

An `Interpretation` computes a result for each expression from the results for its parts: a value, a growth, a text.
An `Evaluator` computes values, at one assignment of the symbols or at arrays of them.

>>> from shapesmt.prover.algebra.dim import symbol
>>> h = symbol("h", 1, 64)
>>> evaluate((h + 1) // 2, {h.as_symbol(): 5})
3
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Container, Mapping
from math import inf, prod
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from shapesmt.base.deadline import look
from shapesmt.base.lazy import np
from shapesmt.prover.algebra import intervals
from shapesmt.prover.algebra.dim import ATOMS, Atom, Dim
from shapesmt.prover.algebra.interning import memo
from shapesmt.prover.algebra.operations import PRODUCT, SYMBOL, Rows, text_of

Assignment: TypeAlias = dict[Atom, int]
Found = TypeVar("Found")
Operator: TypeAlias = Literal["eq", "ne", "ge", "and", "or", "true", "false"]


class Formula:
    """A condition: `eq`, `ne` and `ge` compare a `Dim` with 0; `and` and `or` combine formulas."""

    __slots__ = ("__weakref__", "_symbols", "args", "depth", "dim", "number", "op")

    op: Operator
    dim: Dim | None
    args: tuple[Formula, ...]
    number: int
    depth: int

    @property
    def symbols(self) -> frozenset[Atom]:
        """The free symbols of the condition, such as n and m for `n >= 2*m`."""
        try:
            return self._symbols
        except AttributeError:
            self._symbols: frozenset[Atom] = frozenset().union(*(part.symbols for part in self.parts))
            return self._symbols

    @property
    def parts(self) -> tuple[Dim | Formula, ...]:
        """The compared expression or the combined formulas; `True` and `False` have none."""
        return self.args if self.dim is None else (self.dim,)

    @property
    def conjuncts(self) -> tuple[Formula, ...]:
        """The parts of a conjunction; of other conditions the condition itself, except that `True` has no parts."""
        return self.args if self.op == "and" else () if self.op == "true" else (self,)

    def __str__(self) -> str:
        return text_of(self)

    def __repr__(self) -> str:
        return f"Formula({str(self)!r})"


class Interpretation(Generic[Found]):
    """Computes a result for each expression and condition from the results for its parts, and caches them.

    A subclass says what a sum of products gives (`_sum`), a condition (`_condition`), and each operation (`rows`).
    Operations are computed when a row asks for them, so that a row may skip some. Only definitions come first, inner
    before outer ones: a long chain of them needs no deep recursion.

    Args:
        known: The results so far, such as the values of symbols; the interpretation adds further ones.
    """

    rows: ClassVar[Rows[Callable[[Any, Atom], Any]]]
    """For each operation, the function that computes the result from the interpretation and the atom."""
    every: ClassVar[bool] = False
    """Whether all operations are computed, inner ones first, even those that a choice or a failure would skip."""

    def __init__(self, known: dict[Any, Found]) -> None:
        self._known = known
        self._scanned: set[Any] = set()

    def part(self, what: Dim | Formula) -> Found:
        """Return the result for an expression or a condition."""
        return self.dim(what) if isinstance(what, Dim) else self.formula(what)

    def dim(self, dim: Dim) -> Found:
        """Return the result for an expression."""
        known = self._known
        found: Found | None = known.get(dim)
        if found is None and dim not in known:
            found = known[dim] = self.once(dim)
        return found  # type: ignore[return-value]  # None is a result too, if the interpretation has it

    def once(self, dim: Dim) -> Found:
        """Return the result for an expression without caching it; those for its symbols and operations are cached."""
        known = self._known
        if not all(ATOMS[n] in known for monomial, _ in dim.terms for n in monomial):
            self._define(dim)
        return self._sum(dim)

    def formula(self, formula: Formula) -> Found:
        """Return the result for a condition."""
        known = self._known
        found: Found | None = known.get(formula)
        if found is None and formula not in known:
            if formula.args:
                self._define(formula)
            found = known[formula] = self._condition(formula)
        return found  # type: ignore[return-value]  # None is a result too, if the interpretation has it

    def atom(self, atom: Atom) -> Found:
        """Return the result for a symbol or an operation."""
        known = self._known
        found: Found | None = known.get(atom)
        if found is None and atom not in known:
            found = known[atom] = self._apply(atom)
        return found  # type: ignore[return-value]  # None is a result too, if the interpretation has it

    @abstractmethod
    def _sum(self, dim: Dim) -> Found:
        """Compute the result for a sum of products, from those for their factors (`atom`)."""

    @abstractmethod
    def _condition(self, formula: Formula) -> Found:
        """Compute the result for a condition, from those for its parts (`part`)."""

    def _apply(self, atom: Atom) -> Found:
        found: Found = self.rows[atom.op](self, atom) if atom.definition is None else self.dim(atom.definition)
        return found

    def _define(self, what: Dim | Formula) -> None:
        try:
            for atom in inmost_first((what,), self._known, self._scanned):
                if self.every or atom.definition is not None:
                    self.atom(atom)
        except BaseException:  # out of time: the next call scans the remaining atoms again
            self._scanned.clear()
            raise


def lowest(symbol: Atom) -> int:
    """Return the default value of a symbol: the bound of its range nearest to 0."""
    return int(symbol.lo) if symbol.lo > -inf else int(min(symbol.hi, 0))


class End(NamedTuple):
    """The minimum or the maximum of an expression under some conditions.

    Attributes:
        value: The minimum or maximum; None if there is none, or if it doesn't fit int64.
        witness: An assignment that attains it, or comes near it if it isn't proven; None if none is known.
        proven: Whether it is attained. If not, `value` is a bound, or None if no bound is known.
    """

    value: int | None
    witness: Assignment | None = None
    proven: bool = True


class Evaluator(Interpretation[Any]):
    """Evaluates under one assignment of the symbols, each shared part once.

    Values are ints, or int64 arrays that broadcast together. The caller ensures that nothing overflows (`fits_int64`).
    """

    def __init__(self, values: Mapping[Atom, Any]) -> None:
        super().__init__({**values})
        self.floats: dict[Any, Any] = {}
        self.arrays = not all(isinstance(v, int) for v in values.values())

    def dim(self, dim: Dim) -> Any:
        """Return the value of an expression."""
        if dim.constant is not None:
            return dim.constant
        value = self._known.get(dim)
        if value is None:
            value = self._known[dim] = self.once(dim)
        return value

    def _sum(self, dim: Dim) -> Any:
        result: Any = None
        for monomial, coefficient in dim.terms:
            term: Any = coefficient
            if monomial:
                term = self.atom(ATOMS[monomial[0]])
                for n in monomial[1:]:
                    term = term * self.atom(ATOMS[n])
                if coefficient != 1:
                    term = term * coefficient
            result = term if result is None else result + term
        if type(result) is int and result.bit_length() > intervals.MAX_BITS:
            look(hopeless=True)  # each of several chained products doubles the length
        return 0 if result is None else result

    def _apply(self, atom: Atom) -> Any:
        if self.arrays:
            look()
        if atom.definition is not None:
            return self.dim(atom.definition)
        if atom.op is SYMBOL:
            raise KeyError(atom.name)
        return atom.op.evaluate(self, *atom.args)

    def _condition(self, formula: Formula) -> Any:
        if self.arrays:
            look()
        if formula.dim is not None:
            value = self.dim(formula.dim)
            return value == 0 if formula.op == "eq" else value != 0 if formula.op == "ne" else value >= 0
        result: Any = formula.op in ("and", "true")
        for a in formula.args:
            result = result & self.formula(a) if formula.op == "and" else result | self.formula(a)
        return result


class Checked(Evaluator):
    """An evaluator of arrays that raises `OverflowError` if a step might exceed 62 bits at these values."""

    def dim(self, dim: Dim) -> Any:
        """Return the value of an expression."""
        if dim.constant is not None:
            self._look_at(abs(dim.constant))
        return super().dim(dim)

    def _sum(self, dim: Dim) -> Any:
        self._look_at(sum(abs(c) * prod(map(self._size, factors)) for factors, c in dim.products()))
        return super()._sum(dim)

    def _apply(self, atom: Atom) -> Any:
        if atom.op is PRODUCT:
            self._look_at(prod(_largest(self.dim(a)) for a in atom.args))
        elif not atom.op.fits_at(self, *atom.args):
            raise OverflowError
        return super()._apply(atom)

    def _size(self, atom: Atom) -> int:
        return _largest(self.atom(atom))

    def _look_at(self, size: int) -> None:
        if size >= SAFE:
            raise OverflowError


def _largest(values: Any) -> int:
    """Return the maximum absolute value, or 1 if that is smaller."""
    return max(1, int(np.max(values, initial=1)), -int(np.min(values, initial=1)))


def evaluate(what: Dim | Formula, values: Mapping[Atom, Any]) -> Any:
    """Return the value of an expression or the truth of a condition, given the values (or arrays) of its symbols."""
    return Evaluator(values).part(what)


def inmost_first(
    roots: tuple[Dim | Formula, ...], known: Container[Any] = (), seen: set[Any] | None = None
) -> list[Atom]:
    """Return the symbols and operations that the roots depend on, each after those in its arguments.

    Skips `known` parts with all that only they depend on, and those in `seen`, to which it adds the parts it visits.
    """
    found: list[Atom] = []
    seen = set() if seen is None else seen
    stack: list[Any] = list(roots)
    while stack:
        item = stack.pop()
        if item in seen or item in known:
            continue
        seen.add(item)
        if isinstance(item, Dim):
            stack.extend(ATOMS[n] for monomial, _ in item.terms for n in monomial)
        elif isinstance(item, Formula):
            stack.extend(item.parts)
        else:
            found.append(item)
            stack.extend(operands(item))
    return sorted(found, key=lambda a: a.number)


def operands(atom: Atom) -> list[Dim | Formula]:
    """Return the expressions and conditions that an operation is applied to, or the definition of a symbol."""
    return [a for a in (*atom.args, atom.definition) if isinstance(a, (Dim, Formula))]


def fits_int64(what: Dim | Formula) -> bool:
    """Whether every intermediate result fits 62 bits, for all values in the symbols' ranges."""
    fits = _FITS.get(what)
    return _Fitting(_FITS).part(what) if fits is None else fits


_FITS: dict[Any, bool] = memo("what fits int64", {})
SAFE = 1 << 62  # numbers below it fit int64, and so do sums of two


class _Fitting(Interpretation[bool]):
    """Decides whether every intermediate result fits 62 bits."""

    def _sum(self, dim: Dim) -> bool:
        size: float = 0
        for factors, coefficient in dim.products():
            term: float = abs(coefficient)
            for atom in factors if term < SAFE else ():
                term *= max(abs(atom.lo), abs(atom.hi), 1)
                if term >= SAFE or not self.atom(atom):
                    return False
            size += term
        return size < SAFE

    def _apply(self, atom: Atom) -> bool:
        return all(map(self.part, operands(atom))) and atom.op.fits(*atom.args)

    def _condition(self, formula: Formula) -> bool:
        return all(map(self.part, formula.parts))
