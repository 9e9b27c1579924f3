"""Facts from which `render` builds the sentences of a report: kinds and operands, which fields of answers hold.

Sizes and conditions are formulas as text. A `StaticAxis` is a fact too.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from shapesmt.network.laws import Law
    from shapesmt.reports.answers.finding import Clash, Counterexample, FindingKind, SymbolRange
    from shapesmt.reports.answers.report import AbsentFile


class Broken(NamedTuple):
    """A broken law, how it relates its two sides ("==", ">=" or ""), and their sizes if it compares any.

    `ranks` has the rank of each of the node's inputs, by its position, as far as they are known.
    """

    law: Law
    relation: str
    clash: Clash | None
    ranks: Mapping[int, int] = MappingProxyType({})


class Undecided(NamedTuple):
    """A node left undecided, and the law that says why after a colon; "" if none does."""

    kind: FindingKind
    law: str


class Choice(NamedTuple):
    """A condition that has to be true or false (`value`); `condition` names a tensor if `by_data`, else a symbol."""

    condition: str
    value: bool
    by_data: bool


class When(NamedTuple):
    """A conjunction of choices, and of formulas as text."""

    parts: tuple[Choice | str, ...]


class Inside(NamedTuple):
    """The path of the subgraph or function that contains a node."""

    path: str


class Behind(NamedTuple):
    """The number of downstream nodes that are left unexamined as well."""

    nodes: int


class Absent(NamedTuple):
    """External files that can't be read and that decide sizes."""

    files: tuple[AbsentFile, ...]


class Without(NamedTuple):
    """The number of nodes that are undecided because of external files that can't be read."""

    nodes: int


class ToPlace(NamedTuple):
    """External files that have to be put next to the model."""

    files: tuple[AbsentFile, ...]


class Stretched(NamedTuple):
    """Two sizes that are to be equal, but also differ: then `one` is 1 and is broadcast to `other`.

    `value` is the value of `other` at the example; None if `other` is a number. `agree` is the condition under which
    the two sizes are equal; "" if both are more than 1 for no valid input.
    """

    one: str
    other: str
    value: int | None
    example: Counterexample
    agree: str


class Contradicted(NamedTuple):
    """The shape that the file declares for a tensor, and the one that its node computes.

    `elsewhere` has the sizes that the declared names have in other tensors, if the runtime takes them for equal.
    """

    tensor: str
    declared: str
    made: str
    example: Counterexample | None
    elsewhere: Mapping[str, str]


class Untaken(NamedTuple):
    """The condition of an `If` that has the same value for every input, so that the other branch is never taken."""

    condition: str
    value: bool


class Unrun(NamedTuple):
    """A loop that never runs: its trip count or first condition is 0 for every input."""

    trips: str


class Mixed(NamedTuple):
    """A tensor in which samples are mixed, or aren't tracked (`known` is false), and the outputs that depend on it.

    Attributes:
        symbol: The dimension that counts the samples.
        tensor: The tensor, an output of the first node at which that is so.
        before: If the node only reshapes: the shape of its input at the counterexample; else None.
        after: The shape of the tensor there; None if it isn't known.
        samples: The number of samples there; None without a counterexample.
        outputs: The outputs that depend on it.
    """

    symbol: str
    tensor: str
    before: tuple[int, ...] | None
    after: tuple[int, ...] | None
    samples: int | None
    outputs: tuple[str, ...]
    known: bool = True


class Reshaped(NamedTuple):
    """A tensor whose first size is a dimension that looks like the batch, and what a reshape makes of it."""

    dim: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    output: str


class SharedOut(NamedTuple):
    """A constant whose elements a reshape shares out among the samples that a dimension seems to count.

    `rows` is the number of samples for which that is right.
    """

    dim: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    rows: str


class OneValue(NamedTuple):
    """A dimension for which the assumptions leave only one value of a wider range."""

    dim: str
    value: int | None
    range: SymbolRange


class Large(NamedTuple):
    """A tensor with too many elements for kernels with 32-bit indices."""

    tensor: str
    elements: int
    example: Counterexample


class InSession(NamedTuple):
    """The rewrites through which ONNX Runtime's default session fails at a node that runs as the file has it."""

    says: tuple[str, ...]


class Further(NamedTuple):
    """An input for which the file fails and, by the known rewrites, the default session runs, with its outputs.

    `says` is the rewrite, and `outputs` has the shape of each output as text.
    """

    says: str
    outputs: Mapping[str, str]
    example: Counterexample


class OtherShape(NamedTuple):
    """An output with its shape by the file's nodes, and the other one in the default session, as texts."""

    tensor: str
    file: str
    session: str
    example: Counterexample


class Unread(NamedTuple):
    """A dimension on which nothing depends, and the inputs that have it."""

    dim: str
    inputs: tuple[str, ...]


class Unnamed(NamedTuple):
    """A placeholder such as `?` that the file has instead of names, and the dimensions that it stands for."""

    mark: str
    dims: tuple[str, ...]


class Needed(NamedTuple):
    """The node that needs a size to be `size`, or 1 if so `or_one`; "" if only PyTorch's trace does."""

    node: str
    size: int
    or_one: bool


class Hints(NamedTuple):
    """Cases that an answer leaves out; names come with the ranges that leave them out.

    Attributes:
        missing: The data that the file lacks, as a sentence; "" if it lacks none.
        absent: External files that aren't there, and on which the answer doesn't depend.
        caches: Lengths of a decoder's cache that start at 1, which leaves out its first step.
        from_two: Dimensions that start at 2 in the file's metadata.
        one_value: Dimensions that have one value there.
        by_version: Operators that other versions of the runtime run differently.
        fixed: The sizes of each input, if no size of the model varies.
        version: The version of ONNX Runtime whose behaviour the answer states.
    """

    missing: str
    absent: tuple[str, ...]
    caches: tuple[str, ...]
    from_two: Mapping[str, SymbolRange]
    one_value: Mapping[str, SymbolRange]
    by_version: tuple[str, ...]
    fixed: Mapping[str, tuple[int, ...]]
    version: tuple[int, ...]


class Nearby(NamedTuple):
    """Sizes beside those of a remedy.

    Attributes:
        slack: How much smaller and larger each size may be.
        others: Whether sizes outside that run too.
        narrowed: Whether the remedy narrows a range that the caller gave.
        broadcast: The condition for sizes that the remedy leaves out because a 1 is broadcast; "" if it isn't known.
    """

    slack: Mapping[str, tuple[int, int]]
    others: bool
    narrowed: bool = False
    broadcast: str = ""


class Doubt(NamedTuple):
    """Signs that the model is wrong rather than the ranges that a remedy narrows.

    Attributes:
        single: Dimensions of which one value is left.
        small: Dimensions of whose range under a quarter is left.
        related: Relations between the sizes of one input.
        share: The number of sizes that run and of all that are admissible; None if they can't be counted.
    """

    single: tuple[str, ...]
    small: tuple[str, ...]
    related: tuple[str, ...]
    share: tuple[int, int] | None


class ByData(NamedTuple):
    """The nodes whose number of results depends on data, if that number is what fails."""

    nodes: tuple[str, ...]


class Change(NamedTuple):
    """A change with which the node is proved to run.

    Attributes:
        kind: "attribute", "exchange" (of two inputs) or "transpose" (of the last two axes of an input).
        what: The attribute, its value and the values that help; the positions of both inputs; the input and its shape.
    """

    kind: Literal["attribute", "exchange", "transpose"]
    what: tuple[str, ...]


class Numbers(NamedTuple):
    """The nodes or constants of which both sizes are numbers, whatever the input."""

    makers: tuple[str, ...]


class Fixed(NamedTuple):
    """A tensor with an axis of one size whatever the input, where another size varies.

    Attributes:
        name: The constant or input, else the node that computes the tensor.
        size: The size of the axis.
        given: Whether it is an input or a constant, or computed from constants alone.
        rows: Whether indices select from it.
    """

    name: str
    size: int
    given: bool
    rows: bool


class Offset(NamedTuple):
    """The nodes that make two sizes of which one is larger by `difference` for every input."""

    difference: int
    makers: tuple[str, ...]


class Target(NamedTuple):
    """A new shape that is a constant."""

    tensor: str
    elements: tuple[str, ...]


class Rounded(NamedTuple):
    """Two sizes that differ by rounding: the node that rounds, and the multiples of dimensions for which they agree."""

    node: str
    multiples: Mapping[str, int]


class Cut(NamedTuple):
    """A node whose output has a size of at most `size`, however large the input is."""

    node: str
    size: int


class Scaled(NamedTuple):
    """Two sides of which one grows faster than the other, in the ratio of two integers."""

    larger: str
    smaller: str
    ratio: tuple[int, int]


class Axes(NamedTuple):
    """An input, and sizes of different axes of it that a node compares."""

    input: str
    left: str
    right: str


class Relation(NamedTuple):
    """The condition under which sizes of several inputs agree."""

    condition: str


class Unlike(NamedTuple):
    """Two sizes that clash for a reason that isn't known."""
