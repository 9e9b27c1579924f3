"""Dim: interned integer expressions over symbols, kept in a normal form.

A `Dim` is a polynomial with integer coefficients over *atoms*: symbols and the operations that
polynomials lack (floor division, min, max, select, ...). Equal normal forms are one object, so `is`
and `==` are the same question and a `Dim` is its own dictionary key.

    >>> h = symbol("h", 1, 64)
    >>> ((h + 1) // 2 + 1) // 2
    Dim('(h + 3)//4')
    >>> h - h + 5
    Dim('5')
    >>> (h // 2).lo, (h // 2).hi
    (0, 32)

Every rewrite here is an identity for all integers inside the symbols' ranges, where division floors
and `x // 0` is 0; the tests have Z3 prove each one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd, inf
from typing import Any, TypeAlias

from shapesmt import intervals
from shapesmt.intervals import Bound, Interval

Monomial: TypeAlias = tuple[int, ...]  # atom numbers in ascending order, with repetition
Terms: TypeAlias = tuple[tuple[Monomial, int], ...]  # ascending, no zero coefficients

MAX_TERMS = 200  # past it a polynomial is named instead of written out
MAX_PRODUCT = 64  # most terms that a product is expanded to
MAX_DEGREE = 8
MAX_DEPTH = 60  # nesting of atoms; past it an operand is named
MAX_RELAXED = 12  # nesting past which bounds are interval arithmetic's alone


class Atom:
    """What a polynomial is made of: a symbol, or one operation on `Dim`s."""

    __slots__ = ("args", "definition", "depth", "hi", "kind", "lo", "name", "number", "op", "step", "symbols")

    def __init__(self, op: str, args: tuple[Any, ...], bounds: Interval) -> None:
        self.op = op
        self.args = args
        self.lo, self.hi = bounds
        self.number = len(_ATOMS)
        self.name = ""
        self.kind = ""
        self.step = 1
        self.definition: Dim | None = None
        self.depth: int = 1 + max((a.depth for a in args if hasattr(a, "depth")), default=-1)
        self.symbols: frozenset[Atom] = frozenset().union(*(a.symbols for a in args if hasattr(a, "symbols")))
        _ATOMS.append(self)

    @property
    def universal(self) -> bool:
        """Whether a condition has to hold for each of its values: the data's sizes, the trips of a loop."""
        return self.kind in ("data", "trip")

    def __repr__(self) -> str:
        return f"Atom({self.name or self.op!r})"


_ATOMS: list[Atom] = []
_ATOM_TABLE: dict[tuple[Any, ...], Atom] = {}
_DIMS: dict[Terms, Dim] = {}


class Dim:
    """An immutable integer expression; `lo` and `hi` bound it (`math.inf` where open)."""

    __slots__ = ("_symbols", "_tight", "constant", "depth", "hi", "lo", "terms")

    terms: Terms
    lo: Bound
    hi: Bound
    constant: int | None
    depth: int

    def __add__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = const(other)
        if not other.terms:
            return self
        if not self.terms:
            return other
        merged = dict(self.terms)
        for monomial, coefficient in other.terms:
            merged[monomial] = merged.get(monomial, 0) + coefficient
        return _from_terms(merged)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return scaled(self, -1)

    def __sub__(self, other: Dim | int) -> Dim:
        return self + (-other)

    def __rsub__(self, other: int) -> Dim:
        return const(other) + (-self)

    def __mul__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            return scaled(self, other)
        if other.constant is not None:
            return scaled(self, other.constant)
        if self.constant is not None:
            return scaled(other, self.constant)
        return _multiply(self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Dim | int) -> Dim:
        return _floor_divide(self, other if isinstance(other, Dim) else const(other))

    def __rfloordiv__(self, other: int) -> Dim:
        return const(other) // self

    def __mod__(self, other: Dim | int) -> Dim:
        return self - (self // other) * other

    def __rmod__(self, other: int) -> Dim:
        return const(other) % self

    @property
    def symbols(self) -> frozenset[Atom]:
        """The free symbols it depends on, those of definitions included."""
        try:
            return self._symbols
        except AttributeError:
            self._symbols: frozenset[Atom] = frozenset().union(
                *(_ATOMS[n].symbols for monomial, _ in self.terms for n in monomial)
            )
            return self._symbols

    @property
    def tight(self) -> Interval:
        """Bounds that also see `h - 2*(h//2)` and `min(n, 5) - n`: interval arithmetic with relaxation.

        >>> h = symbol("h", 1, 64)
        >>> (h - h // 2 * 2).lo, (h - h // 2 * 2).tight
        (-63, (0, 1))
        """
        try:
            return self._tight
        except AttributeError:
            self._tight: Interval = (self.lo, self.hi) if self.constant is not None else _relaxed(self)
            return self._tight

    def as_symbol(self) -> Atom | None:
        """The symbol this is, if it is nothing but one."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1:
            atom = _ATOMS[self.terms[0][0][0]]
            return atom if atom.op == "symbol" else None
        return None

    def atoms(self) -> list[Atom]:
        """The distinct atoms of its monomials, in order."""
        return [_ATOMS[n] for n in dict.fromkeys(n for monomial, _ in self.terms for n in monomial)]

    def __str__(self) -> str:
        from shapesmt.printing import dim_text

        return dim_text(self)

    def __repr__(self) -> str:
        return f"Dim({str(self)!r})"

    def __reduce__(self) -> Any:
        raise TypeError("a Dim lives in one process; send its text instead")


def const(value: int) -> Dim:
    """The constant expression."""
    found = _CONSTANTS.get(value)
    if found is None:
        found = _CONSTANTS[value] = _from_terms({(): int(value)})
    return found


def symbol(name: str, lo: Bound = 0, hi: Bound = inf, *, step: int = 1, kind: str = "input", fold: bool = True) -> Dim:
    """A free integer in `lo..hi`; the same name and range is the same symbol.

    With one value left it is that number, unless `fold` is off: then its name lives on, for explanations.

    `kind` is "input" (chosen by the caller of the model), "data" (decided by the data, so every
    value has to work), "trip" (the trips of a loop, each of which has to work) or "axis" (a position
    inside a tensor).
    """
    if fold and lo == hi:
        return const(int(lo))
    key = ("symbol", name, lo, hi, step, kind)
    atom = _ATOM_TABLE.get(key)
    if atom is None:
        atom = _ATOM_TABLE[key] = Atom("symbol", (), (lo, hi))
        atom.name, atom.step, atom.kind = name, step, kind
        atom.symbols = frozenset((atom,))
    return of_atom(atom)


def defined(meaning: Dim, name: str = "", bounds: Interval | None = None) -> Dim:
    """A symbol that stands for `meaning`: what keeps expressions small and nesting shallow."""
    if meaning.constant is not None:
        return meaning
    key = ("defined", meaning, name)
    atom = _ATOM_TABLE.get(key)
    if atom is None:
        atom = _ATOM_TABLE[key] = Atom("symbol", (), bounds or (meaning.lo, meaning.hi))
        atom.name, atom.kind, atom.definition = name or f"t{atom.number}", "defined", meaning
        atom.symbols = meaning.symbols
    return of_atom(atom)


def make_atom(op: str, args: tuple[Any, ...], bounds: Interval) -> Dim:
    """The interned application of `op` to `args` as an expression."""
    if any(getattr(a, "depth", 0) >= MAX_DEPTH for a in args):
        args = tuple(defined(a) if isinstance(a, Dim) and a.depth >= MAX_DEPTH else a for a in args)
    key = (op, *args)
    atom = _ATOM_TABLE.get(key)
    if atom is None:
        atom = _ATOM_TABLE[key] = Atom(op, args, bounds)
    return of_atom(atom)


def of_atom(atom: Atom) -> Dim:
    """The expression that is just this atom."""
    return _from_terms({(atom.number,): 1})


def scaled(dim: Dim, factor: int) -> Dim:
    """`factor * dim`."""
    if factor == 1 or not dim.terms:
        return dim
    if factor == 0:
        return ZERO
    return _from_terms({monomial: factor * c for monomial, c in dim.terms})


def total(dims: Iterable[Dim | int]) -> Dim:
    """The sum.

    >>> total([symbol("a", 1), 2, symbol("b", 1)])
    Dim('a + b + 2')
    """
    result = ZERO
    for d in dims:
        result = result + d
    return result


def product(dims: Iterable[Dim | int]) -> Dim:
    """The product.

    >>> product([symbol("a", 1), 2, symbol("b", 1)])
    Dim('2*a*b')
    """
    result = ONE
    for d in dims:
        result = result * d
    return result


def ceil_divide(a: Dim | int, b: Dim | int) -> Dim:
    """The quotient rounded up.

    >>> ceil_divide(symbol("h", 1), 4)
    Dim('(h + 3)//4')
    """
    return -((-as_dim(a)) // b)


def minimum(*dims: Dim | int) -> Dim:
    """The least of them; those that can't be it are dropped.

    >>> s = symbol("s", 1, 512)
    >>> minimum(s, 1024), minimum(s, 100)
    (Dim('s'), Dim('min(s, 100)'))
    """
    return _extreme("min", dims)


def maximum(*dims: Dim | int) -> Dim:
    """The greatest of them; those that can't be it are dropped."""
    return _extreme("max", dims)


def as_dim(value: Dim | int) -> Dim:
    """An int as a constant; a `Dim` as it is."""
    return value if isinstance(value, Dim) else const(value)


def substitute(dim: Dim, replaced: int, replacement: Dim) -> Dim:
    """`dim` with the atom of that number replaced at the top level of its polynomial."""
    result = ZERO
    for monomial, coefficient in dim.terms:
        rest = _from_terms({tuple(n for n in monomial if n != replaced): coefficient})
        for _ in range(monomial.count(replaced)):
            rest = rest * replacement
        result = result + rest
    return result


# Construction


def _from_terms(merged: dict[Monomial, int]) -> Dim:
    terms = tuple(sorted([t for t in merged.items() if t[1]]))
    dim = _DIMS.get(terms)
    if dim is not None:
        return dim
    dim = Dim.__new__(Dim)
    dim.terms = terms
    dim.constant = None
    dim.depth = 0
    if not terms:
        dim.lo = dim.hi = dim.constant = 0
    elif len(terms) == 1 and not terms[0][0]:
        dim.lo = dim.hi = dim.constant = terms[0][1]
    else:
        bounds: Interval = (0, 0)
        for monomial, coefficient in terms:
            bounds = intervals.add(bounds, _term_bounds(monomial, coefficient))
        dim.lo, dim.hi = bounds
        dim.depth = max(_ATOMS[n].depth for monomial, _ in terms for n in monomial)
        if len(terms) > MAX_TERMS:
            named = defined(dim)
            _DIMS[terms] = named
            return named
    _DIMS[terms] = dim
    return dim


def _term_bounds(monomial: Monomial, coefficient: int) -> Interval:
    if not monomial:
        return (coefficient, coefficient)
    bounds: Interval | None = None
    for n in dict.fromkeys(monomial):
        atom = _ATOMS[n]
        count = monomial.count(n)
        part = (atom.lo, atom.hi) if count == 1 else intervals.power((atom.lo, atom.hi), count)
        bounds = part if bounds is None else intervals.multiply(bounds, part)
    assert bounds is not None
    return intervals.scale(bounds, coefficient)


def _multiply(a: Dim, b: Dim) -> Dim:
    degree = max(len(m) for m, _ in a.terms) + max(len(m) for m, _ in b.terms)
    if len(a.terms) * len(b.terms) > MAX_PRODUCT or degree > MAX_DEGREE:
        first, second = sorted((a, b), key=lambda d: d.terms)
        bounds = intervals.multiply((a.lo, a.hi), (b.lo, b.hi))
        if a is b:
            bounds = intervals.power((a.lo, a.hi), 2)
        return make_atom("product", (first, second), bounds)
    merged: dict[Monomial, int] = {}
    for m, c in a.terms:
        for n, d in b.terms:
            key = tuple(sorted(m + n))
            merged[key] = merged.get(key, 0) + c * d
    return _from_terms(merged)


# Floor division


def _floor_divide(a: Dim, b: Dim) -> Dim:
    if b.constant is not None:
        if b.constant == 0:
            return ZERO
        if b.constant < 0:
            a, b = -a, -b
        assert b.constant is not None
        return _divide_by_constant(a, b.constant)
    if a is ZERO:
        return ZERO
    if b.lo > 0 or b.hi < 0:
        quotient, a = _exact_part(a, b)
        if a is ZERO:
            return quotient
        a, b = _cancelled(a, b)
        if b.constant is not None:
            return quotient + a // b
        if b.lo > 0 and a.lo >= 0 and (b - a).tight[0] > 0:
            return quotient
        return quotient + make_atom("floordiv", (a, b), intervals.floor_divide((a.lo, a.hi), (b.lo, b.hi)))
    return make_atom("floordiv", (a, b), intervals.floor_divide((a.lo, a.hi), (b.lo, b.hi)))


def _divide_by_constant(a: Dim, k: int) -> Dim:
    if k == 1:
        return a
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, c in a.terms:
        q = c // k if not monomial else (c // k if c > 0 else -(-c // k))
        whole[monomial] = q
        rest[monomial] = c - q * k
    quotient, remainder = _from_terms(whole), _from_terms(rest)
    if remainder.constant is not None:
        return quotient
    leading = next(c for m, c in remainder.terms if m)
    if leading < 0:  # floor(-x/k) is -ceil(x/k)
        return quotient - _quotient_atom(-remainder + (k - 1), k)
    return quotient + _quotient_atom(remainder, k)


def _quotient_atom(a: Dim, k: int) -> Dim:
    """`a // k` for the rest that exact division leaves."""
    shift = dict(a.terms).get((), 0)
    g = k
    for monomial, c in a.terms:
        if monomial:
            g = gcd(g, c)
    if g > 1:
        return (_from_terms({m: c // g for m, c in a.terms if m}) + shift // g) // (k // g)
    for monomial, c in a.terms:
        if c == 1 and len(monomial) == 1:
            atom = _ATOMS[monomial[0]]
            if atom.op == "floordiv" and atom.args[1].constant is not None:
                inner, m = as_dim(atom.args[0]), int(atom.args[1].constant)
                if m > 0:  # x + floor(e/m) is floor((m*x + e)/m), and nested floors merge
                    return ((a - of_atom(atom)) * m + inner) // (m * k)
    lo, hi = a.tight
    if lo > -inf and hi < inf and lo // k == hi // k and lo < hi:  # a symbol with one value keeps its name
        return const(int(lo // k))
    return make_atom("floordiv", (a, const(k)), intervals.floor_divide((lo, hi), (k, k)))


def _exact_part(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """`(q, r)` with `a == q*b + r`, where q takes what divides exactly."""
    quotient: dict[Monomial, int] = {}
    lead, coefficient = max(b.terms, key=lambda t: (len(t[0]), t[0]))
    for _ in range(MAX_PRODUCT):
        step = next(
            (
                (shorter, c // coefficient)
                for monomial, c in sorted(a.terms, key=lambda t: (-len(t[0]), t[0]))
                if c % coefficient == 0 and (shorter := _without(monomial, lead)) is not None
            ),
            None,
        )
        if step is None:
            break
        quotient[step[0]] = quotient.get(step[0], 0) + step[1]
        a = a - b * _from_terms({step[0]: step[1]})
        if len(b.terms) > 1 and len(a.terms) > MAX_PRODUCT:
            break
    return _from_terms(quotient), a


def _without(monomial: Monomial, part: Monomial) -> Monomial | None:
    left = list(monomial)
    for n in part:
        if n not in left:
            return None
        left.remove(n)
    return tuple(left)


def common_factor(dims: Sequence[Dim]) -> tuple[int, Monomial]:
    """The greatest integer and the greatest monomial that divide every term of all of them."""
    number, shared = 0, None
    for d in dims:
        for monomial, c in d.terms:
            number = gcd(number, c)
            shared = list(monomial) if shared is None else _shared(shared, monomial)
    return number, tuple(shared or ())


def _shared(a: list[int], b: Monomial) -> list[int]:
    left, both = list(b), []
    for n in a:
        if n in left:
            left.remove(n)
            both.append(n)
    return both


def divide_terms(dim: Dim, number: int, monomial: Monomial) -> Dim:
    """`dim / (number * monomial)` where that is exact term by term."""
    return _from_terms({_without(m, monomial) or (): c // number for m, c in dim.terms})


def _cancelled(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Numerator and denominator without their common factor (which isn't 0, as b isn't)."""
    number, monomial = common_factor((a, b))
    return divide_terms(a, number, monomial), divide_terms(b, number, monomial)


# Minimum and maximum


def _extreme(op: str, operands: Sequence[Dim | int]) -> Dim:
    flat: dict[Dim, None] = {}
    for d in map(as_dim, operands):
        atom = (
            _ATOMS[d.terms[0][0][0]] if len(d.terms) == 1 and len(d.terms[0][0]) == 1 and d.terms[0][1] == 1 else None
        )
        flat.update(dict.fromkeys(atom.args if atom is not None and atom.op == op else (d,)))
    kept: list[Dim] = []
    for d in flat:
        if not any(_dominates(op, other, d) for other in kept):
            kept = [other for other in kept if not _dominates(op, d, other)]
            kept.append(d)
    if len(kept) == 1:
        return kept[0]
    kept.sort(key=lambda d: d.terms)
    pick = min if op == "min" else max
    return make_atom(op, tuple(kept), (pick(d.lo for d in kept), pick(d.hi for d in kept)))


def _dominates(op: str, a: Dim, b: Dim) -> bool:
    """True when b never decides the extreme because a is there."""
    if op == "min":
        a, b = b, a
    return a.lo >= b.hi or (a - b).tight[0] >= 0


# Relaxed bounds


def _relaxed(dim: Dim) -> Interval:
    if dim.depth > MAX_RELAXED:
        return dim.lo, dim.hi
    budget = [40]
    lo, hi = -_upper(-dim, 3, budget), _upper(dim, 3, budget)
    _, shared = common_factor((dim,))
    if shared and len(dim.terms) > 1:  # a*b - a is a*(b - 1)
        rest = divide_terms(dim, 1, shared).tight
        product_lo, product_hi = intervals.multiply(_term_bounds(shared, 1), rest)
        return max(lo, product_lo), min(hi, product_hi)
    return lo, hi


def _upper(p: Dim, depth: int, budget: list[int]) -> Bound:
    """A bound above p: one atom at a time gives way to what it is at most (or at least)."""
    best = p.hi
    if depth == 0 or p.constant is not None:
        return best
    for monomial, coefficient in p.terms:
        for n in dict.fromkeys(monomial):
            atom = _ATOMS[n]
            if atom.op not in _RELAXABLE or budget[0] <= 0:
                continue
            rest = _from_terms({_without(monomial, (n,)) or (): coefficient})
            if rest.lo < 0 < rest.hi:
                continue
            budget[0] -= 1
            others = p - rest * of_atom(atom)
            best = min(best, _upper_without(others, rest, atom, depth - 1, budget))
    return best


def _upper_without(others: Dim, factor: Dim, atom: Atom, depth: int, budget: list[int]) -> Bound:
    """A bound above `others + factor*atom`, where factor doesn't change sign."""
    if atom.op == "floordiv":
        numerator, k = atom.args[0], atom.args[1].constant
        if k is None or k <= 0:
            return inf
        most = numerator if factor.lo >= 0 else numerator - (k - 1)
        bound = _upper(others * k + factor * most, depth, budget)
        return bound if bound in (inf, -inf) else bound // int(k)
    choices = [_upper(others + factor * a, depth, budget) for a in atom.args if isinstance(a, Dim)]
    one_is_enough = (atom.op == "min") == (factor.lo >= 0) and atom.op != "select"
    return min(choices) if one_is_enough else max(choices)


_RELAXABLE = frozenset({"floordiv", "min", "max", "select"})
_CONSTANTS: dict[int, Dim] = {}
ZERO = const(0)
ONE = const(1)
