"""Inputs and outputs of runs. A separate process imports it, so it imports little."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

Filled: TypeAlias = tuple[str, tuple[int, ...], Any]
"""The type and shape of an input, and its elements, or one number for all of them."""


class Drawn(NamedTuple):
    """Random elements: floats around 0, integers that are 0 or 1."""

    seed: int


NEAR = 0.02  # tolerance for 16-bit floats, as a fraction of the largest number


def same_outputs(a: Any, b: Any, near: float = 0.0) -> bool:
    """Whether two outputs are the same bit by bit, or with `near` within this relative tolerance."""
    import numpy as np

    if not hasattr(a, "tobytes"):  # a sequence, or an optional value that is missing
        same = type(a) is type(b) and (a is None or len(a) == len(b))
        return bool(same and (a is None or all(same_outputs(x, y, near) for x, y in zip(a, b, strict=True))))
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if near and a.dtype.kind == "f":
        x, y = a.astype(np.float64), b.astype(np.float64)
        most = np.abs(x[np.isfinite(x)]).max(initial=0.0)
        return bool(np.allclose(x, y, rtol=0, atol=near * most, equal_nan=True))
    return bool(a.tolist() == b.tolist() if a.dtype.kind == "O" else a.tobytes() == b.tobytes())
