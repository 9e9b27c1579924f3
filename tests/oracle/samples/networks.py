"""Parts of networks as people write them, each with mistakes that people make: `bug` is drawn among its `BUGS`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.samples.building import BATCH, Builder, Value


def attend(b: Builder, q: Value, k: Value, v: Value, axis: int = -1) -> Value:
    """Scaled dot products over the last two axes, and a softmax over one."""
    turned = b.transpose(k, [*range(k.rank - 2), k.rank - 1, k.rank - 2])
    scores = b.op("MatMul", q, turned, dims=(*q.dims[:-1], k.dims[-2]))
    scaled = b.op("Mul", scores, b.constant(0.5))
    weights = b.op("Softmax", scaled, axis=axis)
    return b.op("MatMul", weights, v, dims=(*q.dims[:-1], v.dims[-1]))


def attention(b: Builder, bug: str) -> list[Value]:
    """Heads unfolded, attended, folded; a leading 1, the softmax over samples, or a sequence in the batch's place."""
    x = b.input("x", ("batch", "seq", 8))
    if bug == "seq first":
        x = b.reshape(b.linear(x, 8), (("seq",), (BATCH,), (8,)), computed=True)
    turn = bug == "as torch"
    if turn:
        x = b.transpose(x, [1, 0, 2])
    lead, rows = x.dims[:2]
    heads = []
    for _ in range(3):
        p = b.linear(x, 8)
        if bug == "leading 1":
            p = b.op("Reshape", p, b.ints(1, -1, 2, 4), dims=((1,), (*lead, *rows), (2,), (4,)))
        else:
            p = b.reshape(p, (lead, rows, (2,), (4,)))
        p = b.transpose(p, [0, 2, 1, 3])
        if bug == "3d" or b.r.random() < 0.2:
            p = b.reshape(p, (p.dims[0] + p.dims[1], *p.dims[2:]))
            p = b.reshape(p, (p.dims[0][:-1], (2,), *p.dims[1:])) if b.r.random() < 0.5 and bug != "3d" else p
        heads.append(p)
    if len({h.rank for h in heads}) > 1:
        heads = [b.reshape(h, (h.dims[0][:-1], (2,), *h.dims[1:])) if h.rank == 3 else h for h in heads]
    out = attend(b, *heads, axis=0 if bug == "softmax" else -1)
    if out.rank == 3:
        order = ((2,), out.dims[0][:-1]) if bug == "3d" else (out.dims[0][:-1], (2,))
        out = b.reshape(out, (*order, *out.dims[1:]))
        out = b.transpose(out, [1, 0, 2, 3]) if bug == "3d" and b.r.random() < 0.5 else out
    merged = b.transpose(out, [0, 2, 1, 3])
    y = b.reshape(merged, (*merged.dims[:2], (8,)))
    y = b.transpose(y, [1, 0, 2]) if turn else y
    return [b.linear(y, 8)]


def convnet(b: Builder, bug: str) -> list[Value]:
    """Convolutions, a norm, pooling and a classifier."""
    x = b.input("x", ("batch", 3, b.r.choice(["h", 8]), 8))
    y = b.op("Conv", x, b.weight(4, 3, 3, 3), dims=(x.dims[0], (4,), *x.dims[2:]), pads=[1, 1, 1, 1])
    if bug == "training" and b.opset >= 14:
        weights = [b.weight(4), b.weight(4), b.weight(4), b.op("Abs", b.weight(4))]
        y = Value(b.many("BatchNormalization", y, *weights, outs=3, training_mode=1)[0], y.dims)
    else:
        kind = b.r.choice(["BatchNormalization", "InstanceNormalization", "groups", "LRN", "Identity"])
        weights = [b.weight(4), b.weight(4)]
        if kind == "BatchNormalization":
            y = b.op(kind, y, *weights, b.weight(4), b.op("Abs", b.weight(4)))
        elif kind == "InstanceNormalization":
            y = b.op(kind, y, *weights)
        elif kind == "groups":
            flat = b.op("Reshape", y, b.ints(0, 2, -1), dims=(y.dims[0], (2,), (2, *y.dims[2], *y.dims[3])))
            normed = b.op("InstanceNormalization", flat, b.weight(2), b.weight(2))
            y = b.op("Reshape", normed, b.op("Shape", y, dims=((4,),), kind="i"), dims=y.dims)
        else:
            y = b.op(kind, y, **({"size": 3} if kind == "LRN" else {}))
    y = b.op("PRelu", y, b.weight(4, 1, 1))
    pool = b.r.choice(["MaxPool", "AveragePool", "LpPool"])
    y = b.op(
        pool, y, dims=(*y.dims[:2], *(d if "h" in d else (4,) for d in y.dims[2:])), kernel_shape=[1, 2], strides=[1, 2]
    )
    if bug == "one row":
        y = b.op("GlobalAveragePool", y, dims=(*y.dims[:2], (1,), (1,)))
        y = b.op("Reshape", y, b.ints(1, -1), dims=((1,), (BATCH, 4)))
        return [b.op("Softmax", y, axis=-1)] if b.r.random() < 0.5 else [b.reduce("ReduceMean", y, [1], keepdims=False)]
    if bug == "two rows":
        y = b.op("GlobalMaxPool", y, dims=(*y.dims[:2], (1,), (1,)))
        y = b.op("Reshape", y, b.ints(-1, 8), dims=((BATCH,), (8,)))
        return [b.op("Gemm", y, b.weight(8, 5), b.weight(5), dims=((BATCH,), (5,)))]
    y = b.op("GlobalAveragePool", y, dims=(*y.dims[:2], (1,), (1,)))
    flat = b.op("Flatten", y, dims=(y.dims[0], (4,))) if b.r.random() < 0.5 else b.reshape(y, (y.dims[0], (4,)))
    if bug == "squeezed":  # without axes
        flat = b.op("Squeeze", y, dims=(y.dims[0], (4,)))
    out = b.op("Gemm", flat, b.weight(5, 4), b.weight(5), dims=(y.dims[0], (5,)), transB=1)
    return [b.op("Softmax", out, axis=0 if bug == "softmax" else 1)]


def detector(b: Builder, bug: str) -> list[Value]:
    """A head of anchors and classes, flattened to rows of boxes."""
    h: Any = b.r.choice(["h", 4])
    x = b.input("x", ("batch", 12, h, h))
    boxes = (3, *x.dims[2], *x.dims[3])
    y = b.reshape(x, (x.dims[0], (3,), (4,), *x.dims[2:]))
    y = b.transpose(y, [0, 1, 3, 4, 2])
    if bug == "flat":
        y = b.op("Reshape", y, b.ints(-1, 4), dims=((BATCH, *boxes), (4,)))
        names = b.many("TopK", b.slice(y, 1, 0, 1, dim=(1,)), b.ints(2), outs=2, axis=0)
        return [Value(names[0], ((2,), (1,)))]
    if bug == "divided":
        y = b.op("Reshape", y, b.ints(1, -1, 4), dims=((1,), (BATCH, *boxes), (4,)))
        return [b.op("Softmax", y, axis=1)]
    if bug == "classes":
        y = b.op("Reshape", y, b.ints(6, -1), dims=((6,), (BATCH, *boxes, 4)))
        return [b.op("Sigmoid", y)]
    y = b.reshape(y, (x.dims[0], boxes, (4,)))
    xy, wh = b.split(y, 2, 2)
    y = b.op("Concat", b.op("Sigmoid", xy), b.op("Exp", wh), dims=y.dims, axis=2)
    scores = b.reduce("ReduceMax", y, [2], keepdims=False)
    axis = 0 if bug == "best image" else 1
    names = b.many("TopK", scores, b.ints(1), outs=2, axis=axis)
    best = Value(names[1], (scores.dims[0], (1,)), "i")
    if bug in ("best image", "indices"):
        return [y, best]
    index = b.op("Expand", b.unsqueeze(best, 2), b.shape((x.dims[0], (1,), (4,))), dims=(x.dims[0], (1,), (4,)))
    return [b.op("GatherElements", y, index, dims=index.dims, kind="f", axis=1), scores]


def windows(b: Builder, bug: str) -> list[Value]:
    """Windows folded into the batch, attended with a mask, and unfolded, as in Swin."""
    x = b.input("x", ("batch", 4, 4, 6))
    y = b.reshape(x, (x.dims[0], (2,), (2,), (2,), (2,), (6,)))
    y = b.transpose(y, [0, 1, 3, 2, 4, 5])
    y = b.reshape(y, ((BATCH, 2, 2), (4,), (6,)))
    scores = b.op("MatMul", y, b.transpose(y, [0, 2, 1]), dims=((BATCH, 2, 2), (4,), (4,)))
    if bug == "mask of few":
        two = b.reshape(scores, ((4,), (BATCH,), (4,), (4,)), computed=True)
        scores = b.reshape(b.op("Add", two, b.weight(4, 1, 4, 4)), scores.dims)
    elif b.r.random() < 0.7:
        two = b.reshape(scores, ((BATCH,), (4,), (4,), (4,)))
        scores = b.reshape(b.op("Add", two, b.weight(1, 4, 4, 4)), scores.dims)
    y = b.op("MatMul", b.op("Softmax", scores, axis=-1), y, dims=y.dims)
    order = ((2,), (2,), (2,), (2,), (BATCH,), (6,)) if bug == "reverse" else ((BATCH,), (2,), (2,), (2,), (2,), (6,))
    y = b.reshape(y, order)
    y = b.transpose(y, [4, 0, 2, 1, 3, 5] if bug == "reverse" else [0, 1, 3, 2, 4, 5])
    y = b.reshape(y, ((BATCH,), (4,), (4,), (6,)))
    if bug == "shift":
        y = b.op("Concat", b.slice(y, 0, 1, 2**31), b.slice(y, 0, 0, 1), dims=y.dims, axis=0)
    return [y]


def recurrent(b: Builder, bug: str) -> list[Value]:
    """An LSTM or a GRU, time first or batch first, with or without the Transpose."""
    x = b.input("x", ("batch", "seq", 4))
    gates, kind = b.r.choice([(4, "LSTM"), (3, "GRU"), (1, "RNN")])
    both = b.r.choice([1, 2])
    weights = [b.weight(both, gates * 3, 4), b.weight(both, gates * 3, 3)]
    more: dict[str, Any] = {"hidden_size": 3, "direction": "forward" if both == 1 else "bidirectional"}
    y = x if bug == "not transposed" else b.transpose(x, [1, 0, 2])
    time, rows = y.dims[:2]
    dims = (time, (both,), rows, (3,))
    lengths = None
    if bug == "lengths" or b.r.random() < 0.2:
        lengths = b.op("Cast", b.input("n", ("batch",), "i", high=2), kind="i", to=6)
        if bug == "not transposed":
            lengths = None
    initial = None
    if b.r.random() < 0.4:
        initial = b.op("ConstantOfShape", b.shape(((both,), rows, (3,))), dims=((both,), rows, (3,)), kind="f")
    names = b.many(kind, y, *weights, None, lengths, initial, outs=2, **more)
    out, last = Value(names[0], dims), Value(names[1], dims[1:])
    if b.r.random() < 0.4:
        return [last]
    out = b.transpose(out, [0, 2, 1, 3])
    out = b.reshape(out, (time, rows, (both, 3)))
    return [out if bug == "not transposed" else b.transpose(out, [1, 0, 2]), last]


def frames(b: Builder, bug: str) -> list[Value]:
    """Frames folded into the batch for a convolution, unfolded, averaged."""
    x = b.input("x", ("batch", "time", 3, 4, 4))
    if bug == "time first":
        x = b.transpose(x, [1, 0, 2, 3, 4])
    two = x.dims[:2]
    y = b.reshape(x, (sum(two, ()), *x.dims[2:]))
    y = b.op("Relu", b.op("Conv", y, b.weight(4, 3, 3, 3), dims=(y.dims[0], (4,), (2,), (2,))))
    y = b.op("GlobalAveragePool", y, dims=(*y.dims[:2], (1,), (1,)))
    y = b.op("Flatten", y, dims=(y.dims[0], (4,)))
    if bug == "time first":
        two = two[::-1]
    if bug == "averaged over all":
        return [b.reduce("ReduceMean", y, [0], keepdims=True)]
    y = b.reshape(y, (*two, (4,)))
    return [
        b.reduce(b.r.choice(["ReduceMean", "ReduceMax"]), y, [0 if bug == "samples averaged" else 1], keepdims=False)
    ]


def vit(b: Builder, bug: str) -> list[Value]:
    """A class token in front of patches, positions added, and the token read."""
    x = b.input("x", ("batch", 3, 8, 8))
    y = b.op("Conv", x, b.weight(6, 3, 4, 4), dims=(x.dims[0], (6,), (2,), (2,)), strides=[4, 4])
    y = b.transpose(b.reshape(y, (x.dims[0], (6,), (4,))), [0, 2, 1])
    dims = (x.dims[0], (1,), (6,))
    token = b.weight(1, 1, 6)
    if bug != "one token":
        token = b.op("Expand", token, b.shape(dims), dims=dims)
    axis = 0 if bug == "one token" else 1
    if bug == "one token":
        token = b.op("Expand", token, b.ints(1, 4, 6), dims=((1,), (4,), (6,)))
    y = b.op("Concat", token, y, dims=(x.dims[0], (5,), (6,)), axis=axis)
    y = b.op("Add", y, b.weight(1, 1, 6)) if bug == "one token" else b.op("Add", y, b.weight(1, 5, 6))
    y = attend(b, y, y, y)
    axis = 0 if bug == "first sample" else 1
    first = b.op("Gather", y, b.constant(0, "i"), dims=(y.dims[1 - axis], (6,)), axis=axis)
    return [b.linear(first, 5)]


def clip(b: Builder, bug: str) -> list[Value]:
    """Two towers, normalized, compared with each other or with a gallery."""
    x = b.linear(b.input("image", ("batch", 6)), 4)
    norm = b.reduce("ReduceL2", x, [1 if bug != "norm" else 0], keepdims=True)
    x = b.op("Div", x, norm, dims=x.dims)
    if bug == "pairs":
        t = b.linear(b.input("text", ("batch", 5)), 4)
        return [b.op("MatMul", x, b.transpose(t, [1, 0]), dims=((BATCH,), (BATCH,)))]
    if b.r.random() < 0.5:
        gallery = b.input("gallery", ("classes", 4))
        return [b.op("Softmax", b.op("MatMul", x, b.transpose(gallery, [1, 0]), dims=((BATCH,), ("classes",))), axis=1)]
    return [b.op("Gemm", x, b.weight(7, 4), dims=((BATCH,), (7,)), transB=1, alpha=2.0)]


def shuffled(b: Builder, bug: str) -> list[Value]:
    """Channels shuffled, pixels shuffled, space to batch and back."""
    x = b.input("x", ("batch", 4, 4, 4))
    y = b.reshape(x, (x.dims[0], (2,), (2,), (4,), (4,)))
    y = b.reshape(b.transpose(y, [0, 2, 1, 3, 4] if bug != "shuffle" else [1, 0, 2, 3, 4]), x.dims)
    y = b.op("DepthToSpace", y, dims=(x.dims[0], (1,), (8,), (8,)), blocksize=2, mode=b.r.choice(["CRD", "DCR"]))
    y = b.op("SpaceToDepth", y, dims=x.dims, blocksize=2)
    y = b.reshape(y, (x.dims[0], (4,), (2,), (2,), (2,), (2,)))
    y = b.reshape(b.transpose(y, [3, 5, 0, 1, 2, 4]), ((2, 2, BATCH), (4,), (2,), (2,)))  # dilated convolution
    y = b.op("Conv", y, b.weight(4, 4, 1, 1))
    if bug == "space":
        y = b.reshape(y, ((BATCH,), (2,), (2,), (4,), (2,), (2,)))
        return [b.reshape(b.transpose(y, [0, 3, 4, 1, 5, 2]), x.dims)]
    y = b.reshape(y, ((2,), (2,), (BATCH,), (4,), (2,), (2,)))
    y = b.transpose(y, [2, 3, 4, 0, 5, 1])
    return [b.reshape(y, x.dims)]


BUGS = {
    attention: ("seq first", "leading 1", "softmax", "as torch", "3d"),
    convnet: ("training", "one row", "two rows", "squeezed", "softmax"),
    detector: ("flat", "divided", "classes", "best image", "indices"),
    windows: ("mask of few", "reverse", "shift"),
    recurrent: ("not transposed", "lengths", "not transposed"),
    frames: ("time first", "averaged over all", "samples averaged"),
    vit: ("one token", "first sample"),
    clip: ("pairs", "norm"),
    shuffled: ("shuffle", "space"),
}

__all__ = ["BUGS", "attend", "np"]
