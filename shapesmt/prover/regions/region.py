"""Describe the inputs that satisfy a condition by a short formula over the input symbols.

Candidates are derived from the truth at all admissible values or a sample: intervals, residues (`height % 16 == 0`,
`(height + 1) % 4 <= 1`), their conjunctions, products of conditions on one symbol each. A candidate from a sample
counts only if it is proven equivalent to the condition. Conjuncts that others imply are omitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, prod
from operator import attrgetter

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import (
    CUT,
    FALSE,
    SAFE,
    Atom,
    Dim,
    Formula,
    Kind,
    all_of,
    const,
    fits_int64,
    inmost_first,
    negate,
    numbers,
    of_atom,
    substitute,
)
from shapesmt.prover.algebra.growth import half_line_of, of_formula
from shapesmt.prover.presolve import Domain, Values, extent, group_by_symbols, simpler_facts, truth_at, values_of
from shapesmt.prover.regions.conjuncts import NOWHERE, Conjunct, Interval, Region, conjunct_of, either
from shapesmt.prover.regions.grids import on_a_grid, product, relation
from shapesmt.prover.regions.patterns import MAX_LISTED, SAMPLE, Truth, describe_values, evenly_spaced
from shapesmt.prover.regions.simpler import drop_implied, follows, shortest_form
from shapesmt.prover.regions.worst import Proof, at_ends

MAX_TEXT = 300
MAX_LISTING = 80  # characters of a description; above, the condition's own text is used if it is shorter
FEW = 512  # values that are sampled if the condition can't be evaluated at more
SAMPLES = {2: (256, 1024), 3: (48, 48)}  # minimum and maximum number of sampled values, by the number of symbols


def describe(condition: Formula, domain: Domain, proves: Proof) -> Region:
    """Return a readable form of the condition over the domain.

    Args:
        condition: A condition over the domain's symbols, which has to hold for all values of data-dependent sizes.
        domain: The inputs for which the text has to agree with the condition; for others it may differ.
        proves: Decides whether a condition holds over a domain.
    """
    if condition is FALSE:
        return Region((NOWHERE,), True)
    alone, joint = _by_symbols(condition)
    within = domain.copy() if joint else domain
    for parts in alone.values() if joint else ():
        within.assume(all_of(*parts))
    if any((values := within.values(s)) is not None and not len(values) for s in (alone if joint else ())):
        return Region((NOWHERE,), True)
    simpler = _simpler(joint, within, proves)
    if simpler != joint:
        own = [part for parts in alone.values() for part in parts]
        return describe(all_of(*own, *simpler), domain, proves)
    region = Region((), True)
    for part in group_by_symbols(joint, domain, attrgetter("symbols")):
        several = _of_several(part, within, proves)
        if not several.exact or not _about_one_each(several.conjuncts):
            region = _both(region, several)
            continue
        for said in several.conjuncts:
            alone.setdefault(next(iter(said.formula.symbols)), []).append(said.formula)
    single = Region((), True)
    for s in sorted(alone, key=domain.order):
        part = all_of(*alone[s])
        single = _both(single, _shorter(_one_symbol(part, s, domain, proves), part, domain, proves))
    whole = _both(single, region)
    if any(c.formula is FALSE for c in whole.conjuncts):
        return whole._replace(conjuncts=(NOWHERE,))
    return whole._replace(conjuncts=drop_implied(whole.conjuncts, domain, proves))


def _of_several(part: Formula, within: Domain, proves: Proof) -> Region:
    """Describe a condition on several symbols that shares none of them with other conditions."""
    if not any(s.universal for s in part.symbols):
        said = _separate(part, within, proves)
        return _shorter(said, part, within, proves)
    said = _over_all_data(part, within)
    if said is not None:
        return _readable(said)
    worst = at_ends(part, within, proves)
    if worst is None:
        return Region((), False, True)
    inner = describe(worst[0], within, proves)
    return inner._replace(exact=inner.exact and worst[1])


def _both(a: Region, b: Region) -> Region:
    """Return the conjunction of two regions, with equal conjuncts only once."""
    said = {str(c): c for c in (*a.conjuncts, *b.conjuncts)}
    return Region(tuple(said.values()), a.exact and b.exact, a.partial or b.partial)


def _readable(said: Sequence[Conjunct]) -> Region:
    """Return the region of the readable conjuncts; it isn't exact if others are dropped."""
    kept = tuple(filter(readable, said))
    return Region(kept, len(kept) == len(said), len(kept) < len(said))


def _shorter(said: list[Conjunct] | None, condition: Formula, domain: Domain, proves: Proof) -> Region:
    """Return the region of `said`, or the condition's own conjuncts if `said` is long and they are shorter.

    If `said` is None, return the condition in its shortest form.
    """
    if said is None:
        return _readable(shortest_form(condition, domain, proves))
    own = [conjunct_of(f) for f in condition.conjuncts]
    shorter = MAX_LISTING < _length(said) > _length(own) and all(map(readable, own))
    return _readable(own if shorter and own else said)


def _length(said: Sequence[Conjunct]) -> int:
    return sum(len(str(c)) for c in said)


def readable(said: Conjunct) -> bool:
    """Whether a condition is short and has only operations that users can write too."""
    text, atoms = str(said), inmost_first((said.formula,))
    return len(text) <= MAX_TEXT and CUT not in text and not any(atom.op.opaque for atom in atoms)


def _simpler(joint: list[Formula], within: Domain, proves: Proof) -> list[Formula]:
    """Substitute numbers that the facts determine; if there are none, separate conditions into ones on one symbol."""
    inputs = {s for p in joint for s in p.symbols if not s.universal}
    numbers = {s: number for s in inputs if (number := _number(s, within)) is not None}
    if numbers:
        return [substitute(p, numbers) for p in joint]
    simpler = list(dict.fromkeys(fact for p in joint for fact in _on_fewer(p, within)))
    if simpler != joint:
        return simpler
    alike = [p for p in joint if any(q is not p and q.symbols == p.symbols for q in joint)]
    simpler, narrowed = [], within.copy()
    for p in joint:
        simpler.append(_if_about_one_each(p, narrowed, proves) if p in alike else p)
        if simpler[-1] is not p:  # the conditions of later nodes are plainer where those of earlier ones hold
            narrowed.assume(simpler[-1])
    return simpler


def _on_fewer(condition: Formula, domain: Domain) -> list[Formula]:
    """Return facts about fewer symbols each that are equivalent to a condition on several, or else the condition."""
    if len(condition.symbols) < 2 or any(s.universal for s in condition.symbols):
        return [condition]
    facts = simpler_facts(domain, condition)
    return facts if all(len(fact.symbols) < len(condition.symbols) for fact in facts) else [condition]


def _about_one_each(said: Sequence[Conjunct]) -> bool:
    return all(len(c.formula.symbols) == 1 for c in said)


def _if_about_one_each(condition: Formula, domain: Domain, proves: Proof) -> Formula:
    """Return a condition as a conjunction of conditions on one symbol each if possible, else unchanged."""
    if any(s.universal for s in condition.symbols):
        return condition
    said = _separate(condition, domain, proves)
    return condition if said is None or not _about_one_each(said) else all_of(*(c.formula for c in said))


def _number(s: Atom, domain: Domain) -> Dim | None:
    """Return the value of a symbol if the facts leave only one; else None."""
    known, (lo, hi) = domain.eliminate(of_atom(s)), domain.ends(s)
    return const(int(lo)) if lo == hi else known if known.constant is not None else None


def _by_symbols(condition: Formula) -> tuple[dict[Atom, list[Formula]], list[Formula]]:
    """Return the conjuncts that are about one input symbol each, by the symbol, and the other conjuncts."""
    alone: dict[Atom, list[Formula]] = {}
    joint: list[Formula] = []
    for part in condition.conjuncts:
        if len(part.symbols) == 1 and (symbol := next(iter(part.symbols))).kind in (Kind.INPUT, Kind.VALUE):
            alone.setdefault(symbol, []).append(part)
        else:
            joint.append(part)
    return alone, joint


def _one_symbol(condition: Formula, symbol: Atom, domain: Domain, proves: Proof) -> list[Conjunct] | None:
    if not fits_int64(condition) and symbol.hi < inf:
        return None
    points = domain.points((symbol,)) if len(domain.closure((symbol,))[0]) == 1 else None
    if points is not None:
        values = points.sizes(of_atom(symbol))
        pieces = describe_values(symbol, values, np.broadcast_to(points.truth(condition), values.shape))
        if evenly_spaced(symbol, values):
            return pieces
        everything = Domain([symbol])  # a pattern of few values may hold for those alone
        anywhere = _one_symbol(condition, symbol, everything, proves) if everything.values(symbol) is not None else None
        return anywhere if anywhere is not None and len(anywhere) == 1 else pieces
    between = _between(condition, symbol)
    if between is not None:
        return between
    best: list[Conjunct] | None = None
    for values in _windows(condition, symbol, domain) if symbol.lo < SAFE else ():
        truth = truth_at(condition, {symbol: values})
        if truth is None:  # perhaps there are too many positions of two axes
            values = values[:FEW]
            truth = truth_at(condition, {symbol: values})
        pieces = None if truth is None else describe_values(symbol, values, truth, _periods(condition).get(symbol, 1))
        shorter = pieces is not None and (best is None or _length(pieces) < _length(best))
        if pieces is not None and shorter and _equivalent(condition, pieces, domain, proves):
            best = pieces
            if "(" not in "".join(map(str, best)):  # other values give no shorter form without a shift
                break
    return best


def _between(condition: Formula, s: Atom) -> list[Conjunct] | None:
    """Return the interval that bounds on a symbol leave of it; None for other conditions, and if it is empty."""
    bounds = [half_line_of(part) for part in condition.conjuncts]
    lo, hi = s.lo, s.hi
    for bound in bounds:
        if bound is None:
            return None
        _, way, end = bound
        lo, hi = (max(lo, end), hi) if way > 0 else (lo, min(hi, end))
    if s.step > 1:
        lo, hi = lo + (s.lo - lo) % s.step, hi - (hi - s.lo) % s.step if hi < inf else hi
    if lo > hi:
        return None
    alone = lo == hi
    ends = (int(lo) if alone or lo > s.lo else None, int(hi) if alone or hi < s.hi else None)
    return [] if ends == (None, None) else [Interval(s, *ends)]


def _windows(condition: Formula, s: Atom, domain: Domain) -> Iterator[Values]:
    """Yield samples of a symbol: its first values, the admitted ones, and values around the condition's bounds."""
    start = min(s.hi, SAMPLE // 2) - SAMPLE  # for an unbounded element: around 0
    yield values_of(Domain([s]), s, SAMPLE, start=start)
    if any(f.symbols == {s} for f in domain.facts):
        yield values_of(domain, s, SAMPLE, start=start)
    within = domain.copy()
    within.assume(condition)
    ends = extent(within, of_atom(s)) or ()
    known = [end.value for end in ends if end.value is not None and abs(end.value) < SAFE]
    if known:
        yield np.unique(np.concatenate([values_of(domain, s, SAMPLE, start=v - SAMPLE // 2 * s.step) for v in known]))


def _separate(condition: Formula, domain: Domain, proves: Proof) -> list[Conjunct] | None:
    """Return a form made of conditions on fewer symbols, or a comparison of one with others; None if there is none."""
    facts = domain.closure(condition.symbols)[1]
    if any(len(f.symbols) > 1 for f in facts):
        return None
    symbols = sorted(condition.symbols, key=domain.order)
    points = domain.points(symbols) if fits_int64(condition) and not facts else None
    if points is None:
        return _from_samples(condition, symbols, domain, proves)
    known = [a for a in map(domain.values, symbols) if a is not None]
    truth = points.truth(condition).reshape([len(a) for a in known])
    pieces = on_a_grid(symbols, known, truth, condition)
    if pieces is None and not readable(conjunct_of(condition)):
        return on_a_grid(symbols, known, truth, condition, MAX_TEXT)
    return pieces


def _from_samples(condition: Formula, symbols: list[Atom], domain: Domain, proves: Proof) -> list[Conjunct] | None:
    """Return a form derived from the truth at small sizes if it is proven equivalent to the condition; else None."""
    samples = _samples(condition, len(symbols))
    if not samples:
        return None
    axes = {s: values_of(domain, s, samples) for s in symbols}
    truth = truth_at(condition, axes)
    pieces = (
        None if truth is None else on_a_grid(symbols, [*axes.values()], truth, condition, periods=_periods(condition))
    )
    return pieces if pieces is not None and _equivalent(condition, pieces, domain, proves) else None


def _periods(condition: Formula) -> Mapping[Atom, int]:
    """Return the period of each symbol of a condition whose expressions are quasi-polynomials; {} for others."""
    form = of_formula(condition)
    return {} if form is None else form.periods


def _samples(condition: Formula, rank: int) -> int:
    """Return how many values of each of `rank` symbols to sample: if possible, twice each number in the condition."""
    least, most = SAMPLES.get(rank, (0, 0))
    return min(most, max([least, *(2 * number for number in numbers(condition))]))


def _equivalent(condition: Formula, pieces: Sequence[Conjunct], domain: Domain, proves: Proof) -> bool:
    """Whether the conjunction of the pieces is proven equivalent to the condition."""
    claim = all_of(*(p.formula for p in pieces))
    if condition.op == "or":  # negated, both are conjunctions, whose parts are about fewer symbols each
        condition, claim = negate(condition), negate(claim)
    return follows(condition, [claim], domain, proves) and follows(claim, [condition], domain, proves)


def _over_all_data(condition: Formula, domain: Domain) -> list[Conjunct] | None:
    """Describe the inputs for which the condition holds for all data; None if assignments can't be enumerated."""
    points = domain.points(condition.symbols) if fits_int64(condition) else None
    if points is None:
        return None
    inputs = [s for s in points.symbols if not s.universal]
    truth = points.truth(condition)
    everywhere = points.at(np.ones(truth.shape, dtype=bool))
    truth = truth.ravel()
    if not inputs:
        return [] if truth.all() else [NOWHERE]
    rows = np.stack([everywhere[s] for s in inputs], axis=1)
    distinct, group = np.unique(rows, axis=0, return_inverse=True)
    good = np.ones(len(distinct), dtype=bool)
    np.logical_and.at(good, group.ravel(), truth)
    if not good.any():
        return [NOWHERE]
    if len(inputs) == 1:
        return describe_values(inputs[0], distinct[:, 0], good)
    axes = [np.unique(column) for column in distinct.T]
    shape = [len(axis) for axis in axes]
    grid = good.reshape(shape) if len(good) == prod(shape) else None  # the rows are sorted
    pieces = None if grid is None else product(inputs, axes, grid) or relation(inputs, axes, grid)
    return _list_assignments(inputs, distinct, good) if pieces is None else pieces


def _list_assignments(symbols: Sequence[Atom], rows: Values, good: Truth) -> list[Conjunct] | None:
    """List the assignments at which the condition holds, one by one; None if there are too many, or none."""
    if good.all():
        return []
    if int(good.sum()) > MAX_LISTED or not good.any():
        return None
    cases = ([Interval(s, int(v), int(v)) for s, v in zip(symbols, row, strict=True)] for row in rows[good])
    return [either(*cases)]
