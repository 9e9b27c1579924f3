"""Titles: both sides of a broken law, and no name for a side that is a mere number."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.reports.answers import Clash, Side, facts
from shapesmt.reports.render.sentences.titles import broken


def test_a_number_that_is_needed_has_no_name() -> None:
    law = laws.BATCH_INDEX_PER_REGION
    for relation, text in (("==", "x[0] is 3, not 4"), (">=", "x[0] is 3, less than 4")):
        _, name = law.named_sides(relation)
        clash = Clash(Side("n", 3, "x", 0), Side("4", 4, name=name))
        assert broken(facts.Broken(law, relation, clash)) == text
