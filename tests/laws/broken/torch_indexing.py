"""Calls that break one law each, of PyTorch's operators: indexing."""

from __future__ import annotations

from shapesmt import laws
from tests.oracle.torch.calls import b, c, f, i, k, op

ROWS = [
    (laws.INDEX_TUPLE_AT_MOST, op("index_put.default", self=f(), indices=(k(2, 1),), values=f(2, 5), accumulate=True)),
    (laws.AN_INDEX, op("index_put_.default", self=i(5, 5), indices=(), values=k(9, 2, 5, 9, 1))),
    (laws.MASK_SHAPED_AS_AXES, op("index.Tensor", self=i(5, 5, 5), indices=(k(0, 2, 3), b(3), k(0, 0, 2)))),
    (
        laws.VALUES_BROADCAST_TO_INDEXED,
        op("index_put.default", self=f(5, 0), indices=(k(2, 1),), values=f(2, 5), accumulate=True),
    ),
    (laws.CHANGED_SHAPED_AS_RESULT, op("masked_scatter_.default", self=c(5, 5, 1), mask=b(5), source=c(5, 5))),
    (laws.WEIGHT_PER_NUMBER, op("bincount.default", self=i(1), weights=f(3))),
    (laws.SIZES_NOT_NEGATIVE, op("bincount.default", self=k(0, 1, 1, 0, 1), minlength=-2)),
    (laws.A_BIN, op("histc.default", self=f(), bins=-5, min=0, max=10)),
    (laws.INPUT_NOT_EMPTY, op("one_hot.default", self=i(0))),
    (laws.A_CLASS, op("one_hot.default", self=k(0, 1, 1, 0, 1), num_classes=0)),
    (laws.A_BIN, op("histogram.bins_tensor", 2, self=f(), bins=f(1))),
    (
        laws.RANK_AT_MOST_1,
        op("index_reduce_.default", self=f(), dim=0, index=i(1, 1), source=f(), reduce="prod", include_self=False),
    ),
    (laws.INDEX_ONE_NUMBER, op("index_select.default", self=i(), dim=0, index=i(0))),
    (laws.TENSORS_ONE_RANK, op("scatter_add.default", self=c(), dim=0, index=i(5, 5), src=c(5, 5))),
    (laws.INDICES_NO_LARGER_THAN_DATA, op("gather.default", self=f(2, 2), dim=1, index=i(3, 2))),
    (laws.TENSORS_ONE_RANK, op("searchsorted.Tensor", sorted_sequence=i(1, 0), self=k(), side="left")),
    (laws.SORTED_LIST_PER_ROW, op("searchsorted.Tensor", sorted_sequence=f(2, 4), self=f(3, 3))),
    (
        laws.VALUES_AND_INDICES_SAME_SHAPE,
        op("searchsorted.Tensor", sorted_sequence=f(1), self=f(0), side="left", sorter=k()),
    ),
    (
        laws.WEIGHT_PER_INDEX,
        op(
            "embedding_bag.padding_idx",
            4,
            weight=f(10, 5),
            indices=i(4),
            offsets=k(0, 3),
            scale_grad_by_freq=False,
            mode=0,
            sparse=False,
            per_sample_weights=f(5),
            include_last_offset=False,
        ),
    ),
    (laws.K_NOT_NEGATIVE, op("topk.default", 2, self=f(5, 10, 5), k=-5, dim=1)),
    (laws.K_AT_MOST_AXIS, op("topk.default", 2, self=f(5, 0, 5), k=3, dim=1)),
    (laws.K_POSITIVE, op("kthvalue.default", 2, self=f(5, 5, 5), k=0, dim=1, keepdim=True)),
    (laws.K_AT_MOST_AXIS, op("kthvalue.default", 2, self=f(5, 1, 5), k=2, dim=1, keepdim=True)),
    (laws.ROW_HAS_ELEMENT, op("mode.default", 2, self=i(5, 0, 5), dim=1, keepdim=True)),
    (
        laws.UPDATES_SHAPED_AS_REPLACED,
        op("slice_scatter.default", self=f(20, 20, 20), src=f(20, 20, 20), dim=1, start=0, end=2),
    ),
    (laws.INDEX_INSIDE_AXIS, op("select_scatter.default", self=f(5, 5, 5), src=f(5, 5), dim=1, index=9)),
    (laws.SOURCE_BROADCASTS_TO_TENSOR, op("copy.default", self=f(2, 3), src=f(4))),
    (laws.INDICES_NO_LARGER_THAN_DATA, op("scatter_add.default", self=c(10, 1), dim=0, index=i(5, 5), src=c(5, 5))),
    (laws.INDICES_NO_LARGER_THAN_SOURCE, op("scatter_add.default", self=c(10, 5), dim=0, index=i(5, 5), src=c(5, 1))),
    (
        laws.UPDATE_PER_INDEX,
        op("index_reduce_.default", self=f(), dim=0, index=i(2), source=f(), reduce="prod", include_self=False),
    ),
    (
        laws.UPDATES_SHAPED_AS_REPLACED,
        op("index_reduce.default", self=i(1, 1), dim=0, index=k(0), source=k(6), reduce="prod"),
    ),
    (laws.UPDATE_PER_INDEX, op("put_.default", self=f(3, 3), index=i(2), source=f(3), accumulate=True)),
    (laws.WEIGHT_PER_NUMBER, op("histogram.bins_tensor", self=f(5), bins=f(2), weight=f(1), density=True)),
    (
        laws.OFFSET_PER_BAG,
        op(
            "embedding_bag.padding_idx",
            weight=f(10, 5),
            indices=i(5),
            offsets=i(0),
            scale_grad_by_freq=False,
            mode=2,
            sparse=False,
            include_last_offset=True,
        ),
    ),
    (laws.FOLDS_FLOATS, op("_histogramdd_from_bin_cts.default", self=i(4, 2), bins=(3, 3))),
    (laws.OPERANDS_ONE_TYPE, op("_histogramdd_from_bin_tensors.default", self=f(4, 1), bins=(f(3, dtype="float64"),))),
    (
        laws.OPERANDS_ONE_TYPE,
        op("_histogramdd_from_bin_cts.default", self=f(4, 1), bins=(3,), weight=f(4, dtype="float64")),
    ),
    (laws.NUMBER_PER_AXIS, op("_histogramdd_from_bin_cts.default", self=f(4, 2), bins=(3,))),
    (laws.A_BIN, op("_histogramdd_from_bin_cts.default", self=f(4, 1), bins=(0,))),
    (laws.WEIGHT_PER_NUMBER, op("_histogramdd_from_bin_cts.default", self=f(4, 1), bins=(3,), weight=f(3))),
]
