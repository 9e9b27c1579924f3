"""Smaller families: recurrent cells, audio, partitions, new tensors, seeds of random numbers, and assertions."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.network.graph import Declared
from shapesmt.operators.ops.control.subgraphs import truth_of
from shapesmt.operators.ops.shared.fields import integers_of
from shapesmt.operators.ops.shared.require import complete_sizes, require_first_axes, require_least, require_shape
from shapesmt.operators.ops.tensorflow.common import DOMAIN, require_each, require_numbers
from shapesmt.operators.rules import RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import Dim, all_of, as_dim, at_least, differs, less, maximum

# Recurrent blocks


STATE_BATCH_CELLS = laws.SM117.law("an initial state is [batch, cells]")
WEIGHTS_INPUT_CELLS_4_CELLS = laws.SM117.law("the weights are [input + cells, 4 * cells]")
BIAS_4_CELLS = laws.SM108.law("the bias is [4 * cells]")


@rule("LSTMBlockCell", "BlockLSTM", "BlockLSTMV2", domain=DOMAIN)
def lstm(ctx: RuleContext) -> list[Tensor]:
    """Run an LSTM cell on `[batch, input]`, or a block on `[time, batch, input]`; all seven outputs are states.

    A state has shape `[batch, cells]`, in the outputs of a block with the time axis in front.
    """
    at = 0 if ctx.node.op == "LSTMBlockCell" else 1
    x, cells = ctx.input(at, rank=2 + at), ctx.input(at + 1, rank=2)[1]
    state = (x[-2], cells)
    require_shape(ctx, (at + 1, at + 2), state, STATE_BATCH_CELLS)
    require_shape(ctx, at + 3, (x[-1] + cells, cells * 4), WEIGHTS_INPUT_CELLS_4_CELLS)
    require_shape(ctx, at + 7, (cells * 4,), BIAS_4_CELLS)
    require_peepholes(ctx, at, cells)
    return [ctx.tensor((*x.dims[:at], *state), x.dtype)] * 7


PEEPHOLE_CELLS = laws.SM117.law("a peephole is [cells]")
STEPS_AS_MANY_AS_LONGEST = laws.SM116.law("there are as many steps as the longest takes")


def require_peepholes(ctx: RuleContext, at: int, cells: Dim) -> None:
    """Require peephole vectors; in a block also one weight per cell, and step counts within `x`."""
    for peephole in range(at + 4, at + 7):
        x = ctx.input(peephole, rank=1)
        if at:
            ctx.require_equal(x[0], cells, PEEPHOLE_CELLS)
    if at:
        require_numbers(ctx, 0)
        steps = ctx.input(1)[0]
        law = STEPS_AS_MANY_AS_LONGEST
        require_each(ctx, ctx.input(0), lambda d: all_of(at_least(d, 0), at_least(steps, d)), law)


WEIGHTS_INPUT_CELLS_GATES_CELLS = laws.SM117.law("the weights are [input + cells, gates * cells]")


@rule("GRUBlockCell", domain=DOMAIN)
def gru(ctx: RuleContext) -> list[Tensor]:
    """Run a GRU cell on `[batch, input]` and a state `[batch, cells]`; all four outputs have the state's shape."""
    x, cells = ctx.input(0, rank=2), ctx.input(1, rank=2)[1]
    require_shape(ctx, 1, (x[0], cells), STATE_BATCH_CELLS)
    for gates, weights in ((2, 2), (1, 3)):
        require_shape(ctx, weights, (x[1] + cells, cells * gates), WEIGHTS_INPUT_CELLS_GATES_CELLS)
        require_shape(ctx, weights + 2, (cells * gates,), laws.BIAS_GATES_CELLS)
    return [ctx.tensor((x[0], cells))] * 4


# Audio


WINDOW_TWO_SAMPLES_AND_STEP = laws.SM202.law("the window has two samples or more, and the step is positive")


@rule("AudioSpectrogram", domain=DOMAIN)
def spectrogram(ctx: RuleContext) -> Tensor:
    """Compute spectrograms: `[samples, channels] -> [channels, windows, frequencies]`."""
    x, window, stride = ctx.input(0, rank=2), ctx.integer("window_size"), ctx.integer("stride")
    ctx.check(window >= 2 and stride >= 1, WINDOW_TWO_SAMPLES_AND_STEP)
    frequencies = (1 << (window - 1).bit_length()) // 2 + 1
    return ctx.tensor([x[1], maximum((x[0] - window) // stride + 1, 0), frequencies])


COEFFICIENT_COUNT = laws.SM401.law("there are between 1 and {filters} coefficients, not {count}")
FREQUENCIES_ARE_RANGE = laws.SM502.law("the frequencies are a range")
TWO_FREQUENCIES = laws.SM204.law("there are at least two frequencies")


@rule("Mfcc", domain=DOMAIN)
def mfcc(ctx: RuleContext) -> Tensor:
    """Compute MFCCs: `[channels, windows, frequencies] -> [channels, windows, dct_coefficient_count]`."""
    x, count = ctx.input(0, rank=3), ctx.integer("dct_coefficient_count", 13)
    filters = ctx.integer("filterbank_channel_count", 40)
    low, high = ctx.number("lower_frequency_limit", 20.0), ctx.number("upper_frequency_limit", 4000.0)
    ctx.check(1 <= count <= filters, COEFFICIENT_COUNT.of(filters=filters, count=count))
    ctx.check(0 <= low < high, FREQUENCIES_ARE_RANGE)
    require_numbers(ctx, 1)
    ctx.require_at_least(x[2], 2, TWO_FREQUENCIES)
    require_each(ctx, ctx.input(1), lambda d: at_least(d, 1), laws.SAMPLE_RATE_POSITIVE)
    return ctx.tensor([x[0], x[1], count])


# Partitions


NUMBERS_HAVE_FIRST_AXES_OF_DATA = laws.SM107.law("numbers have the first axes of the data")
NUMBERS_OF_PARTS = laws.SM301.law("numbers are those of the parts")


@rule("DynamicPartition", domain=DOMAIN)
def dynamic_partition(ctx: RuleContext) -> list[Tensor]:
    """Move each element or slice to the output whose number `partitions` has for it."""
    x, numbers = ctx.input(0), ctx.input(1)
    require_first_axes(ctx, numbers, x, NUMBERS_HAVE_FIRST_AXES_OF_DATA)
    inside = NUMBERS_OF_PARTS
    require_each(ctx, numbers, lambda d: all_of(at_least(d, 0), less(d, ctx.outputs)), inside, numbers.numel)
    counts = [ctx.fresh(f"count{i}", 0, numbers.numel) for i in range(ctx.outputs)]
    return [ctx.tensor([count, *x.dims[numbers.rank :]]) for count in counts]


INDICES_HAVE_FIRST_AXES_OF_DATA = laws.SM107.law("indices have the first axes of the data")


@rule("DynamicStitch", "ParallelDynamicStitch", domain=DOMAIN, traits=Traits.COPIED)
def dynamic_stitch(ctx: RuleContext) -> Tensor:
    """Write elements or slices to the indices in their lists; the size is the largest index plus 1."""
    half = len(ctx.inputs) // 2
    indices, data = ([ctx.input(i + start) for i in range(half)] for start in (0, half))
    rest = ctx.input(half).dims[ctx.input(0).rank :]
    for places, x in zip(indices, data, strict=True):
        ctx.require_agree(x, ctx.tensor([*places.dims, *rest]), law=INDICES_HAVE_FIRST_AXES_OF_DATA)
        require_each(ctx, places, lambda d: at_least(d, 0), laws.PLACES_NOT_NEGATIVE, places.numel)
    numbers = list(map(integers_of, indices))
    known = all(n is not None for n in numbers)
    size = as_dim(max((max(n, default=-1) for n in numbers if n is not None), default=-1) + 1) if known else None
    return ctx.tensor([*complete_sizes(ctx, [size]), *rest], ctx.input(half).dtype)


PLACES_AND_LENGTHS_SAME_SHAPE = laws.SM107.law("places and lengths have the same shape")
TEXTS_AND_PLACES_SAME_SHAPE = laws.SM107.law("texts and places of more than 2 axes have the same shape")


@rule("Substr", domain=DOMAIN)
def substring(ctx: RuleContext) -> Tensor:
    """Return parts of texts; starts and lengths have the same shape, which broadcasts with that of the texts."""
    x, places = ctx.input(0), ctx.input(1)
    ctx.require_agree(places, ctx.input(2), law=PLACES_AND_LENGTHS_SAME_SHAPE)
    shape = ctx.broadcast(x.dims, places.dims)
    if places.rank and len(shape) > 2:
        ctx.require_agree(x, places, law=TEXTS_AND_PLACES_SAME_SHAPE)
    return ctx.tensor(shape, "string")


@rule("Betainc", domain=DOMAIN)
def incomplete_beta(ctx: RuleContext) -> Tensor:
    """Return incomplete beta integrals; operands have the same shape, except for scalars."""
    parts = [x for x in map(ctx.input, range(3)) if x.rank] or [ctx.input(0)]
    ctx.require_agree(*parts, law=laws.OPERANDS_SAME_SHAPE)
    return ctx.tensor(parts[0].dims)


# New tensors


@rule("Empty", domain=DOMAIN, any_rank=True)
def empty(ctx: RuleContext) -> Tensor:
    """Return an uninitialized tensor whose sizes are an input."""
    sizes = ctx.sizes(0)
    require_least(ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    return ctx.tensor(None if sizes is None else complete_sizes(ctx, sizes), ctx.text("dtype", ""))


@rule("FakeParam", domain=DOMAIN)
def nothing(ctx: RuleContext) -> Tensor:
    """Return a placeholder for an output that a branch doesn't compute."""
    declared = ctx.attribute("shape")
    sizes = declared.shape if isinstance(declared, Declared) else None
    dims = None if sizes is None else complete_sizes(ctx, [as_dim(d) if isinstance(d, int) else None for d in sizes])
    return ctx.tensor(dims, ctx.text("dtype", ""))


@rule("StatelessRandomGetAlg", "StatelessRandomGetKeyCounter", domain=DOMAIN, traits=Traits.STATEFUL)
@rule("StatelessRandomGetKeyCounterAlg", domain=DOMAIN, traits=Traits.STATEFUL)
def seeds(ctx: RuleContext) -> list[Tensor]:
    """Return the start of a random sequence: a key, a counter, and the number of an algorithm."""
    algorithm = ctx.tensor((), "int32")
    if ctx.node.op == "StatelessRandomGetAlg":
        return [algorithm]
    require_shape(ctx, 0, (2,), laws.SEED_TWO_NUMBERS)
    return [ctx.tensor((1,), "uint64"), ctx.tensor((2,), "uint64"), algorithm]


# Assertions


@rule("Assert", domain=DOMAIN, any_rank=True, total=True)
def asserted(ctx: RuleContext) -> list[Tensor]:
    """Require that the condition holds; assume it if it is data-dependent."""
    condition = ctx.input(0)
    require_numbers(ctx, 0)
    truth = truth_of(condition)
    if truth is None:
        ctx.assume_valid(0)
    else:
        ctx.require(differs(truth, 0), laws.ASSERTION_HOLDS)
    return []
