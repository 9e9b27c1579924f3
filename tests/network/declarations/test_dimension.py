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
@row(
    A14="`dynamic()`, -1 and the interval from 0 to the largest size are one dimension",
    A15="the interval from 0 to the largest size prints as unknown",
    A16="the interval from 1 to 10 prints as `1..10`",
    A17="bounds in the wrong order are swapped",
    A18="a number and the interval of that number alone are one dimension",
    B19="a number makes a static dimension, the largest size too",
    B20="a dimension of nothing is unknown",
    B34="no upper bound is written as -1, as None or as the largest size",
)
def test_a_dimension_prints_as_the_text_that_reads_back(made, text):
    assert str(made) == text
    assert Dimension(text) == made
    assert eval(repr(made)) == made


@row(
    A13="a dimension is an interval, static if both bounds are the same",
    B21="a dimension is static if it has one size, and tells its bounds",
)
def test_static_is_one_size():
    assert Dimension(3).is_static
    assert not Dimension(3).is_dynamic
    assert Dimension(3, 4).is_dynamic
    assert (Dimension(3, 4).min_length, Dimension(3, 4).max_length) == (3, 4)
    assert (Dimension(3, None).min_length, Dimension(3, None).max_length) == (3, None)


@row(
    "B11",
    A12="a rank may be an interval, and keeps it in merges",
    B02="a rank is a dimension",
)
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


@row(
    A19="a shape may hold a negative size, an input has none",
    B13="a shape tells whether it has negative sizes",
)
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
