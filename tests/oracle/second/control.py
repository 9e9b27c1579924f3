"""Branches and loops, run trip by trip."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.second.node import Node, Operators, T, Undecided, counted, known, need, results, walk

op = Operators()

TRIPS = 64


def inside(n: Node, graph: Any, given: list[T]) -> list[T]:
    """The outputs of a graph inside a node, which sees what is around it."""
    need(len(graph.input) == len(given), "the body takes so many inputs")
    named = dict(zip([i.name for i in graph.input], given, strict=True))
    found = walk(graph, {**n.outer, **named}, n.opsets, n.functions)
    return results(found, [o.name for o in graph.output])


@op("If")
def branch(n: Node) -> list[T]:
    """One branch or the other."""
    need(n[0].size == 1, "the condition is one number")
    if n[0].value is None:
        raise Undecided("which branch is taken")
    return inside(n, n.get("then_branch" if np.ravel(n[0].value)[0] else "else_branch"), [])


@op("Loop")
def loop(n: Node) -> list[T]:
    """The body is run so many times, and while the condition holds; each trip's last outputs are joined."""
    body, states = n.get("body"), [n[i] for i in range(2, len(n.ins))]
    need(all(not n.has(i) or n[i].size == 1 for i in (0, 1)), "trips and condition are one number each")
    limit = (n.numbers(0) or [0])[0] if n.has(0) else TRIPS + 1
    go = bool((n.numbers(1) or [1])[0]) if n.has(1) else True
    joined: list[list[T]] = [[] for _ in range(len(body.output) - 1 - len(states))]
    trip = 0
    while trip < limit and go:
        if trip >= TRIPS:
            raise Undecided("too many trips")
        flag, *made = inside(n, body, [known(np.int64(trip)), known(np.bool_(go)), *states])
        states, trip = made[: len(states)], trip + 1
        for rows, t in zip(joined, made[len(states) :], strict=True):
            rows.append(t)
        if flag.value is None:
            raise Undecided("how often the body runs")
        go = bool(np.ravel(flag.value)[0])
    if trip == 0 and joined:
        raise Undecided("what a trip would have made")
    return [*states, *(_joined(rows, 0) for rows in joined)]


def _joined(rows: list[T], axis: int) -> T:
    need(len({t.shape for t in rows}) == 1, "trips make different shapes")
    shape = rows[0].shape
    every = all(t.value is not None for t in rows)
    return T(
        rows[0].dtype,
        (*shape[:axis], len(rows), *shape[axis:]),
        np.stack([t.value for t in rows], axis) if every else None,
    )


@op("Scan")
def scan(n: Node) -> list[T]:
    """The body is run for each slice of the inputs."""
    if n.version < 9:
        raise Undecided("Scan 8")
    body, count = n.get("body"), n.get("num_scan_inputs", 0)
    need(0 < count <= len(n.ins), "there are inputs to go through")
    given = [n[i] for i in range(len(n.ins))]
    states, inputs = given[: len(given) - count], given[len(given) - count :]
    along = n.get("scan_input_axes", [0] * count)
    need(len(along) == count, "an axis for each input")
    axes = [counted(a, t.rank) for a, t in zip(along, inputs, strict=True)]
    lengths = {t.shape[a] for t, a in zip(inputs, axes, strict=True)}
    need(len(lengths) == 1, "inputs have different lengths")
    trips, rows = lengths.pop(), [[] for _ in range(len(body.output) - len(states))]  # type: list[list[T]]
    if not 0 < trips <= TRIPS:
        raise Undecided("no trip, or too many")
    slices = [T(t.dtype, t.shape[:a] + t.shape[a + 1 :]) for t, a in zip(inputs, axes, strict=True)]
    for _ in range(trips):
        made = inside(n, body, [*states, *slices])
        need([t.shape for t in made[: len(states)]] == [t.shape for t in states], "a state changes its shape")
        states = made[: len(states)]
        for column, t in zip(rows, made[len(states) :], strict=True):
            column.append(t)
    out = n.get("scan_output_axes", [0] * len(rows))
    need(len(out) == len(rows), "an axis for each output")
    return [*states, *(_joined(column, counted(a, column[0].rank + 1)) for column, a in zip(rows, out, strict=True))]
