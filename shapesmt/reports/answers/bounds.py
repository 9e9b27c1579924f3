"""The sizes of every tensor, as frozen data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from shapesmt.base.frozen import frozen
from shapesmt.network.declarations import LARGEST, unknown_name
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.data import (
    OMIT as _OMIT,
    OMIT_EMPTY as _OMIT_EMPTY,
    OMIT_ONE as _OMIT_ONE,
    Answer,
    Data,
    telling,
)
from shapesmt.reports.answers.finding import Assumed, SymbolRange

if TYPE_CHECKING:
    from shapesmt.network.declarations import PartialShape


@frozen()
class DimBounds(Data):
    """The interval of one dimension over the valid region, its formula, and an input for each bound.

    `max` is None if there is no upper bound. `exact` means that both bounds are proven and attained; without it, the
    interval is sound but may be too wide. `expr` is for people: "..." replaces text beyond 4000 characters.

    Every value is `min + k * step` for some k.

    >>> DimBounds(1, 32, "batch").to_dict()
    {'min': 1, 'max': 32, 'expr': 'batch', 'exact': True}
    """

    min: int
    max: int | None
    expr: str
    exact: bool = True
    witnesses: tuple[Mapping[str, int] | None, Mapping[str, int] | None] = field(
        default=(None, None), metadata=_OMIT, compare=False, repr=False
    )
    step: int = field(default=1, metadata=_OMIT_ONE, repr=False)


@telling("when")
@frozen()
class CaseBounds(Data):
    """The bounds of a tensor's dimensions when the condition `when` holds."""

    when: str
    shape: tuple[DimBounds, ...]


@frozen()
class TensorBounds(Data):
    """The bounds of every dimension of a tensor; `shape` is None if there isn't one known rank.

    If a condition on the sizes decides the rank, `cases` has the shape for each case that can occur; else it is empty.
    """

    dtype: str
    shape: tuple[DimBounds, ...] | None
    cases: tuple[CaseBounds, ...] = field(default=(), metadata=_OMIT_EMPTY)

    @property
    def shapes(self) -> tuple[tuple[DimBounds, ...], ...]:
        """The shape, or the shapes of all cases; empty if the rank isn't known."""
        return tuple([case.shape for case in self.cases]) if self.shape is None else (self.shape,)

    @property
    def exact(self) -> bool:
        """Whether the rank is known and every bound is proven and attained.

        >>> TensorBounds("float32", None).exact
        False
        """
        return bool(self.shapes) and all(dim.exact for shape in self.shapes for dim in shape)

    @property
    def partial_shape(self) -> PartialShape:
        """The intervals as a value to compute with; an upper bound that is missing or past 2**63 - 1 is None there.

        >>> TensorBounds("float32", (DimBounds(1, 32, "batch"), DimBounds(3, 3, "3"))).partial_shape
        PartialShape('[1..32,3]')
        """
        from shapesmt.network.declarations import PartialShape

        if self.shape is None:
            return PartialShape.dynamic()
        return PartialShape([(d.min, None if d.max is None or d.max > LARGEST else d.max) for d in self.shape])


@frozen()
class Share(Data):
    """The number of admissible sizes of some dimensions, and how many of them are valid: every node runs for them.

    >>> Share(841, 201601, ("height", "width")).to_dict()
    {'valid': 841, 'admissible': 201601, 'symbols': ['height', 'width']}
    """

    valid: int
    admissible: int
    symbols: tuple[str, ...]


@frozen()
class Bounds(Answer, Mapping[str, "PartialShape"]):
    """The answer of `bounds`: the tightest interval of every dimension of every tensor over the valid region.

    Tensors with equal bounds may share one `TensorBounds`, and then share its dictionary. If no admissible input is
    valid, `valid` is false and there are no tensors.

    >>> Bounds("m.onnx", {}, {"x": TensorBounds("float32", (DimBounds(3, 3, "3"),))}).to_dict()["tensors"]
    {'x': {'dtype': 'float32', 'shape': [{'min': 3, 'max': 3, 'expr': '3', 'exact': True}]}}
    """

    schema: ClassVar[str] = "shapesmt/bounds/1"

    model: str
    symbols: Mapping[str, SymbolRange]
    tensors: Mapping[str, TensorBounds]
    seconds: float = 0.0
    valid: bool = True
    assumptions: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    verdict: Verdict | None = field(default=None, metadata=_OMIT_EMPTY)
    """Whether the model runs for every admissible input; the bounds cover only inputs for which it runs."""
    share: Share | None = field(default=None, metadata=_OMIT_EMPTY)
    assumed: tuple[Assumed, ...] = field(default=(), metadata=_OMIT_EMPTY)
    """The statements of the archive on which the bounds rest."""

    def __getitem__(self, tensor: str) -> PartialShape:
        """Return the intervals of this tensor's dimensions, as a value to compute with.

        >>> Bounds("m.onnx", {}, {"x": TensorBounds("float32", (DimBounds(1, 8, "n"),))})["x"]
        PartialShape('[1..8]')
        """
        if tensor not in self.tensors:
            raise unknown_name("tensor", tensor, self.tensors, self.model)
        return self.tensors[tensor].partial_shape

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def __contains__(self, tensor: object) -> bool:
        return tensor in self.tensors

    def __repr__(self) -> str:
        return f"<Bounds {self.model}: {len(self)} {'tensor' if len(self) == 1 else 'tensors'}>"

    @property
    def exit_status(self) -> int:
        """0 if every bound is exact, 1 if no input is valid, 3 if some bound isn't exact."""
        if not self.valid:
            return 1
        return 0 if all(tensor.exact for tensor in self.distinct()) else 3

    def distinct(self) -> Iterator[TensorBounds]:
        """Return an iterator over the distinct `TensorBounds`: each shared one once."""
        return iter({id(tensor): tensor for tensor in self.tensors.values()}.values())
