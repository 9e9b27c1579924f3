"""Steps that keep samples apart: each takes a tensor and returns another, or None where it doesn't fit."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.oracle.samples.building import BATCH, Builder, Dim, Value

MOST = 5  # axes


def numeric(dim: Dim) -> bool:
    """Whether the size of an axis is a number."""
    return all(isinstance(f, int) for f in dim)


def pick(b: Builder, v: Value, number: bool = False, least: int = 1) -> int | None:
    """An axis without the batch; one whose size is a number, if asked for."""
    axes = [i for i in v.others() if not number or (numeric(v.dims[i]) and prod(v.dims[i]) >= least)]
    return b.r.choice(axes) if axes else None


def unary(b: Builder, v: Value) -> Value:
    ops = ["Sigmoid", "Tanh", "Neg", "LeakyRelu", "Softplus", "HardSwish", "Erf", "Identity", "Sin", "Elu"]
    return b.op(b.r.choice([op for op in ops if op != "HardSwish" or b.opset >= 14]), v)


def scaled(b: Builder, v: Value) -> Value:
    if not v.dims or not numeric(v.dims[-1]) or b.r.random() < 0.3:
        return b.op(b.r.choice(["Mul", "Add", "Sub", "Div"]), v, b.weight(1) if b.r.random() < 0.5 else b.weight())
    return b.op(b.r.choice(["Mul", "Add", "Sub"]), v, b.weight(prod(v.dims[-1])))


def linear(b: Builder, v: Value) -> Value | None:
    if v.rank < 2 or not numeric(v.dims[-1]):
        return None
    return b.linear(v, b.r.choice([4, 6, 8]))


def transpose(b: Builder, v: Value) -> Value | None:
    return b.transpose(v, b.r.sample(range(v.rank), v.rank)) if v.rank > 1 else None


def fold(b: Builder, v: Value) -> Value | None:
    if v.rank < 2:
        return None
    if b.r.random() < 0.15:
        at = b.r.randrange(1, v.rank)
        dims = (sum(v.dims[:at], ()), sum(v.dims[at:], ()))
        return b.op("Flatten", v, dims=dims, axis=at)
    at = b.r.randrange(v.rank - 1)
    return b.reshape(v, (*v.dims[:at], v.dims[at] + v.dims[at + 1], *v.dims[at + 2 :]))


def factors(dim: Dim) -> Dim:
    """The factors, numbers that can be halved in halves, and no ones."""
    parts = [(2, f // 2) if isinstance(f, int) and f in (4, 6, 8, 12) else (f,) for f in dim]
    return tuple(f for part in parts for f in part if f != 1)


def unfold(b: Builder, v: Value) -> Value | None:
    axes = [i for i, dim in enumerate(v.dims) if len(factors(dim)) > 1]
    if not axes or v.rank >= MOST:
        return None
    at = b.r.choice(axes)
    parts = factors(v.dims[at])
    cut = b.r.randrange(1, len(parts))
    return b.reshape(v, (*v.dims[:at], parts[:cut], parts[cut:], *v.dims[at + 1 :]))


def reduce(b: Builder, v: Value) -> Value | None:
    axis = pick(b, v)
    if axis is None or v.rank < 2:
        return None
    return b.reduce(b.r.choice(["ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2"]), v, [axis], b.r.random() < 0.4)


def along(b: Builder, v: Value) -> Value | None:
    axis = pick(b, v)
    if axis is None or v.dims[axis] == (1,):  # the softmax over one element is 1
        return None
    kind = b.r.choice(["Softmax", "LogSoftmax", "CumSum", "centered", "norm"])
    if kind == "CumSum":
        return b.op(kind, v, b.constant(axis, "i"), reverse=b.r.randint(0, 1))
    if kind in ("Softmax", "LogSoftmax"):
        return b.op(kind, v, axis=axis if b.r.random() < 0.5 else axis - v.rank)
    mean = b.reduce("ReduceMean" if kind == "centered" else "ReduceL2", v, [axis], keepdims=True)
    return b.op("Sub" if kind == "centered" else "Mul", v, mean, dims=v.dims)


def layer_norm(b: Builder, v: Value) -> Value | None:
    if b.opset < 17 or v.axis() == v.rank - 1 or not numeric(v.dims[-1]):
        return None
    return b.op("LayerNormalization", v, b.weight(prod(v.dims[-1])), axis=-1)


def doubled(b: Builder, v: Value) -> Value:
    """The tensor and a function of it, concatenated: on any axis, the batch's own included."""
    axis = b.r.randrange(v.rank)
    dims = (*v.dims[:axis], (2, *v.dims[axis]), *v.dims[axis + 1 :])
    pair = [v, unary(b, v)]
    return b.op("Concat", *pair, dims=dims, axis=axis)


def cut(b: Builder, v: Value) -> Value | None:
    axis = pick(b, v, number=True, least=2)
    if axis is None:
        return None
    size = prod(v.dims[axis])
    start = b.r.randrange(size)
    end = b.r.randrange(start + 1, size + 1)
    return b.slice(v, axis, start, end, dim=(end - start,))


def picked(b: Builder, v: Value) -> Value | None:
    axis = pick(b, v)
    if axis is None or v.rank < 2:
        return None
    index = b.r.choice([0, -1])
    return b.op("Gather", v, b.constant(index, "i"), dims=(*v.dims[:axis], *v.dims[axis + 1 :]), axis=axis)


def tiled(b: Builder, v: Value) -> Value:
    """Every axis n times: the batch's own has n repetitions around it."""
    axis, n = b.r.randrange(v.rank), b.r.choice([2, 3])
    dims = (*v.dims[:axis], (n, *v.dims[axis]), *v.dims[axis + 1 :])
    return b.op("Tile", v, b.ints(*(n if i == axis else 1 for i in range(v.rank))), dims=dims)


def repeated(b: Builder, v: Value) -> Value | None:
    """Each row n times in sequence, as `repeat_interleave` is exported."""
    if v.rank >= MOST:
        return None
    axis, n = b.r.randrange(v.rank), b.r.choice([2, 3])
    one = b.unsqueeze(v, axis + 1)
    dims = (*v.dims[: axis + 1], (n,), *v.dims[axis + 1 :])
    wide = b.op("Expand", one, b.ints(*(n if i == axis + 1 else 1 for i in range(v.rank + 1))), dims=dims)
    return b.reshape(wide, (*v.dims[:axis], (*v.dims[axis], n), *v.dims[axis + 1 :]))


def own_range(b: Builder, v: Value) -> Value | None:
    axis = v.axis()
    return None if axis is None else b.op("Gather", v, b.range(v.dims[axis]), axis=axis)


def flipped(b: Builder, v: Value, axis: int) -> Value:
    return b.slice(v, axis, -1, b.r.choice([-(2**31), -(2**63), 1 - 2**63]), -1)


def twice(b: Builder, v: Value) -> Value:
    axis = b.r.randrange(v.rank)
    return flipped(b, unary(b, flipped(b, v, axis)), axis)


def there_and_back(b: Builder, v: Value) -> Value | None:
    """Read in other blocks or rolled, changed by element, and read as before."""
    axis = b.r.randrange(v.rank)
    if b.r.random() < 0.4:
        rolled = b.op("Concat", b.slice(v, axis, 1, 2**31), b.slice(v, axis, 0, 1), dims=v.dims, axis=axis)
        rolled = unary(b, rolled)
        return b.op("Concat", b.slice(rolled, axis, -1, 2**31), b.slice(rolled, axis, 0, -1), dims=v.dims, axis=axis)
    order = b.r.sample(range(v.rank), v.rank)
    other = b.reshape(v, tuple(v.dims[i] for i in order), computed=True)
    return b.reshape(unary(b, other), v.dims, computed=True)


def padded(b: Builder, v: Value) -> Value | None:
    """Padded on an axis without the batch, or on any and cut again."""
    axis = b.r.randrange(v.rank)
    pads = b.ints(*([int(i == axis) for i in range(v.rank)] * 2))
    wide = b.op("Pad", v, pads, dims=(*v.dims[:axis], (), *v.dims[axis + 1 :]))
    return b.slice(wide, axis, 1, -1, dim=v.dims[axis])


def similar(b: Builder, v: Value) -> Value | None:
    """Each sample's rows compared with each other."""
    if v.rank < 3 or v.axis() is None or (v.axis() or 0) >= v.rank - 2:
        return None
    turned = b.transpose(v, [*range(v.rank - 2), v.rank - 1, v.rank - 2])
    return b.op("MatMul", v, turned, dims=(*v.dims[:-1], v.dims[-2]))


def best(b: Builder, v: Value) -> Value | None:
    axis = pick(b, v, number=True, least=2)
    if axis is None:
        return None
    k = b.r.randint(1, 2)
    names = b.many("TopK", v, b.ints(k), outs=2, axis=axis)
    return Value(names[0], (*v.dims[:axis], (k,), *v.dims[axis + 1 :]))


def masked(b: Builder, v: Value) -> Value | None:
    """Where by a mask made of indices."""
    axis = pick(b, v)
    if axis is None or b.r.random() < 0.3:
        axis = b.r.randrange(v.rank)
    odd = b.op("Less", b.range(v.dims[axis]), b.constant(b.r.randint(1, 3), "i"), kind="b")
    mask = b.reshape(odd, (v.dims[axis], *((1,) for _ in range(v.rank - axis - 1))))
    return b.op("Where", mask, v, b.weight(), dims=v.dims, kind="f")


def gated(b: Builder, v: Value) -> Value:
    """Two functions of it multiplied."""
    return b.op(b.r.choice(["Mul", "Add", "Max", "Min"]), unary(b, v), scaled(b, v))


def halves(b: Builder, v: Value) -> Value | None:
    axes = [i for i in v.others() if numeric(v.dims[i]) and prod(v.dims[i]) % 2 == 0]
    if not axes:
        return None
    axis = b.r.choice(axes)
    one, two = b.split(v, axis, 2)
    return b.op("Mul", one, b.op("Sigmoid", two))


def zeros(b: Builder, v: Value) -> Value:
    """Added to zeros of a computed shape."""
    shape = b.shape(v.dims) if b.r.random() < 0.5 else b.op("Shape", v, dims=((v.rank,),), kind="i")
    if b.r.random() < 0.5:
        return b.op("Add", v, b.op("ConstantOfShape", shape, dims=v.dims, kind="f"))
    return b.op("Add", v, b.op("Expand", b.weight(), shape, dims=v.dims))


def rolled(b: Builder, v: Value) -> Value | None:
    """Rolled along an axis without the batch, as windows are shifted."""
    axis = pick(b, v, number=True, least=2)
    if axis is None:
        return None
    end = b.slice(v, axis, 1, 2**31)
    return b.op("Concat", end, b.slice(v, axis, 0, 1), dims=v.dims, axis=axis)


def einsum(b: Builder, v: Value) -> Value | None:
    if v.rank > 4:
        return None
    letters = "abcd"[: v.rank]
    last = numeric(v.dims[-1]) and v.axis() != v.rank - 1
    order = b.r.sample(letters, v.rank)
    if last and b.r.random() < 0.6:
        weight = b.weight(prod(v.dims[-1]), 4)
        order = ["k" if s == letters[-1] else s for s in order]
        dims = tuple((4,) if s == "k" else v.dims[letters.index(s)] for s in order)
        return b.op("Einsum", v, weight, dims=dims, equation=f"{letters},{letters[-1]}k->{''.join(order)}")
    dims = tuple(v.dims[letters.index(s)] for s in order)
    return b.op("Einsum", v, v, dims=dims, equation=f"{letters},{letters}->{''.join(order)}")


def called(b: Builder, v: Value) -> Value:
    """A function of the model: silu, or a residual around a norm over the last axis."""
    from onnx import helper

    name = f"Silu{len(b.functions)}"
    nodes = [helper.make_node("Sigmoid", ["x"], ["s"]), helper.make_node("Mul", ["x", "s"], ["y"])]
    opsets = [helper.make_opsetid("", b.opset)]
    b.functions.append(helper.make_function("local", name, ["x"], ["y"], nodes, opsets))
    return b.op(name, v, domain="local")


def cast(b: Builder, v: Value) -> Value:
    double = b.op("Cast", v, to=11)
    return b.op("Cast", b.op("Mul", double, double), to=1)


def clipped(b: Builder, v: Value) -> Value:
    return b.op("Clip", v, b.constant(np.float32(-6)), b.constant(np.float32(6)))


STEPS = [
    *(unary, scaled, linear, transpose, transpose, fold, fold, unfold, unfold, unfold, reduce, along, layer_norm),
    *(
        there_and_back,
        doubled,
        cut,
        picked,
        tiled,
        repeated,
        own_range,
        twice,
        padded,
        similar,
        best,
        masked,
        gated,
        halves,
        zeros,
    ),
    *(rolled, einsum, called, cast, clipped),
]


def restore(b: Builder, v: Value) -> Value:
    """Unfold until the batch is alone, and bring it to the front."""
    axis = v.axis()
    if axis is None:
        return v
    dim = v.dims[axis]
    at = dim.index(BATCH)
    if len(dim) > 1:
        parts = tuple(p for p in (dim[:at], (BATCH,), dim[at + 1 :]) if p)
        v = b.reshape(v, (*v.dims[:axis], *parts, *v.dims[axis + 1 :]))
        axis += bool(dim[:at])
    return b.to_front(v, axis)
