"""The answer about a runtime's error message: the nodes and inputs it may come from, as frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar

from shapesmt.report.data import OMIT_EMPTY as _OMIT_EMPTY, OMIT_FALSE as _OMIT_FALSE, Answer, Data
from shapesmt.report.finding import Counterexample, Finding, SymbolRange


class Obstacle(str, Enum):
    """The reason why a message can't come from a model."""

    NAME = "name"  # no node has the name
    OPERATOR = "operator"  # the node of that name has another operator
    RUNS = "runs"  # the node runs for every input
    SIZES = "sizes"  # the sizes that the message prints never meet at the node
    DECLARED = "declared"  # the file doesn't declare the size that the message prints

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Against(Data):
    """A reason why a message can't come from a model, with the node or input that it is about.

    >>> Against(Obstacle.OPERATOR, "/up/Concat", "Conv").to_dict()
    {'why': 'operator', 'node': '/up/Concat', 'op_type': 'Conv'}
    """

    why: Obstacle
    node: str
    op_type: str = field(default="", metadata=_OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class Candidate(Data):
    """A node that may have said a message, and the inputs at which it does.

    Attributes:
        law: The law that is broken at the counterexample.
        region: The condition on inputs under which the node says it; "" if it isn't known exactly.
        bounds: The least and greatest value of each size of these inputs that matters.
        counterexample: The least of these inputs.
        finding: The explanation of the node at that input.
        outside: Whether these inputs are outside the ranges that were asked about.
        silent: The earlier node that fails there in the file, but not after the runtime's optimizer; "" if there is none.
        rewritten: Whether the file has another name for the node, which an optimizer has rewritten.
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
    rewritten: bool = field(default=False, metadata=_OMIT_FALSE)


@dataclass(frozen=True)
class ErrorOrigin(Answer):
    """The answer of `explain` about an error message.

    Attributes:
        runtime: The runtime that has messages of this form; "" if the form isn't known.
        message: The message on one line.
        possible: Whether the message can come from the model; None if that isn't decided.
        candidates: The nodes that may have said it.
        against: The reasons why it isn't possible.
        input: The input whose declared size differs, if the message is about that; no node is at fault if there is no
            candidate.
        got: The sizes of that input in the message, by axis.

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
    got: Mapping[str, int] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    symbols: Mapping[str, SymbolRange] = field(default_factory=dict)
    seconds: float = 0.0

    def __repr__(self) -> str:
        told = {True: "possible", False: "impossible", None: "undecided"}[self.possible]
        return f"<ErrorOrigin {self.model}: {told}, {len(self.candidates)} candidates>"

    @property
    def exit_status(self) -> int:
        """1 if the message comes from the model, 0 if it can't, 3 undecided."""
        return {True: 1, False: 0, None: 3}[self.possible]
