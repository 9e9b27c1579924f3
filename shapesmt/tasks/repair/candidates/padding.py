"""Padding: a model's inputs padded to multiples that its nodes need, such as an image to multiples of 32."""

from __future__ import annotations

from collections.abc import Mapping

from shapesmt.network.graph import Attributes, Literal, Node
from shapesmt.tasks.repair.candidates.site import Change, Site
from shapesmt.tasks.repair.edit import Edit

PADS_AS_INPUT = 11
"""The first opset in which Pad reads its widths."""
COST = 5.1


def padding(site: Site, name: str, multiples: Mapping[str, int], steps: Mapping[str, int]) -> Change | None:
    """Return the change that pads a model input to multiples of its sizes; None if it has none of these sizes.

    Args:
        site: The first node that reads the input.
        name: The input, such as `x` of shape `[batch, 3, height, width]`.
        multiples: The multiple by the name of the size, such as `{"height": 32, "width": 32}`; the padding goes behind
            the last row and the last column.
        steps: By the name of the size, the divisor of the multiple to which the model itself rounds it down: with
            multiples of 28 and a step of 4, 56 to 59 are left as they are. It is 1 for other sizes.
    """
    graph = site.graph
    shape = graph.inputs[name].shape or ()
    factors = [multiples.get(size, 1) if isinstance(size, str) else 1 for size in shape]
    axes = [axis for axis, factor in enumerate(factors) if factor > 1]
    readers = [(index, node) for index, node in site.consumers(name) if name not in node.attributes.captures]
    if not axes or graph.opsets.get("", 1) < PADS_AS_INPUT or len(readers) != len(graph.consumers(name)):
        return None
    made = site.name(name)
    changed = {i: n._replace(inputs=[made if x == name else x for x in n.inputs]) for i, n in readers}
    parts = [steps.get(size, 1) if isinstance(size, str) else 1 for size in shape]
    nodes, literals = _pad(name, made, factors, parts)
    edit = Edit(nodes=changed, before={site.index: nodes}, literals=literals)
    spare = {part: f" or up to {part - 1} more" if part > 1 else "" for part in parts}
    new = tuple(f"{axis} to {factors[axis]}{spare[parts[axis]]}" for axis in axes)
    return site.change("node", "Pad", name, new, edit, COST)


def _pad(name: str, made: str, factors: list[int], steps: list[int]) -> tuple[tuple[Node, ...], dict[str, Literal]]:
    """Return the nodes that pad a tensor's end by what its size, rounded down to `steps`, lacks, and constants."""
    shape, parts, less, ends, start, step, minus, factor, widths = (
        f"{made}.{part}"
        for part in ("shape", "parts", "negated", "ends", "starts", "steps", "factors", "multiples", "widths")
    )
    nodes = (
        Node("Shape", "", shape, [name], [shape]),
        Node("Div", "", parts, [shape, step], [parts]),
        Node("Mul", "", less, [parts, minus], [less]),
        Node("Mod", "", ends, [less, factor], [ends]),
        Node("Concat", "", widths, [start, ends], [widths], Attributes({"axis": 0})),
        Node("Pad", "", made, [name, widths], [made]),
    )
    numbers = {start: [0] * len(factors), step: steps, minus: [-n for n in steps], factor: factors}
    return nodes, {constant: Literal("int64", (len(factors),), each) for constant, each in numbers.items()}
