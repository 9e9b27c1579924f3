"""Baked sizes: constants with the number that an input's size had at export, replaced by the size at all nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shapesmt.network.graph import Attributes, Literal, Node
from shapesmt.operators.rules import FLOATS
from shapesmt.prover.algebra import Dim
from shapesmt.tasks.repair.candidates.site import Change, Site
from shapesmt.tasks.repair.edit import Edit

MOST = 16
"""Elements; longer constants aren't changed."""
FACTORS = 64
"""The largest number of which a constant is the multiple of a baked size, as `batch*heads`."""
COST = 0.5
"""The cost of a change that frees all places of a baked size."""


class Pin(NamedTuple):
    """An input's size that the model fixes: its name, its expression, the number, the input and the axis."""

    name: str
    size: Dim
    number: int
    input: str
    axis: int


class Place(NamedTuple):
    """A constant that has a baked size.

    Attributes:
        site: The node that reads it.
        input: The index of the operand.
        at: The index of the element, or with `rows` the axis of the constant.
        factor: The number of times that the element has the size.
        rows: Whether an axis of a weight has the size, as an initial state `[1, 8, 16]` of a batch of 8.
    """

    site: Site
    pin: Pin
    input: int
    at: int
    factor: int
    rows: bool


def places(site: Site, pin: Pin) -> Iterator[Place]:
    """Yield the constants of a node that have a baked size, or a multiple of it."""
    for index, name in enumerate(site.node.inputs):
        literal = site.literal(name) if name else None
        if literal is None:
            continue
        if literal.dtype == "int64" and literal.values and len(literal.values) <= MOST and len(literal.shape) <= 1:
            for at, n in enumerate(literal.values):
                factor = int(n) // pin.number if int(n) % pin.number == 0 else 0
                if 0 < factor <= FACTORS:
                    yield Place(site, pin, index, at, factor, rows=False)
        elif literal.dtype in FLOATS:
            for axis in (axis for axis, n in enumerate(literal.shape) if n == pin.number):
                yield Place(site, pin, index, axis, 1, rows=True)


def copied(site: Site, pin: Pin) -> Iterator[Place]:
    """Yield the elements of a Reshape's target that have the number where the data has the size itself."""
    data = site.known(0)
    shape = (data.shape if data is not None else None) or ()
    for place in places(site, pin) if pin.size in shape else ():
        target = _is_target(site, place.input) and not place.rows and place.factor == 1
        if target and place.at < len(shape) and shape[place.at] is pin.size:
            yield place


def freed(chosen: Sequence[Place]) -> Change:
    """Return the change that replaces the baked sizes at all these places by sizes that are read from inputs."""
    nodes: dict[int, Node] = {}
    before: dict[int, tuple[Node, ...]] = {}
    literals: dict[str, Literal] = {}
    operands = dict.fromkeys((place.site.index, place.input) for place in chosen)
    for index, operand in operands:
        group = [place for place in chosen if (place.site.index, place.input) == (index, operand)]
        site = group[0].site
        node = nodes.get(index, site.node)
        draft = _Draft(f"{site.name(node.inputs[operand])}.{index}.{operand}", literals)
        made = draft.rows(group[0]) if group[0].rows else draft.target(group)
        nodes[index] = node._replace(inputs=[made if i == operand else name for i, name in enumerate(node.inputs)])
        before[index] = (*before.get(index, ()), *draft.nodes)
    site, pin, first = min(chosen, key=lambda place: place.site.index)[:3]
    edit = Edit(nodes, {index: new for index, new in before.items() if new}, literals=literals)
    return site.change("constant", pin.name, pin.number, pin.name, edit, COST, first)


class _Draft:
    """The nodes and constants that take the place of one constant."""

    def __init__(self, made: str, literals: dict[str, Literal]) -> None:
        self._made, self._literals = made, literals
        self.nodes: list[Node] = []

    def target(self, group: Sequence[Place]) -> str:
        """Return the name of a vector, or number, with sizes at some elements; 0 and -1 stand for them in a Reshape."""
        site, operand = group[0].site, group[0].input
        literal = site.literal(site.node.inputs[operand])
        values = [int(n) for n in (literal.values if literal is not None else None) or ()]
        assert literal is not None
        if not literal.shape:
            return self._size(group[0], scalar=True)
        left = []
        for place in group:
            data = site.known(0)
            same = (
                data is not None
                and data.shape
                and place.at < len(data.shape)
                and data.shape[place.at] is place.pin.size
            )
            if _is_target(site, operand) and place.factor == 1 and same:
                values[place.at] = 0
            elif _is_target(site, operand) and -1 not in values:
                values[place.at] = -1
            else:
                left.append(place)
        if not left:
            return self._constant("target", values)
        sizes = {place.at: self._size(place) for place in left}
        parts = [sizes.get(at) or self._constant(f"part{at}", [n]) for at, n in enumerate(values)]
        return self._node("Concat", "target", parts, axis=0) if len(parts) > 1 else parts[0]

    def rows(self, place: Place) -> str:
        """Return the name of a weight's first row along an axis, repeated as often as the size says."""
        name = place.site.node.inputs[place.input]
        literal = place.site.literal(name)
        assert literal is not None
        if place.pin.number > 1:
            ends = [self._constant(part, [n]) for part, n in (("first", 0), ("second", 1), ("axis", place.at))]
            name = self._node("Slice", "row", [name, *ends])
        ones = (self._constant("one", [1]), self._size(place))
        target = self._node("Concat", "target", [ones[at == place.at] for at in range(len(literal.shape))], axis=0)
        return self._node("Expand", "rows", [name, target])

    def _size(self, place: Place, *, scalar: bool = False) -> str:
        """Return the name of a vector of one element, or a number: the size, times the place's factor."""
        shape = self._node("Shape", f"shape{place.at}", [place.pin.input])
        axis = self._constant(f"axis{place.at}", [place.pin.axis], scalar=scalar)
        size = self._node("Gather", f"size{place.at}", [shape, axis], axis=0)
        factor = self._constant(f"factor{place.at}", [place.factor]) if place.factor > 1 else ""
        return self._node("Mul", f"sizes{place.at}", [size, factor]) if factor else size

    def _constant(self, part: str, values: list[int], *, scalar: bool = False) -> str:
        name = f"{self._made}.{part}"
        self._literals[name] = Literal("int64", () if scalar else (len(values),), values)
        return name

    def _node(self, op: str, part: str, inputs: list[str], **attributes: int) -> str:
        name = f"{self._made}.{part}"
        self.nodes.append(Node(op, "", name, inputs, [name], Attributes(attributes)))
        return name


def _is_target(site: Site, index: int) -> bool:
    """Whether an input is the shape that a Reshape gives its data."""
    return index == 1 and site.node.op == "Reshape" and not site.node.domain
