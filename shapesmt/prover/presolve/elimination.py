"""Elimination: replace symbols that equalities determine by expressions over other symbols.

>>> from shapesmt.prover.algebra import at_least, equal, symbol
>>> past, seq, total = symbol("past"), symbol("seq", 1), symbol("total", 1, 64)
>>> definitions, facts = eliminate([equal(total, past + seq)])
>>> [(s.name, definition is past + seq) for s, definition in definitions.items()]
[('total', True)]
>>> facts == [at_least(64, past + seq)]
True
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from operator import attrgetter
from typing import TypeVar

from shapesmt.prover.algebra import SYMBOL, Atom, Dim, Formula, Substitution, at_least, divides, of_atom

_UNIVERSAL = attrgetter("universal")
Expression = TypeVar("Expression", Dim, Formula)


class Elimination:
    """The symbols that equalities determine, each with its definition over the symbols that remain."""

    def __init__(self, definitions: dict[Atom, Dim] | None = None) -> None:
        self.definitions = definitions or {}
        self._substitution = Substitution(self.definitions)

    def copy(self) -> Elimination:
        """Return a copy that can be extended independently."""
        return Elimination(dict(self.definitions))

    def add(self, fact: Formula) -> Atom | None:
        """Eliminate the symbol that an equality such as `m == n + 1` determines, and return it; None if there is none.

        The fact must not depend on symbols that are already eliminated.
        """
        solution = solve(fact)
        if solution is None:
            return None
        atom, definition = solution
        substitution = Substitution({atom: definition})
        self.definitions = {a: substitution.apply(m) for a, m in self.definitions.items()}
        self.definitions[atom] = definition
        self._substitution = Substitution(self.definitions)
        return atom

    def apply(self, expression: Expression) -> Expression:
        """Return an expression or a condition over the symbols that remain."""
        if not self.definitions or expression.symbols.isdisjoint(self.definitions):
            return expression
        applied: Expression = self._substitution.apply(expression)
        return applied


def solve(fact: Formula) -> tuple[Atom, Dim] | None:
    """Return the symbol that an equality determines best, with its definition; None if it determines none.

    Data-dependent sizes come first, since an input never depends on them. Among the others, the definition with the
    fewest minus signs is the best: `total = past + seq`, not `past = total - seq`.
    """
    if fact.op != "eq" or fact.dim is None:
        return None
    choices: list[tuple[tuple[bool, int, str], Atom, Dim]] = []
    for factors, coefficient in fact.dim.products():
        atom = factors[0] if len(factors) == 1 and abs(coefficient) == 1 else None
        if atom is None or atom.op is not SYMBOL or atom.definition is not None:
            continue
        definition = of_atom(atom) - fact.dim * coefficient
        if atom not in definition.symbols and (atom.universal or not any(s.universal for s in definition.symbols)):
            minus_signs = sum(c < 0 for _, c in definition.terms)
            choices.append(((not atom.universal, minus_signs, atom.name), atom, definition))
    return min(choices, key=lambda choice: choice[0])[1:] if choices else None


def eliminate(facts: Iterable[Formula]) -> tuple[dict[Atom, Dim], list[Formula]]:
    """Return the definitions of the symbols that equalities determine, and the facts about the remaining symbols."""
    elimination = Elimination()
    kept: list[Formula] = []
    for fact in facts:
        fact = elimination.apply(fact)
        atom = elimination.add(fact)
        kept += fact.conjuncts if atom is None else range_facts(atom, elimination.definitions[atom])
    return elimination.definitions, [part for fact in kept for part in elimination.apply(fact).conjuncts]


def range_facts(symbol: Atom, definition: Dim) -> list[Formula]:
    """Return a symbol's range and step as facts about its definition: for n in 1..8, `2*k` gives `k >= 1`, `k <= 4`."""
    facts = [at_least(definition, int(symbol.lo))] if symbol.lo > -inf else []
    if symbol.hi < inf:
        facts.append(at_least(int(symbol.hi), definition))
    if symbol.step > 1:
        facts.append(divides(symbol.step, definition - int(symbol.lo)))
    return facts


def related(
    symbols: Iterable[Atom], relations: Iterable[Formula], limits: Iterable[Formula]
) -> tuple[set[Atom], list[Formula]]:
    """Return `symbols` with all symbols that chains of facts relate to them, and these facts.

    Args:
        symbols: The symbols.
        relations: Facts that relate all their symbols.
        limits: Facts that matter only for the data-dependent sizes in them.
    """
    about: dict[Atom, list[Formula]] = {}
    for fact in relations:
        for s in fact.symbols:
            about.setdefault(s, []).append(fact)
    for fact in limits:
        for s in filter(_UNIVERSAL, fact.symbols):
            about.setdefault(s, []).append(fact)
    closure, facts = set(symbols), set[Formula]()
    ahead = [*closure] if about else []
    while ahead:
        for fact in about.get(ahead.pop(), ()):
            if fact not in facts:
                facts.add(fact)
                ahead += fact.symbols - closure
                closure |= fact.symbols
    return closure, [f for f in dict.fromkeys((*relations, *limits)) if f in facts]
