"""Decisions without a solver about conditions and expressions over a set of admissible inputs.

The set is a `Domain`; `elimination` and `values` reduce its symbols and values. `decide` says whether a condition
holds over it, `extent` finds the minimum and maximum of an expression. If the inputs are few, both try every one
(`enumeration`). If they are many or unbounded, both ask `everywhere`, which divides them into finitely many `cells`
of a `grid`. If some symbols have few values, `cases` first takes apart what these make of a condition. `where` samples
values; what a sample suggests is proven afterwards or shown by an example. `limits` says
how many inputs each of these modules accepts.
"""

from shapesmt.prover.presolve.cases import Decision, remaining_cases
from shapesmt.prover.presolve.decisions import (
    decide,
    decide_part,
    group_by_symbols,
    independent,
    simpler_facts,
    together,
)
from shapesmt.prover.presolve.domain import Domain, compute_once
from shapesmt.prover.presolve.elimination import eliminate, range_facts
from shapesmt.prover.presolve.enumeration import Values, sides
from shapesmt.prover.presolve.grid import is_even
from shapesmt.prover.presolve.optima import extent
from shapesmt.prover.presolve.where import Spread, ascending, truth_at, values_of

__all__ = [
    "Decision",
    "Domain",
    "Spread",
    "Values",
    "ascending",
    "compute_once",
    "decide",
    "decide_part",
    "eliminate",
    "extent",
    "group_by_symbols",
    "independent",
    "is_even",
    "range_facts",
    "remaining_cases",
    "sides",
    "simpler_facts",
    "together",
    "truth_at",
    "values_of",
]
