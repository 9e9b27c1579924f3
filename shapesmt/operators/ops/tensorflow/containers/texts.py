"""Operators on texts (split, join, encode, decode, format and parse) and decoders of classes, examples and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shapesmt.network import laws
from shapesmt.network.graph import Declared
from shapesmt.operators.ops.shared.bridge import as_list, constants_of, result
from shapesmt.operators.ops.shared.fields import integers_of
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_vector
from shapesmt.operators.ops.tensorflow.common import (
    DOMAIN,
    first,
    least,
    leave_open,
    numbers,
    require_each,
    require_numbers,
    require_order,
)
from shapesmt.operators.ops.tensorflow.containers.ragged import require_rows
from shapesmt.operators.ops.tensorflow.containers.sparse import triple
from shapesmt.operators.rules import Decided, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import Dim, all_of, any_of, as_dim, at_least, equal, less

ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
WIDTHS = {"float64": 8, "int64": 8, "uint64": 8, "complex64": 8, "complex128": 16, "float32": 4, "int32": 4}
WIDTHS |= {"uint32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2, "int8": 1, "uint8": 1, "bool": 1}


@rule("StringSplit", "StringSplitV2", domain=DOMAIN)
def split(ctx: RuleContext) -> list[Tensor]:
    """Split each text into parts; return a sparse matrix of the parts, with a row for each text."""
    ctx.input(0, rank=1)
    require_numbers(ctx, 1)
    ctx.only_sizes(0)
    count = ctx.fresh("count", how=Decided((0,)))
    return [ctx.tensor((count, 2), "int64"), ctx.tensor((count,), "string"), ctx.tensor((2,), "int64")]


UNICODE_ENCODING = laws.SM502.law("the encoding is one of Unicode's")
PLACEHOLDER_IS_CHARACTER = laws.SM502.law("what stands for others is a character")


def require_characters(ctx: RuleContext) -> None:
    """Require known encodings, and that the replacement is a Unicode character."""
    for name in ("input_encoding", "output_encoding"):
        if ctx.text(name, "UTF-8") not in ENCODINGS:
            leave_open(ctx, UNICODE_ENCODING)
    ctx.check(0 <= ctx.integer("replacement_char", 65533) < 0x110000, PLACEHOLDER_IS_CHARACTER)


@rule("UnicodeDecode", "UnicodeDecodeWithOffsets", domain=DOMAIN)
def decode(ctx: RuleContext) -> list[Tensor]:
    """Return row splits of the texts, the code points of all characters, and the byte offset of each."""
    require_characters(ctx)
    count = ctx.fresh("count")
    ends = ctx.tensor((ctx.input(0).numel + 1,), ctx.text("Tsplits", "int64"))
    return [ends, ctx.tensor((count,), "int32"), ctx.tensor((count,), "int64")][: ctx.outputs]


@rule("UnicodeEncode", domain=DOMAIN)
def encode(ctx: RuleContext) -> Tensor:
    """Return one string per row, encoded from the row's code points."""
    require_characters(ctx)
    return ctx.tensor((require_rows(ctx, 1, ctx.input(0, rank=1)[0]),), "string")


JOINED_NEIGHBOUR_COUNT = laws.SM502.law("as many neighbours are joined as is said, one at least")


@rule("StringNGrams", domain=DOMAIN)
def ngrams(ctx: RuleContext) -> list[Tensor]:
    """Return the n-grams of all rows, and their row splits."""
    x, ends, widths = ctx.input(0, rank=1), ctx.input(1, rank=1), ctx.integers("ngram_widths", ())
    ctx.check(min(widths, default=1) >= 1, JOINED_NEIGHBOUR_COUNT)
    require_rows(ctx, 1, x[0])
    return [ctx.tensor((ctx.fresh("count"),), "string"), ctx.tensor(ends.dims, ends.dtype)]


@rule("DecodeJSONExample", "UnicodeTranscode", domain=DOMAIN)
def rewritten(ctx: RuleContext) -> Tensor:
    """Rewrite each text; the shape is unchanged."""
    require_characters(ctx)
    return ctx.tensor(ctx.input(0).dims, "string")


@rule("UnicodeScript", domain=DOMAIN)
def script(ctx: RuleContext) -> Tensor:
    """Return the number of each character's script."""
    return ctx.tensor(ctx.input(0).dims, "int32")


@rule("ReduceJoin", domain=DOMAIN, traits=Traits.MIXED)
def join(ctx: RuleContext) -> Tensor:
    """Join texts along the axes in an input; they keep size 1 with `keep_dims`, else they are removed."""
    axes = constants_of(ctx, 1, "the axes")
    x, keep = ctx.input(0), ctx.integer("keep_dims", 0)
    ctx.normals(axes or (), x.rank)
    joined = result(ctx, "ReduceSum", x, as_list(ctx.input(1)), keepdims=keep, noop_with_empty_axes=1)
    return ctx.tensor(joined.shape, "string")


TEMPLATE_PLACE_PER_INPUT = laws.SM204.law("the template has a place for each input")


@rule("StringFormat", "SerializeTensor", domain=DOMAIN, any_rank=True)
def written(ctx: RuleContext) -> Tensor:
    """Return one text: all inputs put into a template, or a serialized tensor."""
    if ctx.node.op == "StringFormat":
        places = ctx.text("template", "%s").count(ctx.text("placeholder", "%s") or "%s")
        ctx.check(places == len(ctx.inputs), TEMPLATE_PLACE_PER_INPUT)
    return ctx.tensor((), "string")


@rule("ParseTensor", domain=DOMAIN)
def parsed(ctx: RuleContext) -> Tensor:
    """Return the tensor that a text serializes, of any shape."""
    require_numbers(ctx, 0)
    return ctx.tensor(None, ctx.text("out_type", ""))


LENGTH_MULTIPLE_OF_NUMBER = laws.SM502.law("the length is a multiple of that of a number")


@rule("DecodePaddedRaw", domain=DOMAIN)
def padded(ctx: RuleContext) -> Tensor:
    """Read the bytes of each text, padded to the length in an input, as numbers."""
    require_numbers(ctx, 1)
    dtype, length = ctx.text("out_type", ""), first(ctx, 1)
    width = WIDTHS.get(dtype, 1)
    if length is not None:
        ctx.require_at_least(length, 1, laws.LENGTH_POSITIVE)
        ctx.require_equal(length % width, 0, LENGTH_MULTIPLE_OF_NUMBER)
    return ctx.tensor([*ctx.input(0).dims, *complete_sizes(ctx, [length and length // width])], dtype)


ONE_CHARACTER_BETWEEN_COLUMNS = laws.SM502.law("one character is between columns")
ALL_COLUMNS_READ = laws.SM502.law("all columns are read")
DEFAULT_ONE_VALUE_OR_NONE = laws.SM502.law("a default is one value, or none")


@rule("DecodeCSV", domain=DOMAIN)
def columns(ctx: RuleContext) -> list[Tensor]:
    """Return a tensor per column, with an element per line; each column has at most one default value."""
    ctx.check(len(ctx.text("field_delim", ",")) == 1, ONE_CHARACTER_BETWEEN_COLUMNS)
    if ctx.attribute("select_cols"):
        leave_open(ctx, ALL_COLUMNS_READ)
    for default in (ctx.input(i) for i in range(1, len(ctx.inputs))):
        ctx.check(default.rank <= 1, DEFAULT_ONE_VALUE_OR_NONE)
        ctx.require_at_least(as_dim(1), default.numel, DEFAULT_ONE_VALUE_OR_NONE)
    return [ctx.tensor(ctx.input(0).dims, dtype) for dtype in ctx.texts("OUT_TYPE")]


A_CHANNEL = laws.SM204.law("there is a channel")


@rule("EncodeWav", domain=DOMAIN)
def sound(ctx: RuleContext) -> Tensor:
    """Encode sound `[samples, channels]` as a file."""
    x = ctx.input(0, rank=2)
    require_numbers(ctx, 1)
    require_each(ctx, ctx.input(1), lambda d: at_least(d, 1), laws.SAMPLE_RATE_POSITIVE)
    ctx.require_at_least(x[1], 1, A_CHANNEL)
    return ctx.tensor((), "string")


THREE_TEXTS_PER_PART = laws.SM116.law("there are three texts for each part")


@rule("DeserializeManySparse", "DeserializeSparse", domain=DOMAIN)
def deserialized(ctx: RuleContext) -> list[Tensor]:
    """Return a sparse tensor from its serialized parts, each three texts."""
    x = ctx.input(0)
    ctx.require_rank(x, 2 if ctx.node.op == "DeserializeManySparse" else 1, least=ctx.node.op == "DeserializeSparse")
    ctx.require_equal(x[-1], 3, THREE_TEXTS_PER_PART)
    count, rank = ctx.fresh("count"), ctx.fresh("rank", x.rank - 1)
    dtype = ctx.text("dtype", "")
    return [ctx.tensor((count, rank), "int64"), ctx.tensor((count,), dtype), ctx.tensor((rank,), "int64")]


# Decoders: class sequences from probabilities, features from serialized examples, numbers and sound from bytes


# Sequences of classes


LENGTHS_AT_MOST_SEQUENCES = laws.SM301.law("lengths are those of the sequences at most")
LENGTHS_AT_LEAST = laws.SM301.law("lengths are at least {least}")


def probabilities(ctx: RuleContext, lengths: int, shortest: int | None = 0) -> Tensor:
    """Return the first input, `[time, batch, classes]`; require that input `lengths` has shape `[batch]`.

    Known lengths must be in `shortest..time`; None means that there is no lower bound.
    """
    x = ctx.input(0, rank=3)
    require_vector(ctx, lengths, x[1], laws.LENGTH_PER_BATCH_ELEMENT)
    ctx.require_at_least(x[0], 1, laws.A_STEP)
    require_each(ctx, ctx.input(lengths), lambda d: at_least(x[0], d), LENGTHS_AT_MOST_SEQUENCES)
    if shortest is not None:
        require_each(ctx, ctx.input(lengths), lambda d: at_least(d, shortest), LENGTHS_AT_LEAST.of(least=shortest))
    return x


BLANK_ONE_OF_CLASSES = laws.SM301.law("the blank is one of the classes")


@rule("CTCGreedyDecoder", domain=DOMAIN)
def greedy(ctx: RuleContext) -> list[Tensor]:
    """Return the most likely classes of each sequence as a sparse matrix, and their log probability."""
    x = probabilities(ctx, 1, None)
    ctx.require_at_least(x[2], 1, laws.A_CLASS)
    blank = ctx.integer("blank_index", -1)
    ctx.require(all_of(at_least(blank, -x[2]), less(blank, x[2])), BLANK_ONE_OF_CLASSES, blank, x[2])
    return [*triple(ctx, ctx.fresh("count", 0, x[0] * x[1]), 2, "int64"), ctx.tensor((x[1], 1))]


CLASSES_AS_MANY_AS_PATHS = laws.SM116.law("there are as many classes as paths")
BEAM_AS_WIDE_AS_PATHS = laws.SM502.law("the beam is as wide as there are paths")


@rule("CTCBeamSearchDecoder", domain=DOMAIN)
def beams(ctx: RuleContext) -> list[Tensor]:
    """Return the `top_paths` best sequences as sparse matrices: all indices, then all classes, then all shapes."""
    paths = least(ctx, "top_paths", 1)
    x = probabilities(ctx, 1, int(paths > 1))
    if paths > 1 and x[2].lo < paths:
        leave_open(ctx, CLASSES_AS_MANY_AS_PATHS)
    ctx.check(ctx.integer("beam_width") >= paths, BEAM_AS_WIDE_AS_PATHS)
    ctx.require_at_least(x[2], 1, laws.A_CLASS)
    tensors = [triple(ctx, ctx.fresh(f"count{i}", 0, x[0] * x[1]), 2, "int64") for i in range(paths)]
    return [*(t for kind in zip(*tensors, strict=True) for t in kind), ctx.tensor((x[1], paths))]


SPARSE_VALUE_PER_PLACE = laws.SM116.law("a sparse tensor has a value for each place")
SPARSE_MATRIX_TWO_AXES = laws.SM303.law("a sparse matrix has two axes")
LABELS_ARE_DATA = laws.SM502.law("the labels are data")


@rule("CTCLoss", "CTCLossV2", domain=DOMAIN)
def loss(ctx: RuleContext) -> list[Tensor]:
    """Return the CTC loss of each sequence, and the gradient; the labels are a sparse matrix."""
    x, places, classes = probabilities(ctx, 3), ctx.input(1, rank=2), ctx.input(2, rank=1)
    ctx.require_equal(places[0], classes[0], SPARSE_VALUE_PER_PLACE)
    ctx.require_at_least(x[2], 1, laws.A_CLASS)
    ctx.require_equal(places[1], 2, SPARSE_MATRIX_TWO_AXES)
    if integers_of(places) is not None or integers_of(classes) is not None:
        leave_open(ctx, LABELS_ARE_DATA)
    ctx.assume_valid(1, 2)
    return [ctx.tensor((x[1],)), ctx.tensor(x.dims)]


# Examples


SHAPE_PER_DENSE_FEATURE = laws.SM116.law("each dense feature has a shape")
DENSE_FEATURE_RANKS_KNOWN = laws.SM502.law("the ranks of dense features are known")
DEFAULT_SHAPED_AS_FEATURE = laws.SM107.law("a default has the shape of its feature")


def shapes_of(ctx: RuleContext, batch: Sequence[Dim]) -> list[Tensor]:
    """Return the dense features: a tensor for each shape in `dense_shapes`, with the axes `batch` in front."""
    types = ctx.texts("Tdense")
    shapes = [s.shape for s in ctx.attribute("dense_shapes") or () if isinstance(s, Declared)]  # type: ignore[union-attr]  # a list
    ctx.check(len(types) == len(shapes), SHAPE_PER_DENSE_FEATURE)
    outputs = []
    for number, (dtype, shape) in enumerate(zip(types, shapes, strict=True)):
        if shape is None:
            leave_open(ctx, DENSE_FEATURE_RANKS_KNOWN)
        sizes = [as_dim(s) if isinstance(s, int) else ctx.fresh(f"feature{number}_{i}") for i, s in enumerate(shape)]
        default = ctx.input(len(ctx.inputs) - len(types) + number)
        if None not in shape and default.numel.constant != 0:
            ctx.require_agree(default, ctx.tensor(sizes), law=DEFAULT_SHAPED_AS_FEATURE)
        outputs.append(ctx.tensor([*batch, *sizes], dtype))
    return outputs


TYPE_PER_SPARSE_FEATURE = laws.SM116.law("each sparse feature has a type")


def examples(ctx: RuleContext, batch: Sequence[Dim], count: int) -> list[Tensor]:
    """Return `count` sparse features (all indices, then all values, then all shapes), then the dense ones."""
    types = ctx.texts("sparse_types")
    ctx.check(len(types) == count, TYPE_PER_SPARSE_FEATURE)
    sparse_features = [triple(ctx, ctx.fresh(f"count{i}"), len(batch) + 1, dtype) for i, dtype in enumerate(types)]
    return [*(t for kind in zip(*sparse_features, strict=True) for t in kind), *shapes_of(ctx, batch)]


NAME_PER_EXAMPLE_OR_NONE = laws.SM116.law("there is a name for each example, or none")


@rule("ParseExample", domain=DOMAIN)
def parse(ctx: RuleContext) -> list[Tensor]:
    """Return the features of a list of examples."""
    ctx.only_sizes(0)
    x, names = ctx.input(0, rank=1), ctx.input(1, rank=1)
    ctx.require(any_of(equal(names[0], 0), equal(names[0], x[0])), NAME_PER_EXAMPLE_OR_NONE, names[0])
    return examples(ctx, x.dims, ctx.integer("Nsparse"))


@rule("ParseSingleExample", domain=DOMAIN)
def parse_one(ctx: RuleContext) -> list[Tensor]:
    """Return the features of one example."""
    require_numbers(ctx, 0)
    ctx.only_sizes(0)
    return examples(ctx, (), ctx.integer("num_sparse"))


@rule("ParseExampleV2", domain=DOMAIN)
def parse_some(ctx: RuleContext) -> list[Tensor]:
    """Return the features of a list of examples, or of one; ragged ones come last: values, then row splits."""
    x = ctx.input(0)
    ctx.check(x.rank <= 1, laws.RANK_AT_MOST_1.of(rank=x.rank))
    ctx.only_sizes(0)
    types, splits = ctx.texts("ragged_value_types"), ctx.texts("ragged_split_types")
    values = [ctx.tensor((ctx.fresh(f"values{i}"),), dtype) for i, dtype in enumerate(types)]
    ends = [ctx.tensor((x[0] + 1,) if x.rank else (0,), dtype) for dtype in splits]
    return [*examples(ctx, x.dims, ctx.integer("num_sparse")), *values, *ends]


def dense_of(ctx: RuleContext, kind: str, types: str, before: Sequence[Dim]) -> list[Tensor]:
    """Return the dense features: shapes from `<kind>_shapes` after the axes `before`, element types from `types`."""
    declared = ctx.attribute(f"{kind}_shapes") or ()
    shapes = [s.shape for s in declared if isinstance(s, Declared)]  # type: ignore[union-attr]  # a list
    if None in shapes:
        leave_open(ctx, DENSE_FEATURE_RANKS_KNOWN)
    sizes = [complete_sizes(ctx, [as_dim(d) if isinstance(d, int) else None for d in shape or ()]) for shape in shapes]
    return [ctx.tensor([*before, *own], t) for own, t in zip(sizes, ctx.texts(types), strict=True)]


def sparse_of(ctx: RuleContext, part: str, rank: int) -> list[Tensor]:
    """Return the sparse features of `part`, each with `rank` axes: all indices, then all values, then all shapes."""
    types = ctx.texts(f"{part}_sparse_types")
    tensors = [triple(ctx, ctx.fresh(f"{part}{i}"), rank, dtype) for i, dtype in enumerate(types)]
    return [t for kind in zip(*tensors, strict=True) for t in kind]


def ragged_of(ctx: RuleContext, part: str, batch: Sequence[Dim], inner: str = "") -> list[Tensor]:
    """Return the ragged features of `part`: all values, then all row splits, then, if `inner`, those of inner rows."""
    kinds = (f"{part}_ragged_value_types", f"{part}_ragged_split_types", f"{part}_ragged_split_types" if inner else "")
    values, ends, inside = ([*enumerate(ctx.texts(kind))] for kind in kinds)
    outputs = [ctx.tensor((ctx.fresh(f"{part}_values{i}"),), dtype) for i, dtype in values]
    outputs += [ctx.tensor([*(d + 1 for d in batch)] or (ctx.fresh(f"{part}_ends{i}"),), dtype) for i, dtype in ends]
    return [*outputs, *(ctx.tensor((ctx.fresh(f"{inner}{i}"),), dtype) for i, dtype in inside)]


@rule("ParseSequenceExampleV2", domain=DOMAIN)
def parse_sequences(ctx: RuleContext) -> list[Tensor]:
    """Return the features of examples, or of one, and those of each of their steps."""
    batch = ctx.input(0).dims
    ctx.check(len(batch) <= 1, laws.RANK_AT_MOST_1.of(rank=len(batch)))
    ctx.only_sizes(0)
    whole = [*sparse_of(ctx, "context", 1 + len(batch)), *dense_of(ctx, "context_dense", "Tcontext_dense", batch)]
    steps = dense_of(ctx, "feature_list_dense", "feature_list_dense_types", ())
    stepped = [ctx.tensor([*batch, ctx.fresh(f"steps{i}"), *x.dims], x.dtype) for i, x in enumerate(steps)]
    lengths = [ctx.tensor(batch, "int64")] * len(steps)
    sparse = sparse_of(ctx, "feature_list", 2 + len(batch))
    ragged = ragged_of(ctx, "feature_list", batch, "inner")
    return [*whole, *ragged_of(ctx, "context", batch), *sparse, *stepped, *lengths, *ragged]


# Bytes


@rule("DecodeRaw", domain=DOMAIN)
def raw(ctx: RuleContext) -> Tensor:
    """Read the bytes of each text as numbers."""
    return ctx.tensor([*ctx.input(0).dims, ctx.fresh("count")], ctx.text("out_type", ""))


@rule("DecodeWav", domain=DOMAIN)
def decoded_sound(ctx: RuleContext) -> list[Tensor]:
    """Return the samples `[samples, channels]` of a sound file, and its sample rate."""
    require_numbers(ctx, 0)
    requested = [ctx.integer(name, -1) for name in ("desired_samples", "desired_channels")]
    sizes = complete_sizes(ctx, [None if n == -1 else as_dim(n) for n in requested])
    ctx.check(min(requested) >= -1, laws.SIZES_MINUS_1_OR_MORE)
    return [ctx.tensor(sizes, "float32"), ctx.tensor((), "int32")]


RANGE_TWO_ENDS = laws.SM401.law("the range has two ends")
RANGE_NOT_EMPTY = laws.SM204.law("the range isn't empty")


@rule("HistogramFixedWidth", domain=DOMAIN)
def histogram(ctx: RuleContext) -> Tensor:
    """Return the number of values in each of several equal parts of a range."""
    count = first(ctx, 2)
    require_vector(ctx, 1, 2, RANGE_TWO_ENDS)
    require_numbers(ctx, 2)
    require_least(ctx, [count], 1, laws.A_PART)
    for low, high in pairwise(numbers(ctx, 1)):
        require_order(ctx, low, high, RANGE_NOT_EMPTY, apart=True)
    return ctx.tensor(complete_sizes(ctx, [count], 1), ctx.text("dtype", "int32"))
