"""Facts about warnings; a `StaticAxis` is one as well. Sizes and conditions are formulas as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from shapesmt.report.finding import Counterexample, SymbolRange


class Stretched(NamedTuple):
    """A size of 1 that is broadcast to another size of this value (None: the other is a number), and when they agree.

    `agree` is the condition under which the two sizes are equal.
    """

    one: str
    other: str
    value: int | None
    example: Counterexample
    agree: str


class Contradicted(NamedTuple):
    """The shape that the file declares of a tensor, and the one that its node makes.

    `elsewhere` has the sizes that the declared names have in other tensors, if the runtime takes them for equal.
    """

    tensor: str
    declared: str
    made: str
    example: Counterexample | None
    elsewhere: Mapping[str, str]


class Untaken(NamedTuple):
    """The condition of an `If`, which has one value for every input."""

    condition: str
    value: bool


class Unrun(NamedTuple):
    """The trip count or first condition of a loop, which is 0 for every input."""

    trips: str


class OneValue(NamedTuple):
    """The one value of a dimension's range that the assumptions leave."""

    dim: str
    value: int | None
    range: SymbolRange


class Large(NamedTuple):
    """A tensor with too many elements for the indices of kernels."""

    tensor: str
    elements: int
    example: Counterexample


class Unread(NamedTuple):
    """A dimension on which nothing depends, and the inputs that have it."""

    dim: str
    inputs: tuple[str, ...]


class Unnamed(NamedTuple):
    """A mark that the file has in place of names, and the dimensions that it stands for."""

    mark: str
    dims: tuple[str, ...]
