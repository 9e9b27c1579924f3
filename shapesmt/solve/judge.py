"""Judge: presolve's cheap certificates first, Z3 for the residue, and never a verdict from a timeout."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from math import inf
from types import ModuleType
from typing import NamedTuple

import numpy as np

from shapesmt.dim import Dim
from shapesmt.evaluate import Evaluator
from shapesmt.formula import FALSE, TRUE, Formula, negate
from shapesmt.points import Assignment
from shapesmt.presolve import Decision, Domain
from shapesmt.solve.deadline import Deadline


class Extent(NamedTuple):
    """The interval of an expression over a domain; `exact` when both ends are attained and proven."""

    lo: int
    hi: int | None
    exact: bool
    witnesses: tuple[Assignment | None, Assignment | None] = (None, None)


class Judge:
    """Decides conditions and intervals over domains, until its deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline

    @cached_property
    def _solver(self) -> ModuleType:
        """The solver, imported when presolve leaves something to it."""
        return import_module("shapesmt.solve.solver")

    def decide(self, domain: Domain, formula: Formula) -> Decision:
        """Whether the condition holds over the domain, with the smallest counterexample where it doesn't."""
        if self.deadline.expired:
            return Decision("unknown", "timeout")
        parts = domain.independent(domain.simplified(formula))
        return domain.together([domain.decide_part(part) or self._solve(domain, part) for part in parts])

    def _solve(self, domain: Domain, formula: Formula) -> Decision:
        """What the solver says of a condition."""
        symbols, facts = domain.about(formula.symbols)
        refuted = self._solver.check([*facts, negate(formula)], self.deadline)
        if refuted.verdict == "unsat":
            return Decision("always", "z3")
        if refuted.verdict != "sat":
            return Decision("unknown", "z3")
        shown = self._solver.smallest_model([*facts, negate(formula)], symbols, self.deadline) or refuted.model
        holds = self._solver.check([*facts, formula], self.deadline).verdict if formula is not FALSE else "unsat"
        return Decision({"sat": "sometimes", "unsat": "never"}.get(holds, "unknown"), "z3", shown)

    def proves(self, domain: Domain, formula: Formula) -> bool:
        """Whether the condition is proven to hold over the domain."""
        return self.decide(domain, formula).holds == "always"

    def satisfiable(self, domain: Domain) -> bool:
        """Whether any input is admissible; True as well where that couldn't be decided."""
        empty = domain.is_empty()
        if empty is None:
            return bool(self._solver.check(domain.facts, self.deadline).verdict != "unsat")
        return not empty

    def extent(self, domain: Domain, dim: Dim) -> Extent:
        """The tightest interval of an expression over the domain."""
        if dim.constant is not None:
            return Extent(dim.constant, dim.constant, True)
        found = domain.extent(dim)
        if found is not None:
            return Extent(found[0], found[1], True, found[2:])
        low_point = domain.grows_without_end(dim)
        if low_point is not None:
            return Extent(int(Evaluator(low_point).dim(dim)), None, True, (low_point, None))
        _, facts = domain.about(dim.symbols)
        low = self._solver.minimize(dim, facts, self.deadline)
        high = self._solver.maximize(dim, facts, self.deadline)
        lo = dim.tight[0] if low.value is None else low.value
        exact = low.proven and high.proven and lo > -inf
        return Extent(int(lo) if lo > -inf else 0, high.value, exact, (low.witness, high.witness))

    def complete(self, domain: Domain, partial: Assignment | None) -> Assignment | None:
        """An assignment of some symbols extended to all of them, small and admissible."""
        if partial is None:
            return None
        values = dict(partial)
        for s in domain.symbols:
            if s in values:
                continue
            points = domain.points((s,))
            if points is not None and points.count:
                values.update(points.smallest(np.ones(points.truth(TRUE).shape, dtype=bool)))
                continue
            tied, facts = domain.about((s,))
            alone = not domain.cone((s,))[1]
            model = None if alone else self._solver.smallest_model(facts, tied, self.deadline)
            lo = domain.ends(s)[0]
            values.update(model or {s: int(lo) if lo > -inf else 0})
        values.update(partial)
        return values
