"""Memory layouts: strides of results, and the views that PyTorch allows without a copy.

Inputs and constants are assumed to have the layout they had at export: PyTorch doesn't check it before a run. Strides
are expressions of sizes. PyTorch ignores the strides of axes of size 1 and of empty tensors, so a condition on strides
applies only to other axes and tensors. "Contiguous" means row-major without gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, combinations, pairwise
from math import inf
from operator import mul
from typing import Literal, TypeAlias

from shapesmt.operators.ops.layout.reshape import uncommon_products
from shapesmt.operators.rules import Layout, RuleContext, Shape, Tensor, tensor
from shapesmt.prover.algebra import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Dim,
    Formula,
    all_of,
    any_of,
    at_least,
    differs,
    equal,
    implies,
    maximum,
    product,
)

Memory: TypeAlias = Literal["open", "new", "dense", "view"]
"""The layout of an operator's results if its inputs aren't contiguous.

"open": unknown; "new": contiguous; "dense": without gaps, in the axis order of the first input of the result's shape;
"view": as the rule itself states.
"""
OPEN = Layout()

UNLIKE = (
    *("aten.linalg_", "aten.fft_", "aten._fft_", "aten.einsum", "aten.lstm", "aten.gru", "aten.rnn_", "aten.cdist"),
    *("aten.scaled_dot_product", "aten._scaled_dot_product", "aten.stft", "aten.istft", "aten.svd", "aten.qr"),
    *("aten.lu", "aten.geqrf", "aten.ormqr", "aten.triangular_solve", "aten.cholesky", "aten.inverse", "aten.pinverse"),
    *("aten.matrix_exp", "aten.tensordot", "aten.unique_dim", "aten.kron", "aten.take_along_dim"),
    *("aten.cov", "aten.corrcoef", "aten.cross", "aten._lu", "aten._linalg", "aten._conv", "aten.mkldnn"),
)
"""Prefixes of operators whose results may not be contiguous even if all inputs are."""
ATTENTION = "aten.scaled_dot_product_attention.default"
IN_ROWS = frozenset(
    (
        *("linear", "mm", "bmm", "addmm", "baddbmm", "matmul", "layer_norm", "native_layer_norm", "tril"),
        *("softmax", "_softmax", "log_softmax", "_log_softmax", "_safe_softmax", "instance_norm"),
        *("sum", "mean", "prod", "amax", "amin", "max", "min", "argmax", "argmin", "cumsum", "var", "std", "triu"),
        *("logsumexp", "linalg_vector_norm", "any", "all", "repeat", "tile", "repeat_interleave", "topk"),
        *("index_select", "gather", "embedding", "scatter", "masked_fill", "im2col"),
        *("grid_sampler", "grid_sampler_2d", "avg_pool3d", "adaptive_avg_pool3d", "_adaptive_avg_pool3d"),
        *("adaptive_max_pool3d", "index_add", "index_copy", "masked_scatter", "scatter_add", "scatter_reduce"),
    )
)
"""Operators whose results are contiguous, whatever the layout of their inputs."""
OF_IMAGES = frozenset(
    (
        *("cat", "roll", "rms_norm", "pad", "constant_pad_nd"),
        *("reflection_pad1d", "reflection_pad2d", "reflection_pad3d"),
        *("replication_pad1d", "replication_pad2d", "replication_pad3d", "group_norm", "native_group_norm"),
        *("batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training", "native_batch_norm"),
        *("max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices"),
        *("avg_pool2d", "adaptive_avg_pool2d", "_adaptive_avg_pool2d", "adaptive_max_pool2d", "upsample_linear1d"),
        *("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_nearest_exact2d"),
        *("upsample_bilinear2d", "upsample_bicubic2d", "upsample_trilinear3d", "_upsample_nearest_exact1d"),
        *("_upsample_nearest_exact2d", "_upsample_nearest_exact3d", "_upsample_bilinear2d_aa"),
        *("_upsample_bicubic2d_aa", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
    )
)
"""Operators that preserve the channels-last layout of images, and otherwise make contiguous results."""
CHANGED_COPIES = frozenset(("index_put", "_unsafe_index_put", "index_fill"))
"""Operators that change some elements of a copy of their first tensor."""


def rows(dims: Sequence[Dim]) -> Shape:
    """Return the strides of a contiguous tensor of these sizes.

    >>> from shapesmt.prover.algebra import as_dim
    >>> rows([as_dim(2), as_dim(3), as_dim(5)])
    (Dim('15'), Dim('5'), Dim('1'))
    """
    return tuple(product(dims[i + 1 :]) for i in range(len(dims)))


def strides_of(x: Tensor) -> Shape | None:
    """Return a tensor's strides in elements; None if unknown."""
    return rows(x.dims) if x.layout is None else x.layout.strides


def nesting_of(x: Tensor) -> tuple[int, ...] | None:
    """Return a tensor's axes from outermost to innermost; axes of stride 0 may be anywhere. None if unknown."""
    return tuple(range(x.rank)) if x.layout is None else x.layout.order


def order_of(x: Tensor) -> tuple[int, ...] | None:
    """Return a tensor's axes from outermost to innermost, as PyTorch's kernels iterate over them; None if unknown."""
    order, strides = nesting_of(x), strides_of(x)
    if order is None or strides is None or ZERO not in strides:
        return order
    return None if ONE in x.dims else _iteration_order(order, [d is ZERO for d in strides])


def _iteration_order(order: Sequence[int], repeats: Sequence[bool]) -> tuple[int, ...]:
    """Return the axes in the order in which PyTorch iterates over them; `repeats` marks axes of stride 0.

    PyTorch sorts the other axes by their strides and moves them past axes of stride 0, which stay.

    >>> _iteration_order((0, 1, 3, 2), (False, True, False, False)), _iteration_order((1, 2, 0), (False, True, False))
    ((0, 1, 3, 2), (2, 1, 0))
    """
    outwards = [*range(len(order))][::-1]
    for place in range(1, len(order)):
        for inner in range(place)[::-1]:
            a, b = outwards[inner], outwards[place]
            if repeats[a] or repeats[b]:
                continue
            if order.index(a) > order.index(b):
                break
            outwards[inner], outwards[place] = b, a
            place = inner  # go on with the axis at its new position
    return tuple(outwards[::-1])


def storage_of(x: Tensor) -> Dim | None:
    """Return the number of elements of a tensor's memory if its first element begins the memory; None if unknown."""
    return x.numel if x.layout is None else x.layout.storage


def is_plain(x: Tensor) -> bool:
    """Whether a tensor is contiguous; a tensor of rank 0 or 1 counts as contiguous."""
    if x.layout is None or x.rank < 2:
        return True
    strides = x.layout.strides
    return strides is not None and _alike(strides, rows(x.dims), x.dims)


def _alike(a: Sequence[Dim], b: Sequence[Dim], dims: Sequence[Dim]) -> bool:
    return all(p is q or d is ONE for p, q, d in zip(a, b, dims, strict=True))


def lay_out(
    x: Tensor, strides: Sequence[Dim] | None, order: Sequence[int] | None = None, storage: Dim | None = None
) -> Tensor:
    """Return the tensor with another memory layout; without one if it is contiguous in a memory of its own.

    Args:
        x: The tensor.
        strides: Its strides in elements; None: the whole layout is unknown.
        order: Its axes from outermost to innermost; None: unknown.
        storage: The number of elements of its memory, from its first one on; None: unknown.
    """
    layout: Layout | None = OPEN
    if strides is not None:
        plain = storage is x.numel and tuple(strides) == rows(x.dims)
        kept = tuple(order) if order is not None else None
        layout = None if plain else Layout(tuple(strides), kept, storage)
    return tensor(x.dtype, x.dims, x.value, layout=layout)


def dense(x: Tensor, order: Sequence[int] | None) -> Tensor:
    """Return the tensor stored without gaps, axes nested in this order: `(0, 2, 3, 1)` is channels last.

    If `order` is None, the layout is unknown.
    """
    if order is None:
        return lay_out(x, None)
    packed = rows([x.dims[axis] for axis in order])
    strides = [packed[list(order).index(axis)] for axis in range(x.rank)]
    return lay_out(x, strides, order, x.numel)


def with_result_layout(x: Tensor, ctx: RuleContext, memory: Memory) -> Tensor:
    """Return `x`, an output of the node, with the layout that PyTorch gives it; `memory` is the operator's entry."""
    op, inputs = ctx.node.op, [t for t in ctx.inputs if t is not None and t.shape is not None]
    if memory == "view" or x.layout is not None or x.shape is None or x.rank < 2:
        return x
    if op == ATTENTION:
        return _attention(x, ctx.inputs, chance=ctx.attribute("dropout_p", 0.0) != 0)
    if op.startswith(UNLIKE) and memory != "new":
        return lay_out(x, None)
    name = op.split(".")[1]
    wrapped = name == "pad" and ctx.attribute("mode") == "circular"
    in_rows = name in IN_ROWS and memory != "dense"  # max.other isn't a reduction
    if memory == "new" or wrapped or in_rows or all(t.layout is None for t in inputs):
        return x
    if name in OF_IMAGES:
        axes = next((rank for rank in (3, 4, 5) if f"{rank - 2}d" in name), inputs[0].rank)
        batched = axes == inputs[0].rank
        return as_image(x, inputs if name == "cat" else inputs[:1], every=True) if batched else lay_out(x, None)
    if name == "stack":
        return x if all(channels_last(t) is False for t in inputs) else lay_out(x, None)
    if in_place(op):
        return tensor(x.dtype, x.dims, x.value, layout=inputs[0].layout)
    if name in CHANGED_COPIES:
        return dense(x, order_of(inputs[0]))
    if all(map(is_plain, inputs)) and memory != "dense":
        return tensor(x.dtype, x.dims, x.value, layout=Layout(rows(x.dims), tuple(range(x.rank)), x.numel))
    return dense(x, _first_order(x, inputs)) if memory == "dense" else lay_out(x, None)


def in_place(op: str) -> bool:
    """Whether an operator changes its first tensor in place.

    >>> in_place("aten.add_.Tensor"), in_place("aten.add.Tensor"), in_place("aten.__and__.Tensor")
    (True, False, False)
    """
    name = op.split(".")[1]
    return name.startswith("__i") if name.endswith("__") else name.endswith("_")


def _attention(x: Tensor, inputs: Sequence[Tensor | None], *, chance: bool) -> Tensor:
    """Return the attention output `x` with its layout: a fused kernel keeps the query's axis order.

    PyTorch uses that kernel if batch, heads and features are equal, the last axis is innermost, and there is no dropout
    (`chance`). With a mask that may need a gradient the layout is unknown: PyTorch uses another kernel if it does.
    """
    given = [t for t in inputs[:3] if t is not None and t.shape is not None]
    if is_plain(given[0]) or chance or any(t.rank != 4 for t in given):
        return x
    orders, (q, k, v) = [order_of(t) for t in given], given
    if any(order is not None and order[-1] != 3 for order in orders):
        return x
    fused = q[3] is k[3] is v[3] and q[0] is k[0] is v[0] and q[1] is k[1] is v[1] and k[2].lo >= 1
    masked = all(_masks(m, (q[0], q[1], q[2], k[2])) for m in inputs[3:])
    return dense(x, orders[0] if fused and masked and None not in orders else None)


def _masks(mask: Tensor | None, scores: Sequence[Dim]) -> bool:
    """Whether the fused kernel accepts an attention mask for `scores` of these sizes, whatever needs a gradient."""
    if mask is None or mask.shape is None or mask.dtype != "bool" or mask.rank not in (2, 4):
        return False
    return all(d is ONE or d is size for d, size in zip(mask.dims[::-1], scores[::-1], strict=False))


# Images


def as_image(x: Tensor, inputs: Sequence[Tensor], *, every: bool, grows: bool | None = None) -> Tensor:
    """Return `x`, an operator's result, with channels last if they are last in all `inputs` (any, unless `every`).

    PyTorch can't tell channels last from contiguous in an image of one pixel: the layout is unknown if the input may
    have one pixel and the output is larger (`grows`; None: if their sizes differ). If the output is empty where an
    input is, the layout for empty inputs doesn't matter.
    """
    if grows is None:
        grows = any(a is not b for a, b in zip(x.dims[2:], inputs[0].dims[2:], strict=False))
    last = [channels_last(t, empty=grows or (every and len(inputs) > 1)) for t in inputs]
    if (False in last) if every else (set(last) == {False}):
        return x
    known = None not in last if every else True in last
    pixel = not any(d.lo > 1 for d in inputs[0].dims[2:]) and (every or True not in last[1:])
    return dense(x, (0, *range(2, x.rank), 1)) if known and not (grows and pixel) else lay_out(x, None)


def channels_last(x: Tensor, *, empty: bool = True) -> bool | None:
    """Whether a tensor of rank 4 or 5 has channels last in memory, as its strides tell PyTorch; None if unknown.

    `empty`: whether the answer has to be right for empty tensors too, whose channels PyTorch never takes to be last.
    """
    strides = strides_of(x)
    if x.rank not in (4, 5) or x.layout is None:
        return False
    if strides is None or (strides[1].lo < 1 and strides[1] is not ZERO):
        return None
    inwards = (1, *range(x.rank - 1, 1, -1), 0)
    met = [at_least(strides[b], strides[a] * maximum(x.dims[a], int(empty))) for a, b in pairwise(inwards)]
    if FALSE in met or strides[1] is ZERO:
        return False
    return True if all(each is TRUE for each in met) and x[1].lo > 1 else None


def _first_order(x: Tensor, inputs: Sequence[Tensor]) -> tuple[int, ...] | None:
    """Return the axis order of the first input shaped as the result `x`; None if unknown or others may decide."""
    plain = tuple(range(x.rank))
    for i, t in enumerate(inputs):
        if t.shape == x.shape:
            order, strides = order_of(t), strides_of(t)
            if strides is not None and ZERO in strides and any(other.rank for other in inputs if other is not t):
                return None  # axes of stride 0 take the order of the other inputs
            before = any(sum(d is not ONE for d in other.dims) > 1 for other in inputs[:i])
            return None if before and order != plain else order
    return plain if all(order_of(t) == tuple(range(t.rank)) for t in inputs) else None


# Views


def chunks(x: Tensor) -> list[tuple[int, int]]:
    """Return the runs of axes that are stored like one axis, each as (first axis, last axis + 1).

    A contiguous tensor of rank 3 is one run: `[(0, 3)]`.
    """
    strides, runs = strides_of(x), []
    start = 0
    for i in range(1, x.rank + 1):
        if i == x.rank or strides is None or strides[i - 1] is not strides[i] * x.dims[i]:
            runs.append((start, i))
            start = i
    return runs


def viewable(x: Tensor, dims: Sequence[Dim]) -> Formula:
    """Return the condition under which PyTorch views `x` with sizes `dims`, of as many elements, without a copy.

    Between two runs of axes that aren't stored like one axis (see `chunks`), a new axis has to end: the product of the
    old sizes up to there has to equal a product of leading new sizes.
    """
    runs, strides = chunks(x), strides_of(x)
    sizes = [product(x.dims[a:b]) for a, b in runs]
    ends = [*accumulate(dims, mul, initial=ONE)]
    conditions = []
    for i, j in combinations(range(len(runs)), 2):
        apart = [equal(d, 1) for d in sizes[i + 1 : j]] + [differs(sizes[i], 1), differs(sizes[j], 1)]
        if strides is not None:
            last, first = runs[i][1] - 1, runs[j][0]
            apart.append(differs(strides[last], strides[first] * x.dims[first]))
        met = any_of(*(equal(*uncommon_products(x.dims[: runs[i][1]], dims[:k], -inf)) for k in range(len(ends))))
        conditions.append(implies(all_of(*apart), met))
    return any_of(all_of(*conditions), *(equal(d, 0) for d in x.dims))


def view_of(x: Tensor, result: Tensor) -> Tensor:
    """Return `result`, a view of `x`, with its strides; known if a new axis ends wherever a run of axes does."""
    strides, storage = strides_of(x), storage_of(x)
    if strides is None or x.rank == 0:
        return lay_out(result, None if x.rank else rows(result.dims), None, storage)
    ends = [*accumulate(result.dims, mul, initial=ONE)]
    new: list[Dim] = []
    runs: dict[int, range] = {}
    for a, b in chunks(x):
        whole = product(x.dims[:b])
        met = (k for k in range(len(new), len(ends)) if ends[k] is whole)
        stop = len(result.dims) if b == x.rank else next(met, None)
        if stop is None:
            return lay_out(result, None, None, storage)
        runs[next((axis for axis in range(a, b) if x[axis] is not ONE), a)] = range(len(new), stop)
        new += [d * strides[b - 1] for d in rows(result.dims[len(new) : stop])]
    nesting = nesting_of(x)
    order = None if nesting is None else [axis for outer in nesting for axis in runs.get(outer, ())]
    return lay_out(result, new, order, storage)
