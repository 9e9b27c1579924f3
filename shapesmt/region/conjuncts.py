"""Region: where a condition holds, as conjuncts of a few kinds; `str` words each.

>>> from shapesmt.algebra import symbol
>>> (n,) = symbol("n", 1).symbols
>>> str(interval(n, 2, None)), str(interval(n, 3, 3)), str(residue(n, 32, (0, 25, 26, 27, 28, 29, 30, 31)))
('n >= 2', 'n == 3', '(n + 7) % 32 <= 7')
>>> str(either([residue(n, 2, (0,))], [interval(n, 3, 9), residue(n, 5, (1, 2))]))
'n % 2 == 0 or (3 <= n <= 9 and 1 <= n % 5 <= 2)'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from shapesmt.algebra import (
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
    of_atom,
)


@dataclass(frozen=True, eq=False)
class Conjunct:
    """A condition; those with the same words are equal.

    Pickles have the names and numbers in it, but not its `formula`, which lives in one process.
    """

    formula: Formula = field(repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "formula"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conjunct) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return _text(self)


@dataclass(frozen=True, eq=False)
class Interval(Conjunct):
    """A size is between two numbers, which are included; None is no end."""

    name: str
    lo: int | None
    hi: int | None


@dataclass(frozen=True, eq=False)
class Residue(Conjunct):
    """A size leaves one of these remainders, which ascend."""

    name: str
    modulus: int
    rests: tuple[int, ...]

    @property
    def window(self) -> tuple[int, int, int] | None:
        """A shift and two ends: `n + shift` leaves a remainder between the ends; None if no shift makes it so.

        Both ends are the same for one remainder, and below 0 for all but one.
        """
        m, rests = self.modulus, self.rests
        start = next(r for r in rests if (r - 1) % m not in rests)
        last = start + len(rests) - 1
        if any(r % m not in rests for r in range(start, last + 1)):
            return None
        return (0, start, last) if last < m else (m - start, 0, last - start)


@dataclass(frozen=True, eq=False)
class Listing(Conjunct):
    """A size is one of these values, or, where they are `out`, none of them."""

    name: str
    values: tuple[int, ...]
    out: bool = False


@dataclass(frozen=True, eq=False)
class Relation(Conjunct):
    """Two sizes are equal; the shorter name comes first."""

    names: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Either(Conjunct):
    """In one of several cases all conjuncts hold."""

    cases: tuple[tuple[Conjunct, ...], ...]


@dataclass(frozen=True, eq=False)
class Other(Conjunct):
    """Any other condition, with the form in which it is shown."""

    shown: Formula | str

    def __getstate__(self) -> dict[str, Any]:
        return {"shown": str(self)}


class Region(NamedTuple):
    """The conjuncts, and whether together they are exactly the condition.

    `partial`: some of the condition has no text, so that it may not hold where the conjuncts do.
    """

    conjuncts: tuple[Conjunct, ...]
    exact: bool
    partial: bool = False

    @property
    def text(self) -> tuple[str, ...]:
        """Each conjunct in words."""
        return tuple(map(str, self.conjuncts))

    @property
    def whole(self) -> str:
        """The conjuncts as one formula."""
        return conjunction(self.text) or "True"


NOWHERE = Other(FALSE, FALSE)


def only_text(text: str) -> Conjunct:
    """A condition of which only the text is known."""
    said = object.__new__(Other)
    said.__setstate__({"shown": text})
    return said


def interval(s: Atom, lo: int | None, hi: int | None) -> Interval:
    """`lo <= s <= hi`; one end may be missing."""
    return Interval(_between(of_atom(s), lo, hi), s.name, lo, hi)


def residue(s: Atom, modulus: int, rests: Sequence[int]) -> Residue:
    """`s` leaves one of these remainders, but not all that there are."""
    x, said = of_atom(s), Residue(FALSE, s.name, modulus, tuple(rests))
    if 1 < len(rests) == modulus - 1:
        formula = differs(x % modulus, *({*range(modulus)} - {*rests}))
    elif said.window is None:
        formula = any_of(*(equal(x % modulus, r) for r in rests))
    else:
        shift, *ends = said.window
        formula = _between((x + shift) % modulus, *_needed(modulus, *ends))
    return Residue(formula, s.name, modulus, said.rests)


def listing(s: Atom, values: Iterable[int], *, out: bool = False) -> Listing:
    """`s` is one of these values, or none of them."""
    listed, x = tuple(map(int, values)), of_atom(s)
    formula = all_of(*(differs(x, v) for v in listed)) if out else any_of(*(equal(x, v) for v in listed))
    return Listing(formula, s.name, listed, out)


def either(*cases: Sequence[Conjunct]) -> Either:
    """In one of the cases all conjuncts hold; a case that is itself a choice counts as several."""
    flat = [c for case in cases for c in (case[0].cases if len(case) == 1 and isinstance(case[0], Either) else [case])]
    formula = any_of(*(all_of(*(c.formula for c in case)) for case in flat))
    return Either(formula, tuple(map(tuple, flat)))


def conjunct_of(shown: Formula, formula: Formula | None = None) -> Conjunct:
    """What a condition says; `formula` is the same condition where `shown` is about symbols in narrower ranges."""
    formula = shown if formula is None else formula
    terms = list(shown.dim.products()) if shown.dim is not None and shown.op in ("ge", "eq") else []
    number = sum(c for atoms, c in terms if not atoms)
    linear = {a[0].name: c for a, c in terms if len(a) == 1 and a[0] in shown.symbols and abs(c) == 1}
    if terms and len(linear) + bool(number) == len(terms) < 3:
        if len(linear) == 1:
            ((name, sign),) = linear.items()
            lo, hi = (-number * sign if shown.op == "eq" or sign == side else None for side in (1, -1))
            return Interval(formula, name, lo, hi)
        if shown.op == "eq" and sum(linear.values()) == 0:
            one, other = sorted(linear, key=lambda name: (len(name_text(name)), name_text(name)))
            return Relation(formula, (one, other))
    dim = shown.dim if shown.op == "eq" else None
    for atom in dim.atoms() if dim is not None else ():
        if dim is not None and atom.op is FLOOR_DIVISION and (k := atom.args[1].constant) is not None:
            shift = sum(c for atoms, c in atom.args[0].products() if not atoms)
            x, rest = (atom.args[0] - shift).as_symbol(), atom.args[0] % k
            number = next((n for d in (dim, -dim) if (n := (rest - d).constant) is not None), -1)
            if x is not None and 0 <= number < k:
                return Residue(formula, x.name, k, ((number - shift) % k,))
    return Other(formula, shown)


def _between(x: Dim, lo: int | None, hi: int | None) -> Formula:
    if lo is not None and lo == hi:
        return equal(x, lo)
    ends = (at_least(x, lo) if lo is not None else None, at_most(x, hi) if hi is not None else None)
    return all_of(*filter(None, ends))


def _needed(modulus: int, lo: int, hi: int) -> tuple[int | None, int | None]:
    """The ends of remainders that need to be said."""
    if lo == hi:
        return lo, hi
    return lo or None, hi if hi < modulus - 1 else None


def _text(said: Conjunct) -> str:
    """A conjunct in the grammar of Python: the only place where one is worded."""
    match said:
        case Interval(name=name, lo=lo, hi=hi):
            return _between_text(name_text(name), lo, hi)
        case Residue():
            return _residue_text(said)
        case Listing(name=name, values=values, out=out):
            return f"{name_text(name)} {'not ' * out}in {{{', '.join(map(str, values))}}}"
        case Relation(names=names):
            return " == ".join(map(name_text, names))
        case Either(cases=cases):
            texts = [conjunction([*map(str, case)]) for case in cases]
            return " or ".join(f"({t})" if len(case) > 1 else t for case, t in zip(cases, texts, strict=True))
        case Other(shown=shown):
            return str(shown)
        case _:
            raise TypeError(f"{type(said).__name__} has no words")


def _residue_text(said: Residue) -> str:
    name, m, window = name_text(said.name), said.modulus, said.window
    if 1 < len(said.rests) == m - 1:
        return f"{name} % {m} != {({*range(m)} - {*said.rests}).pop()}"
    if window is None:
        return f"{name} % {m} in {{{', '.join(map(str, said.rests))}}}"
    shift, *ends = window
    return _between_text(f"{f'({name} + {shift})' if shift else name} % {m}", *_needed(m, *ends))


def _between_text(what: str, lo: int | None, hi: int | None) -> str:
    if lo == hi:
        return f"{what} == {lo}"
    if lo is None or hi is None:
        return f"{what} <= {hi}" if lo is None else f"{what} >= {lo}"
    return f"{lo} <= {what} <= {hi}"
