"""Operators: the rule or function of each operator, and its traits."""

from __future__ import annotations

from collections.abc import Mapping

from shapesmt.network.graph import Function, Node, NodeKind
from shapesmt.operators.rules import Rule, Traits, resolve


class Operators(dict[tuple[str, str], Rule | Function | None]):
    """The rule or function of each operator by domain and name; None for an operator that has neither.

    Each is looked up when it is first used.

    Example:
        >>> operators = Operators({"": 18}, {})
        >>> operators["", "Relu"].name, operators["com.example", "Relu"]
        ('Relu', None)
    """

    def __init__(self, opsets: Mapping[str, int], functions: Mapping[tuple[str, str], Function]) -> None:
        super().__init__()
        self._opsets, self._functions = opsets, functions

    def __missing__(self, key: tuple[str, str]) -> Rule | Function | None:
        domain, op = key
        self[key] = found = self._functions.get(key) or resolve(domain, op, self._opsets.get(domain, 1))
        return found

    def traits(self, node: Node | NodeKind) -> Traits:
        """Return the traits of a node's operator; a function has none."""
        return self.traits_of(node.domain, node.op)

    def traits_of(self, domain: str, op: str) -> Traits:
        """Return the traits of an operator by its domain and name."""
        found = self[domain, op]
        return found.traits if isinstance(found, Rule) else Traits.NOTHING
