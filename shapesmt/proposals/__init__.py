"""Proposals of `dynamic_shapes` for exporting a program from PyTorch."""

from shapesmt.proposals.question import dynamic_shapes, proposed

__all__ = ["dynamic_shapes", "proposed"]
