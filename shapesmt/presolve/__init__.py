"""What is decided without a solver, over a set of admissible inputs.

The set is a `Domain`; `elimination` and `divisors` leave it fewer symbols and values. `decide` says whether a condition
holds over it, and `extent` what the least and the greatest value of an expression are. Both try every input where there
are few (`enumeration`). Where there are many, or endlessly many, they ask `everywhere`, which makes finitely many
`cells` of them, in a `grid`. `where` samples them, for what is proven afterwards or shown by an example; `limits` says
how many inputs each of them takes.
"""

from shapesmt.presolve.decide import Decision, decide, decide_part, grouped, implied, independent, together
from shapesmt.presolve.domain import Domain, remembered
from shapesmt.presolve.elimination import eliminated, range_facts
from shapesmt.presolve.enumeration import Values, sides
from shapesmt.presolve.extent import extent
from shapesmt.presolve.where import How, Spread, ascending, truth_at, values_of

__all__ = [
    "Decision",
    "Domain",
    "How",
    "Spread",
    "Values",
    "ascending",
    "decide",
    "decide_part",
    "eliminated",
    "extent",
    "grouped",
    "implied",
    "independent",
    "range_facts",
    "remembered",
    "sides",
    "together",
    "truth_at",
    "values_of",
]
