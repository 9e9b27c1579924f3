"""Domain: the set of admissible inputs, as symbols in their ranges under facts.

>>> from shapesmt.prover.algebra import at_least, divides, symbol
>>> h, w = symbol("h", 1, 512), symbol("w", 1, 512)
>>> domain = Domain([h, w], [divides(16, h), at_least(h, w)])
>>> domain.ends(h.as_symbol())  # by the facts about h alone
(16, 512)
>>> [s.name for s in domain.closure(w.symbols)[0]]  # a fact relates w to h
['h', 'w']
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from math import inf, prod
from typing import TypeVar

from shapesmt.base.errors import UsageError
from shapesmt.base.lazy import np
from shapesmt.prover.algebra import (
    FALSE,
    SAFE,
    TRUE,
    Atom,
    Dim,
    Formula,
    Interval,
    Kind,
    Substitution,
    all_of,
    as_dim,
    at_least,
    fits_int64,
    memo,
    of_atom,
    substitute,
    symbol,
)
from shapesmt.prover.algebra.growth import half_line_of
from shapesmt.prover.algebra.numeric import weaker
from shapesmt.prover.presolve.elimination import Elimination, Expression, range_facts, related
from shapesmt.prover.presolve.enumeration import Points, Values, rows_where, seen_at_an_end, truth_over
from shapesmt.prover.presolve.limits import MAX_POINTS, MAX_VALUES
from shapesmt.prover.presolve.values import divisor_values, in_window, values_left

_NARROWINGS: dict[Hashable, dict[Atom, Dim]] = memo("narrowings", {})
_EMPTY: dict[Hashable, bool | None] = memo("empty domains", {})
Answer = TypeVar("Answer")


def compute_once(
    answers: dict[Hashable, Answer], domain: Domain, about: Hashable, work: Callable[[], Answer]
) -> Answer:
    """Return the answer to a question `about` a domain, cached in `answers` for all domains with the same `key`."""
    key = domain.key, about
    if key not in answers:
        answers[key] = work()
    return answers[key]


def _symbol(d: Dim) -> Atom:
    atom = d.as_symbol()
    if atom is None:
        raise UsageError(f"a domain is of symbols, and {d} is an expression")
    return atom


class Domain:
    """The admissible inputs: symbols in their ranges that satisfy all facts, such as `h % 16 == 0`.

    Attributes:
        symbols: The free symbols, in the order in which they are shown.
        implied: Conditions that the facts imply, which count as assumed too.

    Raises:
        UsageError: An expression is given in place of a symbol.
    """

    def __init__(self, symbols: Iterable[Atom | Dim], facts: Iterable[Formula] = ()) -> None:
        self.symbols = [s if isinstance(s, Atom) else _symbol(s) for s in symbols]
        self._place = {s: i for i, s in enumerate(self.symbols)}
        self.implied: tuple[Formula, ...] = ()
        self._stated: list[tuple[Formula, bool]] = []  # facts (True) and limits (False), in order
        self._used = 0  # number of `_stated` entries applied to the fields below
        self._using = False
        self._facts: list[Formula] = []
        self._essential: list[Formula] = []  # facts that say the same, fewer if possible
        self._values: dict[Atom, Values | None] = {}
        self._ends: dict[Atom, Interval] = {}
        self._relations: list[Formula] = []
        self._limits: list[Formula] = []
        self._elimination = Elimination()
        self._points: dict[frozenset[Atom], Points | None] = {}
        for fact in (*(in_window(s, s.window) for s in self.symbols if s.window), *facts):
            self.assume(fact)

    @property
    def key(self) -> Hashable:
        """A key that is equal for domains with the same symbols, narrowed by the same facts in the same order."""
        return tuple(self.symbols), tuple(self._stated), self.implied

    def order(self, symbol: Atom) -> tuple[int, str]:
        """Return a sort key for a symbol: those in `symbols` come first, in their order, then all others by name."""
        return self._place.get(symbol, len(self._place)), symbol.name

    def copy(self) -> Domain:
        """Return a copy that can be narrowed independently."""
        twin = Domain(self.symbols)
        twin._stated, twin._used, twin.implied = list(self._stated), self._used, self.implied
        twin._facts, twin._essential = list(self._facts), list(self._essential)
        twin._relations, twin._limits = list(self._relations), list(self._limits)
        twin._values, twin._ends, twin._points = dict(self._values), dict(self._ends), dict(self._points)
        twin._elimination = self._elimination.copy()
        return twin

    def assume(self, fact: Formula) -> None:
        """Narrow the domain to the inputs that satisfy the fact."""
        self._stated.append((fact, True))

    def limit(self, fact: Formula) -> None:
        """Add a fact about a data-dependent size, such as `count <= n`; it doesn't restrict the inputs."""
        if (fact, False) not in self._stated:
            self._stated.append((fact, False))

    def _use(self) -> None:
        """Apply stated facts that aren't applied yet; looking up an answer by `key` doesn't need this."""
        if self._used == len(self._stated) or self._using:
            return
        self._using, first = True, len(self._relations)
        try:
            while self._used < len(self._stated):
                fact, assumed = self._stated[self._used]
                if assumed:
                    self._assume(fact)
                else:
                    self._limits.append(fact)
                    self._points.clear()
                self._used += 1
            for s in dict.fromkeys(s for f in self._relations[first:] if len(f.symbols) == 1 for s in f.symbols):
                self._sum_up(s)
        finally:
            self._using = False

    def _assume(self, fact: Formula) -> None:
        for part in self.simplify(fact).conjuncts:
            for bound in weaker(part):
                self._cut(bound)
            sides = self._sides(part)
            if sides is not None:
                self._values.update(sides)
            elif not self._cut(part):
                self._relations.append(part)
                self._elimination.add(self.eliminate(part))
                for factor, values in divisor_values(part).items():
                    self._keep(factor, values)
                self._fix(part.symbols)
            self._facts.append(part)
            self._essential.append(part)
            changed = {*self.closure(part.symbols)[0]}
            self._points = {of: points for of, points in self._points.items() if of.isdisjoint(changed)}

    def _sum_up(self, s: Atom) -> None:
        """Replace the facts about a symbol alone by its minimum and a window, if these say the same."""
        low, high = self.ends(s)
        if s.universal or low == -inf or high < inf or self._values.get(s) is not None:
            return
        left = values_left(s, int(low), self._relations)
        if left.exact:
            self._ends[s] = left.low, high
            window = [in_window(s, left.window)] if left.window is not None else []
            bound = [at_least(of_atom(s), left.low)] if left.low > s.lo else []
            self._relations = [*(f for f in self._relations if f.symbols != {s}), *window]
            self._essential = [*(f for f in self._essential if f.symbols != {s}), *bound, *window]

    def _fix(self, symbols: Iterable[Atom]) -> None:
        """Narrow each symbol that equalities determine to be a number to that number."""
        for s in symbols:
            definition = self._elimination.definitions.get(s)
            if definition is not None and definition.constant is not None and fits_int64(definition):
                self._keep(s, np.array([definition.constant], dtype=np.int64))

    def _keep(self, symbol: Atom, values: Values) -> None:
        """Narrow a symbol to the ascending `values`, without those that its range, step or earlier facts exclude."""
        listed, (lo, hi) = self._values.get(symbol), self.ends(symbol)
        steps = (values - int(lo)) % symbol.step == 0 if lo > -inf else True
        inside = values[(values >= lo) & (values <= hi) & steps]
        self._values[symbol] = inside if listed is None else np.intersect1d(inside, listed)

    def _sides(self, fact: Formula) -> dict[Atom, Values | None] | None:
        """Return the values that a fact admits for each symbol, if it admits all combinations of them; else None.

        Most such facts are about one symbol. An example about two is `x * y % 49 == 0` in [1, 48]: multiples of 7.
        """
        alone = next(iter(fact.symbols)) if len(fact.symbols) == 1 else None
        axis = None if alone is None else self.values(alone)
        if alone is not None and axis is not None and self.fits(fact):
            return {alone: rows_where(axis, truth_over(alone, axis, fact))}
        symbols, facts = self.closure(fact.symbols)
        axes = [self.values(s) for s in symbols]
        points = None if facts or not self.fits(fact) else self.points(symbols)
        sides = None if points is None else points.sides(fact)
        if sides is None:
            return None
        return {s: axis[side] for s, axis, side in zip(symbols, axes, sides, strict=True) if axis is not None}

    def _cut(self, fact: Formula) -> bool:
        """Narrow a symbol's range by a fact such as `n >= 4` and return True; return False for other kinds of facts."""
        half_line = half_line_of(fact)
        if half_line is None:
            return False
        symbol, way, end = half_line
        lo, hi = self.ends(symbol)
        if way > 0 and end > lo:
            lo = end if lo == -inf else end + (int(lo) - end) % symbol.step
        self._ends[symbol] = (lo, hi if way > 0 else min(hi, end))
        values = self._values.pop(symbol, None)
        if values is not None:
            self._values[symbol] = values[(values >= lo) & (values <= self._ends[symbol][1])]
        return True

    @property
    def facts(self) -> list[Formula]:
        """The assumed facts: the user's relations, and each reported condition once it is reported."""
        self._use()
        return self._facts

    @property
    def relations(self) -> tuple[Formula, ...]:
        """The facts that relate several symbols, or that are about a symbol with too many values to list."""
        self._use()
        return tuple(self._relations)

    def ends(self, symbol: Atom) -> Interval:
        """Return the minimum and maximum of a symbol by the facts about it alone; infinite if it is unbounded."""
        self._use()
        values = self._values.get(symbol)
        if values is not None and len(values):
            return int(values[0]), int(values[-1])
        return self._ends.get(symbol, (symbol.lo, symbol.hi))

    @property
    def numbers(self) -> dict[Atom, Dim]:
        """The symbols with a single value by the facts about them alone, each with that value."""
        ends = ((s, *self.ends(s)) for s in self.symbols)
        return {s: as_dim(int(lo)) for s, lo, hi in ends if lo <= hi < lo + s.step}

    @property
    def limits(self) -> tuple[Formula, ...]:
        """The facts about data-dependent sizes."""
        return tuple([fact for fact, assumed in self._stated if not assumed])

    def simplify(self, formula: Formula) -> Formula:
        """Return `TRUE` or `FALSE` if the equalities among the facts decide the condition, else the condition."""
        simpler = self.eliminate(formula)
        return simpler if simpler is TRUE or simpler is FALSE else formula

    def eliminate(self, expression: Expression) -> Expression:
        """Replace the symbols that equalities among the facts determine: if `m == n + 1`, `2*m` becomes `2*n + 2`."""
        self._use()
        return self._elimination.apply(expression)

    @property
    def definitions(self) -> dict[Atom, Dim]:
        """The symbols that equalities among the facts determine, with the expressions that they are equal to."""
        self._use()
        return self._elimination.definitions

    def values(self, symbol: Atom) -> Values | None:
        """Return every value of a symbol that the facts about it alone admit; None if they are too many."""
        self._use()
        if symbol not in self._values:
            each = self.progression(symbol)
            few = None if each is None else np.arange(each.start, each.stop, each.step, dtype=np.int64)
            self._values[symbol] = few
        return self._values[symbol]

    def progression(self, symbol: Atom) -> range | None:
        """Return the values of a symbol in its ends, in steps; None if they are too many."""
        lo, hi = self.ends(symbol)
        few = max(-lo, hi) < SAFE and (hi - lo) // symbol.step < MAX_VALUES
        return range(int(lo), int(hi) + 1, symbol.step) if few else None

    def value_list(self, symbol: Atom) -> Values | None:
        """Return the values of a symbol if a fact about it or a call of `values` has listed them; else None."""
        self._use()
        return self._values.get(symbol)

    def narrowing(self) -> dict[Atom, Dim]:
        """Return replacements for symbols that facts restrict: an equal expression or a symbol of narrower range."""
        return compute_once(_NARROWINGS, self, None, self._narrowing)

    def _narrowing(self) -> dict[Atom, Dim]:
        self._use()
        definitions = {s: definition for s, definition in self._elimination.definitions.items() if not s.universal}
        ranges: dict[Atom, Dim] = {}
        for s in self.symbols:
            (lo, hi), window = self.ends(s), s.window
            if s.hi == inf and lo > -inf:
                lo, window, _ = values_left(s, int(lo), self._relations)
            if s not in definitions and lo <= hi and (lo > s.lo or hi < s.hi or window != s.window):
                kind = Kind.INPUT if s.kind is Kind.VALUE else s.kind  # a fact restricts the element now
                ranges[s] = symbol(s.name, lo, hi, step=s.step, kind=kind, window=window)
        return {s: substitute(definition, ranges) for s, definition in definitions.items()} | ranges

    def substitute(self, definitions: Mapping[Atom, Dim]) -> Domain:
        """Return the domain with symbols replaced by expressions: with `{n: 2*k}`, `n >= 4` becomes `k >= 2`."""
        if not definitions:
            return self
        substitution = Substitution(definitions)
        symbols = dict.fromkeys(s for old in self.symbols for s in substitution.apply(of_atom(old)).symbols)
        facts = [substitution.apply(f) for f in self.facts]
        for s, definition in self._elimination.definitions.items():
            if s in definitions:  # the symbol's range becomes a range of its expression
                facts += [substitution.apply(f) for f in range_facts(s, definition)]
        twin = Domain(symbols, facts)
        for limit in self.limits:
            twin.limit(substitution.apply(limit))
        return twin

    def closure(self, symbols: Iterable[Atom]) -> tuple[list[Atom], list[Formula]]:
        """Return `symbols` with all symbols that chains of facts relate to them, and these facts.

        For example, if the facts are `h >= w` and `w >= k`, the closure of h is `[h, w, k]` with both facts. A fact
        that only excludes values of single symbols isn't among them: `values` and `ends` apply it.
        """
        self._use()
        return self._closure_under(symbols, self._relations)

    def _closure_under(self, symbols: Iterable[Atom], relations: list[Formula]) -> tuple[list[Atom], list[Formula]]:
        closure, facts = related(symbols, relations, self._limits)
        return sorted(closure, key=self.order), facts

    def about(self, symbols: Iterable[Atom]) -> tuple[list[Atom], list[Formula]]:
        """Return `symbols` with all symbols that facts relate to them, and all facts about these.

        Unlike `closure`, it includes the facts about one symbol alone, which a solver needs, summed up if possible.
        """
        self._use()
        return self._closure_under(symbols, self._essential)

    def points(self, symbols: Iterable[Atom]) -> Points | None:
        """Return every admissible assignment of the symbols in the closure of `symbols`; None if there are too many."""
        self._use()
        key = frozenset(symbols)
        if key not in self._points:
            tied, facts = self.closure(key)
            self._points[key] = self._enumerate(tied, facts)
        return self._points[key]

    def _enumerate(self, symbols: list[Atom], facts: list[Formula]) -> Points | None:
        axes = [values for s in symbols if (values := self.values(s)) is not None]
        if len(axes) < len(symbols) or prod(map(len, axes)) > MAX_POINTS:
            return None
        fit = dict.fromkeys(filter(fits_int64, facts))
        points = Points(symbols, axes, [*fit])
        for fact in facts:
            if fact not in fit:
                if not points.fits(fact):
                    return None
                points.keep(points.truth(fact))
        return points

    def fits(self, what: Dim | Formula) -> bool:
        """Whether an expression or a condition can be evaluated for all admissible values without overflow."""
        if fits_int64(what):
            return True
        points = self.points(what.symbols)
        return points is not None and points.fits(what)

    def is_empty(self) -> bool | None:
        """Whether no input is admissible at all; None if that takes a solver."""
        return compute_once(_EMPTY, self, None, self._is_empty)

    def _is_empty(self) -> bool | None:
        if FALSE in self.facts:
            return True
        if self._relations and seen_at_an_end(all_of(*self.facts), {s: self.ends(s) for s in self.symbols}):
            return False
        undecided, seen = False, set[Atom]()
        for s in self.symbols:
            if s in seen:  # decided with a related symbol
                continue
            (lo, hi), listed = self.ends(s), self.value_list(s)
            if lo > hi or (listed is not None and not len(listed)):
                return True
            tied, related = self.closure((s,))
            points = self.points((s,)) if related else None
            if points is not None and not points.count:
                return True
            seen.update(tied if points is not None else ())
            undecided |= bool(related) and points is None
        return None if undecided else False
