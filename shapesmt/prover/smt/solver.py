"""Decide whether conditions can hold together: ask Z3, and check its model by our own evaluation.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.algebra import at_least, differs
    >>> h = symbol("h", 1, 64)
    >>> check([differs(2 * (h // 2), h), at_least(h, 60)]).model[h.as_symbol()] in (61, 63)
    True
    >>> check([differs(2 * (h // 2), h), at_least(h, 64)]).verdict
    'unsat'

Every query starts a fresh solver with few conditions: Z3 answers faster than with one solver for many queries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import inf
from operator import attrgetter
from typing import Literal, TypeVar

from shapesmt.base.deadline import Deadline, stage
from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Assignment,
    Atom,
    Dim,
    End,
    Evaluator,
    Formula,
    absolute,
    at_most,
    equal,
    evaluate,
    lowest,
    of_atom,
    select,
    tight,
    total,
)
from shapesmt.prover.smt.nearby import (
    LARGEST,
    all_hold,
    best,
    complete,
    holds as holds,
    nearby_models,
    nearest,
    relevant,
)
from shapesmt.prover.smt.process import Query, ask
from shapesmt.prover.smt.smtlib import Script, script

Name = TypeVar("Name", bound=Hashable)

EFFORT = 2_000_000  # Z3's resource units for a first attempt, about 0.2 s
ATTEMPTS = ((False, 0, 1), (True, 1, 2), (False, 7, 4))  # (by tactics, seed, how many times the effort)
MAX_CORRECTIONS = 24
MAX_FAR_CORRECTIONS = 2


@frozen()
class Answer:
    """The answer of `check`, with sizes at which the conditions hold.

    Attributes:
        verdict: "sat", "unsat", or "unknown" when Z3 gave up or its model failed the check.
        model: For "sat": a value of every free symbol, inside its range, at which all the conditions hold.
    """

    verdict: Literal["sat", "unsat", "unknown"]
    model: Assignment = field(default_factory=dict)

    def __bool__(self) -> bool:
        raise TypeError("an answer is one of three; compare its verdict")


UNSAT = Answer("unsat")
UNKNOWN = Answer("unknown")
FOREVER = Deadline(None)


@stage("the solver")
def check(
    formulas: Iterable[Formula],
    deadline: Deadline = FOREVER,
    *,
    symbols: Iterable[Atom] = (),
    effort: float = 1,
    corrections: int = MAX_CORRECTIONS,
) -> Answer:
    """Decide whether the conditions can hold together.

    Args:
        formulas: The conditions.
        deadline: When to give up.
        symbols: Further symbols to which the model gives values.
        effort: Z3's resource limit, as a multiple of the default.
        corrections: Limit of model corrections per attempt; below the default, only one attempt is made.
    """
    conditions = [f for f in dict.fromkeys(formulas) if f is not TRUE]
    if FALSE in conditions:
        return UNSAT
    all_symbols = frozenset(symbols).union(*(f.symbols for f in conditions))
    if conditions and deadline.expired:  # writing the text alone takes time
        return UNKNOWN
    near = next(filter(None, nearby_models(conditions, sorted(all_symbols, key=attrgetter("number")))), None)
    if near is not None:
        return Answer("sat", near)
    conditions = relevant(conditions)
    text = script(conditions)
    for by_tactics, seed, times in ATTEMPTS if corrections >= MAX_CORRECTIONS else ATTEMPTS[:1]:
        how = Query("", effort=int(EFFORT * effort * times), seed=seed, chain=by_tactics)
        answer = _attempt(text, conditions, all_symbols, deadline, how, corrections)
        if answer.verdict != "unknown" or deadline.expired:
            return answer
    return UNKNOWN


def _attempt(
    text: Script,
    conditions: Sequence[Formula],
    all_symbols: frozenset[Atom],
    deadline: Deadline,
    settings: Query,
    corrections: int,
) -> Answer:
    """Ask Z3; if its model has wrong values for opaque operations, assert the right ones and ask again.

    Z3 is asked `corrections` times at most; then the answer is unknown.
    """
    names = [name[1:-1] for name in (*text.symbols.values(), *text.opaque.values())]
    lines = [str(text)]
    for _ in range(corrections):
        reply = ask(replace(settings, text="\n".join(lines), values=names), deadline)
        if reply.verdict == "unsat":
            return UNSAT
        if reply.verdict != "sat":
            return UNKNOWN
        values = complete({atom: reply.values[name[1:-1]] for atom, name in text.symbols.items()}, all_symbols)
        evaluator = Evaluator(values)
        if all_hold(evaluator, conditions):
            return Answer("sat", values)
        right = text.corrections(evaluator, reply.values)
        if not right:
            return UNKNOWN
        lines += right
    return UNKNOWN


def core(
    named: Mapping[Name, Formula], deadline: Deadline = FOREVER, background: Sequence[Formula] = ()
) -> list[Name] | None:
    """Return a minimal set of conditions that can't hold together.

    Args:
        named: The conditions, under keys of any kind.
        deadline: When to give up.
        background: Conditions that are always assumed.

    Returns:
        The keys of the set, in order: a separate query proves it unsatisfiable, and as far as Z3 can tell, no key
        can be left out. None if the conditions aren't proven unsatisfiable.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.algebra import at_least
    >>> h = symbol("h", 1, 64)
    >>> core({"low": at_least(5, h), "any": at_least(h, 2), "high": at_least(h, 7)})
    ['low', 'high']
    """
    if FALSE in background:
        return []
    never = next((k for k, f in named.items() if f is FALSE), None)
    if never is not None:
        return [never]
    keys = _first_core(named, deadline, background)
    if keys is None:
        keys = list(named)
        if check([*background, *named.values()], deadline).verdict != "unsat":
            return None
    for key in list(keys):
        rest = [k for k in keys if k != key]
        if check([*background, *(named[k] for k in rest)], deadline).verdict == "unsat":
            keys = rest
    return keys


def _first_core(named: Mapping[Name, Formula], deadline: Deadline, background: Sequence[Formula]) -> list[Name] | None:
    """Return the core that Z3 reports, if a separate query confirms it; None if not."""
    text = script(background)
    literals: dict[str, Name] = {}
    for key, formula in named.items():
        term = text.formula(formula)
        literal = text.name(f"assume {len(literals)}")
        text.lines.append(f"(declare-const {literal} Bool)")
        text.lines.append(f"(assert (=> {literal} {term}))")
        literals[literal[1:-1]] = key
    reply = ask(Query(str(text), assume=list(literals), effort=EFFORT), deadline)
    if reply.verdict != "unsat":
        return None
    keys = [key for literal, key in literals.items() if literal in reply.core]
    return keys if check([*background, *(named[k] for k in keys)], deadline).verdict == "unsat" else None


def minimize(
    dim: Dim, facts: Iterable[Formula] = (), deadline: Deadline = FOREVER, models: Iterable[Assignment] = ()
) -> End:
    """Return the minimum of an expression over the inputs that satisfy the facts.

    `models` are assignments to try before the solver is asked. If the deadline passes, the result may be unproven.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.algebra import at_least, divides
    >>> h = symbol("h", 10, 64)
    >>> least = minimize(h + h // 16, [divides(7, h)])
    >>> least.value, least.witness[h.as_symbol()], least.proven
    (14, 14, True)
    """
    facts = list(facts)
    low = max([tight(dim)[0], *_stated_ends(dim, facts)])
    symbols = dim.symbols.union(*(f.symbols for f in facts))
    end = int(low) if low > -inf else -LARGEST
    model = best(dim, end, facts, symbols, models)
    if low > -inf:
        if model is not None and evaluate(dim, model) == end:
            return End(end, model, proven=True)
        answer = check([*facts, equal(dim, end)], deadline, symbols=symbols)
        if answer.verdict == "sat":
            return End(end, answer.model, proven=True)
    else:
        if model is not None and evaluate(dim, model) <= end:
            return End(None, model, proven=True)
        floats = bool(script([at_most(dim, end)]).opaque)  # cast to integers, floats don't exceed 64 bits
        corrections = MAX_FAR_CORRECTIONS if floats else MAX_CORRECTIONS
        answer = check([*facts, at_most(dim, end)], deadline, symbols=symbols, corrections=corrections)
        if answer.verdict != "unsat":
            return End(None, answer.model or None, proven=answer.verdict == "sat")
        end += 1
    if model is None:
        answer = check(facts, deadline, symbols=symbols)
        if answer.verdict != "sat":
            return End(end, None, proven=False)
        model = answer.model
    return _descend(dim, facts, deadline, end, model, near=low > -inf)


def _stated_ends(dim: Dim, facts: Iterable[Formula]) -> Iterator[int]:
    """Yield the lower bounds that facts state for an expression: 3 for `n - m` if `n >= m + 3`."""
    for fact in facts:
        rest = dim - fact.dim if fact.op == "ge" and fact.dim is not None else None
        if rest is not None and rest.constant is not None:
            yield rest.constant


def maximize(
    dim: Dim, facts: Iterable[Formula] = (), deadline: Deadline = FOREVER, models: Iterable[Assignment] = ()
) -> End:
    """Return the maximum of an expression over the inputs that satisfy the facts; see `minimize`."""
    least = minimize(-dim, facts, deadline, models)
    return least if least.value is None else least._replace(value=-least.value)


def _descend(
    dim: Dim, facts: list[Formula], deadline: Deadline, low: int, model: Assignment, *, near: bool = True
) -> End:
    """Return the minimum of `dim`, which lies between `low` and its value at `model`, by asking the solver.

    The first questions are near `low` if `near`, else near the model's value.
    """
    best = int(evaluate(dim, model))
    step = 1
    while low < best:
        middle = (low + best) // 2
        probe = min(low + step - 1, middle) if near else max(best - step, middle)
        answer = check([*facts, at_most(dim, probe)], deadline, symbols=dim.symbols)
        if answer.verdict == "unknown":
            return End(low, model, proven=False)
        if answer.verdict == "sat":
            model, best = answer.model, int(evaluate(dim, answer.model))
        else:
            low = probe + 1
        step *= 2
    return End(best, model, proven=True)


def smallest_model(
    formulas: Iterable[Formula],
    symbols: Iterable[Atom],
    deadline: Deadline = FOREVER,
    known: Answer | None = None,
) -> Assignment | None:
    """Return a model such as a person would write: few symbols off the low end of their range, and small values.

    Args:
        formulas: The conditions.
        symbols: The symbols to make small; given a choice, earlier ones stay at their low ends.
        deadline: When to return the smallest model so far.
        known: The answer of `check` for the same conditions; None if it wasn't asked.

    Returns:
        The model; None if none is known.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.algebra import differs
    >>> b, h, w = symbol("b", 1), symbol("h", 4, 99), symbol("w", 8, 99)
    >>> model = smallest_model([differs(b * (h + w) % 4, 0)], [s.as_symbol() for s in (b, h, w)])
    >>> sorted((atom.name, value) for atom, value in model.items())
    [('b', 1), ('h', 4), ('w', 9)]
    """
    facts, listed = relevant(list(formulas)), list(symbols)
    about = frozenset[Atom]().union(*(f.symbols for f in facts))
    symbols = sorted(about, key=lambda s: listed.index(s) if s in listed else len(listed) + s.number)
    moves = list(nearby_models(facts, symbols))
    if moves and moves[0] is not None:
        return complete(moves[0], listed)
    answer = check(facts, deadline, symbols=symbols) if known is None else known
    if answer.verdict != "sat":
        return None
    seen = {s: answer.model[s] for s in symbols}
    model = _few_moved(facts, symbols, 1 if moves else 2, seen, deadline)
    far = [s for s in symbols if model[s] != lowest(s)]
    facts += [equal(of_atom(s), lowest(s)) for s in symbols if s not in far]
    for s in far:
        value = next(nearest(facts, model, s), None) if s is far[-1] else None
        if value is not None:
            return complete({**model, s: value}, listed)
        least = _descend(absolute(of_atom(s) - lowest(s)), facts, deadline, 1, model)
        model = least.witness or model
        facts.append(equal(of_atom(s), model[s]))
    return complete(model, listed)


def _few_moved(
    facts: list[Formula], symbols: Sequence[Atom], fewest: int, model: Assignment, deadline: Deadline
) -> Assignment:
    """Return a model with few symbols off their low ends, but at least `fewest`; the search starts from `model`.

    Earlier symbols stay at their low ends if possible.
    """
    off = total(select(equal(of_atom(s), lowest(s)), 0, 1) for s in symbols)
    facts = list(facts)
    for count in range(fewest, sum(model[s] != lowest(s) for s in symbols)):
        answer = check([*facts, at_most(off, count)], deadline, symbols=symbols)
        if answer.verdict == "sat":
            model = answer.model
            facts.append(at_most(off, count))
            break
    for s in symbols:
        low = equal(of_atom(s), lowest(s))
        if model[s] != lowest(s):
            answer = check([*facts, low], deadline, symbols=symbols)
            if answer.verdict != "sat":
                continue
            model = answer.model
        facts.append(low)
    return model
