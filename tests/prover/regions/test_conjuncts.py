"""Conjuncts: each says in words what its formula says, and says it in every process."""

from __future__ import annotations

import pickle

import pytest

from shapesmt.network.declarations import parse_formula
from shapesmt.prover.algebra import at_least, at_most, divides, equal, symbol
from shapesmt.prover.regions import Conjunct, Interval, Other, Relation, Residue, conjunct_of
from shapesmt.prover.regions.conjuncts import Either, Listing
from shapesmt.reports.answers import Precondition

N, M = symbol("n", 1), symbol("Batch Size", 1)
((ONE,), (OTHER,)) = N.symbols, M.symbols
READ = [
    Interval(ONE, 2, None),
    Interval(OTHER, None, 9),
    Interval(ONE, 3, 3),
    Interval(ONE, 3, 9),
    Residue(ONE, 8, (0,)),
    Residue(ONE, 8, (1, 2, 3)),
    Residue(ONE, 8, (0, 6, 7)),
    Residue(ONE, 4, (0, 1, 3)),
    Residue(ONE, 2, (1,)),
    Relation(ONE, OTHER),
    Either(((Interval(ONE, 1, 1),), (Residue(ONE, 4, (0,)), Interval(OTHER, 5, None)))),
]


@pytest.mark.parametrize("said", READ, ids=str)
def test_the_words_say_what_the_formula_says(said: Conjunct) -> None:
    assert parse_formula(str(said), {"n": N, "Batch Size": M}) is said.formula


@pytest.mark.parametrize("said", [*READ, Listing(ONE, (1, 3, 9)), Listing(ONE, (2, 4), out=True)], ids=str)
def test_pickles_and_json_keep_the_words(said: Conjunct) -> None:
    again = pickle.loads(pickle.dumps(said))
    assert type(again) is type(said)
    assert again == said
    assert again.formula is said.formula
    region = Precondition((said,), exact=True)
    assert Precondition.from_dict(region.to_dict()) == region


def test_other_conditions_are_texts_in_pickles() -> None:
    said = conjunct_of(at_least(N * M, 7))
    again = pickle.loads(pickle.dumps(said))
    assert again == said == Other("n*`Batch Size` >= 7")
    with pytest.raises(TypeError):  # nothing is concluded from a text
        _ = again.formula


def test_a_condition_is_of_the_kind_that_its_words_are_of() -> None:
    made = [at_least(N, 2), at_most(M, 9), equal(N, 3), divides(8, N), equal(N, M), equal((N + 3) % 8, 5)]
    assert [*map(conjunct_of, made)] == [
        Interval(ONE, 2, None),
        Interval(OTHER, None, 9),
        Interval(ONE, 3, 3),
        Residue(ONE, 8, (0,)),
        Relation(ONE, OTHER),
        Residue(ONE, 8, (2,)),
    ]
    assert {type(conjunct_of(f)) for f in (at_least(N, M), divides(8, N + M), equal(N + M, 3))} == {Other}
