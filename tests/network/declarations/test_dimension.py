"""Dimensions and ranks as values: how they are written, read and compared."""

from __future__ import annotations

import re

import pytest

from shapesmt import Dimension, PartialShape, Rank, ShapeMismatch, UsageError
from shapesmt.network.declarations.ranges import LARGEST
from tests.support.rows import case, row


@pytest.mark.parametrize(
    ("made", "text"),
    [
        case("A14", Dimension.dynamic(), "?"),
        case("A14", Dimension(-1), "?"),
        case("A14", Dimension(0, LARGEST), "?"),
        case("A15", Dimension(0, LARGEST), "?"),
        case("A16", Dimension(1, 10), "1..10"),
        case("A17", Dimension(10, 1), "1..10"),
        case("A18", Dimension(3), "3"),
        case("A18", Dimension(3, 3), "3"),
        case("B19", Dimension(7), "7"),
        case("B19", Dimension(LARGEST), str(LARGEST)),
        case("B20", Dimension(), "?"),
        case("B34", Dimension(2, -1), "2.."),
        case("B34", Dimension(2, None), "2.."),
        case("B34", Dimension(2, LARGEST), "2.."),
        case("B34", Dimension(-1, 8), "..8"),
    ],
)
def test_a_dimension_prints_as_the_text_that_reads_back(made, text):
    assert str(made) == text
    assert Dimension(text) == made
    assert eval(repr(made)) == made


@row("A13", "B21")
def test_static_is_one_size():
    assert Dimension(3).is_static
    assert not Dimension(3).is_dynamic
    assert Dimension(3, 4).is_dynamic
    assert (Dimension(3, 4).min_length, Dimension(3, 4).max_length) == (3, 4)
    assert (Dimension(3, None).min_length, Dimension(3, None).max_length) == (3, None)


@row("A12", "B02", "B11")
def test_a_rank_is_a_dimension_and_may_be_an_interval():
    assert Rank is Dimension
    some = PartialShape.dynamic(Rank(3, 5))
    assert some.rank == Rank(3, 5)
    assert some.compatible([1, 2, 3])
    assert not some.compatible([1, 2])
    assert str(some.merge([1, None, None])) == "[1,?,?]"
    assert str(some.merge_rank((4, 9))) == "[... rank 4..5]"
    with pytest.raises(ShapeMismatch, match=re.escape("their ranks are 3..5 and 2")):
        some.merge([1, 2])


@row("A19", "B13")
def test_a_negative_size_can_be_made_and_tells():
    negative = PartialShape([-3, 2])
    assert negative.is_static
    assert not negative.all_non_negative()
    assert str(negative) == "[-3,2]" == str(PartialShape("[-3,2]"))
    assert PartialShape([0, None, (2, 3)]).all_non_negative()
    with pytest.raises(ValueError, match="a size of -3 takes part in no arithmetic"):
        negative[0] + 1
    with pytest.raises(UsageError, match=re.escape("-5..7 is no dimension")):
        Dimension(-5, 7)


def test_a_static_dimension_equals_its_number():
    assert Dimension(3) == 3
    assert Dimension(3, 3) == 3
    assert hash(Dimension(3)) == hash(3)
    assert Dimension(3) != 4
    assert Dimension(3, 4) != 3
    assert Dimension() != -1
    assert Dimension(3) != "3"
    assert {Dimension(1, 8): "a"}[Dimension("1..8")] == "a"
