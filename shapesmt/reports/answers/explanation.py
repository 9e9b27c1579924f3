"""Explanations of a node, a tensor, the model or an error, and texts for a solver and a runtime, as frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import ClassVar

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.bounds import TensorBounds
from shapesmt.reports.answers.data import (
    OMIT_EMPTY as _OMIT_EMPTY,
    OMIT_FALSE as _OMIT_FALSE,
    OMIT_ONE as _OMIT_ONE,
    Answer,
    Data,
)
from shapesmt.reports.answers.finding import Assumed, Cause, Counterexample, Finding, Group, SymbolRange
from shapesmt.reports.answers.report import Precondition


@frozen()
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


@frozen()
class Condition(Data):
    """A requirement over the node's variables, its verdict, and the certificate that decides it.

    The certificate is the cheapest that decides: "normal form", "assumed", "enumeration" or "z3". The verdict is None
    for a node that no input reaches.
    """

    law: str
    expr: str
    verdict: Verdict | None = None
    by: str = field(default="", metadata=_OMIT_EMPTY)


@frozen()
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


@frozen()
class Encoded(Data):
    """The answer of `encode`: the complete system of a model, or a node's part of it (`smt2`), in SMT-LIB 2.

    >>> Encoded("m.onnx", "(check-sat)").to_dict()
    {'schema': 'shapesmt/encode/1', 'model': 'm.onnx', 'smt2': '(check-sat)'}
    """

    schema: ClassVar[str] = "shapesmt/encode/1"

    model: str
    smt2: str


@frozen()
class Script(Data):
    """The answer of `repro`: the text of a Python script that shows a failure on ONNX Runtime.

    >>> Script("m.onnx", "import onnx").to_dict()["schema"]
    'shapesmt/repro/1'
    """

    schema: ClassVar[str] = "shapesmt/repro/1"

    model: str
    script: str


@frozen()
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


@frozen()
class Proof(Data):
    """The reason why a requirement of a node holds: the means of proof, and a minimal set of facts that imply it.

    Without facts, it holds for every input because of the way the sizes are computed.
    """

    law: str
    condition: str
    proved_by: str
    facts: tuple[Fact, ...] = ()


@frozen()
class Explanation(Answer):
    """The answer of `explain`: why a node, a tensor or the model (`target` None) is as it is.

    Attributes:
        findings: The findings that decide the target's verdict.
        facts: A minimal set of facts that can't all hold; empty unless something fails.
        because: The nodes that computed the target's dimensions.
        tensors: The bounds of the target's tensors.
        proofs: The reasons why a node's requirements hold.
        constraints: A node's part in the solver's system; None if it wasn't asked for.
        assumed: What is assumed because the archive states it.

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
    assumed: tuple[Assumed, ...] = field(default=(), metadata=_OMIT_EMPTY)

    def __repr__(self) -> str:
        return f"<Explanation {self.model}{'' if self.target is None else f', {self.target}'}: {self.verdict}>"

    @property
    def exit_status(self) -> int:
        """0 proved, 1 depends or fails, 3 undecided."""
        return self.verdict.exit_status


class Grade(str, Enum):
    """How much is known of the inputs at which a message comes up."""

    EXACT = "exact"  # it comes up exactly at the inputs of the region
    PARTIAL = "partial"  # a node may raise it; not all that it says is read, or other conditions decide too
    IMPOSSIBLE = "impossible"  # no node can raise it
    UNRELATED = "unrelated"  # it isn't about shapes

    def __str__(self) -> str:
        return self.value


class Obstacle(str, Enum):
    """The reason why a message can't come from a model."""

    NAME = "name"  # no node has the name
    OPERATOR = "operator"  # the node of that name has another operator
    RUNS = "runs"  # the node runs for every input
    SIZES = "sizes"  # the sizes that the message prints never meet at the node
    BYTES = "bytes"  # no output of the node has as many bytes as the message prints
    DECLARED = "declared"  # the file doesn't declare the size that the message prints

    def __str__(self) -> str:
        return self.value


@frozen()
class Against(Data):
    """A reason why a message can't come from a model, with the node or input that it is about.

    >>> Against(Obstacle.OPERATOR, "/up/Concat", "Conv").to_dict()
    {'why': 'operator', 'node': '/up/Concat', 'op_type': 'Conv'}
    """

    why: Obstacle
    node: str
    op_type: str = field(default="", metadata=_OMIT_EMPTY)


@frozen()
class Allocated(Data):
    """The output for which memory couldn't be had: its bytes as a formula, and the largest sizes with fewer bytes.

    `largest` has the maximum of each size while the others are those of the input that is shown.

    >>> Allocated("scores", "16*batch*seq*seq", {"seq": 19999}).to_dict()
    {'tensor': 'scores', 'bytes': '16*batch*seq*seq', 'largest': {'seq': 19999}}
    """

    tensor: str
    bytes: str
    largest: Mapping[str, int] = field(default_factory=dict)


@frozen()
class Candidate(Data):
    """A node that may have raised the error message, and the inputs at which it does.

    Attributes:
        law: The law that is broken at the counterexample.
        region: The condition on inputs under which the node raises the message; "" unless it is exact.
        bounds: The minimum and maximum, over these inputs, of each size that matters.
        counterexample: The smallest of these inputs; if the message isn't read as a whole, one at which the node fails.
        finding: The explanation of the node at that input.
        outside: Whether these inputs are outside the ranges that were asked about.
        silent: The earlier node that fails there in the file, but not after the runtime's optimizer; "" for none.
        again: Whether running the counterexample gave the same message; None if it wasn't run.
        rewritten: Whether the runtime has rewritten the node, or checks it by other rules than its file's runtime.
        inside: The name of the node inside this one that the message names; "" for the node itself.
        grade: Whether the region is exact.
        node_holds_iff: The condition under which the node runs; "" if it isn't known exactly.
        declared: The inputs to which the file gives other sizes than the message has, with their sizes there.
        allocated: The output of the node that is meant, if the message says that memory can't be had.
    """

    node: str
    op_type: str
    index: int
    law: str
    region: str
    counterexample: Counterexample | None
    bounds: Mapping[str, SymbolRange] = field(default_factory=dict)
    finding: Finding | None = field(default=None, metadata=_OMIT_EMPTY)
    outside: bool = field(default=False, metadata=_OMIT_FALSE)
    silent: str = field(default="", metadata=_OMIT_EMPTY)
    again: bool | None = field(default=None, metadata=_OMIT_EMPTY)
    rewritten: bool = field(default=False, metadata=_OMIT_FALSE)
    inside: str = field(default="", metadata=_OMIT_EMPTY)
    grade: Grade = Grade.PARTIAL
    node_holds_iff: str = field(default="", metadata=_OMIT_EMPTY)
    declared: Mapping[str, tuple[int | str | None, ...]] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    allocated: Allocated | None = field(default=None, metadata=_OMIT_EMPTY)


@frozen()
class ErrorOrigin(Answer):
    """The answer of `explain` about an error message: whether it can come from the model, and from which nodes.

    Attributes:
        runtime: The runtime that has messages of this form; "" if the form isn't known.
        message: The message on one line.
        possible: Whether the message can come from the model; None if that is undecided.
        candidates: The nodes that may have raised it.
        against: The reasons why the model can't raise it.
        input: The input whose declared size differs, if the message is about that; no node is at fault if there is no
            candidate.
        got: The sizes of that input in the message, by axis.
        declared: The declared sizes of that input in the message, by axis; a range such as "1..8" if it has one.
        built: Whether the runtime was set up with these sizes, and the file leaves them open or has others.
        grade: How much is known of the inputs at which the message comes up; `possible` is True for exact and partial
            ones, False for impossible and None for unrelated ones, and None if time ran out.
        precondition: The condition under which the whole model runs.

    >>> ErrorOrigin("m.onnx", "onnxruntime", "it fails", False, ()).to_dict()["schema"]
    'shapesmt/error/1'
    """

    schema: ClassVar[str] = "shapesmt/error/1"

    model: str
    runtime: str
    message: str
    possible: bool | None
    candidates: tuple[Candidate, ...] = ()
    against: tuple[Against, ...] = field(default=(), metadata=_OMIT_EMPTY)
    input: str = field(default="", metadata=_OMIT_EMPTY)
    got: Mapping[str, int | str] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    declared: Mapping[str, int | str] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    built: bool = field(default=False, metadata=_OMIT_FALSE)
    symbols: Mapping[str, SymbolRange] = field(default_factory=dict)
    seconds: float = 0.0
    grade: Grade = Grade.PARTIAL
    precondition: Precondition | None = field(default=None, metadata=_OMIT_EMPTY)

    def __repr__(self) -> str:
        told = {True: "possible", False: "impossible", None: "undecided"}[self.possible]
        return f"<ErrorOrigin {self.model}: {told}, {len(self.candidates)} candidates>"

    @property
    def exit_status(self) -> int:
        """1 if the message comes from the model, 0 if it can't, 3 undecided."""
        return {True: 1, False: 0, None: 3}[self.possible]
