"""Recurrent layers: RNN, GRU and LSTM."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import require_narrow, require_shape
from shapesmt.operators.rules import Follows, Letters, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import FALSE, TRUE, Dim, Formula, all_of, any_of, as_dim, at_least, equal, negate

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def sequence_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The batch is kept: axis 0 with `layout=1`; else axis 1, or 2 of all states."""
    first = ctx.flag("layout")
    x: Letters = ("batch", None, None) if first else (None, "batch", None)
    states: Letters = ("batch", None, None, None) if first else (None, None, "batch", None)
    return Follows((x, (), (), (), ("batch",), x, x), (states, x, x)[: len(outputs)])


@rule(*GATES, traits=Traits.MIXED, follows=sequence_axes)
def recurrent(ctx: RuleContext) -> list[Tensor]:
    """Map `x[seq, batch, input]` to all states `[seq, directions, batch, hidden]` and the last ones.

    With `layout=1` the batch is the first axis everywhere.
    """
    x, recurrence, gates = ctx.input(0, rank=3), ctx.input(2, rank=3), GATES[ctx.node.op]
    batch_first, directions = ctx.flag("layout"), direction_count(ctx)
    length, batch = (x[1], x[0]) if batch_first else (x[0], x[1])
    hidden = as_dim(ctx.integer("hidden_size")) if "hidden_size" in ctx.attributes else recurrence[2]
    ctx.limit(ctx.node.op == "RNN" or at_least(hidden, 1), laws.NAMED_ATTRIBUTE_POSITIVE.of(name="hidden_size"))
    last = (batch, directions, hidden) if batch_first else (directions, batch, hidden)
    require_samples(ctx, length, batch, x[2])
    require_shape(ctx, 1, (directions, gates * hidden, x[2]), laws.W_DIRECTIONS_GATES_HIDDEN_INPUT, limit=True)
    require_shape(ctx, 2, (directions, gates * hidden, hidden), laws.R_DIRECTIONS_GATES_HIDDEN_HIDDEN, limit=True)
    require_shape(ctx, 3, (directions, 2 * gates * hidden), laws.B_DIRECTIONS_2_GATES_HIDDEN, limit=True)
    require_states(ctx, batch, last)
    require_shape(ctx, 7, (directions, 3 * hidden), laws.P_DIRECTIONS_3_HIDDEN, limit=True)
    states = (batch, length, directions, hidden) if batch_first else (length, directions, batch, hidden)
    return [ctx.tensor(states), ctx.tensor(last), ctx.tensor(last)]


def direction_count(ctx: RuleContext) -> int:
    """Return the number of directions in which the sequence is read: 2 if bidirectional, else 1."""
    return 2 if ctx.text("direction", "forward") == "bidirectional" else 1


def require_states(ctx: RuleContext, batch: Dim, last: Sequence[Dim | int]) -> None:
    """Require the shapes of initial states and of sequence lengths."""
    require_shape(ctx, 4, (batch,), laws.SEQUENCE_LENGTH_PER_SAMPLE, limit=True)
    require_shape(ctx, (5, 6), last, laws.STATE_DIRECTIONS_BATCH_HIDDEN, limit=True)


def require_samples(ctx: RuleContext, length: Dim, batch: Dim, features: Dim) -> None:
    """Require the sizes that must not be 0, because runtimes would abort, and lengths no larger than the sequence's."""
    lengths = ctx.items(4) if ctx.has(4) else ()
    if ctx.node.op != "RNN":
        ctx.require_at_least(batch, 1, laws.BATCH_NOT_EMPTY)
    if ctx.node.op == "GRU":
        require_narrow(ctx, "linear_before_reset")
        if not ctx.has(4):
            ctx.require_at_least(length, 1, laws.SEQUENCE_NOT_EMPTY)
        _require_features(ctx, any_of(at_least(features, 1), equal(length, 0)), features, lengths)
    for item in lengths or ():
        if item is not None:
            within = all_of(at_least(item, 0), at_least(length, item))
            ctx.require(within, laws.LENGTHS_AT_MOST_SEQUENCE, item, length)


SAMPLE_NOT_EMPTY = laws.SM204.law("a sample isn't empty")


def _require_features(ctx: RuleContext, some: Formula, features: Dim, lengths: Sequence[Dim | None] | None) -> None:
    """Require `some`: there is something to read, unless all samples have length 0; undecided if that is unknown."""
    zeros = all_of(*(equal(item, 0) for item in lengths or () if item is not None)) if ctx.has(4) else FALSE
    ctx.require(any_of(some, zeros), SAMPLE_NOT_EMPTY, features, 1)
    if some is not TRUE and (lengths is None or None in lengths):
        ctx.leave("elements", SAMPLE_NOT_EMPTY, branch=negate(some))
