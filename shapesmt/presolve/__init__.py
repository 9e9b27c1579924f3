"""What is decided without a solver, over a set of admissible inputs.

The set is a `Domain`; `elimination` and `divisors` leave it fewer symbols and values. `decide` says whether a condition
holds over it, and `extent` what the least and the greatest value of an expression are. Both try every input where there
are few (`enumeration`). Where there are many, or endlessly many, they ask `everywhere`, which makes finitely many
`cells` of them, in a `grid`.
"""

from shapesmt.presolve.decide import Decision, decide, decide_part, grouped, implied, independent, together
from shapesmt.presolve.domain import Domain, remembered
from shapesmt.presolve.elimination import eliminated, range_facts
from shapesmt.presolve.enumeration import Values, sides
from shapesmt.presolve.extent import extent

__all__ = [
    "Decision",
    "Domain",
    "Values",
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
]
