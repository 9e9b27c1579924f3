"""Fourier transforms, signals in frames, and numbers drawn at random."""

from shapesmt.ops.torch.signals import fourier, frames, random

__all__ = ["fourier", "frames", "random"]
