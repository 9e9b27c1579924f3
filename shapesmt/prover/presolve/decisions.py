"""Decide whether a condition holds over a domain, without a solver.

If normal forms, intervals and the equalities among the facts don't suffice, every admissible assignment is enumerated.
If those are too many, they are divided into cells (`everywhere`). Both are proofs and find the smallest
counterexample. Conditions that remain undecided are left to a solver.

    >>> from shapesmt.prover.algebra import divides, equal, symbol
    >>> h, w = symbol("h", 1, 512), symbol("w", 1, 512)
    >>> domain = Domain([h, w], [divides(16, h)])
    >>> decide(domain, divides(8, h)).verdict
    <Verdict.PROVED: 'PROVED'>
    >>> decision = decide(domain, divides(32, h * w))
    >>> decision.verdict, [(s.name, value) for s, value in decision.counterexample.items()]
    (<Verdict.DEPENDS: 'DEPENDS'>, [('h', 16), ('w', 1)])
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import permutations
from math import inf, prod

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import (
    FALSE,
    FLOOR_DIVISION,
    SELECT,
    TRUE,
    Assignment,
    Atom,
    Dim,
    Evaluator,
    Formula,
    Kind,
    Substitution,
    Verdict,
    all_of,
    any_of,
    at_least,
    at_most,
    atoms_within,
    const,
    equal,
    lowest,
    memo,
    negate,
    of_atom,
    product,
    substitute,
)
from shapesmt.prover.algebra.growth import half_line_of
from shapesmt.prover.algebra.numeric import weaker
from shapesmt.prover.presolve.cases import Decision, decide_by_cases, prove_for_product
from shapesmt.prover.presolve.domain import Domain, compute_once
from shapesmt.prover.presolve.enumeration import distance
from shapesmt.prover.presolve.everywhere import decide_on_cells
from shapesmt.prover.presolve.limits import FEW_PER_SYMBOL, FEW_POINTS, FEW_VALUES
from shapesmt.prover.presolve.where import truth_at, values_of

_TWINS: dict[Hashable, tuple[Substitution, Substitution]] = memo("narrower ranges", {})
_SIMPLER: dict[Hashable, list[Formula]] = memo("simpler facts", {})
CERTIFICATES = ("normal form", "assumed", "enumeration", "z3")  # the cheapest first


def decide(domain: Domain, condition: Formula) -> Decision | None:
    """Decide whether the condition holds for all inputs, some or none; None if that takes a solver."""
    decisions = [decide_part(domain, part) for part in independent(domain, domain.simplify(condition))]
    decided = [d for d in decisions if d is not None]
    return together(domain, decided) if len(decided) == len(decisions) else None


def simpler_facts(domain: Domain, condition: Formula) -> list[Formula]:
    """Return facts that together are equivalent to a condition over the domain; the condition if none are simpler.

    Such facts say which cases can't arise, what quotients are, and what is left of the condition then.

    >>> from shapesmt.prover.algebra import equal, select, symbol
    >>> h, w = symbol("h", 1), symbol("w", 1)
    >>> condition = equal(h * w, 64 * select(equal(h // 8, 0), 99, h // 8) * select(equal(w // 8, 0), 99, w // 8))
    >>> [str(fact) for fact in simpler_facts(Domain([h, w]), condition)]
    ['h//8 != 0', 'w//8 != 0', 'h % 8 == 0', 'w % 8 == 0']
    >>> rows = symbol("rows", 4)
    >>> [str(fact) for fact in simpler_facts(Domain([rows]), equal(rows // 4, 7 * (rows // 28)))]
    ['rows//28 >= 1', '(rows//(4*(rows//28)) if (4*(rows//28)) != 0 else 0) == 7', 'rows//4 == 7*(rows//28)']
    """
    return compute_once(_SIMPLER, domain, condition, lambda: _simpler_facts(domain, condition))


def _simpler_facts(domain: Domain, condition: Formula) -> list[Formula]:
    few = _few_values(domain, condition)
    if few:
        return few
    condition = _without_idle_symbols(domain, condition)
    alone = [part for part in condition.conjuncts if len(part.symbols) == 1]
    facts = _implications(domain, condition)
    if not facts:
        return [condition]
    within = domain.copy()
    within.assume(all_of(*facts, *alone))
    rest = _narrowed(within, all_of(*(part for part in condition.conjuncts if part not in alone)))
    return [*facts, *alone, *rest.conjuncts]


def _few_values(domain: Domain, condition: Formula) -> list[Formula]:
    """Return the values of each symbol that a condition bounds, as facts, and the condition unless they say the same.

    The result is [] if a related symbol has many values, or if all are declared with a maximum.
    """
    tied = domain.closure(condition.symbols)[0]
    if len(tied) < 2 or any(s.universal for s in tied) or all(s.hi < inf for s in tied):
        return []
    within = domain
    if any(within.value_list(s) is None for s in tied):
        within = domain.copy()
        within.assume(condition)
    listed = [values for s in tied if (values := within.value_list(s)) is not None]
    if len(listed) < len(tied) or prod(map(len, listed)) > FEW_POINTS or not within.fits(condition):
        return []
    points = within.points(tied)
    truth = None if points is None else points.truth(condition)
    if points is None or truth is None or not truth.any():
        return []
    each = {s: np.unique(values) for s, values in points.at(truth).items()}
    if max(map(len, each.values())) > FEW_VALUES:
        return []
    facts = [fact for s, values in each.items() for fact in _among(of_atom(s), list(map(int, values)))]
    return facts if np.count_nonzero(truth) == prod(map(len, each.values())) else [*facts, condition]


def _without_idle_symbols(domain: Domain, condition: Formula) -> Formula:
    """Return the condition with a number in place of each symbol on which its truth doesn't depend."""
    symbols = [s for s in sorted(condition.symbols, key=domain.order) if s.hi == inf and not s.universal]
    if len(symbols) != len(condition.symbols) or len(symbols) not in FEW_PER_SYMBOL:
        return condition
    axes = {s: values_of(domain, s, FEW_PER_SYMBOL[len(symbols)]) for s in symbols}
    truth = truth_at(condition, axes)
    if truth is None or not truth.any() or truth.all():
        return condition
    for i, s in enumerate(symbols):
        if (truth == truth.take([0], axis=i)).all():
            without = substitute(condition, {s: const(int(axes[s][0]))})
            if _follows(domain, condition, without) and _follows(domain, without, condition):
                condition = without
    return condition


def _follows(domain: Domain, given: Formula, claim: Formula) -> bool:
    """Whether a condition is proven over the domain if another holds."""
    within = domain.copy()
    within.assume(given)
    decision = decide(within, claim)
    return decision is not None and decision.verdict is Verdict.PROVED


def _among(size: Dim, values: list[int]) -> list[Formula]:
    """Return facts which say that a size is one of ascending values: bounds, and the values if some are missing."""
    bounds = [at_least(size, values[0]), at_most(size, values[-1])]
    return bounds if values[-1] - values[0] < len(values) else [*bounds, any_of(*(equal(size, v) for v in values))]


def _narrowed(domain: Domain, formula: Formula) -> Formula:
    """Simplify a condition by the range of each symbol: if a fact is `n >= 1`, `n*m == 2*n` becomes `m == 2`."""
    symbols = ((s, definition.as_symbol()) for s, definition in domain.narrowing().items())
    twins = tuple([(s, twin) for s, twin in symbols if twin is not None and twin.name == s.name])
    if twins not in _TWINS:
        there, back = {s: of_atom(twin) for s, twin in twins}, {twin: of_atom(s) for s, twin in twins}
        _TWINS[twins] = Substitution(there), Substitution(back)
    narrower: Formula = formula
    for substitution in _TWINS[twins]:
        narrower = substitution.apply(narrower)
    return narrower


def _implications(domain: Domain, condition: Formula) -> list[Formula]:
    """Return facts that hold in the domain where the condition does: cases that can't arise, and quotients."""
    within = domain.copy()
    within.assume(condition)
    cases = dict.fromkeys(atom.args[0] for atom in atoms_within(condition) if atom.op is SELECT)
    about_one = [c for c in cases if c.op == "eq" and len(c.symbols) == 1 and not any(s.universal for s in c.symbols)]
    facts = []
    for fact in map(negate, about_one):
        decision = decide(within, fact)
        facts += [fact] if decision is not None and decision.verdict is Verdict.PROVED else []
    return [*facts, *_quotients(within, condition)]


def _quotients(domain: Domain, condition: Formula) -> Iterator[Formula]:
    """Yield the quotients by products that equalities determine: `a//(4*b) == 7` if `a//4 == 7*b` and `b >= 1`."""
    equalities = (list(part.dim.products()) for part in condition.conjuncts if part.op == "eq" and part.dim is not None)
    for terms in equalities:
        for (left, one), (right, number) in permutations(terms) if len(terms) == 2 else ():
            b = product(map(of_atom, right))
            if len(left) == 1 and left[0].op is FLOOR_DIVISION and one * number < 0 and abs(one) == 1 and right:
                a, divisor = left[0].args
                decision = decide(domain, at_least(b, 1)) if divisor.lo >= 1 else None
                if decision is not None and decision.verdict is Verdict.PROVED:
                    yield from (at_least(b, 1), equal(a // (divisor * b), abs(number)))


def independent(domain: Domain, condition: Formula) -> list[Formula]:
    """Group the conjuncts of a condition so that no two groups share a symbol or are connected by a fact.

    Conjuncts that the facts state are omitted; if they are all, the first remains.
    """
    parts = condition.conjuncts
    if len(parts) < 2:
        return list(parts)
    parts = tuple(part for part in parts if not is_fact(domain, part)) or parts[:1]
    return group_by_symbols(parts, domain, lambda part: domain.closure(part.symbols)[0])


def is_fact(domain: Domain, condition: Formula) -> bool:
    """Whether the condition is a fact, or follows from facts among its parts: `p or q` if `p` is a fact."""
    facts = {*domain.facts, *domain.implied, *domain.limits}

    @cache
    def among(part: Formula) -> bool:
        return (
            part in facts
            or (part.op == "or" and any(map(among, part.args)))
            or (part.op == "and" and all(map(among, part.args)))
        )

    return bool(facts) and among(condition)


def group_by_symbols(
    conditions: Iterable[Formula],
    domain: Domain,
    symbols: Callable[[Formula], Iterable[Atom]],
    joined: Callable[..., Formula] = all_of,
) -> list[Formula]:
    """Combine conditions into groups that share no symbol, in the order of their symbols.

    Args:
        conditions: The conditions.
        domain: Determines the order of the symbols.
        symbols: Returns the symbols of a condition.
        joined: Combines the conditions of a group; by default, into their conjunction.
    """
    groups: list[tuple[set[Atom], list[Formula]]] = []
    for condition in conditions:
        joint, members = set(symbols(condition)), [condition]
        for group in [g for g in groups if g[0] & joint]:
            groups.remove(group)
            joint, members = joint | group[0], group[1] + members
        groups.append((joint, members))
    groups.sort(key=lambda g: min(map(domain.order, g[0]), default=(0, "")))
    return [joined(*members) for _, members in groups]


def together(domain: Domain, decisions: Sequence[Decision]) -> Decision:
    """Return the decision on a conjunction of independent conditions, from the decision on each."""
    if len(decisions) == 1:
        return decisions[0]
    failing = [d for d in decisions if d.verdict is not Verdict.PROVED]
    if not failing:
        return Decision(Verdict.PROVED, max((d.by for d in decisions), key=CERTIFICATES.index, default=CERTIFICATES[0]))
    if any(d.verdict is Verdict.UNKNOWN for d in failing):
        worst = Verdict.worst(d.verdict for d in failing if d.verdict is not Verdict.DEPENDS)
        return next(d for d in failing if d.verdict is worst)
    verdict = Verdict.worst(d.verdict for d in failing)
    failed = [d for d in failing if d.verdict is verdict]
    nearest = min(reversed([d.counterexample or {} for d in failed]), key=partial(_detour, domain))
    return Decision(verdict, failed[0].by, nearest)


def _detour(domain: Domain, assignment: Assignment) -> tuple[int, int]:
    """Return how much farther an assignment is from the declared lower bounds than the domain's minimum is."""
    least = {s: lowest(s) if domain.ends(s)[0] == -inf else int(domain.ends(s)[0]) for s in assignment}
    (off, far), (first_off, first_far) = distance(assignment), distance(least)
    return off - first_off, far - first_far


def decide_part(domain: Domain, condition: Formula) -> Decision | None:
    """Decide one of the conditions that `independent` returns; None if that takes a solver."""
    if condition is FALSE:
        return Decision(Verdict.FAILS, "normal form", {})
    if is_fact(domain, condition):
        return Decision(Verdict.PROVED, "assumed")
    if not condition.symbols:  # NaN as an integer, which no normal form computes
        holds = Evaluator({}).formula(condition)
        return Decision(Verdict.PROVED if holds else Verdict.FAILS, "enumeration", None if holds else {})
    enumerated = _by_enumeration(domain, condition) if domain.fits(condition) else None
    return (
        enumerated
        or _by_end(domain, condition)
        or _by_first_values(domain, condition)
        or _by_parts(domain, condition)
        or decide_by_cases(domain, condition, decide)
        or _by_cells(domain, condition)
        or _by_narrowing(domain, condition)
        or prove_for_product(domain, condition, decide)
        or _by_facts_on_one_symbol(domain, condition)
    )


def _by_enumeration(domain: Domain, condition: Formula) -> Decision | None:
    """Decide by evaluating the condition at every admissible assignment of related symbols; None if too many."""
    points = domain.points(condition.symbols)
    if points is None:
        return None
    truth = points.truth(condition)
    if truth.all():
        return Decision(Verdict.PROVED, "enumeration")
    counterexample = points.smallest(~truth)
    return Decision(Verdict.DEPENDS if points.some_run(truth) else Verdict.FAILS, "enumeration", counterexample)


def _by_end(domain: Domain, condition: Formula) -> Decision | None:
    """Decide a bound of one symbol, such as `h >= 20`, from the symbol's range; None for other conditions.

    No other method decides bounds outside the reach of cells (`n <= 2**40`). For smaller bounds it is faster than
    cells: a network of convolutions asks some 40 such questions.
    """
    half_line = half_line_of(condition)
    if half_line is None or domain.closure(condition.symbols)[1] or domain.value_list(half_line[0]) is not None:
        return None
    s, way, end = half_line
    lo, hi = domain.ends(s)
    if s.kind is Kind.ITERATION or lo == -inf or lo > hi:
        return None
    low = int(lo)
    failing = low if way > 0 else max(low, end + 1 + (low - end - 1) % s.step)
    if (lo >= end) if way > 0 else (failing > hi):
        return Decision(Verdict.PROVED, "enumeration")
    holds = end + (low - end) % s.step <= hi if way > 0 else low <= end
    return Decision(Verdict.DEPENDS if holds else Verdict.FAILS, "enumeration", {s: failing})


def _by_first_values(domain: Domain, condition: Formula) -> Decision | None:
    """Decide a bound of one symbol by a float or a fold, such as `floor(0.5*n) <= 9`; None for other conditions."""
    cuts = [bound for part in condition.conjuncts if len(condition.symbols) == 1 for bound in weaker(part)]
    ends = [half_line[2] for bound in cuts if (half_line := half_line_of(bound)) is not None and half_line[1] < 0]
    (s,), relations = domain.closure(condition.symbols) if ends else ((None,), ())
    if s is None or any(fact.symbols != {s} for fact in relations) or domain.ends(s)[1] < inf:
        return None
    beyond = domain.copy()
    beyond.assume(at_most(of_atom(s), max(min(ends), int(domain.ends(s)[0])) + s.step))
    return _by_enumeration(beyond, condition) if beyond.fits(condition) else None


def _by_cells(domain: Domain, condition: Formula) -> Decision | None:
    """Decide by cells: progressions of values along which the condition doesn't change; None if they don't decide."""
    known = decide_on_cells(domain, condition)
    if known is None:
        return None
    failing, holds = known
    verdict = Verdict.PROVED if failing is None else Verdict.DEPENDS if holds else Verdict.FAILS
    return Decision(verdict, "enumeration", failing)


def _by_narrowing(domain: Domain, condition: Formula) -> Decision | None:
    """Prove a condition by its normal form over the symbols as the facts narrow them; None if that isn't enough."""
    narrowed = Substitution(domain.narrowing()).apply(condition)
    return Decision(Verdict.PROVED, "assumed") if narrowed is TRUE else None


def _by_facts_on_one_symbol(domain: Domain, condition: Formula) -> Decision | None:
    """Prove a condition without the facts on several symbols; None if it takes these, or if there are none."""
    facts = domain.about(condition.symbols)[1]
    alone = [fact for fact in facts if len(fact.symbols) == 1 and fact.symbols <= condition.symbols]
    if len(alone) == len(facts):
        return None
    symbols: list[Atom] = sorted(condition.symbols, key=domain.order)
    decision = decide(Domain(symbols, alone), condition)
    return decision if decision is not None and decision.verdict is Verdict.PROVED else None


def _by_parts(domain: Domain, condition: Formula) -> Decision | None:
    """Prove a conjunction by proving each part; None if a part isn't proven.

    No other method decides bounds of two sizes that a fact relates with periods so large that cells are too many.
    """
    decisions: list[Decision] = []
    for part in condition.args if condition.op == "and" else ():
        decision = decide(domain, part)
        if decision is None or decision.verdict is not Verdict.PROVED:
            return None
        decisions.append(decision)
    return together(domain, decisions) if decisions else None
