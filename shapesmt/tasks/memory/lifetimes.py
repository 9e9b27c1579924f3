"""Lifetimes: the nodes from which and to which a buffer is held, and the tensors that share it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from shapesmt.network.graph import Node
from shapesmt.operators.rules import Memory, Traits
from shapesmt.prover.algebra import Dim

Size = Callable[[str], Dim | None]
Known = Callable[[Node], Traits]


class Mode(str, Enum):
    """The tensors that share a buffer.

    Attributes:
        LIVE: None; each tensor has its own buffer.
        ALIAS: The input and the output of an operator that only changes the view (`Reshape`).
        INPLACE: These, and operators that can write to the buffer of an input that nothing reads later.
    """

    LIVE = "live"
    ALIAS = "alias"
    INPLACE = "inplace"


class Buffer(NamedTuple):
    """The buffer of a tensor, and of those that share it, from the first node that needs it to the last."""

    tensor: str
    first: int
    last: int
    size: Dim


class Held(NamedTuple):
    """The buffers that nodes hold, and the tensors whose bytes aren't known."""

    buffers: list[Buffer]
    unknown: list[str]


def buffer_lifetimes(
    nodes: Sequence[Node],
    outputs: Collection[str],
    size: Size,
    traits: Known,
    mode: Mode = Mode.LIVE,
    carried: Sequence[str] = (),
) -> Held:
    """Return the buffers of the tensors that nodes compute, in order of their first node.

    A tensor is held from the node that computes it to the last one that reads it, an output to the end. `carried` are
    inputs that are held all the time. Other tensors that aren't computed here, and constants, aren't counted. `traits`
    says which operators share buffers.
    """
    memory = [traits(node).memory for node in nodes]
    computed = [() if memory[i] is Memory.MODEL else node.outputs for i, node in enumerate(nodes)]
    made = {name: i for i, names in enumerate(computed) for name in names if name}
    made.update(dict.fromkeys(carried, 0))
    last = dict(made)
    last.update((name, i) for i, node in enumerate(nodes) for name in node.reads)
    last.update(dict.fromkeys((*outputs, *carried), len(nodes)))
    sizes = {name: size(name) for name in made}
    unknown = [name for name, bytes_ in sizes.items() if bytes_ is None]
    if mode is Mode.LIVE:
        groups = [[name] for name in made]
    else:
        groups = _Sharing(outputs, sizes, last, carried, mode).groups(nodes, memory)
    buffers = [_buffer(group, made, last, sizes) for group in groups]
    return Held(sorted(filter(None, buffers), key=lambda b: b.first), unknown)


def _buffer(
    group: Sequence[str], made: Mapping[str, int], last: Mapping[str, int], sizes: Mapping[str, Dim | None]
) -> Buffer | None:
    """Return the buffer that the tensors in `group` share; None if its bytes aren't known.

    `made` has the index of the node that computes each tensor, `last` that of its last reader.
    """
    size = sizes[group[0]]
    return None if size is None else Buffer(group[0], made[group[0]], max(last[name] for name in group), size)


class _Sharing:
    """The groups of tensors that share a buffer; an output of the graph has one of its own."""

    def __init__(
        self,
        outputs: Collection[str],
        sizes: Mapping[str, Dim | None],
        last: Mapping[str, int],
        carried: Sequence[str],
        mode: Mode,
    ) -> None:
        self._outputs, self._sizes, self._last, self._mode = outputs, sizes, last, mode
        self._group_of = {name: [name] for name in carried}

    def groups(self, nodes: Sequence[Node], memory: Sequence[Memory]) -> list[list[str]]:
        """Return the groups of tensors that share a buffer, each beginning with the tensor that allocates it."""
        for i, node in enumerate(nodes):
            for name in filter(None, () if memory[i] is Memory.MODEL else node.outputs):
                source = self._source(node, memory[i], i, name)
                if source is None:
                    self._group_of[name] = [name]
                elif source in self._group_of:  # otherwise it is a view of a tensor that isn't counted here
                    self._group_of[name] = self._group_of[source]
                    self._group_of[name].append(name)
        return [*{id(group): group for group in self._group_of.values()}.values()]

    def _source(self, node: Node, memory: Memory, index: int, name: str) -> str | None:
        """Return the tensor whose buffer an output of a node takes; None if it needs its own."""
        if name != node.outputs[0] or name in self._outputs:
            return None
        if memory is Memory.VIEW:
            return node.inputs[0]
        if self._mode is not Mode.INPLACE or self._sizes[name] is None:
            return None
        over = {Memory.ELEMENTWISE: node.inputs, Memory.OVER_FIRST: node.inputs[:1]}.get(memory, ())
        return next((read for read in over if self._free(read, index, name)), None)

    def _free(self, read: str, index: int, name: str) -> bool:
        """Whether node `index` can write output `name` to the buffer of input `read`: equal size, no later reader."""
        group = self._group_of.get(read)
        if not group or self._sizes[group[0]] is not self._sizes[name]:
            return False
        return all(self._last[t] <= index and t not in self._outputs for t in group)
