"""The loops of OpenVINO's IR, `Loop` and `TensorIterator`, as ONNX's `Loop`.

What the trips share, the body reads from outside. A slice that a trip is given becomes a node in the body, the slices
that trips make are stacked by ONNX's loop and joined behind it. Of an axis of which only a part is gone through, that
part is cut out before. Loops that write only parts of an axis stay what they are, without a rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from shapesmt.graph import Attributes, Declared, Graph, Literal, Node

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree.ElementTree import Element

__all__ = ["Host", "unrolled"]

_SETTINGS = {"axis": "0", "start": "0", "end": "-1", "stride": "1", "part_size": "1"}


class Host(Protocol):
    """The file that a loop stands in."""

    def unique(self, name: str) -> str:
        """A name like it that nothing has yet."""

    def body(self, root: Element, given: Mapping[str, str]) -> tuple[Graph, dict[str, str]]:
        """The net inside, whose parameters are the given tensors, and what its results are, by their layers."""


@dataclass
class _Loop:
    """What is collected of one loop."""

    counted: bool
    given: dict[str, str] = field(default_factory=dict)
    starts: list[str] = field(default_factory=list)
    carried: dict[str, str] = field(default_factory=dict)
    """The results that are carried on, by their layers, and the names that the body has for what they were."""
    before: list[Node] = field(default_factory=list)
    prologue: list[Node] = field(default_factory=list)
    literals: dict[str, Literal] = field(default_factory=dict)
    sliced: list[tuple[str, int, int]] = field(default_factory=list)


def unrolled(
    host: Host, name: str, xml: Element, inputs: Sequence[str], outputs: Sequence[str], domain: str, *, counted: bool
) -> list[Node] | None:
    """The nodes of a loop, None where it is one that ONNX's can't be.

    Args:
        host: The file.
        name: The layer's.
        xml: The layer.
        inputs: The tensors that it reads.
        outputs: Those that it makes.
        domain: Of the nodes that are OpenVINO's own.
        counted: Whether the first inputs are a number of trips and a condition.
    """
    root, ports = xml.find("body"), xml.find("port_map")
    if (
        root is None
        or ports is None
        or len(inputs) < 2 * counted
        or not all(_whole(p) if p.tag == "output" else _even(p) for p in ports if p.get("axis") is not None)
    ):
        return None
    fed = dict(zip((p.get("id") for p in xml.findall("input/port")), inputs, strict=True))
    trip, going = host.unique(f"{name}.trip"), host.unique(f"{name}.going")
    loop = _Loop(counted)
    for port in ports.findall("input"):
        if not _read(host, loop, port, fed, trip, xml, name, domain):
            return None
    body, results = host.body(root, loop.given)
    wanted = {p.get("external_port_id"): p for p in ports.findall("output")}
    condition = next((p for p in ports.findall("output") if p.get("purpose") == "execution_condition"), None)
    made = [wanted.get(p.get("id")) for p in xml.findall("output/port")]
    lasting, scans, epilogue = dict.fromkeys(loop.carried, ""), dict[str, str](), list[Node]()
    for entry, tensor in zip(made, outputs, strict=True):
        number = "" if entry is None else entry.get("internal_layer_id", "")
        if entry is not None and entry.get("axis") is not None and number in results:
            scans[number] = scans.get(number) or host.unique(f"{name}.stacked")
            joined = Attributes({"axis": int(entry.get("axis", "0"))})
            epilogue.append(Node("LoopJoined", domain, f"{name}.joined", [scans[number]], [tensor], joined))
        elif lasting.get(number) == "":
            lasting[number] = tensor
        else:
            return None
    if not lasting.keys() <= results.keys() or body.inputs or (not loop.sliced and not counted):
        return None
    lasting = {number: tensor or host.unique(f"{name}.{number}") for number, tensor in lasting.items()}
    stop = results.get(condition.get("internal_layer_id", ""), going) if condition is not None else going
    types = {trip: Declared("int64", ()), going: Declared("bool", ())}
    body = replace(
        body,
        inputs={**types, **dict.fromkeys(loop.carried.values(), Declared("", None))},
        outputs=[stop, *(results[number] for number in (*lasting, *scans))],
        nodes=[*loop.prologue, *body.nodes],
        literals={**body.literals, **loop.literals},
    )
    trips = host.unique(f"{name}.trips")
    source, axis, size = ("", 0, 1) if counted else loop.sliced[0]
    settings = Attributes({"axis": axis, "part_size": size})
    counting = Node("LoopTrips", domain, trips, [inputs[0] if counted else "", source], [trips], settings)
    reads = [trips, inputs[1] if counted else "", *loop.starts]
    writes = [*lasting.values(), *scans.values()]
    return [*loop.before, counting, Node("Loop", "", name, reads, writes, Attributes({"body": body})), *epilogue]


def _even(port: Element) -> bool:
    """Whether an axis is gone through in slices that touch."""
    settings = [port.get(name, default) for name, default in _SETTINGS.items()]
    if not all(re.fullmatch("-?[0-9]{1,9}", text) for text in settings):
        return False
    size, stride = int(port.get("part_size", "1")), int(port.get("stride", "1"))
    return size > 0 and abs(stride) == size


def _whole(port: Element) -> bool:
    """Whether an axis is gone through from one end to the other."""
    ends = (port.get("start"), port.get("end"))
    return _even(port) and ends == (("-1", "0") if port.get("stride", "1").startswith("-") else ("0", "-1"))


def _read(
    host: Host,
    loop: _Loop,
    port: Element,
    fed: Mapping[str | None, str],
    trip: str,
    xml: Element,
    name: str,
    domain: str,
) -> bool:
    """One parameter of the body: the trip's number, a slice, what the last trip left, or a tensor from outside."""
    number, source = port.get("internal_layer_id", ""), fed.get(port.get("external_port_id"), "")
    back = {e.get("to-layer"): e.get("from-layer", "") for e in xml.iterfind("back_edges/edge")}
    inner = host.unique(f"{name}.{number}")
    if port.get("purpose") == "current_iteration":
        axes = host.unique(f"{name}.axes")
        loop.literals[axes] = Literal("int64", (1,), (0,))
        layers = {x.get("id"): x.find("data[@shape='']") for x in xml.iterfind("body/layers/layer")}
        scalar = layers.get(number) is not None
        reads = [trip] if scalar else [trip, axes]
        loop.prologue.append(Node("Identity" if scalar else "Unsqueeze", "", inner, reads, [inner]))
    elif not source:
        return False
    elif port.get("axis") is not None:
        axis, size = int(port.get("axis", "0")), int(port.get("part_size", "1"))
        settings = Attributes({"axis": axis, "part_size": size})
        if not _whole(port):
            cut = {setting: int(port.get(setting, default)) for setting, default in _SETTINGS.items()}
            whole, source = source, host.unique(f"{name}.part")
            loop.before.append(Node("LoopPart", domain, source, [whole], [source], Attributes(cut)))
        loop.sliced.append((source, axis, size))
        loop.prologue.append(Node("LoopSlice", domain, inner, [source, trip], [inner], settings))
    elif number in back:
        loop.carried[back[number]] = given = inner if loop.counted else host.unique(f"{name}.{number}")
        loop.starts.append(source)
        if not loop.counted:  # the state of a TensorIterator keeps its shape
            loop.prologue.append(Node("LoopCarried", domain, inner, [source, given], [inner]))
    else:
        inner = source
    loop.given[number] = inner
    return True
