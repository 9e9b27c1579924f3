"""Sizes to declare elsewhere: boxes of valid inputs for compilers, and what may vary in a program of PyTorch."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.tasks.profiles.proposals import (
        answer_dynamic_shapes as answer_dynamic_shapes,
        dynamic_shapes as dynamic_shapes,
    )
    from shapesmt.tasks.profiles.question import answer_profile as answer_profile, profile as profile
