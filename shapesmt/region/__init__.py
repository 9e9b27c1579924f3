"""The inputs for which a condition holds, as formulas that people read."""

from __future__ import annotations

from shapesmt.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.region.box import Progression as Progression, box_of as box_of, relates as relates
    from shapesmt.region.conjuncts import Region as Region
    from shapesmt.region.patterns import Truth as Truth
    from shapesmt.region.region import describe as describe, readable_text as readable_text
