"""The inputs for which a condition holds, as formulas that people read."""

from shapesmt.region.box import Progression, box, relates
from shapesmt.region.patterns import Truth
from shapesmt.region.region import Region, describe, readable_text

__all__ = ["Progression", "Region", "Truth", "box", "describe", "readable_text", "relates"]
