"""No-ops: remove nodes whose output equals their input, or is the same numbers for every admissible input."""

from __future__ import annotations

from math import inf

from shapesmt.network.graph import Literal
from shapesmt.operators.rules import FLOATS, Elements, Tensor, uniform
from shapesmt.prover.algebra import ZERO
from shapesmt.prover.algebra.numeric import Float
from shapesmt.tasks.simplify.rewrites.site import MOST, WHOLE, Change, Site, number, rewrite

_NEUTRAL = {"Mul": 1, "Div": 1, "Sub": 0, "And": 1, "Or": 0}
"""The second operand that leaves the first unchanged; not for `x + 0.0` (-0.0 changes) or `x ** 1.0` (NaNs do)."""
_SIGNLESS = ("Softmax", "LogSoftmax", "Exp", "Abs")
_COMMUTATIVE = frozenset({"Mul", "And", "Or"})


@rewrite("Identity")
def identity(site: Site) -> Change:
    """Identity returns its input."""
    return site.name(0)


@rewrite("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand", "Tile")
def same_shape(site: Site) -> Change:
    """The output has the input's shape, and the operator keeps the order of the elements."""
    return site.name(0) if site.like() else None


@rewrite("Cast")
def same_type(site: Site) -> Change:
    """The input has that type already."""
    return site.name(0) if site.like() else None


@rewrite("CastLike")
def same_type_as(site: Site) -> Change:
    """The input has that type already."""
    return site.name(0) if site.like() else None


@rewrite("Transpose")
def same_order(site: Site) -> Change:
    """The permutation leaves every axis where it is."""
    perm = site.node.attributes.get("perm")
    shape = site.read(0).shape
    still = shape is not None and (perm == tuple(range(len(shape))) or (perm is None and len(shape) < 2))
    return site.name(0) if still else None


@rewrite("Slice")
def whole_slice(site: Site) -> Change:
    """The slice has the size of the whole axis, and no step is negative."""
    steps = site.numbers(4) if site.name(4) else [1]
    return site.name(0) if site.like() and steps is not None and min(steps, default=1) > 0 else None


@rewrite("Pad")
def no_padding(site: Site) -> Change:
    """Nothing is added at either end of any axis."""
    pads = site.numbers(1, "pads")
    return site.name(0) if site.like() and pads is not None and not any(pads) else None


@rewrite("Concat")
def single_part(site: Site) -> Change:
    """Only one of the joined tensors has elements."""
    axis = site.integer("axis", 0)
    parts = [name for name in site.node.inputs if not _empty(site.draft.facts_of(name), axis)]
    if len(parts) == 1:
        return parts[0] if site.draft.facts_of(parts[0]).shape is not None else None
    fewer = 1 < len(parts) < len(site.node.inputs)
    return site.node._replace(inputs=parts) if fewer else None


def _empty(t: Tensor, axis: int | None) -> bool:
    """Whether a tensor is proven to have no elements because of its size along an axis."""
    return t.shape is not None and axis is not None and -len(t.shape) <= axis < len(t.shape) and t.shape[axis].hi == 0


@rewrite("Where")
def decided(site: Site) -> Change:
    """The condition is the same everywhere, and the branch it takes has the output's shape.

    ONNX Runtime adds 0 to the float that it takes, which makes 0.0 of -0.0: only for readers to whom both are the same.
    """
    truth = uniform(site.read(0).value)
    if truth is None or truth.constant is None:
        return None
    index, same = 1 if truth.constant else 2, site.made.dtype in WHOLE or _signless(site, *_SIGNLESS)
    return site.name(index) if same and site.read(index).shape == site.made.shape is not None else None


@rewrite(*_NEUTRAL)
def neutral(site: Site) -> Change:
    """One operand changes no element of the other: x * 1, x / 1, x - 0, x and true, x or false."""
    for index, other in ((0, 1), (1, 0)) if site.node.op in _COMMUTATIVE else ((0, 1),):
        value = site.read(other).value
        numbers = {number(item) for item in value.items} if isinstance(value, Elements) else set()
        if numbers == {_NEUTRAL[site.node.op]} and site.like(index):
            return site.name(index)
    return None


@rewrite("Add")
def zero_before_softmax(site: Site) -> Change:
    """Adding 0 changes at most the sign of a 0, and Softmax takes both for the same."""
    if not _signless(site, "Softmax", "LogSoftmax"):
        return None
    return next((site.name(i) for i in (0, 1) if _zero(site.read(1 - i)) and site.like(i)), None)


def _signless(site: Site, *ops: str) -> bool:
    """Whether only these operators read the output, for which -0.0 and 0.0 are the same."""
    output = site.node.outputs[0]
    readers = {*site.readers(output)}
    return bool(readers) and readers <= {*ops} and not site.draft.is_output(output)


def _zero(t: Tensor) -> bool:
    """Whether every element of a float tensor is proven to be 0."""
    items = t.value.items if isinstance(t.value, Elements) else [getattr(t.value, "element", None)]
    return bool(items) and all(isinstance(i, Float) and i.numerator == ZERO for i in items)


@rewrite("Dropout")
def no_dropout(site: Site) -> Change:
    """Dropout returns its input where nothing is trained."""
    training = site.name(2) and site.numbers(2) != [0]
    alone = len([name for name in site.node.outputs if name]) == 1
    return site.name(0) if alone and not training and site.draft.version >= 7 else None


ENDS = {f"int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)}
ENDS |= {f"uint{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}
"""The minimum and the maximum of each integer type."""


WINDOWS = frozenset({"BlackmanWindow", "HannWindow", "HammingWindow"})


@rewrite(*sorted(WINDOWS))
def empty_window(site: Site) -> Change:
    """A window of size 0 has no elements."""
    made = site.made
    empty = made.dtype in FLOATS and made.shape is not None and made.shape[0].constant == 0
    return Literal(made.dtype, (0,), ()) if empty else None


@rewrite()
def constant(site: Site) -> Change:
    """Its elements are the same numbers for every admissible input."""
    made = site.made
    value = made.value
    if not isinstance(value, Elements) or len(value.items) > MOST or site.node.op == "Constant":
        return None
    numbers = [number(item) for item in value.items]
    if None in numbers or made.dtype not in ENDS.keys() | {"bool", *FLOATS} or not numbers:
        return None
    if 0 in numbers and not WINDOWS.isdisjoint(site.readers(site.node.outputs[0])):
        return None  # ONNX Runtime refuses to load a window with the constant size 0, but runs one of size 0
    low, high = ENDS.get(made.dtype, (-inf, inf))
    if not all(low <= n <= high for n in numbers if n is not None):
        return None  # the number wraps around in a run
    kind = bool if made.dtype == "bool" else float if made.dtype in FLOATS else int
    return Literal(made.dtype, value.shape, [kind(n) for n in numbers if n is not None])
