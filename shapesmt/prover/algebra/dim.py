"""Dim: interned integer expressions over symbols, in a normal form.

A `Dim` is a polynomial with integer coefficients over *atoms*: symbols and the operations that
polynomials lack (floor division, min, max, select, ...: `operations`). Equal normal forms are one object, so `is`
and `==` are the same question and a `Dim` is its own dictionary key.

    >>> h = symbol("h", 1, 64)
    >>> ((h + 1) // 2 + 1) // 2
    Dim('(h + 3)//4')
    >>> (h // 2).lo, (h // 2).hi
    (0, 32)

Every rewrite here is an identity for all integers inside the symbols' ranges. Division rounds down, and `x // 0` is 0.
The tests have Z3 prove each rewrite.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import inf
from operator import index
from typing import Any, TypeAlias

from shapesmt.base.errors import SizeOverflowError
from shapesmt.prover.algebra import intervals
from shapesmt.prover.algebra.interning import Table, memo
from shapesmt.prover.algebra.intervals import Bound, Interval
from shapesmt.prover.algebra.operations import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SYMBOL,
    Kind as Kind,
    Operation,
    Window as Window,
    text_of,
)

Monomial: TypeAlias = tuple[int, ...]  # atom numbers in ascending order, with repetition
Terms: TypeAlias = tuple[tuple[Monomial, int], ...]  # ascending, no zero coefficients

MAX_TERMS = 200  # a polynomial with more becomes a defined symbol
MAX_PRODUCT = 64  # maximum terms of an expanded product; others become an atom (`PRODUCT`)
MAX_DEGREE = 8
MAX_DEPTH = 60  # nesting of atoms; an operand of this depth becomes a defined symbol


BY_DATA = frozenset({Kind.DATA, Kind.PLACE})
UNIVERSAL = BY_DATA | {Kind.ITERATION}


class Atom:
    """A factor of a polynomial's monomials: a symbol, or an operation on `Dim`s."""

    __slots__ = (
        *("__weakref__", "args", "definition", "depth", "hi", "key", "kind", "lo", "name", "number", "op", "step"),
        *("symbols", "window"),
    )

    def __init__(self, key: AtomKey, op: Operation, args: tuple[Any, ...], bounds: Interval) -> None:
        self.key = key
        self.op = op
        self.args = args
        self.lo, self.hi = bounds
        self.number: int = next(_NUMBERS)
        self.name = ""
        self.kind = Kind.NONE
        self.step = 1
        self.window: Window | None = None
        self.definition: Dim | None = None
        self.depth: int = 1 + max((a.depth for a in args if hasattr(a, "depth")), default=-1)
        self.symbols: frozenset[Atom] = frozenset().union(*(a.symbols for a in args if hasattr(a, "symbols")))
        ATOMS[self.number] = self

    @property
    def universal(self) -> bool:
        """Whether a requirement has to hold for each of its values: data-dependent sizes, iterations of a loop."""
        return self.kind in UNIVERSAL

    @property
    def by_data(self) -> bool:
        """Whether it is data-dependent: a size, or an element of a tensor of indices."""
        return self.kind in BY_DATA

    def __repr__(self) -> str:
        return f"Atom({self.name or self.op.name!r})"

    def __reduce__(self) -> Any:
        if self.op is not SYMBOL or self.definition is not None:
            raise TypeError("an operation lives in one process; send its text instead")
        return _same_symbol, self.key[1:]


AtomKey: TypeAlias = tuple[Any, ...]
_NUMBERS = count()
ATOMS: Table[int, Atom] = Table("atoms by number", lambda atom: atom.number)
_ATOM_TABLE: Table[AtomKey, Atom] = Table("atoms", lambda atom: atom.key)


class Dim:
    """An immutable integer expression; `lo` and `hi` bound it (infinite if there is no bound)."""

    __slots__ = ("__weakref__", "_symbols", "constant", "depth", "held", "hi", "lo", "relaxed", "terms")

    terms: Terms
    lo: Bound
    hi: Bound
    constant: int | None
    depth: int
    relaxed: Interval | None  # tighter bounds, cached by `relaxation.tight`; None before

    def __add__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = const(other)
        if not self.terms or not other.terms:
            return self if self.terms else other
        merged = dict(self.terms)
        for monomial, coefficient in other.terms:
            merged[monomial] = merged.get(monomial, 0) + coefficient
        return from_terms(merged)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return scale(self, -1)

    def __sub__(self, other: Dim | int) -> Dim:
        return self + (-other)

    def __rsub__(self, other: int) -> Dim:
        return const(other) + (-self)

    def __mul__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            return scale(self, index(other))
        if other.constant is not None:
            return scale(self, other.constant)
        if self.constant is not None:
            return scale(other, self.constant)
        return _multiply(self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Dim | int) -> Dim:
        quotient: Dim = FLOOR_DIVISION.build(self, other if isinstance(other, Dim) else const(other))
        return quotient

    def __rfloordiv__(self, other: int) -> Dim:
        return const(other) // self

    def __mod__(self, other: Dim | int) -> Dim:
        return self - (self // other) * other

    def __rmod__(self, other: int) -> Dim:
        return const(other) % self

    @property
    def symbols(self) -> frozenset[Atom]:
        """The free symbols that it depends on, including those of definitions."""
        try:
            return self._symbols
        except AttributeError:
            self._symbols: frozenset[Atom] = frozenset().union(
                *(ATOMS[n].symbols for monomial, _ in self.terms for n in monomial)
            )
            return self._symbols

    @property
    def shift(self) -> int:
        """The number in the sum: 2 for `x*y + 2`, 0 for `x*y`."""
        return self.terms[0][1] if self.terms and not self.terms[0][0] else 0

    def as_symbol(self) -> Atom | None:
        """Return the symbol if the expression is a single symbol; else None."""
        atom = self.as_atom()
        return atom if atom is not None and atom.op is SYMBOL else None

    def as_atom(self) -> Atom | None:
        """Return the symbol or the operation if the expression is a single one; else None."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1:
            return ATOMS[self.terms[0][0][0]]
        return None

    def atoms(self) -> list[Atom]:
        """Return the distinct atoms of the monomials, in order."""
        return [ATOMS[n] for n in dict.fromkeys(n for monomial, _ in self.terms for n in monomial)]

    def products(self) -> Iterator[tuple[list[Atom], int]]:
        """Yield the factors and the coefficient of each term; a number has no factors.

        >>> n = symbol("n", 1)
        >>> list((3 * n * n + 4).products())
        [([], 4), ([Atom('n'), Atom('n')], 3)]
        """
        return (([ATOMS[n] for n in monomial], coefficient) for monomial, coefficient in self.terms)

    def __str__(self) -> str:
        return text_of(self)

    def __repr__(self) -> str:
        return f"Dim({str(self)!r})"

    def __reduce__(self) -> Any:
        raise TypeError("a Dim lives in one process; send its text instead")


_DIMS: Table[Terms, Dim] = Table("dims", lambda dim: dim.terms, Dim.atoms)
_CONSTANTS: dict[int, Dim] = memo("numbers", {})


def const(value: int) -> Dim:
    """Return the constant expression.

    Raises:
        TypeError: The value is no integer, such as a float.
    """
    number = _CONSTANTS.get(index(value))
    if number is None:
        number = _CONSTANTS[value] = from_terms({(): int(value)})
    return number


def symbol(
    name: str,
    lo: Bound = 0,
    hi: Bound = inf,
    *,
    step: int = 1,
    kind: Kind = Kind.INPUT,
    window: Window | None = None,
    fold: bool = True,
) -> Dim:
    """Return a free integer in `lo..hi`, in steps from `lo`, inside `window`; equal arguments give the same symbol.

    If `lo == hi`, return that number, unless `fold` is off: a symbol retains its name, for explanations.
    """
    if fold and lo == hi:
        return const(int(lo))
    key = (SYMBOL, name, lo, hi, step, kind, window)
    return of_atom(_ATOM_TABLE.get(key) or _ATOM_TABLE.make(key, _symbol, key))


def _same_symbol(name: str, lo: Bound, hi: Bound, step: int, kind: Kind, window: Window | None) -> Atom:
    return next(iter(symbol(name, lo, hi, step=step, kind=kind, window=window, fold=False).symbols))


def _symbol(key: AtomKey) -> Atom:
    _, name, lo, hi, step, kind, window = key
    atom = Atom(key, SYMBOL, (), (lo, hi))
    atom.name, atom.step, atom.kind, atom.window = name, step, Kind(kind), window
    atom.symbols = frozenset((atom,))
    return atom


def define_symbol(meaning: Dim, name: str = "", bounds: Interval | None = None) -> Dim:
    """Return a symbol that stands for the expression `meaning`, to keep others small; a constant is unchanged.

    `bounds` may be narrower than those of `meaning`; the default name is t and a number.
    """
    if meaning.constant is not None:
        return meaning
    key = ("defined", meaning, name)
    return of_atom(
        _ATOM_TABLE.get(key) or _ATOM_TABLE.make(key, _make_defined, key, bounds or (meaning.lo, meaning.hi))
    )


def _make_defined(key: AtomKey, bounds: Interval) -> Atom:
    _, meaning, name = key
    atom = Atom(key, SYMBOL, (), bounds)
    atom.name, atom.kind, atom.definition = name or f"t{atom.number}", Kind.DEFINED, meaning
    atom.symbols = meaning.symbols
    return atom


def make_atom(op: Operation, args: tuple[Any, ...], bounds: Interval | None = None) -> Dim:
    """Return the interned application of an operation to arguments; `bounds` may be narrower than the operation's."""
    if any(getattr(a, "depth", 0) >= MAX_DEPTH for a in args):
        args = tuple(define_symbol(a) if isinstance(a, Dim) and a.depth >= MAX_DEPTH else a for a in args)
    key = (op, *args)
    return of_atom(_ATOM_TABLE.get(key) or _ATOM_TABLE.make(key, _make_operation, key, op, args, bounds))


def _make_operation(key: AtomKey, op: Operation, args: tuple[Any, ...], bounds: Interval | None) -> Atom:
    return Atom(key, op, args, bounds or op.bounds(*args))


def of_atom(atom: Atom) -> Dim:
    """Return the expression that is just this atom."""
    return from_terms({(atom.number,): 1})


def scale(dim: Dim, factor: int) -> Dim:
    """Return `factor * dim`."""
    if factor in (0, 1) or not dim.terms:
        return dim if factor else ZERO
    return from_terms({monomial: factor * c for monomial, c in dim.terms})


def as_dim(value: Dim | int) -> Dim:
    """Return an int as a constant, a `Dim` unchanged."""
    return value if isinstance(value, Dim) else const(value)


# Construction


def from_terms(merged: dict[Monomial, int]) -> Dim:
    """Return the polynomial in which each monomial has its coefficient in `merged`, in normal form."""
    terms = tuple(sorted([t for t in merged.items() if t[1]]))
    return _DIMS.get(terms) or _rounded_up(terms) or _DIMS.make(terms, _polynomial, terms)


def _rounded_up(terms: Terms) -> Dim | None:
    """Rewrite `x - x//2` in a sum as `(x + 1)//2`: `h + h % 2` is `2*((h + 1)//2)`; None if it has no such terms."""
    known, opposite = dict(terms), {-c for _, c in terms} & {c for _, c in terms}
    for monomial, c in terms if opposite else ():
        for place, atom in enumerate(map(ATOMS.__getitem__, monomial)) if c in opposite else ():
            x = _beside_half(atom)
            if x is ZERO:
                continue
            whole, others = (x - x.shift).as_atom(), monomial[:place] + monomial[place + 1 :]
            sign = c if whole is atom else -c
            if whole is None or known.get(first := tuple(sorted((*others, whole.number)))) != sign:
                continue
            near: Dim = of_atom(atom) if atom.op is FLOOR_DIVISION else x // 2
            half = (near - near.shift).as_atom()
            if half is not None and known.get(second := tuple(sorted((*others, half.number)))) == -sign:
                rest = from_terms({m: k for m, k in terms if m not in (first, second)})  # x - x//2 == (x + 1)//2
                return rest + from_terms({others: sign}) * ((x + 1) // 2 - x.shift + near.shift)
    return None


def _beside_half(atom: Atom) -> Dim:
    """Return what may stand next to its half: `y//3` for `y//6`, a minimum or maximum as it is; 0 for other atoms."""
    divisor = atom.args[1].constant if atom.op is FLOOR_DIVISION else None
    if divisor and not divisor % 2:  # y//(2*k) == (y//k)//2
        quotient: Dim = atom.args[0] // (divisor // 2)
        return quotient
    return of_atom(atom) if atom.op in (MIN, MAX) else ZERO


def _polynomial(terms: Terms) -> Dim:
    dim = Dim.__new__(Dim)
    dim.terms = terms
    dim.constant = dim.relaxed = None
    dim.depth = 0
    if not terms:
        dim.lo = dim.hi = dim.constant = 0
    elif any(coefficient.bit_length() > intervals.MAX_BITS for _, coefficient in terms):
        raise SizeOverflowError("sizes whose product has more than 4,000 digits, which no runtime can hold")
    elif len(terms) == 1 and not terms[0][0]:
        dim.lo = dim.hi = dim.constant = terms[0][1]
    else:
        bounds: Interval = (0, 0)
        for monomial, coefficient in terms:
            bounds = intervals.add(bounds, term_bounds(monomial, coefficient))
        dim.lo, dim.hi = bounds
        dim.depth = max(ATOMS[n].depth for monomial, _ in terms for n in monomial)
        if len(terms) > MAX_TERMS:
            return define_symbol(dim)
    return dim


def term_bounds(monomial: Monomial, coefficient: int) -> Interval:
    """Return the bounds of `coefficient * monomial` by interval arithmetic."""
    if not monomial:
        return (coefficient, coefficient)
    bounds: Interval | None = None
    for atom in map(ATOMS.__getitem__, dict.fromkeys(monomial)):
        count = monomial.count(atom.number)
        part = (atom.lo, atom.hi) if count == 1 else intervals.power((atom.lo, atom.hi), count)
        bounds = part if bounds is None else intervals.multiply(bounds, part)
    assert bounds is not None
    return intervals.scale(bounds, coefficient)


def _multiply(a: Dim, b: Dim) -> Dim:
    degree = max(len(m) for m, _ in a.terms) + max(len(m) for m, _ in b.terms)
    if len(a.terms) * len(b.terms) > MAX_PRODUCT or degree > MAX_DEGREE:
        first, second = sorted((a, b), key=lambda d: d.terms)
        return make_atom(PRODUCT, (first, second))
    merged: dict[Monomial, int] = {}
    for m, c in a.terms:
        for n, d in b.terms:
            key = tuple(sorted(m + n))
            merged[key] = merged.get(key, 0) + c * d
    return from_terms(merged)


PRODUCT.defines(Dim.__mul__)
ZERO = const(0)
ONE = const(1)
