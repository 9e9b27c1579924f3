"""Titles: both sides of a broken law, and no name for a side that is a mere number."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.render.sentences.titles import broken
from shapesmt.report import Clash, Side, facts


def test_a_number_that_is_needed_has_no_name() -> None:
    law = laws.BATCH_INDEX_PER_REGION
    for relation, text in (("==", "x[0] is 3, not 4"), (">=", "x[0] is 3, less than 4")):
        _, name = law.named_sides(relation)
        clash = Clash(Side("n", 3, "x", 0), Side("4", 4, name=name))
        assert broken(facts.Broken(law, relation, clash)) == text
