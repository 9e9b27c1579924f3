"""Draft: a graph that is being made smaller.

Every tensor retains its name and its elements; only the way it is computed changes. So anything proven about a name
before the first rewrite holds after any number of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from shapesmt.network.graph import Attributes, Graph, Literal, Node
from shapesmt.operators.rules import Tensor, from_literal, tensor
from shapesmt.reports.answers import Rewritten


class Form(NamedTuple):
    """The form in which sizes are written into the operands of nodes.

    Attributes:
        zeros: Whether 0 in the target of a Reshape stands for the input's size.
        last: The number that ends a slice at the end of its axis.
    """

    zeros: bool = True
    last: int = (1 << 63) - 1


PLAIN = Form()
FORMS = {"iree": Form(zeros=False), "tensorrt": Form(last=(1 << 31) - 1)}
"""IREE takes 0 for a size. TensorRT counts in 32 bits, and warns that it truncates larger numbers."""


UNKNOWN = tensor("", None)
Place = tuple[int, int]
"""Order of a node: its index in the original graph, or that of the last node that it reads from; then its age."""


class Draft:
    """The nodes of a graph in order, with the facts proven about its tensors.

    Args:
        graph: The original graph.
        tensors: The facts proven about each tensor.
        kept: Indices of nodes that aren't proved to run. They stay, so that inputs are refused as before.
        taken: Names that no new tensor may have.
        form: The form in which sizes are written.
    """

    def __init__(
        self,
        graph: Graph,
        tensors: Mapping[str, Tensor],
        kept: Collection[int] = (),
        taken: Iterable[str] = (),
        form: Form = PLAIN,
    ) -> None:
        self.graph, self.tensors, self.form = graph, dict(tensors), form
        self.version = graph.opsets.get("", 1)
        self.nodes: dict[Place, Node] = {(i, 0): node for i, node in enumerate(graph.nodes)}
        self.kept = {(i, 0) for i in kept}
        self.places = {name: place for place, node in self.nodes.items() for name in node.outputs if name}
        self.literals: dict[str, Literal] = {}
        self.log: list[Rewritten] = []
        self.renamed: dict[str, str] = {}
        self.readers: dict[str, list[Place]] = {}
        self.bodies: dict[Graph, Draft] = {}
        """Drafts of the graphs inside nodes: branches and bodies of loops."""
        self.moved: dict[Place, tuple[Graph, Node]] = {}
        """The nodes that came from branches, each with its graph and itself as they were in the file."""
        self._by_literal: dict[Literal, str] = {}
        self._taken = {*taken, *graph.inputs, *graph.literals, *self.places}
        self._inner = {name for node in graph.nodes for g in node.attributes.graphs for name in _defined_names(g)}
        self._ages = count(1)
        self._outputs = {*graph.outputs}
        self.index()

    def index(self) -> None:
        """Recompute which nodes read each tensor (`readers`)."""
        self.readers = {}
        for place, node in self.nodes.items():
            for name in self.reads(node):
                self.readers.setdefault(name, []).append(place)

    def put(self, place: Place, node: Node) -> None:
        """Put a node at a position, in place of any other."""
        self.remove(place)
        self.nodes[place] = node
        for name in self.reads(node):
            self.readers.setdefault(name, []).append(place)

    def remove(self, place: Place) -> None:
        """Remove the node at a position, if there is one."""
        node = self.nodes.pop(place, None)
        for name in () if node is None else self.reads(node):
            self.readers[name].remove(place)

    def sweep(self, places: Collection[Place] | None = None) -> None:
        """Remove the nodes whose outputs nothing reads: all such nodes, or only those at `places`."""
        for place in sorted(self.nodes.keys() if places is None else self.nodes.keys() & places, reverse=True):
            node = self.nodes[place]
            if place not in self.kept and not any(self.readers.get(o) or self.is_output(o) for o in node.outputs if o):
                self.remove(place)
                self.note("unused", node, "nothing reads it any more")

    def reads(self, node: Node) -> list[str]:
        """Return the tensors that a node needs, including those that graphs inside it read."""
        inner = [*chain.from_iterable(self.bodies.get(g, g).captures for g in node.attributes.graphs)]
        return [self.final(name) for name in (*node.inputs, *inner) if name]

    @property
    def captures(self) -> list[str]:
        """The tensors that the draft reads from the graph around it."""
        own = {*self.graph.inputs, *self.graph.literals, *self.literals, *self.places}
        reads = chain.from_iterable(map(self.reads, self.nodes.values()))
        return [name for name in dict.fromkeys((*reads, *self.graph.outputs)) if name not in own]

    def facts_of(self, name: str) -> Tensor:
        """Return the facts proven about a tensor; an unknown shape if there are none."""
        return self.tensors.get(name, UNKNOWN)

    def producer(self, name: str) -> Node | None:
        """Return the node that computes a tensor; None for an input or a constant."""
        return self.nodes.get(self.places.get(name, (-1, 0)))

    def operator(self, node: Node) -> str:
        """Return the name of a node's operator if it is ONNX's own; "" for any other operator.

        An operator of another domain, or a function of the model, may have the name of one of ONNX's.
        """
        return "" if node.domain or (node.domain, node.op) in self.graph.functions else node.op

    def final(self, name: str) -> str:
        """Return the tensor that replaced a tensor, or the tensor itself."""
        while name in self.renamed:
            name = self.renamed[name]
        return name

    def place(self, name: str) -> Place:
        """Return the position of a tensor's producer; an input or a constant comes before all nodes."""
        return self.places.get(name, (-1, 0))

    def is_output(self, name: str) -> bool:
        """Whether a tensor is an output of the graph."""
        return name in self._outputs

    # Changes

    def same(self, name: str, other: str) -> bool:
        """Let nodes read `other` in place of `name`, which has the same elements; return whether that was possible.

        An output of the graph keeps its name.
        """
        if self.place(other) >= self.place(name) or not {name, other}.isdisjoint(self._inner):
            return False
        if name in self._outputs:
            return self._rename_output(name, other)
        self._release(name)
        self._rename(name, other)
        return True

    def _rename_output(self, name: str, other: str) -> bool:
        """Let the producer of `other` compute the graph's output `name` instead, if nothing needs the name `other`."""
        place = self.place(other)
        maker = self.nodes.get(place)
        if maker is None or not {other, name}.isdisjoint(self._outputs - {name} | self._inner) or self._joint(name):
            return False
        self._release(name)
        self.nodes[place] = maker._replace(outputs=[name if o == other else o for o in maker.outputs])
        self.places[name] = self.places.pop(other)
        self._rename(other, name)
        return True

    def _rename(self, name: str, other: str) -> None:
        self.renamed[name] = other
        self.readers.setdefault(other, []).extend(self.readers.pop(name, ()))

    def _joint(self, name: str) -> bool:
        """Whether a tensor's producer has other outputs."""
        return len(self.nodes[self.places[name]].outputs) > 1

    def _release(self, name: str) -> None:
        """Remove the producer of a tensor that nothing needs, if it has no other output."""
        if not self._joint(name) and self.places[name] not in self.kept:
            self.remove(self.places.pop(name))

    def fold(self, name: str, literal: Literal) -> bool:
        """Replace a tensor by a constant; return whether that was possible."""
        if name not in self._outputs:
            return self.same(name, self.constant(literal, name))
        if self._joint(name):
            return False
        self._release(name)
        self.literals[name] = literal
        return True

    def constant(self, literal: Literal, like: str) -> str:
        """Return the name of a constant; the name of a new one begins with `like`."""
        if literal not in self._by_literal:
            name = self._by_literal[literal] = self.name(like)
            self.literals[name], self.tensors[name] = literal, from_literal(literal)
        return self._by_literal[literal]

    def add(self, op: str, inputs: Sequence[str], like: str, made: Tensor, **attributes: int) -> str:
        """Add a node after its inputs' producers and return its output's name; `made` has the facts about the output.

        The name is `like`, or `like.1`, `like.2` and so on if that is taken.
        """
        name = self.name(like)
        place = (max(self.place(i)[0] for i in inputs), next(self._ages))
        self.put(place, Node(op, "", name, [*inputs], [name], Attributes(attributes)))
        self.places[name], self.tensors[name] = place, made
        return name

    def original(self, place: Place) -> tuple[Graph, Node] | None:
        """Return the file's node at a position, changed or not, and its graph there; None for a new node."""
        return self.moved.get(place) if place[1] else (self.graph, self.graph.nodes[place[0]])

    def insert(self, place: Place, node: Node, original: tuple[Graph, Node] | None = None) -> None:
        """Put a node right after a position; `original` is the file's node and its graph, if it comes from a branch."""
        there = (place[0], next(self._ages))
        if original is not None:
            self.moved[there] = original
        self.put(there, node)
        self.places.update({name: there for name in node.outputs if name})

    def name(self, like: str) -> str:
        """Return an unused tensor name: `like`, or `like.1`, `like.2` and so on."""
        name = next(n for i in count() if (n := f"{like}.{i}" if i else like) not in self._taken)
        self._taken.add(name)
        return name

    @property
    def rewrites(self) -> list[Rewritten]:
        """The rewrites of the graph and of the graphs inside it."""
        return [*self.log, *chain.from_iterable(body.rewrites for body in self.bodies.values())]

    def note(self, rule: str, node: Node, reason: str) -> None:
        """Record that `rule` rewrote `node`, and the reason."""
        self.log.append(Rewritten(rule, node.name, node.op, reason))


def _defined_names(graph: Graph) -> Iterable[str]:
    """Yield the tensors that a graph and the graphs inside it define."""
    yield from (*graph.inputs, *graph.literals)
    for node in graph.nodes:
        yield from node.outputs
        for inner in node.attributes.graphs:
            yield from _defined_names(inner)
