"""Judge: decide a condition by presolve if that is enough, else by Z3; a timeout gives the verdict UNKNOWN."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from importlib import import_module
from math import inf
from types import ModuleType
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from shapesmt.base.deadline import Deadline, stage
from shapesmt.base.lazy import cached_property, np
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Assignment,
    Atom,
    Dim,
    End,
    Evaluator,
    Formula,
    Verdict,
    all_of,
    as_dim,
    lowest,
    memo,
    negate,
    of_atom,
)
from shapesmt.prover.algebra.growth import half_line_of
from shapesmt.prover.presolve import (
    Decision,
    Domain,
    decide,
    decide_part,
    extent,
    independent,
    is_even,
    remaining_cases,
    simpler_facts,
    together,
)
from shapesmt.prover.regions import Region

if TYPE_CHECKING:
    from shapesmt.prover.smt import Answer

Reply = TypeVar("Reply")
Question = TypeVar("Question", bound=Hashable)

_DECISIONS: dict[Hashable, Decision] = memo("decisions", {})
_FOLLOWING: dict[Hashable, Decision | None] = memo("facts that others may imply", {})
_PROOFS: dict[Hashable, bool] = memo("proofs", {})
_REGIONS: dict[Hashable, Region] = memo("regions", {})
_TIED: dict[Hashable, list[Atom]] = memo("tied symbols", {})
_ENDS: dict[Hashable, tuple[End, End]] = memo("ends", {})
_COMPLETED: dict[Hashable, Assignment] = memo("completed assignments", {})

MODELS = 32  # number of recent solver models at which a condition is evaluated before the solver is asked
BRIEF = 0.1  # part of the solver's usual effort, for each query of a judge with a limit on queries


class Judge:
    """Decides conditions and intervals over domains, until its deadline.

    Facts of a domain about other symbols aren't looked at, so a domain that has no input isn't noticed: `satisfiable`
    says whether it has one.

    Args:
        deadline: When to give up.
        asks: The number of solver queries, with little effort each; None is unlimited. A judge with a limit neither
            reads nor fills the caches that others share, so that its answers don't depend on earlier ones.
    """

    def __init__(self, deadline: Deadline | None = None, asks: int | None = None) -> None:
        self.deadline = deadline or Deadline(None)
        self._asks = asks
        self._answers: dict[tuple[Formula, ...], Answer] = {}
        self._decisions: dict[tuple[Formula, ...], Decision] = {}
        self._models: deque[Assignment] = deque(maxlen=MODELS)
        self._open = 0  # number of queries that the solver left unanswered

    def within(self, seconds: float) -> Judge:
        """Return a judge that shares this one's cached answers and stops after `seconds` at the latest."""
        twin = Judge(self.deadline.within(seconds))
        twin._answers, twin._decisions = self._answers, self._decisions
        return twin

    @cached_property
    def _solver(self) -> ModuleType:
        """The solver, imported when presolve can't decide something."""
        return import_module("shapesmt.prover.smt.solver")

    def decide(self, domain: Domain, formula: Formula) -> Decision:
        """Decide whether the condition holds over the domain, with the smallest counterexample if it doesn't."""
        late = Decision(Verdict.UNKNOWN, "timeout")
        return self.deadline.attempt(lambda: self.once(_DECISIONS, domain, formula, self._decide), late)

    def once(
        self, known: dict[Hashable, Reply], domain: Domain, about: Question, work: Callable[[Domain, Question], Reply]
    ) -> Reply:
        """Return `work(domain, about)`, cached in `known` unless the solver left a query unanswered."""
        key = domain.key, about
        if self._asks is not None:
            return work(domain, about)
        if key in known:
            return known[key]
        open_before, reply = self._open, work(domain, about)
        if self._open == open_before and not self.deadline.expired:
            known[key] = reply
        return reply

    def region(self, domain: Domain, condition: Formula) -> Region:
        """Return the inputs of the domain for which the condition holds, as readable formulas."""
        from shapesmt.prover.regions import describe

        with stage("where it runs, as formulas"):
            return self.once(_REGIONS, domain, condition, lambda within, f: describe(f, within, self.proves))

    def related_symbols(self, domain: Domain, symbols: frozenset[Atom]) -> list[Atom]:
        """Return the given symbols, and all that the domain's facts relate to them."""
        return self.once(_TIED, domain, symbols, lambda within, about: within.closure(about)[0])

    @stage("conditions")
    def _decide(self, domain: Domain, formula: Formula) -> Decision:
        parts = independent(domain, domain.simplify(formula))
        return together(domain, [decide_part(domain, part) or self._solve(domain, part) for part in parts])

    def _solve(self, domain: Domain, formula: Formula) -> Decision:
        """Return the solver's decision on a condition, with the smallest counterexample; decisions are cached."""
        symbols, facts = domain.about(formula.symbols)
        key = (formula, *facts)
        if key not in self._decisions:
            self._decisions[key] = self._decide_by_solver(formula, symbols, facts)
        return self._decisions[key]

    def _decide_by_solver(self, formula: Formula, symbols: Sequence[Atom], facts: Sequence[Formula]) -> Decision:
        failing = (*facts, negate(formula))
        refuted = self._ask(failing)
        if refuted.verdict == "unsat":
            return Decision(Verdict.PROVED, "z3")
        if refuted.verdict != "sat":
            return Decision(Verdict.UNKNOWN, "z3")
        counterexample = self._solver.smallest_model(failing, symbols, self.deadline, refuted)
        satisfied = self._satisfiability((*facts, formula)) if formula is not FALSE else "unsat"
        verdicts = {"sat": Verdict.DEPENDS, "unsat": Verdict.FAILS, "unknown": Verdict.UNKNOWN}
        return Decision(verdicts[satisfied], "z3", counterexample)

    def _ask(self, conditions: tuple[Formula, ...]) -> Answer:
        """Return the solver's answer, cached so that it is asked once about the same conditions."""
        if conditions not in self._answers:
            answer = self._answers[conditions] = self._query(conditions)
            self._open += answer.verdict == "unknown"
            if answer.verdict == "sat":
                self._models.appendleft(answer.model)
        return self._answers[conditions]

    def _query(self, conditions: Sequence[Formula]) -> Answer:
        """Return the solver's answer; "unknown" once the number of queries is used up."""
        if self._asks is None:
            return cast("Answer", self._solver.check(conditions, self.deadline))
        if not self._asks:
            return cast("Answer", self._solver.UNKNOWN)
        self._asks -= 1
        return cast("Answer", self._solver.check(conditions, self.deadline, effort=BRIEF))

    def _satisfiability(self, conditions: tuple[Formula, ...]) -> Literal["sat", "unsat", "unknown"]:
        """Return whether the conditions can hold together; earlier models are tried before the solver is asked."""
        symbols = frozenset[Atom]().union(*(f.symbols for f in conditions))
        for model in self._models:
            if self._solver.holds(conditions, {s: model.get(s, lowest(s)) for s in symbols}):
                return "sat"
        return self._ask(conditions).verdict

    def assume(self, domain: Domain, condition: Formula) -> None:
        """Narrow the domain to the inputs that satisfy a condition, by simpler facts that say the same if possible."""
        for fact in self.deadline.attempt(lambda: self._simpler_facts(domain, condition), [condition]):
            if not self._follows(domain, fact):
                domain.assume(fact)
            domain.implied += fact.conjuncts
        domain.implied += condition.conjuncts
        nothing = list[Formula]()
        for case in self.deadline.attempt(lambda: remaining_cases(domain, condition.symbols), nothing):
            domain.assume(case)
            for fact in domain.relations:
                simpler = domain.eliminate(fact)
                if simpler is not fact and simpler is not TRUE and not fact.symbols.isdisjoint(case.symbols):
                    self.assume(domain, simpler)

    def _follows(self, domain: Domain, fact: Formula) -> bool:
        """Whether presolve proves a fact about one symbol from the others; bounds are kept, since they narrow sizes."""
        if len(fact.symbols) != 1 or half_line_of(fact) is not None:
            return False
        known = self.deadline.attempt(lambda: self.once(_FOLLOWING, domain, fact, decide), None)
        return known is not None and known.verdict is Verdict.PROVED

    def _simpler_facts(self, domain: Domain, condition: Formula) -> list[Formula]:
        """Return facts that together are equivalent to a condition over the domain, on one input each if possible."""
        facts = sorted(simpler_facts(domain, condition), key=lambda fact: not is_even(fact))
        if all(len(fact.symbols) < 2 for fact in facts) or any(s.universal for s in condition.symbols):
            return facts
        region = self.region(domain, all_of(*facts))
        shorter = region.exact and len(region.whole) < len(str(all_of(*facts)))
        return [said.formula for said in region.conjuncts] if shorter else facts

    def proves(self, domain: Domain, formula: Formula) -> bool:
        """Whether the condition is proven to hold over the domain; cheaper than to `decide` it."""
        return self.deadline.attempt(lambda: self.once(_PROOFS, domain, formula, self._proves), False)

    @stage("conditions")
    def _proves(self, domain: Domain, formula: Formula) -> bool:
        parts = independent(domain, domain.simplify(formula))
        decided = [decide_part(domain, part) for part in parts]
        if any(d is not None and d.verdict is not Verdict.PROVED for d in decided):
            return False
        open_parts = (part for part, known in zip(parts, decided, strict=True) if known is None)
        return all(self._solver_proves(domain, part) for part in open_parts)

    def _solver_proves(self, domain: Domain, formula: Formula) -> bool:
        """Whether the solver proves that no admissible input fails a condition."""
        return self._satisfiability((*domain.about(formula.symbols)[1], negate(formula))) == "unsat"

    def satisfiable(self, domain: Domain) -> bool:
        """Whether any input is admissible; True as well if that couldn't be decided."""
        return self.deadline.attempt(lambda: self._satisfiable(domain), True)

    def is_inhabited(self, domain: Domain) -> bool:
        """Whether some input is known to be admissible; False as well if that couldn't be decided."""
        return self.deadline.attempt(lambda: self._decide_inhabited(domain), False)

    def _decide_inhabited(self, domain: Domain) -> bool:
        empty = domain.is_empty()
        return self._satisfiability(tuple(domain.facts)) == "sat" if empty is None else not empty

    def _satisfiable(self, domain: Domain) -> bool:
        empty = domain.is_empty()
        if empty is None:
            return self._query(domain.facts).verdict != "unsat"
        return not empty

    def extent(self, domain: Domain, dim: Dim) -> tuple[End, End]:
        """Return the minimum and maximum of a size over the domain, as tight as time allows."""
        if dim.constant is not None:
            return End(dim.constant), End(dim.constant)
        lo, hi = dim.lo, dim.hi
        rough = End(int(lo) if lo > -inf else 0, proven=False), End(int(hi) if hi < inf else None, proven=False)
        return self.deadline.attempt(lambda: extent(domain, dim) or self.once(_ENDS, domain, dim, self._extent), rough)

    def _extent(self, domain: Domain, dim: Dim) -> tuple[End, End]:
        _, facts = domain.about(dim.symbols)
        ends: list[End] = []
        for end in (self._solver.minimize, self._solver.maximize):
            ends.append(end(dim, facts, self.deadline, [*self._models]))
            if ends[-1].witness is not None and ends[-1].witness not in self._models:
                self._models.appendleft(ends[-1].witness)
        low, high = ends
        self._open += not (low.proven and high.proven)
        return low if low.value is not None else End(0, low.witness, proven=False), high

    def numbers(self, domain: Domain) -> dict[Atom, Dim]:
        """Return the symbols with a single value, each with that value, as far as time allows."""
        related = {s for fact in domain.facts if len(fact.symbols) > 1 for s in fact.symbols}
        found = [(s, self.deadline.attempt(partial(extent, domain, of_atom(s)), None)) for s in related]
        values = {s: (ends[0].value, ends[1].value) for s, ends in found if ends is not None}
        return domain.numbers | {s: as_dim(low) for s, (low, high) in values.items() if low is not None and low == high}

    def complete(self, domain: Domain, partial: Assignment | None) -> Assignment | None:
        """Return an assignment of some symbols extended to all of them, by small values that satisfy the facts.

        None if `partial` is None, or if time is up.
        """
        if partial is None:
            return None
        known = tuple(partial.items())
        return self.deadline.attempt(lambda: self.once(_COMPLETED, domain, known, self._complete), None)

    def _complete(self, domain: Domain, partial: tuple[tuple[Atom, int], ...]) -> Assignment:
        values = dict(partial)
        for s in domain.symbols:
            if s in values:
                continue
            tied, facts = domain.closure((s,))
            first = {t: int(domain.ends(t)[0]) for t in tied if domain.ends(t)[0] > -inf}
            if len(first) == len(tied) and all(map(Evaluator(first).formula, facts)):
                values.update(first)
                continue
            points = domain.points((s,))
            if points is not None and points.count:
                values.update(points.smallest(np.ones(points.truth(TRUE).shape, dtype=bool)))
                continue
            least = extent(domain, of_atom(s)) if facts else None
            low = None if least is None else least[0]
            model = None if low is None or low.witness is None or low.value is None else {**low.witness, s: low.value}
            if model is None and facts:
                symbols, known = domain.about((s,))
                model = self._solver.smallest_model(known, symbols, self.deadline)
            lo, hi = domain.ends(s)
            values.update(model or {s: int(lo) if lo > -inf else int(min(hi, 0))})
        values.update(partial)
        return values
