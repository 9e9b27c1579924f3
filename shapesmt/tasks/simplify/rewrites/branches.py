"""Branches: replace an If whose condition is proven by the nodes of the branch that it takes."""

from __future__ import annotations

from shapesmt.network.graph import Graph, Literal, Node
from shapesmt.tasks.simplify.draft import Draft, Place
from shapesmt.tasks.simplify.rewrites.site import MOST, constants, integers

_WRITABLE = frozenset({"float32", "float64", "int32", "int64", "bool"})


def take_branches(draft: Draft) -> None:
    """Replace each If whose condition is the same for every admissible input by the branch that it takes."""
    for place in sorted(draft.nodes):
        node = draft.nodes[place]
        truth = constants(integers(draft.facts_of(node.inputs[0]))) if draft.operator(node) == "If" else None
        branch = node.attributes.get("then_branch" if truth == [1] else "else_branch") if truth else None
        body = draft.bodies.get(branch) if isinstance(branch, Graph) else None
        if body is not None and place not in draft.kept and _movable(body):
            _take(draft, place, body)
            draft.note("decided-branch", node, "every run takes this branch: its condition is always the same")


def _movable(body: Draft) -> bool:
    """Whether a branch has only plain attributes and small constants, which can be written anew."""
    found = [_literal(node) for node in body.nodes.values() if node.op == "Constant"]
    literals = [v for v in (*body.graph.literals.values(), *body.literals.values(), *found) if v is not None]
    small = all(v.values is not None and len(v.values) <= MOST and v.dtype in _WRITABLE for v in literals)
    others = [value for n in body.nodes.values() if n.op != "Constant" for value in n.attributes.values()]
    return small and None not in found and all(map(_plain, others))


def _literal(constant: Node) -> Literal | None:
    """Return the tensor of a Constant, from whichever attribute has it; None for other attributes."""
    for name, value in constant.attributes.items():
        kind = {"value_i": "int64", "value_f": "float32"}.get(name[:7])
        if isinstance(value, Literal) or kind is None or not _plain(value):
            return value if isinstance(value, Literal) else None
        parts = value if isinstance(value, tuple) else (value,)
        return Literal(
            kind, (len(parts),) if name.endswith("s") else (), [p for p in parts if isinstance(p, int | float)]
        )
    return None


def _plain(value: object) -> bool:
    return all(type(part) in (int, float, str) for part in (value if isinstance(value, tuple) else (value,)))


def _take(draft: Draft, place: Place, body: Draft) -> None:
    """Replace the If at `place` by the nodes of a branch, with new names for their outputs."""
    node = draft.nodes[place]
    draft.remove(place)
    literals = {**body.graph.literals, **body.literals}
    names = {name: draft.constant(literal, name) for name, literal in literals.items()}
    for inner_place in sorted(body.nodes):
        inner = body.nodes[inner_place]
        constant = _literal(inner) if inner.op == "Constant" else None
        if constant is not None:
            names[inner.outputs[0]] = draft.constant(constant, inner.outputs[0])
            continue
        inputs = [names.get(name, name) for name in map(body.final, inner.inputs)]
        names |= {name: draft.name(name) for name in inner.outputs if name}
        outputs = [names.get(name, "") for name in inner.outputs]
        draft.insert(place, inner._replace(inputs=inputs, outputs=outputs), body.original(inner_place))
        draft.tensors.update({names[name]: body.facts_of(name) for name in inner.outputs if name})
    for output, result in zip(node.outputs, map(body.final, body.graph.outputs), strict=True):
        if output:
            draft.insert(place, Node("Identity", "", node.name, [names.get(result, result)], [output]))
