"""Memory: the bytes that a model's activations take, at most and within a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from shapesmt.algebra import Verdict
from shapesmt.report.data import OMIT, OMIT_EMPTY, Answer, Data
from shapesmt.report.finding import SymbolRange


@dataclass(frozen=True, slots=True)
class Peak(Data):
    """The most bytes that are held at once, the node that runs then, and an input at which it does.

    `bytes` is None where there is no end, or none is known: `exact` says that there is none, `endless` which sizes
    have none. A number is proven to be an upper bound of what is counted, and attained where it is `exact`.

    >>> Peak(4096, True, {"batch": 4}, "relu", "Relu", "1024*batch").to_dict()["formula"]
    '1024*batch'
    """

    bytes: int | None
    exact: bool
    witness: Mapping[str, int] | None
    node: str
    op_type: str
    formula: str
    endless: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class HeldTensor(Data):
    """A tensor that is held at the worst moment; no bytes where there is no witness."""

    name: str
    bytes: int | None
    formula: str


@dataclass(frozen=True, slots=True)
class Budget(Data):
    """The inputs whose activations fit so many bytes: all of `text` hold; without text, every valid input fits."""

    bytes: int
    text: tuple[str, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class Greatest(Data):
    """The greatest value of a dimension at which some valid input fits the budget, and that input.

    `value` is None where none fits, or (with `endless`) where each does.
    """

    name: str
    value: int | None
    exact: bool
    witness: Mapping[str, int] | None
    endless: bool = field(default=False, metadata={"omit": (False,)})


@dataclass(frozen=True, slots=True)
class PeakAt(Data):
    """The most bytes at given sizes."""

    sizes: Mapping[str, int]
    worst: Peak


@dataclass(frozen=True, slots=True)
class IndexLimit(Data):
    """A tensor that can have more elements than indices of 32 bits count, and the inputs at which none has."""

    tensor: str
    elements: int | None
    formula: str
    text: tuple[str, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class Chart(Data):
    """The bytes over the values of one dimension or of two, at fixed values of the others.

    Attributes:
        values: For each dimension, by name, the values that are looked at, in order.
        bytes: The bytes at each value of the first dimension, in a row for each value of the second; None where no
            input is valid.
        fixed: The values of the other dimensions.
    """

    values: Mapping[str, tuple[int, ...]]
    bytes: tuple[tuple[int | None, ...], ...]
    fixed: Mapping[str, int]


@dataclass(frozen=True)
class Memory(Answer):
    """The answer of `memory`: the bytes of activations, over all valid inputs.

    Inputs and weights belong to the caller and are reported beside. `inputs` are the bytes at the witness; None where
    there is none, or where a type's size isn't known. `unknown` has the tensors, and the nodes with others inside,
    whose bytes aren't known and which are left out; `worst` isn't exact then.
    """

    schema: ClassVar[str] = "shapesmt/memory/1"

    model: str
    mode: str
    worst: Peak | None
    inputs: int | None = None
    weights: int | None = None
    tensors: tuple[HeldTensor, ...] = ()
    budget: Budget | None = field(default=None, metadata=OMIT_EMPTY)
    max: Greatest | None = field(default=None, metadata=OMIT_EMPTY)
    at: PeakAt | None = field(default=None, metadata=OMIT_EMPTY)
    indices: IndexLimit | None = field(default=None, metadata=OMIT_EMPTY)
    unknown: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    symbols: Mapping[str, SymbolRange] = field(default_factory=dict)
    assumptions: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    verdict: Verdict = Verdict.PROVED
    seconds: float = 0.0
    charts: tuple[Chart, ...] = field(default=(), metadata=OMIT)

    @property
    def exact(self) -> bool:
        """Whether all that was asked for is proven and attained."""
        parts = self.worst, self.budget, self.max, None if self.at is None else self.at.worst
        return all(part is None or part.exact for part in parts)

    @property
    def exit_status(self) -> int:
        """1 where no input is valid, or some valid input isn't known to fit the budget; 3 where something isn't exact.

        >>> Memory("m.onnx", "live", None).exit_status
        1
        """
        if self.worst is None or (self.budget is not None and self.budget.text):
            return 1
        return 0 if self.exact else 3
