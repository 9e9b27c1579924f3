"""Constraints: what one node contributes to the system that the solver gets, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field

from shapesmt.algebra import Verdict
from shapesmt.report.data import OMIT_EMPTY as _OMIT_EMPTY
from shapesmt.report.data import OMIT_ONE as _OMIT_ONE
from shapesmt.report.data import Data

__all__ = ["Condition", "NodeConstraints", "Variable"]


@dataclass(frozen=True, slots=True)
class Variable(Data):
    """An integer of the system: its bounds (`max` None: no end) and, unless it is free, what it equals.

    >>> Variable("half[2]", 32, 256, expr="height//2").to_dict()
    {'name': 'half[2]', 'min': 32, 'max': 256, 'expr': 'height//2'}
    """

    name: str
    min: int | None
    max: int | None
    step: int = field(default=1, metadata=_OMIT_ONE)
    expr: str = field(default="", metadata=_OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class Condition(Data):
    """A requirement over the node's variables, how far it holds, and the certificate that shows it.

    The certificate is the cheapest that decides: "normal form", "assumed", "enumeration" or "z3". Of a node that no
    input reaches the verdict is None.
    """

    law: str
    expr: str
    verdict: Verdict | None = None
    by: str = field(default="", metadata=_OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class NodeConstraints(Data):
    """What a node contributes to the complete system.

    Attributes:
        symbols: The free variables on which it depends.
        reads: The sizes and listed integers of its inputs, in terms of the symbols.
        requires: Its requirements, over what it reads.
        defines: The sizes and listed integers of its outputs, over what it reads.
        smt2: Its lines of the system as SMT-LIB 2.
    """

    node: str
    op_type: str
    index: int
    symbols: tuple[Variable, ...]
    reads: tuple[Variable, ...]
    requires: tuple[Condition, ...]
    defines: tuple[Variable, ...]
    smt2: str
