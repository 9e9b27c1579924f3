"""Traits: properties of an operator besides its rule, about elements and memory.

A rule says which shapes and values an operator returns. Other analyses ask for more: which tensors have the same
elements, which unknown elements are data, which buffers are shared. They ask `inference.Operators` for the traits of a
node. A model's own function and an operator without a rule have none, nor has a plugin that states none.

    >>> from shapesmt.operators.rules import resolve
    >>> resolve("", "Reshape", 18).traits.keeps, resolve("", "Add", 18).traits.keeps
    (<Keeps.ORDERED: 'ordered'>, <Keeps.NOTHING: 'nothing'>)
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import ClassVar, NamedTuple, TypeAlias

from shapesmt.base.frozen import frozen


class Keeps(Enum):
    """How the elements of an operator's outputs relate to those of its inputs.

    Attributes:
        NOTHING: No known relation.
        ALL: The first output is input 0: the same elements in the same shape (Identity).
        ORDERED: The first output has the elements of input 0 in the same row-major order (Reshape).
        REARRANGED: The first output has the elements of input 0 in another order (Transpose).
        REPEATED: The first output repeats each element of input 0 to fill its shape (Expand).
        CONCATENATED: The elements of all inputs, end to end along an axis (Concat).
        STACKED: The elements of all inputs, along a new axis or in a sequence (SequenceConstruct).
        COPIED: Elements of the inputs, not necessarily all, or a constant (Slice, Where, Pad); attributes may ask for
            computed ones besides (Resize, Scatter).
        CONVERTED: The elements of input 0, each in another element type (Cast).
        NEGATED: For each element of input 0, whether it is false (Not).
        COMPARED: For each pair of elements of inputs 0 and 1, whether one is less or greater (Less).
        SUMMED: Sums of the first elements of input 0 along an axis (CumSum).
        MIXED: Elements that are computed from many elements each (MatMul).
    """

    NOTHING = "nothing"
    ALL = "all"
    ORDERED = "ordered"
    REARRANGED = "rearranged"
    REPEATED = "repeated"
    CONCATENATED = "concatenated"
    STACKED = "stacked"
    COPIED = "copied"
    CONVERTED = "converted"
    NEGATED = "negated"
    COMPARED = "compared"
    SUMMED = "summed"
    MIXED = "mixed"


class Memory(Enum):
    """The buffer of an operator's first output.

    Attributes:
        NEW: A new buffer.
        VIEW: The buffer of input 0.
        ELEMENTWISE: The buffer of any input of the same size that nothing reads later: element i needs only element i.
        OVER_FIRST: The buffer of input 0, if nothing reads it later.
        MODEL: A buffer of the model: the output is a constant.
    """

    NEW = "new"
    VIEW = "view"
    ELEMENTWISE = "elementwise"
    OVER_FIRST = "over first"
    MODEL = "model"


class Runs(Enum):
    """How often an operator runs the graphs in its attributes, and on which inputs.

    Attributes:
        NONE: There are no graphs, or it isn't known how they are run.
        BRANCH: The graph that input 0 chooses is run (If).
        LOOP: The body is run on the results of the previous iteration (Loop).
        SCAN: The body is run on carried states and on slices of the other inputs (Scan).
        EACH: The body is run on each element of a sequence (SequenceMap).
    """

    NONE = "none"
    BRANCH = "branch"
    LOOP = "loop"
    SCAN = "scan"
    EACH = "each"


Letters: TypeAlias = "tuple[Hashable, ...]"


class Follows(NamedTuple):
    """Which axes of the inputs the axes of the outputs follow, by letters as in an einsum.

    An output element reads, of an input axis with a letter, only the index that it has itself on its axis of the same
    letter. It may read every index of an input axis without one (None), and of an input that isn't listed.

    Attributes:
        inputs: A letter or None for each axis of each input.
        outputs: A letter or None for each axis of each output.
    """

    inputs: tuple[Letters | None, ...]
    outputs: tuple[Letters, ...]


@frozen()
class Traits:
    """Properties of an operator besides its rule; usual combinations have names, such as `Traits.COPIED`.

    Attributes:
        keeps: How the outputs' elements relate to the inputs'.
        memory: The buffer of the first output.
        runs: How the graphs in its attributes are run.
        indices: The inputs with indices; the rule checks each known index, even if others are unknown.
        tuples: Whether input 1 has index tuples, so that one unknown number makes an element's position unknown.
        training: The input that makes the outputs random unless it is false, as in Dropout.
        stateful: Whether the outputs may differ between two nodes with the same inputs, as for a variable.
        divides: Whether integers of input 1 must not be 0.
        operands: The inputs that the operator on real numbers has, if scales and zero points stand between them.
        copied: If `keeps` is COPIED: the inputs of which the rule tracks the elements that it copies, where it copies
            from no others.
    """

    keeps: Keeps = Keeps.NOTHING
    memory: Memory = Memory.NEW
    runs: Runs = Runs.NONE
    indices: tuple[int, ...] = ()
    tuples: bool = False
    training: int | None = None
    stateful: bool = False
    divides: bool = False
    operands: tuple[int, ...] = ()
    copied: tuple[int, ...] = ()

    NOTHING: ClassVar[Traits]
    IDENTITY: ClassVar[Traits]
    VIEW: ClassVar[Traits]
    ORDERED: ClassVar[Traits]
    REARRANGED: ClassVar[Traits]
    REPEATED: ClassVar[Traits]
    CONCATENATED: ClassVar[Traits]
    STACKED: ClassVar[Traits]
    COPIED: ClassVar[Traits]
    PART: ClassVar[Traits]
    CHOICE: ClassVar[Traits]
    OVERWRITTEN: ClassVar[Traits]
    SCATTERED: ClassVar[Traits]
    ELEMENTWISE: ClassVar[Traits]
    DIVISION: ClassVar[Traits]
    CONVERSION: ClassVar[Traits]
    NEGATION: ClassVar[Traits]
    COMPARISON: ClassVar[Traits]
    RUNNING_SUM: ClassVar[Traits]
    MIXED: ClassVar[Traits]
    NORMALIZED: ClassVar[Traits]
    LOOKUP: ClassVar[Traits]
    STATEFUL: ClassVar[Traits]
    CONSTANT: ClassVar[Traits]

    @property
    def in_order(self) -> bool:
        """Whether the first output has the elements of input 0 in the same row-major order."""
        return self.keeps in _IN_ORDER

    @property
    def in_any_order(self) -> bool:
        """Whether the first output has the elements of input 0, each once."""
        return self.keeps in _IN_ORDER or self.keeps is Keeps.REARRANGED

    @property
    def copies(self) -> bool:
        """Whether the outputs may hold elements of the inputs unchanged."""
        return self.keeps in _COPIES


_IN_ORDER = frozenset({Keeps.ALL, Keeps.ORDERED})
_COPIES = _IN_ORDER | {Keeps.REARRANGED, Keeps.REPEATED, Keeps.CONCATENATED, Keeps.STACKED, Keeps.COPIED}

Traits.NOTHING = Traits()
Traits.IDENTITY = Traits(Keeps.ALL, Memory.VIEW)
Traits.VIEW = Traits(Keeps.ORDERED, Memory.VIEW)
Traits.ORDERED = Traits(Keeps.ORDERED)
Traits.REARRANGED = Traits(Keeps.REARRANGED)
Traits.REPEATED = Traits(Keeps.REPEATED)
Traits.CONCATENATED = Traits(Keeps.CONCATENATED)
Traits.STACKED = Traits(Keeps.STACKED)
Traits.COPIED = Traits(Keeps.COPIED)
Traits.PART = Traits(Keeps.COPIED, copied=(0,))
Traits.CHOICE = Traits(Keeps.COPIED, Memory.ELEMENTWISE)
Traits.OVERWRITTEN = Traits(Keeps.COPIED, Memory.OVER_FIRST)
Traits.SCATTERED = Traits(Keeps.COPIED, Memory.OVER_FIRST, indices=(1,), copied=(0, 2))
Traits.ELEMENTWISE = Traits(memory=Memory.ELEMENTWISE)
Traits.DIVISION = Traits(memory=Memory.ELEMENTWISE, divides=True)
Traits.CONVERSION = Traits(Keeps.CONVERTED, Memory.ELEMENTWISE)
Traits.NEGATION = Traits(Keeps.NEGATED, Memory.ELEMENTWISE)
Traits.COMPARISON = Traits(Keeps.COMPARED, Memory.ELEMENTWISE)
Traits.RUNNING_SUM = Traits(Keeps.SUMMED)
Traits.MIXED = Traits(Keeps.MIXED)
Traits.NORMALIZED = Traits(Keeps.MIXED, Memory.OVER_FIRST)
Traits.LOOKUP = Traits(indices=(1,))
Traits.STATEFUL = Traits(stateful=True)
Traits.CONSTANT = Traits(memory=Memory.MODEL)
