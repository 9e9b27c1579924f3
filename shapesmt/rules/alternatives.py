"""Alternatives: a tensor of which a condition decides the rank, and a rule applied in each case.

PyTorch exports `squeeze` as `If(n == 1) {Squeeze} else {Identity}`: one tensor of two ranks. It keeps both, each with
the condition under which it has it, and exactly one of the conditions holds for any input. A rule that reads it is
applied in each case; what the node needs there, it needs where that case holds. A rule may also ask for a condition
itself (`ctx.holds`): `Squeeze` without axes asks of each size whether it is 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import combinations

from shapesmt.algebra import (
    FALSE,
    SELECT,
    SYMBOL,
    TRUE,
    Atom,
    Dim,
    Formula,
    Substitution,
    all_of,
    any_of,
    at_least,
    at_most,
    implies,
    negate,
    of_atom,
    select,
    substitute,
    symbol,
)
from shapesmt.rules.application import BY_ALL, Application, Decided, Requirement, Unjudged
from shapesmt.rules.provenance import Origin, together
from shapesmt.rules.tensor import Case, Tensor, UndecidedError, rewritten, tensor
from shapesmt.rules.value import Elements, Item, Value, elements

MAX_CASES = 32  # in which a rule is applied, and that a tensor keeps

Inputs = tuple["Tensor | None", ...]
Apply = Callable[[Inputs, "Formula | None"], Application]


def by_case(given: Sequence[Tensor | None], apply: Apply, *, simpler: bool = True) -> Application:
    """What a rule needs and makes in each case of its inputs, and of the conditions that it asks for.

    Args:
        given: The inputs.
        apply: Applies the rule to inputs without cases where a condition holds. It may raise `UndecidedError`, but
            not where the condition is None: there were too many cases then.
        simpler: Whether a size that is a number in a case is that number there.
    """
    ahead = _together(given)
    found: list[tuple[Formula, Application]] = []
    while ahead and len(ahead) + len(found) <= MAX_CASES:
        condition, inputs = ahead.pop(0)
        try:
            found.append((condition, apply(_within(inputs, condition) if simpler else inputs, condition)))
        except UndecidedError as asked:
            either = [all_of(condition, part) for part in (asked.condition, negate(asked.condition))]
            ahead[:0] = [(both, inputs) for both in either if possible(both)]
    if ahead or not found:  # of no case where no input gets here: a node before can't run
        return apply(tuple(None if t is None else _undivided(t) for t in given), None)
    return found[0][1] if len(found) == 1 else _joined(found)


def _together(given: Sequence[Tensor | None]) -> list[tuple[Formula, Inputs]]:
    """The cases that the inputs can be in at once."""
    found: list[tuple[Formula, Inputs]] = [(TRUE, ())]
    for t in given:
        options = [*t.cases] if t is not None and t.cases else [Case(TRUE, t)]  # type: ignore[arg-type]  # as given
        pairs = [(all_of(known, case.given), (*inputs, case.tensor)) for known, inputs in found for case in options]
        found = [(both, inputs) for both, inputs in pairs if len(options) == 1 or possible(both)]
        if len(found) > MAX_CASES:
            break
    return found


def _within(inputs: Inputs, condition: Formula) -> Inputs:
    """The inputs where a condition holds."""
    known = _Given(condition)
    return tuple(None if t is None else rewritten(t, known) for t in inputs)


class _Given(Substitution):
    """Rewrites what a condition decides: a symbol that is a number, a choice of which one side is taken."""

    def __init__(self, condition: Formula) -> None:
        super().__init__(_numbers(condition))
        self._changed = condition.symbols
        self._parts = condition.conjuncts

    def _rebuilt_atom(self, atom: Atom) -> Dim:
        if atom.op is SYMBOL:
            return of_atom(atom)
        if atom.op is SELECT:
            choice, a, b = atom.args
            for side, taken in ((a, choice), (b, negate(choice))):
                if taken in self._parts:
                    chosen: Dim = self.apply(side)
                    return chosen
        return super()._rebuilt_atom(atom)


def _undivided(t: Tensor) -> Tensor:
    """A tensor of which nobody knows which case it is in."""
    return tensor(t.dtype, t.shape) if t.cases else t


def possible(condition: Formula) -> bool:
    """Whether a condition isn't seen to contradict itself.

    >>> from shapesmt.algebra import symbol
    >>> from shapesmt.algebra import at_least, equal
    >>> n, m = symbol("n", 1, 8), symbol("m", 1, 8)
    >>> possible(all_of(equal(n, 1), equal(m, 1))), possible(all_of(equal(n, 1), at_least(n * m, 12)))
    (True, False)
    """
    if condition is FALSE:
        return False
    parts = condition.conjuncts
    numbers = _numbers(condition)
    if any(substitute(p, numbers) is FALSE for p in parts):
        return False
    if any(p.op == "or" and all(negate(a) in parts for a in p.args) for p in parts):
        return False
    return not any(_apart(p, q) for p, q in combinations([p for p in parts if p.dim is not None], 2))


def _numbers(condition: Formula) -> dict[Atom, Dim]:
    """The symbols that have to be numbers, and those numbers."""
    found = {}
    for part in condition.conjuncts:
        if part.op == "eq" and part.dim is not None and len(part.symbols) == 1:
            (atom,) = part.symbols
            number = of_atom(atom) - part.dim
            found.update({atom: number} if number.constant is not None else {})
    return found


def _apart(p: Formula, q: Formula) -> bool:
    """Whether the distance of two expressions contradicts what two comparisons with 0 say of them."""
    assert p.dim is not None
    assert q.dim is not None
    ways = {"eq": (1, -1), "ge": (1,)}
    sums = (a * p.dim + b * q.dim for a in ways.get(p.op, ()) for b in ways.get(q.op, ()))
    return any(s.hi < 0 for s in sums)


# What was found in the cases, as one


def one_of(cases: Sequence[Case]) -> Tensor:
    """The tensor that each case says; one without cases where they agree in rank and in what is listed."""
    flat = [
        Case(all_of(case.given, inner.given), inner.tensor)
        for case in cases
        for inner in case.tensor.cases or (Case(TRUE, case.tensor),)
    ]
    places: dict[Tensor, Formula] = {}
    for given, t in flat:
        if possible(given):
            places[t] = any_of(places.get(t, FALSE), given)
    kept = tuple(Case(given, t) for t, given in places.items())
    if len(kept) <= 1:
        return kept[0].tensor if kept else tensor(flat[0].tensor.dtype, None)
    found = reduce(lambda rest, case: _chosen(case, rest), kept[-2::-1], kept[-1].tensor)
    listed = any(case.tensor.value is not None for case in kept) and found.value is None
    if len(kept) > MAX_CASES or (found.shape is not None and not listed):
        return found
    return tensor(found.dtype, found.shape, cases=kept)


def _chosen(case: Case, rest: Tensor) -> Tensor:
    """The case's tensor where it holds, else the rest."""
    t, dtype = case.tensor, case.tensor.dtype or rest.dtype
    if t.shape is None or rest.shape is None or t.rank != rest.rank:
        return tensor(dtype, None)
    value: Value | None = t.value if t.value is rest.value else None
    if isinstance(t.value, Elements) and isinstance(rest.value, Elements) and t.value.shape == rest.value.shape:
        pairs = zip(t.value.items, rest.value.items, strict=True)
        value = elements(t.value.shape, [_chosen_item(case.given, p, q) for p, q in pairs])
    return tensor(dtype, [_chosen_size(case.given, p, q) for p, q in zip(t.dims, rest.dims, strict=True)], value)


def _chosen_item(given: Formula, a: Item, b: Item) -> Item:
    if a is b:
        return a
    return _chosen_size(given, a, b) if isinstance(a, Dim) and isinstance(b, Dim) else None


def _chosen_size(given: Formula, a: Dim, b: Dim) -> Dim:
    """`a` where the condition holds, else `b`: `b` alone where it is the same there (64 where n is 1, else 64*n)."""
    for condition, one, other in ((given, a, b), (negate(given), b, a)):
        numbers = _numbers(condition)
        if numbers and substitute(one, numbers) is substitute(other, numbers):
            return other
    return select(given, a, b)


def _joined(found: Sequence[tuple[Formula, Application]]) -> Application:
    """What all cases say, each under its condition; what they share, once."""
    found = _of_one_name(found)
    everything = [made for _, made in found]
    running = [(given, made) for given, made in found if not made.broken] or found
    columns = zip(*([Case(given, t) for t in made.outputs] for given, made in running), strict=True)
    return Application(
        tuple(map(one_of, columns)),
        tuple(_requirements(found)),
        tuple(dict.fromkeys(implies(given, fact) for given, made in found for fact in made.facts)),
        tuple(_unjudged(found)),
        all(made.repeatable for made in everything),
        tuple(dict.fromkeys(d for made in everything for d in made.fresh_symbols)),
        tuple(r for r in everything[0].ranks if all(r in made.ranks for made in everything)),
        frozenset().union(*(made.decides_success for made in everything)),
        frozenset().union(*(made.decides_sizes_only for made in everything)),
        frozenset().union(*(made.rests_on_inputs for made in everything)),
        _origin([made.origin for made in everything if made.origin is not None]),
        any(made.called for made in everything),
        _decided(found),
    )


def _decided(found: Sequence[tuple[Formula, Application]]) -> dict[Dim, Decided]:
    """How data decide the sizes that were made: by all that the node reads, where it isn't the same in each case."""
    known: dict[Dim, Decided] = {}
    for given, size, how in [(given, *pair) for given, made in found for pair in made.decided.items()]:
        before = known.setdefault(size, how)
        if before.total is not None and how.total is not None:  # of so many elements in the one case and the other
            how = how._replace(total=_chosen_size(given, how.total, before.total))
            before = before._replace(total=how.total)
        known[size] = how if before == how else BY_ALL
    return known


def _of_one_name(found: Sequence[tuple[Formula, Application]]) -> Sequence[tuple[Formula, Application]]:
    """The cases with one symbol for a size that data decide, whichever case it is in."""
    named: dict[str, dict[Atom, None]] = {}
    for a in [a for _, made in found for d in made.fresh_symbols if (a := d.as_symbol()) is not None]:
        named.setdefault(a.name, {})[a] = None
    joint = {
        a: symbol(name, min(t.lo for t in atoms), max(t.hi for t in atoms), kind=a.kind)
        for name, atoms in named.items()
        for a in (atoms if len(atoms) > 1 else ())
    }
    change = Substitution(joint)
    return [(given, _limited(made, joint).rewritten(change)) for given, made in found] if joint else found


def _limited(made: Application, joint: Mapping[Atom, Dim]) -> Application:
    """What is said in a case, with the limits that a symbol has there."""
    own = [(a, joint[a]) for d in made.fresh_symbols if (a := d.as_symbol()) is not None and a in joint]
    lower = [at_least(d, int(a.lo)) for a, d in own if a.lo > d.lo]
    upper = [at_most(d, int(a.hi)) for a, d in own if a.hi < d.hi]
    return dataclasses.replace(made, facts=(*made.facts, *lower, *upper))


def _origin(found: Sequence[Callable[[int], Origin]]) -> Callable[[int], Origin] | None:
    """What decides the elements that aren't known, in one case or another."""
    return (lambda index: together(*(origin(index) for origin in found))) if found else None


def _requirements(found: Sequence[tuple[Formula, Application]]) -> Iterable[Requirement]:
    """What the node needs: under the cases in which it does, unless those are all."""
    cases: dict[Requirement, dict[Formula, None]] = {}
    for given, made in found:
        for r in made.requirements:
            cases.setdefault(r, {})[given] = None
    for r in [*cases]:
        general = next((q for q in cases if q is not r and _covers(q, r, cases[r])), None)
        if general is not None:
            cases[general].update(cases.pop(r))
    for r, where in cases.items():
        case = TRUE if len(where) == len(found) or r.formula is TRUE else any_of(*where)
        yield r._replace(formula=implies(case, r.formula), given=all_of(case, r.given))


def _covers(general: Requirement, r: Requirement, where: Iterable[Formula]) -> bool:
    """Whether the first says of the sizes in general what the second says of their numbers in these cases."""
    if general.law != r.law or general.within != r.within:
        return False
    return all(substitute(general.formula, _numbers(given)) is r.formula for given in where)


def _unjudged(found: Sequence[tuple[Formula, Application]]) -> Iterable[Unjudged]:
    """What is said of no input of some cases."""
    cases: dict[Unjudged, dict[Formula, None]] = {}
    for given, made in found:
        for u in made.unjudged:
            cases.setdefault(u, {})[given] = None
    for u, where in cases.items():
        yield u if len(where) == len(found) else u._replace(given=all_of(u.given, any_of(*where)))
