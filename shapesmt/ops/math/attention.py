"""Attention in its forms, and the rotation of positions that goes before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shapesmt.algebra import FALSE, ZERO, any_of, as_dim, divides, equal
from shapesmt.graph import DTYPES
from shapesmt.ops.shared.indices import require_places
from shapesmt.rules import require_least, require_shape, rule, tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.algebra import Dim
    from shapesmt.rules import InferenceContext, Tensor


class Heads(NamedTuple):
    """A tensor as `[batch, number, length, size]`."""

    batch: Dim
    number: Dim
    length: Dim
    size: Dim


def heads(ctx: InferenceContext, x: Tensor, counted_by: str) -> Heads:
    """The heads of `[batch, number, length, size]`, or of the packed `[batch, length, number*size]`."""
    if x.rank == 4:
        return Heads(*x.dims)
    count = ctx.integer(counted_by)
    ctx.check(count > 0, f"'{counted_by}' is positive, not {count}")
    ctx.require(divides(count, x[2]), f"'{counted_by}' divides the last size", x[2], count)
    return Heads(x[0], as_dim(count), x[1], x[2] // count)


def require_groups(ctx: InferenceContext, q: Heads, k: Heads) -> None:
    """State that each head of the keys serves as many heads of the queries."""
    law = "the heads of the keys divide those of the queries"
    ctx.require_at_least(k.number, 1, "there is at least one head")
    ctx.require(any_of(equal(q.number, k.number), equal(q.number % k.number, 0)), law, q.number, k.number)


def require_pair(ctx: InferenceContext, q: Heads, k: Heads, v: Heads) -> None:
    """State that queries, keys and values belong together."""
    for other in (k, v):
        ctx.require_equal(other.batch, q.batch, "queries, keys and values have the same batch")
    ctx.require_equal(k.size, q.size, "a key has the size of a query")
    ctx.require_equal(v.number, k.number, "there are as many heads of values as of keys")
    ctx.require_equal(v.length, k.length, "each key has a value")
    require_groups(ctx, q, k)


def projected(ctx: InferenceContext, *ranks: int) -> list[Heads]:
    """The heads of queries, keys and values that belong together."""
    given = [ctx.input(i) for i in range(3)]
    admitted = " or ".join(map(str, ranks))
    ctx.check(given[0].rank in ranks, f"queries have {admitted} axes, not {given[0].rank}")
    ctx.check(len({t.rank for t in given}) == 1, "queries, keys and values have the same rank")
    kinds = [f"{kind}_num_heads" for kind in ("q", "kv", "kv")]
    found = [heads(ctx, t, kind) for t, kind in zip(given, kinds, strict=True)]
    for head, kind in zip(found, kinds, strict=True):
        ctx.require_equal(
            head.number, max(ctx.integer(kind, 0), 0) or head.number, f"attribute '{kind}' is the number of heads"
        )
    require_pair(ctx, *found)
    return found


@rule("Attention", since=23)
def attention(ctx: InferenceContext) -> list[Tensor]:
    """`softmax(q @ k.T + mask) @ v` for each head: queries `[b, h, s, d]`, values `[b, h, t, e]`: `[b, h, s, e]`.

    With three axes the heads are packed: `[b, s, h*d]`. Keys and values of the past come first.
    """
    q, k, v = projected(ctx, 3, 4)
    require_least(ctx, (*ctx.input(0).dims, k.length, v.size), 1, "queries, keys and values are not empty")
    total = past(ctx, k, v) + k.length
    require_windows(ctx)
    ctx.check(not (ctx.has(4) and ctx.has(6)), "the past is given as keys and values or as lengths, not both")
    require_shape(ctx, 6, [q.batch], "nonpad_kv_seqlen has one length per sample")
    require_mask(ctx, 3, (q.batch, q.number, q.length), total)
    packed = ctx.input(0).rank == 3
    y = [q.batch, q.length, q.number * v.size] if packed else [q.batch, q.number, q.length, v.size]
    return [
        ctx.tensor(y),
        ctx.tensor([k.batch, k.number, total, k.size]),
        ctx.tensor([v.batch, v.number, total, v.size], ctx.input(2).dtype),
        ctx.tensor([q.batch, q.number, q.length, total]),
    ]


def past(ctx: InferenceContext, k: Heads, v: Heads) -> Dim:
    """The number of keys and values before."""
    ctx.check(ctx.has(4) == ctx.has(5), "keys and values of the past are given together")
    if not ctx.has(4):
        return ZERO
    length = ctx.input(4, rank=4)[2]
    require_shape(ctx, 4, [k.batch, k.number, length, k.size], "past keys are [batch, heads, length, size]")
    require_shape(ctx, 5, [v.batch, v.number, length, v.size], "past values are [batch, heads, length, size]")
    return length


def require_windows(ctx: InferenceContext) -> None:
    """State that each side that is seen has a length, or none, and that what the scores are scaled by is positive."""
    scale = ctx.attribute("scale")
    ctx.limit(not isinstance(scale, float) or scale > 0, "attribute 'scale' is positive")
    for side in ("left", "right"):
        window = ctx.integer(f"{side}_window_size", -1)
        ctx.check(window >= -1, f"'{side}_window_size' is at least -1, not {window}")


def require_mask(ctx: InferenceContext, index: int, before: Sequence[Dim | int], total: Dim) -> None:
    """State the shape of a mask, where it is given.

    ONNX would stretch any axis of it, and pad the last from opset 24 on; runtimes do neither.
    """
    law = "the mask has a row per query and a column per key, for each head and sample or for all"
    if not ctx.has(index):
        return
    mask = ctx.input(index)
    if not 2 <= mask.rank <= 4:
        ctx.require(FALSE, law)
        return
    ctx.require_equal(mask[-1], total, law)
    ctx.require_equal(mask[-2], before[2], law)
    for size, wanted in zip(mask.dims[:-2][::-1], before[1::-1], strict=False):
        ctx.require(any_of(equal(size, wanted), equal(size, 1)), law, size, wanted)


@rule("FlexAttention", domain="ai.onnx.preview", nested=True)
def flex_attention(ctx: InferenceContext) -> Tensor:
    """`prob_mod(softmax(score_mod(q @ k.T))) @ v` for each head; what is put in keeps the shape."""
    q, k, v = projected(ctx, 4)
    types = {ctx.input(i).dtype for i in range(3)} - {""}
    ctx.check(len(types) <= 1, "queries, keys and values have the same element type")
    scores = tensor(softmax_type(ctx, ctx.input(0)), [q.batch, q.number, q.length, k.length])
    for name in ("score_mod", "prob_mod"):
        if name in ctx.attributes:
            modified = ctx.run_graph(ctx.graph(name), [scores], name)
            ctx.check(len(modified) == 1, f"'{name}' makes one tensor")
            if modified[0].shape is not None:
                ctx.require_agree(scores, modified[0], law=f"'{name}' keeps the shape")
            ctx.check(modified[0].dtype in ("", scores.dtype), f"'{name}' keeps the element type")
    return ctx.tensor([q.batch, q.number, q.length, v.size])


def softmax_type(ctx: InferenceContext, q: Tensor) -> str:
    """The element type in which scores are computed."""
    wide = "float64" if q.dtype == "float64" else "float32"
    if "softmax_precision" not in ctx.attributes:
        return wide
    return DTYPES.get(ctx.integer("softmax_precision"), "")


@rule("LinearAttention", since=27)
def linear_attention(ctx: InferenceContext) -> list[Tensor]:
    """Queries `[b, s, h*d]`, keys `[b, s, g*d]`, values `[b, s, g*e]`: `[b, s, h*e]` and the state `[b, g, d, e]`."""
    q, k, v = projected(ctx, 3)
    ctx.require_equal(k.length, q.length, "each query has a key")
    rules = ctx.text("update_rule", "gated_delta")
    ctx.check(rules in ("linear", "gated", "delta", "gated_delta"), f"the update rule is a known one, not '{rules}'")
    for index, kind, what in ((4, "gated", "decay"), (5, "delta", "rate")):
        wanted = kind in rules
        ctx.check(wanted == ctx.has(index), f"the update rule '{rules}' has {'a' if wanted else 'no'} {what}")
    state = [k.batch, k.number, k.size, v.size]
    require_shape(ctx, 3, state, "the state is [batch, heads, key size, value size]")
    if ctx.has(3):
        state = [*ctx.input(3).dims]
    require_gate(ctx, 4, k, k.number * k.size, "the decay is [batch, length, heads] or [batch, length, heads*size]")
    require_gate(ctx, 5, k, 1, "the rate is [batch, length, heads] or [batch, length, 1]")
    dtype = ctx.input(3).dtype if ctx.has(3) else None
    return [ctx.tensor([state[0], q.length, q.number * state[3]]), ctx.tensor(state, dtype)]


def require_gate(ctx: InferenceContext, index: int, k: Heads, other: Dim | int, law: str) -> None:
    """State that what gates each step has one element per head, or the other number of them."""
    if ctx.has(index):
        gate = ctx.input(index)
        require_shape(ctx, index, [k.batch, k.length, gate[-1] if gate.rank else 1], law)
        ctx.require(any_of(equal(gate[2], k.number), equal(gate[2], other)), law, gate[2], k.number)


@rule("RotaryEmbedding", since=23)
def rotary_embedding(ctx: InferenceContext) -> Tensor:
    """`X[b, h, s, d]` or `[b, s, h*d]` keeps its shape; the caches have half as many columns as are rotated."""
    x, cos, sin = (ctx.input(i) for i in range(3))
    ctx.check(x.rank in (3, 4), f"the input has 3 or 4 axes, not {x.rank}")
    parts = heads(ctx, x, "num_heads")
    turned = ctx.integer("rotary_embedding_dim", 0)
    ctx.check(turned >= 0, f"'rotary_embedding_dim' is not negative, but {turned}")
    ctx.limit(ctx.integer("num_heads", 0) >= 0, "attribute 'num_heads' is not negative")
    half = as_dim(turned // 2) if turned else parts.size // 2
    ctx.require_agree(cos, sin, law="both caches have the same shape")
    if ctx.has(3):
        require_rows(ctx, parts, half)
    else:
        require_shape(ctx, 1, [parts.batch, parts.length, half], "the caches are [batch, length, rotated/2]")
    return ctx.tensor(x.dims)


def require_rows(ctx: InferenceContext, parts: Heads, half: Dim) -> None:
    """State that the caches have a row for each of the positions that the last input lists."""
    cos = ctx.input(1, rank=2)
    ctx.require_equal(cos[1], half, "the caches have half as many columns as are rotated")
    ctx.require_at_least(cos[0], parts.length, "the caches have a row per position")
    require_shape(ctx, 3, [parts.batch, parts.length], "positions are [batch, length]")
    require_places(ctx, 3, cos[0], "positions are in the caches")
