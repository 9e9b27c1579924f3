"""Facts that don't depend on a question: operators with a rule, a model's inputs and dimensions, and error codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, TypeAlias

from shapesmt.base.frozen import frozen
from shapesmt.reports.answers.bounds import Bounds
from shapesmt.reports.answers.data import OMIT_EMPTY as _OMIT_EMPTY, Answer, Data
from shapesmt.reports.answers.dynamic import DynamicShapes
from shapesmt.reports.answers.explanation import ErrorOrigin, Explanation
from shapesmt.reports.answers.finding import SymbolRange, TensorFacts
from shapesmt.reports.answers.memory import Memory
from shapesmt.reports.answers.profile import Profile
from shapesmt.reports.answers.report import AbsentFile, Report
from shapesmt.reports.answers.simplified import Repairs, Simplified, Tightened


@frozen()
class Operator(Data):
    """An operator, the first version of its domain with a rule (None: no rule), and its number of nodes in a model."""

    name: str
    domain: str = ""
    since: int | None = 1
    nodes: int = 0
    expanded: bool = False
    """Whether it has no rule of its own, but its definition consists of nodes that do."""
    inferred: bool = field(default=False, metadata=_OMIT_EMPTY)
    """Whether it has no rule, but a registered schema that infers its outputs."""
    plugin: str = field(default="", metadata=_OMIT_EMPTY)
    """The module that defines its rule; "" if that is one of shapesmt's."""

    @property
    def qualified(self) -> str:
        """The name with its domain, unless that is ONNX's own.

        >>> Operator("Add").qualified, Operator("Attention", "com.microsoft").qualified
        ('Add', 'com.microsoft.Attention')
        """
        return f"{self.domain}.{self.name}" if self.domain else self.name


@frozen()
class Operators(Answer):
    """The answer of `ops`: the operators that have a rule, or those that one model uses."""

    schema: ClassVar[str] = "shapesmt/ops/1"

    model: str | None
    operators: tuple[Operator, ...]


@frozen()
class DimensionFacts(Data):
    """The range of a dimension before anything is declared, and the axes of inputs that have it (`image[2]`).

    `alias` is another name for it in the file (`s53`), which is accepted as well.
    """

    range: SymbolRange
    axes: tuple[str, ...]
    alias: str = field(default="", metadata=_OMIT_EMPTY)


@frozen()
class ModelFacts(Answer):
    """The answer of `inspect`: the facts about a model that help to ask about it.

    `opsets` are the operator sets that the file names, if its format has any. `operators` counts the nodes of each
    operator, `missing` those without a rule; `values` names the elements of small inputs that `--value` can declare.
    `absent` are the external files that can't be read.

    >>> ModelFacts("m.onnx", "pytorch 2.5", {"": 18}, 3, {}, {}, {}, {"Add": 3}).to_dict()["exporter"]
    'pytorch 2.5'
    """

    schema: ClassVar[str] = "shapesmt/inspect/1"

    model: str
    exporter: str
    opsets: Mapping[str, int]
    nodes: int
    inputs: Mapping[str, TensorFacts]
    outputs: Mapping[str, TensorFacts]
    dimensions: Mapping[str, DimensionFacts]
    operators: Mapping[str, int]
    missing: Mapping[str, int] = field(default_factory=dict)
    values: tuple[str, ...] = ()
    absent: tuple[AbsentFile, ...] = field(default=(), metadata=_OMIT_EMPTY)

    def __repr__(self) -> str:
        return f"<ModelFacts {self.model}: {self.nodes} nodes, {len(self.dimensions)} dimensions>"


@frozen()
class ErrorCode(Answer):
    """The answer of `explain` about an error code: its law, a model that breaks it, and a remedy.

    `model` is that model as text, `report` the answer of `check` for it; "" and None if there is no example.
    `samples` is the dimension that counts samples, if the law is about these.

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
    samples: str = field(default="", metadata=_OMIT_EMPTY)


Result: TypeAlias = (
    Report
    | Bounds
    | Explanation
    | ErrorOrigin
    | Tightened
    | Simplified
    | Repairs
    | Memory
    | Profile
    | DynamicShapes
    | Operators
    | ModelFacts
    | ErrorCode
)
