"""Sizes to declare elsewhere: boxes of valid inputs for compilers, and what may vary in a program of PyTorch."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.tasks.profiles.proposals import propose_dynamic_shapes as propose_dynamic_shapes
    from shapesmt.tasks.profiles.question import find_profile as find_profile
