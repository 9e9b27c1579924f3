"""Goal: the inputs that a remedy is to admit, which are those that run, without the ones that warnings are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from shapesmt.analysis.diagnose.findings import describe_region
from shapesmt.analysis.diagnose.warnings.broadcasts import Broadcast, unmeant_broadcasts
from shapesmt.analysis.diagnose.warnings.common import Examples
from shapesmt.analysis.diagnose.warnings.samples import apart_conditions
from shapesmt.analysis.verify import Examined
from shapesmt.network import laws
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Atom,
    Evaluator,
    Formula,
    Verdict,
    all_of,
    any_of,
    conjunction,
    equal,
    implies,
    negate,
)
from shapesmt.prover.presolve import decide
from shapesmt.prover.regions import Conjunct, conjunct_of
from shapesmt.reports.answers import Precondition

MAX_TEXT = 60  # the most characters of the condition for inputs that a remedy leaves out


class Meant(NamedTuple):
    """The valid inputs that no warning is about.

    Attributes:
        condition: The condition for them, over the problem's own symbols; TRUE if all valid inputs are among them.
        unstretched: The part of it under which no size of 1 is broadcast that was to be equal to another.
        witness: One of them; None if none is known.
    """

    condition: Formula = TRUE
    unstretched: Formula = TRUE
    witness: Mapping[Atom, int] | None = None

    def holds_at(self, conditions: Sequence[Formula]) -> bool:
        """Whether the witness is known, and satisfies these conditions."""
        known = self.witness or {}
        return all(f.symbols <= known.keys() and Evaluator(dict(known)).formula(f) for f in conditions) and bool(known)


def meant_inputs(a: Examined) -> Meant:
    """Return the valid inputs for which nothing is broadcast that was to be equal, and for which samples stay apart.

    If there are none, some of the warnings are ignored.
    """
    examples = Examples(a)
    found = [*unmeant_broadcasts(a, examples)]
    equalities, apart = [*_equalities(found), *_expansions(a)], [*apart_conditions(a)]
    known = [broadcast.together for broadcast in found if broadcast.together is not None]
    if len(known) == len(found) > 0:
        near = {s: v for point in reversed(known) for s, v in point.items()}
        meant = Meant(all_of(*equalities, *apart), all_of(*equalities), examples.values_at(near)[0])
        if meant.holds_at([meant.condition, *a.examination.domain.facts]):
            return meant
    kept: list[Formula] = []
    for part in dict.fromkeys((*equalities, *apart)):
        within = a.examination.domain.copy()
        within.assume(all_of(*kept, part))
        kept += [part] * a.judge.is_inhabited(within)
    return Meant(all_of(*kept), all_of(*(part for part in kept if part in equalities)))


def witness_of(a: Examined) -> Mapping[Atom, int] | None:
    """Return a valid input that no warning is about, if warnings are about others; else None."""
    meant = meant_inputs(a)
    if meant.condition is TRUE or meant.witness is not None:
        return meant.witness
    return a.judge.complete(
        a.examination.domain, a.judge.decide(a.examination.domain, negate(meant.condition)).counterexample
    )


def _equalities(found: Sequence[Broadcast]) -> list[Formula]:
    """Return the conditions under which nothing is broadcast, in any branch."""
    branches: dict[Formula, list[Formula]] = {}
    for broadcast in found:
        branches.setdefault(broadcast.agree, []).append(broadcast.own.branch)
    return [implies(any_of(*whens), agree) for agree, whens in branches.items()]


def _expansions(a: Examined) -> Iterator[Formula]:
    """Yield the conditions under which no 1 is expanded to a number, at nodes that fail for other sizes.

    To expand a 1 is what such nodes are for, so that no warning is about it; but the number may be that of the example
    with which the model was exported.
    """
    for r in (r for j in a.examination.judgements for r in j.open if r.law is laws.EXPANDS_FROM_1_OR_STAYS):
        if r.left is not None and r.right is not None and r.right.constant is not None:
            yield implies(r.branch, equal(r.left, r.right))


class Goal(NamedTuple):
    """The inputs that a remedy is to admit.

    Attributes:
        said: Conditions for them, readable if possible.
        exact: Whether the model runs, as it is meant to, if and only if those conditions hold.
        meant: The valid inputs for which the model runs as it is meant to.
        needed: Conditions that are sufficient.
    """

    said: tuple[Conjunct, ...]
    exact: bool
    meant: Meant
    needed: tuple[Conjunct, ...]


def decided_where(a: Examined) -> list[Formula] | None:
    """Return the conditions under which no node is undecided; None if these aren't known, or are about data."""
    examination = a.examination
    if any(j.verdict is Verdict.UNKNOWN for j in examination.judgements):
        return None
    conditions = [negate(examination.narrowing.back(u.branch)) for _, u in examination.unjudged]
    unclear = any(c is FALSE or any(s.universal for s in c.symbols) for c in conditions)
    return None if unclear else list(dict.fromkeys(conditions))


def goal_of(a: Examined, region: Precondition, meant: Meant) -> Goal:
    """Return the valid inputs, without those for which the model doesn't run as it is meant to, or is undecided."""
    judged = [c for j in a.examination.judgements for c in j.condition.conjuncts]
    decided = decided_where(a)
    if decided:
        conditions = [*meant.condition.conjuncts, *judged, *decided]
        told = describe_region(all_of(*conditions), a.admissible(), a)
        return Goal(told.conjuncts, False, meant, told.conjuncts if told.exact else _said(conditions))
    if meant.condition is TRUE:
        return Goal(region.conjuncts, region.exact, meant, region.conjuncts if region.exact else _said(judged))
    from shapesmt.prover.regions import readable, relates

    wanted = meant.condition.conjuncts
    conditions = [*wanted, *(c for c in judged if c.op != "or" or {*wanted}.isdisjoint(c.args))]
    relations = [f for f in conditions if relates(f) and readable(conjunct_of(f))]
    told = describe_region(all_of(*(f for f in conditions if f not in relations)), a.admissible(), a)
    said, exact = (*told.conjuncts, *_said(_shortened(relations, a))), region.exact and told.exact
    return Goal(said, exact, meant, said if exact else _said(conditions))


def _shortened(relations: Iterable[Formula], a: Examined) -> Iterator[Formula]:
    """Yield relations between sizes, with those that earlier ones determine replaced if that is shorter."""
    within = a.admissible()
    for relation in relations:
        simpler = within.eliminate(relation)
        yield simpler if len(str(simpler)) < len(str(relation)) else relation
        within.assume(relation)


def _said(conditions: Iterable[Formula]) -> tuple[Conjunct, ...]:
    return tuple(map(conjunct_of, conditions))


def broadcast_of(a: Examined, region: Precondition, goal: Goal) -> str:
    """Return the condition under which the model runs, though a 1 is broadcast; "" if it isn't short, or not found."""
    unstretched = goal.meant.unstretched
    if unstretched is TRUE:
        return ""
    judged, admissible = [c for j in a.examination.judgements for c in j.condition.conjuncts], a.admissible()
    if len({s for c in judged for s in c.symbols}) == 1:
        simpler = goal.exact and goal.meant.condition is unstretched
        meant = all_of(*(c.formula for c in goal.said)) if simpler else unstretched
        valid = [c.formula for c in region.conjuncts] if region.exact else judged
        beyond = describe_region(all_of(*valid, negate(meant)), admissible, a)
        text = conjunction(beyond.text) if beyond.exact else ""
    else:

        def is_other(case: Formula) -> bool:
            decision = decide(admissible, implies(case, unstretched))
            return case is not unstretched and (decision is None or decision.verdict is not Verdict.PROVED)

        ways = [c.op == "or" and unstretched in c.args for c in judged]
        rest = [any_of(*filter(is_other, c.args)) if way else c for c, way in zip(judged, ways, strict=True)]
        text = str(all_of(*rest)) if any(ways) else ""
    return text if len(text) <= MAX_TEXT else ""
