"""Steps that mix samples, if there are several: each takes a tensor with the batch in some axis."""

from __future__ import annotations

from math import prod

import onnx
from onnx import helper

from tests.oracle.samples.building import BATCH, Builder, Value
from tests.oracle.samples.keeping import flipped, numeric


def reduced(b: Builder, v: Value, axis: int) -> Value:
    op = b.r.choice(["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceLogSumExp"])
    return b.reduce(op, v, [axis], keepdims=v.rank < 2 or b.r.random() < 0.5)


def centered(b: Builder, v: Value, axis: int) -> Value:
    return b.op(b.r.choice(["Sub", "Mul"]), v, b.reduce("ReduceMean", v, [axis], keepdims=True), dims=v.dims)


def along(b: Builder, v: Value, axis: int) -> Value:
    if b.r.random() < 0.3:
        return b.op("CumSum", v, b.constant(axis, "i"))
    return b.op(b.r.choice(["Softmax", "LogSoftmax"]), v, axis=axis)


def reversed_factors(b: Builder, v: Value, axis: int) -> Value | None:
    """Unfold what was folded in another order."""
    dim = v.dims[axis]
    if len(dim) < 2:
        return None
    cut = b.r.randrange(1, len(dim))
    return b.reshape(v, (*v.dims[:axis], dim[cut:], dim[:cut], *v.dims[axis + 1 :]))


def swapped(b: Builder, v: Value, axis: int) -> Value | None:
    """A Reshape where a Transpose was meant."""
    if v.rank < 2:
        return None
    other = b.r.choice([i for i in range(v.rank) if i != axis])
    dims = list(v.dims)
    dims[axis], dims[other] = dims[other], dims[axis]
    return b.reshape(v, tuple(dims), computed=b.r.random() < 0.5)


def divided(b: Builder, v: Value, axis: int) -> Value | None:
    """A -1 that divides another axis by the batch."""
    size = prod(f for dim in v.dims for f in dim if isinstance(f, int))
    rest = tuple(f for dim in v.dims for f in dim if isinstance(f, str))
    lead = b.r.choice([n for n in (2, 4, 8) if size % n == 0] or [1])
    if lead == 1:
        return None
    return b.op("Reshape", v, b.ints(lead, -1), dims=((lead,), (size // lead, *rest)))


def strided(b: Builder, v: Value, axis: int) -> Value | None:
    """Rows of a fixed length, whatever a sample has."""
    if v.rank < 2:
        return None
    k = b.r.choice([3, 4, 6, 12])
    flat = b.op("Reshape", v, b.ints(-1, k), dims=((BATCH,), (k,)))
    return b.op(b.r.choice(["Softmax", "Tanh"]), flat, dims=flat.dims)


def gram(b: Builder, v: Value, axis: int) -> Value:
    rows = b.to_front(v, axis)
    flat = b.reshape(rows, (rows.dims[0], sum(rows.dims[1:], ())))
    turned = b.transpose(flat, [1, 0])
    if b.r.random() < 0.5:
        return b.op("MatMul", flat, turned, dims=(flat.dims[0], flat.dims[0]))
    return b.op("MatMul", turned, flat, dims=(flat.dims[1], flat.dims[1]))


def first(b: Builder, v: Value, axis: int) -> Value:
    """The first row, for all."""
    row = b.slice(v, axis, 0, 1, dim=(1,))
    return b.op(b.r.choice(["Sub", "Mul", "Add"]), v, row, dims=v.dims)


def part(b: Builder, v: Value, axis: int) -> Value:
    """Some rows only."""
    start, end, step = b.r.choice([(0, 1, 1), (1, 2**31, 1), (0, -1, 1), (0, 2**31, 2), (0, 3, 1)])
    return b.slice(v, axis, start, end, step, dim=(1,))


def flip(b: Builder, v: Value, axis: int) -> Value:
    return flipped(b, v, axis)


def rolled(b: Builder, v: Value, axis: int) -> Value:
    tail = b.slice(v, axis, 1, 2**31)
    return b.op("Concat", tail, b.slice(v, axis, 0, 1), dims=v.dims, axis=axis)


def one(b: Builder, v: Value, axis: int) -> Value | None:
    if v.rank < 2:
        return None
    return b.op(
        "Gather", v, b.constant(b.r.choice([0, -1]), "i"), dims=(*v.dims[:axis], *v.dims[axis + 1 :]), axis=axis
    )


def neighbours(b: Builder, v: Value, axis: int) -> Value:
    """A convolution along the samples."""
    last = b.transpose(v, [*(i for i in range(v.rank) if i != axis), axis])
    flat = b.reshape(last, (sum(last.dims[:-1], ()), (1,), last.dims[-1]), computed=True)
    return b.op("Conv", flat, b.weight(1, 1, 3), pads=[1, 1])


def whole(b: Builder, v: Value, axis: int) -> Value:
    """Scaled by a value of the whole tensor."""
    if b.r.random() < 0.4:
        names = b.many("DynamicQuantizeLinear", v, outs=3)
        parts = [Value(name, ()) for name in names]
        return b.op("DequantizeLinear", *parts, dims=v.dims)
    most = b.op("ReduceMax", b.op("Abs", v), dims=(), keepdims=0)
    return b.op("Div", v, most)


def trained(b: Builder, v: Value, axis: int) -> Value | None:
    """Batch normalization in training mode."""
    if b.opset < 14 or axis != 0 or v.rank < 2 or not numeric(v.dims[1]):
        return None
    n = prod(v.dims[1])
    weights = [b.weight(n), b.weight(n), b.weight(n), b.op("Abs", b.weight(n))]
    names = b.many("BatchNormalization", v, *weights, outs=3, training_mode=1)
    return Value(names[0], v.dims)


def added(b: Builder, v: Value, axis: int) -> Value:
    """A row of zeros, or of a weight, in addition."""
    dims = tuple((1,) if i == axis else dim for i, dim in enumerate(v.dims))
    row = b.op("Expand", b.weight(), b.shape(dims), dims=dims)
    return b.op("Concat", *b.r.sample([v, row], 2), dims=v.dims, axis=axis)


def decided(b: Builder, v: Value, axis: int) -> Value:
    """A branch that all samples decide."""
    total = b.op("ReduceSum", v, dims=(), keepdims=0)
    condition = b.op("Greater", b.op("Sin", b.op("Mul", total, b.constant(7.0))), b.constant(0.0), kind="b")
    return branch(b, condition, v, "Relu", "Neg")


def branch(b: Builder, condition: Value, v: Value, then: str, otherwise: str) -> Value:
    """An If around two elementwise operators."""

    def body(op: str) -> onnx.GraphProto:
        name = b.fresh("branch")
        out = helper.make_tensor_value_info(name, 1, None)
        return helper.make_graph([helper.make_node(op, [v.name], [name], b.fresh("inner_"))], name, [], [out])

    return b.op("If", condition, dims=v.dims, kind="f", then_branch=body(then), else_branch=body(otherwise))


def ranked(b: Builder, v: Value, axis: int) -> Value:
    """Sorted along the samples."""
    names = b.many("TopK", v, b.ints(1), outs=2, axis=axis)
    return Value(names[0], tuple((1,) if i == axis else dim for i, dim in enumerate(v.dims)))


def winner(b: Builder, v: Value, axis: int) -> Value:
    name = b.op("ArgMax", v, axis=axis, keepdims=1, kind="i")
    return b.op("Cast", name, dims=tuple((1,) if i == axis else d for i, d in enumerate(v.dims)), kind="f", to=1)


def against_one(b: Builder, v: Value, axis: int) -> Value | None:
    """[1, batch, ...] with [batch, 1, ...]: each with each."""
    if v.rank > 3:
        return None
    left, right = b.unsqueeze(v, axis), b.unsqueeze(v, axis + 1)
    return b.op("Sub", left, right, dims=(*v.dims[: axis + 1], v.dims[axis], *v.dims[axis + 1 :]))


def contracted(b: Builder, v: Value, axis: int) -> Value | None:
    if v.rank > 4:
        return None
    letters = "abcd"[: v.rank]
    kept = "".join(s for i, s in enumerate(letters) if i != axis)
    dims = tuple(dim for i, dim in enumerate(v.dims) if i != axis)
    return b.op("Einsum", v, v, dims=dims, equation=f"{letters},{letters}->{kept}")


def baked(b: Builder, v: Value, axis: int) -> Value | None:
    """The batch of the export in a target: 1, or 2."""
    if len(v.dims[axis]) > 1 or v.rank < 2:
        return None
    n = b.r.choice([1, 2])
    if b.r.random() < 0.5:
        rest = [prod(d) if numeric(d) else 0 for d in v.dims]
        target = [n if i == axis else rest[i] for i in range(v.rank)]
        others = [i for i in range(v.rank) if i != axis]
        target[b.r.choice(others)] = -1
        dims = tuple((n,) if i == axis else (BATCH, *d) if target[i] == -1 else d for i, d in enumerate(v.dims))
        return b.op("Reshape", v, b.ints(*target), dims=dims)
    dims = tuple((n,) if i == axis else (1,) for i in range(v.rank))
    return b.op("Add", v, b.op("ConstantOfShape", b.ints(*(prod(d) for d in dims)), dims=dims), dims=v.dims)


STEPS = [
    *(reduced, centered, along, reversed_factors, swapped, divided, gram, first, part, flip, rolled, one, neighbours),
    *(
        strided,
        whole,
        trained,
        added,
        decided,
        ranked,
        winner,
        against_one,
        contracted,
        baked,
        swapped,
        reversed_factors,
    ),
]
