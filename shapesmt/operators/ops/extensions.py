"""Operators of onnxruntime-extensions (`ai.onnx.contrib`), which prepare text for a model.

The number of tokens of a text is data-dependent. The rules agree with runs of version 0.15.
"""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import require_least, require_numel, require_single, require_vector
from shapesmt.operators.rules import RuleContext, Tensor, rule
from shapesmt.prover.algebra import ONE, any_of, equal

DOMAIN = "ai.onnx.contrib"

SETTING_SINGLE = laws.SM109.law("each setting is one text or number")


def setting(ctx: RuleContext, *indices: int) -> None:
    """Require that the inputs at `indices` are single texts of any rank, or single numbers of rank 0 or 1."""
    texts = [i for i in indices if ctx.has(i) and ctx.input(i).dtype == "string"]
    require_numel(ctx, texts, 1, SETTING_SINGLE)
    require_single(ctx, *(i for i in indices if i not in texts), law=SETTING_SINGLE)


# Elementwise


@rule("StringLower", "StringMapping", "StringStrip", "StringUpper", domain=DOMAIN)
@rule("StringECMARegexReplace", "StringRegexReplace", domain=DOMAIN)
def changed(ctx: RuleContext) -> Tensor:
    """Map each text to another, perhaps with its parts that match a pattern replaced; the shape is unchanged."""
    setting(ctx, 1, 2)
    return ctx.tensor(ctx.input(0).dims)


@rule("StringLength", "StringToHashBucket", "StringToHashBucketFast", domain=DOMAIN, dtype="int64")
def counted(ctx: RuleContext) -> Tensor:
    """Map each text to a number; the shape is unchanged."""
    setting(ctx, 1)
    return ctx.tensor(ctx.input(0).dims, "int64")


@rule("StringConcat", domain=DOMAIN)
def concatenated(ctx: RuleContext) -> Tensor:
    """Append to each text the one at the same index of another tensor; nothing broadcasts."""
    ctx.require_agree(ctx.input(0), ctx.input(1), law=laws.JOINED_TEXTS_SAME_SHAPE)
    return ctx.tensor(ctx.input(0).dims)


@rule("StringJoin", domain=DOMAIN)
def joined(ctx: RuleContext) -> Tensor:
    """Join the texts along an axis into one; a vector becomes a vector of one element."""
    x, rank = ctx.input(0), ctx.input(0).rank
    setting(ctx, 1, 2)
    if rank == 0:
        return ctx.tensor([ONE])
    axis = (ctx.constants(2) or (None,))[0]
    if axis is None:
        return ctx.tensor([ONE] if rank == 1 else [ctx.fresh(f"size{i}") for i in range(rank - 1)])
    ctx.check(0 <= axis < rank, laws.AXIS_INSIDE_RANK.of(axis=axis, rank=rank))
    rest = x.dims[:axis] + x.dims[axis + 1 :]
    require_least(ctx, rest, 1, laws.INPUT_NOT_EMPTY)
    return ctx.tensor(rest or [ONE])


@rule("StringSplit", domain=DOMAIN)
def split(ctx: RuleContext) -> list[Tensor]:
    """Split `[n]` texts into a sparse table: indices of the parts `[parts, 2]`, the parts, and the table's shape."""
    ctx.input(0, rank=1)
    setting(ctx, 1, 2)
    parts = ctx.fresh("parts")
    return [ctx.tensor([parts, 2], "int64"), ctx.tensor([parts], "string"), ctx.tensor([2], "int64")]


# Tokens


@rule("CLIPTokenizer", "GPT2Tokenizer", "RobertaTokenizer", domain=DOMAIN)
def tokens(ctx: RuleContext) -> list[Tensor]:
    """Tokenize `[*sizes]`: tokens and a mask `[*sizes, length]`, and their begins and ends `[*sizes, length, 2]`."""
    x, length = ctx.input(0), ctx.integer("padding_length", -1)
    own = ctx.fresh("tokens")
    padded = ctx.tensor([*x.dims, length if length > 0 else own], "int64")
    return [padded, padded, ctx.tensor([*x.dims, own, 2], "int64") if length <= 0 else ctx.tensor(None, "int64")]


TWO_TEXTS = laws.SM116.law("there are two texts")
ONE_OR_TWO_TEXTS = laws.SM116.law("there are one or two texts")


@rule("BertTokenizer", "HfBertTokenizer", domain=DOMAIN)
def pair_of_texts(ctx: RuleContext) -> list[Tensor]:
    """Tokenize one text or two: tokens, mask and types `[length]`, or `[1, length]` for Hugging Face."""
    x, batched = ctx.input(0), ctx.node.op == "HfBertTokenizer"
    counts, law = ((2,), TWO_TEXTS) if batched else ((1, 2), ONE_OR_TWO_TEXTS)
    ctx.require(any_of(*(equal(x.numel, count) for count in counts)), law, x.numel, 2)
    length = ctx.fresh("tokens", 2)
    return [ctx.tensor([1, length] if batched else [length], "int64")] * 3


@rule("SentencepieceTokenizer", domain=DOMAIN)
def pieces(ctx: RuleContext) -> list[Tensor]:
    """Tokenize texts: all pieces in one list, the bounds of each text in it, and where each piece begins."""
    setting(ctx, 1, 2, 3, 4, 5, 6)
    length = ctx.fresh("pieces")
    ends = ctx.tensor([ctx.input(0).numel + 1], "int64")
    return [ctx.tensor([length], "int32"), ends, ctx.tensor([length], "int32")]


# Numbers


@rule("NegPos", domain=DOMAIN)
def signs(ctx: RuleContext) -> list[Tensor]:
    """Return the negative elements and the positive ones, each with 0 elsewhere."""
    return [ctx.tensor(ctx.input(0).dims)] * 2


@rule("SegmentSum", domain=DOMAIN)
def segment_sum(ctx: RuleContext) -> Tensor:
    """Sum the rows `[n, *sizes]` of each segment, numbered from 0: `[segments, *sizes]`."""
    x = ctx.input(0, least=1)
    require_vector(ctx, 1, x[0], laws.SEGMENT_NUMBERS_HAVE_FIRST_AXES_OF_DATA)
    ctx.require_at_least(x[0], 1, laws.INPUT_NOT_EMPTY)
    return ctx.tensor([ctx.fresh("segments", 1), *x.dims[1:]])


@rule("MaskedFill", domain=DOMAIN)
def masked(ctx: RuleContext) -> Tensor:
    """Return the texts `[n]` where the mask is true."""
    x = ctx.input(0)
    ctx.check(x.rank <= 1, laws.STRINGS_SAMPLE_OR_BATCH.of(rank=x.rank))
    ctx.require_agree(x, ctx.input(1), law=laws.OPERANDS_SAME_SHAPE)
    return ctx.tensor([ctx.fresh("kept", 0, x.numel)])
