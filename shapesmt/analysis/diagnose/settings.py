"""Settings: the attributes and constant inputs that affect a node's output sizes, as a short text.

>>> from shapesmt.prover.algebra import symbol
>>> from shapesmt.frontends import load
>>> from shapesmt.operators.rules import tensor
>>> text = '<ir_version: 8, opset_import: ["":18]> g (float[1, 3, h, w] x) => (y) {'
>>> graph = load((text + "y = MaxPool <kernel_shape=[3,3], strides=[2,2], dilations=[1,1]> (x) }").encode())
>>> settings_of(graph.nodes[0], graph, {"x": tensor("float32", [1, 3, symbol("h", 8), symbol("w", 8)])})
'kernel 3, stride 2'
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from shapesmt.base.deadline import Deadline, look
from shapesmt.base.errors import InternalError, ShapesmtError
from shapesmt.network.graph import Attributes, Graph, Node, Schemas
from shapesmt.operators.inference import MAX_REMEMBERED, application_of
from shapesmt.operators.rules import Elements, Tensor, Value, tensor
from shapesmt.prover.algebra import Dim, Evaluator, entries_of, memo, one_call, symbol
from shapesmt.prover.algebra.numeric import Float

MAX_LISTED = 8  # the most numbers of one attribute or input that are shown
ENDLESS = 2**31 - 1
PATIENCE = 2.0  # seconds for the settings of one node, which are computed when first read, perhaps after the timeout
_SINGULAR = {"kernel_shape": "kernel", "strides": "stride", "dilations": "dilation"}
_TYPES = frozenset({"to", "dtype"})
_KNOWN: dict[Schemas | None, dict[tuple[object, ...], str]] = memo("settings", {}, entries_of)


def alone(node: Node, graph: Graph, tensors: Mapping[str, Tensor]) -> tuple[Graph, dict[str, Tensor]]:
    """Return a graph and tensors with only the parts on which the `settings_of` of one node depend."""
    functions = graph.functions if (node.domain, node.op) in graph.functions else {}
    schemas, runtime = graph.schemas, graph.runtime
    around = Graph(graph.name, {}, [], [], {}, {}, graph.opsets, functions, schemas=schemas, runtime=runtime)
    return around, {name: tensors[name] for name in node.reads if name in tensors}


@one_call()
def settings_of(node: Node, graph: Graph, tensors: Mapping[str, Tensor]) -> str:
    """Return the attributes and constant inputs without which the node's output sizes or requirements would differ."""
    if node.attributes.graphs:
        return ""
    around, read = alone(node, graph, tensors)
    tensors = _with_plain_sizes(read)
    places = map(node.inputs.index, node.inputs)  # which of them are one tensor
    operator = node.op, node.domain, graph.opsets.get(node.domain)
    key = (*operator, node.attributes, *places, *map(tensors.get, node.inputs))
    known = _KNOWN.setdefault(graph.schemas, {}) if (node.domain, node.op) not in graph.functions else {}
    if key not in known:
        if len(known) > MAX_REMEMBERED:
            known.clear()
        text = Deadline(PATIENCE).attempt(lambda: _settings(node, around, tensors), None)
        if text is None:
            return ""
        known[key] = text
    return known[key]


def _with_plain_sizes(tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """Return the tensors with a symbol for each formula of a size: settings matter in all layers alike."""
    sizes: dict[Dim, Dim] = {}

    def plain(d: Dim) -> Dim:
        return d if d.constant is not None else sizes.setdefault(d, symbol(f"size {len(sizes)}", min(d.lo, 1)))

    if any(t.shape is None or t.cases or (t.value is not None and _symbolic(t.value)) for t in tensors.values()):
        return tensors
    return {name: tensor(t.dtype, [*map(plain, t.dims)], t.value, layout=t.layout) for name, t in tensors.items()}


def _symbolic(value: Value) -> bool:
    return not isinstance(value, Elements) or any(i is None or i.symbols for i in value.items)


def _settings(node: Node, graph: Graph, inputs: Mapping[str, Tensor]) -> str:
    shown = {name: _attribute(name, value) for name, value in node.attributes.items() if name not in _TYPES}
    known = {
        place: _constant(label, inputs.get(node.inputs[place])) for place, label in enumerate(_labels(node, graph))
    }
    usual = _effect(node, graph, inputs) if any(shown.values()) or any(known.values()) else None
    if usual is None:
        return ""
    words = []
    for name, text in shown.items():
        rest = Attributes({n: v for n, v in node.attributes.items() if n != name})
        if text and _effect(node._replace(attributes=rest), graph, inputs) != usual:
            words.append(text)
    for place, text in known.items():
        if text:
            t = inputs[node.inputs[place]]
            open_ended = {**inputs, node.inputs[place]: tensor(t.dtype, t.shape)}
            if _effect(node, graph, open_ended) != usual:
                words.append(text)
    return ", ".join(words)


def _effect(node: Node, graph: Graph, inputs: Mapping[str, Tensor]) -> Hashable:
    """Return the output shapes and requirements of a node, or "fails"; None if two applications of its rule differ."""
    try:
        application = application_of(node, graph, inputs)
        look()  # a result cut short by the deadline proves nothing
    except (ShapesmtError, InternalError):  # a rule may break on a node that no file has
        return "fails"
    outputs = tuple((t.shape, t.value) for t in application.outputs)
    return (outputs, tuple(r.formula for r in application.requirements)) if application.repeatable else None


def _labels(node: Node, graph: Graph) -> Iterator[str]:
    """Yield a name for each input; "" if the operator's schema has no meaningful one."""
    version = graph.opsets.get(node.domain)
    signature = graph.schemas.signature(node.domain, node.op, version) if graph.schemas and version else None
    names = [p.name for p in signature.inputs] if signature is not None else []
    for index in range(len(node.inputs)):
        name = names[min(index, len(names) - 1)] if names else ""
        yield name if len(name) > 1 else ""


def _attribute(name: str, value: object) -> str:
    """Return an attribute as text, such as `stride 2`, `pads 1,1`, `auto_pad SAME_UPPER`; "" if that is too long."""
    if name.startswith("@"):  # the positions of the inputs among a PyTorch operator's arguments
        return ""
    if isinstance(value, str) and value:
        return f"{name} {value}"
    numbers = value if isinstance(value, tuple) else (value,)
    if not numbers or len(numbers) > MAX_LISTED or not all(isinstance(n, (int, float)) for n in numbers):
        return ""
    if name in _SINGULAR and len(set(numbers)) == 1:
        return f"{_SINGULAR[name]} {_number_list(numbers[:1])}"
    half = len(numbers) // 2
    symmetric = name == "pads" and numbers[:half] == numbers[half:]
    return f"{name} {_number_list(numbers[:half] if symmetric else numbers)}"


def _constant(label: str, t: Tensor | None) -> str:
    """Return text such as `scales 1,1,2,2` for an input of at most 8 known elements; "" for any other."""
    items = t.value.items if label and t is not None and isinstance(t.value, Elements) else ()
    if not items or len(items) > MAX_LISTED or any(i is None or i.symbols for i in items):
        return ""
    nothing = Evaluator({})
    numbers = [nothing.dim(i) if isinstance(i, Dim) else i.value(nothing) for i in items if isinstance(i, (Dim, Float))]
    return f"{label} {_number_list(numbers)}"


def _number_list(numbers: Sequence[Any]) -> str:
    return ",".join(_number(n) for n in numbers)


def _number(n: Any) -> str:
    """Return a number as text; `max` or `min` for the large ones that exporters write for the end of an axis."""
    if abs(float(n)) >= ENDLESS:  # a float16 can't be compared with it
        return "max" if n > 0 else "min"
    return str(n) if isinstance(n, int) else f"{n:g}"
