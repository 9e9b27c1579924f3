"""The control flow of TensorFlow 1, switches and merges among ordinary nodes, as ONNX's `If` and `Loop`.

Frozen graphs have it to this day. The nodes of two branches are those between their `Merge` and the switches that let
one of them through; those of a loop, between its `Exit` and the nodes that enter it. Where they don't form such a
region, the nodes stay what they are, without a rule.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.frontends.tensorflow.bodies import Region, Scope
from shapesmt.frontends.tensorflow.body import Body, numbered
from shapesmt.frontends.tensorflow.flow import Carried, branching, choosing, looping
from shapesmt.graph import Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from shapesmt.frontends.tensorflow.protos import Proto
    from shapesmt.graph import Graph

__all__ = ["region"]

SWITCHES = ("Switch", "_SwitchN")


def region(scope: Scope, proto: Proto) -> Region | None:
    """What stands for the branches before a `Merge`, or the loop before an `Exit`."""
    if proto.op == "Exit":
        return _loop(scope, proto)
    return _branches(scope, proto) if proto.op == "Merge" else None


def _node(scope: Scope, reference: str, *operators: str) -> Proto:
    """The node that makes a tensor, None where it is of another operator."""
    proto = scope.protos.get(reference.lstrip("^").partition(":")[0])
    return proto if proto is not None and proto.op in operators else None


def _border(scope: Scope, references: Iterable[str], outside: Callable[[Proto], bool]) -> list[str]:
    """Backwards from some tensors, the first ones that come from `outside`."""
    found, seen, ahead = dict[str, None](), set[str](), [*references]
    while ahead:
        reference = ahead.pop()
        proto = scope.protos.get(reference.lstrip("^").partition(":")[0])
        if proto is None or proto.name in scope.made:
            continue
        if outside(proto):
            found[reference] = None
        elif proto.name not in seen:
            seen.add(proto.name)
            ahead += scope.needs(proto)
    return [*found]


# Branches


def _branches(scope: Scope, merge: Proto) -> Region | None:
    """`Merge`: one of several branches, each behind its side of the switches of one condition."""
    values = [reference for reference in merge.input if reference[:1] != "^"]
    borders = [_border(scope, [value], lambda p: _chooses(scope, p)) for value in values]
    gates = {p.name: p for border in borders for p in (_node(scope, r, *SWITCHES) for r in border) if p is not None}
    conditions = {_same(scope, switch.input[1]) for switch in gates.values()}
    sides = [{scope.parts(reference)[2] for reference in border} for border in borders]
    several = {switch.op for switch in gates.values()} == {"_SwitchN"}
    order = sorted(min(side, default=-1) for side in sides)
    if len(conditions) != 1 or any(len(side) != 1 for side in sides) or order != [*range(len(values))]:
        return None
    if not several and len(values) != 2:
        return None
    (condition,) = conditions

    def written() -> list[str]:
        label = scope.label(merge.name)
        count = len(values)
        given = {name: [scope.tensor(switch.input[0], switch)] * count for name, switch in gates.items()}
        graphs: dict[int, Graph] = {}
        for i, (value, (side,)) in enumerate(zip(values, sides, strict=True)):
            body, number = Body(), scope.library.unique(f"{label}.{i}")
            body.literals[number] = Literal("int32", (), (i,))
            made = scope.within(body, label, given).tensors([value])
            graphs[side] = body.graph(f"{label}.{side}", {}, [*made, number], scope.library.source)
        decides = scope.tensor(condition, merge)
        if several:
            return choosing(scope.body, label, decides, [graphs[i] for i in range(count)], scope.library)
        named = {"else_branch": graphs[0], "then_branch": graphs[1]}
        return branching(scope.body, label, decides, named, scope.library)

    return Region([condition, *(switch.input[0] for switch in gates.values())], written)


def _chooses(scope: Scope, proto: Proto) -> bool:
    """Whether it lets one of two branches through."""
    return proto.op in SWITCHES and len(proto.input) > 1 and _node(scope, proto.input[1], "LoopCond") is None


def _same(scope: Scope, reference: str) -> str:
    """The tensor of which one is a copy."""
    for _ in range(len(scope.protos)):
        proto = _node(scope, reference, "Identity")
        if proto is None or not proto.input:
            break
        reference = proto.input[0]
    return reference


# Loops


class _Variable(NamedTuple):
    """What a loop carries: where it starts, what a trip leaves, and the nodes that hand it on."""

    merge: str
    switch: str
    start: str
    left: str


def _loop(scope: Scope, proto: Proto) -> Region | None:
    """`Exit`: what a loop has carried to its end."""
    switch = _node(scope, proto.input[0], "Switch") if proto.input else None
    if switch is None or not switch.input:
        return None
    goes_on = _node(scope, switch.input[-1], "LoopCond")
    if goes_on is None:
        return None
    if goes_on.name not in scope.loops:
        scope.loops[goes_on.name] = None  # until it is known
        scope.loops[goes_on.name] = _whole(scope, goes_on)
    loop = scope.loops[goes_on.name]
    index = [p.name for p in scope.after[goes_on.name]].index(switch.name)
    return None if loop is None else Region(loop.needs, lambda: [loop.written()[index]])


def _whole(scope: Scope, goes_on: Proto) -> Region | None:
    """A loop, which goes on as long as a condition holds."""
    variables = [_variable(scope, switch) for switch in scope.after[goes_on.name]]
    found = [v for v in variables if v is not None]
    if len(found) < len(variables) or not goes_on.input:
        return None
    own = {name for v in found for name in (v.merge, v.switch)}
    inside = [goes_on.input[0], *(v.left for v in found)]
    border = [_node(scope, r, "Enter") for r in _border(scope, inside, lambda p: p.op == "Enter" or p.name in own)]
    entered = [node.input[0] for node in border if node is not None and node.input]
    return Region([*entered, *(v.start for v in found)], cache(lambda: _written(scope, goes_on, found)))


def _variable(scope: Scope, switch: Proto) -> _Variable | None:
    """One of the tensors that a loop carries."""
    merge = _node(scope, switch.input[0], "Merge") if switch.op == "Switch" else None
    ends = [] if merge is None else merge.input[:2]
    enter, again = (
        next((node for r in ends if (node := _node(scope, r, op)) is not None), None)
        for op in ("Enter", "NextIteration")
    )
    if merge is None or enter is None or again is None or not enter.input or not again.input:
        return None
    return _Variable(merge.name, switch.name, enter.input[0], again.input[0])


def _written(scope: Scope, goes_on: Proto, variables: Sequence[_Variable]) -> list[str]:
    """A loop; what it leaves of each variable."""
    library, label, body = scope.library, scope.label(goes_on.name), Body()
    starts = [scope.tensor(v.start) for v in variables]
    named = list(zip(variables, numbered(label, len(variables)), strict=True))
    inner = [library.unique(f"{label}.{i}") for i in range(len(variables))]

    def condition(where: Body, given: Sequence[str]) -> str:
        merges = {v.merge: [name] for v, name in zip(variables, given, strict=True)}
        return scope.within(where, label, merges).tensors([goes_on.input[0]])[0]

    given = {v.merge: [name] for v, name in zip(variables, inner, strict=True)}
    given |= {v.switch: ["", name] for v, name in zip(variables, inner, strict=True)}
    left = scope.within(body, label, given).tensors([v.left for v in variables])
    first, again = condition(scope.body, starts), condition(body, left)
    ends = {v.switch: p.name for v in variables for p in scope.after.get(v.switch, ()) if p.op == "Exit"}
    made = [scope.label(ends[v.switch]) if v.switch in ends else library.unique(name) for v, name in named]
    looping(scope, label, body, (first, again), Carried(starts, inner, left, made))
    return made
