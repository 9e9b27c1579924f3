"""Alternatives: a tensor whose rank depends on a condition, and a rule applied in each case.

PyTorch exports `squeeze` as `If(n == 1) {Squeeze} else {Identity}`: one tensor of two ranks. The tensor has a case for
each rank, with the condition of that case; for any input, exactly one of the conditions holds. A rule that reads the
tensor is applied once per case, and its requirements are stated under the case's condition. A rule may also split cases
itself (`ctx.holds`): `Squeeze` without axes asks for each size whether it is 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import combinations

from shapesmt.base.deadline import look
from shapesmt.operators.rules.application import BY_ALL, Application, Decided, Requirement, Unjudged
from shapesmt.operators.rules.provenance import Origin, together
from shapesmt.operators.rules.tensors import Case, Layout, Tensor, UndecidedError, rewrite_tensor, tensor
from shapesmt.operators.rules.value import Elements, Item, Value, elements
from shapesmt.prover.algebra import (
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

MAX_CASES = 32  # cases of one tensor, and cases to which a rule is applied

Inputs = tuple["Tensor | None", ...]
Apply = Callable[[Inputs, "Formula | None"], Application]


def by_case(inputs: Sequence[Tensor | None], apply: Apply, *, simpler: bool = True) -> Application:
    """Apply a rule in each case of its inputs, and in each case of the conditions that it asks for.

    Args:
        inputs: The inputs.
        apply: Applies the rule to inputs without cases, under the condition of a case. It may raise `UndecidedError`,
            but not if the condition is None, which means that there are more than `MAX_CASES` cases.
        simpler: Whether a size that the condition makes a number (`n == 1`) is replaced by that number.
    """
    ahead = _together(inputs)
    applied: list[tuple[Formula, Application]] = []
    while ahead and len(ahead) + len(applied) <= MAX_CASES:
        look()
        condition, case_inputs = ahead.pop(0)
        try:
            applied.append((condition, apply(_within(case_inputs, condition) if simpler else case_inputs, condition)))
        except UndecidedError as undecided:
            either = [all_of(condition, part) for part in (undecided.condition, negate(undecided.condition))]
            ahead[:0] = [(both, case_inputs) for both in either if possible(both)]
    if ahead or not applied:  # no case is left if no input reaches the node
        return apply(tuple(None if t is None else _without_cases(t) for t in inputs), None)
    return applied[0][1] if len(applied) == 1 else _merge(applied)


def _together(inputs: Sequence[Tensor | None]) -> list[tuple[Formula, Inputs]]:
    """Return the combinations of the inputs' cases, without those whose conditions contradict each other."""
    combined: list[tuple[Formula, Inputs]] = [(TRUE, ())]
    for t in inputs:
        options = [*t.cases] if t is not None and t.cases else [Case(TRUE, t)]  # type: ignore[arg-type]  # None stays None
        pairs = [
            (all_of(condition, case.condition), (*chosen, case.tensor))
            for condition, chosen in combined
            for case in options
        ]
        combined = [(both, chosen) for both, chosen in pairs if len(options) == 1 or possible(both)]
        if len(combined) > MAX_CASES:
            break
    return combined


def _within(inputs: Inputs, condition: Formula) -> Inputs:
    """Return the inputs with their sizes and elements simplified, given that `condition` holds."""
    known = _UnderCondition(condition)
    return tuple(None if t is None else rewrite_tensor(t, known) for t in inputs)


class _UnderCondition(Substitution):
    """Simplifies terms by a condition: a symbol becomes its number, `select(c, a, b)` becomes `a` or `b`."""

    def __init__(self, condition: Formula) -> None:
        super().__init__(_numbers(condition))
        self._changed = condition.symbols
        self._parts = condition.conjuncts

    def _apply(self, atom: Atom) -> Dim:
        if atom.op is SYMBOL:
            return of_atom(atom)
        if atom.op is SELECT:
            choice, a, b = atom.args
            for side, condition in ((a, choice), (b, negate(choice))):
                if condition in self._parts:
                    chosen: Dim = self.apply(side)
                    return chosen
        return super()._apply(atom)


def _without_cases(t: Tensor) -> Tensor:
    """Return the tensor with the element type and shape that all its cases share, and without cases and elements."""
    return tensor(t.dtype, t.shape, layout=t.layout) if t.cases else t


def possible(condition: Formula) -> bool:
    """Whether a condition may hold: False only if its parts visibly contradict each other.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.algebra import at_least, equal
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
    """Return the symbols that a condition fixes to one number each: `n == 1` gives {n: 1}."""
    numbers = {}
    for part in condition.conjuncts:
        if part.op == "eq" and part.dim is not None and len(part.symbols) == 1:
            (atom,) = part.symbols
            number = of_atom(atom) - part.dim
            numbers.update({atom: number} if number.constant is not None else {})
    return numbers


def _apart(p: Formula, q: Formula) -> bool:
    """Whether two comparisons with 0 exclude each other: `n - 4 >= 0` and `3 - n == 0` do, as their sum is -1."""
    assert p.dim is not None
    assert q.dim is not None
    ways = {"eq": (1, -1), "ge": (1,)}
    sums = (a * p.dim + b * q.dim for a in ways.get(p.op, ()) for b in ways.get(q.op, ()))
    return any(s.hi < 0 for s in sums)


# Merging the results of all cases


def one_of(cases: Sequence[Case]) -> Tensor:
    """Merge the cases of one tensor: if their ranks agree, `select` chooses each size by the conditions.

    The result has `cases` only if the ranks differ or elements would be lost, and for at most `MAX_CASES` cases.
    """
    flat = [
        Case(all_of(case.condition, inner.condition), inner.tensor)
        for case in cases
        for inner in case.tensor.cases or (Case(TRUE, case.tensor),)
    ]
    places: dict[Tensor, Formula] = {}
    for condition, t in flat:
        if possible(condition):
            places[t] = any_of(places.get(t, FALSE), condition)
    kept = tuple(Case(condition, t) for t, condition in places.items())
    if len(kept) <= 1:
        return kept[0].tensor if kept else tensor(flat[0].tensor.dtype, None)
    merged = reduce(lambda rest, case: _select_case(case, rest), kept[-2::-1], kept[-1].tensor)
    lists_elements = any(case.tensor.value is not None for case in kept) and merged.value is None
    if len(kept) > MAX_CASES or (merged.shape is not None and not lists_elements):
        return merged
    return tensor(merged.dtype, merged.shape, cases=kept, layout=merged.layout)


def _select_case(case: Case, rest: Tensor) -> Tensor:
    """Return a tensor that equals the case's if the condition holds, else `rest`; no rank is known if they differ."""
    t, dtype = case.tensor, case.tensor.dtype or rest.dtype
    if t.shape is None or rest.shape is None or t.rank != rest.rank:
        return tensor(dtype, None)
    value: Value | None = t.value if t.value is rest.value else None
    if isinstance(t.value, Elements) and isinstance(rest.value, Elements) and t.value.shape == rest.value.shape:
        pairs = zip(t.value.items, rest.value.items, strict=True)
        value = elements(t.value.shape, [_chosen_item(case.condition, p, q) for p, q in pairs])
    dims = [_chosen_size(case.condition, p, q) for p, q in zip(t.dims, rest.dims, strict=True)]
    return tensor(dtype, dims, value, layout=t.layout if t.layout == rest.layout else Layout())


def _chosen_item(condition: Formula, a: Item, b: Item) -> Item:
    if a is b:
        return a
    return _chosen_size(condition, a, b) if isinstance(a, Dim) and isinstance(b, Dim) else None


def _chosen_size(condition: Formula, a: Dim, b: Dim) -> Dim:
    """Return `a` if the condition holds, else `b`; just `b` if it equals `a` there (64 if n is 1, else 64*n)."""
    for where, one, other in ((condition, a, b), (negate(condition), b, a)):
        numbers = _numbers(where)
        if numbers and substitute(one, numbers) is substitute(other, numbers):
            return other
    return select(condition, a, b)


def _merge(applied: Sequence[tuple[Formula, Application]]) -> Application:
    """Merge the applications of all cases: each requirement and fact under its case's condition, shared ones once."""
    applied = _of_one_name(applied)
    applications = [a for _, a in applied]
    running = [(condition, a) for condition, a in applied if not a.broken] or applied
    columns = zip(*([Case(condition, t) for t in a.outputs] for condition, a in running), strict=True)
    return Application(
        tuple(map(one_of, columns)),
        tuple(_requirements(applied)),
        tuple(dict.fromkeys(implies(condition, fact) for condition, a in applied for fact in a.facts)),
        tuple(_merge_unjudged(applied)),
        all(a.repeatable for a in applications),
        tuple(dict.fromkeys(d for a in applications for d in a.fresh_symbols)),
        tuple(r for r in applications[0].ranks if all(r in a.ranks for a in applications)),
        frozenset().union(*(a.decides_success for a in applications)),
        frozenset().union(*(a.decides_sizes_only for a in applications)),
        frozenset().union(*(a.rests_on_inputs for a in applications)),
        _origin([a.origin for a in applications if a.origin is not None]),
        any(a.called for a in applications),
        _deciding_data(applied),
        by_version=any(a.by_version for a in applications),
        assumed=tuple(dict.fromkeys(one for a in applications for one in a.assumed)),
    )


def _deciding_data(applied: Sequence[tuple[Formula, Application]]) -> dict[Dim, Decided]:
    """Return how data decides each new size; if that differs between cases, all inputs of the node decide it."""
    known: dict[Dim, Decided] = {}
    for condition, size, how in [(condition, *pair) for condition, a in applied for pair in a.decided.items()]:
        before = known.setdefault(size, how)
        if before.total is not None and how.total is not None:  # it counts elements; their number depends on the case
            how = how._replace(total=_chosen_size(condition, how.total, before.total))
            before = before._replace(total=how.total)
        known[size] = how if before == how else BY_ALL
    return known


def _of_one_name(applied: Sequence[tuple[Formula, Application]]) -> Sequence[tuple[Formula, Application]]:
    """Replace the new symbols of different cases that have the same name by one symbol, whose range covers theirs."""
    named: dict[str, dict[Atom, None]] = {}
    for a in [a for _, application in applied for d in application.fresh_symbols if (a := d.as_symbol()) is not None]:
        named.setdefault(a.name, {})[a] = None
    joint = {
        a: symbol(name, min(t.lo for t in atoms), max(t.hi for t in atoms), kind=a.kind)
        for name, atoms in named.items()
        for a in (atoms if len(atoms) > 1 else ())
    }
    change = Substitution(joint)
    return (
        [(condition, _add_limits(application, joint).rewrite(change)) for condition, application in applied]
        if joint
        else applied
    )


def _add_limits(application: Application, joint: Mapping[Atom, Dim]) -> Application:
    """Return the application of one case, with the narrower range that it has for a common symbol as facts."""
    own = [(a, joint[a]) for d in application.fresh_symbols if (a := d.as_symbol()) is not None and a in joint]
    lower = [at_least(d, int(a.lo)) for a, d in own if a.lo > d.lo]
    upper = [at_most(d, int(a.hi)) for a, d in own if a.hi < d.hi]
    return dataclasses.replace(application, facts=(*application.facts, *lower, *upper))


def _origin(origins: Sequence[Callable[[int], Origin]]) -> Callable[[int], Origin] | None:
    """Return the origin of an output's unknown elements, over all cases; None if no case has one."""
    return (lambda index: together(*(origin(index) for origin in origins))) if origins else None


def _requirements(applied: Sequence[tuple[Formula, Application]]) -> Iterable[Requirement]:
    """Yield the node's requirements, each under the conditions of the cases that state it, unless all cases do."""
    cases: dict[Requirement, dict[Formula, None]] = {}
    for condition, application in applied:
        for r in application.requirements:
            cases.setdefault(r, {})[condition] = None
    for r in [*cases]:
        general = next((q for q in cases if q is not r and _covers(q, r, cases[r])), None)
        if general is not None:
            cases[general].update(cases.pop(r))
    for r, where in cases.items():
        case = TRUE if len(where) == len(applied) or r.formula is TRUE else any_of(*where)
        yield r._replace(formula=implies(case, r.formula), branch=all_of(case, r.branch))


def _covers(general: Requirement, r: Requirement, where: Iterable[Formula]) -> bool:
    """Whether `general` becomes `r` in each of the cases `where`, whose conditions fix symbols to numbers."""
    if general.law != r.law or general.within != r.within:
        return False
    return all(substitute(general.formula, _numbers(condition)) is r.formula for condition in where)


def _merge_unjudged(applied: Sequence[tuple[Formula, Application]]) -> Iterable[Unjudged]:
    """Yield undecided nodes, each under the conditions of the cases that leave it undecided, unless all cases do."""
    cases: dict[Unjudged, dict[Formula, None]] = {}
    for condition, application in applied:
        for u in application.unjudged:
            cases.setdefault(u, {})[condition] = None
    for u, where in cases.items():
        yield u if len(where) == len(applied) else u._replace(branch=all_of(u.branch, any_of(*where)))
