"""Matrix products, recurrent cells and sequences, attention and Einsum."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.math.linear import (
    einsum_axes,
    einsum_operands,
    expand_ellipsis,
    joint_sizes,
    parse_equation,
    transpose_dims,
)
from shapesmt.operators.ops.math.recurrent import GATES
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.follows import heads_apart, product_axes, rows
from shapesmt.operators.ops.shared.indices import require_places
from shapesmt.operators.ops.shared.require import open_unless, require_shape
from shapesmt.operators.rules import Follows, RuleContext, Shape, Tensor, Traits
from shapesmt.prover.algebra import Dim, equal


def turned_product(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """As for a product of matrices, of which either may be transposed."""
    plain = product_axes(ctx, outputs)
    pairs = zip((letters or () for letters in plain.inputs), ("transpose_a", "transpose_b"), strict=False)
    turned = ((*read[:-2], *read[:-3:-1]) if ctx.flag(flag) and len(read) > 1 else read for read, flag in pairs)
    return plain._replace(inputs=tuple(turned))


@operator("MatMul", traits=Traits.MIXED, follows=turned_product)
def matmul(ctx: RuleContext) -> Tensor:
    """Multiply `[..., M, K] x [..., K, N] -> [..., M, N]` with broadcast batch axes; vectors aren't transposed."""
    a = transpose_dims(ctx.input(0), ctx.integer("transpose_a", 0))
    b = transpose_dims(ctx.input(1), ctx.integer("transpose_b", 0))
    ctx.require_equal(a[-1], b[-2:][0], laws.INNER_SIZES_EQUAL)
    batch = ctx.broadcast(a[:-2], b[:-2], law=laws.BATCH_SIZES_BROADCAST)
    return ctx.tensor(batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ()))


@operator("LSTMCell", "LSTMCell-1", "GRUCell", "RNNCell", follows=rows(0, 1, 2))
def cell(ctx: RuleContext) -> list[Tensor]:
    """Compute the next states from `x[batch, input]` and states `[batch, hidden]`; the states define `hidden`."""
    x, hidden, kind = ctx.input(0), ctx.input(1)[1], ctx.node.op.partition("Cell")[0]
    gates, states = GATES[kind] * hidden, 2 if kind == "LSTM" else 1
    state = (x[0], hidden)
    if ctx.node.op == "LSTMCell-1":
        ctx.require_equal(hidden, ctx.integer("hidden_size"), laws.STATE_BATCH_HIDDEN)
    require_shape(ctx, range(1, 1 + states), state, laws.STATE_BATCH_HIDDEN)
    _require_weights(ctx, 1 + states, gates, (x[1], hidden))
    return [ctx.tensor(state)] * states


W_GATES_HIDDEN_INPUT = laws.SM117.law("W is [gates*hidden, input]")
R_GATES_HIDDEN_HIDDEN = laws.SM117.law("R is [gates*hidden, hidden]")
B_GATES_HIDDEN = laws.SM117.law("B is [gates*hidden]")


def _require_weights(ctx: RuleContext, first: int, gates: Dim, sizes: tuple[Dim, Dim]) -> None:
    """Require the shapes of a cell's weights and biases: `[gates, input]`, `[gates, hidden]`, `[biases]`.

    They are the three inputs from index `first` on; `sizes` is (input, hidden).
    """
    require_shape(ctx, first, (gates, sizes[0]), W_GATES_HIDDEN_INPUT)
    require_shape(ctx, first + 1, (gates, sizes[1]), R_GATES_HIDDEN_HIDDEN)
    require_shape(ctx, first + 2, (_biases(ctx, gates, sizes[1]),), B_GATES_HIDDEN)


def _biases(ctx: RuleContext, gates: Dim, hidden: Dim) -> Dim:
    """Return the number of biases: `gates`, and `hidden` more if `linear_before_reset` is set."""
    return gates + hidden if ctx.integer("linear_before_reset", 0) else gates


STATE_BATCH_DIRECTIONS_HIDDEN = laws.SM117.law("an initial state is [batch, directions, hidden]")
B_DIRECTIONS_GATES_HIDDEN = laws.SM117.law("B is [directions, gates*hidden]")


@operator("LSTMSequence", "GRUSequence", "RNNSequence", follows=rows(0, 1, 2, 3))
def sequence(ctx: RuleContext) -> list[Tensor]:
    """Map `x[batch, seq, input]` to all states `[batch, directions, seq, hidden]` and the last states."""
    x, hidden, kind = ctx.input(0), ctx.input(1)[2], ctx.node.op.removesuffix("Sequence")
    states = 2 if kind == "LSTM" else 1
    directions = 2 if ctx.text("direction", "forward").lower() == "bidirectional" else 1
    gates, state = GATES[kind] * hidden, (x[0], directions, hidden)
    require_shape(ctx, range(1, 1 + states), state, STATE_BATCH_DIRECTIONS_HIDDEN)
    require_shape(ctx, 1 + states, (x[0],), laws.SEQUENCE_LENGTH_PER_SAMPLE)
    if ctx.text("direction", "forward").lower() != "forward":
        require_places(ctx, 1 + states, x[1], laws.LENGTHS_AT_MOST_SEQUENCE, 0)
    require_shape(ctx, 2 + states, (directions, gates, x[2]), laws.W_DIRECTIONS_GATES_HIDDEN_INPUT)
    require_shape(ctx, 3 + states, (directions, gates, hidden), laws.R_DIRECTIONS_GATES_HIDDEN_HIDDEN)
    require_shape(ctx, 4 + states, (directions, _biases(ctx, gates, hidden)), B_DIRECTIONS_GATES_HIDDEN)
    ctx.require_at_least(x[1], 1, laws.SEQUENCE_NOT_EMPTY)
    return [ctx.tensor((x[0], directions, x[1], hidden)), *[ctx.tensor(state)] * states]


QUERY_AND_KEY_SAME_HEAD_SIZE = laws.SM112.law("queries and keys have the same head size")
KEYS_AS_MANY_AS_VALUES = laws.SM115.law("keys and values are as many")
VALUES_RANK_AT_MOST_SCORES = laws.SM303.law("the values' rank is at most that of the queries or the keys")


@operator("ScaledDotProductAttention", traits=Traits.MIXED, follows=heads_apart)
def attention(ctx: RuleContext) -> Tensor:
    """Compute attention: queries `[..., L, E]`, keys `[..., S, E]`, values `[..., S, V]` -> `[..., L, V]`."""
    q, k, v = (ctx.input(i) for i in range(3))
    ctx.require_equal(q[-1], k[-1], QUERY_AND_KEY_SAME_HEAD_SIZE)
    ctx.require_equal(k[-2], v[-2], KEYS_AS_MANY_AS_VALUES)
    ctx.check(v.rank <= max(q.rank, k.rank), VALUES_RANK_AT_MOST_SCORES)
    scores = (*ctx.broadcast(q.dims[:-2], k.dims[:-2], v.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), q[-2], k[-2])
    return ctx.tensor([*_add_mask(ctx, scores)[:-1], v[-1]])


MASK_AT_LEAST_2_AXES_OR_NONE = laws.SM113.law("the mask has at least 2 axes, or none")


def _add_mask(ctx: RuleContext, scores: Shape) -> Shape:
    """Return the shape of `scores` plus mask.

    That is `scores` itself if there is no mask, the mask is a scalar, or `causal` is set.
    """
    if not ctx.has(3) or ctx.input(3).rank == 0 or ctx.integer("causal", 0):
        return scores
    ctx.check(ctx.input(3).rank > 1, MASK_AT_LEAST_2_AXES_OR_NONE)
    return ctx.broadcast(ctx.input(3).dims, scores, law=laws.MASK_BROADCASTS_TO_SCORES)


@operator("Einsum", traits=Traits.MIXED, follows=einsum_axes)
def einsum(ctx: RuleContext) -> Tensor:
    """Contract inputs by an equation: each letter is one size (or 1); ellipses are aligned from the right."""
    terms, output_term = parse_equation(ctx.text("equation"))
    operands = einsum_operands(ctx, terms)
    counts = [x.rank - len(term) + 1 for term, x in zip(terms, operands, strict=True)]
    names = _hidden_letters(terms, counts)
    spelled = [expand_ellipsis(t, names[max(0, len(names) - n) :]) for t, n in zip(terms, counts, strict=True)]
    sizes = joint_sizes(ctx, spelled, operands)
    ctx.check(sizes.keys() >= set(expand_ellipsis(output_term, names)), laws.OUTPUT_LETTERS_AMONG_INPUTS)
    return ctx.tensor([sizes[letter] for letter in expand_ellipsis(output_term, names)])


def _hidden_letters(terms: Sequence[list[str]], counts: Sequence[int]) -> list[str]:
    """Return a letter for each axis of the longest ellipsis; `counts` has the axes that each term's may stand for."""
    hidden = max([count for term, count in zip(terms, counts, strict=True) if "..." in term], default=0)
    return [f"...{i}" for i in range(hidden)]


OFFSET_PER_GROUP = laws.SM116.law("there is one offset for each group")


@operator("GroupedMatMul")
def grouped_matmul(ctx: RuleContext) -> Tensor:
    """Multiply `[g, m, k]`, or rows `[m, k]` that offsets split into g groups, by `[g, n, k]`."""
    a, b = ctx.input(0), ctx.input(1)
    ctx.require_rank(b, 3)
    ctx.require_equal(a[-1], b[-1], laws.INNER_SIZES_EQUAL)
    if ctx.has(2):
        open_unless(ctx, OFFSET_PER_GROUP, equal(ctx.input(2)[0], b[0]))
    if a.rank == 3:
        ctx.require_equal(a[0], b[0], laws.BATCH_SIZES_BROADCAST)
    return ctx.tensor([*a.dims[:-1], b[-2]])
