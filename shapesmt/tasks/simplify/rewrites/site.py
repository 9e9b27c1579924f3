"""Sites: a node with the facts that a rule may use, and the registry of rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Literal, Node
from shapesmt.operators.rules import Elements, Field, Item, Tensor
from shapesmt.prover.algebra import Dim, Formula, Kind
from shapesmt.prover.algebra.numeric import Float
from shapesmt.tasks.simplify.draft import Draft

Change: TypeAlias = str | Literal | Node | None
"""The replacement of a node: a tensor equal to its output, a constant, or another node; None for no change."""
SETTLED = frozenset({Kind.INPUT, Kind.VALUE, Kind.DATA})
"""The kinds of symbols that are one number in a run, wherever they occur."""
WHOLE = frozenset({"bool", "string", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))})
"""The types without -0.0 and NaN, in which equal elements have equal bits."""
MOST = 1024  # elements of a new constant, at most


@frozen()
class Site:
    """A node of a draft, with the facts proven about its tensors."""

    draft: Draft
    node: Node
    proves: Callable[[Formula], bool]

    def name(self, index: int) -> str:
        """Return an input's name; "" for an omitted input."""
        return self.node.inputs[index] if index < len(self.node.inputs) else ""

    def read(self, index: int) -> Tensor:
        """Return the facts proven about an input."""
        return self.draft.facts_of(self.name(index))

    @property
    def made(self) -> Tensor:
        """The facts proven about the first output."""
        return self.draft.facts_of(self.node.outputs[0])

    def like(self, index: int = 0) -> bool:
        """Whether the output has the element type and the shape of an input, by the normal forms of the sizes."""
        x, y = self.read(index), self.made
        return bool(x.dtype) and x.dtype == y.dtype and x.shape is not None and x.shape == y.shape

    def producer(self, index: int, *ops: str) -> Node | None:
        """Return the node that computes an input; None unless it is one of these ONNX operators and may be changed."""
        name = self.name(index)
        node = self.draft.producer(name) if name and self.draft.place(name) not in self.draft.kept else None
        return node if node is not None and self.draft.operator(node) in ops else None

    def readers(self, name: str) -> list[str]:
        """Return ONNX's operators that read a tensor, with "" for each other node."""
        return [self.draft.operator(self.draft.nodes[place]) for place in self.draft.readers.get(name, ())]

    def items(self, index: int) -> Sequence[Dim] | None:
        """Return the elements of an input that is a list of integers as formulas of the sizes; None if some aren't."""
        return integers(self.read(index))

    def numbers(self, index: int, attribute: str = "") -> list[int] | None:
        """Return the integers of a constant input; None if they aren't constant.

        `attribute` is the attribute that has them in older operator sets; "" if there is none.
        """
        if attribute and attribute in self.node.attributes:
            value = self.node.attributes[attribute]
            return [v for v in value if isinstance(v, int)] if isinstance(value, tuple) else None
        items = self.items(index) if self.name(index) else None
        return constants(items)

    def integer(self, attribute: str, default: int) -> int | None:
        """Return an integer attribute; None if a function's caller decides it."""
        value = self.node.attributes.get(attribute, default)
        return value if isinstance(value, int) else None


def integers(t: Tensor) -> Sequence[Dim] | None:
    """Return the elements of a tensor of integers; None unless each is one formula of the sizes."""
    value = t.value
    if not isinstance(value, Elements) or not all(isinstance(i, Dim) and has_one_value(i) for i in value.items):
        return None
    return [i for i in value.items if isinstance(i, Dim)]


def constants(items: Sequence[Dim] | None) -> list[int] | None:
    """Return the formulas as numbers; None unless all are constant."""
    numbers = [i.constant for i in items or () if i.constant is not None]
    return numbers if items is not None and len(numbers) == len(items) else None


def has_one_value(term: Item) -> bool:
    """Whether a term has one value in each run: it depends on no unknown element and no iteration of a loop."""
    return term is not None and all(s.kind in SETTLED for s in term.symbols)


def formula(t: Tensor) -> Dim | None:
    """Return the elements of a tensor of integers if they are one formula of position and sizes; None otherwise."""
    value = t.value
    known = isinstance(value, Field) and all(s.kind in SETTLED or s.kind is Kind.AXIS for s in value.element.symbols)
    return value.element if isinstance(value, Field) and known else None


def has_formulas(t: Tensor) -> bool:
    """Whether each element of a tensor is a formula of the sizes, so that equal formulas are equal elements."""
    return t.shape is not None and (formula(t) is not None or integers(t) is not None)


def number(item: Item) -> int | float | None:
    """Return the number that an element always is, or None; None also for a float 0, whose sign is unknown."""
    if isinstance(item, Float):
        known = None if item.numerator is None else item.numerator.constant
        return known / item.denominator if known else None
    return None if item is None else item.constant


class Rewrite(NamedTuple):
    """A rule that rewrites nodes."""

    name: str
    ops: frozenset[str]
    """The operators that the rule applies to; empty for all."""
    apply: Callable[[Site], Change]
    reason: str
    """The identity that the rule rests on, in one line."""


REWRITES: list[Rewrite] = []


def rewrite(*ops: str) -> Callable[[Callable[[Site], Change]], Callable[[Site], Change]]:
    """Register a rule for nodes of these operators; the first line of its docstring is the reason that users read."""

    def registered(apply: Callable[[Site], Change]) -> Callable[[Site], Change]:
        reason = (apply.__doc__ or "").splitlines()[0].rstrip(".")
        name = apply.__name__.strip("_").replace("_", "-")
        REWRITES.append(Rewrite(name, frozenset(ops), apply, reason))
        return apply

    return registered
