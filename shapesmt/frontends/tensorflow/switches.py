"""Convert the control flow of TensorFlow 1, `Switch` and `Merge` among ordinary nodes, to ONNX's `If` and `Loop`.

Frozen graphs still have it. The nodes between a `Merge` and the `Switch` nodes of one condition are its branches; the
nodes between an `Exit` and the `Enter` nodes before it are a loop. Nodes that don't form such a region stay as they
are, without a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from shapesmt.frontends.tensorflow.bodies import Region, Scope
from shapesmt.frontends.tensorflow.body import Body, output_names
from shapesmt.frontends.tensorflow.flow import Carried, branching, choosing, looping
from shapesmt.frontends.tensorflow.protos import Proto
from shapesmt.network.graph import Graph, Literal

SWITCHES = ("Switch", "_SwitchN")


def region(scope: Scope, proto: Proto) -> Region | None:
    """Return the branches before a `Merge`, or the loop before an `Exit`, as a region that becomes one ONNX node."""
    if proto.op == "Exit":
        return _loop(scope, proto)
    return _branches(scope, proto) if proto.op == "Merge" else None


def _node(scope: Scope, reference: str, *operators: str) -> Proto:
    """Return the node that a reference names; None if it has another operator."""
    proto = scope.protos.get(reference.lstrip("^").partition(":")[0])
    return proto if proto is not None and proto.op in operators else None


def _border(scope: Scope, references: Iterable[str], outside: Callable[[Proto], bool]) -> list[str]:
    """Return the first tensors from `outside` nodes on the paths backwards from some tensors."""
    border, seen, ahead = dict[str, None](), set[str](), [*references]
    while ahead:
        reference = ahead.pop()
        proto = scope.protos.get(reference.lstrip("^").partition(":")[0])
        if proto is None or proto.name in scope.converted:
            continue
        if outside(proto):
            border[reference] = None
        elif proto.name not in seen:
            seen.add(proto.name)
            ahead += scope.needs(proto)
    return [*border]


# Branches


def _branches(scope: Scope, merge: Proto) -> Region | None:
    """Return the region before a `Merge`: branches that each read one output of the `Switch` nodes of one condition."""
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
        outputs = {name: [scope.tensor(switch.input[0], switch)] * count for name, switch in gates.items()}
        graphs: dict[int, Graph] = {}
        for i, (value, (side,)) in enumerate(zip(values, sides, strict=True)):
            body, number = Body(), scope.library.unique(f"{label}.{i}")
            body.literals[number] = Literal("int32", (), (i,))
            results = scope.within(body, label, outputs).tensors([value])
            graphs[side] = body.graph(f"{label}.{side}", {}, [*results, number], scope.library.source)
        decides = scope.tensor(condition, merge)
        if several:
            return choosing(scope.body, label, decides, [graphs[i] for i in range(count)], scope.library)
        named = {"else_branch": graphs[0], "then_branch": graphs[1]}
        return branching(scope.body, label, decides, named, scope.library)

    return Region([condition, *(switch.input[0] for switch in gates.values())], written)


def _chooses(scope: Scope, proto: Proto) -> bool:
    """Whether a node is the `Switch` of a branch, not of a loop."""
    return proto.op in SWITCHES and len(proto.input) > 1 and _node(scope, proto.input[1], "LoopCond") is None


def _same(scope: Scope, reference: str) -> str:
    """Return the tensor that `Identity` nodes copy to this one."""
    for _ in range(len(scope.protos)):
        proto = _node(scope, reference, "Identity")
        if proto is None or not proto.input:
            break
        reference = proto.input[0]
    return reference


# Loops


class _Variable(NamedTuple):
    """A loop-carried tensor."""

    merge: str
    """The `Merge` of the initial value and the value from the previous iteration."""
    switch: str
    """The `Switch` that passes it to the body or to the `Exit`."""
    start: str
    """The initial value."""
    result: str
    """The value at the end of an iteration."""


def _loop(scope: Scope, proto: Proto) -> Region | None:
    """Return the region before an `Exit`, which gives the final value of a loop-carried tensor."""
    switch = _node(scope, proto.input[0], "Switch") if proto.input else None
    if switch is None or not switch.input:
        return None
    goes_on = _node(scope, switch.input[-1], "LoopCond")
    if goes_on is None:
        return None
    if goes_on.name not in scope.loops:
        scope.loops[goes_on.name] = None  # while the search runs
        scope.loops[goes_on.name] = _whole(scope, goes_on)
    loop = scope.loops[goes_on.name]
    index = [p.name for p in scope.after[goes_on.name]].index(switch.name)
    return None if loop is None else Region(loop.needs, lambda: [loop.written()[index]])


def _whole(scope: Scope, goes_on: Proto) -> Region | None:
    """Return the region of a whole loop with a condition (`LoopCond`)."""
    variables = [_variable(scope, switch) for switch in scope.after[goes_on.name]]
    complete = [v for v in variables if v is not None]
    if len(complete) < len(variables) or not goes_on.input:
        return None
    own = {name for v in complete for name in (v.merge, v.switch)}
    inside = [goes_on.input[0], *(v.result for v in complete)]
    border = [_node(scope, r, "Enter") for r in _border(scope, inside, lambda p: p.op == "Enter" or p.name in own)]
    entered = [node.input[0] for node in border if node is not None and node.input]
    return Region([*entered, *(v.start for v in complete)], cache(lambda: _add_loop(scope, goes_on, complete)))


def _variable(scope: Scope, switch: Proto) -> _Variable | None:
    """Return the loop-carried tensor of a `Switch`; None if its nodes aren't those of a loop."""
    merge = _node(scope, switch.input[0], "Merge") if switch.op == "Switch" else None
    ends = [] if merge is None else merge.input[:2]
    enter, again = (
        next((node for r in ends if (node := _node(scope, r, op)) is not None), None)
        for op in ("Enter", "NextIteration")
    )
    if merge is None or enter is None or again is None or not enter.input or not again.input:
        return None
    return _Variable(merge.name, switch.name, enter.input[0], again.input[0])


def _add_loop(scope: Scope, goes_on: Proto, variables: Sequence[_Variable]) -> list[str]:
    """Add a loop to the scope's body, and return the final value of each loop-carried tensor."""
    library, label, body = scope.library, scope.label(goes_on.name), Body()
    starts = [scope.tensor(v.start) for v in variables]
    named = list(zip(variables, output_names(label, len(variables)), strict=True))
    inner = [library.unique(f"{label}.{i}") for i in range(len(variables))]

    def condition(where: Body, tensors: Sequence[str]) -> str:
        merges = {v.merge: [name] for v, name in zip(variables, tensors, strict=True)}
        return scope.within(where, label, merges).tensors([goes_on.input[0]])[0]

    tensors = {v.merge: [name] for v, name in zip(variables, inner, strict=True)}
    tensors |= {v.switch: ["", name] for v, name in zip(variables, inner, strict=True)}
    results = scope.within(body, label, tensors).tensors([v.result for v in variables])
    first, again = condition(scope.body, starts), condition(body, results)
    ends = {v.switch: p.name for v in variables for p in scope.after.get(v.switch, ()) if p.op == "Exit"}
    outputs = [scope.label(ends[v.switch]) if v.switch in ends else library.unique(name) for v, name in named]
    looping(scope, label, body, (first, again), Carried(starts, inner, results, outputs))
    return outputs
