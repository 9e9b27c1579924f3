"""Presolve: cheap certificates before any solver is asked.

A `Domain` is the set of admissible inputs: the symbols' ranges and the facts assumed so far. What normal forms and
intervals left open is settled here by substituting the equalities among the facts and by running through every
admissible assignment where they are few enough. That is a proof, and it finds the smallest counterexample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from shapesmt.algebra import (
    FALSE,
    SYMBOL,
    TRUE,
    Atom,
    Dim,
    Evaluator,
    Formula,
    Interval,
    Kind,
    Substitution,
    all_of,
    at_least,
    divides,
    fits_int64,
    of_atom,
    substitute,
    symbol,
    tight,
)
from shapesmt.presolve.enumeration import Assignment, Points, Values, chosen, distance, seen_at_an_end, truth_over
from shapesmt.presolve.monotonicity import direction, half_line, window

MAX_VALUES = 1 << 20  # of one symbol
MAX_POINTS = 1 << 21  # of several together
CERTIFICATES = ("normal form", "assumed", "enumeration", "z3")  # the cheapest first


class Decision(NamedTuple):
    """Whether a condition holds over a domain: "always", "never", "sometimes" or "unknown"; `by` names the proof."""

    holds: str
    by: str
    counterexample: Assignment | None = None


class Domain:
    """The admissible inputs: symbols in their ranges, under facts.

    Attributes:
        symbols: The free symbols of the model, in the order they are to be shown.
        facts: What is assumed: the user's relations, and each reported condition from its report on.
    """

    def __init__(self, symbols: Iterable[Atom], facts: Iterable[Formula] = ()) -> None:
        self.symbols = list(symbols)
        self._place = {s: i for i, s in enumerate(self.symbols)}
        self.facts: list[Formula] = []
        self._values: dict[Atom, Values | None] = {}
        self._ends: dict[Atom, Interval] = {}
        self._relations: list[Formula] = []
        self._limits: list[Formula] = []
        self._solved: dict[Atom, Dim] = {}
        self._points: dict[frozenset[Atom], Points | None] = {}
        for fact in facts:
            self.assume(fact)

    def order(self, symbol: Atom) -> tuple[int, str]:
        """Sorts symbols as they are declared; those of data come last, by name."""
        return self._place.get(symbol, len(self._place)), symbol.name

    def copy(self) -> Domain:
        """The same set, to be narrowed apart."""
        twin = Domain(self.symbols)
        twin.facts, twin._relations, twin._limits = list(self.facts), list(self._relations), list(self._limits)
        twin._values, twin._solved, twin._points = dict(self._values), dict(self._solved), dict(self._points)
        twin._ends = dict(self._ends)
        return twin

    def assume(self, fact: Formula) -> None:
        """Narrow the domain to where the fact holds."""
        for part in self.simplified(fact).conjuncts:
            self.facts.append(part)
            sides = self._sides(part)
            if sides is not None:
                self._values.update(sides)
            elif not self._cut(part):
                self._relations.append(part)
                self._solve(part)
            self._points.clear()

    def _sides(self, fact: Formula) -> dict[Atom, Values | None] | None:
        """Of each symbol the values that a fact leaves, if each may be combined with each; None where it relates them.

        A fact on one symbol is the usual case; a product that has to be a multiple of 7 * 7 can be another.
        """
        symbols, facts = self.cone(fact.symbols)
        axes = [self.values(s) for s in symbols]
        if len(symbols) == 1 and axes[0] is not None and fits_int64(fact):
            return {symbols[0]: chosen(axes[0], truth_over(symbols[0], axes[0], fact))}
        points = None if facts or not fits_int64(fact) else self.points(symbols)
        sides = None if points is None else points.sides(fact)
        if sides is None:
            return None
        return {s: axis[side] for s, axis, side in zip(symbols, axes, sides, strict=True) if axis is not None}

    def _cut(self, fact: Formula) -> bool:
        """Move an end of a symbol with too many values to where a fact puts it, if that is all that it says."""
        found = _half_line(fact)
        if found is None:
            return False
        symbol, way, end = found
        lo, hi = self.ends(symbol)
        if way > 0 and end > lo:
            lo = end if lo == -inf else end + (int(lo) - end) % symbol.step
        self._ends[symbol] = (lo, hi if way > 0 else min(hi, end))
        self._values.pop(symbol, None)
        return True

    def ends(self, symbol: Atom) -> Interval:
        """The least and the greatest value of a symbol that the facts about it alone admit."""
        values = self._values.get(symbol)
        if values is not None and len(values):
            return int(values[0]), int(values[-1])
        return self._ends.get(symbol, (symbol.lo, symbol.hi))

    def limit(self, fact: Formula) -> None:
        """Take in what is known of a size that data decides; it says nothing of the inputs."""
        if fact not in self._limits:
            self._limits.append(fact)
            self._points.clear()

    @property
    def limits(self) -> tuple[Formula, ...]:
        """What is known of sizes that data decides."""
        return tuple(self._limits)

    def _solve(self, fact: Formula) -> None:
        """Take an equality that gives one symbol in terms of the others as a substitution."""
        if fact.op != "eq" or fact.dim is None:
            return
        single = [(factors[0], c) for factors, c in fact.dim.products() if len(factors) == 1 and abs(c) == 1]
        for atom, coefficient in sorted(single, key=lambda t: not t[0].universal):
            meaning = of_atom(atom) - fact.dim * coefficient
            decides = atom.universal or not any(s.universal for s in meaning.symbols)  # no input by what data decides
            if atom.op is SYMBOL and atom.definition is None and atom not in meaning.symbols and decides:
                substitution = Substitution({atom: meaning})
                self._solved = {a: substitution.apply(m) for a, m in self._solved.items()}
                self._solved[atom] = meaning
                return

    def simplified(self, formula: Formula) -> Formula:
        """The condition with the equalities among the facts put in."""
        if self._solved and not formula.symbols.isdisjoint(self._solved):
            simpler: Formula = Substitution(self._solved).apply(formula)
            if simpler is TRUE or simpler is FALSE:
                return simpler
        return formula

    def values(self, symbol: Atom) -> Values | None:
        """Every value of a symbol that the facts about it alone admit; None where they are too many."""
        if symbol not in self._values:
            lo, hi = self.ends(symbol)
            few = lo > -inf and hi < inf and (hi - lo) // symbol.step < MAX_VALUES
            self._values[symbol] = np.arange(int(lo), int(hi) + 1, symbol.step, dtype=np.int64) if few else None
        return self._values[symbol]

    def narrowing(self) -> dict[Atom, Dim]:
        """What the facts leave of single symbols: a narrower range, or an expression over the others."""
        left = {s: d for s, d in self._solved.items() if not s.universal}
        for s in self.symbols:
            lo, hi = self.ends(s)
            if s not in left and lo <= hi and (lo > s.lo or hi < s.hi):
                left[s] = symbol(s.name, lo, hi, step=s.step, kind=s.kind)
        ranges = {s: d for s, d in left.items() if s not in self._solved}
        return {s: substitute(d, ranges) if s in self._solved else d for s, d in left.items()}

    def replaced(self, meanings: Mapping[Atom, Dim]) -> Domain:
        """The same set over other symbols."""
        if not meanings:
            return self
        substitution = Substitution(meanings)
        symbols = dict.fromkeys(s for old in self.symbols for s in substitution.apply(of_atom(old)).symbols)
        facts = [substitution.apply(f) for f in self.facts]
        for s, meaning in self._solved.items():
            if s in meanings:  # its own range now is one of what it stands for
                facts += [substitution.apply(f) for f in range_facts(s, meaning)]
        twin = Domain(symbols, facts)
        twin._limits = [substitution.apply(f) for f in self._limits]
        return twin

    def cone(self, symbols: Iterable[Atom]) -> tuple[list[Atom], list[Formula]]:
        """The symbols that the given ones are tied to by facts beyond the values of each, and those facts."""
        return self._tied(symbols, self._relations)

    def _tied(self, symbols: Iterable[Atom], relations: list[Formula]) -> tuple[list[Atom], list[Formula]]:
        found = set(symbols)
        facts: dict[Formula, None] = {}
        grown = True
        while grown:
            grown = False
            tied = [f for f in relations if not f.symbols.isdisjoint(found)]
            tied += [f for f in self._limits if any(s.universal and s in found for s in f.symbols)]
            for fact in tied:
                facts[fact] = None
                grown |= not fact.symbols <= found
                found |= fact.symbols
        return sorted(found, key=self.order), list(facts)

    def about(self, symbols: Iterable[Atom]) -> tuple[list[Atom], list[Formula]]:
        """The symbols that any fact ties the given ones to, and all facts about them: for a solver."""
        return self._tied(symbols, self.facts)

    def points(self, symbols: Iterable[Atom]) -> Points | None:
        """Every admissible assignment of the symbols and those tied to them; None where they are too many."""
        key = frozenset(symbols)
        if key not in self._points:
            tied, facts = self.cone(key)
            self._points[key] = self._enumerate(tied, facts)
        return self._points[key]

    def _enumerate(self, symbols: list[Atom], facts: list[Formula]) -> Points | None:
        count = 1
        axes: list[Values] = []
        for s in symbols:
            values = self.values(s)
            if values is None:
                return None
            axes.append(values)
            count *= len(values)
        if count > MAX_POINTS or not all(map(fits_int64, facts)):
            return None
        return Points(symbols, axes, facts)

    def decide(self, formula: Formula) -> Decision | None:
        """Whether the condition holds over the domain; None where that takes a solver."""
        decisions = [self.decide_part(part) for part in self.independent(self.simplified(formula))]
        known = [d for d in decisions if d is not None]
        return self.together(known) if len(known) == len(decisions) else None

    def independent(self, formula: Formula) -> list[Formula]:
        """The conjuncts of a condition joined into groups that no symbol and no fact ties together."""
        parts = formula.conjuncts
        if len(parts) < 2:
            return list(parts)
        groups: list[tuple[set[Atom], list[Formula]]] = []
        for part in parts:
            tied, together = set(self.cone(part.symbols)[0]), [part]
            for group in [g for g in groups if g[0] & tied]:
                groups.remove(group)
                tied, together = tied | group[0], group[1] + together
            groups.append((tied, together))
        groups.sort(key=lambda g: min(map(self.order, g[0]), default=(0, "")))
        return [all_of(*together) for _, together in groups]

    def together(self, decisions: Sequence[Decision]) -> Decision:
        """The decision on independent conditions, from those on each."""
        if len(decisions) == 1:
            return decisions[0]
        failing = [d for d in decisions if d.holds != "always"]
        if not failing:
            return Decision("always", max((d.by for d in decisions), key=CERTIFICATES.index, default=CERTIFICATES[0]))
        if any(d.holds == "unknown" for d in failing):
            return min((d for d in failing if d.holds != "sometimes"), key=lambda d: d.holds)  # never, else unknown
        holds = "never" if any(d.holds == "never" for d in failing) else "sometimes"
        shown = [d for d in failing if d.holds == holds]
        return Decision(holds, shown[0].by, min(reversed([d.counterexample or {} for d in shown]), key=distance))

    def decide_part(self, formula: Formula) -> Decision | None:
        """Whether one of the independent conditions holds, by running through the symbols it is tied to."""
        if formula is FALSE:
            return Decision("never", "normal form", {})
        if formula in self.facts:
            return Decision("always", "assumed")
        points = self.points(formula.symbols) if fits_int64(formula) else None
        if points is None:
            return self._by_ends(formula) or self._by_window(formula)
        truth = points.truth(formula)
        if truth.all():
            return Decision("always", "enumeration")
        counterexample = points.smallest(~truth)
        return Decision("sometimes" if points.some_run(truth) else "never", "enumeration", counterexample)

    def _by_ends(self, formula: Formula) -> Decision | None:
        """Whether a condition holds that says from where on, or up to where, a symbol's values are good."""
        found = [_half_line(part) for part in formula.conjuncts]
        (symbol, *others), facts = self.cone(formula.symbols)
        lo, hi = self.ends(symbol)
        if others or facts or symbol.kind is Kind.TRIP or lo > hi or lo == -inf or not all(found):
            return None
        least = max((end for _, way, end in filter(None, found) if way > 0), default=lo)
        most = min((end for _, way, end in filter(None, found) if way < 0), default=hi)
        if least <= lo and hi <= most:
            return Decision("always", "enumeration")
        low = int(lo)
        above = low if least > low else int(most) + 1 + (low - int(most) - 1) % symbol.step
        first = max(least, low) + (low - max(least, low)) % symbol.step
        return Decision("sometimes" if first <= min(most, hi) else "never", "enumeration", {symbol: max(above, low)})

    def _by_window(self, formula: Formula) -> Decision | None:
        """Whether a condition on one symbol without upper end holds, by the values that show all that it ever does."""
        (s, *others), facts = self.cone(formula.symbols)
        lo, hi = self.ends(s)
        if others or s.kind is Kind.TRIP or lo == -inf or hi < inf:
            return None
        last = window([*facts, formula], s, int(lo))
        if last is None or last - lo >= MAX_VALUES:
            return None
        x = symbol(s.name, lo, last, step=s.step, kind=s.kind, fold=False)
        substitution = Substitution({s: x})
        decision = Domain(x.symbols, map(substitution.apply, facts)).decide(substitution.apply(formula))
        if decision is None or decision.holds == "always":
            return decision
        return decision._replace(counterexample={s: next(iter((decision.counterexample or {}).values()), int(lo))})

    def grows_without_end(self, dim: Dim) -> Assignment | None:
        """The lowest point of an expression that no end of its symbols bounds; None where that isn't known."""
        symbols, facts = self.cone(dim.symbols)
        open_ended = [s for s in symbols if self.ends(s)[1] == inf]
        if facts or not open_ended or tight(dim)[1] < inf or any(s.lo == -inf for s in symbols) or direction(dim) != 1:
            return None
        return {s: int(self.ends(s)[0]) for s in symbols}

    def is_empty(self) -> bool | None:
        """Whether no input is admissible at all; None where that takes a solver."""
        if FALSE in self.facts:
            return True
        if self._relations and seen_at_an_end(all_of(*self.facts), {s: self.ends(s) for s in self.symbols}):
            return False
        undecided = False
        for s in self.symbols:
            points = self.points((s,))
            if points is None:
                values = self.values(s)
                undecided |= self.cone((s,))[1] != []
                lo, hi = self.ends(s)
                if lo > hi or (values is not None and not len(values)):
                    return True
            elif not points.count:
                return True
        return None if undecided else False

    def extent(self, dim: Dim) -> tuple[int, int, Assignment, Assignment] | None:
        """The least and greatest value of an expression with a point for each; None where that takes a solver."""
        if self._solved and not dim.symbols.isdisjoint(self._solved):
            dim = Substitution(self._solved).apply(dim)
        found = self._at_limit(dim) or self._at_corners(dim)
        if found is not None or not fits_int64(dim):
            return found
        points = self.points(dim.symbols)
        if points is None or not points.count:
            return None
        sizes = points.sizes(dim)
        lo, hi = int(sizes.min()), int(sizes.max())
        return lo, hi, points.where(dim, lo), points.where(dim, hi)

    def _at_limit(self, dim: Dim) -> tuple[int, int, Assignment, Assignment] | None:
        """The extent of a size that data decides, and that only its limit ties to the inputs."""
        size = dim.as_symbol()
        about = [self.simplified(f) for f in (*self._limits, *self._relations) if size in f.symbols]
        about = [f for f in dict.fromkeys(about) if f is not TRUE]
        if size is None or not size.universal or len(about) != 1 or about[0].op != "ge" or about[0].dim is None:
            return None
        most = about[0].dim + dim
        found = None if size in most.symbols or size.lo == -inf else self.extent(most)
        if found is None:
            return None
        lo, hi = self.ends(size)
        values = self._values.get(size)
        last = min(found[1], hi) if values is None else max((v for v in values.tolist() if v <= found[1]), default=-inf)
        if lo > last or last == inf:
            return None
        return int(lo), int(last), {**found[3], size: int(lo)}, {**found[3], size: int(last)}

    def _at_corners(self, dim: Dim) -> tuple[int, int, Assignment, Assignment] | None:
        """The extent where the symbols' least and greatest values attain the interval."""
        symbols, facts = self.cone(dim.symbols)
        if not symbols:
            return None
        low: Assignment = {}
        high: Assignment = {}
        for s in symbols:
            lo, hi = self.ends(s)
            values = self._values.get(s)
            if lo == -inf or hi == inf or (values is not None and not len(values)):
                return None
            low[s], high[s] = int(lo), int(hi)
        least, most = Evaluator(low), Evaluator(high)
        if not all(e.formula(fact) for e in (least, most) for fact in facts):
            return None
        first, last = least.dim(dim), most.dim(dim)
        return (first, last, low, high) if (first, last) == tight(dim) else None


def range_facts(symbol: Atom, meaning: Dim) -> list[Formula]:
    """What the range and the step of a symbol say of the expression that it stands for."""
    facts = [at_least(meaning, int(symbol.lo))] if symbol.lo > -inf else []
    if symbol.hi < inf:
        facts.append(at_least(int(symbol.hi), meaning))
    if symbol.step > 1:
        facts.append(divides(symbol.step, meaning - int(symbol.lo)))
    return facts


def _half_line(fact: Formula) -> tuple[Atom, int, int] | None:
    """The symbol that a condition gives an end, with `half_line` of it."""
    dim = fact.dim if fact.op in ("ge", "ne") and len(fact.symbols) == 1 else None
    if dim is not None and fact.op == "ne":  # of what is never below 0: 1 or more
        dim = dim - 1 if tight(dim)[0] >= 0 else -dim - 1 if tight(dim)[1] <= 0 else None
    found = half_line(dim) if dim is not None else None
    return (next(iter(fact.symbols)), *found) if found is not None else None
