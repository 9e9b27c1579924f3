"""Operators on texts: split, join, encode, decode, format and parse."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import as_dim, at_least
from shapesmt.ops.shared.bridge import as_list, known, result
from shapesmt.ops.shared.require import sized
from shapesmt.ops.tensorflow.common import DOMAIN, first, leave_open, require_each, require_numbers
from shapesmt.ops.tensorflow.containers.ragged import require_rows
from shapesmt.rules import Decided, RuleContext, Tensor, Traits, rule

ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
WIDTHS = {"float64": 8, "int64": 8, "uint64": 8, "complex64": 8, "complex128": 16, "float32": 4, "int32": 4}
WIDTHS |= {"uint32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2, "int8": 1, "uint8": 1, "bool": 1}


@rule("StringSplit", "StringSplitV2", domain=DOMAIN)
def split(ctx: RuleContext) -> list[Tensor]:
    """Split each text; the parts are a sparse matrix."""
    ctx.input(0, rank=1)
    require_numbers(ctx, 1)
    ctx.only_sizes(0)
    count = ctx.fresh("count", how=Decided((0,)))
    return [ctx.tensor((count, 2), "int64"), ctx.tensor((count,), "string"), ctx.tensor((2,), "int64")]


def require_characters(ctx: RuleContext) -> None:
    """Require known encodings and a Unicode character as replacement."""
    for name in ("input_encoding", "output_encoding"):
        if ctx.text(name, "UTF-8") not in ENCODINGS:
            leave_open(ctx, laws.UNICODE_ENCODING)
    ctx.check(0 <= ctx.integer("replacement_char", 65533) < 0x110000, laws.PLACEHOLDER_IS_CHARACTER)


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


@rule("StringNGrams", domain=DOMAIN)
def ngrams(ctx: RuleContext) -> list[Tensor]:
    """Return the n-grams of all rows, and their row splits."""
    x, ends, widths = ctx.input(0, rank=1), ctx.input(1, rank=1), ctx.integers("ngram_widths", ())
    ctx.check(min(widths, default=1) >= 1, laws.JOINED_NEIGHBOUR_COUNT)
    require_rows(ctx, 1, x[0])
    return [ctx.tensor((ctx.fresh("count"),), "string"), ctx.tensor(ends.dims, ends.dtype)]


@rule("DecodeJSONExample", "UnicodeTranscode", domain=DOMAIN)
def rewritten(ctx: RuleContext) -> Tensor:
    """Rewrite each text; the shape stays."""
    require_characters(ctx)
    return ctx.tensor(ctx.input(0).dims, "string")


@rule("UnicodeScript", domain=DOMAIN)
def script(ctx: RuleContext) -> Tensor:
    """Return the number of each character's script."""
    return ctx.tensor(ctx.input(0).dims, "int32")


@rule("ReduceJoin", domain=DOMAIN, traits=Traits.MIXED)
def join(ctx: RuleContext) -> Tensor:
    """Join texts along the axes in an input, which get size 1, or are removed without `keep_dims`."""
    axes = known(ctx, 1, "the axes")
    x, keep = ctx.input(0), ctx.integer("keep_dims", 0)
    ctx.normals(axes or (), x.rank)
    joined = result(ctx, "ReduceSum", x, as_list(ctx.input(1)), keepdims=keep, noop_with_empty_axes=1)
    return ctx.tensor(joined.shape, "string")


@rule("StringFormat", "SerializeTensor", domain=DOMAIN, any_rank=True)
def written(ctx: RuleContext) -> Tensor:
    """Return one text: all inputs put into a template, or a serialized tensor."""
    if ctx.node.op == "StringFormat":
        places = ctx.text("template", "%s").count(ctx.text("placeholder", "%s") or "%s")
        ctx.check(places == len(ctx.inputs), laws.TEMPLATE_PLACE_PER_INPUT)
    return ctx.tensor((), "string")


@rule("ParseTensor", domain=DOMAIN)
def parsed(ctx: RuleContext) -> Tensor:
    """Return the tensor that a text serializes, of any shape."""
    require_numbers(ctx, 0)
    return ctx.tensor(None, ctx.text("out_type", ""))


@rule("DecodePaddedRaw", domain=DOMAIN)
def padded(ctx: RuleContext) -> Tensor:
    """Read the bytes of each text, padded to the length in an input, as numbers."""
    require_numbers(ctx, 1)
    dtype, length = ctx.text("out_type", ""), first(ctx, 1)
    width = WIDTHS.get(dtype, 1)
    if length is not None:
        ctx.require_at_least(length, 1, laws.LENGTH_POSITIVE)
        ctx.require_equal(length % width, 0, laws.LENGTH_MULTIPLE_OF_NUMBER)
    return ctx.tensor([*ctx.input(0).dims, *sized(ctx, [length and length // width])], dtype)


@rule("DecodeCSV", domain=DOMAIN)
def columns(ctx: RuleContext) -> list[Tensor]:
    """Return a tensor per column, with an element per line; a column has one default, or none."""
    ctx.check(len(ctx.text("field_delim", ",")) == 1, laws.ONE_CHARACTER_BETWEEN_COLUMNS)
    if ctx.attribute("select_cols"):
        leave_open(ctx, laws.ALL_COLUMNS_READ)
    for default in (ctx.input(i) for i in range(1, len(ctx.inputs))):
        ctx.check(default.rank <= 1, laws.DEFAULT_ONE_VALUE_OR_NONE)
        ctx.require_at_least(as_dim(1), default.numel, laws.DEFAULT_ONE_VALUE_OR_NONE)
    return [ctx.tensor(ctx.input(0).dims, dtype) for dtype in ctx.texts("OUT_TYPE")]


@rule("EncodeWav", domain=DOMAIN)
def sound(ctx: RuleContext) -> Tensor:
    """Encode sound `[samples, channels]` as a file."""
    x = ctx.input(0, rank=2)
    require_numbers(ctx, 1)
    require_each(ctx, ctx.input(1), lambda d: at_least(d, 1), laws.SAMPLE_RATE_POSITIVE)
    ctx.require_at_least(x[1], 1, laws.A_CHANNEL)
    return ctx.tensor((), "string")


@rule("DeserializeManySparse", "DeserializeSparse", domain=DOMAIN)
def deserialized(ctx: RuleContext) -> list[Tensor]:
    """Return the sparse tensor that texts serialize, three texts for each of its parts."""
    x = ctx.input(0)
    ctx.require_rank(x, 2 if ctx.node.op == "DeserializeManySparse" else 1, least=ctx.node.op == "DeserializeSparse")
    ctx.require_equal(x[-1], 3, laws.THREE_TEXTS_PER_PART)
    count, rank = ctx.fresh("count"), ctx.fresh("rank", x.rank - 1)
    dtype = ctx.text("dtype", "")
    return [ctx.tensor((count, rank), "int64"), ctx.tensor((count,), dtype), ctx.tensor((rank,), "int64")]
