"""Sharing: compute equal tensors once."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain

from shapesmt.network.graph import Literal, Node
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Rule, Tensor
from shapesmt.tasks.simplify.draft import Draft
from shapesmt.tasks.simplify.rewrites.site import has_formulas

_DOMAINS = ("", "ai.onnx.ml")


def share_elements(draft: Draft) -> None:
    """Merge tensors with the same proven elements into the one that is computed first."""
    first: dict[Tensor, str] = {}
    for place in sorted(draft.nodes):
        node = draft.nodes.get(place)
        for name in () if node is None or place in draft.kept else node.outputs:
            t = draft.facts_of(name)
            if not name or not has_formulas(t):
                continue
            other = first.setdefault(t, name)
            if other != name and node is not None and draft.same(name, other):
                draft.note("equal-elements", node, f"its elements are those of {other}, for every admissible input")
                if draft.places.get(other) is None:
                    first[t] = name


def share_nodes(draft: Draft) -> None:
    """Merge nodes with the same operator, attributes and inputs, as their outputs are equal."""
    first: dict[Hashable, list[str]] = {}
    operators = Operators(draft.graph.opsets, draft.graph.functions)
    for place in sorted(draft.nodes):
        node = draft.nodes[place]
        if place in draft.kept or not _is_deterministic(node, operators):
            continue
        key = (node.domain, node.op, node.attributes, tuple(map(bool, node.outputs)), *map(draft.final, node.inputs))
        names = first.setdefault(key, [*node.outputs])
        if names != [*node.outputs] and not any(map(draft.is_output, (*names, *node.outputs))):
            same = [draft.same(name, other) for name, other in zip(node.outputs, names, strict=True) if name]
            if any(same):
                draft.note("common-subexpression", node, f"{names[0]} is computed in the same way")


def _is_deterministic(node: Node, operators: Operators) -> bool:
    """Whether nodes equal to this one have equal outputs.

    Its operator is one of ONNX's and not random, and it has no subgraph and no unread constant.
    """
    rule = operators[node.domain, node.op]
    values = chain.from_iterable(v if isinstance(v, tuple) else (v,) for v in node.attributes.values())
    unread = any(isinstance(value, Literal) and value.values is None for value in values)
    repeats = node.domain in _DOMAINS and isinstance(rule, Rule) and rule.repeats
    return repeats and not (unread or node.attributes.graphs)
