"""Scan, which runs a graph for each slice of some inputs."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.control.declared import judge_scan
from shapesmt.operators.ops.control.flow import require_steady
from shapesmt.operators.ops.control.iterations import steadily_laid
from shapesmt.operators.ops.control.subgraphs import apart, mark, symbols_since
from shapesmt.operators.ops.shared.require import require_numel
from shapesmt.operators.rules import RuleContext, Runs, Tensor, Traits, rule, tensor
from shapesmt.prover.algebra import ZERO, Dim, all_of, at_least

SCAN_OUTPUT_AXES_ENTRY_PER_OUTPUT = laws.SM403.law("'scan_output_axes' has one entry per scan output")


@rule("Scan", since=9, any_rank=True, nested=True, traits=Traits(runs=Runs.SCAN))
def scan(ctx: RuleContext) -> list[Tensor]:
    """Return the last states and the stacked scan outputs; each iteration reads a slice of each scan input."""
    states, scanned = split(ctx, 0, ctx.integer("num_scan_inputs"))
    require_directions(ctx, "scan_input_directions", "input", len(scanned))
    slices, lengths = slices_read(ctx, scanned)
    iterations = common_length(ctx, lengths)
    final, scan_outputs = scanned_once(ctx, states, slices, iterations)
    require_directions(ctx, "scan_output_directions", "output", len(scan_outputs))
    places = ctx.integers("scan_output_axes", (0,) * len(scan_outputs))
    ctx.check(len(places) == len(scan_outputs), SCAN_OUTPUT_AXES_ENTRY_PER_OUTPUT)
    return [
        *final,
        *(with_iteration_axis(ctx, t, place, iterations) for t, place in zip(scan_outputs, places, strict=True)),
    ]


SCAN_DIRECTIONS_0_OR_1 = laws.SM403.law("'{name}' has a 0 or 1 per scan {kind}")


def require_directions(ctx: RuleContext, name: str, side: str, count: int) -> None:
    """Require that attribute `name` lists no direction or `count` of them, each 0 (forwards) or 1 (backwards)."""
    ways = ctx.integers(name, ())
    ctx.limit(len(ways) in (0, count) and set(ways) <= {0, 1}, SCAN_DIRECTIONS_0_OR_1.of(name=name, kind=side))


SCAN_INPUT_AXES_ENTRY_PER_INPUT = laws.SM403.law("'scan_input_axes' has one entry per scan input")


def slices_read(ctx: RuleContext, scanned: Sequence[Tensor]) -> tuple[list[Tensor], list[Dim]]:
    """Return the slice of each scan input that an iteration reads, and the lengths of the inputs of known rank."""
    axes = ctx.integers("scan_input_axes", (0,) * len(scanned))
    ctx.check(len(axes) == len(scanned), SCAN_INPUT_AXES_ENTRY_PER_INPUT)
    slices, lengths = [], []
    for t, axis in zip(scanned, axes, strict=True):
        if t.shape is not None:
            at = ctx.normal(axis, t.rank)
            lengths.append(t[at])
            layout = None if t.layout is None else t.layout.without(at)
            t = tensor(t.dtype, [*t.dims[:at], *t.dims[at + 1 :]], layout=layout)
        slices.append(t)
    return slices, lengths


INPUTS_SAME_BATCH = laws.SM116.law("all inputs have the same batch")


@rule("Scan", since=8, any_rank=True, nested=True, traits=Traits(runs=Runs.SCAN))
def scan_8(ctx: RuleContext) -> list[Tensor]:
    """Scan each sample of a batch: states are `[batch, ...]`, scan inputs `[batch, seq, ...]`.

    The first input has the lengths of the samples. With no steps, the body isn't run.
    """
    states, scanned = split(ctx, 1, ctx.integer("num_scan_inputs"))
    require_directions(ctx, "directions", "input", len(scanned))
    tensors = [*states, *scanned]
    if any(t.shape is None for t in tensors):
        return [tensor(t.dtype, None) for t in states]
    for t in tensors:
        ctx.require_rank(t, 2 if t in scanned else 1, least=True)
    batch = tensors[0][0]
    for t in tensors[1:]:
        ctx.require_equal(t[0], batch, INPUTS_SAME_BATCH)
    ctx.require_at_least(batch, 1, laws.BATCH_NOT_EMPTY)
    iterations = common_length(ctx, [t[1] for t in scanned], least=0)
    require_lengths(ctx, batch, iterations)
    inner_states = [tensor(t.dtype, t.dims[1:]) for t in states]
    with ctx.where(at_least(iterations, 1)):
        final, scan_outputs = scanned_once(
            ctx, inner_states, [tensor(t.dtype, t.dims[2:]) for t in scanned], iterations
        )
    stacks = [with_iteration_axis(ctx, t, 0, iterations) for t in scan_outputs]
    return [tensor(t.dtype, None if t.shape is None else [batch, *t.dims]) for t in (*final, *stacks)]


def require_lengths(ctx: RuleContext, batch: Dim, iterations: Dim) -> None:
    """Require a number of steps for each sample, from 1 to `iterations`, if the first input isn't omitted."""
    if ctx.has(0):
        require_numel(ctx, [0], batch, laws.LENGTH_PER_SAMPLE)
        for length in (item for item in ctx.items(0) or () if item is not None):
            within = all_of(at_least(length, 1), at_least(iterations, length))
            ctx.limit(within, laws.LENGTHS_AT_MOST_SEQUENCE, length, iterations)


BODY_TAKES_STATES_AND_SLICES = laws.SM403.law("the body takes each state and num_scan_inputs slices")
BODY_MAKES_STATES = laws.SM403.law("the body makes all loop state variables")


def split(ctx: RuleContext, offset: int, count: int) -> tuple[list[Tensor], list[Tensor]]:
    """Return the initial states and the `count` scan inputs; the inputs before `offset` are neither."""
    tensors = [ctx.input(i) for i in range(offset, len(ctx.inputs))]
    body = ctx.graph("body")
    ctx.check(1 <= count <= len(tensors) == len(body.inputs), BODY_TAKES_STATES_AND_SLICES)
    ctx.check(len(body.outputs) >= len(tensors) - count, BODY_MAKES_STATES)
    return tensors[: len(tensors) - count], tensors[len(tensors) - count :]


SCAN_INPUTS_SAME_LENGTH = laws.SM116.law("scan inputs have the same length")


def common_length(ctx: RuleContext, lengths: Sequence[Dim], least: int = 1) -> Dim:
    """Return the number of iterations, at least `least`; require that all scan inputs have that length."""
    if not lengths:
        return ctx.fresh("trips", least)
    if least:
        ctx.require_at_least(lengths[0], least, laws.A_SLICE)
    for length in lengths[1:]:
        ctx.require_equal(length, lengths[0], SCAN_INPUTS_SAME_LENGTH)
    return lengths[0]


def scanned_once(
    ctx: RuleContext, states: Sequence[Tensor], slices: Sequence[Tensor], iterations: Dim
) -> tuple[list[Tensor], list[Tensor]]:
    """Return the states and scan outputs of an iteration that stands for all; no iteration changes a state's shape."""
    before, body = mark(ctx), ctx.graph("body")
    inner_states = [tensor(t.dtype, t.shape, layout=t.layout) for t in states]
    outputs = apart(ctx, body, [*inner_states, *slices], "", "body", judge=judge_scan)
    while (steady := steadily_laid(inner_states, outputs)) != inner_states:
        before.undo(ctx)
        inner_states = steady
        outputs = apart(ctx, body, [*inner_states, *slices], "", "body", judge=judge_scan)
    for state, left in zip(inner_states, outputs, strict=False):
        if state.shape is not None and left.shape is not None:
            ctx.require_agree(state, left, law=laws.STATE_KEEPS_SHAPE)
    hidden = symbols_since(ctx, before.fresh_symbols)
    scan_outputs = outputs[len(states) :]
    for t in scan_outputs:
        require_steady(ctx, t, ZERO, iterations, hidden)
    return inner_states, scan_outputs


def with_iteration_axis(ctx: RuleContext, t: Tensor, axis: int, iterations: Dim) -> Tensor:
    """Return scan output `t` with a new axis of size `iterations` at position `axis`."""
    if t.shape is None:
        return tensor(t.dtype, None)
    at = ctx.normal(axis, t.rank + 1)
    return tensor(t.dtype, [*t.dims[:at], iterations, *t.dims[at:]])
