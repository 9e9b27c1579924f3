"""The inputs for which a condition holds, as formulas that people read."""

# ruff: noqa: F403 - a name is its module's, whichever that is
from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy

if TYPE_CHECKING:
    from shapesmt.region.box import *
    from shapesmt.region.conjuncts import *
    from shapesmt.region.patterns import *
    from shapesmt.region.region import *
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "box": ["Progression", "box_of", "relates"],
            "conjuncts": ["Region"],
            "patterns": ["Truth"],
            "region": ["describe", "readable_text"],
        },
    )
