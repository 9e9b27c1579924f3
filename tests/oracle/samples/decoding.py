"""Decoders with caches and masks, rows chosen by indices, and operators of ONNX Runtime's own."""

from __future__ import annotations

from tests.oracle.samples.building import BATCH, Builder, Value
from tests.oracle.samples.networks import attend

ROWS = (BATCH,)


def decoder(b: Builder, bug: str) -> list[Value]:
    """Tokens embedded, keys and values appended to the cache, a causal mask, a padding mask."""
    ids = b.input("ids", ("batch", "seq"), "i", high=7)
    past = [b.input(name, ("batch", 2, "past", 4)) for name in ("past_k", "past_v")]
    x = b.op("Gather", b.weight(7, 8), ids, dims=(ROWS, ("seq",), (8,)), axis=0)
    if bug != "no positions":
        positions = b.range(("seq",))
        if b.r.random() < 0.5:
            shape = b.shape(((1,), ("seq",)))
            positions = b.op("Expand", b.unsqueeze(positions, 0), shape, dims=((1,), ("seq",)))
        table = b.op("Gather", b.weight(9, 8), positions, dims=(*positions.dims, (8,)), axis=0)
        x = b.op("Add", x, table)
    heads = []
    for _ in range(3):
        p = b.op("Reshape", b.linear(x, 8), b.ints(0, -1, 2, 4), dims=(ROWS, ("seq",), (2,), (4,)))
        heads.append(b.transpose(p, [0, 2, 1, 3]))
    axis = 0 if bug == "cache on axis 0" else 2
    total = ("total",)
    dims = (ROWS, (2,), total, (4,)) if axis else ((2, BATCH), (2,), ("seq",), (4,))
    keys, values = (b.op("Concat", p, h, dims=dims, axis=axis) for p, h in zip(past, heads[1:], strict=True))
    if axis == 0:
        return [keys, values, heads[0]]
    turned = b.transpose(keys, [0, 1, 3, 2])
    scores = b.op("MatMul", heads[0], turned, dims=(ROWS, (2,), ("seq",), total))
    if bug == "one mask" or b.r.random() < 0.5:
        scores = padded(b, bug, scores, keys)
    weights = b.op("Softmax", scores, axis=3)
    out = b.op("MatMul", weights, values, dims=heads[0].dims)
    merged = b.reshape(b.transpose(out, [0, 2, 1, 3]), (ROWS, ("seq",), (8,)))
    logits = b.linear(merged, 7)
    if bug == "last row":
        return [b.op("Gather", logits, b.constant(-1, "i"), dims=logits.dims[1:], axis=0)]
    last = b.op("Gather", logits, b.constant(-1, "i"), dims=(ROWS, (7,)), axis=1)
    if bug == "argmax":
        return [b.op("ArgMax", last, dims=((7,),), kind="i", axis=0, keepdims=0), keys]
    return [last, keys, b.op("ArgMax", last, dims=(ROWS,), kind="i", axis=-1, keepdims=0)]


def padded(b: Builder, bug: str, scores: Value, keys: Value) -> Value:
    """A mask by lengths: of each sample, or the first one's for all."""
    lengths = b.input("lengths", ("batch",), "i", high=5)
    total = b.op("Gather", b.op("Shape", keys, dims=((4,),), kind="i"), b.constant(2, "i"), dims=(), axis=0)
    steps = b.op("Range", b.constant(0, "i"), total, b.constant(1, "i"), dims=(("total",),))
    if bug == "one mask":
        limit = b.op("Gather", lengths, b.constant(0, "i"), dims=(), axis=0)
        inside = b.op("LessOrEqual", steps, limit, kind="b")
    else:
        column = b.op("Reshape", lengths, b.ints(-1, 1, 1, 1), dims=(ROWS, (1,), (1,), (1,)))
        inside = b.op("LessOrEqual", steps, column, dims=(ROWS, (1,), (1,), ("total",)), kind="b")
    return b.op("Where", inside, scores, b.constant(-100.0), dims=scores.dims, kind="f")


def pooled(b: Builder, bug: str) -> list[Value]:
    """A mean over tokens, weighed by the mask; the sums of all samples, or of each."""
    x = b.input("x", ("batch", "seq", 4))
    mask = b.op("Cast", b.input("mask", ("batch", "seq"), "i", high=2), kind="f", to=1)
    wide = b.op("Mul", x, b.unsqueeze(mask, 2))
    total = b.reduce("ReduceSum", wide, [1], keepdims=False)
    if bug == "all":
        count = b.op("ReduceSum", mask, dims=(), keepdims=0)
    elif bug == "axis":
        count = b.reduce("ReduceSum", mask, [0], keepdims=True)
        return [b.op("Div", mask, b.op("Add", count, b.constant(1.0)))]
    else:
        count = b.reduce("ReduceSum", mask, [1], keepdims=True)
    return [b.op("Div", total, b.op("Add", count, b.constant(1.0)))]


def chosen(b: Builder, bug: str) -> list[Value]:
    """One token of each sample, by GatherND, GatherElements, or arithmetic on flat rows."""
    x = b.input("x", ("batch", "seq", 4))
    at = b.input("at", ("batch",), "i", high=1 if b.r.random() < 0.2 else 2)
    way = bug or b.r.choice(["batch_dims", "pairs", "elements", "flat", "one hot"])
    if way == "batch_dims":
        return [b.op("GatherND", x, b.unsqueeze(at, 1), dims=(ROWS, (4,)), kind="f", batch_dims=1)]
    if way == "pairs":
        both = [b.unsqueeze(b.range(ROWS), 1), b.unsqueeze(at, 1)]
        index = b.op("Concat", *both, dims=(ROWS, (2,)), axis=1)
        return [b.op("GatherND", x, index, dims=(ROWS, (4,)), kind="f")]
    if way == "elements":
        column = b.op("Reshape", at, b.ints(-1, 1, 1), dims=(ROWS, (1,), (1,)))
        wide = b.op("Expand", column, b.shape((ROWS, (1,), (4,))), dims=(ROWS, (1,), (4,)))
        return [b.op("GatherElements", x, wide, dims=wide.dims, kind="f", axis=1)]
    if way == "one hot":
        hot = b.op("OneHot", at, b.extent(("seq",)), b.constant([0.0, 1.0]), dims=(ROWS, ("seq",)), kind="f")
        return [b.reduce("ReduceSum", b.op("Mul", x, b.unsqueeze(hot, 2)), [1], keepdims=False)]
    if way == "flat":
        flat = b.reshape(x, ((BATCH, "seq"), (4,)))
        start = b.op("Mul", b.range(ROWS), b.size("seq"))
        return [b.op("Gather", flat, b.op("Add", start, at), dims=(ROWS, (4,)), kind="f", axis=0)]
    if way == "axis 0":
        return [b.op("Gather", x, b.constant([0, 0], "i"), dims=((2,), *x.dims[1:]), kind="f", axis=0)]
    if way == "by all":
        return [b.op("Gather", x, at, dims=(ROWS, ROWS, (4,)), kind="f", axis=1)]
    if way == "where":
        hits = b.op("NonZero", at, dims=((1,), ("hits",)), kind="i")
        return [b.op("Cast", hits, kind="f", to=1)]
    keep = b.op("Cast", at, kind="b", to=9)
    return [b.op("Compress", x, keep, dims=(("hits",), *x.dims[1:]), axis=0)]


def scattered(b: Builder, bug: str) -> list[Value]:
    """Tokens written into rows of the own sample, or of the first."""
    x = b.input("x", ("batch", 4, 3))
    row = b.input("row", ("batch", 1, 3))
    if bug == "first":
        where = b.constant([[0, 1]], "i")
        update = b.op("Gather", row, b.constant([[0, 0, 0]], "i"), dims=((1,), (3,), (1,), (3,)), axis=0)
        update = b.op("ReduceMean", update, dims=((1,), (3,)), axes=[1, 2], keepdims=0) if b.opset < 18 else None
        if update is not None:
            return [b.op("ScatterND", x, where, update)]
    if bug:
        index = b.op("Expand", b.constant(0, "i"), b.shape((ROWS, (1,), (3,))), dims=row.dims, kind="i")
        return [b.op("ScatterElements", x, index, row, axis=0)]
    way = b.r.choice(["elements", "nd", "where"])
    if way == "elements":
        index = b.op("Expand", b.constant(2, "i"), b.shape(row.dims), dims=row.dims, kind="i")
        return [b.op("ScatterElements", x, index, row, axis=1)]
    if way == "nd":
        column = b.unsqueeze(b.range(ROWS), 1)
        ones = b.op("Add", b.op("Mul", column, b.constant(0, "i")), b.constant(1, "i"))
        index = b.op("Concat", column, ones, dims=(ROWS, (2,)), axis=1)
        return [b.op("ScatterND", x, index, b.squeeze(row, 1))]
    inside = b.op("Equal", b.constant([[0], [1], [2], [3]], "i"), b.constant(1, "i"), kind="b")
    return [b.op("Where", inside, row, x, dims=x.dims, kind="f")]


def contrib(b: Builder, bug: str) -> list[Value]:
    """Operators that ONNX Runtime's optimizer puts into a model."""
    x = b.input("x", ("batch", "seq", 8))
    domain = "com.microsoft"
    if bug == "seq first":
        x = b.transpose(x, [1, 0, 2])
    way = b.r.choice(["attention", "many heads", "skip", "gelu", "fused"])
    if bug == "seq first" or way == "attention":
        y = b.op("Attention", x, b.weight(8, 24), b.weight(24), domain=domain, num_heads=2)
        return [b.transpose(y, [1, 0, 2]) if bug == "seq first" else y]
    if bug == "product":
        return [
            b.op("FusedMatMul", x, x, dims=(ROWS, (8,), (8,)), domain=domain, transA=1, transBatchA=1, transBatchB=1)
        ]
    if way == "many heads":
        heads = [b.linear(x, 8) for _ in range(3)]
        return [b.op("MultiHeadAttention", *heads, domain=domain, num_heads=2)]
    if way == "skip":
        pair = b.linear(x, 8)
        return [b.op("SkipLayerNormalization", x, pair, b.weight(8), b.weight(8), domain=domain)]
    if way == "gelu":
        return [b.op("BiasGelu", x, b.weight(8), domain=domain)]
    return [b.op("FusedMatMul", x, x, dims=(ROWS, ("seq",), ("seq",)), domain=domain, transB=1)]


def quantized(b: Builder, bug: str) -> list[Value]:
    """Weights of 8 bits; scales of the whole tensor, or constants."""
    x = b.input("x", ("batch", 6))
    if bug:
        parts = [Value(n, ()) for n in b.many("DynamicQuantizeLinear", x, outs=3)]
        weight = b.op("Cast", b.constant([[1, -2], [3, 4], [5, 0], [2, 2], [-7, 1], [9, 8]], "i"), to=3)
        y = b.op("MatMulInteger", parts[0], weight, parts[2], dims=(ROWS, (2,)))
        return [b.op("Mul", b.op("Cast", y, kind="f", to=1), parts[1])]
    zero = b.op("Cast", b.constant(3, "i"), to=2)
    q = b.op("QuantizeLinear", x, b.constant(0.01), zero)
    return [b.linear(b.op("DequantizeLinear", q, b.constant(0.01), zero, dims=x.dims, kind="f"), 3)]


def crossed(b: Builder, bug: str) -> list[Value]:
    """Queries of one tensor, keys of another: learned ones for all samples, or one sample's for all."""
    x = b.input("x", ("batch", "seq", 4))
    queries = b.weight(3, 4)
    if bug == "one memory":
        x = b.slice(x, 0, 0, 1, dim=(1,))
        queries = b.op("Expand", queries, b.shape((ROWS, (3,), (4,))), dims=(ROWS, (3,), (4,)))
        return [attend(b, queries, x, x)]
    if bug == "all memory":
        x = b.reshape(x, ((BATCH, "seq"), (4,)))
        return [attend(b, queries, x, x)]
    turned = b.transpose(b.linear(x, 4), [0, 2, 1])
    scores = b.op("MatMul", queries, turned, dims=(ROWS, (3,), ("seq",)))
    return [b.op("MatMul", b.op("Softmax", scores, axis=2), x, dims=(ROWS, (3,), (4,)))]


BUGS = {
    decoder: ("cache on axis 0", "one mask", "last row", "argmax"),
    pooled: ("all", "axis"),
    chosen: ("axis 0", "by all", "where", "compress"),
    scattered: ("first", "axis 0"),
    contrib: ("seq first", "product"),
    quantized: ("dynamic",),
    crossed: ("one memory", "all memory"),
}
