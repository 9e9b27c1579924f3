"""Operators along axes: reductions, running sums, orders, normalization by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.second.node import MOST, Node, Operators, T, Undecided, counted, fail, need

op = Operators()

FOLDS = {"ReduceSum": np.sum, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceMean": None}
OTHERS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare")


@op(*FOLDS, *OTHERS)
def reduction(n: Node) -> T:
    """Each listed axis becomes 1 or goes; without a list all of them, or none with `noop_with_empty_axes`."""
    axes = n.numbers(1, "axes") or []
    if not axes and n.get("noop_with_empty_axes", 0) == 1:
        return T(n[0].dtype, n[0].shape, n[0].value if n.op in FOLDS else None)
    places = {counted(a, n[0].rank) for a in axes} or set(range(n[0].rank))
    keep = n.get("keepdims", 1) == 1
    shape = tuple(1 if i in places else d for i, d in enumerate(n[0].shape) if keep or i not in places)
    function: Any = FOLDS.get(n.op)
    if n[0].value is None or function is None or n[0].size == 0:
        return T(n[0].dtype, shape)
    made = function(n[0].value, axis=tuple(places), keepdims=keep)
    return T(n[0].dtype, shape, np.asarray(made).astype(n[0].dtype))


@op("ArgMax", "ArgMin")
def extreme(n: Node) -> T:
    """The axis becomes 1 or goes."""
    axis = n.axis(n[0].rank, 0)
    keep = n.get("keepdims", 1) == 1
    shape = tuple(1 if i == axis else d for i, d in enumerate(n[0].shape) if keep or i != axis)
    need(n[0].shape[axis] or not T("", shape).size, "an extreme of nothing")
    if n[0].value is None or n.get("select_last_index", 0):
        return T("int64", shape)
    made = (np.argmax if n.op == "ArgMax" else np.argmin)(n[0].value, axis)
    return T("int64", shape, np.reshape(made, shape))


@op("CumSum", "CumProd")
def running(n: Node) -> T:
    """The shape is kept; the axis is a scalar."""
    need(n[1].size == 1, "the axis is one number")
    if n[1].value is not None:
        axis = counted(n.number(1), n[0].rank)
        if n[0].value is not None and n.op == "CumSum" and not n.get("exclusive", 0) and not n.get("reverse", 0):
            return T(n[0].dtype, n[0].shape, np.cumsum(n[0].value, axis).astype(n[0].dtype))
    return T(n[0].dtype, n[0].shape)


@op("TopK")
def top_k(n: Node) -> list[T]:
    """The axis gets `k` places."""
    axis = n.axis(n[0].rank, -1)
    if n.version >= 10:
        need(n[1].shape == (1,), "k is a list of one number")
    k = n.number(1) if n.version >= 10 else n.get("k", -1)
    need(0 <= k <= n[0].shape[axis], f"k is {k} of {n[0].shape[axis]}")
    shape = (*n[0].shape[:axis], k, *n[0].shape[axis + 1 :])
    return [T(n[0].dtype, shape), T("int64", shape)]


@op("Softmax", "LogSoftmax", "Hardmax")
def softmax(n: Node) -> T:
    """The shape is kept; before version 13 the input is flattened at the axis."""
    default = -1 if n.version >= 13 else 1
    axis = n.get("axis", default)
    need(-n[0].rank <= axis < n[0].rank, "an axis is outside the rank")
    return T(n[0].dtype, n[0].shape)


@op("NonZero")
def non_zero(n: Node) -> T:
    """The places of what isn't zero."""
    if n[0].value is None:
        raise Undecided("how many elements aren't zero")
    found = np.stack(np.nonzero(np.atleast_1d(n[0].value)))
    return T("int64", found.shape, found if found.size <= MOST else None)


@op("Unique")
def unique(n: Node) -> list[T]:
    """The distinct elements, or slices along an axis."""
    if "axis" in n.attributes:
        n.axis(n[0].rank)
        raise Undecided("how many slices are distinct")
    if n[0].value is None:
        raise Undecided("how many elements are distinct")
    count = len(np.unique(n[0].value))
    return [T(n[0].dtype, (count,)), T("int64", (count,)), T("int64", (n[0].size,)), T("int64", (count,))]


@op("LayerNormalization", "RMSNormalization")
def layer_norm(n: Node) -> list[T]:
    """The shape is kept; scale and bias broadcast to it; mean and deviation have 1 from the axis on."""
    x, axis = n[0], n.axis(n[0].rank, -1)
    for t in (n[i] for i in (1, 2) if n.has(i)):
        aligned = zip(t.shape[::-1], x.shape[::-1], strict=False)
        need(t.rank <= x.rank and all(a in (1, b) for a, b in aligned), "scale or bias don't broadcast to the input")
    folded = x.shape[:axis] + (1,) * (x.rank - axis)
    return [T(x.dtype, x.shape), T("float32", folded), T("float32", folded)]


@op("LpNormalization", "MeanVarianceNormalization", "LRN")
def normalization(n: Node) -> T:
    """The shape is kept."""
    if n.op == "LpNormalization":
        n.axis(n[0].rank, -1)
    if n.op == "MeanVarianceNormalization":
        [counted(a, n[0].rank) for a in n.get("axes", [0, 2, 3])]
    need(n.op != "LRN" or n[0].rank >= 2, "there are channels")
    return T(n[0].dtype, n[0].shape)


@op("BatchNormalization")
def batch_norm(n: Node) -> list[T]:
    """The shape is kept; four vectors have an element for each channel."""
    channels = n[0].shape[1] if n[0].rank > 1 else 1
    need(n.get("spatial", 1) == 1, "statistics are of channels") if n.version < 9 else None
    need(n[0].rank >= 1 and all(n[i].shape == (channels,) for i in range(1, 5)), "an element for each channel")
    return [T(n[0].dtype, n[0].shape), *[T(n[0].dtype, (channels,))] * (len(n.proto.output) - 1)]


@op("InstanceNormalization", "GroupNormalization")
def instance_norm(n: Node) -> T:
    """The shape is kept; scale and bias have an element for each channel, or each group before version 21."""
    need(n[0].rank >= 3 if n.op == "InstanceNormalization" else n[0].rank >= 2, "there are channels")
    count = n[0].shape[1]
    if n.op == "GroupNormalization":
        groups = n.get("num_groups")
        need(groups and groups > 0 and count % groups == 0, "groups divide the channels")
        count = groups if n.version < 21 else count
    need(n[1].shape == n[2].shape == (count,), "an element for each channel")
    return T(n[0].dtype, n[0].shape)


@op("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(n: Node) -> list[T]:
    """`[n, c, ...]` and labels `[n, ...]`: one number, or one for each label."""
    x, labels = n[0], n[1]
    need(x.rank >= 2 and x.shape[:1] + x.shape[2:] == labels.shape, "a label for each place")
    need(not n.has(2) or n[2].shape == (x.shape[1],), "a weight for each class")
    how = n.get("reduction", "mean")
    need(how in ("none", "mean", "sum"), "the reduction is one of three")
    return [T(x.dtype, labels.shape if how == "none" else ()), T(x.dtype, x.shape)]


@op("Trilu")
def triangle(n: Node) -> T:
    """The shape is kept, of rank 2 or more; k is a scalar."""
    need(n[0].rank >= 2 and (not n.has(1) or n[1].size == 1), "matrices, and one number")
    return T(n[0].dtype, n[0].shape) if n[0].rank else fail("no matrix")
