"""Attention operators and rotary embeddings."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES, Runtime
from shapesmt.operators.ops.shared.follows import alone, rows
from shapesmt.operators.ops.shared.heads import Heads, heads_of, require_strides
from shapesmt.operators.ops.shared.indices import require_places
from shapesmt.operators.ops.shared.require import require_least, require_shape
from shapesmt.operators.rules import Follows, RuleContext, Tensor, Traits, rule, tensor
from shapesmt.prover.algebra import FALSE, Dim, any_of, as_dim, equal


def require_groups(ctx: RuleContext, q: Heads, k: Heads) -> None:
    """Require that the number of key heads divides the number of query heads."""
    law = laws.HEADS_OF_KEYS_DIVIDE_HEADS_OF_QUERIES
    ctx.require_at_least(k.number, 1, laws.AT_LEAST_ONE_HEAD)
    ctx.require(any_of(equal(q.number, k.number), equal(q.number % k.number, 0)), law, q.number, k.number)


def require_pair(ctx: RuleContext, q: Heads, k: Heads, v: Heads) -> None:
    """Require that queries, keys and values agree in batch, length, heads and head size."""
    for other in (k, v):
        ctx.require_equal(other.batch, q.batch, laws.QUERIES_KEYS_VALUES_SAME_BATCH)
    ctx.require_equal(k.size, q.size, laws.KEY_SIZED_AS_QUERY)
    ctx.require_equal(v.number, k.number, laws.VALUE_HEADS_AS_KEY_HEADS)
    ctx.require_equal(v.length, k.length, laws.VALUE_PER_KEY)
    require_groups(ctx, q, k)


QUERIES_RANK = laws.SM303.law("queries have {axes} axes, not {rank}")
QUERIES_KEYS_VALUES_SAME_RANK = laws.SM303.law("queries, keys and values have the same rank")
ATTRIBUTE_IS_HEAD_COUNT = laws.SM502.law("attribute '{name}' is the number of heads")


def project(ctx: RuleContext, *ranks: int) -> list[Heads]:
    """Return the heads of queries, keys and values; require that they agree, and that their rank is one of `ranks`."""
    tensors = [ctx.input(i) for i in range(3)]
    admitted = " or ".join(map(str, ranks))
    ctx.check(tensors[0].rank in ranks, QUERIES_RANK.of(axes=admitted, rank=tensors[0].rank))
    for t in tensors[1:]:
        if t.shape is None:
            ctx.require_rank(t, tensors[0].rank)
        ctx.check(t.rank == tensors[0].rank, QUERIES_KEYS_VALUES_SAME_RANK)
    kinds = [f"{kind}_num_heads" for kind in ("q", "kv", "kv")]
    groups = [heads_of(ctx, t, kind) for t, kind in zip(tensors, kinds, strict=True)]
    for head, kind in zip(groups, kinds, strict=True):
        ctx.require_equal(
            head.number, max(ctx.integer(kind, 0), 0) or head.number, ATTRIBUTE_IS_HEAD_COUNT.of(name=kind)
        )
    require_pair(ctx, *groups)
    return groups


PAST_TENSORS_OR_LENGTHS = laws.SM114.law("the past is given as keys and values or as lengths, not both")


def attended(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Everything has the batch on axis 0; a mask has it if it has four axes."""
    heads = ctx.input(0).rank == 4 and ctx.input(0).dims[1] is ctx.input(1).dims[1]
    axes = (0, 1) if heads else (0,)
    reads = [() if t is None or (i == 3 and t.rank < 4) else alone(t.rank, axes) for i, t in enumerate(ctx.inputs)]
    return Follows(tuple(reads), tuple(alone(t.rank, axes) for t in outputs))


def rotated(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The batch is on axis 0, also of the caches unless there are positions that read them."""
    reads = [() if t is None or (i in (1, 2) and ctx.has(3)) else alone(t.rank) for i, t in enumerate(ctx.inputs)]
    return Follows(tuple(reads), tuple(alone(t.rank) for t in outputs))


@rule("Attention", since=23, traits=Traits.MIXED, follows=attended)
def attention(ctx: RuleContext) -> list[Tensor]:
    """Compute `softmax(q @ k.T + mask) @ v` per head: queries `[b, h, s, d]`, values `[b, h, t, e]`: `[b, h, s, e]`.

    With three axes the heads are packed: `[b, s, h*d]`. Cached keys and values come before the new ones.
    """
    q, k, v = project(ctx, 3, 4)
    require_least(ctx, (*ctx.input(0).dims, k.length, v.size), 1, laws.QUERIES_KEYS_VALUES_NOT_EMPTY)
    total = past(ctx, k, v) + k.length
    _require_settings(ctx, q, total)
    ctx.check(not (ctx.has(4) and ctx.has(6)), PAST_TENSORS_OR_LENGTHS)
    require_mask(ctx, 3, (q.batch, q.number, q.length), total)
    y = q._replace(size=v.size)
    return [
        ctx.tensor(y.packed if ctx.input(0).rank == 3 else y),
        ctx.tensor(k._replace(length=total)),
        ctx.tensor(v._replace(length=total), ctx.input(2).dtype),
        ctx.tensor(q._replace(size=total)),
    ]


PRESENT_KEYS_AND_VALUES_TOGETHER = laws.SM405.law("the keys so far and the values so far are both outputs, or neither")
HEAD_ATTRIBUTE_WITH_RANK_3 = laws.SM112.law("attribute '{name}' comes with queries, keys and values of rank 3")
PAST_KEYS_AND_VALUES_GIVEN_TOGETHER = laws.SM405.law("keys and values of the past are given together")


@rule("Attention", since=25, traits=Traits.MIXED, follows=attended)
def defined_attention(ctx: RuleContext) -> list[Tensor]:
    """Compute attention as its definition does, since ONNX Runtime 1.32: sizes of 1 broadcast, and any may be 0.

    Requires what ONNX's inference does of ranks, attributes and outputs.
    """
    ctx.check(ctx.makes(1) == ctx.makes(2), PRESENT_KEYS_AND_VALUES_TOGETHER)
    if ctx.runtime is Runtime.ONNX and not ctx.since((1, 32)):
        return attention(ctx)
    packed = ctx.input(0).rank == 3
    for rank in (ctx.input(index).rank for index in range(3)):
        ctx.check(rank in (3, 4), QUERIES_RANK.of(axes="3 or 4", rank=rank))
    require_windows(ctx)
    for name in ("q_num_heads", "kv_num_heads"):
        ctx.check(packed or name not in ctx.attributes, HEAD_ATTRIBUTE_WITH_RANK_3.of(name=name))
        count = ctx.integer(name, None if packed else 1)
        ctx.check(count > 0, laws.ATTRIBUTE_POSITIVE.of(name=name, value=count))
    ctx.check(ctx.has(4) == ctx.has(5), PAST_KEYS_AND_VALUES_GIVEN_TOGETHER)
    ctx.check(not (ctx.has(6) and (ctx.has(4) or ctx.makes(1) or ctx.makes(2))), PAST_TENSORS_OR_LENGTHS)
    ctx.defined = True
    return []


SCALE_ATTRIBUTE_POSITIVE = laws.SM502.law("attribute 'scale' is positive")
NONPAD_KV_SEQLEN_PER_SAMPLE = laws.SM116.law("nonpad_kv_seqlen has one length per sample")
MASK_BOOL_OR_OF_QUERIES_TYPE = laws.SM501.law("the mask is boolean, or of the queries' type")
SCORES_OF_QUERIES_TYPE = laws.SM501.law("scores beside a mask of another type are of the queries' type, not {dtype}")
QK_OUTPUT_MODE = laws.SM502.law("attribute 'qk_matmul_output_mode' is one from -1 to 3")


def _require_settings(ctx: RuleContext, q: Heads, total: Dim) -> None:
    """Require the shape of unpadded lengths, the range of window sizes and scales, and which types combine."""
    require_windows(ctx)
    scale = ctx.attribute("scale")
    ctx.limit(not isinstance(scale, float) or scale > 0, SCALE_ATTRIBUTE_POSITIVE)
    require_shape(ctx, 6, [q.batch], NONPAD_KV_SEQLEN_PER_SAMPLE)
    require_places(ctx, 6, total + 1, laws.NONPAD_KV_SEQLEN_COUNTS_KEYS)
    kinds = {ctx.input(i).dtype for i in (0, 2)}
    ctx.limit(len(kinds - {""}) <= 1, laws.SAME_TYPE_AS_INPUT.of(kind="values"))
    native = not ctx.has(3) or ctx.input(3).dtype in {"bool", ""} | kinds
    added = ctx.flag("is_causal", only_one=True) or ctx.has(6)
    ctx.limit(native or not added, MASK_BOOL_OR_OF_QUERIES_TYPE)
    ctx.limit(not (native and ctx.has(4)) or (ctx.makes(1) and ctx.makes(2)), laws.PRESENT_WITH_PAST)
    mode, scores = ctx.integer("qk_matmul_output_mode", 0), ctx.integer("softmax_precision", 0)
    kept = native or ctx.outputs < 4 or mode != 3 or DTYPES.get(scores, "") in {""} | kinds
    ctx.limit(kept, SCORES_OF_QUERIES_TYPE.of(dtype=DTYPES.get(scores, "")))
    ctx.limit(ctx.outputs < 4 or mode in range(-1, 4), QK_OUTPUT_MODE)


def past(ctx: RuleContext, k: Heads, v: Heads) -> Dim:
    """Return the number of cached keys and values; require that the caches fit the new ones."""
    ctx.check(ctx.has(4) == ctx.has(5), PAST_KEYS_AND_VALUES_GIVEN_TOGETHER)
    return k.past(ctx, 4, 5, v.size, (laws.PAST_KEYS_SHAPE, laws.PAST_VALUES_SHAPE))


WINDOW_SIZE_AT_LEAST_MINUS_1 = laws.SM502.law("'{side}_window_size' is at least -1, not {window}")


def require_windows(ctx: RuleContext) -> None:
    """Require that window sizes are -1 (unlimited) or more."""
    for side in ("left", "right"):
        window = ctx.integer(f"{side}_window_size", -1)
        ctx.check(window >= -1, WINDOW_SIZE_AT_LEAST_MINUS_1.of(side=side, window=window))


def require_mask(ctx: RuleContext, index: int, before: Sequence[Dim | int], total: Dim) -> None:
    """Require the shape of the optional mask; `before` is batch, heads and queries, `total` the number of keys.

    ONNX would broadcast any axis of it, and pad the last from opset 24 on; runtimes do neither.
    """
    law = laws.MASK_ROW_PER_QUERY_COLUMN_PER_KEY
    if not ctx.has(index):
        return
    mask = ctx.input(index)
    if not 2 <= mask.rank <= 4:
        ctx.require(FALSE, law)
        return
    ctx.require_equal(mask[-1], total, law)
    ctx.require_equal(mask[-2], before[2], law)
    for size, expected in zip(mask.dims[:-2][::-1], before[1::-1], strict=False):
        ctx.require(any_of(equal(size, expected), equal(size, 1)), law, size, expected)


QUERIES_KEYS_VALUES_SAME_TYPE = laws.SM501.law("queries, keys and values have the same element type")
MAKES_ONE_TENSOR = laws.SM501.law("'{name}' makes one tensor")
ATTRIBUTE_KEEPS_SHAPE = laws.SM502.law("'{name}' keeps the shape")
KEEPS_ELEMENT_TYPE = laws.SM501.law("'{name}' keeps the element type")


@rule("FlexAttention", domain="ai.onnx.preview", nested=True)
def flex_attention(ctx: RuleContext) -> Tensor:
    """Compute `prob_mod(softmax(score_mod(q @ k.T))) @ v` per head; both subgraphs keep the shape."""
    q, k, v = project(ctx, 4)
    ctx.check(len({ctx.input(i).dtype for i in range(3)} - {""}) <= 1, QUERIES_KEYS_VALUES_SAME_TYPE)
    scores = tensor(softmax_type(ctx, ctx.input(0)), q._replace(size=k.length))
    for name in ("score_mod", "prob_mod"):
        if name in ctx.attributes:
            modified = ctx.run_graph(ctx.graph(name), [scores], name)
            ctx.check(len(modified) == 1, MAKES_ONE_TENSOR.of(name=name))
            if modified[0].shape is not None:
                ctx.require_agree(scores, modified[0], law=ATTRIBUTE_KEEPS_SHAPE.of(name=name))
            ctx.check(modified[0].dtype in ("", scores.dtype), KEEPS_ELEMENT_TYPE.of(name=name))
    return ctx.tensor(q._replace(size=v.size))


def softmax_type(ctx: RuleContext, q: Tensor) -> str:
    """Return the element type in which scores are computed."""
    wide = "float64" if q.dtype == "float64" else "float32"
    if "softmax_precision" not in ctx.attributes:
        return wide
    return DTYPES.get(ctx.integer("softmax_precision"), "")


KEY_PER_QUERY = laws.SM115.law("each query has a key")
STATE_SHAPE = laws.SM115.law("the state is [batch, heads, key size, value size]")
DECAY_SHAPE = laws.SM115.law("the decay is [batch, length, heads] or [batch, length, heads*size]")
RATE_SHAPE = laws.SM115.law("the rate is [batch, length, heads] or [batch, length, 1]")


@rule("LinearAttention", since=27, follows=rows(0, 1, 2, 3, 4, 5))
def linear_attention(ctx: RuleContext) -> list[Tensor]:
    """Map queries `[b, s, h*d]`, keys `[b, s, g*d]` and values `[b, s, g*e]` to `[b, s, h*e]`.

    The second output is the state `[b, g, d, e]`. Heads are split by a Reshape that infers their size, so inputs must
    not be empty. A Reshape that reads 0 as "copy this size" repeats states that several heads share, so heads have
    features.
    """
    q, k, v = project(ctx, 3)
    ctx.require_at_least(q.batch, 1, laws.BATCH_NOT_EMPTY)
    ctx.require_at_least(q.length, 1, laws.SEQUENCE_NOT_EMPTY)
    ctx.require_equal(k.length, q.length, KEY_PER_QUERY)
    require_least(ctx, (k.size, v.size) if q.number is not k.number else (), 1, laws.HEADS_HAVE_FEATURES)
    _check_gates(ctx)
    state = [*k._replace(length=k.size, size=v.size)]
    require_shape(ctx, 3, state, STATE_SHAPE)
    if ctx.has(3):
        state = [*ctx.input(3).dims]
    require_gate(ctx, 4, k, k.hidden, DECAY_SHAPE)
    require_gate(ctx, 5, k, 1, RATE_SHAPE)
    dtype = ctx.input(3).dtype if ctx.has(3) else None
    return [ctx.tensor([state[0], q.length, q.number * state[3]]), ctx.tensor(state, dtype)]


UPDATE_RULE_HAS = laws.SM115.law("the update rule '{rule}' has a {input}")
UPDATE_RULE_HAS_NO = laws.SM115.law("the update rule '{rule}' has no {input}")


def _check_gates(ctx: RuleContext) -> None:
    """Require decay and rate exactly if the update rule uses them."""
    rules = ctx.text("update_rule", "gated_delta")
    for index, kind, what in ((4, "gated", "decay"), (5, "delta", "rate")):
        law = UPDATE_RULE_HAS if kind in rules else UPDATE_RULE_HAS_NO
        ctx.check((kind in rules) == ctx.has(index), law.of(rule=rules, input=what))


def require_gate(ctx: RuleContext, index: int, k: Heads, other: Dim | int, law: laws.Law) -> None:
    """Require that the gate, an optional input, has one element per step and head, or `other` elements per step."""
    if ctx.has(index):
        gate = ctx.input(index)
        require_shape(ctx, index, [k.batch, k.length, gate[-1] if gate.rank else 1], law)
        ctx.require(any_of(equal(gate[2], k.number), equal(gate[2], other)), law, gate[2], k.number)


INPUT_3_OR_4_AXES = laws.SM303.law("the input has 3 or 4 axes, not {rank}")


@rule("RotaryEmbedding", since=23, follows=rotated)
def rotary_embedding(ctx: RuleContext) -> Tensor:
    """Rotate `X[b, h, s, d]` or `[b, s, h*d]`; the shape is unchanged, and caches have half the rotated columns."""
    x, cos, sin = (ctx.input(i) for i in range(3))
    ctx.check(x.rank in (3, 4), INPUT_3_OR_4_AXES.of(rank=x.rank))
    parts = heads_of(ctx, x, "num_heads")
    turned = ctx.integer("rotary_embedding_dim", 0)
    ctx.check(turned >= 0, laws.ROTARY_EMBEDDING_DIM_NOT_NEGATIVE.of(dim=turned))
    ctx.require_at_least(parts.size, turned, laws.ROTATED_PART_FITS_HEAD)
    ctx.limit(ctx.integer("num_heads", 0) >= 0, laws.NUM_HEADS_NOT_NEGATIVE)
    half = as_dim(turned // 2) if turned else parts.size // 2
    ctx.require_agree(cos, sin, law=laws.CACHES_SAME_SHAPE)
    if ctx.has(3):
        require_rows(ctx, parts, half)
    else:
        require_shape(ctx, 1, [parts.batch, parts.length, half], laws.CACHES_BATCH_LENGTH_ROTATED)
    require_strides(ctx, x, cos[0])
    return ctx.tensor(x.dims)


def require_rows(ctx: RuleContext, parts: Heads, half: Dim) -> None:
    """Require that the caches have a row for each of the positions that the last input lists."""
    cos = ctx.input(1, rank=2)
    ctx.require_equal(cos[1], half, laws.CACHES_HALF_AS_MANY_COLUMNS_AS_ROTATED)
    ctx.require_at_least(cos[0], parts.length, laws.CACHES_ROW_PER_POSITION)
    require_shape(ctx, 3, [parts.batch, parts.length], laws.POSITIONS_BATCH_LENGTH)
    require_places(ctx, 3, cos[0], laws.POSITIONS_IN_CACHES)
