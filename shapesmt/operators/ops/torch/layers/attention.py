"""Attention: softmax scores of queries and keys weigh the values."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import heads_apart
from shapesmt.operators.ops.shared.require import require_broadcast_to, require_ranks
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.layout import dense, order_of
from shapesmt.operators.rules import Shape, Tensor, tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, Formula, all_of, any_of, at_least, equal, negate, select

QUERY_KEY_VALUE = ("query", "key", "value")


def repeat_heads(call: Call, x: Tensor, heads: Dim) -> Tensor:
    """Return keys or values with their heads repeated to `heads`, the number of heads that the queries have."""
    ctx, own = call.ctx, x[-3]
    call.open_if_broken(at_least(own, 1), laws.HEADS_OF_QUERIES_KEYS_VALUES)
    ctx.require(equal(heads % own, 0), laws.HEADS_OF_KEYS_DIVIDE_HEADS_OF_QUERIES, heads, own)
    return x.replace(-3, heads)


def is_fused(q: Tensor, k: Tensor, v: Tensor) -> Formula:
    """Return the condition under which PyTorch uses a kernel that doesn't check the number of values."""
    if not q.rank == k.rank == v.rank == 4:
        return FALSE
    alike = (equal(a, b) for x in (k, v) for a, b in zip((*q.dims[:2], q[-1]), (*x.dims[:2], x[-1]), strict=True))
    return all_of(*alike, *(at_least(x[-2], 1) for x in (q, k, v)))


MASK_OR_CAUSAL = laws.SM405.law("there is a mask, or attention is causal, not both")


def attend(call: Call, mask: Tensor | None) -> tuple[Shape, Shape]:
    """Return the shapes of the output and of the scores, `[..., queries, keys]`; batches and the mask broadcast."""
    ctx = call.ctx
    q, k, v = map(call.tensor, QUERY_KEY_VALUE)
    require_ranks(ctx, 2, q, k, v, least=True)
    if "enable_gqa" in call and call.flag("enable_gqa"):
        require_ranks(ctx, 3, q, k, v, least=True)
        k, v = (repeat_heads(call, x, q[-3]) for x in (k, v))
    ctx.require_equal(q[-1], k[-1], laws.KEY_SIZED_AS_QUERY)
    per_key = equal(k[-2], v[-2])
    ctx.require(any_of(per_key, is_fused(q, k, v)), laws.VALUE_PER_KEY, k[-2], v[-2])
    call.open_if_broken(any_of(per_key, negate(is_fused(q, k, v))), laws.VALUE_PER_KEY)
    scores = (*ctx.broadcast(q.dims[:-2], k.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), q[-2], k[-2])
    if mask is not None:
        ctx.check(not call.flag("is_causal"), MASK_OR_CAUSAL)
        call.open_if_broken(
            TRUE if mask.rank >= 2 or q.rank != 4 else FALSE, laws.RANK_AT_LEAST.of(least=2, rank=mask.rank)
        )
        require_broadcast_to(ctx, mask, scores, laws.MASK_BROADCASTS_TO_SCORES)
    return (*ctx.broadcast(scores[:-2], v.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), q[-2], v[-1]), scores


@operator("scaled_dot_product_attention.default", follows=heads_apart)
def attention(call: Call) -> Tensor:
    """Attend: `[..., l, e]`, `[..., s, e]`, `[..., s, v]` -> `[..., l, v]`.

    Without queries or without values, PyTorch checks nothing else.
    """
    ctx, q, v = call.ctx, call.tensor("query", least=2), call.tensor("value", least=2)
    nothing = any_of(equal(q[-2], 0), equal(v.numel, 0))
    with ctx.where(negate(nothing)):
        shape, _ = attend(call, call.optional("attn_mask"))
    empty = (*q.dims[:-1], v[-1])
    if len(shape) > q.rank:
        return tensor(q.dtype, empty if ctx.holds(nothing) else shape)
    return tensor(q.dtype, [select(nothing, a, b) for a, b in zip(empty, shape, strict=True)])


@operator("_scaled_dot_product_attention_math.default", memory="new", follows=heads_apart)
def attention_and_scores(call: Call) -> list[Tensor]:
    """Return the output and the scores after softmax."""
    output, scores = attend(call, call.optional("attn_mask"))
    return [tensor(call.tensor("query").dtype, shape) for shape in (output, scores)]


@operator("_scaled_dot_product_flash_attention_for_cpu.default", memory="view", follows=heads_apart)
def flash_attention(call: Call) -> list[Tensor]:
    """Return the output, and the log-sum-exp of each query's scores; inputs are `[b, heads, length, size]`."""
    ctx = call.ctx
    q, k, v = map(call.tensor, QUERY_KEY_VALUE)
    require_ranks(ctx, 4, q, k, v)
    for x in (k, v):
        ctx.require_equal(x[-1], q[-1], laws.KEY_SIZED_AS_QUERY)
        for axis in (0, 1):
            call.open_if_broken(equal(x[axis], q[axis]), laws.QUERIES_KEYS_VALUES_AS_MANY)
    call.open_if_broken(equal(k[-2], v[-2]), laws.VALUE_PER_KEY)
    mask = call.optional("attn_mask")
    if mask is not None:
        for d, size in zip(mask.dims[::-1], (k[2], q[2], q[1], q[0]), strict=False):
            call.open_if_broken(any_of(equal(d, size), equal(d, 1)), laws.MASK_BROADCASTS_TO_SCORES)
    return [dense(tensor(q.dtype, q.dims), order_of(q)), dense(tensor("float32", q.dims[:-1]), (0, 2, 1))]
