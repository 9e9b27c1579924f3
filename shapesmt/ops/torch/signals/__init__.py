"""Fourier transforms, framed signals, numerical derivatives and integrals, and random numbers."""

from shapesmt.ops.torch.signals import fourier, frames, integrals, random

__all__ = ["fourier", "frames", "integrals", "random"]
