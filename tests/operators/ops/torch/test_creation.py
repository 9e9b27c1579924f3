"""Tensors from numbers, held against PyTorch."""

from __future__ import annotations

from random import Random

import pytest

import shapesmt
from shapesmt.base.errors import ShapesmtError
from shapesmt.frontends.torch.program import release
from shapesmt.operators.rules import resolve

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
RULE = resolve("torch", "aten.arange.start_step", 1)


def test_ranges_are_as_long_as_pytorchs(seeds: range) -> None:
    """PyTorch counts in double precision; before 2.14 it truncated the numbers first for int64."""
    version = release(torch.__version__)
    random = Random(f"arange{seeds}")
    for _ in range(300):
        numbers = {name: round(random.uniform(-3, 3), random.choice((0, 1, 2))) for name in ("start", "end", "step")}
        numbers = {name: int(n) if random.random() < 0.3 else n for name, n in numbers.items()}
        dtype = random.choice(("float32", "float64", "int64"))
        try:
            length = len(torch.arange(*numbers.values(), dtype=getattr(torch, dtype)))
        except (RuntimeError, ValueError):
            length = None
        attributes = {**numbers, "dtype": dtype}
        ctx = shapesmt.InferenceContext.of("aten.arange.start_step", [], attributes=attributes, version=version)
        try:
            [output] = ctx.run(RULE.apply)
        except ShapesmtError:
            assert length is None, numbers
        else:
            assert output[0].constant == length, numbers


def test_ranges_are_counted_as_the_version_of_pytorch_does_it() -> None:
    def length(version: int, **numbers: float) -> int | None:
        attributes = {"dtype": "int64", **numbers}
        ctx = shapesmt.InferenceContext.of("aten.arange.start_step", [], attributes=attributes, version=version)
        return ctx.run(RULE.apply)[0][0].constant

    assert [length(version, start=0, end=1.6, step=1.0) for version in (206, 213, 214, 215, 1)] == [1, 1, 2, 2, None]
    assert [length(version, start=0, end=2, step=1) for version in (213, 214, 1)] == [2, 2, 2]
