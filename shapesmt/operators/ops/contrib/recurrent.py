"""Recurrent layers of `com.microsoft`: quantized weights, attention to a memory."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.math.recurrent import direction_count, require_states
from shapesmt.operators.ops.shared.require import require_shape, require_vector
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import Dim, all_of, at_least

W_DIRECTIONS_INPUT_4_HIDDEN = laws.SM117.law("W is [directions, input, 4*hidden]")
R_DIRECTIONS_HIDDEN_4_HIDDEN = laws.SM117.law("R is [directions, hidden, 4*hidden]")
SCALE_AND_ZERO_POINT_PER_DIRECTION_OR_COLUMN = laws.SM109.law(
    "there is a scale and zero point per direction, or per column of each"
)


@contrib("DynamicQuantizeLSTM")
def quantized_lstm(ctx: RuleContext) -> list[Tensor]:
    """Apply an LSTM whose weights `[directions, input, 4 * hidden]` are transposed and quantized."""
    x, hidden, directions = ctx.input(0, rank=3), ctx.integer("hidden_size"), direction_count(ctx)
    last = (directions, x[1], hidden)
    require_shape(ctx, 1, (directions, x[2], 4 * hidden), W_DIRECTIONS_INPUT_4_HIDDEN)
    require_shape(ctx, 2, (directions, hidden, 4 * hidden), R_DIRECTIONS_HIDDEN_4_HIDDEN)
    require_shape(ctx, 3, (directions, 8 * hidden), laws.B_DIRECTIONS_8_HIDDEN)
    require_states(ctx, x[1], last)
    require_shape(ctx, 7, (directions, 3 * hidden), laws.P_DIRECTIONS_3_HIDDEN)
    for index in (8, 9, 10, 11):
        shape = (directions, 4 * hidden)[: max(ctx.input(index).rank, 1)]
        require_shape(ctx, index, shape, SCALE_AND_ZERO_POINT_PER_DIRECTION_OR_COLUMN)
    return [ctx.tensor((x[0], *last)), ctx.tensor(last), ctx.tensor(last)]


W_DIRECTIONS_4_HIDDEN_INPUT_AND_ATTENDED = laws.SM117.law("W is [directions, 4*hidden, input + attended]")
R_DIRECTIONS_4_HIDDEN_HIDDEN = laws.SM117.law("R is [directions, 4*hidden, hidden]")


@contrib("AttnLSTM")
def attention_lstm(ctx: RuleContext) -> list[Tensor]:
    """Apply an LSTM with attention to a memory: `[seq, batch, input] -> [seq, directions, batch, hidden]`."""
    x, hidden, directions = ctx.input(0, rank=3), ctx.integer("hidden_size"), direction_count(ctx)
    last, read = (directions, x[1], hidden), x[2] + _memory_features(ctx, x[1], directions, hidden)
    ctx.require_at_least(x[0], 1, laws.SEQUENCE_NOT_EMPTY)
    ctx.require_at_least(x[1], 1, laws.BATCH_NOT_EMPTY)
    require_shape(ctx, 1, (directions, 4 * hidden, read), W_DIRECTIONS_4_HIDDEN_INPUT_AND_ATTENDED)
    require_shape(ctx, 2, (directions, 4 * hidden, hidden), R_DIRECTIONS_4_HIDDEN_HIDDEN)
    require_shape(ctx, 3, (directions, 8 * hidden), laws.B_DIRECTIONS_8_HIDDEN)
    require_shape(ctx, 7, (directions, 3 * hidden), laws.P_DIRECTIONS_3_HIDDEN)
    require_states(ctx, x[1], last)
    _require_lengths(ctx, 4, x[0], laws.LENGTHS_AT_MOST_SEQUENCE)
    return [ctx.tensor((x[0], *last)), ctx.tensor(last), ctx.tensor(last)]


MEMORY_HAS_BATCH = laws.SM117.law("the memory has the input's batch")
MEMORY_NOT_EMPTY = laws.SM117.law("the memory has a step")
MW_DIRECTIONS_FEATURES_WIDTH = laws.SM117.law("MW is [directions, features, width]")
QW_DIRECTIONS_HIDDEN_WIDTH = laws.SM117.law("QW is [directions, hidden, width]")
V_DIRECTIONS_WIDTH = laws.SM117.law("V is [directions, width]")
MEMORY_LENGTH_PER_SAMPLE = laws.SM117.law("there is a length of the memory per sample")
MEMORY_LENGTHS_INSIDE_MEMORY = laws.SM117.law("the memory's lengths are positive and inside the memory")
AW_DIRECTIONS_FEATURES_HIDDEN_ATTENDED = laws.SM117.law("AW is [directions, features + hidden, attended]")


def _memory_features(ctx: RuleContext, batch: Dim, directions: int, hidden: int) -> Dim:
    """Return the number of features read from a memory `[batch, steps, features]`, directly or through a layer AW."""
    given, weights = ctx.input(11, rank=3), ctx.input(9, rank=3)
    steps, features, width = given[1], given[2], weights[2]
    ctx.require_equal(given[0], batch, MEMORY_HAS_BATCH)
    ctx.require_at_least(steps, 1, MEMORY_NOT_EMPTY)
    require_shape(ctx, 9, (directions, features, width), MW_DIRECTIONS_FEATURES_WIDTH)
    for index, shape, law in (
        (8, (directions, hidden, width), QW_DIRECTIONS_HIDDEN_WIDTH),
        (10, (directions, width), V_DIRECTIONS_WIDTH),
    ):
        ctx.input(index)
        require_shape(ctx, index, shape, law)
    require_vector(ctx, 12, batch, MEMORY_LENGTH_PER_SAMPLE)
    _require_lengths(ctx, 12, steps, MEMORY_LENGTHS_INSIDE_MEMORY)
    if not ctx.has(13):
        return features
    layer = ctx.input(13, rank=3)
    require_shape(ctx, 13, (directions, features + hidden, layer[2]), AW_DIRECTIONS_FEATURES_HIDDEN_ATTENDED)
    return layer[2]


def _require_lengths(ctx: RuleContext, index: int, longest: Dim, law: laws.Law) -> None:
    """Require that the known lengths in input `index` are from 1 to `longest`."""
    for item in ctx.items(index) or ():
        if item is not None:
            ctx.require(all_of(at_least(item, 1), at_least(longest, item)), law, item, longest)
