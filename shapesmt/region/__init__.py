"""Readable formulas for the inputs that satisfy a condition."""

from __future__ import annotations

from shapesmt.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.region.box import Progression as Progression, box_of as box_of, relates as relates
    from shapesmt.region.conjuncts import (
        NOWHERE as NOWHERE,
        Conjunct as Conjunct,
        Interval as Interval,
        Other as Other,
        Region as Region,
        Relation as Relation,
        Residue as Residue,
        conjunct_of as conjunct_of,
    )
    from shapesmt.region.patterns import Truth as Truth
    from shapesmt.region.region import describe as describe, readable as readable
