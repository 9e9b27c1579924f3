"""Sizes to declare elsewhere: boxes of valid inputs for compilers, and what may vary in a program of PyTorch."""

from __future__ import annotations

from shapesmt.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.profiles.proposals import dynamic_shapes as dynamic_shapes, proposed as proposed
    from shapesmt.profiles.question import profile as profile, profiled as profiled
