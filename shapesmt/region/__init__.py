"""The inputs for which a condition holds, as formulas that people read."""

from shapesmt.region.patterns import Truth
from shapesmt.region.region import Region, describe, readable_text

__all__ = ["Region", "Truth", "describe", "readable_text"]
