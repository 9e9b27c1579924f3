"""What stands by itself: quantized numbers, recurrent blocks, sound, tables and seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.dim import ONE, as_dim, maximum
from shapesmt.graph import Declared
from shapesmt.ops.fields import integers_of, wanted
from shapesmt.ops.laws import require_least, require_shape, sized
from shapesmt.ops.registry import rule
from shapesmt.ops.tensorflow.common import DOMAIN, dtype_of
from shapesmt.tensor import Tensor

if TYPE_CHECKING:
    from shapesmt.context import InferenceContext
    from shapesmt.tensor import Shape

# Quantized numbers


def ends(ctx: InferenceContext) -> Shape:
    """The shape of the ends of ranges: one number each, or one for each slice of the axis."""
    axis, x = ctx.integer("axis", -1), ctx.input(0)
    sizes, law = ((x[ctx.normal(axis, x.rank)],) if axis != -1 else ()), "there is one range, or one for each slice"
    for index in (1, 2):
        if sizes and not ctx.input(index).rank:
            ctx.require_equal(sizes[0], 1, law)
        else:
            require_shape(ctx, index, sizes, law)
    return sizes


@rule("QuantizeV2", domain=DOMAIN)
def quantize(ctx: InferenceContext) -> list[Tensor]:
    """The shape is kept; the ends of the range come out as well, those of a single slice as numbers."""
    sizes = ends(ctx)
    rank_known = all(d.constant is not None or d.lo >= 2 for d in sizes)
    end = ctx.tensor([d for d in sizes if d is not ONE] if rank_known else None, "float32")
    return [ctx.tensor(ctx.input(0).dims, dtype_of(ctx, "T", "")), end, end]


@rule("Dequantize", domain=DOMAIN)
def dequantize(ctx: InferenceContext) -> Tensor:
    """The shape is kept."""
    ends(ctx)
    return ctx.tensor(ctx.input(0).dims, dtype_of(ctx, "dtype", "float32"))


@rule("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4", domain=DOMAIN)
def quantize_dequantize(ctx: InferenceContext) -> Tensor:
    """The shape is kept; a range that is given is one, or one for each slice."""
    if ctx.integer("range_given", int(ctx.node.op.endswith("V3"))):
        ends(ctx)
    return ctx.tensor(ctx.input(0).dims)


# Recurrent blocks


@rule("LSTMBlockCell", "BlockLSTM", "BlockLSTMV2", domain=DOMAIN)
def lstm(ctx: InferenceContext) -> list[Tensor]:
    """`x[batch, input]`, or one for each step of time, and two states `[batch, cells]` make seven of these."""
    at = 0 if ctx.node.op == "LSTMBlockCell" else 1
    x, cells = ctx.input(at, rank=2 + at), ctx.input(at + 1, rank=2)[1]
    state = (x[-2], cells)
    require_shape(ctx, (at + 1, at + 2), state, "an initial state is [batch, cells]")
    require_shape(ctx, at + 3, (x[-1] + cells, cells * 4), "the weights are [input + cells, 4 * cells]")
    require_shape(ctx, at + 7, (cells * 4,), "the bias is [4 * cells]")
    return [ctx.tensor((*x.dims[:at], *state), x.dtype)] * 7


@rule("GRUBlockCell", domain=DOMAIN)
def gru(ctx: InferenceContext) -> list[Tensor]:
    """`x[batch, input]` and a state `[batch, cells]` make four of these."""
    x, cells = ctx.input(0, rank=2), ctx.input(1, rank=2)[1]
    require_shape(ctx, 1, (x[0], cells), "an initial state is [batch, cells]")
    for gates, weights in ((2, 2), (1, 3)):
        require_shape(ctx, weights, (x[1] + cells, cells * gates), "the weights are [input + cells, gates * cells]")
        require_shape(ctx, weights + 2, (cells * gates,), "the bias is [gates * cells]")
    return [ctx.tensor((x[0], cells))] * 4


# Sound


@rule("AudioSpectrogram", domain=DOMAIN)
def spectrogram(ctx: InferenceContext) -> Tensor:
    """`[samples, channels] -> [channels, windows, frequencies]`."""
    x, window, stride = ctx.input(0, rank=2), ctx.integer("window_size"), ctx.integer("stride")
    ctx.check(window >= 2 and stride >= 1, "the window has two samples or more, and the step is positive")
    frequencies = (1 << (window - 1).bit_length()) // 2 + 1
    return ctx.tensor([x[1], maximum((x[0] - window) // stride + 1, 0), frequencies])


@rule("Mfcc", domain=DOMAIN)
def mfcc(ctx: InferenceContext) -> Tensor:
    """The frequencies of `[channels, windows, frequencies]` become so many coefficients."""
    x = ctx.input(0, rank=3)
    return ctx.tensor([x[0], x[1], ctx.integer("dct_coefficient_count", 13)])


# Parts


@rule("DynamicPartition", domain=DOMAIN)
def dynamic_partition(ctx: InferenceContext) -> list[Tensor]:
    """Elements or slices, each in the output that its number says."""
    x, numbers = ctx.input(0), ctx.input(1)
    ctx.check(numbers.rank <= x.rank, "numbers have the first axes of the data")
    for size, d in zip(numbers.dims, x.dims, strict=False):
        ctx.require_equal(size, d, "numbers have the first axes of the data")
    counts = [ctx.fresh(f"count{i}", 0, numbers.numel) for i in range(ctx.outputs)]
    return [ctx.tensor([count, *x.dims[numbers.rank :]]) for count in counts]


@rule("DynamicStitch", "ParallelDynamicStitch", domain=DOMAIN)
def dynamic_stitch(ctx: InferenceContext) -> Tensor:
    """Elements or slices at the places that their indices name."""
    half = len(ctx.inputs) // 2
    ctx.check(half >= 1, "there is at least one list of indices, and data for each")
    indices, data = ([ctx.input(i + start) for i in range(half)] for start in (0, half))
    rest = data[0].dims[indices[0].rank :]
    for places, x in zip(indices, data, strict=True):
        ctx.require_agree(x, ctx.tensor([*places.dims, *rest]), law="indices have the first axes of the data")
    for index in range(half):
        ctx.grant(index)
    numbers = list(map(integers_of, indices))
    known = all(n is not None for n in numbers)
    size = as_dim(max((max(n, default=-1) for n in numbers if n is not None), default=-1) + 1) if known else None
    return ctx.tensor([*sized(ctx, [size]), *rest], data[0].dtype)


@rule("Substr", domain=DOMAIN)
def substring(ctx: InferenceContext) -> Tensor:
    """Places and lengths have one shape, which broadcasts with the texts."""
    ctx.require_agree(ctx.input(1), ctx.input(2), law="places and lengths have the same shape")
    return ctx.tensor(ctx.broadcast(ctx.input(0).dims, ctx.input(1).dims), "string")


@rule("Betainc", domain=DOMAIN)
def incomplete_beta(ctx: InferenceContext) -> Tensor:
    """Operands have one shape, but for scalars."""
    parts = [x for x in map(ctx.input, range(3)) if x.rank] or [ctx.input(0)]
    ctx.require_agree(*parts, law="operands have the same shape")
    return ctx.tensor(parts[0].dims)


# New tensors


@rule("Empty", domain=DOMAIN, any_rank=True)
def empty(ctx: InferenceContext) -> Tensor:
    """A tensor of the listed sizes."""
    sizes = wanted(ctx, 0)
    require_least(ctx, sizes, 0, "sizes are not negative")
    return ctx.tensor(None if sizes is None else sized(ctx, sizes), dtype_of(ctx, "dtype", ""))


@rule("FakeParam", domain=DOMAIN)
def nothing(ctx: InferenceContext) -> Tensor:
    """A stand-in for what a branch doesn't make."""
    declared = ctx.attribute("shape")
    sizes = declared.shape if isinstance(declared, Declared) else None
    dims = None if sizes is None else sized(ctx, [as_dim(d) if isinstance(d, int) else None for d in sizes])
    return ctx.tensor(dims, dtype_of(ctx, "dtype", ""))


@rule("StatelessRandomGetAlg", "StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", domain=DOMAIN)
def seeds(ctx: InferenceContext) -> list[Tensor]:
    """What random numbers start from: a key, a counter, and the number of an algorithm."""
    algorithm = ctx.tensor((), "int32")
    if ctx.node.op == "StatelessRandomGetAlg":
        return [algorithm]
    require_shape(ctx, 0, (2,), "a seed is two numbers")
    return [ctx.tensor((1,), "uint64"), ctx.tensor((2,), "uint64"), algorithm]


@rule("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2", domain=DOMAIN)
def table(ctx: InferenceContext) -> Tensor:
    """A handle of a table."""
    return ctx.tensor((), "")


@rule("LookupTableSize", "LookupTableSizeV2", domain=DOMAIN, any_rank=True, total=True)
def table_size(ctx: InferenceContext) -> Tensor:
    """How many entries a table has."""
    return ctx.tensor((), "int64")
