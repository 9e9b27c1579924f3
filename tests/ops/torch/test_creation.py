"""Tensors from numbers, held against PyTorch."""

from __future__ import annotations

from random import Random

import pytest

import shapesmt
from shapesmt.errors import ShapesmtError
from shapesmt.rules import resolve

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
RULE = resolve("torch", "aten.arange.start_step", 1)


def test_ranges_are_as_long_as_pytorchs(seeds: range) -> None:
    """PyTorch counts in double precision whatever the element type; for int64 it truncates the numbers first."""
    random = Random(f"arange{seeds}")
    for _ in range(300):
        numbers = {name: round(random.uniform(-3, 3), random.choice((0, 1, 2))) for name in ("start", "end", "step")}
        numbers = {name: int(n) if random.random() < 0.3 else n for name, n in numbers.items()}
        dtype = random.choice(("float32", "float64", "int64"))
        try:
            length = len(torch.arange(*numbers.values(), dtype=getattr(torch, dtype)))
        except (RuntimeError, ValueError):
            length = None
        ctx = shapesmt.InferenceContext.of("aten.arange.start_step", [], attributes={**numbers, "dtype": dtype})
        try:
            [output] = ctx.run(RULE.apply)
        except ShapesmtError:
            assert length is None, numbers
        else:
            assert output[0].constant == length, numbers
