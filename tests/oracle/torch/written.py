"""Calls written by hand: of operators and arguments that PyTorch's own samples leave out."""

from __future__ import annotations

import torch


def x(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A tensor of that shape."""
    return torch.ones(shape, dtype=dtype)


aten = torch.ops.aten

WRITTEN = [
    lambda: aten.squeeze.dims(x(2, 1, 3), [1, 2]),
    lambda: aten.add_.Tensor(x(2, 3), x(3)),
    lambda: aten.view.default(x(4, 6), [2, 2, -1]),
    lambda: aten.sym_size.int(x(2, 3), 1),
]
