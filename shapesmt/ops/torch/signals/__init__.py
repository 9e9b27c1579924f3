"""Fourier transforms, signals in frames, and numbers drawn at random."""

from shapesmt.ops.torch.signals import fourier, frames, integrals, random

__all__ = ["fourier", "frames", "integrals", "random"]
