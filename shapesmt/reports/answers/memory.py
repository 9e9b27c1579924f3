"""Memory: the bytes of a model's activations: their maximum, and the inputs that fit a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.data import OMIT, OMIT_EMPTY, Answer, Data
from shapesmt.reports.answers.finding import SymbolRange


@frozen()
class Peak(Data):
    """The maximum activation memory, the node that runs at that moment, and an input that reaches it.

    Attributes:
        bytes: Upper bound in bytes; None if unbounded or unknown.
        exact: Whether `witness` attains `bytes`; if that is None, whether memory is proven unbounded.
        witness: The size of each dimension at the peak; None if no input is known.
        node, op_type: The node that runs at the peak.
        formula: Bytes at the peak, over the dimensions.
        endless: Dimensions without an upper bound on which the peak depends.

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


@frozen()
class HeldTensor(Data):
    """A tensor that is held at the peak; `bytes` is None if there is no witness."""

    name: str
    bytes: int | None
    formula: str


@frozen()
class Budget(Data):
    """The inputs whose activations fit into `bytes`: those that satisfy all of `text` (empty: every valid input)."""

    bytes: int
    text: tuple[str, ...]
    exact: bool


@frozen()
class GreatestAt(Data):
    """The maximum value of a dimension that fits the budget with other dimensions of these sizes; None if none fits.

    >>> GreatestAt({"height": 512}, 1).to_dict()
    {'sizes': {'height': 512}, 'value': 1}
    """

    sizes: Mapping[str, int]
    value: int | None


@frozen()
class Greatest(Data):
    """The maximum value of a dimension at which some valid input fits the budget, and that input.

    `value` is None if no value fits, or (with `endless`) if every value does. `largest` is the maximum where the other
    dimensions on which the bytes depend are all at their maximum; None if that isn't known, or if `witness` has them.
    """

    name: str
    value: int | None
    exact: bool
    witness: Mapping[str, int] | None
    endless: bool = field(default=False, metadata={"omit": (False,)})
    largest: GreatestAt | None = field(default=None, metadata=OMIT_EMPTY)


@frozen()
class PeakAt(Data):
    """The peak at given sizes."""

    sizes: Mapping[str, int]
    worst: Peak


@frozen()
class IndexLimit(Data):
    """A tensor that can have more elements than 32-bit indices can address.

    `text` has the conditions on inputs under which no tensor has that many.
    """

    tensor: str
    elements: int | None
    formula: str
    text: tuple[str, ...]
    exact: bool


@frozen()
class Chart(Data):
    """The bytes as a function of one dimension or two, with the others fixed.

    Attributes:
        values: The values sampled for each dimension, by its name, in order.
        bytes: A row for each value of the second dimension, with the bytes for each value of the first; None if no
            such input is valid.
        fixed: The values of the other dimensions.
    """

    values: Mapping[str, tuple[int, ...]]
    bytes: tuple[tuple[int | None, ...], ...]
    fixed: Mapping[str, int]


@frozen()
class Memory(Answer):
    """The answer of `memory`: the bytes of activations over all valid inputs.

    Inputs and weights belong to the caller and are reported separately. `inputs` are the inputs' bytes at the witness;
    None if there is no witness, or if a type's size isn't known. `unknown` names the tensors, and the nodes with
    tensors inside, that are left out because their bytes aren't known; `worst` isn't exact then.
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
        """Whether every requested figure is proven and attained."""
        parts = self.worst, self.budget, self.max, None if self.at is None else self.at.worst
        return all(part is None or part.exact for part in parts)

    @property
    def exit_status(self) -> int:
        """1 if no input is valid, or some valid input isn't known to fit the budget; 3 if a figure isn't exact; else 0.

        >>> Memory("m.onnx", "live", None).exit_status
        1
        """
        if self.worst is None or (self.budget is not None and self.budget.text):
            return 1
        return 0 if self.exact else 3
