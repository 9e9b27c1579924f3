"""Convert the loops of OpenVINO's IR, `Loop` and `TensorIterator`, to ONNX's `Loop`.

The body reads tensors that don't change between iterations from the enclosing graph. A slice of an input that an
iteration reads becomes a `LoopSlice` node in the body; slices that iterations return are stacked by ONNX's `Loop` and
concatenated by a `LoopJoined` node after it. If the loop covers only a part of an axis, a `LoopPart` node before it
cuts out that part. A loop that writes only a part of an axis is not converted and has no rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from shapesmt.network.graph import Attributes, Declared, Graph, Literal, Node

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SETTINGS = {"axis": "0", "start": "0", "end": "-1", "stride": "1", "part_size": "1"}


class Host(Protocol):
    """The part of a file's reader that loops use."""

    def unique(self, name: str) -> str:
        """Return the name itself if it is free, else with a number appended."""

    def body(self, root: Element, outer: Mapping[str, str]) -> tuple[Graph, dict[str, str]]:
        """Return a loop's body as a graph, and its outputs by their layers; `outer` has its parameters' tensors."""


def as_onnx_loop(
    host: Host, name: str, xml: Element, inputs: Sequence[str], outputs: Sequence[str], domain: str, *, counted: bool
) -> list[Node] | None:
    """Return the nodes that replace a loop, ONNX's `Loop` among them; None if ONNX's `Loop` can't express it.

    Args:
        host: The reader of the file.
        name: The layer's name.
        xml: The layer.
        inputs: Its input tensors.
        outputs: Its output tensors.
        domain: The domain of nodes such as `LoopSlice`.
        counted: Whether the first inputs are a number of iterations and a condition (`Loop`).
    """
    root, ports = xml.find("body"), xml.find("port_map")
    if root is None or ports is None or len(inputs) < 2 * counted or not all(map(_is_supported, ports)):
        return None
    loop = _Loop(host, name, xml, domain, counted)
    tensors_by_port = dict(zip((p.get("id") for p in xml.findall("input/port")), inputs, strict=True))
    if not all(loop.read(port, tensors_by_port) for port in ports.findall("input")):
        return None
    body, results = host.body(root, loop.parameters)
    if not loop.write(ports, results, outputs) or body.inputs or (not loop.sliced and not counted):
        return None
    return loop.nodes(loop.body(ports, body, results), inputs)


@dataclass
class _Loop:
    """A loop while it is converted."""

    host: Host
    name: str
    xml: Element
    domain: str
    counted: bool
    parameters: dict[str, str] = field(default_factory=dict)
    """The tensor that each parameter of the body reads, by the parameter's layer."""
    starts: list[str] = field(default_factory=list)
    """The initial values of the loop-carried tensors."""
    carried: dict[str, str] = field(default_factory=dict)
    """The loop-carried tensors: by the layer of the result, the body's input with the previous iteration's value."""
    lasting: dict[str, str] = field(default_factory=dict)
    """The output of the loop with the final value of each loop-carried tensor, by the layer of the result."""
    scans: dict[str, str] = field(default_factory=dict)
    """The output of the loop that stacks the slices of all iterations, by the layer of the result."""
    before: list[Node] = field(default_factory=list)
    """Nodes before the loop."""
    prologue: list[Node] = field(default_factory=list)
    """Nodes at the start of the body."""
    epilogue: list[Node] = field(default_factory=list)
    """Nodes after the loop."""
    literals: dict[str, Literal] = field(default_factory=dict)
    sliced: list[tuple[str, int, int]] = field(default_factory=list)
    """The inputs that are read slice by slice: tensor, axis, size of a slice."""

    def __post_init__(self) -> None:
        self.trip = self.host.unique(f"{self.name}.trip")
        self.going = self.host.unique(f"{self.name}.going")

    def read(self, port: Element, fed: Mapping[str | None, str]) -> bool:
        """Convert a parameter of the body, and return False if nothing is connected to it.

        It is the iteration's number, a slice of an input, a loop-carried tensor, or a tensor of the enclosing graph.
        """
        number, source = port.get("internal_layer_id", ""), fed.get(port.get("external_port_id"), "")
        back = {e.get("to-layer"): e.get("from-layer", "") for e in self.xml.iterfind("back_edges/edge")}
        inner = self.host.unique(f"{self.name}.{number}")
        if port.get("purpose") == "current_iteration":
            self._read_trip(number, inner)
        elif not source:
            return False
        elif port.get("axis") is not None:
            self._read_slice(port, source, inner)
        elif number in back:
            self._read_state(back[number], source, inner)
        else:
            inner = source
        self.parameters[number] = inner
        return True

    def _read_trip(self, number: str, inner: str) -> None:
        axes = self.host.unique(f"{self.name}.axes")
        self.literals[axes] = Literal("int64", (1,), (0,))
        layers = {x.get("id"): x.find("data[@shape='']") for x in self.xml.iterfind("body/layers/layer")}
        scalar = layers.get(number) is not None
        reads = [self.trip] if scalar else [self.trip, axes]
        self.prologue.append(Node("Identity" if scalar else "Unsqueeze", "", inner, reads, [inner]))

    def _read_slice(self, port: Element, source: str, inner: str) -> None:
        axis, size = int(port.get("axis", "0")), int(port.get("part_size", "1"))
        if not _whole(port):
            cut = {setting: int(port.get(setting, default)) for setting, default in _SETTINGS.items()}
            whole, source = source, self.host.unique(f"{self.name}.part")
            self.before.append(Node("LoopPart", self.domain, source, [whole], [source], Attributes(cut)))
        self.sliced.append((source, axis, size))
        settings = Attributes({"axis": axis, "part_size": size})
        self.prologue.append(Node("LoopSlice", self.domain, inner, [source, self.trip], [inner], settings))

    def _read_state(self, result: str, source: str, inner: str) -> None:
        self.carried[result] = before = inner if self.counted else self.host.unique(inner)
        self.starts.append(source)
        if not self.counted:  # the state of a TensorIterator keeps its shape
            self.prologue.append(Node("LoopCarried", self.domain, inner, [source, before], [inner]))

    def write(self, ports: Element, results: Mapping[str, str], outputs: Sequence[str]) -> bool:
        """Convert the loop's outputs, stacked slices or final values; return False if one is neither."""
        entries_by_port = {p.get("external_port_id"): p for p in ports.findall("output")}
        entries = [entries_by_port.get(p.get("id")) for p in self.xml.findall("output/port")]
        self.lasting = dict.fromkeys(self.carried, "")
        for entry, tensor in zip(entries, outputs, strict=True):
            number = "" if entry is None else entry.get("internal_layer_id", "")
            if entry is not None and entry.get("axis") is not None and number in results:
                stacked = self.scans[number] = self.scans.get(number) or self.host.unique(f"{self.name}.stacked")
                joined = Attributes({"axis": int(entry.get("axis", "0"))})
                name = f"{self.name}.joined"
                self.epilogue.append(Node("LoopJoined", self.domain, name, [stacked], [tensor], joined))
            elif self.lasting.get(number) == "":
                self.lasting[number] = tensor
            else:
                return False
        unread = {number: self.host.unique(f"{self.name}.{number}") for number, t in self.lasting.items() if not t}
        self.lasting.update(unread)
        return self.lasting.keys() <= results.keys()

    def body(self, ports: Element, body: Graph, results: Mapping[str, str]) -> Graph:
        """Return the body of ONNX's `Loop`: iteration, condition and states in; condition, states and slices out."""
        condition = next((p for p in ports.findall("output") if p.get("purpose") == "execution_condition"), None)
        number = "" if condition is None else condition.get("internal_layer_id", "")
        types = {self.trip: Declared("int64", ()), self.going: Declared("bool", ())}
        return replace(
            body,
            inputs={**types, **dict.fromkeys(self.carried.values(), Declared("", None))},
            outputs=[results.get(number, self.going), *(results[n] for n in (*self.lasting, *self.scans))],
            nodes=[*self.prologue, *body.nodes],
            literals={**body.literals, **self.literals},
        )

    def nodes(self, body: Graph, inputs: Sequence[str]) -> list[Node]:
        """Return the loop with the nodes before and after it."""
        trips = self.host.unique(f"{self.name}.trips")
        source, axis, size = ("", 0, 1) if self.counted else self.sliced[0]
        settings = Attributes({"axis": axis, "part_size": size})
        counting = Node("LoopTrips", self.domain, trips, [inputs[0] if self.counted else "", source], [trips], settings)
        reads = [trips, inputs[1] if self.counted else "", *self.starts]
        writes = [*self.lasting.values(), *self.scans.values()]
        loop = Node("Loop", "", self.name, reads, writes, Attributes({"body": body}))
        return [*self.before, counting, loop, *self.epilogue]


def _is_supported(port: Element) -> bool:
    """Whether ONNX's `Loop` can express a port: slices have no gaps, and written ones cover the whole axis."""
    return port.get("axis") is None or (_whole(port) if port.tag == "output" else _even(port))


def _even(port: Element) -> bool:
    """Whether the slices of successive iterations adjoin, without gaps or overlaps."""
    settings = [port.get(name, default) for name, default in _SETTINGS.items()]
    if not all(re.fullmatch("-?[0-9]{1,9}", text) for text in settings):
        return False
    size, stride = int(port.get("part_size", "1")), int(port.get("stride", "1"))
    return size > 0 and abs(stride) == size


def _whole(port: Element) -> bool:
    """Whether the slices cover the whole axis."""
    ends = (port.get("start"), port.get("end"))
    return _even(port) and ends == (("-1", "0") if port.get("stride", "1").startswith("-") else ("0", "-1"))
