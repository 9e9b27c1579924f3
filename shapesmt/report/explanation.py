"""Explanations of a node, a tensor or the model, and a node's part in the solver's system, as frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from shapesmt.algebra import Verdict
from shapesmt.report.bounds import TensorBounds
from shapesmt.report.data import OMIT_EMPTY as _OMIT_EMPTY, OMIT_ONE as _OMIT_ONE, Answer, Data
from shapesmt.report.finding import Cause, Finding, Group, SymbolRange
from shapesmt.report.report import Precondition


@dataclass(frozen=True, slots=True)
class Variable(Data):
    """An integer of the system: its bounds (`max` None: unbounded) and, unless it is free, the formula it equals.

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
    """A requirement over the node's variables, its verdict, and the certificate that decides it.

    The certificate is the cheapest that decides: "normal form", "assumed", "enumeration" or "z3". The verdict is None
    for a node that no input reaches.
    """

    law: str
    expr: str
    verdict: Verdict | None = None
    by: str = field(default="", metadata=_OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class NodeConstraints(Data):
    """A node's part in the complete system.

    Attributes:
        symbols: The free variables on which the node depends.
        reads: The sizes and listed integers of its inputs, in terms of `symbols`.
        requires: Its requirements, in terms of `reads`.
        defines: The sizes and listed integers of its outputs, in terms of `reads`.
        smt2: The node's lines of the system, in SMT-LIB 2.
    """

    node: str
    op_type: str
    index: int
    symbols: tuple[Variable, ...]
    reads: tuple[Variable, ...]
    requires: tuple[Condition, ...]
    defines: tuple[Variable, ...]
    smt2: str


@dataclass(frozen=True, slots=True)
class Fact(Data):
    """One member of a minimal set of facts that can't all hold.

    `kind` is "input" (a value of an input), "range", "assumption", "requirement" (of `node`, with its law) or
    "definition" (the result of `node`).
    """

    kind: str
    expr: str
    node: str | None = None
    op_type: str | None = None
    law: str | None = None


@dataclass(frozen=True, slots=True)
class Proof(Data):
    """The reason why a requirement of a node holds: the means of proof, and a minimal set of facts that imply it.

    Without facts, it holds for every input because of the way the sizes are computed.
    """

    law: str
    condition: str
    proved_by: str
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Explanation(Answer):
    """The answer of `explain`: why a node, a tensor or the model (`target` None) is as it is.

    Attributes:
        findings: The findings that decide the target's verdict.
        facts: A minimal set of facts that can't all hold; empty unless something fails.
        because: The nodes that computed the target's dimensions.
        tensors: The bounds of the target's tensors.
        proofs: The reasons why a node's requirements hold.
        constraints: A node's part in the solver's system; None if it wasn't asked for.

    >>> Explanation("m.onnx", "fc", Verdict.PROVED, {}).to_dict()["schema"]
    'shapesmt/explain/1'
    """

    schema: ClassVar[str] = "shapesmt/explain/1"

    model: str
    target: str | None
    verdict: Verdict
    symbols: Mapping[str, SymbolRange]
    findings: tuple[Finding, ...] = ()
    facts: tuple[Fact, ...] = ()
    because: tuple[Cause, ...] = ()
    tensors: Mapping[str, TensorBounds] = field(default_factory=dict)
    precondition: Precondition | None = None
    seconds: float = 0.0
    assumptions: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    proofs: tuple[Proof, ...] = field(default=(), metadata=_OMIT_EMPTY)
    constraints: NodeConstraints | None = field(default=None, metadata=_OMIT_EMPTY)
    groups: tuple[Group, ...] = field(default=(), metadata=_OMIT_EMPTY)

    def __repr__(self) -> str:
        return f"<Explanation {self.model}{'' if self.target is None else f', {self.target}'}: {self.verdict}>"

    @property
    def exit_status(self) -> int:
        """0 proved, 1 depends or fails, 3 undecided."""
        return self.verdict.exit_status
