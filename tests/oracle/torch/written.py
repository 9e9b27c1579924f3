"""Calls written by hand: of operators and arguments that PyTorch's own samples leave out."""

from __future__ import annotations

import torch

from tests.oracle.torch.calls import f, op


def x(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A tensor of that shape."""
    return torch.ones(shape, dtype=dtype)


def i(*shape: int) -> torch.Tensor:
    """A tensor of integers."""
    return torch.ones(shape, dtype=torch.int64)


def b(*shape: int) -> torch.Tensor:
    """A tensor of booleans."""
    return torch.ones(shape, dtype=torch.bool)


aten = torch.ops.aten
ADAPTIVE = ([2, 3],)

WRITTEN = [
    # Element by element
    *(lambda op=op: op(x(2, 3), 2) for op in (aten.add.Scalar, aten.sub.Scalar, aten.mul.Scalar, aten.div.Scalar)),
    *(
        lambda op=op: op(i(2, 3), 2)
        for op in (aten.mul.Scalar, aten.div.Scalar, aten.fmod.Scalar, aten.remainder.Scalar)
    ),
    *(
        lambda op=op: op(i(2, 3), 2)
        for op in (aten.bitwise_and.Scalar, aten.bitwise_or.Scalar, aten.bitwise_xor.Scalar)
    ),
    *(lambda op=op: op(x(2, 3), 1.5) for op in (aten.eq.Scalar, aten.ne.Scalar, aten.lt.Scalar, aten.le.Scalar)),
    *(lambda op=op: op(i(2, 3), 1.5) for op in (aten.gt.Scalar, aten.ge.Scalar, aten.rsub.Scalar)),
    lambda: aten.div.Scalar_mode(i(2, 3), 2, rounding_mode="floor"),
    lambda: aten.pow.Scalar(2.0, i(2, 3)),
    lambda: aten.__and__.Tensor(b(2, 3), b(3)),
    lambda: aten.add_.Tensor(x(2, 3), x(3)),
    lambda: aten.add_.Tensor(x(2, 1), x(2, 3)),
    lambda: aten.mul_.Tensor(i(2, 3), i(1, 3)),
    lambda: aten.clamp.default(x(2, 3), 0.1),
    lambda: aten.clamp.default(i(2, 3), None, 1.5),
    *(lambda op=op: op(x(2, 3)) for op in (aten.relu_.default, aten.hardswish_.default, aten.hardtanh_.default)),
    *(lambda op=op: op(x(2, 3)) for op in (aten.alias.default, aten.detach.default, aten.lift_fresh_copy.default)),
    lambda: aten.contiguous.default(x(2, 3)),
    lambda: aten.clone.default(x(2, 3, 4, 5), memory_format=torch.channels_last),
    lambda: aten._to_copy.default(x(2, 3), dtype=torch.int64),
    lambda: aten.to.dtype_layout(x(2, 3), dtype=torch.float16),
    lambda: aten.type_as.default(x(2, 3), i(2)),
    lambda: aten.fill_.Tensor(x(2, 3), x()),
    lambda: aten.fill_diagonal_.default(x(3, 3, 3), 1.0),
    lambda: aten.copy.default(x(2, 3), x(3)),
    lambda: aten.copy_.default(x(2, 3), i(2, 1)),
    lambda: aten.where.ScalarOther(b(2, 1), x(2, 3), 1.0),
    lambda: aten.diff.default(i(2, 4), 1, -1, i(2, 1)),
    lambda: aten.diff.default(b(2, 4), 3, 1),
    # Numbers and sizes
    lambda: aten.sym_size.int(x(2, 3), 1),
    lambda: aten.sym_numel.default(x(2, 3)),
    lambda: aten.sym_stride.int(x(2, 3, 4), 0),
    lambda: aten.sym_storage_offset.default(x(2, 3)),
    lambda: aten._local_scalar_dense.default(i(1)),
    lambda: aten.arange.default(5),
    lambda: aten.arange.default(2.5),
    lambda: aten.arange.start(2, 7),
    lambda: aten.arange.start_step(7, 2, -2),
    lambda: aten.hann_window.default(5),
    lambda: aten.full_like.default(x(2, 3), 2, dtype=torch.int32),
    lambda: aten.empty_permuted.default([2, 3, 4], [0, 2, 1]),
    # Views and joins
    lambda: aten.view.default(x(4, 6), [2, 2, -1]),
    lambda: aten.view.default(x(4, 6), [-1, 0, 3]),
    lambda: aten.view.dtype(x(2, 4), torch.float64),
    lambda: aten.squeeze.dims(x(2, 1, 3), [1, 2]),
    lambda: aten.atleast_3d.Sequence([x(2), x(), x(2, 3, 4, 5)]),
    lambda: aten.swapaxes.default(x(2, 3, 4), 0, -1),
    lambda: aten.adjoint.default(x(2, 3, 4)),
    lambda: aten.cat.default([x(2, 3), x(0), x(4, 3)]),
    lambda: aten.cat.default([x(3), x(0), i(2)], -1),
    lambda: aten.split.Tensor(x(5, 3), 2),
    lambda: aten.tensor_split.sections(x(5, 3), 3),
    lambda: aten.tensor_split.indices(x(5, 3), [1, 4]),
    lambda: aten.as_strided.default(x(4, 3), [2, 2], [3, 1], 2),
    lambda: aten.fill_diagonal_.default(x(3, 2), 1.0),
    # Layers
    lambda: aten._softmax.default(x(2, 3), -1, False),
    lambda: aten._log_softmax.default(x(2, 3), 0, False),
    lambda: aten.native_dropout.default(x(2, 3), 0.5, True),
    # Windows
    lambda: aten.convolution.default(x(1, 4, 6, 5), x(3, 2, 2, 2), x(3), [2, 1], [1, 0], [1, 2], False, [0, 0], 2),
    lambda: aten.convolution.default(x(1, 4, 6), x(4, 3, 3), x(6), [2], [1], [1], True, [1], 2),
    lambda: aten._adaptive_avg_pool2d.default(x(2, 3, 4, 5), *ADAPTIVE),
    lambda: aten.reflection_pad1d.default(x(2, 3, 4), [1, 2]),
    lambda: aten.reflection_pad2d.default(x(2, 3, 4), [1, 2, 0, 1]),
    lambda: aten.replication_pad2d.default(x(2, 3, 4), [1, -2, 0, 1]),
    lambda: aten.replication_pad3d.default(x(2, 3, 4, 5), [1, 2, 0, 1, 2, 0]),
    lambda: aten.col2im.default(x(2, 8, 6), [3, 4], [2, 2], [1, 1], [0, 0], [1, 1]),
    lambda: aten._upsample_bicubic2d_aa.vec(x(2, 3, 4, 5), [3, 7], False, None),
    lambda: aten._upsample_bicubic2d_aa.default(x(2, 3, 4, 5), [3, 7], False),
    lambda: aten.affine_grid_generator.default(x(2, 2, 3), [2, 1, 3, 4], False),
    # Others
    lambda: aten._fft_r2c.default(x(4, 5), [0, 1], 0, True),
    lambda: aten._fft_c2c.default(x(4, 5, dtype=torch.complex64), [1], 0, True),
    lambda: aten._fft_c2r.default(x(4, 5, dtype=torch.complex64), [1], 0, 8),
    lambda: aten.scatter.value(x(3, 4), 1, i(2, 3), 1.0),
    lambda: aten.randperm.default(5),
]

RATES = {"momentum": 0.1, "eps": 1e-5, "cudnn_enabled": False}
GIVEN = {"running_mean": f(3), "running_var": f(3)}
DIRECT = [
    op("layer_norm.default", input=f(2, 3, 4), normalized_shape=(3, 4), weight=f(3, 4), bias=f(3, 4)),
    op("group_norm.default", input=f(2, 4, 3), num_groups=2, weight=f(4), bias=f(4)),
    op("batch_norm.default", input=f(2, 3, 4), weight=f(3), bias=f(3), **GIVEN, training=False, **RATES),
    op("batch_norm.default", input=f(2, 3, 4), weight=f(3), training=True, **RATES),
    op("instance_norm.default", input=f(2, 3, 4), weight=f(3), bias=f(3), use_input_stats=True, **RATES),
    op("upsample_nearest2d.vec", input=f(2, 3, 4, 5), scale_factors=(1.5, 2.0)),
]
"""Calls of operators that PyTorch runs in parts while they are recorded."""
