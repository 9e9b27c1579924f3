"""The inputs for which a condition holds, as formulas that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import lazy
from shapesmt.region.conjuncts import Region

if TYPE_CHECKING:
    from shapesmt.region.box import Progression, box_of, relates
    from shapesmt.region.patterns import Truth
    from shapesmt.region.region import describe, readable_text

__all__ = ["Progression", "Region", "Truth", "box_of", "describe", "readable_text", "relates"]

_HOMES = {
    "box": ["Progression", "box_of", "relates"],
    "patterns": ["Truth"],
    "region": ["describe", "readable_text"],
}
__getattr__ = lazy(__name__, _HOMES)
