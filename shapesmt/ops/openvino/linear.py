"""Matrix products, with either operand transposed, and recurrent cells and sequences."""

from __future__ import annotations

from shapesmt.context import InferenceContext
from shapesmt.dim import Dim, as_dim
from shapesmt.ops.laws import require_shape
from shapesmt.ops.linear import INNER_LAW
from shapesmt.ops.openvino.bridge import DOMAIN
from shapesmt.ops.recurrent import GATES
from shapesmt.ops.registry import rule
from shapesmt.tensor import Tensor


def _turned(x: Tensor, flag: int) -> tuple[Dim, ...]:
    return (*x.dims[:-2], x[-1], x[-2]) if flag and x.rank > 1 else x.dims


@rule("MatMul", domain=DOMAIN)
def matmul(ctx: InferenceContext) -> Tensor:
    """`[..., M, K] x [..., K, N] -> [..., M, N]` with broadcast batch axes; a vector stays a row or a column."""
    a = _turned(ctx.input(0), ctx.integer("transpose_a", 0))
    b = _turned(ctx.input(1), ctx.integer("transpose_b", 0))
    ctx.check(bool(a) and bool(b), "operands of a matrix product have at least one axis")
    ctx.require_equal(a[-1], b[-2:][0], INNER_LAW)
    batch = ctx.broadcast(a[:-2], b[:-2], law="batch sizes are equal or 1")
    return ctx.tensor(batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ()))


@rule("LSTMCell", "GRUCell", "RNNCell", domain=DOMAIN)
def cell(ctx: InferenceContext) -> list[Tensor]:
    """`x[batch, input]` and states `[batch, hidden]` make the next states."""
    x, hidden = ctx.input(0, rank=2), as_dim(ctx.integer("hidden_size"))
    gates, states = GATES[ctx.node.op.removesuffix("Cell")] * hidden, 2 if ctx.node.op == "LSTMCell" else 1
    state = (x[0], hidden)
    require_shape(ctx, range(1, 1 + states), state, "an initial state is [batch, hidden]")
    require_shape(ctx, 1 + states, (gates, x[1]), "W is [gates*hidden, input]")
    require_shape(ctx, 2 + states, (gates, hidden), "R is [gates*hidden, hidden]")
    return [ctx.tensor(state)] * states


@rule("LSTMSequence", "GRUSequence", "RNNSequence", domain=DOMAIN)
def sequence(ctx: InferenceContext) -> list[Tensor]:
    """`x[batch, seq, input]` makes every state `[batch, directions, seq, hidden]` and the last ones."""
    x, hidden = ctx.input(0, rank=3), as_dim(ctx.integer("hidden_size"))
    states = 2 if ctx.node.op == "LSTMSequence" else 1
    directions = 2 if ctx.text("direction", "forward") == "bidirectional" else 1
    gates, state = GATES[ctx.node.op.removesuffix("Sequence")] * hidden, (x[0], directions, hidden)
    require_shape(ctx, range(1, 1 + states), state, "an initial state is [batch, directions, hidden]")
    require_shape(ctx, 1 + states, (x[0],), "sequence_lens has one length per sample")
    require_shape(ctx, 2 + states, (directions, gates, x[2]), "W is [directions, gates*hidden, input]")
    require_shape(ctx, 3 + states, (directions, gates, hidden), "R is [directions, gates*hidden, hidden]")
    return [ctx.tensor((x[0], directions, x[1], hidden)), *[ctx.tensor(state)] * states]


@rule("ScaledDotProductAttention", domain=DOMAIN)
def attention(ctx: InferenceContext) -> Tensor:
    """Queries `[..., L, E]`, keys `[..., S, E]` and values `[..., S, V]` make `[..., L, V]`."""
    q, k, v = (ctx.input(i) for i in range(3))
    for x in (q, k, v):
        ctx.require_rank(x, 2, least=True)
    ctx.require_equal(q[-1], k[-1], "queries and keys have the same head size")
    ctx.require_equal(k[-2], v[-2], "keys and values are as many")
    batch = ctx.broadcast(q.dims[:-2], k.dims[:-2], v.dims[:-2], law="batch sizes are equal or 1")
    return ctx.tensor([*batch, q[-2], v[-1]])
