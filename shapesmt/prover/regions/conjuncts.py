"""Region: the inputs that satisfy a condition, as conjuncts of a few kinds; `str` words each.

>>> from shapesmt.prover.algebra import symbol
>>> (n,) = symbol("n", 1).symbols
>>> str(Interval(n, 2, None)), str(Interval(n, 3, 3)), str(Residue(n, 32, (0, 25, 26, 27, 28, 29, 30, 31)))
('n >= 2', 'n == 3', '(n + 7) % 32 <= 7')
>>> str(Either(((Residue(n, 2, (0,)),), (Interval(n, 3, 9), Residue(n, 5, (1, 2))))))
'n % 2 == 0 or (3 <= n <= 9 and 1 <= n % 5 <= 2)'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import (
    FALSE,
    FLOOR_DIVISION,
    Atom,
    Dim,
    Formula,
    all_of,
    any_of,
    at_least,
    at_most,
    conjunction,
    differs,
    equal,
    name_text,
    negate,
    of_atom,
)


class Conjunct:
    """A condition with a readable text; two with the same text are equal."""

    @property
    def formula(self) -> Formula:
        """The condition as a formula over the symbols of its domain."""
        return _formula(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conjunct) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return _text(self)


@frozen(eq=False)
class Interval(Conjunct):
    """The condition `lo <= symbol <= hi`; a bound of None is omitted."""

    symbol: Atom
    lo: int | None
    hi: int | None


@frozen(eq=False)
class Residue(Conjunct):
    """The condition that `symbol % modulus` is one of `rests`, which ascend; at least one remainder is missing."""

    symbol: Atom
    modulus: int
    rests: tuple[int, ...]

    @property
    def window(self) -> tuple[int, int, int] | None:
        """The condition `lo <= (n + shift) % modulus <= hi`, as (shift, lo, hi); None if it doesn't have that form."""
        m, rests = self.modulus, {*self.rests}
        start = next(r for r in self.rests if (r - 1) % m not in rests)
        last = start + len(rests) - 1
        if {r % m for r in range(start, last + 1)} != rests:
            return None
        return (0, start, last) if last < m else (m - start, 0, last - start)

    @property
    def missing(self) -> int | None:
        """The only remainder that the size doesn't leave; None if there are several, or if only one remains."""
        return ({*range(self.modulus)} - {*self.rests}).pop() if 1 < len(self.rests) == self.modulus - 1 else None


@frozen(eq=False)
class Listing(Conjunct):
    """The condition that `symbol` is one of `values`; with `out`, that it is none of them."""

    symbol: Atom
    values: tuple[int, ...]
    out: bool = False


@frozen(eq=False)
class Relation(Conjunct):
    """The condition that two sizes are equal."""

    one: Atom
    other: Atom


@frozen(eq=False)
class Either(Conjunct):
    """The disjunction of cases; a case is the conjunction of its conjuncts."""

    cases: tuple[tuple[Conjunct, ...], ...]


@frozen(eq=False)
class Other(Conjunct):
    """Any other condition, with the formula or text that is shown.

    Pickles and JSON have only the text: there `meaning` is None, and asking for `formula` raises a TypeError.
    """

    shown: Formula | str
    meaning: Formula | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Other, (str(self),)


NOWHERE = Other(FALSE, FALSE)


class Region(NamedTuple):
    """The inputs that satisfy a condition, as conjuncts.

    Attributes:
        conjuncts: The conditions that hold together.
        exact: Whether the conjuncts are equivalent to the condition.
        partial: Whether a part of the condition has no text, so that it may fail although the conjuncts hold.
    """

    conjuncts: tuple[Conjunct, ...]
    exact: bool
    partial: bool = False

    @property
    def text(self) -> tuple[str, ...]:
        """The text of each conjunct."""
        return tuple(map(str, self.conjuncts))

    @property
    def whole(self) -> str:
        """The conjuncts as one formula."""
        return conjunction(self.text) or "True"


def either(*cases: Sequence[Conjunct]) -> Either:
    """Return the disjunction of the cases; a case that is itself a disjunction counts as several."""
    flat = [c for case in cases for c in (case[0].cases if len(case) == 1 and isinstance(case[0], Either) else [case])]
    return Either(tuple(map(tuple, flat)))


def conjunct_of(shown: Formula, formula: Formula | None = None) -> Conjunct:
    """Return a condition as a conjunct: `n >= 3` as an `Interval`, `n == m` as a `Relation`, others as `Other`, ...

    If the symbols of `shown` have narrower ranges, `formula` is the same condition over the domain's symbols.
    """
    formula = shown if formula is None else formula
    own, terms = {s.name: s for s in formula.symbols}, list(shown.dim.products()) if shown.dim is not None else []
    number = sum(c for atoms, c in terms if not atoms)
    linear = {own[a[0].name]: c for a, c in terms if len(a) == 1 and a[0] in shown.symbols and abs(c) == 1}
    if shown.op in ("ge", "eq") and len(linear) + bool(number) == len(terms) < 3:
        if len(linear) == 1:
            ((s, sign),) = linear.items()
            return Interval(s, *(-number * sign if shown.op == "eq" or sign == side else None for side in (1, -1)))
        if shown.op == "eq" and sum(linear.values()) == 0:
            return Relation(*sorted(linear, key=lambda s: (len(name_text(s.name)), s.name)))
    found = _remainder(shown.dim) if shown.dim is not None and shown.op == "eq" else None
    return Other(shown, formula) if found is None else Residue(own[found[0]], found[1], (found[2],))


def _remainder(dim: Dim) -> tuple[str, int, int] | None:
    """Return (name, k, r) if `dim == 0` states only that `name % k == r`; else None."""
    for atom in dim.atoms():
        k = atom.args[1].constant if atom.op is FLOOR_DIVISION else None
        if k is not None:
            shift = sum(c for atoms, c in atom.args[0].products() if not atoms)
            x, rest = (atom.args[0] - shift).as_symbol(), atom.args[0] % k
            for number in ((rest - dim).constant, (rest + dim).constant):
                if x is not None and number is not None and 0 <= number < k:
                    return x.name, k, (number - shift) % k
    return None


def _between(x: Dim, lo: int | None, hi: int | None) -> Formula:
    if lo is not None and lo == hi:
        return equal(x, lo)
    return all_of(*([] if lo is None else [at_least(x, lo)]), *([] if hi is None else [at_most(x, hi)]))


def _remainder_bounds(modulus: int, lo: int, hi: int) -> tuple[int | None, int | None]:
    """Return the bounds that `lo <= n % modulus <= hi` has to state; None for one that every remainder satisfies."""
    return (lo, hi) if lo == hi else (lo or None, hi if hi < modulus - 1 else None)


def _formula(said: Conjunct) -> Formula:
    match said:
        case Interval(s, lo, hi):
            return _between(of_atom(s), lo, hi)
        case Residue(s, m, missing=int(missing)):
            return differs(of_atom(s) % m, missing)
        case Residue(s, m, window=(shift, lo, hi)):
            return _between((of_atom(s) + shift) % m, *_remainder_bounds(m, lo, hi))
        case Residue(s, m, rests):
            return any_of(*(equal(of_atom(s) % m, r) for r in rests))
        case Listing(s, values, out):
            among = any_of(*(equal(of_atom(s), v) for v in values))
            return negate(among) if out else among
        case Relation(one, other):
            return equal(of_atom(one), of_atom(other))
        case Either(cases):
            return any_of(*(all_of(*map(_formula, case)) for case in cases))
        case Other(_, Formula() as meaning):
            return meaning
    raise TypeError(said)


def _text(said: Conjunct) -> str:
    """Return the text of a conjunct, in the grammar of Python; no other function writes it."""
    match said:
        case Interval(s, lo, hi):
            return _between_text(name_text(s.name), lo, hi)
        case Residue(s, m, missing=int(missing)):
            return f"{name_text(s.name)} % {m} != {missing}"
        case Residue(s, m, window=(shift, lo, hi)):
            name = f"({name_text(s.name)} + {shift})" if shift else name_text(s.name)
            return _between_text(f"{name} % {m}", *_remainder_bounds(m, lo, hi))
        case Residue(s, m, rests):
            return f"{name_text(s.name)} % {m} in {{{', '.join(map(str, rests))}}}"
        case Listing(s, values, out):
            return f"{name_text(s.name)} {'not ' * out}in {{{', '.join(map(str, values))}}}"
        case Relation(one, other):
            return f"{name_text(one.name)} == {name_text(other.name)}"
        case Either(cases):
            texts = [conjunction([*map(str, case)]) for case in cases]
            return " or ".join(f"({t})" if len(case) > 1 else t for case, t in zip(cases, texts, strict=True))
        case Other(shown):
            return str(shown)
    raise TypeError(said)


def _between_text(what: str, lo: int | None, hi: int | None) -> str:
    if lo == hi:
        return f"{what} == {lo}"
    if lo is None or hi is None:
        return f"{what} <= {hi}" if lo is None else f"{what} >= {lo}"
    return f"{lo} <= {what} <= {hi}"
