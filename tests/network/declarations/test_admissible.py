"""The inputs for which a written model is right: as text, read again, and for two models at once."""

from __future__ import annotations

from random import Random

import pytest

from shapesmt.base.errors import ModelError
from shapesmt.network.declarations import Admissible, Range, both, parse_admissible


@pytest.mark.parametrize(
    "text",
    ["n=2..8", "n=4", "n=1..64:3; m=0..; total == past + n", "steps=-3..5", "`a b`=1..; `c;d`=2; `a b` >= n", ""],
)
def test_a_text_is_read_as_it_was_written(text: str) -> None:
    assert str(parse_admissible(text)) == text


def test_an_old_text_is_read() -> None:
    assert str(parse_admissible("n=4..4; m=2..8")) == "n=4; m=2..8"


def drawn(random: Random) -> Range:
    low = random.randint(-5, 30)
    return Range(low, random.choice([None, low + random.randint(0, 40)]), random.randint(1, 7))


def test_both_admit_the_numbers_that_each_admits(request: pytest.FixtureRequest) -> None:
    random = Random(request.config.getoption("--seed"))
    for _ in range(500):
        one, other = drawn(random), drawn(random)
        numbers = [x for x in range(-10, 200) if x in one and x in other]
        try:
            common = both(Admissible({"n": one}), Admissible({"n": other})).ranges["n"]
        except ModelError:
            assert not numbers
        else:
            assert [x for x in range(-10, 200) if x in common] == numbers, (one, other)


def test_relations_are_joined() -> None:
    joined = both(parse_admissible("n=1..8; m == n"), parse_admissible("k=2; m == n; k >= n"))
    assert str(joined) == "n=1..8; k=2; m == n; k >= n"
