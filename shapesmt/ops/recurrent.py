"""Recurrent layers: a sequence of samples, weights for each direction it is read in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.dim import as_dim
from shapesmt.formula import all_of, at_least, equal
from shapesmt.ops.registry import rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.context import InferenceContext
    from shapesmt.dim import Dim
    from shapesmt.tensor import Tensor

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@rule(*GATES)
def recurrent(ctx: InferenceContext) -> list[Tensor]:
    """`x[seq, batch, input]` makes every state `[seq, directions, batch, hidden]` and the last ones.

    With `layout=1` the batch comes first everywhere.
    """
    x, recurrence, gates = ctx.input(0), ctx.input(2), GATES[ctx.node.op]
    ctx.require_rank(x, 3)
    ctx.require_rank(recurrence, 3)
    batch_first = ctx.integer("layout", 0) == 1
    length, batch = (x[1], x[0]) if batch_first else (x[0], x[1])
    hidden = as_dim(ctx.integer("hidden_size")) if "hidden_size" in ctx.attributes else recurrence[2]
    directions = 2 if ctx.text("direction", "forward") == "bidirectional" else 1
    require_samples(ctx, length, batch, x[2])
    expect(ctx, 1, (directions, gates * hidden, x[2]), "W is [directions, gates*hidden, input]")
    expect(ctx, 2, (directions, gates * hidden, hidden), "R is [directions, gates*hidden, hidden]")
    expect(ctx, 3, (directions, 2 * gates * hidden), "B is [directions, 2*gates*hidden]")
    expect(ctx, 4, (batch,), "sequence_lens has one length per sample")
    for item in ctx.items(4) or ():
        if item is not None:
            ctx.require(
                all_of(at_least(item, 0), at_least(length, item)), "lengths are at most the sequence's", item, length
            )
    last = (batch, directions, hidden) if batch_first else (directions, batch, hidden)
    for index in (5, 6):
        expect(ctx, index, last, "an initial state is [directions, batch, hidden]")
    expect(ctx, 7, (directions, 3 * hidden), "P is [directions, 3*hidden]")
    states = (batch, length, directions, hidden) if batch_first else (length, directions, batch, hidden)
    return [ctx.tensor(states), ctx.tensor(last), ctx.tensor(last)]


def require_samples(ctx: InferenceContext, length: Dim, batch: Dim, features: Dim) -> None:
    """What must not be empty; runtimes abort otherwise."""
    if ctx.node.op != "RNN":
        ctx.require_at_least(batch, 1, "the batch isn't empty")
    if ctx.node.op == "GRU":
        ctx.require_at_least(length, 1, "the sequence isn't empty")
        ctx.require_at_least(features, 1, "a sample isn't empty")


def expect(ctx: InferenceContext, index: int, shape: Sequence[Dim | int], law: str) -> None:
    """The shape of an input, where it is given."""
    if ctx.has(index):
        found = ctx.input(index)
        ctx.check(found.rank == len(shape), law)
        for size, wanted in zip(found.dims, shape, strict=True):
            ctx.limit(equal(size, wanted), law, size, wanted)
