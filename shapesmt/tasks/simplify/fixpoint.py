"""Simplify: apply rules to the nodes of a draft until none applies."""

from __future__ import annotations

from collections.abc import Callable

from shapesmt.base.deadline import look
from shapesmt.network.graph import Literal, Node
from shapesmt.prover.algebra import Formula
from shapesmt.tasks.simplify.draft import Draft, Place
from shapesmt.tasks.simplify.rewrites import REWRITES, Rewrite, Site, rebuild, take_branches
from shapesmt.tasks.simplify.sharing import share_elements, share_nodes

ROUNDS = 16  # at most; the first without a rewrite is the last


def apply_rules(draft: Draft, proves: Callable[[Formula], bool]) -> None:
    """Apply every rule to a draft as often as possible, to its subgraphs first; `proves` decides conditions."""
    for body in draft.bodies.values():
        apply_rules(body, proves)
    draft.index()  # they read less than before
    for _ in range(ROUNDS):
        known = len(draft.log)
        for place in sorted(draft.nodes):
            look()
            _rewrite(draft, place, proves)
        take_branches(draft)
        share_elements(draft)
        share_nodes(draft)
        draft.sweep()
        rebuild(draft, proves)
        if len(draft.log) == known:
            break


def _rewrite(draft: Draft, place: Place, proves: Callable[[Formula], bool]) -> None:
    """Apply the rules to one node in turn, until one has removed it."""
    if place in draft.kept:
        return
    first = draft.nodes.get(place)
    op = "" if first is None or not any(first.outputs[:1]) else draft.operator(first)
    for rule in _rules(op) if op else ():
        node = draft.nodes.get(place)
        if node is None or (rule.ops and node.op not in rule.ops):
            return
        node = draft.nodes[place] = node._replace(inputs=[draft.final(name) for name in node.inputs])
        if _apply_rule(draft, place, rule, Site(draft, node, proves)):
            draft.note(rule.name, node, rule.reason)


def _rules(op: str) -> tuple[Rewrite, ...]:
    """Return the rules for nodes of an operator."""
    return tuple(rule for rule in REWRITES if not rule.ops or op in rule.ops)


def _apply_rule(draft: Draft, place: Place, rule: Rewrite, site: Site) -> bool:
    """Apply one rule; return whether it changed anything."""
    change = rule.apply(site)
    if isinstance(change, Node):
        draft.put(place, change)
        return True
    if isinstance(change, Literal):
        return draft.fold(site.node.outputs[0], change)
    return change is not None and draft.same(site.node.outputs[0], change)
