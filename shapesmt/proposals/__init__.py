"""Proposals: what may be declared when a program is exported from PyTorch."""

from shapesmt.proposals.question import dynamic_shapes, proposed

__all__ = ["dynamic_shapes", "proposed"]
