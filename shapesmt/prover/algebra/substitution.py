"""Substitution: expressions and conditions with symbols replaced, normalised anew.

>>> from shapesmt.prover.algebra.dim import symbol
>>> n, m = symbol("n", 1, 64), symbol("m", 1, 9)
>>> substitute((n + 1) // 2, {n.as_symbol(): 2 * m})
Dim('m')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import inf
from typing import Any, Protocol, TypeVar

from shapesmt.prover.algebra.dim import (
    ATOMS,
    ONE,
    ZERO,
    Atom,
    Dim,
    Kind,
    define_symbol,
    from_terms,
    make_atom,
    of_atom,
    symbol,
)
from shapesmt.prover.algebra.evaluation import Interpretation
from shapesmt.prover.algebra.formula import Formula, all_of, any_of, at_least, differs, equal
from shapesmt.prover.algebra.operations import ENTRY


class Tree(Protocol):
    """A float or a fold: an operation that polynomials can't express, on expressions, conditions and other trees."""

    @property
    def symbols(self) -> frozenset[Atom]:
        """The free symbols that it depends on."""

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments."""

    def rebuild(self, args: Sequence[Any]) -> Any:
        """Return the same operation on other arguments."""


AnyPart = TypeVar("AnyPart", bound="Dim | Formula | Tree")


def substitute(what: AnyPart, replacements: Mapping[Atom, Dim]) -> AnyPart:
    """Return `what` with these symbols replaced, all at the same time."""
    if what.symbols.isdisjoint(replacements):
        return what
    replaced: AnyPart = Substitution(replacements).apply(what)
    return replaced


def beyond(dim: Dim) -> Dim:
    """Return the expression with each input's declared range widened: no maximum, and a minimum of at most 1.

    >>> beyond(symbol("h", 64, 512) - 7).lo
    -6
    """
    inputs = [s for s in dim.symbols if s.kind is Kind.INPUT and (s.lo > 1 or s.hi < inf)]
    return substitute(dim, {s: symbol(s.name, min(s.lo, 1)) for s in inputs})


@ENTRY.defines
def entry(index: Dim, *places: Dim) -> Dim:
    """Return the element at the indices `places` of a tensor of unknown elements, which are all described by `index`.

    Equal arguments give the same element, with the bounds of `index`. An `index` without
    unknown elements is returned unchanged.

    >>> i, j = symbol("i", 0, 9), symbol("j", 0, 9)
    >>> entry(twin(i, Kind.ENTRY), j) is entry(twin(i, Kind.ENTRY), j), entry(i, j) is i
    (True, True)
    """
    if not entries(index):
        return index
    return make_atom(ENTRY, (index, *places))


def atom_of(size: Dim) -> Atom:
    """Return the symbol of an expression that has to be a single symbol.

    >>> atom_of(symbol("n", 1)).name
    'n'
    """
    atom = size.as_symbol()
    assert atom is not None, size
    return atom


def twin(size: Dim, kind: Kind) -> Dim:
    """Return a symbol of this kind with the name, range and step of `size`; if that is no symbol, it is unchanged."""
    atom = size.as_symbol()
    return size if atom is None else symbol(atom.name, atom.lo, atom.hi, step=atom.step, kind=kind)


def entries(what: Dim | Tree) -> list[Atom]:
    """Return the symbols that stand for unknown elements, sorted by name."""
    return sorted((s for s in what.symbols if s.kind is Kind.ENTRY), key=lambda s: s.name)


def position(axis: int) -> Dim:
    """Return the index along an axis, counted from the last: `position(1)` runs along the last axis."""
    return symbol(f"@{axis}", 0, inf, kind=Kind.AXIS)


def positions(what: Dim | Tree) -> list[Atom]:
    """Return the positions that an expression depends on, sorted by name."""
    return sorted((s for s in what.symbols if s.kind is Kind.AXIS), key=lambda s: s.name)


def partly_known(element: Dim | Tree) -> bool:
    """Whether an element is known at some positions and unknown at others.

    >>> from shapesmt.prover.algebra.formula import select
    >>> row = position(1)
    >>> partly_known(select(equal(row, 0), 7, entry(symbol("i", 0, 9, kind=Kind.ENTRY), row)))
    True
    """
    operations = (part for part in _parts(element) if not isinstance(part, Dim))
    return bool(entries(element)) and any(_chooses_known(operation.args) for operation in operations)


def _chooses_known(args: tuple[Any, ...]) -> bool:
    parts = [a for a in args if hasattr(a, "symbols")]
    conditions = [a for a in parts if isinstance(a, Formula)]
    kinds = {s.kind for c in conditions for s in c.symbols}
    by_position = Kind.AXIS in kinds and Kind.ENTRY not in kinds
    unknown = [any(s.kind is Kind.ENTRY for s in a.symbols) for a in parts if not isinstance(a, Formula)]
    return by_position and not all(unknown)


def any_entry(element: Dim) -> Dim | None:
    """Return an element with its unknown parts as data-dependent symbols; None if two such parts have the same symbol.

    Parts that are the same flag (0 or 1) get a symbol each.
    """
    change: dict[Atom, Dim] = {}
    for part in dict.fromkeys(a for a in atoms_within(element) if a.op is ENTRY):
        for s in entries(part.args[0]):
            if s not in change:
                change[s] = twin(of_atom(s), Kind.PLACE)
            elif part.args[0].as_symbol() is s and (s.lo, s.hi) == (0, 1):
                change[part] = symbol(f"{s.name}.{len(change)}", 0, 1, kind=Kind.PLACE)
            else:
                return None
    return substitute(element, change)


def atoms_within(what: Dim | Formula | Tree) -> Iterator[Atom]:
    """Yield the atoms of an expression, and those in their arguments."""
    return (part for part in _parts(what) if isinstance(part, Atom))


def numbers(what: Formula) -> Iterator[int]:
    """Yield the coefficients and constants in a condition, without signs."""
    return (abs(c) for part in _parts(what) if isinstance(part, Dim) for _, c in part.terms)


def _parts(what: Any) -> list[Any]:
    """Return an expression and all parts nested in it, each once, the outer ones first."""
    parts, seen = [what], {what}
    for part in parts:  # grows inside the loop
        inner = part.atoms() if isinstance(part, Dim) else (*part.args, getattr(part, "dim", None))
        new = [each for each in dict.fromkeys(inner) if hasattr(each, "symbols") and each not in seen]
        seen.update(new)
        parts += new
    return parts


def expand_definitions(dim: Dim) -> Dim:
    """Return the expression with its defined symbols replaced by their definitions.

    >>> n = symbol("n", 1)
    >>> expand_definitions(define_symbol(n + 1, "m") * 2)
    Dim('2*n + 2')
    """

    @cache
    def of(part: Dim) -> Dim:
        for atom in part.atoms():
            if atom.definition is not None:
                part = substitute_atom(part, atom.number, of(atom.definition))
        return part

    return of(dim)


def substitute_atom(dim: Dim, replaced: int, replacement: Dim) -> Dim:
    """Return `dim` with the atom of number `replaced` replaced by `replacement`, except inside other atoms."""
    result = ZERO
    for monomial, coefficient in dim.terms:
        rest = from_terms({tuple(n for n in monomial if n != replaced): coefficient})
        for _ in range(monomial.count(replaced)):
            rest = rest * replacement
        result = result + rest
    return result


class Substitution(Interpretation[Any]):
    """A substitution that caches the parts that it has rewritten."""

    def __init__(self, replacements: Mapping[Atom, Dim]) -> None:
        super().__init__({**replacements})
        self._changed = frozenset[Atom]().union(*(atom.symbols for atom in replacements))

    def apply(self, what: Any) -> Any:
        """Return the rewritten expression, condition, float or fold."""
        if what.symbols.isdisjoint(self._changed):
            return what
        if isinstance(what, (Dim, Formula)):
            return self.part(what)
        if what not in self._known:  # a float or a fold
            args = [self.apply(a) if hasattr(a, "symbols") else a for a in what.args]
            self._known[what] = what.rebuild(args)
        return self._known[what]

    def _sum(self, dim: Dim) -> Dim:
        result = ZERO
        for monomial, coefficient in dim.terms:
            term = ONE * coefficient
            for n in monomial:
                term = term * self.atom(ATOMS[n])
            result = result + term
        return result

    def _condition(self, formula: Formula) -> Formula:
        if formula.dim is not None:
            compare = {"eq": equal, "ne": differs, "ge": at_least}[formula.op]
            return compare(self.apply(formula.dim), 0)
        return (all_of if formula.op == "and" else any_of)(*map(self.apply, formula.args))

    def _apply(self, atom: Atom) -> Dim:
        if atom.symbols == {atom} or atom.symbols.isdisjoint(self._changed):
            return of_atom(atom)
        if atom.definition is not None:
            return define_symbol(self._sum(atom.definition))
        args = [self.apply(a) for a in atom.args]
        result: Dim = atom.op.build(*args)
        return result
