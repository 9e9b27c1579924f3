"""Simplify conditions: drop those that others imply, and cases that others rule out or cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    TRUE,
    Atom,
    Dim,
    Formula,
    all_of,
    any_of,
    at_least,
    atoms_within,
    negate,
    of_atom,
    substitute,
    symbol,
)
from shapesmt.prover.presolve import Domain, truth_at, values_of
from shapesmt.prover.regions.conjuncts import Conjunct, Interval, conjunct_of, either
from shapesmt.prover.regions.patterns import MAX_LISTED
from shapesmt.prover.regions.worst import Proof

LOOKED_AT = {
    1: 2048,
    2: 128,
    3: 12,
}  # values of each symbol at which a claim is tested before it is proven, by the number of symbols


def drop_implied(said: Sequence[Conjunct], domain: Domain, proves: Proof) -> tuple[Conjunct, ...]:
    """Return the conjuncts that others don't imply; the longest are dropped first."""
    kept = list(said)
    for one in sorted(kept, key=lambda c: -len(str(c))) if len(kept) <= MAX_LISTED else ():
        others = [c.formula for c in kept if c is not one]
        joint = any(len({*one.formula.symbols, *f.symbols}) > 1 for f in _about(one.formula, others))
        if joint and follows(one.formula, others, domain, proves):
            kept.remove(one)
    return tuple(kept)


def shortest_form(condition: Formula, domain: Domain, proves: Proof) -> list[Conjunct]:
    """Return the condition in its shortest form over the domain."""
    normal = substitute(condition, {s: of_atom(s) for s in condition.symbols})  # in the declared ranges
    shown = _divisors_first(_drop_redundant(normal, domain, proves), domain, proves)
    own = {s.name: of_atom(s) for s in condition.symbols}

    def conjuncts(parts: Iterable[Formula]) -> list[Conjunct]:
        return [conjunct_of(f, substitute(f, {s: own[s.name] for s in f.symbols})) for f in parts]

    said: list[Conjunct] = []
    for shared, rest in _common_cases(shown.conjuncts):
        cases = [[c] for c in conjuncts(shared)]
        said += [either(*cases, _intersect_intervals(conjuncts(rest)))] if cases else conjuncts(rest)
    return said


def _divisors_first(slim: Formula, domain: Domain, proves: Proof) -> Formula:
    """Add `d >= 1` in front for each divisor d that the condition implies to be positive: nobody divides by 0."""
    divisors = {d for p in slim.conjuncts if p.dim is not None for d in _divisors(p.dim) if d.lo <= 0}
    positive = [p for p in (at_least(d, 1) for d in divisors) if proves(domain, any_of(negate(slim), p))]
    rest = [p for p in slim.conjuncts if not any(proves(domain, any_of(negate(said), p)) for said in positive)]
    above = {s: _from_1(s) for p in positive for s in p.symbols if p is at_least(of_atom(s), 1) and s.step == 1}
    return all_of(*positive, *(substitute(p, above) for p in rest))


def _common_cases(conditions: Sequence[Formula]) -> list[tuple[tuple[Formula, ...], list[Formula]]]:
    """Group disjunctions by the cases that they share: `A or B` and `A or C` become `((A,), [B, C])`."""
    splits = {p: [(tuple(q for q in p.args if q is not r), r) for r in p.args] for p in conditions if p.op == "or"}
    count = Counter(frozenset(shared) for split in splits.values() for shared, _ in split)
    found: dict[object, tuple[tuple[Formula, ...], list[Formula]]] = {}
    for p in conditions:
        shared, rest = next((one for one in splits.get(p, ()) if count[frozenset(one[0])] > 1), ((), p))
        found.setdefault(frozenset(shared) or p, (shared, []))[1].append(rest)
    return [*found.values()]


def _intersect_intervals(said: Sequence[Conjunct]) -> list[Conjunct]:
    """Return the conjuncts with a single interval for each symbol."""
    kept: dict[object, Conjunct] = {}
    for one in said:
        before = kept.get(one.symbol) if isinstance(one, Interval) else None
        if isinstance(one, Interval) and isinstance(before, Interval):
            lows, highs = ([n for n in ends if n is not None] for ends in ((before.lo, one.lo), (before.hi, one.hi)))
            one = Interval(one.symbol, max(lows, default=None), min(highs, default=None))
        kept[one.symbol if isinstance(one, Interval) else one] = one
    return [*kept.values()]


def _drop_redundant(condition: Formula, domain: Domain, proves: Proof) -> Formula:
    """Drop conjuncts that others imply, and cases of a disjunction that those rule out or other cases cover."""
    kept = list(condition.conjuncts)
    for p in sorted(kept, key=lambda p: -len(str(p))) if len(kept) <= MAX_LISTED else ():
        others = [q for q in kept if q is not p]
        shorter = (
            TRUE if others and follows(p, others, domain, proves) else _drop_covered_cases(p, others, domain, proves)
        )
        kept[kept.index(p)] = shorter
    return all_of(*kept)


def _drop_covered_cases(condition: Formula, given: Sequence[Formula], domain: Domain, proves: Proof) -> Formula:
    """Drop cases of a disjunction that others cover if `given` holds, and conjuncts of cases that it doesn't need."""
    cases = list(condition.args) if condition.op == "or" else []
    for case in list(cases):
        others = [c for c in cases if c is not case]
        if follows(any_of(negate(case), *others), given, domain, proves):
            cases = others
            continue
        for part in case.conjuncts if len(case.conjuncts) > 1 else ():
            rest = all_of(*(p for p in case.conjuncts if p is not part))
            if follows(any_of(negate(rest), *cases), given, domain, proves):
                cases[cases.index(case)] = case = rest
    return any_of(*cases) if cases else condition


def follows(claim: Formula, given: Sequence[Formula], domain: Domain, proves: Proof) -> bool:
    """Whether `claim` is proven over the domain if the conditions `given` hold; small sizes may refute it before."""
    within = domain.copy()
    within.assume(all_of(*_about(claim, given)))
    symbols, facts = within.about(claim.symbols)
    if len(symbols) in LOOKED_AT:
        axes = {s: values_of(domain, s, LOOKED_AT[len(symbols)]) for s in symbols}
        failing = truth_at(all_of(*facts, negate(claim)), axes)
        if failing is not None and failing.any():
            return False
    return proves(within, claim)


def _about(claim: Formula, given: Iterable[Formula]) -> list[Formula]:
    """Return the conditions that share symbols with a claim."""
    return [f for f in given if not f.symbols.isdisjoint(claim.symbols)]


def _from_1(s: Atom) -> Dim:
    return symbol(s.name, 1, s.hi, kind=s.kind, fold=False)


def _divisors(size: Dim) -> list[Dim]:
    """Return the symbolic divisors in an expression, each once."""
    divisors = dict.fromkeys(atom.args[1] for atom in atoms_within(size) if atom.op is FLOOR_DIVISION)
    return [d for d in divisors if d.constant is None]
