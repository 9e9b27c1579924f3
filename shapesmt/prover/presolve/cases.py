"""Decide a condition by what some of its symbols make of it: a case for each such value, or one symbol for a product.

>>> from shapesmt.prover.algebra import at_least, divides, equal, symbol
>>> from shapesmt.prover.presolve import decide
>>> batch, rows, columns = symbol("batch", 1), symbol("rows", 1), symbol("columns", 1)
>>> domain = Domain([batch, rows, columns], [equal(rows * columns, 3136)])
>>> decide_by_cases(domain, at_least(batch * ((rows * columns) // 1568), 2), decide).verdict  # one case: 3136
<Verdict.PROVED: 'PROVED'>
>>> windows = batch * rows * columns
>>> domain = Domain([batch, rows, columns], [divides(16, windows)])
>>> prove_for_product(domain, equal(3072 * (windows // 16) // windows, 192), decide).verdict
<Verdict.PROVED: 'PROVED'>
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import inf, lcm
from typing import NamedTuple

from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    ONE,
    TRUE,
    ZERO,
    Assignment,
    Atom,
    Dim,
    Evaluator,
    Formula,
    Substitution,
    Verdict,
    all_of,
    any_of,
    atoms_within,
    const,
    divides,
    memo,
    of_atom,
    operands,
    product,
    symbol,
    total,
)
from shapesmt.prover.algebra.growth import arguments, compared_expressions
from shapesmt.prover.presolve.domain import Domain, compute_once
from shapesmt.prover.presolve.enumeration import Points, distance
from shapesmt.prover.presolve.everywhere import BY_CALLER, decide_on_cells
from shapesmt.prover.presolve.limits import MAX_CASES


class Decision(NamedTuple):
    """The verdict on a condition over a domain.

    Attributes:
        verdict: Whether it holds for all inputs, for some or for none.
        by: The kind of proof, one of `CERTIFICATES`, or "timeout".
        counterexample: An assignment at which it fails, the smallest if that is known.
    """

    verdict: Verdict
    by: str
    counterexample: Assignment | None = None


class Case(NamedTuple):
    """Values of the symbols that have few, put in their place.

    Attributes:
        values: The smallest of the assignments that make the same of the condition.
        put: Replaces the symbols by these values.
        rest: The other symbols, under the facts that are left.
    """

    values: Assignment
    put: Substitution
    rest: Domain


_POINTS: dict[Hashable, Points | None] = memo("assignments of symbols with few values", {})
_CASES: dict[Hashable, Case] = memo("cases of few values", {})
_REMAINING: dict[Hashable, list[Formula]] = memo("remaining cases", {})


def decide_by_cases(
    domain: Domain, condition: Formula, decide: Callable[[Domain, Formula], Decision | None]
) -> Decision | None:
    """Decide a condition by the cases that the symbols with few values make; `decide` decides each.

    None if no symbol has few values, or all have; if there are more than `MAX_CASES`; or if one isn't decided.
    """
    tied, facts = domain.about(condition.symbols)
    few = [s for s in tied if domain.value_list(s) is not None]
    if not 0 < len(few) < len(tied) or any(s.kind not in BY_CALLER or s in domain.definitions for s in tied):
        return None
    cases = _cases(domain, few, tied, [condition, *facts])
    failing: list[Assignment] = []
    holds, known = False, cases is not None
    for case in cases or ():
        empty, asked = case.rest.is_empty(), case.put.apply(condition)
        decision = Decision(Verdict.PROVED, "enumeration") if empty or asked is TRUE else decide(case.rest, asked)
        if decision is None:
            return None
        if decision.verdict is Verdict.PROVED:
            holds |= empty is False
            known &= empty is not None
            continue
        lowest = {s: int(low) for s in case.rest.symbols if (low := case.rest.ends(s)[0]) > -inf}
        failing.append(case.values | lowest | (decision.counterexample or {}))
        if len(failing[-1]) < len(tied) or not Evaluator(failing[-1]).formula(all_of(*facts)):
            return None
        holds |= decision.verdict is Verdict.DEPENDS
    if cases is not None and not failing:
        return Decision(Verdict.PROVED, "enumeration")
    if not holds and not known:
        return None
    nearest = min(failing, key=lambda at: (distance(at), [at[s] for s in tied]))
    return Decision(Verdict.DEPENDS if holds else Verdict.FAILS, "enumeration", nearest)


def _cases(domain: Domain, few: Sequence[Atom], tied: Sequence[Atom], parts: Iterable[Formula]) -> list[Case] | None:
    """Return a case for each combination of values that the symbols `few` give to what `parts` compute of them.

    None if there are too many.
    """
    inside, about = {*few}, [*parts]
    known = [fact for fact in about[1:] if fact.symbols <= inside]
    points = compute_once(_POINTS, domain, tuple(few), lambda: Domain(few, known).points(few))
    looks = _computed_of(inside, about)
    if points is None or not points.count or looks is None or not all(map(points.fits, looks)):
        return None
    distinct, column = points.outcomes(looks)
    if distinct.shape[1] > MAX_CASES:
        return None
    others = [fact for fact in about[1:] if not fact.symbols <= inside]
    rest = [s for s in tied if s not in inside]
    return [_case(domain, points.smallest(column == i), rest, others) for i in range(distinct.shape[1])]


def _case(domain: Domain, least: Assignment, rest: Sequence[Atom], facts: Iterable[Formula]) -> Case:
    def make() -> Case:
        put = Substitution({s: const(value) for s, value in least.items()})
        return Case(least, put, Domain(rest, map(put.apply, facts)))

    return compute_once(_CASES, domain, (tuple(least.items()), tuple(rest)), make)


def prove_for_product(
    domain: Domain, condition: Formula, decide: Callable[[Domain, Formula], Decision | None]
) -> Decision | None:
    """Prove a condition that depends on its symbols through one product alone, which facts make divisible by a number.

    It is proven for all such products within the product's bounds. Cases of a disjunction that depend on more are
    ignored. None if the condition isn't proven.
    """
    parts = condition.args if condition.op == "or" else (condition,)
    related = any(len(fact.symbols) > 1 for fact in domain.closure(condition.symbols)[1])
    for factors in _products(condition) if related else ():
        size = product(map(of_atom, factors))
        about = any_of(*(part for part in parts if part.symbols == size.symbols))
        shared = lcm(*(d for d in _divisors(about, factors) if _divides(domain, d, size)))
        if shared == 1:
            continue
        within: Dim = Substitution(domain.narrowing()).apply(size)
        least, most = (end // shared if abs(end) < inf else end for end in (within.lo + shared - 1, within.hi))
        times = symbol("times", least, most, fold=False)
        asked = _Product(factors, times * shared).apply(about)
        cases = [case for case in (asked.args if asked.op == "or" else (asked,)) if case.symbols <= times.symbols]
        decision = decide(Domain([times]), any_of(*cases)) if cases else None
        if decision is not None and decision.verdict is Verdict.PROVED:
            return Decision(Verdict.PROVED, "enumeration")
    return None


class _Product(Substitution):
    """A substitution that replaces a product of distinct factors; factors without the others remain."""

    def __init__(self, factors: Sequence[Atom], size: Dim) -> None:
        super().__init__({})
        self._changed = frozenset[Atom]().union(*(a.symbols for a in factors))
        self._factors, self._size = [*factors], size

    def _sum(self, dim: Dim) -> Dim:
        result = ZERO
        for atoms, coefficient in dim.products():
            known = [a for a in atoms if a in self._factors]
            others = [a for a in atoms if a not in known] if known == self._factors else atoms
            size = self._size if len(others) < len(atoms) else ONE
            result += coefficient * product([size, *map(self.atom, others)])
        return result


def _divides(domain: Domain, number: int, size: Dim) -> bool:
    """Whether cells prove that a number divides a size."""
    known = decide_on_cells(domain, divides(number, size))
    return known is not None and known[0] is None


def _products(condition: Formula) -> list[tuple[Atom, ...]]:
    """Return the products of distinct symbols and operations in a condition that contain no other such product."""
    within = [*compared_expressions(condition), *(d for atom in atoms_within(condition) for d in arguments(atom))]
    found = dict.fromkeys(tuple(factors) for dim in within for factors, _ in dim.products())
    several = [factors for factors in found if 1 < len(factors) == len({*factors})]
    return [p for p in several if not any({*p} > {*other} for other in several)]


def _divisors(condition: Formula, factors: Sequence[Atom]) -> list[int]:
    """Return the numbers by which a condition divides expressions that a product is part of."""
    quotients = (atom.args for atom in atoms_within(condition) if atom.op is FLOOR_DIVISION)
    divisors = (divisor.constant for dividend, divisor in quotients if {*factors}.issubset(dividend.atoms()))
    return [d for d in dict.fromkeys(divisors) if d]


def remaining_cases(domain: Domain, symbols: frozenset[Atom]) -> list[Formula]:
    """Return what remains of the facts on these symbols that have several cases, where other facts exclude a case.

    >>> from shapesmt.prover.algebra import at_least, equal
    >>> n, m = symbol("n", 1), symbol("m", 1)
    >>> domain = Domain([n, m], [any_of(equal(n, 2), equal(n, m * m)), at_least(m, n + 1)])
    >>> [str(fact) for fact in remaining_cases(domain, m.symbols)]
    ['n == 2']
    """
    return compute_once(_REMAINING, domain, symbols, lambda: _remaining_cases(domain, symbols))


def _remaining_cases(domain: Domain, symbols: frozenset[Atom]) -> list[Formula]:
    about = (fact for fact in domain.relations if fact.op == "or" and not fact.symbols.isdisjoint(symbols))
    left = {fact: [case for case in fact.args if not _is_excluded(domain, case)] for fact in about}
    remaining = (any_of(*cases) for fact, cases in left.items() if 0 < len(cases) < len(fact.args))
    return [fact for fact in remaining if fact not in domain.facts]


def _is_excluded(domain: Domain, case: Formula) -> bool:
    """Whether cells prove that no admissible input satisfies a condition."""
    within = domain.copy()
    within.assume(case)
    return decide_on_cells(within, case) == (None, False)


def _computed_of(inside: set[Atom], parts: Iterable[Dim | Formula]) -> list[Dim | Formula] | None:
    """Return the largest expressions and conditions within `parts` that depend on the symbols `inside` alone.

    None if floats are computed of these symbols and others.
    """
    found, seen, ahead = dict[Dim | Formula, None](), set[Dim | Formula](), [*parts]
    while ahead:
        part = ahead.pop()
        if part in seen or part.symbols.isdisjoint(inside):
            continue
        seen.add(part)
        if part.symbols <= inside:
            found[part] = None
        elif isinstance(part, Formula):
            ahead += part.parts
        else:
            alone = [(factors, c) for factors, c in part.products() if all(a.symbols <= inside for a in factors)]
            mixed = [factors for factors, _ in part.products() if not all(a.symbols <= inside for a in factors)]
            ahead.append(total(c * product(map(of_atom, factors)) for factors, c in alone))
            ahead += [product(of_atom(a) for a in factors if a.symbols <= inside) for factors in mixed]
            for atom in (a for factors in mixed for a in factors if not a.symbols <= inside):
                if atom.op.opaque:
                    return None
                ahead += operands(atom)
    return [*found]
