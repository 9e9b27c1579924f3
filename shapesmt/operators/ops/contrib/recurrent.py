"""Recurrent layers of `com.microsoft`: quantized weights, attention to a memory."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.math.recurrent import direction_count, require_states
from shapesmt.operators.ops.shared.require import require_shape, require_vector
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import Dim, all_of, at_least


@contrib("DynamicQuantizeLSTM")
def quantized_lstm(ctx: RuleContext) -> list[Tensor]:
    """Apply an LSTM whose weights `[directions, input, 4 * hidden]` are transposed and quantized."""
    x, hidden, directions = ctx.input(0, rank=3), ctx.integer("hidden_size"), direction_count(ctx)
    last = (directions, x[1], hidden)
    require_shape(ctx, 1, (directions, x[2], 4 * hidden), laws.W_DIRECTIONS_INPUT_4_HIDDEN)
    require_shape(ctx, 2, (directions, hidden, 4 * hidden), laws.R_DIRECTIONS_HIDDEN_4_HIDDEN)
    require_shape(ctx, 3, (directions, 8 * hidden), laws.B_DIRECTIONS_8_HIDDEN)
    require_states(ctx, x[1], last)
    require_shape(ctx, 7, (directions, 3 * hidden), laws.P_DIRECTIONS_3_HIDDEN)
    for index in (8, 9, 10, 11):
        shape = (directions, 4 * hidden)[: max(ctx.input(index).rank, 1)]
        require_shape(ctx, index, shape, laws.SCALE_AND_ZERO_POINT_PER_DIRECTION_OR_COLUMN)
    return [ctx.tensor((x[0], *last)), ctx.tensor(last), ctx.tensor(last)]


@contrib("AttnLSTM")
def attention_lstm(ctx: RuleContext) -> list[Tensor]:
    """Apply an LSTM with attention to a memory: `[seq, batch, input] -> [seq, directions, batch, hidden]`."""
    x, hidden, directions = ctx.input(0, rank=3), ctx.integer("hidden_size"), direction_count(ctx)
    last, read = (directions, x[1], hidden), x[2] + _memory_features(ctx, x[1], directions, hidden)
    ctx.require_at_least(x[0], 1, laws.SEQUENCE_NOT_EMPTY)
    ctx.require_at_least(x[1], 1, laws.BATCH_NOT_EMPTY)
    require_shape(ctx, 1, (directions, 4 * hidden, read), laws.W_DIRECTIONS_4_HIDDEN_INPUT_AND_ATTENDED)
    require_shape(ctx, 2, (directions, 4 * hidden, hidden), laws.R_DIRECTIONS_4_HIDDEN_HIDDEN)
    require_shape(ctx, 3, (directions, 8 * hidden), laws.B_DIRECTIONS_8_HIDDEN)
    require_shape(ctx, 7, (directions, 3 * hidden), laws.P_DIRECTIONS_3_HIDDEN)
    require_states(ctx, x[1], last)
    _require_lengths(ctx, 4, x[0], laws.LENGTHS_AT_MOST_SEQUENCE)
    return [ctx.tensor((x[0], *last)), ctx.tensor(last), ctx.tensor(last)]


def _memory_features(ctx: RuleContext, batch: Dim, directions: int, hidden: int) -> Dim:
    """Return the number of features read from a memory `[batch, steps, features]`, directly or through a layer AW."""
    given, weights = ctx.input(11, rank=3), ctx.input(9, rank=3)
    steps, features, width = given[1], given[2], weights[2]
    ctx.require_equal(given[0], batch, laws.MEMORY_HAS_BATCH)
    ctx.require_at_least(steps, 1, laws.MEMORY_NOT_EMPTY)
    require_shape(ctx, 9, (directions, features, width), laws.MW_DIRECTIONS_FEATURES_WIDTH)
    for index, shape, law in (
        (8, (directions, hidden, width), laws.QW_DIRECTIONS_HIDDEN_WIDTH),
        (10, (directions, width), laws.V_DIRECTIONS_WIDTH),
    ):
        ctx.input(index)
        require_shape(ctx, index, shape, law)
    require_vector(ctx, 12, batch, laws.MEMORY_LENGTH_PER_SAMPLE)
    _require_lengths(ctx, 12, steps, laws.MEMORY_LENGTHS_INSIDE_MEMORY)
    if not ctx.has(13):
        return features
    layer = ctx.input(13, rank=3)
    require_shape(ctx, 13, (directions, features + hidden, layer[2]), laws.AW_DIRECTIONS_FEATURES_HIDDEN_ATTENDED)
    return layer[2]


def _require_lengths(ctx: RuleContext, index: int, longest: Dim, law: laws.Law) -> None:
    """Require that the known lengths in input `index` are from 1 to `longest`."""
    for item in ctx.items(index) or ():
        if item is not None:
            ctx.require(all_of(at_least(item, 1), at_least(longest, item)), law, item, longest)
