"""Inside: the states of the outputs of a node that runs graphs, such as a branch or the body of a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from shapesmt.analysis.samples.states import SHARED, Batch, Site, State, States, unknown, worst
from shapesmt.network.graph import Node
from shapesmt.operators.rules import Body, Elements, Runs, Shape, Tensor, position, positions
from shapesmt.prover.algebra import (
    TRUE,
    ZERO,
    Atom,
    Dim,
    Formula,
    Kind,
    all_of,
    atom_of,
    implies,
    of_atom,
    substitute,
    symbol,
)

ROUNDS = 8  # walks along a loop's body until the states of carried tensors are the same


class Walks(Protocol):
    """Finds the states of tensors, for one batch."""

    @property
    def batch(self) -> Batch:
        """The batch."""

    def nodes(
        self,
        nodes: Sequence[Node],
        tensors: Mapping[str, Tensor],
        bodies: Mapping[int, tuple[Body, ...]],
        states: States,
        path: str = "",
    ) -> None:
        """Add the states of the outputs of nodes, in order; `bodies` are the runs of nodes inside them, by index."""


class Nested(NamedTuple):
    """A node that runs graphs, with the states of its inputs and of the tensors around it."""

    walk: Walks
    node: Node
    tensors: Mapping[str, Tensor]
    bodies: Sequence[Body]
    states: States
    known: Sequence[State]
    site: Site

    @property
    def batch(self) -> Batch:
        """The batch."""
        return self.walk.batch

    def inside(self, body: Body, given: Mapping[str, State]) -> States:
        """Return the states of the tensors of a graph inside the node; `given` are those of its inputs."""
        captured = {name: self.states[name] for name in self.node.attributes.captures if name in self.states}
        inner = {**captured, **{name: s for name, s in given.items() if s is not SHARED}}
        for name in given:
            if given[name] is SHARED:
                inner.pop(name, None)
        label = f"{body.label}/" if body.label else ""
        self.walk.nodes(body.nodes, body.tensors, body.inner, inner, f"{self.site.path}/{label}")
        return inner


def run(nested: Nested, how: Runs) -> list[State]:
    """Return the states of the outputs of a node that runs graphs."""
    find = {Runs.BRANCH: _branches, Runs.LOOP: _loop, Runs.SCAN: _scan}.get(how, _lost)
    states = find(nested) if nested.bodies else _lost(nested)
    states += [unknown(nested.site)] * (len(nested.node.outputs) - len(states))
    return [_fitting(nested, name, state) for name, state in zip(nested.node.outputs, states, strict=False)]


def _fitting(nested: Nested, name: str, state: State) -> State:
    """Return the state of an output, which is mixed if no axis of it is split."""
    t = nested.tensors.get(name)
    if state.sample is None or state is SHARED or t is None:
        return state
    split = None if t.shape is None else nested.batch.split(state.sample, t.shape, state.holds)
    return state if split is not None else nested.batch.mixed(nested.site)


def _lost(nested: Nested) -> list[State]:
    return [unknown(nested.site)] * len(nested.node.outputs)


# Branches


def _branches(nested: Nested) -> list[State]:
    """Return the states of the outputs of branches; if samples decide which one runs, all of them are mixed."""
    condition = nested.known[0]
    if condition is not SHARED:
        lost = worst([condition])
        state = lost or nested.batch.mixed(nested.site)
        return [state] * len(nested.node.outputs)
    ways = []
    for body in nested.bodies:
        inner = nested.inside(body, {})
        ways.append((body.runs, [inner.get(name, SHARED) for name in body.outputs]))
    return [
        _either([(runs, states[k]) for runs, states in ways], nested)
        for k in range(min(len(nested.node.outputs), *(len(states) for _, states in ways)))
    ]


def _either(ways: Sequence[tuple[Formula, State]], nested: Nested) -> State:
    """Return the state of an output that has one of these states, each under a condition."""
    states = [s for _, s in ways]
    if all(s is states[0] for s in states):
        return states[0]
    open_ = [s for s in states if not s.known]
    if open_:
        return open_[0]
    samples = list(dict.fromkeys(s.sample for s in states if s.sample is not None and s is not SHARED))
    if not samples:
        return worst(states) or SHARED
    chosen, batch = samples[0], nested.batch
    right = [s.holds if s.sample in (chosen, ZERO) else batch.single for s in states]
    holds = all_of(*(implies(runs, f) for (runs, _), f in zip(ways, right, strict=True)))
    sites = [s.site for s in states if s.site is not None]
    return State(chosen, holds, None if holds is TRUE else min(sites, default=nested.site))


# Loops


def _joined(a: State, b: State, nested: Nested) -> State:
    """Return the state of a tensor that is in either of two states, which data may decide."""
    if a == b or b is SHARED:
        return a
    if a is SHARED:
        return b
    lost = worst([a, b])
    if lost is not None:
        return lost._replace(exact=None)
    if a.sample is not b.sample:
        return unknown(nested.site)
    return a._replace(holds=all_of(a.holds, b.holds), site=a.site or b.site)


def _after(state: State, trip: Atom | None) -> State:
    """Return the state of a tensor after an iteration, whose index says nothing of it any more."""
    exact = state.exact
    lasting = exact is None or exact.sample is None or trip not in exact.sample.symbols
    return state if lasting else state._replace(exact=None)


def _loop(nested: Nested) -> list[State]:
    """Return the states after a loop: the invariant of the carried tensors, and stacked outputs."""
    if any(s is not SHARED for s in nested.known[:2]):  # samples decide how often the body runs
        lost = worst(nested.known[:2])
        return [lost or nested.batch.mixed(nested.site)] * len(nested.node.outputs)
    count = len(nested.known) - 2
    carried = list(nested.known[2:])
    if _is_unrolled(nested.bodies):
        return _unrolled(nested, carried)
    for _ in range(ROUNDS):
        before, ends = list(carried), []
        for body in nested.bodies:
            given = dict(zip(body.inputs, (SHARED, SHARED, *carried), strict=False))
            inner = nested.inside(body, given)
            ends.append([inner.get(name, SHARED) for name in body.outputs])
        conditions = [end[0] for end in ends if end[0] is not SHARED]
        if conditions:
            return [worst(conditions) or nested.batch.mixed(nested.site)] * len(nested.node.outputs)
        for body, end in zip(nested.bodies, ends, strict=True):
            left = [_after(b, _trip(body)) for b in end[1 : 1 + count]]
            carried = [_joined(a, b, nested) for a, b in zip(carried, left, strict=True)]
        if carried == before:
            break
    else:
        return _lost(nested)
    trip = _trip(nested.bodies[0]) if len(nested.bodies) == 1 else None
    stacks = [_stacked(nested, k, [end[k + 1] for end in ends], trip) for k in range(count, len(nested.node.outputs))]
    return [*carried, *stacks][: len(nested.node.outputs)]


def _trip(body: Body) -> Atom | None:
    """Return the symbol for the index of an iteration; None if it isn't known."""
    value = body.tensors[body.inputs[0]].value if body.inputs else None
    item = value.items[0] if isinstance(value, Elements) and value.items else None
    return item.as_symbol() if isinstance(item, Dim) else None


def _is_unrolled(bodies: Sequence[Body]) -> bool:
    """Whether each iteration has its own run."""
    return len(bodies) > 1 and len({body.label for body in bodies}) == len(bodies)


def _unrolled(nested: Nested, carried: list[State]) -> list[State]:
    """Return the states after a loop with a known number of iterations."""
    rows: list[list[State]] = []
    for body in nested.bodies:
        inner = nested.inside(body, dict(zip(body.inputs, (SHARED, SHARED, *carried), strict=False)))
        ends = [inner.get(name, SHARED) for name in body.outputs][1:]
        carried = ends[: len(carried)]
        rows.append(ends[len(carried) :])
    names = range(len(carried), len(nested.node.outputs))
    return [*carried, *(_stacked(nested, k, [row[k - len(carried)] for row in rows], None) for k in names)]


def _stacked(
    nested: Nested, k: int, parts: Sequence[State], trip: Atom | None, axis: int = 0, *, back: bool = False
) -> State:
    """Return the state of output `k`, which has the parts of all iterations along a new axis, or from its end."""
    state = parts[0]
    for part in parts[1:]:
        state = _joined(state, part, nested)
    name = nested.node.outputs[k]
    t = nested.tensors.get(name) if name else None
    if state.exact is not None and t is not None and t.shape is not None and len(parts) == 1:
        exact = _along(state.exact, t.shape, trip, axis, back=back)
        if exact.sample is not None and nested.batch.split(exact.sample, t.shape) is not None:
            return exact
    if state.sample is None or state is SHARED:
        return state._replace(exact=None)
    if t is None or t.shape is None:
        return unknown(nested.site)
    return _along(state, t.shape, trip, axis, back=back)


def _along(state: State, shape: Shape, trip: Atom | None, axis: int, *, back: bool) -> State:
    """Return the state of slices that are stacked along an axis, from its first index on or back from its last."""
    assert state.sample is not None
    place = len(shape) - axis
    moved: dict[Atom, Dim] = {
        p: position(int(p.name[1:]) + 1) for p in positions(state.sample) if int(p.name[1:]) >= place
    }
    if trip is not None:
        moved[trip] = shape[axis] - 1 - position(place) if back else position(place)
    return state._replace(sample=substitute(state.sample, moved))


# Scans


def _scan(nested: Nested) -> list[State]:
    """Return the states after a scan: the invariant of its states, and stacked outputs."""
    node, body = nested.node, nested.bodies[0]
    scanned = node.attributes.get("num_scan_inputs", 0)
    count = len(nested.known) - scanned if isinstance(scanned, int) else 0
    axes = _axes(node, "scan_input_axes", len(nested.known) - count)
    outs = _axes(node, "scan_output_axes", len(node.outputs) - count)
    if len(nested.bodies) > 1 or axes is None or outs is None or len(body.inputs) != len(nested.known):
        return _lost(nested)
    slices = []
    trip = atom_of(symbol(f"slice of {nested.site.path}", 0, kind=Kind.ITERATION))
    ways = _axes(node, "scan_input_directions", len(axes)) or axes
    for state, name, axis, back in zip(nested.known[count:], node.inputs[count:], axes, ways, strict=True):
        slices.append(_slice(nested, state, nested.tensors.get(name), axis, trip, back=back))
    carried = list(nested.known[:count])
    for _ in range(ROUNDS):
        before = list(carried)
        inner = nested.inside(body, dict(zip(body.inputs, (*carried, *slices), strict=True)))
        ends = [inner.get(name, SHARED) for name in body.outputs]
        carried = [_joined(a, _after(b, trip), nested) for a, b in zip(carried, ends[:count], strict=True)]
        if carried == before:
            break
    else:
        return _lost(nested)
    stacks = []
    ways = _axes(node, "scan_output_directions", len(outs)) or outs
    for k, axis, back in zip(range(count, len(node.outputs)), outs, ways, strict=True):
        t = nested.tensors.get(node.outputs[k])
        rank = 1 if t is None or t.shape is None else t.rank
        stacks.append(_stacked(nested, k, [ends[k]], trip, axis % rank, back=bool(back)))
    return [*carried, *stacks]


def _axes(node: Node, name: str, count: int) -> tuple[int, ...] | None:
    """Return the axes along which slices are read or written; None if they are wrong."""
    axes = node.attributes.get(name, (0,) * count)
    return axes if isinstance(axes, tuple) and len(axes) == count else None  # type: ignore[return-value]  # integers


def _slice(nested: Nested, state: State, t: Tensor | None, axis: int, trip: Atom, *, back: int) -> State:
    """Return the state of a slice along an axis; if each slice has a sample of its own, that is exact only.

    The slices are read from the first one, or from the last one (`back`).
    """
    if state.sample is None or state is SHARED:
        return state._replace(exact=None)
    if t is None or t.shape is None:
        return unknown(nested.site)
    place = t.rank - axis % t.rank
    used = positions(state.sample)
    moved: dict[Atom, Dim] = {p: position(int(p.name[1:]) - 1) for p in used if int(p.name[1:]) > place}
    along = [p for p in used if int(p.name[1:]) == place]
    moved.update((p, t[-place] - 1 - of_atom(trip) if back else of_atom(trip)) for p in along)
    sliced = state._replace(sample=substitute(state.sample, moved), exact=None)
    return nested.batch.mixed(nested.site)._replace(exact=sliced) if along else sliced
