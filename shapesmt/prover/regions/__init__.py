"""Readable formulas for the inputs that satisfy a condition."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.prover.regions.box import Progression as Progression, box_of as box_of, relates as relates
    from shapesmt.prover.regions.conjuncts import (
        NOWHERE as NOWHERE,
        Conjunct as Conjunct,
        Interval as Interval,
        Other as Other,
        Region as Region,
        Relation as Relation,
        Residue as Residue,
        conjunct_of as conjunct_of,
    )
    from shapesmt.prover.regions.patterns import Truth as Truth
    from shapesmt.prover.regions.region import describe as describe, readable as readable
