"""Other operators of `com.microsoft`: early versions of standard operators, text, search, geometry."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import borrow, contrib
from shapesmt.operators.ops.layout.ranges import sequence
from shapesmt.operators.ops.shared.follows import apart_from, as_a_whole, each, rows
from shapesmt.operators.ops.shared.indices import require_places
from shapesmt.operators.ops.shared.require import (
    complete_sizes,
    open_unless,
    require_least,
    require_narrow,
    require_ranks,
    require_shape,
    require_single,
    require_vector,
)
from shapesmt.operators.rules import RuleContext, Tensor, Traits, is_free_element
from shapesmt.prover.algebra import Dim, all_of, any_of, at_least, equal, maximum, negate

borrow("GatherND", 11)
borrow("GridSample", 16)
borrow("Pad", 13)
borrow("Trilu", 14)


@contrib("Range", any_rank=True)
def arange(ctx: RuleContext) -> Tensor | list[Tensor] | tuple[Tensor, ...]:
    """Return the numbers from `start` to `limit` in steps of `delta` (default 1)."""
    if not ctx.has(2):
        one = ctx.integer_list((1,), ctx.input(0).dtype) if ctx.input(0).dtype.startswith("int") else None
        if one is None:
            return ctx.tensor((ctx.fresh("length"),))
        ctx.inputs = (*ctx.inputs[:2], one)
    return sequence(ctx)


@contrib("ExpandDims", traits=Traits.ORDERED)
def expand_dims(ctx: RuleContext) -> Tensor:
    """Insert an axis of size 1 at the index in input 1; the rank is unknown unless that is a constant."""
    x, items = ctx.input(0), ctx.constants(1)
    require_single(ctx, 1, law=laws.AXIS_ONE_NUMBER)
    if not items:
        return ctx.tensor(None)
    axis = ctx.normal(items[0], x.rank, end=1)
    return ctx.tensor((*x.dims[:axis], 1, *x.dims[axis:]))


@contrib("Unique")
def unique(ctx: RuleContext) -> list[Tensor]:
    """Return a vector's distinct elements, the index of each element among them, and the count of each."""
    x = ctx.input(0, rank=1)
    count = ctx.fresh("count", 0, x[0])
    return [ctx.tensor((count,)), ctx.tensor(x.dims, "int64"), ctx.tensor((count,), "int64")]


@contrib("UnfoldTensor", follows=rows())
def unfold(ctx: RuleContext) -> Tensor:
    """Extract slices of `size` along an axis as a new last axis: `[n, d]` -> `[n, (d - size) // step + 1, size]`."""
    x, size, step = ctx.input(0), ctx.integer("size"), ctx.integer("step", 1)
    axis = ctx.axis(x.rank, -1, "dim")
    ctx.check(step > 0, laws.STEP_POSITIVE.of(step=step))
    require_narrow(ctx, "step")
    _require_slices(ctx, x[axis], size)
    return ctx.tensor((*x.dims[:axis], (x[axis] - size) // step + 1, *x.dims[axis + 1 :], size))


SLICE_SIZE_NOT_NEGATIVE = laws.SM202.law("the size of a slice isn't negative, but {size}")
SLICES_HAVE_ELEMENT = laws.SM202.law("slices of an axis of declared size have an element")


def _require_slices(ctx: RuleContext, axis: Dim, size: int) -> None:
    """Require that slices of `size` fit an axis; if the file declares the axis, `size` must be positive."""
    ctx.check(size >= 0, SLICE_SIZE_NOT_NEGATIVE.of(size=size))
    ctx.limit_declared(size > 0 or axis.constant is None, SLICES_HAVE_ELEMENT, size, 1)
    ctx.require_at_least(axis, size, laws.SLICE_FITS_AXIS)


@contrib("TorchEmbedding")
def torch_embedding(ctx: RuleContext) -> Tensor:
    """Look up rows of a table: table `[N, M]`, indices `[*sizes]` -> `[*sizes, M]`."""
    table = ctx.input(0, rank=2)
    return ctx.tensor((*ctx.input(1).dims, table[1]))


@contrib("MurmurHash3", any_rank=True, total=True, follows=each)
def murmur(ctx: RuleContext) -> Tensor:
    """Hash each element; the shape is unchanged."""
    return ctx.tensor(ctx.input(0).shape, "uint32" if ctx.flag("positive", 1, only_one=True) else "int32")


@contrib("AllReduce", any_rank=True, total=True)
def all_reduce(ctx: RuleContext) -> Tensor:
    """Sum a tensor over all devices; the shape is unchanged, and the elements depend on the number of devices."""
    return ctx.tensor(ctx.input(0).shape)


@contrib("IsAllFinite", any_rank=True, dtype="bool", total=True, follows=as_a_whole)
def all_finite(ctx: RuleContext) -> Tensor:
    """Return one boolean: whether all elements of all inputs are finite."""
    return ctx.tensor((), "bool")


# Numbers


@contrib("Inverse", follows=apart_from(lambda _, x: {x.rank - 2, x.rank - 1}))
def inverse(ctx: RuleContext) -> Tensor:
    """Invert matrices `[..., M, M]`; only declared sizes are compared, and matrices without columns abort."""
    x = ctx.input(0, least=2)
    square = None in (x[-2].constant, x[-1].constant) or x[-2] is x[-1]
    ctx.limit_declared(square, laws.MATRICES_SQUARE, x[-2], x[-1])
    empty = any_of(*(equal(d, 0) for d in x.dims[:-1]))
    ctx.require(any_of(at_least(x[-1], 1), empty), laws.MATRICES_SQUARE, x[-2], x[-1])
    open_unless(ctx, laws.MATRICES_SQUARE, any_of(equal(x[-2], x[-1]), empty, equal(x[-1], 0)))
    return ctx.tensor(x.dims)


@contrib("Rfft", follows=rows())
def rfft(ctx: RuleContext) -> Tensor:
    """Transform real numbers: `[..., n] -> [..., n/2 + 1, 2]`; only the last axis is halved."""
    x = ctx.input(0)
    ctx.require_rank(x, max(ctx.integer("signal_ndim", 1), 1), least=True)
    return ctx.tensor((*x.dims[:-1], x[-1] // 2 + 1, 2))


COMPLEX_HAS_TWO_PARTS = laws.SM207.law("a complex number has two parts")


@contrib("Irfft", follows=rows())
def irfft(ctx: RuleContext) -> Tensor:
    """Transform to real numbers: `[..., n/2 + 1, 2] -> [..., n]`."""
    x = ctx.input(0)
    ctx.require_rank(x, max(ctx.integer("signal_ndim", 1), 1) + 1, least=True)
    ctx.require_equal(x[-1], 2, COMPLEX_HAS_TWO_PARTS)
    return ctx.tensor((*x.dims[:-2], (x[-2] - 1) * 2))


@contrib("ComplexMul", "ComplexMulConj", follows=each)
def complex_product(ctx: RuleContext) -> Tensor:
    """Multiply complex operands `[..., 2]`, whose other axes broadcast."""
    a, b = ctx.input(0), ctx.input(1)
    for x in (a, b):
        ctx.require_rank(x, 1, least=True)
        ctx.require_equal(x[-1], 2, COMPLEX_HAS_TWO_PARTS)
    return ctx.tensor((*ctx.broadcast(a.dims[:-1], b.dims[:-1]), 2))


@contrib("CDist")
def distances(ctx: RuleContext) -> Tensor:
    """Compute the distance of each pair of vectors: `[M, N]`, `[K, N]` -> `[M, K]`."""
    a, b = ctx.input(0), ctx.input(1)
    require_ranks(ctx, 2, a, b)
    ctx.require_equal(a[1], b[1], laws.VECTORS_OF_ONE_LENGTH)
    ctx.require_at_least(a[1], 1, laws.VECTORS_NOT_EMPTY)
    return ctx.tensor((a[0], b[0]))


COSTS_SHAPE_BY_RANK = laws.SM303.law("the costs are [M, N] or [1, M, N], not of rank {rank}")
ONE_MATRIX_OF_COSTS = laws.SM116.law("there is one matrix of costs")


@contrib("DynamicTimeWarping")
def time_warping(ctx: RuleContext) -> Tensor:
    """Return a path `[2, steps]` through costs `[M, N]` or `[1, M, N]`; it has at most `M + N - 1` steps."""
    x = ctx.input(0)
    ctx.check(x.rank in (2, 3), COSTS_SHAPE_BY_RANK.of(rank=x.rank))
    if x.rank == 3:
        ctx.require_equal(x[0], 1, ONE_MATRIX_OF_COSTS)
    return ctx.tensor((2, ctx.fresh("steps", 0, maximum(x[-2] + x[-1] - 1, 1))), "int32")


# Images, words and sequences


@contrib("CropAndResize")
def crop_and_resize(ctx: RuleContext) -> Tensor:
    """Crop boxes `[R, 4]` from images `[N, C, H, W]` and resize them to the sizes in input 3: `[R, C, h, w]`."""
    x, rois = ctx.input(0, rank=4), ctx.input(1)
    _require_boxes(ctx, x, rois)
    require_vector(ctx, 3, 2, laws.SIZE_HEIGHT_WIDTH)
    sizes = complete_sizes(ctx, ctx.items(3) or (None, None), 1)
    require_least(ctx, sizes, 1, laws.HEIGHT_AND_WIDTH_POSITIVE)
    return ctx.tensor((rois[0], x[1], *sizes))


BOXES_BY_4 = laws.SM206.law("the boxes are [R, 4]")


def _require_boxes(ctx: RuleContext, x: Tensor, rois: Tensor) -> None:
    """Require boxes `[R, 4]` and, for each, the index of an image of the batch `x`."""
    require_shape(ctx, 1, (rois.dims[0] if rois.rank else 0, 4), BOXES_BY_4)
    require_vector(ctx, 2, rois[0], laws.IMAGE_INDEX_PER_BOX)
    require_places(ctx, 2, x[0], laws.BOX_IN_IMAGE_OF_BATCH)
    ctx.require(any_of(equal(rois[0], 0), at_least(x[0], 1)), laws.BOX_IN_IMAGE_OF_BATCH, x[0], 1)


@contrib("Tokenizer")
def tokenizer(ctx: RuleContext) -> Tensor:
    """Split texts `[C]` or `[N, C]` into tokens: a new last axis has the largest number of tokens of any text.

    Without texts, the last axis has size 0 and none is added; the shape is unknown if it isn't known which.
    """
    x = ctx.input(0)
    ctx.check(x.rank in (1, 2), laws.STRINGS_SAMPLE_OR_BATCH.of(rank=x.rank))
    if x.numel.lo < 1:
        return ctx.tensor([*x.dims[:-1], 0] if x.numel.constant == 0 else None)
    return ctx.tensor((*x.dims, ctx.fresh("tokens")))


FILTERS_AS_WIDE_AS_EMBEDDING = laws.SM106.law("the filters are as wide as a character's embedding")
WORDS_AS_LONG_AS_FILTERS = laws.SM201.law("the words are as long as the filters")
ATTRIBUTE_IS_THAT_OF_WEIGHTS = laws.SM502.law("'{name}' is that of the weights")


@contrib("WordConvEmbedding", dtype="float32", follows=rows())
def word_embedding(ctx: RuleContext) -> Tensor:
    """Embed words `[sequence, characters]` by convolving their characters: `[sequence, filters]`."""
    words, filters, characters = (ctx.input(i) for i in (0, 1, 3))
    ctx.require_rank(words, 2, least=True)
    ctx.require_rank(filters, 4, least=True)
    ctx.require_rank(characters, 2, least=True)
    require_vector(ctx, 2, filters[0], laws.BIAS_PER_FILTER)
    ctx.require_equal(filters[3], characters[1], FILTERS_AS_WIDE_AS_EMBEDDING)
    ctx.require_at_least(words[1], filters[2], WORDS_AS_LONG_AS_FILTERS)
    sizes = {"conv_window_size": filters[2], "char_embedding_size": characters[1], "embedding_size": filters[0]}
    for name, size in sizes.items():
        if ctx.integer(name, -1) != -1:
            ctx.require_equal(size, ctx.integer(name), ATTRIBUTE_IS_THAT_OF_WEIGHTS.of(name=name))
    return ctx.tensor((words[0], filters[0]), "float32")


IDS_AND_SCORES_ONE_BATCH = laws.SM116.law("ids and scores have one batch")
BLOCKED_IDS_IN_VOCABULARY = laws.SM301.law("ids of words to block are in the vocabulary")
N_GRAMS_HAVE_ELEMENT = laws.SM204.law("n-grams have an element")


@contrib("NGramRepeatBlock", follows=rows(0, 1))
def ngram_block(ctx: RuleContext) -> Tensor:
    """Block words that would repeat an n-gram of ids `[B, S]`; the shape of scores `[B, vocabulary]` is unchanged."""
    ids, scores = ctx.input(0, rank=2), ctx.input(1, rank=2)
    ctx.require_equal(ids[0], scores[0], IDS_AND_SCORES_ONE_BATCH)
    count, law = ctx.integer("ngram_size"), BLOCKED_IDS_IN_VOCABULARY
    ctx.check(count > 0, N_GRAMS_HAVE_ELEMENT)
    if count == 1:
        ctx.require(any_of(equal(ids.numel, 0), at_least(scores[1], 1)), law, scores[1], 1)
        require_places(ctx, 0, scores[1], law)
    elif ids[1].hi >= count:
        _require_blocked(ctx, count, scores[1])
    return ctx.tensor(scores.dims, scores.dtype)


def _require_blocked(ctx: RuleContext, count: int, vocabulary: Dim) -> None:
    """Require that every id behind an earlier copy of the last `count - 1` ids of its row is in the vocabulary."""
    law, listed = BLOCKED_IDS_IN_VOCABULARY, ctx.items(0)
    ctx.assume_valid(0, law=law)
    known = [i for i in listed or () if i is not None and not is_free_element(i)]
    if listed is None or len(known) < len(listed):
        return ctx.assume(0, law)
    width = int(ctx.input(0)[1].lo)
    for end in (i for i in range(len(known)) if i % width >= count - 1):
        last = end - end % width + width
        repeated = all_of(*(equal(known[end - k], known[last - k]) for k in range(1, count)))
        inside = all_of(at_least(known[end], 0), at_least(vocabulary, known[end] + 1))
        ctx.require(any_of(negate(repeated), inside), law, known[end], vocabulary)


N_GRAMS_AT_LEAST_MIN_NGRAM_SIZE = laws.SM502.law("n-grams have at least 'min_ngram_size' elements")
INDEX_INSIDE_SOURCE = laws.SM301.law("the index is inside the source")
TOKEN_PREDICTED_FOR_EACH_LEFT = laws.SM201.law("a token is predicted for each that is left, and one more")


@contrib("BifurcationDetector")
def bifurcation(ctx: RuleContext) -> list[Tensor]:
    """Merge current and predicted tokens; the result has at most as many tokens as both together."""
    source, current = ctx.input(0, rank=1), ctx.input(1, rank=1)
    ctx.require_equal(ctx.input(2).numel, 1, laws.INDEX_ONE_NUMBER)
    shortest, longest = ctx.integer("min_ngram_size", 1), ctx.integer("max_ngram_size", 3)
    ctx.limit(shortest <= longest, N_GRAMS_AT_LEAST_MIN_NGRAM_SIZE)
    most: Dim = current[0]
    matched = ctx.items(2)
    if ctx.has(3):
        ctx.require_rank(ctx.input(3), 1)
        predicted = ctx.input(3)[0]
        if matched and matched[0] is not None:
            ctx.require_at_least(source[0], matched[0], INDEX_INSIDE_SOURCE)
            ctx.require_equal(predicted, source[0] + 1 - matched[0], TOKEN_PREDICTED_FOR_EACH_LEFT)
        most = current[0] + predicted
    return [ctx.tensor((ctx.fresh("tokens", 0, most),)), ctx.tensor(ctx.input(2).dims)]


TOKEN_COUNT_PER_SAMPLE = laws.SM116.law("there is a token count per sample")


@contrib("RemovePadding")
def remove_padding(ctx: RuleContext) -> list[Tensor]:
    """Remove padding: `[B, S, D] -> [tokens, D]`.

    Also return offsets `[B, S]`, cumulative lengths `[B + 1]` and the maximum length.
    """
    x = ctx.input(0, rank=3)
    require_vector(ctx, 1, x[0], TOKEN_COUNT_PER_SAMPLE)
    tokens = ctx.fresh("tokens", 0, x[0] * x[1])
    return [ctx.tensor((tokens, x[2])), *(ctx.tensor(s, "int32") for s in (x.dims[:2], (x[0] + 1,), (1,)))]


PLACE_PER_TOKEN = laws.SM204.law("every token has a place")


@contrib("RestorePadding")
def restore_padding(ctx: RuleContext) -> Tensor:
    """Restore padding: tokens `[tokens, D]` and their offsets `[B, S]` -> `[B, S, D]`."""
    x, offsets = ctx.input(0, rank=2), ctx.input(1, rank=2)
    ctx.require_at_least(offsets.numel, x[0], PLACE_PER_TOKEN)
    return ctx.tensor((*offsets.dims, x[1]))


# Search


ONE_NUMBER = laws.SM401.law("{name} is one number")


def _number(ctx: RuleContext, index: int, name: str) -> tuple[Dim, bool]:
    """Return the single number in input `index` and True; if its value is unknown, a new symbol `name` and False."""
    require_single(ctx, index, law=ONE_NUMBER.of(name=name))
    items = ctx.items(index)
    known = items[0] if items else None
    return (ctx.fresh(name, 1), False) if known is None else (known, True)


ROOM_BEHIND_PROMPT = laws.SM114.law("there is room behind the prompt")


@contrib("GreedySearch", "Sampling", dtype="int32", traits=Traits.STATEFUL)
def greedy(ctx: RuleContext) -> list[Tensor]:
    """Continue prompts `[B, S]` to `[B, max_length]`; also return scores `[B, vocabulary]`."""
    ids = ctx.input(0, rank=2)
    longest, known = _number(ctx, 1, "max_length")
    if known:
        ctx.require_at_least(longest, ids[1] + 1, ROOM_BEHIND_PROMPT)
    _require_masks(ctx, ids, 5, 6)
    return [ctx.tensor((ids[0], longest), "int32"), ctx.tensor((ids[0], _vocabulary(ctx)), "float32")]


def _vocabulary(ctx: RuleContext) -> Dim | int:
    """Return the number of words: the attribute `vocab_size`, or a new symbol if that isn't positive."""
    count = ctx.integer("vocab_size", 0)
    return count if count > 0 else ctx.fresh("vocabulary")


PREFIX_MASK_HAS_PROMPT_BATCH = laws.SM116.law("the prefix mask has the prompts' batch")
ATTENTION_MASK_SHAPED_AS_PROMPTS = laws.SM113.law("the attention mask has the prompts' shape")


def _require_masks(ctx: RuleContext, ids: Tensor, prefix: int, attention: int) -> None:
    if ctx.has(prefix):
        ctx.require_rank(ctx.input(prefix), 2)
        ctx.require_equal(ctx.input(prefix)[0], ids[0], PREFIX_MASK_HAS_PROMPT_BATCH)
    require_shape(ctx, attention, ids.dims[:2], ATTENTION_MASK_SHAPED_AS_PROMPTS)


RETURNED_SEQUENCES_AT_MOST_BEAMS = laws.SM301.law("no more sequences are returned than there are beams")


@contrib("BeamSearch", "WhisperBeamSearch")
def beam_search(ctx: RuleContext) -> list[Tensor]:
    """Continue prompts `[B, S]` (or audio `[B, features, frames]`) to `[B, returned, max_length]`."""
    ids = ctx.input(0, least=2)
    plain = ids.rank == 2 and ctx.node.op != "WhisperBeamSearch"
    longest, known = _number(ctx, 1, "max_length")
    (beams, counted), (returned, asked) = _number(ctx, 3, "num_beams"), _number(ctx, 4, "num_return_sequences")
    if counted and asked:
        ctx.require_at_least(beams, returned, RETURNED_SEQUENCES_AT_MOST_BEAMS)
    if plain:
        _require_masks(ctx, ids, 8, 9)
    if plain and known and ctx.integer("model_type", 0) == 0:
        ctx.require_at_least(longest, ids[1] + 1, ROOM_BEHIND_PROMPT)
    steps = longest - ids[1] if plain and known else ctx.fresh("steps")
    dtype = ctx.input(5).dtype if ctx.has(5) else "float32"
    scores = [ctx.tensor(s, dtype) for s in ((ids[0], returned), (steps, ids[0], beams, _vocabulary(ctx)))]
    return [ctx.tensor((ids[0], returned, longest), "int32"), *scores]
