"""The checklist of what partial shapes and shape functions have to do is written above its tests, each row once."""

from __future__ import annotations

import re
from collections import defaultdict

from tests.support.rows import named, stated


def test_every_row_that_a_test_names_has_its_sentence_once():
    names, sentences = zip(*stated(), strict=True)
    assert len(set(names)) == len(names)
    assert len(set(sentences)) == len(sentences)
    assert named() <= {*names}


def test_no_row_between_two_others_is_missing():
    numbers: dict[str, set[int]] = defaultdict(set)
    for name, _ in stated():
        section, number = re.fullmatch(r"([A-D])(\d\d)[a-g]?", name).groups()
        numbers[section].add(int(number))
    assert {section: sorted(found) for section, found in numbers.items()} == {
        section: [*range(1, max(found) + 1)] for section, found in numbers.items()
    }


def test_a_row_is_a_short_sentence_in_the_present_tense():
    for name, sentence in stated():
        assert 3 <= len(sentence.split()) <= 25, name
        assert not sentence.endswith("."), name
