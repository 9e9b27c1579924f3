"""What shapesmt knows whatever the model: the operators that have a rule, and what an error code means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from shapesmt.report.data import OMIT_EMPTY as _OMIT_EMPTY
from shapesmt.report.data import Answer, Data
from shapesmt.report.report import Bounds, Explanation, Report
from shapesmt.report.tightened import Tightened


@dataclass(frozen=True, slots=True)
class Operator(Data):
    """One operator: since which version of its domain it has a rule (None: none), its nodes in a model."""

    name: str
    domain: str = ""
    since: int | None = 1
    nodes: int = 0
    expanded: bool = False
    """It has no rule of its own but stands for nodes that do."""
    inferred: bool = field(default=False, metadata=_OMIT_EMPTY)
    """It has no rule, but a registered schema that says what it makes."""
    plugin: str = field(default="", metadata=_OMIT_EMPTY)
    """The module that its rule comes from, where that isn't one of shapesmt's."""

    @property
    def qualified(self) -> str:
        """The name with its domain, where that isn't ONNX's own.

        >>> Operator("Add").qualified, Operator("Attention", "com.microsoft").qualified
        ('Add', 'com.microsoft.Attention')
        """
        return f"{self.domain}.{self.name}" if self.domain else self.name


@dataclass(frozen=True)
class Operators(Answer):
    """The answer of `ops`: the operators that have a rule, or those that one model uses."""

    schema: ClassVar[str] = "shapesmt/ops/1"

    model: str | None
    operators: tuple[Operator, ...]

    @property
    def exit_status(self) -> int:
        """Always 0: a list can't fail."""
        return 0


@dataclass(frozen=True)
class ErrorCode(Answer):
    """The answer of `explain` about an error code: its law, a model that breaks it, and what helps.

    `model` is that model as text, `report` what `check` says of it; "" and None where there is no example.

    >>> ErrorCode("SM103", "join", "joined tensors match", "pad the input").to_dict()["schema"]
    'shapesmt/code/1'
    """

    schema: ClassVar[str] = "shapesmt/code/1"

    code: str
    title: str
    law: str
    remedy: str
    model: str = field(default="", metadata=_OMIT_EMPTY)
    dims: Mapping[str, str] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    assume: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    report: Report | None = field(default=None, metadata=_OMIT_EMPTY)

    @property
    def exit_status(self) -> int:
        """Always 0: it is about no model of the user's."""
        return 0


Result: TypeAlias = Report | Bounds | Explanation | Tightened | Operators | ErrorCode
