"""Records of how ONNX Runtime's default session rewrites nodes, and which nodes it removes as they have no effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapesmt.network.graph import Attributes, Literal, Node
from shapesmt.operators.rules import FLOATS, Elements, Made, Rewrite, Site
from shapesmt.prover.algebra import ONE

VERSIONS = ("1.31", "1.32")
MICROSOFT = "com.microsoft"
LISTED = 13
"""The opset since which axes are an input of an operator, not an attribute."""
UNIT: Mapping[str, int] = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1}
"""The number that, as a scalar in input 1, makes an operator return input 0."""
PASSING = frozenset({"Identity", "Cast", *UNIT})
"""The operators of nodes that the session may remove because they return input 0."""
RENAMING = frozenset({"Identity"})
"""The operators of nodes that the session removes even if they make an output of the model: input 0 gets its name."""
ROW = frozenset({"Reshape", "Squeeze", "Unsqueeze"})


def passes(site: Site, node: Node) -> bool:
    """Whether the session removes a node of `PASSING`, because it returns input 0."""
    if node.op == "Cast":
        return site.tensor(node.inputs[0]).dtype == site.tensor(node.outputs[0]).dtype != ""
    unit = UNIT.get(node.op)
    return unit is None or (site.tensor(node.inputs[1]).shape == () and site.constant(node.inputs[1]) == (unit,))


def _slice(site: Site, node: Node, feed: Node) -> Made | None:
    """Return a slice from the range's start to its limit, where negative numbers count from the end."""
    output, dtype = node.outputs[0], site.tensor(feed.outputs[0]).dtype
    if site.constant(feed.outputs[0]) is not None or dtype not in ("int32", "int64"):
        return None
    axes, zero = (f"{output} {part}" for part in ("axes", "zero"))
    listed = (zero,) if site.opset >= LISTED else ()
    attributes = Attributes.EMPTY if listed else Attributes({"axes": (0,)})
    vectors = [f"{output} {part}" for part in ("start", "limit", "step")]
    ends = [
        Node("Unsqueeze", "", vector, (name, *listed), (vector,), attributes)
        for name, vector in zip(feed.inputs, vectors, strict=True)
    ]
    start, limit, step = vectors
    slicing = Node("Slice", "", node.name, (node.inputs[0], start, limit, axes, step), node.outputs)
    axis = node.attributes.get("axis", 0)
    numbers = {axes: (dtype, axis if isinstance(axis, int) else 0), zero: ("int64", 0)}
    return Made((*ends, slicing), {name: Literal(kind, (1,), (n,)) for name, (kind, n) in numbers.items()})


def _counts_up(site: Site, _: Node, feed: Node) -> bool:
    """Whether a range has no negative number and a positive step."""
    low = [_least(site, name) for name in feed.inputs]
    return all(number is not None and number >= least for number, least in zip(low, (0, 0, 1), strict=True))


def _least(site: Site, name: str) -> float | None:
    """Return a lower bound of a scalar; None if it isn't tracked."""
    value = site.tensor(name).value
    item = value.items[0] if isinstance(value, Elements) and len(value.items) == 1 else None
    return None if item is None else item.lo


def _inferring(site: Site, node: Node, feed: Node) -> Made | None:
    """Return the reshape to a constant: 0 for a size that stays on its axis, -1 for another number of one element."""
    target: list[int] = []
    for name in feed.inputs:
        known, sizes = site.constant(name), site.tensor(name).shape
        if known is not None:
            target += known
        elif _stays(site, name, node.inputs[0], len(target)):
            target.append(0)
        elif sizes is not None and [d.constant for d in sizes] == [1]:
            target.append(-1)
        else:
            return None
    constant = target if site.constant(feed.outputs[0]) is None and target.count(-1) <= 1 else None
    return None if constant is None or node.attributes.get("allowzero") else _reshape(node, node.inputs[0], constant)


def _stays(site: Site, name: str, data: str, axis: int) -> bool:
    """Whether an element is the size of `data` along this axis, as exporters compute it."""
    unsqueeze = site.maker(name)
    gather = site.maker(unsqueeze.inputs[0]) if unsqueeze is not None and unsqueeze.op == "Unsqueeze" else None
    shape = site.maker(gather.inputs[0]) if gather is not None and gather.op == "Gather" else None
    if unsqueeze is None or gather is None or shape is None or shape.op != "Shape" or shape.attributes.get("start", 0):
        return False
    axes = site.constant(unsqueeze.inputs[1]) if len(unsqueeze.inputs) > 1 else unsqueeze.attributes.get("axes")
    whole = shape.inputs[0] == data or site.same_size(shape.inputs[0], data, axis)
    return axes == (0,) and site.constant(gather.inputs[1]) == (axis,) and whole


def _keeps_sizes(site: Site, node: Node, _: Node) -> bool:
    """Whether no size of the output is 0: then a number in place of -1 is the inferred one, if the file's node runs."""
    sizes = site.tensor(node.outputs[0]).shape
    return sizes is not None and all(d.lo >= 1 for d in sizes)


def _in_one(site: Site, node: Node, feed: Node) -> Made | None:
    """Return the reshape of what the first node in the row reads, unless a size is 0 or a node takes 0 for a size."""
    numbers, row = [int(d.constant or 0) for d in site.tensor(node.outputs[0]).shape or ()], [feed]
    while site.only_reader(name := row[-1].inputs[0]):
        maker = site.maker(name)
        if maker is None or maker.domain or maker.op not in ROW:
            break
        row.append(maker)
    first = [each.inputs[0] for each in row if each.op == "Reshape"][-1:]
    if not (numbers and all(numbers) and first) or any(each.attributes.get("allowzero") for each in (node, *row)):
        return None
    return _reshape(node, first[0], numbers)


def _constant(site: Site, node: Node, _: Node) -> Made | None:
    """Return the sizes of a tensor as a constant."""
    sizes = [int(d.constant or 0) for d in site.tensor(node.inputs[0]).shape or ()]
    end, start = (node.attributes.get(name, default) for name, default in (("end", len(sizes)), ("start", 0)))
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    value = Literal("int64", (len(sizes[start:end]),), sizes[start:end])
    return Made((Node("Constant", "", node.name, (), node.outputs, Attributes({"value": value})),))


def _folded(site: Site, node: Node, _: Node) -> Made | None:
    """Return the reshape to a constant if a target with an allowed 0 and -1 is computed from constants."""
    target = site.constant(node.inputs[1]) if site.maker(node.inputs[1]) else None
    return None if target is None or _takes(site, node, node) else _reshape(node, node.inputs[0], list(target), 1)


def _takes(site: Site, node: Node, _: Node) -> bool:
    """Whether ONNX Runtime loads a reshape to a constant: it has no allowed 0 beside -1."""
    target = site.constant(node.inputs[1]) if node.attributes.get("allowzero") else None
    return target is None or not {0, -1} <= {*target}


def _unexpanded(site: Site, node: Node, _: Node) -> Made | None:
    """Return the tensor itself if a node computes it, and each number of the target is its size there, or at most 1."""
    target, sizes = site.constant(node.inputs[1]), site.tensor(node.inputs[0]).shape
    data, computed = map(site.maker, node.inputs[:2])
    late = computed is not None and bool(computed.inputs)
    if not target or sizes is None or len(target) > len(sizes) or site.returned(node.outputs[0], renamed=late):
        return None
    if data is None or not data.inputs:
        return None
    stays = all(n <= 1 or d.constant == n for n, d in zip(target[::-1], sizes[::-1], strict=False))
    return Made((Node("Identity", "", node.name, node.inputs[:1], node.outputs),)) if stays else None


def _expands_to_sizes(site: Site, node: Node, _: Node) -> bool:
    """Whether a target has no number below 1."""
    target = site.constant(node.inputs[1])
    return target is None or all(n >= 1 for n in target)


def _first(site: Site, node: Node, _: Node) -> Made | None:
    """Return the node with channels on axis 1 if its flag is another number than 0 and 1, and its rank is known."""
    if node.attributes.get("channels_last", 0) in (0, 1) or site.tensor(node.inputs[0]).shape is None:
        return None
    attributes = Attributes({**node.attributes, "channels_last": 0})
    return Made((Node(node.op, node.domain, node.name, node.inputs, node.outputs, attributes),))


def _in_one_normalization(site: Site, node: Node, feed: Node) -> Made | None:
    """Return the normalization of the sum of two float32 tensors of three axes, whose sizes are equal by their names.

    Parameters have one axis. The new node has lost the axis from which on the file normalizes.
    """
    x, skip = feed.inputs
    batched = all(t.dtype == "float32" and t.shape is not None and t.rank == 3 for t in map(site.tensor, feed.inputs))
    vectors = all(t.shape is None or t.rank == 1 for t in map(site.tensor, filter(None, node.inputs[1:])))
    equal = batched and all(site.same_size(x, skip, axis) for axis in range(3))
    if not equal or not vectors or not site.only_reader(node.inputs[0]):
        return None
    return Made((Node("SkipLayerNormalization", MICROSOFT, node.name, (x, skip, *node.inputs[1:]), node.outputs),))


def _per_feature(site: Site, node: Node, _: Node) -> bool:
    """Whether there is a parameter for each feature of what a node normalizes, and at least one feature."""
    sizes = site.tensor(node.inputs[0]).shape or ()
    parameters = [site.tensor(name).shape for name in node.inputs[1:] if name]
    return bool(sizes) and sizes[-1].lo >= 1 and all(shape == sizes[-1:] for shape in parameters)


def _quotient(site: Site, node: Node, feed: Node) -> Made | None:
    """Return the quotient of a factor and the divisor of a reciprocal, which is `1 / x` for a 1 of any rank."""
    if _number(site, feed.inputs[0]) != 1 or not site.only_reader(feed.outputs[0]):
        return None
    return Made((Node("Div", "", node.name, (_factor(node, feed), feed.inputs[1]), node.outputs),))


def _factor(node: Node, feed: Node) -> str:
    """Return the input of a product that the other node doesn't compute."""
    return node.inputs[node.inputs[0] == feed.outputs[0]]


def _number(site: Site, name: str) -> float | None:
    """Return the element of a constant with a single one; None for any other tensor."""
    value = site.tensor(name).value
    item = value.items[0] if isinstance(value, Elements) and len(value.items) == 1 else None
    return None if item is None or item.lo != item.hi else item.lo


def _normalized(site: Site, node: Node, feed: Node) -> Made | None:
    """Return the normalization in one node of `scale * (x / sqrt(mean(x**k) + epsilon))`; the scale has one axis."""
    x, scale, mean = feed.inputs[0], _factor(node, feed), _mean_square(site, feed)
    sizes, shape = site.tensor(scale).shape, site.tensor(x).shape
    if mean is None or sizes is None or len(sizes) != 1 or not site.only_reader(feed.outputs[0]):
        return None
    axes = site.constant(mean.inputs[1]) if len(mean.inputs) > 1 else mean.attributes.get("axes")
    if axes != (-1,) and (shape is None or axes != (len(shape) - 1,)):
        return None
    return Made((Node("SimplifiedLayerNormalization", "", node.name, (x, scale), node.outputs),))


def _mean_square(site: Site, quotient: Node) -> Node | None:
    """Return the mean of powers of the dividend, to which a number is added and of whose root the divisor is made."""
    root = site.maker(quotient.inputs[1])
    total = site.maker(root.inputs[0]) if root is not None and root.op == "Sqrt" else None
    terms = {name: site.maker(name) for name in total.inputs} if total is not None and total.op == "Add" else {}
    mean = next((m for m in terms.values() if m is not None and m.op == "ReduceMean"), None)
    power = site.maker(mean.inputs[0]) if mean is not None else None
    if power is None or power.op != "Pow" or power.inputs[0] != quotient.inputs[0]:
        return None
    alone = all(n is not None and site.only_reader(n.outputs[0]) for n in (root, total, mean, power))
    added = [m is mean or _number(site, name) is not None for name, m in terms.items()]
    return mean if alone and all(added) else None


def _scales_features(site: Site, node: Node, feed: Node) -> bool:
    """Whether there is a scale for each feature, or one, a feature, and means keep their axis."""
    mean, sizes = _mean_square(site, feed), site.tensor(feed.inputs[0]).shape
    scales = site.tensor(_factor(node, feed)).shape
    if mean is None or not sizes or not scales:
        return False
    return sizes[-1].lo >= 1 and scales[-1] in (ONE, sizes[-1]) and mean.attributes.get("keepdims", 1) == 1


def _has_no_axis_more(site: Site, node: Node, feed: Node) -> bool:
    """Whether the 1 of a reciprocal of floats has no more axes than the divisor or the factor."""
    one, *others = map(site.tensor, (*feed.inputs, _factor(node, feed)))
    known = one.dtype in FLOATS and all(t.shape is not None for t in (one, *others))
    return known and one.rank <= max(t.rank for t in others)


def _reshape(node: Node, data: str, target: list[int], allowzero: int = 0) -> Made:
    name, zero = f"{node.outputs[0]} target", Attributes({"allowzero": 1} if allowzero else {})
    return Made(
        (Node("Reshape", "", node.name, (data, name), node.outputs, zero),),
        {name: Literal("int64", (len(target),), target)},
    )


REWRITES = (
    Rewrite(
        "a lookup of a range of rows is a slice",
        frozenset({"Gather"}), 1, frozenset({"Range"}), _slice, _counts_up, VERSIONS,
        stage=2,
    ),
    Rewrite(
        "reshapes in a row are one",
        ROW, 0, ROW, _in_one, lambda *_: True, VERSIONS,
        fixed=lambda node: node.outputs[0], stage=1,
    ),
    Rewrite(
        "the only computed element of a target is inferred",
        frozenset({"Reshape"}), 1, frozenset({"Concat"}), _inferring, _keeps_sizes, VERSIONS,
    ),
    Rewrite(
        "a target that is computed from constants is a constant",
        frozenset({"Reshape"}), 1, None, _folded, _takes, VERSIONS,
        alone=False,
    ),
    Rewrite(
        "a shape of numbers is a constant, and what only computes it is removed",
        frozenset({"Shape"}), 0, None, _constant, lambda *_: True, VERSIONS,
        fixed=lambda node: node.inputs[0], alone=False,
    ),
    Rewrite(
        "an expansion to numbers of at most 1, or to the same sizes, is removed",
        frozenset({"Expand"}), 1, None, _unexpanded, _expands_to_sizes, VERSIONS,
        alone=False,
    ),
    *(
        Rewrite(
            "a product with a reciprocal is a quotient",
            frozenset({"Mul"}), place, frozenset({"Div"}), _quotient, _has_no_axis_more, VERSIONS,
            alone=False,
        )
        for place in (0, 1)
    ),
    *(
        Rewrite(
            "a normalization by the mean square is one node, whose scale doesn't stretch the input",
            frozenset({"Mul"}), place, frozenset({"Div"}), _normalized, _scales_features, VERSIONS,
            alone=False, stage=2,
        )
        for place in (0, 1)
    ),
    Rewrite(
        "a sum and its normalization are one, which takes a parameter for each feature",
        frozenset({"LayerNormalization"}), 0, frozenset({"Add"}), _in_one_normalization, _per_feature, VERSIONS,
        alone=False, stage=2,
    ),
    Rewrite(
        "channels are axis 1, unless the flag that they are last is 1",
        frozenset({"QLinearConv"}), 0, None, _first,
        lambda _, node, __: node.attributes.get("channels_last", 0) in (0, 1), VERSIONS,
        alone=False, domain=MICROSOFT,
    ),
)  # fmt: skip
"""The rewrites that change which sizes run, or what they give."""

BY_OP: Mapping[str, Sequence[Rewrite]] = {
    op: [rewrite for rewrite in REWRITES if op in rewrite.ops]
    for op in {op for rewrite in REWRITES for op in rewrite.ops}
}
"""The rewrites by the operators that the last node of their pattern may have."""
